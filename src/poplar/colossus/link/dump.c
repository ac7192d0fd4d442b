/* SPDX-License-Identifier: MIT */
/* Objects as text: assembly that gives the same bytes again, and tables. */
#include "poplar/colossus/isa/isa.h"
#include "poplar/colossus/link/link.h"

#include <stdlib.h>
#include <string.h>

/* --- labels --------------------------------------------------------------------------------------------------- */

/* Places of one section that text has to name: symbols, and targets of relocations that have no symbol there. */
typedef struct label {
    uint32_t offset;
    int symbol; /* -1: made up here */
} label;

typedef struct dump {
    const tw_object *object;
    GString *out;
    GArray *labels;      /* label, of the section under way, by offset */
    GArray *relocations; /* const tw_relocation *, likewise */
    guint next_label, next_relocation;
    int section;
    tw__by_section symbol_rows, relocation_rows,
        target_rows; /* of the object; targets: relocations by their symbol's */
} dump;

static bool is_plain_name(const char *name)
{
    if (!*name || g_ascii_isdigit(*name) || strcmp(name, ".") == 0) return false;
    for (const char *p = name; *p; p++)
        if (!g_ascii_isalnum(*p) && *p != '_' && *p != '.' && *p != '?') return false;
    return true;
}

/* In quotes, as the assembler reads them. */
static void put_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\') g_string_append_c(out, '\\');
        if (g_ascii_iscntrl(*p))
            g_string_append_printf(out, "\\%03o", (unsigned char)*p);
        else
            g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
}

static int by_offset(const void *a, const void *b)
{
    const label *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset ? 1 : x->symbol - y->symbol;
}

