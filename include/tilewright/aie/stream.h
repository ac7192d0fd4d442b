/* Streams, cascade, packets, locks and events of the kernel that runs (aie.md 2.8, 5).
 *
 *     int v = get_ss(0); put_ms(1, v, 1);          ports by number; the last argument is TLAST
 *     int v = readincr(in); writeincr(out, v);     ports by type: input_stream_int32, output_stream_cint16, ...
 *     v4int32 v = readincr_v4(in);                 128 bits, four words
 *     v8acc48 a = get_scd(); put_mcd(a);           the cascade; or readincr_v8(input_stream_acc48 *)
 *
 * `_nb` forms do not wait: the last argument, a variable, says whether the word moved. A kernel gets its stream from
 * stream_in(int32, port), stream_out(int32, port), the cascade from cascade_in(acc48), cascade_out(acc48). */
#ifndef TILEWRIGHT_AIE_STREAM_H
#define TILEWRIGHT_AIE_STREAM_H

#include <tilewright/aie/window.h>

/* X(lanes, accumulator): what one register of the cascade holds. */
#define TW__CASCADES(X) X(8, acc48) X(4, cacc48) X(4, acc80) X(2, cacc80) X(8, accfloat) X(4, caccfloat)
/* X(suffix, vector): 128 bits of a stream. */
#define TW__STREAM_WIDES(X) \
    X(v16int8) X(v16uint8) X(v8int16) X(v4int32) X(v4cint16) X(v2cint32) X(v4float) X(v2cfloat)

/* --- words by port number ------------------------------------------------------------------------------------------ */

TW__AIE int get_ss(int port TW__AT)
{
    TW__HERE;
    return (int)tw_aie_get_word(port, 0);
}
TW__AIE float getf_ss(int port TW__AT)
{
    TW__HERE;
    float v;
    tw_aie_stream_read(port, &v, sizeof v, 0);
    return v;
}
TW__AIE cint16 getc_ss(int port TW__AT)
{
    TW__HERE;
    cint16 v;
    tw_aie_stream_read(port, &v, sizeof v, 0);
    return v;
}
TW__AIE v8int16 get_wss(int port TW__AT)
{
    TW__HERE;
    v8int16 v;
    tw_aie_stream_read(port, &v, sizeof v, 0);
    return v;
}
TW__AIE v4float getf_wss(int port TW__AT)
{
    TW__HERE;
    v4float v;
    tw_aie_stream_read(port, &v, sizeof v, 0);
    return v;
}
TW__AIE v4cint16 getc_wss(int port TW__AT)
{
    TW__HERE;
    v4cint16 v;
    tw_aie_stream_read(port, &v, sizeof v, 0);
    return v;
}
#define TW__GET_WSS(type)                          \
    TW__AIE type get_wss_##type(int port TW__AT)   \
    {                                              \
        TW__HERE;                                  \
        type v;                                    \
        tw_aie_stream_read(port, &v, sizeof v, 0); \
        return v;                                  \
    }
TW__STREAM_WIDES(TW__GET_WSS)
#undef TW__GET_WSS
/* TLAST of the last word read: 128-bit accesses of a port share it. */
TW__AIE int get_ss0_tlast(TW__AT_ONLY)
{
    TW__HERE;
    return tw_aie_tlast(0);
}
TW__AIE int get_ss1_tlast(TW__AT_ONLY)
{
    TW__HERE;
    return tw_aie_tlast(1);
}
TW__AIE int get_wss0_tlast(TW__AT_ONLY)
{
    TW__HERE;
    return tw_aie_tlast(0);
}
TW__AIE int get_wss1_tlast(TW__AT_ONLY)
{
    TW__HERE;
    return tw_aie_tlast(1);
}

/* --- the cascade ---------------------------------------------------------------------------------------------------- */

// clang-format off
#define TW__AM_LIST(X) X(v8acc48) X(v4cacc48) X(v4acc80) X(v2cacc80) X(v8float) X(v4cfloat)
#define TW__SCD_LIST(X) \
    X(get_scd, v8acc48) X(getc_scd, v4cacc48) X(getl_scd, v4acc80) X(getlc_scd, v2cacc80) \
    X(getf_scd, v8float) X(getfc_scd, v4cfloat) \
    X(get_scd_v8acc48, v8acc48) X(get_scd_v4cacc48, v4cacc48) X(get_scd_v4acc80, v4acc80) \
    X(get_scd_v2cacc80, v2cacc80) X(get_scd_v8float, v8float) X(get_scd_v4cfloat, v4cfloat)
