/* SPDX-License-Identifier: MIT */
/* Several AI Engine kernels as an array: windows, streams, cascade, locks, text files; deterministic, one coroutine
 * per kernel. A kernel that waits for a port lets the next one run; when all wait, the report says who waits for
 * what.
 *
 *     static void run_fir(void *user) { fir(window_in(int16, 0), window_out(int16, 0), user); }
 *
 *     tw_aie_array *a = tw_aie_array_new();
 *     tw_aie_kernel k = tw_aie_array_add(a, "fir", run_fir, taps, 3, 1);   // column 3, row 1
 *     tw_aie_file x = { "x.txt", TW_AIE_INT16, 32, 256, 32 };              // windows of 256 bytes, margin 32
 *     tw_aie_file y = { "y.txt", TW_AIE_INT16, 32, 256, 0 };
 *     tw_aie_array_input(a, &x, tw_aie_in(k, 0));
 *     tw_aie_array_output(a, tw_aie_out(k, 0), &y);
 *     if (tw_aie_array_run(a, 8) != TW_OK) puts(tw_error_message());
 *
 * Errors of the building calls are kept, the first one wins, and tw_aie_array_run() returns it.
 *
 * Threads: an array is used by one thread at a time, two arrays by two; its kernels run in the thread that runs
 * it, each as a coroutine of its own. What kernels call concerns the kernel that runs in this thread. */
#ifndef TILEWRIGHT_AIE_ARRAY_H
#define TILEWRIGHT_AIE_ARRAY_H

#include <tilewright/aie/scalar.h>
#include <tilewright/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_aie_array tw_aie_array;
typedef enum tw_aie_element {
    TW_AIE_INT8 = 0,
    TW_AIE_INT16 = 1,
    TW_AIE_INT32 = 2,
    TW_AIE_CINT16 = 3,
    TW_AIE_CINT32 = 4,
    TW_AIE_FLOAT32 = 5,
    TW_AIE_CFLOAT32 = 6,
    TW_AIE_UINT8 = 7,
    TW_AIE_UINT16 = 8,
    TW_AIE_UINT32 = 9,
    TW_AIE_INT64 = 10,
    TW_AIE_UINT64 = 11,
    TW_AIE_ELEMENTS = 12
} tw_aie_element;

TW_API tw_aie_array *tw_aie_array_new(void); /* NULL when out of memory */
TW_API void tw_aie_array_free(tw_aie_array *array);
/* A kernel of one array; zero is none. What a building call that fails returns is none, which later calls ignore. */
typedef struct tw_aie_kernel {
    int id;
} tw_aie_kernel;

/* A port of a kernel. Numbers count from 0 by direction and kind: streams 0 and 1, windows 0 to 15. */
typedef enum tw_aie_direction { TW_AIE_IN = 0, TW_AIE_OUT = 1 } tw_aie_direction;
typedef struct tw_aie_port {
    tw_aie_kernel kernel;
    tw_aie_direction direction;
    int number;
} tw_aie_port;
static inline tw_aie_port tw_aie_in(tw_aie_kernel kernel, int number)
{
    tw_aie_port port = { kernel, TW_AIE_IN, number };
    return port;
}
static inline tw_aie_port tw_aie_out(tw_aie_kernel kernel, int number)
{
    tw_aie_port port = { kernel, TW_AIE_OUT, number };
    return port;
}

/* A text file at the edge of the array, one beat of `plio_bits` per line; an element wider than the beat takes
 * several lines. Lines "T ..." are skipped; a line "TLAST" gives the last word of the next beat that mark, and is
 * written before a beat that has it. All zero is one value of 8 bits a line on a stream, but for the path. */
typedef struct tw_aie_file {
    const char *path;       /* copied */
    tw_aie_element element; /* of the text */
    unsigned plio_bits;     /* 32 (0 stands for it), 64 or 128 */
    unsigned window_bytes;  /* of a block; 0 = the port is a stream */
    unsigned margin;        /* of an input window, in bytes */
} tw_aie_file;

/* A kernel on tile (column 0 to 49, row 0 to 7); several may share one. fn(user) is one firing. */
TW_API tw_aie_kernel tw_aie_array_add(tw_aie_array *array, const char *name, void (*fn)(void *user), void *user,
                                      int column, int row);
/* Connections lead from outputs to inputs. depth in 32-bit words, 0 = 16. A window is a ping-pong pair of `bytes` (a
 * multiple of 4) with the last `margin` bytes (a multiple of 32) of the block before in front. Windows get their
 * places in the first run: no more of them may be connected after it. */
TW_API void tw_aie_array_stream(tw_aie_array *array, tw_aie_port from, tw_aie_port to, unsigned depth);
TW_API void tw_aie_array_cascade(tw_aie_array *array, tw_aie_kernel from, tw_aie_kernel to); /* neighbours */
TW_API void tw_aie_array_window(tw_aie_array *array, tw_aie_port from, tw_aie_port to, unsigned bytes,
                                unsigned margin);
TW_API void tw_aie_array_input(tw_aie_array *array, const tw_aie_file *file, tw_aie_port to);
TW_API void tw_aie_array_output(tw_aie_array *array, tw_aie_port from, const tw_aie_file *file);

