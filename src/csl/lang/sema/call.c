/* SPDX-License-Identifier: MIT */
/* Calls: evaluated now, inlined, or generated with a specialisation per comptime argument. */
#include "csl/lang/sema/gen.h"
#include "csl/lang/sema/local.h"

typedef struct argument {
    operand o;        /* after conversion to the parameter's type */
    const type *type; /* of the parameter */
    bool fixed;       /* must be known: part of the specialisation */
} argument;

typedef struct call {
    const node *at;
    tw__csl_function *f;
    argument *args;
    size_t count;
    const type *result;
    binding *locals; /* parameters bound to the arguments */
} call;

static const node *param_of(const tw__csl_function *f, size_t i)
{
    return f->node->kid[TW__CSL_FN_REST + i];
}
static size_t param_count(const tw__csl_function *f)
{
    return f->node->count - TW__CSL_FN_REST;
}

static bool is_fixed(const node *param, const type *t, const operand *o)
{
    if ((param->flags & TW__CSL_F_COMPTIME) || t->kind == TW__CSL_TY_FN) return true;
    if (t->kind == TW__CSL_TY_DIRECTION && tw__csl_is_known(o)) return true; /* routes want it known */
    return !tw__csl_is_runtime(t) && o->kind != TW__CSL_O_GROUP;
}

/* Converts the arguments to the types of the parameters, which may name earlier parameters, and finds the type of the
 * result. The world is the callee's module, but code is still generated for the caller. */
static bool bind_arguments(sema *s, call *c, operand *given, const node *const *nodes)
{
    gen *g = s->gen;
    tw__csl_phase phase = s->phase;
    unsigned depth = s->depth;
    saved old = tw__csl_enter_module(s, c->f->module, TW__CSL_PHASE_VALUE);
    s->depth = depth;
    bool good = true;
    for (size_t i = 0; i < c->count && good; i++) {
        const node *param = param_of(c->f, i);
        const node *at = nodes ? nodes[i] : c->at;
        const type *t = &tw__csl_t_ANYTYPE;
        char what[96];
        if (param->kid[0]) t = tw__csl_type_expr(s, param->kid[0]);
        if (!t) {
            good = false;
            break;
        }
        g_snprintf(what, sizeof what, "argument %zu of '%s'", i + 1, c->f->name);
        s->gen = g;
        s->phase = phase;
        operand o = tw__csl_coerce(s, at, given[i], t, what);
        s->gen = NULL;
        s->phase = TW__CSL_PHASE_VALUE;
        if (tw__csl_is_nothing(&o)) {
            good = false;
            break;
        }
        if (t->kind == TW__CSL_TY_ANYTYPE || t->kind == TW__CSL_TY_COMPTIME_STRUCT) t = o.type;
        c->args[i] = (argument){ o, t, is_fixed(param, t, &o) };
        if (c->args[i].fixed && !tw__csl_is_known(&o)) {
            tw__csl_error(s, at, "csl.comptime", "%s must be known at compile time", what);
            good = false;
        }
        tw__csl_bind(s, param, param->name, o, true);
    }
    if (good) {
        const node *written = c->f->node->kid[TW__CSL_FN_TYPE_SLOT];
        c->result = written ? tw__csl_type_expr(s, written) : &tw__csl_t_VOID;
        good = c->result != NULL;
    }
    c->locals = s->locals;
    tw__csl_leave_module(s, old);
    return good;
}

/* --- now, or inlined into the code of the caller --- */