// clang-format on
#define TW__GET_SCD(name, type)           \
    TW__AIE type name(TW__AT_ONLY)        \
    {                                     \
        TW__HERE;                         \
        type v;                           \
        tw_aie_get_cascade(&v, sizeof v); \
        return v;                         \
    }
TW__SCD_LIST(TW__GET_SCD)
#undef TW__GET_SCD

/* --- packets (UG1079 "Packet Processing"; AM009 control packets, their layout assumed) --------------------------------
 * Header: id in bits 4-0, type in 14-12, source row in 20-16, source column in 27-21, odd parity in 31. Control header:
 * address in bits 19-0, words - 1 in 21-20, operation in 23-22, id of the answer in 28-24, odd parity in 31. */
TW__AIE unsigned tw__with_parity(unsigned bits)
{
    return bits | (unsigned)!__builtin_parity(bits) << 31;
}
TW__AIE unsigned tw__packet_header(unsigned id, unsigned type)
{
    unsigned core = (unsigned)tw_aie_coreid(), row = core & 31, column = core >> 16 & 127;
    TW__CHECK(id < 32 && type < 8, "packet_header", "id %u is not 0 to 31 or type %u not 0 to 7", id, type);
    return tw__with_parity((id & 31) | (type & 7) << 12 | row << 16 | column << 21);
}
TW__AIE unsigned tw__ctrl_header(unsigned address, unsigned words, unsigned operation, unsigned id)
{
    TW__CHECK(address < 1u << 20 && words >= 1 && words <= 4 && operation < 4 && id < 32, "ctrl_packet_header",
              "address 0x%x of 20 bits, %u words of 1 to 4, operation %u of 0 to 3, id %u of 0 to 31: one is out "
              "of range",
              address, words, operation, id);
    return tw__with_parity((address & 0xfffff) | ((words - 1) & 3) << 20 | (operation & 3) << 22 | (id & 31) << 24);
}
TW__AIE unsigned packet_header(unsigned id, unsigned type TW__AT)
{
    TW__HERE;
    return tw__packet_header(id, type);
}
TW__AIE unsigned ctrl_packet_header(unsigned address, unsigned words, unsigned operation, unsigned id TW__AT)
{
    TW__HERE;
    return tw__ctrl_header(address, words, operation, id);
}
TW__AIE void put_ms_packet_header(int port, unsigned id, unsigned type TW__AT)
{
    TW__HERE;
    tw_aie_put_word(port, tw__packet_header(id, type), 0);
}
TW__AIE void put_ms_ctrl_packet_header(int port, unsigned address, unsigned words, unsigned operation,
                                       unsigned id TW__AT)
{
    TW__HERE;
    tw_aie_put_word(port, tw__ctrl_header(address, words, operation, id), 0);
}
typedef struct input_pktstream {
    int port;
    int *element, *input;
} input_pktstream;
typedef struct output_pktstream {
    int port;
    int *element, *output;
} output_pktstream;
#define pktstream_in(port)  ((input_pktstream *)tw_aie_stream_in(port))
#define pktstream_out(port) ((output_pktstream *)tw_aie_stream_out(port))
/* The header that stands in front of a packet. */
TW__AIE unsigned readHeader(input_pktstream *stream TW__AT)
{
    TW__HERE;
    return tw_aie_get_word(stream->port, 0);
}

/* --- events, cycles ------------------------------------------------------------------------------------------------- */

/* Counted by kernel: tw_aie_array_events(). done(): the kernel fires no more. */
TW__AIE void event0(TW__AT_ONLY)
{
    TW__HERE;
    tw_aie_event(0);
}
TW__AIE void event1(TW__AT_ONLY)
{
    TW__HERE;
    tw_aie_event(1);
}
TW__AIE void event_error(TW__AT_ONLY)
{
    TW__HERE;
    tw_aie_event(2);
}
TW__AIE void done(TW__AT_ONLY)
{
    TW__HERE;
    tw_aie_done();
}
TW__AIE uint64 get_cycles(TW__AT_ONLY)
{
    TW__HERE;
    return tw_aie_cycles_now();
}
TW__AIE int get_coreid(TW__AT_ONLY)
{
    TW__HERE;
    return tw_aie_coreid();
}

