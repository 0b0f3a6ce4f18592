#error "tensor cores are not modelled by mlusim"
