#pragma once
#include "mlu.h"
