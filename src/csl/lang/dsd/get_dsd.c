/* SPDX-License-Identifier: MIT */
/* @get_dsd: the properties of each kind of DSD, and the DSD that they make (vendor document "DSDs"). */
#include "csl/lang/dsd/local.h"

/* Parts that are known only at run time have kind REGISTER; they are put into a packed constant one by one. */
typedef struct {
    sema *s;
    const node *at; /* the properties */
    tw__csl_dsd_value v;
    uint32_t element; /* bytes */
    operand base, offset, length, stride, color, queue;
} maker;

operand tw__dsd_known(sema *s, const type *t, const tw__csl_dsd_value *v)
{
    tw__csl_dsd_value *copy = tw__dsd_new(s, sizeof *copy);
    if (!copy) return tw__csl_nothing();
    *copy = *v;
    return tw__csl_known((value){ .type = t, .dsd = copy });
}

/* --- the maker ------------------------------------------------------------------------------------------------ */

static void change(maker *m, uint16_t pair, unsigned op, const operand *by)
{
    if (by->kind == TW__CSL_O_REGISTER) tw__gen_emit(tw__csl_sema_gen(m->s), op, pair, pair, by->reg);
}

static operand get_dsd_finish(maker *m, const type *t)
{
    if (m->base.kind == TW__CSL_O_VALUE) m->v.base = m->base.value.pointer;
    if (m->offset.kind == TW__CSL_O_VALUE && m->base.kind != TW__CSL_O_REGISTER)
        m->v.base.offset += (int64_t)m->offset.value.i * m->element;
    const operand *dynamic[] = { &m->base, &m->offset, &m->length, &m->stride, &m->color, &m->queue };
    bool known = true;
    for (size_t i = 0; i < 6; i++) known = known && dynamic[i]->kind != TW__CSL_O_REGISTER;
    if (known) return tw__dsd_known(m->s, t, &m->v);
    tw__csl_gen *g = tw__csl_sema_gen(m->s);
    if (!g) return tw__csl_error(m->s, m->at, "csl.comptime", "these properties must be known at compile time");
    tw__csl_dsd packed;
    value v = { .type = t, .dsd = &m->v };
    if (!tw__csl_pack_dsd(m->s, m->at, &v, &packed)) return tw__csl_nothing();
    tw__gen_at(g, m->at);
    uint16_t pair = tw__gen_register(g, t);
    tw__gen_emit_wide(g, TW__CSL_I_LDK2, pair, tw__csl_program_dsd(tw__csl_sema_program(m->s), &packed));
    change(m, pair, TW__CSL_I_DSD_BASE, &m->base);
    if (m->base.kind == TW__CSL_O_REGISTER && m->offset.kind == TW__CSL_O_VALUE && m->offset.value.i) {
        m->offset.reg = tw__csl_to_register(m->s, m->at, &m->offset);
        m->offset.kind = TW__CSL_O_REGISTER;
    }
    change(m, pair, m->element == 4 ? TW__CSL_I_DSD_OFFSET32 : TW__CSL_I_DSD_OFFSET16, &m->offset);
    change(m, pair, TW__CSL_I_DSD_LENGTH, &m->length);
    change(m, pair, TW__CSL_I_DSD_STRIDE, &m->stride);
    change(m, pair, TW__CSL_I_DSD_COLOR, &m->color);
    change(m, pair, TW__CSL_I_DSD_QUEUE, &m->queue);
    return (operand){ .kind = TW__CSL_O_REGISTER, .type = t, .reg = pair };
}

bool tw__dsd_length(sema *s, const node *at, const char *what, tw__csl_int *length)
{
    if (*length <= TW__CSL_UNBOUNDED) return true;
    if (*length == UINT16_MAX) {
        tw__csl_warn(s, at, "csl.range", "%s has 15 bits: 65535 means without end, as %d does", what,
                     (int)TW__CSL_UNBOUNDED);
        *length = TW__CSL_UNBOUNDED;
        return true;
    }
    tw__csl_error(s, at, "csl.range", "%s must be at most %d, not %lld: a DSD's length has 15 bits", what,
                  (int)TW__CSL_UNBOUNDED, (long long)*length);
    return false;
}

