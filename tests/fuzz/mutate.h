/* SPDX-License-Identifier: MIT */
/* Mutators that know structure, for fuzz targets: texts made of tokens, lines and blocks.
 *
 *     static const char *const words[] = { ".macro", "$m0", NULL };
 *     static const mutate_pair pairs[] = { { ".rept 2\n", ".endr\n" }, { NULL, NULL } };
 *     static const mutate_language language = { .words = words, .pairs = pairs, .head = 1 };
 *
 *     size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
 *     {
 *         return mutate_text(&language, data, size, most, seed);
 *     }
 *
 * The same seed gives the same text. Programs that only replay a corpus have no LLVMFuzzerMutate; its part of the
 * work falls to the other changes there. */
#ifndef TW_FUZZ_MUTATE_H
#define TW_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) __attribute__((weak));
/* What a target may define. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t most, unsigned seed);

/* --- chance --------------------------------------------------------------------------------------------------- */

typedef struct mutate_chance {
    uint64_t state;
} mutate_chance;
mutate_chance mutate_chance_of(unsigned seed);
uint32_t mutate_below(mutate_chance *c, size_t bound); /* 0 when bound is 0 */
bool mutate_one_in(mutate_chance *c, unsigned n);
/* A number at a limit: 0, 1, 2^k and its neighbours, with either sign. */
uint64_t mutate_limit(mutate_chance *c);
/* Little-endian number of 1, 2 or 4 bytes: at a limit, near what stands there, or `other` and near it. */
void mutate_number(mutate_chance *c, uint8_t *at, unsigned bytes, uint32_t other);

/* --- text ----------------------------------------------------------------------------------------------------- */

/* Text that may stand around whole lines. */
typedef struct mutate_pair {
    const char *before, *after;
} mutate_pair;

typedef struct mutate_language {
    const char *const *words;                   /* tokens, or pieces of text; NULL at the end, may be NULL */
    const char *(*word)(mutate_chance *chance); /* more of them, from a table; may be NULL */
    const mutate_pair *pairs;                   /* NULL at the end, may be NULL */
    size_t head;                                /* bytes in front that are no text: options of the target */
} mutate_language;

/* One to four changes: tokens, lines and blocks are deleted, doubled, swapped, moved, replaced by others of the text
 * or by words; numbers go to limits; lines get a pair around them. Returns the new size, at most `most`. */
size_t mutate_text(const mutate_language *language, uint8_t *data, size_t size, size_t most, unsigned seed);
/* The lines of `a` with some lines of `b` among them. */
size_t mutate_cross(const mutate_language *language, const uint8_t *a, size_t a_size, const uint8_t *b,
                    size_t b_size, uint8_t *out, size_t most, unsigned seed);

#endif
