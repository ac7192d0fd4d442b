/* SPDX-License-Identifier: MIT */
/* `tilewright csl run` and `csl debug`: their options, a run of a program, what is written behind it. */
#include "cli/csl/csl_debug.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar.h>
#include <tilewright/tile.h>

static bool silent; /* a debugger has ended the run: nobody wants to hear of it */

static const tw_wse *shared; /* by all ranks: what goes wrong in it rank 0 tells */

void tw__csl_be_silent(bool on)
{
    silent = on;
}

int tw__csl_failed(void)
{
    fflush(stdout);
    if (silent || (tw_world_rank() && shared && tw_wse_status(shared) != TW_OK)) return TW__EXIT_FAILURE;
    g_autofree char *who = tw_world_rank() ? g_strdup_printf("[rank %u] ", tw_world_rank()) : g_strdup("");
    return tw__cli_failure_of(who, "csl");
}

int tw__csl_refused(void)
{
    unsigned ranks = shared && tw_wse_status(shared) != TW_OK ? 1 : tw_world_alike(tw_error_message());
    if (ranks < 2) return tw__csl_failed();
    fflush(stdout);
    if (tw_world_rank()) return TW__EXIT_FAILURE;
    g_autofree char *who = g_strdup_printf("[ranks 0 to %u] ", ranks - 1);
    return tw__cli_failure_of(who, "csl");
}

int tw__csl_misused(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    return tw_world_alike(text) > 1 && tw_world_rank() ? TW__EXIT_USAGE : tw__cli_usage_error("csl", "%s", text);
}

tw_csl_program *tw__csl_open(tw__csl_request *r, const char *name)
{
    tw_csl_program *program = NULL;
    if (g_str_has_suffix(name, ".csl") || strcmp(name, "-") == 0)
        return tw__csl_request_compile(r, "tilewright csl", name);
    if (g_file_test(name, G_FILE_TEST_IS_REGULAR)) {
        tw_error_set(TW_E_INVALID_ARGUMENT, "'%s' is neither a layout (.csl) nor a folder that cslc wrote", name);
        tw__csl_refused();
        return NULL;
    }
    if (!(program = tw_csl_load(name))) {
        g_autofree char *layout = g_build_filename(name, "layout.csl", NULL);
        tw__csl_refused();
        if (!tw_world_rank() && g_file_test(layout, G_FILE_TEST_IS_REGULAR))
            fprintf(stderr, "tilewright csl: there is a layout in it; did you mean '%s'?\n", layout);
    }
    return program;
}

/* --- run ------------------------------------------------------------------------------------------------------ */

static int take_action(void *into, const tw__cli_given *g)
{
    GPtrArray *actions = *TW__CLI_AT(GPtrArray *, into, g);
    g_ptr_array_add(actions, (char *)g->option->name);
    g_ptr_array_add(actions, g->value ? g->value : g->word);
    return TW__EXIT_OK;
}

static int take_number(void *into, const tw__cli_given *g)
{
    char *end;
    uint64_t *number = TW__CLI_AT(uint64_t, into, g);
    errno = 0;
    *number = strtoull(g->value, &end, 10);
    return tw__cli_good(*g->value && *g->value != '-' && !*end && errno == 0 && *number <= g->option->most);
}

static int take_launch(void *into, const tw__cli_given *g)
{
    if (!g->value || !*g->value) return tw__cli_usage_error("csl", "'%s' needs a value", g->word);
    *TW__CLI_AT(const char *, into, g) = g->value;
    return TW__EXIT_OK;
}

#define AT(field)           .at = offsetof(tw__csl_settings, field)
#define ACTION(name, value) { name, value, AT(actions), .take = take_action }

