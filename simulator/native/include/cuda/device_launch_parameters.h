// Everything of it is there already: see mlusim_cuda.h.
#pragma once
