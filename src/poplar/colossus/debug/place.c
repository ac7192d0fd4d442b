/* SPDX-License-Identifier: MIT */
/* Where code and variables are: ranges of addresses, lists of places, expressions (DWARF 4, chapters 2.5, 2.6,
 * 2.17). */
#include "poplar/colossus/debug/debug.h"

#include <string.h>

enum { MOST_STACK = 64, MOST_STEPS = 1000, MOST_LINKS = 64, REGISTERS = 32 };

/* --- entries ---------------------------------------------------------------------------------------------------- */

const tw__die *tw__die_whole(const tw_debug *d, const tw__die *die)
{
    for (unsigned n = 0; n < MOST_LINKS && die->origin; n++) die = &d->dies[die->origin];
    return die;
}

static const tw__die *place_declared(const tw_debug *d, const tw__die *die)
{
    die = tw__die_whole(d, die);
    return die->specification ? &d->dies[die->specification] : die;
}

const char *tw__die_name(const tw_debug *d, const tw__die *die)
{
    const tw__die *whole = tw__die_whole(d, die);
    return whole->name ? whole->name : place_declared(d, die)->name;
}

const tw__die *tw__die_record(const tw_debug *d, const tw__die *function)
{
    const tw__die *up = &d->dies[place_declared(d, function)->parent];
    return up->tag == TW__TAG_CLASS || up->tag == TW__TAG_STRUCT || up->tag == TW__TAG_UNION ? up : NULL;
}

const tw__die *tw__die_type(const tw_debug *d, const tw__die *die)
{
    uint32_t type = die ? tw__die_whole(d, die)->type : 0;
    for (unsigned n = 0; type && n < MOST_LINKS; n++) {
        const tw__die *t = &d->dies[type];
        bool is_same = t->tag == TW__TAG_TYPEDEF || t->tag == TW__TAG_CONST || t->tag == TW__TAG_VOLATILE ||
                       t->tag == TW__TAG_RESTRICT;
        if (!is_same) return t;
        type = t->type;
    }
    return NULL;
}

uint32_t tw__die_size(const tw_debug *d, const tw__die *type)
{
    uint64_t times = 1;
    for (unsigned n = 0; type && type->tag == TW__TAG_ARRAY && n < MOST_LINKS; n++) {
        for (uint32_t i = type->first; i; i = d->dies[i].next) {
            uint64_t count = d->dies[i].has_count ? (uint64_t)d->dies[i].value : 0;
            times = count <= UINT32_MAX && times <= UINT32_MAX ? times * count : 0;
        }
        type = tw__die_type(d, type);
    }
    uint64_t size = type ? times * type->size : 0;
    return times <= UINT32_MAX && size <= UINT32_MAX ? (uint32_t)size : 0;
}

/* Whether a list in .debug_ranges holds an address. */
static bool in_list(const tw_debug *d, uint32_t offset, uint32_t address)
{
    tw__bytes b = d->ranges;
    uint32_t base = 0;
    if (!b.at || !tw__bytes_skip(&b, offset)) return false;
    while (!b.is_bad) {
        uint32_t from = (uint32_t)tw__bytes_number(&b, 4), to = (uint32_t)tw__bytes_number(&b, 4);
        if (b.is_bad || (!from && !to)) return false;
        if (from == UINT32_MAX)
            base = to;
        else if (address - base >= from && address - base < to)
            return true;
    }
    return false;
}

bool tw__die_covers(const tw_debug *d, const tw__die *die, uint32_t address)
{
    if (die->has_ranges) return in_list(d, die->ranges, address);
    return die->has_low && address >= die->low && address < die->high;
}

uint32_t tw__die_start(const tw_debug *d, const tw__die *die)
{
    tw__bytes b = d->ranges;
    if (!die->has_ranges) return die->has_low && die->low != UINT32_MAX ? die->low : 0;
    if (!b.at || !tw__bytes_skip(&b, die->ranges)) return 0;
    uint32_t from = (uint32_t)tw__bytes_number(&b, 4), to = (uint32_t)tw__bytes_number(&b, 4), base = 0;
    if (from == UINT32_MAX) {
        base = to;
        from = (uint32_t)tw__bytes_number(&b, 4);
    }
    return b.is_bad || base == 1 ? 0 : base + from;
}