const tw__cli_option tw__csl_run_rows[TW__CSL_RUN_ROWS] = {
    ACTION("--in", "NAME=FILE.npy"),
    ACTION("--out", "NAME=FILE.npy"),
    ACTION("--launch", "FUNCTION"),
    ACTION("--send", "COLOR=FILE.npy"),
    ACTION("--receive", "COLOR:N=FILE.npy"),
    ACTION("--nowait", NULL),
    { "--stats", AT(stats) },
    { "--trace", "FILE.json", AT(trace) },
    { "--profile", "FILE.json", AT(profile) },
    { "--report", "FILE.html", AT(report) },
    { "--memory", "FILE", AT(memory) },
    { "--check", "report, error, strict or off", AT(options.check), .take = tw__cli_choose },
    { "--max-cycles", "N", AT(options.max_cycles), .take = take_number, .wanted = "a number", .most = UINT64_MAX },
    { "--threads", "N", AT(threads), .take = take_number, .wanted = "0 to 1024", .most = 1024 },
    { "--order-seed", "N", AT(options.task_order_seed), .take = take_number, .wanted = "a number",
      .most = UINT64_MAX },
    { "--save-at", "CYCLE[,CYCLE...]", AT(saves), .take = tw__csl_take_save_at,
      .wanted = "cycles above 0, 64 at most" },
    { "--save-every", "CYCLES[,KEEP]", AT(saves), .take = tw__csl_take_save_every,
      .wanted = "a number of cycles, and of files to keep" },
    { "--save", "FILE", AT(saves.path) },
    { "--resume", "FILE", AT(saves.resume) },
    { "-n", "RANKS", AT(launch.ranks), .form = TW__CLI_APART | TW__CLI_MAY_LACK, .take = take_launch },
    { "--hosts", "A,B", AT(launch.hosts), .form = TW__CLI_APART | TW__CLI_MAY_LACK, .take = take_launch },
    { "--all-output", AT(launch.all_output) },
};

const char *tw__csl_output(const char *path)
{
    return tw_world_rank() ? "/dev/null" : path;
}

/* The memory of all PEs at the end, row by row from the west. */
static int write_memory(tw__csl_run *r, const char *path)
{
    enum { BYTES = 48 << 10 };
    static unsigned char bytes[BYTES];
    tw_output *out = tw_output_open(tw__csl_output(path), NULL, 0);
    if (!out) return tw__csl_failed();
    tw_status status = TW_OK;
    for (unsigned y = 0; y < r->info.height && status == TW_OK; y++)
        for (unsigned x = 0; x < r->info.width && status == TW_OK; x++) {
            status = tw_wse_read(r->w, r->info.x + x, r->info.y + y, 0, bytes, BYTES);
            if (status == TW_OK) fwrite(bytes, 1, BYTES, tw_output_file(out));
        }
    if (status == TW_OK) status = tw_output_commit(out);
    tw_output_free(out);
    return status == TW_OK ? TW__EXIT_OK : tw__csl_failed();
}

static void print_stats(const tw__csl_run *r)
{
    char band[64];
    tw_band_text(tw_band_find(r->info.arch == TW_WSE3 ? "wse3" : "wse2", NULL), band, sizeof band);
    printf("%llu cycles on %u x %u PEs (estimated: %s)\n", (unsigned long long)tw_wse_cycle(r->w), r->info.width,
           r->info.height, band);
}

static int write_results(tw__csl_run *r, const tw__csl_settings *s)
{
    if (s->memory) {
        int result = write_memory(r, s->memory);
        if (result != TW__EXIT_OK) return result;
    }
    if (s->profile && tw_wse_write_profile(r->w, tw__csl_output(s->profile)) != TW_OK) return tw__csl_failed();
    if (s->report) {
        const tw_profile *profile = tw_wse_profile(r->w);
        if (!profile) return tw__csl_failed();
        int result = tw_world_rank() ? TW__EXIT_OK : tw__cli_write_report("csl", profile, s->report);
        if (result != TW__EXIT_OK) return result;
    }
    if (s->trace) {
        tw_output *out = tw_output_open(tw__csl_output(s->trace), NULL, 0);
        if (!out) return tw__csl_failed();
        tw_status status = tw_wse_write_trace(r->w, tw_output_file(out));
        if (status == TW_OK || status == TW_E_IO) status = tw_output_commit(out);
        tw_output_free(out);
        if (status != TW_OK) return tw__csl_failed();
    }
    if (s->stats && !tw_world_rank()) print_stats(r);
    return TW__EXIT_OK;
}

