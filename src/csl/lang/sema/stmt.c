/* SPDX-License-Identifier: MIT */
/* Statements. At compile time they run; in a run-time function they generate code. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

/* --- declarations --- */

static const type *declared_type(sema *s, const node *n, bool *good)
{
    *good = true;
    if (!n->kid[TW__CSL_VAR_TYPE]) return NULL;
    const type *t = tw__csl_type_expr(s, n->kid[TW__CSL_VAR_TYPE]);
    *good = t != NULL;
    return t;
}

static void declare_comptime(sema *s, const node *n, const type *t, bool is_const)
{
    const node *init = n->kid[TW__CSL_VAR_INIT];
    const char *name = tw__csl_name_text(s, n->name);
    value v = { .type = t ? t : &tw__csl_t_VOID };
    operand o = tw__csl_nothing();
    if (init) {
        o = tw__csl_expr_rvalue(s, init, t);
        if (t) o = tw__csl_coerce_init(s, init, o, t, "the initial value");
    } else if (t && (tw__csl_zero(s->arena, t, &v) || t->kind == TW__CSL_TY_TYPE)) {
        if (t->kind == TW__CSL_TY_TYPE) v = tw__csl_of_type(&tw__csl_t_VOID);
        o = tw__csl_known(v);
    } else {
        tw__csl_error(s, n, "csl.init", "'%s' needs an initial value", name);
    }
    bool comptime = (n->flags & TW__CSL_F_COMPTIME) != 0 || !s->gen;
    if (o.kind != TW__CSL_O_VALUE && !tw__csl_is_nothing(&o) && comptime)
        o = o.kind == TW__CSL_O_PLACE && o.place.global
                ? tw__csl_error(s, n, "csl.comptime", "'%s' is in PE memory: it has no value at compile time",
                                o.place.global->name)
                : tw__csl_error(s, n, "csl.comptime", "the value of '%s' must be known at compile time", name);
    if (is_const || tw__csl_is_nothing(&o))
        tw__csl_bind(s, n, n->name, o, true);
    else
        tw__csl_bind_cell(s, n, n->name, o.value);
}

/* A constant of a run-time function: bound to what the expression yields, which must not change later. */
static void declare_const(sema *s, const node *n, const type *t)
{
    const node *init = n->kid[TW__CSL_VAR_INIT];
    if (!init) {
        tw__csl_error(s, n, "csl.init", "constant '%s' needs an initial value", tw__csl_name_text(s, n->name));
        tw__csl_bind(s, n, n->name, tw__csl_nothing(), true);
        return;
    }
    operand o = tw__csl_stable(s, init, tw__csl_expr(s, init, t));
    if (t) o = tw__csl_coerce_init(s, init, o, t, "the initial value");
    bool addressed =
        s->frame && s->frame->addressed && g_hash_table_contains(s->frame->addressed, GUINT_TO_POINTER(n->name));
    bool copied = o.kind == TW__CSL_O_PLACE && !o.place.cell;
    /* A number or array whose address is taken is memory that may change (docs/decisions.md, C2). */
    bool memory = o.kind != TW__CSL_O_VALUE || tw__csl_is_number(o.type) || o.type->kind == TW__CSL_TY_ARRAY;
    if ((copied || (addressed && memory)) && o.type->size) {
        operand place = { .kind = TW__CSL_O_PLACE,
                          .type = o.type,
                          .has_reg = true,
                          .reg = tw__gen_local(s->gen, o.type->size, o.type->align) };
        tw__csl_store(s, n, place, o);
        place.is_const = true;
        o = place;
    }
    tw__csl_bind(s, n, n->name, o, true);
}

