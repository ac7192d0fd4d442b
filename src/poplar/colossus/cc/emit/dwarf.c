/* SPDX-License-Identifier: MIT */
/* Debug information as sections of data, DWARF 4 (dwarfstd.org): .debug_info with .debug_abbrev, lists of places in
 * .debug_loc, of code in .debug_ranges. The assembler makes .debug_line of the .loc's when that section is there. */
#include "poplar/colossus/cc/emit/emit.h"

#include <string.h>

enum {
    TAG_PARAMETER = 0x05,
    TAG_MEMBER = 0x0d,
    TAG_UNIT = 0x11,
    TAG_INLINED = 0x1d,
    TAG_SUBPROGRAM = 0x2e,
    TAG_BASE = 0x24,
    TAG_ENUM = 0x04,
    TAG_POINTER = 0x0f,
    TAG_REFERENCE = 0x10,
    TAG_RVALUE = 0x42,
    TAG_STRUCT = 0x13,
    TAG_UNION = 0x17,
    TAG_CLASS = 0x02,
    TAG_VARIABLE = 0x34,
    TAG_ENUMERATOR = 0x28,
    TAG_SUBRANGE = 0x21,
    TAG_INHERITANCE = 0x1c
};
enum {
    AT_LOCATION = 0x02,
    AT_NAME = 0x03,
    AT_SIZE = 0x0b,
    AT_BIT_SIZE = 0x0d,
    AT_STMT_LIST = 0x10,
    AT_LOW_PC = 0x11,
    AT_HIGH_PC = 0x12,
    AT_LANGUAGE = 0x13,
    AT_COMP_DIR = 0x1b,
    AT_CONST_VALUE = 0x1c,
    AT_INLINE = 0x20,
    AT_PRODUCER = 0x25,
    AT_PROTOTYPED = 0x27,
    AT_ORIGIN = 0x31,
    AT_ARTIFICIAL = 0x34,
    AT_COUNT = 0x37,
    AT_MEMBER_LOCATION = 0x38,
    AT_DECL_FILE = 0x3a,
    AT_DECL_LINE = 0x3b,
    AT_DECLARATION = 0x3c,
    AT_ENCODING = 0x3e,
    AT_EXTERNAL = 0x3f,
    AT_SPECIFICATION = 0x47,
    AT_TYPE = 0x49,
    AT_RANGES = 0x55,
    AT_CALL_COLUMN = 0x57,
    AT_CALL_FILE = 0x58,
    AT_CALL_LINE = 0x59,
    AT_BIT_OFFSET = 0x6b,
    AT_ENUM_CLASS = 0x6d,
    AT_LINKAGE = 0x6e,
    AT_VECTOR = 0x2107
};
enum {
    FORM_ADDR = 0x01,
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_STRING = 0x08,
    FORM_DATA1 = 0x0b,
    FORM_SDATA = 0x0d,
    FORM_UDATA = 0x0f,
    FORM_REF4 = 0x13,
    FORM_OFFSET = 0x17,
    FORM_EXPRESSION = 0x18,
    FORM_FLAG = 0x19
};

typedef struct dwarf {
    tw__mir *mir;
    GString *info, *loc, *ranges;
    GString *spec, *values; /* of the entry under way: attributes and forms; what they hold */
    GPtrArray *abbrevs;     /* text of each */
    uint32_t loc_bytes, ranges_bytes;
    uint32_t numbers;
} dwarf;

/* --- bytes ------------------------------------------------------------------------------------------------------ */

static void dwarf_leb(GString *out, uint64_t value)
{
    g_string_append(out, "\t.byte ");
    do {
        unsigned byte = (unsigned)(value & 0x7f);
        value >>= 7;
        g_string_append_printf(out, value ? "0x%02x, " : "%u", value ? byte | 0x80 : byte);
    } while (value);
    g_string_append_c(out, '\n');
}

