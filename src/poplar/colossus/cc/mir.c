/* SPDX-License-Identifier: MIT */
/* Making code of the chip, and the orders of its blocks. */
#include "poplar/colossus/cc/mir.h"

#include <string.h>

static void *mir_need(void *memory)
{
    if (!memory) g_error("out of memory"); /* ends the program, as g_malloc() does */
    return memory;
}

/* Room for one more in an array of the arena; what it had before stays there until the arena goes. */
static void *mir_room(tw__mir *mir, void *items, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) return items;
    *capacity = *capacity ? 2 * *capacity : 8;
    void *grown = mir_need(tw__arena_zalloc_n(mir->arena, *capacity, size, 16));
    if (count) memcpy(grown, items, count * size);
    return grown;
}

#define PUSH(mir, items, count, capacity) \
    ((items) = mir_room((mir), (items), (count), &(capacity), sizeof *(items)), &(items)[(count)++])

tw__mir *tw__mir_new(tw__arena *arena, tw_isa_arch arch)
{
    tw__mir *mir = mir_need(TW__NEW(arena, tw__mir));
    *mir = (tw__mir){ .arena = arena, .arch = arch, .file_count = 1 };
    mir->files = mir_need(TW__NEW_N(arena, const char *, 1));
    return mir;
}

void *tw__mir_room(tw__mir *mir, size_t bytes)
{
    return mir_need(tw__arena_zalloc(mir->arena, bytes, 16));
}

uint32_t tw__mir_source(tw__mir *mir, const char *name)
{
    for (uint32_t i = 1; i < mir->file_count; i++)
        if (strcmp(mir->files[i], name) == 0) return i;
    const char **grown = mir_need(TW__NEW_N(mir->arena, const char *, mir->file_count + 1));
    memcpy(grown, mir->files, mir->file_count * sizeof *grown);
    mir->files = grown;
    grown[mir->file_count] = mir_need(tw__arena_strdup(mir->arena, name));
    return mir->file_count++;
}

tw__mir_function *tw__mir_add_function(tw__mir *mir, const char *name)
{
    tw__mir_function *f = mir_need(TW__NEW(mir->arena, tw__mir_function));
    f->name = mir_need(tw__arena_strdup(mir->arena, name));
    f->number = mir->function_count;
    *PUSH(mir, mir->functions, mir->function_count, mir->function_capacity) = f;
    return f;
}

tw__mir_data *tw__mir_add_data(tw__mir *mir, const char *name)
{
    tw__mir_data *d = mir_need(TW__NEW(mir->arena, tw__mir_data));
    d->name = mir_need(tw__arena_strdup(mir->arena, name));
    d->align = 1;
    *PUSH(mir, mir->data, mir->data_count, mir->data_capacity) = d;
    return d;
}

tw__mir_alias *tw__mir_add_alias(tw__mir *mir, const char *name, const char *symbol)
{
    tw__mir_alias *a = mir_need(TW__NEW(mir->arena, tw__mir_alias));
    a->name = mir_need(tw__arena_strdup(mir->arena, name));
    a->symbol = mir_need(tw__arena_strdup(mir->arena, symbol));
    *PUSH(mir, mir->aliases, mir->alias_count, mir->alias_capacity) = a;
    return a;
}

tw__mir_reg tw__mir_new_reg(tw__mir *mir, tw__mir_function *f, tw__mir_file file, unsigned words)
{
    *PUSH(mir, f->vregs, f->vreg_count, f->vreg_capacity) =
        (tw__mir_vreg){ .file = (uint8_t)file, .words = (uint8_t)words };
    return TW__MIR_VIRTUAL + f->vreg_count - 1;
}

uint32_t tw__mir_new_block(tw__mir *mir, tw__mir_function *f)
{
    *PUSH(mir, f->blocks, f->block_count, f->block_capacity) = (tw__mir_block){ .frequency = 16 };
    return f->block_count - 1;
}

uint32_t tw__mir_new_object(tw__mir *mir, tw__mir_function *f, uint32_t size, uint32_t align)
{
    *PUSH(mir, f->objects, f->object_count, f->object_capacity) =
        (tw__mir_frame_object){ .kind = TW__MIR_LOCAL, .size = size, .align = align };
    return f->object_count - 1;
}

