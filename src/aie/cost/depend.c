/* SPDX-License-Identifier: MIT */
/* depend: who waits for whom in a block, and in a loop of one block in its next turn.
 *
 * Values go from instruction to instruction. Vectors that are wider than the host's registers travel through small
 * local memory, which the core does not have: it counts as a register, from its last writer to whoever reads it.
 * Memory that is one object is kept in order; what different pointers lead to is taken as different objects. */
#include "aie/cost/cost.h"

#include <stdlib.h>
#include <string.h>

enum { REGISTER_BYTES = 192, REGISTERS_BYTES = 2048, MOST_STEPS = 64 };

/* --- addresses and counters ------------------------------------------------------------------------------------- */

static bool is_arithmetic(const tw__ir_value *v)
{
    switch (v->op) {
    case TW__IR_add:
    case TW__IR_sub:
    case TW__IR_mul:
    case TW__IR_shl:
    case TW__IR_or:
    case TW__IR_and:
    case TW__IR_lshr:
    case TW__IR_ashr:
    case TW__IR_zext:
    case TW__IR_sext:
    case TW__IR_trunc:
    case TW__IR_freeze:
    case TW__IR_phi: return v->lanes == 1 && !v->is_float;
    default: return false;
    }
}

/* Whether operand `number` of v is looked at as data: addresses go through the address generators, counters of loops
 * through the loop registers. */
static bool uses_as_data(const tw__ir_function *f, const tw__ir_value *v, uint32_t number, const bool *is_data)
{
    uint32_t index = (uint32_t)(v - f->values);
    if (v->op == TW__IR_getelementptr) return false;
    if (v->op == TW__IR_load) return false;
    if (v->op == TW__IR_store) return number == 0;
    if (v->op == TW__IR_br) return false; /* the comparison itself */
    if (v->op == TW__IR_icmp) return is_data[index];
    if (is_arithmetic(v)) return is_data[index];
    return true;
}

bool *tw__aie_find_data(const tw__ir_function *f)
{
    bool *is_data = g_new0(bool, f->value_count + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = f->value_count; i-- > 0;) {
            const tw__ir_value *v = &f->values[i];
            if (v->kind != TW__IR_INSTRUCTION) continue;
            for (uint32_t o = 0; o < v->operands; o++) {
                uint32_t from = f->operands[v->first + o];
                if (is_data[from] || !uses_as_data(f, v, o, is_data)) continue;
                is_data[from] = changed = true;
            }
        }
    }
    return is_data;
}

/* A loop's counter or a step of addresses: nothing else needs the value, and it advances by a constant or from
 * one. */
static bool depend_is_free(const tw__ir_function *f, const tw__ir_value *v, bool is_loop, const bool *is_data)
{
    if (is_data[v - f->values] || v->lanes > 1) return false;
    return (is_arithmetic(v) || v->op == TW__IR_icmp) && (is_loop || v->op != TW__IR_icmp);
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

typedef struct place {
    uint32_t root;  /* value: what the pointer began with */
    int64_t offset; /* bytes from there, when it is known */
    bool is_known;
    bool moves; /* the pointer steps with the loop */
} place;

static place depend_place_of(const tw__ir_function *f, uint32_t pointer)
{
    place p = { .root = pointer, .is_known = true };
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        const tw__ir_value *v = &f->values[p.root];
        if (v->kind != TW__IR_INSTRUCTION || !v->operands) break;
        if (v->op == TW__IR_getelementptr) {
            p.is_known &= v->is_fixed;
            p.offset += v->is_fixed ? v->number : 0;
        } else if (v->op == TW__IR_phi) { /* a pointer that steps: where it came from */
            p.is_known = false, p.moves = true;
            uint32_t first = f->operands[v->first];
            if (f->values[first].kind == TW__IR_INSTRUCTION && f->values[first].op == TW__IR_getelementptr &&
                v->operands > 1)
                first = f->operands[v->first + 1];
            if (first == p.root) break;
            p.root = first;
            continue;
        } else if (v->op != TW__IR_bitcast && v->op != TW__IR_freeze) {
            break;
        }
        p.root = f->operands[v->first];
    }
    return p;
}

