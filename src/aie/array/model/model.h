/* SPDX-License-Identifier: MIT */
/* model: an array as data: kernels, what connects them, memory of tiles, files at its edge. What happens to it
 * stands on other floors: array/times (clocks), array/sched (kernels run and wait), array/profile, array (an
 * array's life). */
#ifndef TW_AIE_ARRAY_MODEL_H
#define TW_AIE_ARRAY_MODEL_H

#include "aie/type_names.h"
#include "core/base/fiber.h"
#include <tilewright/aie/array.h>

enum {
    TW__AIE_PORTS = 16,
    TW__AIE_STREAMS = TW_AIE_CASCADE,
    TW__AIE_STACK_AND_HEAP = 2 * 1024 /* bytes of a kernel, 1 KB each */
};

/* A bounded queue of items of one size: words with TLAST, or cascade registers. */
typedef struct tw__fifo {
    uint8_t *data;
    unsigned item, room, count, first;
    uint64_t *there, *freed;          /* [room] times: when an item was written, and its place given back */
    int from, to;                     /* kernels; -1 = a file */
    uint64_t moved;                   /* items written in this run */
    uint64_t read_waits, write_waits; /* times: cycles that its ends waited for it */
    uint32_t last_hold;               /* index + 1 in tw_aie_array.holds */
    unsigned order;                   /* profile: its number among the array's */
    const char *source; /* where the last item was written, when the kernel is compiled with TW_AIE_CHECK */
    int line;
} tw__fifo;

/* A ping-pong pair, or one block of it. `full` counts finished blocks, the producer fills block `write` next. */
typedef struct tw__pair {
    uint8_t *block[2], *tail; /* NULL before the first run */
    unsigned bytes, margin, full, read, write;
    unsigned blocks; /* 2, or 1 of a single buffer */
    bool is_placed[2];
    int from, to, out, in;
    bool async_out, async_in;           /* the kernel acquires and releases */
    uint64_t filled_at[2], freed_at[2]; /* times: when a block was passed on, and given back */
    uint64_t held_until[2];             /* when they were last given back; what files fill has no other time */
    uint64_t moved;                     /* blocks passed on in this run */
    uint64_t read_waits, write_waits;   /* times: cycles that its ends waited for it */
    unsigned order;                     /* profile: its number among the array's */
} tw__pair;

/* A window as a kernel holds it, with room for what the types of aie/window.h carry behind it: every window that is
 * handed out is one. */
typedef struct tw__view {
    tw_aie_window window;
    void *ptr; /* window.data + window.at */
    void *direction;
} tw__view;

/* Bytes of an output up to `end` were there when the kernel had run so many cycles. */
typedef struct tw__stamp {
    size_t end;
    uint64_t cycles;
} tw__stamp;

/* A counter of what passes the port of a file (passage.c). */
typedef struct tw__watch {
    struct tw__watch *next; /* of the same file */
    int number;
    uint64_t mark, words; /* mark: bytes; 0 = none */
    double free, busy_to; /* when the port can pass a word again; up to when busy cycles are counted */
    double first, last, busy, marked;
} tw__watch;

/* A text file, or memory (path NULL): its bytes lie here, `at` moves through them; outputs grow. */
typedef struct tw__plio {
    char *path, *name; /* name: for reports; NULL = none */
    tw_aie_element element;
    unsigned bits;
    double word_cycles, clock; /* times: of a word of 32 bits, 0 = no time; when the last one had come or gone */
    bool is_output;
    uint8_t *bytes, *last; /* last: a bit per word of 32 bits, set where TLAST goes with it */
    size_t count, room, last_room, at;
    tw__fifo *fifo;
    tw__pair *pair;
    tw__watch *watches;
    tw__stamp *stamps; /* of an output, when they are asked for */
    size_t stamp_count, stamp_room;
} tw__plio;

typedef struct tw__lock {
    bool held;
    int value;
    uint64_t since; /* times: when it was taken */
} tw__lock;

