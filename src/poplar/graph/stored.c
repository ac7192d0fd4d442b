/* SPDX-License-Identifier: MIT */
/* A graph as bytes: what an executable's file holds of it.
 *
 * One function for each structure moves its members between the structure and the bytes, in whichever direction, so
 * that writer and reader cannot differ. Numbers are little endian, as every host of this library is. The reader
 * trusts no length and no index; that the values make sense is the business of the file's checksum, and of the checks
 * that every engine makes. */
#include "poplar/graph/stored.h"
#include "poplar/graph/build.h"

#include <string.h>

/* --- numbers and texts ---------------------------------------------------------------------------------------- */

void tw__pack_raw(tw__pack *p, void *value, size_t bytes)
{
    if (p->out)
        g_byte_array_append(p->out, value, (guint)bytes);
    else if (p->bad || (size_t)(p->end - p->at) < bytes)
        memset(value, 0, bytes), p->bad = true;
    else
        memcpy(value, p->at, bytes), p->at += bytes;
}

#define PUT(p, member) tw__pack_raw((p), &(member), sizeof(member))
/* Enumerations and truth values travel as 32 bits: not every pattern is a value of theirs. */
#define PUT_AS_INT(p, member)                   \
    do {                                        \
        int32_t number_ = (int32_t)(member);    \
        PUT(p, number_);                        \
        member = (__typeof__(member))(number_); \
    } while (0)
#define PUT_FLAG(p, member)          \
    do {                             \
        uint8_t flag_ = (member);    \
        PUT(p, flag_);               \
        (member) = (flag_ & 1) != 0; \
    } while (0)

size_t tw__pack_count(tw__pack *p, size_t count, size_t least)
{
    uint64_t n = count;
    PUT(p, n);
    if (!p->out && n > (uint64_t)(p->end - p->at) / (least ? least : 1)) p->bad = true;
    return p->bad ? 0 : n;
}

void tw__pack_text(tw__pack *p, const char **text)
{
    size_t n = tw__pack_count(p, p->out && *text ? strlen(*text) : 0, 1);
    if (p->out) {
        if (n) g_byte_array_append(p->out, (const guint8 *)*text, (guint)n);
        return;
    }
    char *copy = tw__arena_alloc(p->arena, n + 1, 1);
    *text = "";
    if (!copy) {
        p->bad = true;
        return;
    }
    tw__pack_raw(p, copy, n);
    copy[n] = 0;
    *text = copy;
}

/* Bytes in the arena; how many is known. */
static void blob(tw__pack *p, const void **data, uint64_t bytes)
{
    if (p->out) {
        if (bytes) g_byte_array_append(p->out, *data, (guint)bytes);
        return;
    }
    if (bytes > (uint64_t)(p->end - p->at)) p->bad = true;
    void *copy = p->bad ? NULL : tw__arena_alloc(p->arena, bytes ? bytes : 1, 16);
    if (!copy) {
        p->bad = true;
        return;
    }
    tw__pack_raw(p, copy, bytes);
    *data = copy;
}

static void shape(tw__pack *p, uint32_t *rank, const size_t **dims)
{
    PUT(p, *rank);
    if (*rank > TW__MAX_RANK) p->bad = true;
    if (p->bad) return;
    size_t *copy = p->out ? NULL : TW__NEW_N(p->arena, size_t, *rank);
    if (!p->out && !copy) p->bad = true;
    for (uint32_t i = 0; i < *rank && !p->bad; i++) {
        uint64_t d = p->out ? (*dims)[i] : 0;
        PUT(p, d);
        if (copy) copy[i] = d;
    }
    if (!p->out) *dims = copy;
}

/* --- regions -------------------------------------------------------------------------------------------------- */

