/* SPDX-License-Identifier: MIT */
/* `tilewright aie`: tells what a type name means, lists all types, as text and as JSON; runs graphs (aie_run.c). */
#include "cli/aie/aie.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/aie/type_names.h>

static const char *const kinds[] = { "int", "unsigned int", "float", "accumulator" };
static const char *const uses[] = { "arithmetic", "load, store, cast", "storage, needs TW_AIE_EXTRA", "alias" };

/* The register with its lanes, highest lane left, bit numbers above the borders. */
static void print_lanes(const tw_aie_type *t)
{
    enum { SHOWN = 4 };
    unsigned left = t->lanes > 2 * SHOWN ? SHOWN : t->lanes, right = t->lanes > 2 * SHOWN ? SHOWN : 0;
    if (t->lanes <= 2 * SHOWN) left = t->lanes;
    char above[240] = "", cells[240] = "", border[240] = "";
    size_t at = 0;
    for (unsigned i = 0; i < left + right + (right ? 1 : 0); i++) {
        bool gap = right && i == left;
        unsigned lane = i < left ? t->lanes - 1 - i : right - (i - left);
        char cell[24] = " ...";
        if (!gap) snprintf(cell, sizeof cell, "lane %u", lane);
        snprintf(above + at, sizeof above - at, "%-10u",
                 gap ? (t->lanes - left) * t->lane_bits - 1 : (lane + 1) * t->lane_bits - 1);
        snprintf(cells + at, sizeof cells - at, "| %-8s", cell);
        snprintf(border + at, sizeof border - at, "+---------");
        at += 10;
    }
    printf("\n  %s\n  %s+ 0\n  %s|\n  %s+\n", above, border, cells, border);
}

/* Narrower elements of the same kind in the same payload: how much a smaller width would gain. */
static void print_narrower(const tw_aie_type *t)
{
    bool any = false;
    tw_aie_type other;
    for (size_t i = 0; tw_aie_type_get(i, &other); i++) {
        bool same = !other.is_scalar && other.kind == t->kind && other.is_complex == t->is_complex &&
                    other.use == TW_AIE_ARITHMETIC && other.register_bits == t->register_bits;
        if (!same || other.component_bits >= t->component_bits) continue;
        printf("%s%u lanes of %s", any ? ", " : "  narrower      the same register holds ", other.lanes,
               other.element);
        any = true;
    }
    if (any) printf("\n");
}

static void print_type(const tw_aie_type *t)
{
    printf("%s\n", t->name);
    printf("  lanes         %u\n", t->lanes);
    printf("  element       %s%s\n", t->element, t->is_complex ? ", real part first" : "");
    printf("  kind          %s%s%s\n", t->is_complex ? "complex " : "", kinds[t->kind],
           t->is_scalar ? ", scalar" : "");
    if (t->is_complex)
        printf("  lane width    %u bits: 2 components of %u\n", t->lane_bits, t->component_bits);
    else
        printf("  lane width    %u bits\n", t->lane_bits);
    printf("  total width   %u bits", t->payload_bits);
    if (t->register_bits != t->payload_bits) printf(" in a register of %u", t->register_bits);
    printf("\n  register      %s\n", t->registers);
    if (t->use == TW_AIE_ALIAS) /* v8accfloat: v8float */
        printf("  used for      another name of v%u%s: there are no float accumulators\n", t->lanes,
               t->is_complex ? "cfloat" : "float");
    else
        printf("  used for      %s\n", uses[t->use]);
    if (t->is_scalar) return;
    print_narrower(t);
    print_lanes(t);
}

static json_t *type_json(const tw_aie_type *t)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:s, s:s}", "name", t->name, "element",
                     t->element, "kind", kinds[t->kind], "complex", (int)t->is_complex, "scalar", (int)t->is_scalar,
                     "lanes", (json_int_t)t->lanes, "componentBits", (json_int_t)t->component_bits, "laneBits",
                     (json_int_t)t->lane_bits, "payloadBits", (json_int_t)t->payload_bits, "registerBits",
                     (json_int_t)t->register_bits, "register", t->registers, "use", uses[t->use]);
}

static int print_types(bool json)
{
    tw_aie_type t;
    json_t *list = json ? json_array() : NULL;
    if (!json)
        printf("%-12s %5s %-10s %9s %11s %13s  %-26s %s\n", "name", "lanes", "element", "lane bits", "total bits",
               "register bits", "register", "used for");
    for (size_t i = 0; tw_aie_type_get(i, &t); i++) {
        if (json)
            json_array_append_new(list, type_json(&t));
        else
            printf("%-12s %5u %-10s %9u %11u %13u  %-26s %s\n", t.name, t.lanes, t.element, t.lane_bits,
                   t.payload_bits, t.register_bits, t.registers, uses[t.use]);
    }
    return json ? tw__cli_print_json(list) : 0;
}

