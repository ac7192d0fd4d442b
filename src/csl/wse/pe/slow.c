/* SPDX-License-Identifier: MIT */
/* slow: instructions outside the inner loop - DSD values, DSRs, FIFO lengths, task ids, configuration, services. */
#include "csl/wse/pe/pe.h"

#include <stdlib.h>
#include <string.h>

static tw__csl_dsd get_dsd(const uint64_t *r, unsigned at)
{
    tw__csl_dsd dsd;
    memcpy(&dsd, r + at, sizeof dsd);
    return dsd;
}

static void put_dsd(uint64_t *r, unsigned at, const tw__csl_dsd *dsd)
{
    memcpy(r + at, dsd, sizeof *dsd);
}

/* `size` bytes of PE memory at an address of the program; NULL after a fault. */
static uint8_t *memory_at(tw__part *part, tw__pe *pe, uint64_t address, uint32_t size, const char *what)
{
    if (address <= TW__CSL_PE_BYTES && size <= TW__CSL_PE_BYTES - address) return pe->memory + address;
    tw__wse_fault(part, pe, "wse.address", "%s of %u bytes at address 0x%04llx, outside the %u bytes of PE memory",
                  what, size, (unsigned long long)address, TW__CSL_PE_BYTES);
    return NULL;
}

static tw__slow dsd_memory(tw__part *part, tw__pe *pe, const tw__dinsn *i, uint64_t *r)
{
    bool store = i->op == TW__CSL_I_STDSD || i->op == TW__CSL_I_STDSDA;
    bool fixed = i->op == TW__CSL_I_LDDSDA || i->op == TW__CSL_I_STDSDA;
    uint64_t address = fixed ? (uint64_t)i->x : (r[i->b] + (uint64_t)(int64_t)(int16_t)i->c) & 0xffff;
    uint8_t *at = memory_at(part, pe, address, sizeof(tw__csl_dsd), store ? "store of a DSD" : "load of a DSD");
    if (!at) return TW__SLOW_FAULT;
    if (store)
        memcpy(at, r + i->a, sizeof(tw__csl_dsd));
    else
        memcpy(r + i->a, at, sizeof(tw__csl_dsd));
    return TW__SLOW_NEXT;
}

static tw__slow copy_or_fill(tw__part *part, tw__pe *pe, const tw__dinsn *i, uint64_t *r)
{
    bool fill = i->op == TW__CSL_I_FILL;
    uint32_t bytes = fill ? i->c * 2u : i->c;
    uint8_t *to = memory_at(part, pe, r[i->a], bytes, "store"), *from = NULL;
    if (to && !fill) from = memory_at(part, pe, r[i->b], bytes, "load");
    if (!to || (!fill && !from)) return TW__SLOW_FAULT;
    if (fill)
        for (uint32_t k = 0; k < i->c; k++) memcpy(to + 2 * k, &(uint16_t){ (uint16_t)r[i->b] }, 2);
    else
        memmove(to, from, bytes);
    return TW__SLOW_NEXT;
}

/* Registers hold what the program computed, so a pair may be no DSD at all: kinds are looked at, never trusted. */
static void change_dsd(const tw__dinsn *i, uint64_t *r)
{
    tw__csl_dsd dsd = get_dsd(r, i->b);
    uint64_t value = r[i->c];
    switch (i->op) {
    case TW__CSL_I_DSD_BASE: dsd.base = (uint16_t)value, dsd.object = 0; break;
    case TW__CSL_I_DSD_OFFSET16: dsd.base = (uint16_t)(dsd.base + (uint16_t)(value * 2)); break;
    case TW__CSL_I_DSD_OFFSET32: dsd.base = (uint16_t)(dsd.base + (uint16_t)(value * 4)); break;
    case TW__CSL_I_DSD_LENGTH: dsd.length = (uint16_t)value; break;
    case TW__CSL_I_DSD_STRIDE: dsd.stride = (int8_t)value; break;
    case TW__CSL_I_DSD_COLOR: dsd.color = (uint8_t)value; break;
    case TW__CSL_I_DSD_QUEUE: dsd.queue = (uint8_t)value; break;
    }
    put_dsd(r, i->a, &dsd);
}

