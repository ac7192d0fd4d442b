/* SPDX-License-Identifier: MIT */
// needs: colossus
/* Any bytes as an object file. What can be read is shown, linked and written without harm, and what was written is
 * read again with the same sections. Mutations know the tables of ELF. */
#include "mutate.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/colossus/asm.h>
#include <tilewright/poplar/colossus/link.h>

enum { MOST_SHOWN = 100000 }; /* bytes of sections: text of more takes too long */

static void check(bool ok)
{
    if (!ok) abort();
}

static void show(const tw_object *object)
{
    uint64_t total = 0;
    for (size_t i = 0; i < tw_object_section_count(object); i++) total += tw_object_get_section(object, i)->size;
    if (total < MOST_SHOWN) free(tw_object_dump(object, 31));
}

static void write_and_read(const tw_object *object)
{
    uint8_t *bytes;
    size_t length;
    tw_object *back;
    check((bytes = tw_object_to_elf(object, &length)) != NULL);
    check((back = tw_object_from_elf(bytes, length, "again.o")) != NULL);
    check(tw_object_section_count(back) == tw_object_section_count(object));
    check(tw_object_relocation_count(back) == tw_object_relocation_count(object));
    check(tw_object_stack_note_count(back) == tw_object_stack_note_count(object));
    for (size_t i = 0; i < tw_object_section_count(object); i++) {
        const tw_section *x = tw_object_get_section(object, i), *y = tw_object_get_section(back, i);
        check(x->size == y->size && x->address == y->address && x->flags == y->flags);
        check(!x->data || memcmp(x->data, y->data, x->size) == 0);
    }
    free(bytes);
    tw_object_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_object *object, *image;
    if (!(object = tw_object_from_elf(data, size, "fuzz.o"))) return 0;
    show(object);
    write_and_read(object);
    const tw_object *objects[] = { object, object };
    for (size_t count = 1; count <= 2; count++) {
        if (!(image = tw_link(objects, count, NULL, NULL))) continue;
        show(image);
        write_and_read(image);
        tw_object_free(image);
    }
    tw_object_free(object);
    return 0;
}

/* --- files to begin with -------------------------------------------------------------------------------------- */

static const char *const texts[] = {
    ".globl f\n.type f, @function\nf: call $lr, g\n  setzi $m0, d + 4\n  { nop; fnop }\n  br $lr\n.size f, . - f\n"
    ".globl g\n.type g, @function\ng: bri f\n.data\n.align 8\nd: .long f, 1, d\n.quad 0\n.short d@abs16@s3\n"
    ".bss\nb: .space 12\n.comm c, 8, 4\n.stack_own f, 16\n.stack_own g, 8\n.stack_calls f, g\n",
    ".section .text.a, \"ax\"\n.globl a\na: br $m2\n.section .text.b, \"ax\"\n.weak b\nb: call $lr, a\n  br $lr\n"
    ".stack_total a, 24\n.stack_own b, 0\n.section notes\n.long 7\n.rodata\n.long a, b\n",
};

/* An object, or an image, of one of the texts. */
static size_t fresh(mutate_chance *c, uint8_t *data, size_t most)
{
    const char *text = texts[mutate_below(c, 2)];
    tw_object *object, *image = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (!(object = tw_asm_text(text, strlen(text), "seed.S", NULL, NULL))) abort();
    const tw_object *one = object;
    if (mutate_one_in(c, 2)) tw_status_of(image = tw_link(&one, 1, NULL, NULL));
    check((bytes = tw_object_to_elf(image ? image : object, &size)) != NULL);
    tw_object_free(object), tw_object_free(image);
    if (size <= most) memcpy(data, bytes, size);
    free(bytes);
    return size <= most ? size : 0;
}

/* --- mutations ------------------------------------------------------------------------------------------------ */

typedef struct file {
    uint8_t *data;
    size_t size;
    uint32_t table; /* of sections */
    unsigned count;
} file;

/* False when the bytes are no ELF file with a table of sections. */
static bool parse(file *f, uint8_t *data, size_t size)
{
    Elf32_Ehdr h;
    if (size < sizeof h || memcmp(data, ELFMAG, SELFMAG) != 0) return false;
    memcpy(&h, data, sizeof h);
    *f = (file){ data, size, h.e_shoff, h.e_shnum };
    return h.e_shoff <= size && h.e_shnum && h.e_shnum <= (size - h.e_shoff) / sizeof(Elf32_Shdr);
}

static Elf32_Shdr section_at(const file *f, unsigned index)
{
    Elf32_Shdr s;
    memcpy(&s, f->data + f->table + index * sizeof s, sizeof s);
    return s;
}

/* A random one of this type; else any. Its content is cut to what the file has. */
static unsigned pick_section(const file *f, mutate_chance *c, uint32_t type, Elf32_Shdr *section)
{
    unsigned start = mutate_below(c, f->count), found = start;
    for (unsigned i = 0; i < f->count; i++) {
        unsigned index = (start + i) % f->count;
        *section = section_at(f, index);
        if (section->sh_type != type) continue;
        found = index;
        break;
    }
    *section = section_at(f, found);
    if (section->sh_type == SHT_NOBITS || section->sh_offset > f->size) section->sh_size = section->sh_offset = 0;
    if (section->sh_size > f->size - section->sh_offset) section->sh_size = (uint32_t)f->size - section->sh_offset;
    return found;
}

