/* SPDX-License-Identifier: MIT */
/* for, while, switch: run now, unrolled, or generated. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

/* One pass through an unrolled or comptime loop. *stop: leave the loop with *out. */
static bool one_pass(sema *s, const node *body, target *t, flow *out)
{
    flow f = tw__csl_stmt(s, body);
    if (t->at_continue) {
        tw__gen_bind(s->gen, t->at_continue);
        t->at_continue = 0;
        if (f == FLOW_DEAD) f = FLOW_NEXT;
    }
    if (f == FLOW_CONTINUE && s->frame->leaving == t) f = FLOW_NEXT;
    if (f == FLOW_BREAK && s->frame->leaving == t) {
        *out = FLOW_NEXT;
        return false;
    }
    *out = f;
    return f == FLOW_NEXT;
}

static bool iteration(sema *s, const node *body, target *t, flow *out)
{
    if (s->gen) return one_pass(s, body, t, out);
    turn mark = tw__csl_turn_begin(s);
    bool more = one_pass(s, body, t, out);
    tw__csl_turn_end(s, mark);
    return more;
}

static flow finish(sema *s, target *t, flow f)
{
    s->frame->targets = t->outer;
    if (!t->at_break) return f;
    tw__gen_bind(s->gen, t->at_break);
    return FLOW_NEXT;
}

static bool inline_limit(sema *s, const node *n, uint64_t done)
{
    unsigned most = s->shared->options->max_inlined ? s->shared->options->max_inlined : 100000;
    if (!s->gen || done < most) return true;
    tw__csl_error(s, n, "csl.limit", "the inlined loop has more than %u iterations (--max-inlined-iterations)",
                  most);
    return false;
}

/* --- while --- */

#define CONDITION_OF_WHILE "the condition of 'while'"

static flow while_now(sema *s, const node *n)
{
    const node *step = n->kid[TW__CSL_WHILE_STEP];
    target t;
    tw__csl_push_target(s, &t, n, true, true);
    flow f = FLOW_NEXT;
    for (uint64_t done = 0; tw__csl_step(s, n) && inline_limit(s, n, done); done++) {
        value c;
        if (!tw__csl_comptime(s, n->kid[TW__CSL_WHILE_CONDITION], &tw__csl_t_BOOL, "the condition of this loop",
                              &c) ||
            !c.i || !iteration(s, n->kid[TW__CSL_WHILE_BODY], &t, &f))
            break;
        if (step) tw__csl_stmt(s, step);
    }
    return finish(s, &t, f);
}

static flow while_generated(sema *s, const node *n)
{
    gen *g = s->gen;
    const node *condition = n->kid[TW__CSL_WHILE_CONDITION], *step = n->kid[TW__CSL_WHILE_STEP];
    operand known = tw__csl_dry(s, condition, &tw__csl_t_BOOL);
    if (tw__csl_is_nothing(&known)) return FLOW_NEXT;
    /* A condition known here is never evaluated again, so this is where its type counts. */
    if (tw__csl_is_known(&known)) known = tw__csl_coerce(s, condition, known, &tw__csl_t_BOOL, CONDITION_OF_WHILE);
    if (tw__csl_is_nothing(&known)) return FLOW_NEXT;
    bool endless = tw__csl_is_known(&known) && known.value.i;
    if (tw__csl_is_known(&known) && !known.value.i) return FLOW_NEXT;
    target t;
    tw__csl_push_target(s, &t, n, true, false);
    label top = tw__gen_label_new(g), check = tw__gen_label_new(g);
    t.at_continue = tw__gen_label_new(g);
    s->depth++;
    if (!endless) tw__gen_jump(g, check);
    tw__gen_bind(g, top);
    tw__csl_stmt(s, n->kid[TW__CSL_WHILE_BODY]);
    tw__gen_bind(g, t.at_continue);
    if (step) tw__csl_stmt(s, step);
    tw__gen_bind(g, check);
    tw__gen_at(g, condition);
    if (endless) {
        tw__gen_jump(g, top);
    } else {
        operand c = tw__csl_condition(s, condition, CONDITION_OF_WHILE);
        if (!tw__csl_is_nothing(&c)) tw__gen_branch(g, tw__csl_to_register(s, condition, &c), true, top);
    }
    s->depth--;
    bool left = t.at_break != 0;
    flow f = finish(s, &t, FLOW_NEXT);
    return endless && !left ? FLOW_DEAD : f;
}

