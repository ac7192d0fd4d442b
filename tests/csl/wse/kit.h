/* SPDX-License-Identifier: MIT */
/* kit: small programs built by hand for tests of the wafer. One program, a rectangle of PEs, helpers for rows that
 * instructions name. */
#ifndef TW_TESTS_CSL_WSE_KIT_H
#define TW_TESTS_CSL_WSE_KIT_H

#include "csl/wse/wse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kit {
    tw__csl_image *image;
    tw__csl_program *p;
    tw__csl_emitter e;
    tw_diags *diags;
    tw__wse *w;
    tw__wse_options options;
} kit;

static inline void kit_begin(kit *k, unsigned width, unsigned height, bool wse3)
{
    memset(k, 0, sizeof *k);
    k->image = tw__csl_image_new();
    k->diags = tw_diags_new();
    k->image->width = k->image->fabric_width = width;
    k->image->height = k->image->fabric_height = height;
    k->image->wse3 = wse3;
    for (unsigned n = 0; n < width * height; n++) {
        tw__csl_pe *pe = TW__CSL_PUSH(k->image, pes, pe);
        pe->program = 0;
    }
    k->p = tw__csl_image_add_program(k->image, "kit.csl");
    k->p->stack_address = 40000;
    k->p->stack_bytes = 2000;
}

/* A further program, which from now on is the one being built; returns its number. */
static inline uint32_t kit_program(kit *k)
{
    k->p = tw__csl_image_add_program(k->image, "other.csl");
    k->p->stack_address = 40000;
    k->p->stack_bytes = 2000;
    return (uint32_t)k->image->program_count - 1;
}

static inline uint32_t kit_function(kit *k, const char *name, uint32_t params, uint32_t results)
{
    uint32_t f = tw__csl_program_add_function(k->image, k->p, name, params, results);
    tw__csl_emit_begin(&k->e, k->image, k->p, f);
    return f;
}

static inline void kit_end(kit *k)
{
    tw__csl_emit(&k->e, TW__CSL_I_RET, 0, 0, 0);
    assert_true(tw__csl_emit_end(&k->e));
}

#define EMIT(k, op, a, b, c) tw__csl_emit(&(k)->e, TW__CSL_I_##op, (a), (b), (c))
#define WIDE(k, op, a, x)    tw__csl_emit_wide(&(k)->e, TW__CSL_I_##op, (a), (uint32_t)(x))
#define LINE(k, n)           tw__csl_emit_at(&(k)->e, tw__csl_image_file((k)->image, "kit.csl"), (n), 1)

static inline void kit_task(kit *k, unsigned kind, unsigned id, uint32_t function, unsigned args, bool wide)
{
    tw__csl_task *t = TW__CSL_PUSH(k->p, tasks, task);
    *t = (tw__csl_task){
        .kind = (uint8_t)kind, .id = (uint8_t)id, .args = (uint8_t)args, .wide = wide, .function = function
    };
}

static inline void kit_init(kit *k, unsigned what, unsigned id)
{
    tw__csl_init *init = TW__CSL_PUSH(k->p, inits, init);
    *init = (tw__csl_init){ .what = (uint8_t)what, .id = (uint8_t)id };
}

/* DSDs as the generator packs them. */
static inline tw__csl_dsd mem1d(unsigned base, unsigned length, int stride)
{
    return (tw__csl_dsd){ .kind = TW__CSL_DSD_MEM1D,
                          .base = (uint16_t)base,
                          .length = (uint16_t)length,
                          .stride = (int16_t)stride,
                          .color = TW__CSL_NO_ID,
                          .queue = TW__CSL_NO_ID };
}
static inline tw__csl_dsd fabric(unsigned kind, unsigned color, unsigned queue, unsigned length)
{
    return (tw__csl_dsd){
        .kind = (uint8_t)kind, .color = (uint8_t)color, .queue = (uint8_t)queue, .length = (uint16_t)length
    };
}
/* Loads a DSD into registers at, at + 1. */
static inline void kit_dsd(kit *k, unsigned at, tw__csl_dsd dsd)
{
    WIDE(k, LDK2, at, tw__csl_program_dsd(k->p, &dsd));
}

