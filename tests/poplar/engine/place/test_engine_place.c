/* Placement of whole programs against an independent checker: objects alive together never share a byte, alignment,
 * regions, interleaving, over-read, constraints of vertices, and that every vertex state can be encoded at its
 * addresses. Facts of the chips (guide 7.2) and layouts (guide 4.2) are written out again here. */
#include "poplar/engine/engine_test.h"

#include "poplar/engine/account/account.h"

static uint64_t seed = 0x853C49E6748FEA9B;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 24) % below;
}

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

static tw_graph *new_graph(const chip *c, unsigned tiles, tw_device **device)
{
    *device = tw_device_ipu_model_with(&(tw_ipu_model){ .chip = c->chip, .tiles_per_ipu = tiles });
    tw_graph *g = tw_graph_new(tw_device_target(*device));
    tw_graph_add_codelets_source(g, codelets, "c++", "place.cpp", "-O1");
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    return g;
}

/* --- the checker ---------------------------------------------------------------------------------------------- */

static bool meet(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return a < d && c < b;
}

static uint64_t element_of(const chip *c, uint64_t address) /* 16 KB below, 32 KB in interleaved memory */
{
    return address < c->interleaved ? (address - c->base) / 16384 : 1000 + (address - c->interleaved) / 32768;
}

static bool alive_together(const tw__place_item *a, const tw__place_item *b)
{
    tw__place_life one, other;
    uint32_t a_count, b_count;
    const tw__place_life *x = tw__place_lives(a, &one, &a_count), *y = tw__place_lives(b, &other, &b_count);
    for (uint32_t i = 0; i < a_count; i++)
        for (uint32_t k = 0; k < b_count; k++)
            if (x[i].first <= y[k].last && y[k].first <= x[i].last) return true;
    return false;
}

static void check_items(const chip *c, const tw__placement *p)
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
static void check_data(const chip *c, const tw__field *field, uint32_t address, uint32_t count)
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

static void check_apart(const chip *c, const tw__placed_vertex *v)
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

static uint32_t word_at(const uint8_t *at, unsigned bytes)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < bytes; i++) word |= (uint32_t)at[i] << 8 * i;
    return word;
}

/* The words of one-dimensional fields, from the bit positions of guide 4.2.1 and docs/decisions.md, M1. */
static void check_words(const chip *c, const tw__placed_vertex *v, const uint8_t *image)
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

