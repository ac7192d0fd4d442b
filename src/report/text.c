/* SPDX-License-Identifier: MIT */
/* text: tables with small bar charts for a terminal, the difference of two profiles, and conditions on it. */
#include "report/report.h"

#include "core/profile/summary.h"

#include <math.h>
#include <stdlib.h>

enum { DEFAULT_ROWS = 20, BAR = 24, NAME = 44 };

typedef struct sheet {
    FILE *out;
    bool colour;
    unsigned rows;
} sheet;

static sheet sheet_new(FILE *out, tw_colours colours, unsigned rows)
{
    return (sheet){ out, tw__profile_use_colours(out, colours), rows ? rows : DEFAULT_ROWS };
}

static void heading(const sheet *s, const char *text)
{
    fprintf(s->out, "%s%s%s\n", s->colour ? "\033[1;36m" : "", text, s->colour ? "\033[0m" : "");
}

/* Names of any length and content: what is too long for the column is cut. */
static void put_name(const sheet *s, const char *name, int width)
{
    char shown[4 * NAME + 1];
    bool whole = tw__escape_text(shown, sizeof shown, name, strlen(name), "");
    glong length = g_utf8_strlen(shown, -1);
    whole = whole && length <= width;
    const char *end = g_utf8_offset_to_pointer(shown, whole ? length : MIN(length, width - 1));
    fprintf(s->out, "%.*s%s%*s", (int)(end - shown), shown, whole ? "" : "…", whole ? width - (int)length : 0, "");
}

static void put_text(const sheet *s, const char *text)
{
    tw_print_text(s->out, text, strlen(text), "");
}

/* Eighths of a cell. */
static void put_bar(const sheet *s, double share, const char *colour)
{
    static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    int eighths = (int)((share < 0 ? 0 : share > 1 ? 1 : share) * BAR * 8 + 0.5);
    if (s->colour) fputs(colour, s->out);
    for (int i = 0; i < eighths / 8; i++) fputs("█", s->out);
    fputs(parts[eighths % 8], s->out);
    if (s->colour) fputs("\033[0m", s->out);
    fprintf(s->out, "%*s", BAR - eighths / 8 - (eighths % 8 != 0), "");
}
#define ORANGE "\033[38;5;208m"
#define BLUE   "\033[38;5;74m"
#define RED    "\033[31m"

typedef struct entry {
    const char *name;
    uint32_t id;
    double value;
    uint64_t count;
    double part; /* of the value, that counts in the whole */
} entry;

static gint by_value(gconstpointer a, gconstpointer b)
{
    const entry *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Percent, downwards: parts never add up to more than the whole. */
static double part_of(double part, double whole)
{
    return whole > 0 ? floor(part / whole * 1000 + 1e-9) / 10 : 0;
}

static void put_entries(const sheet *s, GArray *list, double whole, const char *colour, const char *times)
{
    char text[64];
    g_array_sort(list, by_value);
    double most = list->len ? g_array_index(list, entry, 0).value : 0;
    for (guint i = 0; i < list->len && i < s->rows; i++) {
        const entry *e = &g_array_index(list, entry, i);
        fputs("  ", s->out);
        put_name(s, e->name, NAME);
        fprintf(s->out, " %15s %5.1f%% ", tw__commas(text, sizeof text, (uint64_t)e->value),
                part_of(e->part, whole));
        put_bar(s, most > 0 ? e->value / most : 0, colour);
        fprintf(s->out, " %s %s\n", tw__commas(text, sizeof text, e->count), times);
    }
    if (list->len > s->rows) fprintf(s->out, "  ... %u more\n", list->len - s->rows);
    if (!list->len) fputs("  none\n", s->out);
}

/* Steps of one name, in the order of the plan: "(2 of 3) copy", since the end of a long name is cut off. The names
 * are the caller's to free. */
static GPtrArray *number_names(GArray *list)
{
    GPtrArray *made = g_ptr_array_new_with_free_func(g_free);
    GHashTable *counts = g_hash_table_new(g_str_hash, g_str_equal),
               *seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < list->len; i++) {
        gpointer name = (gpointer)g_array_index(list, entry, i).name;
        g_hash_table_insert(counts, name,
                            GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(counts, name)) + 1));
    }
    for (guint i = 0; i < list->len; i++) {
        entry *e = &g_array_index(list, entry, i);
        guint all = GPOINTER_TO_UINT(g_hash_table_lookup(counts, e->name));
        guint number = GPOINTER_TO_UINT(g_hash_table_lookup(seen, e->name)) + 1;
        if (all < 2) continue;
        g_hash_table_insert(seen, (gpointer)e->name, GUINT_TO_POINTER(number));
        g_ptr_array_add(made, g_strdup_printf("(%u of %u) %s", number, all, e->name));
        e->name = made->pdata[made->len - 1];
    }
    g_hash_table_destroy(counts);
    g_hash_table_destroy(seen);
    return made;
}

