/* The name that graph programs include, with the words of the vendor's compiler that kernels use: restrict,
 * chess_prepare_for_pipelining and the like, which change no result. */
#include <tilewright/adf.hpp>

#include <iostream> /* host programs count on it */
#include <string>
#include <vector>

#include <tilewright/aie/vendor_macros.h>
