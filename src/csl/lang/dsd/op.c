/* SPDX-License-Identifier: MIT */
/* DSD operations: which operands each takes (ops.def), the row that the machine executes. */
#include "csl/lang/dsd/op.h"

static const struct {
    uint16_t bit;
    const char *letters;
} forms[] = { { TW__CSL_F_S, "S" },     { TW__CSL_F_DS, "DS" },    { TW__CSL_F_DV, "DV" },
              { TW__CSL_F_PS, "PS" },   { TW__CSL_F_DSS, "DSS" },  { TW__CSL_F_DVS, "DVS" },
              { TW__CSL_F_DSV, "DSV" }, { TW__CSL_F_PVS, "PVS" },  { TW__CSL_F_PV, "PV" },
              { TW__CSL_F_PVI, "PVI" }, { TW__CSL_F_DSSV, "DSSV" } };
enum { FORMS = sizeof forms / sizeof *forms };

static const char *letter_text(char letter)
{
    switch (letter) {
    case 'D': return "a destination DSD";
    case 'S': return "a source DSD";
    case 'P': return "a pointer to a scalar";
    case 'I': return "an i16 value";
    default: return "a value";
    }
}

static bool is_vector(const type *t)
{
    return tw__csl_is_dsd(t) || tw__csl_is_dsr(t) || t->kind == TW__CSL_TY_FIFO;
}

/* --- which form ----------------------------------------------------------------------------------------------- */

/* Could the operand stand for this letter? Element types are judged later. */
static bool suits(const operand *o, char letter)
{
    const type *t = o->type;
    bool pointer = t->kind == TW__CSL_TY_POINTER && t->base->kind != TW__CSL_TY_FN;
    bool item =
        t->kind == TW__CSL_TY_ARRAY && tw__csl_element_count(t) == 1; /* an array of one item means the item */
    switch (letter) {
    case 'D':
    case 'S': return is_vector(t);
    case 'P': return pointer || item;
    default: return tw__csl_is_number(t);
    }
}

/* Narrows the forms by each operand; the first one that fits none is to blame. */
static bool choose_form(op *p)
{
    bool open[FORMS];
    size_t left = 0;
    char counts[32] = "";
    for (size_t f = 0; f < FORMS; f++) {
        size_t n = strlen(forms[f].letters);
        open[f] = p->row->forms & forms[f].bit && n == p->count;
        left += open[f];
        const char digit[2] = { (char)('0' + n) };
        if (p->row->forms & forms[f].bit && !strstr(counts, digit))
            strcat(strcat(counts, *counts ? " or " : ""), digit);
    }
    if (!left) {
        tw__csl_error(p->s, p->call, "csl.arguments", "%s takes %s operands and an optional configuration, got %u",
                      p->name, counts, p->count);
        return false;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        char wanted[128] = "", seen[8] = "";
        bool fits = false;
        for (size_t f = 0; f < FORMS; f++) {
            if (!open[f]) continue;
            char letter = forms[f].letters[i];
            if (suits(&p->o[i], letter)) {
                fits = true;
                continue;
            }
            open[f] = false;
            if (strchr(seen, letter)) continue;
            seen[strlen(seen)] = letter;
            strcat(strcat(wanted, *wanted ? " or " : ""), letter_text(letter));
        }
        if (fits) continue;
        tw__csl_error(p->s, p->at[i], "csl.operand", "operand %u of %s must be %s, not %s", i + 1, p->name, wanted,
                      TYPE_TEXT(p->o[i].type));
        return false;
    }
    for (size_t f = 0; f < FORMS; f++)
        if (open[f]) p->form = forms[f].letters;
    return true;
}

/* Destination, src0, src1, src2: an operation with one source has it in src1. */
static void choose_slots(op *p)
{
    bool has_destination = *p->form != 'S';
    uint32_t sources = p->count - has_destination;
    for (uint32_t i = 0; i < p->count; i++) p->slot[i] = (uint8_t)(i + !has_destination);
    if (sources == 1) p->slot[p->count - 1] = 2;
}

/* --- operands ------------------------------------------------------------------------------------------------- */

static const type *element_type(uint8_t elem, const type *given)
{
    switch (elem) {
    case TW__CSL_E_I16: return given == &tw__csl_t_i16 ? &tw__csl_t_i16 : &tw__csl_t_u16;
    case TW__CSL_E_I32: return given == &tw__csl_t_i32 ? &tw__csl_t_i32 : &tw__csl_t_u32;
    case TW__CSL_E_F16: return &tw__csl_t_f16;
    default: return &tw__csl_t_f32;
    }
}

