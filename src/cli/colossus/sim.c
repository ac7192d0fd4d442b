/* SPDX-License-Identifier: MIT */
/* `tilewright sim`: a function of IPU assembly on one tile, alone: registers and memory in, registers, trace and
 * cycles out. */
#include "cli/colossus/sim_debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/colossus/asm.h>
#include <tilewright/poplar/colossus/link.h>
#include <tilewright/poplar/popc.h>
#include <tilewright/tile.h>

#define AT(field) .at = offsetof(tw__sim_request, field)
static const tw__cli_option table[] = {
    { "--entry", "NAME", AT(entry), "function that runs; default: the start of the code" },
    { "--arch", "CHIP", AT(arch),
      "mk1 (ipu1), mk2 (ipu2, the default), ipu21; of an archive, its code for that chip" },
    { "--set-reg", "R=V,...", AT(registers), "$m0=0x82000,$a2=1.5 before the start" },
    { "--mem", "A=V,V...;...", AT(memory), "words in memory: 0x82000=1,2.5,0x10;0x83000=7" },
    { "--call", "F(ARGS)", AT(call), "calls a function by the ABI of the guide, chapter 10" },
    { "--show", "A:N", AT(show), "print N words of memory at address A at the end" },
    { "--limit", "TURNS", AT(limit), "at most so many turns of a context; default: 1000000000" },
    { "--all", NULL, AT(all), "on all six workers, with the same bases" },
    { "--supervisor", NULL, AT(supervisor), "on the supervisor, state in $m0" },
    { "--trace", NULL, AT(trace), "each instruction or bundle, with what it changed" },
    { "--cycles", NULL, AT(cycles), "turns by source line" },
    { "--save-at", "CYCLE,...", AT(save_at), "a checkpoint at that cycle, or as soon as the clock is behind it" },
    { "--save", "FILE", AT(save), "where; default: checkpoint; FILE.CYCLE of several cycles" },
    { "--resume", "FILE", AT(resume), "goes on there, with the same start; also with --interactive" },
    { "--option", "K=V,...", AT(options), "of the simulator: the list is below" },
    { "--interactive", NULL, AT(interactive), "step, break, print, x: gdb's words; help tells more" },
    { "-i", NULL, AT(interactive), "the same" },
    { "--dap", NULL, AT(serves), "alone: for an editor, by the Debug Adapter Protocol" },
};

enum { WORKER_BASE = 12, VERTEX_BASE = 13 };

/* "$m3", "$sp", "$a0": number and file; false for other names. */
static bool find_register(const char *name, unsigned *number, bool *is_float)
{
    static const char *const names[] = { [8] = "bp", "fp", "lr", "sp", "mworker_base", "mvertex_base" };
    if (*name == '$') name++;
    *is_float = *name == 'a';
    for (*number = 8; *number < G_N_ELEMENTS(names); ++*number)
        if (strcmp(names[*number], name) == 0) return true;
    char *end;
    unsigned long n = strtoul(name + (*name ? 1 : 0), &end, 10);
    *number = (unsigned)n;
    return (*name == 'm' || *name == 'a') && end > name + 1 && !*end && n <= (*is_float ? 7 : VERTEX_BASE);
}

/* The bases are part of the start. */
static uint32_t base_of(const tw__sim_session *s, unsigned wanted, uint32_t otherwise)
{
    g_auto(GStrv) items = g_strsplit(s->r->registers ? s->r->registers : "", ",", -1);
    for (char **i = items; *i; i++) {
        g_auto(GStrv) sides = g_strsplit(g_strstrip(*i), "=", 2);
        unsigned number;
        uint32_t bits;
        bool is_float;
        if (sides[0] && sides[1] && find_register(g_strstrip(sides[0]), &number, &is_float) && !is_float &&
            number == wanted && tw__sim_number(g_strstrip(sides[1]), &bits, &is_float))
            otherwise = bits;
    }
    return otherwise;
}

