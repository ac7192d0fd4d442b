/* SPDX-License-Identifier: MIT */
/* The tables of isa.def, operands.def, forms.def, aliases.def and csr.def as arrays, and the ways to find a row. */
#include "poplar/colossus/isa/isa.h"

#include <glib.h>
#include <string.h>

/* --- operands ------------------------------------------------------------------------------------------------- */

enum {
    K_NO,
#define K(name, ...) K_##name,
#include "poplar/colossus/isa/operands.def"
#undef K
    KINDS
};

#define READ  true, false
#define WRITE false, true
#define BOTH  true, true
static const tw_isa_operand kinds[KINDS] = {
#define K(name, label, suffix, file, registers, use, bits, shift, is_signed) \
    [K_##name] = { #name, label, suffix, TW_ISA_##file, registers, use, bits, shift, is_signed },
#include "poplar/colossus/isa/operands.def"
#undef K
};
#undef READ
#undef WRITE
#undef BOTH

/* --- forms ---------------------------------------------------------------------------------------------------- */

enum {
#define FORM(name, ...) FORM_##name,
#include "poplar/colossus/isa/forms.def"
#undef FORM
    FORMS
};

#define B(high, low)                   \
    {                                  \
        1,                             \
        { { 0, low, high - low + 1 } } \
    }
#define B1(high, low)                  \
    {                                  \
        1,                             \
        { { 1, low, high - low + 1 } } \
    }
#define B2(h1, l1, h0, l0)                                           \
    {                                                                \
        2,                                                           \
        {                                                            \
            { h0 - l0 + 1, l1, h1 - l1 + 1 }, { 0, l0, h0 - l0 + 1 } \
        }                                                            \
    }
#define B3(h2, l2, h1, l1, h0, l0)                                                                               \
    {                                                                                                            \
        3,                                                                                                       \
        {                                                                                                        \
            { h0 - l0 + h1 - l1 + 2, l2, h2 - l2 + 1 }, { h0 - l0 + 1, l1, h1 - l1 + 1 }, { 0, l0, h0 - l0 + 1 } \
        }                                                                                                        \
    }
static const tw__isa_field forms[FORMS][TW_ISA_OPERANDS] = {
#define FORM(name, ...) [FORM_##name] = { __VA_ARGS__ },
#include "poplar/colossus/isa/forms.def"
#undef FORM
};
#undef B
#undef B1
#undef B2
#undef B3

/* Bits of the first word that a form's fields take. No field has bit 31. */
#define BITS(high, low)                        ((high) > 31 ? 0 : (int)((2u << ((high) & 31)) - (1u << ((low) & 31))))
#define B(high, low)                           BITS(high, low)
#define B1(high, low)                          BITS(high, low)
#define B2(h1, l1, h0, l0)                     (BITS(h1, l1) | BITS(h0, l0))
#define B3(h2, l2, h1, l1, h0, l0)             (BITS(h2, l2) | BITS(h1, l1) | BITS(h0, l0))
#define FORM_BITS(name, a, b, c, d, e, f, ...) FIELDS_##name = (a) | (b) | (c) | (d) | (e) | (f),
#define FORM(name, ...)                        FORM_BITS(name, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
enum {
#include "poplar/colossus/isa/forms.def"
};
#undef FORM
#undef B
#undef B1
#undef B2
#undef B3

/* --- rows ----------------------------------------------------------------------------------------------------- */

/* The short names of the columns. */
enum {
    MAIN = TW_ISA_MAIN,
    AUX = TW_ISA_AUX,
    W = TW_ISA_WORKER,
    S = TW_ISA_SUPERVISOR,
    B = TW_ISA_BOTH,
    ALL = TW_ISA_ALL,
    MK2 = TW_ISA_IPU2 | TW_ISA_IPU21,
    IPU21 = TW_ISA_IPU21,
    CONTROL = TW_ISA_CONTROL,
    SYSTEM = TW_ISA_SYSTEM,
    ALONE = TW_ISA_ALONE,
    SHORT = TW_ISA_SHORT,
    TWO_WORDS = TW_ISA_TWO_WORDS,
    L1 = 1,
    L2 = 2,
    L4 = 4,
    L8 = 8,
    L16 = 16,
    S4 = 4 | TW_ISA_STORE,
    S8 = 8 | TW_ISA_STORE
};
#define KIND(name)  (K_##name ? &kinds[K_##name] : NULL)
#define COUNT(name) (K_##name != K_NO)
#define OPS_(a, b, c, d, e, f, ...)                                       \
    .operands = { KIND(a), KIND(b), KIND(c), KIND(d), KIND(e), KIND(f) }, \
    .count = COUNT(a) + COUNT(b) + COUNT(c) + COUNT(d) + COUNT(e) + COUNT(f)
#define OPS(...) OPS_(__VA_ARGS__, NO, NO, NO, NO, NO, NO)
#define MEM(...) .accesses = { __VA_ARGS__ }
#define NONE     .accesses = { 0 }

const tw_isa_row tw__isa_rows[TW__OP_COUNT] = {
#define X(rid, mnemonic, rpipe, rcontext, rarchs, form, bits, ops, memory, turns, rflags, rsem, text) \
    [TW__OP_##rid] = { .id = #rid,                                                                    \
                       .name = mnemonic,                                                              \
                       .doc = text,                                                                   \
                       .pipe = (tw_isa_pipe)(rpipe),                                                  \
                       .context = (tw_isa_context)(rcontext),                                         \
                       .archs = rarchs,                                                               \
                       .flags = rflags,                                                               \
                       .cycles = turns,                                                               \
                       .match = bits,                                                                 \
                       ops,                                                                           \
                       memory,                                                                        \
                       .mask = (0x7fffffffu & ~(uint32_t)FIELDS_##form) |                             \
                               ((rflags) & TW_ISA_ALONE ? 0x80000000u : 0u) },

#include "poplar/colossus/isa/isa.def"
#undef X
};

static const uint8_t row_forms[TW__OP_COUNT] = {
#define X(id, name, pipe, context, archs, form, ...) [TW__OP_##id] = FORM_##form,
#include "poplar/colossus/isa/isa.def"
#undef X
};

const tw__isa_field *tw__isa_fields(const tw_isa_row *row)
{
    return forms[row_forms[tw__isa_index(row)]];
}

size_t tw_isa_count(void)
{
    return TW__OP_COUNT;
}

const tw_isa_row *tw_isa_get(size_t index)
{
    return index < TW__OP_COUNT ? &tw__isa_rows[index] : NULL;
}

/* --- aliases and registers ------------------------------------------------------------------------------------ */

#define ARG(k) { k, 0 }
#define NEG(k) { ~(k), 0 }
#define FIX(n) { TW_ISA_FIXED, n }
typedef struct source {
    int8_t from;
    uint8_t constant;
} source;
static const struct {
    const char *name;
    uint16_t row;
    uint8_t count;
    bool shown;
    source sources[TW_ISA_OPERANDS];
} alias_rows[] = {
#define ALIAS(name, id, count, shown, ...) { name, TW__OP_##id, count, shown, { __VA_ARGS__ } },
#include "poplar/colossus/isa/aliases.def"
#undef ALIAS
};
enum { ALIASES = sizeof alias_rows / sizeof *alias_rows };

static const tw_isa_csr csrs[] = {
#define CSR(cname, cindex, ccontext, carchs, cwritable, text) \
    { .name = #cname,                                         \
      .index = cindex,                                        \
      .context = (tw_isa_context)(ccontext),                  \
      .archs = carchs,                                        \
      .writable = cwritable,                                  \
      .doc = text },
#include "poplar/colossus/isa/csr.def"
#undef CSR
};

const tw_isa_csr *tw_isa_csr_get(size_t index)
{
    return index < G_N_ELEMENTS(csrs) ? &csrs[index] : NULL;
}

const tw_isa_csr *tw_isa_csr_by_name(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(csrs); i++)
        if (strcmp(csrs[i].name, name) == 0) return &csrs[i];
    return NULL;
}

const tw_isa_csr *tw_isa_csr_at(tw_isa_context context, unsigned index)
{
    for (size_t i = 0; i < G_N_ELEMENTS(csrs); i++)
        if (csrs[i].index == index && (csrs[i].context & context)) return &csrs[i];
    return NULL;
}

/* --- names ---------------------------------------------------------------------------------------------------- */

enum { NAME_SLOTS = 1024, MAX_NAMES = TW__OP_COUNT + ALIASES };

static struct {
    tw_isa_alias aliases[ALIASES];
    tw__isa_name names[MAX_NAMES];
    const char *texts[MAX_NAMES];
    size_t count;
    uint16_t slots[NAME_SLOTS]; /* 1 + index of a name; open addressing */
    uint16_t row_lists[TW__OP_COUNT], alias_lists[ALIASES];
} index_;
G_STATIC_ASSERT(MAX_NAMES < NAME_SLOTS * 3 / 4);

static uint32_t hash(const char *text, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++) h = (h ^ (uint8_t)text[i]) * 16777619u;
    return h;
}

