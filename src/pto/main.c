/* `tilewright pto`: runs, checks and formats PTO-AS programs, explains instructions. */
#include "pto/as.h"
#include "base/npy.h"

#include <glib.h>
#include <stdlib.h>
#include <unistd.h>

static const char usage[] =
    "usage: tilewright pto run FILE [--target cpu|a2a3|a5] [--manual] [--function NAME] [--arg NAME=VALUE]...\n"
    "                      [--out NAME=FILE.npy]... [--blocks N] [--trace] [--profile] [--max-steps N]\n"
    "       tilewright pto check FILE [--target T]\n"
    "       tilewright pto fmt FILE\n"
    "       tilewright pto info NAME... | list\n"
    "\n"
    "  run      check a program of PTO-AS for a target, then execute it\n"
    "  check    only check it\n"
    "  fmt      print it in its canonical form\n"
    "  info     operands, types and rules of an instruction; list: all of them\n"
    "  --arg    a number, an array of zeros such as f32[16x16], or @file.npy\n"
    "  --out    what a pointer argument or a tile of plain assembly holds at the end\n"
    "  --blocks run the program once for each block index\n"
    "  --trace  print each instruction with the valid region of its destinations\n";

typedef struct argument {
    const char *name, *value;
    tw__npy array; /* data NULL: a number */
    tw_type type;  /* of the array's elements */
} argument;

typedef struct request {
    const char *file, *function, *target;
    GArray *args, *outs;
    bool manual, trace, profile;
    int64_t blocks;
    uint64_t max_steps;
} request;

enum { EXIT_OK, EXIT_FAILED, EXIT_USAGE };

static int usage_error(const char *format, const char *what)
{
    fprintf(stderr, "tilewright pto: ");
    fprintf(stderr, format, what);
    fprintf(stderr, "\n%s", usage);
    return EXIT_USAGE;
}

/* --- arrays --------------------------------------------------------------------------------------------------------------- */

static const char *descr_of(tw_type type)
{
    static const char *const names[] = {
        [TW_I8] = "|i1",  [TW_U8] = "|u1",  [TW_BOOL] = "|b1", [TW_I16] = "<i2", [TW_U16] = "<u2", [TW_I32] = "<i4",
        [TW_U32] = "<u4", [TW_I64] = "<i8", [TW_U64] = "<u8",  [TW_F16] = "<f2", [TW_F32] = "<f4", [TW_BF16] = "<u2"
    };
    const char *name = type < sizeof names / sizeof *names ? names[type] : NULL;
    return name ? name : "|u1";
}

/* f32[16x16]: zeros. */
static bool zeros(const char *text, argument *a)
{
    const char *open = strchr(text, '['), *at = open ? open + 1 : NULL;
    char name[16];
    if (!open || open == text || (size_t)(open - text) >= sizeof name || text[strlen(text) - 1] != ']')
        return false;
    g_snprintf(name, sizeof name, "%.*s", (int)(open - text), text);
    a->type = tw_type_by_name(name);
    a->array = (tw__npy){ .count = 1, .item = tw_type_size(a->type) };
    g_strlcpy(a->array.descr, descr_of(a->type), sizeof a->array.descr);
    while (a->type && *at && a->array.rank < TW__NPY_RANK) {
        char *end;
        unsigned long long extent = strtoull(at, &end, 10);
        if (end == at || !tw__mul_size(a->array.count, (size_t)extent, &a->array.count) ||
            a->array.count > (size_t)1 << 34)
            return false;
        a->array.shape[a->array.rank++] = (size_t)extent;
        if (*end != 'x') break;
        at = end + 1;
    }
    a->array.data = a->type ? calloc(a->array.count + 1, a->array.item) : NULL;
    return a->array.data != NULL;
}

static tw_status load_argument(argument *a)
{
    if (*a->value == '@') return tw__npy_read(a->value + 1, &a->array);
    if (strchr(a->value, '[') && !zeros(a->value, a))
        return tw__fail(TW_E_INVALID_ARGUMENT, "--arg %s=%s: expected a type and extents, such as f32[16x16]",
                        a->name, a->value);
    return TW_OK;
}

static argument *argument_of(GArray *list, const char *name)
{
    for (guint i = 0; i < list->len; i++)
        if (strcmp(g_array_index(list, argument, i).name, name) == 0) return &g_array_index(list, argument, i);
    return NULL;
}

/* --- binding ---------------------------------------------------------------------------------------------------------------- */