static tw__mir_insn *mir_insn(tw__mir *mir, unsigned op, unsigned count)
{
    size_t bytes = sizeof(tw__mir_insn) + count * sizeof(tw__mir_operand);
    tw__mir_insn *insn = mir_need(tw__arena_zalloc(mir->arena, bytes, _Alignof(tw__mir_insn)));
    insn->op = (uint16_t)op;
    insn->count = (uint16_t)count;
    return insn;
}

tw__mir_insn *tw__mir_append(tw__mir *mir, tw__mir_block *block, unsigned op, unsigned count)
{
    tw__mir_insn *insn = mir_insn(mir, op, count);
    insn->previous = block->last;
    if (block->last)
        block->last->next = insn;
    else
        block->first = insn;
    return block->last = insn;
}

tw__mir_insn *tw__mir_insert(tw__mir *mir, tw__mir_block *block, tw__mir_insn *before, unsigned op, unsigned count)
{
    if (!before) return tw__mir_append(mir, block, op, count);
    tw__mir_insn *insn = mir_insn(mir, op, count);
    insn->line = before->line, insn->column = before->column, insn->file = before->file;
    insn->scope = before->scope;
    insn->next = before;
    insn->previous = before->previous;
    before->previous = insn;
    if (insn->previous)
        insn->previous->next = insn;
    else
        block->first = insn;
    return insn;
}

/* What variables get in front of it they get in front of the next one. */
static void mir_hand_on(tw__mir_insn *insn)
{
    tw__mir_bind **end = &insn->binds;
    if (!insn->binds || !insn->next) return;
    while (*end) end = &(*end)->next;
    *end = insn->next->binds;
    insn->next->binds = insn->binds;
    insn->binds = NULL;
}

void tw__mir_remove(tw__mir_block *block, tw__mir_insn *insn)
{
    mir_hand_on(insn);
    *(insn->previous ? &insn->previous->next : &block->first) = insn->next;
    *(insn->next ? &insn->next->previous : &block->last) = insn->previous;
    insn->next = insn->previous = NULL;
}

void tw__mir_replace(tw__mir_block *block, tw__mir_insn *behind, tw__mir_insn *insn)
{
    tw__mir_insn *first = behind ? behind->next : block->first;
    if (first != insn) first->binds = insn->binds, insn->binds = NULL;
    tw__mir_remove(block, insn);
}

tw__mir_operand tw__mir_read(tw__mir_reg reg, unsigned words)
{
    return (tw__mir_operand){ .kind = TW__MIR_REG, .use = TW__MIR_READ, .words = (uint8_t)words, .reg = reg };
}

tw__mir_operand tw__mir_write(tw__mir_reg reg, unsigned words)
{
    return (tw__mir_operand){ .kind = TW__MIR_REG, .use = TW__MIR_WRITE, .words = (uint8_t)words, .reg = reg };
}

tw__mir_operand tw__mir_change(tw__mir_reg reg, tw__mir_reg tied, unsigned words)
{
    return (tw__mir_operand){
        .kind = TW__MIR_REG, .use = TW__MIR_READ | TW__MIR_WRITE, .words = (uint8_t)words, .reg = reg, .tied = tied
    };
}

tw__mir_operand tw__mir_const(int64_t value)
{
    return (tw__mir_operand){ .kind = TW__MIR_CONST, .value = value };
}

tw__mir_operand tw__mir_symbol(const char *symbol, int64_t add)
{
    return (tw__mir_operand){ .kind = TW__MIR_SYMBOL, .symbol = symbol, .value = add };
}

tw__mir_operand tw__mir_to(uint32_t block)
{
    return (tw__mir_operand){ .kind = TW__MIR_BLOCK, .index = block };
}

tw__mir_operand tw__mir_frame(uint32_t object, int64_t offset)
{
    return (tw__mir_operand){ .kind = TW__MIR_FRAME, .index = object, .value = offset };
}

/* --- flow ------------------------------------------------------------------------------------------------------- */

const tw_isa_row *tw__mir_row(const tw__mir_insn *insn)
{
    return insn->op < TW__OP_COUNT ? &tw__isa_rows[insn->op] : NULL;
}

