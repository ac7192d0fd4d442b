/* SPDX-License-Identifier: MIT */
/* .debug_line of DWARF 4 from the lines of an object, for texts that have that section and leave it empty (popc -g):
 * debuggers and llvm-dwarfdump read it, the tools here read the object's own lines. */
#include "poplar/colossus/asm/asm.h"
#include "poplar/colossus/object/dwarf.h"

#include <string.h>

enum {
    NS_COPY = 1,
    NS_ADVANCE_PC = 2,
    NS_ADVANCE_LINE = 3,
    NS_SET_FILE = 4,
    NS_SET_COLUMN = 5,
    NE_END_SEQUENCE = 1,
    NE_SET_ADDRESS = 2,
    OPCODE_BASE = 13
};

typedef struct program {
    tw__asm *as;
    GByteArray *out;
    GHashTable *files; /* name -> number */
    GPtrArray *names;  /* by number; NULL where there is none */
    GArray *addresses; /* struct address: places that are relocated */
} program;

struct address {
    uint32_t at;
    int section;
    uint32_t offset;
};

static void line_set_word(GByteArray *out, guint at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) out->data[at + i] = (guint8)(word >> 8 * i);
}

/* --- files ------------------------------------------------------------------------------------------------------ */

/* Numbers are those of .file; what has none, such as the text itself, comes behind them. */
static void number_files(program *p)
{
    const tw__asm *as = p->as;
    for (guint i = 0; i < as->files->len || !i; i++) {
        const char *name = i < as->files->len ? as->files->pdata[i] : NULL;
        g_ptr_array_add(p->names, (gpointer)name);
        if (name && !g_hash_table_contains(p->files, name))
            g_hash_table_insert(p->files, (gpointer)name, GUINT_TO_POINTER(i));
    }
    for (size_t i = 0; i < as->object->line_count; i++) {
        const char *name = as->object->lines[i].file;
        if (g_hash_table_contains(p->files, name)) continue;
        g_hash_table_insert(p->files, (gpointer)name, GUINT_TO_POINTER(p->names->len));
        g_ptr_array_add(p->names, (gpointer)name);
    }
}

static void put_header(program *p)
{
    static const uint8_t lengths[OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
    dwarf_word(p->out, 0);
    dwarf_byte(p->out, 4), dwarf_byte(p->out, 0); /* version */
    dwarf_word(p->out, 0);
    dwarf_byte(p->out, 1), dwarf_byte(p->out, 1); /* bytes of an instruction, of a bundle */
    dwarf_byte(p->out, 1), dwarf_byte(p->out, 0xfb),
        dwarf_byte(p->out, 14); /* statements; special opcodes: none used */
    dwarf_byte(p->out, OPCODE_BASE);
    g_byte_array_append(p->out, lengths, sizeof lengths);
    dwarf_byte(p->out, 0); /* no folders: names are whole */
    for (guint i = 1; i < p->names->len; i++) {
        const char *name = p->names->pdata[i] ? p->names->pdata[i] : "?";
        g_byte_array_append(p->out, (const guint8 *)name, (guint)strlen(name) + 1);
        dwarf_byte(p->out, 0), dwarf_byte(p->out, 0), dwarf_byte(p->out, 0); /* folder, time, size */
    }
    dwarf_byte(p->out, 0);
    line_set_word(p->out, 6, p->out->len - 10);
}

/* --- rows ------------------------------------------------------------------------------------------------------- */

static void begin_sequence(program *p, const tw_object_line *first)
{
    dwarf_byte(p->out, 0), dwarf_byte(p->out, 5), dwarf_byte(p->out, NE_SET_ADDRESS);
    struct address at = { p->out->len, first->section, first->offset };
    g_array_append_val(p->addresses, at);
    dwarf_word(p->out, 0);
}

static void line_put_row(program *p, const tw_object_line *from, const tw_object_line *line)
{
    uint32_t file = GPOINTER_TO_UINT(g_hash_table_lookup(p->files, line->file));
    uint32_t before = from ? GPOINTER_TO_UINT(g_hash_table_lookup(p->files, from->file)) : 1;
    if (from) dwarf_byte(p->out, NS_ADVANCE_PC), dwarf_leb(p->out, line->offset - from->offset);
    if (file != before) dwarf_byte(p->out, NS_SET_FILE), dwarf_leb(p->out, file);
    if (line->column != (from ? from->column : 0))
        dwarf_byte(p->out, NS_SET_COLUMN), dwarf_leb(p->out, line->column);
    dwarf_byte(p->out, NS_ADVANCE_LINE);
    dwarf_sleb(p->out, (int64_t)line->line - (from ? from->line : 1));
    dwarf_byte(p->out, NS_COPY);
}

static void end_sequence(program *p, const tw_object_line *last)
{
    uint32_t end = p->as->object->sections[last->section].public.size;
    dwarf_byte(p->out, NS_ADVANCE_PC), dwarf_leb(p->out, end - last->offset);
    dwarf_byte(p->out, 0), dwarf_byte(p->out, 1), dwarf_byte(p->out, NE_END_SEQUENCE);
}

static void put_rows(program *p)
{
    const tw_object *o = p->as->object;
    tw_object_line_at(o, 0, 0); /* puts them in order */
    for (size_t i = 0; i < o->line_count; i++) {
        const tw_object_line *line = &o->lines[i];
        bool first = !i || o->lines[i - 1].section != line->section;
        if (first) begin_sequence(p, line);
        line_put_row(p, first ? NULL : &o->lines[i - 1], line);
        if (i + 1 == o->line_count || o->lines[i + 1].section != line->section) end_sequence(p, line);
    }
}

void tw__asm_finish_lines(tw__asm *as)
{
    int section = tw__object_find_section(as->object, ".debug_line");
    if (section < 0 || as->object->sections[section].public.size || as->errors) return;
    program p = { .as = as,
                  .out = g_byte_array_new(),
                  .files = g_hash_table_new(g_str_hash, g_str_equal),
                  .names = g_ptr_array_new(),
                  .addresses = g_array_new(FALSE, FALSE, sizeof(struct address)) };
    number_files(&p);
    put_header(&p);
    put_rows(&p);
    line_set_word(p.out, 0, p.out->len - 4);
    place where = { 0 };
    tw_status status = tw_object_append(as->object, section, p.out->data, p.out->len);
    for (guint i = 0; i < p.addresses->len && status == TW_OK; i++) {
        const struct address *a = &g_array_index(p.addresses, struct address, i);
        int symbol = tw_object_section_symbol(as->object, a->section);
        status = symbol < 0
                     ? (tw_status)symbol
                     : tw_object_relocate(as->object, section, a->at, TW_R_COLOSSUS_32, symbol, (int32_t)a->offset);
    }
    tw__asm_ok(as, status, where);
    g_byte_array_unref(p.out);
    g_hash_table_unref(p.files);
    g_ptr_array_unref(p.names);
    g_array_unref(p.addresses);
}
