/* SPDX-License-Identifier: MIT */
/* pto_run: `tilewright pto run` on a grid: arguments for the cores of each device, outputs, the profile. */
#include "cli/pto/pto.h"

#include <stdlib.h>
#include <string.h>

/* One run per core; they exist until the outputs are written. */
typedef struct job {
    const tw__request *r;
    tw_pto_text *text;
    GArray **args;    /* by device */
    tw_pto_run **run; /* by core; NULL = had nothing to do */
    bool told;        /* why it failed */
} job;

static bool has_param(const tw_pto_text *text, const char *function, const char *name)
{
    tw_pto_param p;
    for (size_t i = 0; tw_pto_text_param(text, function, i, &p); i++)
        if (strcmp(p.name, name) == 0) return true;
    return false;
}

/* Cores of the other kind run another function: an argument may be theirs alone. */
static bool is_elsewhere(const job *j, const char *function, const char *name)
{
    const char *other;
    if (j->r->function || has_param(j->text, function, name)) return false;
    for (size_t i = 0; (other = tw_pto_text_function(j->text, i)); i++)
        if (has_param(j->text, other, name)) return j->r->vectors > 0;
    return false;
}

/* The arguments of the core's device, and where the other devices have theirs. */
static tw_status bind_arguments(const job *j, tw_pto_run *run, const char *function, tw_pto_identity me)
{
    tw_status status = TW_OK;
    for (guint i = 0; i < j->args[me.device]->len && status == TW_OK; i++) {
        const tw__argument *a = &g_array_index(j->args[me.device], tw__argument, i);
        if (is_elsewhere(j, function, a->name)) continue;
        status = tw__pto_bind_argument(run, a);
        for (unsigned d = 0; d < me.devices && a->array.data && status == TW_OK; d++) {
            const tw__argument *theirs = d == me.device ? NULL : tw__argument_of(j->args[d], a->name, (int)d);
            if (!theirs || !theirs->array.data) continue;
            status = tw_pto_run_peer(run, a->name, d, theirs->array.data, theirs->array.count * theirs->array.item);
            if (status == TW_E_TYPE) status = TW_OK; /* tiles have no address */
        }
    }
    return status;
}

static unsigned core_index(tw_pto_identity me)
{
    unsigned per_block = me.kind == TW_PTO_WHOLE ? 1 : me.sub_blocks + 1,
             number = me.kind == TW_PTO_VECTOR ? 1 + me.sub_block : 0;
    return (me.device * me.blocks + me.block) * per_block + number;
}

static tw_status run_core(tw_pto *core, void *user)
{
    job *j = user;
    tw_pto_identity me = tw_pto_identity_of(core);
    tw_pto_run_options options = { .size = sizeof options,
                                   .max_steps = j->r->max_steps,
                                   .out = stdout,
                                   .block = me.block,
                                   .blocks = me.blocks,
                                   .max_seconds = j->r->max_steps ? 0 : 60 };
    const char *function = tw_pto_text_function_of(j->text, j->r->function, core);
    if (!function) return *tw_error_message() ? TW_E_SYMBOL : TW_OK;
    tw_pto_run *run = tw_pto_run_new(j->text, function, core);
    if (!run) return TW_E_SYMBOL;
    j->run[core_index(me)] = run;
    tw_status status = bind_arguments(j, run, function, me);
    if (status != TW_OK) return status;
    size_t errors = tw_diags_count(tw_pto_text_diags(j->text), TW_ERROR);
    status = tw_pto_run_start(run, &options);
    bool diagnosed = tw_diags_count(tw_pto_text_diags(j->text), TW_ERROR) > errors;
    if (status != TW_OK && !diagnosed && !tw_pto_is_stopped(core)) tw__cli_failure("pto");
    j->told |= status != TW_OK && !tw_pto_is_stopped(core); /* else by the core that failed, or by nobody yet */
    return status;
}

