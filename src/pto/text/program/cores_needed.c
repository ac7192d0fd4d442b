/* SPDX-License-Identifier: MIT */
/* cores_needed: what a program says about the cores and devices it is for: functions and sections of one kind of
 * core, FIFOs between them; memory that other devices have. */
#include "pto/text/as.h"

#include <stdlib.h>
#include <tilewright/pto/text.h>

typedef struct traits {
    bool cube, vector; /* sections and functions */
    bool joined;       /* FIFOs, flags between cores */
    bool nosplit;
} traits;

static void look_at(tw__as_module *m, const tw__as_line *op, traits *t)
{
    static const char *const joins[] = { "initialize_pipe", "tpush_to_", "tpop_from_",
                                         "sync.set",        "sync.wait", "intra_block" };
    t->cube |= strstr(op->name, "section.cube") != NULL;
    t->vector |= strstr(op->name, "section.vector") != NULL;
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++) t->joined |= strstr(op->name, joins[i]) != NULL;
    if (!strstr(op->name, "initialize_pipe")) return;
    tw__arena_mark mark = tw__arena_save(m->scratch);
    const tw__as_op *whole = tw__as_op_of(m, op);
    for (const tw__as_item *i = whole ? whole->items : NULL; i; i = i->next)
        for (const tw__as_item *d = i->kind == TW__AS_DICT ? i->child : NULL; d; d = d->next)
            t->nosplit |= d->text && strcmp(d->text, "nosplit") == 0;
    tw__arena_restore(m->scratch, mark);
}

/* Blocks nest TW__AS_MAX_DEPTH deep at most: the parser sees to it. */
static void look_at_block(tw__as_module *m, const tw__as_block *block, traits *t)
{
    for (const tw__as_line *op = block->first; op; op = op->next) {
        look_at(m, op, t);
        const tw__as_block *inner = op->leaf ? NULL : op->whole->blocks;
        for (; inner; inner = inner->next) look_at_block(m, inner, t);
    }
}

unsigned tw_pto_text_vectors(const tw_pto_text *text)
{
    if (!text) return 0;
    const tw__as_program *program = tw__pto_text_program(text);
    bool kinds[3] = { false };
    traits t = { 0 };
    if (!program) return 0;
    for (const tw__as_function *f = program->functions; f; f = f->next)
        if (!f->declared) kinds[f->kind] = true;
    look_at_block(program->module, &program->module->top, &t);
    bool both = kinds[TW_PTO_CUBE] && kinds[TW_PTO_VECTOR];
    if (!both && !(t.cube && t.vector && t.joined)) return 0;
    return t.nosplit ? 1 : 2;
}

static const tw__as_function *first_of(const tw__as_program *program, tw_pto_core_kind kind)
{
    const tw__as_function *f = program->functions;
    while (f && (f->declared || f->kind != kind)) f = f->next;
    return f;
}

const char *tw_pto_text_function_of(const tw_pto_text *text, const char *function, const tw_pto *core)
{
    if (!text) return NULL;
    const tw__as_program *program = tw__pto_text_program(text);
    tw_pto_core_kind kind = tw_pto_identity_of(core).kind;
    const tw__as_function *f = program ? program->functions : NULL;
    tw__set_error(TW_OK, "");
    if (function) { /* a name that does not exist: tw_pto_run_new says so */
        while (f && strcmp(f->name, function) != 0) f = f->next;
        return !f || !f->kind || !kind || f->kind == kind ? function : NULL;
    }
    if (!program) return tw__fail(TW_E_INVALID_ARGUMENT, "the program has not been verified"), NULL;
    while (f && f->declared) f = f->next;
    if (!f) return tw__fail(TW_E_SYMBOL, "%s is empty", program->module->file), NULL;
    if (!f->kind) return f->name;
    const tw__as_function *cube = first_of(program, TW_PTO_CUBE), *vector = first_of(program, TW_PTO_VECTOR);
    if (!kind && cube && vector) {
        tw__fail(TW_E_INVALID_ARGUMENT,
                 "@%s is for cube cores and @%s for vector cores: a core that is both takes one of them, by name",
                 cube->name, vector->name);
        return NULL;
    }
    if (kind) f = kind == TW_PTO_CUBE ? cube : vector;
    return f ? f->name : NULL;
}

tw_status tw_pto_run_peer(tw_pto_run *run, const char *name, unsigned device, void *data, size_t bytes)
{
    if (!run) return tw__missing("run");
    tw__as_run *r = tw__pto_text_run(run);
    const tw__as_cell *own;
    tw_status status = tw__pto_text_argument(run, name, &own);
    if (status != TW_OK) return status;
    if (own->kind != TW__AS_PTR && own->kind != TW__AS_MEMREF)
        return tw__fail(TW_E_TYPE, "%%%s is no pointer or memref", name);
    if (!tw__grow(&r->peers, &r->peer_room, r->peer_count, sizeof *r->peers))
        return tw__fail(TW_E_NO_MEMORY, "no memory for an argument of device %u", device);
    r->peers[r->peer_count++] =
        (struct tw__as_peer){ own->kind == TW__AS_PTR ? own->wide->ptr.base : own->wide->tensor.window.base, data,
                              bytes, device };
    return TW_OK;
}
