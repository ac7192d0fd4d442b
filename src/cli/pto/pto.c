/* SPDX-License-Identifier: MIT */
/* `tilewright pto`: runs, checks and formats PTO-AS programs, explains instructions. */
#include "cli/pto/pto.h"

#include <stdlib.h>
#include <string.h>

/* --- commands --------------------------------------------------------------------------------------------------- */

static int check_all(tw_pto_text *text)
{
    int result = TW__EXIT_OK;
    for (int t = 0; t < TW_PTO_TARGETS; t++)
        if (tw_pto_text_verify(text, (tw_pto_target)t) != TW_OK) result = TW__EXIT_FAILURE;
    return result;
}

/* The command line decides, then the module, then cpu. */
static int target_of(const tw__request *r, const tw_pto_text *text, tw_pto_target *target)
{
    *target = TW_PTO_CPU;
    if (r->target)
        return tw_pto_target_by_name(r->target, target) ? TW__EXIT_OK
                                                        : tw__cli_usage_error("pto", "%s", tw_error_message());
    return tw_pto_text_target(text, target) || !*tw_error_message() ? TW__EXIT_OK
                                                                    : TW__EXIT_FAILURE; /* a diagnostic */
}

static tw_pto_text *read_input(const char *file)
{
    char *source;
    size_t size;
    if (!(source = tw_read_file(file, TW_SOURCE_LIMIT, &size))) return NULL;
    tw_pto_text *text = tw_pto_text_parse(strcmp(file, "-") == 0 ? "<stdin>" : file, source, size, NULL, NULL);
    free(source);
    return text;
}

static int work_on(tw__request *r, const char *command)
{
    tw_pto_target target;
    tw_pto_text *text = read_input(r->file);
    if (!text) return tw__cli_failure("pto");
    int result = TW__EXIT_FAILURE;
    if (tw_diags_count(tw_pto_text_diags(text), TW_ERROR)) {
        /* printed below */
    } else if (strcmp(command, "check") == 0 && r->target && strcmp(r->target, "all") == 0) {
        result = check_all(text);
    } else if ((result = target_of(r, text, &target)) == TW__EXIT_OK) {
        result = tw_pto_text_verify(text, target) == TW_OK ? TW__EXIT_OK : TW__EXIT_FAILURE;
        if (r->vectors < 0) r->vectors = (long)tw_pto_text_vectors(text);
        if (result == TW__EXIT_OK && strcmp(command, "run") == 0) result = tw__pto_run_text(r, text, target);
    }
    fflush(stdout);
    tw_diags_print(tw_pto_text_diags(text), stderr, tw_use_colours(stderr));
    tw_pto_text_free(text);
    return result;
}

static int info(int argc, char **argv)
{
    int result =
        argc > 0 ? TW__EXIT_OK : tw__cli_usage_error("pto", "%s: the name of an instruction is missing", "info");
    for (int i = 0; i < argc; i++)
        if (tw_pto_print_info(stdout, argv[i]) != TW_OK) result = tw__cli_failure("pto");
    return result;
}

static bool has_word(const char *line, const char *word)
{
    for (size_t n = strlen(word); *line; line++)
        if (g_ascii_strncasecmp(line, word, n) == 0) return true;
    return false;
}

static int list(const char *word)
{
    bool any = false;
    tw_pto_info row;
    for (size_t i = 0; tw_pto_info_get(i, &row); i++) {
        char line[400];
        g_snprintf(line, sizeof line, "%-18s %-17s %-9s %-5s%-4s %s", row.name, row.mnemonic,
                   tw_pto_pipe_name(row.pipe), row.types[TW_PTO_A2A3] ? "a2a3" : "-",
                   row.types[TW_PTO_A5] ? "a5" : "-", row.summary);
        if (word && !has_word(line, word)) continue;
        puts(line);
        any = true;
    }
    if (any) return TW__EXIT_OK;
    fprintf(stderr, "tilewright pto: no instruction has '%s' in its line\n", word);
    return TW__EXIT_FAILURE;
}

/* All of the table as a page: docs/pto_instructions.md. */
static int reference(void)
{
    tw_pto_info row;
    puts("# PTO: the instructions\n\nWritten by `tilewright pto reference` from the table that runs them; "
         "[pto.md](pto.md) tells how to use them.\nNames in brackets are rules, as messages end in them.\n");
    char before[64] = "";
    for (size_t i = 0; tw_pto_info_get(i, &row); i++) {
        if (strcmp(before, row.mnemonic) == 0) continue;
        g_strlcpy(before, row.mnemonic, sizeof before);
        printf("## %s\n\n```\n", row.mnemonic);
        if (tw_pto_print_info(stdout, row.mnemonic) != TW_OK) return tw__cli_failure("pto");
        puts("```\n");
    }
    return TW__EXIT_OK;
}

/* --- options ---------------------------------------------------------------------------------------------------- */

static int take_count(void *into, const tw__cli_given *g)
{
    char *end;
    unsigned long long *out = TW__CLI_AT(unsigned long long, into, g);
    *out = strtoull(g->value, &end, 10);
    return tw__cli_good(g_ascii_isdigit(*g->value) && *end == 0 && *out >= 1 && *out <= g->option->most);
}

