/* SPDX-License-Identifier: MIT */
/* `cslc`: compiles a CSL layout into a folder. Every option of the vendor's compiler is known; those that mean
 * nothing to a simulator are accepted and named by --verbose. */
#include "cli/csl/csl.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar.h>

void tw__csl_request_init(tw__csl_request *r)
{
    *r = (tw__csl_request){ .params = g_array_new(FALSE, FALSE, sizeof(tw_csl_binding)),
                            .colors = g_array_new(FALSE, FALSE, sizeof(tw_csl_binding)),
                            .paths = g_ptr_array_new(),
                            .output = "out" };
}

static void free_bindings(GArray *rows)
{
    for (guint i = 0; i < rows->len; i++) g_free((char *)g_array_index(rows, tw_csl_binding, i).name);
    g_array_free(rows, TRUE);
}

void tw__csl_request_clear(tw__csl_request *r)
{
    free_bindings(r->params);
    free_bindings(r->colors);
    g_ptr_array_free(r->paths, TRUE);
}

/* --- values --------------------------------------------------------------------------------------------------- */

static bool parse_int(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    bool hex = strncmp(text + (*text == '-'), "0x", 2) == 0;
    *value = strtoll(text, &end, hex ? 16 : 10);
    return *text && !*end && errno == 0;
}

static bool parse_unsigned(const char *text, unsigned *value)
{
    int64_t n;
    if (!parse_int(text, &n) || n < 0 || n > 1000000) return false;
    *value = (unsigned)n;
    return true;
}

static bool parse_pair(const char *text, unsigned *a, unsigned *b)
{
    char **parts = g_strsplit(text, ",", -1);
    bool ok = g_strv_length(parts) == 2 && parse_unsigned(parts[0], a) && parse_unsigned(parts[1], b);
    g_strfreev(parts);
    return ok;
}

/* "name:value,name:value"; a later value of a name replaces an earlier one. */
static bool parse_bindings(const char *text, GArray *rows)
{
    char **parts = g_strsplit(text, ",", -1);
    bool ok = *parts;
    for (char **part = parts; ok && *part; part++) {
        char *colon = strrchr(*part, ':');
        tw_csl_binding row = { NULL, 0 };
        ok = colon && colon != *part && parse_int(colon + 1, &row.value);
        if (!ok) break;
        *colon = 0;
        guint i = 0;
        while (i < rows->len && strcmp(g_array_index(rows, tw_csl_binding, i).name, *part) != 0) i++;
        if (i < rows->len) {
            g_array_index(rows, tw_csl_binding, i).value = row.value;
        } else {
            row.name = g_strdup(*part);
            g_array_append_val(rows, row);
        }
    }
    g_strfreev(parts);
    return ok;
}

/* --- options -------------------------------------------------------------------------------------------------- */

static int take_output(void *into, const tw__cli_given *g)
{
    *TW__CLI_AT(const char *, into, g) = g->value;
    return tw__cli_good(*g->value && strcmp(g->value, "-") != 0);
}
static int take_bindings(void *into, const tw__cli_given *g)
{
    return tw__cli_good(parse_bindings(g->value, *TW__CLI_AT(GArray *, into, g)));
}
static int take_dims(void *into, const tw__cli_given *g)
{
    tw_csl_options *o = &((tw__csl_request *)into)->options;
    return tw__cli_good(parse_pair(g->value, &o->fabric_width, &o->fabric_height) && o->fabric_width &&
                        o->fabric_height);
}
static int take_offsets(void *into, const tw__cli_given *g)
{
    tw_csl_options *o = &((tw__csl_request *)into)->options;
    return tw__cli_good(parse_pair(g->value, &o->offset_x, &o->offset_y));
}
static int take_unsigned(void *into, const tw__cli_given *g)
{
    unsigned *at = TW__CLI_AT(unsigned, into, g);
    return tw__cli_good(parse_unsigned(g->value, at) && *at >= g->option->least && *at <= g->option->most);
}
static int take_steps(void *into, const tw__cli_given *g)
{
    int64_t n;
    bool ok = parse_int(g->value, &n) && n > 0;
    *TW__CLI_AT(uint64_t, into, g) = ok ? (uint64_t)n : 0;
    return tw__cli_good(ok);
}
static int take_seconds(void *into, const tw__cli_given *g)
{
    char *end;
    double seconds = *TW__CLI_AT(double, into, g) = g_ascii_strtod(g->value, &end);
    return tw__cli_good(*g->value && !*end && seconds > 0 && seconds < 1e9);
}
/* Bytes, or with K, M, G. */
static int take_memory(void *into, const tw__cli_given *g)
{
    static const char units[] = "KMG";
    size_t length = strlen(g->value);
    const char *unit = length ? strchr(units, g->value[length - 1]) : NULL;
    g_autofree char *number = g_strndup(g->value, length - (unit ? 1 : 0));
    int64_t n;
    bool ok = parse_int(number, &n) && n > 0 && n < (1 << 30);
    *TW__CLI_AT(size_t, into, g) = ok ? (size_t)n << (unit ? 10 * (unit - units + 1) : 0) : 0;
    return tw__cli_good(ok);
}
/* How the vendor's compiler goes about its work. */
static int take_nothing(void *into, const tw__cli_given *g)
{
    if (((tw__csl_request *)into)->verbose)
        fprintf(stderr, "%s: %s has no effect here\n", g->command, g->option->name);
    return TW__EXIT_OK;
}

