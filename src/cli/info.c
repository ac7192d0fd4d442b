/* SPDX-License-Identifier: MIT */
/* `tilewright info`: what the library knows, from the tables it works with. Plain text for people, JSON for
 * programs. */
#include "cli/cli.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/engine.h>
#include <tilewright/tile.h>
#include <tilewright/type.h>

static const char *const fields[] = {
#define FIELD(name, ctype, format, unit, text) #name,
    TW_TILE_FIELD_LIST(FIELD)
#undef FIELD
};
static const char *const field_texts[] = {
#define FIELD(name, ctype, format, unit, text) text,
    TW_TILE_FIELD_LIST(FIELD)
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof *fields };

static json_t *regions_json(const tw_tile_arch *arch)
{
    json_t *list = json_array();
    for (unsigned r = 0; r < arch->region_count; r++) {
        const tw_tile_region *region = &arch->regions[r];
        json_array_append_new(list,
                              json_pack("{s:s, s:I, s:I, s:I, s:i, s:i, s:b, s:b}", "name", region->name, "start",
                                        (json_int_t)region->start, "bytes", (json_int_t)region->bytes, "bankBytes",
                                        (json_int_t)region->bank_bytes, "banks", (int)region->banks,
                                        "banksPerElement", (int)region->bank_group, "interleaved",
                                        region->interleaved, "executable", region->executable));
    }
    return list;
}

static json_t *elements_json(const tw_tile_arch *arch)
{
    json_t *list = json_array();
    for (unsigned e = 0; e < arch->element_count; e++)
        json_array_append_new(list, json_integer(arch->element_offsets[e]));
    return list;
}

/* "  region 0   0x4C000 to 0x7FFFF   212,992 bytes, 13 elements of 16,384, code and data". */
static void print_regions(const tw_tile_arch *arch)
{
    if (!arch->region_count) return;
    printf("  memory of %s\n", arch->name);
    for (unsigned r = 0; r < arch->region_count; r++) {
        const tw_tile_region *region = &arch->regions[r];
        printf("    %-12s 0x%05X to 0x%05X  %8u B", region->name, region->start, region->start + region->bytes - 1,
               region->bytes);
        if (region->banks && region->bank_group)
            printf(", %u banks of %u B, %u element%s of %u B", region->banks, region->bank_bytes,
                   region->banks / region->bank_group, region->banks / region->bank_group == 1 ? "" : "s",
                   region->bank_bytes * region->bank_group);
        printf("%s%s\n", region->interleaved ? ", interleaved" : "", region->executable ? ", code" : "");
    }
}

static json_t *band_json(const tw_band *band)
{
    char text[64];
    return json_pack("{s:s, s:s, s:i, s:f, s:f, s:s, s:s*}", "band", tw_band_text(band, text, sizeof text), "model",
                     band->model, "programs", (int)band->rows, "error", band->error, "worst", band->worst,
                     "compared", band->compared, "source", band->source);
}

/* The rows of an architecture: those of one with several models stand one behind the other. */
static json_t *bands_json(const tw_tile_arch *arch)
{
    json_t *list = json_array();
    const tw_band *band;
    for (size_t i = 0; (band = tw_band_get(i)); i++)
        if (tw_band_find(arch->name, band->model) == band) json_array_append_new(list, band_json(band));
    return list;
}

static void print_bands(const char *system)
{
    const tw_band *band;
    for (size_t i = 0; (band = tw_band_get(i)); i++) {
        char text[64];
        const tw_tile_arch *arch = NULL, *row;
        for (size_t k = 0; (row = tw_tile_arch_get(k)); k++)
            if (tw_band_find(row->name, band->model) == band) arch = row;
        if (!arch || strcmp(arch->system, system) != 0) continue;
        printf("  cycles of %s%s%s: %s\n    %s\n", band->archs, *band->model ? ", model " : "", band->model,
               tw_band_text(band, text, sizeof text), band->compared);
    }
}

static json_t *targets_json(void)
{
    json_t *list = json_array();
    const tw_tile_arch *arch;
    for (size_t i = 0; (arch = tw_tile_arch_get(i)); i++) {
        json_t *values = json_object(), *estimated = json_array();
#define FIELD(name, ctype, format, unit, text) json_object_set_new(values, #name, json_real((double)arch->name));
        TW_TILE_FIELD_LIST(FIELD)
#undef FIELD
        for (int f = 0; f < FIELDS; f++)
            if (tw_tile_arch_fidelity(arch, fields[f]) != TW_FIDELITY_EXACT)
                json_array_append_new(estimated, json_string(fields[f]));
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", arch->name,
                                              "alias", arch->alias, "system", arch->system, "description",
                                              arch->description, "values", values, "estimated", estimated,
                                              "regions", regions_json(arch), "elementOffsets", elements_json(arch),
                                              "cycles", bands_json(arch)));
    }
    return list;
}

