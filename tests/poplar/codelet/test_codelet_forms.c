/* SPDX-License-Identifier: MIT */
/* Every form of field in C++ and C: what the table says, where it lies on the host and on the chips, and that
 * compute() sees what the engine would write. Sizes on chips are those of guide 4.2 and Poplar API, vertex state,
 * written out by hand. */
#include "poplar/codelet/codelet_test.h"

static const char cpp_text[] =
    "#include <poplar/Vertex.hpp>\n"
    "#include <ipudef.h>\n"
    "using namespace poplar;\n"
    "namespace ns {\n"
    "enum class Op { ADD, MUL };\n"
    "struct Pair { int a; float b; };\n"
    "struct Common : public Vertex { const unsigned first; };\n" /* shared state, not a vertex itself */
    "template <class T, Op op, bool flag, int n> class All : public Common {\n"
    "    Input<T> i; Output<T> o; InOut<T> io;\n"
    "    Input<Vector<T>> vi;\n"
    "    Output<Vector<T, VectorLayout::ONE_PTR, 8>> vo;\n"
    "    InOut<Vector<T, VectorLayout::SHORT_SPAN, 16, true>> vio;\n"
    "    Input<Vector<T, VectorLayout::COMPACT_PTR, 4>> vc;\n"
    "    Vector<Input<Vector<T>>> vvi;\n"
    "    Vector<Output<Vector<T, VectorLayout::ONE_PTR>>, VectorLayout::ONE_PTR> vvo;\n"
    "    Vector<InOut<Vector<T, VectorLayout::SPAN, 8>>, VectorLayout::SPAN> vvio;\n"
    "    Input<VectorList<T, VectorListLayout::COMPACT_DELTAN>> li;\n"
    "    InOut<VectorList<T, VectorListLayout::DELTANELEMENTS, 8>> lio;\n"
    "    Vector<Input<T>> scalars;\n"
    "    Vector<unsigned, VectorLayout::ONE_PTR> table;\n"
    "    const unsigned u; const unsigned short us; const float f; const bool b; const half h;\n"
    "    short s[4]; signed char c; unsigned char uc; Op e; float4 v4; Pair pair; int m[2][3];\n"
    "public:\n"
    "    All();\n"
    "    static constexpr unsigned ignored = 3;\n"
    "    using Type = T;\n"
    "    bool compute() {\n"
    "        *o = i + T(1); *io += i;\n"
    "        vo[0] = vi[vi.size() - 1]; vio[vio.size() - 1] = vc[1];\n"
    "        vvo[1][0] = vvi[0][vvi[0].size() - 1]; vvio[vvio.size() - 1][0] = T(vvi.size());\n"
    "        for (unsigned r = 0; r < li.size(); ++r) for (auto x : li[r]) lio[0][r] += x;\n"
    "        vio[0] = *scalars[1];\n"
    "        return first == 5 && table[1] == 9 && u == 1 && us == 2 && f == 3.5f && b && float(h) == 0.5f && s[3] "
    "== 4 &&\n"
    "               c == -1 && uc == 255 && e == Op::MUL && v4[3] == 8.0f && pair.b == 1.25f && m[1][2] == 6 && op "
    "== Op::MUL\n"
    "               && flag && n == -3 && vo.data() == &vo[0] && vi.data() == vi.begin() && li[1].data() == "
    "&li[1][0]\n"
    "               && vvo[1].data() == &vvo[1][0] && table.data() == &table[0];\n"
    "    }\n"
    "#ifdef __IPU__\n"
    "    static_assert(sizeof(rptsize_t) == 2 && rptsize_t(-1) > 0, \"\");\n"
    "#endif\n"
    "};\n"
    "template class All<float, Op::MUL, true, -3>;\n"
    "template class All<half, Op::MUL, true, -3>;\n"
    "}\n";

typedef struct row {
    const char *name;
    tw__direction direction;
    tw__field_form form;
    const char *type; /* "T" = the vertex's */
    unsigned rank;
    tw__vector_layout outer, inner;
    unsigned align; /* with a T of 4 bytes */
    unsigned count;
    bool interleaved, list;
    size_t host_size;
    unsigned mk1, mk2; /* bytes on the chip, T = float */
} row;