#define AT(field) .at = offsetof(tw__csl_request, field)
#define UNSIGNED(name, field, wanted, least_, most_) \
    { name, wanted, AT(options.field), .take = take_unsigned, .least = least_, .most = most_ }
#define NOTHING(name, value) { name, value, .form = TW__CLI_UNOFFERED, .take = take_nothing }

static const tw__cli_option rows[] = {
    { "--arch", "wse2 or wse3", AT(options.arch), .take = tw__cli_choose },
    { "-o", "a folder", AT(output), .take = take_output },
    { "--params", "name:integer,name:integer", AT(params), .take = take_bindings },
    { "--colors", "name:id,name:id", AT(colors), .take = take_bindings },
    { "--fabric-dims", "width,height in PEs", .take = take_dims },
    { "--fabric-offsets", "x,y of the rectangle's corner", .take = take_offsets },
    { "--memcpy", AT(options.memcpy) },
    UNSIGNED("--channels", channels, "1 to 16", 1, 16),
    UNSIGNED("--width-west-buf", west_buffer, "columns", 0, UINT_MAX),
    UNSIGNED("--width-east-buf", east_buffer, "columns", 0, UINT_MAX),
    { "--import-path", "a folder", AT(paths), .take = tw__cli_add },
    { "--verbose", AT(verbose) },
    { "--warnings-as-errors", AT(options.warnings_are_errors) },
    { "--fp16-format", "f16, bf16 or cb16", AT(options.fp16), .take = tw__cli_choose },
    UNSIGNED("--max-inlined-iterations", max_inlined, "a number above 0", 1, UINT_MAX),
    { "--max-comptime-steps", "a number above 0", AT(options.max_comptime_steps), .take = take_steps },
    { "--max-seconds", "a number of seconds above 0", AT(options.max_seconds), .take = take_seconds },
    { "--max-memory", "bytes, or with K, M, G", AT(options.max_memory), .take = take_memory },
    { "-O0", AT(options.level), .number = TW_CSL_O0 },
    { "-O2", AT(options.level), .number = TW_CSL_O2 },
    { "--json", AT(json), .form = TW__CLI_UNOFFERED },
    NOTHING("--comptime-func-depth-limit", ""),
    NOTHING("--max-parallelism", ""),
    NOTHING("--out-routes", ""),
    NOTHING("--link-section-start-address-bytes", ""),
    NOTHING("--single-pe", NULL),
    NOTHING("--disable-auto-microthread-id", NULL),
};

/* Without the usage. */
static int complain(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", command);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return TW__EXIT_USAGE;
}

/* One whose name is known comes here when it lacks its value. */
static int unknown_option(const tw__cli_syntax *s, char *word)
{
    g_autoptr(GPtrArray) names = tw__cli_option_names(s);
    word[strcspn(word, "=")] = 0;
    const char *near = tw_nearest(word, (const char *const *)names->pdata, names->len);
    if (!near) return complain(s->command, "unknown option '%s'", word);
    return strcmp(near, word) == 0 ? complain(s->command, "%s needs a value", word)
                                   : complain(s->command, "unknown option '%s'; did you mean '%s'?", word, near);
}

const tw__cli_syntax tw__csl_syntax = {
    "cslc", TW__CLI_ROWS(rows), .unknown = unknown_option, .complain = complain, .lacks = "%s needs a value: %s",
};

const tw_csl_options *tw__csl_request_options(tw__csl_request *r)
{
    tw_csl_options *o = &r->options;
    o->size = sizeof *o;
    o->params = (const tw_csl_binding *)(void *)r->params->data;
    o->param_count = r->params->len;
    o->colors = (const tw_csl_binding *)(void *)r->colors->data;
    o->color_count = r->colors->len;
    o->import_paths = (const char *const *)r->paths->pdata;
    o->import_path_count = r->paths->len;
    return o;
}

