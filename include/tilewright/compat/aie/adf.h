/* SPDX-License-Identifier: MIT */
/* The name that graph programs include, with the words of the vendor's compiler that kernels use: restrict,
 * chess_prepare_for_pipelining and the like, which change no result. */
#ifndef TILEWRIGHT_AIE_ADF_H
#define TILEWRIGHT_AIE_ADF_H

#include <tilewright/aie/adf.hpp>

#include <fstream>
#include <iostream> /* host programs count on it */
#include <string>
#include <vector>

#include <tilewright/aie/detail/vendor_macros.h>

/* Published graphs write these with `using namespace adf` alone. */
namespace adf {
using std::cerr;
using std::cout;
using std::endl;
using std::string;
using std::to_string;
using std::vector;
} // namespace adf

/* Kernels of layered C++ have functions of their own by these names; what opens a port is a graph's business
 * there. */
#ifdef TILEWRIGHT_AIE_VENDOR_HPP
#undef window_in
#undef window_out
#undef stream_in
#undef stream_out
#undef pktstream_in
#undef pktstream_out
#undef cascade_in
#undef cascade_out
#endif

#endif
