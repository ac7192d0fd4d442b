/* SPDX-License-Identifier: MIT */
/* State of the wafer: routers, compute engines, partitions. Private to this box.
 *
 * Time goes in windows of HOP = CREDIT = 2 cycles. What crosses from one router to another (wavelets, credits) is
 * written into a slot of the receiver that belongs to the cycle of arrival, two cycles ahead, and has one writer
 * only: so a PE may run a window as soon as its four neighbours have run the one before, whatever the others do
 * (schedule.c), and neither the order of PEs nor the number of threads shows anywhere. */
#ifndef TW_CSL_WSE_STATE_STATE_H
#define TW_CSL_WSE_STATE_STATE_H

#include "core/base/checkpoint.h"
#include "csl/wse/state/model.h"
#include "csl/wse/wse.h"
#include "core/vec/vec.h"
#include <glib.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#define TW__WSE_NEVER      UINT64_MAX
#define TW__WSE_MAIN       8u /* operation slot of the main thread; 0 .. 7 are microthreads */
#define TW__WSE_DEPTH      4u /* LINK_DEPTH */
#define TW__WSE_HOST_TASK  64u
#define TW__WSE_LEAST_ROWS 8u /* of a partition; half as many of the first and the last */

enum { TW__WSE_CONTROL = 1, TW__WSE_ADVANCE = 2, TW__WSE_VALID = 4, TW__WSE_SWAPPED = 8 }; /* flags of a wavelet */
typedef struct tw__wave {
    uint32_t payload;
    uint8_t color, flags;
    uint16_t spare;
} tw__wave;

/* --- router --- */
enum { TW__WSE_W, TW__WSE_E, TW__WSE_S, TW__WSE_N, TW__WSE_R, TW__WSE_PORTS }; /* bit numbers of direction masks */

/* Wavelets of one color that came in through one port. Twice the depth: a color swap may join two colors in one.
 * The neighbour behind the port may have LINK_DEPTH wavelets here or on their way; it reads in `gone` how many have
 * left, and sees what happened two cycles ago: bits 0 .. 7 their number (modulo 256), 8 .. 15 how many of them left
 * in the last such cycle and the three before it, two bits each, above: that cycle. */
#define TW__WSE_LANE 8u
typedef struct tw__lane {
    uint64_t gone;
    uint32_t payload[TW__WSE_LANE];
    uint32_t flags; /* four bits each */
    uint8_t head, count;
    uint8_t
        wanted; /* the neighbour has a wavelet and no place for it: it wants to hear of the next one that leaves */
    uint8_t held; /* of the engine's: output queue + 1 that waits for a place; TW__WSE_SEVERAL = not only one */
} tw__lane;
#define TW__WSE_SEVERAL 0xffu
#define TW__WSE_NO_PORT 0xffu

/* One color at one router. The first cache line is what a wavelet on its way needs. */
typedef struct tw__channel {
    uint8_t rx, tx;              /* in force */
    uint8_t suspended, filtered; /* filtered: has a filter */
    uint8_t color;
    uint8_t tried;   /* ports that could not send since something changed */
    uint8_t home;    /* port that `lane` belongs to, the first that a wavelet came through */
    uint8_t waiting; /* ports whose lane is not empty */
    uint32_t credit; /* a byte per link: places left in the neighbour's lane, as far as it was looked up */
    uint8_t seen[4]; /* by link: how many of those that left there are in `credit` */
    tw__lane lane;
    /* --- second cache line --- */
    struct tw__lane *more;                                 /* by port, made when another one is used */
    uint8_t base_rx, base_tx, pos_rx[3], pos_tx[3], valid; /* valid: bit k = position k + 1 */
    uint8_t sides; /* bit k: position k + 1 was last written as an input, valid or not */
    uint8_t position, ring, pop, has_switches;
    uint8_t swap_x, swap_y;
    uint8_t filter_off, swapped_limit;
    uint8_t came_port, collided, complained; /* port of the last wavelet in a lane; what was reported */
    uint16_t counter, limit;
    tw__csl_filter filter;
} __attribute__((aligned(64))) tw__channel;
_Static_assert(offsetof(tw__channel, more) == 64, "what moves a wavelet fills one cache line");

