/* SPDX-License-Identifier: MIT */
/* Objects as ELF32 files, through libelf. */
#define _GNU_SOURCE
#include "poplar/colossus/object/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is written, before libelf sees it: buffers that live until elf_update(). */
typedef struct writer {
    const tw_object *object;
    Elf *elf;
    GByteArray *section_names, *symbol_names;
    GPtrArray *buffers; /* GByteArray of each section made here */
    uint32_t *indices;  /* ELF section of each section of the object */
    uint32_t *symbols;  /* ELF symbol of each symbol; 0 = not written */
    GArray *table;      /* Elf32_Sym */
    bool no_memory;     /* ours, not libelf's */
} writer;

static tw_status elf_failed(const char *what)
{
    const char *why = elf_errmsg(0);
    return tw__fail(TW_E_SYSTEM, "%s: %s", what, why ? why : "out of memory");
}

static uint32_t elf_write_add_name(GByteArray *names, const char *name)
{
    uint32_t at = names->len;
    if (!*name) return 0;
    g_byte_array_append(names, (const guint8 *)name, (guint)strlen(name) + 1);
    return at;
}

/* --- sections ------------------------------------------------------------------------------------------------- */

typedef struct section_form {
    const char *name;
    uint32_t type, flags, align, address, link, info, entry;
} section_form;

/* Adds a section with `bytes` of data, which stay with the caller; its index, 0 when libelf fails. */
static uint32_t add_section(writer *w, const section_form *form, const void *data, size_t bytes)
{
    (void)elf_errno();
    Elf_Scn *scn = elf_newscn(w->elf);
    if (elf_errmsg(0)) return 0; /* without memory it returns a section that has no header, and getshdr crashes */
    Elf32_Shdr *header = scn ? elf32_getshdr(scn) : NULL;
    Elf_Data *content = header ? elf_newdata(scn) : NULL;
    if (!content) return 0;
    content->d_buf = (void *)data, content->d_size = bytes, content->d_align = form->align;
    content->d_type = form->type == SHT_SYMTAB ? ELF_T_SYM : form->type == SHT_RELA ? ELF_T_RELA : ELF_T_BYTE;
    header->sh_name = elf_write_add_name(w->section_names, form->name);
    header->sh_type = form->type, header->sh_flags = form->flags, header->sh_addralign = form->align;
    header->sh_addr = form->address, header->sh_link = form->link, header->sh_info = form->info;
    header->sh_entsize = form->entry;
    return (uint32_t)elf_ndxscn(scn);
}

static GByteArray *new_buffer(writer *w)
{
    GByteArray *buffer = g_byte_array_new();
    g_ptr_array_add(w->buffers, buffer);
    return buffer;
}

static bool add_object_sections(writer *w)
{
    const tw_object *object = w->object;
    for (size_t i = 0; i < object->section_count; i++) {
        const tw_section *s = &object->sections[i].public;
        section_form form = { .name = s->name, .align = s->align, .address = s->address };
        form.type = s->flags & TW_SECTION_EMPTY ? SHT_NOBITS : SHT_PROGBITS;
        form.flags = (s->flags & TW_SECTION_ALLOC ? SHF_ALLOC : 0u) |
                     (s->flags & TW_SECTION_WRITE ? SHF_WRITE : 0u) |
                     (s->flags & TW_SECTION_EXEC ? SHF_EXECINSTR : 0u);
        w->indices[i] = add_section(w, &form, s->data, s->size);
        if (!w->indices[i]) return false;
    }
    return true;
}

/* --- symbols -------------------------------------------------------------------------------------------------- */

/* Labels that begin with .L and those without a name stay inside the file, unless something outside has to find
 * them. */
static bool is_written(const tw_symbol *s, bool wanted)
{
    if (s->type == TW_SYMBOL_SECTION) return true;
    if (wanted) return true;
    if (!*s->name || strncmp(s->name, ".L", 2) == 0) return false;
    return s->section != TW_SECTION_UNDEFINED || s->binding != TW_SYMBOL_LOCAL;
}

static void add_symbol(writer *w, size_t i)
{
    static const uint8_t types[] = { STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION, STT_FILE };
    static const uint8_t bindings[] = { STB_LOCAL, STB_GLOBAL, STB_WEAK };
    const tw_symbol *s = &w->object->symbols[i];
    Elf32_Sym out = { .st_value = s->value, .st_size = s->size, .st_other = s->visibility };
    out.st_name = elf_write_add_name(w->symbol_names, s->name);
    out.st_info = ELF32_ST_INFO(bindings[s->binding], types[s->type]);
    out.st_shndx = s->section >= 0                     ? (Elf32_Section)w->indices[s->section]
                   : s->section == TW_SECTION_ABSOLUTE ? SHN_ABS
                   : s->section == TW_SECTION_COMMON   ? SHN_COMMON
                                                       : SHN_UNDEF;
    w->symbols[i] = w->table->len;
    g_array_append_val(w->table, out);
}

