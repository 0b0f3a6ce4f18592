#include "test.h"

int main() { return run_all(); }
