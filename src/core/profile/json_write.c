/* SPDX-License-Identifier: MIT */
/* Writing JSON as a stream of tokens, and the members that both files have. Numbers never depend on the locale. */
#include "core/profile/json.h"
#include "core/profile/summary.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>

const struct tw__bucket_key tw__bucket_keys[TW__BUCKET_KEYS] = {
    { "compute", TW_CYCLES_COMPUTE },
    { "doExchange", TW_CYCLES_EXCHANGE },
    { "globalExchange", TW_CYCLES_GLOBAL_EXCHANGE },
    { "streamCopy", TW_CYCLES_HOST_EXCHANGE },
    { "copySharedStructure", TW_CYCLES_SHARED_COPY },
    { "sync", TW_CYCLES_SYNC },
};

static void text(tw__json *j, const char *value)
{
    putc('"', j->out);
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(j->out, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(j->out, "\\u%04x", *c);
        else
            putc(*c, j->out);
    }
    putc('"', j->out);
}

static void line(tw__json *j)
{
    if (j->pretty) fprintf(j->out, "\n%*s", 2 * j->depth, "");
}

/* A comma, a line break where one belongs, and the key. Plain values of an array stay on the array's line. */
static void begin(tw__json *j, const char *key, bool plain)
{
    if (!j->empty) putc(',', j->out);
    if (key || !plain) {
        j->flat = false;
        line(j);
    }
    j->empty = false;
    if (!key) return;
    text(j, key);
    fputs(j->pretty ? ": " : ":", j->out);
}

void tw__json_open(tw__json *j, const char *key, char bracket)
{
    if (j->depth) begin(j, key, false);
    putc(bracket, j->out);
    j->depth++;
    j->empty = j->flat = true;
}

void tw__json_close(tw__json *j, char bracket)
{
    j->depth--;
    if (!j->flat) line(j);
    putc(bracket, j->out);
    j->empty = j->flat = false;
}

void tw__json_text(tw__json *j, const char *key, const char *value)
{
    begin(j, key, true);
    text(j, g_utf8_validate(value, -1, NULL) ? value : "?");
}

void tw__json_count(tw__json *j, const char *key, uint64_t value)
{
    begin(j, key, true);
    /* JSON integers are read as 64-bit signed numbers. */
    fprintf(j->out, "%llu", (unsigned long long)(value > INT64_MAX ? INT64_MAX : value));
}

void tw__json_number(tw__json *j, const char *key, double value)
{
    char buf[64];
    begin(j, key, true);
    if (!isfinite(value)) value = 0;
    if (value == floor(value) && fabs(value) < 1e15)
        fprintf(j->out, "%lld", (long long)value);
    else
        fputs(g_ascii_formatd(buf, sizeof buf, "%.15g", value), j->out);
}

void tw__json_row(tw__json *j, const tw_profile *p, const char *key, tw__row id, uint32_t tiles, uint64_t *row)
{
    if (!id) {
        if (!key) begin(j, NULL, true), fputs("null", j->out);
        return;
    }
    uint32_t count = p->rows.items[id].tiles < tiles ? p->rows.items[id].tiles : tiles;
    tw__profile_row_read(p, id, row, count);
    tw__json_open(j, key, '[');
    for (uint32_t t = 0; t < count; t++) tw__json_count(j, NULL, row[t]);
    tw__json_close(j, ']');
}

void tw__json_head(tw__json *j, const char *part)
{
    tw__json_open(j, "tilewright", '{');
    tw__json_count(j, "schema", TW_PROFILE_SCHEMA);
    tw__json_text(j, "version", TW_VERSION);
    tw__json_text(j, "part", part);
    tw__json_close(j, '}');
}

void tw__json_fidelity(tw__json *j, tw_fidelity fidelity)
{
    if (fidelity) tw__json_text(j, "fidelity", tw_fidelity_name(fidelity));
}

