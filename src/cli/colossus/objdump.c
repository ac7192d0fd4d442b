/* SPDX-License-Identifier: MIT */
/* `tilewright objdump` and `tilewright link`: objects of IPU tiles as text, and as programs of one tile. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/colossus/link.h>
#include <tilewright/poplar/popc.h>

/* --- objdump -------------------------------------------------------------------------------------------------- */

typedef struct dump_request {
    bool code, sections, symbols, relocations, stack;
    const char *arch;
} dump_request;

static const tw__cli_option dump_table[] = {
    { "-d", NULL, .at = offsetof(dump_request, code), "assembly; assembled, it gives the same bytes" },
    { "-h", NULL, .at = offsetof(dump_request, sections), "sections" },
    { "-t", NULL, .at = offsetof(dump_request, symbols), "symbols, with the sizes that .size gave them" },
    { "-r", NULL, .at = offsetof(dump_request, relocations), "relocations" },
    { "--stack", NULL, .at = offsetof(dump_request, stack),
      "stack notes; of a linked program what each function needs" },
    { "--arch", "CHIP", .at = offsetof(dump_request, arch),
      "of an archive: its code for mk1, mk2 (ipu2) or ipu21; default: the only one, else ipu2" },
};

static bool dump_one(const tw_object *object, unsigned parts)
{
    char *text = tw_object_dump(object, parts);
    if (text) fputs(text, stdout);
    free(text);
    return text || (tw__cli_failure("objdump"), false);
}

/* Each assembly file of a .gp archive, with its name where there are several. */
static int dump_archive(const char *path, const char *arch, unsigned parts)
{
    tw_object **objects;
    size_t count;
    bool good = true;
    if (!(objects = tw_popc_objects(path, arch, &count))) return tw__cli_failure("objdump");
    for (size_t i = 0; i < count; i++) {
        if (good && count > 1) printf("%s// %s\n", i ? "\n" : "", tw_object_name(objects[i]));
        good = good && dump_one(objects[i], parts);
        tw_object_free(objects[i]);
    }
    free(objects);
    return good ? TW__EXIT_OK : TW__EXIT_FAILURE;
}

static int main_objdump(int argc, char **argv)
{
    dump_request r = { 0 };
    int bad = tw__cli_parse(&tw__command_objdump, &r, &argc, argv);
    if (bad) return bad;
    if (argc != 2) return tw__cli_usage_error("objdump", argc < 2 ? "no file given" : "one file at a time");
    unsigned parts = (r.code ? TW_DUMP_CODE : 0u) | (r.sections ? TW_DUMP_SECTIONS : 0u) |
                     (r.symbols ? TW_DUMP_SYMBOLS : 0u) | (r.relocations ? TW_DUMP_RELOCATIONS : 0u) |
                     (r.stack ? TW_DUMP_STACK : 0u);
    if (!parts) return tw__cli_usage_error("objdump", "say what to show: -d, -h, -t, -r or --stack");
    size_t length = strlen(argv[1]);
    if (length > 3 && strcmp(argv[1] + length - 3, ".gp") == 0) return dump_archive(argv[1], r.arch, parts);
    if (r.arch)
        return tw__cli_usage_error("objdump", "--arch chooses from a .gp archive; an object is for one chip");
    tw_object *object = tw_object_read(argv[1]);
    if (!object) return tw__cli_failure("objdump");
    bool good = dump_one(object, parts);
    tw_object_free(object);
    return good ? TW__EXIT_OK : TW__EXIT_FAILURE;
}

const tw__command tw__command_objdump = {
    .name = "objdump",
    .arguments = "-d|-h|-t|-r|--stack FILE.o|FILE.gp",
    .summary = "show an object of IPU tiles as text",
    .help = "",
    .example = "tilewright asm examples/poplar/colossus/dot.S -o dot.o\n"
               "tilewright objdump -d dot.o",
    .options = TW__CLI_ROWS(dump_table),
    .words = "",
    .files = ".o .elf .gp",
    .main = main_objdump,
};

/* --- link ----------------------------------------------------------------------------------------------------- */

