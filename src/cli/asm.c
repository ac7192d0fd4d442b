/* `tilewright asm`: assembly of IPU tiles to an object file, or to a listing. */
#include "cli.h"

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
    GPtrArray *flags; /* char *, owned; NULL-terminated when parsed */
} request;

static int parse(int argc, char **argv, request *r)
{
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        tw__cli_kind kind = tw__cli_kind_of(arg, &only_words);
        if (kind == TW__CLI_WORD && r->input)
            return tw__cli_usage_error("asm", "one file at a time: '%s' and '%s'", r->input, arg);
        if (kind == TW__CLI_WORD) r->input = arg;
        if (kind != TW__CLI_OPTION) continue;
        bool valued = strcmp(arg, "-o") == 0 || strcmp(arg, "--arch") == 0;
        if (valued && !next) return tw__cli_usage_error("asm", "%s needs a value", arg);
        if (strcmp(arg, "-o") == 0) {
            r->output = next, i++;
        } else if (strcmp(arg, "--arch") == 0 || g_str_has_prefix(arg, "--arch=")) {
            r->arch = tw_isa_arch_by_name(arg[6] ? arg + 7 : argv[++i]);
            if (!r->arch) return tw__cli_usage_error("asm", "%s", tw_error_message());
        } else if (strcmp(arg, "--list") == 0) {
            r->list = true;
        } else if (strchr("IDU", arg[1])) {
            if (!arg[2] && !next) return tw__cli_usage_error("asm", "%s needs a value", arg);
            g_ptr_array_add(r->flags, g_strconcat(arg, arg[2] ? "" : argv[++i], NULL));
        } else {
            static const char *const names[] = { "-o", "--arch", "--list", "-I", "-D", "-U", "--help" };
            return tw__cli_unknown("asm", "unknown option", arg, names, G_N_ELEMENTS(names));
        }
    }
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
    request r = { .arch = TW_ISA_IPU2, .flags = g_ptr_array_new_with_free_func(g_free) };
    int status = parse(argc, argv, &r);
    if (status == TW__EXIT_OK) status = tw__cli_check_outputs("asm", &r.output, 1, &r.input, 1);
    if (status == TW__EXIT_OK) {
        tw_asm_options options = { .arch = r.arch, .cpp_flags = (const char *const *)r.flags->pdata };
        tw_diags *diags = tw__cli_diags();
        tw_object *object;
        tw_status made = tw_asm_file(r.input, &options, diags, &object);
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
    .words = "-o --arch --list -I -D -U --help mk1 mk2 ipu1 ipu2 ipu21",
    .files = ".S .s",
    .main = main_asm,
};