static operand run_body(sema *s, call *c, bool inlined)
{
    const node *body = c->f->node->kid[TW__CSL_FN_BODY];
    if (!body) return tw__csl_error(s, c->at, "csl.call", "'%s' has no body to evaluate", c->f->name);
    if (!tw__csl_step(s, c->at) || !tw__csl_room(s, c->at)) return tw__csl_nothing();
    unsigned errors = tw__csl_errors(s->ctx), depth = s->depth;
    frame f = { .function = c->f, .result_type = c->result, .inlined = inlined, .level = s->level };
    tw__csl_phase phase = s->phase;
    gen *g = s->gen;
    bool keep = s->keep;
    if (inlined) {
        f.addressed = tw__csl_addressed_names(body);
        if (c->result->size) f.sink = tw__csl_sink(s, c->result);
    }
    saved old = tw__csl_enter_module(s, c->f->module, phase);
    s->gen = inlined ? g : NULL;
    s->phase = inlined ? phase : phase == TW__CSL_PHASE_RUNTIME ? TW__CSL_PHASE_VALUE : phase;
    s->depth = inlined ? depth : 0;
    s->keep = inlined;
    f.depth = s->depth;
    f.outer = NULL;
    s->frame = &f;
    const site here = { .outer = s->trail, .at = c->at, .function = c->f, .told = true };
    s->trail = &here;
    s->locals = c->locals;
    s->calls++;
    flow left = tw__csl_block(s, body);
    s->calls--;
    tw__csl_leave_module(s, old);
    s->keep = keep;
    if (f.addressed) g_hash_table_destroy(f.addressed);
    if (f.done) tw__gen_bind(s->gen, f.done);
    if (c->result->kind == TW__CSL_TY_VOID) return tw__csl_known(tw__csl_of_void());
    if (!f.has_result && tw__csl_errors(s->ctx) == errors && left != FLOW_DEAD && !tw__csl_stop(s))
        return tw__csl_error(s, c->f->node, "csl.return", "'%s' ends without returning a value of type %s",
                             c->f->name, TYPE_TEXT(c->result));
    return f.has_result ? f.result : tw__csl_nothing();
}

/* --- specialisations --- */

static special *find_special(sema *s, const call *c)
{
    for (special *p = g_hash_table_lookup(s->by_function, c->f); p; p = p->next) {
        bool same = true;
        for (size_t i = 0; i < c->count && same; i++) {
            const argument *a = &c->args[i];
            same = p->types[i] == a->type &&
                   (a->fixed ? p->fixed[i].type && tw__csl_equal(&p->fixed[i], &a->o.value) : !p->fixed[i].type);
        }
        if (same) return p;
    }
    return NULL;
}

static unsigned register_count(const type *t)
{
    return !t->size ? 0 : tw__csl_is_dsd(t) ? 2 : 1;
}

/* Aggregate results go to memory of the caller, whose address is the first argument. */
static bool hidden_result(const type *t)
{
    return t->size && tw__csl_is_aggregate(t);
}

/* A function that calls itself with ever new constants or types never comes to an end: each is code of its own. */
static bool special_room(sema *s, const call *c, const site *trail)
{
    unsigned depth = 0;
    for (const site *t = trail; t; t = t->outer) depth += t->told;
    if (depth <= TW__CSL_MAX_CALLS) return true;
    tw__csl_error(s, c->at, "csl.limit", "calls with constants or types of their own are nested too deeply (%u)",
                  depth - 1);
    s->shared->out_of_steps = true;
    return false;
}

static special *make_special(sema *s, const call *c, bool called)
{
    special *known = find_special(s, c);
    if (known) return known;
    bool depends = false; /* on this call */
    special *p = TW__NEW(s->lasting, special);
    value *fixed = TW__NEW_N(s->lasting, value, c->count + 1);
    const type **types = TW__NEW_N(s->lasting, const type *, c->count + 1);
    if (!p || !fixed || !types) {
        tw__csl_out_of_memory(s);
        return NULL;
    }
    unsigned registers = hidden_result(c->result);
    for (size_t i = 0; i < c->count; i++) {
        types[i] = c->args[i].type;
        depends = depends || c->args[i].fixed || !param_of(c->f, i)->kid[0];
        if (c->args[i].fixed)
            fixed[i] = c->args[i].o.value; /* lasting: a loop with code is no comptime loop */
        else
            registers += register_count(types[i]);
    }
    *p = (special){ .function = c->f, .count = c->count, .fixed = fixed, .types = types, .result = c->result };
    p->trail = tw__csl_lasting_trail(s, c->at, c->f, called && depends);
    if (!special_room(s, c, p->trail)) return NULL;
    p->index = (int)tw__csl_program_add_function(s->image, tw__csl_sema_program(s), c->f->name, registers,
                                                 hidden_result(c->result) ? 0 : register_count(c->result));
    if (tw__csl_sema_program(s)->no_memory) { /* there is no such function to generate */
        tw__csl_out_of_memory(s);
        return NULL;
    }
    p->next = g_hash_table_lookup(s->by_function, c->f);
    g_hash_table_insert(s->by_function, c->f, p);
    *s->last_waiting = p;
    s->last_waiting = &p->waiting;
    return p;
}