static void check_vertex(const chip *c, tw_engine *e, uint32_t vertex)
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
        const tw__placement *p = tw__engine_placement(e);
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
static void check_report(const chip *c, tw_engine *e)
{
    const tw__placement *p = tw__engine_placement(e);
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

/* --- random programs ------------------------------------------------------------------------------------------ */

enum { TILES = 12, VARIABLES = 12, SETS = 6, EACH = 10 };

/* Mapped in pieces to random tiles; `whole`: to one. */
static tw_tensor variable(tw_graph *g, tw_type type, size_t count, bool whole, uint32_t tile)
{
    tw_tensor t = tw_graph_add_variable(g, type, SHAPE(count), NULL);
    for (size_t at = 0, end; at < count; at = end) {
        end = whole ? count : at + 1 + draw((uint32_t)count);
        if (end > count) end = count;
        tw_graph_map(g, tw_tensor_slice(g, t, 0, at, end), whole ? tile : draw(TILES));
    }
    return t;
}

static tw_tensor part(tw_graph *g, tw_tensor t, size_t most)
{
    size_t count = tw_tensor_elements(g, t), n = 1 + draw((uint32_t)(count < most ? count : most));
    size_t at = draw((uint32_t)(count - n + 1));
    return tw_tensor_slice(g, t, 0, at, at + n);
}

static tw_tensor own(tw_graph *g, tw_type type, size_t count, uint32_t tile)
{
    bool here = draw(4) != 0;
    return variable(g, type, count, here, tile);
}

static tw_program random_set(tw_graph *g, const tw_tensor *vars, int set)
{
    char name[16];
    snprintf(name, sizeof name, "set%d", set);
    tw_compute_set cs = tw_graph_add_compute_set(g, name);
    for (int i = 0; i < EACH; i++) {
        uint32_t tile = draw(TILES);
        if (draw(2)) {
            size_t n = 1 + draw(40);
            tw_vertex v = tw_graph_add_vertex(g, cs, "Apart", tile);
            tw_graph_connect(g, v, "a", part(g, vars[draw(VARIABLES)], 50));
            tw_graph_connect(g, v, "b", own(g, TW_FLOAT, n, tile));
            tw_graph_connect(g, v, "c", own(g, TW_HALF, 1 + draw(60), tile));
            tw_graph_set_field_values(g, v, "n", TW_INT, 1, (int32_t[]){ 5 });
            continue;
        }
        tw_vertex v = tw_graph_add_vertex(g, cs, "Rows", tile);
        tw_tensor rows[3];
        for (int r = 0; r < 3; r++) rows[r] = part(g, vars[draw(VARIABLES)], 30);
        tw_graph_connect_list(g, v, "rows", 1 + draw(3), rows);
        tw_graph_connect_list(g, v, "list", 1 + draw(3), rows);
        tw_graph_connect(g, v, "ones", part(g, vars[draw(VARIABLES)], 5));
        tw_graph_connect(g, v, "wide", part(g, vars[draw(VARIABLES)], 60));
        tw_graph_connect(g, v, "fast", part(g, vars[draw(VARIABLES)], 60));
        tw_graph_set_field_values(g, v, "table", TW_INT, 3, (int32_t[]){ 1, 2, 3 });
        tw_graph_set_field_values(g, v, "tag", TW_CHAR, 1, (char[]){ 'x' });
        tw_graph_connect(g, v, "sum", own(g, TW_FLOAT, 1, tile));
    }
    return tw_program_execute(g, cs);
}

static void engine_place_random_programs(void **state)
{
    (void)state;
    for (int round = 0; round < 6; round++) {
        const chip *c = &chips[round % 2];
        tw_device *device;
        tw_graph *g = new_graph(c, TILES, &device);
        tw_tensor vars[VARIABLES];
        tw_program steps[2 * SETS];
        for (int i = 0; i < VARIABLES; i++)
            vars[i] = variable(g, TW_FLOAT, 20 + draw(600), i % 3 == 0, draw(TILES));
        for (int i = 0; i < SETS; i++) {
            steps[2 * i] = random_set(g, vars, i);
            tw_tensor from = vars[draw(VARIABLES)], to = vars[draw(VARIABLES)];
            size_t n = tw_tensor_elements(g, from) < tw_tensor_elements(g, to) ? tw_tensor_elements(g, from)
                                                                               : tw_tensor_elements(g, to);
            steps[2 * i + 1] = from.id == to.id ? tw_program_sequence(g, NULL)
                                                : tw_program_copy(g, tw_tensor_slice(g, from, 0, 0, n),
                                                                  tw_tensor_slice(g, to, 0, 0, n));
        }
        tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, 2 * SETS, steps), NULL);
        test_ok(tw_engine_load(e, device));
        check_report(c, e);
        check_items(c, tw__engine_placement(e));
        for (uint32_t v = 1; v < e->core->vertex_count; v++) check_vertex(c, e, v);
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

/* States of one group lie side by side, each at its own address, inside of their object. */
static void engine_place_3_2_vertex_states(void **state)
{
    (void)state;
    tw_device *device;
    tw_graph *g = new_graph(&chips[1], 4, &device);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(40), "x"),
              y = tw_graph_add_variable(g, TW_FLOAT, SHAPE(10), "y");
    tw_graph_map(g, x, 2), tw_graph_map(g, y, 2);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    tw_vertex v[10];
    for (size_t i = 0; i < 10; i++) {
        v[i] = tw_graph_add_vertex(g, cs, "Reads", 2);
        tw_graph_connect(g, v[i], "in", tw_tensor_slice(g, x, 0, 4 * i, 4 * i + 4));
        tw_graph_connect(g, v[i], "out", tw_tensor_index(g, y, i));
    }
    tw_engine *e = test_engine_new(g, device, tw_program_execute(g, cs), NULL);
    uint64_t previous = 0, x0, y0;
    uint32_t tile;
    test_ok(tw__placed_element(e, 0, 0, &tile, &x0));
    test_ok(tw__placed_element(e, 1, 0, &tile, &y0));
    for (size_t i = 0; i < 10; i++) {
        tw__placed_vertex p;
        test_ok(tw__placed_vertex_get(e, v[i].id, &p));
        assert_int_equal(p.device->size, 12); /* SPAN and a pointer */
        assert_int_equal(p.tile, 2);
        if (i) assert_int_equal(p.address - previous, 12);
        previous = p.address;
        assert_int_equal(p.values[0].address, x0 + 16 * i);
        assert_int_equal(p.values[0].count, 4);
        assert_int_equal(p.values[1].address, y0 + 4 * i);
        tw__placed_vertex_clear(&p);
    }
    tw__placed_vertex p;
    assert_int_equal(tw__placed_vertex_get(e, 0, &p), TW_E_INDEX);
    assert_int_equal(tw__placed_vertex_get(e, 11, &p), TW_E_INDEX);
    assert_int_equal(tw__placed_element(e, 0, 40, &tile, &x0), TW_E_INDEX);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* --- lives ---------------------------------------------------------------------------------------------------- */

/* Two variables of 200,000 bytes on a Mk1 tile of 262,144: one after the other they fit, together they do not. */
static void engine_place_8_2_3_lives(void **state)
{
    (void)state;
    for (int together = 0; together < 2; together++) {
        tw_device *device;
        tw_graph *g = new_graph(&chips[0], 2, &device);
        tw_tensor big[2], small = tw_graph_add_variable(g, TW_CHAR, SHAPE(1), "small");
        tw_graph_map(g, small, 1);
        for (int i = 0; i < 2; i++) {
            big[i] = tw_graph_add_variable(g, TW_CHAR, SHAPE(200000), i ? "second" : "first");
            tw_graph_map(g, big[i], 0);
        }
        tw_tensor one = tw_tensor_broadcast(g, tw_tensor_reshape(g, small, SHAPE(1)), 200000, 0);
        tw_program fill[2] = { tw_program_copy(g, one, big[0]), tw_program_copy(g, one, big[1]) };
        tw_program use[2] = { tw_program_copy(g, tw_tensor_slice(g, big[0], 0, 7, 8), small),
                              tw_program_copy(g, tw_tensor_slice(g, big[1], 0, 7, 8), small) };
        tw_program apart[] = { fill[0], use[0], fill[1], use[1] }, mixed[] = { fill[0], fill[1], use[0], use[1] };
        const char *strict[] = { "debug.allowOutOfMemory=false", NULL };
        tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, 4, together ? mixed : apart), strict);
        assert_int_equal(tw_engine_load(e, device), together ? TW_E_TILE_MEMORY : TW_OK);
        if (together) {
            const char *parts[] = { "tile 0 is out of memory", "of 262,144",
                                    "Variables 400,000 B ('first' 200,000 B)", "Stack 3,168 B" };
            for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) ASSERT_MESSAGE(parts[i]);
        } else {
            const tw__placement *p = tw__engine_placement(e);
            const tw__place_item *a = &p->items.items[p->var_first[1]], *b = &p->items.items[p->var_first[2]];
            assert_true(a->last < b->first &&
                        meet(a->address, a->address + 200000, b->address, b->address + 200000));
            assert_true(a->flags & TW__PLACE_OVERLAPPED);
            check_report(&chips[0], e);
            check_items(&chips[0], p);
            char *text = NULL; /* guide 8.2.3: counted once in the total, twice by data type */
            size_t size = 0;
            FILE *out = open_memstream(&text, &size);
            test_ok(tw_profile_print_graph_summary(tw_engine_profile(e), out, NULL));
            fclose(out);
            assert_non_null(strstr(text, "400,000 B"));
            assert_non_null(strstr(text, "Total After Overlapping:"));
            assert_non_null(strstr(text, "Including Gaps:"));
            assert_null(strstr(text, "absent: gaps"));
            assert_non_null(strstr(text, "0 tile(s) out of memory"));
            free(text);
        }
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