static void dwarf_sleb(GString *out, int64_t value)
{
    g_string_append(out, "\t.byte ");
    for (;;) {
        unsigned byte = (unsigned)(value & 0x7f);
        value >>= 7;
        if ((value == 0 && !(byte & 0x40)) || (value == -1 && byte & 0x40)) {
            g_string_append_printf(out, "0x%02x\n", byte);
            return;
        }
        g_string_append_printf(out, "0x%02x, ", byte | 0x80);
    }
}

static void dwarf_bytes(GString *out, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        g_string_append_printf(out, "%s0x%02x%s", i % 16 ? ", " : "\t.byte ", bytes[i],
                               i % 16 == 15 || i + 1 == count ? "\n" : "");
}

/* --- attributes ------------------------------------------------------------------------------------------------- */

static void attribute(dwarf *d, unsigned at, unsigned form)
{
    dwarf_leb(d->spec, at);
    dwarf_leb(d->spec, form);
}

static void dwarf_put_text(dwarf *d, unsigned at, const char *text)
{
    if (!text) return;
    attribute(d, at, FORM_STRING);
    g_string_append(d->values, "\t.asciz ");
    tw__mir_emit_string(d->values, text);
    g_string_append_c(d->values, '\n');
}

static void dwarf_put_number(dwarf *d, unsigned at, uint64_t number)
{
    attribute(d, at, FORM_UDATA);
    dwarf_leb(d->values, number);
}

static void put_flag(dwarf *d, unsigned at, bool is_set)
{
    if (is_set) attribute(d, at, FORM_FLAG);
}

static void put_reference(dwarf *d, unsigned at, tw__mir_die *to)
{
    if (!to) return;
    if (!to->number) to->number = ++d->numbers;
    attribute(d, at, FORM_REF4);
    g_string_append_printf(d->values, "\t.long .Ldi%u-.Ldi\n", to->number);
}

static void put_declared(dwarf *d, const tw__mir_die *die)
{
    if (!die->file || !die->line) return;
    dwarf_put_number(d, AT_DECL_FILE, die->file);
    dwarf_put_number(d, AT_DECL_LINE, die->line);
}

/* Ends the attributes of an entry. */
static void put_entry(dwarf *d, const tw__mir_die *die, unsigned tag, bool has_children)
{
    g_autoptr(GString) key = g_string_new(NULL);
    dwarf_leb(key, tag);
    g_string_append_printf(key, "\t.byte %d\n%s\t.byte 0, 0\n", has_children, d->spec->str);
    guint code = 0;
    while (code < d->abbrevs->len && strcmp(d->abbrevs->pdata[code], key->str) != 0) code++;
    if (code == d->abbrevs->len) g_ptr_array_add(d->abbrevs, g_strdup(key->str));
    if (die && die->number) g_string_append_printf(d->info, ".Ldi%u:\n", die->number);
    dwarf_leb(d->info, code + 1);
    g_string_append(d->info, d->values->str);
    g_string_truncate(d->spec, 0);
    g_string_truncate(d->values, 0);
}

static void put_end(dwarf *d)
{
    g_string_append(d->info, "\t.byte 0\n");
}

static void dwarf_number(dwarf *d, tw__mir_die *die)
{
    if (!die->number) die->number = ++d->numbers;
}

/* --- entries without code --------------------------------------------------------------------------------------- */

static bool has_size(unsigned tag)
{
    static const uint8_t sized[] = { TAG_BASE,   TAG_ENUM,   TAG_POINTER, TAG_REFERENCE,
                                     TAG_RVALUE, TAG_STRUCT, TAG_UNION,   TAG_CLASS };
    return memchr(sized, (int)tag, sizeof sized) != NULL;
}