/* What arrives in one cycle, by port, each written by that neighbour. */
typedef struct tw__slot {
    uint32_t word[4]; /* bits 0 .. 23: colors that wait for a place there, and have one now; above: the wavelet */
    uint32_t payload[4]; /* of the wavelet */
} tw__slot;
#define TW__WSE_WAVE_COLOR   24u /* five bits from here on */
#define TW__WSE_WAVE_CONTROL 0x40000000u
#define TW__WSE_WAVE_HERE    0x80000000u

typedef struct tw__router {
    uint32_t place;    /* in the schedule: cell * 64 + bit in it */
    uint8_t edges;     /* ports at the edge of the rectangle */
    uint8_t has_ports; /* streams of the host begin or end here */
    uint8_t swaps;     /* a channel asks for color swaps, or has done so */
    uint8_t channel_count, channel_room, turn, out_turn, spare;
    uint8_t channel_of[TW__CSL_COLORS]; /* + 1; 0 = none yet */
    uint32_t busy;                      /* channels with waiting wavelets */
    uint32_t ready;                     /* of these, where something has changed since they last could not move */
    uint32_t retry;                     /* where another port has its turn at trying */
    uint32_t out_busy;                  /* output queues of the compute engine with wavelets */
    uint32_t stuck; /* of these, where the color has no room until a wavelet of the engine leaves */
    tw__channel *channel;
    tw__slot slot[4]; /* by cycle mod 4 */
} __attribute__((aligned(64))) tw__router;

/* --- queues between router and compute engine: one cache line each --- */
#define TW__WSE_RING 8u
typedef struct tw__queue {
    uint8_t color, depth, head, count;
    uint8_t op; /* operation slot + 1 that uses it; 0 = none */
    uint8_t priority;
    uint8_t control_base; /* of its control tasks: @initialize_queue, .ctrl_table_id */
    uint8_t initialised;  /* or reported that it is not; WSE-3 asks */
    uint32_t payload[TW__WSE_RING];
    uint8_t colors[TW__WSE_RING], flags[TW__WSE_RING]; /* an output queue may be bound anew with wavelets in it */
} tw__queue;
static inline tw__wave tw__wse_queue_head(const tw__queue *q)
{
    return (tw__wave){ q->payload[q->head], q->colors[q->head], q->flags[q->head], 0 };
}
static inline void tw__wse_queue_add(tw__queue *q, tw__wave wave)
{
    unsigned at = (q->head + q->count++) & (TW__WSE_RING - 1u);
    q->payload[at] = wave.payload;
    q->colors[at] = wave.color;
    q->flags[at] = wave.flags;
}
static inline void tw__wse_queue_drop(tw__queue *q, unsigned n)
{
    q->head = (uint8_t)((q->head + n) & (TW__WSE_RING - 1u));
    q->count = (uint8_t)(q->count - n);
}
#define TW__WSE_DIRECT 8u /* queues 0 .. 7 are the program's, from 8 on one per color without queue */

/* --- operations under way --- */
typedef enum tw__opnd_kind {
    TW__O_NONE,
    TW__O_MEM,
    TW__O_WALK,
    TW__O_SCALAR,
    TW__O_IN,
    TW__O_OUT,
    TW__O_FIFO
} tw__opnd_kind;
typedef struct tw__opnd {
    uint8_t kind, size, flags, simd;
    uint8_t queue; /* IN, OUT: index in in_queue / out_queue */
    uint8_t half;  /* IN with SIMD: elements of the head wavelet already taken; OUT: elements waiting in `held` */
    uint16_t fifo;
    uint16_t index; /* OUT: high half of the payload */
    uint16_t held;
    uint16_t length;
    int16_t dsr;        /* file * 32 + id; -1 = none */
    uint32_t at;        /* MEM: byte address of the next element; always inside or checked */
    int32_t stride;     /* MEM: bytes */
    uint32_t low, high; /* MEM under strict checks: bytes of the array that held the base; else 0, 48 K */
    uint64_t scalar;
    struct tw__walk_state *walk; /* WALK; kept for the next operation of this slot */
} tw__opnd;
typedef struct tw__walk_state {
    tw_view view;
    tw_walk walk;
} tw__walk_state;