/* Parameters of a function that is about to be generated: constants, registers, memory by reference. */
static void bind_parameters(sema *s, const special *p, frame *f)
{
    gen *g = s->gen;
    if (hidden_result(p->result))
        f->result = (operand){
            .kind = TW__CSL_O_PLACE, .type = p->result, .has_reg = true, .reg = tw__gen_register(g, &tw__csl_t_u16)
        };
    operand *in = TW__NEW_N(s->arena, operand, p->count + 1);
    for (size_t i = 0; in && i < p->count; i++) { /* all of them have their registers before code is generated */
        const type *t = p->types[i];
        if (p->fixed[i].type)
            in[i] = tw__csl_known(p->fixed[i]);
        else if (!t->size)
            in[i] = tw__csl_known((value){ .type = t });
        else if (tw__csl_is_aggregate(t))
            in[i] = (operand){ .kind = TW__CSL_O_PLACE,
                               .type = t,
                               .is_const = true,
                               .has_reg = true,
                               .reg = tw__gen_register(g, &tw__csl_t_u16) };
        else
            in[i] = (operand){ .kind = TW__CSL_O_REGISTER, .type = t, .reg = tw__gen_register(g, t) };
    }
    /* Register 0 receives the result while arguments may still be read: nothing, it is written last. */
    for (size_t i = 0; in && i < p->count; i++) {
        const node *param = param_of(p->function, i);
        bool addressed = g_hash_table_contains(f->addressed, GUINT_TO_POINTER(param->name));
        if (addressed && in[i].kind == TW__CSL_O_REGISTER) {
            operand place = { .kind = TW__CSL_O_PLACE,
                              .type = in[i].type,
                              .has_reg = true,
                              .reg = tw__gen_local(g, in[i].type->size, in[i].type->align) };
            tw__csl_store(s, param, place, in[i]);
            in[i] = place;
            in[i].is_const = true;
        }
        tw__csl_bind(s, param, param->name, in[i], true);
    }
}

static bool generate(sema *s, special *p)
{
    const tw__csl_function *f = p->function;
    const node *body = f->node->kid[TW__CSL_FN_BODY];
    gen g;
    unsigned errors = tw__csl_errors(s->ctx);
    tw__gen_begin(&g, s, (uint32_t)p->index);
    tw__csl_place where = tw__csl_where(s->ctx, f->node->loc);
    tw__csl_program *program = tw__csl_sema_program(s);
    program->functions[p->index].file = tw__csl_image_file(s->image, where.file);
    program->functions[p->index].line = (uint32_t)where.line;
    saved old = tw__csl_enter_module(s, f->module, TW__CSL_PHASE_RUNTIME);
    s->gen = &g;
    s->trail = p->trail;
    frame fr = { .function = f, .result_type = p->result, .addressed = tw__csl_addressed_names(body) };
    s->frame = &fr;
    bind_parameters(s, p, &fr);
    flow left = tw__csl_block(s, body);
    if (left != FLOW_DEAD) {
        bool needs = p->result->kind != TW__CSL_TY_VOID && p->result->kind != TW__CSL_TY_POISON;
        if (needs && tw__csl_errors(s->ctx) == errors && !tw__csl_stop(s))
            tw__csl_error(s, f->node, "csl.return", "'%s' may end without returning a value of type %s", f->name,
                          TYPE_TEXT(p->result));
        if (needs)
            tw__gen_emit_wide(&g, TW__CSL_I_TRAP, 0, TW__CSL_TRAP_NO_RETURN);
        else
            tw__gen_emit(&g, TW__CSL_I_RET, 0, 0, 0);
    } else {
        tw__gen_emit_wide(&g, TW__CSL_I_TRAP, 0, TW__CSL_TRAP_UNREACHABLE); /* labels may be bound at the end */
    }
    g_hash_table_destroy(fr.addressed);
    tw__csl_leave_module(s, old);
    return tw__gen_end(&g);
}

bool tw__csl_generate_waiting(sema *s)
{
    bool good = true;
    while (s->waiting && !tw__csl_stop(s)) {
        special *p = s->waiting;
        s->waiting = p->waiting;
        if (!s->waiting) s->last_waiting = &s->waiting;
        p->waiting = NULL;
        good = generate(s, p) && good;
    }
    return good;
}

/* --- calls in the code of a function --- */

