/* SPDX-License-Identifier: MIT */
/* table: the rows of ops.def, their names and attributes. */
#include "pto/pto.h"

#include <ctype.h>
#include <glib.h>

/* Sets of element types: shorthand. */
#define B(t)    (UINT64_C(1) << TW_##t)
#define F       (B(F16) | B(F32))
#define BF      B(BF16)
#define I6      (B(I8) | B(U8) | B(I16) | B(U16) | B(I32) | B(U32))
#define I8U8    (B(I8) | B(U8))
#define I8B     (B(I64) | B(U64)) /* eight bytes */
#define I24     (B(I16) | B(U16) | B(I32) | B(U32))
#define A3      (B(I16) | B(I32) | F)
#define B124    (I6 | F | BF)
#define A5      (B124 | I8B)
#define W24     (I24 | F | BF) /* two and four bytes wide */
#define FP8     (B(F8E4M3) | B(F8E5M2) | B(HIF8))
#define FP4     (B(F4E2M1) | B(F4E1M2))
#define ANY3    A5 /* A2/A3 have no floats of 8 and 4 bits */
#define ANYTYPE (A5 | FP8 | FP4 | B(F8E8M0) | B(HIF4))
#define ALL     (A5 | FP8 | FP4 | B(I4))
#define MM3     (B(I8) | F | BF)
#define MM5     (MM3 | FP8)
#define MX      (B(F8E4M3) | B(F8E5M2) | FP4)

/* Combinations of rules. */
#define LANES       TW__LANES
#define NO_ALIAS    TW__NO_ALIAS
#define VECS        (TW__VEC_ONLY | TW__ROW_MAJOR)
#define VEC_TYPE    (TW__VEC_ONLY | TW__SAME_TYPE | TW__ROW_MAJOR)
#define VEC_LAYOUTS (TW__VEC_ONLY | TW__SAME_TYPE) /* the family says which layouts */
#define TYPE_ONLY   TW__SAME_TYPE
#define FREE        0
#define MACRO       TW__MACRO
#define CONV        TW__CONV
#define CPU_ONLY    TW__CPU_ONLY
#define TO_VECTOR   TW__TO_VECTOR
#define TO_CUBE     TW__TO_CUBE
#define WRITES_ALL  TW__WRITES_ALL
#define PACKED      TW__PACKED
#define INSERTS     TW__INSERTS
#define NAMES       TW__NAMES
#define VEC_ANY_BOX TW__VEC_ONLY

enum { /* attributes by number */
#define ATTR_ENUM(field, ...) ATTR_##field,
       TW_PTO_ATTR_LIST(ATTR_ENUM, ATTR_ENUM)
#undef ATTR_ENUM
           ATTRS
};
#define AT(field) (1u << ATTR_##field)
#define FIXPIPE   (AT(phase) | AT(atomic) | AT(slot_layout) | AT(sub_block) | AT(clip) | AT(channel_split))

static const tw__pto_row rows[] = {
#define X(name_, mnemonic_, form_, ins_, pipe_, a3, a5, rules_, family_, op_, order_, attrs_, tmp_, cost_,         \
          summary_)                                                                                                \
    { .name = #name_,                                                                                              \
      .mnemonic = mnemonic_,                                                                                       \
      .form = form_,                                                                                               \
      .ins = ins_,                                                                                                 \
      .order = order_,                                                                                             \
      .pipe = TW_PTO_PIPE_##pipe_,                                                                                 \
      .rules = rules_,                                                                                             \
      .op = TW_VEC_##op_,                                                                                          \
      .tmp = TW__TMP_##tmp_,                                                                                       \
      .cost = TW__COST_##cost_,                                                                                    \
      .operands = sizeof form_ - 1, /* cpu alone has what is of A6: hif4 */                                        \
      .types = { (a3) | (a5), (rules_) & TW__CPU_ONLY ? 0 : (a3), (rules_) & TW__CPU_ONLY ? 0 : (a5) & ~B(HIF4) }, \
      .attrs = attrs_,                                                                                             \
      .summary = summary_,                                                                                         \
      .family = #family_,                                                                                          \
      .family_number = TW__FAMILY_##family_ },
#include "pto/table/ops.def"
#undef X
};
enum { ROWS = sizeof rows / sizeof *rows };

