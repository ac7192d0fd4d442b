/* SPDX-License-Identifier: MIT */
/* How near cycles are to what others have published (tile.h): one table, walked by the summary, profiles, reports and
 * `tilewright info targets`. A row changes with the model: `./dev cycles` measures again (wse.md, aie.md, model.md
 * say with which programs), and tests/cli/csl/cycles_test.sh and tests/aie/cycles compare what needs no program of
 * others. */
#include "core/tile/tile.h"

#include <glib.h>
#include <string.h>

/* clang-format off */
static const tw_band table[] = {
    {.archs = "wse3", .model = "", .rows = 33, .error = 1.044, .worst = 1.143,
     .compared = "single operations, chains of tasks, loops, vendor examples and stencils against the vendor's simulator",
     .source = "tests/csl/cycles/rows.csv, tests/cycles/stencils.sh, docs/wse.md"},
    {.archs = "wse2", .model = "", .rows = 17, .error = 1.027, .worst = 1.090,
     .compared = "one stencil on 4 to 1,024 processing elements against the vendor's simulator",
     .source = "tests/cycles/stencils.sh, docs/wse.md"},
    {.archs = "aie1", .model = "code", .rows = 18, .error = 1.16, .worst = 1.38,
     .compared = "kernels of three public repositories against the vendor's simulator",
     .source = "tests/cycles/aie.sh, docs/aie.md"},
    {.archs = "aie1", .model = "slots", .rows = 18, .error = 2.83, .worst = 112,
     .compared = "kernels of three public repositories against the vendor's simulator; plain C counts almost nothing",
     .source = "docs/aie.md"},
    {.archs = "ipu1 ipu2 ipu21", .model = "", .rows = 8, .error = 1.04, .worst = 1.286,
     .compared = "totals and parts of one program, a matrix-vector product, against the vendor's IPU Model",
     .source = "docs/model.md"},
    {.archs = "ipu1 ipu2 ipu21", .model = "sim",
     .compared = "simulated tiles: turns of workers are the vendor's; nothing is published of the supervisor and sync"},
    /* No figure that could be compared with is public. */
    {.archs = "a2 a5 a6 pto_cpu", .model = "", .compared = "nothing is published"},
};
/* clang-format on */

const tw_band *tw_band_get(size_t index)
{
    return index < G_N_ELEMENTS(table) ? &table[index] : NULL;
}

static bool band_names(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(list, name); length && at; at = strstr(at + 1, name))
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

const tw_band *tw_band_find(const char *arch, const char *model)
{
    for (size_t i = 0; arch && i < G_N_ELEMENTS(table); i++)
        if (band_names(table[i].archs, arch) && (!model || !*model || !strcmp(table[i].model, model)))
            return &table[i];
    return NULL;
}

/* Up to a factor of two in percent. */
static void band_put(GString *text, double factor)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    bool percent = factor < 2;
    g_ascii_formatd(digits, sizeof digits, percent || factor >= 10 ? "%.0f" : "%.1f",
                    percent ? (factor - 1) * 100 : factor);
    g_string_append_printf(text, percent ? "%s %%" : "a factor of %s", digits);
}

char *tw_band_text(const tw_band *band, char *buf, size_t size)
{
    if (!size) return buf;
    if (!band || !band->rows) return g_strlcpy(buf, band ? "not validated" : "", size), buf;
    GString *text = g_string_new(band->error < 2 ? "± " : "");
    band_put(text, band->error);
    g_string_append(text, " (worst ");
    band_put(text, band->worst);
    g_string_append_printf(text, ") over %u programs", band->rows);
    g_strlcpy(buf, text->str, size);
    g_string_free(text, TRUE);
    return buf;
}