static tw_status bind_number(tw__as_cell *cell, const tw__as_type *type, const argument *a)
{
    char *end;
    cell->kind = type->kind;
    cell->scalar = tw_pto_bits(type->element, 0);
    if (tw__is_float(type->element)) {
        cell->scalar = tw_pto_scalar_of(type->element, g_ascii_strtod(a->value, &end));
    } else {
        bool negative = *a->value == '-';
        uint64_t magnitude = g_ascii_strtoull(a->value + negative, &end, 0);
        cell->scalar.bits = negative ? 0 - magnitude : magnitude;
    }
    return *end == 0 && end != a->value
               ? TW_OK
               : tw__fail(TW_E_INVALID_ARGUMENT, "--arg %s=%s: not a number", a->name, a->value);
}

static tw_status bind_cell(tw_pto *core, tw__as_cell *cell, const tw__as_type *type, const char *name, GArray *args)
{
    argument *a = argument_of(args, name);
    if (!a) {
        if (type->kind == TW__AS_SCALAR || type->kind == TW__AS_INDEX)
            return tw__fail(TW_E_INVALID_ARGUMENT, "%%%s has no value: --arg %s=NUMBER", name, name);
        return tw__fail(TW_E_INVALID_ARGUMENT, "%%%s has no memory: --arg %s=@file.npy or --arg %s=%s[EXTENTS]",
                        name, name, name, tw_type_name(type->element, TW_SYSTEM_PTO));
    }
    if (type->kind == TW__AS_SCALAR || type->kind == TW__AS_INDEX) return bind_number(cell, type, a);
    if (!a->array.data || (type->kind != TW__AS_PTR && type->kind != TW__AS_TILE))
        return tw__fail(TW_E_INVALID_ARGUMENT, "--arg %s: %s takes an array", name, type->text);
    if (a->array.item != tw_type_size(type->element))
        return tw__fail(TW_E_TYPE, "--arg %s: elements of %zu bytes for %s", name, a->array.item, type->text);
    a->type = type->element;
    cell->kind = type->kind;
    if (type->kind == TW__AS_TILE) {
        cell->tile = type->tile;
        return tw_pto_write(core, &cell->tile, a->array.data, a->array.count * a->array.item);
    }
    cell->ptr.base = a->array.data;
    cell->ptr.bytes = a->array.count * a->array.item;
    cell->ptr.type = type->element;
    return TW_OK;
}

static const tw__as_function *choose(const tw__as_program *program, const char *name)
{
    const tw__as_function *f = program->functions;
    while (name && f && strcmp(f->name, name) != 0) f = f->next;
    if (!f) tw__fail(TW_E_SYMBOL, name ? "there is no function @%s" : "the program is empty", name);
    return f;
}

/* A tile by the name it has in plain assembly, into an array. */
static tw_status read_tile(tw_pto *core, const tw__as_function *f, tw__as_cell *cells, const char *name,
                           tw__npy *out)
{
    for (uint32_t s = f->slots; s-- > 0;) {
        if (strcmp(f->slot_name[s], name) != 0 || cells[s].kind != TW__AS_TILE) continue;
        tw_pto_tile *t = &cells[s].tile;
        *out = (tw__npy){ .rank = 2,
                          .shape = { t->valid_rows, t->valid_cols },
                          .item = tw_type_size(t->type),
                          .count = (size_t)t->valid_rows * t->valid_cols };
        g_strlcpy(out->descr, descr_of(t->type), sizeof out->descr);
        out->data = calloc(out->count + 1, out->item);
        return out->data ? tw_pto_read(core, t, out->data, out->count * out->item)
                         : tw__fail(TW_E_NO_MEMORY, "no memory for %s", name);
    }
    return tw__fail(TW_E_INVALID_ARGUMENT, "--out %s: neither an argument nor a tile that still exists", name);
}

static tw_status write_outputs(tw_pto *core, const tw__as_function *f, tw__as_cell *cells, const request *r)
{
    tw_status status = TW_OK;
    for (guint i = 0; i < r->outs->len && status == TW_OK; i++) {
        const argument *out = &g_array_index(r->outs, argument, i);
        const argument *a = argument_of(r->args, out->name);
        tw__npy tile = { .rank = 0 };
        if (a && a->array.data && !(f->free_count && a->type == TW_TYPE_NONE)) {
            status = tw__npy_write(out->value, &a->array);
            continue;
        }
        status = read_tile(core, f, cells, out->name, &tile);
        if (status == TW_OK) status = tw__npy_write(out->value, &tile);
        tw__npy_free(&tile);
    }
    return status;
}

/* --- profile ------------------------------------------------------------------------------------------------------------------- */

