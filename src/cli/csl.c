/* SPDX-License-Identifier: MIT */
/* `tilewright csl`: runs, checks and lists CSL programs; `cs_python` runs a host script with our package. */
#include "csl.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/csl/wse.h>
#include <tilewright/npy.h>
#include <unistd.h>

static const char help_text[] =
    "  run FOLDER|layout.csl [option...]       runs a folder that cslc wrote, or a layout with the options of "
    "cslc\n"
    "  check layout.csl [options of cslc] [--json]   says what is wrong with it\n"
    "  list FOLDER|layout.csl [options of cslc]      its code and tables in readable form\n"
    "  python SCRIPT.py [arguments]            the same as cs_python SCRIPT.py\n"
    "\n"
    "These of run happen in the order given:\n"
    "  --in NAME[@X,Y,W,H]=FILE.npy       the array to an exported variable; [height][width][elements], "
    "as wide as its own\n"
    "  --launch FUNCTION[,ARGUMENT...]    calls an exported function on all PEs\n"
    "  --out NAME[@X,Y,W,H][:N]=FILE.npy  N elements of each PE (default: all) to an array\n"
    "  --send COLOR[@X,Y,W,H]=FILE.npy    wavelets to the ramp of each PE\n"
    "  --receive COLOR[@X,Y,W,H]:N=FILE.npy   N wavelets of each PE on a stream to the host\n"
    "Rectangles are relative to the program's; default all of it.\n"
    "  --nowait          of the --send and --receive after it: later ones do not wait for them\n"
    "  --check=report|error|strict|off    what undefined behaviour does; default report\n"
    "  --order-seed=N    a random order among ready tasks instead of turns by their ids\n"
    "  --max-cycles=N --threads=N\n"
    "  --max-seconds=N   of the run, and of what a layout evaluates at compile time; default: no limit, and 600\n"
    "  --trace FILE.json      tasks, microthreads and wavelets for ui.perfetto.dev\n"
    "  --profile FILE.json    for tilewright profile\n"
    "  --report FILE.html     the same as a page to look at\n"
    "  --memory FILE     the 48 KB of every PE at the end, row by row from the west\n"
    "  --stats           cycles and PEs at the end\n";

static int failed(void)
{
    fflush(stdout);
    return tw__cli_failure("csl");
}

static tw_csl_program *open_program(tw__csl_request *r, const char *name)
{
    tw_csl_program *program = NULL;
    if (g_str_has_suffix(name, ".csl") || strcmp(name, "-") == 0)
        return tw__csl_request_compile(r, "tilewright csl", name);
    if (g_file_test(name, G_FILE_TEST_IS_REGULAR)) {
        fprintf(stderr, "tilewright csl: '%s' is neither a layout (.csl) nor a folder that cslc wrote\n", name);
        return NULL;
    }
    if (!(program = tw_csl_load(name))) failed();
    return program;
}

/* --- actions of run ------------------------------------------------------------------------------------------- */

typedef struct run {
    const tw_csl_program *program;
    tw_csl_info info;
    tw_wse *w;
    bool nowait;
    GPtrArray *late; /* results of --receive that are written after the end: struct late */
} run;

typedef struct late {
    char *path;
    uint32_t *words;
    size_t count;
} late;

/* "NAME[@X,Y,W,H][:N]=FILE" in parts; text is changed. */
typedef struct target {
    char *name, *file;
    unsigned x, y, width, height;
    long elements; /* -1 = not given */
} target;

/* "X,Y,W,H" and nothing else. */
static bool parse_rectangle(const char *text, target *t)
{
    unsigned *const fields[] = { &t->x, &t->y, &t->width, &t->height };
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
        char *end;
        unsigned long value = g_ascii_isdigit(*text) ? strtoul(text, &end, 10) : ULONG_MAX;
        if (value > UINT_MAX || *end != (i + 1 < G_N_ELEMENTS(fields) ? ',' : '\0')) return false;
        *fields[i] = (unsigned)value;
        text = end + 1;
    }
    return true;
}

