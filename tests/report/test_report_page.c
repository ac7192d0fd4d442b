/* SPDX-License-Identifier: MIT */
/* The page that is written: the template's places are filled, nothing in a profile becomes markup, and the data comes
 * back as it went in (decoded here by zlib and jansson, which is what the page does in a browser). */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "report/report.h"

#include <math.h>

#define assert_near(a, b, epsilon) assert_true(fabs((double)(a) - (double)(b)) <= (epsilon))

#include <zlib.h>

static const char template[] =
    "<title><!--tilewright:title--></title>|<!--tilewright:summary-->|<!--tilewright:data-->|<!-- x -->";

static char *write_page(const tw_profile *a, const tw_profile *b, const tw_report_options *options)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(tw__report_write(template, sizeof template - 1, a, b, out, options), TW_OK);
    fclose(out);
    char *copy = g_strdup(text);
    free(text);
    return copy;
}

typedef struct decoded {
    unsigned char *bytes;
    json_t *head;
    const unsigned char *columns;
} decoded;

/* Each piece is base64 of its own, as the page decodes them. */
static guchar *unite(const char *text, gsize *size)
{
    char **pieces = g_strsplit(text, tw__report_joint, -1);
    GByteArray *all = g_byte_array_new();
    for (guint i = 0; pieces[i]; i++) {
        gsize n;
        guchar *part = g_base64_decode(pieces[i], &n);
        assert_int_equal(strlen(pieces[i]) % 4, 0);
        g_byte_array_append(all, part, (guint)n);
        g_free(part);
    }
    *size = all->len;
    g_strfreev(pieces);
    return g_byte_array_free(all, FALSE);
}

static decoded decode(const char *page)
{
    char **parts = g_strsplit(page, "|", -1);
    assert_int_equal(g_strv_length(parts), 4);
    gsize size;
    guchar *packed = unite(parts[2], &size);
    decoded d = { .bytes = g_malloc(64u << 20) };
    z_stream z = { .next_in = packed, .avail_in = (uInt)size, .next_out = d.bytes, .avail_out = 64u << 20 };
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    inflateEnd(&z);
    assert_memory_equal(d.bytes, "TWR1", 4);
    uint32_t length =
        (uint32_t)d.bytes[4] | (uint32_t)d.bytes[5] << 8 | (uint32_t)d.bytes[6] << 16 | (uint32_t)d.bytes[7] << 24;
    json_error_t error;
    d.head = json_loadb((char *)d.bytes + 8, length, 0, &error);
    if (!d.head) fail_msg("%s", error.text);
    d.columns = d.bytes + 8 + length;
    g_free(packed);
    g_strfreev(parts);
    return d;
}

static void drop(decoded *d)
{
    json_decref(d->head);
    g_free(d->bytes);
}

static double number(const decoded *d, const char *column, size_t i)
{
    json_t *entry = json_object_get(json_object_get(d->head, "columns"), column);
    assert_non_null(entry);
    const char *type = json_string_value(json_array_get(entry, 0));
    size_t at = (size_t)json_integer_value(json_array_get(entry, 1));
    assert_in_range(i, 0, (size_t)json_integer_value(json_array_get(entry, 2)) - 1);
    double wide;
    uint32_t narrow;
    if (!strcmp(type, "u8")) return d->columns[at + i];
    if (!strcmp(type, "u32")) return memcpy(&narrow, d->columns + at + 4 * i, 4), narrow;
    assert_string_equal(type, "f64");
    return memcpy(&wide, d->columns + at + 8 * i, 8), wide;
}

static size_t count(const decoded *d, const char *column)
{
    json_t *entry = json_object_get(json_object_get(d->head, "columns"), column);
    assert_non_null(entry);
    return (size_t)json_integer_value(json_array_get(entry, 2));
}

static char *text_at(const decoded *d, size_t i)
{
    size_t from = i ? (size_t)number(d, "a.namesEnds", i - 1) : 0, end = (size_t)number(d, "a.namesEnds", i);
    char *text = g_malloc0(end - from + 1);
    for (size_t k = from; k < end; k++) text[k - from] = (char)(unsigned char)number(d, "a.names", k);
    return text;
}

enum { TILES = 5 };