size_t tw__pto_row_count(void)
{
    return ROWS;
}

const tw__pto_row *tw__pto_row_at(size_t index)
{
    return index < ROWS ? &rows[index] : NULL;
}

size_t tw__pto_row_index(const tw__pto_row *row)
{
    return (size_t)(row - rows);
}

const tw__pto_row *tw__pto_next_form(const tw__pto_row *row)
{
    const tw__pto_row *next = row + 1;
    return next < rows + ROWS && strcmp(next->mnemonic, row->mnemonic) == 0 ? next : NULL;
}

static bool same_mnemonic(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        char x = (char)tolower((unsigned char)*a), y = (char)tolower((unsigned char)*b);
        if ((x == '.' ? '_' : x) != (y == '.' ? '_' : y)) return false;
    }
    return *a == *b;
}

const char *tw_pto_layout_name(tw_pto_layout layout)
{
    static const char *const names[] = {
#define NAME(name, number, text) [number] = text,
        TW_PTO_LAYOUT_LIST(NAME)
#undef NAME
    };
    return (unsigned)layout < TW_PTO_LAYOUTS ? names[layout] : "unknown";
}

/* Names that this thread has looked up, as they were spelled: calls by name are as common as calls by number. */
enum { KNOWN = 256, NAME_BYTES = 24 };
typedef struct known {
    char name[NAME_BYTES];
    const tw__pto_row *row; /* NULL = free */
} known;

/* Where a spelling is or would be kept; NULL when it is too long for a name. */
static known *known_of(known *table, const char *name)
{
    unsigned hash = 0;
    size_t length = 0;
    for (; name[length] && length < NAME_BYTES; length++) hash = hash * 31 + (unsigned char)name[length];
    return length < NAME_BYTES ? &table[hash % KNOWN] : NULL;
}

static const tw__pto_row *find_mnemonic(const char *mnemonic)
{
    static const char *const aliases[][2] = { { "tmov.fp", "tmov" },
                                              { "tmov_fp", "tmov" },
                                              { "tgemv_mx", "tgemv.mx" } };
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (same_mnemonic(mnemonic, aliases[i][0])) mnemonic = aliases[i][1];
    for (size_t i = 0; i < ROWS; i++)
        if (same_mnemonic(mnemonic, rows[i].mnemonic)) return &rows[i];
    return NULL;
}

static const tw__pto_row *find_name(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (g_ascii_strcasecmp(name, rows[i].name) == 0) return &rows[i];
    return NULL;
}

static const tw__pto_row *look_up(known *table, const char *name, const tw__pto_row *(*find)(const char *))
{
    known *k = known_of(table, name);
    if (k && k->row && strcmp(k->name, name) == 0) return k->row;
    const tw__pto_row *row = find(name);
    if (!k || !row) return row;
    strcpy(k->name, name); /* it fits: known_of has counted */
    k->row = row;
    return row;
}

const tw__pto_row *tw__pto_row_of(const char *mnemonic)
{
    static _Thread_local known table[KNOWN];
    return look_up(table, mnemonic, find_mnemonic);
}

bool tw_pto_info_get(size_t index, tw_pto_info *info)
{
    const tw__pto_row *row = tw__pto_row_at(index);
    if (!row || !info) return false;
    *info = (tw_pto_info){ .name = row->name,
                           .mnemonic = row->mnemonic,
                           .form = row->form,
                           .ins = row->ins,
                           .summary = row->summary,
                           .pipe = (tw_pto_pipe)row->pipe,
                           .operands = row->operands };
    memcpy(info->types, row->types, sizeof info->types);
    return true;
}

int tw_pto_op_by_name(const char *name)
{
    static _Thread_local known table[KNOWN];
    if (tw__pto_given(name, "name of an instruction") != TW_OK) return -1;
    const tw__pto_row *row = look_up(table, name, find_name);
    if (row) return (int)(row - rows);
    tw__fail(TW_E_INVALID_ARGUMENT, "no PTO instruction form '%s'", name);
    return -1;
}

