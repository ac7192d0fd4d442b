/* SPDX-License-Identifier: MIT */
/* The simulator's options as text: one table, for `tilewright sim`, devices and POPLAR_SIMULATOR_OPTIONS. */
#include "poplar/colossus/sim/sim.h"

#include "core/base/base.h"

// clang-format off
static const tw__option_desc table[] = {
    { "traceFile", TW__OPT_STRING, "", NULL, true, "file with a line for each instruction and what it changed" },
    { "traceTile", TW__OPT_INT, "-1", NULL, true, "in graphs: the one tile that is traced; -1 = all" },
    { "denormals", TW__OPT_BOOL, "false", NULL, true, "single precision keeps subnormal numbers; else they are zero" },
    { "seed", TW__OPT_INT, "0", NULL, true, "random state of the workers: stochastic rounding and random numbers" },
    { "breakOnException", TW__OPT_BOOL, "true", NULL, true, "a tile stops at its first exception; else other workers end first" },
    { "translate", TW__OPT_ENUM, "hot", "hot|off|atOnce", true, "which code becomes code of the host: what runs long, none, all" },
    { "ignoreClashes", TW__OPT_BOOL, "false", NULL, true, "accesses of one instruction may hit the same bank" },
};
// clang-format on

/* Says which options there are behind a message about one that is not there. */
static tw_status options_tell(tw_status status)
{
    const char *message = tw_error_message();
    if (status != TW_E_INVALID_OPTION || !strstr(message, "unknown option")) return status;
    GString *text = g_string_new(message);
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "; the simulator has ", table[i].key);
    tw__fail(status, "%s", text->str);
    g_string_free(text, TRUE);
    return status;
}

static tw_status set_pair(tw__options *values, const char *pair)
{
    const char *sign = strchr(pair, '=');
    if (!sign) return tw__fail(TW_E_INVALID_OPTION, "simulator option '%.100s' is not of the form key=value", pair);
    g_autofree char *key = g_strndup(pair, (gsize)(sign - pair));
    return tw__options_set(values, key, sign + 1);
}

static tw_status options_take(const tw__options *values, tw_sim_options *options)
{
    const char *file = tw__options_get(values, "traceFile");
    int64_t tile = tw__options_int(values, "traceTile");
    if (strlen(file) >= sizeof options->trace_file)
        return tw__fail(TW_E_INVALID_OPTION, "simulator option 'traceFile': the path has more than %zu bytes",
                        sizeof options->trace_file - 1);
    if (tile < -1 || tile > INT32_MAX)
        return tw__fail(TW_E_INVALID_OPTION, "simulator option 'traceTile': %lld is no tile", (long long)tile);
    const char *translate = tw__options_get(values, "translate");
    options->translate = strcmp(translate, "off") == 0      ? TW_SIM_TRANSLATE_OFF
                         : strcmp(translate, "atOnce") == 0 ? TW_SIM_TRANSLATE_AT_ONCE
                                                            : TW_SIM_TRANSLATE_HOT;
    g_strlcpy(options->trace_file, file, sizeof options->trace_file);
    options->trace_tile = (uint32_t)(tile + 1);
    options->denormals = tw__options_bool(values, "denormals");
    options->seed = (uint64_t)tw__options_int(values, "seed");
    options->keep_going = !tw__options_bool(values, "breakOnException");
    options->ignore_clashes = tw__options_bool(values, "ignoreClashes");
    return TW_OK;
}

tw_status tw_sim_options_read(tw_sim_options *options, const char *const *pairs)
{
    tw_sim_options mine;
    if (!options) return tw__missing("simulator options");
    tw_status status = TW__TAKE_OPTIONS(&mine, options, tw_sim_options);
    if (status != TW_OK) return status;
    tw__options *values = tw__options_new(table, G_N_ELEMENTS(table), TW__LOG_ENGINE);
    if (!values) return tw__fail(TW_E_NO_MEMORY, "no memory for options");
    for (; pairs && *pairs && status == TW_OK; pairs++) status = set_pair(values, *pairs);
    if (status == TW_OK) status = tw__options_set_env(values, "POPLAR_SIMULATOR_OPTIONS");
    status = status == TW_OK ? options_take(values, &mine) : options_tell(status);
    if (status == TW_OK) tw__give_options(options, &mine);
    tw__options_free(values);
    return status;
}