static void put_plain(dwarf *d, tw__mir_die *die)
{
    dwarf_put_text(d, AT_NAME, die->name);
    dwarf_put_text(d, AT_LINKAGE, die->linkage);
    put_declared(d, die);
    put_reference(d, AT_TYPE, die->type);
    if (die->tag == TAG_BASE) dwarf_put_number(d, AT_ENCODING, die->encoding);
    if (!die->is_declaration && (has_size(die->tag) || die->is_vector)) dwarf_put_number(d, AT_SIZE, die->size);
    if (die->bits) {
        dwarf_put_number(d, AT_BIT_SIZE, die->bits);
        dwarf_put_number(d, AT_BIT_OFFSET, die->bits_at);
    } else if (die->tag == TAG_MEMBER || die->tag == TAG_INHERITANCE) {
        dwarf_put_number(d, AT_MEMBER_LOCATION, die->offset);
    }
    if (die->tag == TAG_ENUMERATOR) {
        attribute(d, AT_CONST_VALUE, FORM_SDATA);
        dwarf_sleb(d->values, die->value);
    }
    if (die->tag == TAG_SUBRANGE && die->has_value) dwarf_put_number(d, AT_COUNT, (uint64_t)die->value);
    if (die->symbol) {
        attribute(d, AT_LOCATION, FORM_EXPRESSION);
        g_string_append(d->values, "\t.byte 5, 3\n\t.long "); /* DW_OP_addr */
        tw__mir_emit_name(d->values, die->symbol);
        g_string_append_c(d->values, '\n');
    }
    put_flag(d, AT_DECLARATION, die->is_declaration);
    put_flag(d, AT_EXTERNAL, die->is_external);
    put_flag(d, AT_ARTIFICIAL, die->is_artificial);
    put_flag(d, AT_PROTOTYPED, die->is_prototyped);
    put_flag(d, AT_VECTOR, die->is_vector);
    put_flag(d, AT_ENUM_CLASS, die->is_enum_class);
}

/* --- variables -------------------------------------------------------------------------------------------------- */

static void put_place(GString *out, const tw__mir_function *f, const tw__mir_insn *insn)
{
    if (insn)
        g_string_append_printf(out, ".Lm%u_%u-.Lfb%u", f->number, insn->mark, f->number);
    else
        g_string_append_printf(out, ".Lfe%u-.Lfb%u", f->number, f->number);
}

static void put_pair(GString *out, const tw__mir_function *f, const tw__mir_insn *from, const tw__mir_insn *to)
{
    g_string_append(out, "\t.long ");
    put_place(out, f, from);
    g_string_append(out, ", ");
    put_place(out, f, to);
    g_string_append_c(out, '\n');
}

/* What the list's offsets count from. */
static uint32_t dwarf_put_base(GString *out, const tw__mir_function *f)
{
    g_string_append_printf(out, "\t.long -1, .Lfb%u\n", f->number);
    return 8;
}

static void put_ranges_of(dwarf *d, const tw__mir_function *f, const tw__mir_variable *variable)
{
    if (!variable->ranges) return;
    attribute(d, AT_LOCATION, FORM_OFFSET);
    g_string_append_printf(d->values, "\t.long .Ldebug_loc+%u\n", d->loc_bytes);
    d->loc_bytes += dwarf_put_base(d->loc, f);
    for (const tw__mir_range *range = variable->ranges; range; range = range->next) {
        put_pair(d->loc, f, range->from, range->to);
        g_string_append_printf(d->loc, "\t.short %u\n", range->count);
        dwarf_bytes(d->loc, range->bytes, range->count);
        d->loc_bytes += 10 + range->count;
    }
    g_string_append(d->loc, "\t.long 0, 0\n");
    d->loc_bytes += 8;
}

static const tw__mir_variable *dwarf_variable(const tw__mir_function *f, const tw__mir_scope *scope,
                                              const tw__mir_die *die)
{
    for (const tw__mir_variable *v = f->debug.variables; v; v = v->next)
        if (v->scope == scope && v->die == die) return v;
    return NULL;
}

static void put_variables(dwarf *d, const tw__mir_function *f, const tw__mir_scope *scope, tw__mir_die *function)
{
    for (tw__mir_die *die = function->first; die; die = die->next) {
        const tw__mir_variable *variable = dwarf_variable(f, scope, die);
        if (!variable) continue;
        if (function->is_inlined)
            put_reference(d, AT_ORIGIN, die);
        else
            put_plain(d, die);
        put_ranges_of(d, f, variable);
        put_entry(d, function->is_inlined ? NULL : die, die->tag, false);
    }
}

