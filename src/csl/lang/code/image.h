/* SPDX-License-Identifier: MIT */
/* A compiled program in memory: what analysis produces, the artifact directory stores and the machine runs.
 *
 *     tw__csl_image *image = tw__csl_image_new();
 *     tw__csl_program *p = tw__csl_image_add_program(image, "pe.csl");
 *     uint32_t f = tw__csl_program_add_function(p, "main", 0, 0);
 *     tw__csl_emitter e;
 *     tw__csl_emit_begin(&e, image, p, f);
 *     tw__csl_emit_wide(&e, TW__CSL_I_LDI, 0, 42);
 *     tw__csl_emit(&e, TW__CSL_I_RET, 0, 0, 0);
 *     tw__csl_emit_end(&e);                              // resolves labels, closes the function
 *     tw__csl_verify(image, diags);                      // every operand checked; a verified image cannot crash the
 *     VM tw__csl_image_free(image);
 *
 * Only plain structs, arrays with counts and strings; no unions, no pointers into other parts: numbers of rows
 * instead.
 * Strings live in image->arena, arrays are grown with TW__CSL_PUSH() and freed with the image. A failed
 * allocation sets image->no_memory and the call does nothing else: check once, at the end. */
#ifndef TW_CSL_CODE_IMAGE_H
#define TW_CSL_CODE_IMAGE_H

#include "core/base/list.h"
#include "csl/lang/code/code.h"
#include <tilewright/type.h>

#define TW__CSL_PE_BYTES  49152u /* memory of a PE (CSL reference, resources of a PE: exact) */
#define TW__CSL_COLORS    24u
#define TW__CSL_TASK_IDS  64u
#define TW__CSL_QUEUES    8u /* per direction; WSE-2 has 6 output queues */
#define TW__CSL_UTS       8u
#define TW__CSL_CONFIG_AT 0xfc00u /* byte address from which loads and stores reach configuration registers */

/* --- routes --------------------------------------------------------------------------------------------------- */

enum { /* directions as bits of rx and tx masks; the order is that of the WSE-2 routing registers */
       TW__CSL_WEST = 1,
       TW__CSL_EAST = 2,
       TW__CSL_SOUTH = 4,
       TW__CSL_NORTH = 8,
       TW__CSL_RAMP = 16
};
enum { TW__CSL_POP_NONE, TW__CSL_POP_ALWAYS, TW__CSL_POP_ON_ADVANCE, TW__CSL_POP_ON_ADVANCE_NOP };
enum { TW__CSL_FILTER_NONE, TW__CSL_FILTER_RANGE, TW__CSL_FILTER_COUNTER, TW__CSL_FILTER_SPARSE };
typedef struct tw__csl_filter {
    uint8_t kind, count_data, count_control, filter_control;
    uint16_t min_index, max_index;                      /* range */
    uint16_t init_counter, limit1, limit2, max_counter; /* counters */
    uint8_t has_limit1, has_limit2, spare[2];
} tw__csl_filter;
typedef struct tw__csl_route { /* @set_color_config, @set_local_color_config: one color of one PE */
    uint8_t color, rx, tx;     /* masks */
    uint8_t swap_x, swap_y;
    uint8_t has_switches;
    uint8_t valid[3], pos_rx[3], pos_tx[3]; /* switch positions 1 .. 3; mask 0 = that side unchanged */
    uint8_t current, ring, pop, teardown;
    uint8_t spare;
    tw__csl_filter filter;
    uint32_t file, line, column; /* of the configuration; line 0 = unknown */
} tw__csl_route;

/* --- a tile program ------------------------------------------------------------------------------------------- */

typedef struct tw__csl_line { /* instructions from `at` on come from this place */
    uint32_t at, file, line, column;
    uint32_t frame; /* row of frames + 1; 0 = the function's own code */
} tw__csl_line;

/* Code of a function that has gone into its caller: whose it is, and where the call was. */
typedef struct tw__csl_frame {
    const char *name;
    uint32_t outer; /* frame that the call is in, an earlier row + 1; 0 = the function's own code */
    uint32_t file, line, column;
    uint32_t stack;  /* where its locals begin in the stack area of the function it went into */
    uint32_t origin; /* of the call in the code as it was written, + 1; for the optimiser, not in files */
} tw__csl_frame;

