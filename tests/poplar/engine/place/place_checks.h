/* SPDX-License-Identifier: MIT */
/* What the tests of placement share: chips, codelets with constrained and aligned fields, and a checker that knows
 * nothing of the engine's own: objects alive together never share a byte, alignment, regions, interleaving,
 * over-read, constraints of vertices, and that every vertex state can be encoded at its addresses. Facts of the chips
 * (guide 7.2) and layouts (guide 4.2) are written out again here. */
#ifndef TW_TESTS_ENGINE_PLACE_CHECKS_H
#define TW_TESTS_ENGINE_PLACE_CHECKS_H

#include "poplar/engine/engine_test.h"

#include "poplar/engine/account/account.h"

typedef struct chip {
    tw_chip chip;
    uint64_t base, interleaved, end;
} chip;
static const chip chips[] = { { TW_MK1, 0x40000, 0x60000, 0x80000 }, { TW_MK2, 0x4C000, 0x80000, 0xE8000 } };

static const char codelets[] =
    "#include <poplar/Vertex.hpp>\n"
    "using namespace poplar;\n"
    "class [[poplar::constraint(\"elem(*a)!=elem(*b)\", \"region(*c)!=region(*b)\")]] Apart : public Vertex {\n"
    "public:\n"
    "    Input<Vector<float, VectorLayout::COMPACT_PTR, 8>> a;\n"
    "    Output<Vector<float, VectorLayout::SHORT_SPAN>> b;\n"
    "    InOut<Vector<half, VectorLayout::SPAN, 16>> c;\n"
    "    int n;\n"
    "    bool compute() { for (unsigned i = 0; i < b.size(); i++) b[i] = 1; return true; }\n"
    "};\n"
    "class Rows : public Vertex {\n"
    "public:\n"
    "    Vector<Input<Vector<float, VectorLayout::SHORT_SPAN>>, VectorLayout::ONE_PTR> rows;\n"
    "    Input<VectorList<float, VectorListLayout::COMPACT_DELTAN, 4>> list;\n"
    "    Vector<Input<float>> ones;\n"
    "    Input<Vector<float, VectorLayout::COMPACT_PTR, 16>> wide;\n"
    "    Input<Vector<float, VectorLayout::SPAN, 8, true>> fast;\n"
    "    Vector<int> table;\n"
    "    char tag;\n"
    "    short pair[3];\n"
    "    half h;\n"
    "    Output<float> sum;\n"
    "    bool compute() { *sum = 1; return true; }\n"
    "};\n"
    "class [[poplar::constraint(\"region(*in)!=region(*out)\")]] Regions : public Vertex {\n"
    "public:\n"
    "    Input<Vector<char, VectorLayout::SPAN, 8>> in;\n"
    "    Output<Vector<char, VectorLayout::SPAN, 8>> out;\n"
    "    bool compute() { return true; }\n"
    "};\n"
    "class [[poplar::constraint(\"elem(*in)!=elem(*out)\")]] Elements : public Vertex {\n"
    "public:\n"
    "    Input<Vector<float>> in;\n"
    "    Output<Vector<float>> out;\n"
    "    bool compute() { return true; }\n"
    "};\n"
    "class Move : public Vertex {\n"
    "public:\n"
    "    Input<Vector<char>> in;\n"
    "    Output<Vector<char>> out;\n"
    "    bool compute() { return true; }\n"
    "};\n"
    "class Fast : public Vertex {\n"
    "public:\n"
    "    Input<Vector<float, VectorLayout::SPAN, 8, true>> in;\n"
    "    bool compute() { return true; }\n"
    "};\n"
    "class Reads : public Vertex {\n"
    "public:\n"
    "    Input<Vector<float>> in;\n"
    "    Output<float> out;\n"
    "    bool compute() { *out = in.size(); return true; }\n"
    "};\n";

static inline tw_graph *new_graph(const chip *c, unsigned tiles, tw_device **device)
{
    *device = tw_device_ipu_model_with(
        &(tw_ipu_model){ .size = sizeof(tw_ipu_model), .chip = c->chip, .tiles_per_ipu = tiles });
    tw_graph *g = tw_graph_new(tw_device_target(*device));
    tw_graph_add_codelets_source(g, codelets, "c++", "place.cpp", "-O1");
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    return g;
}

/* --- the checker ---------------------------------------------------------------------------------------------- */

static inline bool meet(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return a < d && c < b;
}

static inline uint64_t element_of(const chip *c, uint64_t address) /* 16 KB below, 32 KB in interleaved memory */
{
    return address < c->interleaved ? (address - c->base) / 16384 : 1000 + (address - c->interleaved) / 32768;
}