/* Locals first, as ELF wants it. Returns the index of the first symbol that is not local. */
static uint32_t make_symbols(writer *w)
{
    const tw_object *object = w->object;
    g_autofree bool *wanted = g_new0(bool, object->symbol_count + 1);
    for (size_t i = 0; i < object->relocation_count; i++) wanted[object->relocations[i].symbol] = true;
    Elf32_Sym none = { 0 };
    g_array_append_val(w->table, none);
    for (int locals = 1; locals >= 0; locals--) {
        uint32_t first = w->table->len;
        for (size_t i = 0; i < object->symbol_count; i++)
            if ((object->symbols[i].binding == TW_SYMBOL_LOCAL) == locals &&
                is_written(&object->symbols[i], wanted[i]))
                add_symbol(w, i);
        if (!locals) return first;
    }
    return 0;
}

static bool add_symbols(writer *w, uint32_t *table_index)
{
    uint32_t first_global = make_symbols(w);
    section_form names = { .name = ".strtab", .type = SHT_STRTAB, .align = 1 };
    uint32_t link = add_section(w, &names, w->symbol_names->data, w->symbol_names->len);
    section_form table = { .name = ".symtab",
                           .type = SHT_SYMTAB,
                           .align = 4,
                           .link = link,
                           .info = first_global,
                           .entry = sizeof(Elf32_Sym) };
    *table_index = add_section(w, &table, w->table->data, w->table->len * sizeof(Elf32_Sym));
    return link && *table_index;
}

/* --- relocations, notes, lines -------------------------------------------------------------------------------- */

static bool add_relocations_of(writer *w, uint32_t table, const tw__by_section *rows, size_t s)
{
    const tw_object *object = w->object;
    if (rows->first[s] == rows->first[s + 1]) return true;
    GByteArray *buffer = new_buffer(w);
    for (uint32_t i = rows->first[s]; i < rows->first[s + 1]; i++) {
        const tw_relocation *r = &object->relocations[rows->order[i]];
        Elf32_Rela out = { .r_offset = r->offset, .r_addend = r->addend };
        out.r_info = ELF32_R_INFO(w->symbols[r->symbol], (uint32_t)r->type);
        g_byte_array_append(buffer, (const guint8 *)&out, sizeof out);
    }
    g_autofree char *name = g_strconcat(".rela", object->sections[s].public.name, NULL);
    section_form form = { .name = name,
                          .type = SHT_RELA,
                          .align = 4,
                          .link = table,
                          .info = w->indices[s],
                          .flags = SHF_INFO_LINK,
                          .entry = sizeof(Elf32_Rela) };
    return add_section(w, &form, buffer->data, buffer->len);
}

static bool add_relocations(writer *w, uint32_t table)
{
    const tw_object *object = w->object;
    tw__by_section rows;
    if (!tw__by_section_new(object, object->relocation_count, tw__section_of_relocation, &rows)) {
        w->no_memory = true;
        return false;
    }
    bool ok = true;
    for (size_t s = 0; s < object->section_count && ok; s++) ok = add_relocations_of(w, table, &rows, s);
    tw__by_section_free(&rows);
    return ok;
}

static bool add_notes(writer *w)
{
    if (!w->object->note_count) return true;
    GByteArray *buffer = new_buffer(w);
    for (size_t i = 0; i < w->object->note_count; i++) {
        const tw_stack_note *note = &w->object->notes[i];
        g_autofree char *text = note->kind == TW_STACK_CALLS
                                    ? g_strdup_printf("calls %s %s", note->name, note->targets)
                                    : g_strdup_printf("%s %s %u", note->kind == TW_STACK_OWN ? "own" : "total",
                                                      note->name, note->bytes);
        g_byte_array_append(buffer, (const guint8 *)text, (guint)strlen(text) + 1);
    }
    section_form form = { .name = TW__STACK_SECTION, .type = SHT_PROGBITS, .align = 1 };
    return add_section(w, &form, buffer->data, buffer->len) != 0;
}

/* Five words a line: section, offset, name of the file (from the start of the names that follow), line, column; the
 * first word of all is the number of lines. */
static bool add_lines(writer *w)
{
    const tw_object *object = w->object;
    if (!object->line_count) return true;
    GByteArray *buffer = new_buffer(w);
    g_autoptr(GByteArray) names = g_byte_array_new();
    uint32_t count = (uint32_t)object->line_count, name = 0;
    const char *last = NULL;
    g_byte_array_append(buffer, (const guint8 *)&count, sizeof count);
    for (size_t i = 0; i < object->line_count; i++) {
        const tw_object_line *line = &object->lines[i];
        if (!last || strcmp(line->file, last) != 0) {
            name = names->len, last = line->file;
            g_byte_array_append(names, (const guint8 *)last, (guint)strlen(last) + 1);
        }
        uint32_t row[5] = { w->indices[line->section], line->offset, name, line->line, line->column };
        g_byte_array_append(buffer, (const guint8 *)row, sizeof row);
    }
    g_byte_array_append(buffer, names->data, names->len);
    section_form form = { .name = TW__LINES_SECTION, .type = SHT_PROGBITS, .align = 4 };
    return add_section(w, &form, buffer->data, buffer->len) != 0;
}