static bool scalar(op *p, uint32_t i)
{
    uint8_t elem = p->row->type[p->slot[i]];
    operand *o = &p->o[i];
    const type *t = p->form[i] == 'I' ? &tw__csl_t_i16 : element_type(elem, o->type);
    if (t->kind == TW__CSL_TY_INT && o->kind == TW__CSL_O_VALUE && tw__csl_is_int(o->type) && o->value.i < 0)
        t = t->size == 2 ? &tw__csl_t_i16 : &tw__csl_t_i32; /* -1 is a value of the signed type */
    char what[96];
    snprintf(what, sizeof what, "operand %u of %s (%s)", i + 1, p->name, tw__dsd_elem_text(elem));
    *o = tw__csl_coerce(p->s, p->at[i], *o, t, what);
    if (tw__csl_is_nothing(o)) return false;
    p->use.arg[p->slot[i]] = (tw__csl_arg){ TW__CSL_ARG_SCALAR, 0, tw__csl_to_register(p->s, p->at[i], o) };
    return true;
}

/* A const scalar or array is ordinary memory, the vendor's own samples write to some: allowed, with a warning. */
static bool writable(op *p, const operand *o)
{
    const node *named = p->at[0];
    if (!o->type->is_const) return true;
    if (named->kind == TW__CSL_UNARY) named = named->kid[0];
    while (named->kind == TW__CSL_INDEX || named->kind == TW__CSL_FIELD) named = named->kid[0];
    if (named->kind != TW__CSL_NAME ||
        (p->at[0]->kind != TW__CSL_UNARY && p->o[0].type->kind != TW__CSL_TY_ARRAY)) {
        tw__csl_error(p->s, p->at[0], "csl.type", "%s stores through a %s", p->name, TYPE_TEXT(o->type));
        return false;
    }
    tw__csl_warn(p->s, p->at[0], "csl.const", "%s changes '%s', which is const", p->name,
                 tw__csl_text(tw__csl_sema_ctx(p->s), named->name));
    return true;
}

void tw__dsd_warn_const(sema *s, const node *call, const node *at, const operand *o)
{
    bool memory = o->type->kind == TW__CSL_TY_MEM1D_DSD || o->type->kind == TW__CSL_TY_MEM4D_DSD;
    const tw__csl_global *g = memory && o->kind == TW__CSL_O_VALUE ? o->value.dsd->base.global : NULL;
    if (g && g->node && g->node->op == TW__CSL_T_CONST)
        tw__csl_warn(s, at, "csl.const", "%s changes '%s', which is const", tw__dsd_builtin_name(s, call), g->name);
}

/* Where a pointer known at compile time leads; UINT32_MAX = known only at run time. */
static uint32_t known_address(op *p, uint32_t i, const tw__csl_pointer *to)
{
    uint32_t address = 0;
    if (to->global && !tw__csl_address(p->s, p->at[i], to->global, &address)) return UINT32_MAX;
    return (uint32_t)(address + to->offset) & 0xffff;
}

/* @fmaxs(&m, m, d) reads m for each element: a fold. So does each operation whose value was read from the object of
 * type `t` that its destination points to, whatever both are called; what is not known here is compared at run
 * time. */
static void find_fold(op *p, const operand *destination, const type *t)
{
    const operand *v = &p->from[1];
    bool object = v->kind == TW__CSL_O_PLACE && v->type == t;
    bool known = object && destination->kind == TW__CSL_O_VALUE && !v->has_reg;
    uint32_t to = known ? known_address(p, 0, &destination->value.pointer) : 0,
             from = known ? known_address(p, 1, &v->place) : 0;
    if (object && (!known || to == from)) {
        p->use.flags |= TW__CSL_USE_FOLD;
        p->use.from = known ? p->use.arg[0].at : tw__csl_place_register(p->s, p->at[1], v);
    }
    const node *a = p->at[0], *b = p->at[1];
    bool two_names = a->kind == TW__CSL_UNARY && a->kid[0]->kind == TW__CSL_NAME && b->kind == TW__CSL_NAME &&
                     a->kid[0]->name != b->name;
    if (p->use.flags & TW__CSL_USE_FOLD && !two_names) return;
    tw__csl_warn(p->s, b, "csl.fold",
                 "only the last element counts: %s accumulates when the value is the destination itself, as in "
                 "%s(&x, x, dsd)",
                 p->name, p->name);
}