/* What a move between fabric and memory needs, nothing special about it: one kind of operation that programs spend
 * most of their cycles in, and whose range in memory is known to be inside before it starts. */
typedef enum tw__straight { TW__STRAIGHT_NO, TW__STRAIGHT_IN, TW__STRAIGHT_OUT } tw__straight;

typedef struct tw__op { /* straight moves touch the first cache line only */
    uint8_t active, slot, code, straight;
    uint8_t size, queue;       /* straight: bytes of an element; queue of the fabric operand */
    uint8_t flags, last_flags; /* straight, out: of every wavelet; of the last one besides */
    uint32_t length, done;     /* elements; TW__CSL_UNBOUNDED = without end */
    uint32_t at;               /* straight: byte address of the next element; arg[] has it again at the end */
    int32_t stride;            /* straight: bytes */
    uint32_t high;             /* straight, out: high half of the payload */
    uint32_t pc;               /* for messages */
    uint64_t ready_at;         /* first beat not before */
    uint64_t start;            /* cycle of issue */
    const struct tw__decoded_use *use;
    /* --- second cache line --- */
    uint8_t async, priority, on_kind, done_kind, result;
    uint8_t zero_which;
    uint8_t width; /* elements one beat may take */
    uint16_t result_reg;
    uint16_t on_at, done_at;
    tw__opnd arg[4];
    tw__opnd zero; /* the source to clear, as it was at the start */
} tw__op;

typedef struct tw__dsr {
    tw__csl_dsd dsd;
    uint8_t loaded, async, ut, flags;
    tw__csl_action done, on_control; /* ids, never registers */
} tw__dsr;

typedef struct tw__fifo_state {
    uint32_t head, count;           /* bytes */
    uint32_t need_space, need_data; /* bytes wanted by the operation that hit full / empty; 0 = no event */
    uint16_t read_length, write_length;
    uint8_t read_set, write_set; /* the program gave these lengths: 0 means no element then */
} tw__fifo_state;

/* --- compute engine --- */
typedef struct tw__frame {
    uint32_t pc, base, stack; /* of the caller: where it goes on */
} tw__frame;

typedef struct tw__map_state {
    struct tw__map_state *outer;
    const tw__csl_map *map;
    uint32_t depth, pc, called; /* frame and instruction that run it; called: the callback returns next */
    uint64_t scalar[TW__CSL_MAP_INPUTS];
    tw__opnd input[TW__CSL_MAP_INPUTS], output;
} tw__map_state;

typedef enum tw__main_state {
    TW__MAIN_IDLE,
    TW__MAIN_RUN,
    TW__MAIN_OP,
    TW__MAIN_MAP,
    TW__MAIN_STALL,
    TW__MAIN_FAULT
} tw__main_state;

typedef struct tw__command {
    struct tw__command *next;
    uint32_t function, count;
    uint64_t args[16];
} tw__command;

typedef struct tw__port { /* of the host: a stream in or out */
    struct tw__port *next;
    uint8_t side, color, out;
    uint64_t *words;          /* payload, bit 32 = control */
    size_t head, count, room; /* words[head .. count) */
} tw__port;

typedef struct tw__mail tw__mail; /* pe/mail.c */
/* What one mailbox says to another one that lives in another rank: a wavelet of a message, or that all of it has been
 * taken (total 0), which is for the sender. */
