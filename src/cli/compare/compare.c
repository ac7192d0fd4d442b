/* SPDX-License-Identifier: MIT */
/* `tilewright compare`: one kernel on several machines, as programs of their users would have it. */
#include "cli/compare/compare.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct request {
    GPtrArray *sizes; /* borrowed words */
    const char *on, *sources, *json, *report, *show;
    bool small, list;
} request;

#define AT(field) .at = offsetof(request, field)
static const tw__cli_option options[] = {
    { "--size", "N", AT(sizes), "elements, rows or samples (--list tells); several are possible",
      .take = tw__cli_add },
    { "--on", "NAMES", AT(on), "machines, apart by commas; default ipu-mk2,wse3,aie,a2a3" },
    { "--small", NULL, AT(small), "sizes for a test" },
    { "--list", NULL, AT(list), "kernels and machines" },
    { "--show", "MACHINE", AT(show), "the program of a kernel for a machine" },
    { "--report", "FILE.html", AT(report), "a page to look at" },
    { "--json", "FILE", AT(json), "the figures" },
    { "--sources", "FOLDER", AT(sources),
      "the kernels' programs, one folder each; default: those that come along" },
};

/* Beside the headers, installed or not. */
static char *own_sources(void)
{
    static const char *const places[] = { "../examples/compare", "../share/tilewright/compare" };
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        g_autofree char *path = g_build_filename(tw_include_dir(), places[i], NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR)) return g_canonicalize_filename(path, NULL);
    }
    return NULL;
}

static void list_all(void)
{
    puts("kernels:");
    for (size_t i = 0; i < tw__compare_kernel_count; i++) {
        const tw__compare_kernel *k = &tw__compare_kernels[i];
        printf("  %-9s %s; n %s, a multiple of %zu (%zu)\n", k->name, k->what, k->size, k->unit, k->usual);
    }
    puts("machines:");
    for (size_t i = 0; i < tw__compare_machine_count; i++)
        printf("  %-9s %s\n", tw__compare_machines[i].name, tw__compare_machines[i].program);
}

static int unknown_kernel(const char *word)
{
    const char *names[64];
    size_t count = 0;
    for (; count < tw__compare_kernel_count && count < G_N_ELEMENTS(names); count++)
        names[count] = tw__compare_kernels[count].name;
    return tw__cli_unknown("compare", "kernel", word, names, count);
}

static int unknown_machine(const char *word)
{
    const char *names[64];
    size_t count = 0;
    for (; count < tw__compare_machine_count && count < G_N_ELEMENTS(names); count++)
        names[count] = tw__compare_machines[count].name;
    return tw__cli_unknown("compare", "machine", word, names, count);
}

static int show(const request *r, char **kernels, const char *folder)
{
    const tw__compare_machine *machine = tw__compare_find_machine(r->show);
    if (!machine) return unknown_machine(r->show);
    for (char **k = kernels; *k; k++) {
        g_autofree char *programs = g_build_filename(folder, *k, NULL);
        g_autofree char *path = tw__compare_program(programs, machine);
        char *text = tw_read_file(path, TW_SOURCE_LIMIT, NULL);
        if (!text) return tw__cli_failure("compare");
        printf("%s%s", k == kernels ? "" : "\n", text);
        free(text);
    }
    return TW__EXIT_OK;
}

static int size_of(const tw__compare_kernel *kernel, const char *word, size_t *n)
{
    char *end;
    *n = strtoull(word, &end, 10);
    if (*end || *word == '-' || !*n || *n % kernel->unit || *n > kernel->usual * 1024)
        return tw__cli_usage_error("compare", "--size %s: %s takes multiples of %zu up to %zu", word, kernel->name,
                                   kernel->unit, kernel->usual * 1024);
    return TW__EXIT_OK;
}

/* On a terminal, what is running; a later line takes its place. */
static void tell_progress(const char *kernel, const char *machine)
{
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K%s%s%s", kernel, *kernel ? " on " : "", machine);
}