static int parse_target(const run *r, char *text, target *t)
{
    char *equals = strchr(text, '=');
    *t = (target){ .name = text, .width = r->info.width, .height = r->info.height, .elements = -1 };
    if (!equals || !equals[1]) return tw__cli_usage_error("csl", "'%s' needs =FILE.npy", text);
    *equals = 0;
    t->file = equals + 1;
    char *colon = strchr(text, ':'), *at = strchr(text, '@');
    if (colon) {
        char *end;
        t->elements = strtol(colon + 1, &end, 10);
        if (*end || t->elements < 1 || t->elements > 1000000)
            return tw__cli_usage_error("csl", "'%s' is no number of elements", colon + 1);
        *colon = 0;
    }
    if (at) {
        if (!parse_rectangle(at + 1, t)) return tw__cli_usage_error("csl", "'%s' is no rectangle X,Y,W,H", at + 1);
        *at = 0;
    }
    return TW__EXIT_OK;
}

/* A color, or the number of a parameter with that name. */
static int parse_color(const run *r, const char *text, int *color)
{
    tw_csl_binding binding;
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || end == text) {
        size_t i = 0;
        while (tw_csl_param(r->program, i, &binding) && strcmp(binding.name, text) != 0) i++;
        if (!tw_csl_param(r->program, i, &binding))
            return tw__cli_usage_error("csl", "'%s' is neither a color nor a parameter", text);
        n = (long)binding.value;
    }
    *color = n < 0 || n > 23 ? -1 : (int)n;
    return *color < 0 ? tw__cli_usage_error("csl", "'%s' is no color from 0 to 23", text) : TW__EXIT_OK;
}

/* Zeros, malloc'ed; NULL with a message. */
static void *cells(size_t count, size_t size)
{
    void *made = calloc(count + 1, size);
    if (!made) tw_error_set(TW_E_NO_MEMORY, "no memory for %zu elements", count);
    return made;
}

/* Elements of an array as words, 2-byte ones in the low half; malloc'ed. */
static uint32_t *words_of(const tw_npy *a)
{
    uint32_t *words = cells(a->count, sizeof *words);
    const unsigned char *from = a->data;
    for (size_t i = 0; words && i < a->count; i++)
        for (size_t b = 0; b < a->item; b++) words[i] |= (uint32_t)from[i * a->item + b] << (8 * b);
    return words;
}

/* Elements that an exported pointer shows on one PE. */
static long whole_size(const run *r, const char *name, const target *t, unsigned item)
{
    size_t bytes = 0;
    if (tw_wse_read_symbol(r->w, t->x + r->info.x, t->y + r->info.y, name, NULL, &bytes) != TW_OK) return -1;
    return (long)(bytes / item);
}

/* More than the array has would go to whatever lies behind it. */
static int too_many(const target *t, long whole, size_t elements)
{
    if (whole < 0 || elements <= (size_t)whole) return TW__EXIT_OK;
    fprintf(stderr, "tilewright csl: '%s' has %ld element%s on a PE, not %zu\n", t->name, whole,
            whole == 1 ? "" : "s", elements);
    return TW__EXIT_FAILURE;
}

/* Does the array in the file fit what is on the PEs? [height][width][elements], or anything that divides. */
static int check_input(const run *r, const target *t, const tw_npy *a, int symbol, bool streaming)
{
    size_t pes = (size_t)t->width * t->height;
    tw_csl_export export = { 0 };
    if (!streaming) tw_csl_get_export(r->program, (size_t)symbol, &export);
    if (a->item != 2 && a->item != 4)
        fprintf(stderr, "tilewright csl: '%s' has elements of %zu bytes; a copy moves 2 or 4\n", t->file, a->item);
    else if (export.element_bytes && export.element_bytes != a->item)
        fprintf(stderr, "tilewright csl: '%s' has elements of %zu bytes, '%s' has elements of %u (%s)\n", t->file,
                a->item, t->name, export.element_bytes, export.type);
    else if (a->rank == 3 && (a->shape[0] != t->height || a->shape[1] != t->width))
        fprintf(stderr, "tilewright csl: '%s' has the shape (%zu, %zu, %zu); the PEs are %u high and %u wide\n",
                t->file, (size_t)a->shape[0], (size_t)a->shape[1], (size_t)a->shape[2], t->height, t->width);
    else if (!pes || a->count % pes)
        fprintf(stderr, "tilewright csl: the %zu elements of '%s' do not divide among %u x %u PEs\n", a->count,
                t->file, t->width, t->height);
    else
        return streaming || export.function
                   ? TW__EXIT_OK
                   : too_many(t, whole_size(r, t->name, t, (unsigned)a->item), a->count / pes);
    return TW__EXIT_FAILURE;
}