/* Local memory that stands for a register, or for an array of them whose indices are all constant. */
static bool is_register(const tw__ir_function *f, uint32_t root)
{
    const tw__ir_value *v = &f->values[root];
    return v->op == TW__IR_alloca && (v->bytes <= REGISTER_BYTES || (v->bytes <= REGISTERS_BYTES && !v->is_array));
}

void tw__aie_find_arrays(tw__ir_function *f)
{
    for (uint32_t i = 0; i < f->value_count; i++) {
        const tw__ir_value *v = &f->values[i];
        bool spreads = (v->op == TW__IR_getelementptr && !v->is_fixed) || v->op == TW__IR_phi ||
                       v->op == TW__IR_select || v->op == TW__IR_ptrtoint;
        for (uint32_t o = 0; o < v->operands && v->kind == TW__IR_INSTRUCTION; o++) {
            if (!spreads && !(v->op == TW__IR_store && o == 0)) continue;
            tw__ir_value *root = &f->values[depend_place_of(f, f->operands[v->first + o]).root];
            if (root->op == TW__IR_alloca) root->is_array = true;
        }
    }
}

typedef struct access {
    place at;
    uint32_t instruction; /* of the block */
    uint32_t bytes;
    uint8_t how;
} access;

static bool is_lifetime(const tw__ir_value *v)
{
    return v->callee && (g_str_has_prefix(v->callee, "llvm.lifetime") || g_str_has_prefix(v->callee, "llvm.dbg"));
}

static void add_access(GArray *list, const tw__ir_function *f, uint32_t pointer, uint32_t instruction,
                       uint32_t bytes, uint8_t how)
{
    access a = { .at = depend_place_of(f, pointer), .instruction = instruction, .bytes = bytes, .how = how };
    if (how && f->values[a.at.root].kind != TW__IR_CONSTANT) g_array_append_val(list, a);
}

/* What an instruction does with memory. */
static void find_accesses(GArray *list, const tw__ir_function *f, const tw__ir_value *v, uint32_t number)
{
    const uint32_t *operands = f->operands + v->first;
    if (v->op == TW__IR_load) add_access(list, f, operands[0], number, v->bytes, TW__IR_READS);
    if (v->op == TW__IR_store) add_access(list, f, operands[1], number, v->bytes, TW__IR_WRITES);
    if ((v->op != TW__IR_call && v->op != TW__IR_invoke) || is_lifetime(v)) return;
    bool copies = v->callee && g_str_has_prefix(v->callee, "llvm.mem");
    for (uint32_t i = 0; i < v->operands; i++) {
        uint8_t how = f->access[v->first + i];
        if (!f->values[operands[i]].is_pointer) continue;
        if (copies) how = i == 0 ? TW__IR_WRITES : TW__IR_READS;
        uint32_t root = depend_place_of(f, operands[i]).root;
        uint32_t size = copies ? v->bytes : f->sizes[v->first + i];
        if (!size && is_register(f, root) && f->values[root].bytes <= REGISTER_BYTES) size = f->values[root].bytes;
        add_access(list, f, operands[i], number, size, how);
    }
}

/* Bytes 0: all of it. */
static bool overlap(const access *a, const access *b)
{
    if (a->at.root != b->at.root) return false;
    if (!a->at.is_known || !b->at.is_known || !a->bytes || !b->bytes) return true;
    return a->at.offset < b->at.offset + b->bytes && b->at.offset < a->at.offset + a->bytes;
}

/* --- edges ------------------------------------------------------------------------------------------------------ */

typedef struct builder {
    const tw__ir_function *f;
    uint32_t first, count;
    tw__aie_cost *costs;
    GArray *edges, *accesses;
    GHashTable *by_root; /* value + 1 -> GArray of its accesses' numbers, in order */
    GHashTable *loaded;  /* values + 1: addresses that operands of intrinsics were loaded from */
    bool is_loop;
} builder;

