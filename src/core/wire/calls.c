/* SPDX-License-Identifier: MIT */
/* Calls that all ranks make alike: counted, chained into a hash, the last ones remembered so that a difference can be
 * named by its first call. */
#include "core/wire/inside.h"

#include <glib.h>
#include <string.h>

static tw__wire_call calls[TW__WIRE_HISTORY]; /* call number n is calls[n % HISTORY] */
static uint64_t made;

static const char *calls_file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

void tw__wire_count(tw__wire_site site, uint64_t value)
{
    uint64_t hash = made ? calls[made % TW__WIRE_HISTORY].hash : TW__FNV;
    tw__wire_call *call = &calls[++made % TW__WIRE_HISTORY];
    *call = (tw__wire_call){ .number = made, .value = value, .line = site.line };
    g_strlcpy(call->file, calls_file_name(site.file), sizeof call->file);
    g_strlcpy(call->what, site.what, sizeof call->what);
    hash = tw__fnv1a(hash, &value, sizeof value);
    hash = tw__fnv1a(hash, &call->line, sizeof call->line);
    hash = tw__fnv1a(hash, call->file, strlen(call->file));
    call->hash = tw__fnv1a(hash, call->what, strlen(call->what));
}

void tw__wire_mark(tw__wire_site site, uint64_t value)
{
    if (tw__wire.size > 1) tw__wire_count(site, value);
}

const tw__wire_call *tw__wire_now(void)
{
    return &calls[made % TW__WIRE_HISTORY];
}

void tw__wire_calls_reset(void)
{
    made = 0;
    calls[0] = (tw__wire_call){ .what = "the start" };
}

size_t tw__wire_remembered(tw__wire_call out[TW__WIRE_HISTORY])
{
    size_t count = made < TW__WIRE_HISTORY ? (size_t)made : TW__WIRE_HISTORY;
    for (size_t i = 0; i < count; i++) out[i] = calls[(made - count + 1 + i) % TW__WIRE_HISTORY];
    return count;
}

/* "'tw_engine_read 'x'' at prog.c:12", with its number for calls that look alike. */
static void describe_call(char *text, size_t size, const tw__wire_call *call)
{
    char at[48] = "";
    if (*call->file) g_snprintf(at, sizeof at, " (%s:%d)", call->file, call->line);
    g_snprintf(text, size, "%s%s, value %llu,", call->what, at, (unsigned long long)call->value);
}

tw_status tw__wire_compare(unsigned peer, const tw__wire_call *theirs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const tw__wire_call *t = &theirs[i], *m = &calls[t->number % TW__WIRE_HISTORY];
        if (m->number != t->number || m->hash == t->hash) continue; /* not there yet, or forgotten */
        char a[160], b[160];
        describe_call(a, sizeof a, m);
        describe_call(b, sizeof b, t);
        return tw__fail(TW_E_SYSTEM,
                        "ranks %u and %u do different things: call %llu is %s on rank %u, but %s on rank %u; all "
                        "ranks have to run the same program on the same data",
                        tw__wire.rank, peer, (unsigned long long)t->number, a, tw__wire.rank, b, peer);
    }
    return TW_OK;
}