/* --- attributes ------------------------------------------------------------------------------------------------- */

static const struct attr {
    const char *field, *names, *values;
} attrs[ATTRS] = {
#define ATTR_TEXT(name, number, text)  "|" text
#define ATTR_ROW(field, names, values) { #field, names, &(values(ATTR_TEXT))[1] },
#define ATTR_NUMBER(field, names)      { #field, names, "" },
    TW_PTO_ATTR_LIST(ATTR_ROW, ATTR_NUMBER)
#undef ATTR_NUMBER
#undef ATTR_ROW
#undef ATTR_TEXT
};

/* Index of `word` in "a|b|c" without regard to case, -1 when it is not there. */
static int find_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (int i = 0;; i++) {
        size_t n = strcspn(list, "|");
        if (n == length && g_ascii_strncasecmp(list, word, n) == 0) return i;
        if (!list[n]) return -1;
        list += n + 1;
    }
}

int tw__pto_attr_by_name(const char *name)
{
    for (int i = 0; i < ATTRS; i++)
        if (find_word(attrs[i].names, name) >= 0) return i;
    return -1;
}

/* Spellings that stand for a value of the list: prefixes of the assembler's enumerations, rounding of the manual. */
static const char *plain_value(unsigned attr, const char *text)
{
    static const char *const prefixes[] = { "atomic_", "cmp_" };
    static const char *const rounding[][2] = {
        { "rne", "rint" }, { "rz", "trunc" }, { "rp", "ceil" }, { "rm", "floor" }
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (g_ascii_strncasecmp(text, prefixes[i], strlen(prefixes[i])) == 0) text += strlen(prefixes[i]);
    for (size_t i = 0; attr == ATTR_round && i < sizeof rounding / sizeof *rounding; i++)
        if (g_ascii_strcasecmp(text, rounding[i][0]) == 0) return rounding[i][1];
    return text;
}

bool tw__pto_attr_value(unsigned attr, const char *text, int32_t *value)
{
    char *end;
    text = plain_value(attr, text);
    if (*attrs[attr].values) {
        int index = find_word(attrs[attr].values, text);
        if (index >= 0) return *value = index, true;
    }
    if (g_ascii_strcasecmp(text, "true") == 0) return *value = 1, true;
    if (g_ascii_strcasecmp(text, "false") == 0) return *value = 0, true;
    if (attr == ATTR_clip) { /* a number of any kind; kept as the bits of a float */
        float limit = (float)g_ascii_strtod(text, &end);
        memcpy(value, &limit, sizeof limit);
        return end != text && *end == 0;
    }
    long long number = strtoll(text, &end, 0);
    if (end == text || *end || number < INT32_MIN || number > INT32_MAX) return false;
    return *value = (int32_t)number, true;
}

const char *tw__pto_attr_value_name(unsigned attr, int32_t value)
{
    static _Thread_local char word[32];
    const char *list = attrs[attr].values;
    for (; *list && value > 0; value--) {
        list += strcspn(list, "|");
        if (*list) list++;
    }
    if (!*list || value < 0) return NULL;
    g_strlcpy(word, list, strcspn(list, "|") + 1);
    return word;
}

unsigned tw__pto_attr_count(void)
{
    return ATTRS;
}
const char *tw__pto_attr_names(unsigned attr)
{
    return attrs[attr].names;
}
const char *tw__pto_attr_values(unsigned attr)
{
    return attrs[attr].values;
}

/* --- pipes ------------------------------------------------------------------------------------------------------ */

static const char *const pipes[TW_PTO_PIPES] = { "PIPE_S",    "PIPE_V",    "PIPE_M",   "PIPE_MTE1",
                                                 "PIPE_MTE2", "PIPE_MTE3", "PIPE_FIX", "PIPE_MTE4",
                                                 "PIPE_MTE5", "PIPE_V2",   "PIPE_ALL" };
const char *tw_pto_pipe_name(tw_pto_pipe pipe)
{
    return (unsigned)pipe < TW_PTO_PIPES ? pipes[pipe] : "unknown";
}
