/* SPDX-License-Identifier: MIT */
// needs: colossus
/* Any text through the assembler. What assembles must come back from its own ELF file, and its disassembly must
 * assemble to the same bytes; what does not must say why. .include and .incbin are left out: they would read files of
 * this machine. */
#include "instructions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/colossus/asm.h>

static void check(bool ok)
{
    if (!ok) abort();
}

static void check_same(const tw_object *a, const tw_object *b)
{
    for (size_t i = 0; i < tw_object_section_count(a); i++) {
        const tw_section *x = tw_object_get_section(a, i), *y = NULL;
        for (size_t k = 0; k < tw_object_section_count(b); k++)
            if (strcmp(tw_object_get_section(b, k)->name, x->name) == 0) y = tw_object_get_section(b, k);
        if (!x->size) continue;
        check(y && x->size == y->size);
        check(!x->data || memcmp(x->data, y->data, x->size) == 0);
    }
}

static bool reads_files(const char *text, size_t size)
{
    for (size_t i = 0; i + 7 < size; i++)
        if (text[i] == '.' && (text[i + 1] | 32) == 'i' && (text[i + 2] | 32) == 'n' && (text[i + 3] | 32) == 'c')
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_EXPANDED = 256 << 10 }; /* 64 MiB take many seconds, with sanitizers */
    static const tw_isa_arch chips[] = { TW_ISA_IPU1, TW_ISA_IPU2, TW_ISA_IPU21 };
    if (size < 1 || size > 20000 || reads_files((const char *)data + 1, size - 1)) return 0;
    tw_asm_options options = { .size = sizeof options, .arch = chips[data[0] % 3], .max_expanded = MOST_EXPANDED };
    tw_diags *diags = tw_diags_new();
    tw_object *object, *back;
    tw_status status =
        tw_status_of(object = tw_asm_text((const char *)data + 1, size - 1, "fuzz.S", &options, diags));
    check((status == TW_OK) == (tw_diags_count(diags, TW_ERROR) == 0));
    check((status == TW_OK) == (object != NULL));
    tw_diags_free(diags);
    if (!object) return 0;
    uint8_t *bytes;
    size_t length, total = 0;
    check((bytes = tw_object_to_elf(object, &length)) != NULL);
    check((back = tw_object_from_elf(bytes, length, "fuzz.o")) != NULL);
    check_same(object, back);
    for (size_t i = 0; i < tw_object_section_count(object); i++) total += tw_object_get_section(object, i)->size;
    char *text = total < 20000 ? tw_object_dump(back, TW_DUMP_CODE) : NULL;
    tw_object_free(back);
    if (text) {
        check((back = tw_asm_text(text, strlen(text), "dump.S", &options, NULL)) != NULL);
        check_same(object, back);
        tw_object_free(back);
    }
    free(text);
    free(bytes);
    tw_object_free(object);
    return 0;
}

/* --- mutations: the language's words, instructions from the table --------------------------------------------- */

