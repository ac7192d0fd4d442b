/* SPDX-License-Identifier: MIT */
/* The simulator of one tile: memory, six workers and the supervisor, instruction by instruction.
 *
 *     tw_sim *sim = tw_sim_new(NULL);
 *     tw_sim_load(sim, image);                                        // what tw_link() made
 *     tw_sim_launch launch = { .entry = tw_object_entry(image), .vertex_base = state, .worker_base = scratch };
 *     tw_sim_start(sim, 0, &launch);
 *     if (tw_sim_run(sim, 0) == TW_SIM_FAULT) puts(tw_sim_get_exception(sim)->message);
 *     printf("%d, %llu turns\n", tw_sim_exit_status(sim, 0), (unsigned long long)tw_sim_turns(sim, 0));
 *
 * A tile is a small object beside its memory; a chip is an array of them. Threads: two tiles may run in two, one tile
 * belongs to one at a time. What the vendor's public documents leave open is decided in docs/colossus.md.
 *
 * Exact: values, exceptions, order, one turn (six cycles of the tile) per instruction or bundle of a worker.
 * Modelled: turns of long instructions, all times of the supervisor, of starting workers and of sync. */
#ifndef TILEWRIGHT_POPLAR_COLOSSUS_SIM_H
#define TILEWRIGHT_POPLAR_COLOSSUS_SIM_H

#include <stdio.h>
#include <tilewright/poplar/colossus/object.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_sim tw_sim;

/* Contexts of a tile. */
enum { TW_SIM_WORKERS = 6, TW_SIM_SUPERVISOR = 6, TW_SIM_CONTEXTS = 7 };

/* When code that runs for long becomes code of the host (docs/colossus.md); results, exceptions and cycles are the
 * same in any case. */
typedef enum tw_sim_translate {
    TW_SIM_TRANSLATE_HOT = 0,    /* when it has run for a while, in a thread of its own, if there is a compiler */
    TW_SIM_TRANSLATE_OFF = 1,    /* never */
    TW_SIM_TRANSLATE_AT_ONCE = 2 /* before it runs: for tests, and for runs that are known to be long */
} tw_sim_translate;

/* All else zero is the default. */
typedef struct tw_sim_options {
    size_t size;      /* sizeof(tw_sim_options) */
    tw_isa_arch arch; /* 0: ipu2 */
    uint8_t *memory;  /* tw_sim_memory_bytes() bytes that stay the caller's; NULL: the tile's own, zeros at first */
    unsigned tile;    /* number in $TILE_ID */
    bool denormals;   /* single precision keeps subnormal numbers; default: operands and results become zero */
    bool ignore_clashes;   /* two accesses of one instruction may hit one bank (guide 7.2.4) */
    uint64_t seed;         /* random state of the workers at first */
    bool keep_going;       /* an exception stops its context only: the run fails when the others have ended */
    uint32_t trace_tile;   /* in graphs: tile + 1 that is traced; 0 = all */
    char trace_file[1024]; /* for those who set up traces (tw_sim_set_trace()); "" = none */
    tw_sim_translate translate;
} tw_sim_options;

/* Sets what the options below say, the rest stays. `pairs`: "key=value" texts ended by NULL, or NULL; the JSON object
 * in the environment variable POPLAR_SIMULATOR_OPTIONS wins over them. Keys: traceFile, traceTile, denormals, seed,
 * breakOnException (the opposite of keep_going), ignoreClashes, translate (hot, off, atOnce).
 * TW_E_INVALID_OPTION names the known ones. */
TW_API tw_status tw_sim_options_read(tw_sim_options *options, const char *const *pairs);

/* NULL: no memory, or `arch` is no chip (tw_error_message()). */
TW_API tw_sim *tw_sim_new(const tw_sim_options *options);
TW_API void tw_sim_free(tw_sim *sim);
/* All contexts idle, registers, accumulators and weights zero, the clock at 0, no exception. Memory stays, and so
 * does what has been decoded of it: cheap. */
TW_API void tw_sim_reset(tw_sim *sim);

/* --- memory ----------------------------------------------------------------------------------------------------- */

TW_API uint32_t tw_sim_memory_base(tw_isa_arch arch);  /* first populated address: 0x4c000 on ipu2 */
TW_API uint32_t tw_sim_memory_bytes(tw_isa_arch arch); /* populated bytes */
/* The byte at tw_sim_memory_base(). Data may be read and written here at any time; after changing code call
 * tw_sim_code_changed(). */
