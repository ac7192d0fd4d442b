/* SPDX-License-Identifier: MIT */
/* Windows of the kernel that runs: a block of memory read and written from a position that wraps round.
 *
 *     v8int16 v = window_readincr_v8(in);        // 8 elements, then on by 8
 *     window_readincr(in, v);                    // as many as v has
 *     int16 x = window_readincr(in);             // one element
 *     window_writeincr(out, v); window_incr_v8(in, 2); window_decr(in, 3);
 *
 * A kernel gets pointers of the types input_window_int16, output_window_cint16 and so on (C++ also
 * input_window<int16>) from window_in(int16, port) and window_out(int16, port). `_vN` counts vectors of N elements,
 * the others elements. window_acquire() and window_release() are for windows that tw_aie_array_async() names.
 *
 * Threads: all of it concerns the kernel that runs in this thread (aie/array.h). */
#include <tilewright/aie/array.h> /* which includes this one at its end */

#ifndef TILEWRIGHT_AIE_WINDOW_H
#define TILEWRIGHT_AIE_WINDOW_H

// clang-format off
#define TW__PORT_TYPES(X) \
    X(int8) X(uint8) X(int16) X(uint16) X(int32) X(uint32) X(int64) X(uint64) X(cint16) X(cint32) X(float) X(cfloat)
/* X(lanes, element): vectors that windows and streams move at once. */
#define TW__PORT_VECTORS(X) \
    X(2, cint32) X(2, cfloat) \
    X(4, int32) X(4, cint16) X(4, cint32) X(4, float) X(4, cfloat) X(4, int64) \
    X(8, int16) X(8, int32) X(8, cint16) X(8, cint32) X(8, float) X(8, cfloat) X(8, int64) \
    X(16, int8) X(16, uint8) X(16, int16) X(16, int32) X(16, cint16) X(16, cint32) X(16, float) X(16, cfloat) \
    X(32, int8) X(32, uint8) X(32, int16) X(32, int32) X(32, cint16) X(32, float) \
    X(64, int8) X(64, uint8) X(64, int16) \
    X(128, int8) X(128, uint8)
#define TW__PORT_LANES(X) X(2) X(4) X(8) X(16) X(32) X(64) X(128)
// clang-format on

#ifdef __cplusplus
#include <type_traits>
#include <utility>

/* The vector of N elements of T. */
template <class TwT, unsigned TwN> struct tw__vector;
#define TW__VECTOR(lanes, element)                  \
    template <> struct tw__vector<element, lanes> { \
        typedef v##lanes##element type;             \
    };
TW__PORT_VECTORS(TW__VECTOR)
#undef TW__VECTOR

/* ptr: where the window stands; the library keeps it. */
template <class TwT> struct input_window {
    tw_aie_window w;
    TwT *ptr;
};
template <class TwT> struct output_window {
    tw_aie_window w;
    TwT *ptr;
};
#define TW__WINDOW_TYPES(T)                   \
    typedef input_window<T> input_window_##T; \
    typedef output_window<T> output_window_##T;
TW__PORT_TYPES(TW__WINDOW_TYPES)
#undef TW__WINDOW_TYPES
#define window_in(T, port)  (TW__PLACE reinterpret_cast<input_window<T> *>(tw_aie_window_in(port)))
#define window_out(T, port) (TW__PLACE reinterpret_cast<output_window<T> *>(tw_aie_window_out(port)))