static bool set_register(tw__sim_session *s, unsigned worker, const char *name, uint32_t value)
{
    unsigned number;
    bool is_float;
    if (!find_register(name, &number, &is_float)) return false;
    if (is_float)
        tw_sim_set_a(s->sim, worker, number, value);
    else
        tw_sim_set_m(s->sim, worker, number, value);
    return true;
}

static int set_registers(tw__sim_session *s)
{
    g_auto(GStrv) items = g_strsplit(s->r->registers ? s->r->registers : "", ",", -1);
    for (char **i = items; *i; i++) {
        g_auto(GStrv) sides = g_strsplit(g_strstrip(*i), "=", 2);
        uint32_t bits;
        bool is_float, good = sides[0] && sides[1] && tw__sim_number(g_strstrip(sides[1]), &bits, &is_float);
        for (unsigned w = 0; good && w < TW_SIM_CONTEXTS; w++)
            good = set_register(s, w, g_strstrip(sides[0]), bits);
        if (!good)
            return tw__cli_usage_error(
                "sim", "--set-reg: '%s' is not $m0=VALUE to $m13, $a0 to $a7 or a name such as $sp", *i);
    }
    return TW__EXIT_OK;
}

static int set_memory(tw__sim_session *s)
{
    g_auto(GStrv) items = g_strsplit(s->r->memory ? s->r->memory : "", ";", -1);
    for (char **i = items; *i; i++) {
        g_auto(GStrv) sides = g_strsplit(*i, "=", 2);
        uint32_t at, bits;
        bool is_float;
        if (!sides[0] || !sides[1] || !tw__sim_number(g_strstrip(sides[0]), &at, &is_float) || is_float)
            return tw__cli_usage_error("sim", "--mem: '%s' is not ADDRESS=VALUE,VALUE...", *i);
        g_auto(GStrv) values = g_strsplit(sides[1], ",", -1);
        for (char **v = values; *v; v++, at += 4) {
            if (!tw__sim_number(g_strstrip(*v), &bits, &is_float))
                return tw__cli_usage_error("sim", "--mem: '%s' is no number", *v);
            bits = GUINT32_TO_LE(bits);
            if (tw_sim_write(s->sim, at, &bits, 4) != TW_OK) return tw__cli_failure("sim");
        }
    }
    return TW__EXIT_OK;
}

static unsigned first_context(const tw__sim_session *s)
{
    return s->r->supervisor ? TW_SIM_SUPERVISOR : 0;
}

/* --- what is seen ----------------------------------------------------------------------------------------------- */

static bool count_line(void *user, tw_sim *sim, const tw_sim_event *event)
{
    tw__sim_session *s = user;
    if (!event->done) return false;
    const tw_object_line *l = tw_sim_place_at(sim, event->pc);
    char *key = !l           ? g_strdup_printf("0x%x", event->pc)
                : !l->column ? g_strdup_printf("%s:%u", l->file, l->line)
                             : g_strdup_printf("%s:%u:%u", l->file, l->line, l->column);
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(s->lines, key));
    g_hash_table_insert(s->lines, key, GUINT_TO_POINTER(n + 1));
    return false;
}

/* "file:12", "file:12:3": by file, then by numbers. */
static gint by_line(gconstpointer x, gconstpointer y)
{
    const char *a = x, *b = y;
    while (*a && *a == *b) a++, b++;
    while (a > (const char *)x && g_ascii_isdigit(a[-1])) a--, b--;
    if (!g_ascii_isdigit(*a) || !g_ascii_isdigit(*b)) return strcmp(a, b);
    guint64 m = g_ascii_strtoull(a, NULL, 10), n = g_ascii_strtoull(b, NULL, 10);
    return (m > n) - (m < n);
}

static void print_lines(tw__sim_session *s)
{
    g_autoptr(GList) keys = g_list_sort(g_hash_table_get_keys(s->lines), by_line);
    printf("\n   issued  source\n");
    for (GList *k = keys; k; k = k->next)
        printf("%9u  %s\n", GPOINTER_TO_UINT(g_hash_table_lookup(s->lines, k->data)), (const char *)k->data);
}

