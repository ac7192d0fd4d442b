/* SPDX-License-Identifier: MIT */
/* compare: what ran, as a table for a terminal, as JSON, as a page with bars. */
#include "cli/compare/compare.h"

#include <math.h>
#include <string.h>
#include <tilewright/tile.h>

/* Seconds as people read them. */
static char *seconds_text(double seconds, char text[32])
{
    static const struct {
        double unit;
        const char *name;
    } units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "µs" }, { 1e-9, "ns" } };
    size_t i = 0;
    while (i + 1 < G_N_ELEMENTS(units) && seconds < units[i].unit) i++;
    snprintf(text, 32, "%.3g %s", seconds / units[i].unit, units[i].name);
    return text;
}

static char *bytes_text(double bytes, char text[32])
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    size_t i = 0;
    while (i + 1 < G_N_ELEMENTS(units) && bytes >= 1024) bytes /= 1024, i++;
    snprintf(text, 32, i ? "%.3g %s" : "%.0f %s", bytes, units[i]);
    return text;
}

/* Of the rate that the cores which worked could reach. */
typedef struct share {
    double operations, bytes; /* 0 to 1; -1: not known */
} share;
static share share_of(const tw__compare_row *row)
{
    double part = row->cores ? (double)row->cores_used / row->cores : 0, seconds = row->totals.seconds * part;
    bool known = seconds > 0;
    return (share){ known && row->peak_operations > 0 ? row->operations / seconds / row->peak_operations : -1,
                    known && row->peak_bytes > 0 ? row->bytes / seconds / row->peak_bytes : -1 };
}

static const char *percent_text(double part, char text[32])
{
    if (part < 0) return "-";
    snprintf(text, 32, "%.*f %%", part < 0.1 ? 1 : 0, 100 * part);
    return text;
}

static const char *band_text(const tw__compare_row *row, char *text, size_t size)
{
    return tw_band_text(tw_band_find(row->machine->arch, NULL), text, size);
}

void tw__compare_print(const tw__compare_row *rows, size_t count)
{
    char time[32], memory[32], operations[32], bytes[32], band[160];
    for (size_t i = 0; i < count; i++) {
        const tw__compare_row *row = &rows[i];
        if (!i || row->kernel != rows[i - 1].kernel || row->n != rows[i - 1].n) {
            printf("%s%s: %s, n = %zu %s; %.0f operations, %s\n", i ? "\n" : "", row->kernel->name,
                   row->kernel->what, row->n, row->kernel->size, row->operations, bytes_text(row->bytes, bytes));
            printf("  %-8s %11s %10s %15s %11s %10s %10s  %s\n", "machine", "cycles", "time", "cores", "arithmetic",
                   "memory", "per core", "cycles are");
        }
        if (row->problem) {
            printf("  %-8s %s\n", row->machine->name, row->problem);
            continue;
        }
        share s = share_of(row);
        g_autofree char *cores = g_strdup_printf("%u of %u", row->cores_used, row->cores);
        printf("  %-8s %11llu %10s %15s %11s %10s %10s  %s, %s\n", row->machine->name,
               (unsigned long long)row->totals.cycles, seconds_text(row->totals.seconds, time), cores,
               percent_text(s.operations, operations), percent_text(s.bytes, bytes),
               row->memory ? bytes_text((double)row->memory, memory) : "-", tw_fidelity_name(row->totals.fidelity),
               band_text(row, band, sizeof band));
    }
    puts("arithmetic, memory: share of what the cores that worked could do (estimated), for the operations and "
         "bytes of\n"
         "the definition. Times are at the chip's clock and hold no transfer from or to the host.");
}

json_t *tw__compare_json(const tw__compare_row *rows, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const tw__compare_row *row = &rows[i];
        char band[160];
        json_t *one = json_pack("{s:s, s:s, s:I}", "kernel", row->kernel->name, "machine", row->machine->name, "n",
                                (json_int_t)row->n);
        if (row->problem) json_object_set_new(one, "problem", json_string(row->problem));
        if (row->command) json_object_set_new(one, "command", json_string(row->command));
        if (!row->problem) {
            share s = share_of(row);
            json_t *figures =
                json_pack("{s:I, s:f, s:s, s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:I, s:I}", "cycles",
                          (json_int_t)row->totals.cycles, "seconds", row->totals.seconds, "fidelity",
                          tw_fidelity_name(row->totals.fidelity), "band", band_text(row, band, sizeof band),
                          "coresUsed", (int)row->cores_used, "cores", (int)row->cores, "operations",
                          row->operations, "bytes", row->bytes, "shareOfArithmetic", s.operations, "shareOfMemory",
                          s.bytes, "bytesPerCore", (json_int_t)row->memory, "bytesMoved", (json_int_t)row->moved);
            json_object_update(one, figures);
            json_decref(figures);
        }
        json_array_append_new(list, one);
    }
    return list;
}

