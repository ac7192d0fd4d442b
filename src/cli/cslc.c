/* `cslc`: compiles a CSL layout into a folder. Every option of the vendor's compiler is known; those that mean
 * nothing to a simulator are accepted and named by --verbose. */
#include "csl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void tw__csl_request_init(tw__csl_request *r)
{
    *r = (tw__csl_request){ .params = g_array_new(FALSE, FALSE, sizeof(tw_csl_binding)),
                            .colors = g_array_new(FALSE, FALSE, sizeof(tw_csl_binding)),
                            .paths = g_ptr_array_new(),
                            .files = g_ptr_array_new(),
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
    g_ptr_array_free(r->files, TRUE);
}

const char *tw__csl_option_value(const char *name, int argc, char **argv, int *at)
{
    size_t length = strlen(name);
    const char *word = argv[*at];
    if (strncmp(word, name, length) != 0) return NULL;
    if (word[length] == '=') return word + length + 1;
    if (word[length]) return NULL;
    return ++*at < argc ? argv[*at] : NULL;
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

typedef bool option_fn(tw__csl_request *r, const char *value); /* false: bad value; value NULL: a flag */

static bool take_arch(tw__csl_request *r, const char *value)
{
    r->options.arch = strcmp(value, "wse3") == 0 ? TW_WSE3 : TW_WSE2;
    return strcmp(value, "wse2") == 0 || strcmp(value, "wse3") == 0;
}
static bool take_output(tw__csl_request *r, const char *value)
{
    r->output = value;
    return *value && strcmp(value, "-") != 0;
}
static bool take_params(tw__csl_request *r, const char *value)
{
    return parse_bindings(value, r->params);
}
static bool take_colors(tw__csl_request *r, const char *value)
{
    return parse_bindings(value, r->colors);
}
static bool take_dims(tw__csl_request *r, const char *value)
{
    return parse_pair(value, &r->options.fabric_width, &r->options.fabric_height) && r->options.fabric_width &&
           r->options.fabric_height;
}
static bool take_offsets(tw__csl_request *r, const char *value)
{
    return parse_pair(value, &r->options.offset_x, &r->options.offset_y);
}
static bool take_memcpy(tw__csl_request *r, const char *value)
{
    (void)value;
    return r->options.memcpy = true;
}
static bool take_channels(tw__csl_request *r, const char *value)
{
    return parse_unsigned(value, &r->options.channels) && r->options.channels >= 1 && r->options.channels <= 16;
}
static bool take_west(tw__csl_request *r, const char *value)
{
    return parse_unsigned(value, &r->options.west_buffer);
}
static bool take_east(tw__csl_request *r, const char *value)
{
    return parse_unsigned(value, &r->options.east_buffer);
}
static bool take_path(tw__csl_request *r, const char *value)
{
    g_ptr_array_add(r->paths, (char *)value);
    return *value;
}
static bool take_verbose(tw__csl_request *r, const char *value)
{
    (void)value;
    return r->verbose = true;
}
static bool take_json(tw__csl_request *r, const char *value)
{
    (void)value;
    return r->json = true;
}
static bool take_strict(tw__csl_request *r, const char *value)
{
    (void)value;
    return r->options.warnings_are_errors = true;
}
static bool take_fp16(tw__csl_request *r, const char *value)
{
    static const char *const names[] = { "f16", "bf16", "cb16" };
    for (int i = 0; i < 3; i++)
        if (strcmp(value, names[i]) == 0) return r->options.fp16 = (tw_csl_fp16)i, true;
    return false;
}
static bool take_inlined(tw__csl_request *r, const char *value)
{
    return parse_unsigned(value, &r->options.max_inlined) && r->options.max_inlined;
}
static bool take_steps(tw__csl_request *r, const char *value)
{
    int64_t n;
    bool ok = parse_int(value, &n) && n > 0;
    r->options.max_comptime_steps = ok ? (uint64_t)n : 0;
    return ok;
}
static bool take_seconds(tw__csl_request *r, const char *value)
{
    char *end;
    r->options.max_seconds = g_ascii_strtod(value, &end);
    return *value && !*end && r->options.max_seconds > 0 && r->options.max_seconds < 1e9;
}
/* Bytes, or with K, M, G. */
static bool take_memory(tw__csl_request *r, const char *value)
{
    static const char units[] = "KMG";
    size_t length = strlen(value);
    const char *unit = length ? strchr(units, value[length - 1]) : NULL;
    char *number = g_strndup(value, length - (unit ? 1 : 0));
    int64_t n;
    bool ok = parse_int(number, &n) && n > 0 && n < (1 << 30);
    r->options.max_memory = ok ? (size_t)n << (unit ? 10 * (unit - units + 1) : 0) : 0;
    g_free(number);
    return ok;
}

/* Options without a function are accepted; they say how the vendor's compiler goes about its work. */
static const struct option_row {
    const char *name;
    bool has_value;
    option_fn *take;
    const char *wanted; /* what a good value is */
} option_rows[] = {
    { "--arch", true, take_arch, "wse2 or wse3" },
    { "-o", true, take_output, "a folder" },
    { "--params", true, take_params, "name:integer,name:integer" },
    { "--colors", true, take_colors, "name:id,name:id" },
    { "--fabric-dims", true, take_dims, "width,height in PEs" },
    { "--fabric-offsets", true, take_offsets, "x,y of the rectangle's corner" },
    { "--memcpy", false, take_memcpy, "" },
    { "--channels", true, take_channels, "1 to 16" },
    { "--width-west-buf", true, take_west, "columns" },
    { "--width-east-buf", true, take_east, "columns" },
    { "--import-path", true, take_path, "a folder" },
    { "--verbose", false, take_verbose, "" },
    { "--warnings-as-errors", false, take_strict, "" },
    { "--fp16-format", true, take_fp16, "f16, bf16 or cb16" },
    { "--max-inlined-iterations", true, take_inlined, "a number above 0" },
    { "--max-comptime-steps", true, take_steps, "a number above 0" },
    { "--max-seconds", true, take_seconds, "a number of seconds above 0" },
    { "--max-memory", true, take_memory, "bytes, or with K, M, G" },
    { "--json", false, take_json, "" },
    { "--comptime-func-depth-limit", true, NULL, "" },
    { "--max-parallelism", true, NULL, "" },
    { "--out-routes", true, NULL, "" },
    { "--link-section-start-address-bytes", true, NULL, "" },
    { "--single-pe", false, NULL, "" },
    { "--disable-auto-microthread-id", false, NULL, "" },
};
enum { OPTION_ROWS = sizeof option_rows / sizeof *option_rows };

/* `others`: the options that the command takes itself; one of them comes here when it lacks its value. */
static int unknown_option(const char *command, const char *const *others, const char *word)
{
    GPtrArray *names = g_ptr_array_new();
    for (int i = 0; i < OPTION_ROWS; i++) g_ptr_array_add(names, (char *)option_rows[i].name);
    for (; others && *others; others++) g_ptr_array_add(names, (char *)*others);
    char *bare = g_strndup(word, strcspn(word, "="));
    const char *near = tw_nearest(bare, (const char *const *)names->pdata, names->len);
    if (near && strcmp(near, bare) == 0)
        fprintf(stderr, "%s: %s needs a value\n", command, bare);
    else if (near)
        fprintf(stderr, "%s: unknown option '%s'; did you mean '%s'?\n", command, bare, near);
    else
        fprintf(stderr, "%s: unknown option '%s'\n", command, bare);
    g_free(bare);
    g_ptr_array_free(names, TRUE);
    return TW__EXIT_USAGE;
}

int tw__csl_request_take(tw__csl_request *r, const char *command, const char *const *others, int argc, char **argv,
                         int *at)
{
    char *word = argv[*at];
    tw__cli_kind kind = tw__cli_kind_of(word, &r->only_words);
    if (kind == TW__CLI_WORD) g_ptr_array_add(r->files, word);
    if (kind != TW__CLI_OPTION) return TW__EXIT_OK;
    for (int i = 0; i < OPTION_ROWS; i++) {
        const struct option_row *row = &option_rows[i];
        const char *value = NULL;
        int first = *at;
        if (row->has_value)
            value = tw__csl_option_value(row->name, argc, argv, at);
        else if (strcmp(word, row->name) != 0)
            continue;
        if (*at >= argc)
            return fprintf(stderr, "%s: %s needs a value: %s\n", command, word, row->wanted), TW__EXIT_USAGE;
        if (row->has_value && !value) {
            *at = first;
            continue;
        }
        if (!row->take) {
            if (r->verbose) fprintf(stderr, "%s: %s has no effect here\n", command, row->name);
        } else if (!row->take(r, value)) {
            fprintf(stderr, "%s: %s: '%s' is not %s\n", command, row->name, value, row->wanted);
            return TW__EXIT_USAGE;
        }
        return TW__EXIT_OK;
    }
    return unknown_option(command, others, word);
}

tw_csl_program *tw__csl_request_compile(tw__csl_request *r, const char *command, const char *file)
{
    tw_csl_options *o = &r->options;
    o->params = (const tw_csl_binding *)(void *)r->params->data;
    o->param_count = r->params->len;
    o->colors = (const tw_csl_binding *)(void *)r->colors->data;
    o->color_count = r->colors->len;
    o->import_paths = (const char *const *)r->paths->pdata;
    o->import_path_count = r->paths->len;
    tw_diags *diags = tw__cli_diags();
    tw_csl_program *program = NULL;
    tw_status status = tw_csl_compile(&program, file, o, diags);
    fflush(stdout);
    tw_diags_print(diags, stderr, tw_use_colours(stderr));
    if (status != TW_OK) fprintf(stderr, "%s: %s\n", command, tw_error_message());
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
    "  --fp16-format=f16|bf16|cb16             what @fp16() is\n"
    "  --max-inlined-iterations=N --max-comptime-steps=N --max-memory=BYTES   limits of the compiler\n"
    "  --max-seconds=N           of evaluation at compile time, by the clock; default 600\n"
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

static int cslc(int argc, char **argv)
{
    tw__csl_request r;
    tw__csl_request_init(&r);
    int result = TW__EXIT_OK;
    for (int i = 1; i < argc && result == TW__EXIT_OK; i++)
        result = tw__csl_request_take(&r, "cslc", NULL, argc, argv, &i);
    if (result == TW__EXIT_OK && r.files->len != 1) {
        fprintf(stderr, "cslc: %s\ntry 'tilewright help cslc'\n",
                r.files->len ? "more than one file" : "no file to compile");
        result = TW__EXIT_USAGE;
    }
    if (result == TW__EXIT_OK) {
        tw_csl_program *program = tw__csl_request_compile(&r, "cslc", r.files->pdata[0]);
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
    .words = "--arch -o --params --colors --fabric-dims --fabric-offsets --memcpy --channels --width-west-buf "
             "--width-east-buf --import-path --verbose --warnings-as-errors --fp16-format --max-inlined-iterations "
             "--max-comptime-steps --max-memory --max-seconds",
    .files = ".csl",
    .main = cslc,
};