static bool set_length(maker *m, const node *at, operand o)
{
    m->length = tw__csl_coerce(m->s, at, o, &tw__csl_t_u16, ".extent");
    if (tw__csl_is_nothing(&m->length)) return false;
    if (m->length.kind != TW__CSL_O_VALUE) return true;
    if (!tw__dsd_length(m->s, at, ".extent", &m->length.value.i)) return false;
    m->v.packed.length = (uint16_t)m->length.value.i;
    return true;
}

/* --- memory --------------------------------------------------------------------------------------------------- */

const type *tw__dsd_element(const type *pointee)
{
    const type *t = pointee->kind == TW__CSL_TY_ARRAY ? pointee->base : pointee;
    bool number = tw__csl_is_number(t);
    return (t->size == 2 || t->size == 4) && (!number || t->kind != TW__CSL_TY_INT || t->bits == t->size * 8)
               ? t
               : NULL;
}

/* Properties directly given, and those inside .tensor_access: the same twice is an error. */
typedef struct {
    tw__dsd_fields outer, inner;
    bool has_inner;
} memory_fields;

static const char *const access_names[] = { "base_address", "offset", "stride", "extent", NULL };

static bool open_memory(memory_fields *f, sema *s)
{
    operand access;
    f->has_inner = tw__dsd_has(&f->outer, "tensor_access");
    if (!f->has_inner) return true;
    const node *at = tw__dsd_field_node(&f->outer, "tensor_access");
    if (!tw__dsd_field(&f->outer, "tensor_access", &access)) return false;
    if (!tw__dsd_open_operand(&f->inner, s, at, access, "the parts of .tensor_access", access_names)) return false;
    for (size_t i = 0; access_names[i]; i++)
        if (tw__dsd_has(&f->outer, access_names[i]) && tw__dsd_has(&f->inner, access_names[i])) {
            tw__csl_error(s, tw__dsd_field_node(&f->outer, access_names[i]), "csl.field",
                          ".%s is given twice: .tensor_access has one too", access_names[i]);
            return false;
        }
    return true;
}

static const tw__dsd_fields *holder(const memory_fields *f, const char *name)
{
    return f->has_inner && tw__dsd_has(&f->inner, name) ? &f->inner : &f->outer;
}

/* Base address and offset. */
static bool memory_base(maker *m, const memory_fields *f)
{
    const tw__dsd_fields *from = holder(f, "base_address");
    const node *at = tw__dsd_field_node(from, "base_address");
    if (!tw__dsd_has(from, "base_address")) {
        tw__csl_error(m->s, m->at, "csl.field", "a memory DSD needs .tensor_access, or .base_address and .extent");
        return false;
    }
    if (!tw__dsd_field(from, "base_address", &m->base)) return false;
    const type *pointer = m->base.type, *element = NULL;
    if (pointer->kind == TW__CSL_TY_POINTER) element = tw__dsd_element(pointer->base);
    if (!element) {
        tw__csl_error(m->s, at, "csl.type", ".base_address must be a pointer to numbers of 16 or 32 bits, not %s",
                      TYPE_TEXT(pointer));
        return false;
    }
    m->element = element->size;
    m->v.element = element;
    from = holder(f, "offset");
    if (!tw__dsd_has(from, "offset")) return true;
    at = tw__dsd_field_node(from, "offset");
    if (!tw__dsd_field(from, "offset", &m->offset)) return false;
    m->offset = tw__csl_coerce(m->s, at, m->offset, &tw__csl_t_i16, ".offset");
    return !tw__csl_is_nothing(&m->offset);
}

/* mem1d: the only item of a tuple, or the number itself. */
static bool only_one(sema *s, const node *at, const char *name, operand *o)
{
    if (o->type->kind != TW__CSL_TY_STRUCT || !o->type->tuple) return true;
    if (o->type->count == 1 && tw__csl_get_field(o, "0", o)) return true;
    tw__csl_error(s, at, "csl.affine", "a mem1d_dsd has one dimension, .%s has %zu; use mem4d_dsd", name,
                  o->type->count);
    return false;
}