/* Does the region lie in its variable? */
static bool inside(const tw__core *core, const tw__region *r)
{
    uint64_t low = r->offset, high = r->offset, count = 1;
    if (r->var >= core->var_count || r->rank == 0 || r->rank > 4) return false;
    for (uint32_t k = 0; k < r->rank; k++) {
        tw__dim d = r->dim[k];
        uint64_t reach, step = d.stride < 0 ? 0 - (uint64_t)d.stride : (uint64_t)d.stride;
        if (!d.count || __builtin_mul_overflow(count, d.count, &count) ||
            __builtin_mul_overflow(step, d.count - 1, &reach))
            return false;
        if (d.stride < 0 ? __builtin_sub_overflow(low, reach, &low) : __builtin_add_overflow(high, reach, &high))
            return false;
    }
    return high < core->vars[r->var].count && count == r->count;
}

static void one_region(tw__pack *p, tw__region *r)
{
    PUT(p, r->var);
    PUT(p, r->rank);
    PUT(p, r->offset);
    PUT(p, r->count);
    for (uint32_t k = 0; k < 4 && k < r->rank; k++) {
        PUT(p, r->dim[k].count);
        PUT(p, r->dim[k].stride);
    }
}

static void regions(tw__pack *p, tw__core *core, tw__regions **list)
{
    bool there = p->out && *list;
    PUT_FLAG(p, there);
    if (!p->out) *list = NULL;
    if (!there) return;
    size_t n = tw__pack_count(p, p->out ? (*list)->n : 0, 24);
    tw__builder b = { 0 };
    for (size_t i = 0; i < n && !p->bad; i++) {
        tw__region r = { 0 };
        if (p->out) r = (*list)->region[i];
        one_region(p, &r);
        if (p->out) continue;
        if (p->bad || !inside(core, &r))
            p->bad = true;
        else
            tw__builder_box(&b, r.var, r.offset, r.dim, r.rank);
    }
    if (p->out) return;
    if (p->bad)
        tw__builder_drop(&b);
    else if (!(*list = tw__builder_finish(&b)))
        p->bad = true;
}

static void operand(tw__pack *p, tw__core *core, tw__operand *o)
{
    regions(p, core, &o->regions);
    if (!o->regions) return;
    PUT_AS_INT(p, o->type);
    shape(p, &o->rank, &o->shape);
}

/* --- arrays --------------------------------------------------------------------------------------------------- */

/* Makes room for `n` entries, zero from `from` on, and sets the count. */
static bool room(tw__pack *p, void *items, size_t *have, size_t *count, size_t from, size_t n, size_t size)
{
    char *all;
    if (p->out) return true;
    while (*have < n)
        if (!tw__grow(items, have, *have, size)) {
            p->bad = true;
            return false;
        }
    memcpy(&all, items, sizeof all);
    if (n > from) memset(all + from * size, 0, (n - from) * size);
    *count = n;
    return true;
}