static void declare_var(sema *s, const node *n, const type *t)
{
    const node *init = n->kid[TW__CSL_VAR_INIT];
    const char *name = tw__csl_name_text(s, n->name);
    operand o = tw__csl_nothing();
    bool good = true;
    if (init) {
        o = tw__csl_expr(s, init, t);
        if (!tw__csl_is_nothing(&o) && !(tw__csl_is_aggregate(o.type) && o.kind == TW__CSL_O_PLACE))
            o = tw__csl_rvalue(s, init, o);
        if (t) o = tw__csl_coerce_init(s, init, o, t, "the initial value");
        good = !tw__csl_is_nothing(&o);
        t = t ? t : o.type;
    } else if (!t) {
        tw__csl_error(s, n, "csl.init", "variable '%s' needs a type or an initial value", name);
        good = false;
    }
    if (good && (!tw__csl_is_runtime(t) || t->kind == TW__CSL_TY_VOID)) {
        tw__csl_error(s, n, "csl.type", "variable '%s' would have type %s, which exists only at compile time: %s",
                      name, TYPE_TEXT(t), tw__csl_is_number(t) ? "give it a type" : "declare it const");
        good = false;
    }
    if (!good) {
        tw__csl_bind(s, n, n->name, tw__csl_nothing(), false);
        return;
    }
    bool addressed =
        s->frame && s->frame->addressed && g_hash_table_contains(s->frame->addressed, GUINT_TO_POINTER(n->name));
    operand place;
    if (addressed || tw__csl_is_aggregate(t))
        place = (operand){ .kind = TW__CSL_O_PLACE,
                           .type = t,
                           .has_reg = true,
                           .reg = tw__gen_local(s->gen, t->size ? t->size : 2, t->align) };
    else
        place = (operand){
            .kind = TW__CSL_O_REGISTER, .type = t, .variable = true, .reg = tw__gen_register(s->gen, t)
        };
    if (init) {
        tw__csl_store(s, n, place, o);
    } else {
        value zero;
        if (tw__csl_zero(s->arena, t, &zero))
            tw__csl_store(s, n, place, tw__csl_known(zero));
        else if (place.kind == TW__CSL_O_REGISTER && tw__csl_is_dsd(t)) {
            tw__gen_load_int(s->gen, place.reg, 0);
            tw__gen_load_int(s->gen, (uint16_t)(place.reg + 1), 0);
        }
    }
    tw__csl_bind(s, n, n->name, place, false);
}

static void declare(sema *s, const node *n)
{
    bool good;
    const type *t = declared_type(s, n, &good);
    if (!good) {
        tw__csl_bind(s, n, n->name, tw__csl_nothing(), false);
        return;
    }
    if (n->op == TW__CSL_T_PARAM || (n->flags & (TW__CSL_F_EXPORT | TW__CSL_F_EXTERN))) {
        tw__csl_error(s, n, "csl.syntax", "'%s' may only be declared like this at the top level of a file",
                      tw__csl_name_text(s, n->name));
        tw__csl_bind(s, n, n->name, tw__csl_nothing(), false);
        return;
    }
    bool is_const = n->op == TW__CSL_T_CONST;
    if (s->gen) tw__gen_at(s->gen, n);
    if (!s->gen || (n->flags & TW__CSL_F_COMPTIME))
        declare_comptime(s, n, t, is_const);
    else if (is_const)
        declare_const(s, n, t);
    else
        declare_var(s, n, t);
}

/* --- assignment --- */

/* x_ASSIGN -> the operator of x. */
static tw__csl_token_kind assigned_operator(tw__csl_token_kind op)
{
    switch (op) {
    case TW__CSL_T_PLUS_ASSIGN: return TW__CSL_T_PLUS;
    case TW__CSL_T_MINUS_ASSIGN: return TW__CSL_T_MINUS;
    case TW__CSL_T_STAR_ASSIGN: return TW__CSL_T_STAR;
    case TW__CSL_T_SLASH_ASSIGN: return TW__CSL_T_SLASH;
    case TW__CSL_T_PERCENT_ASSIGN: return TW__CSL_T_PERCENT;
    case TW__CSL_T_SHL_ASSIGN: return TW__CSL_T_SHL;
    case TW__CSL_T_SHR_ASSIGN: return TW__CSL_T_SHR;
    case TW__CSL_T_AND_ASSIGN: return TW__CSL_T_AMPERSAND;
    case TW__CSL_T_OR_ASSIGN: return TW__CSL_T_PIPE;
    case TW__CSL_T_XOR_ASSIGN: return TW__CSL_T_CARET;
    default: return TW__CSL_T_ASSIGN;
    }
}

