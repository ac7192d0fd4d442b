/* SPDX-License-Identifier: MIT */
/* Executables: what an engine was made of, as a file.
 *
 *     "TWEXEC\r\n"  version (4 bytes)  length of the contents (8)  contents  SHA-256 of the contents (32)
 *
 * Contents: options, programs, then the graph with its compiled codelets. An engine made of it compiles the plan
 * again: plans are quick to make and hold addresses. Like any program file it runs native code: the checksum finds
 * damage, not malice. */
#include "poplar/engine/engine.h"
#include "poplar/graph/stored.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 2, HEADER = 20, DIGEST = 32 };
static const char magic[8] = { 'T', 'W', 'E', 'X', 'E', 'C', '\r', '\n' };

static void digest(const uint8_t *bytes, size_t size, uint8_t out[DIGEST])
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    gsize length = DIGEST;
    for (size_t at = 0; at < size; at += 1u << 30)
        g_checksum_update(sum, bytes + at, (gssize)(size - at < 1u << 30 ? size - at : 1u << 30));
    g_checksum_get_digest(sum, out, &length);
    g_checksum_free(sum);
}

/* --- writing -------------------------------------------------------------------------------------------------- */

/* Compute sets of the plan; NULL with an error when vertices were added to one of them since. */
static bool *used_compute_sets(const tw_engine *engine)
{
    const tw__core *core = engine->core;
    bool *used = tw__calloc(core->compute_set_count, sizeof *used);
    if (!used) return tw__fail(TW_E_NO_MEMORY, "out of host memory"), NULL;
    for (size_t i = 0; i < engine->plan.execs.count; i++) {
        const tw__exec *exec = &engine->plan.execs.items[i];
        used[exec->cs] = true;
        if (exec->vertices == core->compute_sets[exec->cs].vertices) continue;
        tw__fail(TW_E_INVALID_ARGUMENT,
                 "compute set '%s' has got vertices since the engine was made: an executable is what was compiled",
                 core->compute_sets[exec->cs].name);
        free(used);
        return NULL;
    }
    return used;
}

/* Those that are not at their defaults; what the environment says at this moment stays out of it. */
static void put_options(tw__pack *p, const tw_engine *engine)
{
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < tw__engine_option_count; i++) {
            const tw__option_desc *d = &tw__engine_options[i];
            const char *value = tw__options_get(engine->options, d->key);
            if (strcmp(value, d->default_value) == 0) continue;
            if (pass == 0) {
                count++;
                continue;
            }
            char *line = g_strconcat(d->key, "=", value, NULL);
            const char *text = line;
            tw__pack_text(p, &text);
            g_free(line);
        }
        if (pass == 0) tw__pack_count(p, count, 8);
    }
}

static tw_status contents(const tw_engine *engine, GByteArray *out)
{
    tw__pack p = { .out = out };
    bool *used = used_compute_sets(engine);
    if (!used) return engine->plan.execs.count ? TW_E_INVALID_ARGUMENT : TW_E_NO_MEMORY;
    put_options(&p, engine);
    tw__pack_count(&p, engine->program_count, sizeof(uint32_t));
    for (size_t i = 0; i < engine->program_count; i++) tw__pack_raw(&p, &engine->programs[i], sizeof(uint32_t));
    tw_status status = tw__graph_store(engine->core, used, out);
    free(used);
    return status;
}

tw_status tw_engine_serialize(tw_engine *engine, FILE *out)
{
    tw_status status = tw__engine_usable(engine);
    if (status) return status;
    GByteArray *bytes = g_byte_array_new();
    status = contents(engine, bytes);
    if (status == TW_OK) {
        uint32_t version = VERSION;
        uint64_t size = bytes->len;
        uint8_t sum[DIGEST];
        digest(bytes->data, bytes->len, sum);
        bool written = fwrite(magic, sizeof magic, 1, out) == 1 && fwrite(&version, sizeof version, 1, out) == 1 &&
                       fwrite(&size, sizeof size, 1, out) == 1 && fwrite(bytes->data, 1, size, out) == size &&
                       fwrite(sum, sizeof sum, 1, out) == 1 && fflush(out) == 0;
        if (!written) status = tw__fail(TW_E_IO, "the executable cannot be written");
    }
    g_byte_array_free(bytes, TRUE);
    return status;
}

/* --- reading -------------------------------------------------------------------------------------------------- */

static tw_status open_file(const uint8_t *bytes, size_t size, tw__pack *p)
{
    uint32_t version = 0;
    uint64_t length = 0;
    uint8_t sum[DIGEST];
    if (!bytes || size < HEADER + DIGEST || memcmp(bytes, magic, sizeof magic) != 0)
        return tw__fail(TW_E_FILE_LOAD, "this is not an executable of a graph");
    memcpy(&version, bytes + 8, sizeof version);
    memcpy(&length, bytes + 12, sizeof length);
    if (version != VERSION)
        return tw__fail(TW_E_FILE_LOAD, "the executable has version %u, this library reads version %d", version,
                        VERSION);
    if (length > size - HEADER - DIGEST)
        return tw__fail(TW_E_FILE_LOAD, "the executable is cut off: %zu of %llu bytes are there", size,
                        (unsigned long long)length + HEADER + DIGEST);
    digest(bytes + HEADER, length, sum);
    if (memcmp(sum, bytes + HEADER + length, DIGEST) != 0)
        return tw__fail(TW_E_FILE_LOAD, "the executable is damaged: its checksum is wrong");
    *p = (tw__pack){ .at = bytes + HEADER, .end = bytes + HEADER + length };
    return TW_OK;
}

/* Options of the file, then the caller's, which win; NULL-terminated, in the arena. */
static const char **all_options(tw__pack *p, const char *const *options)
{
    size_t more = 0;
    while (options && options[more]) more++;
    size_t n = tw__pack_count(p, 0, 8);
    const char **list = TW__NEW_N(p->arena, const char *, n + more + 1);
    if (!list) {
        p->bad = true;
        return NULL;
    }
    for (size_t i = 0; i < n; i++) tw__pack_text(p, &list[i]);
    for (size_t i = 0; i < more; i++) list[n + i] = options[i];
    return list;
}

static tw_engine *from_pack(tw__pack *p, const char *const *options)
{
    const char **list = all_options(p, options);
    size_t count = tw__pack_count(p, 0, sizeof(uint32_t));
    tw_program *programs = TW__NEW_N(p->arena, tw_program, count);
    for (size_t i = 0; programs && i < count; i++) tw__pack_raw(p, &programs[i].id, sizeof(uint32_t));
    if (!programs || p->bad) {
        tw__fail(TW_E_FILE_LOAD, "its contents are damaged");
        return NULL;
    }
    tw_graph *graph = tw__graph_restore(p);
    if (!graph) return NULL;
    tw_engine *engine = tw_engine_new_programs(graph, (unsigned)count, programs, list);
    tw_graph_free(graph);
    return engine;
}

tw_engine *tw_engine_deserialize(const void *bytes, size_t size, const char *const *options)
{
    tw__pack p;
    if (open_file(bytes, size, &p) != TW_OK) return tw__made(tw_error_status(), NULL);
    tw__arena *arena = p.arena = tw__arena_new(0);
    tw_engine *engine = arena ? from_pack(&p, options) : NULL;
    if (!arena) tw__fail(TW_E_NO_MEMORY, "out of host memory");
    tw__arena_free(arena);
    return tw__made(tw_status_of(engine), engine);
}

const tw_target *tw_engine_target(const tw_engine *engine)
{
    return engine ? engine->target : NULL;
}