/* The expression that holds at an address; at NULL: none. */
static tw__bytes find_expression(const tw_debug *d, const tw__die *die, uint32_t address)
{
    tw__bytes none = { 0 }, b = d->loc;
    if (!die->has_list) return die->place;
    uint32_t base = 0;
    if (!b.at || !tw__bytes_skip(&b, die->list)) return none;
    while (!b.is_bad) {
        uint32_t from = (uint32_t)tw__bytes_number(&b, 4), to = (uint32_t)tw__bytes_number(&b, 4);
        if (b.is_bad || (!from && !to)) return none;
        if (from == UINT32_MAX) {
            base = to;
            continue;
        }
        uint64_t length = tw__bytes_number(&b, 2);
        const uint8_t *at = tw__bytes_skip(&b, length);
        if (at && address - base >= from && address - base < to) return (tw__bytes){ at, at + length, false };
    }
    return none;
}

/* --- expressions ------------------------------------------------------------------------------------------------ */

typedef struct machine {
    const tw__look *look;
    tw__bytes b;
    uint32_t stack[MOST_STACK];
    unsigned depth, steps;
    enum { NOWHERE, MEMORY, REGISTER, NUMBER, BYTES } kind; /* of the simple place read last */
    unsigned reg;
    tw__bytes bytes;
    bool is_bad;
} machine;

static void place_push(machine *m, uint32_t number)
{
    if (m->depth == MOST_STACK)
        m->is_bad = true;
    else
        m->stack[m->depth++] = number;
}

static uint32_t pop(machine *m)
{
    if (m->depth) return m->stack[--m->depth];
    m->is_bad = true;
    return 0;
}

static uint32_t reg_value(machine *m, unsigned number)
{
    const tw_debug_state *state = m->look->state;
    uint32_t value = 0;
    if (!state->get_register || !state->get_register(state->user, number, &value)) m->is_bad = true;
    return value;
}

static bool read_memory(const tw__look *look, uint32_t at, void *bytes, uint32_t count)
{
    return look->state->read && look->state->read(look->state->user, at, bytes, count);
}

static uint32_t memory_word(machine *m, uint32_t at, unsigned count)
{
    uint8_t bytes[4] = { 0 };
    if (count > 4 || !read_memory(m->look, at, bytes, count)) m->is_bad = true;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void place_calculate(machine *m, unsigned op)
{
    uint32_t y = pop(m), x = pop(m), result = 0;
    switch (op) {
    case 0x1a: result = x & y; break;
    case 0x1b: result = y && !(x == 0x80000000 && y == UINT32_MAX) ? (uint32_t)((int32_t)x / (int32_t)y) : 0; break;
    case 0x1c: result = x - y; break;
    case 0x1d: result = y ? x % y : 0; break;
    case 0x1e: result = x * y; break;
    case 0x21: result = x | y; break;
    case 0x22: result = x + y; break;
    case 0x24: result = y < 32 ? x << y : 0; break;
    case 0x25: result = y < 32 ? x >> y : 0; break;
    case 0x26: result = (uint32_t)((int64_t)(int32_t)x >> MIN(y, 31)); break;
    case 0x27: result = x ^ y; break;
    case 0x29: result = x == y; break;
    case 0x2a: result = (int32_t)x >= (int32_t)y; break;
    case 0x2b: result = (int32_t)x > (int32_t)y; break;
    case 0x2c: result = (int32_t)x <= (int32_t)y; break;
    case 0x2d: result = (int32_t)x < (int32_t)y; break;
    case 0x2e: result = x != y; break;
    default: m->is_bad = true;
    }
    place_push(m, result);
}

static void constant(machine *m, unsigned op) /* DW_OP_const1u to consts */
{
    static const uint8_t bytes[] = { 1, 1, 2, 2, 4, 4, 8, 8 };
    if (op >= 0x10) {
        place_push(m, op == 0x10 ? (uint32_t)tw__bytes_leb(&m->b) : (uint32_t)tw__bytes_sleb(&m->b));
        return;
    }
    unsigned count = bytes[op - 8];
    uint64_t number = tw__bytes_number(&m->b, count);
    if (op & 1 && count < 8) number = (uint64_t)((int64_t)(number << (64 - 8 * count)) >> (64 - 8 * count));
    place_push(m, (uint32_t)number);
}

static void place_operation(machine *m, unsigned op)
{
    uint32_t x = 0;
    m->kind = MEMORY;
    if (op >= 0x30 && op <= 0x4f) {
        place_push(m, op - 0x30);
    } else if (op >= 0x50 && op <= 0x6f) {
        m->kind = REGISTER, m->reg = op - 0x50;
    } else if (op >= 0x70 && op <= 0x8f) {
        int64_t offset = tw__bytes_sleb(&m->b);
        place_push(m, reg_value(m, op - 0x70) + (uint32_t)offset);
    } else if (op >= 0x08 && op <= 0x11) {
        constant(m, op);
    } else {
        switch (op) {
        case 0x03: place_push(m, (uint32_t)tw__bytes_number(&m->b, 4)); break;
        case 0x06: x = pop(m), place_push(m, memory_word(m, x, 4)); break;
        case 0x12: x = pop(m), place_push(m, x), place_push(m, x); break;
        case 0x13: pop(m); break;
        case 0x1f: place_push(m, 0 - pop(m)); break;
        case 0x20: place_push(m, ~pop(m)); break;
        case 0x23: place_push(m, pop(m) + (uint32_t)tw__bytes_leb(&m->b)); break;
        case 0x94: x = pop(m), place_push(m, memory_word(m, x, (unsigned)tw__bytes_number(&m->b, 1))); break;
        case 0x96: break;
        case 0x9c: /* DW_OP_call_frame_cfa */
            m->is_bad = !tw__frame_cfa(m->look, &x) || m->is_bad;
            place_push(m, x);
            break;
        case 0x9e: {
            uint64_t length = tw__bytes_leb(&m->b);
            const uint8_t *at = tw__bytes_skip(&m->b, length);
            m->kind = BYTES;
            if (at) m->bytes = (tw__bytes){ at, at + length, false };
            break;
        }
        case 0x9f: m->kind = NUMBER; break;
        default: place_calculate(m, op);
        }
    }
}

/* Up to the end of a simple place: the end, or a piece. False: it is no place. */
static bool simple_place(machine *m)
{
    m->kind = NOWHERE, m->depth = 0;
    while (m->b.at < m->b.end && *m->b.at != 0x93) {
        if (++m->steps > MOST_STEPS) m->is_bad = true;
        place_operation(m, (unsigned)tw__bytes_number(&m->b, 1));
        if (m->is_bad || m->b.is_bad) return false;
    }
    if ((m->kind == MEMORY || m->kind == NUMBER) && !m->depth) return false;
    return true;
}

static void put_bytes(tw__value *value, uint32_t at, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count && at + i < value->size; i++) {
        value->bytes[at + i] = bytes[i];
        value->known[at + i] = 1;
    }
}

