/* SPDX-License-Identifier: MIT */
/* image: memory of a compiled program, and small helpers to fill its tables. */
#include "csl/lang/code/image.h"

#include <stdlib.h>
#include <string.h>

tw__csl_image *tw__csl_image_new(void)
{
    tw__csl_image *image = tw__calloc(1, sizeof *image);
    if (!image) return NULL;
    image->arena = tw__arena_new(0);
    const char **unknown = TW__CSL_PUSH(image, files, file);
    if (!image->arena || !unknown) {
        tw__csl_image_free(image);
        return NULL;
    }
    *unknown = "";
    return image;
}

static void free_program(tw__csl_program *p)
{
    for (size_t i = 0; i < p->segment_count; i++) free(p->segments[i].data);
    void *tables[] = { p->code,      p->functions, p->lines,   p->consts,   p->uses,    p->maps,
                       p->dsr_loads, p->dsr_init,  p->shapes,  p->segments, p->symbols, p->exports,
                       p->tasks,     p->fifos,     p->queues,  p->configs,  p->inits,   p->declarations,
                       p->rotations, p->handlers,  p->indices, p->frames,   p->objects, p->locals };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) free(tables[i]);
}

void tw__csl_image_drop_program(tw__csl_image *image)
{
    if (image->program_count) free_program(&image->programs[--image->program_count]);
}

void tw__csl_image_free(tw__csl_image *image)
{
    if (!image) return;
    for (size_t i = 0; i < image->program_count; i++) free_program(&image->programs[i]);
    free(image->programs);
    free(image->pes);
    free(image->pool);
    free(image->routes);
    free(image->exports);
    free(image->files);
    tw__arena_free(image->arena);
    free(image);
}

const char *tw__csl_image_string(tw__csl_image *image, const char *text)
{
    char *copy = tw__arena_strdup(image->arena, text);
    if (!copy) image->no_memory = 1;
    return copy ? copy : "";
}

uint32_t tw__csl_image_file(tw__csl_image *image, const char *name)
{
    for (size_t i = 0; i < image->file_count; i++)
        if (strcmp(image->files[i], name) == 0) return (uint32_t)i;
    const char *copy = tw__csl_image_string(image, name);
    const char **row = TW__CSL_PUSH(image, files, file);
    if (!row) return 0;
    *row = copy;
    return (uint32_t)image->file_count - 1;
}

tw__csl_program *tw__csl_image_add_program(tw__csl_image *image, const char *name)
{
    const char *copy = tw__csl_image_string(image, name);
    tw__csl_program *p = TW__CSL_PUSH(image, programs, program);
    if (p) p->name = copy;
    return p;
}

uint32_t tw__csl_program_add_function(tw__csl_image *image, tw__csl_program *p, const char *name, uint32_t params,
                                      uint32_t results)
{
    const char *copy = tw__csl_image_string(image, name);
    tw__csl_function_code *f = TW__CSL_PUSH(p, functions, function);
    if (!f) return 0;
    f->name = copy;
    f->params = params;
    f->results = results;
    return (uint32_t)p->function_count - 1;
}

uint32_t tw__csl_program_const(tw__csl_program *p, uint64_t value)
{
    /* Recent constants only: a program has few, and generated tables belong into memory. */
    size_t first = p->const_count > 64 ? p->const_count - 64 : 0;
    for (size_t i = first; i < p->const_count; i++)
        if (p->consts[i] == value) return (uint32_t)i;
    uint64_t *row = TW__CSL_PUSH(p, consts, const);
    if (!row) return 0;
    *row = value;
    return (uint32_t)p->const_count - 1;
}

uint32_t tw__csl_program_const2(tw__csl_program *p, uint64_t low, uint64_t high)
{
    size_t first = p->const_count > 64 ? p->const_count - 64 : 0;
    for (size_t i = first; i + 1 < p->const_count; i++)
        if (p->consts[i] == low && p->consts[i + 1] == high) return (uint32_t)i;
    uint64_t *row = TW__CSL_PUSH(p, consts, const);
    if (!row) return 0;
    *row = low;
    uint32_t at = (uint32_t)p->const_count - 1;
    row = TW__CSL_PUSH(p, consts, const);
    if (!row) return 0;
    *row = high;
    return at;
}

uint32_t tw__csl_program_dsd(tw__csl_program *p, const tw__csl_dsd *dsd)
{
    uint64_t words[2];
    memcpy(words, dsd, sizeof words);
    return tw__csl_program_const2(p, words[0], words[1]);
}

void tw__csl_program_data(tw__csl_program *p, uint32_t address, const void *data, uint32_t bytes)
{
    if (bytes == 0) return;
    uint8_t *copy = tw__calloc(bytes, 1);
    tw__csl_segment *s = copy ? TW__CSL_PUSH(p, segments, segment) : NULL;
    if (!s) {
        p->no_memory = 1;
        free(copy);
        return;
    }
    memcpy(copy, data, bytes);
    *s = (tw__csl_segment){ .address = address, .bytes = bytes, .data = copy };
}

bool tw__csl_program_line(const tw__csl_program *p, uint32_t at, tw__csl_line *out)
{
    size_t low = 0, high = p->line_count; /* the last row with row.at <= at */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->lines[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    int function = tw__csl_program_function_at(p, at);
    if (low == 0 || function < 0 || p->lines[low - 1].at < p->functions[function].entry) return false;
    *out = p->lines[low - 1];
    return out->line != 0;
}

int tw__csl_program_function_at(const tw__csl_program *p, uint32_t at)
{
    for (size_t i = 0; i < p->function_count; i++)
        if (at >= p->functions[i].entry && at - p->functions[i].entry < p->functions[i].count) return (int)i;
    return -1;
}

bool tw__csl_program_left_out(const tw__csl_program *p, uint32_t call, uint32_t at)
{
    tw__csl_insn i = call < p->code_count ? p->code[call] : (tw__csl_insn){ 0 };
    int function = tw__csl_program_function_at(p, at);
    return i.op == TW__CSL_I_CALL && function >= 0 && (uint32_t)function != tw__csl_wide(i);
}
