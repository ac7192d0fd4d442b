/* SPDX-License-Identifier: MIT */
/* The graph half of the summary, laid out as guide 8.2.3: target, graph, memory, vertex data, tiles.
 *
 * Every memory figure is a sum over a range of tiles: all tiles, one replica, or one IPU. */
#include "core/profile/summary.h"

#include <glib.h>
#include <stdlib.h>

enum { FULLEST = 5, HISTOGRAM_ROWS = 32, BAR = 40 };

typedef struct range {
    uint32_t first, end;
} range;

/* A row of the profile over a range of tiles; `row` is the page's scratch, one value per tile. */
static uint64_t sum_row(const tw_profile *p, tw__row id, range tiles, uint64_t *row)
{
    if (!id) return 0;
    if (tiles.first == 0 && tiles.end >= p->rows.items[id].tiles) return p->rows.items[id].sum;
    uint64_t sum = 0;
    tw__profile_row_read(p, id, row, tiles.end);
    for (uint32_t t = tiles.first; t < tiles.end; t++) sum += row[t];
    return sum;
}

static void print_target(const tw__page *page)
{
    const tw_profile *p = page->p;
    uint64_t copies = p->target.copies ? p->target.copies : 1, replicas = p->target.replicas * copies,
             chips = p->target.ipus * copies, tiles = p->target.tiles * copies;
    char text[TW__TEXT];
    double bytes = (double)p->target.bytes_per_tile, total = bytes * (double)tiles;
    tw__heading(page, 0, "Target:");
    if (page->terms->chips) {
        tw__line_count(page, 2, page->terms->chips, chips);
        tw__line_count(page, 2, page->terms->tiles_per_chip, p->target.tiles_per_ipu);
    }
    tw__line_count(page, 2, page->terms->tiles, tiles);
    if (p->grid.columns && !page->terms->is_graph) {
        g_snprintf(text, sizeof text, "%u x %u", p->grid.columns, p->grid.rows);
        tw__line(page, 2, "Columns x Rows", text);
    }
    tw__line(page, 2, page->terms->memory_per_tile, strcat(tw__fixed1(text, bytes / 1024), " kB"));
    tw__line(page, 2, "Total Memory", strcat(tw__fixed1(text, total / 1048576), " MB"));
    tw__line(page, 2, "Clock Speed (approx)", strcat(tw__fixed1(text, p->target.clock_hz / 1e6), " MHz"));
    if (!page->terms->is_graph) return;
    tw__line_count(page, 2, "Number of Replicas", replicas);
    if (replicas <= chips)
        tw__line_count(page, 2, "IPUs per Replica", chips / replicas);
    else
        tw__line_count(page, 2, "Replicas per IPU", replicas / chips);
    tw__line_count(page, 2, "Tiles per Replica", tiles / replicas);
    tw__line(page, 2, "Memory per Replica", strcat(tw__fixed1(text, total / 1048576 / (double)replicas), " MB"));
}

static void print_graph(const tw__page *page)
{
    const tw_profile *p = page->p;
    tw__heading(page, 0, page->terms->is_graph ? "Graph:" : "Program:");
    tw__line_count(page, 2, page->terms->vertices, p->vertices);
    for (TW__EACH_COLUMN(c, TW__TABLE_graph))
        if (c->label && page->terms->is_graph) tw__line_count(page, 2, c->label, tw__column_get(c, p));
}

/* --- memory by region and data type --------------------------------------------------------------------------- */

static uint64_t category_bytes(const tw__page *page, const tw__category *c, tw__memory_overlap overlap, range tiles,
                               uint64_t *row)
{
    uint64_t sum = 0;
    for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++) sum += sum_row(page->p, c->bytes[r][overlap], tiles, row);
    return sum;
}

/* Categories in the order of TW_STORAGE_LIST, a machine's own after them; returns the total. */
static uint64_t print_categories(const tw__page *page, int indent, const char *title, tw__memory_overlap overlap,
                                 range tiles, uint64_t *row, bool if_any)
{
    const tw_profile *p = page->p;
    uint64_t total = 0;
    for (size_t i = 0; i < p->categories.count; i++)
        total += category_bytes(page, &p->categories.items[i], overlap, tiles, row);
    if (if_any && !total) return 0;
    tw__heading(page, indent, title);
    for (unsigned s = 0; s <= TW_STORAGE_COUNT; s++)
        for (size_t i = 0; i < p->categories.count; i++) {
            const tw__category *c = &p->categories.items[i];
            unsigned at = 0;
            while (at < TW_STORAGE_COUNT && strcmp(tw_storage_key((tw_storage)at), p->names.items[c->key])) at++;
            uint64_t bytes = at == s ? category_bytes(page, c, overlap, tiles, row) : 0;
            if (bytes) tw__line_bytes(page, indent + 2, p->names.items[c->label], bytes);
        }
    tw__line_bytes(page, indent + 2, "Total", total);
    return total;
}