typedef struct tw__letter {
    uint32_t from, to, word;
    uint8_t index, total; /* wavelets: which one, of all */
    uint16_t spare;
    uint64_t at; /* when it counts */
} tw__letter;

/* A line each for what happens in every cycle, for wavelets that land, operations, tasks, and queues. */
typedef struct tw__pe {
    /* --- what a turn of the engine looks at first --- */
    uint64_t busy;              /* until when the datapath of DSD operations is taken */
    uint64_t main_busy;         /* until when the scalar code of the main thread is under way */
    uint64_t active, blocked;   /* by task id */
    uint32_t in_busy, in_taken; /* in queues with wavelets; those that an operation uses */
    uint32_t out_full;          /* out queues without room */
    uint32_t teardown_pending;
    uint8_t op_active; /* microthreads with an operation */
    uint8_t ut_blocked;
    uint8_t ut_ready; /* microthreads whose queues have wavelets or room; follows in_busy and out_full */
    uint8_t ut_fresh; /* microthreads whose set-up may still be under way */
    uint8_t main_state, last_ut;
    uint8_t flush_pending[2];   /* queues, input and output: @queue_flush waits for them */
    uint8_t ut_medium, ut_high; /* microthreads by priority; the others' is low */
    uint8_t main_priority, task_id, stream_open, host_running;
    uint8_t unmasked; /* floating-point exceptions that stop the PE: bits of tw__wse_exceptions */
    uint8_t tsc_on;
    /* --- where a wavelet goes --- */
    uint8_t *memory;
    tw__port *ports;
    uint8_t in_of_color[TW__CSL_COLORS], out_of_color[TW__CSL_COLORS]; /* queue + 1; 0 = none */
    /* --- operations --- */
    tw__op *op[TW__WSE_MAIN + 1]; /* the main thread's is on the next line */
    /* --- tasks --- */
    const struct tw__decoded *program; /* NULL: no code */
    tw__command *commands, *commands_end;
    const uint64_t *pool;
    uint64_t *regs; /* main thread */
    tw__frame *frames;
    uint32_t pc, base;
    /* --- queues --- */
    uint32_t ut_in[TW__WSE_MAIN], ut_out[TW__WSE_MAIN]; /* without which a microthread can do nothing */
    tw__queue *in_queue[TW__WSE_DIRECT + TW__CSL_COLORS], *out_queue[TW__WSE_DIRECT + TW__CSL_COLORS];
    /* --- the rest --- */
    uint32_t reg_room, frame_room, depth, stack, stack_end;
    uint32_t entered; /* the function that the task began with */
    uint32_t said;    /* instruction + 1 whose index was last reported */
    uint8_t transform_mask, prng, carry;
    uint8_t flushed[2]; /* queues, input and output: their @queue_flush did its work */
    uint8_t loaded;     /* its memory holds the program's data */
    uint16_t rotation[2];
    uint64_t task_start, high_priority;
    uint32_t task_function;
    struct tw__map_state *map; /* innermost @map under way */
    tw__dsr *dsr;              /* 3 * 32, made when first loaded */
    tw__fifo_state *fifo;
    uint64_t lfsr, tsc_base, random;
    uint32_t printing, print_lines; /* calls of print_begin under way; lines that ended since the first of them */
    int64_t print_left;             /* cycles that were left then, and which one it was */
    uint64_t print_cycle;
    char *line; /* text under way (service put_char) */
    size_t line_count, line_room;
    uint16_t *config; /* plain configuration words, made when first written: 512 from 0x7e00 */
    tw__mail *mail;   /* NULL: its program has no messages */
} __attribute__((aligned(64))) tw__pe;
_Static_assert(offsetof(tw__pe, memory) == 64 && offsetof(tw__pe, op) == 128 && offsetof(tw__pe, ut_in) == 256 &&
                   offsetof(tw__pe, in_queue) == 320 && offsetof(tw__pe, out_queue) == 576,
               "lines of a PE");

