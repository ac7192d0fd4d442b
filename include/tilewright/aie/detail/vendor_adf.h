/* SPDX-License-Identifier: MIT */
/* Windows and streams with a resource as template argument, readincr_v4<aie_stream_resource_in::a>(s): which unit of
 * the core does it on the hardware. No effect here. */
#ifndef TILEWRIGHT_AIE_VENDOR_ADF_H
#define TILEWRIGHT_AIE_VENDOR_ADF_H

#include <tilewright/aie.h>

enum class aie_dm_resource { none, a, b, c, d, ab, ac, ad, bc, bd, cd, stack };
enum class aie_stream_resource_in { none, a, b };
enum class aie_stream_resource_out { none, a, b };

#define TW__RESOURCE_LANES(N)                                                              \
    template <aie_dm_resource, class T>                                                    \
    TW__AIE typename tw__vector<T, N>::type window_read_v##N(input_window<T> *w)           \
    {                                                                                      \
        return window_read_v##N(w);                                                        \
    }                                                                                      \
    template <aie_dm_resource, class T>                                                    \
    TW__AIE typename tw__vector<T, N>::type window_readincr_v##N(input_window<T> *w)       \
    {                                                                                      \
        return window_readincr_v##N(w);                                                    \
    }                                                                                      \
    template <aie_dm_resource, class T>                                                    \
    TW__AIE typename tw__vector<T, N>::type window_readdecr_v##N(input_window<T> *w)       \
    {                                                                                      \
        return window_readdecr_v##N(w);                                                    \
    }                                                                                      \
    template <aie_stream_resource_in, class T>                                             \
    TW__AIE typename tw__vector<T, N>::type readincr_v##N(input_stream<T> *s)              \
    {                                                                                      \
        return readincr_v##N(s);                                                           \
    }                                                                                      \
    template <aie_stream_resource_in, class T>                                             \
    TW__AIE typename tw__vector<T, N>::type readincr_v##N(input_stream<T> *s, bool &tlast) \
    {                                                                                      \
        return readincr_v##N(s, tlast);                                                    \
    }
TW__PORT_LANES(TW__RESOURCE_LANES)
#undef TW__RESOURCE_LANES
template <aie_stream_resource_in, class T> TW__AIE T readincr(input_stream<T> *s)
{
    return readincr(s);
}
template <aie_stream_resource_in, class T> TW__AIE T readincr(input_stream<T> *s, bool &tlast)
{
    return readincr(s, tlast);
}
/* A layered vector is written as the native one it converts to. */
template <class V> TW__AIE auto tw__to_native(const V &v, int) -> decltype(v.to_native())
{
    return v.to_native();
}
template <class V> TW__AIE const V &tw__to_native(const V &v, long)
{
    return v;
}
template <aie_stream_resource_out, class T, class V> TW__AIE void writeincr(output_stream<T> *s, const V &v)
{
    writeincr(s, tw__to_native(v, 0));
}
template <aie_stream_resource_out, class T, class V>
TW__AIE void writeincr(output_stream<T> *s, const V &v, bool tlast)
{
    writeincr(s, tw__to_native(v, 0), tlast);
}
template <aie_dm_resource, class T, class V> TW__AIE void window_write(output_window<T> *w, const V &v)
{
    window_write(w, tw__to_native(v, 0));
}
template <aie_dm_resource, class T, class V> TW__AIE void window_writeincr(output_window<T> *w, const V &v)
{
    window_writeincr(w, tw__to_native(v, 0));
}

#endif
