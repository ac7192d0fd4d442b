/* SPDX-License-Identifier: MIT */
/* ELF32 files as objects, through libelf. Files come from anywhere: every number is checked before it is used. */
#include "poplar/colossus/object/elf.h"

#include <glib.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SECTIONS = 65000, MAX_FILE = 256 << 20 /* bytes */ };

typedef struct reader {
    Elf *elf;
    const char *file; /* name for messages */
    tw_object *object;
    size_t names; /* section with the names of sections */
    size_t sections;
    int *indices; /* section of the object, by ELF section; -1 = none */
    bool *shared; /* by ELF section: of a group of which a program has one (COMDAT) */
    int *symbols; /* symbol of the object, by ELF symbol */
    size_t symbol_count;
} reader;

#define BAD(r, ...) elf_read_bad((r)->file, __VA_ARGS__)
static tw_status elf_read_bad(const char *file, const char *format, ...) TW_PRINTF(2, 3);
static tw_status elf_read_bad(const char *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    return tw__fail(TW_E_OBJECT_LOAD, "'%s' is no object for the IPU, or a damaged one: %s", file, text);
}

/* What a check of the object says becomes what is wrong with the file. */
static tw_status judge(const reader *r, tw_status status)
{
    if (status == TW_OK || status == TW_E_NO_MEMORY) return status;
    g_autofree char *why = g_strdup(tw_error_message());
    return BAD(r, "%s", why);
}

static const char *name_of(const reader *r, const Elf32_Shdr *header)
{
    const char *name = elf_strptr(r->elf, r->names, header->sh_name);
    return name ? name : "";
}

/* --- header --------------------------------------------------------------------------------------------------- */

static tw_status read_header(reader *r)
{
    const Elf32_Ehdr *header = elf32_getehdr(r->elf);
    const unsigned char *ident = (const unsigned char *)elf_getident(r->elf, NULL);
    if (!header || !ident || ident[EI_CLASS] != ELFCLASS32) return BAD(r, "not a 32-bit ELF file");
    if (ident[EI_DATA] != ELFDATA2LSB) return BAD(r, "not little-endian");
    if (header->e_machine != TW__EM_IPU)
        return BAD(r, "made for machine %u, not %u", header->e_machine, TW__EM_IPU);
    if (header->e_type != ET_REL && header->e_type != ET_EXEC) return BAD(r, "neither relocatable nor linked");
    if (header->e_shoff % 4) return BAD(r, "its table of sections is not aligned");
    unsigned flags = header->e_flags & 0xff;
    tw_isa_arch arch = flags == 0x01 ? TW_ISA_IPU1 : flags == 0x02 ? TW_ISA_IPU2 : flags == 0x21 ? TW_ISA_IPU21 : 0;
    if (!arch) return BAD(r, "flags 0x%x name no known chip", flags);
    if (elf_getshdrnum(r->elf, &r->sections) != 0 || elf_getshdrstrndx(r->elf, &r->names) != 0 ||
        r->sections > MAX_SECTIONS)
        return BAD(r, "the table of sections cannot be read");
    r->object = tw_object_new(arch);
    if (!r->object) return TW_E_NO_MEMORY;
    r->object->linked = header->e_type == ET_EXEC;
    r->object->entry = header->e_entry;
    return TW_OK;
}

/* --- sections ------------------------------------------------------------------------------------------------- */

static bool is_content(const reader *r, const Elf32_Shdr *header)
{
    if (header->sh_type != SHT_PROGBITS && header->sh_type != SHT_NOBITS) return false;
    const char *name = name_of(r, header);
    return strcmp(name, TW__STACK_SECTION) != 0 && strcmp(name, TW__LINES_SECTION) != 0;
}

