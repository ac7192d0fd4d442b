/* SPDX-License-Identifier: MIT */
/* What moves through a grid of tiles, and which lines of the sources cost what. */
#include "core/profile/schema.h"

#include <stdlib.h>

static bool known_tile(tw_profile *p, uint32_t tile, const char *what)
{
    if (p->status) return false;
    return tile < p->target.tiles || tw__profile_fail(p, TW_E_INDEX, "%s of unknown tile %u", what, tile);
}

void tw__profile_add_route(tw_profile *p, uint32_t tile, uint32_t color, uint32_t from, uint32_t to)
{
    tw__profile_route *slot = known_tile(p, tile, "a route") ? tw__table_push(p, TW__TABLE_route) : NULL;
    if (slot) *slot = (tw__profile_route){ tile, color, from, to };
}

void tw__profile_set_flow(tw_profile *p, uint64_t window, uint32_t block)
{
    p->flow.window = window;
    p->flow.block = block;
}

void tw__profile_add_flow(tw_profile *p, const tw__profile_flow *flow)
{
    tw__profile_flow *slot = known_tile(p, flow->tile, "what moves") ? tw__table_push(p, TW__TABLE_flow) : NULL;
    if (slot) *slot = *flow;
}

void tw__profile_add_stuck(tw_profile *p, uint32_t tile, const char *text)
{
    tw__profile_stuck *slot = known_tile(p, tile, "a wait") ? tw__table_push(p, TW__TABLE_stuck) : NULL;
    if (slot) *slot = (tw__profile_stuck){ tile, tw__profile_name(p, text) };
}

/* --- a graph ---------------------------------------------------------------------------------------------------- */

uint32_t tw__profile_add_node(tw_profile *p, const tw__node_desc *d)
{
    tw__profile_node *slot = p->status ? NULL : tw__table_push(p, TW__TABLE_node);
    if (!slot) return TW__NONE;
    *slot = (tw__profile_node){ tw__profile_name(p, d->name),
                                tw__profile_name(p, d->kind),
                                tw__profile_name(p, d->group),
                                d->tile,
                                d->runs,
                                d->cycles,
                                d->waits };
    return (uint32_t)(p->nodes.count - 1);
}

void tw__profile_add_wire(tw_profile *p, const tw__wire_desc *d)
{
    if (d->from == TW__NONE || d->to == TW__NONE) return;
    tw__profile_wire *slot = p->status ? NULL : tw__table_push(p, TW__TABLE_wire);
    if (!slot) return;
    *slot = (tw__profile_wire){ .from = d->from,
                                .to = d->to,
                                .kind = tw__profile_name(p, d->kind),
                                .bytes = d->bytes,
                                .messages = d->messages,
                                .holds = d->holds,
                                .blocks = d->blocks,
                                .reader_waits = d->reader_waits,
                                .writer_waits = d->writer_waits };
}

/* --- lines ------------------------------------------------------------------------------------------------------ */

static bool same_line(const tw_profile *p, uint32_t id, const void *key)
{
    const tw__profile_line *a = &p->lines.items[id], *b = key;
    return a->file == b->file && a->line == b->line && a->what == b->what;
}

void tw__profile_add_line(tw_profile *p, const tw__line_desc *d)
{
    if (p->status) return;
    tw__profile_line fresh = { .file = tw__profile_name(p, d->file),
                               .what = tw__profile_name(p, d->what),
                               .line = d->line };
    const uint32_t key[] = { fresh.file, fresh.what, fresh.line };
    uint32_t hash = tw__hash_bytes(key, sizeof key, 0);
    uint32_t id = tw__index_find(p, &p->line_index, hash, same_line, &fresh);
    if (id == TW__NONE) {
        tw__profile_line *slot = tw__table_push(p, TW__TABLE_line);
        if (!slot) return;
        *slot = fresh;
        id = (uint32_t)(p->lines.count - 1);
        if (!tw__index_add(&p->line_index, hash, id)) {
            tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
            return;
        }
    }
    tw__profile_line *line = &p->lines.items[id];
    line->runs += d->runs;
    line->cycles += d->cycles;
    line->waits += d->waits;
}

void tw__profile_forget_lines(tw_profile *p)
{
    p->lines.count = p->line_index.count = 0;
    p->lines_omitted = 0;
    if (p->line_index.room) memset(p->line_index.slots, 0, p->line_index.room * sizeof *p->line_index.slots);
}

typedef struct by_number {
    uint32_t line, id;
} by_number;

static int motion_by_line(const void *a, const void *b)
{
    const by_number *x = a, *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

enum { MOST_OF_A_LINE = 200 };

/* A line without what stands before and behind it; one that is no text, or a page long, is cut. */
static tw__name line_text(tw_profile *p, const char *from, size_t bytes)
{
    while (bytes && (unsigned char)*from <= ' ') from++, bytes--;
    while (bytes && (unsigned char)from[bytes - 1] <= ' ') bytes--;
    if (bytes > MOST_OF_A_LINE) {
        bytes = MOST_OF_A_LINE;
        while (bytes && ((unsigned char)from[bytes] & 0xc0) == 0x80) bytes--; /* not within a character */
    }
    return memchr(from, 0, bytes) ? 0 : tw__profile_name_n(p, from, bytes);
}

void tw__profile_set_source(tw_profile *p, const char *file, const char *text, size_t bytes)
{
    by_number *wanted = p->status ? NULL : tw__calloc(p->lines.count + 1, sizeof *wanted);
    if (!wanted && !p->status) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
    if (!wanted) return;
    tw__name name = tw__profile_name(p, file);
    size_t count = 0, next = 0;
    for (uint32_t i = 0; i < p->lines.count; i++)
        if (p->lines.items[i].file == name && !p->lines.items[i].text)
            wanted[count++] = (by_number){ p->lines.items[i].line, i };
    if (count) qsort(wanted, count, sizeof *wanted, motion_by_line);
    const char *at = text, *end = text + bytes;
    for (uint32_t line = 1; at < end && next < count; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        for (; next < count && wanted[next].line <= line; next++)
            if (wanted[next].line == line)
                p->lines.items[wanted[next].id].text = line_text(p, at, (size_t)(stop - at));
        at = stop + 1;
    }
    free(wanted);
}

/* A file that is not there leaves its lines as they are. Names come from compiled programs: only plain files are
 * opened. */
static void motion_read_file(tw_profile *p, tw__name file)
{
    size_t bytes;
    char *text = NULL;
    const char *path = p->names.items[file];
    tw_status status = tw__read_regular_file(path, TW_SOURCE_LIMIT, &text, &bytes);
    if (status == TW_E_NO_MEMORY) tw__profile_fail(p, status, "out of memory for the profile");
    if (status == TW_OK) tw__profile_set_source(p, path, text, bytes);
    free(text);
}

void tw__profile_read_sources(tw_profile *p)
{
    size_t names = p->names.count;
    if (!p->lines.count || p->status) return;
    bool *met = tw__calloc(names + 1, sizeof *met);
    if (!met) tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
    for (size_t i = 0; met && i < p->lines.count && !p->status; i++) {
        const tw__profile_line *line = &p->lines.items[i];
        if (met[line->file] || line->text || !line->file) continue;
        met[line->file] = true;
        motion_read_file(p, line->file);
    }
    free(met);
}