static tw_status ended(const sheet *s)
{
    return ferror(s->out) ? tw__fail(TW_E_IO, "cannot write the tables") : TW_OK;
}

static void put_findings(const sheet *s, const tw__stats *stats)
{
    tw_findings *list = tw__findings_of(stats);
    heading(s, "What matters most:");
    for (size_t i = 0; i < tw_findings_count(list) && i < s->rows; i++) {
        const tw_finding *f = tw_findings_at(list, i);
        fprintf(s->out, "  %s", s->colour && f->is_error ? RED : "");
        put_text(s, f->text);
        fprintf(s->out, "%s%s%s\n", s->colour && f->is_error ? "\033[0m" : "", f->fidelity ? " — " : "",
                f->fidelity ? tw_fidelity_name(f->fidelity) : "");
        if (*f->advice) fputs("      ", s->out), put_text(s, f->advice), fputc('\n', s->out);
    }
    if (!tw_findings_count(list)) fputs("  no rule found anything to complain of\n", s->out);
    tw_findings_free(list);
}

/* " (± 4 % ...)", how near the cycles of a table are; "" where they are exact, or the profile does not say. */
static const char *band_behind(const tw_profile *p, tw_fidelity fidelity, char text[96])
{
    const char *band = fidelity ? p->names.items[p->target.band] : "";
    g_snprintf(text, 96, "%s%s%s", *band ? " (" : "", band, *band ? ")" : "");
    return text;
}

tw_status tw_profile_print_top(const tw_profile *p, FILE *out, tw_colours colours, unsigned rows)
{
    if (!p) return tw__missing("profile");
    sheet s = sheet_new(out, colours, rows);
    tw__stats stats;
    char title[128], text[64];
    tw_status status = tw__profile_has(p, false, true, "list");
    if (!status) status = tw__stats_new(&stats, p);
    if (status) return status;
    GArray *list = g_array_new(FALSE, TRUE, sizeof(entry));
    put_findings(&s, &stats);
    double all = 0;
    for (uint32_t i = 0; i < p->types.count; i++) {
        all += (double)stats.types[i].cycles;
        entry e = { p->names.items[p->types.items[i].name], i, (double)stats.types[i].cycles,
                    stats.types[i].instances, (double)stats.types[i].cycles };
        if (e.value > 0) g_array_append_val(list, e);
    }
    g_snprintf(title, sizeof title, "Cycles by %s:", tw__word_of(p, TW__WORD_KERNEL));
    heading(&s, title);
    put_entries(&s, list, all, ORANGE, "instances");
    g_array_set_size(list, 0);
    for (uint32_t i = 0; i < p->steps.count; i++) {
        const tw__step *step = &p->steps.items[i];
        const char *name = p->names.items[step->name];
        entry e = { *name ? name : p->names.items[step->type_name], i, tw__stats_step_cycles(&stats, i),
                    stats.counts[i],
                    tw__stats_step_cycles(&stats, i) - (double)stats.counts[i] * (double)step->overlapped };
        if (e.value > 0) g_array_append_val(list, e);
    }
    char band[96];
    g_snprintf(title, sizeof title, "Steps, of %s cycles%s:", tw__commas(text, sizeof text, stats.totals.cycles),
               band_behind(p, stats.totals.fidelity, band));
    heading(&s, title);
    GPtrArray *names = number_names(list);
    put_entries(&s, list, (double)stats.totals.cycles, BLUE, "times");
    g_ptr_array_free(names, TRUE);
    g_array_free(list, TRUE);
    tw__stats_free(&stats);
    return ended(&s);
}

