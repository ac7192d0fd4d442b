/* SPDX-License-Identifier: MIT */
/* csl_save: --save-at, --save-every and --resume of `tilewright csl run` and `csl debug`. */
#include "cli/csl/csl_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_KEEP = 2, MOST_KEEP = 1000 };

static bool read_cycle(const char **text, uint64_t most, uint64_t *number)
{
    char *end;
    if (!g_ascii_isdigit(**text)) return false;
    *number = g_ascii_strtoull(*text, &end, 10);
    *text = *end == ',' ? end + 1 : end;
    return *number > 0 && *number <= most && (*end == ',' ? end[1] != 0 : *end == 0);
}

int tw__csl_take_save_at(void *into, const tw__cli_given *g)
{
    tw__csl_saves *saves = TW__CLI_AT(tw__csl_saves, into, g);
    const char *text = g->value;
    uint64_t cycle;
    do {
        if (saves->count == TW__CSL_MOST_SAVES || !read_cycle(&text, UINT64_MAX - 1, &cycle))
            return tw__cli_good(false);
        saves->at[saves->count++] = cycle;
    } while (*text);
    return TW__EXIT_OK;
}

int tw__csl_take_save_every(void *into, const tw__cli_given *g)
{
    tw__csl_saves *saves = TW__CLI_AT(tw__csl_saves, into, g);
    const char *text = g->value;
    saves->keep = DEFAULT_KEEP;
    bool good = read_cycle(&text, UINT64_MAX - 1, &saves->every);
    if (good && *text) good = read_cycle(&text, MOST_KEEP, &saves->keep) && !*text;
    return tw__cli_good(good);
}

const char *tw__csl_save_name(const tw__csl_saves *saves)
{
    return saves->path ? saves->path : "checkpoint";
}

/* Several files are told apart by their cycles. */
static char *path_of(const tw__csl_saves *saves, uint64_t cycle)
{
    if (saves->count == 1) return g_strdup(tw__csl_save_name(saves));
    return g_strdup_printf("%s.%" PRIu64, tw__csl_save_name(saves), cycle);
}

int tw__csl_check_saves(const tw__csl_saves *saves, bool ranks)
{
    bool any = saves->count || saves->every;
    if ((saves->path && strcmp(saves->path, "-") == 0) || (saves->resume && strcmp(saves->resume, "-") == 0))
        return tw__cli_usage_error("csl", "a checkpoint is a file, not a standard stream");
    if (saves->path && !any)
        return tw__cli_usage_error("csl",
                                   "--save names the file of --save-at or --save-every, and neither is given");
    if (ranks && (any || saves->resume))
        return tw__cli_usage_error("csl",
                                   "a checkpoint is of one process: save and resume without -n, which gives the "
                                   "same results");
    return TW__EXIT_OK;
}

void tw__csl_add_saves(const tw__csl_saves *saves, GPtrArray *in, GPtrArray *out)
{
    if (saves->resume) g_ptr_array_add(in, (char *)saves->resume);
    for (size_t i = 0; i < saves->count; i++) {
        g_autofree char *path = path_of(saves, saves->at[i]);
        g_ptr_array_add(out, (char *)g_intern_string(path));
    }
}

tw_wse *tw__csl_wafer(const tw_csl_program *program, tw__csl_settings *s)
{
    const tw__csl_saves *saves = &s->saves;
    s->options.out = stdout;
    tw_wse *w =
        saves->resume ? tw_wse_resume(program, &s->options, saves->resume) : tw_wse_new(program, &s->options);
    tw_status status = w ? TW_OK : tw_error_status();
    for (size_t i = 0; i < saves->count && status == TW_OK; i++) {
        char *path = path_of(saves, saves->at[i]);
        status = tw_wse_save_at(w, saves->at[i], path);
        g_free(path);
    }
    if (status == TW_OK && saves->every)
        status = tw_wse_save_every(w, saves->every, (unsigned)saves->keep, tw__csl_save_name(saves));
    if (status == TW_OK) return w;
    tw_wse_free(w);
    return NULL;
}

int tw__csl_saved(const tw_wse *w)
{
    uint64_t cycle = tw_wse_unsaved(w);
    if (cycle == UINT64_MAX) return TW__EXIT_OK;
    fflush(stdout);
    fprintf(stderr,
            "tilewright csl: no checkpoint was written at cycle %" PRIu64 ": the run is over at %" PRIu64 "\n",
            cycle, tw_wse_cycle(w));
    return TW__EXIT_FAILURE;
}
