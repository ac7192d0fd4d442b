/* SPDX-License-Identifier: MIT */
/* The linker of one tile: objects to an image with addresses, and the stack that its functions need.
 *
 *     tw_link_options options = { .size = sizeof options, .entry = "__runCodelet_Axpy" };
 *     tw_object *image = tw_link(objects, count, &options, diags);
 *     if (!image) ...
 *     uint32_t bytes;
 *     tw_stack_need(image, "__runCodelet_Axpy", &bytes);     // guide 2.8.1, 7.3.1
 *
 * Threads: calls with different objects are independent. */
#ifndef TILEWRIGHT_POPLAR_COLOSSUS_LINK_H
#define TILEWRIGHT_POPLAR_COLOSSUS_LINK_H

#include <tilewright/poplar/colossus/object.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_link_options {
    size_t size;              /* sizeof(tw_link_options) */
    const char *entry;        /* where the program starts; NULL: the start of the image */
    const char *const *keep;  /* more symbols that are needed, NULL-terminated; NULL = none. Without entry and keep
                                     everything is kept */
    uint32_t code_address;    /* where code goes; 0: the start of region 0. Code has to end inside region 0 */
    uint32_t data_address;    /* where data goes; 0: behind the code, and into region 1 what does not fit. Sections
                                     .interleaved and .interleaved.X are at the start of data, and lie in region 1 */
    const char *const *names; /* of the objects, for messages; NULL = tw_object_name(), else numbers */
    uint32_t *keep_bytes;     /* [keep] filled in: bytes of code that this symbol needs, and neither the entry nor
                                 those before it; NULL = not wanted */
    bool drop_debug;          /* the image gets no sections .debug_*; lines stay */
} tw_link_options;

/* Links objects of one chip. Sections .text.X, .data.X and the like that nothing refers to are left out; .text,
 * .data, .rodata and .bss stay. Sections .debug_* of objects of which anything stays become one of each name, outside
 * of memory. The image is an object whose sections have addresses, whose symbols are addresses, and which has no
 * relocations; free it with tw_object_free(). The objects stay the caller's.
 * TW_E_LINK: undefined symbols, two definitions of one, addresses that do not fit, no room: all are in `diags` (may
 * be NULL), the first in tw_error_message(). TW_E_INVALID_ARGUMENT: objects of several chips, NULL among
 * them, or one that is linked already. */
TW_API tw_object *tw_link(const tw_object *const *objects, size_t count, const tw_link_options *options,
                          tw_diags *diags);

/* Address where a linked image starts. */
TW_API uint32_t tw_object_entry(const tw_object *image);
/* Whether data of a linked image has to lie in region 1, whose 16 bytes `ld128` reads at once (guide 7.2.4): sections
 * .interleaved and .interleaved.X. */
TW_API bool tw_link_is_interleaved(const tw_object *image);
/* Bytes of code (EXEC sections) and of all other sections in memory. */
TW_API void tw_link_sizes(const tw_object *image, uint32_t *code, uint32_t *data);

/* Bytes of stack that `function` of a linked image needs: what is stated as its total; else its own bytes plus the
 * most that anything it calls or jumps to needs, functions stated by DEF_FUNC_CALL_PTRS included. TW_E_SYMBOL: there
 * is no such function.
 * TW_E_LINK: not stated, stated more than once, recursive without a total, or an indirect jump without a list of
 * targets; the message names the function and the calls that lead to it. */
TW_API tw_status tw_stack_need(const tw_object *image, const char *function, uint32_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