static int explain(int count, char **names, bool json, unsigned flags)
{
    int failed = 0;
    json_t *list = json ? json_array() : NULL;
    for (int i = 0; i < count; i++) {
        tw_aie_type t;
        if (tw_aie_type_by_name(names[i], flags, &t) != TW_OK) {
            tw__cli_failure("aie");
            failed = 1;
        } else if (json) {
            json_array_append_new(list, type_json(&t));
        } else {
            if (i) printf("\n");
            print_type(&t);
        }
    }
    return json ? tw__cli_print_json(list) | failed : failed;
}

typedef struct request {
    bool json, extra;
} request;
#define AT(field) .at = offsetof(request, field)
static const tw__cli_option table[] = {
    { "--extra", NULL, AT(extra), "accept the names that programs get with TW_AIE_EXTRA" },
    { "--json", NULL, AT(json), "the same for programs" },
};

static int aie(int argc, char **argv)
{
    static const char *const verbs[] = { "type", "types", "run", "cycles" };
    request r = { 0 };
    if (argc > 1 && (strcmp(argv[1], "run") == 0 || strcmp(argv[1], "cycles") == 0))
        return tw__aie_run(argc - 1, argv + 1);
    int bad = tw__cli_parse(&tw__command_aie, &r, &argc, argv);
    if (bad) return bad;
    if (argc == 2 && strcmp(argv[1], "types") == 0) return print_types(r.json);
    if (argc > 2 && strcmp(argv[1], "type") == 0)
        return explain(argc - 2, argv + 2, r.json, r.extra ? TW_AIE_WITH_EXTRA : 0);
    if (argc > 1 && strcmp(argv[1], "type") != 0 && strcmp(argv[1], "types") != 0)
        return g_file_test(argv[1], G_FILE_TEST_IS_REGULAR)
                   ? tw__cli_usage_error("aie", "'%s' is a file; did you mean 'tilewright aie run %s'?", argv[1],
                                         argv[1])
                   : tw__cli_unknown("aie", "expected 'type NAME', 'types', 'run' or 'cycles', not", argv[1], verbs,
                                     4);
    return tw__cli_usage_error("aie", "expected 'type NAME', 'types', 'run GRAPH.cpp' or 'cycles GRAPH.cpp'");
}

const tw__command tw__command_aie = {
    .name = "aie",
    .arguments = "type NAME... | types | run|cycles GRAPH.cpp [options]",
    .summary = "explain a type name of the AI Engine, list its types, run a graph, show its cycles",
    .help =
        "  type     what the name of an AI Engine type means, or which part of it is wrong\n"
        "  types    all types: scalars, vectors, accumulators\n"
        "  run      builds a graph program with its kernels and runs it\n"
        "  cycles   shows its functions block by block: instructions, their units of the core and cycles, "
        "estimated\n"
        "\n"
        "run GRAPH.cpp [options] [-- arguments of the program]; cycles GRAPH.cpp with those of the compiler\n"
        "  -i, --input-dir DIR   where relative paths of input files begin (default: here)\n"
        "  -o, --output-dir DIR  where those of output files begin (default: x86simulator_output)\n"
        "  --profile FILE        estimated cycles as JSON; of further graphs FILE.2, FILE.3 ...\n"
        "  --report FILE.html    the same as a page to look at; of further graphs FILE.2.html ...\n"
        "  --timestamps          a line 'T 120 ns' in front of each line of an output: estimated\n"
        "  --target x86sim|hw    x86sim (default) defines __X86SIM__ and has no limit of tile memory, hw defines "
        "__AIESIM__\n"
        "  -I DIR, -D NAME[=VALUE], -O1, -std=..., -f..., -W..., -g   for the compiler, as -include=DIR, "
        "--include=DIR\n"
        "                        and --Xpreproc=FLAG are for aiecompiler\n"
        "  -v                    print the commands\n"
        "Kernels are the files that source(kernel) = \"...\" names. The compiler is $CXX, else clang++-19 or\n"
        "c++; that of `cycles` is clang++-19. Programs that include aie_api find it by -I or in "
        "$TILEWRIGHT_AIE_API.\n",
    .example = "tilewright aie type v16int32 v4cacc48\n"
               "tilewright aie types\n"
               "tilewright aie run examples/aie/graph.cpp -o out --profile cycles.json\n"
               "tilewright aie cycles examples/aie/graph.cpp",
    .options = TW__CLI_ROWS(table),
    .verb = &tw__aie_run_syntax,
    .words = "type types run cycles -I -D",
    .files = ".cpp .cc",
    .main = aie,
};