static void print_registers(const tw__sim_session *s, unsigned worker)
{
    printf("%s: status %d, %llu %s%s\n", tw__sim_context_name(worker), tw_sim_exit_status(s->sim, worker),
           (unsigned long long)tw_sim_turns(s->sim, worker), worker == TW_SIM_SUPERVISOR ? "cycles" : "turns",
           tw_sim_modelled(s->sim, worker) ? ", modelled" : "");
    for (unsigned i = 0; i < 12; i++)
        printf("  $m%-2u %08x%s", i, tw_sim_get_m(s->sim, worker, i), i % 6 == 5 ? "\n" : "");
    for (unsigned i = 0; i < 8 && worker != TW_SIM_SUPERVISOR; i++) {
        uint32_t bits = tw_sim_get_a(s->sim, worker, i);
        float f;
        memcpy(&f, &bits, 4);
        printf("  $a%u %08x (%g)%s", i, bits, (double)f, i % 4 == 3 ? "\n" : "");
    }
}

static int show_memory(const tw__sim_session *s)
{
    if (!s->r->show) return TW__EXIT_OK;
    char *end;
    unsigned long at = strtoul(s->r->show, &end, 0), count = *end == ':' ? strtoul(end + 1, &end, 0) : 0;
    if (*end || !count || count > 0x10000) return tw__cli_usage_error("sim", "--show takes ADDRESS:WORDS");
    for (unsigned long i = 0; i < count; i++) {
        uint32_t bits;
        if (tw_sim_read(s->sim, (uint32_t)(at + 4 * i), &bits, 4) != TW_OK) return tw__cli_failure("sim");
        if (i % 4 == 0) printf("%s0x%lx:", i ? "\n" : "", at + 4 * i);
        printf(" %08x", GUINT32_FROM_LE(bits));
    }
    putchar('\n');
    return TW__EXIT_OK;
}

/* --- the whole ------------------------------------------------------------------------------------------------ */

/* The object of a source or object file, or those of an archive for the chip. */
static tw_status read_objects(const char *path, const char *chip, tw_diags *diags, tw_object ***objects,
                              size_t *count)
{
    if (g_str_has_suffix(path, ".gp")) return tw_status_of(*objects = tw_popc_objects(path, chip, count));
    tw_asm_options options = { .size = sizeof options, .arch = chip ? tw_isa_arch_by_name(chip) : TW_ISA_IPU2 };
    bool text = g_str_has_suffix(path, ".S") || g_str_has_suffix(path, ".s");
    *objects = calloc(1, sizeof **objects), *count = 0;
    if (!*objects) return tw_error_set(TW_E_NO_MEMORY, "no memory for '%s'", path);
    tw_status status = tw_status_of(**objects = text ? tw_asm_file(path, &options, diags) : tw_object_read(path));
    *count = status == TW_OK;
    return status;
}

static tw_status make_image(const char *path, const char *chip, const char *entry, tw_diags *diags,
                            tw_object **image)
{
    tw_object **objects;
    size_t count;
    tw_link_options link = { .size = sizeof link, .entry = entry };
    tw_status status = read_objects(path, chip, diags, &objects, &count);
    if (status == TW_OK)
        status = tw_status_of(*image = tw_link((const tw_object *const *)objects, count, &link, diags));
    for (size_t i = 0; i < count; i++) tw_object_free(objects[i]);
    free(objects);
    return status;
}