/* Each entry of an array of the core from index `from` on; `least` bytes each, at least. */
#define EACH(p, core, array, one, from, least, entry)                                              \
    for (size_t n_ = tw__pack_count((p), (core)->one##_count, (least)), i_ = (from),               \
                ok_ = room((p), &(core)->array, &(core)->one##_room, &(core)->one##_count, (from), \
                           n_ > (from) ? n_ : (from), sizeof *(core)->array);                      \
         ok_ && i_ < n_ && !(p)->bad; i_++)                                                        \
        for (__typeof__((core)->array) entry = &(core)->array[i_]; entry; entry = NULL)

static void variable(tw__pack *p, tw__variable *v)
{
    tw__pack_text(p, &v->name);
    PUT_AS_INT(p, v->type);
    PUT_FLAG(p, v->is_constant);
    PUT_FLAG(p, v->is_anonymous_const);
    PUT(p, v->count);
    shape(p, &v->rank, &v->shape);
    PUT(p, v->first_sister);
    PUT(p, v->sisters);
    size_t n = tw__pack_count(p, v->mapped_count, sizeof *v->mapped);
    if (!room(p, &v->mapped, &v->mapped_room, &v->mapped_count, 0, n, sizeof *v->mapped)) return;
    uint64_t end = 0;
    for (size_t i = 0; i < n && !p->bad; i++) {
        tw__mapped *m = &v->mapped[i];
        PUT(p, m->begin);
        PUT(p, m->end);
        PUT(p, m->tile);
        if (m->begin < end || m->end < m->begin || m->end > v->count) p->bad = true;
        end = m->end;
    }
    if (!p->out && (v->type < 0 || v->type >= TW_TYPE_COUNT || !tw_type_size(v->type))) p->bad = true;
}

static void initials(tw__pack *p, tw__core *core, tw__variable *v)
{
    size_t n = 0;
    for (tw__initial *k = v->initial; k; k = k->next) n++;
    n = tw__pack_count(p, n, 8);
    tw__initial **end = &v->initial;
    for (size_t i = 0; i < n && !p->bad; i++, end = &(*end)->next) {
        if (!p->out && !(*end = TW__NEW(p->arena, tw__initial))) {
            p->bad = true;
            return;
        }
        tw__initial *k = *end;
        regions(p, core, &k->regions);
        uint8_t how = (uint8_t)(k->broadcast + 2 * k->replica);
        PUT(p, how);
        if (how > 3) p->bad = true;
        k->broadcast = how & 1, k->replica = how & 2;
        PUT_AS_INT(p, k->type);
        if (!p->out && (!k->regions || k->type < 0 || k->type >= TW_TYPE_COUNT)) p->bad = true;
        if (p->bad) return;
        uint64_t bytes = (k->broadcast ? k->regions->count > 0 : k->regions->count) * tw_type_size(k->type);
        blob(p, &k->values, bytes);
    }
}

static void vertex_types(tw__pack *p, tw__core *core)
{
    size_t n = tw__pack_count(p, core->type_count, 8);
    for (size_t i = 0; i < n && !p->bad; i++) {
        const char *name = p->out ? core->types[i].info->name : NULL;
        tw__pack_text(p, &name);
        if (!p->out && !p->bad && tw__type_entry(core, name) != (int64_t)i) p->bad = true;
    }
}

static void field_values(tw__pack *p, tw__core *core)
{
    EACH(p, core, values, value, 1, 20, v)
    {
        PUT(p, v->next);
        PUT(p, v->field);
        PUT(p, v->count);
        PUT(p, v->bytes);
        if (v->next >= i_) p->bad = true; /* values are prepended: chains go down */
        if (v->bytes > 8)
            blob(p, &v->u.data, v->bytes);
        else
            PUT(p, v->u.inline_bytes);
    }
}

static void edges(tw__pack *p, tw__core *core)
{
    EACH(p, core, edges, edge, 1, 30, e)
    {
        PUT(p, e->next);
        PUT(p, e->field);
        PUT(p, e->index);
        PUT(p, e->var);
        PUT(p, e->offset);
        PUT(p, e->count);
        regions(p, core, &e->regions);
        uint64_t end;
        bool range = !__builtin_add_overflow(e->offset, e->count, &end) && e->var < core->var_count &&
                     end <= core->vars[e->var].count;
        if (p->bad || (e->next && e->next <= i_) || e->next >= core->edge_count) p->bad = true;
        if (e->count && (e->regions ? e->regions->count != e->count : !range)) p->bad = true;
    }
}

/* Fields of a vertex's edges and values exist; called when all arrays are there. */
static bool vertex_fits(const tw__core *core, const tw__vertex *v, uint32_t tiles)
{
    if (v->type >= core->type_count || v->cs >= core->compute_set_count || v->first_edge >= core->edge_count ||
        v->last_edge >= core->edge_count || v->first_value >= core->value_count ||
        (v->tile != TW_UNMAPPED && v->tile >= tiles))
        return false;
    const tw__vertex_type *info = core->types[v->type].info;
    for (uint32_t e = v->first_edge; e; e = core->edges[e].next)
        if (core->edges[e].field >= info->num_fields) return false;
    for (uint32_t i = v->first_value; i; i = core->values[i].next) {
        const tw__field_value *value = &core->values[i];
        if (value->field >= info->num_fields) return false;
        const tw__field *f = &info->fields[value->field];
        if (f->form != TW__STATE_VECTOR && value->bytes > f->host_size) return false;
    }
    return true;
}

static void vertices(tw__pack *p, tw__core *core)
{
    uint32_t tiles = core->target->tiles;
    EACH(p, core, vertices, vertex, 1, 24, v)
    {
        PUT(p, v->type);
        PUT(p, v->cs);
        PUT(p, v->tile);
        PUT(p, v->first_edge);
        PUT(p, v->last_edge);
        PUT(p, v->first_value);
        if (p->out) continue;
        if (p->bad || !vertex_fits(core, v, tiles))
            p->bad = true;
        else
            core->types[v->type].vertices++, core->compute_sets[v->cs].vertices++;
    }
}

/* What estimators say of the vertices that engines execute: the functions themselves cannot be stored. */
static void estimates(tw__pack *p, tw__core *core, const bool *cs_used)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(tw__vertex_estimate));
    size_t known = 0;
    for (uint32_t v = 1; p->out && v < core->vertex_count; v++) {
        while (known < core->estimate_count && core->estimates[known].vertex < v) known++;
        bool given = known < core->estimate_count && core->estimates[known].vertex == v;
        const tw__vertex_type_entry *type = &core->types[core->vertices[v].type];
        tw__vertex_estimate e = { .vertex = v };
        if (given)
            e = core->estimates[known];
        else if (type->estimator && cs_used[core->vertices[v].cs]) {
            tw_vertex_info info = { core, v };
            tw_perf_estimate said = type->estimator(&info, core->target, type->user);
            e.cycles = said.cycles, e.flops = said.flops;
        } else
            continue;
        g_array_append_val(list, e);
    }
    size_t n = tw__pack_count(p, list->len, 20);
    if (p->out ||
        room(p, &core->estimates, &core->estimate_room, &core->estimate_count, 0, n, sizeof *core->estimates))
        for (size_t i = 0; i < n && !p->bad; i++) {
            tw__vertex_estimate *e = p->out ? &g_array_index(list, tw__vertex_estimate, i) : &core->estimates[i];
            PUT(p, e->vertex);
            PUT(p, e->cycles);
            PUT(p, e->flops);
        }
    g_array_free(list, TRUE);
}