static void put_tiles(const sheet *s, const tw__stats *stats, const uint64_t *values, const char *title,
                      const char *band, double whole, const char *unit)
{
    char name[64], text[64], at[TW__TEXT], label[TW__LABEL];
    const tw__terms *terms = tw__profile_terms(stats->p->names.items[stats->p->target.type]);
    const char *tile = terms->words[TW__WORD_TILE];
    entry *list = g_new(entry, stats->tiles + 1);
    for (uint32_t t = 0; t < stats->tiles; t++) list[t] = (entry){ "", t, (double)values[t], 0, (double)values[t] };
    qsort(list, stats->tiles, sizeof *list, by_value);
    g_autofree char *head = g_strdup_printf("%s%s:", tw__worded(terms, title, label), band);
    heading(s, head);
    for (uint32_t i = 0; i < stats->tiles && i < s->rows; i++) {
        bool over = whole > 0 && list[i].value > whole;
        g_snprintf(name, sizeof name, "%s %s", tile, tw__profile_tile(stats->p, list[i].id, at));
        fprintf(s->out, "  %-16s %15s %s %5.1f%% ", name, tw__commas(text, sizeof text, (uint64_t)list[i].value),
                unit, whole > 0 ? list[i].value / whole * 100 : 0);
        put_bar(s, whole > 0 ? list[i].value / whole : 0, over ? RED : ORANGE);
        fputs(over ? " over\n" : "\n", s->out);
    }
    if (stats->tiles > s->rows) {
        g_snprintf(name, sizeof name, "%s %s", tile, tw__profile_tile(stats->p, list[stats->tiles - 1].id, at));
        fprintf(s->out, "  ... %u more, down to %s of %s\n", stats->tiles - s->rows,
                tw__commas(text, sizeof text, (uint64_t)list[stats->tiles - 1].value), name);
    }
    g_free(list);
}

tw_status tw_profile_print_tiles(const tw_profile *p, FILE *out, tw_colours colours, unsigned rows)
{
    if (!p) return tw__missing("profile");
    sheet s = sheet_new(out, colours, rows);
    tw__stats stats;
    tw_status status = tw__stats_new(&stats, p);
    if (status) return status;
    if (stats.has_totals) {
        char band[96];
        put_tiles(&s, &stats, stats.active, "Busy cycles (compute, exchange and copies; % of the run)",
                  band_behind(p, stats.totals.fidelity, band), (double)stats.totals.cycles, "cycles");
    }
    if (stats.memory)
        put_tiles(&s, &stats, stats.memory,
                  stats.memory_has_gaps ? "Memory, with gaps (% of a tile)" : "Memory (% of a tile)", "",
                  (double)stats.limit, "bytes");
    if (!stats.has_totals && !stats.memory)
        status = tw__fail(TW_E_MISSING_PROFILE, "there are no figures by tile in the profile");
    tw__stats_free(&stats);
    return status ? status : ended(&s);
}

tw_status tw_profile_print_memory(const tw_profile *p, FILE *out, tw_colours colours, unsigned rows)
{
    if (!p) return tw__missing("profile");
    sheet s = sheet_new(out, colours, rows);
    tw__stats stats;
    tw_status status = tw__profile_has(p, true, false, "list");
    if (!status) status = tw__stats_new(&stats, p);
    if (status) return status;
    GArray *list = g_array_new(FALSE, TRUE, sizeof(entry));
    double all = 0;
    for (uint32_t i = 0; i < p->categories.count; i++) {
        const tw__category *c = &p->categories.items[i];
        entry e = { p->names.items[c->label], i, 0, 0, 0 };
        for (unsigned k = 0; k < TW__MEMORY_REGIONS * TW__MEMORY_OVERLAPS; k++) {
            const tw__row_info *row = &p->rows.items[c->bytes[k / TW__MEMORY_OVERLAPS][k % TW__MEMORY_OVERLAPS]];
            e.value += (double)row->sum;
            if (row->active > e.count) e.count = row->active;
        }
        all += e.part = e.value;
        if (e.value > 0) g_array_append_val(list, e);
    }
    char label[TW__LABEL];
    const tw__terms *terms = tw__profile_terms(p->names.items[p->target.type]);
    heading(&s, tw__worded(terms, "Bytes by category, on all tiles:", label));
    put_entries(&s, list, all, BLUE, tw__word_of(p, TW__WORD_TILE));
    g_array_set_size(list, 0);
    double always = 0;
    for (uint32_t i = 0; i < p->always_live.count; i++) {
        entry e = { p->names.items[p->always_live.items[i].name], i, (double)p->always_live.items[i].bytes, 1,
                    (double)p->always_live.items[i].bytes };
        always += e.value;
        g_array_append_val(list, e);
    }
    if (list->len) {
        heading(&s, "Always live:");
        put_entries(&s, list, always, ORANGE, "variable");
    }
    g_array_free(list, TRUE);
    if (stats.memory)
        put_tiles(&s, &stats, stats.memory, "Fullest tiles (% of a tile)", "", (double)stats.limit, "bytes");
    tw__stats_free(&stats);
    return ended(&s);
}