/* --- functions -------------------------------------------------------------------------------------------------- */

static bool is_within(const tw__mir_scope *inner, const tw__mir_scope *outer)
{
    while (inner && inner != outer) inner = inner->up;
    return inner == outer;
}

/* The code of an inlined call; false: none is left. */
static bool put_code(dwarf *d, const tw__mir_function *f, const tw__mir_scope *scope)
{
    const tw__mir_insn *from = NULL;
    GString *pairs = g_string_new(NULL);
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->order_count; i++)
        for (const tw__mir_insn *insn = f->blocks[f->order[i]].first; insn; insn = insn->next) {
            if (insn->is_aux_partner || is_within(insn->scope, scope) == (from != NULL)) continue;
            if (from) put_pair(pairs, f, from, insn), count++;
            from = from ? NULL : insn;
        }
    if (from) put_pair(pairs, f, from, NULL), count++;
    if (count) {
        attribute(d, AT_RANGES, FORM_OFFSET);
        g_string_append_printf(d->values, "\t.long .Ldebug_ranges+%u\n", d->ranges_bytes);
        d->ranges_bytes += dwarf_put_base(d->ranges, f) + 8 * count + 8;
        g_string_append(d->ranges, pairs->str);
        g_string_append(d->ranges, "\t.long 0, 0\n");
    }
    g_string_free(pairs, TRUE);
    return count;
}

static void put_scopes(dwarf *d, const tw__mir_function *f, const tw__mir_scope *up)
{
    for (const tw__mir_scope *scope = f->debug.scopes; scope; scope = scope->next) {
        if (scope->up != up || !put_code(d, f, scope)) continue;
        put_reference(d, AT_ORIGIN, scope->function);
        dwarf_put_number(d, AT_CALL_FILE, scope->file);
        dwarf_put_number(d, AT_CALL_LINE, scope->line);
        dwarf_put_number(d, AT_CALL_COLUMN, scope->column);
        put_entry(d, NULL, TAG_INLINED, true);
        put_variables(d, f, scope, scope->function);
        put_scopes(d, f, scope);
        put_end(d);
    }
}

static void put_names(dwarf *d, tw__mir_die *die)
{
    if (die->declaration) {
        put_reference(d, AT_SPECIFICATION, die->declaration);
        put_declared(d, die);
    } else {
        put_plain(d, die);
    }
}

static void put_function(dwarf *d, const tw__mir_function *f)
{
    tw__mir_die *die = f->debug.die;
    if (die->is_inlined)
        put_reference(d, AT_ORIGIN, die);
    else
        put_names(d, die);
    attribute(d, AT_LOW_PC, FORM_ADDR);
    attribute(d, AT_HIGH_PC, FORM_DATA4);
    g_string_append_printf(d->values, "\t.long .Lfb%u\n\t.long .Lfe%u-.Lfb%u\n", f->number, f->number, f->number);
    put_entry(d, die->is_inlined ? NULL : die, TAG_SUBPROGRAM, true);
    put_variables(d, f, NULL, die);
    put_scopes(d, f, NULL);
    put_end(d);
}

/* The function as such, of which inlined calls and its own code are instances. */
static void put_abstract(dwarf *d, tw__mir_die *die)
{
    dwarf_number(d, die);
    put_names(d, die);
    dwarf_put_number(d, AT_INLINE, 1);
    put_entry(d, die, TAG_SUBPROGRAM, true);
    for (tw__mir_die *child = die->first; child; child = child->next) {
        dwarf_number(d, child);
        put_plain(d, child);
        put_entry(d, child, child->tag, false);
    }
    put_end(d);
    if (die->function) put_function(d, d->mir->functions[die->function - 1]);
}

/* --- the unit --------------------------------------------------------------------------------------------------- */

static void put_children(dwarf *d, tw__mir_die *parent);

