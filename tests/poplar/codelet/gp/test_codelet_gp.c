/* SPDX-License-Identifier: MIT */
/* .gp archives and the command line of popc: compile, load, merge, refuse what is damaged. */
#include "poplar/codelet/codelet_test.h"

#include <tilewright/poplar/popc.h>
#include <time.h>
#include <unistd.h>

#define CPP "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"

static const char one[] = CPP "#include \"shared.hpp\"\n"
                              "class One : public Vertex { public: Input<half> x; Output<half> y;\n"
                              "  bool compute() { *y = x + half(SHARED); return true; } };\n";
static const char two[] =
    CPP "class Two : public Vertex { public: InOut<Vector<int, VectorLayout::COMPACT_PTR, 8>> v;\n"
        "#ifdef VARIANT\n  int more;\n#endif\n"
        "  bool compute() { v[0] = N; return true; } };\n";

static char *path_of(const char *name)
{
    return g_build_filename(cache_folder, name, NULL);
}

static void write_text(const char *name, const char *text)
{
    g_autofree char *path = path_of(name);
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

/* Builds files of the test's folder, NULL at the end. */
static tw_status popc(const char *output, const char *flags, const char *targets, const char *const *names)
{
    g_autofree char *out = path_of(output);
    g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func(g_free);
    for (; *names; names++) g_ptr_array_add(inputs, path_of(*names));
    tw_popc_options options = { .size = sizeof options, .output = out, .flags = flags, .targets = targets };
    return tw_popc_build((const char *const *)inputs->pdata, inputs->len, &options, NULL);
}
#define FILES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void check_one(tw__codelets *set, int variant)
{
    const tw__vertex_type *vt = find(set, "One");
    float x32 = 2, y32 = 0;
    uint16_t x16 = tw_f32_to_f16(2, TW_ROUND_NEAREST_EVEN, 0), y16 = 0;
    char *v = new_state(vt);
    PUT(vt, v, "x", void *, variant ? (void *)&x16 : (void *)&x32);
    PUT(vt, v, "y", void *, variant ? (void *)&y16 : (void *)&y32);
    assert_int_equal(run(set, vt, v), 1);
    assert_true((variant ? tw_f16_to_f32(y16) : y32) == 7);
    free(v);
}

static void test_compile_and_merge(void **state)
{
    (void)state;
    write_text("shared.hpp", "#define SHARED 5\n");
    write_text("one.cpp", one);
    write_text("two.cpp", two);
    assert_int_equal(popc("one.gp", "-O3", NULL, FILES("one.cpp")), 0);
    assert_int_equal(popc("two.gp", "-DN=3", "cpu,mk1,ipu2", FILES("two.cpp")), 0);
    assert_int_equal(popc("lib.gp", NULL, NULL, FILES("one.gp", "two.gp")), 0);
    g_autofree char *lib = path_of("lib.gp");
    for (int variant = 0; variant < 2; variant++) {
        tw__codelets *set = tw__codelets_new((tw__half_variant)variant);
        if (tw__codelets_add_file(set, lib, TW__CODELET_AUTO, NULL, NULL) != TW_OK)
            fail_msg("%s", tw_error_message());
        assert_int_equal(tw__codelets_add_file(set, lib, TW__CODELET_OBJECT, NULL, NULL),
                         TW_OK); /* again: nothing */
        assert_int_equal(tw__codelets_count(set), 2);
        check_one(set, variant);
        const tw__vertex_type *vt = find(set, "Two");
        int data[1] = { 0 };
        char *v = new_state(vt);
        PUT(vt, v, "v", tw_host_span, data, 1);
        assert_int_equal(run(set, vt, v), 1);
        assert_int_equal(data[0], 3);
        free(v);
        const tw__device_vertex *mk1 = tw__codelets_device(set, vt, TW__ARCH_IPU1),
                                *mk2 = tw__codelets_device(set, vt, TW__ARCH_IPU2);
        assert_non_null(mk1);
        assert_non_null(mk2);
        assert_int_equal(mk1->size, 2);
        assert_int_equal(mk2->size, 4);
        assert_null(tw__codelets_device(set, vt, TW__ARCH_IPU21)); /* was not among its targets */
        assert_non_null(strstr(tw_error_message(), "compile it with that target too"));
        assert_non_null(tw__codelets_device(set, find(set, "One"), TW__ARCH_IPU21));
        tw__codelets_free(set);
    }
    /* The same vertex in a source and in an archive, and twice in a merge. */
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    g_autofree char *source = path_of("one.cpp"), *out = path_of("bad.gp"), *gp = path_of("one.gp");
    assert_int_equal(tw__codelets_add_file(set, source, TW__CODELET_AUTO, NULL, NULL), TW_OK);
    assert_int_equal(tw__codelets_add_file(set, gp, TW__CODELET_AUTO, NULL, NULL), TW_E_OBJECT_CREATION);
    tw__codelets_free(set);
    const char *files[] = { gp, lib };
    assert_int_equal(tw_popc_merge(files, 2, out), TW_E_OBJECT_CREATION);
    assert_non_null(strstr(tw_error_message(), "vertex 'One' is defined twice for cpu-"));
    assert_false(g_file_test(out, G_FILE_TEST_EXISTS));
}

/* Parts of one source for different targets, merged, are one codelet; named variants keep their own table. */
static void test_targets(void **state)
{
    (void)state;
    write_text("two.cpp", two);
    assert_int_equal(popc("cpu.gp", "-DN=1", "cpu", FILES("two.cpp")), 0);
    assert_int_equal(popc("ipu2.gp", "-DN=1", "[\"ipu2\"]", FILES("two.cpp")), 0);
    assert_int_equal(popc("variant.gp", "-DN=1",
                          "[{\"name\":\"ipu2:cpp\",\"arch\":\"ipu2\",\"compile-flags\":[\"-DVARIANT\"]}]",
                          FILES("two.cpp")),
                     0);
    assert_int_equal(popc("all.gp", NULL, NULL, FILES("cpu.gp", "ipu2.gp", "variant.gp")), 0);
    g_autofree char *all = path_of("all.gp"), *device = path_of("ipu2.gp"), *data = NULL;
    gsize size;
    assert_true(g_file_get_contents(all, &data, &size, NULL));
    tw__gp *gp = tw__gp_read(data, size);
    assert_non_null(gp);
    assert_int_equal(json_array_size(tw__gp_units(gp)), 3);
    json_t *table = tw__gp_table(gp, json_array_get(tw__gp_units(gp), 2), "ipu2:cpp");
    const json_t *vertex = json_array_get(json_object_get(table, "vertices"), 0);
    assert_int_equal(json_array_size(json_object_get(vertex, "fields")), 2);
    json_decref(table);
    tw__gp_free(gp);
    tw__codelets *set = tw__codelets_new(TW__HALF_F16);
    assert_int_equal(tw__codelets_add_file(set, all, TW__CODELET_AUTO, NULL, NULL), TW_OK);
    assert_non_null(tw__codelets_device(set, find(set, "Two"), TW__ARCH_IPU2));
    assert_non_null(tw__codelets_entry(set, find(set, "Two")));
    tw__codelets_free(set);
    /* For a chip alone: compiled for the host when it is loaded, in either form of half, with the flags it had. */
    for (int variant = 0; variant < 2; variant++) {
        set = tw__codelets_new((tw__half_variant)variant);
        assert_int_equal(tw__codelets_add_file(set, device, TW__CODELET_AUTO, NULL, NULL), TW_OK);
        assert_non_null(tw__codelets_entry(set, find(set, "Two")));
        assert_non_null(tw__codelets_device(set, find(set, "Two"), TW__ARCH_IPU2));
        tw__codelets_free(set);
    }
    write_text("header.h", "enum { FIELDS = 1 };\n");
    write_text("needs.cpp", "#include \"header.h\"\n#include <poplar/Vertex.hpp>\n"
                            "class Needs : public poplar::Vertex { public: int n[FIELDS];\n"
                            "bool compute() { return true; } };\n");
    assert_int_equal(popc("needs.gp", NULL, "ipu2", FILES("needs.cpp")), 0);
    g_autofree char *needs = path_of("needs.gp"), *header = path_of("header.h");
    remove(header);
    set = tw__codelets_new(TW__HALF_F16);
    assert_int_equal(tw__codelets_add_file(set, needs, TW__CODELET_AUTO, NULL, NULL), TW_E_COMPILATION);
    assert_non_null(
        strstr(tw_error_message(), "needs.gp holds no code for the host, and its source does not compile"));
    assert_non_null(strstr(tw_error_message(), "header.h"));
    tw__codelets_free(set);
}

static void test_damaged(void **state)
{
    (void)state;
    write_text("two.cpp", two);
    assert_int_equal(popc("whole.gp", "-DN=1", "cpu", FILES("two.cpp")), 0);
    g_autofree char *path = path_of("whole.gp"), *data = NULL, *broken = path_of("broken.gp");
    gsize size;
    assert_true(g_file_get_contents(path, &data, &size, NULL));
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    static const char *const texts[] = { "", "!<arch>\n", "not an archive", "!<arch>\nshort",
                                         "!<arch>\nmanifest/       0           0     0     100644  99999999  `\n" };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        assert_true(g_file_set_contents(broken, texts[i], -1, NULL));
        assert_int_equal(tw__codelets_add_file(set, broken, TW__CODELET_AUTO, NULL, NULL), TW_E_OBJECT_LOAD);
        assert_non_null(strstr(tw_error_message(), "broken.gp"));
    }
    for (gsize length = 0; length < size; length += 1 + length / 3) { /* cut off anywhere */
        assert_true(g_file_set_contents(broken, data, (gssize)length, NULL));
        assert_int_equal(tw__codelets_add_file(set, broken, TW__CODELET_AUTO, NULL, NULL), TW_E_OBJECT_LOAD);
    }
    assert_int_equal(tw__codelets_count(set), 0);
    tw__codelets_free(set);
}