typedef struct link_request {
    const char *output, *entry, *code, *data;
    bool map;
} link_request;

static const tw__cli_option link_table[] = {
    { "-o", "FILE", .at = offsetof(link_request, output), "the program; default: a.elf" },
    { "--entry", "NAME", .at = offsetof(link_request, entry),
      "where it starts; what nothing refers to from here is left out" },
    { "--code", "ADDRESS", .at = offsetof(link_request, code), "of the code; default: the start of region 0" },
    { "--data", "ADDRESS", .at = offsetof(link_request, data),
      "of the data; default: behind the code, then region 1" },
    { "--map", NULL, .at = offsetof(link_request, map), "print sections, functions with size and stack, and sums" },
};

static bool read_address(const char *text, uint32_t *out)
{
    char *end = NULL;
    unsigned long value = text ? strtoul(text, &end, 0) : 0;
    *out = (uint32_t)value;
    return !text || (*text && !*end && value && value < 1ul << 21);
}

static int print_map(const tw_object *image)
{
    uint32_t code, data;
    char *text = tw_object_dump(image, TW_DUMP_SECTIONS | TW_DUMP_SYMBOLS | TW_DUMP_STACK);
    if (!text) return tw__cli_failure("link");
    fputs(text, stdout);
    free(text);
    tw_link_sizes(image, &code, &data);
    printf("\n%u bytes of code, %u bytes of data, starts at 0x%x\n", code, data, tw_object_entry(image));
    return TW__EXIT_OK;
}

static int run_link(const link_request *r, char **files, size_t count)
{
    tw_link_options options = { .size = sizeof options, .entry = r->entry, .names = (const char *const *)files };
    if (!read_address(r->code, &options.code_address) || !read_address(r->data, &options.data_address))
        return tw__cli_usage_error("link", "an address is a number below 0x200000");
    const char *output = r->output ? r->output : "a.elf";
    int refused = tw__cli_check_outputs("link", &output, 1, options.names, count);
    if (refused) return refused;
    const tw_object **objects = calloc(count, sizeof *objects);
    tw_object *image = NULL;
    tw_diags *diags = tw__cli_diags();
    tw_status status = objects ? TW_OK : tw_error_set(TW_E_NO_MEMORY, "no memory for %zu objects", count);
    for (size_t i = 0; i < count && status == TW_OK; i++)
        status = tw_status_of(*(tw_object **)&objects[i] = tw_object_read(files[i]));
    if (status == TW_OK) status = tw_status_of(image = tw_link(objects, count, &options, diags));
    tw_diags_print(diags, stderr, tw_use_colours(stderr));
    bool told = tw_diags_count(diags, TW_ERROR) > 0;
    if (status == TW_OK) status = tw_object_write(image, output);
    int result = status == TW_OK ? TW__EXIT_OK : told ? TW__EXIT_FAILURE : tw__cli_failure("link");
    if (status == TW_OK && r->map) result = print_map(image);
    for (size_t i = 0; objects && i < count; i++) tw_object_free((tw_object *)objects[i]);
    free(objects);
    tw_diags_free(diags);
    tw_object_free(image);
    return result;
}

static int main_link(int argc, char **argv)
{
    link_request r = { 0 };
    int bad = tw__cli_parse(&tw__command_link, &r, &argc, argv);
    if (bad) return bad;
    if (argc < 2) return tw__cli_usage_error("link", "no object given");
    return run_link(&r, argv + 1, (size_t)argc - 1);
}

const tw__command tw__command_link = {
    .name = "link",
    .arguments = "[options] FILE.o... [-o FILE.elf]",
    .summary = "link objects to the program of one IPU tile",
    .help = "",
    .example = "tilewright asm examples/poplar/colossus/dot.S -o dot.o\n"
               "tilewright asm examples/poplar/colossus/addend.S -o addend.o\n"
               "tilewright link dot.o addend.o --entry __runCodelet_AmpDot --map -o dot.elf",
    .options = TW__CLI_ROWS(link_table),
    .words = "",
    .files = ".o",
    .main = main_link,
};