/* --- programs ------------------------------------------------------------------------------------------------- */

static void ids(tw__pack *p, uint32_t **list, uint32_t *count, uint32_t limit)
{
    size_t n = tw__pack_count(p, *count, sizeof(uint32_t));
    if (!p->out && !(*list = TW__NEW_N(p->arena, uint32_t, n))) p->bad = true;
    *count = p->bad ? 0 : (uint32_t)n;
    for (size_t i = 0; i < *count; i++) {
        PUT(p, (*list)[i]);
        if ((*list)[i] >= limit) p->bad = true; /* programs are made after those they hold */
    }
}

static void cases(tw__pack *p, tw__program *program, uint32_t limit)
{
    size_t n = tw__pack_count(p, program->case_count, 8);
    if (!p->out && !(program->cases = TW__NEW_N(p->arena, tw__case, n))) p->bad = true;
    program->case_count = p->bad ? 0 : (uint32_t)n;
    for (size_t i = 0; i < program->case_count; i++) {
        PUT(p, program->cases[i].value);
        PUT(p, program->cases[i].body);
        if (program->cases[i].body >= limit) p->bad = true;
    }
}

/* Children come first, but a sequence may have got some later: they are still below the number of programs. */
static void program(tw__pack *p, tw__core *core, tw__program *q)
{
    uint32_t limit = (uint32_t)core->program_count;
    PUT_AS_INT(p, q->kind);
    tw__pack_text(p, &q->name);
    ids(p, &q->children, &q->child_count, limit);
    q->child_room = q->child_count;
    operand(p, core, &q->a);
    operand(p, core, &q->b);
    PUT(p, q->id);
    PUT(p, q->count);
    PUT(p, q->begin);
    PUT(p, q->limit);
    PUT(p, q->step);
    cases(p, q, limit);
    q->case_room = q->case_count;
    PUT_FLAG(p, q->flag);
    PUT_AS_INT(p, q->sync);
    tw__pack_text(p, &q->text);
    PUT(p, q->format.summarise_threshold);
    PUT(p, q->format.edge_items);
    PUT(p, q->format.max_line_width);
    PUT(p, q->format.digits);
    PUT_AS_INT(p, q->format.float_format);
    PUT(p, q->format.separator);
    PUT(p, q->format.open_bracket);
    PUT(p, q->format.close_bracket);
    PUT(p, q->depth);
    if (!p->out) q->snapshot = 0;
}