/* --- names in C++ --------------------------------------------------------------------------------------------------- */
#ifdef __cplusplus
#ifndef TW__ACC_TAGS /* aie_vendor.hpp has them */
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
template <class T> struct input_stream {
    int port;
    T *element;
};
template <class T> struct output_stream {
    int port;
    T *element;
};
template <class A> struct input_cascade {
    int port;
    A *element;
};
template <class A> struct output_cascade {
    int port;
    A *element;
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

template <class V, class S> TW__AIE V tw__stream_get(S *s, bool *tlast)
{
    V v;
    int last = 0;
    static_assert(sizeof(V) % 4 == 0, "a stream moves words of 32 bits: read a vector of these elements");
    tw_aie_stream_read(s->port, &v, sizeof v, &last);
    if (tlast) *tlast = last != 0;
    return v;
}
template <class S, class V> TW__AIE void tw__stream_put(S *s, const V &v, bool tlast)
{
    static_assert(sizeof(V) % 4 == 0, "a stream moves words of 32 bits: write a vector of these elements");
    tw_aie_stream_write(s->port, &v, sizeof v, tlast);
}
template <class T> TW__AIE T readincr(input_stream<T> *s TW__AT)
{
    TW__HERE;
    return tw__stream_get<T>(s, 0);
}
template <class T> TW__AIE T readincr(input_stream<T> *s, bool &tlast TW__AT)
{
    TW__HERE;
    return tw__stream_get<T>(s, &tlast);
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
template <class T, class V> TW__AIE void writeincr(output_stream<T> *s, const V &v, bool tlast = false TW__AT)
{
    TW__HERE;
    tw__stream_put(s, tw__element_or_vector<T, V>::of(v), tlast);
}
template <class V> TW__AIE void writeincr(output_pktstream *s, const V &v, bool tlast = false TW__AT)
{
    TW__HERE;
    tw__stream_put(s, v, tlast);
}
template <class A, class V> TW__AIE void writeincr(output_cascade<A> *s, const V &v TW__AT)
{
    TW__HERE;
    tw__stream_put(s, v, false);
}
template <unsigned N, class T> TW__AIE typename tw__vector<T, N>::type readincr_v(input_stream<T> *s TW__AT)
{
    TW__HERE;
    return tw__stream_get<typename tw__vector<T, N>::type>(s, 0);
}
template <unsigned N, class T>
TW__AIE typename tw__vector<T, N>::type readincr_v(input_stream<T> *s, bool &tlast TW__AT)
{
    TW__HERE;
    return tw__stream_get<typename tw__vector<T, N>::type>(s, &tlast);
}
template <unsigned N, class A> TW__AIE typename tw__vector<A, N>::type readincr_v(input_cascade<A> *s TW__AT)
{
    TW__HERE;
    return tw__stream_get<typename tw__vector<A, N>::type>(s, 0);
}
#define TW__STREAM_LANES(N)                                                                                        \
    template <class T> TW__AIE typename tw__vector<T, N>::type readincr_v##N(input_stream<T> *s TW__AT)            \
    {                                                                                                              \
        TW__HERE;                                                                                                  \
        return readincr_v<N>(s TW__PASS);                                                                          \
    }                                                                                                              \
    template <class T>                                                                                             \
    TW__AIE typename tw__vector<T, N>::type readincr_v##N(input_stream<T> *s, bool &tlast TW__AT)                  \
    {                                                                                                              \
        TW__HERE;                                                                                                  \
        return readincr_v<N>(s, tlast TW__PASS);                                                                   \
    }                                                                                                              \
    template <class A> TW__AIE typename tw__vector<A, N>::type readincr_v##N(input_cascade<A> *s TW__AT)           \
    {                                                                                                              \
        TW__HERE;                                                                                                  \
        return readincr_v<N>(s TW__PASS);                                                                          \
    }                                                                                                              \
    template <class T>                                                                                             \
    TW__AIE void writeincr_v##N(output_stream<T> *s, typename tw__vector<T, N>::type v, bool tlast = false TW__AT) \
    {                                                                                                              \
        TW__HERE;                                                                                                  \
        tw__stream_put(s, v, tlast);                                                                               \
    }                                                                                                              \
    template <class A> TW__AIE void writeincr_v##N(output_cascade<A> *s, typename tw__vector<A, N>::type v TW__AT) \
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
TW__PUT_MS(float)
TW__PUT_MS(cint16)
#undef TW__PUT_MS
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
TW__AIE void writeHeader(output_pktstream *s, unsigned type, unsigned id, bool tlast = false TW__AT)
{
    TW__HERE;
    tw_aie_put_word(s->port, tw__packet_header(id, type), tlast);
}
/* Ids are given by the switch configuration; a connection without a split has one, 0 (assumed). */
template <class S> TW__AIE unsigned getPacketid(S *s, int index TW__AT)
{
    TW__HERE;
    (void)s;
    TW__CHECK(index >= 0 && index < 32, "getPacketid", "branch %d is not 0 to 31", index);
    return static_cast<unsigned>(index) & 31;
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

/* --- names in C ----------------------------------------------------------------------------------------------------- */
#else
/* Only what their pointers tell apart. */
#define TW__STREAM_TYPES(T)            \
    typedef struct input_stream_##T {  \
        int port;                      \
        T *element, *input;            \
    } input_stream_##T;                \
    typedef struct output_stream_##T { \
        int port;                      \
        T *element, *output;           \
    } output_stream_##T;
TW__PORT_TYPES(TW__STREAM_TYPES)
#undef TW__STREAM_TYPES
#define TW__CASCADE_TYPES(lanes, acc)              \
    typedef struct input_stream_##acc {            \
        int port;                                  \
        v##lanes##acc *element, *input, *cascade;  \
    } input_stream_##acc;                          \
    typedef struct output_stream_##acc {           \
        int port;                                  \
        v##lanes##acc *element, *output, *cascade; \
    } output_stream_##acc;