template <class TwV, class TwW> TW__AIE TwV tw__window_read(TwW *w, int step)
{
    TwV v;
    tw_aie_window_take(&w->w, &v, sizeof v, step * static_cast<int>(sizeof v));
    return v;
}
template <class TwV, class TwW> TW__AIE void tw__window_write(TwW *w, const TwV &v, int step)
{
    tw_aie_window_give(&w->w, &v, sizeof v, step * static_cast<int>(sizeof v));
}
/* The type of a vector's lanes; of what has none its own. */
template <class TwV> auto tw__element_at(const TwV &v, int) -> decltype(v.lane[0]);
template <class TwV> auto tw__element_at(const TwV &v, long) -> decltype(v[0]);
template <class TwV> const TwV &tw__element_at(const TwV &v, ...);
template <class TwT, class TwV> TW__AIE void tw__check_element()
{
#ifndef TILEWRIGHT_AIE_VENDOR_TYPES_H
    static_assert(std::is_same<typename std::decay<decltype(tw__element_at(std::declval<const TwV &>(), 0))>::type,
                               TwT>::value,
                  "this is neither an element nor a vector of elements of the window or stream");
#endif
}
/* A number becomes an element of the window, a vector of its elements stays. */
template <class TwT, class TwV, bool number = (sizeof(TwV) < 16 || __is_enum(TwV))> struct tw__element_or_vector {
    static const TwV &of(const TwV &v)
    {
        tw__check_element<TwT, TwV>();
        return v;
    }
};
template <class TwT, class TwV> struct tw__element_or_vector<TwT, TwV, true> {
    static TwT of(const TwV &v) { return static_cast<TwT>(v); }
};
/* step: where the position goes, in what was moved. */
#define TW__WINDOW_READS(name, step)                                                       \
    template <class TwT> TW__AIE TwT name(input_window<TwT> *w TW__AT)                     \
    {                                                                                      \
        TW__HERE;                                                                          \
        return tw__window_read<TwT>(w, step);                                              \
    }                                                                                      \
    template <class TwT, class TwV> TW__AIE void name(input_window<TwT> *w, TwV &v TW__AT) \
    {                                                                                      \
        TW__HERE;                                                                          \
        tw__check_element<TwT, TwV>();                                                     \
        tw_aie_window_take(&w->w, &v, sizeof v, step *static_cast<int>(sizeof v));         \
    }                                                                                      \
    template <unsigned TwN, class TwT>                                                     \
    TW__AIE typename tw__vector<TwT, TwN>::type name##_v(input_window<TwT> *w TW__AT)      \
    {                                                                                      \
        TW__HERE;                                                                          \
        return tw__window_read<typename tw__vector<TwT, TwN>::type>(w, step);              \
    }
#define TW__WINDOW_WRITES(name, step)                                                             \
    template <class TwT> TW__AIE void name(output_window<TwT> *w, TwT v TW__AT)                   \
    {                                                                                             \
        TW__HERE;                                                                                 \
        tw__window_write(w, v, step);                                                             \
    }                                                                                             \
    template <class TwT, class TwV> TW__AIE void name(output_window<TwT> *w, const TwV &v TW__AT) \
    {                                                                                             \
        TW__HERE;                                                                                 \
        tw__window_write(w, tw__element_or_vector<TwT, TwV>::of(v), step);                        \
    }