/* As the command line says. */
static int sim_prepare(tw__sim_session *s)
{
    const tw__sim_request *r = s->r;
    g_auto(GStrv) call = g_strsplit(r->call ? r->call : "", "(", 2);
    tw_sim_launch launch = { .entry = tw_object_entry(s->image),
                             .vertex_base = base_of(s, VERTEX_BASE, s->room + TW__SIM_VERTEX),
                             .worker_base = base_of(s, WORKER_BASE, s->room + TW__SIM_ARGUMENTS) };
    uint32_t base = tw_sim_memory_base(tw_object_arch(s->image)),
             bytes = tw_sim_memory_bytes(tw_object_arch(s->image));
    memset(tw_sim_memory(s->sim), 0, bytes);
    tw_sim_code_changed(s->sim, base, bytes);
    tw_sim_reset(s->sim);
    s->next = s->room + TW__SIM_ARGUMENTS + 8 * TW__SIM_SCRATCH;
    int result = tw_sim_load(s->sim, s->image) == TW_OK ? TW__EXIT_OK : tw__cli_failure("sim");
    if (!result && r->call) {
        *strrchr(call[1], ')') = 0;
        result = tw__sim_pass(s, call[1]);
    }
    /* The supervisor's start sets $m0 and $lr; what the user says comes behind it. */
    tw_status status = TW_OK;
    if (!result)
        status = r->all ? tw_sim_start_all(s->sim, &launch, 0, TW__SIM_SCRATCH)
                        : tw_sim_start(s->sim, first_context(s), &launch);
    if (!result && status != TW_OK) result = tw__cli_failure("sim");
    if (!result) result = set_registers(s);
    if (!result) result = set_memory(s);
    tw__sim_note_kept(s);
    if (!result && r->resume && tw_sim_resume(s->sim, r->resume) != TW_OK) result = tw__cli_failure("sim");
    s->next_save = r->save_at;
    return result;
}

static int run_once(tw__sim_session *s)
{
    tw_output *file = NULL;
    g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(g_free);
    if (*s->trace_file) g_ptr_array_add(out, g_strdup(s->trace_file));
    tw__sim_add_saves(s->r, out);
    if (tw__cli_check_outputs("sim", (const char *const *)out->pdata, out->len, &s->r->resume, 1))
        return TW__EXIT_FAILURE;
    if (*s->trace_file && !(file = tw_output_open(s->trace_file, NULL, 0))) return tw__cli_failure("sim");
    if (file || s->r->trace) tw_sim_set_trace(s->sim, file ? tw_output_file(file) : stdout);
    if (s->r->cycles) tw_sim_set_hook(s->sim, count_line, s);
    tw_sim_stop stop = tw__sim_go(s);
    tw_sim_set_trace(s->sim, NULL);
    if (file && tw_output_commit(file) != TW_OK) tw__cli_failure("sim"), stop = TW_SIM_BREAK;
    tw_output_free(file);
    if (s->in_line) putchar('\n');
    fflush(stdout);
    if (stop == TW_SIM_FAULT) {
        const char *message = tw_sim_get_exception(s->sim)->message;
        tw_print_text(stderr, message, strlen(message), "\n\t"), fputc('\n', stderr);
    }
    if (stop == TW_SIM_DONE && s->r->call && tw_sim_get_pc(s->sim, 0) == TW_SIM_RETURN) tw__sim_check_kept(s);
    if (stop == TW_SIM_LIMIT)
        fprintf(stderr, "tilewright sim: stopped after %" G_GUINT64_FORMAT " turns; --limit sets it\n", s->limit);
    for (unsigned i = 0; i < (s->r->all ? TW_SIM_WORKERS : 1u); i++) print_registers(s, first_context(s) + i);
    char band[64];
    bool modelled = tw_sim_modelled(s->sim, TW_SIM_CONTEXTS);
    printf("%llu cycles%s%s\n", (unsigned long long)tw_sim_cycles(s->sim), modelled ? ", modelled: " : "",
           modelled ? tw_band_text(tw_band_find("ipu2", "sim"), band, sizeof band) : "");
    if (s->r->cycles) print_lines(s);
    int bad = show_memory(s);
    if (!bad && stop == TW_SIM_DONE) bad = tw__sim_saved(s);
    return bad ? bad : stop == TW_SIM_DONE ? TW__EXIT_OK : TW__EXIT_FAILURE;
}

static int check_saves(const tw__sim_request *r)
{
    if (!tw__sim_are_cycles(r->save_at))
        return tw__cli_usage_error("sim", "--save-at: '%s' is no list of cycles, lowest first", r->save_at);
    if ((r->save && strcmp(r->save, "-") == 0) || (r->resume && strcmp(r->resume, "-") == 0))
        return tw__cli_usage_error("sim", "a checkpoint is a file, not a standard stream");
    if (r->save && !r->save_at) return tw__cli_usage_error("sim", "--save names the file of --save-at");
    if (r->save_at && r->interactive) return tw__cli_usage_error("sim", "--save-at is for a run that nobody steps");
    return TW__EXIT_OK;
}