static bool mem1d(maker *m, const memory_fields *f)
{
    operand o;
    const tw__dsd_fields *from = holder(f, "extent");
    const node *at = tw__dsd_field_node(from, "extent");
    if (!tw__dsd_has(from, "extent")) {
        tw__csl_error(m->s, m->at, "csl.field", "a mem1d_dsd needs .extent");
        return false;
    }
    if (!tw__dsd_field(from, "extent", &o) || !only_one(m->s, at, "extent", &o) || !set_length(m, at, o))
        return false;
    m->v.packed.stride = 1;
    from = holder(f, "stride");
    at = tw__dsd_field_node(from, "stride");
    if (!tw__dsd_has(from, "stride")) return true;
    if (!tw__dsd_field(from, "stride", &o) || !only_one(m->s, at, "stride", &o)) return false;
    /* A tensor access may step further than the 8 bits that @set_dsd_stride takes: the vendor's text names no
     * limit. */
    m->stride = tw__csl_coerce(m->s, at, o, f->has_inner ? &tw__csl_t_i16 : &tw__csl_t_i8, ".stride");
    if (m->stride.kind == TW__CSL_O_VALUE) m->v.packed.stride = (int16_t)m->stride.value.i;
    return !tw__csl_is_nothing(&m->stride);
}

/* Known items of a tuple (or one number) in [min, max]; their count, 0 after an error. */
static unsigned items(maker *m, const tw__dsd_fields *from, const char *name, int64_t min, int64_t max,
                      int64_t *out)
{
    operand o, item;
    const node *at = tw__dsd_field_node(from, name);
    if (!tw__csl_get_field(&from->object, name, &o)) return 0;
    bool many = o.type->kind == TW__CSL_TY_STRUCT && o.type->tuple;
    if (many && (o.type->count < 1 || o.type->count > 4)) {
        tw__csl_error(m->s, at, "csl.affine", "a mem4d_dsd has 1 to 4 dimensions, .%s has %zu", name,
                      o.type->count);
        return 0;
    }
    for (size_t i = 0; i < (many ? o.type->count : 1); i++) {
        char index[4] = { (char)('0' + i) }, what[32];
        snprintf(what, sizeof what, "item %zu of .%s", i, name);
        item = o;
        if (many && !tw__csl_get_field(&o, index, &item)) return 0;
        item = tw__csl_rvalue(m->s, at, item);
        if (!tw__dsd_known_int(m->s, at, &item, what, min, max, &out[i])) return 0;
    }
    return many ? (unsigned)o.type->count : 1;
}

static bool mem4d(maker *m, const memory_fields *f)
{
    int64_t extent[4], stride[4] = { 1, 1, 1, 1 };
    const tw__dsd_fields *from = holder(f, "extent");
    if (!tw__dsd_has(from, "extent")) {
        tw__csl_error(m->s, m->at, "csl.field", "a mem4d_dsd needs .extent");
        return false;
    }
    unsigned rank = items(m, from, "extent", 0, TW__CSL_UNBOUNDED, extent), strides = rank;
    if (!rank) return false;
    from = holder(f, "stride");
    if (tw__dsd_has(from, "stride")) strides = items(m, from, "stride", INT16_MIN, INT16_MAX, stride);
    if (!strides) return false;
    if (strides != rank) {
        tw__csl_error(m->s, tw__dsd_field_node(from, "stride"), "csl.affine", "%u extents and %u strides", rank,
                      strides);
        return false;
    }
    int64_t total = 1;
    m->v.shape.rank = (uint16_t)rank;
    for (unsigned i = 0; i < rank; i++) {
        m->v.shape.extent[i] = (uint16_t)extent[i];
        m->v.shape.stride[i] = (int16_t)stride[i];
        total = total > UINT16_MAX ? total : total * extent[i];
    }
    m->v.packed.length = (uint16_t)total;
    if (total > TW__CSL_UNBOUNDED)
        tw__csl_error(m->s, tw__dsd_field_node(holder(f, "extent"), "extent"), "csl.range",
                      "the product of the extents must be at most %d, not %lld: a DSD's length has 15 bits",
                      (int)TW__CSL_UNBOUNDED, (long long)total);
    return total <= TW__CSL_UNBOUNDED;
}

static bool get_dsd_memory(maker *m, tw__dsd_fields *outer)
{
    memory_fields f = { .outer = *outer };
    bool indexed = false;
    if (!open_memory(&f, m->s) || !memory_base(m, &f)) return false;
    if (!tw__dsd_bool(outer, "wavelet_index_offset", &indexed)) return false;
    m->v.packed.flags |= indexed ? TW__CSL_DSD_INDEXED : 0;
    return m->v.packed.kind == TW__CSL_DSD_MEM1D ? mem1d(m, &f) : mem4d(m, &f);
}