/* A name of the source, for debuggers: a local variable where it is in sight, or a constant of a module. */
typedef enum tw__csl_local_kind {
    TW__CSL_LOCAL_GONE,     /* the optimiser has taken it out, or it differs between PEs with this code */
    TW__CSL_LOCAL_REGISTER, /* `place`; DSDs in a pair */
    TW__CSL_LOCAL_STACK,    /* `place`: byte of the stack area */
    TW__CSL_LOCAL_POINTED,  /* in memory, at the address in register `place` */
    TW__CSL_LOCAL_CONSTANT, /* `words`; a DSD takes both */
    TW__CSL_LOCAL_KINDS
} tw__csl_local_kind;
typedef struct tw__csl_local {
    const char *name, *type_text;
    uint32_t at, end; /* instructions where it is in sight; end 0 = everywhere: a constant of a module */
    uint32_t frame;   /* of these instructions */
    uint32_t kind, place;
    uint64_t words[2];
    uint32_t since, until; /* where it is written while it is in sight; for the optimiser, not in files */
} tw__csl_local;

/* A run-time index of an array: register `reg` holds it right before instruction `at` is executed. A table beside the
 * code, not an instruction in it: a machine that does not check runs the same code at the same cost. */
typedef struct tw__csl_index_use {
    uint32_t at, limit;          /* good: 0 .. limit - 1 */
    uint32_t file, line, column; /* of the index in the source */
    uint16_t reg, is_signed;
} tw__csl_index_use;

typedef struct tw__csl_function_code {
    const char *name;         /* qualified: "m.f" */
    uint32_t entry, count;    /* instructions in tw__csl_program.code */
    uint32_t registers;       /* of its frame, windows of its calls included; at most 65,535 */
    uint32_t params, results; /* registers */
    uint32_t stack_bytes;     /* area for locals with addresses */
    uint32_t file, line;      /* of its definition */
} tw__csl_function_code;

typedef struct tw__csl_segment { /* initial memory; what no segment covers is 0 */
    uint32_t address, bytes;
    uint8_t *data; /* malloc'ed */
} tw__csl_segment;

typedef struct tw__csl_symbol {
    const char *name; /* "m.x" */
    uint32_t address, bytes;
    tw_type type;   /* of an element; TW_TYPE_NONE for structs and DSDs */
    uint32_t count; /* elements */
    uint32_t rank, dims[8];
    const char *type_text; /* "[4,4]f32" */
    uint32_t file, line;
    uint32_t addressed; /* more than loads and stores by its name reach it; for the optimiser, not in files */
} tw__csl_symbol;

/* A load or store with a register that reaches only these bytes: an element of an array that is a variable. For the
 * optimiser, not in files. */
typedef struct tw__csl_object {
    uint32_t at, address, bytes;
} tw__csl_object;

typedef struct tw__csl_export { /* what the host sees under this name (all programs: row of image.exports) */
    uint32_t name;              /* row of image.exports */
    uint32_t is_function;
    uint32_t target;  /* function: number; variable: symbol, or UINT32_MAX when `pointer` holds the address */
    uint32_t pointer; /* variable: address in PE memory of the exported pointer, whose target is copied; 0 = none */
} tw__csl_export;

typedef enum tw__csl_task_kind {
    TW__CSL_TASK_LOCAL,
    TW__CSL_TASK_DATA,
    TW__CSL_TASK_CONTROL,
    TW__CSL_TASK_KINDS
} tw__csl_task_kind;
typedef struct tw__csl_task { /* @bind_*_task */
    uint8_t kind, id;         /* data tasks: WSE-2 color, WSE-3 input queue */
    uint8_t args;             /* 0, 1 or 2 (low half first, each 16 bits) */
    uint8_t wide;             /* one argument: takes the whole payload; 2 = float bits need no sign */
    uint8_t is_signed[2];     /* canonical form of 16- and 32-bit arguments */
    uint16_t spare;
    uint32_t function;
} tw__csl_task;

/* What an operation does when a FIFO has no element, or no room, for it. By the first a synchronous one ends with
 * false and an asynchronous one waits. */