static bool pointer(op *p, uint32_t i)
{
    operand o = p->o[i];
    uint8_t elem = p->row->type[p->slot[i]];
    if (o.type->kind == TW__CSL_TY_ARRAY) o = tw__csl_address_of(p->s, p->at[i]);
    if (tw__csl_is_nothing(&o)) return false;
    const type *t = o.type->base->kind == TW__CSL_TY_ARRAY && tw__csl_element_count(o.type->base) == 1
                        ? o.type->base->base
                        : o.type->base;
    if (t != element_type(elem, t)) {
        tw__csl_error(p->s, p->at[i], "csl.operand", "operand %u of %s must point to %s, not %s", i + 1, p->name,
                      tw__dsd_elem_text(elem), TYPE_TEXT(o.type->base));
        return false;
    }
    if (!writable(p, &o)) return false;
    p->use.arg[0] = (tw__csl_arg){ TW__CSL_ARG_POINTER, 0, tw__csl_to_register(p->s, p->at[i], &o) };
    if (!strcmp(p->form, "PVS")) find_fold(p, &o, t);
    return true;
}

static bool dsr(op *p, uint32_t i)
{
    static const char *const names[] = { "dsr_dest", "dsr_src0", "dsr_src1" };
    int file = tw__dsd_file_of(p->o[i].type);
    unsigned slot = p->slot[i];
    bool one_source = p->row->type[1] == TW__CSL_E_NONE;
    bool fits =
        slot == 0 ? file != TW__CSL_DSR_SRC1 : file == (int)slot || (one_source && file == TW__CSL_DSR_SRC0);
    if (!fits) {
        tw__csl_error(p->s, p->at[i], "csl.operand", "operand %u of %s takes a %s%s, not a %s", i + 1, p->name,
                      names[slot],
                      slot == 0    ? " or dsr_src0"
                      : one_source ? " or dsr_src0"
                                   : "",
                      TYPE_TEXT(p->o[i].type));
        return false;
    }
    p->use.arg[slot] = (tw__csl_arg){ TW__CSL_ARG_DSR, (uint8_t)file, (uint16_t)p->o[i].value.i };
    return true;
}

static bool vector(op *p, uint32_t i)
{
    operand *o = &p->o[i];
    unsigned slot = p->slot[i];
    if (tw__csl_is_dsr(o->type)) return dsr(p, i);
    if (o->type->kind == TW__CSL_TY_FIFO) {
        p->use.arg[slot] = (tw__csl_arg){ TW__CSL_ARG_FIFO, 0, (uint16_t)o->value.dsd->fifo };
        return true;
    }
    const char *why = o->type->kind == TW__CSL_TY_CIRCBUF_DSD ? "is used through a DSR (@load_to_dsr_xdsr)"
                      : slot == 0 && o->type->kind == TW__CSL_TY_FABIN_DSD ? "receives: it cannot be a destination"
                      : slot && o->type->kind == TW__CSL_TY_FABOUT_DSD     ? "sends: it cannot be a source"
                                                                           : NULL;
    if (why) {
        tw__csl_error(p->s, p->at[i], "csl.operand", "operand %u of %s: a %s %s", i + 1, p->name,
                      TYPE_TEXT(o->type), why);
        return false;
    }
    if (slot == 0) tw__dsd_warn_const(p->s, p->call, p->at[i], o);
    p->use.arg[slot] = (tw__csl_arg){ TW__CSL_ARG_DSD, 0, tw__csl_to_register(p->s, p->at[i], o) };
    return true;
}

static bool fill_operands(op *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        char letter = p->form[i];
        bool good = letter == 'P' ? pointer(p, i) : letter == 'D' || letter == 'S' ? vector(p, i) : scalar(p, i);
        if (!good) return false;
    }
    return true;
}

/* What is known only at run time is judged there. */
bool tw__dsd_has_queue(sema *s, const node *at, const operand *o)
{
    bool input = o->type->kind == TW__CSL_TY_FABIN_DSD, fabric = input || o->type->kind == TW__CSL_TY_FABOUT_DSD;
    if (!fabric || o->kind != TW__CSL_O_VALUE || o->value.dsd->packed.queue != TW__CSL_NO_ID) return true;
    tw__csl_error(s, at, "csl.queue", "an asynchronous operation needs a queue: this %s has no .%s",
                  TYPE_TEXT(o->type), input ? "input_queue" : "output_queue");
    return false;
}

/* --- the row ---------------------------------------------------------------------------------------------------- */

