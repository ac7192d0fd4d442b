/* SPDX-License-Identifier: MIT */
/* Compiled CSL programs for the mutators: a valid image, changed in its tables and instructions and sealed again, so
 * that what reads, verifies and runs it is reached. */
#ifndef TW_FUZZ_IMAGES_H
#define TW_FUZZ_IMAGES_H

#include "csl/lang/program/program.h"
#include "csl/lang/compile.h"
#include "mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE_HEADER = 28, IMAGE_TABLES = 26, IMAGE_STEPS = 4 };

/* Magic, length and checksum of what stands behind them. */
static inline void image_seal(uint8_t *bytes, size_t size)
{
    uint64_t length = size - IMAGE_HEADER, sum = tw__csl_checksum(bytes + IMAGE_HEADER, size - IMAGE_HEADER);
    memcpy(bytes, "TWCSL\r\n\x1a", 8);
    for (int i = 0; i < 8; i++) bytes[12 + i] = (uint8_t)(length >> 8 * i);
    for (int i = 0; i < 8; i++) bytes[20 + i] = (uint8_t)(sum >> 8 * i);
}

static inline bool image_is_text(const uint8_t *data, size_t size)
{
    return size > 1 && (size < IMAGE_HEADER || memcmp(data, "TWCSL", 5) != 0);
}

/* --- from text -------------------------------------------------------------------------------------------------- */

typedef struct image_text {
    const char *at;
    size_t size;
} image_text;

static inline char *image_read(void *user, const char *path, size_t *size)
{
    const image_text *t = user;
    if (strcmp(path, "main.csl")) return NULL;
    char *copy = malloc(t->size + 1);
    if (copy) memcpy(copy, t->at, t->size);
    *size = t->size;
    return copy;
}

static inline void image_quiet(void *user, const char *line)
{
    (void)user;
    (void)line;
}

/* The first byte chooses the chip; NULL when the rest has errors. */
static inline tw_csl_program *image_of_text(const uint8_t *data, size_t size)
{
    image_text t = { (const char *)data + 1, size - 1 };
    tw__csl_compile_options o = { .file = "main.csl",
                                  .wse3 = data[0] & 1,
                                  .max_comptime_steps = 20000,
                                  .max_memory = 64 << 20,
                                  .max_inlined = 200,
                                  .read = image_read,
                                  .read_user = &t,
                                  .print = image_quiet };
    tw_diags *diags = tw_diags_new();
    tw__csl_image *image = tw__csl_compile(&o, diags);
    tw_diags_free(diags);
    return image ? tw__csl_program_new(image, NULL, 0, NULL, 0) : NULL;
}

/* --- tables ----------------------------------------------------------------------------------------------------- */

typedef struct image_table {
    void *rows; /* address of the array's pointer */
    size_t *count, *room, size;
    size_t first, last; /* bytes of a row that are numbers */
    bool owned;         /* rows own memory: none is copied or dropped */
} image_table;

#define IMAGE_TABLE(owner, plural, singular, from, owns)                                                        \
    (image_table)                                                                                               \
    {                                                                                                           \
        &(owner)->plural, &(owner)->singular##_count, &(owner)->singular##_room, sizeof *(owner)->plural, from, \
            sizeof *(owner)->plural, owns                                                                       \
    }
#define IMAGE_PLAIN(owner, plural, singular) IMAGE_TABLE(owner, plural, singular, 0, false)