static int copy_in(run *r, char *text, bool streaming)
{
    target t;
    int result = parse_target(r, text, &t), symbol = -1;
    if (result == TW__EXIT_OK && streaming) result = parse_color(r, t.name, &symbol);
    if (result != TW__EXIT_OK) return result;
    if (!streaming && (symbol = tw_csl_find_export(r->program, t.name)) < 0) return failed();
    tw_npy *a = tw_npy_read(t.file);
    if (!a) return failed();
    size_t pes = (size_t)t.width * t.height;
    tw_wse_copy copy = { .symbol = symbol,
                         .streaming = streaming,
                         .half = a->item == 2 && !streaming,
                         .x = t.x,
                         .y = t.y,
                         .width = t.width,
                         .height = t.height,
                         .elements = pes ? (unsigned)(a->count / pes) : 0 };
    uint32_t *words = words_of(a);
    tw_wse_task task;
    result = check_input(r, &t, a, symbol, streaming);
    if (result == TW__EXIT_OK &&
        (!words || tw_wse_h2d(r->w, &copy, words, a->count, streaming && r->nowait ? &task : NULL) != TW_OK)) {
        result = failed();
    }
    free(words);
    tw_npy_free(a);
    return result;
}

static int write_words(const char *path, const uint32_t *words, const char *descr, const tw_wse_copy *copy)
{
    tw_npy a = { .rank = 3,
                 .shape = { copy->height, copy->width, copy->elements },
                 .item = (size_t)(descr[2] - '0') };
    a.count = (size_t)copy->height * copy->width * copy->elements;
    g_strlcpy(a.descr, descr, sizeof a.descr);
    unsigned char *bytes = cells(a.count, a.item);
    for (size_t i = 0; bytes && i < a.count; i++)
        for (size_t b = 0; b < a.item; b++) bytes[i * a.item + b] = (unsigned char)(words[i] >> (8 * b));
    a.data = bytes;
    int result = bytes && tw_npy_write(path, &a) == TW_OK ? TW__EXIT_OK : failed();
    free(bytes);
    return result;
}

static int copy_out(run *r, char *text)
{
    static const struct {
        const char *type, *descr;
    } descrs[] = {
        { "i16", "<i2" }, { "u16", "<u2" }, { "f16", "<f2" }, { "i32", "<i4" }, { "u32", "<u4" }, { "f32", "<f4" },
    };
    target t;
    int result = parse_target(r, text, &t);
    if (result != TW__EXIT_OK) return result;
    int symbol = tw_csl_find_export(r->program, t.name);
    tw_csl_export export;
    if (symbol < 0 || !tw_csl_get_export(r->program, (size_t)symbol, &export)) return failed();
    const char *descr = export.element_bytes == 2 ? "<u2" : "<u4";
    for (size_t i = 0; i < G_N_ELEMENTS(descrs); i++)
        if (g_str_has_suffix(export.type, descrs[i].type)) descr = descrs[i].descr;
    unsigned item = (unsigned)(descr[2] - '0');
    long whole = whole_size(r, t.name, &t, item);
    if (t.elements < 0 && (t.elements = whole) < 0) return failed();
    result = too_many(&t, whole, (size_t)t.elements);
    if (result != TW__EXIT_OK) return result;
    tw_wse_copy copy = { .symbol = symbol,
                         .half = item == 2,
                         .x = t.x,
                         .y = t.y,
                         .width = t.width,
                         .height = t.height,
                         .elements = (unsigned)t.elements };
    size_t count = tw_wse_copy_words(&copy);
    uint32_t *words = cells(count, sizeof *words);
    result = words && tw_wse_d2h(r->w, &copy, words, count, NULL) == TW_OK
                 ? write_words(t.file, words, descr, &copy)
                 : failed();
    free(words);
    return result;
}

