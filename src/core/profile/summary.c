/* SPDX-License-Identifier: MIT */
/* Entry points of the text summary (guide 8.2): options, colour rules and the look of a line. */
#include "core/profile/summary.h"

#include <glib.h>
#include <math.h>

static const struct {
    const char *key;
    size_t at; /* of a bool in tw_profile_options */
} option_keys[] = {
    { "showVarStorage", offsetof(tw_profile_options, show_var_storage) },
    { "showOptimizations", offsetof(tw_profile_options, show_optimizations) },
    { "showExecutionSteps", offsetof(tw_profile_options, show_execution_steps) },
    { "showPerIpuMemoryUsage", offsetof(tw_profile_options, show_per_ipu_memory_usage) },
};

tw_status tw_profile_options_set(tw_profile_options *options, const char *key, const char *value)
{
    if (!options) return tw__missing("summary options");
    bool on = !g_ascii_strcasecmp(value, "true") || !strcmp(value, "1");
    if (!on && g_ascii_strcasecmp(value, "false") && strcmp(value, "0"))
        return tw__fail(TW_E_INVALID_OPTION, "option '%s': 'true' or 'false' expected, not '%s'", key, value);
    tw_profile_options mine;
    tw_status status = TW__TAKE_OPTIONS(&mine, options, tw_profile_options);
    if (status != TW_OK) return status;
    if (!strcmp(key, "colours")) {
        mine.colours = on ? TW_COLOURS_ON : TW_COLOURS_OFF;
        return tw__give_options(options, &mine), TW_OK;
    }
    const char *names[G_N_ELEMENTS(option_keys) + 1] = { "colours" };
    for (size_t i = 0; i < G_N_ELEMENTS(option_keys); i++) {
        names[i + 1] = option_keys[i].key;
        if (strcmp(key, option_keys[i].key)) continue;
        *(bool *)((char *)&mine + option_keys[i].at) = on;
        return tw__give_options(options, &mine), TW_OK;
    }
    const char *near = tw__nearest(key, names, G_N_ELEMENTS(names));
    return tw__fail(TW_E_INVALID_OPTION,
                    near ? "unknown summary option '%s', did you mean '%s'?" : "unknown summary option '%s'", key,
                    near);
}

/* The last row is the guide's (8.2.3). A wafer's profile has the PEs of a program, not those of wafers. */
static const tw__terms terms[] = {
    // clang-format off
    { "AI_ENGINE", "Number of arrays", "Tiles per array", "Total Tiles", "Memory Per-Tile", "Memory on all tiles:",
      "Number of kernels", "Cycles by kernel:", false,
      { "array", "tile", "kernel" }, { "arrays", "tiles", "kernels" } },
    { "ASCEND_PTO", "Number of devices", "Cores per device", "Total Cores", "Memory Per-Core", "Memory on all cores:",
      "Number of instructions", "Cycles by instruction:", false,
      { "device", "core", "instruction" }, { "devices", "cores", "instructions" } },
    { "WSE", NULL, NULL, "PEs", "Memory Per-PE", "Memory on all PEs:",
      "Number of tasks and operations", "Cycles by task and operation:", false,
      { "wafer", "PE", "operation" }, { "wafers", "PEs", "operations" } },
    { NULL, "Number of IPUs", "Tiles per IPU", "Total Tiles", "Memory Per-Tile", "Memory on all IPUs:",
      "Number of vertices", "Cycles by vertex type:", true,
      { "IPU", "tile", "vertex" }, { "IPUs", "tiles", "vertices" } },
    // clang-format on
};

const tw__terms *tw__profile_terms(const char *target)
{
    const tw__terms *t = terms;
    while (t->target && (!target || strcmp(t->target, target) != 0)) t++;
    return t;
}

bool tw__profile_place(const tw_profile *p, uint32_t tile, uint32_t place[2])
{
    uint32_t across = p->grid.column_major ? p->grid.rows : p->grid.columns;
    if (tw__profile_terms(p->names.items[p->target.type])->is_graph || !across) return false;
    place[p->grid.column_major ? 0 : 1] = tile / across;
    place[p->grid.column_major ? 1 : 0] = tile % across;
    return true;
}

char *tw__profile_tile(const tw_profile *p, uint32_t tile, char buf[TW__TEXT])
{
    uint32_t place[2];
    if (!tw__profile_place(p, tile, place)) return tw__commas(buf, TW__TEXT, tile);
    g_snprintf(buf, TW__TEXT, "%u,%u", place[0], place[1]);
    return buf;
}