/* --- names ------------------------------------------------------------------------------------------------------ */

static gint by_cycles(gconstpointer a, gconstpointer b, gpointer nodes)
{
    guint x = *(const guint *)a, y = *(const guint *)b;
    const tw__named_steps *of_x = &g_array_index((GArray *)nodes, tw__named_steps, x),
                          *of_y = &g_array_index((GArray *)nodes, tw__named_steps, y);
    if (of_x->cycles != of_y->cycles) return of_x->cycles < of_y->cycles ? 1 : -1;
    return x < y ? -1 : x > y;
}

static void put_named(const sheet *s, const tw__named_steps *node, double whole)
{
    char text[64];
    g_autofree char *name = g_strdup_printf("%*s%s", 2 * (int)MIN(node->depth, 15), "", node->title);
    fputs("  ", s->out);
    put_name(s, name, NAME);
    fprintf(s->out, " %15s %5.1f%% ", tw__commas(text, sizeof text, (uint64_t)node->cycles),
            part_of(node->cycles, whole));
    put_bar(s, whole > 0 ? node->cycles / whole : 0, BLUE);
    fprintf(s->out, " %s step%s\n", tw__commas(text, sizeof text, node->times), node->times == 1 ? "" : "s");
}

/* Those of `order` as they are read: each followed by what is below it, the largest first. */
static void put_tree(const sheet *s, GArray *nodes, const guint *order, guint count, double whole)
{
    enum { END = 0 };
    g_autofree guint *below = g_new0(guint, nodes->len + 1), *beside = g_new0(guint, nodes->len + 1); /* + 1 */
    guint first = END;
    for (guint k = count; k-- > 0;) {
        uint32_t up = g_array_index(nodes, tw__named_steps, order[k]).up;
        guint *head = up == TW__NONE ? &first : &below[up];
        beside[order[k]] = *head, *head = order[k] + 1;
    }
    for (guint at = first; at != END;) {
        guint i = at - 1;
        put_named(s, &g_array_index(nodes, tw__named_steps, i), whole);
        at = below[i];
        while (at == END && i != TW__NONE) at = beside[i], i = g_array_index(nodes, tw__named_steps, i).up;
    }
}

/* The names with the most cycles: what is above one of them has as many, and is shown, too. */
tw_status tw_profile_print_names(const tw_profile *p, FILE *out, tw_colours colours, unsigned rows)
{
    if (!p || !out) return tw__missing(p ? "file" : "profile");
    sheet s = sheet_new(out, colours, rows);
    tw__stats stats;
    char band[96], text[64];
    tw_status status = tw__profile_has(p, false, true, "list");
    if (!status) status = tw__stats_new(&stats, p);
    if (status) return status;
    g_autoptr(GArray) nodes = tw__names_of(&stats);
    g_autofree guint *order = g_new(guint, nodes->len + 1);
    for (guint i = 0; i < nodes->len; i++) order[i] = i;
    g_qsort_with_data(order, (gint)nodes->len, sizeof *order, by_cycles, nodes);
    g_autofree char *title = g_strdup_printf(
        "Steps by the program's own names, of %s cycles%s:", tw__commas(text, sizeof text, stats.totals.cycles),
        band_behind(p, stats.totals.fidelity, band));
    heading(&s, title);
    put_tree(&s, nodes, order, MIN(nodes->len, s.rows), (double)stats.totals.cycles);
    if (nodes->len > s.rows) fprintf(out, "  ... %u more\n", nodes->len - s.rows);
    if (!nodes->len) fputs("  none\n", out);
    tw__stats_free(&stats);
    return ended(&s);
}