// clang-format off
static const row rows[] = {
    { "first", TW__STATE, TW__STATE_PLAIN, "unsigned int", 0, 0, 0, 4, 1, 0, 0, 4, 4, 4 },
    { "i", TW__INPUT, TW__EDGE_SCALAR, "T", 0, 0, 0, 4, 1, 0, 0, 8, 4, 4 },
    { "o", TW__OUTPUT, TW__EDGE_SCALAR, "T", 0, 0, 0, 4, 1, 0, 0, 8, 4, 4 },
    { "io", TW__INOUT, TW__EDGE_SCALAR, "T", 0, 0, 0, 4, 1, 0, 0, 8, 4, 4 },
    { "vi", TW__INPUT, TW__EDGE_VECTOR, "T", 1, TW__LAYOUT_SPAN, 0, 4, 1, 0, 0, 16, 8, 8 },
    { "vo", TW__OUTPUT, TW__EDGE_VECTOR, "T", 1, TW__LAYOUT_ONE_PTR, 0, 8, 1, 0, 0, 16, 4, 4 },
    { "vio", TW__INOUT, TW__EDGE_VECTOR, "T", 1, TW__LAYOUT_SHORT_SPAN, 0, 16, 1, 1, 0, 16, 4, 4 },
    { "vc", TW__INPUT, TW__EDGE_VECTOR, "T", 1, TW__LAYOUT_COMPACT_PTR, 0, 4, 1, 0, 0, 16, 2, 4 },
    { "vvi", TW__INPUT, TW__EDGE_VECTORS, "T", 2, TW__LAYOUT_SPAN, TW__LAYOUT_SPAN, 4, 1, 0, 0, 16, 8, 8 },
    { "vvo", TW__OUTPUT, TW__EDGE_VECTORS, "T", 2, TW__LAYOUT_ONE_PTR, TW__LAYOUT_ONE_PTR, 4, 1, 0, 0, 16, 4, 4 },
    { "vvio", TW__INOUT, TW__EDGE_VECTORS, "T", 2, TW__LAYOUT_SPAN, TW__LAYOUT_SPAN, 8, 1, 0, 0, 16, 8, 8 },
    { "li", TW__INPUT, TW__EDGE_VECTORS, "T", 2, TW__LAYOUT_COMPACT_DELTAN, 0, 4, 1, 0, 1, 16, 8, 8 },
    { "lio", TW__INOUT, TW__EDGE_VECTORS, "T", 2, TW__LAYOUT_DELTANELEMENTS, 0, 8, 1, 0, 1, 16, 8, 8 },
    { "scalars", TW__INPUT, TW__EDGE_SCALARS, "T", 1, TW__LAYOUT_SPAN, 0, 4, 1, 0, 0, 16, 8, 8 },
    { "table", TW__STATE, TW__STATE_VECTOR, "unsigned int", 1, TW__LAYOUT_ONE_PTR, 0, 4, 1, 0, 0, 16, 4, 4 },
    { "u", TW__STATE, TW__STATE_PLAIN, "unsigned int", 0, 0, 0, 4, 1, 0, 0, 4, 4, 4 },
    { "us", TW__STATE, TW__STATE_PLAIN, "unsigned short", 0, 0, 0, 2, 1, 0, 0, 2, 2, 2 },
    { "f", TW__STATE, TW__STATE_PLAIN, "float", 0, 0, 0, 4, 1, 0, 0, 4, 4, 4 },
    { "b", TW__STATE, TW__STATE_PLAIN, "bool", 0, 0, 0, 1, 1, 0, 0, 1, 1, 1 },
    { "h", TW__STATE, TW__STATE_PLAIN, "half", 0, 0, 0, 2, 1, 0, 0, 0, 2, 2 },
    { "s", TW__STATE, TW__STATE_PLAIN, "short", 0, 0, 0, 2, 4, 0, 0, 8, 8, 8 },
    { "c", TW__STATE, TW__STATE_PLAIN, "char", 0, 0, 0, 1, 1, 0, 0, 1, 1, 1 },
    { "uc", TW__STATE, TW__STATE_PLAIN, "unsigned char", 0, 0, 0, 1, 1, 0, 0, 1, 1, 1 },
    { "e", TW__STATE, TW__STATE_PLAIN, "int", 0, 0, 0, 4, 1, 0, 0, 4, 4, 4 },
    { "v4", TW__STATE, TW__STATE_PLAIN, "float", 0, 0, 0, 4, 4, 0, 0, 16, 16, 16 },
    { "pair", TW__STATE, TW__STATE_OPAQUE, "", 0, 0, 0, 0, 1, 0, 0, 8, 8, 8 },
    { "m", TW__STATE, TW__STATE_PLAIN, "int", 0, 0, 0, 4, 6, 0, 0, 24, 24, 24 },
};
// clang-format on