char *tw__worded(const tw__terms *of, const char *label, char buf[TW__LABEL])
{
    const char *word = of->words[1];
    g_autoptr(GString) text = g_string_new(label);
    if (!of->is_graph) {
        g_autofree char *capital = g_strdup(word);
        *capital = g_ascii_toupper(*capital);
        g_string_replace(text, "IPU ", "", 0); /* its exchange is an exchange elsewhere */
        g_string_replace(text, "tile", word, 0);
        g_string_replace(text, "Tile", capital, 0);
    }
    g_strlcpy(buf, text->str, TW__LABEL);
    return buf;
}

char *tw__fixed1(char buf[TW__TEXT], double value)
{
    uint64_t tenths = value > 0 ? (uint64_t)llround(value < 1e17 ? value * 10 : 1e18) : 0;
    tw__commas(buf, TW__TEXT - 2, tenths / 10);
    size_t n = strlen(buf);
    buf[n] = '.';
    buf[n + 1] = (char)('0' + tenths % 10);
    buf[n + 2] = 0;
    return buf;
}

void tw__heading(const tw__page *page, int indent, const char *text)
{
    const char *on = !page->colour ? "" : indent == 0 ? "\033[1;36m" : "\033[36m";
    fprintf(page->out, "%*s%s%s%s\n", indent, "", on, text, page->colour ? "\033[0m" : "");
}

/* Values of a block end at one column; long labels push theirs to the right. */
void tw__line(const tw__page *page, int indent, const char *label, const char *value)
{
    fprintf(page->out, "%*s", indent, "");
    int width = 64 - indent - (int)tw_print_text(page->out, label, strlen(label), "") - 1;
    fprintf(page->out, ":%*s\n", width < (int)strlen(value) + 1 ? (int)strlen(value) + 1 : width, value);
}

void tw__line_count(const tw__page *page, int indent, const char *label, uint64_t value)
{
    char text[TW__TEXT];
    tw__line(page, indent, label, tw__commas(text, sizeof text, value));
}

void tw__line_bytes(const tw__page *page, int indent, const char *label, uint64_t bytes)
{
    char text[TW__TEXT];
    tw__commas(text, sizeof text - 2, bytes);
    tw__line(page, indent, label, strcat(text, " B"));
}

void tw__note(const tw__page *page, int indent, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(page->out, "%*s%sNote: ", indent, "", page->colour ? "\033[33m" : "");
    char *text = g_strdup_vprintf(format, args); /* names of a file may be in it */
    tw_print_text(page->out, text, strlen(text), "");
    g_free(text);
    fprintf(page->out, "%s\n", page->colour ? "\033[0m" : "");
    va_end(args);
}

static tw_status print(const tw_profile *p, FILE *out, const tw_profile_options *options, bool graph,
                       bool execution)
{
    tw__page page = { .out = out, .p = p, .terms = tw__profile_terms(p->names.items[p->target.type]) };
    tw_status status = TW__TAKE_OPTIONS(&page.options, options, tw_profile_options);
    if (status != TW_OK) return status;
    page.colour = tw__profile_use_colours(out, page.options.colours);
    if (graph) status = tw__summary_graph(&page);
    if (!status && graph && execution) fputc('\n', out);
    if (!status && execution) status = tw__summary_execution(&page);
    if (!status && ferror(out)) return tw__fail(TW_E_IO, "cannot write the summary");
    return status;
}

tw_status tw_profile_print_graph_summary(const tw_profile *p, FILE *out, const tw_profile_options *options)
{
    tw_status status = tw__profile_has(p, true, false, "print");
    return status ? status : print(p, out, options, true, false);
}

tw_status tw_profile_print_execution_summary(const tw_profile *p, FILE *out, const tw_profile_options *options)
{
    tw_status status = tw__profile_has(p, false, true, "print");
    return status ? status : print(p, out, options, false, true);
}

tw_status tw_profile_print_summary(const tw_profile *p, FILE *out, const tw_profile_options *options)
{
    tw_status status = tw__profile_has(p, false, false, "print");
    if (!status && !p->has_graph && !p->has_execution)
        status = tw__fail(TW_E_MISSING_PROFILE, "there is no profile to print");
    return status ? status : print(p, out, options, p->has_graph, p->has_execution);
}