/* A number that stands anywhere in a table of sections, or is a limit of the file. */
static uint32_t other_number(const file *f, mutate_chance *c)
{
    Elf32_Shdr s = section_at(f, mutate_below(c, f->count));
    uint32_t numbers[] = { s.sh_addr,         s.sh_size, s.sh_offset, s.sh_addr + s.sh_size,
                           (uint32_t)f->size, f->count,  f->table,    1 << 21,
                           0x4c000,           SHN_ABS,   SHN_COMMON,  SHN_XINDEX };
    return numbers[mutate_below(c, sizeof numbers / sizeof *numbers)];
}

static void change_header(const file *f, mutate_chance *c)
{
    static const struct {
        uint8_t at, bytes;
    } fields[] = { { 16, 2 }, { 24, 4 }, { 32, 4 }, { 36, 4 }, { 46, 2 }, { 48, 2 }, { 50, 2 } };
    unsigned k = mutate_below(c, sizeof fields / sizeof *fields);
    if (k == 0)
        f->data[16] = (uint8_t)(1 + mutate_below(c, 2)); /* relocatable or linked */
    else
        mutate_number(c, f->data + fields[k].at, fields[k].bytes, other_number(f, c));
}

static void change_section(const file *f, mutate_chance *c)
{
    uint8_t *row = f->data + f->table + mutate_below(c, f->count) * sizeof(Elf32_Shdr);
    unsigned field = mutate_below(c, 10);
    static const uint32_t types[] = {
        SHT_PROGBITS, SHT_NOBITS, SHT_SYMTAB, SHT_RELA, SHT_REL, SHT_STRTAB, SHT_NULL
    };
    if (field == 1)
        memcpy(row + 4, &types[mutate_below(c, 7)], 4);
    else if (field == 2)
        row[8] = (uint8_t)mutate_below(c, 8);
    else
        mutate_number(c, row + 4 * field, 4, other_number(f, c));
}

/* One field of one row of a table whose rows have `bytes` bytes. */
static void change_row(const file *f, mutate_chance *c, uint32_t type, uint32_t bytes, const uint8_t *widths)
{
    Elf32_Shdr s;
    pick_section(f, c, type, &s);
    if (s.sh_size < bytes) return;
    uint8_t *row = f->data + s.sh_offset + mutate_below(c, s.sh_size / bytes) * bytes;
    unsigned count = 0;
    while (widths[count]) count++;
    unsigned field = mutate_below(c, count);
    for (unsigned i = 0; i < field; i++) row += widths[i];
    mutate_number(c, row, widths[field], other_number(f, c));
}

/* Two rows of one table change places, or one takes the place of the other. */
static void copy_row(const file *f, mutate_chance *c, uint32_t at, uint32_t bytes, uint32_t count)
{
    uint8_t held[sizeof(Elf32_Shdr)];
    if (!count || bytes > sizeof held) return;
    uint8_t *a = f->data + at + mutate_below(c, count) * bytes, *b = f->data + at + mutate_below(c, count) * bytes;
    memcpy(held, a, bytes);
    memmove(a, b, bytes);
    if (mutate_one_in(c, 2)) memcpy(b, held, bytes);
}

static void change_content(const file *f, mutate_chance *c)
{
    Elf32_Shdr s;
    pick_section(f, c, mutate_one_in(c, 3) ? SHT_STRTAB : SHT_PROGBITS, &s);
    if (!s.sh_size) return;
    uint32_t at = mutate_below(c, s.sh_size), bytes = s.sh_size - at < 4 ? 1 : 4;
    if (mutate_one_in(c, 2))
        mutate_number(c, f->data + s.sh_offset + (bytes == 4 ? at & ~3u : at), bytes, mutate_below(c, 64));
    else
        f->data[s.sh_offset + at] = (uint8_t)"\0 ,0f.#~-"[mutate_below(c, 9)];
}

static void change(const file *f, mutate_chance *c)
{
    static const uint8_t symbol[] = { 4, 4, 4, 1, 1, 2, 0 }, relocation[] = { 4, 1, 1, 2, 4, 0 };
    Elf32_Shdr s;
    switch (mutate_below(c, 12)) {
    case 0: change_header(f, c); break;
    case 1:
    case 2:
    case 3: change_section(f, c); break;
    case 4:
    case 5:
    case 6: change_row(f, c, SHT_SYMTAB, sizeof(Elf32_Sym), symbol); break;
    case 7:
    case 8: change_row(f, c, SHT_RELA, sizeof(Elf32_Rela), relocation); break;
    case 9: copy_row(f, c, f->table, sizeof(Elf32_Shdr), f->count); break;
    case 10:
        pick_section(f, c, SHT_SYMTAB, &s);
        copy_row(f, c, s.sh_offset, sizeof(Elf32_Sym), s.sh_size / sizeof(Elf32_Sym));
        break;
    default: change_content(f, c); break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    mutate_chance c = mutate_chance_of(seed);
    file f;
    if (!parse(&f, data, size) || mutate_one_in(&c, 500)) {
        size_t made = fresh(&c, data, most);
        if (made) return made;
        return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
    }
    if (LLVMFuzzerMutate && mutate_one_in(&c, 20)) return LLVMFuzzerMutate(data, size, most);
    for (unsigned n = 1 + mutate_below(&c, 4); n && parse(&f, data, size); n--) change(&f, &c);
    return size;
}
