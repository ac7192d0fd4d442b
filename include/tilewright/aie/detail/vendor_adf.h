/* SPDX-License-Identifier: MIT */
/* Windows and streams with a resource as template argument, readincr_v4<aie_stream_resource_in::a>(s): which unit of
 * the core does it on the hardware. No effect here. */
#ifndef TILEWRIGHT_AIE_VENDOR_ADF_H
#define TILEWRIGHT_AIE_VENDOR_ADF_H

#include <tilewright/aie.h>

enum class aie_dm_resource { none, a, b, c, d, ab, ac, ad, bc, bd, cd, stack };
enum class aie_stream_resource_in { none, a, b };
enum class aie_stream_resource_out { none, a, b };

#define TW__RESOURCE_LANES(TwN)                                                                    \
    template <aie_dm_resource, class TwT>                                                          \
    TW__AIE typename tw__vector<TwT, TwN>::type window_read_v##TwN(input_window<TwT> *w)           \
    {                                                                                              \
        return window_read_v##TwN(w);                                                              \
    }                                                                                              \
    template <aie_dm_resource, class TwT>                                                          \
    TW__AIE typename tw__vector<TwT, TwN>::type window_readincr_v##TwN(input_window<TwT> *w)       \
    {                                                                                              \
        return window_readincr_v##TwN(w);                                                          \
    }                                                                                              \
    template <aie_dm_resource, class TwT>                                                          \
    TW__AIE typename tw__vector<TwT, TwN>::type window_readdecr_v##TwN(input_window<TwT> *w)       \
    {                                                                                              \
        return window_readdecr_v##TwN(w);                                                          \
    }                                                                                              \
    template <aie_stream_resource_in, class TwT>                                                   \
    TW__AIE typename tw__vector<TwT, TwN>::type readincr_v##TwN(input_stream<TwT> *s)              \
    {                                                                                              \
        return readincr_v##TwN(s);                                                                 \
    }                                                                                              \
    template <aie_stream_resource_in, class TwT>                                                   \
    TW__AIE typename tw__vector<TwT, TwN>::type readincr_v##TwN(input_stream<TwT> *s, bool &tlast) \
    {                                                                                              \
        return readincr_v##TwN(s, tlast);                                                          \
    }
TW__PORT_LANES(TW__RESOURCE_LANES)
#undef TW__RESOURCE_LANES
template <aie_stream_resource_in, class TwT> TW__AIE TwT readincr(input_stream<TwT> *s)
{
    return readincr(s);
}
template <aie_stream_resource_in, class TwT> TW__AIE TwT readincr(input_stream<TwT> *s, bool &tlast)
{
    return readincr(s, tlast);
}
/* A layered vector is written as the native one it converts to. */
template <class TwV> TW__AIE auto tw__to_native(const TwV &v, int) -> decltype(v.to_native())
{
    return v.to_native();
}
template <class TwV> TW__AIE const TwV &tw__to_native(const TwV &v, long)
{
    return v;
}
template <aie_stream_resource_out, class TwT, class TwV> TW__AIE void writeincr(output_stream<TwT> *s, const TwV &v)
{
    writeincr(s, tw__to_native(v, 0));
}
template <aie_stream_resource_out, class TwT, class TwV>
TW__AIE void writeincr(output_stream<TwT> *s, const TwV &v, bool tlast)
{
    writeincr(s, tw__to_native(v, 0), tlast);
}
template <aie_dm_resource, class TwT, class TwV> TW__AIE void window_write(output_window<TwT> *w, const TwV &v)
{
    window_write(w, tw__to_native(v, 0));
}
template <aie_dm_resource, class TwT, class TwV> TW__AIE void window_writeincr(output_window<TwT> *w, const TwV &v)
{
    window_writeincr(w, tw__to_native(v, 0));
}

#endif