static tw_profile *make_on(const char *machine, const char *name, uint64_t cycles)
{
    tw_profile *p = tw__profile_new(&(tw__profile_target){ .type = machine,
                                                           .arch = "ipu2",
                                                           .ipus = 1,
                                                           .tiles_per_ipu = TILES,
                                                           .replicas = 1,
                                                           .bytes_per_tile = 4096,
                                                           .clock_hz = 1e9 });
    uint32_t set = tw__profile_add_compute_set(p, name), type = tw__profile_add_vertex_type(p, name, 8);
    tw__profile_add_vertices(p, set, type, 3);
    uint32_t program = tw__profile_add_program(p, TW_PROGRAM_ON_TILE_EXECUTE, name, TW__NONE, set, 0);
    const uint64_t by_tile[TILES] = { cycles, cycles - 1, 0, 7, cycles };
    tw__type_cycles part = {
        .vertex_type = type, .instances = 3, .cycles = 2 * cycles, .worst = cycles, .worst_tile = 4
    };
    uint32_t step = tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                                              .name = name,
                                                              .program = program,
                                                              .index = set,
                                                              .active = tw__profile_row(p, by_tile, TILES),
                                                              .types = &part,
                                                              .type_count = 1,
                                                              .fidelity = TW_FIDELITY_MODELLED });
    tw__profile_run_begin(p, "");
    tw__profile_range(p, step, 1, 10);
    tw__profile_run_end(p, 1);
    assert_int_equal(tw__profile_status(p), TW_OK);
    return p;
}

static tw_profile *make(const char *name, uint64_t cycles)
{
    return make_on("IPU_MODEL", name, cycles);
}

