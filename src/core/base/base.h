/* SPDX-License-Identifier: MIT */
/* base: what the other boxes share and users do not see. Errors, arenas, log, options, text helpers.
 * Public side: include/tilewright/base.h. GLib is used underneath and may be used by every box's .c files
 * (GHashTable, GArray, GString, g_spawn...); it never appears in a public header. */
#ifndef TW_BASE_BASE_H
#define TW_BASE_BASE_H

#include <stdarg.h>
#include <tilewright/base.h>

/* --- error.c ---------------------------------------------------------------------------------------------- */

/* Sets this thread's detail text and returns `status`, so that a failing function ends in one line:
 *     return tw__fail(TW_E_INDEX, "slice end %zu is past the %zu elements of dimension %u", ...); */
tw_status tw__fail(tw_status status, const char *format, ...) TW_PRINTF(2, 3);
tw_status tw__vfail(tw_status status, const char *format, va_list args);
void tw__set_error(tw_status status, const char *text); /* copied */
/* What a public function that makes an object returns: `made`, or NULL when `status` is a failure, which
 * tw_error_status() then tells. */
void *tw__made(tw_status status, void *made);
/* The caller gave NULL for `what`. If the last failure of this thread is that of a call which makes an object, that
 * is why: its status and message stay. Else TW_E_INVALID_ARGUMENT. */
tw_status tw__missing(const char *what);

/* --- text.c ------------------------------------------------------------------------------------------------- */

/* Options of a caller who may have been compiled with an older or a newer header: `given` (NULL: all defaults) begins
 * with its size, and what it lacks is zero in `mine`, a struct of `size` bytes. TW_E_INVALID_ARGUMENT when the size
 * was not set, or when it sets members that are not known here. */
tw_status tw__take_options(void *mine, size_t size, const void *given, const char *type);
#define TW__TAKE_OPTIONS(mine, given, type) tw__take_options((mine), sizeof(type), (given), #type)
/* The way back, for calls that change the caller's. */
void tw__give_options(void *given, const void *mine);

/* --- arena.c: memory that grows with the user's data. Failure is NULL, never an abort. -------------------- */

typedef struct tw__arena tw__arena;
typedef struct tw__arena_mark {
    void *block;
    size_t used;
} tw__arena_mark;

tw__arena *tw__arena_new(size_t block_bytes); /* 0 = 64 KiB; NULL when out of memory */
void tw__arena_free(tw__arena *arena);
void *tw__arena_alloc(tw__arena *arena, size_t bytes, size_t align); /* uninitialised; align a power of two */
void *tw__arena_zalloc(tw__arena *arena, size_t bytes, size_t align);
char *tw__arena_strdup(tw__arena *arena, const char *text);
char *tw__arena_printf(tw__arena *arena, const char *format, ...) TW_PRINTF(2, 3);
tw__arena_mark tw__arena_save(tw__arena *arena);
void tw__arena_restore(tw__arena *arena,
                       tw__arena_mark mark);    /* drops all allocated since; keeps one block for what comes next */
size_t tw__arena_bytes(const tw__arena *arena); /* held from the system */
/* It gave NULL once, or is NULL: whoever makes something big of many pieces asks at the end. */
bool tw__arena_failed(const tw__arena *arena);
#define TW__NEW(arena, type)      ((type *)tw__arena_zalloc((arena), sizeof(type), _Alignof(type)))
#define TW__NEW_N(arena, type, n) ((type *)tw__arena_zalloc_n((arena), (n), sizeof(type), _Alignof(type)))
void *tw__arena_zalloc_n(tw__arena *arena, size_t count, size_t size, size_t align); /* checks count * size */
/* Test hook: the n-th allocation from now on in this thread (arena, tw__realloc, tw__calloc) fails; 0 turns it off.
 * Returns what is left of the countdown before: not 0 = fewer allocations were asked for, none failed. */
unsigned long tw__fail_allocation(unsigned long nth);