static inline tw__csl_arg arg_dsd(unsigned pair)
{
    return (tw__csl_arg){ TW__CSL_ARG_DSD, 0, (uint16_t)pair };
}
static inline tw__csl_arg arg_scalar(unsigned reg)
{
    return (tw__csl_arg){ TW__CSL_ARG_SCALAR, 0, (uint16_t)reg };
}
static inline tw__csl_arg arg_pointer(unsigned reg)
{
    return (tw__csl_arg){ TW__CSL_ARG_POINTER, 0, (uint16_t)reg };
}
static inline tw__csl_arg arg_fifo(unsigned number)
{
    return (tw__csl_arg){ TW__CSL_ARG_FIFO, 0, (uint16_t)number };
}
static inline tw__csl_arg arg_none(void)
{
    return (tw__csl_arg){ 0 };
}

/* A row for an operation; fill in flags and actions before the next one is made. */
static inline tw__csl_dsd_use *kit_use(kit *k, unsigned op, tw__csl_arg dst, tw__csl_arg src0, tw__csl_arg src1,
                                       tw__csl_arg src2)
{
    tw__csl_dsd_use *use = TW__CSL_PUSH(k->p, uses, use);
    *use = (tw__csl_dsd_use){ .op = (uint8_t)op, .ut = TW__CSL_NO_ID, .arg = { dst, src0, src1, src2 } };
    return use;
}
/* Emits the operation whose row was made last; its result goes to register `result`. */
static inline void kit_op(kit *k, unsigned result)
{
    WIDE(k, DSDOP, result, k->p->use_count - 1);
}

static inline void kit_route(kit *k, unsigned x, unsigned y, unsigned color, unsigned rx, unsigned tx)
{
    /* Rows of one PE lie together: PEs have to be routed one after the other. */
    tw__csl_route *r = TW__CSL_PUSH(k->image, routes, route);
    *r = (tw__csl_route){ .color = (uint8_t)color, .rx = (uint8_t)rx, .tx = (uint8_t)tx };
    tw__csl_pe *pe = &k->image->pes[y * k->image->width + x];
    if (pe->route_count == 0) pe->route = (uint32_t)k->image->route_count - 1;
    pe->route_count++;
}

static inline void kit_start(kit *k)
{
    if (tw__wse_ranks_meet(k->image, &k->options) != TW_OK) fprintf(stderr, "%s\n", tw_error_message());
    k->w = tw__wse_new(k->image, &k->options, k->diags);
    if (!k->w) tw_diags_print(k->diags, stderr, false);
    assert_non_null(k->w);
}

static inline void kit_run(kit *k)
{
    tw_status status = tw__wse_run(k->w, 10000000, NULL, NULL);
    if (status != TW_OK) tw_diags_print(k->diags, stderr, false);
    assert_int_equal(status, TW_OK);
}

static inline void kit_free(kit *k)
{
    tw__wse_free(k->w);
    tw__csl_image_free(k->image);
    tw_diags_free(k->diags);
}

/* The diagnostic that holds `text`, NULL = none. */
static inline const tw_diag *kit_said(const kit *k, const char *text)
{
    const tw_diag *d;
    for (size_t i = 0; (d = tw_diags_get(k->diags, i)); i++)
        if (strstr(d->message, text)) return d;
    return NULL;
}

static inline void put16(kit *k, unsigned x, unsigned y, unsigned address, unsigned value)
{
    uint16_t v = (uint16_t)value;
    memcpy(tw__wse_memory(k->w, x, y) + address, &v, 2);
}
static inline unsigned get16(kit *k, unsigned x, unsigned y, unsigned address)
{
    uint16_t v;
    memcpy(&v, tw__wse_memory(k->w, x, y) + address, 2);
    return v;
}
static inline uint32_t get32(kit *k, unsigned x, unsigned y, unsigned address)
{
    uint32_t v;
    memcpy(&v, tw__wse_memory(k->w, x, y) + address, 4);
    return v;
}
static inline void put32(kit *k, unsigned x, unsigned y, unsigned address, uint32_t value)
{
    memcpy(tw__wse_memory(k->w, x, y) + address, &value, 4);
}
static inline float getf(kit *k, unsigned x, unsigned y, unsigned address)
{
    float v;
    memcpy(&v, tw__wse_memory(k->w, x, y) + address, 4);
    return v;
}
static inline void putf(kit *k, unsigned x, unsigned y, unsigned address, float value)
{
    memcpy(tw__wse_memory(k->w, x, y) + address, &value, 4);
}

/* Builds `main` (function 0) as local task 8, active from the start, around what the caller emits. */
static inline void kit_main(kit *k)
{
    uint32_t f = kit_function(k, "main", 0, 0);
    kit_task(k, TW__CSL_TASK_LOCAL, 8, f, 0, false);
    kit_init(k, TW__CSL_INIT_ACTIVE, 8);
}

#endif