/* --- decoded programs --- */
typedef struct tw__dinsn {
    uint16_t op, a, b, c;
    int32_t x;   /* 32-bit operand, or jump distance */
    int32_t phi; /* cycles of all instructions before this one */
} tw__dinsn;

typedef void tw__special(struct tw__pe *pe, size_t n,
                         const tw_run *args); /* args by operand: dst, src0, src1, src2 */
typedef struct tw__decoded_use {
    const tw__csl_dsd_use *use;
    const struct tw__wse_kernel *kernel;
    uint8_t size[4]; /* bytes of an element */
    uint8_t width;   /* elements per beat */
    uint8_t bounds;  /* the destination is a DSD: its length 0 means no element */
    uint8_t least;   /* elements when no operand has a length: 1 without DSDs, else 0 */
    uint8_t simple;  /* only DSDs in registers, scalars and pointers, synchronous, no index */
} tw__decoded_use;

/* Indices that are checked before an instruction: those of one instruction in sequence. `op` is its own code; the
 * decoded program has TW__WSE_I_INDICES there. */
enum { TW__WSE_I_INDICES = TW__CSL_OPS, TW__WSE_I_PRINT_BEGIN, TW__WSE_I_PRINT_END, TW__WSE_I_STOP };
typedef struct tw__index_check {
    uint32_t limit;
    uint16_t reg, op;
    uint32_t more; /* the next row is of the same instruction */
} tw__index_check;

typedef struct tw__decoded {
    const tw__csl_program *program;
    tw__dinsn *code;
    tw__decoded_use *uses;
    tw__index_check *checks; /* rows of program->indices; NULL = indices are not checked */
    uint32_t *check_of;      /* by instruction: the first of its checks */
    uint16_t *behind;        /* what stands behind TW__WSE_I_STOP; NULL = no debugger */
    uint8_t *marks;          /* by instruction: it stops */
    uint8_t local[TW__CSL_TASK_IDS], data[TW__CSL_TASK_IDS], control[TW__CSL_TASK_IDS]; /* row of tasks + 1 */
    uint32_t teardown[TW__CSL_COLORS], empty_queue[2][TW__CSL_QUEUES];                  /* function + 1 */
    uint64_t start_active, start_blocked;
    uint8_t start_ut_blocked;
} tw__decoded;

/* A debugger: an instruction that it wants to see has TW__WSE_I_STOP in the decoded program. */
typedef struct tw__debug {
    tw__wse_stop_hook *hook;
    void *user;
    uint32_t follow; /* PE; UINT32_MAX = none */
    uint64_t until;
    uint32_t *seen;  /* by PE: the instruction that was looked at last, + 1 */
    uint32_t *again; /* ... and that runs again, since it had to wait */
    volatile sig_atomic_t interrupted;
    bool left, told; /* the hook has ended the run; it knows of the fault */
} tw__debug;

typedef struct tw__wse_kernel {
    tw_vec_kernel vec;
    tw__special *special; /* NULL: vec */
    uint8_t order[4];     /* operand of the operation (0 dst, 1 .. 3 sources) that is argument k of vec */
    uint8_t args;
} tw__wse_kernel;

/* An operation on memory as it last ran, in whatever PE: what its registers came to. The same registers come to the
 * same again, so that a program that repeats itself looks them through once. */
enum { TW__WSE_KNOWN = 64 };
typedef struct tw__known_use {
    const tw__decoded_use *use; /* NULL: nothing is known */
    uint64_t key[2 * 4];        /* by operand: the descriptor's two registers; a pointer's address */
    uint32_t n, cycles;
    tw_vec_fn fn; /* NULL: the special kernel */
    struct tw__known_run {
        int32_t stride;    /* bytes */
        uint16_t at;       /* byte of the PE's memory, or register */
        uint8_t in_memory; /* 0: register */
    } run[4];              /* as the kernel wants them */
    uint8_t folds;
    uint32_t misses; /* in a row */
} tw__known_use;

