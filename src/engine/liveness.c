/* Which variables hold a value that is still needed, step by step: backwards over the control flow.
 *
 * Whole variables are followed. A step that writes every element of a variable (races are excluded, so the counts of its
 * outputs add up) begins a new life. Always live: constants, variables with a host handle, everything a tile keeps for
 * the whole run. Values survive from run to run, so the programs of an engine stand in one loop. */
#include "engine/account.h"

#include <stdlib.h>
#include <string.h>

/* Words of bit sets touched before the analysis gives up; the report then has no liveness block. */
#define BUDGET (UINT64_C(1) << 28)

typedef struct flow {
    tw__accounting *a;
    size_t words, steps;
    uint64_t *live;                 /* [steps][words] while the step runs */
    uint64_t *always;               /* [words] */
    uint32_t *use, *kill;           /* variables of all steps, see first_* */
    size_t *first_use, *first_kill; /* [steps + 1] */
    uint64_t spent;
    bool failed;
} flow;

static bool has(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}
static void put(uint64_t *set, uint32_t i)
{
    set[i / 64] |= UINT64_C(1) << (i % 64);
}
static void drop(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* --- uses and kills of a step ----------------------------------------------------------------------------------------- */

typedef struct gather { /* of the step at hand */
    flow *f;
    TW__LIST(uint32_t) use, kill, touched;
    uint64_t *written; /* [variables] elements */
    uint8_t *read;     /* [variables] */
} gather;

static void push(gather *g, uint32_t **items, size_t *room, size_t *count, uint32_t value)
{
    if (tw__grow(items, room, *count, sizeof **items))
        (*items)[(*count)++] = value;
    else
        g->f->failed = true;
}
#define APPEND(g, list, value) push(g, &(list).items, &(list).room, &(list).count, value)

static void reads(gather *g, uint32_t var)
{
    if (g->read[var]) return;
    if (!g->written[var]) APPEND(g, g->touched, var);
    g->read[var] = 1;
}

static void writes(gather *g, uint32_t var, uint64_t count)
{
    if (!count) return;
    if (!g->read[var] && !g->written[var]) APPEND(g, g->touched, var);
    g->written[var] += count;
}

static void access(gather *g, const tw__regions *list, bool read, bool write)
{
    for (uint32_t i = 0; list && i < list->n; i++) {
        if (read) reads(g, list->region[i].var);
        if (write) writes(g, list->region[i].var, list->region[i].count);
    }
}

static void access_vertices(gather *g, uint32_t cs)
{
    const tw__core *core = g->f->a->core;
    size_t count;
    const uint32_t *vertices = tw__compute_set_vertices((tw__core *)core, cs, &count);
    for (size_t i = 0; i < count; i++) {
        const tw__vertex *v = &core->vertices[vertices[i]];
        const tw__vertex_type *info = core->types[v->type].info;
        for (uint32_t e = v->first_edge; e; e = core->edges[e].next) {
            const tw__edge *edge = &core->edges[e];
            tw__direction direction = info->fields[edge->field].direction;
            bool read = direction != TW__OUTPUT, write = direction != TW__INPUT;
            if (edge->regions) {
                access(g, edge->regions, read, write);
                continue;
            }
            if (read) reads(g, edge->var);
            if (write) writes(g, edge->var, edge->count);
        }
    }
}

/* a: 1 read, 2 written; b likewise. */
static const struct {
    uint8_t a, b;
} operands[] = {
    [TW__P_EXECUTE] = { 2, 0 },    [TW__P_COPY] = { 1, 2 },        [TW__P_STREAM_IN] = { 2, 0 },
    [TW__P_STREAM_OUT] = { 1, 0 }, [TW__P_REMOTE_IN] = { 2, 1 },   [TW__P_REMOTE_OUT] = { 1, 1 },
    [TW__P_WHILE_TRUE] = { 1, 0 }, [TW__P_WHILE_FALSE] = { 1, 0 }, [TW__P_IF] = { 1, 0 },
    [TW__P_SWITCH] = { 1, 0 },     [TW__P_WRITE_UNDEF] = { 2, 0 }, [TW__P_ABORT_IF] = { 1, 0 },
    [TW__P_ERROR] = { 1, 0 },      [TW__P_PRINT] = { 1, 0 },       [TW__P_COUNTED_FOR] = { 3, 1 },
};

static void gather_step(gather *g, size_t s)
{
    tw__accounting *a = g->f->a;
    const tw__plan *plan = &a->engine->plan;
    const tw__plan_step *step = &plan->steps.items[s];
    if (step->kind == TW__S_EXECUTE) access_vertices(g, plan->execs.items[step->payload].cs);
    for (uint32_t i = 0; i < step->programs; i++) {
        const tw__program *p = &a->core->programs[plan->step_programs.items[step->first_program + i]];
        if (p->kind >= sizeof operands / sizeof *operands) continue;
        access(g, p->a.regions, operands[p->kind].a & 1, operands[p->kind].a & 2);
        access(g, p->b.regions, operands[p->kind].b & 1, operands[p->kind].b & 2);
    }
    for (size_t i = 0; i < g->touched.count; i++) {
        uint32_t var = g->touched.items[i];
        bool whole = g->written[var] >= a->core->vars[var].count && g->written[var];
        if (whole) APPEND(g, g->kill, var);
        if (g->read[var] || !whole) APPEND(g, g->use, var); /* a partial write needs the rest */
        g->read[var] = 0, g->written[var] = 0;
    }
    g->touched.count = 0;
}

static bool gather_all(flow *f)
{
    gather g = { .f = f };
    size_t vars = f->a->core->var_count;
    g.written = tw__calloc(vars + 1, sizeof *g.written);
    g.read = tw__calloc(vars + 1, 1);
    f->first_use = tw__calloc(f->steps + 1, sizeof *f->first_use);
    f->first_kill = tw__calloc(f->steps + 1, sizeof *f->first_kill);
    f->failed |= !g.written || !g.read || !f->first_use || !f->first_kill;
    for (size_t s = 0; s < f->steps && !f->failed; s++) {
        gather_step(&g, s);
        f->first_use[s + 1] = g.use.count, f->first_kill[s + 1] = g.kill.count;
    }
    f->use = g.use.items, f->kill = g.kill.items;
    free(g.touched.items), free(g.written), free(g.read);
    return !f->failed;
}

/* --- backwards over the control flow ----------------------------------------------------------------------------------- */

static void merge(flow *f, uint64_t *into, const uint64_t *from)
{
    for (size_t w = 0; w < f->words; w++) into[w] |= from[w];
}

static void step_back(flow *f, size_t s, uint64_t *live)
{
    uint64_t *during = &f->live[s * f->words];
    merge(f, during, live);
    for (size_t i = f->first_kill[s]; i < f->first_kill[s + 1]; i++)
        put(during, f->kill[i]), drop(live, f->kill[i]);
    for (size_t i = f->first_use[s]; i < f->first_use[s + 1]; i++) put(during, f->use[i]), put(live, f->use[i]);
    f->spent += f->words + 1;
    if (f->spent > BUDGET) f->failed = true;
}

static void back(flow *f, size_t begin, size_t end, uint64_t *live);

static uint64_t *copy_of(flow *f, const uint64_t *set)
{
    uint64_t *copy = tw__realloc(NULL, (f->words + 1) * sizeof *copy);
    if (copy)
        memcpy(copy, set, f->words * sizeof *copy);
    else
        f->failed = true;
    f->spent += f->words;
    return copy;
}

/* Two passes reach the fixed point: the first finds what a round needs, the second carries it round. A LOOP leaves at
 * its end, a WHILE at its TEST: what comes before the test runs once more than what comes after it. */
static void loop_back(flow *f, size_t open, size_t close, uint64_t *live)
{
    const tw__shape *loop = &f->a->shape.items[open];
    size_t leave = loop->kind == TW__SHAPE_WHILE ? loop->value : close;
    uint64_t *after = copy_of(f, live);
    if (after) memset(live, 0, f->words * sizeof *live);
    for (int pass = 0; pass < 2 && !f->failed; pass++) {
        back(f, leave < close ? leave + 1 : close, close, live);
        merge(f, live, after);
        back(f, open + 1, leave, live);
    }
    free(after);
}

/* END points at the last ARM, each ARM at the one before it, the first at the CHOICE. One arm is taken: a Switch without
 * a default has an empty one. */
static void choice_back(flow *f, size_t close, uint64_t *live)
{
    uint64_t *after = copy_of(f, live);
    size_t arm = f->a->shape.items[close].value;
    if (after) memset(live, 0, f->words * sizeof *live);
    while (!f->failed && f->a->shape.items[arm].kind == TW__SHAPE_ARM) {
        uint64_t *in = copy_of(f, after);
        size_t before = f->a->shape.items[arm].value;
        if (in) back(f, before + 1, arm, in), merge(f, live, in);
        free(in);
        arm = before;
    }
    free(after);
}

static void back(flow *f, size_t begin, size_t end, uint64_t *live)
{
    const tw__shape *shape = f->a->shape.items;
    for (size_t i = end; i > begin && !f->failed;) {
        const tw__shape *at = &shape[--i];
        if (at->kind == TW__SHAPE_STEP)
            step_back(f, at->value, live);
        else if (at->kind == TW__SHAPE_CALL)
            back(f, f->a->bodies.items[at->value].begin, f->a->bodies.items[at->value].end, live);
        else if (at->kind == TW__SHAPE_END) {
            size_t open = at->value;
            if (shape[open].kind == TW__SHAPE_ARM || shape[open].kind == TW__SHAPE_CHOICE) {
                choice_back(f, i, live);
                while (shape[open].kind == TW__SHAPE_ARM) open = shape[open].value;
            } else
                loop_back(f, open, i, live);
            i = open;
        }
    }
}

/* --- results ------------------------------------------------------------------------------------------------------------ */

static uint64_t var_bytes(const tw__accounting *a, uint32_t var)
{
    const tw__variable *v = &a->core->vars[var];
    uint64_t elements = 0;
    for (size_t i = 0; i < v->mapped_count; i++) elements += v->mapped[i].end - v->mapped[i].begin;
    return elements * tw_target_type_size(a->target, v->type);
}

static const char *var_name(const tw__variable *var)
{
    return var->is_constant ? "<const>" : *var->name ? var->name : "<anon>";
}

/* Variables; then what a tile keeps for the whole run, by the key of its storage: vertex states, code, stacks, ... */
static void always_live(flow *f, uint64_t *by_tile)
{
    tw__accounting *a = f->a;
    const tw__placement *p = a->placement;
    uint64_t sums[TW_STORAGE_COUNT] = { 0 };
    for (uint32_t var = 0; var < a->core->var_count; var++) {
        const tw__variable *v = &a->core->vars[var];
        if (!has(f->always, var)) continue;
        tw__profile_add_always_live(a->profile, var_name(v), var_bytes(a, var));
        size_t esize = tw_target_type_size(a->target, v->type);
        for (size_t i = 0; i < v->mapped_count; i++)
            by_tile[v->mapped[i].tile] += (v->mapped[i].end - v->mapped[i].begin) * esize;
    }
    for (size_t g = 0; g < p->groups.count; g++) {
        const tw__state_group *group = &p->groups.items[g];
        const tw__vertex_type *info = a->core->types[group->type].info;
        uint32_t item = group->item;
        sums[p->items.items[item].storage] += p->items.items[item].bytes;
        by_tile[group->tile] += p->items.items[item].bytes;
        for (unsigned field = 0; field < info->num_fields; field++) {
            if (!tw__placement_has_table(&info->fields[field])) continue;
            const tw__place_item *table = &p->items.items[++item];
            sums[table->storage] += table->bytes, by_tile[group->tile] += table->bytes;
        }
    }
    for (unsigned s = 0; s < TW_STORAGE_COUNT; s++) {
        const uint64_t *row = a->memory->rows[tw__memory_row(s, TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED)];
        for (unsigned tile = 0; row && tile < a->tiles; tile++) sums[s] += row[tile], by_tile[tile] += row[tile];
        if (sums[s]) tw__profile_add_always_live(a->profile, tw_storage_key(s), sums[s]);
    }
}

/* Adds or takes the bytes of variables that begin or end between two steps. */
static void toggle(flow *f, const uint64_t *before, const uint64_t *now, uint64_t *by_tile)
{
    tw__accounting *a = f->a;
    for (size_t w = 0; w < f->words; w++)
        for (uint64_t diff = (before ? before[w] : 0) ^ now[w]; diff; diff &= diff - 1) {
            uint32_t var = (uint32_t)(w * 64 + (unsigned)__builtin_ctzll(diff));
            const tw__variable *v = &a->core->vars[var];
            size_t esize = tw_target_type_size(a->target, v->type);
            for (size_t i = 0; i < v->mapped_count; i++) {
                uint64_t bytes = (v->mapped[i].end - v->mapped[i].begin) * esize;
                by_tile[v->mapped[i].tile] += has(now, var) ? bytes : (uint64_t)0 - bytes;
            }
        }
}

/* Buffers of a compute set as they are listed: "<message:name>", "<rearrangement:name>", "<outputEdge:name>". */
static uint64_t list_buffers(const tw__accounting *a, uint32_t exec, tw__live_var *list, size_t *count)
{
    const char *name = a->core->compute_sets[a->engine->plan.execs.items[exec].cs].name;
    uint64_t total = 0;
    for (unsigned kind = 0; kind < TW__BUFFER_KINDS; kind++) {
        uint64_t bytes = a->placement->exec_bytes[exec][kind];
        char text[256];
        if (!bytes) continue;
        snprintf(text, sizeof text, "<%s:%s>", tw_storage_key(tw__buffer_storage[kind]), *name ? name : "anon");
        list[(*count)++] = (tw__live_var){ tw__profile_name(a->profile, text), bytes };
        total += bytes;
    }
    return total;
}

/* Adds (1) or takes (-1) their bytes by tile. */
static void count_buffers(flow *f, uint32_t exec, uint64_t *by_tile, int sign)
{
    const tw__placement *p = f->a->placement;
    for (uint32_t i = p->exec_item[exec]; i < p->exec_item_end[exec]; i++)
        by_tile[p->items.items[i].tile] +=
            sign < 0 ? (uint64_t)0 - p->items.items[i].bytes : p->items.items[i].bytes;
    f->spent += p->exec_item_end[exec] - p->exec_item[exec];
}

static void live_lists(flow *f, const uint64_t *always_by_tile)
{
    tw__accounting *a = f->a;
    uint64_t *now = tw__calloc(a->tiles, sizeof *now), *peak = tw__calloc(a->tiles, sizeof *peak), worst = 0;
    tw__live_var *list = tw__calloc(a->core->var_count + TW__BUFFER_KINDS + 1, sizeof *list);
    const uint64_t *before = NULL;
    f->failed |= !now || !peak || !list;
    for (size_t l = 0; l < a->leaves.count && !f->failed; l++) {
        uint32_t s = a->leaves.items[l].step;
        uint64_t *live = &f->live[s * f->words], total = 0;
        size_t count = 0;
        for (size_t w = 0; w < f->words; w++) {
            live[w] &= ~f->always[w];
            for (uint64_t bits = live[w]; bits; bits &= bits - 1) {
                uint32_t var = (uint32_t)(w * 64 + (unsigned)__builtin_ctzll(bits));
                list[count] = (tw__live_var){ tw__profile_name(a->profile, var_name(&a->core->vars[var])),
                                              var_bytes(a, var) };
                total += list[count++].bytes;
            }
        }
        f->spent += f->words + count;
        if (f->spent > BUDGET) f->failed = true;
        const tw__plan_step *step = &a->engine->plan.steps.items[s];
        if (step->kind == TW__S_EXECUTE) total += list_buffers(a, step->payload, list, &count);
        tw__profile_set_live(a->profile, a->leaves.items[l].node, list, count);
        toggle(f, before, live, now);
        before = live;
        if (step->kind == TW__S_EXECUTE) count_buffers(f, step->payload, now, 1);
        for (unsigned tile = 0; tile < a->tiles; tile++)
            peak[tile] = now[tile] > peak[tile] ? now[tile] : peak[tile];
        if (step->kind == TW__S_EXECUTE) count_buffers(f, step->payload, now, -1);
        worst = total > worst ? total : worst;
    }
    if (!f->failed)
        tw__profile_set_liveness(a->profile, tw__profile_row(a->profile, always_by_tile, a->tiles),
                                 tw__profile_row(a->profile, peak, a->tiles), worst);
    free(now), free(peak), free(list);
}

/* Lives for the placement: from the first to the last step at which a variable is live; buffers from the first to the last
 * step that executes their compute set. What no step needs keeps its place. */
static bool set_lives(flow *f)
{
    tw__placement *p = f->a->placement;
    size_t vars = f->a->core->var_count;
    uint32_t *first = tw__realloc(NULL, (vars + 1) * sizeof *first), *last = tw__calloc(vars + 1, sizeof *last);
    if (first && last) {
        memset(first, 0xff, (vars + 1) * sizeof *first);
        for (uint32_t s = 0; s < f->steps; s++)
            for (size_t w = 0; w < f->words; w++)
                for (uint64_t bits = f->live[s * f->words + w]; bits; bits &= bits - 1) {
                    size_t var = w * 64 + (unsigned)__builtin_ctzll(bits);
                    if (first[var] == UINT32_MAX) first[var] = s;
                    last[var] = s;
                }
        for (uint32_t var = 0; var < vars; var++)
            for (uint32_t i = p->var_first[var]; i < p->var_first[var + 1]; i++)
                if (!has(f->always, var) && first[var] != UINT32_MAX)
                    p->items.items[i].first = first[var], p->items.items[i].last = last[var];
    }
    bool ok = first && last;
    free(first), free(last);
    return ok;
}

static void set_buffer_lives(tw__placement *p)
{
    for (size_t x = 0; x < p->execs; x++)
        for (uint32_t i = p->exec_item[x]; i < p->exec_item_end[x]; i++)
            p->items.items[i].first = p->exec_first[x], p->items.items[i].last = p->exec_last[x];
}

/* Constants, host handles, and variables that no program touches. */
static void find_always(flow *f)
{
    const tw__core *core = f->a->core;
    memset(f->always, 0xff, f->words * sizeof *f->always);
    for (size_t i = 0; i < f->first_use[f->steps]; i++) drop(f->always, f->use[i]);
    for (size_t i = 0; i < f->first_kill[f->steps]; i++) drop(f->always, f->kill[i]);
    for (uint32_t var = 0; var < core->var_count; var++)
        if (core->vars[var].is_constant) put(f->always, var);
    for (size_t i = 0; i < core->access_count; i++) {
        const tw__regions *list = core->accesses[i].tensor.regions;
        for (uint32_t r = 0; list && r < list->n; r++) put(f->always, list->region[r].var);
    }
    for (uint32_t var = (uint32_t)core->var_count; var < f->words * 64; var++) drop(f->always, var);
}

tw_status tw__account_liveness(tw__accounting *a)
{
    flow f = { .a = a, .words = (a->core->var_count + 63) / 64, .steps = a->engine->plan.steps.count };
    uint64_t cells;
    set_buffer_lives(a->placement);
    if (__builtin_mul_overflow(f.words + 1, f.steps + 1, &cells) || cells > BUDGET / 16) {
        TW__LOG(PROFILER, INFO, "liveness left out: %zu steps and %zu variables are too many", f.steps,
                a->core->var_count);
        return TW_OK;
    }
    f.live = tw__calloc(cells, sizeof *f.live);
    f.always = tw__calloc(f.words + 1, sizeof *f.always);
    uint64_t *live = tw__calloc(f.words + 1, sizeof *live), *by_tile = tw__calloc(a->tiles, sizeof *by_tile);
    f.failed = !f.live || !f.always || !live || !by_tile;
    if (!f.failed && gather_all(&f)) {
        find_always(&f);
        for (int pass = 0; pass < 2; pass++) back(&f, 0, a->bodies.items[0].end, live);
        always_live(&f, by_tile);
        live_lists(&f, by_tile);
    }
    if (!f.failed && !set_lives(&f)) f.failed = a->failed = true;
    if (f.failed) TW__LOG(PROFILER, INFO, "liveness left out: the control flow is too large");
    free(f.live), free(f.always), free(live), free(by_tile);
    free(f.use), free(f.kill), free(f.first_use), free(f.first_kill);
    return TW_OK;
}
