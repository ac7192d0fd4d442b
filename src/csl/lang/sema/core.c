/* SPDX-License-Identifier: MIT */
/* Worlds, messages, limits and the small services of the pass. */
#include "csl/lang/sema/local.h"

/* Below lie the interrupt words of the PE (assumed); a pointer of 0 points to nothing of the program. */
enum { DATA_START = 64 };

bool tw__csl_init_world(sema *s, tw__csl_shared *shared, tw__csl_image *image, const tw__csl_types *below)
{
    *s = (sema){ .shared = shared,
                 .ctx = shared->ctx,
                 .lasting = tw__arena_new(0),
                 .scratch = tw__arena_new(0),
                 .keep_from = UINT32_MAX,
                 .image = image,
                 .program = -1,
                 .memory_top = DATA_START,
                 .memory_end = TW__CSL_PE_BYTES,
                 .phase = TW__CSL_PHASE_VALUE };
    s->arena = s->lasting;
    s->types = s->lasting && s->scratch ? tw__csl_types_new(s->lasting, below) : NULL;
    s->by_function = g_hash_table_new(NULL, NULL);
    s->tables = g_hash_table_new(NULL, NULL);
    s->last_module = &s->modules;
    s->last_waiting = &s->waiting;
    s->last_placed = &s->placed;
    s->stack_base = shared->stack_base;
    if (s->types) return true;
    tw__csl_free_world(s);
    return false;
}

void tw__csl_free_world(sema *s)
{
    if (tw__arena_failed(s->lasting) || tw__arena_failed(s->scratch) || tw__csl_types_failed(s->types))
        tw__csl_no_memory(s->ctx);
    for (tw__csl_module *m = s->modules; m; m = m->next) g_hash_table_destroy(m->names);
    g_hash_table_destroy(s->by_function);
    g_hash_table_destroy(s->tables);
    tw__csl_types_free(s->types);
    tw__arena_free(s->lasting);
    tw__arena_free(s->scratch);
}

tw__csl_ctx *tw__csl_sema_ctx(const sema *s)
{
    return s->ctx;
}
tw__arena *tw__csl_sema_arena(const sema *s)
{
    return s->arena;
}
tw__arena *tw__csl_sema_lasting(const sema *s)
{
    return s->lasting;
}
tw__csl_types *tw__csl_sema_types(const sema *s)
{
    return s->types;
}
bool tw__csl_sema_wse3(const sema *s)
{
    return s->shared->options->wse3;
}
tw__csl_phase tw__csl_sema_phase(const sema *s)
{
    return s->phase;
}
gen *tw__csl_sema_gen(const sema *s)
{
    return s->gen;
}
tw__csl_image *tw__csl_sema_image(const sema *s)
{
    return s->image;
}
tw__csl_program *tw__csl_sema_program(const sema *s)
{
    return s->program < 0 ? NULL : &s->image->programs[s->program];
}
void **tw__csl_sema_dsd_slot(sema *s)
{
    return &s->dsd_slot;
}
tw__csl_global *tw__csl_sema_initialising(const sema *s)
{
    return s->initialising;
}

const char *tw__csl_name_text(const sema *s, tw__csl_name name)
{
    return tw__csl_text(s->ctx, name);
}

void tw__csl_note(sema *s, const node *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tw__csl_vreport(s->ctx, TW_NOTE, at ? at->loc : 0, at ? at->length : 1, "", format, args);
    va_end(args);
}

void tw__csl_out_of_memory(sema *s)
{
    s->shared->out_of_memory = true;
    tw__csl_no_memory(s->ctx);
}

bool tw__csl_stop(const sema *s)
{
    return s->shared->out_of_steps || s->shared->out_of_memory || tw__csl_stopped(s->ctx);
}

bool tw__csl_memory(sema *s, const node *at, size_t more)
{
    tw__csl_shared *shared = s->shared;
    size_t most = shared->options->max_memory ? shared->options->max_memory : (size_t)4 << 30;
    if (shared->out_of_memory) return false;
    size_t held = tw__arena_bytes(s->lasting) + tw__arena_bytes(s->scratch);
    if (more <= most && held <= most - more) return true;
    shared->out_of_memory = true;
    tw__csl_error(s, at, "csl.limit", "compile-time evaluation needs more than %zu bytes (--max-memory)", most);
    return false;
}