static uint16_t random16(tw__pe *pe)
{
    /* x^23 + x^18 + 1, 128 steps per call (fact sheet 2.1). Assumed: it acts on the low 23 bits, and the upper 16 of
     * them are the result; with these the estimate of pi in a published program is as close as that program
     * expects. */
    uint32_t state = (uint32_t)(pe->lfsr & 0x7fffff);
    for (int k = 0; k < 128; k++) {
        uint32_t bit = (state >> 22 ^ state >> 17) & 1;
        state = (state << 1 | bit) & 0x7fffff;
    }
    pe->lfsr = state;
    return (uint16_t)(state >> 7);
}

static tw__slow trap(tw__part *part, tw__pe *pe, const tw__dinsn *i)
{
    static const char *const why[TW__CSL_TRAPS] = {
        [TW__CSL_TRAP_UNREACHABLE] = "code was reached that cannot be",
        [TW__CSL_TRAP_NO_RETURN] = "the end of a function that returns a value",
        [TW__CSL_TRAP_SWITCH] = "no prong of the switch fits the value",
    };
    tw__wse_fault(part, pe, "wse.trap", "%s", why[i->x]);
    return TW__SLOW_FAULT;
}

tw__slow tw__wse_pe_slow(tw__part *part, tw__pe *pe, const tw__dinsn *i, uint64_t *r, uint64_t clock,
                         uint32_t *cost)
{
    switch (i->op) {
    case TW__CSL_I_LDDSD:
    case TW__CSL_I_STDSD:
    case TW__CSL_I_LDDSDA:
    case TW__CSL_I_STDSDA: return dsd_memory(part, pe, i, r);
    case TW__CSL_I_COPY: *cost = i->c / 4u; return copy_or_fill(part, pe, i, r);
    case TW__CSL_I_FILL: *cost = i->c / 2u; return copy_or_fill(part, pe, i, r);
    case TW__CSL_I_LOAD_DSR: {
        const tw__csl_dsr_load *load = &pe->program->program->dsr_loads[i->x];
        tw__csl_dsd dsd = get_dsd(r, load->pair);
        tw__wse_dsr_load(part, pe, load, &dsd, r);
        break;
    }
    case TW__CSL_I_FIFO_READ_LENGTH:
        pe->fifo[i->a].read_length = (uint16_t)r[i->b];
        pe->fifo[i->a].read_set = 1;
        break;
    case TW__CSL_I_FIFO_WRITE_LENGTH:
        pe->fifo[i->a].write_length = (uint16_t)r[i->b];
        pe->fifo[i->a].write_set = 1;
        break;
    case TW__CSL_I_ACTIVATE: tw__wse_activate(part, pe, (unsigned)(r[i->a] & 0xffff)); break;
    case TW__CSL_I_BLOCK: tw__wse_block(part, pe, i->b, (unsigned)(r[i->a] & 0xffff), true); break;
    case TW__CSL_I_UNBLOCK: tw__wse_block(part, pe, i->b, (unsigned)(r[i->a] & 0xffff), false); break;
    case TW__CSL_I_GET_CONFIG: r[i->a] = tw__wse_config_get(part, pe, (uint16_t)r[i->b]); break;
    case TW__CSL_I_SET_CONFIG: tw__wse_config_set(part, pe, (uint16_t)r[i->a], (uint16_t)r[i->b]); break;
    case TW__CSL_I_SYS:
        if (!tw__wse_service(part, pe, i->b, r + i->a, clock)) return TW__SLOW_FAULT;
        break;
    case TW__CSL_I_ASSERT:
        if (!r[i->a]) tw__wse_fault(part, pe, "wse.assert", "assertion failed");
        break;
    case TW__CSL_I_RANDOM16: r[i->a] = random16(pe); break;
    case TW__CSL_I_SET_PRNG: pe->prng = (uint8_t)r[i->a]; break;
    case TW__CSL_I_QUEUE_FLUSH:
        /* WSE-3: the flush task runs once the queue is empty. */
        pe->flush_pending[i->b & 1] |= (uint8_t)(1u << (r[i->a] & 7));
        tw__wse_wake_engine(part, tw__wse_pe_number(part, pe), part->now + 1);
        break;
    case TW__CSL_I_TRAP: return trap(part, pe, i);
    default: change_dsd(i, r); break;
    }
    return part->fault && pe->main_state == TW__MAIN_FAULT ? TW__SLOW_FAULT : TW__SLOW_NEXT;
}