bool tw__mir_is_branch(const tw__mir_insn *insn)
{
    const tw_isa_row *row = tw__mir_row(insn);
    if (!row) return insn->op == TW__MIR_ret || insn->op == TW__MIR_jump;
    return row->flags & TW_ISA_CONTROL && insn->op != TW__OP_call && insn->op != TW__OP_rpt_m &&
           insn->op != TW__OP_rpt_z;
}

bool tw__mir_is_end(const tw__mir_insn *insn)
{
    switch (insn->op) {
    case TW__MIR_ret:
    case TW__MIR_jump:
    case TW__OP_bri:
    case TW__OP_exitz:
    case TW__OP_exitnz:
    case TW__OP_exitneg:
    case TW__OP_exitpos:
    case TW__OP_trap: return true;
    default: return false;
    }
}

static void mir_add_edge(tw__mir *mir, uint32_t **list, uint32_t *count, uint32_t block)
{
    for (uint32_t i = 0; i < *count; i++)
        if ((*list)[i] == block) return;
    bool full = *count == 0 || (*count >= 8 && !(*count & (*count - 1))); /* as mir_room() makes room */
    uint32_t room = full ? *count : *count + 1;
    *list = mir_room(mir, *list, *count, &room, sizeof **list);
    (*list)[(*count)++] = block;
}

void tw__mir_add_successor(tw__mir *mir, tw__mir_block *block, uint32_t successor)
{
    mir_add_edge(mir, &block->successors, &block->successor_count, successor);
}

void tw__mir_link(tw__mir *mir, tw__mir_function *f)
{
    for (uint32_t b = 0; b < f->block_count; b++)
        f->blocks[b].predecessors = NULL, f->blocks[b].predecessor_count = 0;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t i = 0; i < f->blocks[b].successor_count; i++) {
            tw__mir_block *to = &f->blocks[f->blocks[b].successors[i]];
            mir_add_edge(mir, &to->predecessors, &to->predecessor_count, b);
        }
}

/* Depth first without recursion: functions have thousands of blocks. */
uint32_t *tw__mir_order(tw__mir *mir, const tw__mir_function *f, uint32_t *count)
{
    uint32_t n = f->block_count, depth = 0, at = n;
    uint32_t *order = mir_need(TW__NEW_N(mir->arena, uint32_t, n + 1));
    g_autofree uint32_t *stack = g_new(uint32_t, n + 1), *next = g_new0(uint32_t, n + 1);
    g_autofree bool *seen = g_new0(bool, n + 1);
    *count = 0;
    if (!n) return order;
    stack[depth++] = 0, seen[0] = true;
    while (depth) {
        uint32_t b = stack[depth - 1];
        if (next[b] == f->blocks[b].successor_count) {
            order[--at] = b;
            depth--;
            continue;
        }
        uint32_t to = f->blocks[b].successors[next[b]++];
        if (!seen[to]) seen[to] = true, stack[depth++] = to;
    }
    *count = n - at;
    memmove(order, order + at, *count * sizeof *order);
    return order;
}

/* Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm. */
uint32_t *tw__mir_dominators(tw__mir *mir, const tw__mir_function *f)
{
    uint32_t count, *order = tw__mir_order(mir, f, &count), n = f->block_count;
    uint32_t *idom = mir_need(TW__NEW_N(mir->arena, uint32_t, n + 1));
    g_autofree uint32_t *place = g_new(uint32_t, n + 1);
    for (uint32_t b = 0; b < n; b++) idom[b] = UINT32_MAX, place[b] = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) place[order[i]] = i;
    if (!count) return idom;
    idom[order[0]] = order[0];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < count; i++) {
            const tw__mir_block *block = &f->blocks[order[i]];
            uint32_t best = UINT32_MAX;
            for (uint32_t k = 0; k < block->predecessor_count; k++) {
                uint32_t p = block->predecessors[k];
                if (idom[p] == UINT32_MAX) continue;
                if (best == UINT32_MAX) best = p;
                while (p != best) {
                    while (place[p] > place[best]) p = idom[p];
                    while (place[best] > place[p]) best = idom[best];
                }
            }
            if (idom[order[i]] != best) idom[order[i]] = best, changed = true;
        }
    }
    idom[order[0]] = UINT32_MAX;
    return idom;
}