static void depend_add_edge(builder *b, uint32_t from, uint32_t to, int latency, int distance)
{
    tw__aie_edge e = { from, to, latency, distance };
    g_array_append_val(b->edges, e);
}

/* The accumulator of a product is read late: where the one before it leaves it, one or two cycles after. */
static int latency_into(const builder *b, uint32_t from, uint32_t to, bool is_accumulator)
{
    const tw__aie_cost *p = &b->costs[from], *u = &b->costs[to];
    bool product = p->unit == TW__AIE_VECTOR && p->latency == 6;
    if (is_accumulator && u->flags & TW__AIE_ADDS && product) return u->flags & TW__AIE_FLOAT ? 2 : 1;
    return (int)p->latency;
}

/* One reader of a value, which may come to it through copies that the core does not have. */
typedef struct reader {
    uint32_t to;
    bool is_accumulator;
    int distance, steps;
} reader;

static void add_writers(builder *b, const access *read, reader r);

/* An intrinsic that is another name of a register, or of a part of one: accumulators pass through it in time. */
static bool renames(const builder *b, uint32_t instruction)
{
    return b->costs[instruction].unit == TW__AIE_NONE &&
           tw__aie_is_intrinsic(&b->f->values[b->first + instruction]);
}

static void add_from(builder *b, uint32_t value, reader r);

static void add_renamed(builder *b, uint32_t instruction, reader r)
{
    const tw__ir_value *v = &b->f->values[b->first + instruction];
    for (uint32_t o = 0; o < v->operands; o++) {
        uint32_t value = b->f->operands[v->first + o];
        access a = { .at = depend_place_of(b->f, value),
                     .instruction = instruction,
                     .bytes = b->f->sizes[v->first + o] };
        if (!b->f->values[value].is_pointer)
            add_from(b, value, r);
        else if (b->f->access[v->first + o] & TW__IR_READS && is_register(b->f, a.at.root))
            add_writers(b, &a, r);
    }
}

/* From what makes a value: through phis from the turn before, through registers in memory from who wrote them. */
static void add_from(builder *b, uint32_t value, reader r)
{
    uint32_t from = value - b->first;
    const tw__ir_value *v = &b->f->values[value];
    if (from >= b->count || v->op == TW__IR_alloca || r.steps++ > MOST_STEPS) return;
    if (v->op == TW__IR_phi) {
        r.distance++;
        for (uint32_t o = 0; o < v->operands && b->is_loop; o++) add_from(b, b->f->operands[v->first + o], r);
        return;
    }
    if (v->op == TW__IR_freeze || v->op == TW__IR_bitcast) {
        add_from(b, b->f->operands[v->first], r);
        return;
    }
    if (v->op == TW__IR_load) {
        access a = { .at = depend_place_of(b->f, b->f->operands[v->first]),
                     .instruction = from,
                     .bytes = v->bytes };
        if (is_register(b->f, a.at.root)) {
            add_writers(b, &a, r);
            return;
        }
    }
    if (r.is_accumulator && renames(b, from)) {
        add_renamed(b, from, r);
        return;
    }
    if (r.distance || from < r.to)
        depend_add_edge(b, from, r.to, latency_into(b, from, r.to, r.is_accumulator), r.distance);
}

/* The first store of the block that puts the same table of constants into a register: the core loads it there
 * once. */
static uint32_t constant_loader(const builder *b, const tw__ir_value *store)
{
    uint32_t value = b->f->operands[store->first];
    const tw__ir_value *v = &b->f->values[value];
    if (v->kind != TW__IR_CONSTANT || v->is_zero || store->bytes < 16) return UINT32_MAX;
    for (uint32_t i = 0; i < b->count; i++) {
        const tw__ir_value *s = &b->f->values[b->first + i];
        if (s->op == TW__IR_store && b->f->operands[s->first] == value) return i;
    }
    return UINT32_MAX;
}