/* --- lines ------------------------------------------------------------------------------------------------------ */

static gint by_cost(gconstpointer a, gconstpointer b)
{
    const tw__profile_line *x = *(const tw__profile_line *const *)a, *y = *(const tw__profile_line *const *)b;
    if (x->cycles != y->cycles) return x->cycles < y->cycles ? 1 : -1;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : (x->file > y->file) - (x->file < y->file);
}

/* The place without its folders, what ran there, and the line itself below it. */
static void put_source_line(const sheet *s, const tw_profile *p, const tw__profile_line *line, double most)
{
    char text[64];
    const char *file = p->names.items[line->file], *slash = strrchr(file, '/');
    g_autofree char *name =
        g_strdup_printf("%s:%u %s", slash ? slash + 1 : file, line->line, p->names.items[line->what]);
    fputs("  ", s->out);
    put_name(s, name, NAME);
    fprintf(s->out, " %15s", tw__commas(text, sizeof text, line->cycles));
    fprintf(s->out, " %15s ", tw__commas(text, sizeof text, line->waits));
    put_bar(s, most > 0 ? (double)line->cycles / most : 0, ORANGE);
    fprintf(s->out, " %s times\n", tw__commas(text, sizeof text, line->runs));
    if (!line->text) return;
    fputs("      ", s->out);
    put_text(s, p->names.items[line->text]);
    fputc('\n', s->out);
}

tw_status tw_profile_print_lines(const tw_profile *p, FILE *out, tw_colours colours, unsigned rows)
{
    if (!p || !out) return tw__missing(p ? "file" : "profile");
    if (!p->lines.count)
        return tw__fail(TW_E_MISSING_PROFILE, "this profile has no lines of sources: its machine recorded none");
    sheet s = sheet_new(out, colours, rows);
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    for (size_t i = 0; i < p->lines.count; i++) g_ptr_array_add(list, &p->lines.items[i]);
    g_ptr_array_sort(list, by_cost);
    const tw__profile_line *first = list->pdata[0];
    char band[96];
    tw_profile_totals totals;
    tw_fidelity fidelity = tw_profile_get_totals(p, &totals) == TW_OK ? totals.fidelity : TW_FIDELITY_EXACT;
    g_autofree char *title =
        g_strdup_printf("Lines by cycles, and cycles that they waited beside these, on all tiles%s:",
                        band_behind(p, fidelity, band));
    heading(&s, title);
    for (guint i = 0; i < list->len && i < s.rows; i++)
        put_source_line(&s, p, list->pdata[i], (double)first->cycles);
    if (list->len > s.rows) fprintf(out, "  ... %u more\n", list->len - s.rows);
    return ended(&s);
}

/* --- the difference of two -------------------------------------------------------------------------------------- */

static const char *value_text(char buf[64], const tw__diff_line *line, double value)
{
    if (value < 0) return "-";
    if (!strcmp(line->unit, "ratio"))
        g_snprintf(buf, 64, "%.1f%%", value * 100);
    else if (!strcmp(line->unit, "seconds"))
        g_snprintf(buf, 64, "%.3f us", value * 1e6);
    else
        tw__commas(buf, 64, (uint64_t)value);
    return buf;
}

static void put_change(const sheet *s, const tw__diff_line *line)
{
    double d = line->b - line->a;
    char text[64];
    const char *colour = !s->colour || d == 0 ? "" : d > 0 ? ORANGE : BLUE, *sign = d > 0 ? "+" : "-";
    fputs(colour, s->out);
    if (line->a < 0 || line->b < 0)
        fprintf(s->out, "%15s", line->a < 0 ? "only in B" : "only in A");
    else if (!strcmp(line->unit, "ratio"))
        fprintf(s->out, "%s%13.1f%%", sign, fabs(d) * 100);
    else if (!strcmp(line->unit, "seconds"))
        fprintf(s->out, "%s%11.3f us", sign, fabs(d) * 1e6);
    else
        fprintf(s->out, "%s%14s", sign, tw__commas(text, sizeof text, (uint64_t)fabs(d)));
    if (line->a > 0 && line->b >= 0 && strcmp(line->unit, "ratio") != 0)
        fprintf(s->out, " %+8.1f%%", d / line->a * 100);
    if (*colour) fputs("\033[0m", s->out);
    fputc('\n', s->out);
}