/* --- partitions and the wafer --- */
/* Up to 64 neighbouring PEs of one row: which of them want to be looked at, and when. */
typedef struct tw__cell {
    uint64_t near[4]; /* by cycle mod 4: bit k = the k-th PE, from the west, has something to do in that cycle */
    uint64_t far;     /* PEs whose compute engine is due later than that */
    uint64_t far_at;  /* not later than the earliest of these */
    uint64_t next;    /* nothing to do before that cycle; not raised while windows run */
    uint32_t first, row;
} tw__cell;
typedef struct tw__message { /* diagnostics and prints, sorted before they are shown */
    uint64_t cycle;
    uint32_t pe, kind;       /* tw_severity, or 100 = printed line */
    char *text;              /* owned until shown */
    const char *file, *code; /* of the image; static */
    size_t order;
    int line, column;
} tw__message;

typedef struct tw__part {
    struct tw__wse *w;
    uint32_t first, end, number;
    tw__message *message;
    size_t message_count, message_room;
    tw__wse_event *event;
    size_t event_count, event_room;
    tw__wse_totals totals;
    uint64_t now;
    struct tw__chunk *chunk; /* of tw__wse_piece */
    char *chunk_at;
    size_t chunk_left;
    struct tw__motion *motion; /* NULL = off */
    tw__wse_heat **heat;       /* by program: by instruction, then by function; rows made when needed; NULL = off */
    uint64_t last; /* from that cycle on nothing has happened yet: no task, no beat, no wavelet on its way */
    bool no_memory, fault;
    tw__known_use known[TW__WSE_KNOWN]; /* by use, those that share a place take turns */
    char pad[128];                      /* apart from the next one's cache lines */
} tw__part;

/* Where tw__wse_run() stands when a checkpoint is taken. */
typedef struct tw__resume {
    uint64_t start; /* cycle at which the run began */
    uint32_t turn;  /* windows since then, modulo a number of them */
    bool pending;   /* the next run is that one, and goes on there */
} tw__resume;

struct tw__wse {
    const tw__csl_image *image;
    tw__wse_options options;
    tw_diags *diags;
    unsigned arch; /* 0, 1 */
    uint32_t width, height, count;
    unsigned rank, ranks;        /* of the processes that share the wafer: 0 of 1 when there is one */
    uint32_t first, end;         /* PEs that live in this one: whole rows */
    struct tw__borders *borders; /* fabric/ranks.c; NULL = one process */
    tw_status lost;              /* other ranks cannot be reached any more */
    bool late;                   /* the time of some rank is up */
    bool interrupted;            /* some rank was, of several */
    tw__router *router;
    tw__pe *pe;
    uint64_t *due;                     /* by PE: when the compute engine wants to be looked at */
    tw__cell *cell;                    /* [row][cells] */
    uint32_t cells;                    /* of a row */
    int32_t pe_step[4], place_step[4]; /* to the neighbour by port */
    bool watched;                      /* events or counters are kept */
    bool plain;                        /* none of that, no messages, no reference: the short ways are open */
    bool spans;                        /* events of tasks and operations are kept, all or the first ones */
    uint64_t *row_next; /* no PE of the row has anything to do before that cycle; NEVER = nothing at all */
    atomic_uint_least64_t *awake; /* bit per row: row_next may be another than NEVER */
    uint8_t *memory;              /* count * 48 K, reserved, committed on touch */
    size_t memory_bytes;
    tw__decoded *decoded;
    tw__part *part;
    unsigned part_count, threads;
    uint64_t now; /* every cycle before this one is done */
    tw__wse_goal goal;
    bool fault, no_memory;
    tw__resume resume;
    uint64_t save_at; /* before that cycle `save` is called; NEVER */
    tw__wse_save *save;
    void *save_user;
    double deadline;    /* by tw__seconds(); 0 = none */
    bool has_mail;      /* PEs pass messages beside the links: one thread, one window at a time */
    uint64_t *boxes;    /* bit by PE: its program has messages; of all ranks. NULL = one process, or no messages */
    tw__letter *letter; /* for mailboxes of other ranks, since the last window */
    size_t letters, letter_room;
    tw__wse_print *print;
    void *print_user;
    GHashTable *said; /* sites that have been reported */
    tw__wse_event *event;
    size_t event_room;
    tw__wse_counters *counters; /* per PE; NULL = off */
    tw__debug *debug;           /* NULL = none */
    tw__wse_kernel kernel[TW__CSL_DSD_OPS];
};

