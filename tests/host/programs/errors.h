// A call, and the status that it has to return; another one is printed with its line.
#pragma once
void check(int line, long got, long wanted, const char* call);
#define GIVES(status, ...) check(__LINE__, (long)(__VA_ARGS__), (long)(status), #__VA_ARGS__)
#define INVALID(...) GIVES(cnrtErrorArgsInvalid, __VA_ARGS__)
#define NOTHING(...) GIVES(cnrtErrorInvalidResourceHandle, __VA_ARGS__)
#define BAD(...) GIVES(CNNL_STATUS_BAD_PARAM, __VA_ARGS__)

void library(float* data);  // the calls of the operator library, on 8192 bytes of device memory
void further(float* data);  // the calls of further parts of the runtime, on the same
