/* SPDX-License-Identifier: MIT */
/* Checkpoints as programs ask for them, and as `tilewright run --save-at` and `--resume` do in the environment. */
#include "poplar/engine/run/checkpoint.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The engine can be saved, and knows of what. */
static tw_status get_ready(tw_engine *engine, const char *path)
{
    tw_status s = tw__engine_usable(engine);
    if (s) return s;
    if (!path || !*path) return tw__fail(TW_E_INVALID_ARGUMENT, "a checkpoint needs a path");
    if (!engine->loaded) return tw__fail(TW_E_NOT_LOADED, "load the engine before saving or resuming it");
    if (tw__wire_size() > 1)
        return tw__fail(TW_E_NOT_SUPPORTED, "checkpoints are of one process: several ranks run this program");
    if (engine->saves) return TW_OK;
    struct tw__saves *saves = tw__calloc(1, sizeof *saves);
    if (!saves) return tw__fail(TW_E_NO_MEMORY, "out of host memory");
    saves->graph = tw__graph_hash(engine);
    saves->next = UINT64_MAX;
    saves->log = g_byte_array_new(), saves->again = g_byte_array_new();
    engine->saves = saves;
    return TW_OK;
}

tw_status tw_engine_save(tw_engine *engine, const char *path)
{
    tw_status s = get_ready(engine, path);
    if (s) return s;
    if (engine->saves->inside)
        return tw__fail(TW_E_NOT_SUPPORTED, "the engine stands within a run that it has resumed: let it run first");
    return tw__checkpoint_write(engine, NULL, path);
}

tw_status tw_engine_save_at(tw_engine *engine, uint64_t step, uint64_t every, const char *path)
{
    tw_status s = get_ready(engine, path);
    if (s) return s;
    if (engine->replicas)
        return tw__fail(TW_E_NOT_SUPPORTED,
                        "a graph that exists as replicas only is saved between two runs: tw_engine_save()");
    g_free(engine->saves->path);
    engine->saves->path = g_strdup(path);
    engine->saves->next = step, engine->saves->every = every, engine->saves->written = false;
    return TW_OK;
}

tw_status tw_engine_resume(tw_engine *engine, const char *path)
{
    tw_status s = get_ready(engine, path);
    return s ? s : tw__checkpoint_read(engine, path);
}

/* --- the environment ------------------------------------------------------------------------------------------- */

static tw_status number_in(const char *name, uint64_t *number)
{
    const char *text = g_getenv(name);
    *number = UINT64_MAX;
    if (!text || !*text) return TW_OK;
    if (g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX - 1, number, NULL)) return TW_OK;
    return tw__fail(TW_E_INVALID_OPTION, "%s is a number of steps, not '%s'", name, text);
}

static tw_status asked_first(tw_engine *engine)
{
    uint64_t at = UINT64_MAX, every = UINT64_MAX;
    const char *path = g_getenv("TILEWRIGHT_SAVE"), *resume = g_getenv("TILEWRIGHT_RESUME");
    tw_status s = number_in("TILEWRIGHT_SAVE_AT", &at);
    if (!s) s = number_in("TILEWRIGHT_SAVE_EVERY", &every);
    bool saves = at != UINT64_MAX || every != UINT64_MAX;
    if (every == UINT64_MAX) every = 0;
    if (!s && saves)
        s = tw_engine_save_at(engine, at != UINT64_MAX ? at : every, every, path && *path ? path : "checkpoint");
    if (s || !resume || !*resume || (s = get_ready(engine, resume)) != TW_OK) return s;
    engine->saves->resume = g_strdup(resume);
    return tw__checkpoint_runs(engine, resume, &engine->saves->resume_run);
}

/* Runs before that of the checkpoint are made again: what the program gets of them, and gives to them, is as it
 * was. */
tw_status tw__saves_asked(tw_engine *engine)
{
    static atomic_bool taken;
    bool is_first = !atomic_exchange(&taken, true);
    tw_status s = is_first ? asked_first(engine) : TW_OK;
    struct tw__saves *saves = engine->saves;
    if (saves && is_first) saves->asked = true;
    if (s || !saves || !saves->resume || engine->runs != saves->resume_run) return s;
    s = tw__checkpoint_read(engine, saves->resume);
    g_free(saves->resume), saves->resume = NULL;
    return s;
}