static void assign_comptime(sema *s, const node *n)
{
    value *slot = tw__csl_slot(s, n->kid[0]);
    if (!slot) return;
    const type *t = slot->type;
    value old = *slot;
    operand v = tw__csl_expr_rvalue(s, n->kid[1], t);
    tw__csl_token_kind op = assigned_operator(n->op);
    if (op != TW__CSL_T_ASSIGN) v = tw__csl_operate(s, n, op, tw__csl_known(old), v);
    v = tw__csl_coerce_init(s, n, v, t, "the assigned value");
    if (tw__csl_is_nothing(&v)) return;
    if (v.kind != TW__CSL_O_VALUE) {
        tw__csl_error(s, n, "csl.comptime", "the assigned value must be known at compile time");
        return;
    }
    if (tw__csl_is_aggregate(t) && v.value.parts) v.value.parts->shared = true;
    slot = tw__csl_slot(s, n->kid[0]); /* the right side may have moved the items */
    if (!slot) return;
    *slot = v.value;
    tw__csl_escape(s, s->slot_level, slot);
}

static const node *root_of(const node *n)
{
    while (n->kind == TW__CSL_INDEX || n->kind == TW__CSL_FIELD) n = n->kid[0];
    return n;
}

static void assign(sema *s, const node *n)
{
    if (n->kid[0]->kind == TW__CSL_NAME && !strcmp(tw__csl_name_text(s, n->kid[0]->name), "_") &&
        !tw__csl_find_local(s, n->kid[0]->name)) { /* _ = e; */
        tw__csl_expr_rvalue(s, n->kid[1], NULL);
        return;
    }
    if (tw__csl_is_comptime_lvalue(s, n->kid[0])) {
        assign_comptime(s, n);
        return;
    }
    gen *g = s->gen;
    tw__gen_at(g, n);
    const node *root = root_of(n->kid[0]);
    operand place = tw__csl_expr(s, n->kid[0], NULL);
    if (tw__csl_is_nothing(&place)) return;
    bool variable = place.kind == TW__CSL_O_REGISTER && place.variable;
    if ((place.kind != TW__CSL_O_PLACE && !variable) || place.is_const) {
        operand whole = tw__csl_dry(s, root, NULL);
        bool named = root->kind == TW__CSL_NAME &&
                     (root == n->kid[0] || !whole.type || whole.type->kind != TW__CSL_TY_POINTER);
        tw__csl_error(s, n->kid[0], "csl.assign", "%s%s%s cannot be assigned: it is constant", named ? "'" : "",
                      named ? tw__csl_name_text(s, root->name) : "this", named ? "'" : "");
        return;
    }
    tw__csl_token_kind op = assigned_operator(n->op);
    bool shift = op == TW__CSL_T_SHL || op == TW__CSL_T_SHR;
    operand v = op == TW__CSL_T_ASSIGN ? tw__csl_expr(s, n->kid[1], place.type)
                                       : tw__csl_hinted(s, n->kid[1], shift ? &tw__csl_t_u16 : place.type);
    if (op != TW__CSL_T_ASSIGN)
        v = tw__csl_operate(s, n, op, tw__csl_rvalue(s, n, place), tw__csl_rvalue(s, n->kid[1], v));
    v = tw__csl_coerce_init(s, n->kid[1], v, place.type, "the assigned value");
    tw__csl_store(s, n, place, v);
}

/* --- leaving --- */

static flow return_runtime(sema *s, const node *n, operand v)
{
    gen *g = s->gen;
    const type *t = s->frame->result_type;
    if (t->size && tw__csl_is_aggregate(t))
        tw__csl_store(s, n, s->frame->result, v); /* the caller's memory */
    else if (t->size && !tw__csl_is_nothing(&v))
        tw__gen_move(g, 0, tw__csl_to_register(s, n, &v), t);
    tw__gen_emit(g, TW__CSL_I_RET, 0, 0, 0);
    return FLOW_DEAD;
}

