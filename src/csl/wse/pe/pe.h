/* State of the wafer: routers, compute engines, partitions. Private to this box.
 *
 * Time goes in windows of HOP = CREDIT = 2 cycles. What crosses from one router to another (wavelets, credits) is
 * written into a slot of the receiver that belongs to the cycle of arrival, two cycles ahead, and has one writer
 * only: so a PE may run a window as soon as its four neighbours have run the one before, whatever the others do
 * (schedule.c), and neither the order of PEs nor the number of threads shows anywhere. */
#ifndef TW_CSL_WSE_PE_PE_H
#define TW_CSL_WSE_PE_PE_H

#include "csl/wse/fabric/model.h"
#include "csl/wse/wse.h"
#include "core/vec/vec.h"
#include <glib.h>
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
    uint8_t spare;
} tw__lane;
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

typedef struct tw__mail tw__mail; /* mail.c */

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
    uint32_t said; /* instruction + 1 whose index was last reported */
    uint8_t transform_mask, prng, carry;
    uint8_t flushed[2]; /* queues, input and output: their @queue_flush did its work */
    uint16_t rotation[2];
    uint64_t task_start, high_priority;
    struct tw__map_state *map; /* innermost @map under way */
    tw__dsr *dsr;              /* 3 * 32, made when first loaded */
    tw__fifo_state *fifo;
    uint64_t lfsr, tsc_base, random;
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
    uint8_t args;    /* operands that count: bit k */
    uint8_t width;   /* elements per beat */
    uint8_t bounds;  /* the destination is a DSD: its length 0 means no element */
    uint8_t least;   /* elements when no operand has a length: 1 without DSDs, else 0 */
    uint8_t simple;  /* only DSDs in registers, scalars and pointers, synchronous, no index */
} tw__decoded_use;

/* Indices that are checked before an instruction: those of one instruction in sequence. `op` is its own code; the
 * decoded program has TW__WSE_I_INDICES there. */
enum { TW__WSE_I_INDICES = TW__CSL_OPS };
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
    uint8_t local[TW__CSL_TASK_IDS], data[TW__CSL_TASK_IDS], control[TW__CSL_TASK_IDS]; /* row of tasks + 1 */
    uint32_t teardown[TW__CSL_COLORS], empty_queue[2][TW__CSL_QUEUES];                  /* function + 1 */
    uint64_t start_active, start_blocked;
    uint8_t start_ut_blocked;
} tw__decoded;

typedef struct tw__wse_kernel {
    tw_vec_kernel vec;
    tw__special *special; /* NULL: vec */
    uint8_t order[4];     /* operand of the operation (0 dst, 1 .. 3 sources) that is argument k of vec */
    uint8_t args;
} tw__wse_kernel;

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
    uint64_t last; /* from that cycle on nothing has happened yet: no task, no beat, no wavelet on its way */
    bool no_memory, fault;
    char pad[128]; /* apart from the next one's cache lines */
} tw__part;

struct tw__wse {
    const tw__csl_image *image;
    tw__wse_options options;
    tw_diags *diags;
    unsigned arch; /* 0, 1 */
    uint32_t width, height, count;
    tw__router *router;
    tw__pe *pe;
    uint64_t *due;                     /* by PE: when the compute engine wants to be looked at */
    tw__cell *cell;                    /* [row][cells] */
    uint32_t cells;                    /* of a row */
    int32_t pe_step[4], place_step[4]; /* to the neighbour by port */
    bool watched;                      /* events or counters are kept */
    bool spans;                        /* events of tasks and operations are kept, all or the first ones */
    uint64_t *row_next; /* no PE of the row has anything to do before that cycle; NEVER = nothing at all */
    atomic_uint_least64_t *awake; /* bit per row: row_next may be another than NEVER */
    uint8_t *memory;              /* count * 48 K, reserved, committed on touch */
    size_t memory_bytes;
    tw__decoded *decoded;
    tw__part *part;
    unsigned part_count, threads;
    uint64_t now; /* every cycle before this one is done */
    bool fault, no_memory;
    double deadline; /* by tw__seconds(); 0 = none */
    bool has_mail;   /* PEs pass messages beside the links: one thread, one window at a time */
    tw__wse_print *print;
    void *print_user;
    GHashTable *said; /* sites that have been reported */
    tw__wse_event *event;
    size_t event_room;
    tw__wse_counters *counters; /* per PE; NULL = off */
    tw__wse_kernel kernel[TW__CSL_DSD_OPS];
};

