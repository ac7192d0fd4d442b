/* SPDX-License-Identifier: MIT */
/* interp: the scalar code of a task, from one point where it has to wait to the next.
 *
 * Cycles are not counted per instruction. phi(i) is what all instructions before i in the program would cost in a
 * row; `left` is the budget plus phi of where we are, so straight code changes nothing and a jump adds phi(target)
 * minus phi(after the jump). What is left at instruction i is left - phi(i). */
#include "csl/wse/pe/pe.h"
#include "core/type/convert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 4096, MOST_REGISTERS = 1 << 20, PRINT_TIME = 1 << 24 };

bool tw__wse_need_registers(tw__part *part, tw__pe *pe, uint32_t end)
{
    if (end <= pe->reg_room) return true;
    if (end > MOST_REGISTERS) {
        tw__wse_fault(part, pe, "wse.stack", "call stack overflow: %u registers", end);
        return false;
    }
    uint32_t room = end + end / 2 + 16;
    uint64_t *regs = tw__realloc(pe->regs, room * sizeof *regs);
    if (!regs) {
        part->no_memory = true;
        tw__wse_fault(part, pe, "wse.memory", "out of host memory");
        return false;
    }
    memset(regs + pe->reg_room, 0, (room - pe->reg_room) * sizeof *regs);
    pe->regs = regs;
    pe->reg_room = room;
    return true;
}

bool tw__wse_need_frame(tw__part *part, tw__pe *pe)
{
    if (pe->depth < pe->frame_room) return true;
    if (pe->depth >= MOST_FRAMES) {
        tw__wse_fault(part, pe, "wse.stack", "call stack overflow: more than %d calls inside each other",
                      MOST_FRAMES);
        return false;
    }
    uint32_t room = pe->frame_room ? pe->frame_room * 2 : 4;
    tw__frame *frames = tw__realloc(pe->frames, room * sizeof *frames);
    if (!frames) {
        part->no_memory = true;
        tw__wse_fault(part, pe, "wse.memory", "out of host memory");
        return false;
    }
    pe->frames = frames;
    pe->frame_room = room;
    return true;
}

bool tw__wse_pe_enter(tw__part *part, tw__pe *pe, uint32_t function, const uint64_t *args, unsigned count)
{
    const tw__csl_program *p = pe->program->program;
    const tw__csl_function_code *f = &p->functions[function];
    pe->depth = 0;
    pe->base = 0;
    pe->pc = f->entry;
    pe->entered = function;
    pe->stack = p->stack_address;
    pe->stack_end = pe->stack + f->stack_bytes;
    uint32_t need = f->registers > count ? f->registers : count;
    if (!tw__wse_need_registers(part, pe, need)) return false;
    if (count) memcpy(pe->regs, args, count * sizeof *args);
    if (f->stack_bytes > p->stack_bytes) {
        tw__wse_fault(part, pe, "wse.stack", "stack overflow in PE memory: '%s' needs %u bytes, the stack has %u",
                      f->name, f->stack_bytes, p->stack_bytes);
        return false;
    }
    return true;
}

/* Enters the callee; false after a fault. */
static bool call(tw__part *part, tw__pe *pe, uint32_t function, uint32_t back, uint32_t window)
{
    const tw__csl_program *p = pe->program->program;
    const tw__csl_function_code *f = &p->functions[function];
    if (!tw__wse_need_frame(part, pe) || !tw__wse_need_registers(part, pe, pe->base + window + f->registers))
        return false;
    tw__frame *frame = &pe->frames[pe->depth++];
    *frame = (tw__frame){ back, pe->base, pe->stack };
    pe->base += window;
    pe->stack = pe->stack_end;
    pe->stack_end += f->stack_bytes;
    pe->pc = f->entry;
    if (pe->stack_end > p->stack_address + p->stack_bytes) {
        tw__wse_fault(part, pe, "wse.stack", "stack overflow in PE memory: '%s' needs %u bytes, %u are left of %u",
                      f->name, f->stack_bytes, p->stack_address + p->stack_bytes - pe->stack, p->stack_bytes);
        return false;
    }
    return true;
}