bool tw__csl_step(sema *s, const node *at)
{
    tw__csl_shared *shared = s->shared;
    if (tw__csl_stop(s)) return false;
    if ((shared->steps_left & 1023) == 0 && !tw__csl_memory(s, at, 0)) return false;
    if (at && (shared->steps_left & 15) == 0 &&
        tw__seconds() > shared->deadline) { /* one step may be as long as a string */
        shared->out_of_steps = true;
        tw__csl_error(s, at, "csl.limit", "compile-time evaluation takes longer than %g seconds (--max-seconds)",
                      shared->seconds);
        return false;
    }
    const tw__csl_watch *w = shared->options->watch;
    if (w && w->cancelled && (shared->steps_left & 255) == 0 && w->cancelled(w->user)) {
        shared->out_of_steps = true; /* whoever cancels reads no messages */
        return false;
    }
    if (shared->steps_left-- > 0) return true;
    shared->out_of_steps = true;
    tw__csl_error(s, at, "csl.limit",
                  "compile-time evaluation takes more steps than allowed (--max-comptime-steps)");
    return false;
}

/* Half of the usual 8 MiB: frames grow under sanitizers, and the caller has its own. */
#define STACK_BYTES ((size_t)4 << 20)

bool tw__csl_room(sema *s, const node *at)
{
    const char *here =
        __builtin_frame_address(0); /* the address of a local lies elsewhere under AddressSanitizer */
    size_t used = (size_t)(s->stack_base > here ? s->stack_base - here : here - s->stack_base);
    if (used < STACK_BYTES && s->calls < TW__CSL_MAX_CALLS) return true;
    if (!tw__csl_stop(s))
        tw__csl_error(s, at, "csl.limit",
                      s->calls ? "calls are nested too deeply at compile time (%u)"
                               : "constants that need one another are nested too deeply",
                      s->calls);
    s->shared->out_of_steps = true; /* unwind: more of the same would follow */
    return false;
}

bool tw__csl_comptime(sema *s, const node *n, const type *t, const char *what, value *out)
{
    operand o = tw__csl_expr_rvalue(s, n, t);
    if (t) o = tw__csl_coerce(s, n, o, t, what);
    if (tw__csl_is_known(&o)) {
        *out = o.value;
        return true;
    }
    if (!tw__csl_is_nothing(&o)) tw__csl_error(s, n, "csl.comptime", "%s must be known at compile time", what);
    return false;
}

bool tw__csl_comptime_bool(sema *s, const node *n, const char *what, bool *out)
{
    value v;
    if (!tw__csl_comptime(s, n, &tw__csl_t_BOOL, what, &v)) return false;
    *out = v.i != 0;
    return true;
}

bool tw__csl_comptime_int_in(sema *s, const node *n, const char *what, int64_t min, int64_t max, int64_t *out)
{
    value v;
    if (!tw__csl_comptime(s, n, NULL, what, &v)) return false;
    if (!tw__csl_is_int(v.type)) {
        tw__csl_error(s, n, "csl.type", "%s must be an integer, got %s", what, TYPE_TEXT(v.type));
        return false;
    }
    if (v.i < min || v.i > max) {
        tw__csl_error(s, n, "csl.range", "%s is %s; it must lie in %lld .. %lld", what,
                      tw__csl_int_text((char[48]){ 0 }, v.i), (long long)min, (long long)max);
        return false;
    }
    *out = (int64_t)v.i;
    return true;
}

const type *tw__csl_type_expr(sema *s, const node *n)
{
    value v;
    if (!tw__csl_comptime(s, n, &tw__csl_t_TYPE, "a type", &v)) return NULL;
    return v.t->kind == TW__CSL_TY_POISON ? NULL : v.t;
}

tw__csl_function *tw__csl_function_of(const operand *o)
{
    if (!tw__csl_is_known(o)) return NULL;
    if (o->type->kind == TW__CSL_TY_FN ||
        (o->type->kind == TW__CSL_TY_POINTER && o->type->base->kind == TW__CSL_TY_FN))
        return o->value.function;
    return NULL;
}

bool tw__csl_arguments(sema *s, const node *n, size_t min, size_t max)
{
    if (n->count >= min && n->count <= max) return true;
    if (min == max)
        tw__csl_error(s, n, "csl.arguments", "@%s takes %zu argument%s, got %u", tw__csl_name_text(s, n->name), min,
                      min == 1 ? "" : "s", n->count);
    else
        tw__csl_error(s, n, "csl.arguments", "@%s takes %zu to %zu arguments, got %u",
                      tw__csl_name_text(s, n->name), min, max, n->count);
    return false;
}