/* --- room.c: memory of the host for the state of PEs ---------------------------------------------------------- */
void *tw__wse_lines(size_t bytes); /* zeroed, on cache lines, in large pages where it is large; for free() */
/* Zeroed, on cache lines, until the wafer ends; NULL = out of memory, part->no_memory is set. */
void *tw__wse_piece(tw__part *part, size_t bytes);
void tw__wse_pieces_free(tw__part *part);

/* --- schedule.c: who is looked at when ------------------------------------------------------------------------ */
bool tw__wse_schedule_new(tw__wse *w);
void tw__wse_schedule_free(tw__wse *w);
uint64_t tw__wse_next_time(tw__wse *w, size_t *busy); /* *busy: PEs to look at in the window from w->now on */
void tw__wse_window(tw__wse *w);                      /* the window from w->now on, one thread */
void tw__wse_windows(tw__wse *w, unsigned count); /* several, by all threads, in an order that suits the caches */
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
/* The configuration of a color at a PE; NULL = none, or it is not known where it stands. */
const tw__csl_route *tw__wse_route_of(const tw__wse *w, uint32_t pe, int color);
/* Something about a color at a router, -1 = about none: its configuration there is to blame, if there is one, else
 * the operation of the PE that uses it, else the configuration of the neighbour behind `port`. */
void tw__wse_complain(tw__part *part, uint32_t pe, int color, unsigned port, const char *code, const char *format,
                      ...) TW_PRINTF(6, 7);
void tw__wse_flush_messages(tw__wse *w); /* into diags, sorted; prints lines */
void tw__wse_print_char(tw__part *part, tw__pe *pe, char c);
void tw__wse_note(tw__part *part, uint32_t pe, uint64_t cycle, uint32_t kind, uint32_t a, uint32_t b);
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

/* --- ops.c, load.c -------------------------------------------------------------------------------------------- */
tw_status tw__wse_kernels(tw__wse *w);
tw_status tw__wse_decode(tw__wse *w);
void tw__wse_decode_free(tw__wse *w);
bool tw__wse_pe_start(tw__part *part, tw__pe *pe);     /* memory, ids, queues, routes, DSRs as at the start */
unsigned tw__wse_op_width(unsigned op, unsigned arch); /* elements per cycle */

/* --- interp.c, slow.c ----------------------------------------------------------------------------------------- */
typedef enum tw__run {
    TW__RUN_END,   /* the task is over */
    TW__RUN_SLICE, /* budget used up */
    TW__RUN_SYNC,  /* the next instruction wants the clock of the fabric to be its own */
    TW__RUN_WAIT,  /* main_state says what for */
    TW__RUN_FAULT
} tw__run;
tw__run tw__wse_pe_run(tw__part *part, tw__pe *pe, uint64_t budget, uint64_t *used);
bool tw__wse_pe_enter(tw__part *part, tw__pe *pe, uint32_t function, const uint64_t *args, unsigned count);
bool tw__wse_need_registers(tw__part *part, tw__pe *pe, uint32_t end);
bool tw__wse_need_frame(tw__part *part, tw__pe *pe);
typedef enum tw__slow { TW__SLOW_NEXT, TW__SLOW_WAIT, TW__SLOW_FAULT, TW__SLOW_CALL } tw__slow;
/* Instructions that are not worth a place in the loop. `clock` = cycle of the instruction; *cost in cycles. */
tw__slow tw__wse_pe_slow(tw__part *part, tw__pe *pe, const tw__dinsn *i, uint64_t *r, uint64_t clock,
                         uint32_t *cost);
tw__slow tw__wse_pe_map(tw__part *part, tw__pe *pe, const tw__dinsn *i, uint64_t *r, uint32_t pc);
/* An index that is about to be used is outside its array: says so; false after a fault. */
bool tw__wse_index_outside(tw__part *part, tw__pe *pe, const uint64_t *r);
/* In state MAP: has no element to fetch, or no room for one to store. */
bool tw__wse_map_waits(const tw__pe *pe);