static void place_put_word(tw__value *value, uint32_t at, uint32_t word, uint32_t count)
{
    uint8_t bytes[4] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24) };
    put_bytes(value, at, bytes, MIN(count, 4));
}

/* What is at the place goes into bytes at..at + count of the value. */
static void copy_place(machine *m, tw__value *value, uint32_t at, uint32_t count)
{
    if (at >= value->size) return;
    count = MIN(count, value->size - at);
    if (m->kind == REGISTER) {
        uint32_t word = reg_value(m, m->reg);
        if (!m->is_bad) place_put_word(value, at, word, count);
    } else if (m->kind == NUMBER) {
        place_put_word(value, at, pop(m), count);
    } else if (m->kind == BYTES && m->bytes.at) {
        put_bytes(value, at, m->bytes.at, MIN(count, (uint32_t)(m->bytes.end - m->bytes.at)));
    } else if (m->kind == MEMORY && m->depth) {
        if (read_memory(m->look, m->stack[m->depth - 1], value->bytes + at, count))
            memset(value->known + at, 1, count);
    }
    m->is_bad = false;
}

bool tw__place_find(const tw__look *look, const tw__die *variable, tw__value *value)
{
    const tw__die *type = tw__die_type(look->d, variable);
    *value = (tw__value){ .type = type, .size = tw__die_size(look->d, type) };
    machine m = { .look = look, .b = find_expression(look->d, variable, look->state->pc) };
    if (!m.b.at || m.b.at == m.b.end || !simple_place(&m)) return false;
    if (m.kind == MEMORY && m.b.at == m.b.end) {
        value->in_memory = true;
        value->address = m.stack[m.depth - 1];
        return true;
    }
    if (value->size > TW__MOST_VALUE) return false;
    value->bytes = tw__arena_zalloc(look->arena, value->size + 1, 1);
    value->known = tw__arena_zalloc(look->arena, value->size + 1, 1);
    if (!value->bytes || !value->known) return false;
    if (m.b.at == m.b.end) {
        copy_place(&m, value, 0, value->size);
        return true;
    }
    for (uint64_t at = 0; m.b.at < m.b.end && at < value->size;) {
        tw__bytes_number(&m.b, 1);
        uint64_t count = tw__bytes_leb(&m.b);
        copy_place(&m, value, (uint32_t)at, (uint32_t)MIN(count, value->size));
        at += MIN(count, value->size);
        if (m.b.at < m.b.end && !simple_place(&m)) return false;
    }
    return true;
}

bool tw__value_get(const tw__look *look, const tw__value *value, uint32_t at, void *bytes, uint32_t count)
{
    if (value->in_memory) return read_memory(look, value->address + at, bytes, count);
    if (!value->bytes || at > value->size || count > value->size - at) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!value->known[at + i]) return false;
    memcpy(bytes, value->bytes + at, count);
    return true;
}