/* What the id of a program names. */
static bool id_fits(const tw__core *core, const tw__program *q)
{
    const size_t limit[] = { [TW__P_EXECUTE] = core->compute_set_count, [TW__P_STREAM_IN] = core->stream_count,
                             [TW__P_STREAM_OUT] = core->stream_count,   [TW__P_REMOTE_IN] = core->remote_count,
                             [TW__P_REMOTE_OUT] = core->remote_count,   [TW__P_CALL] = core->function_count };
    if (q->kind < 0 || q->kind >= TW__PROGRAM_KINDS) return false;
    if (q->kind == TW__P_COPY && q->case_count) {
        bool good = core->created && q->case_count == core->created;
        for (uint32_t i = 0; good && i < q->case_count; i++)
            good = q->cases[i].value >= TW__TO_NOBODY && q->cases[i].value < (int32_t)core->created;
        if (!good) return false;
    }
    return (size_t)q->kind >= G_N_ELEMENTS(limit) || !limit[q->kind] || (q->id && q->id < limit[q->kind]);
}

static void programs(tw__pack *p, tw__core *core)
{
    EACH(p, core, functions, function, 1, 12, f)
    {
        tw__pack_text(p, &f->name);
        PUT(p, f->body);
    }
    EACH(p, core, programs, program, 1, 40, q)
    {
        program(p, core, q);
        if (!id_fits(core, q)) p->bad = true;
    }
    for (size_t i = 1; i < core->function_count; i++)
        if (core->functions[i].body >= core->program_count) p->bad = true;
}

static void streams(tw__pack *p, tw__core *core)
{
    EACH(p, core, streams, stream, 1, 30, s)
    {
        tw__pack_text(p, &s->handle);
        PUT_AS_INT(p, s->type);
        PUT(p, s->count);
        PUT_FLAG(p, s->to_device);
        PUT_AS_INT(p, s->mode);
        PUT(p, s->buffering_depth);
        PUT(p, s->split_limit);
        PUT_FLAG(p, s->split_disabled);
        PUT(p, s->replicas);
        if (s->replicas > n_) p->bad = true;
    }
    EACH(p, core, remotes, remote, 1, 30, r)
    {
        tw__pack_text(p, &r->handle);
        PUT_AS_INT(p, r->type);
        PUT(p, r->count);
        PUT(p, r->repeats);
        PUT_FLAG(p, r->rearrange);
        PUT_FLAG(p, r->optimise);
        PUT(p, r->replicas);
        if (r->replicas > n_) p->bad = true;
    }
    EACH(p, core, accesses, access, 0, 11, a)
    {
        tw__pack_text(p, &a->handle);
        operand(p, core, &a->tensor);
        PUT_FLAG(p, a->write);
        PUT_FLAG(p, a->read);
        if (!a->tensor.regions) p->bad = true;
    }
}

/* --- the whole ------------------------------------------------------------------------------------------------ */