static tw_status read_section(reader *r, size_t i, Elf_Scn *scn, const Elf32_Shdr *header)
{
    unsigned flags = (header->sh_flags & SHF_ALLOC ? TW_SECTION_ALLOC : 0u) |
                     (header->sh_flags & SHF_WRITE ? TW_SECTION_WRITE : 0u) |
                     (header->sh_flags & SHF_EXECINSTR ? TW_SECTION_EXEC : 0u) |
                     (header->sh_type == SHT_NOBITS ? TW_SECTION_EMPTY : 0u);
    const char *name = name_of(r, header);
    uint32_t align = header->sh_addralign ? header->sh_addralign : 1;
    if (tw__check_align(align) != TW_OK) return BAD(r, "section '%s' is aligned to %u", name, align);
    int section = tw__object_twin_section(r->object, name, flags);
    if (section < 0) return judge(r, (tw_status)section);
    r->indices[i] = section;
    Elf_Data *data = header->sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);
    if (header->sh_type != SHT_NOBITS && header->sh_size &&
        (!data || !data->d_buf || data->d_size != header->sh_size))
        return BAD(r, "section '%s' lies outside of the file", name);
    tw_status status = tw_object_raise_align(r->object, section, align);
    if (status == TW_OK) status = tw_object_append(r->object, section, data ? data->d_buf : NULL, header->sh_size);
    if (status == TW_E_OVERFLOW) return BAD(r, "section '%s' is larger than 2 MB", name);
    tw_section *made = &r->object->sections[section].public;
    if (status == TW_OK) status = tw__check_address(made, header->sh_addr);
    made->address = header->sh_addr;
    return judge(r, status);
}