/* An instruction that writes a register: what it copies, or itself. */
static void add_writer(builder *b, const access *w, reader r)
{
    const tw__ir_value *v = &b->f->values[b->first + w->instruction];
    if (v->op == TW__IR_store) {
        uint32_t loader = constant_loader(b, v);
        if (loader < b->count && !b->is_loop && loader < r.to)
            depend_add_edge(b, loader, r.to, (int)b->costs[loader].latency, 0);
        add_from(b, b->f->operands[v->first], r);
    } else if (v->callee && g_str_has_prefix(v->callee, "llvm.memcpy")) {
        access source = { .at = depend_place_of(b->f, b->f->operands[v->first + 1]),
                          .instruction = w->instruction,
                          .bytes = v->bytes };
        if (is_register(b->f, source.at.root))
            add_writers(b, &source, r);
        else
            depend_add_edge(b, w->instruction, r.to, latency_into(b, w->instruction, r.to, false), r.distance);
    } else {
        add_from(b, b->first + w->instruction, r);
    }
}

/* Whether nothing of what is read was there before that writer. */
static bool covers(const access *w, const access *read)
{
    if (!w->at.is_known || !read->at.is_known || !w->bytes || !read->bytes) return false;
    return w->at.offset <= read->at.offset && w->at.offset + w->bytes >= read->at.offset + read->bytes;
}

/* How many accesses of a chain come before an instruction. */
static guint before(const builder *b, const GArray *chain, uint32_t instruction)
{
    guint low = 0, high = chain->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index(b->accesses, access, g_array_index(chain, guint, middle)).instruction < instruction)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From the writers of a register to a reader, back to the one that wrote all of it; in a loop also the turn
 * before. */
static void add_writers(builder *b, const access *read, reader r)
{
    if (r.steps++ > MOST_STEPS) return;
    const GArray *chain = g_hash_table_lookup(b->by_root, GUINT_TO_POINTER(read->at.root + 1));
    for (int turn = 0; chain && turn <= (b->is_loop ? 1 : 0); turn++, r.distance++) {
        for (guint k = turn ? chain->len : before(b, chain, read->instruction); k-- > 0;) {
            const access *w = &g_array_index(b->accesses, access, g_array_index(chain, guint, k));
            if (!(w->how & TW__IR_WRITES) || !overlap(w, read)) continue;
            add_writer(b, w, r);
            if (covers(w, read)) return;
        }
    }
}

static void add_values(builder *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const tw__ir_value *v = &b->f->values[b->first + i];
        bool seen = false; /* the first operand that is a vector or an accumulator */
        if (v->op == TW__IR_phi) continue;
        for (uint32_t o = 0; o < v->operands; o++) {
            const tw__ir_value *p = &b->f->values[b->f->operands[v->first + o]];
            bool accumulator = !seen && p->bytes >= 32 && !p->is_pointer;
            seen |= accumulator;
            add_from(b, b->f->operands[v->first + o], (reader){ .to = i, .is_accumulator = accumulator });
        }
    }
}

/* What only carries a value between registers; others go through it (add_writer). */
static bool is_copy(const builder *b, uint32_t instruction)
{
    return b->costs[instruction].unit == TW__AIE_NONE &&
           !tw__aie_is_intrinsic(&b->f->values[b->first + instruction]);
}

/* Order of two accesses to one object, of which one at least writes. */
static void depend_add_pair(builder *b, const access *a, const access *c)
{
    if (!((a->how | c->how) & TW__IR_WRITES) || !overlap(a, c)) return;
    int latency = a->how & TW__IR_WRITES ? 1 : 0;
    bool is_noalias = b->f->values[a->at.root].is_noalias;
    if (a->instruction < c->instruction)
        depend_add_edge(b, a->instruction, c->instruction, latency, 0);
    else if (b->is_loop && a->how & TW__IR_WRITES && !is_noalias)
        depend_add_edge(b, a->instruction, c->instruction, latency, 1);
}