/* The functions that a wrong --entry could have meant. */
static void tell_functions(const char *path, const char *chip, const char *entry)
{
    tw_object *image = NULL;
    const tw_symbol *symbol;
    bool any = false;
    if (make_image(path, chip, NULL, NULL, &image) != TW_OK) return;
    bool local = tw_object_find_symbol(image, entry) >= 0;
    if (local) fprintf(stderr, "tilewright sim: '%s' is a label of its file only: write .globl %s\n", entry, entry);
    for (size_t i = 0; !local && (symbol = tw_object_get_symbol(image, i)); i++) {
        const tw_section *section =
            symbol->section >= 0 ? tw_object_get_section(image, (size_t)symbol->section) : NULL;
        if (!section || !(section->flags & TW_SECTION_EXEC) || symbol->type == TW_SYMBOL_SECTION || !*symbol->name)
            continue;
        fputs(any ? ", " : "tilewright sim: code has the symbols ", stderr);
        tw_print_text(stderr, symbol->name, strlen(symbol->name), "");
        any = true;
    }
    if (any) fputc('\n', stderr);
    tw_object_free(image);
}

/* Data of the image may lie in region 1 too. */
static int find_stack_room(tw__sim_session *s)
{
    enum { LINE = 64 };
    tw_isa_arch arch = tw_object_arch(s->image);
    uint32_t end = tw_sim_memory_base(arch) + tw_sim_memory_bytes(arch);
    const tw_section *section;
    s->room = s->region1;
    for (size_t i = 0; (section = tw_object_get_section(s->image, i)); i++)
        if ((section->flags & TW_SECTION_ALLOC) && section->address >= s->region1)
            s->room = MAX(s->room, section->address + section->size);
    s->room = (s->room + LINE - 1) & ~(uint32_t)(LINE - 1);
    if (end - s->room >= TW__SIM_VERTEX) return TW__EXIT_OK;
    tw_error_set(TW_E_LINK, "the data ends at 0x%x and leaves no %u KB for stacks and arguments", s->room,
                 TW__SIM_VERTEX >> 10);
    return tw__cli_failure("sim");
}

static int load_and_run(tw__sim_session *s, const tw_sim_options *given)
{
    tw_sim_options options = *given;
    options.arch = tw_object_arch(s->image);
    s->sim = tw_sim_new(&options);
    if (!s->sim) return tw__cli_failure("sim");
    s->region1 = tw_tile_arch_by_name(tw_isa_arch_name(options.arch))->regions[1].start;
    s->trace_file = options.trace_file;
    if (s->r->interactive && !(s->debug = tw_debug_new(s->image)) && tw_error_status() != TW_E_SYMBOL)
        fprintf(stderr, "tilewright sim: note: %s\n", tw_error_message());
    int result = find_stack_room(s);
    if (!result) result = sim_prepare(s);
    if (!result) result = s->r->interactive ? tw__sim_debug(s) : run_once(s);
    tw_debug_free(s->debug);
    tw_sim_free(s->sim);
    return result;
}

static void free_source(gpointer lines)
{
    g_strfreev(lines);
}

static int run_file(const char *path, const tw__sim_request *r, const tw_sim_options *options, guint64 limit)
{
    g_auto(GStrv) call = g_strsplit(r->call ? r->call : "", "(", 2);
    const char *entry = r->call ? g_strstrip(call[0]) : r->entry;
    if (r->call && (!call[0] || !call[1] || !strrchr(call[1], ')')))
        return tw__cli_usage_error("sim", "--call takes NAME(ARGUMENTS)");
    tw_diags *diags = tw__cli_diags();
    tw__sim_session s = { .r = r, .limit = limit, .prepare = sim_prepare };
    tw_status status = make_image(path, r->arch, entry, diags, &s.image);
    tw_diags_print(diags, stderr, tw_use_colours(stderr));
    bool told = tw_diags_count(diags, TW_ERROR) > 0;
    tw_diags_free(diags);
    if (status != TW_OK) {
        int result = told ? TW__EXIT_FAILURE : tw__cli_failure("sim");
        if (entry) tell_functions(path, r->arch, entry);
        return result;
    }
    s.lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    s.sources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_source);
    int result = load_and_run(&s, options);
    g_hash_table_destroy(s.lines);
    g_hash_table_destroy(s.sources);
    tw_object_free(s.image);
    return result;
}