/* Calls `read` for each section of a type (0 = those that hold content). */
typedef tw_status section_reader(reader *r, size_t i, Elf_Scn *scn, const Elf32_Shdr *header);
static tw_status for_sections(reader *r, uint32_t type, const char *name, section_reader *read)
{
    for (size_t i = 1; i < r->sections; i++) {
        Elf_Scn *scn = elf_getscn(r->elf, i);
        const Elf32_Shdr *header = scn ? elf32_getshdr(scn) : NULL;
        if (!header) return BAD(r, "section %zu cannot be read", i);
        bool wanted = type ? header->sh_type == type && (!name || strcmp(name, name_of(r, header)) == 0)
                           : is_content(r, header);
        tw_status status = wanted ? read(r, i, scn, header) : TW_OK;
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

static uint32_t elf_read_word_at(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Definitions in a group that several files may bring are weak here: the linker takes the first one, and what only
 * the others have is not referred to. */
static tw_status read_group(reader *r, size_t i, Elf_Scn *scn, const Elf32_Shdr *header)
{
    (void)header;
    Elf_Data *data = elf_rawdata(scn, NULL);
    const uint8_t *words = data ? data->d_buf : NULL;
    size_t count = words ? data->d_size / 4 : 0;
    if (!count || !(elf_read_word_at(words) & GRP_COMDAT)) return TW_OK;
    for (size_t k = 1; k < count; k++) {
        uint32_t section = elf_read_word_at(words + 4 * k);
        if (section >= r->sections) return BAD(r, "group %zu names section %u of %zu", i, section, r->sections);
        r->shared[section] = true;
    }
    return TW_OK;
}

static tw_status refuse_start(reader *r, size_t i, Elf_Scn *scn, const Elf32_Shdr *header)
{
    (void)i, (void)scn;
    return BAD(r,
               "section '%s' lists functions that would run before or behind the program, and nothing on a tile "
               "runs them",
               name_of(r, header));
}

/* --- symbols -------------------------------------------------------------------------------------------------- */

/* Section of a symbol's row; false when it is one that is not kept, such as that of the stack notes. */
static tw_status section_of(const reader *r, const Elf32_Sym *in, const char *name, int *section, bool *kept)
{
    *kept = true;
    *section = in->st_shndx == SHN_ABS      ? TW_SECTION_ABSOLUTE
               : in->st_shndx == SHN_COMMON ? TW_SECTION_COMMON
                                            : TW_SECTION_UNDEFINED;
    if (*section != TW_SECTION_UNDEFINED || in->st_shndx == SHN_UNDEF) return TW_OK;
    if (in->st_shndx >= r->sections)
        return BAD(r, "symbol '%s' is in section %u of %zu", name, in->st_shndx, r->sections);
    *section = r->indices[in->st_shndx];
    *kept = *section >= 0;
    return TW_OK;
}

static tw_status read_symbol(reader *r, const Elf32_Sym *in, size_t index, size_t names)
{
    const char *name = elf_strptr(r->elf, names, in->st_name);
    if (!name) return BAD(r, "symbol %zu has no name that can be read", index);
    bool kept;
    tw_symbol made = { .name = name,
                       .value = in->st_value,
                       .size = in->st_size,
                       .type = (tw_symbol_type)ELF32_ST_TYPE(in->st_info),
                       .binding = (tw_symbol_binding)ELF32_ST_BIND(in->st_info),
                       .visibility = in->st_other & 3 };
    bool is_shared = in->st_shndx < r->sections && r->shared[in->st_shndx];
    if (is_shared && made.binding == TW_SYMBOL_GLOBAL) made.binding = TW_SYMBOL_WEAK;
    tw_status status = section_of(r, in, name, &made.section, &kept);
    if (status != TW_OK || !kept) return status;
    status = judge(r, tw__check_symbol(r->object, &made));
    if (status != TW_OK) return status;
    int symbol = made.type == TW_SYMBOL_SECTION
                     ? tw_object_section_symbol(r->object, made.section)
                     : tw__object_twin_symbol(r->object, name, made.binding == TW_SYMBOL_LOCAL);
    if (symbol < 0) return (tw_status)symbol;
    r->symbols[index] = symbol;
    tw_symbol *out = &r->object->symbols[symbol];
    if (made.type == TW_SYMBOL_SECTION) return TW_OK;
    if (out->section != TW_SECTION_UNDEFINED)
        return made.section == TW_SECTION_UNDEFINED ? TW_OK : BAD(r, "symbol '%s' is defined twice", name);
    made.name = out->name;
    *out = made;
    return TW_OK;
}

static tw_status read_symbols(reader *r, size_t i, Elf_Scn *scn, const Elf32_Shdr *header)
{
    (void)i;
    if (r->symbols) return BAD(r, "there are two tables of symbols");
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t count = data && data->d_type == ELF_T_SYM ? data->d_size / sizeof(Elf32_Sym) : 0;
    r->symbols = tw__calloc(count + 1, sizeof *r->symbols);
    if (!r->symbols) return tw__fail(TW_E_NO_MEMORY, "out of memory for symbols");
    r->symbol_count = count;
    for (size_t k = 0; k < count; k++) r->symbols[k] = -1;
    for (size_t k = 1; k < count; k++) {
        Elf32_Sym in; /* the table may lie anywhere */
        memcpy(&in, (const char *)data->d_buf + k * sizeof in, sizeof in);
        tw_status status = read_symbol(r, &in, k, header->sh_link);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

/* --- relocations ---------------------------------------------------------------------------------------------- */

static tw_status read_relocations(reader *r, size_t i, Elf_Scn *scn, const Elf32_Shdr *header)
{
    (void)i;
    if (header->sh_info >= r->sections || r->indices[header->sh_info] < 0)
        return BAD(r, "relocations of section %u, which holds nothing", header->sh_info);
    int section = r->indices[header->sh_info];
    const tw_section *s = &r->object->sections[section].public;
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t count = data && data->d_type == ELF_T_RELA ? data->d_size / sizeof(Elf32_Rela) : 0;
    for (size_t k = 0; k < count; k++) {
        Elf32_Rela in;
        memcpy(&in, (const char *)data->d_buf + k * sizeof in, sizeof in);
        uint32_t symbol = ELF32_R_SYM(in.r_info), type = ELF32_R_TYPE(in.r_info);
        if (symbol >= r->symbol_count || r->symbols[symbol] < 0)
            return BAD(r, "relocation %zu of '%s' names symbol %u", k, s->name, symbol);
        tw_status status = judge(r, tw_object_relocate(r->object, section, in.r_offset, (tw_relocation_type)type,
                                                       r->symbols[symbol], in.r_addend));
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

/* The format has addends beside its relocations; those in the fields themselves would be lost. */
static tw_status refuse_relocations(reader *r, size_t i, Elf_Scn *scn, const Elf32_Shdr *header)
{
    (void)scn, (void)header;
    return BAD(r, "section %zu has relocations without addends (SHT_REL); this format has SHT_RELA", i);
}

/* --- notes and lines ------------------------------------------------------------------------------------------ */

static tw_status read_notes(reader *r, size_t i, Elf_Scn *scn, const Elf32_Shdr *header)
{
    (void)i, (void)header;
    Elf_Data *data = elf_rawdata(scn, NULL);
    return data && data->d_buf ? tw__object_read_notes(r->object, data->d_buf, data->d_size) : TW_OK;
}

static tw_status read_lines(reader *r, size_t i, Elf_Scn *scn, const Elf32_Shdr *header)
{
    (void)i, (void)header;
    Elf_Data *data = elf_rawdata(scn, NULL);
    const uint8_t *bytes = data ? data->d_buf : NULL;
    size_t size = bytes ? data->d_size : 0, count = size >= 4 ? elf_read_word_at(bytes) : 0;
    if (!count) return TW_OK;
    if (count > (size - 4) / TW__LINE_BYTES) return BAD(r, "the table of lines is cut off");
    const char *names = (const char *)bytes + 4 + count * TW__LINE_BYTES;
    size_t room = size - (4 + count * TW__LINE_BYTES);
    for (size_t k = 0; k < count; k++) {
        const uint8_t *row = bytes + 4 + k * TW__LINE_BYTES;
        uint32_t section = elf_read_word_at(row), name = elf_read_word_at(row + 8);
        if (section >= r->sections || r->indices[section] < 0 || name >= room ||
            !memchr(names + name, 0, room - name))
            return BAD(r, "line %zu of the table of lines", k);
        tw_object_line line = { r->indices[section], elf_read_word_at(row + 4), names + name,
                                elf_read_word_at(row + 12), elf_read_word_at(row + 16) };
        tw_status status = judge(r, tw_object_add_place(r->object, &line));
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

tw_status tw__object_read_notes(tw_object *object, const uint8_t *text, size_t length)
{
    static const char *const kinds[] = {
        [TW_STACK_TOTAL] = "total ", [TW_STACK_OWN] = "own ", [TW_STACK_CALLS] = "calls "
    };
    for (size_t at = 0; at < length;) {
        const char *line = (const char *)text + at;
        if (!memchr(line, 0, length - at)) return tw__fail(TW_E_OBJECT_LOAD, "the last stack note is cut off");
        at += strlen(line) + 1;
        if (!*line) continue;
        size_t k = 0;
        while (k < G_N_ELEMENTS(kinds) && !g_str_has_prefix(line, kinds[k])) k++;
        if (k == G_N_ELEMENTS(kinds)) return tw__fail(TW_E_OBJECT_LOAD, "'%.100s' is no stack note", line);
        line += strlen(kinds[k]);
        const char *blank = strchr(line, ' ');
        g_autofree char *name = blank ? g_strndup(line, (gsize)(blank - line)) : g_strdup(line);
        tw_stack_note note = { .kind = (tw_stack_kind)k,
                               .name = name,
                               .targets = k == TW_STACK_CALLS && blank ? blank + 1 : "" };
        guint64 bytes = 0;
        if (k != TW_STACK_CALLS &&
            (!blank || !g_ascii_string_to_unsigned(blank + 1, 10, 0, TW__MAX_SECTION, &bytes, NULL)))
            return tw__fail(TW_E_OBJECT_LOAD, "stack note of '%.100s' without a number of bytes", name);
        note.bytes = (uint32_t)bytes;
        if (tw__check_note(&note) != TW_OK) return tw__fail(TW_E_OBJECT_LOAD, "a stack note has no name");
        tw_status status = tw_object_add_stack_note(object, &note);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

/* --- the file ------------------------------------------------------------------------------------------------- */

static tw_status elf_read_all(reader *r)
{
    tw_status status = read_header(r);
    if (status != TW_OK) return status;
    r->indices = tw__calloc(r->sections + 1, sizeof *r->indices);
    r->shared = tw__calloc(r->sections + 1, sizeof *r->shared);
    if (!r->indices || !r->shared) return tw__fail(TW_E_NO_MEMORY, "out of memory for sections");
    for (size_t i = 0; i < r->sections; i++) r->indices[i] = -1;
    status = for_sections(r, 0, NULL, read_section);
    static const uint32_t starts[] = { SHT_INIT_ARRAY, SHT_FINI_ARRAY, SHT_PREINIT_ARRAY };
    for (size_t i = 0; status == TW_OK && i < G_N_ELEMENTS(starts); i++)
        status = for_sections(r, starts[i], NULL, refuse_start);
    if (status == TW_OK) status = for_sections(r, SHT_GROUP, NULL, read_group);
    if (status == TW_OK) status = for_sections(r, SHT_SYMTAB, NULL, read_symbols);
    if (status == TW_OK) status = for_sections(r, SHT_RELA, NULL, read_relocations);
    if (status == TW_OK) status = for_sections(r, SHT_REL, NULL, refuse_relocations);
    if (status == TW_OK) status = for_sections(r, SHT_PROGBITS, TW__STACK_SECTION, read_notes);
    if (status == TW_OK) status = for_sections(r, SHT_PROGBITS, TW__LINES_SECTION, read_lines);
    return status;
}

static tw_status from_elf(const uint8_t *bytes, size_t size, const char *name, tw_object **object)
{
    if (!name || (!bytes && size)) return tw__fail(TW_E_INVALID_ARGUMENT, "an ELF file needs its bytes and a name");
    elf_version(EV_CURRENT);
    if (size < sizeof(Elf32_Ehdr)) return elf_read_bad(name, "too short for an ELF file");
    char *copy = tw__realloc(NULL, size); /* libelf wants to be able to write, and its alignment */
    if (!copy) return tw__fail(TW_E_NO_MEMORY, "out of memory for '%s'", name);
    memcpy(copy, bytes, size);
    reader r = { .file = name, .elf = elf_memory(copy, size) };
    tw_status status = !r.elf                         ? tw__fail(TW_E_NO_MEMORY, "out of memory for '%s'", name)
                       : elf_kind(r.elf) != ELF_K_ELF ? elf_read_bad(name, "not an ELF file")
                                                      : elf_read_all(&r);
    if (r.elf) elf_end(r.elf);
    free(copy);
    free(r.indices), free(r.shared);
    free(r.symbols);
    if (status == TW_OK) status = tw_object_set_name(r.object, name);
    if (status == TW_OK)
        *object = r.object;
    else
        tw_object_free(r.object);
    return status;
}

tw_object *tw_object_from_elf(const uint8_t *bytes, size_t size, const char *name)
{
    tw_object *object = NULL;
    tw_status status = from_elf(bytes, size, name, &object);
    return tw__made(status, object);
}

tw_object *tw_object_read(const char *path)
{
    if (!path) return tw__made(tw__fail(TW_E_INVALID_ARGUMENT, "reading an object needs a path"), NULL);
    size_t size;
    char *bytes = tw_read_file(path, MAX_FILE, &size);
    tw_object *object = bytes ? tw_object_from_elf((const uint8_t *)bytes, size, path) : NULL;
    free(bytes);
    return object;
}