static tw_program fill(tw_graph *g, tw_tensor one, tw_tensor t)
{
    return tw_program_copy(g, tw_tensor_broadcast(g, one, (unsigned)tw_tensor_elements(g, t), 0), t);
}

/* Two variables of 200,000 bytes on a Mk1 tile of 262,144 that would not fit if they were alive from their first step
 * to their last: one is dead between two of its lives; one is written in two halves, which no step writes at once;
 * one has been sent to other tiles before the other comes back from there. `mixed`: the same with a value that is
 * needed once more, too late. */
static tw_program lives_with_holes(tw_graph *g, int row, bool mixed, tw_tensor small, const tw_tensor *big)
{
    tw_program take[2], p[8];
    unsigned n = 0;
    for (int i = 0; i < 2; i++) take[i] = tw_program_copy(g, tw_tensor_slice(g, big[i], 0, 199999, 200000), small);
    if (row == 0) {
        p[n++] = fill(g, small, big[0]), p[n++] = take[0], p[n++] = fill(g, small, big[1]), p[n++] = take[1];
        if (!mixed) p[n++] = fill(g, small, big[0]);
        p[n++] = take[0];
    } else if (row == 1) {
        p[n++] = fill(g, small, tw_tensor_slice(g, big[0], 0, 0, 100000));
        p[n++] = tw_program_sync(g, TW_SYNC_INTERNAL);
        p[n++] = fill(g, small, tw_tensor_slice(g, big[0], 0, mixed ? 100001 : 100000, 200000));
        p[n++] = tw_program_copy(g, tw_tensor_slice(g, big[0], 0, 100000, 100001), small);
        p[n++] = fill(g, small, big[1]), p[n++] = take[1];
    } else {
        tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
        for (unsigned i = 0; i < 4; i++) {
            tw_vertex v = tw_graph_add_vertex(g, cs, "Move", 1 + i);
            tw_graph_connect(g, v, "in", tw_tensor_slice(g, big[0], 0, 50000 * i, 50000 * i + 50000));
            tw_graph_connect(g, v, "out", tw_tensor_slice(g, big[1], 0, 50000 * i, 50000 * i + 50000));
        }
        p[n++] = fill(g, small, big[0]), p[n++] = tw_program_execute(g, cs);
        if (mixed) p[n++] = take[0];
        p[n++] = take[1];
    }
    return tw_program_repeat(g, 2, tw_program_sequence_of(g, n, p));
}