/* One compute step per pipe and one line per instruction form; everything is an estimate. */
static void print_profile(const tw_pto *core)
{
    char cycles[32];
    printf("cycles (estimated): %s\n", tw__commas(cycles, sizeof cycles, tw_pto_cycles(core)));
    for (int p = 0; p < TW_PTO_PIPES; p++)
        if (core->pipe_busy[p])
            printf("  %-10s busy %s\n", tw_pto_pipe_name((tw_pto_pipe)p),
                   tw__commas(cycles, sizeof cycles, core->pipe_busy[p]));
    for (size_t i = 0; i < tw__pto_row_count(); i++)
        if (core->row_calls[i])
            printf("  %-18s %8llu calls %12s cycles\n", tw__pto_row_at(i)->name,
                   (unsigned long long)core->row_calls[i], tw__commas(cycles, sizeof cycles, core->row_cycles[i]));
}

/* --- commands -------------------------------------------------------------------------------------------------------------- */

static tw_status run_blocks(const request *r, const tw__as_program *program, tw_pto_target target)
{
    const tw__as_function *f = choose(program, r->function);
    tw_status status = f ? TW_OK : TW_E_SYMBOL;
    for (int64_t block = 0; block < r->blocks && status == TW_OK; block++) {
        tw_pto *core = tw_pto_new(target, (r->manual ? TW_PTO_MANUAL : 0) | (r->profile ? TW_PTO_PROFILE : 0));
        tw__as_cell *cells = core ? calloc(f->slots + 1, sizeof *cells) : NULL;
        tw__as_run run = { .core = core,
                           .program = program,
                           .cell = cells,
                           .max_steps = r->max_steps,
                           .block = block,
                           .blocks = r->blocks,
                           .out = stdout };
        if (!cells) status = tw__fail(TW_E_NO_MEMORY, "no memory to run @%s", f->name);
        if (core && r->trace) tw_pto_trace(core, stdout);
        for (unsigned i = 0; i < f->params && status == TW_OK; i++)
            status = bind_cell(core, &cells[f->param_slot[i]], &f->param_type[i], f->param[i], r->args);
        for (unsigned i = 0; i < f->free_count && status == TW_OK; i++)
            status = bind_cell(core, &cells[f->free_name[i]], &f->slot_type[f->free_name[i]],
                               f->slot_name[f->free_name[i]], r->args);
        if (status == TW_OK) {
            status = tw__as_execute(&run, f);
            if (status != TW_OK) {
                tw_pto_free(core);
                free(cells);
                return TW_E_APPLICATION; /* the diagnostics tell */
            }
        }
        if (status == TW_OK && block + 1 == r->blocks) status = write_outputs(core, f, cells, r);
        if (status == TW_OK && r->profile) print_profile(core);
        tw_pto_free(core);
        free(cells);
    }
    if (status != TW_OK) fprintf(stderr, "tilewright pto: %s\n", tw_error_message());
    return status;
}

/* pto.target_arch of the module, when the command line does not say. */
static bool target_of(const request *r, const tw__as_module *m, tw_pto_target *target)
{
    *target = TW_PTO_CPU;
    if (r->target) return tw_pto_target_by_name(r->target, target);
    for (const tw__as_op *op = m->top.first; op; op = op->next)
        for (const tw__as_item *i = op->items; i; i = i->next)
            for (const tw__as_item *d = i->kind == TW__AS_DICT ? i->child : NULL; d; d = d->next)
                if (d->text && d->has_value && d->child->text && strcmp(d->text, "pto.target_arch") == 0) {
                    char name[32];
                    g_snprintf(name, sizeof name, "%s", d->child->text + 1);
                    if (*name) name[strlen(name) - 1] = 0;
                    return tw_pto_target_by_name(name, target);
                }
    return true;
}

static int work_on(const request *r, const char *command)
{
    char *source = NULL;
    gsize size = 0;
    GError *error = NULL;
    tw_pto_target target;
    if (!g_file_get_contents(r->file, &source, &size, &error)) {
        fprintf(stderr, "tilewright pto: %s\n", error->message);
        g_error_free(error);
        return EXIT_FAILED;
    }
    tw_diags *diags = tw_diags_new();
    tw__as_module *m = diags ? tw__as_parse(r->file, source, size, diags) : NULL;
    g_free(source);
    int result = m && tw_diags_count(diags, TW_ERROR) == 0 ? EXIT_OK : EXIT_FAILED;
    if (result == EXIT_OK && strcmp(command, "fmt") == 0) {
        char *text = tw__as_print(m);
        fputs(text ? text : "", stdout);
        free(text);
    } else if (result == EXIT_OK && !target_of(r, m, &target)) {
        fprintf(stderr, "tilewright pto: %s\n", tw_error_message());
        result = EXIT_USAGE;
    } else if (result == EXIT_OK) {
        const tw__as_program *program = tw__as_bind(m, target);
        result = program ? EXIT_OK : EXIT_FAILED;
        if (program && strcmp(command, "run") == 0 && run_blocks(r, program, target) != TW_OK) result = EXIT_FAILED;
    }
    if (diags) tw_diags_print(diags, stderr, isatty(2) != 0);
    tw__as_free(m);
    tw_diags_free(diags);
    return result;
}