flow tw__csl_while(sema *s, const node *n)
{
    frame none = { .outer = s->frame, .result_type = &tw__csl_t_VOID, .depth = s->depth };
    if (!s->frame) s->frame = &none;
    flow f = !s->gen || (n->flags & TW__CSL_F_INLINE) ? while_now(s, n) : while_generated(s, n);
    if (s->frame == &none) s->frame = none.outer;
    return f;
}

/* --- for --- */

/* Runs the body with the captures bound; both operands are fixed for this iteration. */
static bool for_iteration(sema *s, const node *n, target *t, operand item, operand index, flow *out)
{
    binding *locals = s->locals;
    unsigned block = s->block;
    size_t names = s->gen ? s->gen->e.local_count : 0;
    s->block = ++s->blocks;
    const node *value_name = n->kid[TW__CSL_FOR_VALUE], *index_name = n->kid[TW__CSL_FOR_INDEX];
    tw__csl_bind(s, value_name, value_name->name, item, true);
    if (index_name) tw__csl_bind(s, index_name, index_name->name, index, true);
    bool more = iteration(s, n->kid[TW__CSL_FOR_BODY], t, out);
    if (s->gen) tw__csl_emit_close(&s->gen->e, names);
    s->locals = locals;
    s->block = block;
    return more;
}

static operand index_value(uint64_t i)
{
    return tw__csl_known(tw__csl_of_int(&tw__csl_t_COMPTIME_INT, (tw__csl_int)i));
}

static flow for_range_now(sema *s, const node *n, const value *r)
{
    target t;
    tw__csl_push_target(s, &t, n, true, true);
    flow f = FLOW_NEXT;
    uint64_t done = 0;
    tw__csl_int stop = r->range.stop, step = r->range.step;
    for (tw__csl_int i = r->range.start; step > 0 ? i < stop : i > stop; i += step, done++)
        if (!tw__csl_step(s, n) || !inline_limit(s, n, done) ||
            !for_iteration(s, n, &t, tw__csl_known(tw__csl_of_int(r->type->base, i)), index_value(done), &f))
            break;
    return finish(s, &t, f);
}

static size_t item_count(const type *t)
{
    return t->kind == TW__CSL_TY_ARRAY ? tw__csl_element_count(t) : t->count;
}

static operand item_of(const operand *o, size_t i)
{
    if (o->kind != TW__CSL_O_PLACE) return tw__csl_part_of(o, i);
    operand part = *o;
    const type *t = o->type;
    part.type = t->kind == TW__CSL_TY_ARRAY ? t->base : t->fields[i].type;
    part.place.offset += t->kind == TW__CSL_TY_ARRAY ? (int64_t)(i * t->base->size) : t->fields[i].offset;
    return part;
}

static flow for_items_now(sema *s, const node *n, const operand *o)
{
    target t;
    tw__csl_push_target(s, &t, n, true, true);
    flow f = FLOW_NEXT;
    for (size_t i = 0; i < item_count(o->type); i++)
        if (!tw__csl_step(s, n) || !inline_limit(s, n, i) ||
            !for_iteration(s, n, &t, item_of(o, i), index_value(i), &f))
            break;
    return finish(s, &t, f);
}

typedef struct counter { /* of a generated loop; 64-bit registers, so that no bound overflows */
    uint16_t reg, limit, step;
    bool known_step, either; /* either: whether the step goes up or down shows only at run time */
    int64_t by;
    label top, check;
} counter;

static void counter_open(gen *g, counter *c)
{
    c->top = tw__gen_label_new(g);
    c->check = tw__gen_label_new(g);
    tw__gen_jump(g, c->check);
    tw__gen_bind(g, c->top);
}

