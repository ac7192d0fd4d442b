/* SPDX-License-Identifier: MIT */
/* Writing JSON as a stream of tokens, and the members that both files have. Numbers never depend on the locale. */
#include "core/profile/json.h"
#include "core/base/text_file.h"
#include "core/profile/summary.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>

const tw__table tw__map_tables[3] = { TW__TABLE_tile_map, TW__TABLE_map, TW__TABLE_block };
const tw__table tw__interval_tables[3] = { TW__TABLE_lane, TW__TABLE_interval, TW__TABLE_wait };
const tw__table tw__motion_tables[3] = { TW__TABLE_route, TW__TABLE_flow, TW__TABLE_stuck };
const tw__table tw__line_tables[1] = { TW__TABLE_line };
const tw__table tw__node_tables[2] = { TW__TABLE_node, TW__TABLE_wire };
const char *const tw__exchange_keys[TW__EXCHANGE_KINDS] = { "exchanges", "externalExchanges", "hostExchanges" };

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

void tw__json_row(tw__json *j, const char *key, tw__row id, uint32_t tiles)
{
    if (!id) {
        if (!key) begin(j, NULL, true), fputs("null", j->out);
        return;
    }
    uint32_t count = j->p->rows.items[id].tiles < tiles ? j->p->rows.items[id].tiles : tiles;
    tw__profile_row_read(j->p, id, j->row, count);
    tw__json_open(j, key, '[');
    for (uint32_t t = 0; t < count; t++) tw__json_count(j, NULL, j->row[t]);
    tw__json_close(j, ']');
}

/* --- columns ---------------------------------------------------------------------------------------------------- */

void tw__json_value(tw__json *j, const tw__column *c, const char *key, const void *item)
{
    if (tw__column_is_real(c)) {
        tw__json_number(j, key, tw__column_real(c, item));
        return;
    }
    uint64_t value = tw__column_get(c, item);
    uint32_t tiles = c->below == TW__BELOW_CHIP ? j->p->target.tiles_per_ipu : j->p->target.tiles;
    switch ((tw__kind)c->kind) {
    case TW__KIND_SIGNED: tw__json_number(j, key, (double)(int64_t)value); break;
    case TW__KIND_ROW: tw__json_row(j, key, (tw__row)value, tiles); break;
    case TW__KIND_FIDELITY:
    case TW__KIND_SYNC: tw__json_text(j, key, tw__column_word(c, (unsigned)value)); break;
    case TW__KIND_ID: tw__json_count(j, key, key ? value : value == TW__NONE ? 0 : value + 1); break;
    case TW__KIND_TEXT:
        if (j->number)
            tw__json_count(j, key, j->number[value] - 1);
        else
            tw__json_text(j, key, j->p->names.items[value]);
        break;
    case TW__KIND_COUNT:
    case TW__KIND_SMALL:
    case TW__KIND_SUM:
    case TW__KIND_REAL:
    case TW__KIND_FIGURE:
    case TW__KIND_RATIO: tw__json_count(j, key, value); break;
    }
}

void tw__json_members(tw__json *j, tw__table table, const void *item, unsigned parts)
{
    for (TW__EACH_COLUMN(c, table))
        if (c->key && tw__column_in(c, parts) && tw__column_known(c, item)) tw__json_value(j, c, c->key, item);
}

/* A column of a list is left out where it may be, and nothing is known of any element. */
static bool has_column(const tw__column *c, tw__items items, unsigned parts)
{
    if (!c->key || !tw__column_in(c, parts)) return false;
    bool any = !(c->when & TW__WHEN_IF);
    size_t size = tw__tables[c->table].size;
    for (size_t i = 0; i < items.count && !any; i++) any = tw__column_known(c, (const char *)items.at + i * size);
    return any;
}

void tw__json_columns(tw__json *j, tw__table table, tw__items items, unsigned parts)
{
    size_t size = tw__tables[table].size;
    for (TW__EACH_COLUMN(c, table)) {
        if (!has_column(c, items, parts)) continue;
        tw__json_open(j, c->key, '[');
        for (size_t i = 0; i < items.count; i++) tw__json_value(j, c, NULL, (const char *)items.at + i * size);
        tw__json_close(j, ']');
    }
}

