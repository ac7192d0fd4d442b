/* Several AI Engine kernels as an array: windows, streams, cascade, locks, text files; deterministic, one coroutine per
 * kernel. A kernel that waits for a port lets the next one run; when all wait, the report says who waits for what.
 *
 *     static void run_fir(void *user) { fir(window_in(int16, 0), window_out(int16, 0), user); }
 *
 *     tw_aie_array *a = tw_aie_array_new();
 *     int k = tw_aie_array_add(a, "fir", run_fir, taps, 3, 1);             // column 3, row 1
 *     tw_aie_array_input(a, "x.txt", TW_AIE_INT16, 32, k, 0, 256, 16);     // window of 256 bytes, margin 16
 *     tw_aie_array_output(a, k, 0, 256, "y.txt", TW_AIE_INT16, 32);
 *     if (tw_aie_array_run(a, 8) != TW_OK) puts(tw_error_message());
 *
 * Errors of the building calls are kept, the first one wins, and tw_aie_array_run() returns it. */
#ifndef TILEWRIGHT_AIE_ARRAY_H
#define TILEWRIGHT_AIE_ARRAY_H

#include <tilewright/aie/scalar.h>
#include <tilewright/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_aie_array tw_aie_array;
typedef enum tw_aie_element {
    TW_AIE_INT8,
    TW_AIE_INT16,
    TW_AIE_INT32,
    TW_AIE_CINT16,
    TW_AIE_CINT32,
    TW_AIE_FLOAT32,
    TW_AIE_CFLOAT32,
    TW_AIE_ELEMENTS
} tw_aie_element;

TW_API tw_aie_array *tw_aie_array_new(void); /* NULL when out of memory */
TW_API void tw_aie_array_free(tw_aie_array *array);
/* A kernel on tile (column 0 to 49, row 0 to 7); several may share one. fn(user) is one firing. Returns its number. */
TW_API int tw_aie_array_add(tw_aie_array *array, const char *name, void (*fn)(void *user), void *user, int column,
                            int row);
/* Connections: port numbers count from 0 by direction and kind; streams 0 and 1. depth in 32-bit words, 0 = 16. A window
 * is a ping-pong pair of `bytes` (a multiple of 32) with the last `margin` bytes of the block before in front. */
TW_API void tw_aie_array_stream(tw_aie_array *array, int from, int out, int to, int in, unsigned depth);
TW_API void tw_aie_array_cascade(tw_aie_array *array, int from, int to); /* neighbours */
TW_API void tw_aie_array_window(tw_aie_array *array, int from, int out, int to, int in, unsigned bytes,
                                unsigned margin);
/* Text files, one beat of `plio_bits` (32, 64, 128) per line. window_bytes 0 = a stream port, else a window. Lines
 * "T ..." and "TLAST" are annotations. */
TW_API void tw_aie_array_input(tw_aie_array *array, const char *path, tw_aie_element element, unsigned plio_bits,
                               int to, int in, unsigned window_bytes, unsigned margin);
TW_API void tw_aie_array_output(tw_aie_array *array, int from, int out, unsigned window_bytes, const char *path,
                                tw_aie_element element, unsigned plio_bits);

/* Fires each kernel `iterations` times; 0 = until the input files end. Output files are written at the end. */
TW_API tw_status tw_aie_array_run(tw_aie_array *array, uint64_t iterations);
TW_API uint64_t tw_aie_array_unread(const tw_aie_array *array); /* words that nobody read, of the last run */
/* Estimated cycles of a kernel over all firings (counted when it is compiled with TW_AIE_PROFILE), stalls not counted. */
TW_API uint64_t tw_aie_array_cycles(const tw_aie_array *array, int kernel);
/* By kernel and by tile, every figure `estimated`. Owned by the array; NULL before a run. */
TW_API const tw_profile *tw_aie_array_profile(tw_aie_array *array);
/* max(vector, loads / 2, stores, scalar, moves / 2, stream words) of a count of issue slots (aie.md 4). */
TW_API uint64_t tw_aie_estimate(const uint64_t slots[TW_AIE_SLOTS]);

/* --- inside a kernel ---------------------------------------------------------------------------------------------- */