static void counter_close(gen *g, counter *c)
{
    if (c->known_step && c->by == (int16_t)c->by)
        tw__gen_emit(g, TW__CSL_I_ADDI_I64, c->reg, c->reg, (uint16_t)c->by);
    else
        tw__gen_emit(g, TW__CSL_I_ADD_I64, c->reg, c->reg, c->step);
    tw__gen_bind(g, c->check);
    uint16_t more = tw__gen_register(g, &tw__csl_t_BOOL);
    if (c->either) {
        uint16_t zero = tw__gen_register(g, &tw__csl_t_i64);
        label falls = tw__gen_label_new(g), end = tw__gen_label_new(g);
        tw__gen_load_int(g, zero, 0);
        tw__gen_emit(g, TW__CSL_I_LTS, more, c->step, zero);
        tw__gen_branch(g, more, true, falls);
        tw__gen_emit(g, TW__CSL_I_LTS, more, c->reg, c->limit);
        tw__gen_branch(g, more, true, c->top);
        tw__gen_jump(g, end);
        tw__gen_bind(g, falls);
        tw__gen_emit(g, TW__CSL_I_LTS, more, c->limit, c->reg);
        tw__gen_branch(g, more, true, c->top);
        tw__gen_bind(g, end);
        return;
    }
    bool down = c->known_step && c->by < 0;
    tw__gen_emit(g, TW__CSL_I_LTS, more, down ? c->limit : c->reg, down ? c->reg : c->limit);
    tw__gen_branch(g, more, true, c->top);
}

/* A register of the loop's own with the value. */
static uint16_t own_register(sema *s, const node *at, operand o)
{
    operand own = { .kind = TW__CSL_O_REGISTER,
                    .type = &tw__csl_t_i64,
                    .reg = tw__gen_register(s->gen, &tw__csl_t_i64) };
    tw__csl_store(s, at, own, o);
    return own.reg;
}

static flow generated_body(sema *s, const node *n, counter *c, operand item, operand index)
{
    gen *g = s->gen;
    target t;
    tw__csl_push_target(s, &t, n, true, false);
    t.at_continue = tw__gen_label_new(g);
    s->depth++;
    binding *locals = s->locals;
    unsigned block = s->block;
    size_t names = g->e.local_count;
    s->block = ++s->blocks;
    tw__csl_bind(s, n->kid[TW__CSL_FOR_VALUE], n->kid[TW__CSL_FOR_VALUE]->name, item, true);
    if (n->kid[TW__CSL_FOR_INDEX])
        tw__csl_bind(s, n->kid[TW__CSL_FOR_INDEX], n->kid[TW__CSL_FOR_INDEX]->name, index, true);
    size_t own = g->e.local_count;
    tw__csl_stmt(s, n->kid[TW__CSL_FOR_BODY]);
    for (size_t k = names; k < own; k++) g->e.locals[k].end = (uint32_t)g->e.code_count; /* written until below */
    s->locals = locals;
    s->block = block;
    tw__gen_bind(g, t.at_continue);
    if (index.kind == TW__CSL_O_REGISTER && index.reg != c->reg)
        tw__gen_emit(g, TW__CSL_I_ADDI_U16, index.reg, index.reg, 1);
    counter_close(g, c);
    tw__csl_emit_close(&g->e, names);
    s->depth--;
    return finish(s, &t, FLOW_NEXT);
}

static flow for_range_generated(sema *s, const node *n, const operand *r)
{
    gen *g = s->gen;
    const type *t = r->type->base;
    operand start, stop, step;
    if (r->kind == TW__CSL_O_VALUE) {
        start = tw__csl_known(tw__csl_of_int(&tw__csl_t_i64, r->value.range.start));
        stop = tw__csl_known(tw__csl_of_int(&tw__csl_t_i64, r->value.range.stop));
        step = tw__csl_known(tw__csl_of_int(&tw__csl_t_i64, r->value.range.step));
    } else {
        start = r->parts[0];
        stop = r->parts[1];
        step = r->parts[2];
    }
    counter c = { .known_step = tw__csl_is_known(&step) };
    c.either = !c.known_step && t->is_signed;
    c.reg = own_register(s, n, start);
    c.limit = own_register(s, n, stop);
    c.by = c.known_step ? (int64_t)step.value.i : 1;
    if (!c.known_step || c.by != (int16_t)c.by) c.step = own_register(s, n, step);
    operand index = { .kind = TW__CSL_O_REGISTER, .type = &tw__csl_t_u16, .variable = true, .is_const = true };
    if (n->kid[TW__CSL_FOR_INDEX]) {
        index.reg = tw__gen_register(g, &tw__csl_t_u16);
        tw__gen_load_int(g, index.reg, 0);
    } else {
        index.reg = c.reg;
    }
    counter_open(g, &c);
    operand item = { .kind = TW__CSL_O_REGISTER, .type = t, .variable = true, .is_const = true, .reg = c.reg };
    return generated_body(s, n, &c, item, index);
}