/* NAME=VALUE or NAME@DEVICE=VALUE; a name once only for all devices, and for each. */
static bool add_pair(GArray *to, char *text)
{
    char *equals = strchr(text, '='), *at, *end;
    if (!equals || equals == text || !equals[1]) return false;
    *equals = 0;
    tw__argument a = { .name = text[0] == '%' ? text + 1 : text, .value = equals + 1, .device = -1 };
    if ((at = strchr(text, '@'))) {
        unsigned long device = strtoul(at + 1, &end, 10);
        if (!g_ascii_isdigit(at[1]) || *end || device >= TW__MOST_DEVICES) return false;
        *at = 0;
        a.device = (int)device;
    }
    const tw__argument *before = *a.name ? tw__argument_of(to, a.name, a.device) : NULL;
    if (!*a.name || (before && before->device == a.device)) return false;
    g_array_append_val(to, a);
    return true;
}

static int take_pair(void *into, const tw__cli_given *g)
{
    return tw__cli_good(add_pair(*TW__CLI_AT(GArray *, into, g), g->value));
}

static int take_function(void *into, const tw__cli_given *g)
{
    *TW__CLI_AT(const char *, into, g) = g->value + (*g->value == '@');
    return TW__EXIT_OK;
}

static int take_vectors(void *into, const tw__cli_given *g)
{
    *TW__CLI_AT(long, into, g) = *g->value - '0';
    return tw__cli_good(*g->value >= '0' && *g->value <= '2' && !g->value[1]);
}

static int take_profile(void *into, const tw__cli_given *g)
{
    tw__request *r = into;
    r->profile = true;
    if (g->value) r->profile_file = g->value;
    return TW__EXIT_OK;
}

#define AT(field) .at = offsetof(tw__request, field)

static const tw__cli_option rows[] = {
    { "--target", "cpu|a2a3|a5", AT(target),
      .help = "set of rules and memory sizes; default: the module's pto.target_arch, else cpu" },
    { "--function", "NAME", AT(function), "what to run; default: the first function", .take = take_function },
    { "--arg", "NAME=VALUE", AT(args),
      "an argument, or a name that plain assembly leaves open: a number; an array, @file.npy;\n"
      "or zeros, such as f32[16x16], with :random, :normal (or :random:SEED) or :ramp behind it\n"
      "values of that kind. NAME@D: of device D alone",
      .take = take_pair, .wanted = "NAME=VALUE or NAME@DEVICE=VALUE, each name once" },
    { "--out", "NAME=FILE.npy", AT(outs),
      "writes an argument's memory, or a tile of the function, as it is at the end. NAME@D: of\n"
      "device D, else of device 0",
      .take = take_pair, .wanted = "NAME=FILE.npy or NAME@DEVICE=FILE.npy, each name once" },
    { "--blocks", "N", AT(blocks), "runs on N blocks, which may wait for one another", .take = take_count,
      .most = 4096, .wanted = "a number from 1 to 4096" },
    { "--devices", "N", AT(devices), "runs on N devices of so many blocks; each has its own copy of the arrays",
      .take = take_count, .most = TW__MOST_DEVICES, .wanted = "a number from 1 to 64" },
    { "--vectors", "0|1|2", AT(vectors),
      "a block is a cube core and vector cores, or (0) one core that does both; default: 2 when the\n"
      "program has FIFOs between sections, or functions, of both kinds; else 0",
      .take = take_vectors, .wanted = "0, 1 or 2" },
    { "--manual", AT(manual), .help = "a tile without an address is an error" },
    { "--max-steps", "N", AT(max_steps),
      "stops after N operations; default: after a minute of processor time, or 2^30 operations", .take = take_count,
      .most = UINT64_MAX, .wanted = "a number from 1 on" },
    { "--trace", AT(trace), .help = "prints each instruction with the valid region of its destinations" },
    { "--timeline", "FILE.json", AT(timeline),
      .help = "when each instruction began and ended on its pipe (estimated), for ui.perfetto.dev" },
    { "--profile", "[FILE.json]", .take = take_profile,
      .help = "prints cycles (estimated) by pipe and instruction, or writes them for tilewright profile" },
    { "--report", "FILE.html", AT(report), .help = "the same as a page to look at, with what ran when" },
};

static int pto_unknown_option(const tw__cli_syntax *s, char *word)
{
    if (strncmp(word, "--", 2) == 0) word[strcspn(word, "=")] = 0;
    for (size_t i = s->count; i < G_N_ELEMENTS(rows); i++)
        if (strcmp(word, rows[i].name) == 0) return tw__cli_usage_error("pto", "'%s' is an option of run", word);
    return tw__cli_unknown_option(&(tw__cli_syntax){ "pto", .options = TW__CLI_ROWS(rows) }, word);
}

static int take_file(void *into, char **at, bool only_words)
{
    tw__request *r = into;
    (void)only_words;
    if (r->file) return tw__cli_usage_error("pto", "'%s': one file at a time", *at);
    r->file = *at;
    return TW__EXIT_OK;
}