static inline bool tw__wse_lives_here(const tw__wse *w, uint32_t pe)
{
    return pe >= w->first && pe < w->end;
}

/* --- room.c: memory of the host for the state of PEs ---------------------------------------------------------- */
/* One element for each PE, zeroed, on cache lines. Of a wafer that ranks share a page is taken when it is touched. */
void *tw__wse_each(const tw__wse *w, size_t size);
void tw__wse_each_free(const tw__wse *w, void *each, size_t size);
void *tw__wse_lines(size_t bytes); /* zeroed, on cache lines, in large pages where it is large; for free() */
/* Zeroed, on cache lines, until the wafer ends; NULL = out of memory, part->no_memory is set. */
void *tw__wse_piece(tw__part *part, size_t bytes);
void tw__wse_pieces_free(tw__part *part);

/* --- wake.c: who is looked at when ---------------------------------------------------------------------------- */
void tw__wse_cell_wakes(tw__wse *w, tw__cell *cell, uint64_t at); /* earlier than the cell knew */

static inline void tw__wse_wake_place(tw__wse *w, uint32_t place, uint64_t at)
{
    tw__cell *c = &w->cell[place / 64];
    c->near[at & 3] |= 1ull << (place & 63);
    if (at < c->next) tw__wse_cell_wakes(w, c, at);
}

/* A PE of the calling partition's rows, from part->now to three cycles later. */
static inline void tw__wse_wake(tw__part *part, uint32_t pe, uint64_t at)
{
    tw__wse_wake_place(part->w, part->w->router[pe].place, at);
}

/* The compute engine has something to do at `at`. */
static inline void tw__wse_wake_engine(tw__part *part, uint32_t pe, uint64_t at)
{
    uint64_t *due = &part->w->due[pe];
    if (at < part->now) at = part->now;
    if (at >= *due) return;
    *due = at;
    if (at < part->now + 4) {
        tw__wse_wake(part, pe, at);
        return;
    }
    const tw__router *router = &part->w->router[pe];
    tw__cell *c = &part->w->cell[router->place / 64];
    c->far |= 1ull << (router->place & 63);
    if (at < c->far_at) c->far_at = at;
    if (at < c->next) tw__wse_cell_wakes(part->w, c, at);
}

/* --- fault.c -------------------------------------------------------------------------------------------------- */
/* An error of the program on this PE: message with source line and stack trace; the run stops after this window. */
void tw__wse_fault(tw__part *part, tw__pe *pe, const char *code, const char *format, ...) TW_PRINTF(4, 5);
/* Misuse: as options.check says. Reported once per site (the current instruction and `what`); true = go on. */
bool tw__wse_misuse(tw__part *part, tw__pe *pe, const char *code, const char *format, ...) TW_PRINTF(4, 5);
/* An index that is about to be used is outside its array: says so; false after a fault. */
bool tw__wse_index_outside(tw__part *part, tw__pe *pe, const uint64_t *r);
/* The configuration of a color at a PE; NULL = none, or it is not known where it stands. */
const tw__csl_route *tw__wse_route_of(const tw__wse *w, uint32_t pe, int color);
/* Something about a color at a router, -1 = about none: its configuration there is to blame, if there is one, else
 * the operation of the PE that uses it, else the configuration of the neighbour behind `port`. */