/* A return under a run-time condition of an inlined function stores its value and jumps to the end. */
static flow return_inlined(sema *s, const node *n, operand v)
{
    frame *f = s->frame;
    bool conditional = s->depth > f->depth;
    if (!conditional && !f->done) {
        f->has_result = true;
        f->result = tw__csl_stable(s, n, v);
        return FLOW_RETURN;
    }
    if (!f->done) {
        f->done = tw__gen_label_new(s->gen);
        if (f->result_type->kind != TW__CSL_TY_VOID && !tw__csl_is_runtime(f->result_type)) {
            tw__csl_error(s, n, "csl.comptime",
                          "a value of type %s cannot be returned under a condition of run time",
                          TYPE_TEXT(f->result_type));
            return FLOW_DEAD;
        }
        f->result = f->sink;
        f->has_result = true;
    }
    if (f->result_type->size && !tw__csl_is_nothing(&v)) tw__csl_store(s, n, f->result, v);
    if (!conditional) return FLOW_RETURN;
    tw__gen_jump(s->gen, f->done);
    return FLOW_DEAD;
}

/* Under `comptime`, what lies under a condition or in a loop of run time cannot be left: false after that error. */
static bool may_leave(sema *s, const node *n, const char *word, unsigned depth)
{
    if (s->gen || s->depth <= depth) return true;
    tw__csl_error(s, n, "csl.comptime", "'%s' under 'comptime' depends on a condition or loop of run time", word);
    return false;
}

static flow return_stmt(sema *s, const node *n)
{
    frame *f = s->frame;
    if (!f || !f->function) {
        tw__csl_error(s, n, "csl.syntax", "'return' outside a function");
        return FLOW_RETURN;
    }
    if (!may_leave(s, n, "return", f->depth)) return FLOW_DEAD;
    operand v = tw__csl_known(tw__csl_of_void());
    if (s->gen) tw__gen_at(s->gen, n);
    const node *e = n->count ? n->kid[0] : NULL;
    if (e) {
        v = tw__csl_expr(s, e, f->result_type);
        v = tw__csl_coerce_init(s, e, v, f->result_type, "the returned value");
    } else if (f->result_type->kind != TW__CSL_TY_VOID && f->result_type->kind != TW__CSL_TY_POISON) {
        tw__csl_error(s, n, "csl.return", "a value of type %s must be returned", TYPE_TEXT(f->result_type));
        v = tw__csl_nothing();
    }
    if (!s->gen) {
        f->has_result = true;
        f->result = v;
        tw__csl_escape_all(s, f->level);
        return FLOW_RETURN;
    }
    return f->inlined ? return_inlined(s, n, v) : return_runtime(s, n, v);
}

static target *find_target(sema *s, const node *n, bool is_break)
{
    for (target *t = s->frame ? s->frame->targets : NULL; t; t = t->outer)
        if (n->name ? t->name == n->name : t->is_loop) {
            if (is_break || t->is_loop) return t;
            tw__csl_error(s, n, "csl.label", "'%s' is the label of a block: 'continue' needs that of a loop",
                          tw__csl_name_text(s, n->name));
            return NULL;
        }
    if (n->name)
        tw__csl_error(s, n, "csl.label", "there is no label '%s' around this", tw__csl_name_text(s, n->name));
    else
        tw__csl_error(s, n, "csl.syntax", "this is not inside a loop");
    return NULL;
}

