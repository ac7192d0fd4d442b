/* SPDX-License-Identifier: MIT */
/* The execution half of the summary (guide 8.2.3): totals, cycles by vertex type, and every executed step. */
#include "core/profile/summary.h"

#include <stdlib.h>

enum { DEFAULT_MAX_STEPS = 100000 };

static char *percent(char buf[TW__TEXT], double ratio)
{
    return strcat(tw__fixed1(buf, ratio * 100), "%");
}

/* Of a graph of four kernels on an array of 400 tiles the balance of all is 1 %, whatever they do. */
static void print_used(const tw__page *page, const tw_profile_totals *t)
{
    char text[TW__TEXT], all[TW__TEXT], share[TW__TEXT], label[TW__LABEL];
    uint32_t used;
    if (!tw__profile_tiles_in_use(page->p, &used) || !used || used == page->p->target.tiles) return;
    tw__note(page, 2, "%s of %s %s are in use; the balance of these alone is %s.",
             tw__commas(text, sizeof text, used), tw__commas(all, sizeof all, page->p->target.tiles),
             tw__worded(page->terms, "tiles", label), percent(share, tw__profile_used_balance(page->p, t, used)));
}

static void print_totals(const tw__page *page, const tw_profile_totals *t)
{
    char a[TW__TEXT], b[TW__TEXT], label[TW__LABEL];
    FILE *out = page->out;
    fprintf(out, "  Total cycles: %s", tw__commas(a, sizeof a, t->cycles));
    bool fine = !page->terms->is_graph && t->seconds < 1e-6;
    if (t->seconds > 0)
        fprintf(out, " (approx %s %sseconds)", tw__fixed1(b, t->seconds * (fine ? 1e9 : 1e6)),
                fine ? "nano" : "micro");
    fprintf(out, "\n  Total compute cycles%s: %s\n", page->terms->is_graph ? " (including idle threads)" : "",
            tw__commas(a, sizeof a, t->by_bucket[TW_CYCLES_COMPUTE]));
    if (page->terms->is_graph)
        fprintf(out, "  Total compute cycles (excluding idle threads): %s\n",
                tw__commas(a, sizeof a, t->compute_active));
    for (TW__EACH_COLUMN(c, TW__TABLE_totals)) {
        uint64_t value = c->label ? tw__column_get(c, t) : 0;
        if (c->label && (page->terms->is_graph || value))
            fprintf(out, "  %s: %s\n", tw__worded(page->terms, c->label, label), tw__commas(a, sizeof a, value));
    }
    fprintf(out, "  %s: %s\n", tw__worded(page->terms, "Total tile balance", label), percent(a, t->tile_balance));
    if (page->terms->is_graph) fprintf(out, "  Total thread balance: %s\n", percent(a, t->thread_balance));
    if (!t->fidelity) return;
    const tw_profile *p = page->p;
    const char *band = p->names.items[p->target.band], *compared = p->names.items[p->target.compared];
    tw__note(page, 2, "cycles are %s%s%s%s%s%s.", tw_fidelity_name(t->fidelity), *band ? ": " : "", band,
             *compared ? " (" : "", compared, *compared ? ")" : "");
}

typedef struct type_line {
    const char *name;
    uint64_t cycles, instances;
} type_line;