/* Enters the callee in the frame of the function that is left; false after a fault. */
static bool take_over(tw__part *part, tw__pe *pe, uint32_t function, uint32_t window)
{
    const tw__csl_program *p = pe->program->program;
    const tw__csl_function_code *f = &p->functions[function];
    uint32_t need = window + f->params > f->registers ? window + f->params : f->registers;
    if (!tw__wse_need_registers(part, pe, pe->base + need)) return false;
    uint64_t *r = pe->regs + pe->base;
    memmove(r, r + window, f->params * sizeof *r);
    pe->stack_end = pe->stack + f->stack_bytes;
    pe->pc = f->entry;
    if (pe->stack_end <= p->stack_address + p->stack_bytes) return true;
    tw__wse_fault(part, pe, "wse.stack", "stack overflow in PE memory: '%s' needs %u bytes, %u are left of %u",
                  f->name, f->stack_bytes, p->stack_address + p->stack_bytes - pe->stack, p->stack_bytes);
    return false;
}

/* --- typed arithmetic ----------------------------------------------------------------------------------------- */

#define WRAP_U8(v)  ((uint64_t)(uint8_t)(v))
#define WRAP_I8(v)  ((uint64_t)(int64_t)(int8_t)(v))
#define WRAP_U16(v) ((uint64_t)(uint16_t)(v))
#define WRAP_I16(v) ((uint64_t)(int64_t)(int16_t)(v))
#define WRAP_U32(v) ((uint64_t)(uint32_t)(v))
#define WRAP_I32(v) ((uint64_t)(int64_t)(int32_t)(v))
#define WRAP_U64(v) ((uint64_t)(v))
#define WRAP_I64(v) ((uint64_t)(v))
#define SIGNED_U8   0
#define SIGNED_I8   1
#define SIGNED_U16  0
#define SIGNED_I16  1
#define SIGNED_U32  0
#define SIGNED_I32  1
#define SIGNED_U64  0
#define SIGNED_I64  1

static inline uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool rest)
{
    if (!is_signed) return rest ? a % b : a / b;
    if ((int64_t)b == -1) return rest ? 0 : 0 - a;
    return (uint64_t)(rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static inline float f32(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}
static inline uint64_t of_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value) bits = 0x7fc00000; /* NaN results are the positive quiet NaN, as in core/vec */
    return bits;
}
static float other_f32(tw_type type, uint64_t bits)
{
    uint16_t half = (uint16_t)bits;
    float value = 0;
    tw_convert(TW_F32, &value, type, &half, (tw_convert_mode){ 0 }, 0);
    return value;
}
static uint64_t other_of(tw_type type, double value)
{
    uint16_t half = 0;
    tw_convert(type, &half, TW_F64, &value, (tw_convert_mode){ 0 }, 0);
    return half;
}
#define READ_F32(v)      f32(v)
#define READ_F16(v)      tw__f16_to_f32((uint16_t)(v))
#define READ_BF16(v)     tw__bf16_to_f32((uint16_t)(v))
#define READ_CB16(v)     other_f32(TW_CB16, (v))
#define WRITE_F32(v)     of_f32((float)(v))
#define WRITE_F16(v)     ((uint64_t)tw__f32_to_f16((v), TW_ROUND_NEAREST_EVEN, TW_SAT_NONE, 0))
#define WRITE_BF16(v)    other_of(TW_BF16, (double)(v))
#define WRITE_CB16(v)    other_of(TW_CB16, (double)(v))
#define FROM_INT_F32(v)  of_f32((float)(v))
#define FROM_INT_F16(v)  ((uint64_t)tw_f64_to_f16((double)(v), TW_ROUND_NEAREST_EVEN, 0))
#define FROM_INT_BF16(v) other_of(TW_BF16, (double)(v))
#define FROM_INT_CB16(v) other_of(TW_CB16, (double)(v))
#define SIGN_F32         0x80000000u
#define SIGN_F16         0x8000u
#define SIGN_BF16        0x8000u
#define SIGN_CB16        0x8000u

static uint64_t truncated(float value, int bits, bool is_signed)
{
    if (value != value) return 0;
    double v = trunc((double)value), high = ldexp(1, is_signed ? bits - 1 : bits), low = is_signed ? -high : 0;
    if (v >= high) return is_signed ? (uint64_t)INT64_MAX >> (64 - bits) : UINT64_MAX >> (64 - bits);
    if (v < low) v = low;
    return is_signed ? (uint64_t)(int64_t)v : (uint64_t)v;
}
#define BITS_U8  8
#define BITS_I8  8
#define BITS_U16 16
#define BITS_I16 16
#define BITS_U32 32
#define BITS_I32 32
#define BITS_U64 64
#define BITS_I64 64