static void break_value(sema *s, const node *n, target *t)
{
    const type *want = t->has_result && t->result.kind != TW__CSL_O_VALUE ? t->result.type : t->expected;
    operand v = tw__csl_expr_rvalue(s, n->kid[0], want);
    bool conditional = s->gen && s->depth > t->depth;
    tw__csl_escape_all(s, t->level);
    if (tw__csl_is_nothing(&v)) {
        t->has_result = true;
        t->result = v;
    } else if (!conditional && !t->has_result) {
        t->has_result = true;
        t->result = tw__csl_stable(s, n, v);
    } else {
        if (!t->has_result) {
            const type *meet = t->expected && t->expected->size ? t->expected : v.type;
            if (!meet->size && s->soft && tw__csl_is_number(meet)) meet = s->soft;
            if (!meet->size) {
                tw__csl_error(s, n, "csl.comptime", "a value of type %s cannot depend on a condition of run time",
                              TYPE_TEXT(meet));
                return;
            }
            t->result = tw__csl_sink(s, meet);
            t->has_result = true;
        }
        tw__csl_into_sink(s, n, &t->result, v);
    }
}

static flow leave(sema *s, const node *n, bool is_break)
{
    target *t = find_target(s, n, is_break);
    if (!t || !may_leave(s, n, is_break ? "break" : "continue", t->depth)) return FLOW_DEAD;
    if (n->count && n->kid[0]) break_value(s, n, t);
    bool conditional = s->gen && (!t->comptime || s->depth > t->depth);
    if (!conditional) {
        s->frame->leaving = t;
        return is_break ? FLOW_BREAK : FLOW_CONTINUE;
    }
    label *to = is_break ? &t->at_break : &t->at_continue;
    if (!*to) *to = tw__gen_label_new(s->gen);
    tw__gen_at(s->gen, n);
    tw__gen_jump(s->gen, *to);
    return FLOW_DEAD;
}

/* --- blocks and alternatives --- */

flow tw__csl_block(sema *s, const node *n)
{
    binding *locals = s->locals;
    unsigned block = s->block;
    uint32_t registers = s->gen ? tw__gen_hold(s->gen) : 0;
    size_t names = s->gen ? s->gen->e.local_count : 0;
    s->block = ++s->blocks;
    flow f = FLOW_NEXT;
    for (uint32_t i = 0; i < n->count && f == FLOW_NEXT && !tw__csl_stop(s); i++) f = tw__csl_stmt(s, n->kid[i]);
    s->locals = locals;
    s->block = block;
    if (s->gen) tw__csl_emit_close(&s->gen->e, names);
    if (s->gen && !s->keep) tw__gen_release(s->gen, registers);
    return f;
}

target *tw__csl_push_target(sema *s, target *t, const node *n, bool is_loop, bool comptime)
{
    *t = (target){ .outer = s->frame->targets,
                   .name = n->name,
                   .is_loop = is_loop,
                   .comptime = comptime,
                   .depth = s->depth,
                   .level = s->level };
    for (const target *o = t->outer; o && n->name; o = o->outer)
        if (o->name == n->name)
            tw__csl_error(s, n, "csl.label", "label '%s' is already in use here", tw__csl_name_text(s, n->name));
    s->frame->targets = t;
    return t;
}

static flow labelled_block(sema *s, const node *n)
{
    target t;
    tw__csl_push_target(s, &t, n, false, true);
    flow f = tw__csl_block(s, n);
    s->frame->targets = t.outer;
    if (f == FLOW_BREAK && s->frame->leaving == &t) f = FLOW_NEXT;
    if (t.at_break) {
        tw__gen_bind(s->gen, t.at_break);
        f = FLOW_NEXT;
    }
    return f;
}

operand tw__csl_block_value(sema *s, const node *n, const type *expected)
{
    if (!n->count && !n->name) return tw__csl_known(tw__csl_of_void());
    frame none = { .outer = s->frame, .result_type = &tw__csl_t_VOID, .depth = s->depth };
    if (!s->frame) s->frame = &none;
    target t;
    bool keep = s->keep;
    s->keep = true; /* the result may lie in a register of the block */
    tw__csl_push_target(s, &t, n, false, true);
    t.expected = expected;
    tw__csl_block(s, n);
    s->frame->targets = t.outer;
    s->keep = keep;
    if (s->frame == &none) s->frame = none.outer;
    if (t.at_break) tw__gen_bind(s->gen, t.at_break);
    return t.has_result ? t.result : tw__csl_known(tw__csl_of_void());
}