static uint64_t print_regions(const tw__page *page, int indent, range tiles, uint64_t *by_tile, uint64_t *row)
{
    static const char *const labels[] = { "Non-interleaved", "Interleaved", "Overflowed" };
    uint64_t total = 0, bytes[TW__MEMORY_REGIONS] = { 0 };
    for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++) {
        tw__profile_region(page->p, (tw__memory_region)r, by_tile, row);
        for (uint32_t t = tiles.first; t < tiles.end; t++) bytes[r] += by_tile[t];
        total += bytes[r];
    }
    if (page->terms->is_graph || total > bytes[TW__NON_INTERLEAVED]) { /* else there is but one */
        tw__heading(page, indent, "By Memory Region:");
        for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++) tw__line_bytes(page, indent + 2, labels[r], bytes[r]);
    }
    tw__line_bytes(page, indent, "Total", total);
    return total;
}

/* Which categories are not exact, one line for each degree. */
static void memory_notes(const tw__page *page, int indent)
{
    const tw_profile *p = page->p;
    for (int f = TW_FIDELITY_MODELLED; f <= TW_FIDELITY_ABSENT; f++) {
        GString *labels = g_string_new(NULL);
        for (size_t i = 0; i < p->categories.count; i++)
            if (p->categories.items[i].fidelity == (tw_fidelity)f)
                g_string_append_printf(labels, "%s%s", labels->len ? ", " : "",
                                       p->names.items[p->categories.items[i].label]);
        if (labels->len) tw__note(page, indent, "%s: %s.", tw_fidelity_name((tw_fidelity)f), labels->str);
        g_string_free(labels, TRUE);
    }
    if (!p->total) tw__note(page, indent, "variables have no addresses: gaps and sharing of memory are absent.");
}

static void print_memory_usage(const tw__page *page, const char *title, range tiles, uint64_t *by_tile,
                               uint64_t *row)
{
    const tw_profile *p = page->p;
    tw__heading(page, 0, title);
    tw__heading(page, 2, "Memory Usage:");
    tw__heading(page, 4, "Total:");
    if (p->total_with_gaps)
        tw__line_bytes(page, 6, "Including Gaps", sum_row(p, p->total_with_gaps, tiles, row));
    else
        tw__line(page, 6, "Including Gaps", "absent");
    tw__heading(page, 6, "Excluding Gaps:");
    uint64_t total = print_regions(page, 8, tiles, by_tile, row);
    tw__heading(page, 8, "By Data Type:");
    uint64_t apart = print_categories(page, 10, "Not Overlapped", TW__NOT_OVERLAPPED, tiles, row, false);
    if (print_categories(page, 10, "Overlapped", TW__OVERLAPPED, tiles, row, true))
        tw__line_bytes(page, 12, "Total After Overlapping", total > apart ? total - apart : 0);
    memory_notes(page, 6);
}

/* --- vertex data ---------------------------------------------------------------------------------------------- */

typedef struct named_bytes {
    const char *name;
    uint64_t bytes;
} named_bytes;