void tw__json_target(tw__json *j, const tw_profile *p, uint64_t *row)
{
    uint64_t bytes = p->target.bytes_per_tile;
    tw__json_open(j, "target", '{');
    tw__json_text(j, "type", p->names.items[p->target.type]);
    if (p->target.arch) tw__json_text(j, "architecture", p->names.items[p->target.arch]);
    tw__json_count(j, "numIPUs", p->target.ipus);
    tw__json_count(j, "tilesPerIPU", p->target.tiles_per_ipu);
    tw__json_count(j, "numTiles", p->target.tiles);
    tw__json_count(j, "numReplicas", p->target.replicas);
    tw__json_count(j, "bytesPerTile", bytes);
    tw__json_count(j, "bytesPerIPU", bytes * p->target.tiles_per_ipu);
    tw__json_count(j, "totalMemory", bytes * p->target.tiles);
    tw__json_number(j, "clockFrequency", p->target.clock_hz);
    if (p->target.threads > 1) tw__json_count(j, "threadsPerTile", p->target.threads);
    tw__json_count(j, "minSyncDelay", p->target.min_sync_delay);
    tw__json_row(j, p, "relativeSyncDelayByTile", p->target.sync_delays, p->target.tiles_per_ipu, row);
    static const char *const meant[] = { "IPU", "tile", "vertex" };
    const tw__terms *terms = tw__profile_terms(p->names.items[p->target.type]);
    if (terms->words[0]) tw__json_open(j, "words", '{'); /* of this machine, for the names that all profiles have */
    for (int i = 0; i < 3 && terms->words[0]; i++) tw__json_text(j, meant[i], terms->words[i]);
    if (terms->words[0]) tw__json_close(j, '}');
    tw__write_floor(j, p);
    tw__json_close(j, '}');
}

void tw__json_vertex_types(tw__json *j, const tw_profile *p)
{
    tw__json_open(j, "vertexTypes", '{');
    tw__json_open(j, "names", '[');
    for (size_t i = 0; i < p->types.count; i++) tw__json_text(j, NULL, p->names.items[p->types.items[i].name]);
    tw__json_close(j, ']');
    tw__json_open(j, "sizes", '[');
    for (size_t i = 0; i < p->types.count; i++) tw__json_count(j, NULL, p->types.items[i].state_bytes);
    tw__json_close(j, ']');
    tw__json_close(j, '}');
}

/* --- entry points --------------------------------------------------------------------------------------------- */

static tw_status write_part(const tw_profile *p, FILE *out, bool pretty, bool graph)
{
    tw__json j = { .out = out, .pretty = pretty, .empty = true };
    uint64_t *row = tw__realloc(NULL, ((size_t)p->target.tiles + 1) * sizeof *row);
    uint64_t *counts = tw__realloc(NULL, (p->steps.count + 1) * sizeof *counts);
    bool ready = row && counts && tw__profile_step_counts(p, counts);
    if (ready) {
        tw__json_open(&j, NULL, '{');
        tw__json_head(&j, graph ? "graph" : "execution");
        if (graph)
            tw__write_graph(&j, p, row);
        else
            tw__write_execution(&j, p, row, counts);
        tw__json_close(&j, '}');
        putc('\n', out);
    }
    free(row);
    free(counts);
    if (!ready || j.failed) return tw__fail(TW_E_NO_MEMORY, "out of memory while writing a profile");
    return ferror(out) ? tw__fail(TW_E_IO, "cannot write the profile") : TW_OK;
}

tw_status tw_profile_write_graph_json(const tw_profile *p, FILE *out, bool pretty)
{
    tw_status status = tw__profile_has(p, true, false, "write");
    return status ? status : write_part(p, out, pretty, true);
}

tw_status tw_profile_write_execution_json(const tw_profile *p, FILE *out, bool pretty)
{
    tw_status status = tw__profile_has(p, false, true, "write");
    return status ? status : write_part(p, out, pretty, false);
}

tw_status tw_profile_write_json(const tw_profile *p, FILE *out, bool pretty)
{
    tw_status status = tw__profile_has(p, true, true, "write");
    if (status) return status;
    fprintf(out, "{\"tilewright\":{\"schema\":%d,\"part\":\"both\"},\"graph\":", TW_PROFILE_SCHEMA);
    status = write_part(p, out, pretty, true);
    fputs(",\"execution\":", out);
    if (!status) status = write_part(p, out, pretty, false);
    fputs("}\n", out);
    return status ? status : ferror(out) ? tw__fail(TW_E_IO, "cannot write the profile") : TW_OK;
}

static char *to_text(const tw_profile *p, bool pretty, tw_status (*write)(const tw_profile *, FILE *, bool))
{
    char *buffer = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&buffer, &size);
    if (!out) return tw__fail(TW_E_NO_MEMORY, "out of memory while writing a profile"), NULL;
    tw_status status = write(p, out, pretty);
    if (fclose(out) == 0 && buffer && !status) return buffer;
    if (!status) tw__fail(TW_E_NO_MEMORY, "out of memory while writing a profile");
    free(buffer);
    return NULL;
}

char *tw_profile_graph_json(const tw_profile *p, bool pretty)
{
    return to_text(p, pretty, tw_profile_write_graph_json);
}

char *tw_profile_execution_json(const tw_profile *p, bool pretty)
{
    return to_text(p, pretty, tw_profile_write_execution_json);
}
