/* SPDX-License-Identifier: MIT */
/* The index of CSL programs: definitions, uses, types and values, of programs with and without errors. */
#include "csl/lang/compile.h"
#include "csl/lang/sema/sema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/csl.h>
// clang-format off
#include <cmocka.h>
// clang-format on

typedef struct source {
    const char *path, *text;
} source;

static const source *files; /* of the test that runs; ends with a NULL path */

static char *from_memory(void *user, const char *path, size_t *size)
{
    (void)user;
    for (const source *f = files; f->path; f++)
        if (!strcmp(f->path, path)) return *size = strlen(f->text), strdup(f->text);
    return NULL;
}

static const source program[] = {
    { "layout.csl", "param width: u16 = 2;\n"
                    "const sizes = .{ .rows = 3, .columns = 5 };\n"
                    "layout {\n"
                    "  @set_rectangle(width, 1);\n"
                    "  for (@range(u16, width)) |x| {\n"
                    "    @set_tile_code(x, 0, \"pe.csl\", .{ .count = x + 4 });\n"
                    "  }\n"
                    "}\n" },
    { "pe.csl", "param count: u16;\n"
                "const helper = @import_module(\"helper.csl\", .{ .factor = 3 });\n"
                "const point = struct { x: u16, y: f32 };\n"
                "var data = @zeros([count]f32);\n"
                "export var first: point = point{ .x = 1, .y = 2.0 };\n"
                "// Adds things.\n"
                "fn add(a: u16, b: u16) u16 {\n"
                "  const sum = a + b;\n"
                "  var again = sum;\n"
                "  again += helper.scale(sum);\n"
                "  return again + first.x;\n"
                "}\n"
                "task run() void { var r: u16 = add(1, count); data[r] = 1.0; }\n"
                "comptime { @bind_local_task(run, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }\n" },
    { "helper.csl", "param factor: u16;\n"
                    "fn scale(n: u16) u16 { return n * factor; }\n"
                    "fn unused(n: u16) u16 { return scale(n); }\n" },
    { NULL, NULL },
};

static tw_index *index_of(const source *list, const tw_csl_index_options *more, tw_diags *diags)
{
    tw_csl_index_options how = more ? *more : (tw_csl_index_options){ .size = sizeof how };
    how.open = from_memory;
    files = list;
    return tw_csl_index(list[0].path, NULL, &how, diags);
}

static uint32_t symbol_of(const tw_index *index, const char *file, const char *name)
{
    const tw_index_symbol *s;
    for (uint32_t i = 0; (s = tw_index_symbol_get(index, i)); i++)
        if (!strcmp(s->name, name) && !strcmp(tw_index_file(index, s->file), file)) return i;
    return TW_INDEX_NONE;
}

static const tw_index_symbol *find(const tw_index *index, const char *file, const char *name)
{
    const tw_index_symbol *s = tw_index_symbol_get(index, symbol_of(index, file, name));
    if (!s) fail_msg("%s: no symbol '%s'", file, name);
    return s;
}

static unsigned uses_of(const tw_index *index, const char *file, const char *name)
{
    uint32_t symbol = symbol_of(index, file, name);
    unsigned count = 0;
    const tw_index_use *u;
    for (size_t i = 0; (u = tw_index_use_get(index, i)); i++) count += u->symbol == symbol;
    return count;
}

static void types_and_values(void **state)
{
    (void)state;
    static const struct {
        const char *file, *name;
        tw_index_kind kind;
        const char *type, *value;
        unsigned uses;
    } rows[] = {
        { "layout.csl", "width", TW_INDEX_PARAM, "u16", "2", 2 },
        { "layout.csl", "x", TW_INDEX_CONSTANT, "u16", "0 | 1", 2 },
        { "pe.csl", "count", TW_INDEX_PARAM, "u16", "4 | 5", 3 }, /* the layout's .count is one */
        { "pe.csl", "helper", TW_INDEX_MODULE, "imported_module", "", 1 },
        { "pe.csl", "point", TW_INDEX_TYPE, "", "", 2 },
        { "pe.csl", "y", TW_INDEX_FIELD, "f32", "", 1 },
        { "pe.csl", "data", TW_INDEX_VARIABLE, "[4]f32 | [5]f32", "", 1 },
        { "pe.csl", "add", TW_INDEX_FUNCTION, "fn(a: u16, b: u16) u16", "", 1 },
        { "pe.csl", "sum", TW_INDEX_CONSTANT, "u16", "", 2 },
        { "pe.csl", "again", TW_INDEX_VARIABLE, "u16", "", 2 },
        { "pe.csl", "run", TW_INDEX_TASK, "task() void", "", 1 },
        { "helper.csl", "factor", TW_INDEX_PARAM, "u16", "3", 2 },
        { "helper.csl", "scale", TW_INDEX_FUNCTION, "fn(n: u16) u16", "", 2 },
    };
    tw_diags *diags = tw_diags_new();
    tw_index *index = index_of(program, NULL, diags);
    assert_non_null(index);
    if (tw_diags_count(diags, TW_NOTE)) fail_msg("%s", tw_diags_get(diags, 0)->message);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tw_index_symbol *s = find(index, rows[i].file, rows[i].name);
        unsigned uses = uses_of(index, rows[i].file, rows[i].name);
        if (s->kind != rows[i].kind || strcmp(s->type, rows[i].type) || strcmp(s->value, rows[i].value) ||
            uses != rows[i].uses)
            fail_msg("%s: kind %d, type '%s', value '%s', %u uses", rows[i].name, (int)s->kind, s->type, s->value,
                     uses);
    }
    assert_int_equal(find(index, "pe.csl", "first")->members, symbol_of(index, "pe.csl", "point"));
    assert_string_equal(find(index, "layout.csl", "sizes")->fields, "rows comptime_int\ncolumns comptime_int\n");
    assert_string_equal(find(index, "pe.csl", "helper")->path, "helper.csl");
    tw_index_free(index);
    tw_diags_free(diags);
}