static void check_table(const tw__codelets *set, const tw__vertex_type *vt, tw_type type, tw__half_variant variant)
{
    (void)set;
    assert_int_equal(vt->num_fields, G_N_ELEMENTS(rows));
    size_t half_size = variant == TW__HALF_F16 ? 2 : 4;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const row *r = &rows[i];
        const tw__field *f = &vt->fields[i];
        tw_type expected = strcmp(r->type, "T") == 0 ? type : *r->type ? tw_type_by_name(r->type) : TW_TYPE_NONE;
        size_t size = strcmp(r->name, "h") == 0 ? half_size : r->host_size;
        if (strcmp(f->name, r->name) != 0 || f->direction != r->direction || f->form != r->form ||
            f->type != expected || f->rank != r->rank || f->layout[0] != r->outer || f->layout[1] != r->inner ||
            f->count != r->count || f->interleaved != r->interleaved || f->is_list != r->list ||
            f->host_size != size)
            fail_msg("%s.%s (expected %s) is not as declared", vt->name, f->name, r->name);
        if (type == TW_FLOAT && f->form != TW__STATE_OPAQUE) assert_int_equal(f->min_align, r->align);
    }
}

static void check_chip(tw__codelets *set, const tw__vertex_type *vt, tw__arch arch)
{
    const tw__device_vertex *device = tw__codelets_device(set, vt, arch);
    if (!device) fail_msg("%s", tw_error_message());
    unsigned end = 0;
    for (unsigned i = 0; i < vt->num_fields; i++) {
        unsigned bytes = arch == TW__ARCH_IPU1 ? rows[i].mk1 : rows[i].mk2;
        if (device->fields[i].size != bytes)
            fail_msg("%s on %s takes %u bytes, expected %u", rows[i].name, tw__arch_name(arch),
                     device->fields[i].size, bytes);
        assert_true(device->fields[i].offset >= end); /* order of declaration */
        end = device->fields[i].offset + bytes;
    }
    assert_true(device->size >= end && device->size < end + device->align + 1);
    assert_int_equal(device->align, 8); /* float4 (docs/decisions.md, M5) */
    const tw__device_field *compact = &device->fields[7];
    assert_int_equal(compact->layout[0], arch == TW__ARCH_IPU1 ? TW__LAYOUT_SCALED_PTR32 : TW__LAYOUT_ONE_PTR);
    assert_int_equal(device->fields[11].layout[0],
                     arch == TW__ARCH_IPU1 ? TW__LAYOUT_DELTAN : TW__LAYOUT_DELTANELEMENTS);
}

