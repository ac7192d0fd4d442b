/* SPDX-License-Identifier: MIT */
/* aie/stream.h in C++: ports by type are templates over the element, the rest overloads. */
#ifndef TILEWRIGHT_AIE_STREAM_CXX_H
#define TILEWRIGHT_AIE_STREAM_CXX_H

#ifndef TW__ACC_TAGS /* aie/vendor.hpp has them */
struct acc48;
struct acc80;
struct accfloat;
struct caccfloat;
#endif
#define TW__CASCADE_VECTOR(lanes, acc)          \
    template <> struct tw__vector<acc, lanes> { \
        typedef v##lanes##acc type;             \
    };
TW__CASCADES(TW__CASCADE_VECTOR)
#undef TW__CASCADE_VECTOR
template <class TwT> struct input_stream {
    int port, packet_id;
    TwT *element;
};
template <class TwT> struct output_stream {
    int port, packet_id;
    TwT *element;
};
template <class TwA> struct input_cascade {
    int port, packet_id;
    TwA *element;
};
template <class TwA> struct output_cascade {
    int port, packet_id;
    TwA *element;
};
#define TW__STREAM_TYPES(T)                   \
    typedef input_stream<T> input_stream_##T; \
    typedef output_stream<T> output_stream_##T;
TW__PORT_TYPES(TW__STREAM_TYPES)
#undef TW__STREAM_TYPES
#define TW__CASCADE_TYPES(lanes, acc)              \
    typedef input_cascade<acc> input_stream_##acc; \
    typedef output_cascade<acc> output_stream_##acc;
TW__CASCADES(TW__CASCADE_TYPES)
#undef TW__CASCADE_TYPES
#define stream_in(T, port)  (TW__PLACE reinterpret_cast<input_stream<T> *>(tw_aie_stream_in(port)))
#define stream_out(T, port) (TW__PLACE reinterpret_cast<output_stream<T> *>(tw_aie_stream_out(port)))
#define cascade_in(acc)     (TW__PLACE reinterpret_cast<input_cascade<acc> *>(tw_aie_stream_in(TW_AIE_CASCADE)))
#define cascade_out(acc)    (TW__PLACE reinterpret_cast<output_cascade<acc> *>(tw_aie_stream_out(TW_AIE_CASCADE)))

