// SPDX-License-Identifier: MIT
/* AI Engine C++ that is layered on the vendor's intrinsics, on this machine.
 *
 *     #include <tilewright/aie/vendor.hpp>   // first: everything the vendor's compiler has built in
 *     #include <aie_api/aie.hpp>             // the layered library, or kernels as they are
 *
 * Threads: as <tilewright/aie.h> says. */
#ifndef TILEWRIGHT_AIE_VENDOR_HPP
#define TILEWRIGHT_AIE_VENDOR_HPP

#ifdef TILEWRIGHT_AIE_TYPES_H
#error "include <tilewright/aie/vendor.hpp> before <tilewright/aie.h>: it makes the vector types classes"
#endif

#include <tilewright/aie/detail/vendor_types.h>
/* A layered library has these templates itself. */
#define window_read_v     tw__window_read_v
#define window_readincr_v tw__window_readincr_v
#define window_readdecr_v tw__window_readdecr_v
#define readincr_v        tw__readincr_v
#include <tilewright/aie.h>
#undef window_read_v
#undef window_readincr_v
#undef window_readdecr_v
#undef readincr_v
#include <tilewright/aie/detail/vendor_adf.h>
#include <tilewright/aie/detail/vendor_calls.h>
#include <tilewright/aie/detail/vendor_host.h>
#include <tilewright/aie/detail/vendor_macros.h>
#include <tilewright/aie/detail/vendor_fft.h>

#define TW__AS(type, words)                            \
    inline void tw__reinterpret(tw__slots s, type &to) \
    {                                                  \
        to = tw__from_slots_##type(s);                 \
    }
TW__SLOTS_LIST(TW__AS, TW__AS)
#undef TW__AS
template <class To, class From> inline To tw__accumulator_cast(const From &from)
{
    To to;
    tw__reinterpret(TW__N(tw__to_slots, )(from), to);
    return to;
}

#endif