/* A table that lies about offsets must not reach the engine. */
static void test_hostile_tables(void **state)
{
    (void)state;
    static const char base[] =
        "{\"vertices\":[{\"name\":\"A\",\"kind\":\"Vertex\",\"size\":16,\"align\":8,\"compute\":0,\"fields\":[%s],"
        "\"constraints\":[]}]}";
    static const struct {
        const char *field;
        bool good;
    } rows[] = {
#define F(dir, form, type, count, offset, size, layout)                              \
    "{\"name\":\"x\",\"direction\":\"" dir "\",\"form\":\"" form "\",\"type\":" type \
    ",\"min_align\":1,\"count\":" count ",\"offset\":" offset ",\"size\":" size ",\"layout\":[" layout "]}"
        { F("input", "edge_vector", "\"float\"", "1", "0", "16", "\"SPAN\""), true },
        { F("state", "state_plain", "\"float\"", "4", "0", "16", ""), true },
        { F("state", "state_plain", "\"float\"", "4", "4", "16", ""), false }, /* past the end */
        { F("state", "state_plain", "\"float\"", "5", "0", "16", ""), false }, /* count and size differ */
        { F("state", "state_plain", "\"float\"", "1", "-4", "4", ""), false },
        { F("state", "state_plain", "\"nonsense\"", "1", "0", "4", ""), false },
        { F("state", "state_plain", "null", "1", "0", "4", ""), false },
        { F("state", "edge_vector", "\"float\"", "1", "0", "16", "\"SPAN\""), false }, /* edge without direction */
        { F("input", "edge_vector", "\"float\"", "1", "0", "8", "\"SPAN\""), false },
        { F("input", "edge_vector", "\"float\"", "1", "0", "16", ""), false },
        { F("input", "edge_vector", "\"float\"", "1", "0", "16", "\"DELTAN\""), false },
        { F("input", "edge_vector", "\"float\"", "1", "0", "16", "\"SPAN\",\"SPAN\""), false },
        { F("input", "edge_vectors", "\"float\"", "1", "0", "16", "\"SPAN\""), false },
        { F("up", "edge_vector", "\"float\"", "1", "0", "16", "\"SPAN\""), false },
        { F("state", "state_opaque", "null", "1", "0", "16", ""), true },
        { F("state", "state_opaque", "null", "1", "8", "16", ""), false },
        { F("state", "state_plain", "\"int\"", "1", "0", "4", "") "," F("state", "state_plain", "\"int\"", "1", "4",
                                                                        "4", ""),
          false },
        { "7", false },
        { "{}", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strdup_printf(base, rows[i].field);
        json_t *table = json_loads(text, 0, NULL);
        assert_non_null(table);
        tw__arena *arena = tw__arena_new(0);
        GPtrArray *found = g_ptr_array_new();
        tw_status status = tw__table_read(arena, table, TW__HALF_FLOAT, "t", found);
        if (status != (rows[i].good ? TW_OK : TW_E_OBJECT_LOAD))
            fail_msg("row %zu: %d %s", i, status, tw_error_message());
        g_ptr_array_free(found, TRUE);
        tw__arena_free(arena);
        json_decref(table);
    }
}

static void test_build(void **state)
{
    (void)state;
    write_text("two.cpp", two);
    static const struct {
        const char *output, *flags, *targets, *input;
        tw_status status;
    } rows[] = {
        { "x.gp", NULL, NULL, "nothing.cpp", TW_E_FILE_LOAD },
        { "x.gp", "-DN=1", "ipu9", "two.cpp", TW_E_INVALID_ARGUMENT },
        { "x.gp", "-DN=1", "[{\"name\":\"x\"}]", "two.cpp", TW_E_INVALID_ARGUMENT },
        { "x.gp", "-DN=1", "[", "two.cpp", TW_E_INVALID_ARGUMENT },
        { "x.gp", "-DN=1 -o y", "cpu", "two.cpp", TW_E_INVALID_ARGUMENT },
        { "x.gp", NULL, "cpu", "two.cpp", TW_E_COMPILATION },            /* N is not defined */
        { "two.cpp", "-DN=1", "cpu", "two.cpp", TW_E_INVALID_ARGUMENT }, /* never over an input */
        { "no/folder/x.gp", "-DN=1", "cpu", "two.cpp", TW_E_IO },
        { "x.gp", "-D N=1 -U M -g -O0 -std=c++14 -Wall -Werror -fno-inline", "cpu", "two.cpp", TW_OK },
    };
    g_autofree char *gp = path_of("x.gp"), *source = path_of("two.cpp"), *text = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_status status = popc(rows[i].output, rows[i].flags, rows[i].targets, FILES(rows[i].input));
        if (status != rows[i].status) fail_msg("row %zu: %s, %s", i, tw_status_name(status), tw_error_message());
        if (g_file_test(gp, G_FILE_TEST_EXISTS) != (status == TW_OK)) fail_msg("row %zu: x.gp", i);
    }
    assert_true(g_file_get_contents(source, &text, NULL, NULL));
    assert_string_equal(text, two);
    tw_popc_options options = { .size = sizeof options, .flags = "-DN=1" };
    assert_int_equal(tw_popc_compile(source, &options, NULL), TW_E_INVALID_ARGUMENT);
    assert_string_equal(tw_popc_targets(), "cpu,ipu1,ipu2,ipu21");
    char *shown = tw_popc_translate(source, false, &options);
    assert_non_null(shown);
    assert_non_null(strstr(shown, "v[0] = 1"));
    free(shown);
    assert_int_equal(tw_popc_translate_file(source, true, &options), TW_E_INVALID_ARGUMENT); /* where to? */
    options.output = source; /* never over the input */
    assert_int_equal(tw_popc_translate_file(source, true, &options), TW_E_INVALID_ARGUMENT);
    g_autofree char *assembly = path_of("x.s"), *code = NULL;
    options.output = assembly;
    assert_int_equal(tw_popc_translate_file(source, true, &options), TW_OK);
    assert_true(g_file_get_contents(assembly, &code, NULL, NULL));
    assert_non_null(strstr(code, ".file"));
}

