/* SPDX-License-Identifier: MIT */
/* Names of vertices and of their entry symbols (guide 3.5, Poplar API, vertex names, docs/decisions.md, M4). */
#include "poplar/codelet/codelet.h"

#include <glib.h>
#include <string.h>

/* A blank counts only between two words: "unsigned  int", not "Foo < int >". */
static bool names_is_word(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

char *tw__vertex_canonical_name(const char *vertex_name)
{
    GString *out = g_string_sized_new(strlen(vertex_name));
    bool blank = false;
    for (const char *at = vertex_name; *at; at++) {
        if (g_ascii_isspace(*at)) {
            blank = true;
            continue;
        }
        if (blank && out->len && names_is_word(out->str[out->len - 1]) && names_is_word(*at))
            g_string_append_c(out, ' ');
        blank = false;
        g_string_append_c(out, *at);
    }
    return g_string_free(out, FALSE);
}

char *tw__mangle(const char *vertex_name)
{
    static const struct {
        const char *from, *to;
    } rules[] = { { "__", "_Z" }, { "::", "__" }, { "<", "___" }, { ",", "_" }, { ">", "" }, { " ", "_" } };
    char *name = tw__vertex_canonical_name(vertex_name);
    GString *out = g_string_new(TW__ENTRY_PREFIX);
    for (const char *at = name; *at;) {
        size_t rule = 0;
        while (rule < G_N_ELEMENTS(rules) && !g_str_has_prefix(at, rules[rule].from)) rule++;
        if (rule < G_N_ELEMENTS(rules)) {
            g_string_append(out, rules[rule].to);
            at += strlen(rules[rule].from);
        } else if (names_is_word(*at)) {
            g_string_append_c(out, *at++);
        } else { /* "*", "-", "&"...: no rule in the guide; a symbol holds letters, digits and _ only */
            g_string_append_printf(out, "_%02x", (unsigned char)*at++);
        }
    }
    g_free(name);
    return g_string_free(out, FALSE);
}

const char *tw__vector_layout_name(tw__vector_layout layout)
{
    static const char *const names[TW__LAYOUT_COUNT] = {
        [TW__LAYOUT_NONE] = "NOT_A_VECTOR",
        [TW__LAYOUT_SPAN] = "SPAN",
        [TW__LAYOUT_SHORT_SPAN] = "SHORT_SPAN",
        [TW__LAYOUT_ONE_PTR] = "ONE_PTR",
        [TW__LAYOUT_SCALED_PTR32] = "SCALED_PTR32",
        [TW__LAYOUT_SCALED_PTR64] = "SCALED_PTR64",
        [TW__LAYOUT_SCALED_PTR128] = "SCALED_PTR128",
        [TW__LAYOUT_COMPACT_PTR] = "COMPACT_PTR",
        [TW__LAYOUT_DELTAN] = "DELTAN",
        [TW__LAYOUT_DELTANELEMENTS] = "DELTANELEMENTS",
        [TW__LAYOUT_COMPACT_DELTAN] = "COMPACT_DELTAN",
    };
    return layout < TW__LAYOUT_COUNT ? names[layout] : "unknown";
}

static const struct {
    const char *name, *other;
} arch_names[TW__ARCH_COUNT] = {
    [TW__ARCH_IPU1] = { "ipu1", "mk1" }, [TW__ARCH_IPU2] = { "ipu2", "mk2" }, [TW__ARCH_IPU21] = { "ipu21", "mk21" }
};

bool tw__arch_by_name(const char *name, tw__arch *arch) /* docs/decisions.md, M6 */
{
    for (int i = 0; i < TW__ARCH_COUNT; i++)
        if (g_ascii_strcasecmp(name, arch_names[i].name) == 0 ||
            g_ascii_strcasecmp(name, arch_names[i].other) == 0) {
            *arch = (tw__arch)i;
            return true;
        }
    return false;
}

const char *tw__arch_name(tw__arch arch)
{
    return (unsigned)arch < TW__ARCH_COUNT ? arch_names[arch].name : "unknown";
}

/* --- fields by name --------------------------------------------------------------------------------------------- */

const tw__field *tw__vertex_field(const tw__vertex_type *vt, const char *name)
{
    for (unsigned i = 0; i < vt->num_fields; i++)
        if (strcmp(vt->fields[i].name, name) == 0) return &vt->fields[i];
    return NULL;
}

const char *tw__vertex_suggest_field(const tw__vertex_type *vt, const char *name)
{
    const char **names = g_new(const char *, vt->num_fields + 1);
    for (unsigned i = 0; i < vt->num_fields; i++) names[i] = vt->fields[i].name;
    const char *nearest = tw__nearest(name, names, vt->num_fields);
    g_free(names);
    return nearest;
}
