/* SPDX-License-Identifier: MIT */
/* service: what library code asks of the machine (code/service.def), one short body each. */
#include "csl/wse/pe/pe.h"

#include <math.h>
#include <string.h>

typedef struct call {
    tw__part *part;
    tw__pe *pe;
    uint64_t *r;
    uint64_t clock;
} call;

static float get_f32(const call *c, unsigned k)
{
    uint32_t bits = (uint32_t)c->r[k];
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void set_f32(const call *c, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    c->r[0] = bits;
}

static unsigned column(const call *c)
{
    return tw__wse_pe_number(c->part, c->pe) % c->part->w->width;
}

static unsigned row(const call *c)
{
    return tw__wse_pe_number(c->part, c->pe) / c->part->w->width;
}

static bool serve_UNBLOCK(const call *c)
{
    c->pe->stream_open = 1;
    tw__wse_wake_engine(c->part, tw__wse_pe_number(c->part, c->pe), c->part->now + 1);
    return true;
}
static bool serve_LAYOUT_X(const call *c)
{
    c->r[0] = column(c);
    return true;
}
static bool serve_LAYOUT_Y(const call *c)
{
    c->r[0] = row(c);
    return true;
}
static bool serve_FABRIC_X(const call *c)
{
    c->r[0] = (uint16_t)(column(c) + c->part->w->image->offset_x);
    return true;
}
static bool serve_FABRIC_Y(const call *c)
{
    c->r[0] = (uint16_t)(row(c) + c->part->w->image->offset_y);
    return true;
}

static bool serve_TSC(const call *c)
{
    uint64_t value = tw__wse_tsc(c->pe, c->clock);
    uint32_t at = (uint32_t)c->r[0] & 0xffff;
    if (at + 6 > TW__CSL_PE_BYTES) {
        tw__wse_fault(c->part, c->pe, "wse.address", "store of 6 bytes at address 0x%04x, outside PE memory", at);
        return false;
    }
    memcpy(c->pe->memory + at, &value, 6);
    return true;
}
static bool serve_TSC_ENABLE(const call *c)
{
    tw__wse_tsc_switch(c->pe, c->clock, true);
    return true;
}
static bool serve_TSC_DISABLE(const call *c)
{
    tw__wse_tsc_switch(c->pe, c->clock, false);
    return true;
}
static bool serve_TSC_RESET(const call *c)
{
    tw__wse_tsc_set(c->pe, c->clock, 0);
    return true;
}

static void print_char(const call *c, char ch)
{
    if (ch == '\n') c->pe->print_lines++;
    tw__wse_print_char(c->part, c->pe, c->pe->printing ? c->pe->print_cycle : c->clock, ch);
}
static bool serve_PUT_CHAR(const call *c)
{
    print_char(c, (char)c->r[0]);
    return true;
}
/* The interpreter's own; where they come otherwise they do nothing. */
static bool serve_PRINT_BEGIN(const call *c)
{
    (void)c;
    return true;
}
static bool serve_PRINT_END(const call *c)
{
    (void)c;
    return true;
}
static void put_number(const call *c, double value)
{
    char text[40];
    g_snprintf(text, sizeof text, "%f", value);
    for (const char *t = text; *t; t++) print_char(c, *t);
}
static bool serve_PUT_F16(const call *c)
{
    put_number(c, (double)tw_f16_to_f32((uint16_t)c->r[0]));
    return true;
}
static bool serve_PUT_F32(const call *c)
{
    put_number(c, (double)get_f32(c, 0));
    return true;
}
static bool serve_PRNG_SEED(const call *c)
{
    c->pe->lfsr = c->r[0];
    return true;
}

/* Elementary functions through core/vec: the same bits on every machine. */
static bool elementary(const call *c, tw_vec_op op, unsigned sources)
{
    tw_type types[] = { TW_F32, TW_F32, TW_F32 };
    tw_vec_kernel kernel;
    if (tw_vec_resolve(op, types, NULL, &kernel) != TW_OK) return false;
    float in[2] = { get_f32(c, 0), sources > 1 ? get_f32(c, 1) : 0 }, out = 0;
    tw_run args[] = { tw_run_of(&out, 4), tw_run_of(&in[0], 4), tw_run_of(&in[1], 4) };
    tw_vec_call(&kernel, 1, args);
    set_f32(c, out);
    return true;
}
static bool serve_SQRT(const call *c)
{
    return elementary(c, TW_VEC_SQRT, 1);
}
static bool serve_EXP(const call *c)
{
    return elementary(c, TW_VEC_EXP, 1);
}
static bool serve_LOG(const call *c)
{
    return elementary(c, TW_VEC_LOG, 1);
}
static bool serve_SIN(const call *c)
{
    return elementary(c, TW_VEC_SIN, 1);
}
static bool serve_COS(const call *c)
{
    return elementary(c, TW_VEC_COS, 1);
}
static bool serve_TANH(const call *c)
{
    return elementary(c, TW_VEC_TANH, 1);
}
static bool serve_POW(const call *c)
{
    return elementary(c, TW_VEC_POW, 2);
}
static bool serve_MESSAGE_INIT(const call *c)
{
    return tw__wse_mail_init(c->part, c->pe);
}
static bool serve_MESSAGE_HEADER(const call *c)
{
    uint32_t header = 0;
    if (!tw__wse_mail_header(c->part, c->pe, (unsigned)c->r[0], (unsigned)c->r[1], (unsigned)c->r[2], &header))
        return false;
    c->r[0] = header;
    return true;
}
static bool serve_MESSAGE_RECEIVE(const call *c)
{
    return tw__wse_mail_ready(c->part, c->pe);
}

/* Declarations never reach the machine as instructions: the verifier refuses them. */
static bool serve_H2D(const call *c)
{
    (void)c;
    return false;
}
static bool serve_D2H(const call *c)
{
    (void)c;
    return false;
}
static bool serve_MESSAGES(const call *c)
{
    (void)c;
    return false;
}
static bool serve_LINK(const call *c)
{
    (void)c;
    return false;
}

bool tw__wse_service(tw__part *part, tw__pe *pe, unsigned number, uint64_t *r, uint64_t clock)
{
    static bool (*const bodies[])(const call *c) = {
#define X(name, text, result, arguments, when, what) serve_##name,
#include "csl/lang/code/service.def"
#undef X
    };
    const call c = { part, pe, r, clock };
    if (number < sizeof bodies / sizeof *bodies && bodies[number](&c)) return true;
    tw__wse_fault(part, pe, "wse.service", "service %u does not exist at run time", number);
    return false;
}
