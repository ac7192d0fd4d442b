/* SPDX-License-Identifier: MIT */
/* names: where a debugger finds local variables in optimised code. Every instruction of the new code knows the one
 * that it comes from; a name is in sight where those come from its scope. A variable that was in a register still is
 * in one when each instruction that wrote it has come over once: in the register that the last of these has written,
 * until something else is written there. Else it is gone. Nothing here changes the code. */
#include "csl/lang/opt/local.h"

bool tw__opt_keep_code(opt *o)
{
    const tw__csl_program *p = o->p;
    o->code = tw__calloc(p->code_count + 1, sizeof *o->code);
    o->written = tw__calloc(p->function_count + 1, sizeof *o->written);
    if (!o->code || !o->written) return false;
    if (p->code_count) memcpy(o->code, p->code, p->code_count * sizeof *o->code);
    if (p->function_count) memcpy(o->written, p->functions, p->function_count * sizeof *o->written);
    o->code_count = p->code_count, o->written_count = p->function_count;
    return true;
}

/* Functions of the code as it was, in order of their entries. */
static const tw__csl_function_code *written_at(const opt *o, uint32_t at)
{
    for (size_t k = 0; k < o->written_count; k++)
        if (at >= o->written[k].entry && at - o->written[k].entry < o->written[k].count) return &o->written[k];
    return NULL;
}

static bool name_covers(const tw__csl_local *l, uint32_t origin)
{
    return origin && origin - 1 >= l->at && origin - 1 < l->end;
}

static uint32_t frame_at(const tw__csl_program *p, uint32_t at)
{
    tw__csl_line line;
    return tw__csl_program_line(p, at, &line) ? line.frame : 0;
}

/* The new code as names want it. */
typedef struct view {
    const opt *o;
    uint32_t *frames;   /* by instruction */
    uint32_t *first;    /* by instruction as it was written: one that comes from it, + 1 */
    uint32_t *next;     /* by instruction: another one that comes from the same, + 1 */
    uint32_t *function; /* by instruction */
    uint32_t *holder;   /* by frame: function that has it, + 1 */
    uint32_t *called;   /* by instruction as it was written: a frame that a call of it became, + 1 */
    uint32_t *sibling;  /* by frame: another one of the same call, + 1 */
    uint8_t *def;       /* by instruction: it writes the variable that is looked for */
    uint32_t *state;    /* by instruction: the register that it is in */
    uint64_t *steps;
    const tw__csl_local **done; /* by function: the name that was placed there last */
} view;

/* How often the instruction that was `origin` is in the new function, in this frame; *at = one of them. */
static unsigned copies(const view *v, const tw__csl_function_code *f, uint32_t frame, uint32_t origin, uint32_t *at)
{
    unsigned n = 0;
    for (uint32_t k = v->first[origin]; k; k = v->next[k - 1]) {
        if (k - 1 < f->entry || k - 1 - f->entry >= f->count || v->frames[k - 1] != frame) continue;
        n++;
        *at = k - 1;
    }
    return n;
}

/* Instructions that write the variable, all of which have come over once: in v->def. False: it is gone. */
static bool find_writers(const view *v, const tw__csl_function_code *f, uint32_t frame, const tw__csl_local *l)
{
    const opt *o = v->o;
    const tw__csl_function_code *was = written_at(o, l->at);
    uint32_t writers = 0;
    if (!was) return false;
    v->def[f->entry + f->count] = 0;
    memset(v->def + f->entry, 0, f->count);
    for (uint32_t k = l->since; k < l->until && k < o->code_count; k++) {
        if (!tw__opt_takes(o, o->code[k], l->place)) continue;
        uint32_t at = 0;
        if (copies(v, f, frame, k, &at) != 1 || !tw__opt_writes_a(o->p->code[at])) return false;
        v->def[at] = 1;
        writers++;
    }
    /* a parameter that nobody writes stays where the caller left it */
    return writers || (!frame && l->since == was->entry && l->place < was->params);
}

enum { NOWHERE = UINT32_MAX, UNSEEN = UINT32_MAX - 1 };

static bool meet(uint32_t *state, uint32_t reg)
{
    uint32_t both = *state == UNSEEN || *state == reg ? reg : (uint32_t)NOWHERE;
    bool changed = both != *state;
    *state = both;
    return changed;
}