tw_csl_program *tw__csl_request_compile(tw__csl_request *r, const char *command, const char *file)
{
    tw_diags *diags = tw__cli_diags();
    tw_csl_program *program = tw_csl_compile(file, tw__csl_request_options(r), diags);
    tw_status status = tw_status_of(program);
    char *text = NULL;
    size_t size;
    FILE *memory = r->told_once ? open_memstream(&text, &size) : NULL, *out = memory ? memory : stderr;
    fflush(stdout);
    tw_diags_print(diags, out, tw_use_colours(stderr));
    if (status != TW_OK) fprintf(out, "%s: %s\n", command, tw_error_message());
    if (memory && fclose(memory) == 0 && !(tw_world_alike(text) > 1 && tw_world_rank())) fputs(text, stderr);
    free(text);
    tw_diags_free(diags);
    return program;
}

/* --- cslc ----------------------------------------------------------------------------------------------------- */

static const char help_text[] =
    "Host scripts (cs_python) and `tilewright csl run` read the folder.\n"
    "\n"
    "  --arch=wse2|wse3          chip; default wse2\n"
    "  -o DIR                    folder; default out\n"
    "  --params=NAME:N,...       parameters of the layout; may be repeated\n"
    "  --colors=NAME:ID,...      parameters of type color\n"
    "  --fabric-dims=W,H         PEs of the fabric; default: just enough\n"
    "  --fabric-offsets=X,Y      place of the rectangle on it\n"
    "  --memcpy --channels=N     link to the host: asks for a frame around the rectangle\n"
    "  --import-path DIR         where <...> is looked up first; also $CSL_IMPORT_PATH\n"
    "  --warnings-as-errors --verbose\n"
    "  -O0 | -O2                 code as it is written, or optimised (default)\n"
    "  --fp16-format=f16|bf16|cb16             what @fp16() is\n"
    "  --max-inlined-iterations=N --max-comptime-steps=N --max-memory=BYTES   limits of the compiler\n"
    "  --max-seconds=N           of evaluation at compile time, by the clock; default 600\n"
    "  --version                 of Tilewright, and the commit it was built from\n"
    "\n"
    "Accepted without effect: --width-west-buf --width-east-buf --comptime-func-depth-limit --max-parallelism "
    "--out-routes\n"
    "--link-section-start-address-bytes --single-pe --disable-auto-microthread-id\n";

static void tell(const tw_csl_program *program, const char *folder)
{
    tw_csl_info info;
    tw_csl_get_info(program, &info);
    printf("%s: %u x %u PEs at %u,%u of %u x %u, %u program%s\n", folder, info.width, info.height, info.x, info.y,
           info.fabric_width, info.fabric_height, info.programs, info.programs == 1 ? "" : "s");
}

typedef struct cslc_request {
    tw__csl_request request;
    bool version;
} cslc_request;
static const tw__cli_option own_rows[] = {
    { "--version", .at = offsetof(cslc_request, version), .form = TW__CLI_UNOFFERED },
};

static int cslc(int argc, char **argv)
{
    cslc_request all = { .version = false };
    tw__csl_request_init(&all.request);
    const tw__cli_syntax own = { "cslc", TW__CLI_ROWS(own_rows), .more = NULL };
    tw__cli_syntax syntax = tw__csl_syntax;
    syntax.more = &own;
    int result = tw__cli_read(&syntax, &all, &argc, argv);
    if (result == TW__EXIT_OK && all.version) {
        tw__csl_request_clear(&all.request);
        return tw__cli_print_version("cslc"), TW__EXIT_OK;
    }
    tw__csl_request r = all.request;
    if (result == TW__EXIT_OK && argc != 2)
        result = complain("cslc", "%s\ntry 'tilewright help cslc'",
                          argc > 2 ? "more than one file" : "no file to compile");
    if (result == TW__EXIT_OK) {
        tw_csl_program *program = tw__csl_request_compile(&r, "cslc", argv[1]);
        result = program ? TW__EXIT_OK : TW__EXIT_FAILURE;
        if (program && tw_csl_save(program, r.output) != TW_OK) {
            fprintf(stderr, "cslc: %s\n", tw_error_message());
            result = TW__EXIT_FAILURE;
        }
        if (result == TW__EXIT_OK && r.verbose) tell(program, r.output);
        tw_csl_program_free(program);
    }
    tw__csl_request_clear(&r);
    return result;
}

const tw__command tw__command_cslc = {
    .name = "cslc",
    .installed_as = "cslc",
    .arguments = "[options] layout.csl",
    .summary = "compile a CSL program into a folder",
    .help = help_text,
    .example = "cslc examples/csl/stencil/layout.csl --arch=wse3 --fabric-dims=12,7 \\\n"
               "    --fabric-offsets=4,1 --memcpy --channels=1 -o out",
    .options = TW__CLI_ROWS(rows),
    .words = "",
    .files = ".csl",
    .main = cslc,
};
