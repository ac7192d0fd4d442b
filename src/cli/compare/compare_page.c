/* SPDX-License-Identifier: MIT */
/* compare: what ran as a page: a roofline of each machine, times by size, bars of a kernel. */
#include "cli/compare/compare.h"

#include <math.h>
#include <string.h>

/* Between them stands the title. */
static const char *const page_head[] = {
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width\">\n<title>",
    "</title>\n<style>\n"
    ":root{color-scheme:light dark;--ink:light-dark(#1c2330,#e6e9ef);--soft:light-dark(#5a6475,#a3adbd);"
    "--line:light-dark(#d5dae3,#3a4352);--bar:light-dark(#3b6fb6,#6ea2e8);--over:light-dark(#e9edf4,#222a36);"
    "--move:light-dark(#c7772e,#e5a363);--wait:light-dark(#b3bccb,#566073);--paper:light-dark(#fff,#171b22);"
    "--s0:light-dark(#2f66b0,#78a9ec);--s1:light-dark(#b3541e,#eda06a);--s2:light-dark(#2c7a4b,#6fc492);"
    "--s3:light-dark(#8a3d92,#cf8fd6);--s4:light-dark(#7a6a12,#d0bd5e);--s5:light-dark(#a8324a,#ef8a9e);"
    "--s6:light-dark(#3f6f78,#80bcc7)}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem "
    "auto;padding:0 1rem}\nh1{font-size:1.4rem}h2{font-size:1.1rem;margin:2rem 0 0}p{margin:.2rem 0 "
    ".8rem;color:var(--soft)}\n.row{display:grid;grid-template-columns:5.5rem 1fr 5rem;gap:.2rem .8rem;"
    "align-items:center;padding:.35rem 0;border-top:1px solid var(--line)}\n.own .name{grid-column:1/4;"
    "overflow-wrap:anywhere}.own .track,.own .more{grid-column:1/3}.own .more{grid-column:1/4}"
    ".name{font-weight:600}.time{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    ".track{background:var(--over);border-radius:3px;height:1rem}.bar{display:flex;border-radius:3px;height:1rem;"
    "min-width:3px;overflow:hidden}.bar i{background:var(--bar)}.bar i+i{background:var(--move)}"
    ".bar i+i+i{background:var(--wait)}\n.more{grid-column:2/4;color:var(--soft);font-size:.85rem}"
    ".key span{white-space:nowrap}.key i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin:0 "
    ".3em 0 .8em}\n"
    ".charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));gap:1rem}"
    "figure{margin:0}figcaption{font-weight:600}svg{display:block;width:100%;height:auto}"
    "svg text{font-size:11px;fill:var(--soft)}svg text.dot{fill:var(--ink)}"
    "svg .grid{stroke:var(--line)}svg .roof{stroke:var(--soft);stroke-width:2;fill:none}"
    "svg circle{fill:var(--bar)}svg polyline{fill:none;stroke-width:2}\n"
    "@media(max-width:30rem){.row{grid-template-columns:1fr auto}.track{grid-column:1/3;grid-row:2}"
    ".more,.own .name,.own .track,.own .more{grid-column:1/3}}\n"
    "</style>\n<h1>",
    "</h1>\n<p>Times are at the chip's clock and hold no transfer from "
    "or "
    "to the host; what is estimated says so.</p>\n",
};

/* A drawing's plane: 300 x 210, logarithmic axes. */
enum { LEFT = 62, RIGHT = 292, TOP = 8, BOTTOM = 180 };
typedef struct plane {
    double x0, x1, y0, y1; /* logarithms at the edges */
} plane;
static double plane_x(const plane *p, double x)
{
    return LEFT + (RIGHT - LEFT) * (log10(x) - p->x0) / (p->x1 - p->x0);
}
static double plane_y(const plane *p, double y)
{
    double at = BOTTOM - (BOTTOM - TOP) * (log10(y) - p->y0) / (p->y1 - p->y0);
    return fmin(fmax(at, TOP), BOTTOM);
}

static void page_mark(FILE *out, const plane *p, bool is_x, double value, const char *text)
{
    if (is_x)
        fprintf(out, "<path class=grid d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" text-anchor=middle>%s</text>\n",
                plane_x(p, value), TOP, BOTTOM, plane_x(p, value), BOTTOM + 14, text);
    else
        fprintf(out, "<path class=grid d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=end>%s</text>\n",
                LEFT, plane_y(p, value), RIGHT, LEFT - 4, plane_y(p, value) + 4, text);
}

/* Names of points, none above another. */
typedef struct labels {
    double x[64], y[64], width[64];
    size_t count;
} labels;
static void page_label(labels *placed, double x, double y, const char *text, FILE *out)
{
    double at = y + 4, width = 6.5 * (double)strlen(text) + 8;
    for (int attempt = 1; attempt < 12; attempt++) {
        bool is_free = at > TOP + 10 && at < BOTTOM; /* below the line of 100 % */
        for (size_t i = 0; i < placed->count; i++)
            is_free = is_free && !(x < placed->x[i] + placed->width[i] && placed->x[i] < x + width &&
                                   fabs(placed->y[i] - at) < 11);
        if (is_free) break;
        int lines = (attempt + 1) / 2; /* above and below, by turns */
        at = y + 4 + (attempt % 2 ? 11 : -11) * lines;
    }
    if (placed->count < G_N_ELEMENTS(placed->x))
        placed->width[placed->count] = width, placed->x[placed->count] = x, placed->y[placed->count++] = at;
    bool is_right = x > 235;
    if (at != y + 4)
        fprintf(out, "<path class=grid d=\"M%.1f %.1fL%.1f %.1f\"/>", x, y, is_right ? x - 5 : x + 5, at - 4);
    fprintf(out, "<text class=dot x=\"%.1f\" y=\"%.1f\"%s>%s</text>\n", is_right ? x - 6 : x + 6, at,
            is_right ? " text-anchor=end" : "", text);
}

/* --- rooflines -------------------------------------------------------------------------------------------------- */

static double intensity(const tw__compare_row *row)
{
    return row->bytes > 0 ? row->operations / row->bytes : 0;
}

static bool is_last(const tw__compare_row *rows, size_t count, size_t at)
{
    for (size_t i = at + 1; i < count; i++)
        if (rows[i].kernel == rows[at].kernel && rows[i].machine == rows[at].machine) return false;
    return true;
}

/* The decade, as a logarithm, at which the axis of shares begins: that below the least share of all machines, whose
 * pictures are read side by side. */
static int lowest_decade(const tw__compare_row *rows, size_t count)
{
    int lowest = -2;
    for (size_t i = 0; i < count; i++) {
        double share = rows[i].problem ? 0 : tw__compare_share_of(&rows[i]).operations;
        if (share > 0) lowest = MIN(lowest, MAX(-8, (int)floor(log10(share))));
    }
    return lowest;
}

/* Share of the peak against operations a byte, of the kernels on this machine, under what its memory lets it do. */
static void page_roof(const tw__compare_row *rows, size_t count, const tw__compare_machine *machine, double peak,
                      double bytes, FILE *out)
{
    const plane p = { -1.2, 2.2, lowest_decade(rows, count), 0 };
    const double knee = peak / bytes, x0 = pow(10, p.x0), x1 = pow(10, p.x1);
    fprintf(out,
            "<figure><figcaption>%s</figcaption><svg viewBox=\"0 0 300 210\" role=img aria-label=\"roofline of "
            "%s\">\n",
            machine->name, machine->name);
    page_mark(out, &p, true, 0.1, "0.1"), page_mark(out, &p, true, 1, "1"), page_mark(out, &p, true, 10, "10"),
        page_mark(out, &p, true, 100, "100");
    for (int decade = (int)p.y0; decade <= 0; decade++) {
        char text[32];
        snprintf(text, sizeof text, "%g %%", pow(10, decade + 2));
        page_mark(out, &p, false, pow(10, decade), text);
    }
    fprintf(out, "<text x=\"%d\" y=\"208\" text-anchor=end>operations a byte</text>\n", RIGHT);
    fprintf(out, "<path class=roof d=\"M%.1f %.1fL%.1f %.1fH%d\"/>\n", plane_x(&p, x0), plane_y(&p, x0 / knee),
            plane_x(&p, fmin(fmax(knee, x0), x1)), plane_y(&p, fmin(1, x1 / knee)), RIGHT);
    labels placed = { 0 };
    for (size_t i = 0; i < count; i++) {
        const tw__compare_row *row = &rows[i];
        double share = row->machine == machine && !row->problem ? tw__compare_share_of(row).operations : -1;
        if (share <= 0) continue;
        double x = plane_x(&p, intensity(row)), y = plane_y(&p, share);
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=3 />", x, y);
        if (is_last(rows, count, i)) page_label(&placed, x, y, row->kernel->name, out);
    }
    fputs("</svg></figure>\n", out);
}

static void page_roofs(const tw__compare_row *rows, size_t count, FILE *out)
{
    fputs(
        "<h2>Rooflines</h2>\n<p>Share of what the arithmetic of the cores that worked could do, against operations "
        "of the kernel for each byte of its arrays; the line is what arithmetic and memory allow (estimated). Of "
        "several sizes the last one has the name.</p>\n<div class=charts>\n",
        out);
    for (size_t m = 0; m < tw__compare_machine_count; m++)
        for (size_t i = 0; i < count; i++)
            if (rows[i].machine == &tw__compare_machines[m] && rows[i].peak_operations > 0 &&
                rows[i].peak_bytes > 0) {
                page_roof(rows, count, rows[i].machine, rows[i].peak_operations, rows[i].peak_bytes, out);
                break;
            }
    fputs("</div>\n", out);
}

/* --- times by size ---------------------------------------------------------------------------------------------- */

static void page_sizes(const tw__compare_row *rows, size_t count, FILE *out)
{
    double shortest = INFINITY, longest = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].problem || !(rows[i].totals.seconds > 0)) continue;
        shortest = fmin(shortest, rows[i].totals.seconds), longest = fmax(longest, rows[i].totals.seconds);
    }
    if (rows[0].n == rows[count - 1].n || !(longest > 0)) return;
    size_t least = rows[0].n, most = rows[0].n;
    for (size_t i = 0; i < count; i++) least = MIN(least, rows[i].n), most = MAX(most, rows[i].n);
    const plane p = { log10((double)least) - 0.05, log10((double)most) + 0.35 * log10((double)most / (double)least),
                      floor(log10(shortest)), ceil(log10(longest) + 0.01) };
    fputs("<div class=charts><figure><figcaption>time by n</figcaption><svg viewBox=\"0 0 300 210\" role=img "
          "aria-label=\"time by size\">\n",
          out);
    for (int decade = (int)p.y0; decade <= (int)p.y1; decade++) {
        char text[32];
        page_mark(out, &p, false, pow(10, decade), tw__compare_seconds_text(pow(10, decade), text));
    }
    size_t machines = 1;
    while (machines < count && rows[machines].n == rows[0].n) machines++;
    for (size_t i = 0; i < count; i += machines) {
        char text[32];
        snprintf(text, sizeof text, "%zu", rows[i].n);
        page_mark(out, &p, true, (double)rows[i].n, text);
    }
    labels placed = { 0 };
    for (size_t m = 0; m < machines; m++) {
        double x = 0, y = 0;
        fprintf(out, "<polyline style=\"stroke:var(--s%zu)\" points=\"", m % 7);
        for (size_t i = m; i < count; i += machines) {
            if (rows[i].problem) continue;
            x = plane_x(&p, (double)rows[i].n), y = plane_y(&p, rows[i].totals.seconds);
            fprintf(out, "%.1f,%.1f ", x, y);
        }
        fputs("\"/>", out);
        if (x > 0) page_label(&placed, x, y, rows[m].machine->name, out);
    }
    fputs("</svg></figure></div>\n", out);
}

