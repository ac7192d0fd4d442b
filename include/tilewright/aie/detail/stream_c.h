/* SPDX-License-Identifier: MIT */
/* aie/stream.h in C: the same names as macros that look at the type of the port and the number of arguments. */
#ifndef TILEWRIGHT_AIE_STREAM_C_H
#define TILEWRIGHT_AIE_STREAM_C_H

/* Only what their pointers tell apart. */
#define TW__STREAM_TYPES(T)            \
    typedef struct input_stream_##T {  \
        int port, packet_id;           \
        T *element, *input;            \
    } input_stream_##T;                \
    typedef struct output_stream_##T { \
        int port, packet_id;           \
        T *element, *output;           \
    } output_stream_##T;
TW__PORT_TYPES(TW__STREAM_TYPES)
#undef TW__STREAM_TYPES
#define TW__CASCADE_TYPES(lanes, acc)              \
    typedef struct input_stream_##acc {            \
        int port, packet_id;                       \
        v##lanes##acc *element, *input, *cascade;  \
    } input_stream_##acc;                          \
    typedef struct output_stream_##acc {           \
        int port, packet_id;                       \
        v##lanes##acc *element, *output, *cascade; \
    } output_stream_##acc;
TW__CASCADES(TW__CASCADE_TYPES)
#undef TW__CASCADE_TYPES
#define stream_in(T, port)  TW__CALLED((input_stream_##T *)tw_aie_stream_in(port))
#define stream_out(T, port) TW__CALLED((output_stream_##T *)tw_aie_stream_out(port))
#define cascade_in(acc)     ((input_stream_##acc *)tw_aie_stream_in(TW_AIE_CASCADE))
#define cascade_out(acc)    ((output_stream_##acc *)tw_aie_stream_out(TW_AIE_CASCADE))

#define TW__STREAM_GET(s, example, tlast) TW__CALLED(TW__STREAM_GET_(s, example, tlast))
/* A number narrower than a word of 32 bits has a word to itself, sign- or zero-extended. */
#define TW__ON_STREAM(x) \
    _Generic((x), int8: (int32)0, int16: (int32)0, uint8: (uint32)0, uint16: (uint32)0, default: (x))
#define TW__STREAM_GET_(s, example, tlast)                                                                        \
    __extension__({                                                                                               \
        __typeof__(TW__ON_STREAM(example)) tw_v;                                                                  \
        __typeof__(example) tw_r;                                                                                 \
        _Static_assert(sizeof tw_v % 4 == 0, "a stream moves words of 32 bits: read a vector of these elements"); \
        (void)sizeof((s)->input);                                                                                 \
        int tw_last = 0;                                                                                          \
        tw_aie_stream_read((s)->port, &tw_v, sizeof tw_v, &tw_last);                                              \
        tlast;                                                                                                    \
        tw_r = tw_v;                                                                                              \
        tw_r;                                                                                                     \
    })
#define TW__STREAM_PUT(s, type_of, v, tlast) TW__DO_HERE(TW__STREAM_PUT_(s, type_of, v, tlast))
#define TW__STREAM_PUT_(s, type_of, v, tlast)                                                                      \
    __extension__({                                                                                                \
        __typeof__(type_of) tw_n = (v);                                                                            \
        __typeof__(TW__ON_STREAM(tw_n)) tw_v = tw_n;                                                               \
        _Static_assert(sizeof tw_v % 4 == 0, "a stream moves words of 32 bits: write a vector of these elements"); \
        (void)sizeof((s)->output);                                                                                 \
        tw_aie_stream_write((s)->port, &tw_v, sizeof tw_v, tlast);                                                 \
    })
#define TW__STREAM_VALUE(s, v) \
    __builtin_choose_expr(__builtin_classify_type(v) == 1 || __builtin_classify_type(v) == 8, *(s)->output, (v))