static void run_float(tw__codelets *set, const tw__vertex_type *vt, tw__half_variant variant)
{
    char *v = new_state(vt);
    float i = 2, o = 0, io = 10, vi[3] = { 1, 2, 3 }, vo[1] = { 0 }, vio[4] = { 0 }, vc[2] = { 4, 5 };
    float r0[2] = { 6, 7 }, r1[1] = { 8 }, w0[1] = { 0 }, w1[1] = { 0 }, x0[1] = { 0 }, x1[1] = { 0 },
          sums[2] = { 0 };
    tw_host_span vvi[2] = { { r0, 2 }, { r1, 1 } }, vvo[2] = { { w0, 1 }, { w1, 1 } },
                 vvio[2] = { { x0, 1 }, { x1, 1 } };
    tw_host_span lio[1] = { { sums, 2 } };
    void *scalars[2] = { &vi[0], &vi[1] };
    uint32_t table[2] = { 0, 9 };
    PUT(vt, v, "first", unsigned, 5);
    PUT(vt, v, "i", void *, &i);
    PUT(vt, v, "o", void *, &o);
    PUT(vt, v, "io", void *, &io);
    PUT(vt, v, "vi", tw_host_span, vi, 3);
    PUT(vt, v, "vo", tw_host_span, vo, 1);
    PUT(vt, v, "vio", tw_host_span, vio, 4);
    PUT(vt, v, "vc", tw_host_span, vc, 2);
    PUT(vt, v, "vvi", tw_host_rows, vvi, 2);
    PUT(vt, v, "vvo", tw_host_rows, vvo, 2);
    PUT(vt, v, "vvio", tw_host_rows, vvio, 2);
    PUT(vt, v, "li", tw_host_rows, vvi, 2);
    PUT(vt, v, "lio", tw_host_rows, lio, 1);
    PUT(vt, v, "scalars", tw_host_edges, scalars, 2);
    PUT(vt, v, "table", tw_host_span, table, 2);
    PUT(vt, v, "u", unsigned, 1);
    PUT(vt, v, "us", unsigned short, 2);
    PUT(vt, v, "f", float, 3.5f);
    PUT(vt, v, "b", bool, true);
    if (variant == TW__HALF_F16)
        PUT(vt, v, "h", uint16_t, tw_f32_to_f16(0.5f, TW_ROUND_NEAREST_EVEN, 0));
    else
        PUT(vt, v, "h", float, 0.5f);
    typedef struct shorts {
        short s[4];
    } shorts;
    typedef struct floats {
        float s[4];
    } floats;
    typedef struct matrix {
        int m[2][3];
    } matrix;
    typedef struct pair {
        int a;
        float b;
    } pair;
    PUT(vt, v, "s", shorts, { 1, 2, 3, 4 });
    PUT(vt, v, "c", signed char, -1);
    PUT(vt, v, "uc", unsigned char, 255);
    PUT(vt, v, "e", int, 1);
    PUT(vt, v, "v4", floats, { 5, 6, 7, 8 });
    PUT(vt, v, "pair", pair, 1, 1.25f);
    PUT(vt, v, "m", matrix, { { 1, 2, 3 }, { 4, 5, 6 } });
    assert_int_equal(run(set, vt, v), 1);
    assert_true(o == 3 && io == 12 && vo[0] == 3 && vio[3] == 5 && w1[0] == 7 && x1[0] == 2 && vio[0] == 2);
    assert_true(sums[0] == 13 && sums[1] == 8);
    PUT(vt, v, "e", int, 0); /* any field that differs makes compute() say no */
    assert_int_equal(run(set, vt, v), 0);
    free(v);
}

static void test_cpp_forms(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; variant++) {
        tw__codelets *set = load_text((tw__half_variant)variant, cpp_text, false);
        assert_int_equal(tw__codelets_count(set), 2);
        const tw__vertex_type *vt = find(set, "ns::All<float, ns::Op::MUL, true, -3>");
        assert_string_equal(vt->name, "ns::All<float,ns::Op::MUL,true,-3>");
        check_table(set, vt, TW_FLOAT, (tw__half_variant)variant);
        run_float(set, vt, (tw__half_variant)variant);
        check_table(set, find(set, "ns::All<half,ns::Op::MUL,true,-3>"), TW_HALF, (tw__half_variant)variant);
        if (variant == TW__HALF_F16) {
            check_chip(set, vt, TW__ARCH_IPU1);
            check_chip(set, vt, TW__ARCH_IPU2);
        }
        assert_string_equal(tw__codelets_suggest(set, "ns::All<half,ns::Op::MUL,true,-2>"),
                            "ns::All<half,ns::Op::MUL,true,-3>");
        assert_string_equal(tw__vertex_suggest_field(vt, "scalar"), "scalars");
        tw__codelets_free(set);
    }
}