/* The highest bit: of a graph of replicas only, and a second number follows. */
static void replicas(tw__pack *p, tw__core *core)
{
    const uint32_t created = UINT32_C(1) << 31;
    uint32_t n = core->created ? core->created | created : core->replicas;
    PUT(p, n);
    if (!(n & created)) {
        core->replicas = n;
        if (n > core->target->tiles) p->bad = true;
        return;
    }
    core->created = n & ~created;
    PUT(p, core->device_ipus);
    /* whole IPUs each, or equal parts of one */
    uint64_t each = core->target->ipus, all = core->device_ipus, count = core->created;
    bool whole = count * each == all, parts = each == 1 && all && count % all == 0;
    if (count < 2 || count > TW__REPLICAS || !(whole || parts)) p->bad = true;
}

static void body(tw__pack *p, tw__core *core, const bool *cs_used)
{
    EACH(p, core, vars, var, 0, 40, v)
    variable(p, v);
    for (size_t i = 0; i < core->var_count && !p->bad; i++) initials(p, core, &core->vars[i]);
    vertex_types(p, core);
    EACH(p, core, compute_sets, compute_set, 1, 8, cs)
    tw__pack_text(p, &cs->name);
    field_values(p, core);
    edges(p, core);
    EACH(p, core, sizes, size, 0, 24, s)
    {
        PUT(p, s->vertex);
        PUT(p, s->field);
        PUT(p, s->size);
        PUT(p, s->next);
    }
    replicas(p, core);
    vertices(p, core);
    estimates(p, core, cs_used);
    streams(p, core);
    programs(p, core);
}

/* Memory elements that are not the chip's, and limits between IPUs. */
static void limits(tw__pack *p, tw_target *t)
{
    size_t elements = tw__pack_count(p, p->out && t->own_elements ? t->arch.element_count : 0, 8);
    uint64_t offsets[TW_TILE_MAX_ELEMENTS];
    if (elements > G_N_ELEMENTS(offsets)) p->bad = true;
    for (size_t i = 0; i < elements && !p->bad; i++) {
        if (p->out) offsets[i] = t->element_offsets[i];
        PUT(p, offsets[i]);
    }
    if (!p->out && elements && !p->bad)
        p->bad = tw__target_set_elements(t, offsets, elements, t->arch.interleaved_element) != TW_OK;
    size_t count = tw__pack_count(p, p->out ? t->constraint_count : 0, 16);
    tw_global_exchange_constraint *list = tw__calloc(count + 1, sizeof *list);
    if (!list) p->bad = true;
    for (size_t i = 0; i < count && !p->bad; i++) {
        if (p->out) list[i] = t->constraints[i];
        PUT(p, list[i].bandwidth);
        list[i].flow_count = tw__pack_count(p, list[i].flow_count, sizeof *list[i].flows);
        tw_global_exchange_flow *read = p->out ? NULL : tw__calloc(list[i].flow_count + 1, sizeof *read);
        if (!p->out && !read) p->bad = true;
        for (size_t k = 0; k < list[i].flow_count && !p->bad; k++) {
            tw_global_exchange_flow flow = p->out ? list[i].flows[k] : (tw_global_exchange_flow){ 0 };
            PUT(p, flow.src);
            PUT(p, flow.dst);
            if (read) read[k] = flow;
        }
        if (read) list[i].flows = read;
    }
    if (!p->out && !p->bad) p->bad = tw__target_set_constraints(t, list, count) != TW_OK;
    for (size_t i = 0; !p->out && list && i < count; i++) free((void *)(uintptr_t)list[i].flows);
    free(list);
}