/* --- @map ----------------------------------------------------------------------------------------------------- */

static const uint8_t elem_size[] = { 0, 2, 4, 2, 4 };

static bool map_operand(tw__part *part, tw__pe *pe, tw__opnd *o, tw__csl_arg arg, unsigned file, const uint64_t *r,
                        bool is_dst)
{
    *o = (tw__opnd){ .dsr = -1 };
    tw__csl_dsd dsd = { 0 };
    if (arg.kind == TW__CSL_ARG_DSR) {
        const tw__dsr *dsr = pe->dsr ? &pe->dsr[file * TW__CSL_DSRS + arg.at] : NULL;
        if (!dsr || !dsr->loaded) {
            tw__wse_fault(part, pe, "wse.dsr", "@map uses a DSR that holds no DSD");
            return false;
        }
        dsd = dsr->dsd;
    } else {
        dsd = get_dsd(r, arg.at);
    }
    return tw__wse_opnd_dsd(part, pe, o, &dsd, elem_size[arg.file], is_dst, false, 0);
}

static bool map_begin(tw__part *part, tw__pe *pe, const tw__csl_map *map, const uint64_t *r, uint32_t pc)
{
    tw__map_state *m = tw__calloc(1, sizeof *m);
    if (!m) {
        part->no_memory = true;
        tw__wse_fault(part, pe, "wse.memory", "out of host memory");
        return false;
    }
    *m = (tw__map_state){ .outer = pe->map, .map = map, .depth = pe->depth, .pc = pc };
    pe->map = m;
    for (unsigned k = 0; k < map->input_count; k++) {
        tw__csl_arg arg = map->input[k];
        if (arg.kind == TW__CSL_ARG_DSD || arg.kind == TW__CSL_ARG_DSR) {
            if (!map_operand(part, pe, &m->input[k], arg, map->input_file[k], r, false)) return false;
        } else {
            m->scalar[k] = r[arg.at];
        }
    }
    if (!map->has_output) return true;
    if (map->output.kind == TW__CSL_ARG_POINTER) {
        m->output = (tw__opnd){ .kind = TW__O_MEM,
                                .size = elem_size[map->output.file],
                                .dsr = -1,
                                .at = (uint32_t)r[map->output.at] & 0xffff,
                                .high = TW__CSL_PE_BYTES,
                                .length = TW__CSL_UNBOUNDED };
        return true;
    }
    return map_operand(part, pe, &m->output, map->output, map->output_file, r, true);
}

static void map_end(tw__pe *pe)
{
    tw__map_state *m = pe->map;
    pe->map = m->outer;
    for (unsigned k = 0; k < TW__CSL_MAP_INPUTS; k++) free(m->input[k].walk);
    free(m->output.walk);
    free(m);
}

/* An element in canonical form. */
static uint64_t slow_canonical(uint64_t bits, unsigned type, bool is_signed)
{
    if (type == TW__CSL_E_I16 && is_signed) return (uint64_t)(int64_t)(int16_t)bits;
    if (type == TW__CSL_E_I32 && is_signed) return (uint64_t)(int64_t)(int32_t)bits;
    return bits;
}