static uint16_t *slot_of(const char *text, size_t length)
{
    uint32_t at = hash(text, length) % NAME_SLOTS;
    for (;; at = (at + 1) % NAME_SLOTS) {
        uint16_t name = index_.slots[at];
        if (!name) return &index_.slots[at];
        const char *found = index_.names[name - 1].name;
        if (strncmp(found, text, length) == 0 && !found[length]) return &index_.slots[at];
    }
}

static tw__isa_name *table_name_of(const char *text)
{
    uint16_t *slot = slot_of(text, strlen(text));
    if (!*slot) {
        index_.texts[index_.count] = text;
        index_.names[index_.count++].name = text;
        *slot = (uint16_t)index_.count;
    }
    return &index_.names[*slot - 1];
}

static void fill_alias(tw_isa_alias *alias, size_t i)
{
    *alias = (tw_isa_alias){ .name = alias_rows[i].name,
                             .row = &tw__isa_rows[alias_rows[i].row],
                             .count = alias_rows[i].count,
                             .shown = alias_rows[i].shown };
    for (size_t k = 0; k < TW_ISA_OPERANDS; k++) {
        alias->sources[k] = alias_rows[i].sources[k].from;
        alias->constants[k] = alias_rows[i].sources[k].constant;
    }
}

/* Two walks: one counts the rows of each name, one writes them into the lists. */
static void build_index(void)
{
    for (size_t i = 0; i < ALIASES; i++) fill_alias(&index_.aliases[i], i);
    for (size_t i = 0; i < TW__OP_COUNT; i++) table_name_of(tw__isa_rows[i].name)->row_count++;
    for (size_t i = 0; i < ALIASES; i++) table_name_of(alias_rows[i].name)->alias_count++;
    uint16_t *rows = index_.row_lists, *aliases = index_.alias_lists;
    for (size_t n = 0; n < index_.count; n++) {
        tw__isa_name *name = &index_.names[n];
        name->rows = rows, rows += name->row_count, name->row_count = 0;
        name->aliases = aliases, aliases += name->alias_count, name->alias_count = 0;
    }
    for (size_t i = 0; i < TW__OP_COUNT; i++) {
        tw__isa_name *name = table_name_of(tw__isa_rows[i].name);
        index_.row_lists[name->rows - index_.row_lists + name->row_count++] = (uint16_t)i;
    }
    for (size_t i = 0; i < ALIASES; i++) {
        tw__isa_name *name = table_name_of(alias_rows[i].name);
        index_.alias_lists[name->aliases - index_.alias_lists + name->alias_count++] = (uint16_t)i;
    }
}

