// Everything of it is in mlusim_cuda.h, which a CUDA source has already.
#pragma once
#include "mlusim_cuda.h"