/* The twin in C. */
static const char c_text[] =
    "#include <tilewright/codelet.h>\n"
    "TW_VERTEX_AS(All_float, \"All<float>\") {\n"
    "    TW_CONSTRAINT(\"elem(*vi)!=elem(*vo)\");\n"
    "    TW_INPUT(float) i; TW_OUTPUT(half) o;\n"
    "    TW_INPUT(TW_VECTOR(float)) vi;\n"
    "    TW_OUTPUT(TW_VECTOR(float, ONE_PTR, 8, true)) vo;\n"
    "    TW_INPUT(TW_VECTOR(float, COMPACT_PTR, 4)) vc;\n"
    "    TW_INOUT(TW_VECTORS(float, SPAN, ONE_PTR, 8)) vv;\n"
    "    TW_INPUT(TW_VECTORLIST(float, DELTANELEMENTS)) li;\n"
    "    TW_OUTPUT(TW_VECTORLIST(float)) lo;\n"
    "    TW_INPUT(TW_SCALARS(float)) scalars;\n"
    "    TW_STATE_VECTOR(unsigned) table;\n"
    "    half h; half4 h4; short s[4]; bool b;\n"
    "};\n"
    "bool All_float_compute(All_float *v)\n"
    "{\n"
    "    *v->o = *v->i + 1;\n"
    "    *tw_at(v->vo, 0) = *tw_at(v->vi, tw_size(v->vi) - 1) + *tw_begin(v->vc);\n"
    "    for (const float *at = tw_begin(v->vi); at < tw_end(v->vi); at++) *tw_at(v->vo, 1) += *at;\n"
    "    *tw_at(tw_sub(v->vv, tw_rows(v->vv) - 1), 0) = 42;\n"
    "    for (unsigned r = 0; r < tw_rows(v->li); r++)\n"
    "        for (unsigned k = 0; k < tw_size(tw_sub(v->li, r)); k++) *tw_at(tw_sub(v->lo, 0), r) += "
    "*tw_at(tw_sub(v->li, r), k);\n"
    "    return *tw_sub(v->scalars, 1) == 2 && *tw_at(v->table, 1) == 9 && v->h == (half)0.5 && v->h4[3] == 4 && "
    "v->s[3] == 4 &&\n"
    "           v->b;\n"
    "}\n"
    "TW_MULTIVERTEX(Fill) { TW_OUTPUT(TW_VECTOR(int)) data; };\n"
    "void Fill_compute(Fill *v, unsigned worker)\n"
    "{\n"
    "    for (unsigned i = worker; i < tw_size(v->data); i += tw_num_workers()) *tw_at(v->data, i) = (int)worker;\n"
    "}\n";

// clang-format off
static const row c_rows[] = {
    { "i", TW__INPUT, TW__EDGE_SCALAR, "float", 0, 0, 0, 4, 1, 0, 0, 8, 4, 4 },
    { "o", TW__OUTPUT, TW__EDGE_SCALAR, "half", 0, 0, 0, 2, 1, 0, 0, 8, 4, 4 },
    { "vi", TW__INPUT, TW__EDGE_VECTOR, "float", 1, TW__LAYOUT_SPAN, 0, 4, 1, 0, 0, 16, 8, 8 },
    { "vo", TW__OUTPUT, TW__EDGE_VECTOR, "float", 1, TW__LAYOUT_ONE_PTR, 0, 8, 1, 1, 0, 16, 4, 4 },
    { "vc", TW__INPUT, TW__EDGE_VECTOR, "float", 1, TW__LAYOUT_COMPACT_PTR, 0, 4, 1, 0, 0, 16, 2, 4 },
    { "vv", TW__INOUT, TW__EDGE_VECTORS, "float", 2, TW__LAYOUT_SPAN, TW__LAYOUT_ONE_PTR, 8, 1, 0, 0, 16, 8, 8 },
    { "li", TW__INPUT, TW__EDGE_VECTORS, "float", 2, TW__LAYOUT_DELTANELEMENTS, 0, 4, 1, 0, 1, 16, 8, 8 },
    { "lo", TW__OUTPUT, TW__EDGE_VECTORS, "float", 2, TW__LAYOUT_COMPACT_DELTAN, 0, 4, 1, 0, 1, 16, 8, 8 },
    { "scalars", TW__INPUT, TW__EDGE_SCALARS, "float", 1, TW__LAYOUT_SPAN, 0, 4, 1, 0, 0, 16, 8, 8 },
    { "table", TW__STATE, TW__STATE_VECTOR, "unsigned int", 1, TW__LAYOUT_SPAN, 0, 4, 1, 0, 0, 16, 8, 8 },
    { "h", TW__STATE, TW__STATE_PLAIN, "half", 0, 0, 0, 2, 1, 0, 0, 0, 2, 2 },
    { "h4", TW__STATE, TW__STATE_PLAIN, "half", 0, 0, 0, 2, 4, 0, 0, 0, 8, 8 },
    { "s", TW__STATE, TW__STATE_PLAIN, "short", 0, 0, 0, 2, 4, 0, 0, 8, 8, 8 },
    { "b", TW__STATE, TW__STATE_PLAIN, "bool", 0, 0, 0, 1, 1, 0, 0, 1, 1, 1 },
};
// clang-format on