static void add_object(builder *b, const GArray *chain)
{
    bool is_written = false;
    for (guint i = 0; i < chain->len; i++)
        is_written |= g_array_index(b->accesses, access, g_array_index(chain, guint, i)).how & TW__IR_WRITES;
    for (guint i = 0; i < chain->len && is_written; i++) {
        const access *a = &g_array_index(b->accesses, access, g_array_index(chain, guint, i));
        guint first = b->is_loop ? 0 : i + 1;
        for (guint k = first; k < chain->len; k++)
            depend_add_pair(b, a, &g_array_index(b->accesses, access, g_array_index(chain, guint, k)));
    }
}

static void depend_add_memory(builder *b)
{
    uint32_t last = UINT32_MAX;
    for (guint i = 0; i < b->accesses->len; i++) {
        const access *a = &g_array_index(b->accesses, access, i);
        if (!is_register(b->f, a->at.root) || !(a->how & TW__IR_READS)) continue;
        reader r = { .to = a->instruction, .is_accumulator = a->instruction != last };
        if (!is_copy(b, a->instruction)) add_writers(b, a, r);
        last = a->instruction;
    }
    GHashTableIter each;
    gpointer root, chain;
    g_hash_table_iter_init(&each, b->by_root);
    while (g_hash_table_iter_next(&each, &root, &chain))
        if (!is_register(b->f, GPOINTER_TO_UINT(root) - 1)) add_object(b, chain);
}

/* Every access to memory, and for each object those of it. */
static void free_chain(gpointer chain)
{
    g_array_free(chain, TRUE);
}

static void collect_accesses(builder *b)
{
    b->accesses = g_array_new(FALSE, FALSE, sizeof(access));
    b->by_root = g_hash_table_new_full(NULL, NULL, NULL, free_chain);
    b->loaded = g_hash_table_new(NULL, NULL);
    for (uint32_t i = 0; i < b->count; i++) find_accesses(b->accesses, b->f, &b->f->values[b->first + i], i);
    for (guint i = 0; i < b->accesses->len; i++) {
        gpointer key = GUINT_TO_POINTER(g_array_index(b->accesses, access, i).at.root + 1);
        GArray *chain = g_hash_table_lookup(b->by_root, key);
        if (!chain) g_hash_table_insert(b->by_root, key, chain = g_array_new(FALSE, FALSE, sizeof(guint)));
        g_array_append_val(chain, i);
    }
}

static void add_order(builder *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        if (!(b->costs[i].flags & TW__AIE_BARRIER)) continue;
        for (uint32_t k = 0; k < b->count; k++) {
            if (k < i) depend_add_edge(b, k, i, (int)b->costs[k].latency, 0);
            if (k > i) depend_add_edge(b, i, k, (int)b->costs[i].latency, 0);
        }
    }
    /* A word leaves before what comes after it is loaded. */
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->costs[i].unit != TW__AIE_STREAM_OUT || b->costs[i].issues != 1) continue;
        for (uint32_t k = 0; k < b->count; k++)
            if ((b->costs[k].unit == TW__AIE_LOAD || b->costs[k].unit == TW__AIE_STREAM_OUT) &&
                (k > i || b->is_loop))
                depend_add_edge(b, i, k, (int)b->costs[i].latency, k <= i);
    }
    /* The branch is the last. */
    for (uint32_t i = 0; i + 1 < b->count; i++) depend_add_edge(b, i, b->count - 1, 0, 0);
}

/* A load that gives the same in every turn, because its address does and nobody writes there, stands before the loop;
 * so does arithmetic on what does not change. */
static void hoist(builder *b)
{
    const GArray *list = b->accesses;
    for (guint i = 0; i < list->len; i++) {
        const access *a = &g_array_index(list, access, i);
        const tw__ir_value *v = &b->f->values[b->first + a->instruction];
        uint32_t address = v->op == TW__IR_load ? b->f->operands[v->first] - b->first : 0;
        bool is_written = false;
        if (v->op != TW__IR_load || address < b->count || a->at.moves) continue;
        for (guint k = 0; k < list->len && !is_written; k++) {
            const access *c = &g_array_index(list, access, k);
            is_written = c->how & TW__IR_WRITES && overlap(a, c);
        }
        if (!is_written) b->costs[a->instruction] = TW__AIE_COST(TW__AIE_NONE, 1, 0, 0);
    }
}

