// Part of each image that throws: the handler is there before the image's own objects are made.
#include "mlusim_terminate.h"

__attribute__((init_priority(101))) static mlusim_terminate handler;