typedef struct tw_aie_window {
    uint8_t *data; /* margin first */
    uint32_t bytes, at;
} tw_aie_window;
TW_API tw_aie_window *tw_aie_window_in(int port);
TW_API tw_aie_window *tw_aie_window_out(int port);
/* Copies with wrap-around inside the window, from its position on, and moves by `bytes`. */
TW_API void tw_aie_window_read(tw_aie_window *window, void *out, unsigned bytes);
TW_API void tw_aie_window_write(tw_aie_window *window, const void *in, unsigned bytes);
TW_API void tw_aie_window_move(tw_aie_window *window, int bytes);

TW_API uint32_t tw_aie_get_word(int port, int *tlast);
TW_API int tw_aie_try_get_word(int port, uint32_t *word); /* 1 when there was one */
TW_API void tw_aie_put_word(int port, uint32_t word, int tlast);
TW_API int tw_aie_try_put_word(int port, uint32_t word, int tlast);
TW_API void tw_aie_get_cascade(void *out, unsigned bytes);
TW_API void tw_aie_put_cascade(const void *in, unsigned bytes);
TW_API void tw_aie_acquire(int lock, int value); /* value -1: any */
TW_API void tw_aie_release(int lock, int value); /* value -1: as it was */
TW_API int tw_aie_tlast(int port);               /* of the last word read from a stream port */
TW_API uint64_t tw_aie_cycles_now(void);
TW_API int tw_aie_coreid(void);

#ifdef __cplusplus
}
#endif

/* Windows by element type: window_in(int16, 0) is an input_window of int16. */
#define TW__WINDOW_LIST(X) X(int8) X(uint8) X(int16) X(int32) X(cint16) X(cint32) X(float) X(cfloat)
#ifdef __cplusplus
template <class T> struct input_window {
    tw_aie_window w;
};
template <class T> struct output_window {
    tw_aie_window w;
};
#define window_in(T, port)  (reinterpret_cast<input_window<T> *>(tw_aie_window_in(port)))
#define window_out(T, port) (reinterpret_cast<output_window<T> *>(tw_aie_window_out(port)))
template <class T> TW__AIE T window_readincr(input_window<T> *w)
{
    T v;
    tw_aie_window_read(&w->w, &v, sizeof v);
    return v;
}
template <class T, class V> TW__AIE void window_readincr(input_window<T> *w, V &v)
{
    tw_aie_window_read(&w->w, &v, sizeof v);
}
template <class T, class V> TW__AIE void window_writeincr(output_window<T> *w, V v)
{
    tw_aie_window_write(&w->w, &v, sizeof v);
}
template <class T> TW__AIE void window_incr(input_window<T> *w, int n)
{
    tw_aie_window_move(&w->w, n * (int)sizeof(T));
}
template <class T> TW__AIE void window_decr(input_window<T> *w, int n)
{
    tw_aie_window_move(&w->w, -n * (int)sizeof(T));
}
#else
#define TW__WINDOW_TYPES(T)                               \
    typedef struct input_window_##T {                     \
        tw_aie_window w;                                  \
    } input_window_##T;                                   \
    typedef struct output_window_##T {                    \
        tw_aie_window w;                                  \
    } output_window_##T;                                  \
    TW__AIE T tw__readincr_##T(input_window_##T *w)       \
    {                                                     \
        T v;                                              \
        tw_aie_window_read(&w->w, &v, sizeof v);          \
        return v;                                         \
    }                                                     \
    TW__AIE void tw__incr_##T(input_window_##T *w, int n) \
    {                                                     \
        tw_aie_window_move(&w->w, n *(int)sizeof(T));     \
    }
TW__WINDOW_LIST(TW__WINDOW_TYPES)
#define window_in(T, port)            ((input_window_##T *)tw_aie_window_in(port))
#define window_out(T, port)           ((output_window_##T *)tw_aie_window_out(port))
#define TW__WINDOW_READ(T)            , input_window_##T * : tw__readincr_##T
#define TW__WINDOW_INCR(T)            , input_window_##T * : tw__incr_##T
/* window_readincr(w), or window_readincr(w, v) with a vector variable v. */
#define window_readincr(...)          TW__BY_COUNT(tw__window_readincr, __VA_ARGS__)
#define tw__window_readincr_1(win)    _Generic((win), int: tw__no_such_overload TW__WINDOW_LIST(TW__WINDOW_READ))(win)
#define tw__window_readincr_2(win, v) tw_aie_window_read(&(win)->w, &(v), sizeof(v))
#define window_writeincr(win, v)                            \
    __extension__({                                         \
        __typeof__(v) tw_v = (v);                           \
        tw_aie_window_write(&(win)->w, &tw_v, sizeof tw_v); \
    })
