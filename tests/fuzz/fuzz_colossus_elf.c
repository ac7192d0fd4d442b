/* SPDX-License-Identifier: MIT */
// needs: colossus
/* Any bytes as an object file. What can be read is shown, linked and written without harm, and what was written is
 * read again with the same sections; debug information is asked for variables and functions. Mutations know the
 * tables of ELF. */
#include "mutate.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/colossus/asm.h>
#include <tilewright/poplar/colossus/debug.h>
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

static bool get_register(void *user, unsigned number, uint32_t *value)
{
    (void)user;
    *value = 0x50000 + 8 * number;
    return number != 7;
}

static bool read_memory(void *user, uint32_t address, void *bytes, size_t count)
{
    (void)user;
    if (address >= 0x100000) return false;
    for (size_t i = 0; i < count; i++) ((uint8_t *)bytes)[i] = (uint8_t)(address + i);
    return true;
}

static void ask(const tw_object *image)
{
    static const char *const texts[] = {
        "x",      "*p", "p->m", "s.m", "a[1]", "&g", "this", "a[x]", "(*s).n", "p->p->p", "a[x + 1][2 * x]",
        "a[(1)]", "q"
    };
    tw_debug *debug = tw_debug_new(image);
    if (!debug) return;
    for (uint32_t pc = 0x4c000; pc < 0x4c020; pc += 4) {
        tw_debug_frame frames[4];
        size_t count = tw_debug_frames(debug, pc, frames, 4);
        for (unsigned frame = 0; frame <= count && frame < 3; frame++) {
            tw_debug_state state = {
                .size = sizeof state, .pc = pc, .frame = frame, .get_register = get_register, .read = read_memory
            };
            for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
                free(tw_debug_print(debug, &state, texts[i]));
                free(tw_debug_type(debug, &state, texts[i]));
            }
            free(tw_debug_locals(debug, &state));
            tw_debug_caller caller;
            tw_debug_unwind(debug, &state, &caller);
        }
    }
    uint32_t at[2];
    tw_debug_entries(debug, "f", at, 2);
    tw_debug_free(debug);
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
        ask(image);
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
    /* a function f with rules of its frame, a parameter x in $m0, s on the stack, p, an array a, and a global g;
     * DWARF 4 */
    ".text\n.globl f\nf: .cfi_startproc\n nop\n.cfi_def_cfa_offset 16\n.cfi_offset $lr, -4\n.cfi_rel_offset $m7, "
    "0\n"
    ".cfi_register $m8, $m9\n.cfi_remember_state\n nop\n.cfi_def_cfa $m9, 8\n.cfi_undefined $m7\n br $lr\n"
    ".cfi_restore_state\n.cfi_endproc\ne:\n.data\ng: .long 7\n.section .debug_line\n.section .debug_abbrev\n"
    ".byte 1,0x11,1, 0x10,0x17, 0,0\n.byte 2,0x2e,1, 3,8, 0x11,1, 0x12,6, 0,0\n.byte 3,5,0, 3,8, 0x49,0x13, "
    "2,0x17, 0,0\n"
    ".byte 4,0x34,0, 3,8, 0x49,0x13, 2,0x18, 0,0\n.byte 5,0x24,0, 3,8, 0x3e,0x0b, 0x0b,0x0b, 0,0\n"
    ".byte 6,0x13,1, 3,8, 0x0b,0x0b, 0,0\n.byte 7,0x0d,0, 3,8, 0x49,0x13, 0x38,0x0b, 0,0\n.byte 8,0x0f,0, "
    "0x49,0x13, 0,0\n"
    ".byte 9,1,1, 0x49,0x13, 0,0\n.byte 10,0x21,0, 0x37,0x0b, 0,0\n.byte 11,0x1d,1, 0x31,0x13, 0x55,0x17, "
    "0x59,0x0b, 0,0\n"
    ".byte 0\n.section .debug_loc\nl: .long -1, f, 0, 12\n.short 1\n.byte 0x50\n.long 0, 0\n"
    ".section .debug_ranges\nr: .long -1, f, 4, 8, 0, 0\n"
    ".section .debug_info\ni: .long z - i - 4\n.short 4\n.long 0\n.byte 4, 1\n.long 0\n"
    "fun: .byte 2\n.asciz \"f\"\n.long f, 12\n.byte 3\n.asciz \"x\"\n.long int - i, l\n"
    ".byte 4\n.asciz \"s\"\n.long rec - i\n.byte 2, 0x7b, 8\n.byte 4\n.asciz \"p\"\n.long ptr - i\n.byte 1, "
    "0x51\n.byte 4\n.asciz \"q\"\n.long int - i\n.byte 1, 0x9c\n"
    ".byte 4\n.asciz \"a\"\n.long arr - i\n.byte 6, 0x52, 0x93, 4, 0x53, 0x93, 4\n"
    ".byte 11\n.long fun - i, r\n.byte 3\n.byte 0\n.byte 0\n.byte 4\n.asciz \"g\"\n.long int - i\n.byte 5, "
    "3\n.long g\n"
    "int: .byte 5\n.asciz \"int\"\n.byte 5, 4\nrec: .byte 6\n.asciz \"R\"\n.byte 12\n.byte 7\n.asciz \"m\"\n.long "
    "int - i\n"
    ".byte 0\n.byte 7\n.asciz \"n\"\n.long arr - i\n.byte 4\n.byte 7\n.asciz \"p\"\n.long ptr - i\n.byte 8\n.byte "
    "0\n"
    "ptr: .byte 8\n.long rec - i\narr: .byte 9\n.long int - i\n.byte 10, 2\n.byte 0\n.byte 0\nz:\n",
};

/* An object, or an image, of one of the texts. */
static size_t fresh(mutate_chance *c, uint8_t *data, size_t most)
{
    const char *text = texts[mutate_below(c, sizeof texts / sizeof *texts)];
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