static void engine_place_8_2_3_holes(void **state)
{
    (void)state;
    const char *strict[] = { "debug.allowOutOfMemory=false", NULL };
    for (int row = 0; row < 6; row++) {
        bool mixed = row % 2;
        tw_device *device;
        tw_graph *g = new_graph(&chips[0], 5, &device);
        tw_tensor small = tw_graph_add_variable(g, TW_CHAR, SHAPE(1), "small"), big[2];
        tw_graph_map(g, small, 1);
        for (int i = 0; i < 2; i++) {
            big[i] = tw_graph_add_variable(g, TW_CHAR, SHAPE(200000), i ? "second" : "first");
            tw_graph_map(g, big[i], 0);
        }
        tw_engine *e = tw_engine_new(g, lives_with_holes(g, row / 2, mixed, small, big), strict);
        tw_status status = tw_engine_load(e, device);
        if (status != (mixed ? TW_E_TILE_MEMORY : TW_OK)) fail_msg("row %d: %s", row, tw_error_message());
        if (!mixed) check_items(&chips[0], tw__engine_placement(e));
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

/* docs/decisions.md, G4, guide 8.2.3: what fills a tile is what is alive when most bytes are, not all that ever
 * shares its addresses.
 * Seven variables of 100,000 bytes, each copied to the next: three at a time, the first always needed. */
static void engine_place_8_2_3_what_fills_a_tile(void **state)
{
    (void)state;
    tw_device *device;
    tw_graph *g = new_graph(&chips[0], 1, &device);
    tw_program copies[6];
    tw_tensor before = { 0 };
    for (int i = 0; i < 7; i++) {
        tw_tensor v = tw_graph_add_variable(g, TW_CHAR, SHAPE(100000), "v");
        tw_graph_map(g, v, 0);
        if (i) copies[i - 1] = tw_program_copy(g, before, v);
        before = v;
    }
    const char *strict[] = { "debug.allowOutOfMemory=false", NULL };
    tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, 6, copies), strict);
    assert_int_equal(tw_engine_load(e, device), TW_E_TILE_MEMORY);
    ASSERT_MESSAGE("Variables 300,000 B");
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* Guide 7.5: 64-bit accesses serve what is 8 bytes long and longer; what is shorter begins at a unit of atomic
 * stores. */
static void engine_place_7_5_alignment(void **state)
{
    (void)state;
    tw_device *device;
    tw_graph *g = new_graph(&chips[1], 1, &device);
    tw_program fills[20];
    tw_tensor one = tw_graph_add_variable(g, TW_CHAR, SHAPE(1), "one");
    tw_graph_map(g, one, 0);
    for (size_t n = 1; n <= 20; n++) {
        tw_tensor t = tw_graph_add_variable(g, TW_CHAR, SHAPE(n), "t");
        tw_graph_map(g, t, 0);
        fills[n - 1] = fill(g, one, t);
    }
    tw_engine *e = test_engine_new(g, device, tw_program_sequence_of(g, 20, fills), NULL);
    const tw__placement *p = tw__engine_placement(e);
    for (uint32_t n = 1; n <= 20; n++) {
        const tw__place_item *item = &p->items.items[p->var_first[n]];
        if (item->bytes != n || item->align != (n < 8 ? 4 : 8)) fail_msg("%u bytes: align %u", n, item->align);
    }
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* The bytes would fit, a limit does not let them: it is named, with its size. */
static void engine_place_4_1_4_limits_are_named(void **state)
{
    (void)state;
    const char *strict[] = { "debug.allowOutOfMemory=false", NULL };
    tw_device *device;
    tw_graph *g = new_graph(&chips[0], 1, &device);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(33000), "x");
    tw_graph_map(g, x, 0);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    tw_graph_connect(g, tw_graph_add_vertex(g, cs, "Fast", 0), "in", x);
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), strict);
    assert_int_equal(tw_engine_load(e, device), TW_E_TILE_MEMORY);
    ASSERT_MESSAGE("'x' has to lie in interleaved memory, which has 131,072 bytes; 132,000 bytes");
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* Tile 1 reads overlapping ranges of a variable on tile 0: one message buffer, at addresses as far apart as the data.
 * The buffers of the next step lie in the same place. What tile 1 writes for tile 0 has a buffer of its own; what is
 * not aligned as its field asks is put right by a copy. */