TW_API uint8_t *tw_sim_memory(tw_sim *sim);
/* Bytes in [address, address + bytes) are instructions that have changed. */
TW_API void tw_sim_code_changed(tw_sim *sim, uint32_t address, uint32_t bytes);
/* Copies sections of a linked image to their addresses; .bss becomes zero. The image has to live as long as the
 * simulator shows source lines and symbols of it, and is not changed. Several images may be loaded; names come from
 * the last one that knows. TW_E_INVALID_ARGUMENT: another chip, not linked; TW_E_INDEX: outside the memory. */
TW_API tw_status tw_sim_load(tw_sim *sim, const tw_object *image);
/* Copies in and out with a check. TW_E_INDEX: not all of it is populated. */
TW_API tw_status tw_sim_write(tw_sim *sim, uint32_t address, const void *from, uint32_t bytes);
TW_API tw_status tw_sim_read(tw_sim *sim, uint32_t address, void *to, uint32_t bytes);

/* --- registers -------------------------------------------------------------------------------------------------- */

/* $m0 to $m15; context: 0 to 5, TW_SIM_SUPERVISOR. $m12 and $m13 of a worker are its bases; what hardware does not
 * let a program write is not changed. */
TW_API uint32_t tw_sim_get_m(const tw_sim *sim, unsigned context, unsigned number);
TW_API void tw_sim_set_m(tw_sim *sim, unsigned context, unsigned number, uint32_t value);
/* $a0 to $a15 of a worker. */
TW_API uint32_t tw_sim_get_a(const tw_sim *sim, unsigned worker, unsigned number);
TW_API void tw_sim_set_a(tw_sim *sim, unsigned worker, unsigned number, uint32_t value);
/* Accumulator 0 to 31 of a worker ($AACC), as bits. */
TW_API uint32_t tw_sim_get_accumulator(const tw_sim *sim, unsigned worker, unsigned number);
TW_API void tw_sim_set_accumulator(tw_sim *sim, unsigned worker, unsigned number, uint32_t bits);
/* Control and status register by index (csr.def); actions happen as by `put`. TW_E_INDEX: this context of this chip
 * has none; TW_E_INVALID_ARGUMENT: it is read-only. */
TW_API tw_status tw_sim_get_csr(tw_sim *sim, unsigned context, unsigned index, uint32_t *value);
TW_API tw_status tw_sim_set_csr(tw_sim *sim, unsigned context, unsigned index, uint32_t value);
/* Common weight 0 to 31 (ipu1) or 63. */
TW_API uint64_t tw_sim_get_weight(const tw_sim *sim, unsigned index);
TW_API void tw_sim_set_weight(tw_sim *sim, unsigned index, uint64_t bits);
TW_API uint32_t tw_sim_get_pc(const tw_sim *sim, unsigned context);
/* The next instruction of an active context, instead of the one that would be; a repeat loop that it is in ends.
 * In a context that an exception stopped, that is over, and the next run goes on there. A wrong address is not
 * noticed before it runs, as an exception. TW_E_INVALID_ARGUMENT: the context is idle. */
TW_API tw_status tw_sim_set_pc(tw_sim *sim, unsigned context, uint32_t address);

/* --- running ---------------------------------------------------------------------------------------------------- */

typedef struct tw_sim_launch {
    uint32_t entry;       /* address of the first instruction */
    uint32_t vertex_base; /* $mvertex_base; the supervisor gets it in $m0 */
    uint32_t worker_base; /* $mworker_base: the stack lies below, the scratch space above; 0: as it is */
} tw_sim_launch;

/* Makes a context active at the present cycle, as `run` does: FP_CTL from FP_ICTL, FP_STS 0, all else keeps what it
 * had. The supervisor is started with $lr = TW_SIM_RETURN, where it ends. An active context is TW_E_INVALID_ARGUMENT;
 * a wrong entry or base is not noticed before it runs, as an exception. */
TW_API tw_status tw_sim_start(tw_sim *sim, unsigned context, const tw_sim_launch *launch);
/* All six workers, as `runall` does, each with the same bases; `stride` bytes are added to the vertex base and
 * `scratch` bytes to the worker base from one worker to the next. */
TW_API tw_status tw_sim_start_all(tw_sim *sim, const tw_sim_launch *launch, uint32_t stride, uint32_t scratch);
/* A context that comes to this address is done; its status is $m0 != 0. For functions that end with `br $lr`. */
#define TW_SIM_RETURN 0x1ffffcu

typedef enum tw_sim_stop {
    TW_SIM_DONE = 0,  /* no context is active */
    TW_SIM_FAULT = 1, /* an exception; its context stays where it is, others may go on */
    TW_SIM_LIMIT = 2, /* `turns` are used up */
    TW_SIM_BREAK = 3, /* the hook asked for it */
    TW_SIM_WAIT = 4   /* the supervisor waits for other tiles: sync, send and the like (tw_sim_pending) */
} tw_sim_stop;

