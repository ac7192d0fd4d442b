/* SPDX-License-Identifier: MIT */
/* page: the HTML file. The template comes from web/ with the script, the styles and a content security policy that
 * allows these two and nothing else; here the data and a summary that is readable without a script are put into
 * it. */
#include "report/report.h"
#include "core/base/text_file.h"

#include "core/profile/summary.h"

#include <math.h>

/* A text with what HTML would read as markup escaped; controls and marks of direction become visible. */
static void put_text(FILE *out, const char *text)
{
    if (!g_utf8_validate(text, -1, NULL)) text = "?";
    for (const char *at = text; *at; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        bool hidden = c < 0x20 || c == 0x7f || (c >= 0x80 && c < 0xa0) || c == 0x61c ||
                      (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
                      (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
        if (hidden)
            fprintf(out, "⟨U+%04X⟩", c);
        else if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'')
            fprintf(out, "&#%u;", c);
        else
            fwrite(at, 1, (size_t)(g_utf8_next_char(at) - at), out);
    }
}

static void put_row(FILE *out, const char *label, const char *value)
{
    fputs("<tr><th scope=\"row\">", out);
    put_text(out, label);
    fputs("</th><td>", out);
    put_text(out, value);
    fputs("</td></tr>\n", out);
}

static void put_totals(FILE *out, const tw__stats *s)
{
    char text[128], digits[64], count[64], label[TW__LABEL];
    const tw_profile_totals *t = &s->totals;
    const tw_profile *p = s->p;
    g_snprintf(text, sizeof text, "%s (%s)", tw__commas(digits, sizeof digits, t->cycles),
               tw_fidelity_name(t->fidelity));
    put_row(out, "Cycles", text);
    if (t->fidelity && p->target.band) put_row(out, "Cycles are", p->names.items[p->target.band]);
    if (t->fidelity && p->target.compared) put_row(out, "Compared", p->names.items[p->target.compared]);
    if (t->seconds > 0) {
        g_snprintf(text, sizeof text, "%s µs", g_ascii_formatd(digits, sizeof digits, "%.3f", t->seconds * 1e6));
        put_row(out, "Time", text);
    }
    uint32_t used;
    bool some = tw__profile_tiles_in_use(p, &used) && used && used < p->target.tiles;
    double balance = some ? tw__profile_used_balance(p, t, used) : t->tile_balance;
    int length =
        g_snprintf(text, sizeof text, "%s %%", g_ascii_formatd(digits, sizeof digits, "%.1f", balance * 100));
    if (some)
        g_snprintf(text + length, sizeof text - (size_t)length, " of the %s in use, of %s",
                   tw__commas(digits, sizeof digits, used), tw__commas(count, sizeof count, p->target.tiles));
    const tw__terms *terms = tw__profile_terms(p->names.items[p->target.type]);
    put_row(out, tw__worded(terms, "Tile balance", label), text);
    if (!terms->is_graph) return; /* its cores have no threads */
    g_snprintf(text, sizeof text, "%s %%", g_ascii_formatd(digits, sizeof digits, "%.1f", t->thread_balance * 100));
    put_row(out, "Thread balance", text);
}

static void put_summary(FILE *out, const tw__stats *s, const tw_findings *findings, const char *name)
{
    const tw_profile *p = s->p;
    char text[128], digits[64], at[TW__TEXT];
    fputs("<section class=\"static\"><h2>", out);
    put_text(out, name);
    fputs("</h2>\n<table>\n", out);
    if (*tw__fact_of(p, "program")) put_row(out, "Program", tw__fact_of(p, "program"));
    put_row(out, "Machine", p->names.items[p->target.type]);
    if (p->target.arch) put_row(out, "Architecture", p->names.items[p->target.arch]);
    g_snprintf(text, sizeof text, "%s", tw__commas(digits, sizeof digits, s->tiles));
    put_row(out, "Tiles", text);
    if (s->has_totals) put_totals(out, s);
    if (s->memory) {
        uint32_t worst = 0;
        for (uint32_t t = 0; t < s->tiles; t++)
            if (s->memory[t] > s->memory[worst]) worst = t;
        const char *word = tw__word_of(p, TW__WORD_TILE);
        g_snprintf(text, sizeof text, "%s bytes on %s %s", tw__commas(digits, sizeof digits, s->memory[worst]),
                   word, tw__profile_tile(p, worst, at));
        put_row(out, "Fullest", text);
    }
    fputs("</table>\n<ul>\n", out);
    for (size_t i = 0; i < tw_findings_count(findings); i++) {
        fputs("<li>", out);
        put_text(out, tw_findings_at(findings, i)->text);
        fputs("</li>\n", out);
    }
    fputs("</ul></section>\n", out);
}

/* --- the data --------------------------------------------------------------------------------------------------- */

static void head_findings(tw__json *j, const tw_findings *findings)
{
    tw__json_open(j, "findings", '[');
    for (size_t i = 0; i < tw_findings_count(findings); i++) {
        const tw_finding *f = tw_findings_at(findings, i);
        tw__json_open(j, NULL, '{');
        tw__json_text(j, "rule", f->rule);
        tw__json_text(j, "text", f->text);
        tw__json_text(j, "advice", f->advice);
        tw__json_text(j, "link", f->link);
        tw__json_number(j, "severity", f->severity);
        tw__json_count(j, "isError", f->is_error);
        tw__json_text(j, "fidelity", tw_fidelity_name(f->fidelity));
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
}

static void head_rules(tw__json *j, const tw_profile *p)
{
    const tw__terms *terms = tw__profile_terms(p->names.items[p->target.type]);
    char label[TW__LABEL];
    tw__json_open(j, "rules", '[');
    for (const tw__rule_row *row = tw__rule_rows; row->name; row++) {
        tw__json_open(j, NULL, '{');
        tw__json_text(j, "rule", row->name);
        tw__json_text(j, "title", tw__worded(terms, row->title, label));
        tw__json_text(j, "formula", tw__worded(terms, row->formula, label));
        tw__json_number(j, "threshold", row->threshold);
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
}

enum { DIFF_LINES = 20000 };

static void head_diff(tw__json *j, const tw__diff *d)
{
    tw__json_open(j, "diff", '[');
    for (guint i = 0; i < d->lines->len && i < DIFF_LINES; i++) {
        const tw__diff_line *line = &g_array_index(d->lines, tw__diff_line, i);
        tw__json_open(j, NULL, '{');
        tw__json_text(j, "group", tw__diff_group_names[line->group]);
        tw__json_text(j, "name", line->name);
        if (*line->kind) tw__json_text(j, "kind", line->kind);
        tw__json_text(j, "unit", line->unit);
        if (line->a >= 0) tw__json_number(j, "a", line->a);
        if (line->b >= 0) tw__json_number(j, "b", line->b);
        tw__json_number(j, "weight", line->weight);
        tw__json_close(j, '}');
    }
    tw__json_close(j, ']');
    if (d->lines->len > DIFF_LINES) tw__json_count(j, "diffLinesLeftOut", d->lines->len - DIFF_LINES);
}

typedef struct side {
    tw__stats stats;
    tw_findings *findings;
    const char *name;
} side;

typedef struct report {
    side sides[2];
    unsigned count;
    const char *title;
    uint64_t row_bytes;
} report;

static tw_status put_data(const report *r, FILE *out)
{
    tw__text_file file;
    size_t bytes = 0;
    FILE *memory = tw__text_open(&file);
    if (!memory) return tw__fail(TW_E_NO_MEMORY, "out of memory for a report");
    tw__json j = { .out = memory, .empty = true };
    tw__report_pack pack;
    tw_status status = TW_OK;
    tw__report_pack_init(&pack);
    tw__json_open(&j, NULL, '{');
    tw__json_count(&j, "version", 1);
    tw__json_text(&j, "title", r->title);
    head_rules(&j, r->sides[0].stats.p);
    tw__json_open(&j, "profiles", '[');
    for (unsigned i = 0; i < r->count && !status; i++) {
        tw__json_open(&j, NULL, '{');
        tw__json_text(&j, "name", r->sides[i].name);
        tw__json_text(&j, "prefix", i ? "b." : "a.");
        head_findings(&j, r->sides[i].findings);
        status = tw__report_columns(&r->sides[i].stats, &pack, i ? "b." : "a.", &j, r->row_bytes);
        tw__json_close(&j, '}');
    }
    tw__json_close(&j, ']');
    if (r->count == 2 && !status) {
        tw__diff d;
        status = tw__diff_new(&d, &r->sides[0].stats, &r->sides[1].stats);
        if (!status) head_diff(&j, &d);
        tw__diff_free(&d);
    }
    fprintf(memory, ",\"columns\":{%s}", pack.index->str);
    tw__json_close(&j, '}');
    char *text = tw__text_close(&file, &bytes);
    if (!status && !text) status = tw__fail(TW_E_NO_MEMORY, "out of memory for a report");
    if (!status) status = tw__report_pack_write(&pack, text, bytes, out);
    tw__report_pack_free(&pack);
    free(text);
    return status;
}

/* --- the template ----------------------------------------------------------------------------------------------- */

static tw_status put_part(const report *r, const char *name, size_t length, FILE *out)
{
    if (length == 5 && !memcmp(name, "title", 5)) {
        put_text(out, r->title);
    } else if (length == 7 && !memcmp(name, "summary", 7)) {
        for (unsigned i = 0; i < r->count; i++)
            put_summary(out, &r->sides[i].stats, r->sides[i].findings, r->sides[i].name);
    } else if (length == 4 && !memcmp(name, "data", 4)) {
        return put_data(r, out);
    } else {
        return tw__fail(TW_E_ERROR, "the page asks for '%.*s'", (int)length, name);
    }
    return TW_OK;
}

/* Copies the template and puts the parts where it names them. */
static tw_status put_page(const report *r, const char *page, size_t bytes, FILE *out)
{
    static const char mark[] = "<!--tilewright:", end_mark[] = "-->";
    const char *at = page, *end = page + bytes;
    tw_status status = TW_OK;
    while (at < end && !status) {
        const char *found = g_strstr_len(at, end - at, mark);
        const char *stop = found ? g_strstr_len(found, end - found, end_mark) : NULL;
        fwrite(at, 1, (size_t)((stop ? found : end) - at), out);
        if (!stop) break;
        const char *name = found + sizeof mark - 1;
        status = put_part(r, name, (size_t)(stop - name), out);
        at = stop + sizeof end_mark - 1;
    }
    if (!status && ferror(out)) status = tw__fail(TW_E_IO, "cannot write the report");
    return status;
}

static tw_status add_side(report *r, const tw_profile *p, const char *name)
{
    side *at = &r->sides[r->count];
    if (!p->has_graph && !p->has_execution)
        return tw__fail(TW_E_MISSING_PROFILE, "there is neither a graph nor an execution profile to report");
    tw_status status = tw__stats_new(&at->stats, p);
    if (status) return status;
    r->count++;
    at->name = name;
    at->findings = tw__findings_of(&at->stats);
    return TW_OK;
}

static const char *name_of(const tw_profile *p, const char *given, const char *otherwise)
{
    if (given) return given;
    return p && *tw__fact_of(p, "program") ? tw__fact_of(p, "program") : otherwise;
}

tw_status tw__report_write(const char *page, size_t page_bytes, const tw_profile *a, const tw_profile *b, FILE *out,
                           const tw_report_options *options)
{
    tw_report_options o;
    tw_status status = TW__TAKE_OPTIONS(&o, options, tw_report_options);
    if (status != TW_OK) return status;
    report r = { .row_bytes = o.row_bytes };
    if (!page)
        return tw__fail(TW_E_NO_ENVIRONMENT,
                        "this build has no report page: its script is made of npm packages. In the source tree, "
                        "`./dev setup` gets Node.js and the packages (or: npm ci --prefix web); then build again");
    status = add_side(&r, a, name_of(a, o.name_a, b ? "A" : o.unnamed ? o.unnamed : "Tilewright report"));
    if (!status && b) status = add_side(&r, b, o.name_b ? o.name_b : "B");
    r.title = o.title ? o.title : r.sides[0].name;
    if (!status) status = put_page(&r, page, page_bytes, out);
    for (unsigned i = 0; i < r.count; i++) {
        tw_findings_free(r.sides[i].findings);
        tw__stats_free(&r.sides[i].stats);
    }
    return status;
}

tw_status tw_profile_write_report(const tw_profile *profile, FILE *out, const tw_report_options *options)
{
    if (!profile) return tw__missing("profile");
    if (!out) return tw__missing("file");
    size_t bytes;
    const char *page = tw__report_template(&bytes);
    return tw__report_write(page, bytes, profile, NULL, out, options);
}

tw_status tw_profile_write_comparison(const tw_profile *a, const tw_profile *b, FILE *out,
                                      const tw_report_options *options)
{
    if (!a || !b) return tw__missing("profile");
    if (!out) return tw__missing("file");
    size_t bytes;
    const char *page = tw__report_template(&bytes);
    return tw__report_write(page, bytes, a, b, out, options);
}
