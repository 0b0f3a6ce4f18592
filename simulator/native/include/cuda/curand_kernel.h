#error "cuRAND is not modelled by mlusim"