static void engine_place_buffers(void **state)
{
    (void)state;
    tw_device *device;
    tw_graph *g = new_graph(&chips[1], 2, &device);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(100), "x"),
              y = tw_graph_add_variable(g, TW_FLOAT, SHAPE(10), "y"),
              z = tw_graph_add_variable(g, TW_FLOAT, SHAPE(40), "z");
    tw_graph_map(g, x, 0), tw_graph_map(g, y, 0), tw_graph_map(g, z, 1);
    tw_compute_set sets[2] = { tw_graph_add_compute_set(g, "one"), tw_graph_add_compute_set(g, "two") };
    static const struct {
        int set;
        size_t begin, end;
    } rows[] = { { 0, 0, 4 }, { 0, 2, 6 }, { 0, 6, 8 }, { 0, 20, 30 }, { 1, 50, 90 } };
    tw_vertex v[5];
    for (size_t i = 0; i < 5; i++) {
        v[i] = tw_graph_add_vertex(g, sets[rows[i].set], "Reads", 1);
        tw_graph_connect(g, v[i], "in", tw_tensor_slice(g, x, 0, rows[i].begin, rows[i].end));
        tw_graph_connect(g, v[i], "out", tw_tensor_index(g, y, i));
    }
    tw_vertex odd = tw_graph_add_vertex(g, sets[1], "Rows", 1); /* 16 bytes asked for, 4 bytes off */
    tw_graph_connect_list(g, odd, "rows", 1, (tw_tensor[]){ tw_tensor_slice(g, z, 0, 8, 9) });
    tw_graph_connect_list(g, odd, "list", 1, (tw_tensor[]){ tw_tensor_slice(g, z, 0, 8, 9) });
    tw_graph_connect(g, odd, "ones", tw_tensor_slice(g, z, 0, 8, 10));
    tw_graph_connect(g, odd, "wide", tw_tensor_slice(g, z, 0, 1, 9));
    tw_graph_connect(g, odd, "fast", tw_tensor_slice(g, z, 0, 0, 4));
    tw_graph_set_field_values(g, odd, "table", TW_INT, 1, (int32_t[]){ 1 });
    tw_graph_connect(g, odd, "sum", tw_tensor_index(g, y, 9));
    tw_program steps[2] = { tw_program_execute(g, sets[0]), tw_program_execute(g, sets[1]) };
    tw_engine *e = test_engine_new(g, device, tw_program_sequence_of(g, 2, steps), NULL);
    uint32_t at[5];
    for (size_t i = 0; i < 5; i++) {
        tw__placed_vertex p;
        test_ok(tw__placed_vertex_get(e, v[i].id, &p));
        at[i] = p.values[0].address;
        tw__placed_vertex_clear(&p);
        check_vertex(&chips[1], e, v[i].id);
    }
    assert_int_equal(at[1] - at[0], 2 * 4);
    assert_int_equal(at[2] - at[0], 6 * 4); /* side by side */
    assert_true(!meet(at[3], at[3] + 40, at[0], at[0] + 32));
    assert_true(meet(at[4], at[4] + 160, at[0], at[0] + 32)); /* the steps do not need theirs together */
    check_vertex(&chips[1], e, odd.id);
    tw_fidelity fidelity;
    const tw_profile *profile = tw_engine_profile(e);
    assert_int_equal(tw_profile_memory(profile, "message", &fidelity), (8 + 10 + 40) * 4);
    assert_int_equal(tw_profile_memory(profile, "outputEdge", &fidelity), 4 * 4 + 2 * 4); /* y[0..3], y[4], y[9] */
    assert_int_equal(tw_profile_memory(profile, "rearrangement", &fidelity), 8 * 4);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    test_ok(tw_profile_print_graph_summary(profile, out, &(tw_profile_options){ .show_var_storage = true }));
    fclose(out);
    static const struct {
        const char *name;
        int bytes;
    } live[] = { { "<message:one>", 72 },
                 { "<message:two>", 160 },
                 { "<outputEdge:one>", 16 },
                 { "<outputEdge:two>", 8 },
                 { "<rearrangement:two>", 32 } };
    for (size_t i = 0; i < sizeof live / sizeof *live; i++) {
        const char *line = strstr(text, live[i].name);
        if (!line || atoi(line + strlen(live[i].name)) != live[i].bytes) fail_msg("%s in\n%s", live[i].name, text);
    }
    free(text);
    check_report(&chips[1], e);
    check_items(&chips[1], tw__engine_placement(e));
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* --- constraints ---------------------------------------------------------------------------------------------- */

