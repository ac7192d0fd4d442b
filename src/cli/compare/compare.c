/* SPDX-License-Identifier: MIT */
/* `tilewright compare`: one kernel on several machines, as programs of their users would have it. */
#include "cli/compare/compare.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/progress.h>

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

/* The nearest of these names, or all of them, which are a NULL behind the last of them in `names`. */
static int unlisted_name(const char *what, const char *word, const char *const *names, size_t count)
{
    if (tw_nearest(word, names, count)) return tw__cli_unknown("compare", what, word, names, count);
    g_autofree char *all = g_strjoinv(", ", (char **)(void *)names);
    return tw__cli_usage_error("compare", "%s '%.80s': there are %s", what, word, all);
}

enum { MOST_NAMES = 64 };

static int unknown_kernel(const char *word)
{
    const char *names[MOST_NAMES + 1] = { NULL };
    size_t count = MIN(tw__compare_kernel_count, MOST_NAMES);
    for (size_t i = 0; i < count; i++) names[i] = tw__compare_kernels[i].name;
    if (g_str_has_suffix(word, ".json"))
        return tw__cli_usage_error("compare", "'%s' is no kernel; profiles stand with profiles only", word);
    return unlisted_name("there is no kernel", word, names, count);
}

static int unknown_machine(const char *word)
{
    const char *names[MOST_NAMES + 1] = { NULL };
    size_t count = MIN(tw__compare_machine_count, MOST_NAMES);
    for (size_t i = 0; i < count; i++) names[i] = tw__compare_machines[i].name;
    return unlisted_name("there is no machine", word, names, count);
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
    if (*end || *word == '-' || !*n || *n % kernel->unit || *n > kernel->most)
        return tw__cli_usage_error("compare", "--size %s: %s takes multiples of %zu up to %zu", word, kernel->name,
                                   kernel->unit, kernel->most);
    return TW__EXIT_OK;
}

/* Programs run side by side, as many as the host has processors; each has a folder, so none knows of another. */
typedef struct run {
    const char *folder; /* of all programs */
    const tw__compare_machine *machine;
    const tw__compare_kernel *kernel;
    tw__compare_case *c;
    tw__compare_row *row;
    bool *is_good;
    gint *done; /* of `all` */
    guint all;
} run;

static void run_one(gpointer item, gpointer user)
{
    (void)user;
    g_autofree run *r = item;
    g_autofree char *programs = g_build_filename(r->folder, r->kernel->name, NULL);
    g_autofree char *what = g_strdup_printf("%s on %s", r->kernel->name, r->machine->name);
    tw_progress_tell(what, "runs", (uint64_t)g_atomic_int_get(r->done), r->all);
    *r->is_good = tw__compare_run(programs, r->machine, r->kernel, r->c, r->row);
    tw_progress_tell(what, "runs", (uint64_t)g_atomic_int_add(r->done, 1) + 1, r->all);
}

static int run_all(const request *r, char **kernels, const char *folder, GArray *rows)
{
    g_auto(GStrv) machines = g_strsplit(r->on, ",", -1);
    gint done = 0;
    guint on = g_strv_length(machines), sizes = MAX(r->sizes->len, 1), count = g_strv_length(kernels) * sizes;
    if (!on) return tw__cli_usage_error("compare", "--on names no machine");
    for (char **name = machines; *name; name++)
        if (!tw__compare_find_machine(*name)) return unknown_machine(*name);
    g_autofree tw__compare_case *cases = g_new0(tw__compare_case, count);
    g_autofree bool *is_good = g_new0(bool, (gsize)count *on);
    g_autofree size_t *n = g_new(size_t, count);
    for (guint i = 0; i < count; i++) {
        const tw__compare_kernel *kernel = tw__compare_find_kernel(kernels[i / sizes]);
        n[i] = r->small ? kernel->small : kernel->usual;
        int bad = r->sizes->len ? size_of(kernel, r->sizes->pdata[i % sizes], &n[i]) : TW__EXIT_OK;
        if (bad) return bad;
    }
    g_array_set_size(rows, count * on);
    GThreadPool *pool = g_thread_pool_new(run_one, NULL, (gint)g_get_num_processors(), FALSE, NULL);
    for (guint i = 0; i < count * on; i++) {
        const tw__compare_kernel *kernel = tw__compare_find_kernel(kernels[i / on / sizes]);
        if (i % on == 0) tw__compare_fill(kernel, n[i / on], &cases[i / on]);
        run *one = g_new(run, 1);
        *one = (run){ .folder = folder,
                      .machine = tw__compare_find_machine(machines[i % on]),
                      .kernel = kernel,
                      .c = &cases[i / on],
                      .row = &g_array_index(rows, tw__compare_row, i),
                      .is_good = &is_good[i],
                      .done = &done,
                      .all = count * on };
        g_thread_pool_push(pool, one, NULL);
    }
    g_thread_pool_free(pool, FALSE, TRUE);
    int bad = TW__EXIT_OK;
    for (guint i = 0; i < count * on; i++)
        if (!is_good[i]) bad = TW__EXIT_FAILURE;
    for (guint i = 0; i < count; i++) tw__compare_clear(&cases[i]);
    tw_progress_end();
    return bad;
}