static inline bool alive_together(const tw__place_item *a, const tw__place_item *b)
{
    tw__place_life one, other;
    uint32_t a_count, b_count;
    const tw__place_life *x = tw__place_lives(a, &one, &a_count), *y = tw__place_lives(b, &other, &b_count);
    for (uint32_t i = 0; i < a_count; i++)
        for (uint32_t k = 0; k < b_count; k++)
            if (x[i].first <= y[k].last && y[k].first <= x[i].last) return true;
    return false;
}

static inline void check_items(const chip *c, const tw__placement *p)
{
    for (size_t i = 0; i < p->items.count; i++) {
        const tw__place_item *a = &p->items.items[i];
        uint64_t end = a->address + a->bytes;
        if (a->address % a->align || a->address < c->base || end > c->end) fail_msg("%s: bad address", a->name);
        if ((a->flags & TW__PLACE_INTERLEAVED) && a->address < c->interleaved)
            fail_msg("%s: not interleaved", a->name);
        if ((a->flags & TW__PLACE_EXECUTABLE) && end > c->interleaved) fail_msg("%s: not executable", a->name);
        if ((a->flags & TW__PLACE_OVERREAD) && end + 32 > c->end) fail_msg("%s: no margin", a->name);
        for (size_t k = 0; k < i; k++) {
            const tw__place_item *b = &p->items.items[k];
            if (a->tile == b->tile && a->bytes && b->bytes && alive_together(a, b) &&
                meet(a->address, end, b->address, b->address + b->bytes))
                fail_msg("'%s' and '%s' are alive together on tile %u", a->name, b->name, a->tile);
        }
    }
}

/* Data of a field: where it lies, as the values of the state say. */
static inline void check_data(const chip *c, const tw__field *field, uint32_t address, uint32_t count)
{
    static const unsigned sizes[] = { [TW_FLOAT] = 4, [TW_HALF] = 2, [TW_INT] = 4, [TW_CHAR] = 1 };
    if (!count) return;
    unsigned size = sizes[field->type], align = field->min_align > size ? field->min_align : size;
    uint64_t end = address + (uint64_t)count * size;
    if (address % (field->form == TW__EDGE_SCALARS ? size : align)) fail_msg("%s: alignment", field->name);
    if (address < c->base || end > c->end) fail_msg("%s: outside", field->name);
    if (field->interleaved && address < c->interleaved) fail_msg("%s: not interleaved", field->name);
    bool vector = field->form == TW__EDGE_VECTOR || field->form == TW__EDGE_VECTORS;
    if (vector && field->direction != TW__OUTPUT && end + 32 > c->end) fail_msg("%s: margin", field->name);
}

static inline void check_apart(const chip *c, const tw__placed_vertex *v)
{
    for (unsigned k = 0; k < v->type->num_constraints; k++) {
        const tw__constraint *rule = &v->type->placed_apart[k];
        const tw__state_value *a = &v->values[rule->a], *b = &v->values[rule->b];
        uint64_t a_end = a->address + a->count * tw_type_size(v->type->fields[rule->a].type) - 1,
                 b_end = b->address + b->count * tw_type_size(v->type->fields[rule->b].type) - 1;
        if (!a->count || !b->count) continue;
        if (rule->rule == TW__CONSTRAINT_ELEM && element_of(c, a->address) <= element_of(c, b_end) &&
            element_of(c, b->address) <= element_of(c, a_end))
            fail_msg("%s: 0x%x and 0x%x", rule->text, a->address, b->address);
        bool a_low = a->address < c->interleaved, b_low = b->address < c->interleaved;
        if (rule->rule == TW__CONSTRAINT_REGION &&
            (a_low == b_low || a_low != (a_end < c->interleaved) || b_low != (b_end < c->interleaved)))
            fail_msg("%s: 0x%x and 0x%x", rule->text, a->address, b->address);
    }
}

static inline uint32_t word_at(const uint8_t *at, unsigned bytes)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < bytes; i++) word |= (uint32_t)at[i] << 8 * i;
    return word;
}