/* --- bars ------------------------------------------------------------------------------------------------------- */

static void page_row(const tw__compare_row *row, double shortest, double longest, FILE *out)
{
    char time[32], operations[32], bytes[32], moved[32], memory[32];
    g_autofree char *name = g_markup_escape_text(row->label ? row->label : row->machine->name, -1);
    fprintf(out, "<div class=\"row%s\"><span class=name>%s</span>", row->label ? " own" : "", name);
    if (row->problem) {
        g_autofree char *problem = g_markup_escape_text(row->problem, -1);
        fprintf(out, "<span class=more>%s</span></div>\n", problem);
        return;
    }
    double decades = log10(longest / shortest), width = 10;
    if (decades > 0) width = 10 + 90 * log10(row->totals.seconds / shortest) / decades;
    tw__compare_share s = tw__compare_share_of(row);
    double computing = 100 * row->computing, exchanging = 100 * row->exchanging;
    g_autofree char *chip = g_markup_escape_text(row->label ? row->chip : "", -1);
    g_autofree char *says = g_markup_escape_text(tw__compare_band_text(row), -1);
    fprintf(out,
            "<div class=track><div class=bar style=\"width:%.1f%%\"><i style=\"width:%.1f%%\"></i>"
            "<i style=\"width:%.1f%%\"></i><i style=\"width:%.1f%%\"></i></div></div><span class=time>%s</span>\n"
            "<span class=more>%s%s%llu cycles (%s, %s) on %u of %u %ss; ",
            width, computing, exchanging, fmax(0, 100 - computing - exchanging),
            tw__compare_seconds_text(row->totals.seconds, time), chip, *chip ? ": " : "",
            (unsigned long long)row->totals.cycles, tw_fidelity_name(row->totals.fidelity), says, row->cores_used,
            row->cores, row->machine ? row->machine->core : "core");
    if (s.operations >= 0)
        fprintf(out, "%s of their arithmetic, %s of their memory's rate; ",
                tw__compare_percent_text(s.operations, operations), tw__compare_percent_text(s.bytes, bytes));
    fprintf(out, "%.0f %% calculating, %.0f %% exchanging; %s over the network%s%s</span></div>\n", computing,
            exchanging,
            row->moved_is_known ? tw__compare_bytes_text((double)row->moved, moved) : "an unknown number of bytes",
            row->memory ? "; the fullest holds " : "",
            row->memory ? tw__compare_bytes_text((double)row->memory, memory) : "");
}