typedef enum tw__csl_fifo_action {
    TW__CSL_FIFO_TEST_OR_SUSPEND,
    TW__CSL_FIFO_TERMINATE,
    TW__CSL_FIFO_SUSPEND,
    TW__CSL_FIFO_FAULT
} tw__csl_fifo_action;

typedef struct tw__csl_fifo {
    const char *name;
    uint32_t address, bytes; /* buffer in PE memory */
    uint8_t elem_bytes;      /* 2 or 4: unit of the capacity */
    uint8_t simd, priority;
    uint8_t push_task, pop_task;       /* local task ids, TW__CSL_NO_ID = none */
    uint8_t empty_action, full_action; /* tw__csl_fifo_action */
    uint8_t spare;
} tw__csl_fifo;

typedef struct tw__csl_queue { /* @initialize_queue, or a DSD that binds its queue */
    uint8_t is_output, id, color, priority;
    uint8_t control_base; /* added to the entry point of control wavelets, 0 .. 63 */
    uint8_t implied;      /* by a DSD, nothing initialises it */
} tw__csl_queue;

enum {
#define X(NAME, name, result, args, when, text) TW__CSL_SERVICE_##NAME,
#include "csl/lang/code/service.def"
#undef X
};

typedef struct tw__csl_declaration { /* @__sys in a comptime block: service number and arguments */
    uint32_t service, args[4];
} tw__csl_declaration;

typedef struct tw__csl_config { /* @set_config in a comptime block: word address, value */
    uint16_t address, value;
} tw__csl_config;

enum { TW__CSL_INIT_ACTIVE, TW__CSL_INIT_BLOCK, TW__CSL_INIT_UNBLOCK };
typedef struct tw__csl_init { /* @activate, @block, @unblock in comptime blocks, in order */
    uint8_t what, id_kind, id, spare;
} tw__csl_init;

typedef struct tw__csl_rotation { /* @bind_rotating_tasks */
    uint8_t id, spare[3];
    uint32_t main, alternative; /* functions */
    uint16_t limit, init;
} tw__csl_rotation;

typedef struct tw__csl_handler {    /* teardown handler of a color, empty-queue handler of a queue */
    uint8_t is_queue, id, spare[2]; /* is_queue: 1 input, 2 output */
    uint32_t function;
} tw__csl_handler;

typedef struct tw__csl_program {
    const char *name; /* file of the tile code */
    uint32_t no_memory;
    tw__csl_insn *code;
    tw__csl_function_code *functions; /* in order of `entry`; a task or function value is its number */
    tw__csl_line *lines;              /* sorted by `at` */
    tw__csl_frame *frames;            /* of calls that are no more */
    tw__csl_index_use *indices;       /* sorted by `at` */
    tw__csl_object *objects;          /* sorted by `at` */
    tw__csl_local *locals;            /* of nested scopes the inner one comes later */
    uint64_t *consts;
    tw__csl_dsd_use *uses;
    tw__csl_map *maps;
    tw__csl_dsr_load *dsr_loads; /* rows of LOAD_DSR */
    tw__csl_dsr_load *dsr_init;  /* done before start, in order */
    tw__csl_shape *shapes;
    tw__csl_segment *segments;
    tw__csl_symbol *symbols;
    tw__csl_export *exports;
    tw__csl_task *tasks;
    tw__csl_fifo *fifos;
    tw__csl_queue *queues;
    tw__csl_declaration *declarations;
    tw__csl_config *configs;
    tw__csl_init *inits;
    tw__csl_rotation *rotations;
    tw__csl_handler *handlers;
    size_t code_count, function_count, line_count, frame_count, index_count, object_count, local_count, const_count,
        use_count, map_count, dsr_load_count, dsr_init_count, shape_count, segment_count, symbol_count,
        export_count, task_count, fifo_count, queue_count, declaration_count, config_count, init_count,
        rotation_count, handler_count;
    size_t code_room, function_room, line_room, frame_room, index_room, object_room, local_room, const_room,
        use_room, map_room, dsr_load_room, dsr_init_room, shape_room, segment_room, symbol_room, export_room,
        task_room, fifo_room, queue_room, declaration_room, config_room, init_room, rotation_room, handler_room;
    uint32_t stack_address, stack_bytes; /* area for locals with addresses; grows upwards */
    uint32_t pool_count;                 /* constants that each PE of this program has in image.pool */
} tw__csl_program;