/* A target: its chip's row with what a model changed. */
static tw_target *target(tw__pack *p, const tw_target *from)
{
    tw_target t = from ? *from : (tw_target){ 0 };
    PUT_AS_INT(p, t.kind);
    PUT_AS_INT(p, t.chip);
    PUT(p, t.ipus);
    PUT(p, t.tiles_per_ipu);
    PUT_FLAG(p, t.accurate_half);
    PUT_FLAG(p, t.compile_ipu_code);
    PUT_FLAG(p, t.no_sync_delay);
    PUT_AS_INT(p, t.link_topology);
    PUT_AS_INT(p, t.link_configuration);
    PUT_AS_INT(p, t.sync_configuration);
    PUT(p, t.link_domain_size);
    PUT(p, t.instance_size);
    PUT_FLAG(p, t.gateway_mode);
    if (from) {
        tw_target *own = (tw_target *)(uintptr_t)from; /* is only read */
#define FIELD(field, ctype, format, unit, text) PUT(p, own->arch.field);
        TW_TILE_FIELD_LIST(FIELD)
#undef FIELD
        limits(p, own);
        return NULL;
    }
    tw_ipu_model model = { .size = sizeof model,
                           .chip = t.chip,
                           .num_ipus = t.ipus,
                           .tiles_per_ipu = t.tiles_per_ipu,
                           .ipu_link_topology = t.link_topology,
                           .ipu_link_configuration = t.link_configuration,
                           .sync_configuration = t.sync_configuration,
                           .ipu_link_domain_size = t.link_domain_size,
                           .instance_size = t.instance_size,
                           .gateway_mode = t.gateway_mode };
    tw_target *made = p->bad                    ? NULL
                      : t.kind == TW_TARGET_CPU ? tw_target_new_cpu(t.accurate_half)
                                                : tw_target_new_ipu_model(&model);
    if (!made) {
        p->bad = true;
        return NULL;
    }
    made->kind = t.kind, made->accurate_half = t.accurate_half;
    made->compile_ipu_code = t.compile_ipu_code, made->no_sync_delay = t.no_sync_delay;
#define FIELD(field, ctype, format, unit, text) PUT(p, made->arch.field);
    TW_TILE_FIELD_LIST(FIELD)
#undef FIELD
    limits(p, made);
    return made;
}

tw_status tw__graph_store(tw__core *core, const bool *cs_used, GByteArray *out)
{
    tw__pack p = { .out = out };
    for (size_t i = 0; i < core->var_count; i++)
        if (!tw__mapping_settle(&core->vars[i])) return tw__fail(TW_E_NO_MEMORY, "out of host memory");
    target(&p, core->target);
    tw_status status = tw__codelets_store(core->codelets, core->target->kind == TW_TARGET_CPU, out);
    if (status == TW_OK) body(&p, core, cs_used);
    return status;
}

tw_status tw_graph_serialize(tw_graph *graph, FILE *out)
{
    TW__ENTER(graph, tw_graph_status(graph));
    GByteArray *bytes = g_byte_array_new();
    bool *none = tw__calloc(graph->core->compute_set_count + 1, sizeof *none);
    tw_status status = none ? tw__graph_store(graph->core, none, bytes) : tw__fail(TW_E_NO_MEMORY, "out of memory");
    if (status == TW_OK &&
        (fwrite("TWGRAPH\n\1\0\0", 1, 12, out) != 12 || fwrite(bytes->data, 1, bytes->len, out) != bytes->len))
        status = tw__fail(TW_E_IO, "the graph could not be written");
    free(none);
    g_byte_array_free(bytes, TRUE);
    return status;
}

tw_graph *tw__graph_restore(tw__pack *p)
{
    tw_target *t = target(p, NULL);
    tw_graph *graph = t ? tw_graph_new(t) : NULL;
    tw_target_free(t);
    if (!graph) return NULL;
    tw__core *core = tw__graph_core(graph);
    size_t used = 0;
    p->arena = core->arena;
    tw_status status =
        p->bad ? TW_OK : tw__codelets_restore(core->codelets, p->at, (size_t)(p->end - p->at), &used);
    p->at += used;
    if (status == TW_OK && !p->bad) body(p, core, NULL);
    if (status == TW_OK && !p->bad) return graph;
    if (status == TW_OK && tw_graph_status(graph) == TW_OK) tw__fail(TW_E_FILE_LOAD, "its contents are damaged");
    tw_graph_free(graph);
    return NULL;
}