/* What was said about a DSR is compared with its loads when all of them are known. */
static void note_dsrs(op *p)
{
    tw__dsd_state *state = tw__dsd_state_of(p->s);
    tw__dsd_dsr_use u = { .at = p->call,
                          .async_given = p->config.async,
                          .async_at = p->config.async_at,
                          .done = p->config.done,
                          .on_control = p->config.on_control };
    for (uint32_t i = 0; i < p->count; i++) {
        u.fabric = u.fabric || tw__dsd_is_fabric(p->o[i].type);
        if (!tw__csl_is_dsr(p->o[i].type)) continue;
        u.file[u.count] = (uint8_t)tw__dsd_file_of(p->o[i].type);
        u.id[u.count++] = (uint8_t)p->o[i].value.i;
    }
    if (!u.count) return;
    tw__dsd_dsr_use *row = tw__dsd_new(p->s, sizeof *row);
    if (!row || !state) return;
    *row = u;
    row->next = state->uses;
    state->uses = row;
}

static operand op_emit(op *p)
{
    tw__csl_gen *g = tw__csl_sema_gen(p->s);
    tw__csl_program *program = tw__csl_sema_program(p->s);
    p->use.flags |=
        (uint8_t)((p->config.async ? TW__CSL_USE_ASYNC : 0) | (p->config.has_index ? TW__CSL_USE_INDEX : 0));
    p->use.priority = p->config.priority;
    p->use.ut = p->config.ut;
    p->use.index = p->config.index;
    p->use.done = p->config.done.action;
    p->use.on_control = p->config.on_control.action;
    tw__csl_dsd_use *row = TW__CSL_PUSH(program, uses, use);
    if (!row) return tw__csl_nothing();
    *row = p->use;
    uint32_t number = (uint32_t)program->use_count - 1;
    tw__dsd_fix_task(p->s, TW__DSD_FIX_USE, number, false, &p->config.done);
    tw__dsd_fix_task(p->s, TW__DSD_FIX_USE, number, true, &p->config.on_control);
    note_dsrs(p);
    operand out = { .kind = TW__CSL_O_REGISTER,
                    .type = &tw__csl_t_BOOL,
                    .reg = tw__gen_register(g, &tw__csl_t_BOOL) };
    tw__gen_at(g, p->call);
    tw__gen_emit_wide(g, TW__CSL_I_DSDOP, out.reg, number);
    return out;
}

/* Evaluates the arguments; the last one is the configuration when it is a struct. */
static bool evaluate(op *p)
{
    uint32_t n = p->call->count;
    if (n < 1 || n > 5) {
        tw__csl_error(p->s, p->call, "csl.arguments", "%s does not take %u arguments", p->name, n);
        return false;
    }
    p->config.ut = (uint8_t)TW__CSL_NO_ID;
    for (uint32_t i = 0; i < n; i++) {
        const node *at = p->call->kid[i];
        operand o = tw__csl_expr(p->s, at, NULL);
        bool struct_like = o.type->kind == TW__CSL_TY_STRUCT;
        if (struct_like && i + 1 == n && i > 0)
            return tw__dsd_read_config(p->s, at, &o, "the settings of a DSD operation", false, &p->config);
        if (i == 4) {
            tw__csl_error(p->s, at, "csl.type", "the last argument of %s must be a configuration .{ ... }, not %s",
                          p->name, TYPE_TEXT(o.type));
            return false;
        }
        bool in_memory = o.kind == TW__CSL_O_PLACE && !o.unit && !o.place.cell;
        p->from[i] = in_memory ? o : tw__csl_nothing();
        if (o.type->kind != TW__CSL_TY_ARRAY) o = tw__csl_rvalue(p->s, at, o); /* an array stays where it is */
        if (tw__csl_is_nothing(&o)) return false;
        p->o[i] = o;
        p->at[i] = at;
        p->count = i + 1;
    }
    return true;
}

operand tw__dsd_operation(sema *s, const node *call, const type *expected)
{
    (void)expected;
    const char *builtin = tw__csl_text(tw__csl_sema_ctx(s), call->name);
    int number = tw__csl_dsd_op_named(builtin);
    op p = { .s = s, .call = call, .row = &tw__csl_dsd_op_rows[number], .name = tw__dsd_builtin_name(s, call) };
    p.use.op = (uint8_t)number;
    if (!tw__dsd_in_phase(s, call, TW__DSD_IN_RUNTIME)) return tw__csl_nothing();
    tw__gen_at(tw__csl_sema_gen(s), call);
    if (!evaluate(&p) || !choose_form(&p)) return tw__csl_nothing();
    choose_slots(&p);
    if (!tw__dsd_check_filter(&p) || !fill_operands(&p) || !tw__dsd_check_operands(&p)) return tw__csl_nothing();
    return op_emit(&p);
}
