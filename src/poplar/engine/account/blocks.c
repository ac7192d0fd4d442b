/* SPDX-License-Identifier: MIT */
/* Light-weight profiles: which programs the options profiler.blocks.filter, profiler.programs.filter and
 * debug.instrumentExternalExchange choose. Names match as a whole. When the chosen ones ran is read off the steps,
 * which are recorded anyway: nothing is added to the program, and every tile can be asked. */
#include "poplar/engine/account/account.h"

#include <glib.h>

void tw__blocks_found(tw__accounting *a, uint32_t node)
{
    if (node != TW__NONE) a->profile->programs.items[node].profiled = 1;
}

/* *regex stays NULL where the option is not set. */
static tw_status blocks_filter(const tw__accounting *a, const char *key, GRegex **regex)
{
    const char *text = tw__options_get(a->engine->options, key);
    if (!*text) return TW_OK;
    g_autofree char *whole = g_strdup_printf("(?:%s)\\z", text);
    g_autoptr(GError) error = NULL;
    *regex = g_regex_new(text, 0, 0, &error); /* a wrong one is told in its own columns */
    if (!*regex)
        return tw__fail(TW_E_INVALID_OPTION, "engine option %s: '%s' is no regular expression: %s", key, text,
                        error->message);
    g_regex_unref(*regex);
    *regex = g_regex_new(whole, G_REGEX_ANCHORED, 0, NULL);
    return *regex ? TW_OK : tw__fail(TW_E_INVALID_OPTION, "engine option %s: '%s' cannot be matched", key, text);
}

static bool matches(const GRegex *regex, const char *name)
{
    return regex && *name && g_regex_match(regex, name, 0, NULL);
}

tw_status tw__blocks_choose(tw__accounting *a)
{
    g_autoptr(GRegex) blocks = NULL, programs = NULL;
    bool streams = tw__options_bool(a->engine->options, "debug.instrumentExternalExchange");
    tw_status s = blocks_filter(a, "profiler.blocks.filter", &blocks);
    if (!s) s = blocks_filter(a, "profiler.programs.filter", &programs);
    for (size_t i = 0; !s && i < a->profile->programs.count; i++) {
        tw__profile_program *p = &a->profile->programs.items[i];
        const char *name = a->profile->names.items[p->name];
        bool chosen = (p->profiled && matches(blocks, name)) || matches(programs, name) ||
                      (streams && p->type == TW_PROGRAM_STREAM_COPY);
        p->profiled = chosen;
    }
    return s;
}