/* --- dsd.c: operations begin ---------------------------------------------------------------------------------- */
/* Synchronous and on memory only: done at once; false = a fault was reported. */
bool tw__wse_dsd_simple(tw__part *part, tw__pe *pe, const tw__decoded_use *use, const uint64_t *r, uint32_t *cost);
tw__slow tw__wse_dsd_issue(tw__part *part, tw__pe *pe, const tw__dinsn *i, uint64_t *r, uint64_t clock,
                           uint32_t *cost);
void tw__wse_dsr_load(tw__part *part, tw__pe *pe, const tw__csl_dsr_load *load, const tw__csl_dsd *dsd,
                      const uint64_t *r);
/* A memory or fabric operand as it is at its first element; false after a fault. */
bool tw__wse_opnd_dsd(tw__part *part, tw__pe *pe, tw__opnd *o, const tw__csl_dsd *dsd, unsigned size, bool is_dst,
                      bool has_index, uint16_t index);

/* --- step.c: operations go on --------------------------------------------------------------------------------- */
uint32_t tw__wse_op_ready(tw__part *part, tw__pe *pe,
                          tw__op *op); /* elements that could be done now, at most one slice */
uint32_t tw__wse_op_advance(tw__part *part, tw__pe *pe, tw__op *op,
                            uint32_t n);                              /* cycles it takes; finishes the operation */
uint32_t tw__wse_op_straight(tw__part *part, tw__pe *pe, tw__op *op); /* the same for a straight move: all it can */
void tw__wse_op_release(tw__pe *pe, const tw__op *op);                /* its queues */
void tw__wse_count_op(tw__part *part, tw__pe *pe, const tw__op *op, uint32_t n, uint32_t cycles);
uint32_t tw__wse_op_beats(const tw__part *part, const tw__op *op, uint32_t n); /* cycles for n elements on memory */
bool tw__wse_op_control_waits(tw__pe *pe, const tw__op *op); /* on_control and a control wavelet is next */
void tw__wse_op_finish(tw__part *part, tw__pe *pe, tw__op *op, bool by_control);
void tw__wse_act(tw__part *part, tw__pe *pe, unsigned kind, unsigned id);      /* tw__csl_action_kind */
bool tw__wse_opnd_get(tw__part *part, tw__pe *pe, tw__opnd *o, void *element); /* one element; false = none there */
bool tw__wse_opnd_put(tw__part *part, tw__pe *pe, tw__opnd *o, const void *element);

/* --- fifo.c, queue.c ------------------------------------------------------------------------------------------ */
/* The FIFO operand that holds the operation up (none: NULL), and what its declaration says of that. */
const tw__opnd *tw__wse_fifo_stop(const tw__pe *pe, const tw__op *op, unsigned *action);
/* Ends the operation as the action says; false: it goes on waiting. A fault counts as an end. */
bool tw__wse_fifo_ends(tw__part *part, tw__pe *pe, tw__op *op);
uint32_t tw__wse_fifo_ready(const tw__pe *pe, const tw__op *op, unsigned k); /* elements for operand k */
void tw__wse_fifo_peek(const tw__pe *pe, const tw__opnd *o, void *to, uint32_t n);
void tw__wse_fifo_pop(tw__part *part, tw__pe *pe, const tw__opnd *o, uint32_t n);
void tw__wse_fifo_push(tw__part *part, tw__pe *pe, const tw__opnd *o, const void *from, uint32_t n);
void tw__wse_fifo_wants(tw__pe *pe, const tw__op *op, unsigned k); /* hit full or empty */