/* One row per figure, one column per chip of the system. */
static void print_system(const char *system)
{
    const tw_tile_arch *arch;
    printf("%s\n", system);
    for (size_t i = 0; (arch = tw_tile_arch_get(i)); i++)
        if (strcmp(arch->system, system) == 0)
            printf("  %-6s%s%-6s %s\n", arch->name, *arch->alias ? "= " : "  ", arch->alias, arch->description);
    printf("\n  %-54s", "");
    for (size_t i = 0; (arch = tw_tile_arch_get(i)); i++)
        if (strcmp(arch->system, system) == 0) printf("%18s ", arch->name);
    putchar('\n');
    for (int f = 0; f < FIELDS; f++) {
        printf("  %-54s", field_texts[f]);
        for (size_t i = 0; (arch = tw_tile_arch_get(i)); i++) {
            char text[64];
            if (strcmp(arch->system, system) != 0) continue;
            tw_tile_arch_format(arch, fields[f], text, sizeof text);
            printf("%18s%c", text, tw_tile_arch_fidelity(arch, fields[f]) == TW_FIDELITY_EXACT ? ' ' : '~');
        }
        putchar('\n');
    }
    for (size_t i = 0; (arch = tw_tile_arch_get(i)); i++)
        if (strcmp(arch->system, system) == 0) print_regions(arch);
    print_bands(system);
    putchar('\n');
}

static int print_targets(bool json)
{
    if (json) return tw__cli_print_json(targets_json());
    const tw_tile_arch *arch, *earlier;
    for (size_t i = 0; (arch = tw_tile_arch_get(i)); i++) {
        bool seen = false;
        for (size_t k = 0; k < i && (earlier = tw_tile_arch_get(k)); k++)
            seen = seen || strcmp(earlier->system, arch->system) == 0;
        if (!seen) print_system(arch->system);
    }
    puts("~ estimated");
    return TW__EXIT_OK;
}

static const char *const system_names[] = { "Tilewright", "Poplar", "CSL", "AI Engine", "PTO" };

static int info_print_types(bool json)
{
    json_t *list = json ? json_array() : NULL;
    if (!json) {
        printf("%5s %6s %6s", "bits", "bytes", "align");
        for (int s = 0; s < 5; s++) printf("  %-18s", system_names[s]);
        putchar('\n');
    }
    for (int t = TW_TYPE_NONE + 1; t < TW_TYPE_COUNT; t++) {
        const tw_type_info *info = tw_type_get((tw_type)t);
        if (json) {
            json_array_append_new(
                list, json_pack("{s:i, s:i, s:i, s:b, s:b, s:s, s:s, s:s, s:s, s:s}", "bits", (int)info->bits,
                                "bytes", (int)info->size, "align", (int)info->align, "signed", info->is_signed,
                                "complex", info->is_complex, "tilewright", info->names[0], "poplar", info->names[1],
                                "csl", info->names[2], "aie", info->names[3], "pto", info->names[4]));
            continue;
        }
        printf("%5u %6u %6u", info->bits, info->size, info->align);
        for (int s = 0; s < 5; s++) printf("  %-18s", *info->names[s] ? info->names[s] : "-");
        putchar('\n');
    }
    return json ? tw__cli_print_json(list) : TW__EXIT_OK;
}

static int print_options(bool json)
{
    tw_engine_print_options(stdout, json);
    return TW__EXIT_OK;
}

static const struct {
    const char *name;
    int (*print)(bool json);
} subjects[] = { { "targets", print_targets }, { "types", info_print_types }, { "options", print_options } };
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct request {
    bool json, markdown;
} request;
#define AT(field) .at = offsetof(request, field)
static const tw__cli_option table[] = {
    { "--json", NULL, AT(json), "the same for programs" },
    { "--markdown", NULL, AT(markdown), "of all instructions: the page of the manual" },
};

static int info(int argc, char **argv)
{
    const char *names[SUBJECTS + 1];
    request r = { 0 };
    int bad = tw__cli_parse(&tw__command_info, &r, &argc, argv);
    if (bad) return bad;
    if (argc < 2) return tw__cli_usage_error("info", "of what?");
    if (r.markdown && (strcmp(argv[1], "insn") != 0 || argc > 2))
        return tw__cli_usage_error("info", "--markdown is for `info insn` without a name");
    if (r.markdown) return tw__cli_print_insn_page();
    if (strcmp(argv[1], "insn") == 0 && argc <= 3) return tw__cli_print_insn(argc == 3 ? argv[2] : NULL, r.json);
    if (argc > 2) return tw__cli_usage_error("info", "unexpected '%s'", argv[2]);
    for (int i = 0; i < SUBJECTS; i++) {
        names[i] = subjects[i].name;
        if (strcmp(argv[1], subjects[i].name) == 0) return subjects[i].print(r.json);
    }
    names[SUBJECTS] = "insn";
    return tw__cli_unknown("info", "nothing is known about", argv[1], names, SUBJECTS + 1);
}

const tw__command tw__command_info = {
    .name = "info",
    .arguments = "targets|types|options|insn [NAME] [--json]",
    .summary = "list targets, element types, engine options or instructions",
    .help = "  targets   the chips, with the figures that a target starts from; '~' marks an estimate\n"
            "  types     element types and the name each system gives them\n"
            "  options   options of an engine: default, state and meaning\n"
            "  insn      instructions of the IPU's tiles, or one of them: forms, encoding, cycles\n",
    .example = "tilewright info targets\n"
               "tilewright info types --json\n"
               "tilewright info options\n"
               "tilewright info insn f32v2add",
    .options = TW__CLI_ROWS(table),
    .words = "targets types options insn",
    .files = "",
    .main = info,
};