/* A value that the host or a kernel gives, for reports: nothing moves through it here. */
typedef struct tw__parameter {
    char *name;
    int from, to; /* kernels; -1 = the host */
    unsigned bytes;
} tw__parameter;

typedef enum tw__wait {
    TW__RUN,
    TW__WAIT_READ,
    TW__WAIT_ANY, /* a word on either stream */
    TW__WAIT_WRITE,
    TW__WAIT_WINDOWS,
    TW__WAIT_ACQUIRE, /* of one window */
    TW__WAIT_LOCK,
    TW__WAIT_UNTIL, /* of tw_aie_wait_until() */
    TW__DONE
} tw__wait;

typedef struct tw__kernel {
    char *name, *group; /* group: for reports; NULL = none */
    void (*fn)(void *user);
    void *user;
    int column, row, number;
    tw__fifo *in[TW__AIE_STREAMS + 1], *out[TW__AIE_STREAMS + 1]; /* the last one is the cascade */
    tw__pair *window_in[TW__AIE_PORTS], *window_out[TW__AIE_PORTS];
    tw__view view_in[TW__AIE_PORTS], view_out[TW__AIE_PORTS];
    tw_aie_stream stream_in[TW__AIE_STREAMS + 1], stream_out[TW__AIE_STREAMS + 1];
    int tlast[TW__AIE_STREAMS];
    uint64_t words_in[TW__AIE_STREAMS], words_out[TW__AIE_STREAMS], events[3];
    uint64_t read_slots, fills; /* get_cycles(): slots at the last reading, readings with work before them */
    tw_aie_control control;     /* while it does not run */
    tw__fiber *fiber;
    tw__wait wait;
    bool ended; /* by done() */
    tw__fifo *waits_for;
    tw__view *waits_view;
    int lock, lock_value, port;
    int (*until)(void *user); /* of tw_aie_wait_until() */
    void *until_user;
    const char *until_what;
    uint64_t fired, target;
    unsigned repeat;         /* firings an iteration; 0: whenever it can, without end */
    uint64_t clock, counted; /* times: its time; cycles of its work that are in it */
    uint32_t last_span;      /* index + 1 */
    uint64_t worst;          /* cycles of the longest firing */
    uint32_t stack_at;       /* address of its stack and heap on its tile */
} tw__kernel;

typedef struct tw__aie_span { /* times: a stretch of work, or of waiting for `partner` */
    uint64_t from, to;
    const char *cause; /* NULL = work */
    int kernel, partner;
} tw__aie_span;

/* times: a lock is held, a block of a window is full, words are in a stream. */
typedef enum tw__hold_kind { TW__HOLD_LOCK, TW__HOLD_WINDOW, TW__HOLD_STREAM } tw__hold_kind;
typedef struct tw__aie_hold {
    uint64_t from, to;
    tw__hold_kind kind;
    const void *what; /* lock, pair or fifo */
    unsigned number;  /* block of a pair */
    int kernel;       /* that held the lock */
} tw__aie_hold;

struct tw_aie_array {
    const tw_tile_arch *arch;
    tw__kernel **kernels;
    size_t kernel_count, kernel_room;
    tw__fifo **fifos;
    size_t fifo_count, fifo_room;
    tw__pair **pairs;
    size_t pair_count, pair_room;
    tw__plio **files;
    size_t file_count, file_room;
    tw__parameter **parameters;
    size_t parameter_count, parameter_room;
    tw__lock *locks;      /* [column][row][16] */
    uint8_t *memory;      /* of all tiles (memory.c); NULL before the first run */
    uint64_t *place_runs; /* by number of a place - 1: how often it ran */
    size_t place_room;
    bool places_lost; /* there was no memory for them */
    tw_aie_spread spread;
    void **outside; /* blocks that lie on no tile, owned */
    size_t outside_count, outside_room;
    tw_profile *profile;
    tw__aie_span *spans;
    size_t span_count, span_room;
    uint64_t spans_left_out;
    tw__aie_hold *holds;
    size_t hold_count, hold_room;
    int released_by; /* the kernel that let a lock go last; -1 = none */
    tw__kernel *running;
    tw_status status; /* the first failure of a building call */
    char *message;
    char *unread_ports;
    uint64_t unread, iterations; /* iterations: of the run that is on */
    int watches_made;
    bool started;
    bool is_whole;  /* the run ends where tw_aie_array_run() returns; others end with tw_aie_array_end() */
    bool told;      /* what it left unread */
    bool unwritten; /* it waits: outputs have not been written */
};