static void append_member(GString *file, const char *name, const char *text)
{
    g_autofree char *closed = g_strconcat(name, "/", NULL);
    g_string_append_printf(file, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n%s%s", closed, 0, 0, 0, "100644", strlen(text),
                           text, strlen(text) & 1 ? "\n" : "");
}

/* What the index says is as good as the table: without an index, and with one that a table does not keep to. */
static void codelet_gp_index(void **state)
{
    (void)state;
    write_text("shared.hpp", "#define SHARED 5\n");
    write_text("one.cpp", one);
    write_text("two.cpp", two);
    assert_int_equal(popc("one.gp", NULL, "cpu,ipu2", FILES("one.cpp")), 0);
    assert_int_equal(popc("both.gp", "-DN=3", NULL, FILES("one.gp", "two.cpp")), 0);
    g_autofree char *both = path_of("both.gp"), *changed = path_of("changed.gp"), *data = NULL;
    gsize size;
    assert_true(g_file_get_contents(both, &data, &size, NULL));
    tw__gp *open = tw__gp_open(both);
    assert_non_null(open);
    g_auto(GStrv) names = tw__gp_names(open, json_array_get(tw__gp_units(open), 1), "cpu-f16");
    assert_true(names && g_strv_length(names) == 1 && strcmp(names[0], "Two") == 0);
    tw__gp_free(open);
    enum { AS_IT_IS, NO_NAMES, NO_DIGEST, OTHER_TABLE, NO_TABLE, CUT };
    for (int what = AS_IT_IS; what <= CUT; what++) {
        tw__gp *gp = tw__gp_read(data, size);
        json_t *unit = json_array_get(tw__gp_units(gp), 1);
        const char *table = json_string_value(json_object_get(json_object_get(unit, "tables"), "cpu-float"));
        tw__gp_member *member = g_hash_table_lookup(gp->by_name, table);
        if (what == NO_NAMES) json_object_del(unit, "names");
        if (what == NO_DIGEST) json_object_del(gp->manifest, "digest");
        char *at = what == OTHER_TABLE ? g_strstr_len(member->data, (gssize)member->size, "Two") : NULL;
        if (what == OTHER_TABLE) memcpy(at, "Owt", 3);
        if (what == NO_TABLE) memset(member->data, ' ', member->size);
        GString *bytes = tw__gp_write(gp);
        tw__gp_free(gp);
        assert_true(g_file_set_contents(changed, bytes->str, (gssize)bytes->len, NULL));
        tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
        assert_int_equal(tw__codelets_add_file(set, changed, TW__CODELET_AUTO, NULL, NULL), TW_OK);
        assert_int_equal(tw__codelets_count(set), 2);
        assert_true(tw__codelets_has(set, "Two") && tw__codelets_has(set, "One"));
        if (what == CUT) assert_int_equal(truncate(changed, 100), 0); /* while it is open */
        const tw__vertex_type *vt = tw__codelets_find(set, "Two");
        assert_true((vt != NULL) == (what < OTHER_TABLE));
        if (!vt) {
            assert_non_null(tw_error_message());
            assert_true(tw__codelets_get(set, 1) == NULL);
        } else {
            assert_ptr_equal(tw__codelets_get(set, vt->index), vt);
            assert_ptr_equal(tw__codelets_demangle(set, vt->symbol), vt);
            assert_int_equal(vt->num_fields, 1);
            assert_non_null(tw__codelets_device(set, vt, TW__ARCH_IPU2));
            assert_non_null(tw__codelets_device(set, find(set, "One"), TW__ARCH_IPU2));
            check_one(set, 0);
        }
        tw__codelets_free(set);
        g_string_free(bytes, TRUE);
    }
}