/* --- the image ------------------------------------------------------------------------------------------------ */

typedef struct tw__csl_pe {
    uint32_t program;            /* UINT32_MAX: no code */
    uint32_t pool;               /* first of its constants in image.pool */
    uint32_t route, route_count; /* in image.routes, sorted by color */
} tw__csl_pe;

typedef struct tw__csl_export_name { /* @export_name */
    const char *name;
    const char *type_text; /* "[*]f32", "fn(f32)void" */
    uint32_t is_function, is_mutable;
    tw_type type; /* element of a variable's tensor */
    uint32_t param_count;
    tw_type params[15];
    const char *param_names[15]; /* NULL = unnamed */
} tw__csl_export_name;

typedef struct tw__csl_image {
    tw__arena *arena; /* strings */
    uint32_t no_memory;
    uint32_t wse3, memcpy, channels;
    uint32_t fabric_width, fabric_height; /* PEs */
    uint32_t offset_x, offset_y;          /* of the rectangle in the fabric */
    uint32_t width, height;               /* of the rectangle */
    tw__csl_program *programs;
    tw__csl_pe *pes; /* width * height, row-major: y * width + x */
    uint64_t *pool;
    tw__csl_route *routes; /* PEs with equal routes may share rows */
    tw__csl_export_name *exports;
    const char **files; /* names of source files; row 0 = "" = unknown */
    size_t program_count, pe_count, pool_count, route_count, export_count, file_count;
    size_t program_room, pe_room, pool_room, route_room, export_room, file_room;
} tw__csl_image;