static int receive(run *r, char *text)
{
    target t;
    int result = parse_target(r, text, &t), color = -1;
    if (result == TW__EXIT_OK) result = parse_color(r, t.name, &color);
    if (result != TW__EXIT_OK) return result;
    if (t.elements < 0)
        return tw__cli_usage_error("csl", "--receive %s needs a number of elements: NAME:N=FILE", t.name);
    tw_wse_copy copy = { .symbol = color,
                         .streaming = true,
                         .x = t.x,
                         .y = t.y,
                         .width = t.width,
                         .height = t.height,
                         .elements = (unsigned)t.elements };
    late *l = g_new0(late, 1);
    *l = (late){ g_strdup(t.file), g_new0(uint32_t, tw_wse_copy_words(&copy) + 1), tw_wse_copy_words(&copy) };
    g_ptr_array_add(r->late, l);
    tw_wse_task task;
    if (tw_wse_d2h(r->w, &copy, l->words, l->count, r->nowait ? &task : NULL) != TW_OK) return failed();
    return TW__EXIT_OK;
}

static int write_late(run *r)
{
    int result = TW__EXIT_OK;
    for (guint i = 0; i < r->late->len; i++) {
        late *l = r->late->pdata[i];
        tw_wse_copy copy = { .width = 1, .height = 1, .elements = (unsigned)l->count };
        if (result == TW__EXIT_OK) result = write_words(l->path, l->words, "<u4", &copy);
    }
    return result;
}

static void free_late(gpointer data)
{
    late *l = data;
    g_free(l->path);
    g_free(l->words);
    g_free(l);
}

/* The bits of an argument of a type such as "f32". */
static bool argument_bits(const char *type, const char *text, uint32_t *bits)
{
    char *end;
    errno = 0;
    if (strcmp(type, "f32") == 0) {
        float value = strtof(text, &end);
        memcpy(bits, &value, sizeof value);
    } else if (strcmp(type, "f16") == 0) {
        _Float16 value = (_Float16)strtof(text, &end);
        uint16_t half;
        memcpy(&half, &value, sizeof half);
        *bits = half;
    } else {
        long long value = strtoll(text, &end, 0);
        unsigned long width = *type == 'i' || *type == 'u' ? strtoul(type + 1, NULL, 10) : 0;
        if (width && width <= 32) {
            bool is_signed = *type == 'i';
            long long top = 1LL << (width - is_signed);
            if (value >= top || value < (is_signed ? -top : 0)) return false;
        }
        *bits = (uint32_t)value;
    }
    return *text && !*end && errno == 0;
}

static int launch(run *r, const char *text)
{
    char **parts = g_strsplit(text, ",", -1);
    int index = tw_csl_find_export(r->program, parts[0]), result = TW__EXIT_OK;
    tw_csl_export export;
    uint32_t args[15];
    if (index < 0 || !tw_csl_get_export(r->program, (size_t)index, &export)) return g_strfreev(parts), failed();
    unsigned count = g_strv_length(parts) - 1;
    const char *open = strchr(export.type, '('), *close = strrchr(export.type, ')');
    char *list = open && close > open ? g_strndup(open + 1, (gsize)(close - open - 1)) : g_strdup("");
    char **types = g_strsplit(g_strdelimit(list, " ", ','), ",", -1);
    for (unsigned i = 0, k = 0; i < count && i < 15 && result == TW__EXIT_OK; i++, k++) {
        while (types[k] && !*types[k]) k++;
        if (!types[k]) break; /* too many: the launch says so */
        if (!argument_bits(types[k], parts[i + 1], &args[i]))
            result = tw__cli_usage_error("csl", "argument %u of '%s' must be %s, not '%s'", i + 1, parts[0],
                                         types[k], parts[i + 1]);
    }
    if (result == TW__EXIT_OK && tw_wse_launch(r->w, parts[0], args, count, NULL) != TW_OK) result = failed();
    g_strfreev(types);
    g_free(list);
    g_strfreev(parts);
    return result;
}

/* --- run ------------------------------------------------------------------------------------------------------ */

typedef struct settings {
    tw__csl_request compile; /* first: tw__csl_syntax reads into it */
    tw_wse_options options;
    const char *trace, *profile, *report, *memory;
    uint64_t threads;
    bool stats;
    GPtrArray *actions; /* pairs: option, value; borrowed */
} settings;