static operand emit_call(sema *s, const node *at, const type *result, argument *args, size_t count, int index,
                         const operand *pointer)
{
    gen *g = s->gen;
    operand out = tw__csl_known(tw__csl_of_void());
    uint16_t *from = TW__NEW_N(s->arena, uint16_t, count + 1);
    if (!from) return tw__csl_nothing();
    if (hidden_result(result)) out = tw__csl_sink(s, result);
    uint16_t function = pointer ? tw__csl_to_register(s, at, pointer) : 0;
    for (size_t i = 0; i < count; i++)
        if (!args[i].fixed && args[i].type->size) from[i] = tw__csl_to_register(s, at, &args[i].o);
    tw__gen_at(g, at);
    uint32_t window = tw__gen_hold(g);
    unsigned used = 0;
    if (hidden_result(result)) {
        tw__gen_move(g, tw__gen_register(g, &tw__csl_t_u16), out.reg, &tw__csl_t_u16);
        used++;
    }
    for (size_t i = 0; i < count; i++) {
        const type *t = args[i].type;
        if (args[i].fixed || !t->size) continue;
        const type *held = tw__csl_is_aggregate(t) ? &tw__csl_t_u16 : t;
        tw__gen_move(g, tw__gen_register(g, held), from[i], held);
        used += register_count(t);
    }
    if (pointer)
        tw__gen_emit(g, TW__CSL_I_CALLI, window, function, used);
    else
        tw__gen_emit_wide(g, TW__CSL_I_CALL, window, (uint32_t)index);
    g->barrier = (uint32_t)g->e.code_count;
    tw__gen_release(g, window);
    if (!result->size || hidden_result(result)) return out;
    return (operand){ .kind = TW__CSL_O_REGISTER, .type = result, .reg = tw__gen_register(g, result) };
}

static bool must_inline(const call *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->args[i].o.kind == TW__CSL_O_GROUP && !tw__csl_is_runtime(c->args[i].type)) return true;
    return c->f->is_inline || c->result->kind == TW__CSL_TY_DIRECTION; /* which then is known where it can be */
}

operand tw__csl_call_function(sema *s, const node *at, tw__csl_function *f, operand *args,
                              const node *const *arg_nodes, size_t count, bool force_comptime)
{
    if (f->is_task)
        return tw__csl_error(s, at, "csl.call", "task '%s' cannot be called: tasks are activated", f->name);
    if (count != param_count(f))
        return tw__csl_error(s, at, "csl.arguments", "'%s' takes %zu argument%s, got %zu", f->name, param_count(f),
                             param_count(f) == 1 ? "" : "s", count);
    call c = { .at = at, .f = f, .count = count, .args = TW__NEW_N(s->arena, argument, count + 1) };
    if (!c.args || !bind_arguments(s, &c, args, arg_nodes)) return tw__csl_nothing();
    bool now = !s->gen || force_comptime || !tw__csl_is_runtime(c.result);
    if (now) {
        /* A result that exists only at compile time may still hold run-time parts, or be the type of one. */
        for (size_t i = 0; i < count; i++)
            if (!tw__csl_is_known(&c.args[i].o) && s->gen && !force_comptime) return run_body(s, &c, true);
        return run_body(s, &c, false);
    }
    if (must_inline(&c)) return run_body(s, &c, true);
    if (!f->node->kid[TW__CSL_FN_BODY])
        return tw__csl_error(s, at, "csl.link", "'%s' is extern and nothing of this name is exported", f->name);
    special *p = make_special(s, &c, true);
    return p ? emit_call(s, at, c.result, c.args, count, p->index, NULL) : tw__csl_nothing();
}

static operand call_pointer(sema *s, const node *n, operand callee, operand *args)
{
    const type *t = callee.type->base;
    size_t count = n->count - 1;
    if (count != t->count)
        return tw__csl_error(s, n, "csl.arguments", "the function takes %zu arguments, got %zu", t->count, count);
    argument *list = TW__NEW_N(s->arena, argument, count + 1);
    for (size_t i = 0; list && i < count; i++) {
        char what[64];
        g_snprintf(what, sizeof what, "argument %zu of the function", i + 1);
        list[i].o = tw__csl_coerce(s, n->kid[i + 1], args[i], t->params[i], what);
        list[i].type = t->params[i];
        if (tw__csl_is_nothing(&list[i].o)) return list[i].o;
    }
    if (!s->gen) return tw__csl_error(s, n, "csl.comptime", "the called function is not known at compile time");
    return list ? emit_call(s, n, t->base, list, count, -1, &callee) : tw__csl_nothing();
}

/* Only blocks inside an expression can change local variables while arguments are evaluated. */
static bool may_assign(const node *n)
{
    if (!n || n->kind == TW__CSL_INT || n->kind == TW__CSL_FLOAT || n->kind == TW__CSL_BOOL ||
        n->kind == TW__CSL_STRING)
        return false;
    if (n->kind == TW__CSL_BLOCK) return true;
    for (uint32_t i = 0; i < n->count; i++)
        if (may_assign(n->kid[i])) return true;
    return false;
}