#define readincr(...)              TW__BY_COUNT(tw_readincr, __VA_ARGS__)
#define tw_readincr_1(s)           TW__STREAM_GET(s, *(s)->input, (void)tw_last)
#define tw_readincr_2(s, tlast)    TW__STREAM_GET(s, *(s)->input, (tlast) = tw_last != 0)
#define writeincr(...)             TW__BY_COUNT(tw_writeincr, __VA_ARGS__)
#define tw_writeincr_2(s, v)       TW__STREAM_PUT(s, TW__STREAM_VALUE(s, v), v, 0)
#define tw_writeincr_3(s, v, last) TW__STREAM_PUT(s, TW__STREAM_VALUE(s, v), v, last)
/* The cascade's pointers already name the register. */
#define TW__S2(p) _Generic((p), cint32 *: *(v2cint32 *)0, cfloat *: *(v2cfloat *)0, v2cacc80 *: *(v2cacc80 *)0)
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
#define TW__S16(p)                     _Generic((p), int8 *: *(v16int8 *)0, uint8 *: *(v16uint8 *)0)
#define readincr_v2(...)               TW__BY_COUNT(tw_readincr_v2, __VA_ARGS__)
#define tw_readincr_v2_1(s)            TW__STREAM_GET(s, TW__S2((s)->input), (void)tw_last)
#define tw_readincr_v2_2(s, tlast)     TW__STREAM_GET(s, TW__S2((s)->input), (tlast) = tw_last != 0)
#define writeincr_v2(...)              TW__BY_COUNT(tw_writeincr_v2, __VA_ARGS__)
#define tw_writeincr_v2_2(s, v)        TW__STREAM_PUT(s, TW__S2((s)->output), v, 0)
#define tw_writeincr_v2_3(s, v, last)  TW__STREAM_PUT(s, TW__S2((s)->output), v, last)
#define readincr_v4(...)               TW__BY_COUNT(tw_readincr_v4, __VA_ARGS__)
#define tw_readincr_v4_1(s)            TW__STREAM_GET(s, TW__S4((s)->input), (void)tw_last)
#define tw_readincr_v4_2(s, tlast)     TW__STREAM_GET(s, TW__S4((s)->input), (tlast) = tw_last != 0)
#define writeincr_v4(...)              TW__BY_COUNT(tw_writeincr_v4, __VA_ARGS__)
#define tw_writeincr_v4_2(s, v)        TW__STREAM_PUT(s, TW__S4((s)->output), v, 0)
#define tw_writeincr_v4_3(s, v, last)  TW__STREAM_PUT(s, TW__S4((s)->output), v, last)
#define readincr_v8(...)               TW__BY_COUNT(tw_readincr_v8, __VA_ARGS__)
#define tw_readincr_v8_1(s)            TW__STREAM_GET(s, TW__S8((s)->input), (void)tw_last)
#define tw_readincr_v8_2(s, tlast)     TW__STREAM_GET(s, TW__S8((s)->input), (tlast) = tw_last != 0)
#define writeincr_v8(...)              TW__BY_COUNT(tw_writeincr_v8, __VA_ARGS__)
#define tw_writeincr_v8_2(s, v)        TW__STREAM_PUT(s, TW__S8((s)->output), v, 0)
#define tw_writeincr_v8_3(s, v, last)  TW__STREAM_PUT(s, TW__S8((s)->output), v, last)
#define readincr_v16(...)              TW__BY_COUNT(tw_readincr_v16, __VA_ARGS__)
#define tw_readincr_v16_1(s)           TW__STREAM_GET(s, TW__S16((s)->input), (void)tw_last)
#define tw_readincr_v16_2(s, tlast)    TW__STREAM_GET(s, TW__S16((s)->input), (tlast) = tw_last != 0)
#define writeincr_v16(...)             TW__BY_COUNT(tw_writeincr_v16, __VA_ARGS__)
#define tw_writeincr_v16_2(s, v)       TW__STREAM_PUT(s, TW__S16((s)->output), v, 0)
#define tw_writeincr_v16_3(s, v, last) TW__STREAM_PUT(s, TW__S16((s)->output), v, last)