static void check_c_table(tw__codelets *set, const tw__vertex_type *vt, tw__half_variant variant)
{
    assert_int_equal(vt->num_fields, G_N_ELEMENTS(c_rows));
    for (size_t i = 0; i < G_N_ELEMENTS(c_rows); i++) {
        const row *r = &c_rows[i];
        const tw__field *f = &vt->fields[i];
        size_t size = r->host_size ? r->host_size : (variant == TW__HALF_F16 ? 2u : 4u) * r->count;
        if (strcmp(f->name, r->name) != 0 || f->direction != r->direction || f->form != r->form ||
            f->type != tw_type_by_name(r->type) || f->rank != r->rank || f->layout[0] != r->outer ||
            f->layout[1] != r->inner || f->count != r->count || f->interleaved != r->interleaved ||
            f->is_list != r->list || f->host_size != size || f->min_align != r->align)
            fail_msg("%s.%s is not as declared", vt->name, r->name);
    }
    assert_int_equal(vt->num_constraints, 1);
    assert_string_equal(vt->constraints[0], "elem(*vi)!=elem(*vo)");
    for (int arch = TW__ARCH_IPU1; arch <= TW__ARCH_IPU2; arch++) {
        const tw__device_vertex *device = tw__codelets_device(set, vt, (tw__arch)arch);
        if (!device) fail_msg("%s", tw_error_message());
        for (size_t i = 0; i < G_N_ELEMENTS(c_rows); i++)
            assert_int_equal(device->fields[i].size, arch == TW__ARCH_IPU1 ? c_rows[i].mk1 : c_rows[i].mk2);
    }
}

static void test_c_forms(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; variant++) {
        tw__codelets *set = load_text((tw__half_variant)variant, c_text, true);
        const tw__vertex_type *vt = find(set, "All<float>");
        assert_string_equal(vt->symbol, "__runCodelet_All___float");
        check_c_table(set, vt, (tw__half_variant)variant);
        char *v = new_state(vt);
        float i = 2, o32 = 0, vi[3] = { 1, 2, 3 }, vo[2] = { 0 }, vc[1] = { 10 }, row0[1] = { 0 },
              row1[2] = { 5, 6 }, sums[2] = { 0 };
        uint16_t o16 = 0, halves[5];
        float floats[5] = { 0.5f, 1, 2, 3, 4 };
        for (int k = 0; k < 5; k++) halves[k] = tw_f32_to_f16(floats[k], TW_ROUND_NEAREST_EVEN, 0);
        tw_host_span vv[2] = { { row1, 2 }, { row0, 1 } }, li[2] = { { vi, 3 }, { row1, 2 } },
                     lo[1] = { { sums, 2 } };
        void *scalars[2] = { &vi[0], &vi[1] };
        uint32_t table[2] = { 0, 9 };
        PUT(vt, v, "i", void *, &i);
        PUT(vt, v, "o", void *, variant ? (void *)&o16 : (void *)&o32);
        PUT(vt, v, "vi", tw_host_span, vi, 3);
        PUT(vt, v, "vo", tw_host_span, vo, 2);
        PUT(vt, v, "vc", tw_host_span, vc, 1);
        PUT(vt, v, "vv", tw_host_rows, vv, 2);
        PUT(vt, v, "li", tw_host_rows, li, 2);
        PUT(vt, v, "lo", tw_host_rows, lo, 1);
        PUT(vt, v, "scalars", tw_host_edges, scalars, 2);
        PUT(vt, v, "table", tw_host_span, table, 2);
        put(vt, v, "h", variant ? (void *)halves : (void *)floats, variant ? 2 : 4);
        put(vt, v, "h4", variant ? (void *)(halves + 1) : (void *)(floats + 1), variant ? 8 : 16);
        typedef struct shorts {
            short s[4];
        } shorts;
        PUT(vt, v, "s", shorts, { 1, 2, 3, 4 });
        PUT(vt, v, "b", bool, true);
        assert_int_equal(run(set, vt, v), 1);
        assert_true((variant ? tw_f16_to_f32(o16) : o32) == 3);
        assert_true(vo[0] == 13 && vo[1] == 6 && row0[0] == 42 && sums[0] == 6 && sums[1] == 11);
        free(v);

        vt = find(set, "Fill");
        assert_int_equal(vt->kind, TW__MULTIVERTEX);
        int data[7];
        v = new_state(vt);
        PUT(vt, v, "data", tw_host_span, data, 7);
        for (unsigned worker = 0; worker < 3; worker++) /* void compute counts as true */
            assert_int_equal(tw__codelets_entry(set, vt)(v, worker, 3), 1);
        for (int k = 0; k < 7; k++) assert_int_equal(data[k], k % 3);
        free(v);
        tw__codelets_free(set);
    }
}