static int info(int argc, char **argv)
{
    int result = argc > 0 ? EXIT_OK : usage_error("%s: a name is missing", "info");
    for (int i = 0; i < argc; i++)
        if (!tw__pto_print_info(stdout, argv[i])) {
            fprintf(stderr, "tilewright pto: %s\n", tw_error_message());
            result = EXIT_FAILED;
        }
    return result;
}

static int list(void)
{
    for (size_t i = 0; i < tw__pto_row_count(); i++) {
        const tw__pto_row *row = tw__pto_row_at(i);
        printf("%-18s %-17s %-9s %-5s%-4s %s\n", row->name, row->mnemonic, tw_pto_pipe_name((tw_pto_pipe)row->pipe),
               row->types[TW_PTO_A2A3] ? "a2a3" : "-", row->types[TW_PTO_A5] ? "a5" : "-", row->summary);
    }
    return EXIT_OK;
}

/* NAME=VALUE. */
static bool add_pair(GArray *to, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text) return false;
    *equals = 0;
    argument a = { .name = text[0] == '%' ? text + 1 : text, .value = equals + 1 };
    g_array_append_val(to, a);
    return true;
}

static int parse_options(int argc, char **argv, request *r)
{
    for (int i = 0; i < argc; i++) {
        const char *o = argv[i];
        bool last = i + 1 == argc;
        if (*o != '-') {
            if (r->file) return usage_error("'%s': one file at a time", o);
            r->file = o;
        } else if (strcmp(o, "--manual") == 0) {
            r->manual = true;
        } else if (strcmp(o, "--trace") == 0) {
            r->trace = true;
        } else if (strcmp(o, "--profile") == 0) {
            r->profile = true;
        } else if (last) {
            return usage_error("'%s' is unknown or lacks its value", o);
        } else if (strcmp(o, "--target") == 0) {
            r->target = argv[++i];
        } else if (strcmp(o, "--function") == 0) {
            r->function = argv[++i];
        } else if (strcmp(o, "--blocks") == 0) {
            r->blocks = g_ascii_strtoll(argv[++i], NULL, 10);
            if (r->blocks < 1) return usage_error("--blocks %s: at least 1", argv[i]);
        } else if (strcmp(o, "--max-steps") == 0) {
            r->max_steps = g_ascii_strtoull(argv[++i], NULL, 10);
        } else if (strcmp(o, "--arg") == 0 || strcmp(o, "--out") == 0) {
            if (!add_pair(o[2] == 'a' ? r->args : r->outs, argv[++i]))
                return usage_error("%s: expected NAME=VALUE", o);
        } else {
            return usage_error("unknown option '%s'", o);
        }
    }
    return r->file ? EXIT_OK : usage_error("%s is missing", "the file");
}

int tw_pto_main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0) return fputs(usage, stdout), EXIT_OK;
    if (strcmp(command, "info") == 0)
        return argc > 2 && strcmp(argv[2], "list") == 0 ? list() : info(argc - 2, argv + 2);
    if (strcmp(command, "list") == 0) return list();
    if (strcmp(command, "run") != 0 && strcmp(command, "check") != 0 && strcmp(command, "fmt") != 0)
        return usage_error(*command ? "unknown command '%s'" : "%sa command is missing", command);
    request r = { .blocks = 1, .max_steps = UINT64_C(1) << 40 };
    r.args = g_array_new(FALSE, TRUE, sizeof(argument));
    r.outs = g_array_new(FALSE, TRUE, sizeof(argument));
    int result = parse_options(argc - 2, argv + 2, &r);
    for (guint i = 0; result == EXIT_OK && i < r.args->len; i++)
        if (load_argument(&g_array_index(r.args, argument, i)) != TW_OK) {
            fprintf(stderr, "tilewright pto: %s\n", tw_error_message());
            result = EXIT_FAILED;
        }
    if (result == EXIT_OK) result = work_on(&r, command);
    for (guint i = 0; i < r.args->len; i++) tw__npy_free(&g_array_index(r.args, argument, i).array);
    g_array_free(r.args, TRUE);
    g_array_free(r.outs, TRUE);
    return result;
}