static int take_action(void *into, const tw__cli_given *g)
{
    GPtrArray *actions = *TW__CLI_AT(GPtrArray *, into, g);
    g_ptr_array_add(actions, (char *)g->option->name);
    g_ptr_array_add(actions, g->value ? g->value : g->word);
    return TW__EXIT_OK;
}

static int take_number(void *into, const tw__cli_given *g)
{
    char *end;
    uint64_t *number = TW__CLI_AT(uint64_t, into, g);
    errno = 0;
    *number = strtoull(g->value, &end, 10);
    return tw__cli_good(*g->value && *g->value != '-' && !*end && errno == 0 && *number <= g->option->most);
}

#define AT(field)           .at = offsetof(settings, field)
#define ACTION(name, value) { name, value, AT(actions), .take = take_action }

static const tw__cli_option run_rows[] = {
    ACTION("--in", "NAME=FILE.npy"),
    ACTION("--out", "NAME=FILE.npy"),
    ACTION("--launch", "FUNCTION"),
    ACTION("--send", "COLOR=FILE.npy"),
    ACTION("--receive", "COLOR:N=FILE.npy"),
    ACTION("--nowait", NULL),
    { "--stats", AT(stats) },
    { "--trace", "FILE.json", AT(trace) },
    { "--profile", "FILE.json", AT(profile) },
    { "--report", "FILE.html", AT(report) },
    { "--memory", "FILE", AT(memory) },
    { "--check", "report, error, strict or off", AT(options.check), .take = tw__cli_choose },
    { "--max-cycles", "N", AT(options.max_cycles), .take = take_number, .wanted = "a number", .most = UINT64_MAX },
    { "--threads", "N", AT(threads), .take = take_number, .wanted = "0 to 1024", .most = 1024 },
    { "--order-seed", "N", AT(options.task_order_seed), .take = take_number, .wanted = "a number",
      .most = UINT64_MAX },
};

static int act(run *r, const char *option, const char *value)
{
    if (strcmp(option, "--nowait") == 0) return r->nowait = true, TW__EXIT_OK;
    if (strcmp(option, "--launch") == 0) return launch(r, value);
    char *copy = g_strdup(value);
    int result = strcmp(option, "--in") == 0     ? copy_in(r, copy, false)
                 : strcmp(option, "--send") == 0 ? copy_in(r, copy, true)
                 : strcmp(option, "--out") == 0  ? copy_out(r, copy)
                                                 : receive(r, copy);
    g_free(copy);
    return result;
}

/* The memory of all PEs at the end, row by row from the west. */
static int write_memory(run *r, const char *path)
{
    enum { BYTES = 48 << 10 };
    static unsigned char bytes[BYTES];
    tw_output *out = tw_output_open(path, NULL, 0);
    if (!out) return failed();
    tw_status status = TW_OK;
    for (unsigned y = 0; y < r->info.height && status == TW_OK; y++)
        for (unsigned x = 0; x < r->info.width && status == TW_OK; x++) {
            status = tw_wse_read(r->w, r->info.x + x, r->info.y + y, 0, bytes, BYTES);
            if (status == TW_OK) fwrite(bytes, 1, BYTES, tw_output_file(out));
        }
    if (status == TW_OK) status = tw_output_commit(out);
    tw_output_free(out);
    return status == TW_OK ? TW__EXIT_OK : failed();
}

static int write_results(run *r, const settings *s)
{
    if (s->memory) {
        int result = write_memory(r, s->memory);
        if (result != TW__EXIT_OK) return result;
    }
    if (s->profile && tw_wse_write_profile(r->w, s->profile) != TW_OK) return failed();
    if (s->report) {
        const tw_profile *profile = tw_wse_profile(r->w);
        if (!profile) return failed();
        int result = tw__cli_write_report("csl", profile, s->report);
        if (result != TW__EXIT_OK) return result;
    }
    if (s->trace) {
        tw_output *out = tw_output_open(s->trace, NULL, 0);
        if (!out) return failed();
        tw_status status = tw_wse_write_trace(r->w, tw_output_file(out));
        if (status == TW_OK || status == TW_E_IO) status = tw_output_commit(out);
        tw_output_free(out);
        if (status != TW_OK) return failed();
    }
    if (s->stats)
        printf("%llu cycles on %u x %u PEs\n", (unsigned long long)tw_wse_cycle(r->w), r->info.width,
               r->info.height);
    return TW__EXIT_OK;
}