void tw__json_objects(tw__json *j, const char *key, tw__table table, tw__items items)
{
    tw__json_open(j, key, '[');
    for (size_t i = 0; i < items.count; i++) {
        tw__json_open(j, NULL, '{');
        tw__json_members(j, table, (const char *)items.at + i * tw__tables[table].size, 0);
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
}

void tw__json_named(tw__json *j, const char *key, tw__table table)
{
    tw__items items = tw__table_items(j->p, table);
    const tw__column *c = &tw__schema[tw__tables[table].first];
    tw__json_open(j, key, '{');
    for (size_t i = 0; i < items.count; i++) {
        const char *at = (const char *)items.at + i * tw__tables[table].size;
        tw__json_value(j, &c[1], j->p->names.items[tw__column_get(&c[0], at)], at);
    }
    tw__json_close(j, '}');
}

/* Texts are written once: each gets the next number where it is met first. False: there is no column of texts. */
static bool number_names(const tw_profile *p, tw__table table, uint32_t *number, uint32_t *met)
{
    const tw__column *texts[TW__MOST_COLUMNS];
    tw__items items = tw__table_items(p, table);
    size_t many = 0;
    for (TW__EACH_COLUMN(c, table))
        if (c->kind == TW__KIND_TEXT && has_column(c, items, 0)) texts[many++] = c;
    for (size_t i = 0; i < items.count; i++)
        for (size_t k = 0; k < many; k++) {
            uint64_t name = tw__column_get(texts[k], (const char *)items.at + i * tw__tables[table].size);
            if (!number[name]) number[name] = ++*met;
        }
    return many > 0;
}

static void put_names(tw__json *j, const uint32_t *number, uint32_t met)
{
    tw__name *at = tw__calloc((size_t)met + 1, sizeof *at);
    if (!at) j->failed = true;
    for (uint32_t i = 0; at && i < j->p->names.count; i++)
        if (number[i]) at[number[i] - 1] = i;
    tw__json_open(j, "names", '[');
    for (uint32_t k = 0; at && k < met; k++) tw__json_text(j, NULL, j->p->names.items[at[k]]);
    tw__json_close(j, ']');
    free(at);
}

void tw__json_lists(tw__json *j, const char *key, const char *unit, const tw__table *tables, size_t count,
                    uint64_t omitted)
{
    bool any = omitted != 0, named = false;
    uint32_t *number = tw__calloc(j->p->names.count + 1, sizeof *number), met = 0;
    for (size_t k = 0; k < count; k++) any |= tw__table_items(j->p, tables[k]).count != 0;
    if (!number) j->failed = true;
    if (any && number) {
        tw__json_open(j, key, '{');
        if (unit) tw__json_text(j, "unit", unit);
        for (size_t k = 0; k < count; k++) named |= number_names(j->p, tables[k], number, &met);
        if (named) put_names(j, number, met);
        j->number = number;
        for (size_t k = 0; k < count; k++) tw__json_columns(j, tables[k], tw__table_items(j->p, tables[k]), 0);
        j->number = NULL;
        if (omitted) tw__json_count(j, "omitted", omitted);
        tw__json_close(j, '}');
    }
    free(number);
}

/* --- what both files have --------------------------------------------------------------------------------------- */

static void put_head(tw__json *j, const char *part)
{
    tw__json_open(j, "tilewright", '{');
    tw__json_count(j, "schema", TW_PROFILE_SCHEMA);
    tw__json_text(j, "version", TW_VERSION);
    tw__json_text(j, "part", part);
    tw__json_close(j, '}');
}

/* What this machine calls the things that all profiles have under one name. */
static void put_words(tw__json *j)
{
    static const char *const meant[] = { "IPU", "tile", "vertex" };
    const tw__terms *terms = tw__profile_terms(j->p->names.items[j->p->target.type]);
    if (terms->is_graph) return;
    tw__json_open(j, "words", '{');
    for (int i = 0; i < 3; i++) tw__json_text(j, meant[i], terms->words[i]);
    tw__json_close(j, '}');
}

static void put_floor(tw__json *j)
{
    const tw_profile *p = j->p;
    if (p->grid.columns) {
        tw__json_open(j, "grid", '{');
        tw__json_members(j, TW__TABLE_grid, p, 0);
        tw__json_text(j, "order", p->grid.column_major ? "columns" : "rows");
        tw__json_close(j, '}');
    }
    if (p->limits.count) tw__json_named(j, "memories", TW__TABLE_limit);
    if (p->regions.count) tw__json_objects(j, "regions", TW__TABLE_region, tw__table_items(p, TW__TABLE_region));
}

void tw__json_target(tw__json *j)
{
    const tw_profile *p = j->p;
    tw__json_open(j, "target", '{');
    tw__json_members(j, TW__TABLE_target, p, TW__WHEN_MAIN | TW__WHEN_SIZE);
    tw__json_count(j, "bytesPerIPU", p->target.bytes_per_tile * p->target.tiles_per_ipu);
    tw__json_count(j, "totalMemory", p->target.bytes_per_tile * p->target.tiles);
    tw__json_members(j, TW__TABLE_target, p, TW__WHEN_CLOCK | (p->target.threads > 1 ? TW__WHEN_THREADS : 0));
    put_words(j);
    put_floor(j);
    tw__json_close(j, '}');
}

void tw__json_vertex_types(tw__json *j)
{
    tw__json_open(j, "vertexTypes", '{');
    tw__json_columns(j, TW__TABLE_type, tw__table_items(j->p, TW__TABLE_type), TW__WHEN_MAIN);
    tw__json_close(j, '}');
}

/* --- entry points --------------------------------------------------------------------------------------------- */

typedef enum part { PART_SUMMARY, PART_GRAPH, PART_EXECUTION } part;

static tw_status write_part(const tw_profile *p, FILE *out, bool pretty, part which)
{
    uint64_t *row = tw__realloc(NULL, ((size_t)p->target.tiles + 1) * sizeof *row);
    tw__json j = { .out = out, .pretty = pretty, .empty = true, .p = p, .row = row };
    uint64_t *counts = tw__realloc(NULL, (p->steps.count + 1) * sizeof *counts);
    bool ready = row && counts && tw__profile_step_counts(p, counts);
    if (ready) {
        tw__json_open(&j, NULL, '{');
        if (which != PART_SUMMARY) put_head(&j, which == PART_GRAPH ? "graph" : "execution");
        if (which == PART_SUMMARY)
            tw__write_summary(&j);
        else if (which == PART_GRAPH)
            tw__write_graph(&j);
        else
            tw__write_execution(&j, counts);
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
    return status ? status : write_part(p, out, pretty, PART_GRAPH);
}

tw_status tw_profile_write_execution_json(const tw_profile *p, FILE *out, bool pretty)
{
    tw_status status = tw__profile_has(p, false, true, "write");
    return status ? status : write_part(p, out, pretty, PART_EXECUTION);
}

tw_status tw_profile_write_json(const tw_profile *p, FILE *out, bool pretty)
{
    tw_status status = tw__profile_has(p, true, true, "write");
    if (status) return status;
    static const char *const members[] = { "summary", "graph", "execution" };
    fprintf(out, "{\"tilewright\":{\"schema\":%d,\"version\":\"%s\",\"part\":\"both\"}", TW_PROFILE_SCHEMA,
            TW_VERSION);
    for (int i = 0; i < 3 && !status; i++) {
        fprintf(out, ",\"%s\":", members[i]);
        status = write_part(p, out, pretty, (part)i);
    }
    fputs("}\n", out);
    return status ? status : ferror(out) ? tw__fail(TW_E_IO, "cannot write the profile") : TW_OK;
}

static char *to_text(const tw_profile *p, bool pretty, tw_status (*write)(const tw_profile *, FILE *, bool))
{
    tw__text_file file;
    FILE *out = tw__text_open(&file);
    if (!out) return tw__fail(TW_E_NO_MEMORY, "out of memory while writing a profile"), NULL;
    tw_status status = write(p, out, pretty);
    char *buffer = tw__text_close(&file, NULL);
    if (buffer && !status) return buffer;
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
