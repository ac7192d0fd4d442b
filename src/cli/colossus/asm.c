/* SPDX-License-Identifier: MIT */
/* `tilewright asm`: assembly of IPU tiles to an object file, or to a listing. */
#include "cli/cli.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <tilewright/poplar/colossus/asm.h>

static const char help[] =
    "A file whose name ends in .S goes through the C preprocessor first; the language is GNU assembler syntax with "
    "bundles\n"
    "in braces, the instructions are those of `tilewright info insn`.\n"
    "\n"
    "  -o FILE      the object (ELF32, relocatable); default: the input with .o\n"
    "  --arch CHIP  mk1 (ipu1), mk2 (ipu2, the default), ipu21\n"
    "  --list       print offset, words and text of each instruction; no object unless -o is given\n"
    "  -I DIR, -D NAME[=VALUE], -U NAME   for the preprocessor\n";

typedef struct request {
    const char *input, *output;
    tw_isa_arch arch;
    bool list;
    GPtrArray *flags; /* borrowed; NULL-terminated when parsed */
} request;

static int take_arch(void *into, const tw__cli_given *g)
{
    *TW__CLI_AT(tw_isa_arch, into, g) = tw_isa_arch_by_name(g->value);
    return ((request *)into)->arch ? TW__EXIT_OK : tw__cli_usage_error("asm", "%s", tw_error_message());
}

static int take_input(void *into, char **at, bool only_words)
{
    request *r = into;
    (void)only_words;
    if (r->input) return tw__cli_usage_error("asm", "one file at a time: '%s' and '%s'", r->input, *at);
    r->input = *at;
    return TW__EXIT_OK;
}

#define AT(field)           .at = offsetof(request, field)
#define JOINED(name, value) { name, value, AT(flags), .form = TW__CLI_ATTACHED, .take = tw__cli_join }

static const tw__cli_option rows[] = {
    { "-o", "FILE", AT(output), .form = TW__CLI_APART },
    { "--arch", "CHIP", AT(arch), .take = take_arch },
    { "--list", AT(list) },
    JOINED("-I", "DIR"),
    JOINED("-D", "NAME[=VALUE]"),
    JOINED("-U", "NAME"),
    { "--help", .form = TW__CLI_UNOFFERED }, /* main.c answers it */
};

static int asm_parse(int argc, char **argv, request *r)
{
    static const tw__cli_syntax syntax = { "asm", TW__CLI_ROWS(rows), .word = take_input,
                                           .lacks = "%s needs a value" };
    int status = tw__cli_read(&syntax, r, &argc, argv);
    if (status != TW__EXIT_OK) return status;
    if (!r->input) return tw__cli_usage_error("asm", "no file given");
    if (strcmp(r->input, "-") == 0 && !r->output && !r->list)
        return tw__cli_usage_error("asm", "the standard input has no name: say where the object goes, -o FILE");
    g_ptr_array_add(r->flags, NULL);
    return TW__EXIT_OK;
}

/* --- listing -------------------------------------------------------------------------------------------------- */

static uint32_t word_at(const tw_section *s, uint32_t at)
{
    const uint8_t *p = s->data + at;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void list_section(const tw_object *object, size_t index)
{
    const tw_section *s = tw_object_get_section(object, index);
    if (!(s->flags & TW_SECTION_EXEC) || !s->size) return;
    printf("section %s, %u bytes, aligned to %u\n", s->name, s->size, s->align);
    for (uint32_t at = 0; at + 4 <= s->size; at += 4) {
        tw_insn insn;
        char text[TW_INSN_TEXT];
        uint64_t word = word_at(s, at) | (at + 8 <= s->size ? (uint64_t)word_at(s, at + 4) << 32 : 0);
        bool known = tw_insn_decode(tw_object_arch(object), word, &insn);
        const tw_object_line *line = tw_object_line_at(object, (int)index, at);
        printf("%6x  %08x  %-52s", at, (uint32_t)word, known ? tw_insn_format(&insn, text) : "?");
        if (line && line->offset == at) printf("  %s:%u", line->file, line->line);
        putchar('\n');
        if (known && (tw_isa_get(insn.row)->flags & TW_ISA_TWO_WORDS)) at += 4;
    }
}

static int main_asm(int argc, char **argv)
{
    request r = { .arch = TW_ISA_IPU2, .flags = g_ptr_array_new() };
    int status = asm_parse(argc, argv, &r);
    if (status == TW__EXIT_OK) status = tw__cli_check_outputs("asm", &r.output, 1, &r.input, 1);
    if (status == TW__EXIT_OK) {
        tw_asm_options options = { .size = sizeof options,
                                   .arch = r.arch,
                                   .cpp_flags = (const char *const *)r.flags->pdata };
        tw_diags *diags = tw__cli_diags();
        tw_object *object = tw_asm_file(r.input, &options, diags);
        tw_status made = tw_status_of(object);
        tw_diags_print(diags, stderr, tw_use_colours(stderr));
        bool told = tw_diags_count(diags, TW_ERROR) > 0;
        tw_diags_free(diags);
        const char *dot = strrchr(r.input, '.'), *slash = strrchr(r.input, '/');
        size_t stem = dot && dot > (slash ? slash : r.input) ? (size_t)(dot - r.input) : strlen(r.input);
        char *standard = g_strdup_printf("%.*s.o", (int)stem, r.input);
        if (made == TW_OK && r.list)
            for (size_t i = 0; i < tw_object_section_count(object); i++) list_section(object, i);
        if (made == TW_OK && (r.output || !r.list)) {
            made = tw_object_write(object, r.output ? r.output : standard);
            told = false;
        }
        if (made != TW_OK) status = told ? TW__EXIT_FAILURE : tw__cli_failure("asm");
        tw_object_free(object);
        g_free(standard);
    }
    g_ptr_array_free(r.flags, TRUE);
    return status;
}

const tw__command tw__command_asm = {
    .name = "asm",
    .arguments = "[options] FILE.S [-o FILE.o]",
    .summary = "assemble code of IPU tiles",
    .help = help,
    .example = "tilewright asm --arch mk2 examples/poplar/colossus/dot.S -o dot.o\n"
               "tilewright asm --list examples/poplar/colossus/dot.S",
    .options = TW__CLI_ROWS(rows),
    .words = "mk1 mk2 ipu1 ipu2 ipu21",
    .files = ".S .s",
    .main = main_asm,
};