/* A number narrower than a word of 32 bits has a word to itself, sign- or zero-extended. */
template <class TwV> struct tw__on_stream {
    typedef TwV type;
};
template <> struct tw__on_stream<int8> {
    typedef int32 type;
};
template <> struct tw__on_stream<int16> : tw__on_stream<int8> {};
template <> struct tw__on_stream<uint8> {
    typedef uint32 type;
};
template <> struct tw__on_stream<uint16> : tw__on_stream<uint8> {};
template <class TwV, class TwS> TW__AIE TwV tw__stream_get(TwS *s, bool *tlast)
{
    typename tw__on_stream<TwV>::type v;
    int last = 0;
    static_assert(sizeof v % 4 == 0, "a stream moves words of 32 bits: read a vector of these elements");
    tw_aie_stream_read(s->port, &v, sizeof v, &last);
    if (tlast) *tlast = last != 0;
    return static_cast<TwV>(v);
}
template <class TwS, class TwV> TW__AIE void tw__stream_put(TwS *s, const TwV &narrow, bool tlast)
{
    const typename tw__on_stream<TwV>::type v = narrow;
    static_assert(sizeof v % 4 == 0, "a stream moves words of 32 bits: write a vector of these elements");
    tw_aie_stream_write(s->port, &v, sizeof v, tlast);
}
template <class TwT> TW__AIE TwT readincr(input_stream<TwT> *s TW__AT)
{
    TW__HERE;
    return tw__stream_get<TwT>(s, 0);
}
template <class TwT> TW__AIE TwT readincr(input_stream<TwT> *s, bool &tlast TW__AT)
{
    TW__HERE;
    return tw__stream_get<TwT>(s, &tlast);
}
TW__AIE int readincr(input_pktstream *s TW__AT)
{
    TW__HERE;
    return tw__stream_get<int>(s, 0);
}
TW__AIE int readincr(input_pktstream *s, bool &tlast TW__AT)
{
    TW__HERE;
    return tw__stream_get<int>(s, &tlast);
}
template <class TwT, class TwV>
TW__AIE void writeincr(output_stream<TwT> *s, const TwV &v, bool tlast = false TW__AT)
{
    TW__HERE;
    tw__stream_put(s, tw__element_or_vector<TwT, TwV>::of(v), tlast);
}
template <class TwV> TW__AIE void writeincr(output_pktstream *s, const TwV &v, bool tlast = false TW__AT)
{
    TW__HERE;
    tw__stream_put(s, v, tlast);
}
/* By value: a deduced type has lost the alignment of 16 bytes that vectors have. */
template <class TwA, class TwV> TW__AIE void writeincr(output_cascade<TwA> *s, TwV v TW__AT)
{
    TW__HERE;
    tw__stream_put(s, v, false);
}
template <unsigned TwN, class TwT>
TW__AIE typename tw__vector<TwT, TwN>::type readincr_v(input_stream<TwT> *s TW__AT)
{
    TW__HERE;
    return tw__stream_get<typename tw__vector<TwT, TwN>::type>(s, 0);
}
template <unsigned TwN, class TwT>
TW__AIE typename tw__vector<TwT, TwN>::type readincr_v(input_stream<TwT> *s, bool &tlast TW__AT)
{
    TW__HERE;
    return tw__stream_get<typename tw__vector<TwT, TwN>::type>(s, &tlast);
}
template <unsigned TwN, class TwA>
TW__AIE typename tw__vector<TwA, TwN>::type readincr_v(input_cascade<TwA> *s TW__AT)
{
    TW__HERE;
    return tw__stream_get<typename tw__vector<TwA, TwN>::type>(s, 0);
}
#define TW__STREAM_LANES(TwN)                                                                                      \
    template <class TwT> TW__AIE typename tw__vector<TwT, TwN>::type readincr_v##TwN(input_stream<TwT> *s TW__AT)  \
    {                                                                                                              \
        TW__HERE;                                                                                                  \
        return readincr_v<TwN>(s TW__PASS);                                                                        \
    }                                                                                                              \
    template <class TwT>                                                                                           \
    TW__AIE typename tw__vector<TwT, TwN>::type readincr_v##TwN(input_stream<TwT> *s, bool &tlast TW__AT)          \
    {                                                                                                              \
        TW__HERE;                                                                                                  \
        return readincr_v<TwN>(s, tlast TW__PASS);                                                                 \
    }                                                                                                              \
    template <class TwA> TW__AIE typename tw__vector<TwA, TwN>::type readincr_v##TwN(input_cascade<TwA> *s TW__AT) \
    {                                                                                                              \
        TW__HERE;                                                                                                  \
        return readincr_v<TwN>(s TW__PASS);                                                                        \
    }                                                                                                              \
    template <class TwT>                                                                                           \
    TW__AIE void writeincr_v##TwN(output_stream<TwT> *s, typename tw__vector<TwT, TwN>::type v,                    \
                                  bool tlast = false TW__AT)                                                       \
    {                                                                                                              \
        TW__HERE;                                                                                                  \
        tw__stream_put(s, v, tlast);                                                                               \
    }                                                                                                              \
    template <class TwA>                                                                                           \
    TW__AIE void writeincr_v##TwN(output_cascade<TwA> *s, typename tw__vector<TwA, TwN>::type v TW__AT)            \
    {                                                                                                              \
        TW__HERE;                                                                                                  \
        tw__stream_put(s, v, false);                                                                               \
    }
TW__STREAM_LANES(2)
TW__STREAM_LANES(4)
TW__STREAM_LANES(8)
TW__STREAM_LANES(16)
#undef TW__STREAM_LANES

TW__AIE uint32_t tw__word_of(const void *v)
{
    uint32_t word;
    __builtin_memcpy(&word, v, sizeof word);
    return word;
}
#define TW__PUT_MS(type)                                                      \
    TW__AIE void put_ms(int port, type v, int tlast = 0 TW__AT)               \
    {                                                                         \
        TW__HERE;                                                             \
        tw_aie_stream_write(port, &v, sizeof v, tlast);                       \
    }                                                                         \
    TW__AIE void put_ms_nb(int port, type v, bool &success TW__AT)            \
    {                                                                         \
        TW__HERE;                                                             \
        success = tw_aie_try_put_word(port, tw__word_of(&v), 0) != 0;         \
    }                                                                         \
    TW__AIE void put_ms_nb(int port, type v, int tlast, bool &success TW__AT) \
    {                                                                         \
        TW__HERE;                                                             \
        success = tw_aie_try_put_word(port, tw__word_of(&v), tlast) != 0;     \
    }
