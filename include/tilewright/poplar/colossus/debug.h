/* SPDX-License-Identifier: MIT */
/* Debug information of a linked image: functions, also those that were inlined, variables and their types, as popc -g
 * (DWARF 4 in .debug_info) describes them.
 *
 *     tw_debug *d = tw_debug_new(image);
 *     tw_debug_frame frames[16];
 *     size_t count = tw_debug_frames(d, pc, frames, 16);        // innermost first
 *     tw_debug_state state = { .size = sizeof state, .pc = pc, .get_register = ..., .read = ..., .user = ... };
 *     char *text = tw_debug_print(d, &state, "p->next[2].x");   // "7"; free()
 *
 * Strings live as long as the image. What the information says is not trusted: sections that are damaged give an
 * error or less to see, never more than that.
 *
 * Threads: a tw_debug may be used by any number of threads once it is made. */
#ifndef TILEWRIGHT_POPLAR_COLOSSUS_DEBUG_H
#define TILEWRIGHT_POPLAR_COLOSSUS_DEBUG_H

#include <tilewright/poplar/colossus/object.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_debug tw_debug;

/* The image has to live as long, unchanged. TW_E_SYMBOL: it has no debug information; TW_E_OBJECT_LOAD: it is
 * damaged, or of another version than 4. TW_E_INVALID_ARGUMENT: it is no linked image. */
TW_API tw_debug *tw_debug_new(const tw_object *image);
TW_API void tw_debug_free(tw_debug *debug);

/* A function, or a call that was inlined, at some address. */
typedef struct tw_debug_frame {
    const char *function; /* its name in the source, without classes */
    const char *record;   /* class that it is a member of; NULL = none */
    const char *file;     /* the innermost: NULL (tw_object_line_at() knows); else the place of the call in it */
    uint32_t line, column;
    bool is_inlined;
} tw_debug_frame;
/* Fills in as many as there is room for, the innermost first; how many there are. */
TW_API size_t tw_debug_frames(const tw_debug *debug, uint32_t address, tw_debug_frame *frames, size_t room);
/* Where the code of a function begins, "compute" or "Adder::compute": its own and that of each call that was inlined.
 * How many there are. */
TW_API size_t tw_debug_entries(const tw_debug *debug, const char *function, uint32_t *addresses, size_t room);

/* Where a context stands. Registers: 0 to 15 $m0 to $m15, 16 to 31 $a0 to $a15. */
typedef struct tw_debug_state {
    size_t size; /* sizeof(tw_debug_state) */
    uint32_t pc;
    unsigned frame; /* of tw_debug_frames(): whose variables are meant */
    bool (*get_register)(void *user, unsigned number, uint32_t *value);
    bool (*read)(void *user, uint32_t address, void *bytes, size_t count);
    void *user;
} tw_debug_state;

/* The function that called the one of a state, by the rules of .debug_frame (popc -g, .cfi_*). */
typedef struct tw_debug_caller {
    uint32_t pc;         /* where it goes on, behind its call; its variables are those at pc - 1 */
    uint32_t known;      /* bit n: register n is known */
    uint32_t values[32]; /* as they are when the call has returned, results apart */
} tw_debug_caller;
/* TW_E_SYMBOL: nothing tells the frame there; TW_E_INDEX: the function was not called, as an entry; TW_E_TYPE: where
 * its frame lies is not known. */
TW_API tw_status tw_debug_unwind(const tw_debug *debug, const tw_debug_state *state, tw_debug_caller *caller);

/* The value of a variable, an element or a member: names, `*x`, `&x`, `x.y`, `x->y`, `x[i]` and `x[i + 1][j]` with
 * sums and products of numbers and variables as indices; members of `this` by their names. A Vector, or another
 * record around one pointer, is indexed as that pointer. "<optimised out>" where no register or memory has it.
 * The caller frees it. TW_E_SYMBOL: there is no such variable or member; TW_E_PARSE: the text is none of that;
 * TW_E_TYPE: it does not go with the type. */
TW_API char *tw_debug_print(const tw_debug *debug, const tw_debug_state *state, const char *text);
/* The type of such a value, or of that name: "const Point *", "short [3]", a record with bases and members in
 * lines of their own, "enum Colour {red = 0, green = 5}". Typedefs and qualifiers of the value itself are left
 * out. The caller frees it. The same errors. */
TW_API char *tw_debug_type(const tw_debug *debug, const tw_debug_state *state, const char *text);
/* The bits of a value of up to four bytes, sign-extended. TW_E_TYPE also where it is larger, or is optimised out. */
TW_API tw_status tw_debug_word(const tw_debug *debug, const tw_debug_state *state, const char *text,
                               uint32_t *word);
/* "name = value", a line for each variable of the frame and parameters first; the caller frees it. */
TW_API char *tw_debug_locals(const tw_debug *debug, const tw_debug_state *state);

#ifdef __cplusplus
}
#endif
#endif