static flow for_array_generated(sema *s, const node *n, operand o)
{
    gen *g = s->gen;
    const type *element = o.type->base;
    size_t count = tw__csl_element_count(o.type);
    bool unused = !strcmp(tw__csl_name_text(s, n->kid[TW__CSL_FOR_VALUE]->name), "_");
    bool same = o.kind == TW__CSL_O_VALUE && !o.value.parts->items;
    uint16_t base = 0;
    if (!unused && !same) {
        o = tw__csl_in_memory(s, n, o);
        if (tw__csl_is_nothing(&o)) return FLOW_NEXT;
        base = tw__csl_place_register(s, n, &o);
    }
    counter c = { .known_step = true, .by = 1 };
    c.reg = own_register(s, n, tw__csl_known(tw__csl_of_int(&tw__csl_t_i64, 0)));
    c.limit = own_register(s, n, tw__csl_known(tw__csl_of_int(&tw__csl_t_i64, (tw__csl_int)count)));
    counter_open(g, &c);
    operand item = same && count ? tw__csl_known(o.value.parts->fill) : tw__csl_known(tw__csl_of_void());
    if (!unused && !same) {
        uint16_t at = tw__gen_register(g, &tw__csl_t_u16);
        tw__gen_emit(g, TW__CSL_I_MULI_U16, at, c.reg, element->size);
        tw__gen_emit(g, TW__CSL_I_ADD_U16, at, at, base);
        item = (operand){ .kind = TW__CSL_O_PLACE, .type = element, .is_const = true, .has_reg = true, .reg = at };
        item = tw__csl_rvalue(s, n, item);
    }
    operand index = {
        .kind = TW__CSL_O_REGISTER, .type = &tw__csl_t_u16, .variable = true, .is_const = true, .reg = c.reg
    };
    return generated_body(s, n, &c, item, index);
}

static flow for_loop(sema *s, const node *n)
{
    operand o = tw__csl_expr(s, n->kid[TW__CSL_FOR_SOURCE], NULL);
    if (tw__csl_is_nothing(&o)) return FLOW_NEXT;
    if (o.type->kind == TW__CSL_TY_POINTER && o.type->base->kind == TW__CSL_TY_ARRAY && !o.type->many)
        o = tw__csl_deref(s, n, o);
    const type *t = o.type;
    bool now = !s->gen || (n->flags & TW__CSL_F_INLINE);
    if (t->kind == TW__CSL_TY_RANGE) {
        bool literal = !t->base->size;
        if (o.kind == TW__CSL_O_VALUE && (now || literal)) return for_range_now(s, n, &o.value);
        if (now)
            return tw__csl_error(s, n->kid[TW__CSL_FOR_SOURCE], "csl.comptime",
                                 "the range of this loop must be known at compile time"),
                   FLOW_NEXT;
        return for_range_generated(s, n, &o);
    }
    bool items = t->kind == TW__CSL_TY_ARRAY || (t->kind == TW__CSL_TY_STRUCT && (t->tuple || !t->count));
    if (!items)
        return tw__csl_error(s, n->kid[TW__CSL_FOR_SOURCE], "csl.type",
                             "'for' runs over an array or a range, not %s", TYPE_TEXT(t)),
               FLOW_NEXT;
    if (now || t->kind == TW__CSL_TY_STRUCT || !t->base->size) return for_items_now(s, n, &o);
    return for_array_generated(s, n, o);
}

flow tw__csl_for(sema *s, const node *n)
{
    frame none = { .outer = s->frame, .result_type = &tw__csl_t_VOID, .depth = s->depth };
    if (!s->frame) s->frame = &none;
    flow f = for_loop(s, n);
    if (s->frame == &none) s->frame = none.outer;
    return f;
}