/* Bases that depend on template parameters, and isExternalCodelet of each instantiation. */
static void test_dependent_bases(void **state)
{
    (void)state;
    static const char text[] = "#include <poplar/Vertex.hpp>\n"
                               "using namespace poplar;\n"
                               "namespace a { namespace b {\n"
                               "template <class T> class Holder : public Vertex { public: Input<T> in; T kept; };\n"
                               "template <class T, bool S> class V : public SupervisorVertexIf<S> {\n"
                               "  public: static const bool isExternalCodelet = S; Output<T> out; bool compute() { "
                               "*out = T(3); return true; } };\n"
                               "template class V<float, true>; template class V<int, false>;\n"
                               "template <class T> class D : public Holder<T> { public: Output<T> out; void "
                               "compute() { *out = this->in + this->kept; } };\n"
                               "} }\n"
                               "template class a::b::D<unsigned short>;\n";
    tw__codelets *set = load_text(TW__HALF_FLOAT, text, false);
    assert_int_equal(tw__codelets_count(set), 3);
    const tw__vertex_type *supervisor = find(set, "a::b::V<float,true>"), *worker = find(set, "a::b::V<int,false>");
    assert_int_equal(supervisor->kind, TW__SUPERVISOR);
    assert_true(supervisor->is_external);
    assert_int_equal(worker->kind, TW__VERTEX);
    assert_false(worker->is_external);
    const tw__vertex_type *vt = find(set, "a::b::D<unsigned short>");
    assert_string_equal(vt->symbol, "__runCodelet_a__b__D___unsigned_short");
    assert_int_equal(vt->num_fields, 3);
    assert_string_equal(vt->fields[0].name, "in");
    uint16_t in = 4, out = 0;
    char *v = new_state(vt);
    PUT(vt, v, "in", void *, &in);
    PUT(vt, v, "out", void *, &out);
    PUT(vt, v, "kept", uint16_t, 5);
    assert_int_equal(run(set, vt, v), 1); /* void compute() */
    assert_int_equal(out, 9);
    free(v);
    tw__codelets_free(set);
}

/* A class of the source that is called like FP8 is a class of the source. */
static void test_own_quarter(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "#include <poplar/Vertex.hpp>\nstruct quarter { int from, to; };\n"
        "class Q : public poplar::Vertex { public: quarter q; poplar::Output<int> out;\n"
        "  bool compute() { *out = q.to - q.from; return true; } };\n",
        "#include <tilewright/codelet.h>\nstruct quarter { int from, to; };\n"
        "TW_VERTEX(Q) { struct quarter q; TW_OUTPUT(int) out; };\n"
        "bool Q_compute(Q *v) { *v->out = v->q.to - v->q.from; return true; }\n"
    };
    for (int c = 0; c < 2; c++) {
        tw__codelets *set = load_text(TW__HALF_FLOAT, texts[c], c);
        const tw__vertex_type *vt = find(set, "Q");
        assert_int_equal(vt->num_fields, 2);
        assert_int_equal(vt->fields[0].form, TW__STATE_OPAQUE);
        typedef struct range {
            int from, to;
        } range;
        char *v = new_state(vt);
        int out = 0;
        PUT(vt, v, "q", range, 3, 10);
        PUT(vt, v, "out", void *, &out);
        assert_int_equal(run(set, vt, v), 1);
        assert_int_equal(out, 7);
        free(v);
        if (!tw__codelets_device(set, vt, TW__ARCH_IPU2)) fail_msg("%s", tw_error_message());
        tw__codelets_free(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cpp_forms), cmocka_unit_test(test_c_forms),
                                        cmocka_unit_test(test_dependent_bases),
                                        cmocka_unit_test(test_own_quarter) };
    return cmocka_run_group_tests_name("codelet_forms", tests, set_up_cache, tear_down_cache);
}