/* Runs until nothing is active or something happens. turns: the run stops before a context takes more than so many
 * from now on, 0 = no limit (a program that never ends then never returns). Contexts take turns by the tile's clock,
 * in one cycle the lowest number first; hooks, traces and limits change nothing of it. */
TW_API tw_sim_stop tw_sim_run(tw_sim *sim, uint64_t turns);
/* One instruction or bundle of one context. TW_SIM_DONE: it has just ended or is not active. */
TW_API tw_sim_stop tw_sim_step(tw_sim *sim, unsigned context);

typedef enum tw_sim_state { TW_SIM_IDLE = 0, TW_SIM_ACTIVE = 1, TW_SIM_EXCEPTED = 2 } tw_sim_state;
TW_API tw_sim_state tw_sim_get_state(const tw_sim *sim, unsigned context);
TW_API bool tw_sim_exit_status(const tw_sim *sim, unsigned worker); /* of the last exit */
/* Turns since the context was started; a turn of a worker is six cycles of the tile. Of the supervisor: cycles. */
TW_API uint64_t tw_sim_turns(const tw_sim *sim, unsigned context);
/* The tile's clock: the largest end of what has run. */
TW_API uint64_t tw_sim_cycles(const tw_sim *sim);
/* Is tw_sim_turns() of this context an estimate? Of workers it is exact, one turn for each instruction or bundle,
 * unless an instruction of several turns (`f32exp`, `f32div`: the table's column of cycles) ran since the start; of
 * the supervisor it is modelled. TW_SIM_CONTEXTS: the same of tw_sim_cycles(). */
TW_API bool tw_sim_modelled(const tw_sim *sim, unsigned context);
/* Moves the clock on, for instance to the end of an exchange. */
TW_API void tw_sim_advance(tw_sim *sim, uint64_t cycles);
/* After TW_SIM_WAIT: the instruction that the supervisor waits at; tw_sim_run() goes on behind it. */
TW_API bool tw_sim_pending(const tw_sim *sim, tw_insn *insn);

/* --- checkpoints ------------------------------------------------------------------------------------------------ */

/* Writes the tile as it stands between two runs, in one step. TW_E_NOT_SUPPORTED: it has an exception, or waits
 * for other tiles; TW_E_IO, TW_E_NO_MEMORY. */
TW_API tw_status tw_sim_save(const tw_sim *sim, const char *path);
/* Makes a tile with the same images and options what it was then: memory, contexts, clock. Turns that are left of a
 * limit are the caller's affair. TW_E_FILE_LOAD says what is wrong with the file: another program or build of
 * Tilewright, cut off, damaged; the tile is then reset, and its memory is undefined. */
TW_API tw_status tw_sim_resume(tw_sim *sim, const char *path);

/* --- exceptions ------------------------------------------------------------------------------------------------- */

/* X(NAME, number, type as in WSR.ETYPE, what happened). Types: Colossus ISA, chapter 3; which cause has which type is
 * stated only in part, the rest is modelled. */
#define TW_SIM_CAUSE_LIST(X)                                                               \
    X(NONE, 0, 0, "no exception")                                                          \
    X(TRAP0, 1, 2, "trap on channel 0")                                                    \
    X(TRAP1, 2, 3, "trap on channel 1")                                                    \
    X(FLOATING_POINT, 3, 5, "floating-point exception")                                    \
    X(CONFLICT, 4, 6, "memory clash: two accesses of one instruction to one bank")         \
    X(INVALID_ADDRESS, 5, 8, "there is no memory at this address")                         \
    X(INVALID_REGION, 6, 8, "a 128-bit access outside interleaved memory")                 \
    X(MISALIGNED, 7, 8, "the address is not a multiple of the size of the access")         \
    X(SAME_DESTINATION, 8, 9, "both loads have the same destination")                      \
    X(INVALID_CSR, 9, 9, "there is no such control register here")                         \
    X(INVALID_WORKER_PC, 10, 9, "a worker cannot start at this address")                   \
    X(INVALID_WORKER_VERTEX_BASE, 11, 9, "a vertex state cannot lie at this address")      \
    X(WORKER_ACTIVE, 12, 9, "a worker that should start is active")                        \
    X(INVALID_WEIGHT, 13, 9, "the chip has no such common weight")                         \
    X(PC_MISALIGNED, 14, 10, "the address of an instruction is not a multiple of 4")       \
    X(PC_NOT_VALID, 15, 10, "there is no memory where the next instruction should be")     \
    X(PC_NOT_EXECUTABLE, 16, 10, "instructions cannot be fetched from interleaved memory") \
    X(ILLEGAL_INSTRUCTION, 17, 12, "no instruction of this chip")                          \
    X(ILLEGAL_BUNDLE, 18, 12, "two words that make no bundle")                             \
    X(ILLEGAL_CONTEXT, 19, 12, "an instruction of the other kind of context")              \
    X(INSTRUCTION_IN_REPEAT, 20, 12,                                                       \
      "not allowed in a repeat body: only bundles without control or system instructions") \
    X(REPEAT_MISALIGNED, 21, 10, "the body of a repeat loop does not lie on 8 bytes")