/* --- the file ------------------------------------------------------------------------------------------------- */

static bool add_header(writer *w)
{
    Elf32_Ehdr *header = elf32_newehdr(w->elf);
    if (!header) return false;
    tw_isa_arch arch = w->object->arch;
    header->e_ident[EI_DATA] = ELFDATA2LSB;
    header->e_ident[EI_OSABI] = ELFOSABI_STANDALONE;
    header->e_machine = TW__EM_IPU;
    header->e_type = w->object->linked ? ET_EXEC : ET_REL;
    header->e_version = EV_CURRENT;
    header->e_entry = w->object->entry;
    header->e_flags = arch == TW_ISA_IPU1 ? 0x01 : arch == TW_ISA_IPU2 ? 0x02 : 0x21;
    return true;
}

static bool fill(writer *w)
{
    uint32_t table;
    if (!add_header(w) || !add_object_sections(w) || !add_symbols(w, &table) || !add_relocations(w, table) ||
        !add_notes(w) || !add_lines(w))
        return false;
    section_form form = { .name = ".shstrtab", .type = SHT_STRTAB, .align = 1 };
    uint32_t own_name = w->section_names->len; /* the table holds its own name: add it before its size is taken */
    g_byte_array_append(w->section_names, (const guint8 *)form.name, 10);
    form.name = "";
    uint32_t names = add_section(w, &form, w->section_names->data, w->section_names->len);
    if (!names) return false;
    elf32_getshdr(elf_getscn(w->elf, names))->sh_name = own_name;
    elf32_getehdr(w->elf)->e_shstrndx = (uint16_t)names;
    elf_flagelf(w->elf, ELF_C_SET, ELF_F_DIRTY);
    return elf_update(w->elf, ELF_C_WRITE) >= 0;
}

static tw_status write_to(const tw_object *object, int fd)
{
    elf_version(EV_CURRENT);
    writer w = { .object = object, .elf = elf_begin(fd, ELF_C_WRITE, NULL) };
    if (!w.elf) return elf_failed("cannot begin an ELF file");
    w.section_names = g_byte_array_new(), w.symbol_names = g_byte_array_new();
    g_byte_array_append(w.section_names, (const guint8 *)"", 1);
    g_byte_array_append(w.symbol_names, (const guint8 *)"", 1);
    w.buffers = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
    w.indices = g_new0(uint32_t, object->section_count + 1);
    w.symbols = g_new0(uint32_t, object->symbol_count + 1);
    w.table = g_array_new(FALSE, FALSE, sizeof(Elf32_Sym));
    tw_status status = fill(&w)      ? TW_OK
                       : w.no_memory ? tw__fail(TW_E_NO_MEMORY, "out of memory for an ELF file")
                                     : elf_failed("cannot write an ELF file");
    elf_end(w.elf);
    g_byte_array_unref(w.section_names), g_byte_array_unref(w.symbol_names);
    g_ptr_array_free(w.buffers, TRUE);
    g_free(w.indices), g_free(w.symbols);
    g_array_free(w.table, TRUE);
    return status;
}

/* libelf writes to a descriptor only: a file in memory. */
uint8_t *tw_object_to_elf(const tw_object *object, size_t *size)
{
    if (!object) return tw__made(tw__missing("object"), NULL);
    if (!size) return tw__made(tw__fail(TW_E_INVALID_ARGUMENT, "an ELF file needs a place for its size"), NULL);
    int fd = memfd_create("tilewright-object", MFD_CLOEXEC);
    if (fd < 0) return tw__made(tw__fail(TW_E_SYSTEM, "cannot make a file in memory: %s", g_strerror(errno)), NULL);
    tw_status status = write_to(object, fd);
    off_t length = status == TW_OK ? lseek(fd, 0, SEEK_END) : 0;
    uint8_t *bytes = NULL;
    if (status == TW_OK && !(bytes = tw__realloc(NULL, (size_t)length + 1)))
        status = tw__fail(TW_E_NO_MEMORY, "out of memory for an ELF file");
    for (off_t at = 0; status == TW_OK && at < length;) {
        ssize_t n = pread(fd, bytes + at, (size_t)(length - at), at);
        if (n <= 0 && errno != EINTR) status = tw__fail(TW_E_SYSTEM, "cannot read back an ELF file");
        if (n > 0) at += n;
    }
    close(fd);
    *size = (size_t)length;
    if (status != TW_OK) free(bytes);
    return tw__made(status, bytes);
}

tw_status tw_object_write(const tw_object *object, const char *path)
{
    size_t size;
    if (!object) return tw__missing("object");
    if (!path) return tw__fail(TW_E_INVALID_ARGUMENT, "an object cannot be written without a path");
    uint8_t *bytes = tw_object_to_elf(object, &size);
    if (!bytes) return tw_error_status();
    tw_status status = tw_write_file(path, bytes, size, NULL, 0);
    free(bytes);
    return status;
}