flow tw__csl_alternative(sema *s, const node *body)
{
    s->depth++;
    flow f = tw__csl_stmt(s, body);
    s->depth--;
    return f;
}

static flow if_stmt(sema *s, const node *n)
{
    operand c = tw__csl_condition(s, n->kid[0], "the condition of 'if'");
    const node *otherwise = n->count > 2 ? n->kid[2] : NULL;
    if (tw__csl_is_nothing(&c)) return FLOW_NEXT;
    if (tw__csl_is_known(&c)) {
        const node *chosen = c.value.i ? n->kid[1] : otherwise;
        return chosen ? tw__csl_stmt(s, chosen) : FLOW_NEXT;
    }
    gen *g = s->gen;
    if (!g)
        return tw__csl_error(s, n->kid[0], "csl.comptime", "this value is not known at compile time"), FLOW_NEXT;
    label no = tw__gen_label_new(g);
    tw__gen_branch(g, c.reg, false, no);
    flow yes = tw__csl_alternative(s, n->kid[1]);
    if (!otherwise) {
        tw__gen_bind(g, no);
        return FLOW_NEXT;
    }
    label done = tw__gen_label_new(g);
    if (yes != FLOW_DEAD) tw__gen_jump(g, done);
    tw__gen_bind(g, no);
    flow other = tw__csl_alternative(s, otherwise);
    tw__gen_bind(g, done);
    return yes == FLOW_DEAD && other == FLOW_DEAD ? FLOW_DEAD : FLOW_NEXT;
}

static flow comptime_block(sema *s, const node *n)
{
    tw__csl_phase phase = s->phase;
    gen *g = s->gen;
    unsigned depth = s->depth;
    if (s->phase == TW__CSL_PHASE_RUNTIME) s->phase = TW__CSL_PHASE_VALUE;
    s->gen = NULL;
    flow f = tw__csl_block(s, n->kid[0]);
    s->phase = phase;
    s->gen = g;
    s->depth = depth;
    return f;
}

static flow generate_stmt(sema *s, const node *n)
{
    if (!tw__csl_step(s, n) || !tw__csl_room(s, n)) return FLOW_DEAD;
    gen *g = s->gen;
    uint32_t registers = g ? tw__gen_hold(g) : 0;
    if (g) {
        g->barrier = (uint32_t)g->e.code_count; /* a condition belongs to its own statement */
        if (n->kind != TW__CSL_BLOCK) tw__gen_at(g, n);
    }
    flow f = FLOW_NEXT;
    switch ((tw__csl_kind)n->kind) {
    case TW__CSL_VAR: declare(s, n); return FLOW_NEXT;
    case TW__CSL_COMPTIME: f = comptime_block(s, n); break;
    case TW__CSL_BLOCK: f = n->name ? labelled_block(s, n) : tw__csl_block(s, n); break;
    case TW__CSL_IF: f = if_stmt(s, n); break;
    case TW__CSL_FOR: f = tw__csl_for(s, n); break;
    case TW__CSL_WHILE: f = tw__csl_while(s, n); break;
    case TW__CSL_RETURN: f = return_stmt(s, n); break;
    case TW__CSL_BREAK: f = leave(s, n, true); break;
    case TW__CSL_CONTINUE: f = leave(s, n, false); break;
    case TW__CSL_ASSIGN: assign(s, n); break;
    case TW__CSL_SWITCH: tw__csl_switch(s, n, NULL, true, &f); break;
    default: tw__csl_expr(s, n, NULL); break;
    }
    if (g && !s->keep) tw__gen_release(g, registers);
    return f;
}

flow tw__csl_stmt(sema *s, const node *n)
{
    gen *g = s->gen;
    uint32_t since = g ? g->since : 0;
    if (g) g->since = (uint32_t)g->e.code_count;
    flow f = generate_stmt(s, n);
    if (g) g->since = since;
    return f;
}