static bool circbuf(maker *m, tw__dsd_fields *outer)
{
    memory_fields f = { .outer = *outer };
    operand o;
    int64_t wrap = 0;
    if (!memory_base(m, &f)) return false;
    if (!tw__dsd_has(outer, "extent")) {
        tw__csl_error(m->s, m->at, "csl.field", "a circbuf_dsd needs .extent");
        return false;
    }
    const node *at = tw__dsd_field_node(outer, "extent");
    if (!tw__dsd_field(outer, "extent", &o) || !set_length(m, at, o)) return false;
    const type *target = m->base.type->base;
    size_t size = target->kind == TW__CSL_TY_ARRAY ? tw__csl_element_count(target) : 0;
    wrap = (int64_t)(size ? size : 1);
    if (!tw__dsd_int(outer, "wraparound", 1, size ? (int64_t)size : INT16_MAX, &wrap)) return false;
    m->v.packed.stride = (int16_t)wrap;
    return true;
}

/* --- fabric --------------------------------------------------------------------------------------------------- */

bool tw__dsd_simd(const tw__dsd_fields *f, uint8_t *out)
{
    static const char *const choices[] = { "simd_off", "simd_32", "simd_64", "simd_32_or_64", "simd_max", NULL };
    static const uint8_t modes[] = { TW__CSL_SIMD_OFF, TW__CSL_SIMD_32, TW__CSL_SIMD_64, TW__CSL_SIMD_32_OR_64,
                                     TW__CSL_SIMD_32_OR_64 };
    int choice;
    if (!tw__dsd_choice(f, "simd_mode", choices, &choice)) return false;
    if (choice >= 0) *out = modes[choice];
    return true;
}

bool tw__dsd_priority(const tw__dsd_fields *f, uint8_t *out)
{
    static const char *const choices[] = { "low", "medium", "high", NULL };
    int choice;
    if (!tw__dsd_choice(f, "priority", choices, &choice)) return false;
    if (choice >= 0) *out = (uint8_t)(TW__CSL_PRIORITY_LOW + choice);
    return true;
}

static bool fabric_id(maker *m, const tw__dsd_fields *f, const char *name, const type *t, operand *out, uint8_t *id)
{
    *id = (uint8_t)TW__CSL_NO_ID;
    if (!tw__dsd_has(f, name)) return true;
    char what[32];
    snprintf(what, sizeof what, ".%s", name);
    if (!tw__dsd_field(f, name, out)) return false;
    *out = tw__csl_coerce(m->s, tw__dsd_field_node(f, name), *out, t, what);
    if (out->kind == TW__CSL_O_VALUE) *id = (uint8_t)out->value.i;
    return !tw__csl_is_nothing(out);
}

static bool flag(maker *m, const tw__dsd_fields *f, const char *name, unsigned bit)
{
    bool on = false;
    if (!tw__dsd_bool(f, name, &on)) return false;
    m->v.packed.flags |= on ? (uint8_t)bit : 0;
    return true;
}

static bool fabout(maker *m, const tw__dsd_fields *f)
{
    static const char *const sources[] = { "first_source", "second_source", NULL };
    int zero;
    if (!flag(m, f, "control", TW__CSL_DSD_CONTROL) || !flag(m, f, "wavelet_index_offset", TW__CSL_DSD_INDEXED) ||
        !flag(m, f, "advance_switch", TW__CSL_DSD_ADVANCE) || !tw__dsd_choice(f, "zero", sources, &zero))
        return false;
    if (zero >= 0) m->v.packed.flags |= zero ? TW__CSL_DSD_ZERO_SECOND : TW__CSL_DSD_ZERO_FIRST;
    return true;
}