tw__csl_image *tw__csl_image_new(void);        /* NULL when out of memory */
void tw__csl_image_free(tw__csl_image *image); /* NULL is fine */
/* One more element, zeroed: `tw__csl_task *t = TW__CSL_PUSH(p, tasks, task)`; NULL when out of memory. */
#define TW__CSL_PUSH(owner, plural, singular) \
    TW__PUSH_TO((owner)->plural, (owner)->singular##_count, (owner)->singular##_room, (owner)->no_memory = 1)

const char *tw__csl_image_string(tw__csl_image *image, const char *text); /* copy; "" when out of memory */
uint32_t tw__csl_image_file(tw__csl_image *image, const char *name);      /* row of files, added when new */
/* The verifier does not ask for these numbers: a file that is not there is the unknown one. */
static inline const char *tw__csl_file_name(const tw__csl_image *image, uint32_t file)
{
    return file < image->file_count ? image->files[file] : "";
}
/* The pointer is valid until the next program is added. */
tw__csl_program *tw__csl_image_add_program(tw__csl_image *image, const char *name);
void tw__csl_image_drop_program(tw__csl_image *image); /* the last one */
/* A function without code yet; its number stays. */
uint32_t tw__csl_program_add_function(tw__csl_image *image, tw__csl_program *p, const char *name, uint32_t params,
                                      uint32_t results);
uint32_t tw__csl_program_const(tw__csl_program *p, uint64_t value);               /* row, shared when equal */
uint32_t tw__csl_program_const2(tw__csl_program *p, uint64_t low, uint64_t high); /* two rows in sequence */
uint32_t tw__csl_program_dsd(tw__csl_program *p, const tw__csl_dsd *dsd);         /* the same for LDK2 */
/* `bytes` bytes at `address`, copied. */
void tw__csl_program_data(tw__csl_program *p, uint32_t address, const void *data, uint32_t bytes);
/* Source position of an instruction; false when unknown. */
bool tw__csl_program_line(const tw__csl_program *p, uint32_t at, tw__csl_line *out);
/* The function whose code holds instruction `at`; -1 = none. */
int tw__csl_program_function_at(const tw__csl_program *p, uint32_t at);
/* The code at `at` was come to from the call at `call`, but not by it alone: what was called ended in calls of
 * others, which took over its frame. */
bool tw__csl_program_left_out(const tw__csl_program *p, uint32_t call, uint32_t at);

/* --- emitting one function ------------------------------------------------------------------------------------ */

/* Labels may be used before they are bound. Functions of one program are emitted one after the other; several
 * emitters may be open at the same time (a function met while another is generated): each collects its code apart and
 * tw__csl_emit_end() appends it to the program. */
typedef uint32_t tw__csl_label; /* 0 = none */
typedef struct tw__csl_emitter {
    tw__csl_image *image;
    uint32_t program, function; /* numbers, since rows move */
    uint32_t registers;         /* highest register used + 1; kept by emit, raised by callers for windows */
    uint32_t stack_bytes;
    uint32_t file, line, column; /* position of what comes next; 0 = unknown */
    uint32_t no_memory, too_far; /* too_far: a 16-bit jump does not reach */
    tw__csl_insn *code;
    tw__csl_line *lines;
    tw__csl_index_use *indices;
    tw__csl_object *objects;
    tw__csl_local *locals;
    uint32_t *labels; /* instruction each label is bound to; UINT32_MAX = not yet */
    uint32_t *uses;   /* instruction, label: pairs */
    size_t code_count, code_room, line_count, line_room, index_count, index_room, object_count, object_room,
        label_count, label_room, use_count, use_room, local_count, local_room;
} tw__csl_emitter;

void tw__csl_emit_begin(tw__csl_emitter *e, tw__csl_image *image, const tw__csl_program *p, uint32_t function);
void tw__csl_emit_at(tw__csl_emitter *e, uint32_t file, uint32_t line, uint32_t column);      /* of what follows */
uint32_t tw__csl_emit(tw__csl_emitter *e, tw__csl_op op, uint32_t a, uint32_t b, uint32_t c); /* its number */
uint32_t tw__csl_emit_wide(tw__csl_emitter *e, tw__csl_op op, uint32_t a, uint32_t bc);
/* Register `reg` holds an index below `limit` when what comes next is executed.
 * `index.at` is filled in. */
void tw__csl_emit_index(tw__csl_emitter *e, tw__csl_index_use index);
/* The load or store that was written last stays inside these bytes. */
void tw__csl_emit_object(tw__csl_emitter *e, uint32_t address, uint32_t bytes);
/* A name that is in sight from here on, written since instruction `since`, until tw__csl_emit_close(). */
void tw__csl_emit_local(tw__csl_emitter *e, tw__csl_local local);
/* Names from number `first` on end here. */
void tw__csl_emit_close(tw__csl_emitter *e, size_t first);
bool tw__csl_emit_pending(const tw__csl_emitter *e); /* an index waits for the instruction that comes next */
/* Any 64-bit constant in a register, by the shortest way. */
void tw__csl_emit_const(tw__csl_emitter *e, uint32_t reg, uint64_t value);
tw__csl_label tw__csl_emit_label(tw__csl_emitter *e);            /* new, not bound */
void tw__csl_emit_bind(tw__csl_emitter *e, tw__csl_label label); /* here */
/* JMP, JT, JF: `a` = condition. */
void tw__csl_emit_jump(tw__csl_emitter *e, tw__csl_op op, uint32_t a, tw__csl_label label);
/* JEQ ... JLEU: the label must lie within 32,767 instructions (too_far otherwise). */
void tw__csl_emit_compare(tw__csl_emitter *e, tw__csl_op op, uint32_t a, uint32_t b, tw__csl_label label);
/* Appends the code to the program; false when out of memory, when a label was never bound or a jump is too far. */
bool tw__csl_emit_end(tw__csl_emitter *e);
void tw__csl_emit_drop(tw__csl_emitter *e); /* instead of end, after an error */

/* --- verify.c, disasm.c --------------------------------------------------------------------------------------- */

/* Checks everything the machine relies on: operands of every instruction against registers, tables and code, flow
 * within functions, ids, addresses, shapes, routes. Each fault is an error in `diags` that names program, function
 * and instruction. TW_OK or TW_E_INVALID_ARGUMENT. */
tw_status tw__csl_verify(const tw__csl_image *image, tw_diags *diags);

/* The listing of a program (functions, instructions, source lines, tables); malloc'ed, NULL when out of memory. */
char *tw__csl_listing(const tw__csl_image *image, uint32_t program);

#endif