/* Where the variable is when an instruction begins: v->state. It stays where it was written until something else is
 * written there; where ways meet that have it in different places it is nowhere. */
static void flow_of(const view *v, const tw__csl_function_code *f, uint32_t entry)
{
    const tw__csl_insn *code = v->o->p->code;
    uint32_t end = f->entry + f->count;
    for (uint32_t at = f->entry; at < end; at++) v->state[at] = UNSEEN;
    v->state[f->entry] = entry;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t at = f->entry; at < end; at++) {
            if (v->state[at] == UNSEEN) continue;
            uint32_t reg = v->def[at] ? code[at].a : v->state[at];
            if (!v->def[at] && reg != NOWHERE && tw__opt_takes(v->o, code[at], reg)) reg = NOWHERE;
            if (tw__opt_is_jump(code[at])) {
                bool narrow = tw__csl_op_rows[code[at].op].operands[2] == 'j';
                int64_t to = (int64_t)at + 1 + (narrow ? (int16_t)code[at].c : (int32_t)tw__csl_wide(code[at]));
                if (to >= f->entry && to < end) changed |= meet(&v->state[to], reg);
            }
            if (!tw__opt_ends(code[at]) && at + 1 < end) changed |= meet(&v->state[at + 1], reg);
        }
    }
}

/* A DSD takes two registers, which passes treat one by one: it is not looked for. */
static bool is_pair(const tw__csl_local *l)
{
    size_t n = strlen(l->type_text);
    return n > 4 && strcmp(l->type_text + n - 4, "_dsd") == 0;
}

/* Does the instruction at `at` come from what was in the name's scope, or does a call that is no more around it?
 * *frame: the one that has the name. */
static bool in_scope(const view *v, const tw__csl_local *l, uint32_t at, uint32_t *frame)
{
    const tw__csl_program *p = v->o->p;
    uint32_t origin = v->o->origin[at];
    if (origin & OPT_MOVED) return false; /* not where the variables are that its line knows */
    for (*frame = v->frames[at]; !name_covers(l, origin); *frame = p->frames[*frame - 1].outer) {
        if (!*frame) return false;
        origin = p->frames[*frame - 1].origin;
    }
    return true;
}

static bool in_register(const tw__csl_local *l)
{
    return l->kind == TW__CSL_LOCAL_REGISTER || l->kind == TW__CSL_LOCAL_POINTED;
}

/* Looks for a variable that was in a register, in one frame; false: it is gone. */
static bool find_variable(const view *v, const tw__csl_function_code *f, uint32_t frame, const tw__csl_local *l)
{
    enum { MOST = 1 << 26 }; /* steps for all names: what is beyond is gone */
    *v->steps += f->count;
    if (is_pair(l) || *v->steps > MOST || !find_writers(v, f, frame, l)) return false;
    const tw__csl_function_code *was = written_at(v->o, l->at);
    flow_of(v, f, !frame && l->since == was->entry && l->place < was->params ? l->place : (uint32_t)NOWHERE);
    return true;
}

/* Where the name is at an instruction. */
static void name_fill(const view *v, const tw__csl_local *l, bool found, uint32_t at, uint32_t frame,
                      tw__csl_local *row)
{
    if (in_register(l)) {
        bool gone = !found || v->state[at] >= UNSEEN;
        row->kind = gone ? (uint32_t)TW__CSL_LOCAL_GONE : l->kind;
        row->place = gone ? 0 : v->state[at];
    } else if (l->kind == TW__CSL_LOCAL_STACK && frame) {
        row->place = l->place + v->o->p->frames[frame - 1].stack;
    }
}

/* A row for each run of instructions that have it in the same place. */
static void place_name(const view *v, const tw__csl_function_code *f, const tw__csl_local *l)
{
    tw__csl_program *p = v->o->p;
    uint32_t looked_in = UINT32_MAX, last = 0;
    bool found = false;
    tw__csl_local *run = NULL;
    for (uint32_t at = f->entry, end = f->entry + f->count; at < end; at++) {
        uint32_t frame;
        if (!in_scope(v, l, at, &frame)) continue;
        if (in_register(l) && frame != looked_in) found = find_variable(v, f, frame, l), looked_in = frame;
        tw__csl_local row = *l;
        row.at = at, row.end = at + 1, row.frame = frame, row.since = row.until = 0;
        name_fill(v, l, found, at, frame, &row);
        if (run && last + 1 == at && run->frame == frame && run->kind == row.kind && run->place == row.place)
            run->end = at + 1;
        else if ((run = TW__CSL_PUSH(p, locals, local)))
            *run = row;
        last = at;
    }
}