static void need_index(void)
{
    static gsize once;
    if (g_once_init_enter(&once)) {
        build_index();
        g_once_init_leave(&once, 1);
    }
}

const tw__isa_name *tw__isa_lookup(const char *name, size_t length)
{
    need_index();
    uint16_t slot = *slot_of(name, length);
    return slot ? &index_.names[slot - 1] : NULL;
}

const char *tw__isa_nearest(const char *name)
{
    need_index();
    return tw__nearest(name, index_.texts, index_.count);
}

const tw_isa_alias *tw_isa_alias_get(size_t index)
{
    need_index();
    return index < ALIASES ? &index_.aliases[index] : NULL;
}

const tw_isa_row *tw_isa_find(const char *name, const tw_isa_row *after)
{
    g_autofree char *lower = g_ascii_strdown(name, -1);
    const tw__isa_name *found = tw__isa_lookup(lower, strlen(lower));
    for (size_t i = 0; found && i < found->row_count; i++) {
        const tw_isa_row *row = &tw__isa_rows[found->rows[i]];
        if (!after || row > after) return row;
    }
    return NULL;
}

/* --- chips ---------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    tw_isa_arch arch;
} archs[] = { { "ipu1", TW_ISA_IPU1 },
              { "ipu2", TW_ISA_IPU2 },
              { "ipu21", TW_ISA_IPU21 },
              { "mk1", TW_ISA_IPU1 },
              { "mk2", TW_ISA_IPU2 } };

tw_isa_arch tw_isa_arch_by_name(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(archs); i++)
        if (g_ascii_strcasecmp(archs[i].name, name) == 0) return archs[i].arch;
    tw__fail(TW_E_INVALID_ARGUMENT, "there is no chip '%s'; known: mk1 = ipu1, mk2 = ipu2, ipu21", name);
    return (tw_isa_arch)0;
}

const char *tw_isa_arch_name(tw_isa_arch arch)
{
    for (size_t i = 0; i < G_N_ELEMENTS(archs); i++)
        if (archs[i].arch == arch) return archs[i].name;
    return "";
}