/* Code of archives is for any CPU; what converts its halves is chosen for this one. All halves, and floats around
 * each rounding boundary, subnormals, overflow and NaN among them. */
static void codelet_gp_half(void **state)
{
    enum { HALVES = 1 << 16, FLOATS = 5 * HALVES };
    (void)state;
    write_text("convert.cpp", CPP
               "class Convert : public Vertex { public:\n"
               "  Input<Vector<half, VectorLayout::ONE_PTR>> h; Output<Vector<float, VectorLayout::ONE_PTR>> f;\n"
               "  Input<Vector<float, VectorLayout::ONE_PTR>> g; Output<Vector<half, VectorLayout::ONE_PTR>> k;\n"
               "  unsigned halves, floats;\n"
               "  bool compute() { for (unsigned i = 0; i < halves; i++) f[i] = h[i];\n"
               "    for (unsigned i = 0; i < floats; i++) k[i] = g[i]; return true; } };\n");
    assert_int_equal(popc("convert.gp", NULL, "cpu", FILES("convert.cpp")), 0);
    g_autofree char *gp = path_of("convert.gp");
    tw__codelets *set = tw__codelets_new(TW__HALF_F16);
    assert_int_equal(tw__codelets_add_file(set, gp, TW__CODELET_AUTO, NULL, NULL), TW_OK);
    const tw__vertex_type *vt = find(set, "Convert");
    g_autofree uint16_t *halves = g_new(uint16_t, HALVES), *rounded = g_new(uint16_t, FLOATS);
    g_autofree float *widened = g_new(float, HALVES), *floats = g_new(float, FLOATS);
    for (uint32_t i = 0; i < HALVES; i++) halves[i] = (uint16_t)i;
    for (uint32_t i = 0; i < FLOATS; i++) { /* a half, half way to the next one, and just beside both */
        static const uint32_t offsets[] = { 0, 1, 0xFFF, 0x1000, 0x1001 };
        float exact = tw_f16_to_f32((uint16_t)(i / 5));
        uint32_t bits;
        memcpy(&bits, &exact, sizeof bits);
        bits += offsets[i % 5];
        memcpy(&floats[i], &bits, sizeof bits);
    }
    char *v = new_state(vt);
    PUT(vt, v, "h", tw_host_span, halves, HALVES);
    PUT(vt, v, "f", tw_host_span, widened, HALVES);
    PUT(vt, v, "g", tw_host_span, floats, FLOATS);
    PUT(vt, v, "k", tw_host_span, rounded, FLOATS);
    PUT(vt, v, "halves", unsigned, HALVES);
    PUT(vt, v, "floats", unsigned, FLOATS);
    assert_int_equal(run(set, vt, v), 1);
    for (uint32_t i = 0; i < HALVES; i++) {
        float want = tw_f16_to_f32(halves[i]);
        if (memcmp(&want, &widened[i], sizeof want) != 0 && !(isnan(want) && isnan(widened[i])))
            fail_msg("half 0x%04x is %a, not %a", i, (double)want, (double)widened[i]);
    }
    for (uint32_t i = 0; i < FLOATS; i++) {
        uint16_t want = tw_f32_to_f16(floats[i], TW_ROUND_NEAREST_EVEN, 0);
        bool both_nan = isnan(floats[i]) && (rounded[i] & 0x7FFF) > 0x7C00;
        if (want != rounded[i] && !both_nan)
            fail_msg("%a is rounded to 0x%04x, not 0x%04x", (double)floats[i], rounded[i], want);
    }
    free(v);
    tw__codelets_free(set);
}

