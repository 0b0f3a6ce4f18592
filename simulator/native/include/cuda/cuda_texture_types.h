#error "textures are not modelled by mlusim"