static int run_all(const request *r, char **kernels, const char *folder, GArray *rows)
{
    g_auto(GStrv) machines = g_strsplit(r->on, ",", -1);
    for (char **name = machines; *name; name++)
        if (!tw__compare_find_machine(*name)) return unknown_machine(*name);
    for (char **k = kernels; *k; k++) {
        const tw__compare_kernel *kernel = tw__compare_find_kernel(*k);
        g_autofree char *programs = g_build_filename(folder, *k, NULL);
        for (guint i = 0; i < MAX(r->sizes->len, 1); i++) {
            size_t n = r->small ? kernel->small : kernel->usual;
            int bad = r->sizes->len ? size_of(kernel, r->sizes->pdata[i], &n) : TW__EXIT_OK;
            if (bad) return bad;
            tw__compare_case c;
            tw__compare_fill(kernel, n, &c);
            bool good = true;
            for (char **name = machines; *name && good; name++) {
                tw__compare_row row;
                tell_progress(kernel->name, *name);
                good = tw__compare_run(programs, tw__compare_find_machine(*name), kernel, &c, &row);
                if (good) g_array_append_val(rows, row);
            }
            tw__compare_clear(&c);
            if (!good) return TW__EXIT_FAILURE;
        }
    }
    return TW__EXIT_OK;
}

static int write_files(const request *r, const tw__compare_row *rows, size_t count)
{
    const char *paths[] = { r->report, r->json };
    for (int i = 0; i < 2; i++) {
        if (!paths[i]) continue;
        tw_output *out = tw_output_open(paths[i], NULL, 0);
        if (!out) return tw__cli_failure("compare");
        json_t *figures = i ? tw__compare_json(rows, count) : NULL;
        if (i)
            json_dumpf(figures, tw_output_file(out), JSON_INDENT(1)), fputc('\n', tw_output_file(out));
        else
            tw__compare_page(rows, count, tw_output_file(out));
        json_decref(figures);
        tw_status status = tw_output_commit(out);
        tw_output_free(out);
        if (status) return tw__cli_failure("compare");
        tw__cli_tell_file(i ? "figures: " : "report: ", paths[i]);
    }
    return TW__EXIT_OK;
}

static void clear_row(gpointer row)
{
    tw__compare_row_clear(row);
}

static int compare_kernels(int argc, char **argv)
{
    g_autoptr(GPtrArray) sizes = g_ptr_array_new();
    request r = { .on = "ipu-mk2,wse3,aie,a2a3", .sizes = sizes };
    int bad = tw__cli_parse(&tw__command_compare, &r, &argc, argv);
    if (bad) return bad;
    if (r.list) return list_all(), TW__EXIT_OK;
    if (argc < 2) return tw__cli_usage_error("compare", "no kernel is named; --list shows them");
    for (int i = 1; i < argc; i++)
        if (!tw__compare_find_kernel(argv[i])) return unknown_kernel(argv[i]);
    g_autofree char *folder = r.sources ? g_canonicalize_filename(r.sources, NULL) : own_sources();
    if (!folder) return fprintf(stderr, "tilewright compare: its programs are not installed; give --sources\n"), 1;
    if (r.show) return show(&r, argv + 1, folder);
    bad = tw__cli_check_outputs("compare", (const char *[]){ r.report, r.json }, 2, NULL, 0);
    if (bad) return bad;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(tw__compare_row));
    g_array_set_clear_func(rows, clear_row);
    bad = run_all(&r, argv + 1, folder, rows);
    tell_progress("", "");
    if (bad) return bad;
    const tw__compare_row *list = (const tw__compare_row *)(const void *)rows->data;
    bool is_data = (r.report && strcmp(r.report, "-") == 0) || (r.json && strcmp(r.json, "-") == 0);
    if (!is_data) tw__compare_print(list, rows->len);
    bad = write_files(&r, list, rows->len);
    for (guint i = 0; i < rows->len; i++)
        if (list[i].problem && list[i].command) bad = TW__EXIT_FAILURE;
    return bad;
}

const tw__command tw__command_compare = {
    .name = "compare",
    .arguments = "KERNEL... [--size N] [--on MACHINES] [--report FILE.html]",
    .summary = "run one kernel on several machines and compare what it costs",
    .help = "Each machine has a program of its own, written as its users would; results are checked first.\n"
            "Exit status 1 when a program fails or its result is wrong.\n",
    .example = "tilewright compare axpy --small\n"
               "tilewright compare stencil --size 64 --on wse3,a2a3 --report stencil.html\n"
               "tilewright compare --list\n"
               "tilewright compare axpy --show wse3",
    .options = TW__CLI_ROWS(options),
    .words = "",
    .files = "",
    .main = compare_kernels,
};