static tw_status constrained(const chip *c, const char *type, size_t in, size_t out, int how)
{
    tw_device *device;
    tw_graph *g = new_graph(c, 2, &device);
    tw_type element = strcmp(type, "Regions") == 0 ? TW_CHAR : TW_FLOAT;
    tw_tensor t = tw_graph_add_variable(g, element, SHAPE(in + out), "pair"),
              s = tw_graph_add_variable(g, TW_FLOAT, SHAPE(1), "s");
    tw_graph_map(g, t, 1), tw_graph_map(g, s, 1);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs"), next = tw_graph_add_compute_set(g, "next");
    tw_vertex v = tw_graph_add_vertex(g, cs, type, 1);
    tw_graph_connect(g, v, "in", tw_tensor_slice(g, t, 0, 0, in));
    tw_graph_connect(g, v, "out",
                     how == 2 ? tw_tensor_slice(g, t, 0, 0, in) : tw_tensor_slice(g, t, 0, in, in + out));
    tw_program steps[2] = { tw_program_execute(g, cs), tw_program_execute(g, next) };
    if (how == 1) { /* another vertex reads across the place where the variable would have to be cut */
        tw_vertex w = tw_graph_add_vertex(g, next, "Reads", 1);
        tw_graph_connect(g, w, "in", t), tw_graph_connect(g, w, "out", tw_tensor_index(g, s, 0));
    }
    tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, 2, steps), NULL);
    tw_status status = tw_engine_load(e, device);
    if (!status) {
        check_report(c, e);
        check_items(c, tw__engine_placement(e));
        check_vertex(c, e, v.id);
    }
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    return status;
}