/* How near the cycles of both are. */
static void put_bands(const sheet *s, const tw__stats *a, const tw__stats *b)
{
    const tw__stats *both[2] = { a, b };
    for (int i = 0; i < 2; i++) {
        const tw_profile *p = both[i]->p;
        const char *band = both[i]->has_totals && both[i]->totals.fidelity ? p->names.items[p->target.band] : "";
        if (!*band) continue;
        fprintf(s->out, "Cycles of %c are %s: ", "AB"[i], tw_fidelity_name(both[i]->totals.fidelity));
        put_text(s, band);
        fputc('\n', s->out);
    }
}

/* Of two machines cycles, steps and memories are different things. */
static void put_machines(const sheet *s, const tw_profile *a, const tw_profile *b)
{
    const tw_profile *both[2] = { a, b };
    const char *type[2], *arch[2];
    for (int i = 0; i < 2; i++) {
        type[i] = both[i]->names.items[both[i]->target.type];
        arch[i] = both[i]->names.items[both[i]->target.arch];
    }
    if (!strcmp(type[0], type[1]) && !strcmp(arch[0], arch[1])) return;
    if (s->colour) fputs(RED, s->out);
    for (int i = 0; i < 2; i++) {
        fputs(i ? ", B of " : "Warning: A is of ", s->out);
        put_text(s, type[i]);
        if (*arch[i]) fputc(' ', s->out), put_text(s, arch[i]);
    }
    fputs(": cycles, steps and memories of different machines do not compare.", s->out);
    fputs(s->colour ? "\033[0m\n" : "\n", s->out);
}

/* The terms of both; of two kinds of machine, those of neither. */
static const tw__terms *common_terms(const tw_profile *a, const tw_profile *b)
{
    const char *first = a->names.items[a->target.type], *second = b->names.items[b->target.type];
    return tw__profile_terms(strcmp(first, second) == 0 ? first : "");
}

tw_status tw_profile_print_diff(const tw_profile *a, const tw_profile *b, FILE *out, tw_colours colours,
                                unsigned rows)
{
    if (!a) return tw__missing("profile");
    sheet s = sheet_new(out, colours, rows);
    tw__stats x, y;
    tw__diff d;
    char text[64];
    tw_status status = tw__stats_new(&x, a);
    if (status) return status;
    if ((status = tw__stats_new(&y, b)) != TW_OK) {
        tw__stats_free(&x);
        return status;
    }
    status = tw__diff_new(&d, &x, &y);
    put_machines(&s, a, b);
    put_bands(&s, &x, &y);
    const tw__terms *terms = common_terms(a, b);
    char label[TW__LABEL];
    fprintf(out, "%-10s %-40s %15s %15s %15s\n", "", "", "A", "B", "B - A");
    unsigned shown = 0, same = 0, more = 0;
    for (guint i = 0; !status && i < d.lines->len; i++) {
        const tw__diff_line *line = &g_array_index(d.lines, tw__diff_line, i);
        if (line->a == line->b) {
            same++;
            continue;
        }
        if (shown++ >= s.rows) {
            more++;
            continue;
        }
        fprintf(out, "%-10s ", tw__diff_group_names[line->group]);
        bool is_ours = line->group == TW__DIFF_FIGURE; /* not a name of the program's */
        put_name(&s, !*line->name ? line->kind : is_ours ? tw__worded(terms, line->name, label) : line->name, 40);
        fprintf(out, " %15s", value_text(text, line, line->a));
        fprintf(out, " %15s ", value_text(text, line, line->b));
        put_change(&s, line);
    }
    if (more) fprintf(out, "... %u more\n", more);
    fprintf(out, "%u figures are the same.\n", same);
    tw__diff_free(&d);
    tw__stats_free(&x);
    tw__stats_free(&y);
    return status ? status : ended(&s);
}

/* --- conditions ------------------------------------------------------------------------------------------------- */

typedef struct metric {
    const char *name;
    double (*of)(const tw__stats *s); /* negative: not known */
} metric;

static double of_cycles(const tw__stats *s)
{
    return s->has_totals ? (double)s->totals.cycles : -1;
}

static double of_time(const tw__stats *s)
{
    return s->has_totals && s->totals.seconds > 0 ? s->totals.seconds : -1;
}