static tw_status write_profile(const tw__request *r, const tw_pto_grid *grid, int *reported)
{
    char name[64];
    for (unsigned i = 0; r->profile && !r->profile_file && i < tw_pto_grid_cores(grid); i++) {
        if (tw_pto_grid_cores(grid) > 1) printf("%s: ", tw_pto_core_name(tw_pto_grid_core(grid, i), name));
        tw_pto_print_profile(stdout, tw_pto_grid_core(grid, i));
    }
    if (!r->profile_file && !r->report) return TW_OK;
    tw_profile *profile = tw_pto_grid_profile(grid);
    tw_output *out = NULL;
    tw_status status = !profile          ? tw_error_status()
                       : r->profile_file ? tw_status_of(out = tw_output_open(r->profile_file, NULL, 0))
                                         : TW_OK;
    if (out) {
        status = tw_profile_write_json(profile, tw_output_file(out), true);
        if (status == TW_OK || status == TW_E_IO) status = tw_output_commit(out);
        tw_output_free(out);
    }
    if (status == TW_OK && r->report) { /* it says what is wrong itself */
        *reported = tw__cli_write_report("pto", profile, r->report);
        if (*reported != TW__EXIT_OK) status = TW_E_IO;
    }
    tw_profile_free(profile);
    return status;
}

static tw_status write_timeline(const tw__request *r, const tw_pto_grid *grid)
{
    tw_output *out = tw_output_open(r->timeline, NULL, 0);
    if (!out) return tw_error_status();
    tw_status status = tw_pto_grid_write_timeline(grid, tw_output_file(out));
    if (status == TW_OK || status == TW_E_IO) status = tw_output_commit(out);
    tw_output_free(out);
    return status;
}

/* The last core of a device that ran has the tiles that --out may name. */
static tw_status write_all(const job *j, const tw_pto_grid *grid)
{
    unsigned per_device = tw_pto_grid_cores(grid) / (unsigned)j->r->devices;
    tw_status status = TW_OK;
    for (unsigned d = 0; d < j->r->devices && status == TW_OK; d++) {
        unsigned last = (d + 1) * per_device - 1;
        while (last > d * per_device && !j->run[last]) last--;
        if (j->run[last])
            status = tw__pto_write_outputs(tw_pto_grid_core(grid, last), j->run[last], j->r, j->args[d], d);
    }
    return status;
}

int tw__pto_run_text(const tw__request *r, tw_pto_text *text, tw_pto_target target)
{
    int unknown = tw__pto_check_names(r, text);
    if (unknown) return unknown;
    tw__cli_name_program(r->file);
    tw_pto_grid *grid = tw_pto_grid_new(&(tw_pto_launch){
        .size = sizeof(tw_pto_launch),
        .target = target,
        .flags = (r->manual ? TW_PTO_MANUAL : 0) | (r->profile || r->report ? TW_PTO_PROFILE : 0) |
                 (r->timeline || r->profile_file || r->report ? TW_PTO_TIMELINE : 0),
        .blocks = (unsigned)r->blocks,
        .devices = (unsigned)r->devices,
        .vectors = (unsigned)r->vectors,
        .trace = r->trace ? stdout : NULL });
    if (!grid) return tw__cli_failure("pto");
    unsigned cores = tw_pto_grid_cores(grid);
    if (r->profile || r->report || r->timeline) tw_interrupt_on_sigint(); /* else it ends at once */
    job j = { r, text, tw__arguments_by_device(r->args, (unsigned)r->devices), g_new0(tw_pto_run *, cores), false };
    tw_status status = j.args ? tw_pto_grid_run(grid, run_core, &j) : TW_E_NO_MEMORY;
    bool deadlock = status != TW_OK && strstr(tw_error_message(), "deadlock") &&
                    !strstr(tw_error_message(), "rule flag.") && r->vectors == 0;
    if (deadlock)
        fprintf(stderr, "tilewright pto: --vectors 2 gives each block a cube core and two vector cores\n");
    if (status == TW_OK) status = write_all(&j, grid);
    int reported = TW__EXIT_OK;
    if (status == TW_OK || tw_interrupted()) {
        tw_status written = write_profile(r, grid, &reported);
        if (written == TW_OK && r->timeline) written = write_timeline(r, grid);
        if (status == TW_OK) status = written;
    }
    int result = status == TW_OK                     ? TW__EXIT_OK
                 : j.told || reported != TW__EXIT_OK ? TW__EXIT_FAILURE
                                                     : tw__cli_failure("pto");
    for (unsigned i = 0; i < cores; i++) tw_pto_run_free(j.run[i]);
    g_free(j.run);
    tw__free_arguments(j.args, (unsigned)r->devices);
    tw_pto_grid_free(grid);
    return tw__cli_interrupted("pto", result);
}
