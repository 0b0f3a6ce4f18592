// The functions are known without it.
#pragma once
