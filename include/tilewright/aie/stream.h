/* SPDX-License-Identifier: MIT */
/* Streams, cascade, packets, locks and events of the kernel that runs.
 *
 *     int v = get_ss(0); put_ms(1, v, 1);          ports by number; the last argument is TLAST
 *     int v = readincr(in); writeincr(out, v);     ports by type: input_stream_int32, output_stream_cint16, ...
 *     v4int32 v = readincr_v4(in);                 128 bits, four words
 *     v8acc48 a = get_scd(); put_mcd(a);           the cascade; or readincr_v8(input_stream_acc48 *)
 *
 * `_nb` forms do not wait: the last argument, a variable, says whether the word moved. A kernel gets its stream from
 * stream_in(int32, port), stream_out(int32, port), the cascade from cascade_in(acc48), cascade_out(acc48).
 *
 * Threads: all of it concerns the kernel that runs in this thread (aie/array.h). */
#ifndef TILEWRIGHT_AIE_STREAM_H
#define TILEWRIGHT_AIE_STREAM_H

#include <tilewright/aie/window.h>

/* X(lanes, accumulator): what one register of the cascade holds. */
#define TW__CASCADES(X) X(8, acc48) X(4, cacc48) X(4, acc80) X(2, cacc80) X(8, accfloat) X(4, caccfloat)
/* X(suffix, vector): 128 bits of a stream. */
#define TW__STREAM_WIDES(X) \
    X(v16int8) X(v16uint8) X(v8int16) X(v4int32) X(v4cint16) X(v2cint32) X(v4float) X(v2cfloat)

/* --- words by port number ------------------------------------------------------------------------------------- */

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
/* 128 bits: get_wss_v8int16() and its like, and the short names. */
#define TW__GET_WSS_AS(name, type)                 \
    TW__AIE type name(int port TW__AT)             \
    {                                              \
        TW__HERE;                                  \
        type v;                                    \
        tw_aie_stream_read(port, &v, sizeof v, 0); \
        return v;                                  \
    }
#define TW__GET_WSS(type) TW__GET_WSS_AS(get_wss_##type, type)
TW__STREAM_WIDES(TW__GET_WSS)
TW__GET_WSS_AS(get_wss, v8int16)
TW__GET_WSS_AS(getb_wss, v16int8)
TW__GET_WSS_AS(getub_wss, v16uint8)
TW__GET_WSS_AS(getl_wss, v4int32)
TW__GET_WSS_AS(getc_wss, v4cint16)
TW__GET_WSS_AS(getlc_wss, v2cint32)
TW__GET_WSS_AS(getf_wss, v4float)
TW__GET_WSS_AS(getfc_wss, v2cfloat)
#undef TW__GET_WSS
#undef TW__GET_WSS_AS
/* What a stream carries of a float that is given to put_ms(): an int of its value, as in the vendor's functional
 * simulation, where get_ss() gives that int back; getf_ss() reads bits. Values that no int has become INT_MIN. */
TW__AIE int tw__float_word(float v)
{
    return v >= -2147483648.0f && v < 2147483648.0f ? (int)v : -2147483647 - 1;
}
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

/* --- the cascade ---------------------------------------------------------------------------------------------- */

// clang-format off
#define TW__AM_LIST(X) \
    X(v8acc48) X(v4cacc48) X(v4acc80) X(v2cacc80) X(v8float) X(v4cfloat) \
    X(v32int8) X(v32uint8) X(v16int16) X(v8int32) X(v8cint16) X(v4cint32)
#define TW__SCD_LIST(X) \
    X(get_scd, v8acc48) X(getc_scd, v4cacc48) X(getl_scd, v4acc80) X(getlc_scd, v2cacc80) \
    X(getf_scd, v8float) X(getfc_scd, v4cfloat) \
    X(get_scd_v8acc48, v8acc48) X(get_scd_v4cacc48, v4cacc48) X(get_scd_v4acc80, v4acc80) \
    X(get_scd_v2cacc80, v2cacc80) X(get_scd_v8float, v8float) X(get_scd_v4cfloat, v4cfloat) \
    X(get_scd_v32int8, v32int8) X(get_scd_v32uint8, v32uint8) X(get_scd_v16int16, v16int16) \
    X(get_scd_v8int32, v8int32) X(get_scd_v8cint16, v8cint16) X(get_scd_v4cint32, v4cint32)
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

/* --- packets (UG1079 "Packet Processing"; AM009 control packets, their layout assumed) ---------------------------
 * Header: id in bits 4-0, type in 14-12, source row in 20-16, source column in 27-21, odd parity in 31. Control
 * header: address in bits 19-0, words - 1 in 21-20, operation in 23-22, id of the answer in 28-24, odd parity in
 * 31. */
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
/* put_ms_packet_header(port, [tlast,] id, type), put_ms_ctrl_packet_header(port, [tlast,] address, words, operation,
 * id) */
TW__AIE void tw__put_packet_header(int port, int tlast, unsigned id, unsigned type)
{
    tw_aie_put_word(port, tw__packet_header(id, type), tlast);
}
TW__AIE void tw__put_ctrl_header(int port, int tlast, unsigned address, unsigned words, unsigned operation,
                                 unsigned id)
{
    tw_aie_put_word(port, tw__ctrl_header(address, words, operation, id), tlast);
}
/* For writeincr(output_pktstream *, header). */
TW__AIE unsigned generateHeader(unsigned type, unsigned id TW__AT)
{
    TW__HERE;
    return tw__packet_header(id, type);
}
typedef struct input_pktstream {
    int port, packet_id;
    int *element, *input;
} input_pktstream;
typedef struct output_pktstream {
    int port, packet_id;
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

/* --- events, cycles ------------------------------------------------------------------------------------------- */

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

#ifdef __cplusplus
#include <tilewright/aie/detail/stream_cxx.h>
#else
#include <tilewright/aie/detail/stream_c.h>
#endif

#endif