TW__CASCADES(TW__CASCADE_TYPES)
#undef TW__CASCADE_TYPES
#define stream_in(T, port)  TW__CALLED((input_stream_##T *)tw_aie_stream_in(port))
#define stream_out(T, port) TW__CALLED((output_stream_##T *)tw_aie_stream_out(port))
#define cascade_in(acc)     ((input_stream_##acc *)tw_aie_stream_in(TW_AIE_CASCADE))
#define cascade_out(acc)    ((output_stream_##acc *)tw_aie_stream_out(TW_AIE_CASCADE))

#define TW__STREAM_GET(s, example, tlast) TW__CALLED(TW__STREAM_GET_(s, example, tlast))
#define TW__STREAM_GET_(s, example, tlast)                                                                        \
    __extension__({                                                                                               \
        __typeof__(example) tw_v;                                                                                 \
        _Static_assert(sizeof tw_v % 4 == 0, "a stream moves words of 32 bits: read a vector of these elements"); \
        (void)sizeof((s)->input);                                                                                 \
        int tw_last = 0;                                                                                          \
        tw_aie_stream_read((s)->port, &tw_v, sizeof tw_v, &tw_last);                                              \
        tlast;                                                                                                    \
        tw_v;                                                                                                     \
    })
#define TW__STREAM_PUT(s, type_of, v, tlast) TW__DO_HERE(TW__STREAM_PUT_(s, type_of, v, tlast))
#define TW__STREAM_PUT_(s, type_of, v, tlast)                                                                      \
    __extension__({                                                                                                \
        __typeof__(type_of) tw_v = (v);                                                                            \
        _Static_assert(sizeof tw_v % 4 == 0, "a stream moves words of 32 bits: write a vector of these elements"); \
        (void)sizeof((s)->output);                                                                                 \
        tw_aie_stream_write((s)->port, &tw_v, sizeof tw_v, tlast);                                                 \
    })
#define TW__STREAM_VALUE(s, v) \
    __builtin_choose_expr(__builtin_classify_type(v) == 1 || __builtin_classify_type(v) == 8, *(s)->output, (v))
#define readincr(...)               TW__BY_COUNT(tw__readincr, __VA_ARGS__)
#define tw__readincr_1(s)           TW__STREAM_GET(s, *(s)->input, (void)tw_last)
#define tw__readincr_2(s, tlast)    TW__STREAM_GET(s, *(s)->input, (tlast) = tw_last != 0)
#define writeincr(...)              TW__BY_COUNT(tw__writeincr, __VA_ARGS__)
#define tw__writeincr_2(s, v)       TW__STREAM_PUT(s, TW__STREAM_VALUE(s, v), v, 0)
#define tw__writeincr_3(s, v, last) TW__STREAM_PUT(s, TW__STREAM_VALUE(s, v), v, last)
/* The cascade's pointers already name the register. */
#define TW__S2(p)                   _Generic((p), cint32 *: *(v2cint32 *)0, cfloat *: *(v2cfloat *)0, v2cacc80 *: *(v2cacc80 *)0)
#define TW__S4(p)                   \
    _Generic((p),                   \
        int32 *: *(v4int32 *)0,     \
        cint16 *: *(v4cint16 *)0,   \
        float *: *(v4float *)0,     \
        cint32 *: *(v4cint32 *)0,   \
        v4cacc48 *: *(v4cacc48 *)0, \
        v4acc80 *: *(v4acc80 *)0,   \
        v4cfloat *: *(v4cfloat *)0)