operand tw__csl_call(sema *s, const node *n)
{
    operand callee = tw__csl_expr_rvalue(s, n->kid[0], NULL);
    if (tw__csl_is_nothing(&callee)) return callee;
    size_t count = n->count - 1;
    tw__csl_function *f = tw__csl_function_of(&callee);
    operand *args = TW__NEW_N(s->arena, operand, count + 1);
    if (!args) return tw__csl_nothing();
    bool good = true, assigns = false;
    for (size_t i = 0; i < count; i++) assigns = assigns || may_assign(n->kid[i + 1]);
    for (size_t i = 0; i < count; i++) {
        operand o = tw__csl_expr(s, n->kid[i + 1], NULL);
        /* Aggregates of the program's memory go by reference, scalars by value. */
        if (o.kind != TW__CSL_O_PLACE || !tw__csl_is_aggregate(o.type))
            o = assigns ? tw__csl_stable(s, n->kid[i + 1], o) : tw__csl_rvalue(s, n->kid[i + 1], o);
        args[i] = o;
        good = good && !tw__csl_is_nothing(&args[i]);
    }
    if (!good) return tw__csl_nothing();
    if (f) return tw__csl_call_function(s, n, f, args, n->kid + 1, count, false);
    if (callee.type->kind == TW__CSL_TY_POINTER && callee.type->base->kind == TW__CSL_TY_FN)
        return call_pointer(s, n, callee, args);
    return tw__csl_error(s, n, "csl.call", "%s cannot be called", TYPE_TEXT(callee.type));
}

/* --- functions as values --- */

special *tw__csl_special_plain(sema *s, const node *at, tw__csl_function *f)
{
    size_t count = param_count(f);
    call c = { .at = at, .f = f, .count = count, .args = TW__NEW_N(s->arena, argument, count + 1) };
    const type *t = tw__csl_function_type(s, f);
    if (!t || !c.args) {
        if (!tw__csl_stop(s))
            tw__csl_error(s, at, "csl.type", "'%s' has comptime parameters: it exists only where it is called",
                          f->name);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        c.args[i] = (argument){ .type = t->params[i] };
        if (!tw__csl_is_runtime(t->params[i])) {
            tw__csl_error(s, at, "csl.type", "parameter %zu of '%s' exists only at compile time", i + 1, f->name);
            return NULL;
        }
    }
    if (!f->node->kid[TW__CSL_FN_BODY]) {
        tw__csl_error(s, at, "csl.link", "'%s' is extern and nothing of this name is exported", f->name);
        return NULL;
    }
    c.result = t->base;
    return make_special(s, &c, false);
}

int tw__csl_function_index(sema *s, const node *at, tw__csl_function *f)
{
    if (!tw__csl_sema_program(s)) {
        tw__csl_error(s, at, "csl.layout", "a function has no code in the layout");
        return -1;
    }
    const special *p = tw__csl_special_plain(s, at, f);
    return p ? p->index : -1;
}

/* NULL when a parameter is comptime or of any type; then the function has no one type. */
const type *tw__csl_function_type(sema *s, const tw__csl_function *f)
{
    size_t count = param_count(f);
    const type **params = TW__NEW_N(s->arena, const type *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (!param_of(f, i)->kid[0] || (param_of(f, i)->flags & TW__CSL_F_COMPTIME)) return NULL;
    saved old = tw__csl_enter_module(s, f->module, TW__CSL_PHASE_VALUE);
    bool good = params != NULL;
    for (size_t i = 0; i < count && good; i++) {
        params[i] = tw__csl_type_expr(s, param_of(f, i)->kid[0]);
        good = params[i] && params[i]->kind != TW__CSL_TY_ANYTYPE;
    }
    const node *written = f->node->kid[TW__CSL_FN_TYPE_SLOT];
    const type *result = !written ? &tw__csl_t_VOID : good ? tw__csl_type_expr(s, written) : NULL;
    if (f->is_task && result && result != &tw__csl_t_VOID) {
        tw__csl_error(s, written, "csl.task", "a task returns nothing: the result of '%s' must be void, not %s",
                      f->name, TYPE_TEXT(result));
        result = &tw__csl_t_VOID;
    }
    tw__csl_leave_module(s, old);
    return good && result ? tw__csl_type_fn(s->types, result, count, params, f->is_task) : NULL;
}