/* Of machines whose tiles have threads. */
static void test_threads(void **state)
{
    (void)state;
    static const char *const machines[] = { "IPU_MODEL", "WSE", "ASCEND_PTO", "AI_ENGINE" };
    for (size_t i = 0; i < G_N_ELEMENTS(machines); i++) {
        tw_profile *p = make_on(machines[i], "work", 100);
        char *page = write_page(p, NULL, NULL);
        if (!strstr(page, "Thread balance") != (i > 0)) fail_msg("%s: %s", machines[i], page);
        g_free(page);
        tw_profile_free(p);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    tw_profile *p = make("work", UINT64_C(5000000000)); /* more than 32 bits */
    char *page = write_page(p, NULL, NULL);
    decoded d = decode(page);
    assert_int_equal(json_array_size(json_object_get(d.head, "profiles")), 1);
    assert_int_equal(count(&d, "a.stepCycles"), 1);
    assert_near(number(&d, "a.stepCycles", 0), 5e9, 0);
    assert_near(number(&d, "a.stepExecutions", 0), 10, 0);
    assert_near(number(&d, "a.stepFidelity", 0), TW_FIDELITY_MODELLED, 0);
    assert_near(number(&d, "a.typeCycles", 0), 1e11, 0);
    assert_near(number(&d, "a.typeInstances", 0), 3, 0);
    assert_near(number(&d, "a.typeWorst", 0), 5e9, 0);
    assert_near(number(&d, "a.typeWorstTile", 0), 4, 0);
    assert_near(number(&d, "a.busy1", 0), 5e10, 0);
    assert_near(number(&d, "a.busy1", 2), 0, 0);
    assert_near(number(&d, "a.busy1", 3), 70, 0);
    size_t row = (size_t)number(&d, "a.stepActive", 0);
    assert_near(number(&d, "a.rowMax", row), 5e9, 0);
    assert_near(number(&d, "a.rowSecond", row), 5e9, 0);
    assert_near(number(&d, "a.rowMin", row), 0, 0);
    assert_near(number(&d, "a.rowWorst", row), 0, 0);
    char *name = text_at(&d, (size_t)number(&d, "a.stepName", 0));
    assert_string_equal(name, "work");
    g_free(name);
    json_t *totals = json_object_get(json_array_get(json_object_get(d.head, "profiles"), 0), "totals");
    assert_near(json_number_value(json_object_get(totals, "cycles")), 5e10, 0);
    drop(&d);
    g_free(page);
    tw_profile_free(p);
}

/* What would end the title, open a tag, turn the direction of text or be a million characters long. */
static void test_hostile(void **state)
{
    (void)state;
    static const char *const names[] = { "</title><script>alert(1)</script>",
                                         "\"'><img src=x onerror=alert(1)>",
                                         "\u202eevil",
                                         "<!--tilewright:data-->",
                                         "a\nb\x01",
                                         "&lt;" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        tw_profile *p = make(names[i], 100);
        tw__profile_set_fact(p, "program", names[i]);
        char *page = write_page(p, NULL, NULL), *body = strchr(strchr(page, '|') + 1, '|');
        *body = 0; /* title and summary */
        assert_null(strstr(page, "<script"));
        assert_null(strstr(page, "<img"));
        assert_null(strstr(page, "\xe2\x80\xae"));
        assert_null(strstr(page + 7, "</title><script"));
        assert_null(strstr(page, "<!--"));
        for (const char *c = page; *c; c++) assert_true((unsigned char)*c >= 0x20 || *c == '\n');
        if (i == 2) assert_non_null(strstr(page, "⟨U+202E⟩evil"));
        *body = '|';
        decoded d = decode(page);
        char *name = text_at(&d, (size_t)number(&d, "a.stepName", 0)); /* in the data it is what it was */
        assert_string_equal(name, names[i]);
        g_free(name);
        assert_null(strchr(strrchr(page, '|') - 1, '\x01'));
        drop(&d);
        g_free(page);
        tw_profile_free(p);
    }
    char *many = g_strnfill(1000000, 'n');
    tw_profile *p = make(many, 100);
    char *page = write_page(p, NULL, NULL);
    decoded d = decode(page);
    char *name = text_at(&d, (size_t)number(&d, "a.stepName", 0));
    assert_int_equal(strlen(name), 1000000);
    g_free(name), g_free(many);
    drop(&d);
    g_free(page);
    tw_profile_free(p);
}

/* Rows over the byte limit are left out and said; their sums stay. */
static void test_row_limit(void **state)
{
    (void)state;
    tw_profile *p = make("work", 100);
    char *page = write_page(p, NULL, &(tw_report_options){ .size = sizeof(tw_report_options), .row_bytes = 1 });
    decoded d = decode(page);
    json_t *head = json_array_get(json_object_get(d.head, "profiles"), 0);
    assert_int_equal(json_integer_value(json_object_get(head, "rowsLeftOut")), 1);
    size_t row = (size_t)number(&d, "a.stepActive", 0);
    assert_near(number(&d, "a.rowHeld", row), 0, 0);
    assert_near(number(&d, "a.rowSum", row), 306, 0);
    drop(&d);
    g_free(page);
    tw_profile_free(p);
}

static void test_comparison(void **state)
{
    (void)state;
    tw_profile *a = make("work", 100), *b = make("work", 150);
    char *page = write_page(
        a, b, &(tw_report_options){ .size = sizeof(tw_report_options), .name_a = "old", .name_b = "new" });
    decoded d = decode(page);
    assert_int_equal(json_array_size(json_object_get(d.head, "profiles")), 2);
    json_t *first = json_array_get(json_object_get(d.head, "diff"), 0);
    assert_near(json_number_value(json_object_get(first, "weight")), 1.0 / 3, 1e-9);
    assert_near(number(&d, "b.stepCycles", 0), 150, 0);
    drop(&d);
    g_free(page);
    tw_profile_free(a);
    tw_profile_free(b);
}

static void test_missing(void **state)
{
    (void)state;
    FILE *out = tmpfile();
    tw_profile *p = make("work", 100), *empty = make("work", 100);
    empty->has_graph = empty->has_execution = false;
    assert_int_equal(tw__report_write(NULL, 0, p, NULL, out, NULL), TW_E_NO_ENVIRONMENT);
    assert_non_null(strstr(tw_error_message(), "./dev setup"));
    assert_int_equal(tw__report_write(template, sizeof template - 1, empty, NULL, out, NULL), TW_E_MISSING_PROFILE);
    assert_int_equal(tw_profile_write_report(NULL, out, NULL), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_profile_write_comparison(p, NULL, out, NULL), TW_E_INVALID_ARGUMENT);
    fclose(out);
    tw_profile_free(p);
    tw_profile_free(empty);
}

/* Every allocation that can fail while a report is made: an error or the whole page, never a crash. GLib's own
 * allocations abort and are not counted. */
static void test_out_of_memory(void **state)
{
    (void)state;
    tw_profile *p = make("work", 100);
    bool done = false;
    for (unsigned long n = 1; !done && n < 200; n++) {
        FILE *out = tmpfile();
        tw__fail_allocation(n);
        tw_status status = tw__report_write(template, sizeof template - 1, p, NULL, out, NULL);
        done = tw__fail_allocation(0) != 0;
        assert_true(status == TW_OK || status == TW_E_NO_MEMORY);
        done |= status == TW_OK;
        fclose(out);
    }
    assert_true(done);
    tw_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_round_trip), cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_row_limit),     cmocka_unit_test(test_comparison), cmocka_unit_test(test_missing),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