static void place_once(const view *v, uint32_t f, const tw__csl_local *l)
{
    if (v->done[f] == l) return;
    v->done[f] = l;
    place_name(v, &v->o->p->functions[f], l);
}

/* Functions of the new code that have something of the name's scope. */
static void place_in_functions(const view *v, const tw__csl_local *l)
{
    for (uint32_t origin = l->at; origin < l->end && origin < v->o->code_count; origin++)
        for (uint32_t k = v->first[origin]; k; k = v->next[k - 1]) place_once(v, v->function[k - 1], l);
    for (uint32_t origin = l->at; origin < l->end && origin < v->o->code_count; origin++)
        for (uint32_t k = v->called[origin]; k; k = v->sibling[k - 1]) /* where nothing but calls has come over */
            if (v->holder[k - 1]) place_once(v, v->holder[k - 1] - 1, l);
}

static bool names_look(const opt *o, view *v, uint64_t *steps)
{
    const tw__csl_program *p = o->p;
    *v = (view){ o,
                 tw__calloc(p->code_count + 1, sizeof *v->frames),
                 tw__calloc(o->code_count + 1, sizeof *v->first),
                 tw__calloc(p->code_count + 1, sizeof *v->next),
                 tw__calloc(p->code_count + 1, sizeof *v->function),
                 tw__calloc(p->frame_count + 1, sizeof *v->holder),
                 tw__calloc(o->code_count + 1, sizeof *v->called),
                 tw__calloc(p->frame_count + 1, sizeof *v->sibling),
                 tw__calloc(p->code_count + 1, 1),
                 tw__calloc(p->code_count + 1, sizeof *v->state),
                 steps,
                 tw__calloc(p->function_count + 1, sizeof *v->done) };
    if (!v->frames || !v->first || !v->next || !v->function || !v->holder || !v->called || !v->sibling || !v->def ||
        !v->state || !v->done)
        return false;
    for (uint32_t f = 0; f < p->function_count; f++)
        for (uint32_t k = 0; k < p->functions[f].count; k++) v->function[p->functions[f].entry + k] = f;
    for (uint32_t at = 0; at < p->code_count; at++) {
        v->frames[at] = frame_at(p, at);
        for (uint32_t frame = v->frames[at]; frame; frame = p->frames[frame - 1].outer)
            v->holder[frame - 1] = v->function[at] + 1;
        uint32_t origin = o->origin[at] & ~OPT_MOVED;
        if (!origin || origin > o->code_count) continue;
        v->next[at] = v->first[origin - 1];
        v->first[origin - 1] = at + 1;
    }
    for (uint32_t k = (uint32_t)p->frame_count; k-- > 0;) {
        uint32_t origin = p->frames[k].origin;
        if (!origin || origin > o->code_count) continue;
        v->sibling[k] = v->called[origin - 1];
        v->called[origin - 1] = k + 1;
    }
    return true;
}

void tw__opt_names(opt *o)
{
    tw__csl_program *p = o->p;
    tw__csl_local *old = p->locals;
    size_t count = p->local_count;
    view v;
    uint64_t steps = 0;
    p->locals = NULL;
    p->local_count = p->local_room = 0;
    if (!names_look(o, &v, &steps)) o->failed = true;
    for (size_t k = 0; !o->failed && k < count; k++) {
        if (old[k].end) {
            place_in_functions(&v, &old[k]);
            continue;
        }
        tw__csl_local *to = TW__CSL_PUSH(p, locals, local);
        if (to) *to = old[k];
    }
    free(v.frames);
    free(v.first);
    free(v.next);
    free(v.function);
    free(v.holder);
    free(v.called);
    free(v.sibling);
    free(v.def);
    free(v.state);
    free(v.done);
    free(old);
}