static void engine_place_3_2_2_constraints(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const chip *c = &chips[k];
        size_t low = c->interleaved - c->base, high = c->end - c->interleaved, most = low > high ? low : high;
        test_ok(constrained(c, "Elements", 100, 50, 0)); /* two parts of one variable are cut apart */
        test_ok(constrained(c, "Regions", 4096, 4096, 0));
        assert_int_equal(constrained(c, "Elements", 100, 50, 1), TW_E_ELEM_CONSTRAINTS);
        ASSERT_MESSAGE("\"elem(*in)!=elem(*out)\" cannot hold");
        ASSERT_MESSAGE("'in' and 'out'");
        ASSERT_MESSAGE("'pair'");
        assert_int_equal(constrained(c, "Elements", 100, 50, 2), TW_E_ELEM_CONSTRAINTS); /* the same data */
        /* each in a region of its own: up to the region's size, less the margin at the end of the memory */
        test_ok(constrained(c, "Regions", most - 4096, 8, 0));
        assert_int_equal(constrained(c, "Regions", most + 8, 8, 0), TW_E_ELEM_CONSTRAINTS);
        ASSERT_MESSAGE("tile 1: no place for");
        ASSERT_MESSAGE("Regions: region(*in)!=region(*out)");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_place_random_programs),   cmocka_unit_test(engine_place_3_2_vertex_states),
        cmocka_unit_test(engine_place_8_2_3_lives),       cmocka_unit_test(engine_place_8_2_3_what_fills_a_tile),
        cmocka_unit_test(engine_place_8_2_3_holes),       cmocka_unit_test(engine_place_4_1_4_limits_are_named),
        cmocka_unit_test(engine_place_7_5_alignment),     cmocka_unit_test(engine_place_buffers),
        cmocka_unit_test(engine_place_3_2_2_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