/* The clock of the file at a port, in MHz: the programmable logic behind it moves plio_bits in each of its cycles.
 * The array moves at most a word of 32 bits in each of its own (UG1079). Kernels wait for it in the profile's times.
 * Without it, data and room are there in time. */
TW_API void tw_aie_array_file_clock(tw_aie_array *array, tw_aie_port port, double mhz);

/* A counter at the file or memory of a kernel's port, from now on: what passes there, and when, by the cycles of
 * kernels (estimated; all at 0 where none are counted). A word of 32 bits takes a cycle, or as many as the file's
 * clock gives it. watch: returns the counter's number, or -1 with a message; mark_bytes: see below, 0 = none.
 * watched: what has passed so far; TW_E_INDEX where there is no such counter. tw_aie_array_run() begins anew. */
typedef struct tw_aie_passage {
    uint64_t words;  /* how many have passed; 0: the others say nothing */
    uint64_t first;  /* the cycle in which the first one passed */
    uint64_t last;   /* the cycle after the last one */
    uint64_t busy;   /* cycles in which one passed or was held up by the reader */
    uint64_t marked; /* the cycle after mark_bytes had passed; 0: they have not */
} tw_aie_passage;
TW_API int tw_aie_array_watch(tw_aie_array *array, tw_aie_port port, uint64_t mark_bytes);
TW_API tw_status tw_aie_array_watched(const tw_aie_array *array, int watch, tw_aie_passage *passage);
TW_API void tw_aie_array_unwatch(tw_aie_array *array, int watch); /* a number that is none changes nothing */

/* Memory instead of files; window_bytes 0 = a stream. They return the number of the block of memory, or -1. What is
 * sent waits for the kernel; bytes in whole words of 32 bits. receive: takes what has come out, up to `bytes`, and
 * returns how much that was. */
TW_API int tw_aie_array_memory_input(tw_aie_array *array, tw_aie_port to, unsigned window_bytes, unsigned margin);
TW_API int tw_aie_array_memory_output(tw_aie_array *array, tw_aie_port from, unsigned window_bytes);
TW_API tw_status tw_aie_array_send(tw_aie_array *array, int number, const void *data, size_t bytes);
TW_API size_t tw_aie_array_receive(tw_aie_array *array, int number, void *out, size_t bytes);

/* For reports: the name of the file or memory at a port of a kernel, "DataIn1"; the sub-graph that a kernel is of,
 * "outer/inner"; a value of so many bytes that the host gives a kernel, takes from it (the other kernel zero) or that
 * one kernel gives another. Names are copied. */
TW_API void tw_aie_array_name_end(tw_aie_array *array, tw_aie_port port, const char *name);
TW_API void tw_aie_array_group(tw_aie_array *array, tw_aie_kernel kernel, const char *name);
TW_API void tw_aie_array_parameter(tw_aie_array *array, tw_aie_kernel from, tw_aie_kernel to, const char *name,
                                   unsigned bytes);

/* The id (0 to 31) of packets on a stream, for getPacketid(). Without it: 0. */
TW_API void tw_aie_array_packet_id(tw_aie_array *array, tw_aie_port port, unsigned id);

/* The kernel waits for this window itself, by window_acquire(), and hands it on by window_release(). */
TW_API void tw_aie_array_async(tw_aie_array *array, tw_aie_port port);

/* Where windows may lie that do not fit the tile of their reader: nowhere (the run fails), on tiles that its core
 * reaches, or outside of the array too, as in a functional simulation. */
typedef enum tw_aie_spread {
    TW_AIE_SPREAD_NONE = 0,
    TW_AIE_SPREAD_NEIGHBOURS = 1,
    TW_AIE_SPREAD_ANYWHERE = 2
} tw_aie_spread;
TW_API void tw_aie_array_spread(tw_aie_array *array, tw_aie_spread where); /* before the first run */

/* One block instead of a ping-pong pair: half the memory, and the writer waits until the reader is done. */
TW_API void tw_aie_array_single_buffer(tw_aie_array *array, tw_aie_port port);

/* The kernel fires `times` times in each iteration; 0 = whenever it can, and a run does not wait for it. */
TW_API void tw_aie_array_repeat(tw_aie_array *array, tw_aie_kernel kernel, unsigned times);

/* Fires each kernel `iterations` times; 0 = until the input files end. Output files are written at the end. */
TW_API tw_status tw_aie_array_run(tw_aie_array *array, uint64_t iterations);
/* The same, going on where the last run ended: files, queues, windows, locks and cycles stay as they are. */
TW_API tw_status tw_aie_array_resume(tw_aie_array *array, uint64_t iterations);
/* Goes on with a run that ended in a deadlock, after tw_aie_array_send() has brought what it waited for. */
TW_API tw_status tw_aie_array_continue(tw_aie_array *array);
/* Nothing more comes: where a kernel was compiled with TW_AIE_CHECK, each port whose data nobody has read is
 * reported, but not the rest of a file when the kernels were to fire a number of times. tw_aie_array_run() does so by
 * itself; runs that begin or go on with tw_aie_array_resume() end here. Of a run that still waits, output files get
 * what has come so far, and its kernels are given up: their stacks are unwound, so that destructors of C++ run (also
 * when the next run begins, or the array is freed). */