/* Operands of an intrinsic that lie in memory are loaded for it; once for all that use the same address. */
static void add_loads(builder *b, uint32_t number)
{
    enum { PORT_BYTES = 32 };
    const tw__ir_value *v = &b->f->values[b->first + number];
    tw__aie_cost *c = &b->costs[number];
    if (!tw__aie_is_intrinsic(v) || c->flags & (TW__AIE_ORDERED | TW__AIE_ENDS)) return;
    for (uint32_t o = 0; o < v->operands; o++) {
        uint32_t pointer = b->f->operands[v->first + o], size = b->f->sizes[v->first + o];
        place at = depend_place_of(b->f, pointer);
        if (!size || is_register(b->f, at.root)) continue;
        bool is_loaded = b->is_loop && pointer - b->first >= b->count; /* in front of the loop */
        c->is_fed |= !is_loaded;
        is_loaded |= !g_hash_table_add(b->loaded, GUINT_TO_POINTER(pointer + 1));
        if (!is_loaded) c->loads += (size + PORT_BYTES - 1) / PORT_BYTES;
    }
}

/* Between registers nothing, from memory a load, to memory a store. */
static tw__aie_cost cost_of_copy(const tw__ir_function *f, const tw__ir_value *v)
{
    enum { PORT_BYTES = 32 };
    bool moves = !g_str_has_prefix(v->callee, "llvm.memset");
    unsigned issues = v->bytes ? (v->bytes + PORT_BYTES - 1) / PORT_BYTES : 1;
    bool from = moves && !is_register(f, depend_place_of(f, f->operands[v->first + 1]).root);
    if (from) return TW__AIE_COST(TW__AIE_LOAD, issues, 8, 0);
    if (is_register(f, depend_place_of(f, f->operands[v->first]).root)) return TW__AIE_COST(TW__AIE_NONE, 1, 0, 0);
    return TW__AIE_COST(TW__AIE_STORE, issues, 1, 0);
}

GArray *tw__aie_depend(const tw__ir_function *f, uint32_t block, bool is_loop, const bool *is_data,
                       tw__aie_cost *costs)
{
    builder b = { .f = f,
                  .first = f->blocks[block].first,
                  .count = f->blocks[block].count,
                  .costs = costs,
                  .edges = g_array_new(FALSE, FALSE, sizeof(tw__aie_edge)),
                  .is_loop = is_loop };
    collect_accesses(&b);
    for (uint32_t i = 0; i < b.count; i++) {
        const tw__ir_value *v = &f->values[b.first + i];
        costs[i] = tw__aie_cost_of(f, v);
        bool is_carried =
            (v->op == TW__IR_store && is_register(f, depend_place_of(f, f->operands[v->first + 1]).root)) ||
            (v->op == TW__IR_load && is_register(f, depend_place_of(f, f->operands[v->first]).root));
        if (v->callee && g_str_has_prefix(v->callee, "llvm.mem")) costs[i] = cost_of_copy(f, v);
        if (is_carried || depend_is_free(f, v, is_loop, is_data)) costs[i] = TW__AIE_COST(TW__AIE_NONE, 1, 0, 0);
    }
    for (uint32_t i = 0; i < b.count && !is_loop; i++) {
        const tw__ir_value *v = &f->values[b.first + i];
        if (v->op == TW__IR_store && costs[i].unit == TW__AIE_NONE && constant_loader(&b, v) == i)
            costs[i] = TW__AIE_COST(TW__AIE_LOAD, (v->bytes + 31) / 32, 8, 0);
    }
    for (uint32_t i = 0; i < b.count; i++) add_loads(&b, i);
    if (is_loop) hoist(&b);
    if (is_loop && b.count) costs[b.count - 1] = TW__AIE_COST(TW__AIE_NONE, 1, 0, 0); /* a hardware loop */
    add_values(&b), depend_add_memory(&b), add_order(&b);
    g_array_free(b.accesses, TRUE);
    g_hash_table_destroy(b.by_root), g_hash_table_destroy(b.loaded);
    return b.edges;
}