/* --- page ------------------------------------------------------------------------------------------------------- */

static const char page_head[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width\">\n<title>One kernel, several machines</title>\n<style>\n"
    ":root{color-scheme:light dark;--ink:light-dark(#1c2330,#e6e9ef);--soft:light-dark(#5a6475,#a3adbd);"
    "--line:light-dark(#d5dae3,#3a4352);--bar:light-dark(#3b6fb6,#6ea2e8);--over:light-dark(#c7d7ee,#2c4361);"
    "--paper:light-dark(#fff,#171b22)}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem "
    "auto;padding:0 1rem}\nh1{font-size:1.4rem}h2{font-size:1.1rem;margin:2rem 0 0}p{margin:.2rem 0 "
    ".8rem;color:var(--soft)}\n.row{display:grid;grid-template-columns:5.5rem 1fr 6.5rem;gap:.2rem .8rem;"
    "align-items:center;padding:.35rem 0;border-top:1px solid var(--line)}\n.name{font-weight:600}"
    ".time{text-align:right;font-variant-numeric:tabular-nums}\n.track{background:var(--over);border-radius:3px;"
    "height:1rem}.bar{background:var(--bar);border-radius:3px;height:1rem;min-width:2px}\n"
    ".more{grid-column:2/4;color:var(--soft);font-size:.85rem}\n"
    "</style>\n<h1>One kernel, several machines</h1>\n<p>Bars are times on a logarithmic scale, from a kernel's "
    "shortest to its longest. Times are at the chip's clock and hold no transfer from or to the host; what is "
    "estimated says "
    "so.</p>\n";

static void page_row(const tw__compare_row *row, double shortest, double longest, FILE *out)
{
    char time[32], operations[32], bytes[32], moved[32], memory[32], band[160];
    g_autofree char *name = g_markup_escape_text(row->machine->name, -1);
    fprintf(out, "<div class=row><span class=name>%s</span>", name);
    if (row->problem) {
        g_autofree char *problem = g_markup_escape_text(row->problem, -1);
        fprintf(out, "<span class=more>%s</span></div>\n", problem);
        return;
    }
    double decades = log10(longest / shortest), width = 10;
    if (decades > 0) width = 10 + 90 * log10(row->totals.seconds / shortest) / decades;
    share s = share_of(row);
    fprintf(out,
            "<div class=track><div class=bar style=\"width:%.1f%%\"></div></div><span class=time>%s</span>"
            "<span class=more>%llu cycles (%s, %s) on %u of %u %ss; %s of their arithmetic, %s of their memory's "
            "rate; %s between them%s%s</span></div>\n",
            width, seconds_text(row->totals.seconds, time), (unsigned long long)row->totals.cycles,
            tw_fidelity_name(row->totals.fidelity), band_text(row, band, sizeof band), row->cores_used, row->cores,
            row->machine->core, percent_text(s.operations, operations), percent_text(s.bytes, bytes),
            bytes_text((double)row->moved, moved), row->memory ? "; the fullest holds " : "",
            row->memory ? bytes_text((double)row->memory, memory) : "");
}

void tw__compare_page(const tw__compare_row *rows, size_t count, FILE *out)
{
    fputs(page_head, out);
    for (size_t first = 0, end; first < count; first = end) {
        double shortest = INFINITY, longest = 0;
        for (end = first; end < count && rows[end].kernel == rows[first].kernel && rows[end].n == rows[first].n;
             end++) {
            if (rows[end].problem || !(rows[end].totals.seconds > 0)) continue;
            shortest = fmin(shortest, rows[end].totals.seconds), longest = fmax(longest, rows[end].totals.seconds);
        }
        char bytes[32];
        fprintf(out, "<h2>%s, n = %zu</h2>\n<p>%s; n counts %s. %.0f operations, %s.</p>\n",
                rows[first].kernel->name, rows[first].n, rows[first].kernel->what, rows[first].kernel->size,
                rows[first].operations, bytes_text(rows[first].bytes, bytes));
        for (size_t i = first; i < end; i++) page_row(&rows[i], shortest, longest, out);
    }
    fputs("</html>\n", out);
}