int tw__csl_drive(const tw_csl_program *program, tw_wse *w, const tw__csl_settings *s)
{
    tw__csl_run r = { .program = program, .w = w, .late = g_ptr_array_new_with_free_func(tw__csl_free_late) };
    tw_csl_get_info(program, &r.info);
    int result = TW__EXIT_OK;
    for (guint i = 0; i + 1 < s->actions->len && result == TW__EXIT_OK; i += 2)
        result = tw__csl_act(&r, s->actions->pdata[i], s->actions->pdata[i + 1]);
    if (result == TW__EXIT_OK && tw_wse_stop(w) != TW_OK) result = tw__csl_failed();
    if (result == TW__EXIT_OK) result = tw__csl_write_late(&r);
    if (tw_wse_status(w) != TW_E_NO_MEMORY && !silent) { /* of another failure they tell how far it came */
        int written = write_results(&r, s);
        if (result == TW__EXIT_OK) result = written;
    }
    g_ptr_array_free(r.late, TRUE);
    return result;
}

/* A program that only works when the host calls it ends at once, and that looks like a success. */
static void tell_idle(const tw_csl_program *program, const tw_wse *w)
{
    tw_csl_export e;
    for (size_t i = 0; tw_wse_cycle(w) == 0 && tw_csl_get_export(program, i, &e); i++) {
        if (!e.function) continue;
        fprintf(stderr, "tilewright csl: note: nothing ran; --launch %s%s calls a function of the program\n",
                e.name, e.argument_count ? ",ARGUMENTS" : "");
        return;
    }
}

static int run_program(const tw_csl_program *program, tw__csl_settings *s)
{
    if (s->trace || s->profile || s->report) tw_interrupt_on_sigint(); /* else it ends at once */
    tw_wse *w = tw__csl_wafer(program, s);
    shared = w;
    int result = w ? tw__csl_drive(program, w, s) : tw__csl_refused();
    if (result == TW__EXIT_OK) result = tw__csl_saved(w);
    shared = NULL;
    if (w && result == TW__EXIT_OK && !tw_world_rank()) tell_idle(program, w);
    tw_wse_free(w);
    return tw__cli_interrupted("csl", result);
}

/* Before the work: no output is a file that is read, none is named twice. Sources and the folder are known by now,
 * what --in and --send read is not. */
static int check_outputs(const tw__csl_settings *s)
{
    const char *const files[] = { s->trace, s->profile, s->report, s->memory };
    GPtrArray *in = g_ptr_array_new(), *out = g_ptr_array_new();
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        if (files[i]) g_ptr_array_add(out, (char *)files[i]);
    for (guint i = 0; i + 1 < s->actions->len; i += 2) {
        const char *action = s->actions->pdata[i], *file = strchr(s->actions->pdata[i + 1], '=');
        bool reads = strcmp(action, "--in") == 0 || strcmp(action, "--send") == 0,
             writes = strcmp(action, "--out") == 0 || strcmp(action, "--receive") == 0;
        if (file && (reads || writes)) g_ptr_array_add(reads ? in : out, (char *)file + 1);
    }
    tw__csl_add_saves(&s->saves, in, out);
    const char *const *written = (const char *const *)out->pdata, *const *read = (const char *const *)in->pdata;
    int result = tw_outputs_check(written, out->len, read, in->len) == TW_OK
                     ? tw__cli_check_outputs("csl", written, out->len, read, in->len)
                     : tw__csl_refused();
    g_ptr_array_free(in, TRUE);
    g_ptr_array_free(out, TRUE);
    return result;
}

/* Several ranks have one standard input. */
static bool reads_standard_input(const tw__csl_settings *s, const char *program)
{
    bool reads = strcmp(program, "-") == 0;
    for (guint i = 0; i + 1 < s->actions->len; i += 2) {
        const char *action = s->actions->pdata[i];
        bool in = strcmp(action, "--in") == 0 || strcmp(action, "--send") == 0;
        reads |= in && g_str_has_suffix(s->actions->pdata[i + 1], "=-");
    }
    return reads;
}