static bool fabric(maker *m, const tw__dsd_fields *f)
{
    bool output = m->v.packed.kind == TW__CSL_DSD_FABOUT;
    const char *queue = output ? "output_queue" : "input_queue", *word = output ? "fabout_dsd" : "fabin_dsd";
    operand o;
    if (!tw__dsd_has(f, "extent")) {
        tw__csl_error(m->s, m->at, "csl.field", "a %s needs .extent, the number of wavelets", word);
        return false;
    }
    if (!tw__dsd_has(f, "fabric_color") && !tw__dsd_has(f, queue)) {
        tw__csl_error(m->s, m->at, "csl.field", "a %s needs .fabric_color or .%s", word, queue);
        return false;
    }
    if (tw__dsd_has(f, "priority") && !tw__csl_sema_wse3(m->s)) {
        tw__csl_error(m->s, tw__dsd_field_node(f, "priority"), "csl.arch",
                      ".priority of a DSD exists on WSE-3 only; on WSE-2 it stands in the operation");
        return false;
    }
    if (!tw__dsd_field(f, "extent", &o) || !set_length(m, tw__dsd_field_node(f, "extent"), o) ||
        !fabric_id(m, f, "fabric_color", &tw__csl_t_COLOR, &m->color, &m->v.packed.color) ||
        !fabric_id(m, f, queue, output ? &tw__csl_t_OUTPUT_QUEUE : &tw__csl_t_INPUT_QUEUE, &m->queue,
                   &m->v.packed.queue) ||
        !flag(m, f, "control_transform", TW__CSL_DSD_TRANSFORM) || !tw__dsd_simd(f, &m->v.packed.simd) ||
        !tw__dsd_priority(f, &m->v.packed.priority) || (output && !fabout(m, f)))
        return false;
    tw__dsd_state *state = tw__dsd_state_of(m->s);
    tw__dsd_fabric *row = tw__dsd_new(m->s, sizeof *row);
    if (!state || !row) return false;
    if (m->color.kind == TW__CSL_O_REGISTER || m->queue.kind == TW__CSL_O_REGISTER)
        return true; /* judged at run time */
    *row = (tw__dsd_fabric){ state->fabrics, output, m->v.packed.color, m->v.packed.queue, m->at };
    state->fabrics = row;
    return true;
}

/* --- kinds ---------------------------------------------------------------------------------------------------- */

static const struct {
    const type *type;
    uint8_t kind;
    const char *what;
    const char *const fields[12];
} kinds[] = {
    { &tw__csl_t_MEM1D_DSD,
      TW__CSL_DSD_MEM1D,
      "the properties of a mem1d_dsd",
      { "tensor_access", "base_address", "extent", "stride", "offset", "wavelet_index_offset" } },
    { &tw__csl_t_MEM4D_DSD,
      TW__CSL_DSD_MEM4D,
      "the properties of a mem4d_dsd",
      { "tensor_access", "base_address", "extent", "stride", "offset", "wavelet_index_offset" } },
    { &tw__csl_t_FABIN_DSD,
      TW__CSL_DSD_FABIN,
      "the properties of a fabin_dsd",
      { "extent", "fabric_color", "input_queue", "control_transform", "simd_mode", "priority" } },
    { &tw__csl_t_FABOUT_DSD,
      TW__CSL_DSD_FABOUT,
      "the properties of a fabout_dsd",
      { "extent", "fabric_color", "output_queue", "control", "wavelet_index_offset", "simd_mode", "zero",
        "advance_switch", "control_transform", "priority" } },
    { &tw__csl_t_CIRCBUF_DSD,
      TW__CSL_DSD_CIRCBUF,
      "the properties of a circbuf_dsd",
      { "base_address", "extent", "wraparound" } },
};

operand tw__dsd_get(sema *s, const node *call, const type *expected)
{
    (void)expected;
    if (!tw__csl_arguments(s, call, 2, 2)) return tw__csl_nothing();
    const type *t = tw__csl_type_expr(s, call->kid[0]);
    if (!t) return tw__csl_nothing();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (t != kinds[i].type) continue;
        maker m = { .s = s, .at = call->kid[1] };
        tw__dsd_fields f;
        m.v.packed.kind = kinds[i].kind;
        if (!tw__dsd_open(&f, s, call->kid[1], kinds[i].what, kinds[i].fields)) return tw__csl_nothing();
        bool good = kinds[i].kind == TW__CSL_DSD_CIRCBUF ? circbuf(&m, &f)
                    : kinds[i].kind == TW__CSL_DSD_FABIN || kinds[i].kind == TW__CSL_DSD_FABOUT
                        ? fabric(&m, &f)
                        : get_dsd_memory(&m, &f);
        return good ? get_dsd_finish(&m, t) : tw__csl_nothing();
    }
    return tw__csl_error(s, call->kid[0], "csl.type",
                         "%s is no kind of DSD: mem1d_dsd, mem4d_dsd, fabin_dsd, fabout_dsd or circbuf_dsd",
                         TYPE_TEXT(t));
}