static int by_bytes(const void *a, const void *b)
{
    const named_bytes *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* By category: what vertices hold. By type: the same and the code, which all vertices of a type on a tile share. */
static tw_status print_vertex_data(const tw__page *page, range tiles, uint64_t *row)
{
    const tw_profile *p = page->p;
    uint64_t kinds[TW__MOST_COLUMNS] = { 0 }, data = 0;
    unsigned k;
    named_bytes *types = tw__realloc(NULL, (p->types.count + 1) * sizeof *types);
    if (!types) return tw__fail(TW_E_NO_MEMORY, "out of memory for the summary");
    for (size_t i = 0; i < p->types.count; i++) {
        types[i] = (named_bytes){ p->names.items[p->types.items[i].name], 0 };
        k = 0;
        for (TW__EACH_COLUMN(c, TW__TABLE_type), k++) {
            if (c->kind != TW__KIND_ROW) continue;
            uint64_t bytes = sum_row(p, (tw__row)tw__column_get(c, &p->types.items[i]), tiles, row);
            kinds[k] += bytes;
            types[i].bytes += bytes;
            data += c->label ? bytes : 0;
        }
    }
    qsort(types, p->types.count, sizeof *types, by_bytes);

    if (!data && !page->terms->is_graph) return free(types), TW_OK;
    char title[64], text[TW__TEXT];
    g_snprintf(title, sizeof title, "Vertex Data (%sB):", tw__commas(text, sizeof text, data));
    tw__heading(page, 2, title);
    tw__heading(page, 4, "By Category:");
    k = 0;
    for (TW__EACH_COLUMN(c, TW__TABLE_type), k++)
        if (c->label) tw__line_bytes(page, 6, c->label, kinds[k]);
    tw__heading(page, 4, "By Type:");
    for (size_t i = 0; i < p->types.count; i++)
        if (types[i].bytes) {
            fputs("      ", page->out);
            tw__print_name(page->out, types[i].name, 80);
            fprintf(page->out, " %12s B\n", tw__commas(text, sizeof text, types[i].bytes));
        }
    free(types);
    return TW_OK;
}

/* --- tiles ---------------------------------------------------------------------------------------------------- */

static void print_histogram(const tw__page *page, const uint64_t *by_tile, range tiles)
{
    uint64_t low = UINT64_MAX, high = 0, width = 1, rows, most = 0;
    for (uint32_t t = tiles.first; t < tiles.end; t++) {
        low = by_tile[t] / 1024 < low ? by_tile[t] / 1024 : low;
        high = by_tile[t] / 1024 > high ? by_tile[t] / 1024 : high;
    }
    if (low > high) return;
    while ((rows = high / width - low / width + 1) > HISTOGRAM_ROWS) width *= 2;
    low = low / width * width;
    uint64_t counts[HISTOGRAM_ROWS] = { 0 };
    for (uint32_t t = tiles.first; t < tiles.end; t++) counts[(by_tile[t] / 1024 - low) / width]++;
    for (uint64_t r = 0; r < rows; r++) most = counts[r] > most ? counts[r] : most;
    char title[TW__LABEL];
    tw__heading(page, 4, tw__worded(page->terms, "By Tile (Excluding Gaps):", title));
    g_snprintf(title, sizeof title, "Count (%s)", page->terms->plurals[1]);
    fprintf(page->out, "      %-14s %-*s %s\n", "Range (KB)", BAR, "Histogram (Excluding Gaps)", title);
    for (uint64_t r = 0; r < rows; r++) {
        char bar[BAR + 1] = "", text[TW__TEXT];
        memset(bar, '*', (size_t)((counts[r] * BAR + most - 1) / most));
        fprintf(page->out, "      %5llu - %-6llu %-*s %13s\n", (unsigned long long)(low + r * width),
                (unsigned long long)(low + (r + 1) * width), BAR, bar, tw__commas(text, sizeof text, counts[r]));
    }
}

static void print_maximum(const tw__page *page, const char *which, const uint64_t *by_tile, range tiles)
{
    uint32_t fullest = tiles.first;
    char bytes[TW__TEXT], kb[TW__TEXT], tile[TW__TEXT];
    for (uint32_t t = tiles.first; t < tiles.end; t++)
        if (by_tile[t] > by_tile[fullest]) fullest = t;
    fprintf(page->out, "      Maximum (%s Gaps): %s (%s K) on %s %s\n", which,
            tw__commas(bytes, sizeof bytes, by_tile[fullest]), tw__fixed1(kb, (double)by_tile[fullest] / 1024),
            page->terms->words[1], tw__profile_tile(page->p, fullest, tile));
}

/* A few of the fullest tiles, category by category: where to look first when memory is short. */
static void print_fullest(const tw__page *page, const uint64_t *by_tile, range tiles, uint64_t *row)
{
    const tw_profile *p = page->p;
    unsigned fullest[FULLEST];
    size_t count = tw__memory_fullest(by_tile + tiles.first, tiles.end - tiles.first, fullest, FULLEST);
    char title[TW__LABEL], label[TW__LABEL];
    tw__heading(page, 6, tw__worded(page->terms, "Tiles with the largest usage:", title));
    for (size_t i = 0; i < count; i++) {
        uint32_t tile = tiles.first + fullest[i];
        char name[TW__TEXT], bytes[TW__TEXT], excess[TW__TEXT];
        if (by_tile[tile] <= p->target.bytes_per_tile) break;
        fprintf(page->out, "        %s %s: %s B including gaps, %s B past the end\n",
                tw__worded(page->terms, "Tile", label), tw__profile_tile(p, tile, name),
                tw__commas(bytes, sizeof bytes, by_tile[tile]),
                tw__commas(excess, sizeof excess, by_tile[tile] - p->target.bytes_per_tile));
        for (size_t c = 0; c < p->categories.count; c++) {
            const tw__category *category = &p->categories.items[c];
            range one = { tile, tile + 1 };
            uint64_t sum = category_bytes(page, category, TW__NOT_OVERLAPPED, one, row) +
                           category_bytes(page, category, TW__OVERLAPPED, one, row);
            if (sum) tw__line_bytes(page, 10, p->names.items[category->label], sum);
        }
    }
}

static void print_tiles(const tw__page *page, range tiles, uint64_t *by_tile, uint64_t *row)
{
    const tw_profile *p = page->p;
    uint64_t full = 0, capacity = p->target.bytes_per_tile;
    char text[TW__TEXT], label[TW__LABEL];
    if (!tw_profile_memory_by_tile(p, by_tile)) return;
    print_histogram(page, by_tile, tiles);
    bool gaps = tw__profile_row_read(p, p->total_with_gaps, row, p->target.tiles);
    if (gaps) print_maximum(page, "Including", row, tiles);
    print_maximum(page, "Excluding", by_tile, tiles);
    if (gaps) memcpy(by_tile, row, p->target.tiles * sizeof *row);
    for (uint32_t t = tiles.first; capacity && t < tiles.end; t++) full += by_tile[t] > capacity;
    fprintf(page->out, "      %s %s\n", tw__commas(text, sizeof text, full),
            tw__worded(page->terms, "tile(s) out of memory", label));
    if (full) print_fullest(page, by_tile, tiles, row);
}

static tw_status print_memory(const tw__page *page, const char *title, range tiles, uint64_t *scratch)
{
    uint64_t *by_tile = scratch, *row = scratch + page->p->target.tiles;
    fputc('\n', page->out);
    print_memory_usage(page, title, tiles, by_tile, row);
    tw_status status = print_vertex_data(page, tiles, row);
    if (!status) print_tiles(page, tiles, by_tile, row);
    return status;
}

static void print_optimizations(const tw__page *page)
{
    const tw_profile *p = page->p;
    fputc('\n', page->out);
    tw__heading(page, 0, "Optimizations:");
    for (size_t i = 0; i < p->optimizations.count; i++) {
        char text[TW__TEXT];
        double value = p->optimizations.items[i].value;
        bool whole = value >= 0 && value < 1e15 && value == (double)(uint64_t)value;
        if (whole)
            tw__commas(text, sizeof text, (uint64_t)value);
        else
            g_ascii_formatd(text, sizeof text, "%g", value);
        tw__line(page, 2, p->names.items[p->optimizations.items[i].name], text);
    }
    if (!p->optimizations.count) fputs("  none recorded\n", page->out);
}

tw_status tw__summary_graph(const tw__page *page)
{
    const tw_profile *p = page->p;
    range all = { 0, p->target.tiles / p->target.replicas };
    uint64_t *scratch = tw__realloc(NULL, ((size_t)p->target.tiles + 1) * 2 * sizeof *scratch);
    if (!scratch) return tw__fail(TW_E_NO_MEMORY, "out of memory for the summary");
    print_target(page);
    fputc('\n', page->out);
    print_graph(page);
    if (page->options.show_optimizations) print_optimizations(page);
    tw_status status = TW_OK;
    if (p->categories.count || p->total)
        status = print_memory(
            page, p->target.replicas > 1 || p->target.copies ? "Memory on one replica:" : page->terms->memory, all,
            scratch);
    for (uint32_t ipu = 0;
         !status && page->options.show_per_ipu_memory_usage && ipu < p->target.ipus / p->target.replicas; ipu++) {
        char title[64];
        range one = { ipu * p->target.tiles_per_ipu, (ipu + 1) * p->target.tiles_per_ipu };
        g_snprintf(title, sizeof title, "Memory on IPU %u:", ipu);
        status = print_memory(page, title, one, scratch);
    }
    free(scratch);
    if (!status && page->options.show_var_storage && p->has_liveness) status = tw__summary_liveness(page);
    return status;
}