#define TW__S8(p)                 \
    _Generic((p),                 \
        int16 *: *(v8int16 *)0,   \
        int32 *: *(v8int32 *)0,   \
        float *: *(v8float *)0,   \
        v8acc48 *: *(v8acc48 *)0, \
        v8float *: *(v8float *)0)
#define TW__S16(p)                      _Generic((p), int8 *: *(v16int8 *)0, uint8 *: *(v16uint8 *)0)
#define readincr_v2(...)                TW__BY_COUNT(tw__readincr_v2, __VA_ARGS__)
#define tw__readincr_v2_1(s)            TW__STREAM_GET(s, TW__S2((s)->input), (void)tw_last)
#define tw__readincr_v2_2(s, tlast)     TW__STREAM_GET(s, TW__S2((s)->input), (tlast) = tw_last != 0)
#define writeincr_v2(...)               TW__BY_COUNT(tw__writeincr_v2, __VA_ARGS__)
#define tw__writeincr_v2_2(s, v)        TW__STREAM_PUT(s, TW__S2((s)->output), v, 0)
#define tw__writeincr_v2_3(s, v, last)  TW__STREAM_PUT(s, TW__S2((s)->output), v, last)
#define readincr_v4(...)                TW__BY_COUNT(tw__readincr_v4, __VA_ARGS__)
#define tw__readincr_v4_1(s)            TW__STREAM_GET(s, TW__S4((s)->input), (void)tw_last)
#define tw__readincr_v4_2(s, tlast)     TW__STREAM_GET(s, TW__S4((s)->input), (tlast) = tw_last != 0)
#define writeincr_v4(...)               TW__BY_COUNT(tw__writeincr_v4, __VA_ARGS__)
#define tw__writeincr_v4_2(s, v)        TW__STREAM_PUT(s, TW__S4((s)->output), v, 0)
#define tw__writeincr_v4_3(s, v, last)  TW__STREAM_PUT(s, TW__S4((s)->output), v, last)
#define readincr_v8(...)                TW__BY_COUNT(tw__readincr_v8, __VA_ARGS__)
#define tw__readincr_v8_1(s)            TW__STREAM_GET(s, TW__S8((s)->input), (void)tw_last)
#define tw__readincr_v8_2(s, tlast)     TW__STREAM_GET(s, TW__S8((s)->input), (tlast) = tw_last != 0)
#define writeincr_v8(...)               TW__BY_COUNT(tw__writeincr_v8, __VA_ARGS__)
#define tw__writeincr_v8_2(s, v)        TW__STREAM_PUT(s, TW__S8((s)->output), v, 0)
#define tw__writeincr_v8_3(s, v, last)  TW__STREAM_PUT(s, TW__S8((s)->output), v, last)
#define readincr_v16(...)               TW__BY_COUNT(tw__readincr_v16, __VA_ARGS__)
#define tw__readincr_v16_1(s)           TW__STREAM_GET(s, TW__S16((s)->input), (void)tw_last)
#define tw__readincr_v16_2(s, tlast)    TW__STREAM_GET(s, TW__S16((s)->input), (tlast) = tw_last != 0)
#define writeincr_v16(...)              TW__BY_COUNT(tw__writeincr_v16, __VA_ARGS__)
#define tw__writeincr_v16_2(s, v)       TW__STREAM_PUT(s, TW__S16((s)->output), v, 0)
#define tw__writeincr_v16_3(s, v, last) TW__STREAM_PUT(s, TW__S16((s)->output), v, last)

/* put_ms(port, v[, tlast]): a number as an int or float, a cint16 as it is. */
#define put_ms(...)                     TW__BY_COUNT(tw__put_ms, __VA_ARGS__)
#define tw__put_ms_2(port, v)           tw__put_ms_3(port, v, 0)
#define tw__put_ms_3(port, v, tlast)    TW__DO_HERE(tw__put_ms_word(port, v, tlast))
#define tw__put_ms_word(port, v, tlast)                                \
    __extension__({                                                    \
        __auto_type tw_v = (v);                                        \
        _Static_assert(sizeof tw_v <= 4, "a stream word has 32 bits"); \
        uint32_t tw_w = TW__WORD_OF(tw_v);                             \
        tw_aie_put_word(port, tw_w, tlast);                            \
    })