/* Queue index for a color: the bound one, else its direct queue; -1 = out of memory. */
int tw__wse_queue_for(tw__part *part, tw__pe *pe, unsigned color, bool output);
bool tw__wse_queue_bind(tw__part *part, tw__pe *pe, unsigned queue, unsigned color, bool output);
tw__wave tw__wse_queue_pop(tw__part *part, tw__pe *pe, unsigned queue); /* an input queue; wakes the router */
void tw__wse_queue_push(tw__part *part, tw__pe *pe, unsigned queue, tw__wave wave); /* an output queue */
static inline unsigned tw__wse_queue_room(const tw__queue *q)
{
    return (unsigned)q->depth - q->count;
}
/* A queue has become empty, full, or neither: can the microthread that uses it do anything? */
static inline void tw__wse_thread_check(tw__pe *pe, unsigned slot)
{
    bool waits = pe->ut_in[slot] & ~pe->in_busy || pe->ut_out[slot] & pe->out_full;
    pe->ut_ready = (uint8_t)((pe->ut_ready & ~(1u << slot)) | (waits ? 0 : 1u << slot));
}
static inline void tw__wse_queue_changed(tw__pe *pe, const tw__queue *q)
{
    if (q->op && q->op <= TW__WSE_MAIN) tw__wse_thread_check(pe, q->op - 1u);
}
/* Something has happened to a queue that its operation, or with none a task or @map, may have waited for: the engine
 * looks at it in cycle `at`, or when the datapath is free. */
static inline void tw__wse_queue_wakes(tw__part *part, uint32_t number, const tw__queue *q, uint64_t at)
{
    uint64_t busy = part->w->pe[number].busy;
    tw__wse_wake_engine(part, number, q->op && busy > at ? busy : at);
}
/* Places in an input queue have become free: the router may have a wavelet for it. */
static inline void tw__wse_queue_freed(tw__part *part, uint32_t pe, unsigned color)
{
    tw__router *router = &part->w->router[pe];
    uint32_t waiting = router->channel_of[color] ? 1u << (router->channel_of[color] - 1) : 0;
    router->ready |= waiting;
    if (router->busy & waiting || router->has_ports) tw__wse_wake_place(part->w, router->place, part->now + 1);
}
/* Wavelets have come to an output queue. */
static inline void tw__wse_queue_filled(tw__part *part, tw__pe *pe, unsigned queue)
{
    tw__queue *q = pe->out_queue[queue];
    if (q->count == q->depth) {
        pe->out_full |= 1u << queue;
        tw__wse_queue_changed(pe, q);
    }
    tw__router *router = &part->w->router[tw__wse_pe_number(part, pe)];
    router->out_busy |= 1u << queue;
    tw__wse_wake_place(part->w, router->place, part->now + 1);
}
/* The queue by which the router hands over a wavelet of this color, -1 = no room. Makes the direct queue. */
static inline int tw__wse_engine_accepts(tw__part *part, tw__pe *pe, unsigned color)
{
    int queue = pe->in_of_color[color] ? pe->in_of_color[color] - 1 : tw__wse_queue_for(part, pe, color, false);
    return queue >= 0 && pe->in_queue[queue]->count < pe->in_queue[queue]->depth ? queue : -1;
}
void tw__wse_engine_takes(tw__part *part, uint32_t pe, unsigned queue, uint32_t payload, unsigned flags,
                          uint64_t at);
/* Wavelets that land in cycles `at` and the next, if an operation takes both as they come; not while events or
 * counters are kept. */
bool tw__wse_engine_takes_two(tw__part *part, uint32_t pe, unsigned color, const uint32_t payload[2], uint64_t at);

/* --- task.c: the compute engine's turn ------------------------------------------------------------------------ */
void tw__wse_engine_turn(tw__part *part, tw__pe *pe, uint64_t now);
void tw__wse_activate(tw__part *part, tw__pe *pe, unsigned id);
void tw__wse_block(tw__part *part, tw__pe *pe, unsigned kind, unsigned id, bool block);

/* --- exception.c: floating-point exceptions since the last clear; a raised one that the program unmasked is a fault
 * at instruction `at`, which comes soon behind what raised it */
void tw__wse_exceptions_clear(void);
bool tw__wse_exceptions_raised(tw__part *part, tw__pe *pe, uint32_t at);

/* --- config.c, service.c -------------------------------------------------------------------------------------- */
uint16_t tw__wse_config_get(tw__part *part, tw__pe *pe, uint16_t word);
void tw__wse_config_set(tw__part *part, tw__pe *pe, uint16_t word, uint16_t value);
/* The PE's clock at a cycle of the fabric: its 48 bits, a new value, on or off. */
uint64_t tw__wse_tsc(const tw__pe *pe, uint64_t clock);
void tw__wse_tsc_set(tw__pe *pe, uint64_t clock, uint64_t value);
void tw__wse_tsc_switch(tw__pe *pe, uint64_t clock, bool on);