typedef enum tw_sim_cause {
#define TW_SIM_CAUSE_ENUM(name, number, type, text) TW_SIM_CAUSE_##name = number,
    TW_SIM_CAUSE_LIST(TW_SIM_CAUSE_ENUM)
#undef TW_SIM_CAUSE_ENUM
        TW_SIM_CAUSE_COUNT = 22
} tw_sim_cause;
TW_API const char *tw_sim_cause_name(tw_sim_cause cause); /* "CONFLICT" */

typedef struct tw_sim_exception {
    unsigned context;
    tw_sim_cause cause;
    unsigned type;         /* as in WSR.ETYPE */
    uint32_t pc;           /* of the instruction or bundle, which has not retired */
    uint32_t addresses[3]; /* of its memory accesses, as far as they are known */
    unsigned address_count;
    unsigned flags;      /* FLOATING_POINT: INV 1, DIV0 2, OFLO 4 */
    bool in_repeat;      /* WSR.ERPT */
    const char *file;    /* source, NULL when not known; lives as long as the image */
    uint32_t line;       /* 0 when not known */
    const char *message; /* several lines: what, where, the instruction, the registers it uses */
} tw_sim_exception;
/* The last exception; NULL when there was none. Valid until the next run or reset. */
TW_API const tw_sim_exception *tw_sim_get_exception(const tw_sim *sim);

/* After TW_SIM_FAULT: have contexts just called functions of the runtime library that need a host (printf, puts,
 * putchar, a failed assert: they begin with `trap 1`)? Then their text is written to `out` (NULL: nobody reads it),
 * and they stand behind that, those too that wait beside another exception. True: tw_sim_run() goes on, for no
 * exception is left, or the options let other workers end first. */
TW_API bool tw_sim_serve(tw_sim *sim, FILE *out);

/* --- hooks ------------------------------------------------------------------------------------------------------ */

/* What a context is about to do, or has just done. */
typedef struct tw_sim_event {
    unsigned context;
    bool done; /* false: before it runs; true: behind it, and it has retired */
    uint32_t pc;
    uint64_t cycle;   /* when it is issued */
    unsigned count;   /* 1, or 2 of a bundle; 0: no instruction */
    tw_insn insns[2]; /* main pipeline first */
} tw_sim_event;
/* Called before and behind each instruction or bundle; true before it: stop there with TW_SIM_BREAK. NULL: none,
 * which is much faster. */
typedef bool tw_sim_hook(void *user, tw_sim *sim, const tw_sim_event *event);
TW_API void tw_sim_set_hook(tw_sim *sim, tw_sim_hook *hook, void *user);
/* A line for each instruction or bundle: cycle, context, address, text, registers and memory that changed; a warning
 * where a worker reads $sp before it has set it. NULL: none. Runs turn by turn, as with a hook. The stream stays the
 * caller's. */
TW_API void tw_sim_set_trace(tw_sim *sim, FILE *out);
/* Has the program written $sp of this context since it was started? (It is not initialised, guide 7.3.) Known only
 * while a hook or a trace is set. */
TW_API bool tw_sim_stack_pointer_set(const tw_sim *sim, unsigned context);

/* Name of the function at an address and the distance from its start, source file and line; false when no loaded
 * image knows. Any of the pointers may be NULL; unknown parts are NULL or 0. */
TW_API bool tw_sim_symbol_at(const tw_sim *sim, uint32_t address, const char **name, uint32_t *offset);
TW_API bool tw_sim_line_at(const tw_sim *sim, uint32_t address, const char **file, uint32_t *line);
/* The same with its column, NULL when it is not known; as long as the image lives, and is not changed. */
TW_API const tw_object_line *tw_sim_place_at(const tw_sim *sim, uint32_t address);
/* The instruction or both halves of the bundle at an address as text, "{ a ; b }", targets of branches in bytes with
 * their symbol, "0x4c02c <f+4>"; "" when there is none. */
TW_API char *tw_sim_text_at(tw_sim *sim, uint32_t address, char buf[2 * TW_INSN_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
