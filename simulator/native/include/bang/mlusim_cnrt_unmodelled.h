// Functions of the runtime that are declared and not modelled: MLUSIM_UNMODELLED(name, parameters...) for each.
MLUSIM_UNMODELLED(cnrtFilterReshape, void* to, const void* from, int n, int h, int w, int c, cnrtDataType_t type)
MLUSIM_UNMODELLED(cnrtCreateQuantizedParamByChannel, cnrtQuantizedParam_t* param, int* positions, float* scales, float* offsets, int dimensions, int* sizes, int channel)
MLUSIM_UNMODELLED(cnrtDeviceQueryKernelMemoryUsage, size_t* bytes)

MLUSIM_UNMODELLED(cnrtGetSymbolAddress, void** pointer, const void* symbol)
MLUSIM_UNMODELLED(cnrtGetSymbolSize, size_t* bytes, const void* symbol)
MLUSIM_UNMODELLED(cnrtMemcpyFromSymbol, void* to, const void* symbol, size_t bytes, size_t offset, cnrtMemTransDir_t direction)
MLUSIM_UNMODELLED(cnrtMemcpyToSymbol, const void* symbol, const void* from, size_t bytes, size_t offset, cnrtMemTransDir_t direction)
MLUSIM_UNMODELLED(cnrtMemcpyFromSymbolAsync, void* to, const void* symbol, size_t bytes, size_t offset, cnrtMemTransDir_t direction, cnrtQueue_t queue)
MLUSIM_UNMODELLED(cnrtMemcpyFromSymbolAsync_V2, void* to, const void* symbol, size_t bytes, size_t offset, cnrtMemTransDir_t direction, cnrtQueue_t queue)
MLUSIM_UNMODELLED(cnrtMemcpyToSymbolAsync, const void* symbol, const void* from, size_t bytes, size_t offset, cnrtMemTransDir_t direction, cnrtQueue_t queue)
MLUSIM_UNMODELLED(cnrtMemcpyToSymbolAsync_V2, const void* symbol, const void* from, size_t bytes, size_t offset, cnrtMemTransDir_t direction, cnrtQueue_t queue)

MLUSIM_UNMODELLED(cnrtTaskTopoDebugDotPrint, cnrtTaskTopo_t topology, const char* path, unsigned int flags)
