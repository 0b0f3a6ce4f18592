// The profiler's interface: no function of it is modelled. Host code includes this and calls none.
#pragma once