static int run_program(const tw_csl_program *program, settings *s)
{
    run r = { .program = program, .late = g_ptr_array_new_with_free_func(free_late) };
    tw_csl_get_info(program, &r.info);
    s->options.out = stdout;
    int result = (r.w = tw_wse_new(program, &s->options)) != NULL ? TW__EXIT_OK : failed();
    for (guint i = 0; i + 1 < s->actions->len && result == TW__EXIT_OK; i += 2)
        result = act(&r, s->actions->pdata[i], s->actions->pdata[i + 1]);
    if (result == TW__EXIT_OK && tw_wse_stop(r.w) != TW_OK) result = failed();
    if (result == TW__EXIT_OK) result = write_late(&r);
    if (r.w && tw_wse_status(r.w) != TW_E_NO_MEMORY) { /* of another failure they tell how far it came */
        int written = write_results(&r, s);
        if (result == TW__EXIT_OK) result = written;
    }
    tw_wse_free(r.w);
    g_ptr_array_free(r.late, TRUE);
    return result;
}

/* Before the work: the program exports what the actions name. */
static int check_names(const tw_csl_program *program, const settings *s)
{
    static const char *const named[] = { "--in", "--out", "--launch" };
    int result = TW__EXIT_OK;
    for (guint i = 0; i + 1 < s->actions->len && result == TW__EXIT_OK; i += 2) {
        const char *action = s->actions->pdata[i], *value = s->actions->pdata[i + 1];
        bool names = false;
        for (size_t k = 0; k < G_N_ELEMENTS(named); k++) names |= strcmp(action, named[k]) == 0;
        char *name = g_strndup(value, strcspn(value, strcmp(action, "--launch") == 0 ? "," : "@:="));
        if (names && tw_csl_find_export(program, name) < 0) result = failed();
        g_free(name);
    }
    return result;
}

/* Before the work: no output is a file that is read, none is named twice. Sources and the folder are known by now,
 * what --in and --send read is not. */
static int check_outputs(const settings *s)
{
    const char *const files[] = { s->trace, s->profile, s->report, s->memory };
    GPtrArray *in = g_ptr_array_new(), *out = g_ptr_array_new();
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        if (files[i]) g_ptr_array_add(out, (char *)files[i]);
    for (guint i = 0; i + 1 < s->actions->len; i += 2) {
        const char *action = s->actions->pdata[i], *file = strchr(s->actions->pdata[i + 1], '=');
        bool reads = strcmp(action, "--in") == 0 || strcmp(action, "--send") == 0,
             writes = strcmp(action, "--out") == 0 || strcmp(action, "--receive") == 0;
        if (file && (reads || writes)) g_ptr_array_add(reads ? in : out, (char *)file + 1);
    }
    int result = tw__cli_check_outputs("csl", (const char *const *)out->pdata, out->len,
                                       (const char *const *)in->pdata, in->len);
    g_ptr_array_free(in, TRUE);
    g_ptr_array_free(out, TRUE);
    return result;
}

static int run_main(int argc, char **argv)
{
    settings s = { .options = { .size = sizeof s.options }, .actions = g_ptr_array_new() };
    tw__csl_request_init(&s.compile);
    const tw__cli_syntax own = { "csl", .options = TW__CLI_ROWS(run_rows) };
    tw__cli_syntax syntax = tw__csl_syntax;
    syntax.command = "tilewright csl run", syntax.more = &own;
    int result = tw__cli_read(&syntax, &s, &argc, argv);
    if (result == TW__EXIT_OK && argc != 2)
        result = tw__cli_usage_error("csl", "%s", "run needs one folder or layout");
    if (result == TW__EXIT_OK) {
        tw__cli_name_program(argv[1]);
        tw_csl_program *program = open_program(&s.compile, argv[1]);
        result = program ? check_names(program, &s) : TW__EXIT_FAILURE;
        if (result == TW__EXIT_OK) result = check_outputs(&s);
        s.options.max_seconds = s.compile.options.max_seconds;
        s.options.threads = (unsigned)s.threads;
        s.options.trace = s.trace, s.options.profile = s.profile || s.report;
        if (result == TW__EXIT_OK) result = run_program(program, &s);
        tw_csl_program_free(program);
    }
    g_ptr_array_free(s.actions, TRUE);
    tw__csl_request_clear(&s.compile);
    return result;
}