TW_API void tw_aie_array_end(tw_aie_array *array);
/* Words that nobody read, in the last run, with those that input files and memory still hold; registers count as
 * one. */
TW_API uint64_t tw_aie_array_unread(const tw_aie_array *array);
/* ... and where: a line for each port, "3 words of input stream 0 of kernel 'b' on tile (1,0), from 'a'"; "" when
 * none is. Owned by the array, until its next run. */
TW_API const char *tw_aie_array_unread_ports(const tw_aie_array *array);
/* Estimated cycles of a kernel over all firings (counted when it is compiled with TW_AIE_PROFILE), stalls not
 * counted. */
TW_API uint64_t tw_aie_array_cycles(const tw_aie_array *array, tw_aie_kernel kernel);
/* How often a kernel has called event0() (event = 0), event1() (1), event_error() (2) in the last run. */
TW_API uint64_t tw_aie_array_events(const tw_aie_array *array, tw_aie_kernel kernel, int event);
/* By kernel and by tile, every figure `estimated`. Owned by the array; NULL before a run. */
TW_API const tw_profile *tw_aie_array_profile(tw_aie_array *array);
/* max(vector, loads / 2, stores, scalar, moves / 2, stream words) of a count of issue slots. */
TW_API uint64_t tw_aie_estimate(const uint64_t slots[TW_AIE_SLOTS]);

/* --- inside a kernel ------------------------------------------------------------------------------------------ */

typedef struct tw_aie_window {
    uint8_t *data; /* margin first */
    uint32_t bytes, at, margin;
    uint16_t port;
    uint8_t is_output, is_open; /* is_open: between acquire and release, for windows of tw_aie_array_async() */
} tw_aie_window;
TW_API tw_aie_window *tw_aie_window_in(int port);
TW_API tw_aie_window *tw_aie_window_out(int port);
/* Copies with wrap-around inside the window, from its position on, and moves by `bytes`, or by `move`. */
TW_API void tw_aie_window_read(tw_aie_window *window, void *out, unsigned bytes);
TW_API void tw_aie_window_write(tw_aie_window *window, const void *in, unsigned bytes);
TW_API void tw_aie_window_take(tw_aie_window *window, void *out, unsigned bytes, int move);
TW_API void tw_aie_window_give(tw_aie_window *window, const void *in, unsigned bytes, int move);
TW_API void tw_aie_window_move(tw_aie_window *window, int bytes);
TW_API unsigned tw_aie_window_block(const tw_aie_window *window); /* bytes of a block, without the margin */
TW_API void tw_aie_window_acquire(tw_aie_window *window);
TW_API void tw_aie_window_release(tw_aie_window *window);

/* Streams are numbered from 0; TW_AIE_CASCADE is the cascade, where reads and writes move one register. */
enum { TW_AIE_CASCADE = 2 };
typedef struct tw_aie_stream {
    int port, packet_id;
    void *element, *direction; /* room for what the types of aie/stream.h carry */
    void *cascade;
} tw_aie_stream;
TW_API tw_aie_stream *tw_aie_stream_in(int port);
TW_API tw_aie_stream *tw_aie_stream_out(int port);
/* `bytes` in words of 32 bits; tlast of the last one, may be NULL. */
TW_API void tw_aie_stream_read(int port, void *out, unsigned bytes, int *tlast);
TW_API void tw_aie_stream_write(int port, const void *in, unsigned bytes, int tlast);
TW_API uint32_t tw_aie_get_word(int port, int *tlast);
TW_API int tw_aie_wait_word(int first); /* waits until a stream has a word; which one, `first` if both have */
TW_API int tw_aie_try_get_word(int port, uint32_t *word); /* 1 when there was one */
TW_API void tw_aie_put_word(int port, uint32_t word, int tlast);
TW_API int tw_aie_try_put_word(int port, uint32_t word, int tlast);
TW_API void tw_aie_get_cascade(void *out, unsigned bytes);
TW_API void tw_aie_put_cascade(const void *in, unsigned bytes);
/* Waits until ready(user), which other kernels or the host between two calls of the array change. `what` says so in
 * reports, "for an update of its parameter 1", and is kept by the caller. */
TW_API void tw_aie_wait_until(int (*ready)(void *user), void *user, const char *what);
TW_API void tw_aie_acquire(int lock, int value); /* value -1: any */
TW_API void tw_aie_release(int lock, int value); /* value -1: as it was */
TW_API int tw_aie_tlast(int port);               /* of the last word read from a stream port */
TW_API void tw_aie_event(int event);             /* 0, 1; 2 = error */
TW_API void tw_aie_done(void);                   /* the running kernel fires no more; does not return */
TW_API uint64_t tw_aie_cycles_now(void);
TW_API int tw_aie_coreid(void);
TW_API const char *tw_aie_kernel_name(void); /* of the running kernel; the array owns it */

#ifdef __cplusplus
}
#endif

#include <tilewright/aie/stream.h>

#endif