static void put_die(dwarf *d, tw__mir_die *die)
{
    if (die->tag == TAG_SUBPROGRAM && !die->is_declaration) {
        if (die->is_inlined)
            put_abstract(d, die);
        else if (die->function)
            put_function(d, d->mir->functions[die->function - 1]);
        return;
    }
    dwarf_number(d, die);
    put_plain(d, die);
    put_entry(d, die, die->tag, die->first);
    if (!die->first) return;
    put_children(d, die);
    put_end(d);
}

static void put_children(dwarf *d, tw__mir_die *parent)
{
    for (tw__mir_die *die = parent->first; die; die = die->next) put_die(d, die);
}

/* Code of all functions: absolute addresses. */
static void put_unit_ranges(dwarf *d)
{
    attribute(d, AT_LOW_PC, FORM_ADDR);
    attribute(d, AT_RANGES, FORM_OFFSET);
    g_string_append_printf(d->values, "\t.long 0\n\t.long .Ldebug_ranges+%u\n", d->ranges_bytes);
    for (uint32_t i = 0; i < d->mir->function_count; i++) {
        if (!d->mir->functions[i]->debug.die) continue;
        g_string_append_printf(d->ranges, "\t.long .Lfb%u, .Lfe%u\n", i, i);
        d->ranges_bytes += 8;
    }
    g_string_append(d->ranges, "\t.long 0, 0\n");
    d->ranges_bytes += 8;
}

static void put_unit(dwarf *d)
{
    const tw__mir_die *unit = d->mir->debug;
    g_string_append(d->info, ".Ldi:\n\t.long .Ldi_end-.Ldi-4\n\t.short 4\n\t.long .Ldebug_abbrev\n\t.byte 4\n");
    dwarf_put_text(d, AT_PRODUCER, "tilewright");
    attribute(d, AT_LANGUAGE, FORM_DATA2);
    g_string_append_printf(d->values, "\t.short %u\n", unit->encoding);
    dwarf_put_text(d, AT_NAME, unit->name);
    dwarf_put_text(d, AT_COMP_DIR, unit->linkage);
    attribute(d, AT_STMT_LIST, FORM_OFFSET);
    g_string_append(d->values, "\t.long .Ldebug_line\n");
    put_unit_ranges(d);
    put_entry(d, NULL, TAG_UNIT, true);
    put_children(d, d->mir->debug);
    put_end(d);
    g_string_append(d->info, ".Ldi_end:\n");
}

static void put_section(GString *out, const char *name, const char *text)
{
    g_string_append_printf(out, "\n\t.section .%s, \"\"\n.L%s:\n%s", name, name, text);
}

void tw__mir_emit_debug(tw__mir *mir, GString *out)
{
    dwarf d = { .mir = mir,
                .info = g_string_new(NULL),
                .loc = g_string_new(NULL),
                .ranges = g_string_new(NULL),
                .spec = g_string_new(NULL),
                .values = g_string_new(NULL),
                .abbrevs = g_ptr_array_new_with_free_func(g_free) };
    for (uint32_t i = 0; i < mir->function_count; i++)
        if (mir->functions[i]->debug.die) mir->functions[i]->debug.die->function = i + 1;
    put_unit(&d);
    g_autoptr(GString) abbrevs = g_string_new(NULL);
    for (guint i = 0; i < d.abbrevs->len; i++) {
        dwarf_leb(abbrevs, i + 1);
        g_string_append(abbrevs, d.abbrevs->pdata[i]);
    }
    g_string_append(abbrevs, "\t.byte 0\n");
    put_section(out, "debug_line", "");
    put_section(out, "debug_abbrev", abbrevs->str);
    put_section(out, "debug_loc", d.loc->str);
    put_section(out, "debug_ranges", d.ranges->str);
    put_section(out, "debug_info", d.info->str);
    GString *all[] = { d.info, d.loc, d.ranges, d.spec, d.values };
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) g_string_free(all[i], TRUE);
    g_ptr_array_unref(d.abbrevs);
}