static double of_memory_max(const tw__stats *s)
{
    double most = s->memory ? 0 : -1;
    for (uint32_t t = 0; s->memory && t < s->tiles; t++)
        if ((double)s->memory[t] > most) most = (double)s->memory[t];
    return most;
}

static double of_memory_total(const tw__stats *s)
{
    double sum = s->memory ? 0 : -1;
    for (uint32_t t = 0; s->memory && t < s->tiles; t++) sum += (double)s->memory[t];
    return sum;
}

static double of_exchange(const tw__stats *s)
{
    tw_fidelity known;
    uint64_t bytes = tw_profile_bytes_moved(s->p, &known);
    return known != TW_FIDELITY_ABSENT ? (double)bytes : -1;
}

static double of_tile_balance(const tw__stats *s)
{
    return s->has_totals ? s->totals.tile_balance : -1;
}

static double of_thread_balance(const tw__stats *s)
{
    return s->has_totals ? tw__stats_thread_balance(s) : -1;
}

static double of_findings(const tw__stats *s)
{
    tw_findings *list = tw__findings_of(s);
    double n = (double)tw_findings_count(list);
    tw_findings_free(list);
    return n;
}

static const metric metrics[] = {
    { "cycles", of_cycles },
    { "time", of_time },
    { "memory.max", of_memory_max },
    { "memory.total", of_memory_total },
    { "exchange.bytes", of_exchange },
    { "tileBalance", of_tile_balance },
    { "threadBalance", of_thread_balance },
    { "findings", of_findings },
};

typedef struct condition {
    const metric *metric;
    char op;
    double value;
    bool is_change, is_relative;
} condition;

static bool read_condition(const char *text, condition *c)
{
    size_t length = strcspn(text, "<>");
    char *end;
    if (!text[length]) return false;
    for (size_t i = 0; i < G_N_ELEMENTS(metrics); i++)
        if (strlen(metrics[i].name) == length && !strncmp(metrics[i].name, text, length)) c->metric = &metrics[i];
    c->op = text[length];
    const char *number = text + length + 1;
    c->is_change = *number == '+' || *number == '-';
    c->value = g_ascii_strtod(number, &end);
    c->is_relative = *end == '%';
    if (end == number || !isfinite(c->value) || end[c->is_relative]) return false;
    return c->metric != NULL;
}

static bool is_ratio(const metric *m)
{
    return m->of == of_tile_balance || m->of == of_thread_balance;
}

tw_status tw_profile_judge(const tw_profile *a, const tw_profile *b, const char *text, bool *holds, char line[256])
{
    if (!a) return tw__missing("profile");
    condition c = { 0 };
    tw__stats x, y;
    *holds = false;
    line[0] = 0;
    if (!a || !b || !text || !read_condition(text, &c))
        return tw__fail(
            TW_E_INVALID_ARGUMENT,
            "condition '%s': expected METRIC>VALUE or METRIC<VALUE with METRIC cycles, time, memory.max, "
            "memory.total, exchange.bytes, tileBalance, threadBalance or findings; +VALUE and -VALUE are "
            "changes, %% of A",
            text ? text : "");
    tw_status status = tw__stats_new(&x, a);
    if (status) return status;
    if ((status = tw__stats_new(&y, b)) != TW_OK) {
        tw__stats_free(&x);
        return status;
    }
    double from = c.metric->of(&x), to = c.metric->of(&y);
    tw__stats_free(&x), tw__stats_free(&y);
    if (from < 0 || to < 0)
        return tw__fail(TW_E_MISSING_PROFILE, "%s is not in %s", c.metric->name, from < 0 ? "A" : "B");
    double percent = from > 0 ? (to - from) / from * 100 : to > 0 ? HUGE_VAL : 0;
    double left = to, unit = c.is_relative && is_ratio(c.metric) ? 0.01 : 1; /* ratios: 1 % is a point */
    if (c.is_change)
        left = c.is_relative && unit == 1 ? percent : (to - from) / unit;
    else
        left = to / unit;
    *holds = c.op == '>' ? left > c.value : left < c.value;
    g_snprintf(line, 256, "%s: %.6g -> %.6g (%+.2f%%): %s %s", c.metric->name, from, to,
               isfinite(percent) ? percent : 0, text, *holds ? "holds" : "does not hold");
    return TW_OK;
}