static const tw__cli_option debug_rows[] = {
    { "--dap", AT(serves) },
};

/* --dap alone serves a client, who names the program. */
static int check_words(const tw__csl_settings *s, int argc, char **argv)
{
    if (s->serves && (s->dap || argc != 1))
        return tw__cli_usage_error("csl", "--dap stands alone: the client's 'launch' names the program");
    if (!s->serves && argc != 2) return tw__cli_usage_error("csl", "%s needs one folder or layout", argv[0]);
    if (s->launch.hosts && !s->launch.ranks)
        return tw__cli_usage_error("csl", "--hosts needs -n, the number of ranks");
    if (s->launch.ranks && reads_standard_input(s, argv[1]))
        return tw__cli_usage_error("csl", "the first of several ranks alone has the standard input: name a file");
    return tw__csl_check_saves(&s->saves, s->launch.ranks != NULL);
}

/* `again`: words for each of several ranks; NULL = it is for one process. */
static int work(int argc, char **argv, bool debug, tw__dap *dap, const char *const *again)
{
    tw__csl_settings s = { .options = { .size = sizeof s.options }, .dap = dap, .actions = g_ptr_array_new() };
    tw__csl_request_init(&s.compile);
    const tw__cli_syntax debugs = { "csl", .options = TW__CLI_ROWS(debug_rows) };
    const tw__cli_syntax own = { "csl", .options = tw__csl_run_rows, TW__CSL_RUN_ROWS,
                                 .more = debug ? &debugs : NULL };
    tw__cli_syntax syntax = tw__csl_syntax;
    syntax.command = debug ? "tilewright csl debug" : "tilewright csl run", syntax.more = &own;
    int result = tw__cli_read(&syntax, &s, &argc, argv);
    if (result == TW__EXIT_OK) result = check_words(&s, argc, argv);
    if (result == TW__EXIT_OK && s.launch.ranks && !again)
        result = tw__cli_usage_error("csl", "%s is for one process", syntax.command);
    if (result == TW__EXIT_OK && s.serves) {
        result = tw__dap_serve(&tw__csl_dap_target);
    } else if (result == TW__EXIT_OK && s.launch.ranks) {
        result = tw__launch_self("csl", &s.launch, again);
    } else if (result == TW__EXIT_OK) {
        tw__cli_name_program(argv[1]);
        s.compile.told_once = !debug;
        tw_csl_program *program = tw__csl_open(&s.compile, argv[1]);
        result = program ? tw__csl_check_names(program, s.actions) : TW__EXIT_FAILURE;
        if (result == TW__EXIT_OK) result = check_outputs(&s);
        s.options.max_seconds = s.compile.options.max_seconds;
        s.options.threads = (unsigned)s.threads;
        s.options.trace = s.trace, s.options.profile = s.profile || s.report;
        s.options.motion = s.report != NULL;
        if (result == TW__EXIT_OK) result = (debug ? tw__csl_debug : run_program)(program, &s);
        tw_csl_program_free(program);
    }
    g_ptr_array_free(s.actions, TRUE);
    tw__csl_request_clear(&s.compile);
    return result;
}

int tw__csl_run_main(int argc, char **argv)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new(); /* reading them changes their order */
    g_ptr_array_add(words, (char *)"csl");
    for (int i = 0; i < argc; i++) { /* less those of the launcher */
        unsigned ours = tw__launch_words_of(argv[i]);
        if (ours)
            i += (int)ours - 1;
        else
            g_ptr_array_add(words, argv[i]);
    }
    g_ptr_array_add(words, NULL);
    return work(argc, argv, false, NULL, (const char *const *)words->pdata);
}

int tw__csl_debug_main(int argc, char **argv)
{
    return work(argc, argv, true, NULL, NULL);
}

int tw__csl_debug_with(tw__dap *dap, int argc, char **argv)
{
    return work(argc, argv, true, dap, NULL);
}