#define window_incr(win, n) _Generic((win), int: tw__no_such_overload TW__WINDOW_LIST(TW__WINDOW_INCR))(win, n)
#define window_decr(win, n) window_incr(win, -(n))
#endif

/* Streams of 32-bit words and of 128 bits, the cascade, locks, events. */
#define TW__AM_LIST(X) X(v8acc48) X(v4cacc48) X(v4acc80) X(v2cacc80) X(v8float) X(v4cfloat)
#define TW__GET_SCD(type)                 \
    TW__AIE type get_scd_##type(void)     \
    {                                     \
        type v;                           \
        tw_aie_get_cascade(&v, sizeof v); \
        return v;                         \
    }
TW__AM_LIST(TW__GET_SCD)
TW__AIE v8acc48 get_scd(void)
{
    return get_scd_v8acc48();
}
TW__AIE int get_ss(int port)
{
    return (int)tw_aie_get_word(port, 0);
}
TW__AIE float getf_ss(int port)
{
    uint32_t word = tw_aie_get_word(port, 0);
    float f;
    __builtin_memcpy(&f, &word, sizeof f);
    return f;
}
TW__AIE v8int16 get_wss(int port)
{
    uint32_t word[4];
    v8int16 v;
    for (int i = 0; i < 4; i++) word[i] = tw_aie_get_word(port, 0);
    __builtin_memcpy(&v, word, sizeof v);
    return v;
}
TW__AIE int get_ss0_tlast(void)
{
    return tw_aie_tlast(0);
}
TW__AIE int get_ss1_tlast(void)
{
    return tw_aie_tlast(1);
}
TW__AIE void tw__put_float(int port, float v, int tlast)
{
    uint32_t word;
    __builtin_memcpy(&word, &v, sizeof word);
    tw_aie_put_word(port, word, tlast);
}
TW__AIE void tw__put_wide(int port, v8int16 v, int tlast)
{
    uint32_t word[4];
    __builtin_memcpy(word, &v, sizeof v);
    for (int i = 0; i < 4; i++) tw_aie_put_word(port, word[i], tlast && i == 3);
}
TW__AIE uint64 get_cycles(void)
{
    return tw_aie_cycles_now();
}
TW__AIE int get_coreid(void)
{
    return tw_aie_coreid();
}
#ifdef __cplusplus
TW__AIE void put_ms(int port, int v, int tlast = 0)
{
    tw_aie_put_word(port, (uint32_t)v, tlast);
}
TW__AIE void put_ms(int port, unsigned v, int tlast = 0)
{
    tw_aie_put_word(port, v, tlast);
}
TW__AIE void put_ms(int port, float v, int tlast = 0)
{
    tw__put_float(port, v, tlast);
}
TW__AIE void put_wms(int port, v8int16 v, int tlast = 0)
{
    tw__put_wide(port, v, tlast);
}
#define TW__PUT_MCD(type)                 \
    TW__AIE void put_mcd(type v)          \
    {                                     \
        tw_aie_put_cascade(&v, sizeof v); \
    }
TW__AM_LIST(TW__PUT_MCD)
TW__AIE void acquire(int lock, int value = -1)
{
    tw_aie_acquire(lock, value);
}
TW__AIE void release(int lock, int value = -1)
{
    tw_aie_release(lock, value);
}
#else
#define TW__THREE(f, a, b, c, ...) f(a, b, c)
#define put_ms(port, ...)          TW__PUT_MS(port, __VA_ARGS__, 0, 0)
#define TW__PUT_MS(port, v, tlast, ...) \
    _Generic((v), float: tw__put_float, default: tw_aie_put_word)(port, v, tlast)
#define put_wms(port, ...) TW__THREE(tw__put_wide, port, __VA_ARGS__, 0, 0)
#define put_mcd(v)                              \
    __extension__({                             \
        __typeof__(v) tw_v = (v);               \
        tw_aie_put_cascade(&tw_v, sizeof tw_v); \
    })
#define TW__TWO_OF(f, a, b, ...) f(a, b)
#define acquire(...)             (TW__SITE TW__TWO_OF(tw_aie_acquire, __VA_ARGS__, -1, 0))
#define release(...)             (TW__SITE TW__TWO_OF(tw_aie_release, __VA_ARGS__, -1, 0))
#endif

#endif
