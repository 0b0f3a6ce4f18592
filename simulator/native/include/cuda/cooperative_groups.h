#error "cooperative groups are not modelled by mlusim"