/* Growable arrays of values: `T *items; size_t count, room;` Grows so that one more item fits; false = no memory. */
bool tw__grow(void *items, size_t *room, size_t count, size_t size); /* items: address of the pointer */
void *tw__realloc(void *old, size_t bytes);                          /* NULL when out of memory (old stays) */
void *tw__calloc(size_t count, size_t size);                         /* zeroed; NULL when out of memory */

/* Checked size arithmetic: false on overflow. */
static inline bool tw__mul_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool tw__add_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}
/* The next multiple of `unit`, a power of two. */
static inline uint64_t tw__align_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) & ~(unit - 1);
}

/* FNV-1a, 64 bits: of bytes that follow those which `hash` is of; TW__FNV is that of none. Nobody gains by making two
 * texts of ours alike: it is not for data whose author would. */
#define TW__FNV 0xcbf29ce484222325u
static inline uint64_t tw__fnv1a(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

/* --- files.c ------------------------------------------------------------------------------------------------ */

/* What is read from here on counts as an input of all outputs, if tw_protect_inputs() asked for that. */
void tw__note_input(FILE *in);
/* tw_read_file() for names that a text gives: a regular file or a refusal, as reading a FIFO or a device may never
 * end. "-" is a file as well. */
tw_status tw__read_regular_file(const char *path, size_t most, char **data, size_t *size);

/* --- diag.c ------------------------------------------------------------------------------------------------- */

/* A note that stands for itself: shown also where the warning before it is not. */
void tw__diags_add_alone(tw_diags *diags, const tw_diag *diag);

/* --- parallel.c --------------------------------------------------------------------------------------------- */

/* Elements [begin, end). */
typedef void tw__parallel_body(void *arg, size_t begin, size_t end);
/* Calls `body` for all of [0, count) in pieces of `chunk`, in up to `threads` threads, this one among them; returns
 * when all of it is done. In this thread alone when another thread's loop is running, or from within a loop. */
void tw__parallel(unsigned threads, size_t count, size_t chunk, tw__parallel_body *body, void *arg);

/* --- cpu.c: instruction sets -------------------------------------------------------------------------------- */

/* AVX2: with FMA, F16C and BMI; AVX512: with F, BW, DQ and VL too. */
typedef enum tw__cpu_level { TW__CPU_BASELINE, TW__CPU_AVX2, TW__CPU_AVX512, TW__CPU_LEVELS } tw__cpu_level;
bool tw__cpu_has(tw__cpu_level level);
/* The best one that this machine has; TILEWRIGHT_CPU=baseline|avx2|avx512 lowers it, never raises it. */
tw__cpu_level tw__cpu_best(void);
/* Value of -march for code of that level: "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"; NULL: leave it out. */
const char *tw__cpu_march(void);

/* --- log.c: guide chapter 9.1 ------------------------------------------------------------------------------ */

typedef enum tw__log_level { TW__OFF, TW__ERR, TW__WARN, TW__INFO, TW__DEBUG, TW__TRACE } tw__log_level;

/* X(module, family): family PO = Poplar, PL = PopLibs; the variable is POPLAR_<module>_LOG_LEVEL or
 * POPLIBS_<module>_LOG_LEVEL, falling back on POPLAR_LOG_LEVEL / POPLIBS_LOG_LEVEL (default OFF). */
// clang-format off
#define TW__LOG_MODULES(X)                                                                                     \
    X(CODELETS, PO) X(ENGINE, PO) X(GRAPH, PO) X(PROFILER, PO) X(PROGRAM, PO) X(TARGET, PO) X(TENSOR, PO)      \
    X(POPFLOAT, PL) X(POPLIN, PL) X(POPNN, PL) X(POPOPS, PL) X(POPRAND, PL) X(POPSOLVER, PL) X(POPSPARSE, PL)  \
    X(POPUTIL, PL)
// clang-format on
typedef enum tw__log_module {
#define TW__LOG_ENUM(module, family) TW__LOG_##module,
    TW__LOG_MODULES(TW__LOG_ENUM)
#undef TW__LOG_ENUM
        TW__LOG_COUNT
} tw__log_module;

extern unsigned char tw__log_levels[TW__LOG_COUNT]; /* read the environment once; tests call tw__log_reload() */
void tw__log_reload(void);
bool tw__log_on(tw__log_module module, tw__log_level level);
void tw__log_write(tw__log_module module, tw__log_level level, const char *format, ...) TW_PRINTF(3, 4);
/* TW__LOG(ENGINE, WARN, "tile %u needs ...", ...): arguments are evaluated only when the level is on. */
#define TW__LOG(module, level, ...)                                                                        \
    (tw__log_on(TW__LOG_##module, TW__##level) ? tw__log_write(TW__LOG_##module, TW__##level, __VA_ARGS__) \
                                               : (void)0)

/* --- options.c: string key -> typed value, with a table of known keys per object --------------------------- */

typedef enum tw__option_type {
    TW__OPT_BOOL, /* "true" | "false" (also 1/0, any case) */
    TW__OPT_INT,  /* decimal or 0x hex */
    TW__OPT_DOUBLE,
    TW__OPT_STRING,
    TW__OPT_ENUM /* one of `values`, compared without case */
} tw__option_type;

typedef struct tw__option_desc {
    const char *key;
    tw__option_type type;
    const char *default_value;
    const char *values; /* ENUM: "a|b|c"; else NULL */
    bool implemented;   /* false = accepted and logged at INFO, without effect (docs/decisions.md, G8) */
    const char *help;   /* one line */
} tw__option_desc;

typedef struct tw__options tw__options;
tw__options *tw__options_new(const tw__option_desc *table, size_t count, tw__log_module module);
void tw__options_free(tw__options *options);
tw__options *tw__options_copy(const tw__options *options);
/* TW_E_INVALID_OPTION names the key, the nearest known key or the legal values. */
tw_status tw__options_set(tw__options *options, const char *key, const char *value);
tw_status tw__options_set_json(tw__options *options, const char *json, const char *origin); /* {"key": "value"} */
/* JSON object in an environment variable; unset or empty: TW_OK. Wins over what the program sets, before or after. */
tw_status tw__options_set_env(tw__options *options, const char *variable);
const char *tw__options_get(const tw__options *options, const char *key); /* canonical text, never NULL */
bool tw__options_bool(const tw__options *options, const char *key);
int64_t tw__options_int(const tw__options *options, const char *key);
double tw__options_double(const tw__options *options, const char *key);
bool tw__options_is_set(const tw__options *options, const char *key); /* set explicitly, not by default */

/* --- text.c ------------------------------------------------------------------------------------------------ */

/* Nearest of `names` by edit distance, NULL when nothing is close: for "did you mean". */
const char *tw__nearest(const char *name, const char *const *names, size_t count);
/* "; did you mean 'near'?" into buf, "" when near is NULL; returns buf. For the end of a message. */
#define TW__HINT_BYTES 160
char *tw__did_you_mean(char buf[TW__HINT_BYTES], const char *near);
/* "1,234,567" into buf; returns buf. */
char *tw__commas(char *buf, size_t size, uint64_t value);

/* --- terminal.c --------------------------------------------------------------------------------------------- */

/* tw_print_text() to memory: as many whole characters as fit, and a zero byte; false when they are not all. */
bool tw__escape_text(char *out, size_t room, const char *text, size_t length, const char *kept);
/* A name, blanks behind it up to `width` columns. */
void tw__print_name(FILE *out, const char *name, int width);
/* tw_use_colours() where the user has a wish: 0 no, 1 yes, -1 none. The environment is stronger. */
bool tw__use_colours(FILE *out, int wanted);

/* --- paths.c ------------------------------------------------------------------------------------------------ */

/* XDG cache folder of the project (…/tilewright), created on demand; valid until this thread asks again. */
const char *tw__cache_dir(void); /* NULL when it cannot be made: tw_error_message() */
/* Folder where the installed data of Tilewright lies: headers for codelets, popc module. TILEWRIGHT_ROOT overrides,
 * else it is found relative to the library (dladdr), else the build tree. */
const char *tw__include_dir(void);
const char *tw__lib_dir(void);

/* --- clock.c: seconds of a clock that only goes forward, for limits and for profiles ------------------------ */
double tw__seconds(void);

#endif
