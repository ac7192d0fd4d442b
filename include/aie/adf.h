/* The name that graph programs include, with the words of the vendor's compiler that kernels use: restrict,
 * chess_prepare_for_pipelining and the like, which change no result. */
#include <tilewright/adf.hpp>

#include <tilewright/aie/vendor_macros.h>