TW__AIE uint32_t tw__word_float(float v)
{
    uint32_t word;
    __builtin_memcpy(&word, &v, sizeof word);
    return word;
}
TW__AIE uint32_t tw__word_cint16(cint16 v)
{
    uint32_t word;
    __builtin_memcpy(&word, &v, sizeof word);
    return word;
}
TW__AIE uint32_t tw__word_int(int v)
{
    return (uint32_t)v;
}
TW__AIE uint32_t tw__word_unsigned(unsigned v)
{
    return v;
}
#define TW__WORD_OF(v)               \
    _Generic((v),                    \
        float: tw__word_float,       \
        cint16: tw__word_cint16,     \
        unsigned: tw__word_unsigned, \
        default: tw__word_int)(v)
#define put_ms_nb(...) TW__BY_COUNT(tw__put_ms_nb, __VA_ARGS__)
#define tw__put_ms_nb_3(port, v, success) \
    TW__DO_HERE((void)((success) = tw_aie_try_put_word(port, TW__WORD_OF(v), 0) != 0))
#define tw__put_ms_nb_4(port, v, last, success) \
    TW__DO_HERE((void)((success) = tw_aie_try_put_word(port, TW__WORD_OF(v), last) != 0))
#define TW__GET_NB(port, type, success) TW__CALLED(TW__GET_NB_(port, type, success))
#define TW__GET_NB_(port, type, success)                   \
    __extension__({                                        \
        uint32_t tw_w = 0;                                 \
        type tw_v;                                         \
        (success) = tw_aie_try_get_word(port, &tw_w) != 0; \
        __builtin_memcpy(&tw_v, &tw_w, sizeof tw_v);       \
        tw_v;                                              \
    })
#define get_ss_nb(port, success)      TW__GET_NB(port, int, success)
#define getf_ss_nb(port, success)     TW__GET_NB(port, float, success)
#define getc_ss_nb(port, success)     TW__GET_NB(port, cint16, success)
/* put_wms(port, v[, tlast]): any vector of 128 bits. */
#define put_wms(...)                  TW__BY_COUNT(tw__put_wms, __VA_ARGS__)
#define tw__put_wms_2(port, v)        tw__put_wms_3(port, v, 0)
#define tw__put_wms_3(port, v, tlast) TW__DO_HERE(tw__put_wide(port, v, tlast))
#define tw__put_wide(port, v, tlast)                                              \
    __extension__({                                                               \
        __typeof__(v) tw_v = (v);                                                 \
        _Static_assert(sizeof tw_v == 16, "put_wms writes a vector of 128 bits"); \
        tw_aie_stream_write(port, &tw_v, sizeof tw_v, tlast);                     \
    })
#define TW__AM_TYPE(type) , type : 1
#define put_mcd(v)        TW__DO_HERE(tw__put_mcd(v))
#define tw__put_mcd(v)                                                     \
    __extension__({                                                        \
        __typeof__(v) tw_v = (v);                                          \
        _Static_assert(_Generic((v), default: 0 TW__AM_LIST(TW__AM_TYPE)), \
                       "the cascade takes a register of 384 bits");        \
        tw_aie_put_cascade(&tw_v, sizeof tw_v);                            \
    })
#define writeHeader(...)               TW__BY_COUNT(tw__writeHeader, __VA_ARGS__)
#define tw__writeHeader_3(s, type, id) tw__writeHeader_4(s, type, id, 0)
#define tw__writeHeader_4(s, type, id, last) \
    TW__DO_HERE(tw_aie_put_word((s)->port, tw__packet_header(id, type), last))
/* Ids are given by the switch configuration; a connection without a split has one, 0 (assumed). */
#define getPacketid(s, index)    ((void)(s)->port, (unsigned)(index) & 31)
#define TW__TWO_OF(f, a, b, ...) f(a, b)
#define acquire(...)             TW__DO_HERE(TW__TWO_OF(tw_aie_acquire, __VA_ARGS__, -1, 0))
#define release(...)             TW__DO_HERE(TW__TWO_OF(tw_aie_release, __VA_ARGS__, -1, 0))
#endif

#endif