static int by_cycles(const void *a, const void *b)
{
    const type_line *x = a, *y = b;
    if (x->cycles != y->cycles) return x->cycles < y->cycles ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void print_type_lines(const tw__page *page, int indent, type_line *lines, size_t count)
{
    size_t width = 0;
    char text[TW__TEXT];
    qsort(lines, count, sizeof *lines, by_cycles);
    for (size_t i = 0; i < count; i++) width = strlen(lines[i].name) > width ? strlen(lines[i].name) : width;
    if (width > 80) width = 80;
    bool counted = tw_profile_has_graph(page->p); /* an execution profile alone does not say how many there are */
    for (size_t i = 0; i < count; i++) {
        tw__commas(text, sizeof text, lines[i].cycles);
        fprintf(page->out, "%*s", indent, "");
        tw__print_name(page->out, lines[i].name, (int)width);
        if (counted || lines[i].instances)
            fprintf(page->out, " (%llu instances)", (unsigned long long)lines[i].instances);
        fprintf(page->out, ": %12s\n", text);
    }
}

static tw_status print_vertex_types(const tw__page *page)
{
    const tw_profile *p = page->p;
    type_line *lines = tw__realloc(NULL, (p->types.count + 1) * sizeof *lines);
    tw__type_cycles *types = tw__profile_type_totals(p);
    if (!lines || !types) {
        free(lines);
        free(types);
        return tw__fail(TW_E_NO_MEMORY, "out of memory for the summary");
    }
    size_t count = 0;
    for (size_t i = 0; i < p->types.count; i++)
        if (types[i].cycles)
            lines[count++] =
                (type_line){ p->names.items[p->types.items[i].name], types[i].cycles, types[i].instances };
    free(types);
    fputc('\n', page->out);
    tw__heading(page, 2, page->terms->cycles_by_type);
    print_type_lines(page, 4, lines, count);
    free(lines);
    return TW_OK;
}

/* --- steps ---------------------------------------------------------------------------------------------------- */

typedef struct step_printer {
    const tw__page *page;
    uint64_t left;
    tw_status status;
} step_printer;

static tw_status print_step_types(const tw__page *page, uint32_t plan_step)
{
    const tw_profile *p = page->p;
    const tw__step *s = &p->steps.items[plan_step];
    if (!s->types_count) return TW_OK;
    type_line *lines = tw__realloc(NULL, s->types_count * sizeof *lines);
    if (!lines) return tw__fail(TW_E_NO_MEMORY, "out of memory for the summary");
    for (uint32_t i = 0; i < s->types_count; i++) {
        const tw__type_cycles *tc = &p->type_cycles.items[s->types_first + i];
        const char *name =
            tc->vertex_type < p->types.count ? p->names.items[p->types.items[tc->vertex_type].name] : "";
        lines[i] = (type_line){ name, tc->cycles, tc->instances };
    }
    fprintf(page->out, "      %s\n", page->terms->is_graph ? "By vertex type:" : page->terms->cycles_by_type);
    print_type_lines(page, 8, lines, s->types_count);
    free(lines);
    return TW_OK;
}

static void print_balance(const tw__page *page, const char *label, double ratio)
{
    char text[TW__TEXT], worded[TW__LABEL];
    if (ratio >= 0)
        fprintf(page->out, "      %-22s%s\n", tw__worded(page->terms, label, worded), percent(text, ratio));
}

static tw_status print_step(const tw__page *page, const tw_profile_step *s)
{
    char a[TW__TEXT], b[TW__TEXT], label[TW__LABEL];
    FILE *out = page->out;
    if (s->type == TW_PROGRAM_SYNC) {
        static const char *const kinds[] = { "", "Internal ", "External ", "Global " };
        bool named = s->name[0]; /* the sync group, with several IPUs */
        fprintf(out, "    --- %sSync%s", kinds[s->sync], named ? " (" : "");
        tw__print_name(out, s->name, 0);
        fprintf(out, "%s ---\n", named ? ")" : "");
        return TW_OK;
    }
    fputs("    ", out);
    tw__print_name(out, s->type_name, 0);
    fprintf(out, " (cycles %s - %s)%s", tw__commas(a, sizeof a, s->cycles_from),
            tw__commas(b, sizeof b, s->cycles_to), s->name[0] ? ": " : "");
    tw__print_name(out, s->name, 0);
    fprintf(out, "\n      %-22s%s", "Cycles:", tw__commas(a, sizeof a, s->cycles));
    if (s->type != TW_PROGRAM_STREAM_COPY)
        fprintf(out, " (%s overlapped with previous)", tw__commas(a, sizeof a, s->overlapped));
    if (s->fidelity) fprintf(out, " [%s]", tw_fidelity_name(s->fidelity));
    fputc('\n', out);
    fprintf(out, "      %-22s%s / %s\n", tw__worded(page->terms, "Active Tiles:", label),
            tw__commas(a, sizeof a, s->active_tiles), tw__commas(b, sizeof b, page->p->target.tiles));
    if (page->terms->is_graph) print_balance(page, "Thread Balance:", s->thread_balance);
    const tw__step_line line = { .stored = page->p->steps.items[s->plan_step], .info = *s };
    for (TW__EACH_COLUMN(c, TW__TABLE_step)) {
        if (!c->label || !tw__column_in(c, tw__step_parts(&line.stored))) continue;
        if (c->kind == TW__KIND_RATIO)
            print_balance(page, c->label, tw__column_real(c, &line));
        else
            fprintf(out, "      %-22s%s\n", c->label, tw__commas(a, sizeof a, tw__column_get(c, &line)));
    }
    return print_step_types(page, s->plan_step);
}

static bool visit_step(void *user, const tw_profile_step *step)
{
    step_printer *printer = user;
    if (!printer->left) return false;
    printer->left--;
    printer->status = print_step(printer->page, step);
    return printer->status == TW_OK;
}

tw_status tw__summary_execution(const tw__page *page)
{
    tw_profile_totals totals;
    tw_status status = tw_profile_get_totals(page->p, &totals);
    if (status) return status;
    tw__heading(page, 0, "Execution:");
    fputc('\n', page->out);
    print_totals(page, &totals);
    print_used(page, &totals);
    status = print_vertex_types(page);
    if (status || !page->options.show_execution_steps) return status;
    step_printer printer = { page, page->options.max_steps ? page->options.max_steps : DEFAULT_MAX_STEPS, TW_OK };
    uint64_t shown = printer.left < totals.steps ? printer.left : totals.steps;
    fputc('\n', page->out);
    tw__heading(page, 2, "Steps");
    tw_profile_each_step(page->p, visit_step, &printer);
    if (shown < totals.steps) {
        char text[TW__TEXT];
        tw__note(page, 4, "%s further steps are not shown.", tw__commas(text, sizeof text, totals.steps - shown));
    }
    return printer.status;
}