static void places(void **state)
{
    (void)state;
    tw_index *index = index_of(program, NULL, NULL);
    const char *text = program[1].text;
    const tw_index_symbol *add = find(index, "pe.csl", "add"), *sum = find(index, "pe.csl", "sum");
    assert_int_equal(add->at, strstr(text, "add(a") - text);
    assert_int_equal(add->first, strstr(text, "fn add") - text);
    assert_int_equal(add->end, strstr(text, "}\ntask") + 1 - text);
    assert_int_equal(sum->parent, symbol_of(index, "pe.csl", "add"));
    assert_int_equal(sum->from, strstr(text, "sum = a") + strlen("sum = a + b;") - text);
    assert_int_equal(sum->until, add->end);
    assert_true(sum->inferred && !find(index, "pe.csl", "first")->inferred);
    unsigned writes = 0;
    const tw_index_use *u;
    for (size_t i = 0; (u = tw_index_use_get(index, i)); i++)
        writes += u->writes && u->symbol == symbol_of(index, "pe.csl", "again");
    assert_int_equal(writes, 1);
    tw_index_free(index);
}

/* What is typed now has an error: the rest of the file is there all the same. */
static void files_with_errors(void **state)
{
    (void)state;
    static const char *const endings[] = { "fn broken() void { const a = 1; a. }\nfn after() void { }\n",
                                           "const text = \"open\nfn broken() void { }\nfn after() void { }\n",
                                           "fn broken( void { }\nfn after() void { }\n",
                                           "const late = ;\nfn broken() void { x( }\nfn after() void { }\n" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char text[512];
        snprintf(text, sizeof text, "const early: u16 = 4;\n%s", endings[i]);
        const source one[] = { { "a.csl", text }, { NULL, NULL } };
        const tw_csl_index_options how = { .size = sizeof how, .syntax_only = true };
        tw_diags *diags = tw_diags_new();
        tw_index *index = index_of(one, &how, diags);
        assert_true(tw_diags_count(diags, TW_ERROR) > 0);
        find(index, "a.csl", "early");
        find(index, "a.csl", "after");
        tw_index_free(index);
        tw_diags_free(diags);
    }
}

static void first_program_alone(void **state)
{
    (void)state;
    const tw_csl_index_options how = { .size = sizeof how, .first_only = true };
    tw_index *index = index_of(program, &how, NULL);
    assert_string_equal(find(index, "pe.csl", "count")->value, "4");
    tw_index_free(index);
}

static bool at_once(void *user)
{
    ++*(unsigned *)user;
    return true;
}

static void cancelled(void **state)
{
    (void)state;
    static const source endless[] = {
        { "a.csl", "fn f() u32 { var n: u32 = 0; while (true) { n += 1; n -= 1; } return n; }\nconst a = f();\n"
                   "export var b: u32 = a;\n" },
        { NULL, NULL }
    };
    unsigned asked = 0;
    const tw_csl_index_options how = { .size = sizeof how, .cancelled = at_once, .user = &asked };
    tw_index *index = index_of(endless, &how, NULL);
    assert_non_null(index);
    assert_true(asked > 0);
    tw_index_free(index);
}

/* A param whose value comes out of a struct that is passed on cannot get another name there. */
static void params_bound_elsewhere(void **state)
{
    (void)state;
    static const source passed[] = { { "a.csl",
                                       "const all = .{ .n = 3 };\n"
                                       "const m = @import_module(\"b.csl\", all);\n"
                                       "const k = @import_module(\"c.csl\", @concat_structs(all, .{ .p = 1 }));\n"
                                       "export var v: u16 = m.n + k.p;\n" },
                                     { "b.csl", "param n: u16;\n" },
                                     { "c.csl", "param n: u16;\nparam p: u16;\n" },
                                     { NULL, NULL } };
    tw_index *index = index_of(passed, NULL, NULL);
    assert_true(find(index, "b.csl", "n")->bound_elsewhere);
    assert_true(find(index, "c.csl", "n")->bound_elsewhere);
    assert_false(find(index, "c.csl", "p")->bound_elsewhere);
    assert_int_equal(uses_of(index, "c.csl", "p"), 2);
    tw_index_free(index);
}

static void every_builtin_is_explained(void **state)
{
    (void)state;
    tw_csl_builtin b;
    for (const tw__csl_builtin_table *const *t = tw__csl_builtins; *t; t++)
        for (size_t i = 0; i < (*t)->count; i++) {
            bool found = false;
            for (size_t k = 0; !found && tw_csl_get_builtin(k, &b); k++)
                found = !strcmp(b.name + 1, (*t)->rows[i].name);
            if (!found) fail_msg("@%s has no row in builtins.def", (*t)->rows[i].name);
        }
    for (size_t k = 0; tw_csl_get_builtin(k, &b); k++) {
        assert_int_equal(strncmp(b.signature, b.name, strlen(b.name)), 0);
        assert_true(*b.doc && b.doc[strlen(b.doc) - 1] == '.');
    }
    assert_non_null(tw_csl_library_text(tw_csl_library_name(0)));
    assert_null(tw_csl_library_text("nothing/of/the/kind"));
    assert_string_equal(tw_csl_keyword(0), "align");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_and_values),
        cmocka_unit_test(places),
        cmocka_unit_test(files_with_errors),
        cmocka_unit_test(first_program_alone),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(params_bound_elsewhere),
        cmocka_unit_test(every_builtin_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