/* How far the next element of an input is: 0 = there, 1 = not yet, 2 = never (exhausted). */
static int map_next(const tw__pe *pe, const tw__opnd *o)
{
    if (o->kind == TW__O_NONE || o->kind == TW__O_SCALAR) return 0;
    if (o->length == 0) return 2;
    if (o->kind == TW__O_IN) return pe->in_queue[o->queue]->count ? 0 : 1;
    if (o->kind == TW__O_OUT) return tw__wse_queue_room(pe->out_queue[o->queue]) ? 0 : 1;
    return 0;
}

bool tw__wse_map_waits(const tw__pe *pe)
{
    const tw__map_state *m = pe->map;
    if (m->called && m->map->has_output && map_next(pe, &m->output) == 1) return true;
    for (unsigned k = 0; k < m->map->input_count && !m->called; k++) {
        int state = map_next(pe, &m->input[k]);
        if (state != 0) return state == 1;
    }
    return false;
}

static void map_taken(tw__opnd *o)
{
    if (o->length != TW__CSL_UNBOUNDED && o->length) o->length--;
}

/* One step of @map: stores what the callback returned, fetches the next elements and goes into the callback. */
tw__slow tw__wse_pe_map(tw__part *part, tw__pe *pe, const tw__dinsn *i, uint64_t *r, uint32_t pc)
{
    const tw__csl_program *p = pe->program->program;
    const tw__csl_map *map = &p->maps[i->x];
    tw__map_state *m = pe->map;
    if (!m || m->depth != pe->depth || m->pc != pc) {
        if (!map_begin(part, pe, map, r, pc)) return TW__SLOW_FAULT;
        m = pe->map;
    }
    if (m->called == 1) {
        if (map->has_output) {
            if (m->output.length == 0) { /* exhausted: the value is dropped and the map ends */
                map_end(pe);
                return TW__SLOW_NEXT;
            }
            if (!tw__wse_opnd_put(part, pe, &m->output, &r[i->a])) {
                if (pe->main_state == TW__MAIN_FAULT) return TW__SLOW_FAULT;
                pe->main_state = TW__MAIN_MAP; /* no room yet: pc stays here */
                return TW__SLOW_WAIT;
            }
            map_taken(&m->output);
        }
        m->called = 0;
    }
    uint64_t args[TW__CSL_MAP_INPUTS];
    for (unsigned k = 0; k < map->input_count; k++) {
        int state = map_next(pe, &m->input[k]);
        if (state == 1) {
            pe->main_state = TW__MAIN_MAP;
            return TW__SLOW_WAIT;
        }
        if (state == 2) {
            map_end(pe);
            return TW__SLOW_NEXT;
        }
    }
    for (unsigned k = 0; k < map->input_count; k++) {
        args[k] = m->scalar[k];
        if (m->input[k].kind == TW__O_NONE) continue;
        args[k] = 0;
        if (!tw__wse_opnd_get(part, pe, &m->input[k], &args[k])) return TW__SLOW_FAULT;
        map_taken(&m->input[k]);
        args[k] = slow_canonical(args[k], map->input[k].file, map->is_signed[k]);
    }
    const tw__csl_function_code *f = &p->functions[map->function];
    if (!tw__wse_need_frame(part, pe) ||
        !tw__wse_need_registers(part, pe, pe->base + i->a + f->registers + map->input_count))
        return TW__SLOW_FAULT;
    pe->frames[pe->depth++] = (tw__frame){ pc, pe->base, pe->stack };
    pe->base += i->a;
    pe->stack = pe->stack_end;
    pe->stack_end += f->stack_bytes;
    pe->pc = f->entry;
    if (map->input_count) memcpy(pe->regs + pe->base, args, map->input_count * sizeof *args);
    m->called = 1;
    if (pe->stack_end > p->stack_address + p->stack_bytes) {
        tw__wse_fault(part, pe, "wse.stack", "stack overflow in PE memory: '%s' needs %u bytes", f->name,
                      f->stack_bytes);
        return TW__SLOW_FAULT;
    }
    return TW__SLOW_CALL;
}