int tw__sim_with(tw__dap *dap, int argc, char **argv)
{
    tw__sim_request r = { .dap = dap };
    tw_sim_options options = { .size = sizeof options };
    int bad = tw__cli_parse(&tw__command_sim, &r, &argc, argv);
    if (bad) return bad;
    if (r.serves && (dap || argc != 1))
        return tw__cli_usage_error("sim", "--dap stands alone: the client's 'launch' names the file");
    tw__dap_target target = tw__sim_dap_target;
    target.main = tw__sim_with;
    if (r.serves) return tw__dap_serve(&target);
    r.interactive |= dap != NULL;
    if (argc != 2) return tw__cli_usage_error("sim", argc < 2 ? "no file given" : "one file at a time");
    if (r.arch && !tw_isa_arch_by_name(r.arch)) return tw__cli_usage_error("sim", "%s", tw_error_message());
    if (r.all && (r.call || r.supervisor))
        return tw__cli_usage_error("sim", "--all is for workers, %s runs on one context",
                                   r.call ? "--call" : "--supervisor");
    char *end = NULL;
    guint64 limit = r.limit ? g_ascii_strtoull(r.limit, &end, 0) : 1000000000;
    if (!limit || (end && *end)) return tw__cli_usage_error("sim", "--limit takes a number of turns");
    if ((bad = check_saves(&r))) return bad;
    g_auto(GStrv) pairs = g_strsplit(r.options ? r.options : "", ",", -1);
    if (tw_sim_options_read(&options, (const char *const *)pairs) != TW_OK)
        return tw__cli_usage_error("sim", "%s", tw_error_message());
    return run_file(argv[1], &r, &options, limit);
}

static int main_sim(int argc, char **argv)
{
    return tw__sim_with(NULL, argc, argv);
}

const tw__command tw__command_sim = {
    .name = "sim",
    .arguments = "FILE.S|FILE.o|FILE.gp [OPTIONS]",
    .summary = "run a function of IPU assembly on the simulator of a tile",
    .help =
        "$mvertex_base is 64 KB behind the start of region 1 or the data there, the stack and scratch space lie "
        "before it;\n"
        "--set-reg '$mvertex_base=0x82000' sets another place.\n"
        "Arguments of --call: 7, 1.5 (float), 1.5h (half), 1:2 and 1.0:2.0:3.0:4.0 (vectors in pairs and quads),\n"
        "{7} (as its member), {1,2,3} (by pointer); those behind ... are variadic and go to the stack. Registers "
        "that\n"
        "the function has to keep and changes are told.\n"
        "Options of the simulator, also as JSON object in POPLAR_SIMULATOR_OPTIONS, which wins: traceFile (FILE),\n"
        "denormals, breakOnException, ignoreClashes (true or false), seed (a number), traceTile (in graphs "
        "only).\n",
    .example = "tilewright sim examples/poplar/colossus/addend.S --entry __runCodelet_AddPlain___false \\\n"
               "    --mem '0x90000=0x91000,4,10.0,20.0;0x91000=1.0,2.0,3.0,4.0' --show 0x91000:4 --cycles\n"
               "printf '.globl add\\nadd: add $m0, $m0, $m1\\n br $lr\\n' >add.s\n"
               "tilewright sim add.s --call 'add(1, 2)' --trace\n"
               "tilewright sim add.s --call 'add(1, 2)' --interactive\n"
               "tilewright sim add.s --call 'add(1, 2)' --save-at 6 --save tile\n"
               "tilewright sim add.s --call 'add(1, 2)' --resume tile",
    .options = TW__CLI_ROWS(table),
    .words = "",
    .files = ".S .s .o .elf .gp",
    .main = main_sim,
};