/* The words of one-dimensional fields, from the bit positions of guide 4.2.1 and docs/decisions.md, M1. */
static inline void check_words(const chip *c, const tw__placed_vertex *v, const uint8_t *image)
{
    for (unsigned f = 0; f < v->type->num_fields; f++) {
        const tw__state_value *value = &v->values[f];
        const uint8_t *at = image + v->device->fields[f].offset;
        bool mk1 = c->chip == TW_MK1;
        if (v->type->fields[f].form == TW__EDGE_SCALAR) assert_int_equal(word_at(at, 4), value->address);
        if (v->type->fields[f].form != TW__EDGE_VECTOR || !value->count) continue;
        switch ((int)v->type->fields[f].layout[0]) {
        case TW__LAYOUT_SPAN:
            assert_int_equal(word_at(at, 4), value->address);
            assert_int_equal(word_at(at + 4, 4), value->count);
            break;
        case TW__LAYOUT_SHORT_SPAN:
            assert_int_equal(word_at(at, 4) & 0xFFFFF, value->address);
            assert_int_equal(word_at(at, 4) >> 21, value->count);
            break;
        case TW__LAYOUT_COMPACT_PTR:
            if (v->type->fields[f].min_align == 16)
                assert_int_equal(word_at(at, 2), value->address >> 4 & 0xFFFF);
            else if (mk1)
                assert_int_equal(word_at(at, 2), value->address >> 3 & 0xFFFF);
            else
                assert_int_equal(word_at(at, 4), value->address);
            break;
        default: break;
        }
    }
}

static inline void check_vertex(const chip *c, tw_engine *e, uint32_t vertex)
{
    tw__placed_vertex v;
    test_ok(tw__placed_vertex_get(e, vertex, &v));
    uint8_t image[256];
    assert_true(v.device->size <= sizeof image && v.address % v.device->align == 0);
    for (unsigned f = 0; f < v.type->num_fields; f++) {
        const tw__field *field = &v.type->fields[f];
        const tw__state_value *value = &v.values[f];
        if (field->form == TW__EDGE_SCALAR || field->form == TW__EDGE_VECTOR)
            check_data(c, field, value->address, value->count);
        for (uint32_t r = 0; r < value->row_count; r++)
            check_data(c, field, value->rows[r].address, value->rows[r].count);
    }
    check_apart(c, &v);
    tw_status status = tw__state_image(&e->target->arch, v.type, v.device, v.values, image);
    if (status) fail_msg("vertex %u: %s", vertex, tw_error_message());
    check_words(c, &v, image);
    /* an edge that lies in its variable points to its first element there, and nowhere else */
    for (uint32_t i = e->core->vertices[vertex].first_edge; i; i = e->core->edges[i].next) {
        const tw__edge *edge = &e->core->edges[i];
        const tw__placement *p = e->placement;
        if (!edge->count || edge->regions || (p->edge_place && p->edge_place[i])) continue;
        uint32_t tile;
        uint64_t first, last;
        test_ok(tw__placed_element(e, edge->var, edge->offset, &tile, &first));
        assert_int_equal(tile, v.tile);
        test_ok(tw__placed_element(e, edge->var, edge->offset + edge->count - 1, &tile, &last));
        assert_int_equal(last - first, (edge->count - 1) * tw_type_size(v.type->fields[edge->field].type));
        const tw__state_value *value = &v.values[edge->field];
        const uint32_t address = v.type->fields[edge->field].form == TW__EDGE_VECTORS ||
                                         v.type->fields[edge->field].form == TW__EDGE_SCALARS
                                     ? value->rows[edge->index].address
                                     : value->address;
        assert_int_equal(address, first);
    }
    tw__placed_vertex_clear(&v);
}

/* The report against the objects: categories, used bytes and reach of each tile, by marking every byte. */
static inline void check_report(const chip *c, tw_engine *e)
{
    const tw__placement *p = e->placement;
    const tw_profile *profile = tw_engine_profile(e);
    uint64_t sums[TW_STORAGE_COUNT] = { 0 }, by_tile[64];
    assert_true(p->tiles <= 64 && tw_profile_memory_by_tile(profile, by_tile));
    uint8_t *used = malloc(c->end - c->base);
    for (size_t i = 0; i < p->items.count; i++) sums[p->items.items[i].storage] += p->items.items[i].bytes;
    for (unsigned s = 0; s < TW_STORAGE_COUNT; s++) {
        tw_fidelity fidelity;
        assert_int_equal(tw_profile_memory(profile, tw_storage_key(s), &fidelity), sums[s]);
    }
    for (unsigned t = 0; t < p->tiles; t++) {
        uint64_t total = 0, reach = 0;
        memset(used, 0, c->end - c->base);
        for (size_t i = 0; i < p->items.count; i++) {
            const tw__place_item *item = &p->items.items[i];
            if (item->tile == t) memset(used + (item->address - c->base), 1, item->bytes);
        }
        for (uint64_t i = 0; i < c->end - c->base; i++)
            if (used[i]) total++, reach = i + 1;
        assert_int_equal(by_tile[t], total);
        assert_int_equal(p->by_tile[t].reach, reach);
    }
    free(used);
}

static inline tw_program fill(tw_graph *g, tw_tensor one, tw_tensor t)
{
    return tw_program_copy(g, tw_tensor_broadcast(g, one, (unsigned)tw_tensor_elements(g, t), 0), t);
}

#endif