TW__WINDOW_READS(window_read, 0)
TW__WINDOW_READS(window_readincr, 1)
TW__WINDOW_READS(window_readdecr, -1)
/* By type: as a template argument a vector would lose its alignment of 16 bytes. */
#define TW__WINDOW_VECTOR(direction, name, call, step, lanes, T, V)                  \
    TW__AIE void name(direction##_window<T> *w, V v##lanes##T &v TW__AT)             \
    {                                                                                \
        TW__HERE;                                                                    \
        tw_aie_window_##call(&w->w, &v, sizeof v, step *static_cast<int>(sizeof v)); \
    }
#define TW__WINDOW_VECTORS(lanes, T)                                      \
    TW__WINDOW_VECTOR(input, window_read, take, 0, lanes, T, )            \
    TW__WINDOW_VECTOR(input, window_readincr, take, 1, lanes, T, )        \
    TW__WINDOW_VECTOR(input, window_readdecr, take, -1, lanes, T, )       \
    TW__WINDOW_VECTOR(output, window_write, give, 0, lanes, T, const)     \
    TW__WINDOW_VECTOR(output, window_writeincr, give, 1, lanes, T, const) \
    TW__WINDOW_VECTOR(output, window_writedecr, give, -1, lanes, T, const)
#ifndef TILEWRIGHT_AIE_VENDOR_TYPES_H
TW__PORT_VECTORS(TW__WINDOW_VECTORS)
#endif
#undef TW__WINDOW_VECTORS
#undef TW__WINDOW_VECTOR
TW__WINDOW_WRITES(window_write, 0)
TW__WINDOW_WRITES(window_writeincr, 1)
TW__WINDOW_WRITES(window_writedecr, -1)

#define TW__WINDOW_MOVES(dir)                                                                         \
    template <class TwT> TW__AIE void window_incr(dir##_window<TwT> *w, int n TW__AT)                 \
    {                                                                                                 \
        TW__HERE;                                                                                     \
        tw_aie_window_move(&w->w, n *static_cast<int>(sizeof(TwT)));                                  \
    }                                                                                                 \
    template <class TwT> TW__AIE void window_decr(dir##_window<TwT> *w, int n TW__AT)                 \
    {                                                                                                 \
        TW__HERE;                                                                                     \
        tw_aie_window_move(&w->w, -n *static_cast<int>(sizeof(TwT)));                                 \
    }                                                                                                 \
    template <unsigned TwN, class TwT> TW__AIE void window_incr_v(dir##_window<TwT> *w, int n TW__AT) \
    {                                                                                                 \
        TW__HERE;                                                                                     \
        tw_aie_window_move(&w->w, n *static_cast<int>(TwN * sizeof(TwT)));                            \
    }                                                                                                 \
    template <unsigned TwN, class TwT> TW__AIE void window_decr_v(dir##_window<TwT> *w, int n TW__AT) \
    {                                                                                                 \
        TW__HERE;                                                                                     \
        tw_aie_window_move(&w->w, -n *static_cast<int>(TwN * sizeof(TwT)));                           \
    }                                                                                                 \
    template <class TwT> TW__AIE unsigned window_size(const dir##_window<TwT> *w TW__AT)              \
    {                                                                                                 \
        TW__HERE;                                                                                     \
        return tw_aie_window_block(&w->w) / static_cast<unsigned>(sizeof(TwT));                       \
    }                                                                                                 \
    template <class TwT> TW__AIE void window_acquire(dir##_window<TwT> *w TW__AT)                     \
    {                                                                                                 \
        TW__HERE;                                                                                     \
        tw_aie_window_acquire(&w->w);                                                                 \
    }                                                                                                 \
    template <class TwT> TW__AIE void window_release(dir##_window<TwT> *w TW__AT)                     \
    {                                                                                                 \
        TW__HERE;                                                                                     \
        tw_aie_window_release(&w->w);                                                                 \
    }
TW__WINDOW_MOVES(input)
TW__WINDOW_MOVES(output)
#define TW__WINDOW_LANES(TwN)                                                                       \
    template <class TwT>                                                                            \
    TW__AIE typename tw__vector<TwT, TwN>::type window_read_v##TwN(input_window<TwT> *w TW__AT)     \
    {                                                                                               \
        TW__HERE;                                                                                   \
        return window_read_v<TwN>(w TW__PASS);                                                      \
    }                                                                                               \
    template <class TwT>                                                                            \
    TW__AIE typename tw__vector<TwT, TwN>::type window_readincr_v##TwN(input_window<TwT> *w TW__AT) \
    {                                                                                               \
        TW__HERE;                                                                                   \
        return window_readincr_v<TwN>(w TW__PASS);                                                  \
    }                                                                                               \
    template <class TwT>                                                                            \
    TW__AIE typename tw__vector<TwT, TwN>::type window_readdecr_v##TwN(input_window<TwT> *w TW__AT) \
    {                                                                                               \
        TW__HERE;                                                                                   \
        return window_readdecr_v<TwN>(w TW__PASS);                                                  \
    }                                                                                               \
    template <class TwW> TW__AIE void window_incr_v##TwN(TwW *w, int n TW__AT)                      \
    {                                                                                               \
        TW__HERE;                                                                                   \
        window_incr_v<TwN>(w, n TW__PASS);                                                          \
    }                                                                                               \
    template <class TwW> TW__AIE void window_decr_v##TwN(TwW *w, int n TW__AT)                      \
    {                                                                                               \
        TW__HERE;                                                                                   \
        window_decr_v<TwN>(w, n TW__PASS);                                                          \
    }
TW__PORT_LANES(TW__WINDOW_LANES)
#undef TW__WINDOW_READS
#undef TW__WINDOW_WRITES
#undef TW__WINDOW_MOVES
#undef TW__WINDOW_LANES

#else /* C */
#define TW__WINDOW_TYPES(T)            \
    typedef struct input_window_##T {  \
        tw_aie_window w;               \
        T *element, *input;            \
    } input_window_##T;                \
    typedef struct output_window_##T { \
        tw_aie_window w;               \
        T *element, *output;           \
    } output_window_##T;
TW__PORT_TYPES(TW__WINDOW_TYPES)
#undef TW__WINDOW_TYPES
#define window_in(T, port)  TW__CALLED((input_window_##T *)tw_aie_window_in(port))
#define window_out(T, port) TW__CALLED((output_window_##T *)tw_aie_window_out(port))

/* The vector of N elements of what `pointer` points to, as a type. */
#define TW__V2(p)           _Generic((p), cint32 *: *(v2cint32 *)0, cfloat *: *(v2cfloat *)0)
#define TW__V4(p)                 \
    _Generic((p),                 \
        int32 *: *(v4int32 *)0,   \
        int64 *: *(v4int64 *)0,   \
        cint16 *: *(v4cint16 *)0, \
        cint32 *: *(v4cint32 *)0, \
        float *: *(v4float *)0,   \
        cfloat *: *(v4cfloat *)0)
#define TW__V8(p)                 \
    _Generic((p),                 \
        int16 *: *(v8int16 *)0,   \
        int32 *: *(v8int32 *)0,   \
        int64 *: *(v8int64 *)0,   \
        cint16 *: *(v8cint16 *)0, \
        cint32 *: *(v8cint32 *)0, \
        float *: *(v8float *)0,   \
        cfloat *: *(v8cfloat *)0)
#define TW__V16(p)                 \
    _Generic((p),                  \
        int8 *: *(v16int8 *)0,     \
        uint8 *: *(v16uint8 *)0,   \
        int16 *: *(v16int16 *)0,   \
        int32 *: *(v16int32 *)0,   \
        cint16 *: *(v16cint16 *)0, \
        cint32 *: *(v16cint32 *)0, \
        float *: *(v16float *)0,   \
        cfloat *: *(v16cfloat *)0)
#define TW__V32(p)                 \
    _Generic((p),                  \
        int8 *: *(v32int8 *)0,     \
        uint8 *: *(v32uint8 *)0,   \
        int16 *: *(v32int16 *)0,   \
        int32 *: *(v32int32 *)0,   \
        cint16 *: *(v32cint16 *)0, \
        float *: *(v32float *)0)
#define TW__V64(p)                         _Generic((p), int8 *: *(v64int8 *)0, uint8 *: *(v64uint8 *)0, int16 *: *(v64int16 *)0)
#define TW__V128(p)                        _Generic((p), int8 *: *(v128int8 *)0, uint8 *: *(v128uint8 *)0)

/* Reads a value of the type of `example`; step: where the position goes, in what was moved. */
#define TW__WINDOW_GET(win, example, step) TW__CALLED(TW__WINDOW_GET_(win, example, step))
#define TW__WINDOW_GET_(win, example, step)                                           \
    __extension__({                                                                   \
        __typeof__(example) tw_v;                                                     \
        (void)sizeof((win)->input);                                                   \
        tw_aie_window_take(&(win)->w, &tw_v, sizeof tw_v, (step) * (int)sizeof tw_v); \
        tw_v;                                                                         \
    })
/* A number becomes an element of the window, a vector stays. */
#define TW__WINDOW_PUT(win, v, step) TW__DO_HERE(TW__WINDOW_PUT_(win, v, step))
#define TW__WINDOW_PUT_(win, v, step)                                                                        \
    __extension__({                                                                                          \
        __typeof__(__builtin_choose_expr(__builtin_classify_type(v) == 1 || __builtin_classify_type(v) == 8, \
                                         *(win)->output, (v))) tw_v = (v);                                   \
        tw_aie_window_give(&(win)->w, &tw_v, sizeof tw_v, (step) * (int)sizeof tw_v);                        \
    })
#define window_read(...)             TW__BY_COUNT(tw_window_read, __VA_ARGS__)
#define tw_window_read_1(win)        TW__WINDOW_GET(win, *(win)->input, 0)
#define tw_window_read_2(win, v)     ((void)((v) = TW__WINDOW_GET(win, v, 0)))
#define window_readincr(...)         TW__BY_COUNT(tw_window_readincr, __VA_ARGS__)
#define tw_window_readincr_1(win)    TW__WINDOW_GET(win, *(win)->input, 1)
#define tw_window_readincr_2(win, v) ((void)((v) = TW__WINDOW_GET(win, v, 1)))
#define window_readdecr(...)         TW__BY_COUNT(tw_window_readdecr, __VA_ARGS__)
#define tw_window_readdecr_1(win)    TW__WINDOW_GET(win, *(win)->input, -1)
#define tw_window_readdecr_2(win, v) ((void)((v) = TW__WINDOW_GET(win, v, -1)))
#define window_write(win, v)         TW__WINDOW_PUT(win, v, 0)
#define window_writeincr(win, v)     TW__WINDOW_PUT(win, v, 1)
#define window_writedecr(win, v)     TW__WINDOW_PUT(win, v, -1)
#define window_incr(win, n)          tw_aie_window_move(&(win)->w, (n) * (int)sizeof *(win)->element)
#define window_decr(win, n)          tw_aie_window_move(&(win)->w, -(n) * (int)sizeof *(win)->element)
#define window_size(win)             (tw_aie_window_block(&(win)->w) / (unsigned)sizeof *(win)->element)
#define window_acquire(win)          TW__DO_HERE(tw_aie_window_acquire(&(win)->w))
#define window_release(win)          TW__DO_HERE(tw_aie_window_release(&(win)->w))
#define window_read_v2(win)          TW__WINDOW_GET(win, TW__V2((win)->input), 0)
#define window_readincr_v2(win)      TW__WINDOW_GET(win, TW__V2((win)->input), 1)
#define window_readdecr_v2(win)      TW__WINDOW_GET(win, TW__V2((win)->input), -1)
#define window_incr_v2(win, n)       window_incr(win, 2 * (n))
#define window_decr_v2(win, n)       window_incr(win, -2 * (n))
#define window_read_v4(win)          TW__WINDOW_GET(win, TW__V4((win)->input), 0)
#define window_readincr_v4(win)      TW__WINDOW_GET(win, TW__V4((win)->input), 1)
#define window_readdecr_v4(win)      TW__WINDOW_GET(win, TW__V4((win)->input), -1)
#define window_incr_v4(win, n)       window_incr(win, 4 * (n))
#define window_decr_v4(win, n)       window_incr(win, -4 * (n))
#define window_read_v8(win)          TW__WINDOW_GET(win, TW__V8((win)->input), 0)
#define window_readincr_v8(win)      TW__WINDOW_GET(win, TW__V8((win)->input), 1)
#define window_readdecr_v8(win)      TW__WINDOW_GET(win, TW__V8((win)->input), -1)
#define window_incr_v8(win, n)       window_incr(win, 8 * (n))
#define window_decr_v8(win, n)       window_incr(win, -8 * (n))
#define window_read_v16(win)         TW__WINDOW_GET(win, TW__V16((win)->input), 0)
#define window_readincr_v16(win)     TW__WINDOW_GET(win, TW__V16((win)->input), 1)
#define window_readdecr_v16(win)     TW__WINDOW_GET(win, TW__V16((win)->input), -1)
#define window_incr_v16(win, n)      window_incr(win, 16 * (n))
#define window_decr_v16(win, n)      window_incr(win, -16 * (n))
#define window_read_v32(win)         TW__WINDOW_GET(win, TW__V32((win)->input), 0)
#define window_readincr_v32(win)     TW__WINDOW_GET(win, TW__V32((win)->input), 1)
#define window_readdecr_v32(win)     TW__WINDOW_GET(win, TW__V32((win)->input), -1)
#define window_incr_v32(win, n)      window_incr(win, 32 * (n))
#define window_decr_v32(win, n)      window_incr(win, -32 * (n))
#define window_read_v64(win)         TW__WINDOW_GET(win, TW__V64((win)->input), 0)
#define window_readincr_v64(win)     TW__WINDOW_GET(win, TW__V64((win)->input), 1)
#define window_readdecr_v64(win)     TW__WINDOW_GET(win, TW__V64((win)->input), -1)
#define window_incr_v64(win, n)      window_incr(win, 64 * (n))
#define window_decr_v64(win, n)      window_incr(win, -64 * (n))
#define window_read_v128(win)        TW__WINDOW_GET(win, TW__V128((win)->input), 0)
#define window_readincr_v128(win)    TW__WINDOW_GET(win, TW__V128((win)->input), 1)
#define window_readdecr_v128(win)    TW__WINDOW_GET(win, TW__V128((win)->input), -1)
#define window_incr_v128(win, n)     window_incr(win, 128 * (n))
#define window_decr_v128(win, n)     window_incr(win, -128 * (n))
#endif

#endif