static const char *const words[] = { ".text\n",
                                     ".data\n",
                                     ".bss\n",
                                     ".rodata\n",
                                     ".section .text.g, \"ax\"\n",
                                     ".section d, \"aw\"\n",
                                     ".section z, \"aw\", @nobits\n",
                                     ".pushsection .data\n",
                                     ".popsection\n",
                                     ".previous\n",
                                     ".align 8\n",
                                     ".balign 16, 1, 3\n",
                                     ".p2align 3\n",
                                     ".byte 1\n",
                                     ".short 2\n",
                                     ".long f\n",
                                     ".quad 1f\n",
                                     ".long . - f\n",
                                     ".float 1.5\n",
                                     ".double -inf\n",
                                     ".ascii \"a\\n\"\n",
                                     ".asciz \"b\"\n",
                                     ".space 5\n",
                                     ".skip 3, 7\n",
                                     ".fill 2, 4, 1\n",
                                     ".org 64\n",
                                     ".org . + 8\n",
                                     ".reloc ., R_COLOSSUS_32, f\n",
                                     ".reloc 0, R_COLOSSUS_8, f + 1\n",
                                     ".globl f\n",
                                     ".weak g\n",
                                     ".local f\n",
                                     ".hidden f\n",
                                     ".type f, @function\n",
                                     ".type d, @object\n",
                                     ".size f, . - f\n",
                                     ".comm c, 8, 4\n",
                                     ".lcomm l, 3\n",
                                     ".set x, 1 << 4\n",
                                     ".equiv y, f + 4\n",
                                     "x = x + 1\n",
                                     ".stack_own f, 16\n",
                                     ".stack_total f, x\n",
                                     ".stack_calls f, g, h\n",
                                     ".allow_optimizations\n",
                                     ".allow_invalid_operands\n",
                                     ".allow_invalid_repeat\n",
                                     ".warn_on_invalid_bundles\n",
                                     ".worker\n",
                                     ".supervisor\n",
                                     ".purgem m\n",
                                     ".exitm\n",
                                     "m 1, 2\n",
                                     "m b=3\n",
                                     ".warning \"w\"\n",
                                     ".error \"e\"\n",
                                     ".print \"p\"\n",
                                     ".end\n",
                                     ".else\n",
                                     ".elseif x\n",
                                     ".cfi_startproc\n",
                                     ".cfi_endproc\n",
                                     ".cfi_def_cfa $sp, 8\n",
                                     ".cfi_def_cfa_offset 16\n",
                                     ".cfi_adjust_cfa_offset 8\n",
                                     ".cfi_def_cfa_register $m10\n",
                                     ".cfi_offset $lr, -4\n",
                                     ".cfi_rel_offset $m7, 4\n",
                                     ".cfi_val_offset $m8, -8\n",
                                     ".cfi_register $lr, $m9\n",
                                     ".cfi_restore $lr\n",
                                     ".cfi_same_value $m8\n",
                                     ".cfi_undefined 10\n",
                                     ".cfi_remember_state\n",
                                     ".cfi_restore_state\n",
                                     ".file 1 \"a.c\"\n",
                                     ".file 2 \"/d\" \"b.c\"\n",
                                     ".loc 1 3 2\n",
                                     ".loc 2 7\n",
                                     "f:\n",
                                     "g: ",
                                     "1:\n",
                                     "2: ",
                                     "f",
                                     "g",
                                     "x",
                                     "1f",
                                     "1b",
                                     ".",
                                     "@abs21",
                                     "@abs19@s2",
                                     "@abs16@s3",
                                     "@relative@16@s2",
                                     "R_COLOSSUS_16",
                                     "$m0",
                                     "$m11:12",
                                     "$a0:1",
                                     "$a4:7",
                                     "$mzero",
                                     "$lr",
                                     "$sp",
                                     "$mworker_base",
                                     "$PC",
                                     "$0",
                                     "\\a",
                                     "\\b",
                                     "\\@",
                                     "\\()",
                                     "a@",
                                     "/*",
                                     "*/",
                                     "//",
                                     "#",
                                     "# 7 \"o.S\"\n",
                                     "(",
                                     ")",
                                     "~",
                                     "-",
                                     "!",
                                     "<<",
                                     ">>",
                                     "&&",
                                     "||",
                                     "/",
                                     "%",
                                     "1.5h",
                                     "0x7fffffff",
                                     "-9223372036854775808",
                                     "'a",
                                     "{",
                                     "}",
                                     ";",
                                     ",",
                                     "+=",
                                     ">>",
                                     ":BL",
                                     "rpt 2, 1\n",
                                     "{rpt $m0, 1; fnop}\n",
                                     "{nop; fnop}\n",
                                     "ldconst $m0, 0x12345678\n",
                                     NULL };

static const mutate_pair pairs[] = { { ".rept 3\n", ".endr\n" },
                                     { ".irp a, 1, f, $m0\n", ".endr\n" },
                                     { ".irpc a, 012\n", ".endr\n" },
                                     { ".macro m a, b=2\n", ".endm\nm 1\n" },
                                     { ".macro n a:req, b:vararg\n", ".endm\nn 1, 2, 3\n" },
                                     { ".if x\n", ".else\n.endif\n" },
                                     { ".ifdef f\n", ".endif\n" },
                                     { ".cfi_startproc\n.cfi_def_cfa_offset 8\n", ".cfi_endproc\n" },
                                     { ".pushsection .text.p, \"ax\"\n", ".popsection\n" },
                                     { "{ ", "}\n" },
                                     { "/*", "*/\n" },
                                     { NULL, NULL } };

/* An instruction of the table, nearly always a legal one. */
static const char *random_instruction(mutate_chance *c)
{
    static char line[TW_INSN_TEXT + 2];
    char text[TW_INSN_TEXT];
    tw_insn insn = instruction_random(c, TW_ISA_ALL, NULL);
    const tw_isa_row *row = tw_isa_get(insn.row);
    uint64_t word;
    bool legal = tw_insn_encode((tw_isa_arch)(row->archs & -row->archs), &insn, &word) == TW_OK;
    snprintf(line, sizeof line, "%s\n", legal ? tw_insn_format(&insn, text) : row->name);
    return line;
}

static const mutate_language language = { words, random_instruction, pairs, 1 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_text(&language, data, size, most, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t most, unsigned seed)
{
    return mutate_cross(&language, a, a_size, b, b_size, out, most, seed);
}