TW__PUT_MS(int)
TW__PUT_MS(unsigned)
TW__PUT_MS(cint16)
#undef TW__PUT_MS
TW__AIE void put_ms(int port, float v, int tlast = 0 TW__AT)
{
    TW__HERE;
    tw_aie_put_word(port, static_cast<uint32_t>(tw__float_word(v)), tlast);
}
TW__AIE void put_ms_nb(int port, float v, bool &success TW__AT)
{
    TW__HERE;
    success = tw_aie_try_put_word(port, static_cast<uint32_t>(tw__float_word(v)), 0) != 0;
}
TW__AIE void put_ms_nb(int port, float v, int tlast, bool &success TW__AT)
{
    TW__HERE;
    success = tw_aie_try_put_word(port, static_cast<uint32_t>(tw__float_word(v)), tlast) != 0;
}
#define TW__PUT_WMS(type)                                        \
    TW__AIE void put_wms(int port, type v, int tlast = 0 TW__AT) \
    {                                                            \
        TW__HERE;                                                \
        tw_aie_stream_write(port, &v, sizeof v, tlast);          \
    }
TW__STREAM_WIDES(TW__PUT_WMS)
#undef TW__PUT_WMS
#define TW__GET_NB(type, name)                           \
    TW__AIE type name(int port, bool &success TW__AT)    \
    {                                                    \
        TW__HERE;                                        \
        uint32_t word = 0;                               \
        type v;                                          \
        success = tw_aie_try_get_word(port, &word) != 0; \
        __builtin_memcpy(&v, &word, sizeof v);           \
        return v;                                        \
    }
TW__GET_NB(int, get_ss_nb)
TW__GET_NB(float, getf_ss_nb)
TW__GET_NB(cint16, getc_ss_nb)
#undef TW__GET_NB
#define TW__PUT_MCD(type)                 \
    TW__AIE void put_mcd(type v TW__AT)   \
    {                                     \
        TW__HERE;                         \
        tw_aie_put_cascade(&v, sizeof v); \
    }
TW__AM_LIST(TW__PUT_MCD)
#undef TW__PUT_MCD
TW__AIE void put_ms_packet_header(int port, unsigned id, unsigned type TW__AT)
{
    TW__HERE;
    tw__put_packet_header(port, 0, id, type);
}
TW__AIE void put_ms_packet_header(int port, int tlast, unsigned id, unsigned type TW__AT)
{
    TW__HERE;
    tw__put_packet_header(port, tlast, id, type);
}
TW__AIE void put_ms_ctrl_packet_header(int port, unsigned address, unsigned words, unsigned operation,
                                       unsigned id TW__AT)
{
    TW__HERE;
    tw__put_ctrl_header(port, 0, address, words, operation, id);
}
TW__AIE void put_ms_ctrl_packet_header(int port, int tlast, unsigned address, unsigned words, unsigned operation,
                                       unsigned id TW__AT)
{
    TW__HERE;
    tw__put_ctrl_header(port, tlast, address, words, operation, id);
}
TW__AIE void writeHeader(output_pktstream *s, unsigned type, unsigned id, bool tlast = false TW__AT)
{
    TW__HERE;
    tw_aie_put_word(s->port, tw__packet_header(id, type), tlast);
}
/* Ids are given by the switch configuration: tw_aie_array_packet_id(), or the graph. Several on one stream count
 * on. */
template <class TwS> TW__AIE unsigned getPacketid(TwS *s, int index TW__AT)
{
    TW__HERE;
    TW__CHECK(index >= 0 && index < 32, "getPacketid", "branch %d is not 0 to 31", index);
    return static_cast<unsigned>(s->packet_id + index) & 31;
}
TW__AIE void acquire(int lock, int value = -1 TW__AT)
{
    TW__HERE;
    tw_aie_acquire(lock, value);
}
TW__AIE void release(int lock, int value = -1 TW__AT)
{
    TW__HERE;
    tw_aie_release(lock, value);
}

#endif