extern _Thread_local tw_aie_array *tw__aie_current; /* the one that runs; NULL: none does */

/* --- model.c --- */
/* The other end of a queue or window, kernel `number` or -1: "'name'", "file 'x.txt'", "memory". */
typedef struct tw__peer {
    char text[300];
} tw__peer;
const tw__kernel *tw__aie_kernel_of(const tw_aie_array *array, tw_aie_kernel handle); /* NULL: it has no such */
const tw__plio *tw__plio_of(const tw_aie_array *array, const void *queue); /* of a tw__fifo or tw__pair, or NULL */
tw__peer tw__aie_peer(const tw_aie_array *array, int number, const void *queue);
void tw__aie_fail(tw_aie_array *array, tw_status status, const char *format, ...) TW_PRINTF(3, 4);
bool tw__fifo_push(tw__fifo *fifo, const void *item); /* false: full */
bool tw__fifo_pop(tw__fifo *fifo, void *item);

/* --- memory.c --- */
int tw__aie_tile_of(const tw_aie_array *array, const tw__kernel *kernel); /* column * rows + row */
int tw__aie_tile_at(const tw_aie_array *array, uintptr_t address);        /* the same; -1: no tile's memory, NULL */
bool tw__aie_place_windows(tw_aie_array *array);        /* in the first run; false: the array has failed */
size_t tw__aie_memory_bytes(const tw_aie_array *array); /* of all tiles, and what lies around them */
uint8_t *tw__aie_tile_memory(const tw_aie_array *array, int tile); /* its first byte */
/* A core reaches its own memory, north, south, and that of the tile to the west in even rows, to the east in odd
 * ones. */
bool tw__aie_reaches(const tw_aie_array *array, const tw__kernel *kernel, int tile);
void tw__aie_free_memory(tw_aie_array *array);

/* --- places.c --- */
const char *tw__aie_place_text(size_t number); /* from 0; NULL: there are no more */

/* --- text_files.c --- */
bool tw__plio_load(tw_aie_array *array, tw__plio *file); /* reads the whole file; failure is the array's */
bool tw__plio_append(tw__plio *file, const void *bytes, size_t count); /* false: no memory */
tw_status tw__plio_store_all(const tw_aie_array *array);
bool tw__plio_step(tw_aie_array *array, tw__plio *file); /* moves what fits; true when something moved */

/* --- passage.c --- */
void tw__plio_passed(tw__plio *file, uint64_t from, unsigned words); /* each as soon as it can, `from` then on */
void tw__plio_watch_anew(tw__plio *file);
void tw__plio_watch_end(tw__plio *file);

/* --- build.c --- */
tw__plio *tw__outer_end(const tw_aie_array *array, const tw__kernel *kernel, tw_aie_port port); /* NULL: none */

/* --- unread.c --- */
void tw__aie_count_unread(tw_aie_array *array); /* fills unread and unread_ports */
void tw__aie_finish(tw_aie_array *array);       /* output files, reports; more data may let kernels go on */

/* --- environment.c --- */
char *tw__aie_path(const char *path, bool is_output); /* where a graph's file lies; to free(), NULL: no memory */
bool tw__aie_stamps(void);                            /* outputs get lines of time */
const char *tw__aie_profile_file(void);               /* that the environment asks for; NULL: none */
void tw__aie_save_profile(const tw_aie_array *array); /* where the environment asks for it */

#endif