/* What is named for a device that does not exist. */
static const char *too_high(const GArray *list, unsigned long long devices)
{
    for (guint i = 0; i < list->len; i++)
        if (g_array_index(list, tw__argument, i).device >= (int)devices)
            return g_array_index(list, tw__argument, i).name;
    return NULL;
}

static int parse_options(int argc, char **argv, tw__request *r)
{
    const char *command = argv[0];
    const tw__cli_syntax syntax = { "pto",
                                    rows,
                                    strcmp(command, "run") == 0 ? G_N_ELEMENTS(rows) : 1, /* check: --target */
                                    .word = take_file,
                                    .unknown = pto_unknown_option,
                                    .lacks = "'%s' lacks its value",
                                    .takes_none = "'%s' takes no value",
                                    .bad = "%s %s: expected %s" };
    int status = tw__cli_read(&syntax, r, &argc, argv);
    if (status != TW__EXIT_OK) return status;
    if (!r->file) return tw__cli_usage_error("pto", "%s: a file is missing", command);
    const char *high = too_high(r->args, r->devices);
    if (!high) high = too_high(r->outs, r->devices);
    return high ? tw__cli_usage_error(
                      "pto", "%s is for a device that does not exist: --devices says how many there are", high)
                : TW__EXIT_OK;
}

static int pto(int argc, char **argv)
{
    static const char *const verbs[] = { "run", "check", "fmt", "info", "list", "reference" };
    const char *command = argc > 1 ? argv[1] : "";
    bool asks = strcmp(command, "info") == 0 || strcmp(command, "list") == 0 || strcmp(command, "reference") == 0;
    int words = argc - 1,
        bad = asks ? tw__cli_read(&(tw__cli_syntax){ .command = "pto" }, NULL, &words, argv + 1) : TW__EXIT_OK;
    if (bad) return bad;
    if (asks) argc = words + 1;
    if (strcmp(command, "info") == 0)
        return argc > 2 && strcmp(argv[2], "list") == 0 ? list(NULL) : info(argc - 2, argv + 2);
    if (strcmp(command, "list") == 0)
        return argc > 3 ? tw__cli_usage_error("pto", "%s: one word at most", command)
                        : list(argc > 2 ? argv[2] : NULL);
    if (strcmp(command, "reference") == 0)
        return argc > 2 ? tw__cli_usage_error("pto", "%s takes nothing else", command) : reference();
    if (strcmp(command, "fmt") == 0) return tw__pto_format(argc - 1, argv + 1);
    if (strcmp(command, "run") != 0 && strcmp(command, "check") != 0)
        return *command
                   ? tw__cli_not_a_file("pto", "unknown command", command, verbs, G_N_ELEMENTS(verbs))
                   : tw__cli_usage_error("pto", "a command is missing: run, check, fmt, info, list or reference");
    tw__request r = { .blocks = 1, .devices = 1, .vectors = -1 };
    r.args = g_array_new(FALSE, TRUE, sizeof(tw__argument));
    r.outs = g_array_new(FALSE, TRUE, sizeof(tw__argument));
    int result = parse_options(argc - 1, argv + 1, &r);
    for (guint i = 0; i < r.args->len && result == TW__EXIT_OK; i++)
        if (tw__pto_load_argument(&g_array_index(r.args, tw__argument, i)) != TW_OK)
            result = tw__cli_failure("pto");
    if (result == TW__EXIT_OK) result = tw__pto_check_outputs(&r);
    if (result == TW__EXIT_OK) result = work_on(&r, command);
    for (guint i = 0; i < r.args->len; i++) free(g_array_index(r.args, tw__argument, i).array.data);
    g_array_free(r.args, TRUE);
    g_array_free(r.outs, TRUE);
    return result;
}

const tw__command tw__command_pto = {
    .name = "pto",
    .arguments = "run|check|fmt|info|list|reference ...",
    .summary = "run and check programs of tile instructions (PTO-AS)",
    .help = "  run FILE [option...]     check a PTO-AS program for a target, then execute it\n"
            "  check FILE [--target T]  only check it; --target all: for each of them\n"
            "  fmt FILE                 print it in its canonical form, with its comments\n"
            "  fmt -i FILE...           write it back instead (--in-place)\n"
            "  fmt --check FILE...      only say which are not in that form (exit status 1)\n"
            "  info NAME...             operands, types and rules of an instruction\n"
            "  list [WORD]              all instructions, or those with WORD in their line\n"
            "  reference                all about every instruction, as a page in Markdown\n"
            "\n"
            "FILE - is the standard input. Options of run:\n",
    .example = "tilewright pto run examples/pto/softmax/softmax.pto --target a2a3 --profile\n"
               "tilewright pto check examples/pto/softmax/softmax.pto --target all\n"
               "tilewright pto fmt examples/pto/softmax/softmax.pto\n"
               "tilewright pto info TADD TCI\n"
               "tilewright pto list row\n"
               "tilewright pto reference",
    .options = TW__CLI_ROWS(rows),
    .option_width = 21,
    .words = "run check fmt info list reference --check --in-place",
    .files = ".pto .npy",
    .main = pto,
};