/* Profiles side by side. */
static int read_profiles(char **paths, GArray *rows)
{
    int bad = TW__EXIT_OK;
    for (; *paths; paths++) {
        tw__compare_row row;
        if (!tw__compare_own(*paths, &row)) bad = TW__EXIT_FAILURE;
        g_array_append_val(rows, row);
    }
    return bad;
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
    request r = { .sizes = sizes };
    int bad = tw__cli_parse(&tw__command_compare, &r, &argc, argv);
    if (bad) return bad;
    if (r.list) return list_all(), TW__EXIT_OK;
    if (r.small && sizes->len)
        return tw__cli_usage_error(
            "compare", "--small is a size of its own: it does not go with --size; leave one of them out");
    if (argc < 2) return tw__cli_usage_error("compare", "no kernel is named; --list shows them");
    bool is_own = g_str_has_suffix(argv[1], ".json");
    for (int i = 1; i < argc; i++) {
        if (is_own && !g_str_has_suffix(argv[i], ".json"))
            return tw__cli_usage_error("compare", "'%s' is no profile, and '%s' is one", argv[i], argv[1]);
        if (!is_own && !tw__compare_find_kernel(argv[i])) return unknown_kernel(argv[i]);
    }
    if (is_own && (r.sizes->len || r.small || r.show || r.sources || r.on))
        return tw__cli_usage_error("compare", "profiles have no sizes and no sources, and name their machines");
    if (!r.on) r.on = "ipu-mk2,wse3,aie,a2a3";
    g_autofree char *folder = is_own      ? g_strdup("")
                              : r.sources ? g_canonicalize_filename(r.sources, NULL)
                                          : own_sources();
    if (!folder) return fprintf(stderr, "tilewright compare: its programs are not installed; give --sources\n"), 1;
    if (r.sources && !g_file_test(folder, G_FILE_TEST_IS_DIR))
        return fprintf(stderr, "tilewright compare: --sources: there is no folder '%s'\n", r.sources), 1;
    if (r.show) return show(&r, argv + 1, folder);
    bad = tw__cli_check_outputs("compare", (const char *[]){ r.report, r.json }, 2,
                                is_own ? (const char *const *)argv + 1 : NULL, is_own ? (size_t)argc - 1 : 0);
    if (bad) return bad;
    g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(tw__compare_row));
    g_array_set_clear_func(rows, clear_row);
    bad = is_own ? read_profiles(argv + 1, rows) : run_all(&r, argv + 1, folder, rows);
    if (bad && !is_own) return bad;
    const tw__compare_row *list = (const tw__compare_row *)(const void *)rows->data;
    bool is_data = (r.report && strcmp(r.report, "-") == 0) || (r.json && strcmp(r.json, "-") == 0);
    if (!is_data) tw__compare_print(list, rows->len);
    int written = write_files(&r, list, rows->len);
    if (written) bad = written;
    for (guint i = 0; i < rows->len; i++)
        if (list[i].problem && list[i].command) bad = TW__EXIT_FAILURE;
    return bad;
}

const tw__command tw__command_compare = {
    .name = "compare",
    .arguments = "KERNEL...|PROFILE.json... [--size N] [--on MACHINES] [--report FILE.html]",
    .summary = "run one kernel on several machines and compare what it costs",
    .help = "Each machine has a program of its own, written as its users would; results are checked first.\n"
            "Profiles of one's own programs, of whatever machines, are put side by side in the same way.\n"
            "Exit status 1 when a program fails or its result is wrong.\n",
    .example =
        "tilewright compare axpy --small\n"
        "tilewright compare stencil --size 64 --on wse3,a2a3 --report stencil.html\n"
        "tilewright run --profile ipu.json examples/poplar/scale/scale_host.c\n"
        "tilewright csl run examples/csl/all_reduce/layout.csl --arch=wse3 --launch all_reduce --profile wse.json\n"
        "tilewright compare ipu.json wse.json\n"
        "tilewright compare --list\n"
        "tilewright compare axpy --show wse3",
    .options = TW__CLI_ROWS(options),
    .words = "axpy dot gemv gemm stencil fir softmax prefix histogram topk",
    .files = ".json",
    .main = compare_kernels,
};