/* --- memory --------------------------------------------------------------------------------------------------- */

#define SIZE_U8  1u
#define SIZE_I8  1u
#define SIZE_U16 2u
#define SIZE_I16 2u
#define SIZE_U32 4u
#define SIZE_I32 4u
#define SIZE_U64 8u
#define C_U8     uint8_t
#define C_I8     int8_t
#define C_U16    uint16_t
#define C_I16    int16_t
#define C_U32    uint32_t
#define C_I32    int32_t
#define C_U64    uint64_t

static bool config_access(uint32_t address, unsigned size)
{
    return address >= TW__CSL_CONFIG_AT && size >= 2 && address % 2 == 0 && address + size <= 0x10000;
}

static uint64_t config_load(tw__part *part, tw__pe *pe, uint32_t address, unsigned size)
{
    uint64_t value = 0;
    for (unsigned k = 0; k < size; k += 2)
        value |= (uint64_t)tw__wse_config_get(part, pe, (uint16_t)((address + k) / 2)) << (8 * k);
    return value;
}

static void config_store(tw__part *part, tw__pe *pe, uint32_t address, unsigned size, uint64_t value)
{
    for (unsigned k = 0; k < size; k += 2)
        tw__wse_config_set(part, pe, (uint16_t)((address + k) / 2), (uint16_t)(value >> (8 * k)));
}

/* Of the current frame; NULL while no frame has needed any. */
static uint64_t *registers_of(const tw__pe *pe)
{
    return pe->regs ? pe->regs + pe->base : NULL;
}

static void outside(tw__part *part, tw__pe *pe, const char *what, uint32_t address, unsigned size)
{
    tw__wse_fault(part, pe, "wse.address", "%s of %u bytes at address 0x%04x, outside the %u bytes of PE memory",
                  what, size, address, TW__CSL_PE_BYTES);
}

/* --- the loop ------------------------------------------------------------------------------------------------- */