/* --- check, list ---------------------------------------------------------------------------------------------- */

/* For editors: an array of {file, line, column, length, severity, code, message}. */
static int print_json(const tw_diags *diags)
{
    static const char *const severities[] = { "note", "warning", "error" };
    json_t *list = json_array();
    for (size_t i = 0; i < tw_diags_count(diags, TW_NOTE); i++) {
        const tw_diag *d = tw_diags_get(diags, i);
        json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:i, s:s, s:s, s:s}", "file", d->file ? d->file : "",
                                              "line", d->line, "column", d->column, "length", d->length, "severity",
                                              severities[d->severity], "code", d->code ? d->code : "", "message",
                                              d->message));
    }
    int result = json_dumpf(list, stdout, JSON_INDENT(2)) == 0 && putchar('\n') != EOF && fflush(stdout) == 0;
    json_decref(list);
    return result ? TW__EXIT_OK : TW__EXIT_FAILURE;
}

static int check_json(tw__csl_request *r, const char *file)
{
    tw_diags *diags = tw__cli_diags();
    tw_csl_program *program = tw_csl_compile(file, tw__csl_request_options(r), diags);
    tw_status status = tw_status_of(program);
    int result = print_json(diags);
    if (status != TW_OK && status != TW_E_PARSE) fprintf(stderr, "tilewright csl: %s\n", tw_error_message());
    tw_csl_program_free(program);
    tw_diags_free(diags);
    return status == TW_OK ? result : TW__EXIT_FAILURE;
}

static int work_on_program(int argc, char **argv, bool list)
{
    tw__csl_request r;
    tw__csl_request_init(&r);
    tw__cli_syntax syntax = tw__csl_syntax;
    syntax.command = list ? "tilewright csl list" : "tilewright csl check";
    int result = tw__cli_read(&syntax, &r, &argc, argv);
    if (result == TW__EXIT_OK && argc != 2) result = tw__cli_usage_error("csl", "%s needs one file", argv[0]);
    if (result == TW__EXIT_OK && !list && r.json) {
        result = check_json(&r, argv[1]);
    } else if (result == TW__EXIT_OK) {
        tw_csl_program *program = open_program(&r, argv[1]);
        result = program ? TW__EXIT_OK : TW__EXIT_FAILURE;
        if (program && list && tw_csl_dump(program, stdout) != TW_OK) result = failed();
        tw_csl_program_free(program);
    }
    tw__csl_request_clear(&r);
    return result;
}

/* --- python --------------------------------------------------------------------------------------------------- */

/* Where the package lies: the installed tree, else the source tree. */
static char *package_folder(void)
{
    char *roots[] = { g_build_filename(tw_include_dir(), "..", "share", "tilewright", "python", NULL),
                      g_build_filename(tw_include_dir(), "..", "python", NULL) };
    char *found = NULL;
    for (int i = 0; i < 2; i++) {
        char *probe = g_build_filename(roots[i], "cerebras", "__init__.py", NULL);
        if (!found && g_file_test(probe, G_FILE_TEST_EXISTS)) found = g_strdup(roots[i]);
        g_free(probe);
        g_free(roots[i]);
    }
    return found;
}

static bool has_numpy(const char *python)
{
    const char *command[] = { python, "-c",
                              "import importlib.util as u, sys; sys.exit(u.find_spec('numpy') is None)", NULL };
    int status = 1;
    return g_spawn_sync(NULL, (char **)command, NULL,
                        G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                        NULL, NULL, &status, NULL) &&
           status == 0;
}

/* $TILEWRIGHT_PYTHON, or the first interpreter that has numpy. */
static const char *find_python(void)
{
    static const char *const list[] = { "python3", "/usr/bin/python3" };
    const char *named = g_getenv("TILEWRIGHT_PYTHON");
    if (named && *named) return named;
    for (size_t i = 0; i < G_N_ELEMENTS(list); i++)
        if (has_numpy(list[i])) return list[i];
    return NULL;
}