/* put_ms(port, v[, tlast]): a number as an int or float, a cint16 as it is. */
#define put_ms(...)                 TW__BY_COUNT(tw_put_ms, __VA_ARGS__)
#define tw_put_ms_2(port, v)        tw_put_ms_3(port, v, 0)
#define tw_put_ms_3(port, v, tlast) TW__DO_HERE(tw__put_ms_word(port, v, tlast))
#define tw__put_ms_word(port, v, tlast)                                \
    __extension__({                                                    \
        __auto_type tw_v = (v);                                        \
        _Static_assert(sizeof tw_v <= 4, "a stream word has 32 bits"); \
        uint32_t tw_w = TW__WORD_OF(tw_v);                             \
        tw_aie_put_word(port, tw_w, tlast);                            \
    })
TW__AIE uint32_t tw__word_float(float v)
{
    return (uint32_t)tw__float_word(v);
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
#define put_ms_nb(...) TW__BY_COUNT(tw_put_ms_nb, __VA_ARGS__)
#define tw_put_ms_nb_3(port, v, success) \
    TW__DO_HERE((void)((success) = tw_aie_try_put_word(port, TW__WORD_OF(v), 0) != 0))
#define tw_put_ms_nb_4(port, v, last, success) \
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
#define get_ss_nb(port, success)  TW__GET_NB(port, int, success)
#define getf_ss_nb(port, success) TW__GET_NB(port, float, success)
#define getc_ss_nb(port, success) TW__GET_NB(port, cint16, success)
/* put_wms(port, v[, tlast]): any vector of 128 bits. */
#define put_wms(...)                 TW__BY_COUNT(tw_put_wms, __VA_ARGS__)
#define tw_put_wms_2(port, v)        tw_put_wms_3(port, v, 0)
#define tw_put_wms_3(port, v, tlast) TW__DO_HERE(tw__put_wide(port, v, tlast))
#define tw__put_wide(port, v, tlast)                                              \
    __extension__({                                                               \
        __typeof__(v) tw_v = (v);                                                 \
        _Static_assert(sizeof tw_v == 16, "put_wms writes a vector of 128 bits"); \
        tw_aie_stream_write(port, &tw_v, sizeof tw_v, tlast);                     \
    })
#define TW__AM_TYPE(type) , type : 1
#define put_mcd(v)        TW__DO_HERE(tw__put_mcd(v))
#define tw__put_mcd(v)                                                                     \
    __extension__({                                                                        \
        __typeof__(v) tw_v = (v);                                                          \
        _Static_assert(_Generic((v), default: 0 TW__AM_LIST(TW__AM_TYPE)),                 \
                       "the cascade takes an accumulator of 384 bits or a vector of 256"); \
        tw_aie_put_cascade(&tw_v, sizeof tw_v);                                            \
    })
#define put_ms_packet_header(...)                    TW__BY_COUNT(tw_put_packet, __VA_ARGS__)
#define tw_put_packet_3(port, id, type)              tw_put_packet_4(port, 0, id, type)
#define tw_put_packet_4(port, last, id, type)        TW__DO_HERE(tw__put_packet_header(port, last, id, type))
#define put_ms_ctrl_packet_header(...)               TW__BY_COUNT(tw_put_ctrl, __VA_ARGS__)
#define tw_put_ctrl_5(port, a, words, operation, id) tw_put_ctrl_6(port, 0, a, words, operation, id)
#define tw_put_ctrl_6(port, last, a, words, operation, id) \
    TW__DO_HERE(tw__put_ctrl_header(port, last, a, words, operation, id))
#define writeHeader(...)              TW__BY_COUNT(tw_writeHeader, __VA_ARGS__)
#define tw_writeHeader_3(s, type, id) tw_writeHeader_4(s, type, id, 0)
#define tw_writeHeader_4(s, type, id, last) \
    TW__DO_HERE(tw_aie_put_word((s)->port, tw__packet_header(id, type), last))
/* Ids are given by the switch configuration; a connection without a split has one, 0 (assumed). */
#define getPacketid(s, index)    ((unsigned)((s)->packet_id + (index)) & 31)
#define TW__TWO_OF(f, a, b, ...) f(a, b)
#define acquire(...)             TW__DO_HERE(TW__TWO_OF(tw_aie_acquire, __VA_ARGS__, -1, 0))
#define release(...)             TW__DO_HERE(TW__TWO_OF(tw_aie_release, __VA_ARGS__, -1, 0))

#endif
