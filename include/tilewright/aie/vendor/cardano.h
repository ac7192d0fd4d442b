/* The name of <adf.h> in its first releases. */
#ifndef TILEWRIGHT_AIE_VENDOR_CARDANO_INCLUDE
#define TILEWRIGHT_AIE_VENDOR_CARDANO_INCLUDE
#include <adf.h>
namespace cardano = adf;
#endif