static int cs_python(int argc, char **argv)
{
    char *package = package_folder();
    const char *python = find_python();
    if (!package || !python) {
        fprintf(stderr, !package ? "cs_python: the Python package of Tilewright is not installed\n"
                                 : "cs_python: no python3 with numpy (Debian: apt install python3-numpy)\n");
        g_free(package);
        return TW__EXIT_FAILURE;
    }
    const char *path = g_getenv("PYTHONPATH");
    char *paths = path && *path ? g_strconcat(package, ":", path, NULL) : g_strdup(package);
    char *library = g_build_filename(tw_lib_dir(), "libtilewright.so", NULL);
    if (argc > 1) tw__cli_name_program(argv[1]);
    tw__cli_set_variable("PYTHONPATH", paths);
    tw__cli_set_variable("TILEWRIGHT_LIBRARY", library);
    if (!g_getenv("PYTHONDONTWRITEBYTECODE")) tw__cli_set_variable("PYTHONDONTWRITEBYTECODE", "1");
    char **words = g_new0(char *, (gsize)argc + 1);
    words[0] = (char *)python;
    for (int i = 1; i < argc; i++) words[i] = argv[i];
    execvp(python, words);
    fprintf(stderr, "cs_python: cannot start '%s': %s\n", python, g_strerror(errno));
    g_free(words);
    g_free(library);
    g_free(paths);
    g_free(package);
    return TW__EXIT_FAILURE;
}

static int csl(int argc, char **argv)
{
    static const char *const verbs[] = { "run", "check", "list", "python" };
    const char *verb = argc > 1 ? argv[1] : "";
    if (strcmp(verb, "run") == 0) return run_main(argc - 1, argv + 1);
    if (strcmp(verb, "check") == 0 || strcmp(verb, "list") == 0)
        return work_on_program(argc - 1, argv + 1, strcmp(verb, "list") == 0);
    if (strcmp(verb, "python") == 0) return cs_python(argc - 1, argv + 1);
    if (!*verb) return tw__cli_usage_error("csl", "run, check, list or python?");
    return tw__cli_unknown("csl", "unknown verb", verb, verbs, G_N_ELEMENTS(verbs));
}

const tw__command tw__command_csl = {
    .name = "csl",
    .arguments = "run|check|list|python ...",
    .summary = "run CSL programs on a simulated wafer",
    .help = help_text,
    .example =
        "tilewright csl run examples/csl/stencil/layout.csl --arch=wse3 --launch run,200 --out t=t.npy --stats\n"
        "tilewright csl check examples/csl/stencil/layout.csl --arch=wse3 --params=size:9 --json\n"
        "cslc examples/csl/stencil/layout.csl --arch=wse3 --fabric-dims=12,7 \\\n"
        "    --fabric-offsets=4,1 --memcpy --channels=1 -o out\n"
        "tilewright csl list out\n"
        "tilewright csl python examples/csl/stencil/run.py --name out",
    .options = TW__CLI_ROWS(run_rows),
    .words = "run check list python --json",
    .files = ".csl .npy .py",
    .main = csl,
    .help_within = 2,
};

const tw__command tw__command_cs_python = {
    .name = "cs_python",
    .installed_as = "cs_python",
    .arguments = "SCRIPT.py [arguments]",
    .summary = "run a host script of a CSL program",
    .help = "A python3 with numpy starts with the modules that host scripts import (cerebras.sdk...) on its path.\n"
            "TILEWRIGHT_PYTHON=PROGRAM             another interpreter\n"
            "TILEWRIGHT_CSL_PROFILE=FILE.json      writes a profile of the run\n"
            "TILEWRIGHT_CSL_TRACE=FILE.json        writes a trace of the run\n"
            "TILEWRIGHT_CSL_CHECK=report|error|strict|off   what undefined behaviour does\n",
    .example = "cslc examples/csl/stencil/layout.csl --arch=wse3 --fabric-dims=12,7 \\\n"
               "    --fabric-offsets=4,1 --memcpy --channels=1 -o out\n"
               "cs_python examples/csl/stencil/run.py --name out",
    .words = "",
    .files = ".py",
    .main = cs_python,
    .help_within = 1,
};