static int by_place(const void *a, const void *b)
{
    const tw_relocation *x = *(const tw_relocation *const *)a, *y = *(const tw_relocation *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

bool tw__dump_is_named(const tw_object *object, size_t i)
{
    const tw_symbol *s = &object->symbols[i];
    return s->type != TW_SYMBOL_SECTION && is_plain_name(s->name) &&
           tw_object_find_symbol(object, s->name) == (int)i;
}

/* Where the label of a place stands: places outside of the section are told from its start or its end. */
static int64_t inside_of(const tw_section *s, int64_t place)
{
    return place < 0 ? 0 : place > s->size ? s->size : place;
}

static void collect(dump *d, int section)
{
    const tw_object *o = d->object;
    g_array_set_size(d->labels, 0), g_array_set_size(d->relocations, 0);
    d->section = section, d->next_label = d->next_relocation = 0;
    for (uint32_t k = d->symbol_rows.first[section]; k < d->symbol_rows.first[section + 1]; k++) {
        uint32_t i = d->symbol_rows.order[k];
        label l = { tw__symbol_offset(o, &o->symbols[i]), (int)i };
        if (tw__dump_is_named(d->object, i)) g_array_append_val(d->labels, l);
    }
    for (uint32_t k = d->relocation_rows.first[section]; k < d->relocation_rows.first[section + 1]; k++) {
        const tw_relocation *r = &o->relocations[d->relocation_rows.order[k]];
        g_array_append_val(d->relocations, r);
    }
    for (uint32_t k = d->target_rows.first[section]; k < d->target_rows.first[section + 1]; k++) {
        const tw_relocation *r = &o->relocations[d->target_rows.order[k]];
        const tw_symbol *s = &o->symbols[r->symbol];
        label l = { (uint32_t)inside_of(&o->sections[section].public, (int64_t)s->value + r->addend), -1 };
        if (!tw__dump_is_named(d->object, (size_t)r->symbol)) g_array_append_val(d->labels, l);
    }
    g_array_sort(d->labels, by_offset);
    g_array_sort(d->relocations, by_place);
}

/* ".L3_10" for a place of section 3 that has no symbol. */
static void put_target(const dump *d, const tw_relocation *r, GString *out)
{
    const tw_symbol *s = &d->object->symbols[r->symbol];
    if (tw__dump_is_named(d->object, (size_t)r->symbol) || s->section < 0) {
        g_string_append(out, is_plain_name(s->name) ? s->name : "0");
        if (r->addend)
            g_string_append_printf(out, " %c %lld", r->addend < 0 ? '-' : '+', llabs((long long)r->addend));
        return;
    }
    int64_t place = (int64_t)s->value + r->addend;
    int64_t inside = inside_of(&d->object->sections[s->section].public, place);
    g_string_append_printf(out, ".L%d_%llx", s->section, (long long)inside);
    if (place != inside) g_string_append_printf(out, " %c %lld", place < inside ? '-' : '+', llabs(place - inside));
}

static void put_labels(dump *d, uint32_t offset)
{
    for (uint32_t last = UINT32_MAX; d->next_label < d->labels->len; d->next_label++) {
        const label *l = &g_array_index(d->labels, label, d->next_label);
        if (l->offset > offset) return;
        if (l->symbol >= 0)
            g_string_append_printf(d->out, "%s:\n", d->object->symbols[l->symbol].name);
        else if (last != l->offset)
            g_string_append_printf(d->out, ".L%d_%x:\n", d->section, l->offset), last = l->offset;
    }
}

/* Next place after `offset` and before `end` where a label stands; else `end`. */
static uint32_t next_label(const dump *d, uint32_t offset, uint32_t end)
{
    for (guint i = d->next_label; i < d->labels->len; i++) {
        uint32_t at = g_array_index(d->labels, label, i).offset;
        if (at > offset) return MIN(at, end);
    }
    return end;
}

/* The same for labels and relocations. */
static uint32_t next_stop(const dump *d, uint32_t offset, uint32_t end)
{
    end = next_label(d, offset, end);
    for (guint i = d->next_relocation; i < d->relocations->len; i++) {
        uint32_t at = g_array_index(d->relocations, const tw_relocation *, i)->offset;
        if (at > offset) return MIN(at, end);
    }
    return end;
}

static const tw_relocation *relocation_at(dump *d, uint32_t offset)
{
    while (d->next_relocation < d->relocations->len) {
        const tw_relocation *r = g_array_index(d->relocations, const tw_relocation *, d->next_relocation);
        if (r->offset > offset) return NULL;
        if (r->offset == offset) return r;
        d->next_relocation++;
    }
    return NULL;
}

/* --- bytes ---------------------------------------------------------------------------------------------------- */

static uint32_t read_word(const tw_section *s, uint32_t at)
{
    const uint8_t *p = s->data + at;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static const char *modifier_of(unsigned type)
{
    static const char *const texts[] = { [TW_R_COLOSSUS_RELATIVE_16_S2] = "@relative@16@s2",
                                         [TW_R_COLOSSUS_18_S2] = "@abs18@s2",
                                         [TW_R_COLOSSUS_19_S2] = "@abs19@s2",
                                         [TW_R_COLOSSUS_16_S3] = "@abs16@s3",
                                         [TW_R_COLOSSUS_16_S4] = "@abs16@s4",
                                         [TW_R_COLOSSUS_16_S5] = "@abs16@s5",
                                         [TW_R_COLOSSUS_20] = "@abs20",
                                         [TW_R_COLOSSUS_21] = "@abs21" };
    return type < G_N_ELEMENTS(texts) && texts[type] ? texts[type] : "";
}

/* A modifier stands right behind the symbol, before what is added: "f@abs19@s2 + 4". */
static void put_relocated(const dump *d, const tw_relocation *r, bool plain, GString *out)
{
    GString *text = g_string_new(NULL);
    put_target(d, r, text);
    const char *modifier = plain ? "" : modifier_of(r->type), *blank = strchr(text->str, ' ');
    size_t name = *modifier && blank ? (size_t)(blank - text->str) : text->len;
    g_string_append_printf(out, "%.*s%s%s", (int)name, text->str, modifier, text->str + name);
    g_string_free(text, TRUE);
}

/* The relocation at `at` when no other begins before `end`; else NULL. */
static const tw_relocation *lone_relocation(const dump *d, uint32_t at, uint32_t end)
{
    const tw_relocation *found = NULL;
    for (guint i = d->next_relocation; i < d->relocations->len; i++) {
        const tw_relocation *r = g_array_index(d->relocations, const tw_relocation *, i);
        if (r->offset >= end) break;
        if (r->offset < at) continue;
        if (found || r->offset != at) return NULL;
        found = r;
    }
    return found;
}

/* Relocations from `at` on and before `end` as directives for the statement that begins at `start`: where no symbol
 * in the statement itself asks for them, or where a field already holds something, which a symbol in its place would
 * lose. */
static void put_directives(const dump *d, uint32_t start, uint32_t at, uint32_t end, GString *out)
{
    for (guint i = d->next_relocation; i < d->relocations->len; i++) {
        const tw_relocation *r = g_array_index(d->relocations, const tw_relocation *, i);
        if (r->offset >= end) break;
        if (r->offset < at) continue;
        g_string_append(out, "  .reloc .");
        if (r->offset > start) g_string_append_printf(out, " + %u", r->offset - start);
        g_string_append_printf(out, ", %s, ", tw_relocation_name(r->type));
        put_target(d, r, out);
        g_string_append_c(out, '\n');
    }
}

/* A directive for data can ask for this relocation, and its field holds nothing else. */
static bool is_plain_data(const tw_section *s, const tw_relocation *r, uint32_t bytes)
{
    bool by_size = r->type == TW_R_COLOSSUS_8 || r->type == TW_R_COLOSSUS_16 || r->type == TW_R_COLOSSUS_32 ||
                   r->type == TW_R_COLOSSUS_64;
    for (uint32_t i = 0; i < bytes; i++)
        if (s->data[r->offset + i]) return false;
    return bytes && (by_size || *modifier_of(r->type));
}

/* Data with its bytes, up to `end`; a relocation takes the bytes of its field. Returns where it stopped. */
static uint32_t put_data(dump *d, const tw_section *s, uint32_t at, uint32_t end)
{
    static const char *const names[] = { [1] = ".byte", [2] = ".short", [4] = ".long", [8] = ".quad" };
    const tw_relocation *r = relocation_at(d, at);
    uint32_t bytes = r ? tw__relocation_bytes(r->type) : 0;
    if (bytes && bytes <= end - at && next_stop(d, at, at + bytes) == at + bytes &&
        lone_relocation(d, at, at + bytes) && is_plain_data(s, r, bytes)) {
        g_string_append_printf(d->out, "  %s ", names[bytes]);
        put_relocated(d, r, false, d->out);
        g_string_append_c(d->out, '\n');
        return at + bytes;
    }
    if (r) put_directives(d, at, at, at + 1, d->out);
    uint32_t stop = next_stop(d, at, MIN(end, at + 16));
    if (stop - at >= 4 && !(at % 4)) {
        g_string_append_printf(d->out, "  .long 0x%08x\n", read_word(s, at));
        return at + 4;
    }
    g_string_append(d->out, "  .byte ");
    for (uint32_t i = at; i < stop; i++) g_string_append_printf(d->out, "%s0x%02x", i > at ? ", " : "", s->data[i]);
    g_string_append_c(d->out, '\n');
    return stop;
}

/* --- code ----------------------------------------------------------------------------------------------------- */

/* Operand whose field a relocation of the assembler's own choice fills; -1 when there is none. */
static int relocated_operand(const tw_isa_row *row, unsigned type, bool *plain)
{
    static const struct {
        const char *kind;
        unsigned type;
    } own[] = { { "Tgt19", TW_R_COLOSSUS_19_S2 }, { "Tgt20", TW_R_COLOSSUS_19_S2 },
                { "Adr18", TW_R_COLOSSUS_18_S2 }, { "Z20", TW_R_COLOSSUS_20 },
                { "Zvert", TW_R_COLOSSUS_RUN },   { "Z16", TW_R_COLOSSUS_16 },
                { "Z8", TW_R_COLOSSUS_8 } };
    for (size_t k = 0; k < row->count; k++)
        for (size_t i = 0; i < G_N_ELEMENTS(own); i++)
            if (strcmp(own[i].kind, row->operands[k]->name) == 0 && own[i].type == type)
                return *plain = true, (int)k;
    return -1;
}

/* One instruction at `at` as text, of a statement that begins at `start`; false when only data can stand for it. What
 * has to stand in front of the statement goes to `before`. */
static bool format_at(dump *d, const tw_section *s, uint32_t start, uint32_t at, tw_insn *insn,
                      char text[2 * TW_INSN_TEXT], GString *before)
{
    uint64_t word = read_word(s, at) | (s->size - at >= 8 ? (uint64_t)read_word(s, at + 4) << 32 : 0);
    if (!tw_insn_decode(d->object->arch, word, insn)) return false;
    const tw_isa_row *row = tw_isa_get(insn->row);
    uint32_t bytes = row->flags & TW_ISA_TWO_WORDS ? 8 : 4;
    if (bytes > s->size - at) return false;
    const tw_relocation *r = lone_relocation(d, at, at + bytes);
    bool plain = false;
    int operand = r ? relocated_operand(row, r->type, &plain) : -1;
    char line[TW_INSN_TEXT];
    if (operand < 0 || insn->operands[operand]) { /* a symbol cannot stand for a field that is not 0 */
        uint64_t back, used = bytes == 8 ? UINT64_MAX : UINT32_MAX;
        g_strlcpy(text, tw_insn_format(insn, line), TW_INSN_TEXT);
        put_directives(d, start, at, at + bytes, before);
        return tw_insn_encode(d->object->arch, insn, &back) == TW_OK && !((back ^ word) & used);
    }
    GString *target = g_string_new(NULL);
    put_relocated(d, r, plain, target);
    bool fits = target->len < TW_INSN_TEXT;
    if (fits) {
        tw__isa_format(insn, operand, "\1", line);
        g_auto(GStrv) parts = g_strsplit(line, "\1", 2);
        g_snprintf(text, 2 * TW_INSN_TEXT, "%s%s%s", parts[0], target->str, parts[1] ? parts[1] : "");
    }
    g_string_free(target, TRUE);
    return fits;
}

static uint32_t put_code(dump *d, const tw_section *s, uint32_t at)
{
    char text[2 * TW_INSN_TEXT], aux[2 * TW_INSN_TEXT];
    tw_insn insn, second;
    g_autoptr(GString) before = g_string_new(NULL);
    uint32_t end = next_label(d, at, s->size); /* no statement goes over a label */
    relocation_at(d, at);                      /* those behind us are done */
    if (at % 4 || end - at < 4 || !format_at(d, s, at, at, &insn, text, before))
        return put_data(d, s, at, MIN(end, at + (4 - at % 4)));
    const tw_isa_row *row = tw_isa_get(insn.row);
    if (row->flags & TW_ISA_TWO_WORDS) {
        if (end - at < 8) return put_data(d, s, at, at + 4);
        g_string_append_printf(d->out, "%s  %-50s // %x: %08x %08x\n", before->str, text, at, read_word(s, at),
                               read_word(s, at + 4));
        return at + 8;
    }
    if (!insn.bundled) {
        g_string_append_printf(d->out, "%s  %-50s // %x: %08x\n", before->str, text, at, read_word(s, at));
        return at + 4;
    }
    bool bundle = end - at >= 8 && format_at(d, s, at, at + 4, &second, aux, before) && second.bundled &&
                  row->pipe == TW_ISA_MAIN && tw_isa_get(second.row)->pipe == TW_ISA_AUX;
    if (!bundle) return put_data(d, s, at, at + 4);
    g_string_append_printf(d->out, "%s  { %-48s // %x: %08x\n    %-46s } // %x: %08x\n", before->str, text, at,
                           read_word(s, at), aux, at + 4, read_word(s, at + 4));
    return at + 8;
}

static void put_section(dump *d, int index)
{
    const tw_section *s = &d->object->sections[index].public;
    collect(d, index);
    if (!s->size && !d->labels->len) return;
    g_string_append(d->out, "\n.section ");
    put_quoted(d->out, s->name);
    g_string_append_printf(d->out, ", \"%s%s%s\"%s\n", s->flags & TW_SECTION_ALLOC ? "a" : "",
                           s->flags & TW_SECTION_WRITE ? "w" : "", s->flags & TW_SECTION_EXEC ? "x" : "",
                           s->flags & TW_SECTION_EMPTY ? ", @nobits" : "");
    if (s->align > 1) g_string_append_printf(d->out, ".align %u\n", s->align);
    if (d->object->linked) g_string_append_printf(d->out, "// at 0x%x\n", s->address);
    uint32_t at = 0;
    while (at < s->size) {
        put_labels(d, at);
        if (s->flags & TW_SECTION_EMPTY) {
            uint32_t stop = next_stop(d, at, s->size);
            g_string_append_printf(d->out, "  .space %u\n", stop - at);
            at = stop;
        } else {
            at = s->flags & TW_SECTION_EXEC ? put_code(d, s, at) : put_data(d, s, at, s->size);
        }
    }
    put_labels(d, UINT32_MAX);
}

/* --- directives ------------------------------------------------------------------------------------------------- */

static void put_symbol_lines(dump *d)
{
    static const char *const bindings[] = { NULL, ".globl", ".weak" }, *const kinds[] = { NULL, ".internal",
                                                                                          ".hidden", ".protected" };
    const tw_object *o = d->object;
    for (size_t i = 0; i < o->symbol_count; i++) {
        const tw_symbol *s = &o->symbols[i];
        if (!tw__dump_is_named(d->object, i)) continue;
        if (s->section == TW_SECTION_COMMON)
            g_string_append_printf(d->out, ".comm %s, %u, %u\n", s->name, s->size, s->value);
        if (s->section == TW_SECTION_ABSOLUTE && s->type != TW_SYMBOL_FILE)
            g_string_append_printf(d->out, ".set %s, 0x%x\n", s->name, s->value);
        if (bindings[s->binding]) g_string_append_printf(d->out, "%s %s\n", bindings[s->binding], s->name);
        if (s->visibility) g_string_append_printf(d->out, "%s %s\n", kinds[s->visibility], s->name);
        if (s->section < 0) continue;
        if (s->type == TW_SYMBOL_FUNCTION) g_string_append_printf(d->out, ".type %s, @function\n", s->name);
        if (s->type == TW_SYMBOL_OBJECT) g_string_append_printf(d->out, ".type %s, @object\n", s->name);
        if (s->size) g_string_append_printf(d->out, ".size %s, %u\n", s->name, s->size);
    }
}

static void put_calls(dump *d, const tw_stack_note *n)
{
    g_auto(GStrv) targets = g_strsplit(n->targets, ",", -1);
    g_string_append(d->out, ".stack_calls ");
    put_quoted(d->out, n->name);
    for (char **t = targets; *t; t++) {
        if (!*g_strstrip(*t)) continue;
        g_string_append(d->out, t == targets ? ", " : ",");
        if (is_plain_name(*t))
            g_string_append(d->out, *t);
        else
            put_quoted(d->out, *t);
    }
    g_string_append_c(d->out, '\n');
}

static void put_stack_lines(dump *d)
{
    for (size_t i = 0; i < d->object->note_count; i++) {
        const tw_stack_note *n = &d->object->notes[i];
        if (n->kind == TW_STACK_CALLS) {
            put_calls(d, n);
            continue;
        }
        g_string_append(d->out, n->kind == TW_STACK_OWN ? ".stack_own " : ".stack_total ");
        put_quoted(d->out, n->name);
        g_string_append_printf(d->out, ", %u\n", n->bytes);
    }
}

static int section_of_target(const tw_object *object, size_t row)
{
    return object->symbols[object->relocations[row].symbol].section;
}

static bool sort_rows(dump *d)
{
    const tw_object *o = d->object;
    return tw__by_section_new(o, o->symbol_count, tw__section_of_symbol, &d->symbol_rows) &&
           tw__by_section_new(o, o->relocation_count, tw__section_of_relocation, &d->relocation_rows) &&
           tw__by_section_new(o, o->relocation_count, section_of_target, &d->target_rows);
}

static void put_program(dump *d)
{
    g_string_append_printf(d->out,
                           "// %s, %s\n.allow_invalid_operands\n.allow_invalid_repeat\n.warn_on_invalid_bundles\n",
                           tw_isa_arch_name(d->object->arch), d->object->linked ? "linked" : "relocatable");
    put_symbol_lines(d);
    put_stack_lines(d);
    for (size_t i = 0; i < d->object->section_count; i++) put_section(d, (int)i);
}

char *tw_object_dump(const tw_object *object, unsigned parts)
{
    enum { ALL = TW_DUMP_CODE | TW_DUMP_SECTIONS | TW_DUMP_SYMBOLS | TW_DUMP_RELOCATIONS | TW_DUMP_STACK };
    if (!object) return tw__made(tw__missing("object"), NULL);
    if (parts & ~(unsigned)ALL)
        return tw__made(tw__fail(TW_E_INVALID_ARGUMENT, "unknown parts of a dump: 0x%x", parts), NULL);
    dump d = { .object = object, .out = g_string_new(NULL) };
    d.labels = g_array_new(FALSE, FALSE, sizeof(label));
    d.relocations = g_array_new(FALSE, FALSE, sizeof(const tw_relocation *));
    tw__dump_tables(object, parts, d.out);
    bool sorted = !(parts & TW_DUMP_CODE) || sort_rows(&d);
    if (sorted && (parts & TW_DUMP_CODE)) put_program(&d);
    tw__by_section_free(&d.symbol_rows);
    tw__by_section_free(&d.relocation_rows);
    tw__by_section_free(&d.target_rows);
    g_array_free(d.labels, TRUE);
    g_array_free(d.relocations, TRUE);
    char *text = sorted ? tw__realloc(NULL, d.out->len + 1) : NULL;
    if (text)
        memcpy(text, d.out->str, d.out->len + 1);
    else
        tw__fail(TW_E_NO_MEMORY, "no memory to print the object");
    g_string_free(d.out, TRUE);
    return text;
}
