/* <adf.h> as kernels and graphs include it: compile with -I<prefix>/include/tilewright/aie/vendor. C++17. */
#ifndef TILEWRIGHT_AIE_VENDOR_ADF_INCLUDE
#define TILEWRIGHT_AIE_VENDOR_ADF_INCLUDE
#include <tilewright/aie_vendor.hpp>

#include <tilewright/adf.hpp>
#endif