static void page_bars(const tw__compare_row *rows, size_t count, FILE *out)
{
    double shortest = INFINITY, longest = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].problem || !(rows[i].totals.seconds > 0)) continue;
        shortest = fmin(shortest, rows[i].totals.seconds), longest = fmax(longest, rows[i].totals.seconds);
    }
    for (size_t i = 0; i < count; i++) page_row(&rows[i], shortest, longest, out);
}

void tw__compare_page(const tw__compare_row *rows, size_t count, FILE *out)
{
    bool is_own = count && rows->label;
    for (size_t i = 0; i < G_N_ELEMENTS(page_head); i++)
        fprintf(out, "%s%s", i ? is_own ? "Programs on several machines" : "One kernel, several machines" : "",
                page_head[i]);
    if (count && !is_own) page_roofs(rows, count, out);
    fprintf(out,
            "<h2>Times</h2>\n<p class=key>On a logarithmic scale, from the shortest to the longest%s; parts "
            "are shares of the time of the cores that worked:"
            "<span><i style=\"background:var(--bar)\"></i>calculating</span> "
            "<span><i style=\"background:var(--move)\"></i>exchanging</span> "
            "<span><i style=\"background:var(--wait)\"></i>waiting</span></p>\n",
            is_own ? "" : " of a size");
    if (is_own) page_bars(rows, count, out);
    for (size_t first = 0, end; first < count && !is_own; first = end) {
        for (end = first; end < count && rows[end].kernel == rows[first].kernel && rows[end].n == rows[first].n;)
            end++;
        char bytes[32];
        fprintf(out, "<h2>%s, n = %zu</h2>\n<p>%s; n counts %s. %.0f operations, %s.</p>\n",
                rows[first].kernel->name, rows[first].n, rows[first].kernel->what, rows[first].kernel->size,
                rows[first].operations, tw__compare_bytes_text(rows[first].bytes, bytes));
        page_bars(rows + first, end - first, out);
        if (end < count && rows[end].kernel == rows[first].kernel) continue;
        size_t start = tw__compare_first(rows, end - 1);
        page_sizes(rows + start, end - start, out);
    }
    fputs("</html>\n", out);
}