/* As many members and units as a file may have: found by name, not by search. */
static void codelet_gp_many_members(void **state)
{
    (void)state;
    enum { MEMBERS = 50000, UNITS = 200000 };
    GString *file = g_string_new("!<arch>\n"), *manifest = g_string_new("{\"tilewright_gp\": 1, \"units\": [");
    for (int i = 0; i < UNITS; i++)
        g_string_append_printf(manifest, "%s{\"source\": \"\", \"tables\": {\"t\": \"%d.x\"}, \"objects\": {}}",
                               i ? "," : "", MEMBERS - 1 - i % 10);
    g_string_append(manifest, "]}");
    for (int i = 0; i < MEMBERS; i++) {
        g_autofree char *name = g_strdup_printf("%d.x", i);
        append_member(file, name, "");
    }
    append_member(file, "manifest", manifest->str);
    clock_t start = clock();
    tw__gp *gp = tw__gp_read(file->str, file->len);
    assert_non_null(gp);
    assert_int_equal(json_array_size(tw__gp_units(gp)), UNITS);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
    tw__gp_free(gp);
    g_string_free(file, TRUE);
    g_string_free(manifest, TRUE);
}

/* One large member in very many units: merging would copy it for each of them. */
static void codelet_gp_repeated_member(void **state)
{
    (void)state;
    static const char *const units[] = {
        "{\"source\": \"\", \"tables\": {\"t\": \"0.x\"}, \"objects\": {}}",
        "{\"source\": \"\", \"tables\": {}, \"objects\": {\"o\": \"0.x\"}}",
        "{\"source\": \"\", \"text\": \"0.x\", \"tables\": {}, \"objects\": {}}",
        "{\"source\": \"\", \"headers\": [{\"path\": \"\", \"member\": \"0.x\"}], \"tables\": {}, \"objects\": {}}",
    };
    g_autofree char *large = g_strnfill(1000000, ' ');
    for (size_t u = 0; u < G_N_ELEMENTS(units); u++)
        for (int times = 1; times <= 100; times += 99) {
            GString *file = g_string_new("!<arch>\n"),
                    *manifest = g_string_new("{\"tilewright_gp\": 1, \"units\": [");
            for (int i = 0; i < times; i++) g_string_append_printf(manifest, "%s%s", i ? "," : "", units[u]);
            g_string_append(manifest, "]}");
            append_member(file, "0.x", large);
            append_member(file, "manifest", manifest->str);
            tw__gp *gp = tw__gp_read(file->str, file->len);
            assert_true((gp != NULL) == (times == 1));
            if (!gp) assert_non_null(strstr(tw_error_message(), "more than once"));
            tw__gp_free(gp);
            g_string_free(file, TRUE);
            g_string_free(manifest, TRUE);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_compile_and_merge),
                                        cmocka_unit_test(test_targets),
                                        cmocka_unit_test(test_damaged),
                                        cmocka_unit_test(test_hostile_tables),
                                        cmocka_unit_test(codelet_gp_index),
                                        cmocka_unit_test(codelet_gp_half),
                                        cmocka_unit_test(codelet_gp_many_members),
                                        cmocka_unit_test(codelet_gp_repeated_member),
                                        cmocka_unit_test(test_build) };
    return cmocka_run_group_tests_name("codelet_gp", tests, set_up_cache, tear_down_cache);
}