void tw__wse_complain(tw__part *part, uint32_t pe, int color, unsigned port, const char *code, const char *format,
                      ...) TW_PRINTF(6, 7);
void tw__wse_flush_messages(tw__wse *w); /* into diags, sorted; prints lines */
/* One of another rank: takes the text over. `file` and `code` are kept as they are. */
void tw__wse_add_message(tw__part *part, const tw__message *m);
void tw__wse_print_char(tw__part *part, tw__pe *pe, uint64_t cycle, char c);
void tw__wse_note(tw__part *part, uint32_t pe, uint64_t cycle, uint32_t kind, uint32_t a, uint32_t b);
void tw__wse_keep_event(tw__part *part, const tw__wse_event *event);
/* A task or an operation begins or ends: an event for a trace, and for a profile while there is room for it. */
void tw__wse_note_span(tw__part *part, const tw__pe *pe, uint64_t cycle, uint32_t kind, uint32_t a, uint32_t b);
static inline uint32_t tw__wse_pe_number(const tw__part *part, const tw__pe *pe)
{
    return (uint32_t)(pe - part->w->pe);
}
static inline unsigned tw__wse_figure(const tw__part *part, unsigned row)
{
    return tw__wse_model[row].value[part->w->arch];
}

/* --- motion.c: what happened when, folded; heat: what which instruction cost ---------------------------------- */
bool tw__wse_motion_new(tw__part *part, const tw__wse *w);
void tw__wse_motion_free(tw__part *part);
/* What this rank knows, with operations under way; NULL = out of memory. For tw__wse_motion_delete(). */
struct tw__motion *tw__wse_motion_mine(const tw__wse *w);
void tw__wse_motion_delete(struct tw__motion *m);
/* As bytes for another rank, which adds them to what it knows. For free(), NULL = out of memory. */
char *tw__wse_motion_pack(const struct tw__motion *m, size_t *size);
bool tw__wse_motion_join(struct tw__motion *all, const char *bytes, size_t size);
void tw__wse_motion_walk(tw__ck *k, tw__wse *w); /* of a checkpoint */
bool tw__wse_motion_tell(const struct tw__motion *m, tw__wse_story *story);
/* `amount` of a kind (tw__wse_did) in each cycle from `from` until `to`. Only with part->motion. */
void tw__wse_did_so(tw__part *part, uint32_t pe, uint64_t from, uint64_t to, unsigned kind, unsigned color);
unsigned tw__wse_op_color(const tw__pe *pe, const tw__op *op, unsigned *kind); /* and how it waits */
/* Only with part->heat. `at`: the instruction, or the number of them + that of a function. */
void tw__wse_heat_add(tw__part *part, const tw__pe *pe, uint32_t at, tw__wse_heat more);

/* --- channel.c: a color at a router: made, its route, what of it is in force ------------------------------------ */
tw__channel *tw__wse_channel_begin(tw__router *router, unsigned color); /* a fresh one; there is room for it */
tw__channel *tw__wse_make_channel(tw__part *part, uint32_t pe, unsigned color);            /* NULL = no memory */
static inline tw__channel *tw__wse_channel_of(tw__part *part, uint32_t pe, unsigned color) /* made when missing */
{
    tw__router *router = &part->w->router[pe];
    unsigned number = router->channel_of[color];
    return number ? &router->channel[number - 1] : tw__wse_make_channel(part, pe, color);
}
static inline tw__lane *tw__wse_lane(tw__channel *c, unsigned port) /* NULL = nothing came through that port yet */
{
    return c->home == port ? &c->lane : c->more ? &c->more[port] : NULL;
}
static inline unsigned tw__wse_lane_count(const tw__channel *c, unsigned port)
{
    return c->home == port ? c->lane.count : c->more ? c->more[port].count : 0;
}
void tw__wse_channel_route(tw__channel *c, const tw__csl_route *route);
void tw__wse_channel_effect(tw__channel *c); /* rx and tx in force from the switch position */

#endif