static inline unsigned image_tables(tw__csl_image *image, tw__csl_program *p, image_table out[IMAGE_TABLES])
{
    const image_table all[] = {
        IMAGE_PLAIN(image, pes, pe),
        IMAGE_PLAIN(image, pool, pool),
        IMAGE_PLAIN(image, routes, route),
        IMAGE_PLAIN(p, code, code),
        IMAGE_PLAIN(p, lines, line),
        IMAGE_PLAIN(p, indices, index),
        IMAGE_PLAIN(p, consts, const),
        IMAGE_PLAIN(p, uses, use),
        IMAGE_PLAIN(p, maps, map),
        IMAGE_PLAIN(p, dsr_loads, dsr_load),
        IMAGE_PLAIN(p, dsr_init, dsr_init),
        IMAGE_PLAIN(p, shapes, shape),
        IMAGE_PLAIN(p, exports, export),
        IMAGE_PLAIN(p, tasks, task),
        IMAGE_PLAIN(p, queues, queue),
        IMAGE_PLAIN(p, declarations, declaration),
        IMAGE_PLAIN(p, configs, config),
        IMAGE_PLAIN(p, inits, init),
        IMAGE_PLAIN(p, rotations, rotation),
        IMAGE_PLAIN(p, handlers, handler),
        IMAGE_TABLE(p, functions, function, offsetof(tw__csl_function_code, entry), false),
        IMAGE_TABLE(p, fifos, fifo, offsetof(tw__csl_fifo, address), false),
        { &p->symbols, &p->symbol_count, &p->symbol_room, sizeof *p->symbols, offsetof(tw__csl_symbol, address),
          offsetof(tw__csl_symbol, dims), false },
        { &p->segments, &p->segment_count, &p->segment_room, sizeof *p->segments,
          offsetof(tw__csl_segment, address), offsetof(tw__csl_segment, bytes), true },
    };
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static inline uint8_t *image_row(const image_table *t, size_t row)
{
    uint8_t *rows;
    memcpy(&rows, t->rows, sizeof rows);
    return rows + row * t->size;
}

/* A number of a row: at a limit, near what it was, or near a number of rows. */
static inline void image_change_number(mutate_chance *c, const image_table *t, uint32_t other)
{
    unsigned bytes = 1u << mutate_below(c, 3);
    size_t places = (t->last - t->first) / bytes;
    if (places == 0) return;
    uint8_t *row = image_row(t, mutate_below(c, *t->count));
    mutate_number(c, row + t->first + mutate_below(c, places) * bytes, bytes, other);
}

static inline void image_change_row(mutate_chance *c, const image_table *t)
{
    size_t a = mutate_below(c, *t->count), b = mutate_below(c, *t->count);
    uint8_t held[512];
    switch (mutate_below(c, 4)) {
    case 0: /* swapped */
        if (t->size > sizeof held) return;
        memcpy(held, image_row(t, a), t->size);
        memmove(image_row(t, a), image_row(t, b), t->size);
        memcpy(image_row(t, b), held, t->size);
        return;
    case 1: /* copied over another */
        if (!t->owned) memmove(image_row(t, a), image_row(t, b), t->size);
        return;
    case 2: /* once more */
        if (t->owned || !tw__grow(t->rows, t->room, *t->count, t->size)) return;
        memcpy(image_row(t, (*t->count)++), image_row(t, a), t->size);
        return;
    default: /* gone */
        if (t->owned) return;
        memmove(image_row(t, a), image_row(t, a + 1), (*t->count - a - 1) * t->size);
        --*t->count;
    }
}

/* --- instructions: legal ones, mostly --------------------------------------------------------------------------- */

static inline void image_set_wide(tw__csl_insn *i, uint32_t value)
{
    i->b = (uint16_t)value;
    i->c = (uint16_t)(value >> 16);
}

static inline uint32_t image_wide(mutate_chance *c, const tw__csl_program *p, char role, uint32_t jump)
{
    switch (role) {
    case 'J': return jump;
    case 'A':
    case 'U': return (uint32_t)mutate_limit(c) & 0xffff;
    case 'K': return mutate_below(c, p->const_count);
    case 'L': return mutate_below(c, p->const_count ? p->const_count - 1 : 0);
    case 'P': return mutate_below(c, p->pool_count);
    case 'Q': return mutate_below(c, p->pool_count ? p->pool_count - 1 : 0);
    case 'F': return mutate_below(c, p->function_count);
    case 'X': return mutate_below(c, p->use_count);
    case 'M': return mutate_below(c, p->map_count);
    case 'R': return mutate_below(c, p->dsr_load_count);
    default: return (uint32_t)mutate_limit(c);
    }
}

static inline void image_change_operand(mutate_chance *c, const tw__csl_program *p, const tw__csl_function_code *f,
                                        uint32_t at)
{
    tw__csl_insn *i = &p->code[f->entry + at];
    uint16_t *const fields[] = { &i->a, &i->b, &i->c };
    unsigned k = mutate_below(c, 3);
    char role = tw__csl_op_rows[i->op].operands[k];
    uint32_t jump = mutate_below(c, f->count) - at - 1;
    if (role == 'd' || role == 's' || role == 'w')
        *fields[k] = (uint16_t)mutate_below(c, f->registers);
    else if (role == 'D' || role == 'S')
        *fields[k] = (uint16_t)mutate_below(c, f->registers ? f->registers - 1 : 0);
    else if (role == 'j')
        *fields[k] = (uint16_t)jump;
    else if (k == 1 && role >= 'A' && role <= 'Z')
        image_set_wide(i, image_wide(c, p, role, jump));
    else if (role != '-' && role != '.')
        *fields[k] = (uint16_t)mutate_limit(c);
}

/* Another instruction with the same operands. */
static inline void image_change_op(mutate_chance *c, tw__csl_insn *i)
{
    const char *operands = tw__csl_op_rows[i->op].operands;
    unsigned op = mutate_below(c, TW__CSL_OPS);
    for (unsigned n = 0; n < TW__CSL_OPS; n++, op = (op + 1) % TW__CSL_OPS)
        if (op != i->op && memcmp(tw__csl_op_rows[op].operands, operands, 3) == 0) break;
    i->op = (uint16_t)op;
}

static inline void image_change_code(mutate_chance *c, tw__csl_program *p)
{
    if (p->function_count == 0) return;
    const tw__csl_function_code *f = &p->functions[mutate_below(c, p->function_count)];
    uint32_t at = mutate_below(c, f->count);
    if (f->count == 0 || (uint64_t)f->entry + f->count > p->code_count) return;
    tw__csl_insn *i = &p->code[f->entry + at], *other = &p->code[f->entry + mutate_below(c, f->count)], held = *i;
    if (i->op >= TW__CSL_OPS) return;
    switch (mutate_below(c, 8)) {
    case 0: *i = *other; break;
    case 1: *i = *other, *other = held; break;
    case 2:
    case 3: image_change_op(c, i); break;
    default: image_change_operand(c, p, f, at);
    }
}

static inline void image_change_data(mutate_chance *c, const tw__csl_program *p)
{
    if (p->segment_count == 0) return;
    const tw__csl_segment *s = &p->segments[mutate_below(c, p->segment_count)];
    if (s->bytes >= 4) mutate_number(c, s->data + mutate_below(c, s->bytes / 4) * 4, 4, 0);
}

static inline void image_change(mutate_chance *c, tw__csl_image *image)
{
    image_table tables[IMAGE_TABLES];
    if (image->program_count == 0) return;
    tw__csl_program *p = &image->programs[mutate_below(c, image->program_count)];
    unsigned n = image_tables(image, p, tables);
    const image_table *t = &tables[mutate_below(c, n)], *other = &tables[mutate_below(c, n)];
    for (unsigned k = 0; k < n && *t->count == 0; k++) t = &tables[mutate_below(c, n)];
    switch (mutate_below(c, 8)) {
    case 0:
    case 1:
    case 2: image_change_code(c, p); break;
    case 3: image_change_data(c, p); break;
    case 4:
        if (*t->count) image_change_row(c, t);
        break;
    case 5:
        if (mutate_one_in(c, 4)) image->wse3 = !image->wse3;
        break;
    default:
        if (*t->count) image_change_number(c, t, (uint32_t)*other->count);
    }
}

/* --- the hook --------------------------------------------------------------------------------------------------- */

static inline size_t image_bytes(uint8_t *data, size_t size, size_t most)
{
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
}

static inline size_t image_mutate(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    mutate_chance c = mutate_chance_of(seed);
    tw_csl_program *program = NULL;
    if (image_is_text(data, size)) {
        program = image_of_text(data, size);
    } else if (size >= IMAGE_HEADER && !mutate_one_in(&c, 16)) {
        image_seal(data, size);
        program = tw_csl_decode(data, size, "fuzz");
    }
    if (!program) return image_bytes(data, size, most);
    for (unsigned k = 1 + mutate_below(&c, IMAGE_STEPS); k; k--) image_change(&c, program->image);
    uint8_t *bytes;
    size_t length;
    if ((bytes = tw_csl_encode(program, &length)) != NULL) {
        if (length <= most) memcpy(data, bytes, size = length);
        free(bytes);
    }
    tw_csl_program_free(program);
    return size;
}

#endif