tw__run tw__wse_pe_run(tw__part *part, tw__pe *pe, uint64_t budget, uint64_t *used)
{
    static const void *const labels[] = {
#define PLAIN(name, operands, cycles) &&do_##name,
        TW__CSL_CODE_PLAIN(PLAIN)
#undef PLAIN
#define TYPED(name, operands, cycles)                                                            \
    &&do_##name##_U8, &&do_##name##_I8, &&do_##name##_U16, &&do_##name##_I16, &&do_##name##_U32, \
        &&do_##name##_I32, &&do_##name##_U64, &&do_##name##_I64,
                TW__CSL_CODE_INT(TYPED)
#undef TYPED
#define TYPED(name, operands, cycles) &&do_##name##_F32, &&do_##name##_F16, &&do_##name##_BF16, &&do_##name##_CB16,
                    TW__CSL_CODE_FLOAT(TYPED)
#undef TYPED
#define TYPED(name, operands, cycles)                                                            \
    &&do_##name##_U8, &&do_##name##_I8, &&do_##name##_U16, &&do_##name##_I16, &&do_##name##_U32, \
        &&do_##name##_I32, &&do_##name##_U64,
                        TW__CSL_CODE_MEM(TYPED)
#undef TYPED
            && do_INDICES,
        &&do_PRINT_BEGIN,
        &&do_PRINT_END,
        &&do_STOP,
    };
    const tw__dinsn *const code = pe->program->code;
    const tw__dinsn *i = code + pe->pc, *next;
    uint64_t *r = registers_of(pe);
    uint8_t *const memory = pe->memory;
    const uint64_t *const consts = pe->program->program->consts;
    const uint64_t *const pool = pe->pool;
    const int64_t start = (int64_t)budget + i->phi;
    int64_t left = start;
    const unsigned taken = tw__wse_figure(part, TW__WSE_M_BRANCH_TAKEN);
    tw__run why;
    uint32_t address, cost = 0;
    tw__slow slow;
    tw__dinsn behind;

#define GO goto *labels[i->op]
#define NEXT \
    do {     \
        i++; \
        GO;  \
    } while (0)
#define USED(at) ((uint64_t)((int64_t)budget - (left - (at)->phi)))
#define STOP(w)    \
    do {           \
        why = (w); \
        goto stop; \
    } while (0)
#define FAULT                          \
    do {                               \
        pe->pc = (uint32_t)(i - code); \
        why = TW__RUN_FAULT;           \
        goto stop;                     \
    } while (0)
#define JUMP(by)                                           \
    do {                                                   \
        next = i + 1 + (by);                               \
        left += next->phi - (i + 1)->phi - (int64_t)taken; \
        i = next;                                          \
        if (left < next->phi) STOP(TW__RUN_SLICE);         \
        GO;                                                \
    } while (0)
#define SYNC                                  \
    do {                                      \
        if (USED(i) != 0) STOP(TW__RUN_SYNC); \
    } while (0)

    GO;

do_INDICES: { /* and then what stands here */
    const tw__decoded *d = pe->program;
    const tw__index_check *check = &d->checks[d->check_of[i - code]];
    while (r[check->reg] < check->limit) {
        if (!check->more) goto *labels[check->op];
        check++;
    }
    pe->pc = (uint32_t)(i - code);
    if (!tw__wse_index_outside(part, pe, r)) FAULT;
    goto *labels[check->op];
}
do_STOP: /* a debugger looks at it; and then what stands here */
    pe->pc = (uint32_t)(i - code);
    why = tw__wse_stop_before(part, pe, pe->printing ? pe->print_cycle : part->now + USED(i));
    if (why != TW__RUN_SLICE) goto stop;
    if (pe->pc != (uint32_t)(i - code)) { /* it goes on elsewhere, as if it had come there by itself */
        left += (code + pe->pc)->phi - i->phi;
        i = code + pe->pc;
        GO;
    }
    goto *labels[pe->program->behind[i - code]];
/* The host formats and writes: what the program does for it between these costs nothing but so much a line. `left`
 * is raised by more than any text takes. */
do_PRINT_BEGIN:
    if (pe->printing++ == 0) {
        pe->print_left = left - i->phi;
        pe->print_cycle = part->now + USED(i);
        pe->print_lines = 0;
        left += PRINT_TIME;
    }
    NEXT;
do_PRINT_END:
    if (pe->printing && --pe->printing == 0)
        left = pe->print_left + i->phi - (int64_t)pe->print_lines * tw__wse_figure(part, TW__WSE_M_PRINT_LINE);
    NEXT;
do_NOP:
    NEXT;
do_MOV:
    r[i->a] = r[i->b];
    NEXT;
do_MOV2: {
    uint64_t low = r[i->b], high = r[i->b + 1];
    r[i->a] = low;
    r[i->a + 1] = high;
}
    NEXT;
do_LDI:
    r[i->a] = (uint64_t)(int64_t)i->x;
    NEXT;
do_LDK:
    r[i->a] = consts[i->x];
    NEXT;
do_LDK2:
    r[i->a] = consts[i->x];
    r[i->a + 1] = consts[i->x + 1];
    NEXT;
do_LDP:
    r[i->a] = pool[i->x];
    NEXT;
do_LDP2:
    r[i->a] = pool[i->x];
    r[i->a + 1] = pool[i->x + 1];
    NEXT;
do_AND:
    r[i->a] = r[i->b] & r[i->c];
    NEXT;
do_OR:
    r[i->a] = r[i->b] | r[i->c];
    NEXT;
do_XOR:
    r[i->a] = r[i->b] ^ r[i->c];
    NEXT;
do_SHR:
    r[i->a] = r[i->c] < 64 ? r[i->b] >> r[i->c] : 0;
    NEXT;
do_SAR:
    r[i->a] = (uint64_t)((int64_t)r[i->b] >> (r[i->c] < 64 ? r[i->c] : 63));
    NEXT;
do_ANDI:
    r[i->a] = r[i->b] & i->c;
    NEXT;
do_SHRI:
    r[i->a] = i->c < 64 ? r[i->b] >> i->c : 0;
    NEXT;
do_SARI:
    r[i->a] = (uint64_t)((int64_t)r[i->b] >> (i->c < 64 ? i->c : 63));
    NEXT;
do_LNOT:
    r[i->a] = !r[i->b];
    NEXT;
do_UDIVC:
    r[i->a] = r[i->b] / i->c;
    NEXT;
do_UREMC:
    r[i->a] = r[i->b] % i->c;
    NEXT;
do_SDIVC:
    r[i->a] = (uint64_t)((int64_t)r[i->b] / (int64_t)i->c);
    NEXT;
do_SREMC:
    r[i->a] = (uint64_t)((int64_t)r[i->b] % (int64_t)i->c);
    NEXT;
do_CMOV:
    r[i->a] = r[i->c] ? r[i->b] : r[i->a];
    NEXT;
do_CMOVN:
    r[i->a] = r[i->c] ? r[i->a] : r[i->b];
    NEXT;
do_EQ:
    r[i->a] = r[i->b] == r[i->c];
    NEXT;
do_NE:
    r[i->a] = r[i->b] != r[i->c];
    NEXT;
do_LTS:
    r[i->a] = (int64_t)r[i->b] < (int64_t)r[i->c];
    NEXT;
do_LES:
    r[i->a] = (int64_t)r[i->b] <= (int64_t)r[i->c];
    NEXT;
do_LTU:
    r[i->a] = r[i->b] < r[i->c];
    NEXT;
do_LEU:
    r[i->a] = r[i->b] <= r[i->c];
    NEXT;
do_JMP:
    JUMP(i->x);
do_JT:
    if (r[i->a]) JUMP(i->x);
    NEXT;
do_JF:
    if (!r[i->a]) JUMP(i->x);
    NEXT;
do_JEQ:
    if (r[i->a] == r[i->b]) JUMP(i->x);
    NEXT;
do_JNE:
    if (r[i->a] != r[i->b]) JUMP(i->x);
    NEXT;
do_JLTS:
    if ((int64_t)r[i->a] < (int64_t)r[i->b]) JUMP(i->x);
    NEXT;
do_JLES:
    if ((int64_t)r[i->a] <= (int64_t)r[i->b]) JUMP(i->x);
    NEXT;
do_JLTU:
    if (r[i->a] < r[i->b]) JUMP(i->x);
    NEXT;
do_JLEU:
    if (r[i->a] <= r[i->b]) JUMP(i->x);
    NEXT;

do_CALL:
    if (!call(part, pe, (uint32_t)i->x, (uint32_t)(i - code) + 1, i->a)) FAULT;
    goto entered;
do_TAIL:
    if (!take_over(part, pe, (uint32_t)i->x, i->a)) FAULT;
    left -= (int64_t)taken;
    goto entered;
do_CALLI: {
    uint64_t function = r[i->b];
    if (function >= pe->program->program->function_count ||
        pe->program->program->functions[function].params != i->c) {
        pe->pc = (uint32_t)(i - code);
        tw__wse_fault(part, pe, "wse.call",
                      "call of function value %llu, which is no function with %u register(s) of parameters",
                      (unsigned long long)function, i->c);
        FAULT;
    }
    if (!call(part, pe, (uint32_t)function, (uint32_t)(i - code) + 1, i->a)) FAULT;
}
entered:
    next = code + pe->pc;
    left += next->phi - (i + 1)->phi;
    i = next;
    r = registers_of(pe);
    if (left < i->phi) STOP(TW__RUN_SLICE);
    GO;
do_RET:
    if (pe->depth == 0) STOP(TW__RUN_END); /* costs nothing: the end of the task does */
    {
        const tw__frame *frame = &pe->frames[--pe->depth];
        next = code + frame->pc;
        if (pe->map && pe->map->called && pe->map->depth == pe->depth && pe->map->pc == frame->pc)
            left += (i + 1)->phi - i->phi; /* nor does the callback's */
        pe->base = frame->base;
        pe->stack_end = pe->stack;
        pe->stack = frame->stack;
        left += next->phi - (i + 1)->phi;
        i = next;
        r = registers_of(pe);
        GO;
    }

do_LEA:
    r[i->a] = (pe->stack + (uint32_t)i->x) & 0xffff;
    NEXT;
do_DSDOP: {
    const tw__decoded_use *use = &pe->program->uses[i->x];
    pe->pc = (uint32_t)(i - code);
    if (use->simple) {
        if (tw__wse_dsd_simple(part, pe, use, r, &cost)) {
            left -= cost;
            pe->busy = part->now + USED(i + 1);
            r[i->a] = 1;
            NEXT;
        }
        if (pe->main_state == TW__MAIN_FAULT) FAULT;
    }
    SYNC;
    slow = tw__wse_dsd_issue(part, pe, i, r, part->now, &cost);
    goto after_slow;
}
do_MAP:
    SYNC;
    pe->pc = (uint32_t)(i - code);
    slow = tw__wse_pe_map(part, pe, i, r, (uint32_t)(i - code));
    cost = tw__wse_figure(part, TW__WSE_M_MAP_STEP);
    if (slow == TW__SLOW_CALL) {
        left += (code + pe->pc)->phi - i->phi - (int64_t)cost;
        i = code + pe->pc;
        r = registers_of(pe);
        GO;
    }
    goto after_slow;
do_GET_CONFIG:
do_SET_CONFIG:
do_QUEUE_FLUSH:
    SYNC;
    goto slowly;
do_SYS:
do_LDDSD:
do_STDSD:
do_LDDSDA:
do_STDSDA:
do_COPY:
do_FILL:
do_DSD_BASE:
do_DSD_OFFSET16:
do_DSD_OFFSET32:
do_DSD_LENGTH:
do_DSD_STRIDE:
do_DSD_COLOR:
do_DSD_QUEUE:
do_LOAD_DSR:
do_FIFO_READ_LENGTH:
do_FIFO_WRITE_LENGTH:
do_ACTIVATE:
do_BLOCK:
do_UNBLOCK:
do_ASSERT:
do_RANDOM16:
do_SET_PRNG:
do_TRAP:
slowly:
    pe->pc = (uint32_t)(i - code);
    cost = 0;
    behind = *i; /* the machine looks at what it is, and it may stand behind the check of an index */
    if (i->op >= TW__CSL_OPS) behind.op = tw__wse_op_behind(pe->program, (uint32_t)(i - code));
    slow = tw__wse_pe_slow(part, pe, &behind, r, part->now + USED(i), &cost);
after_slow:
    left -= cost;
    if (slow == TW__SLOW_NEXT) NEXT;
    if (slow == TW__SLOW_FAULT) FAULT;
    STOP(TW__RUN_WAIT); /* pc is that of the instruction that waits, or of the next one: set by who decided */

#define INT_OPS(T)                                                                \
    do_ADD_##T : r[i->a] = WRAP_##T(r[i->b] + r[i->c]);                           \
    NEXT;                                                                         \
    do_SUB_##T : r[i->a] = WRAP_##T(r[i->b] - r[i->c]);                           \
    NEXT;                                                                         \
    do_MUL_##T : r[i->a] = WRAP_##T(r[i->b] * r[i->c]);                           \
    NEXT;                                                                         \
    do_DIV_##T : if (!r[i->c]) goto by_zero;                                      \
    r[i->a] = WRAP_##T(divide(r[i->b], r[i->c], SIGNED_##T, false));              \
    NEXT;                                                                         \
    do_REM_##T : if (!r[i->c]) goto by_zero;                                      \
    r[i->a] = WRAP_##T(divide(r[i->b], r[i->c], SIGNED_##T, true));               \
    NEXT;                                                                         \
    do_SHL_##T : r[i->a] = r[i->c] < 64 ? WRAP_##T(r[i->b] << r[i->c]) : 0;       \
    NEXT;                                                                         \
    do_ADDI_##T : r[i->a] = WRAP_##T(r[i->b] + (uint64_t)(int64_t)(int16_t)i->c); \
    NEXT;                                                                         \
    do_MULI_##T : r[i->a] = WRAP_##T(r[i->b] * (uint64_t)(int64_t)(int16_t)i->c); \
    NEXT;                                                                         \
    do_SHLI_##T : r[i->a] = i->c < 64 ? WRAP_##T(r[i->b] << i->c) : 0;            \
    NEXT;                                                                         \
    do_NEG_##T : r[i->a] = WRAP_##T(0 - r[i->b]);                                 \
    NEXT;                                                                         \
    do_NOT_##T : r[i->a] = WRAP_##T(~r[i->b]);                                    \
    NEXT;                                                                         \
    do_WRAP_##T : r[i->a] = WRAP_##T(r[i->b]);                                    \
    NEXT;                                                                         \
    do_TRUNC_##T : r[i->a] = truncated(f32(r[i->b]), BITS_##T, SIGNED_##T);       \
    NEXT;
    TW__CSL_INT_TYPES(INT_OPS)

#define FLOAT_OPS(T)                                                          \
    do_FADD_##T : r[i->a] = WRITE_##T(READ_##T(r[i->b]) + READ_##T(r[i->c])); \
    NEXT;                                                                     \
    do_FSUB_##T : r[i->a] = WRITE_##T(READ_##T(r[i->b]) - READ_##T(r[i->c])); \
    NEXT;                                                                     \
    do_FMUL_##T : r[i->a] = WRITE_##T(READ_##T(r[i->b]) * READ_##T(r[i->c])); \
    NEXT;                                                                     \
    do_FDIV_##T : r[i->a] = WRITE_##T(READ_##T(r[i->b]) / READ_##T(r[i->c])); \
    NEXT;                                                                     \
    do_FNEG_##T : r[i->a] = r[i->b] ^ SIGN_##T;                               \
    NEXT;                                                                     \
    do_FEQ_##T : r[i->a] = READ_##T(r[i->b]) == READ_##T(r[i->c]);            \
    NEXT;                                                                     \
    do_FNE_##T : r[i->a] = READ_##T(r[i->b]) != READ_##T(r[i->c]);            \
    NEXT;                                                                     \
    do_FLT_##T : r[i->a] = READ_##T(r[i->b]) < READ_##T(r[i->c]);             \
    NEXT;                                                                     \
    do_FLE_##T : r[i->a] = READ_##T(r[i->b]) <= READ_##T(r[i->c]);            \
    NEXT;                                                                     \
    do_FROM_INT_##T : r[i->a] = FROM_INT_##T((int64_t)r[i->b]);               \
    NEXT;                                                                     \
    do_FROM_UINT_##T : r[i->a] = FROM_INT_##T(r[i->b]);                       \
    NEXT;                                                                     \
    do_TO32_##T : r[i->a] = of_f32(READ_##T(r[i->b]));                        \
    NEXT;                                                                     \
    do_FROM32_##T : r[i->a] = WRITE_##T(f32(r[i->b]));                        \
    NEXT;
    TW__CSL_FLOAT_TYPES(FLOAT_OPS)

#define LOAD_AT(T, where)                                             \
    do {                                                              \
        address = (uint32_t)(where) & 0xffff;                         \
        if (address + SIZE_##T <= TW__CSL_PE_BYTES) {                 \
            C_##T value;                                              \
            memcpy(&value, memory + address, sizeof value);           \
            r[i->a] = WRAP_##T(value);                                \
            NEXT;                                                     \
        }                                                             \
        pe->pc = (uint32_t)(i - code);                                \
        if (!config_access(address, SIZE_##T)) {                      \
            outside(part, pe, "load", address, SIZE_##T);             \
            FAULT;                                                    \
        }                                                             \
        SYNC;                                                         \
        r[i->a] = WRAP_##T(config_load(part, pe, address, SIZE_##T)); \
        NEXT;                                                         \
    } while (0)
#define STORE_AT(T, where)                                  \
    do {                                                    \
        address = (uint32_t)(where) & 0xffff;               \
        if (address + SIZE_##T <= TW__CSL_PE_BYTES) {       \
            C_##T value = (C_##T)r[i->a];                   \
            memcpy(memory + address, &value, sizeof value); \
            NEXT;                                           \
        }                                                   \
        pe->pc = (uint32_t)(i - code);                      \
        if (!config_access(address, SIZE_##T)) {            \
            outside(part, pe, "store", address, SIZE_##T);  \
            FAULT;                                          \
        }                                                   \
        SYNC;                                               \
        config_store(part, pe, address, SIZE_##T, r[i->a]); \
        NEXT;                                               \
    } while (0)
#define MEM_OPS(T)                                                       \
    do_LD_##T : LOAD_AT(T, r[i->b] + (uint64_t)(int64_t)(int16_t)i->c);  \
    do_ST_##T : STORE_AT(T, r[i->b] + (uint64_t)(int64_t)(int16_t)i->c); \
    do_LDA_##T : LOAD_AT(T, i->x);                                       \
    do_STA_##T : STORE_AT(T, i->x);                                      \
    do_LDX_##T : LOAD_AT(T, r[i->b] + r[i->c] * SIZE_##T);               \
    do_STX_##T : STORE_AT(T, r[i->b] + r[i->c] * SIZE_##T);
    TW__CSL_MEM_TYPES(MEM_OPS)

by_zero:
    pe->pc = (uint32_t)(i - code);
    tw__wse_fault(part, pe, "wse.divide", "division by zero");
    FAULT;
stop:
    if (pe->printing) { /* a text without an end: it takes the time that it took */
        pe->printing = 0;
        left -= PRINT_TIME;
    }
    *used = USED(i);
    part->totals.scalar_cycles += *used;
    if (why != TW__RUN_WAIT && why != TW__RUN_FAULT) pe->pc = (uint32_t)(i - code);
    return why;
}