/* False = unknown service or a fault. r = window; clock = cycle. */
bool tw__wse_service(tw__part *part, tw__pe *pe, unsigned number, uint64_t *r, uint64_t clock);

/* --- mail.c: messages of <message_passing> --------------------------------------------------------------------- */
enum { TW__WSE_MESSAGE = 32, TW__WSE_MAIL_LINE = 160 }; /* elements of a message (release notes of 1.3); a line */
/* The PE takes part, by these queues, where the program has bound them to colors. False = out of memory. */
bool tw__wse_mail_begin(tw__part *part, tw__pe *pe, unsigned in_queue, unsigned out_queue);
void tw__wse_mail_free(tw__pe *pe);
/* Services of the library; false after a fault. */
bool tw__wse_mail_init(tw__part *part, tw__pe *pe);
bool tw__wse_mail_ready(tw__part *part, tw__pe *pe);
bool tw__wse_mail_header(tw__part *part, tw__pe *pe, unsigned x, unsigned y, unsigned count, uint32_t *header);
/* An output queue has a wavelet: it can go with a message now; it goes. */
bool tw__wse_mail_sends(const tw__part *part, const tw__pe *pe, unsigned queue);
void tw__wse_mail_send(tw__part *part, tw__pe *pe, uint32_t payload);
void tw__wse_mail_turn(tw__part *part, tw__pe *pe); /* what has arrived goes on to the compute engine */
/* For the report: the k-th message that this PE has not taken; false = there are not so many. */
bool tw__wse_mail_waiting(const tw__wse *w, uint32_t pe, unsigned k, char out[TW__WSE_MAIL_LINE]);
bool tw__wse_mail_owns(const tw__pe *pe, unsigned queue); /* an output queue */

/* --- router.c, switch.c, host.c ------------------------------------------------------------------------------- */
/* `queues`: output queues of the compute engine that had wavelets when the cycle began. */
void tw__wse_router_turn(tw__part *part, uint32_t pe, uint64_t now, uint32_t queues);
static inline bool tw__wse_slot_filled(const tw__slot *slot)
{
    uint64_t words[2];
    memcpy(words, slot->word, sizeof words);
    return words[0] | words[1];
}
/* Do the same colors come from the same sides in both cycles of a window, and does nothing wait? */
static inline bool tw__wse_router_flows(const tw__router *router, uint64_t now)
{
    uint64_t first[2], second[2];
    memcpy(first, router->slot[now & 3].word, sizeof first);
    memcpy(second, router->slot[(now + 1) & 3].word, sizeof second);
    return !((first[0] ^ second[0]) | (first[1] ^ second[1]) | router->out_busy |
             (router->busy & (router->ready | router->retry)));
}
/* Such a window in one go, if it is one train that comes, and nothing is in its way; false = it is not, and nothing
 * is done. */
bool tw__wse_router_stream(tw__part *part, uint32_t pe, uint64_t now);
/* Would a turn of the router in this cycle change anything? */
static inline bool tw__wse_router_stirs(const tw__router *router, uint64_t now, uint32_t queues)
{
    return tw__wse_slot_filled(&router->slot[now & 3]) || router->busy & (router->ready | router->retry) ||
           queues & ~router->stuck || router->has_ports;
}
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
uint32_t tw__wse_switch_command(tw__part *part, uint32_t pe, tw__channel *c,
                                uint32_t payload); /* the outgoing list */
void tw__wse_switch_advance(tw__channel *c);
bool tw__wse_filter_passes(const tw__channel *c, uint32_t payload, bool control); /* as its counter stands */
void tw__wse_filter_count(tw__channel *c, bool control);                          /* one wavelet more has come */
tw__port *tw__wse_port_of(const tw__pe *pe, unsigned side, unsigned color, bool out); /* NULL = none */
bool tw__wse_port_put(tw__port *port, uint32_t payload, bool control);
bool tw__wse_port_get(tw__port *port, uint32_t *payload, bool *control);
tw__part *tw__wse_part_of(tw__wse *w, uint32_t pe);

#endif
