/* `tilewright sim`: a function of IPU assembly on one tile, alone: registers and memory in, registers, trace and
 * cycles out. */
#include "cli.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <tilewright/poplar/colossus/asm.h>
#include <tilewright/poplar/colossus/link.h>
#include <tilewright/poplar/colossus/sim.h>
#include <stdlib.h>
#include <tilewright/tile.h>
#include <unistd.h>

typedef struct request {
    const char *entry, *arch, *registers, *memory, *call, *limit, *show;
    bool trace, cycles, all;
} request;

static const tw__cli_option table[] = {
    { "--entry", "NAME", offsetof(request, entry), "function that runs; default: the start of the code" },
    { "--arch", "CHIP", offsetof(request, arch), "mk1 (ipu1), mk2 (ipu2, the default), ipu21" },
    { "--set-reg", "R=V,...", offsetof(request, registers), "$m0=0x82000,$a2=1.5 before the start" },
    { "--mem", "A=V,V...;...", offsetof(request, memory), "words in memory: 0x82000=1,2.5,0x10;0x83000=7" },
    { "--call", "F(ARGS)", offsetof(request, call), "calls a function by the ABI of the guide, chapter 10" },
    { "--show", "A:N", offsetof(request, show), "print N words of memory at address A at the end" },
    { "--limit", "TURNS", offsetof(request, limit), "at most so many turns of a worker; default: 1000000000" },
    { "--all", NULL, offsetof(request, all), "on all six workers, with the same bases" },
    { "--trace", NULL, offsetof(request, trace), "each instruction or bundle, with what it changed" },
    { "--cycles", NULL, offsetof(request, cycles), "turns by source line" },
};

enum { VERTEX = 0x10000, ARGUMENTS = 0x4000, SCRATCH = 0x1000 }; /* behind the start of region 1 */

typedef struct session {
    tw_sim *sim;
    tw_object *image;
    uint32_t region1, next; /* where the next aggregate goes */
    request *r;
    GHashTable *lines; /* "file:line" -> turns */
    uint32_t m[16], a[16];
    bool warned;
} session;

/* --- numbers -------------------------------------------------------------------------------------------------- */

/* "7", "-1", "0x10", "1.5", "1.5f" (single), "1.5h" (half): the bits. */
static bool number(const char *text, uint32_t *bits, bool *is_float)
{
    char *end;
    size_t length = strlen(text);
    bool hex = g_str_has_prefix(text, "0x") || g_str_has_prefix(text, "-0x");
    *is_float = !hex && (strchr(text, '.') || (length && strchr("fh", text[length - 1])));
    if (*is_float) {
        double v = g_ascii_strtod(text, &end);
        float f = (float)v;
        if (end == text) return false;
        memcpy(bits, &f, 4);
        if (*end == 'h')
            *bits = tw_f64_to_f16(v, TW_ROUND_NEAREST_EVEN, 0), end++;
        else if (*end == 'f')
            end++;
        return !*end;
    }
    gint64 v = g_ascii_strtoll(text, &end, 0);
    *bits = (uint32_t)v;
    return length && !*end && v >= INT32_MIN && v <= UINT32_MAX;
}

static bool set_register(session *s, unsigned worker, const char *name, uint32_t value)
{
    if (*name == '$') name++;
    char *end;
    unsigned long n = strtoul(name + (*name ? 1 : 0), &end, 10);
    if ((*name != 'm' && *name != 'a') || end == name + 1 || *end || n > (*name == 'm' ? 11 : 7)) return false;
    if (*name == 'm')
        tw_sim_set_m(s->sim, worker, (unsigned)n, value);
    else
        tw_sim_set_a(s->sim, worker, (unsigned)n, value);
    return true;
}

static int set_registers(session *s)
{
    g_auto(GStrv) items = g_strsplit(s->r->registers ? s->r->registers : "", ",", -1);
    for (char **i = items; *i; i++) {
        g_auto(GStrv) sides = g_strsplit(g_strstrip(*i), "=", 2);
        uint32_t bits;
        bool is_float, good = sides[0] && sides[1] && number(g_strstrip(sides[1]), &bits, &is_float);
        for (unsigned w = 0; good && w < TW_SIM_WORKERS; w++) good = set_register(s, w, g_strstrip(sides[0]), bits);
        if (!good) return tw__cli_usage_error("sim", "--set-reg: '%s' is not $m0=VALUE to $m11 or $a0 to $a7", *i);
    }
    return TW__EXIT_OK;
}

static int set_memory(session *s)
{
    g_auto(GStrv) items = g_strsplit(s->r->memory ? s->r->memory : "", ";", -1);
    for (char **i = items; *i; i++) {
        g_auto(GStrv) sides = g_strsplit(*i, "=", 2);
        uint32_t at, bits;
        bool is_float;
        if (!sides[0] || !sides[1] || !number(g_strstrip(sides[0]), &at, &is_float) || is_float)
            return tw__cli_usage_error("sim", "--mem: '%s' is not ADDRESS=VALUE,VALUE...", *i);
        g_auto(GStrv) values = g_strsplit(sides[1], ",", -1);
        for (char **v = values; *v; v++, at += 4) {
            if (!number(g_strstrip(*v), &bits, &is_float))
                return tw__cli_usage_error("sim", "--mem: '%s' is no number", *v);
            bits = GUINT32_TO_LE(bits);
            if (tw_sim_write(s->sim, at, &bits, 4) != TW_OK) return tw__cli_failure("sim");
        }
    }
    return TW__EXIT_OK;
}

/* --- calls: guide 10.3.1 --------------------------------------------------------------------------------------- */

/* Where the next argument of each kind goes. A register skipped to align a pair or quad is not used again. */
typedef struct places {
    unsigned m, a;
    uint32_t stack;
    bool variadic;
} places;

static tw_status pass(session *s, places *p, const uint32_t *words, unsigned count, bool is_float)
{
    unsigned *next = is_float ? &p->a : &p->m, limit = is_float ? 6 : 4;
    unsigned first = (*next + count - 1) / count * count;
    if (!p->variadic && first + count <= limit) {
        for (unsigned i = 0; i < count; i++)
            if (is_float)
                tw_sim_set_a(s->sim, 0, first + i, words[i]);
            else
                tw_sim_set_m(s->sim, 0, first + i, words[i]);
        *next = first + count;
        return TW_OK;
    }
    if (!p->variadic) *next = limit;
    if (count > 1) p->stack = (p->stack + 7) & ~7u;
    tw_status status = TW_OK;
    for (unsigned i = 0; i < count && status == TW_OK; i++, p->stack += 4) {
        uint32_t bits = GUINT32_TO_LE(words[i]);
        status = tw_sim_write(s->sim, tw_sim_get_m(s->sim, 0, 11) + p->stack, &bits, 4);
    }
    return status;
}

/* "7", "1.5", "1:2" or "1.0:2.0:3.0:4.0" (a vector), "{7}" (as its member), "{1,2,3}" (by pointer), "..." */
static int pass_text(session *s, places *p, char *text)
{
    uint32_t words[64];
    bool is_float = false, aggregate = *text == '{';
    unsigned count = 0;
    if (strcmp(text, "...") == 0) return p->variadic = true, TW__EXIT_OK;
    if (aggregate) text++, g_strdelimit(text, "}", ' ');
    g_auto(GStrv) parts = g_strsplit(text, aggregate ? "," : ":", -1);
    for (char **i = parts; *i; i++, count++)
        if (count == G_N_ELEMENTS(words) || !number(g_strstrip(*i), &words[count], &is_float))
            return tw__cli_usage_error("sim", "--call: '%s' is no argument", text);
    if (!aggregate && count != 1 && count != 2 && (count != 4 || !is_float))
        return tw__cli_usage_error("sim", "--call: a vector has two words, or four of a float4: '%s'", text);
    if (aggregate && (count != 1 || p->variadic)) {
        uint32_t at = s->next;
        s->next += (4 * count + 7) & ~7u;
        for (unsigned i = 0; i < count; i++) words[i] = GUINT32_TO_LE(words[i]);
        if (tw_sim_write(s->sim, at, words, 4 * count) != TW_OK) return tw__cli_failure("sim");
        words[0] = at, count = 1, is_float = false;
    }
    return pass(s, p, words, count, is_float) == TW_OK ? TW__EXIT_OK : tw__cli_failure("sim");
}

/* Commas outside braces separate arguments. */
static int pass_all(session *s, char *args)
{
    places p = { 0 };
    unsigned depth = 0;
    tw_sim_set_m(s->sim, 0, 11, s->region1 + ARGUMENTS - 0x400);
    tw_sim_set_m(s->sim, 0, 10, TW_SIM_RETURN);
    for (char *start = args, *c = args;; c++) {
        depth += *c == '{';
        depth -= *c == '}' && depth;
        if (*c && (*c != ',' || depth)) continue;
        bool last = !*c;
        *c = 0;
        g_strstrip(start);
        int bad = *start || !last || start != args ? pass_text(s, &p, start) : TW__EXIT_OK;
        if (bad || last) return bad;
        start = c + 1;
    }
}

/* --- what is seen ----------------------------------------------------------------------------------------------- */

static void remember(session *s, unsigned context)
{
    for (unsigned i = 0; i < 16; i++)
        s->m[i] = tw_sim_get_m(s->sim, context, i), s->a[i] = tw_sim_get_a(s->sim, context, i);
}

static bool reads_stack_pointer(const tw_sim_event *event)
{
    for (unsigned i = 0; i < event->count; i++) {
        const tw_isa_row *row = tw_isa_get(event->insns[i].row);
        for (unsigned k = 0; k < row->count; k++)
            if (row->operands[k]->file == TW_ISA_MRF && row->operands[k]->reads &&
                event->insns[i].operands[k] == 11)
                return true;
    }
    return false;
}

static bool watch(void *user, tw_sim *sim, const tw_sim_event *event)
{
    session *s = user;
    char text[2 * TW_INSN_TEXT];
    if (!event->done) {
        remember(s, event->context);
        if (!s->r->call && !s->warned && !tw_sim_stack_pointer_set(sim, event->context) &&
            reads_stack_pointer(event)) {
            s->warned = true;
            fprintf(stderr, "tilewright sim: warning: pc 0x%x reads $sp, which is not initialised (guide 7.3)\n",
                    event->pc);
        }
        return false;
    }
    if (s->r->cycles) {
        const char *file;
        uint32_t line;
        bool known = tw_sim_line_at(sim, event->pc, &file, &line);
        char *key = known ? g_strdup_printf("%s:%u", file, line) : g_strdup_printf("0x%x", event->pc);
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(s->lines, key));
        g_hash_table_insert(s->lines, key, GUINT_TO_POINTER(n + 1));
    }
    if (!s->r->trace) return false;
    printf("%8llu w%u %05x  %s", (unsigned long long)event->cycle, event->context, event->pc,
           tw_sim_text_at(sim, event->pc, text));
    for (unsigned i = 0; i < 16; i++) {
        uint32_t m = tw_sim_get_m(sim, event->context, i), a = tw_sim_get_a(sim, event->context, i);
        if (m != s->m[i]) printf("  $m%u=%x", i, m);
        if (a != s->a[i]) printf("  $a%u=%x", i, a);
    }
    putchar('\n');
    return false;
}

static void print_lines(session *s)
{
    g_autoptr(GList) keys = g_list_sort(g_hash_table_get_keys(s->lines), (GCompareFunc)g_strcmp0);
    printf("\n   issued  source\n");
    for (GList *k = keys; k; k = k->next)
        printf("%9u  %s\n", GPOINTER_TO_UINT(g_hash_table_lookup(s->lines, k->data)), (const char *)k->data);
}

static void print_registers(const session *s, unsigned worker)
{
    printf("worker %u: status %d, %llu turns\n", worker, tw_sim_exit_status(s->sim, worker),
           (unsigned long long)tw_sim_turns(s->sim, worker));
    for (unsigned i = 0; i < 12; i++)
        printf("%s$m%-2u %08x", i % 6 ? "  " : "  ", i, tw_sim_get_m(s->sim, worker, i)),
            i % 6 == 5 ? putchar('\n') : 0;
    for (unsigned i = 0; i < 8; i++) {
        uint32_t bits = tw_sim_get_a(s->sim, worker, i);
        float f;
        memcpy(&f, &bits, 4);
        printf("  $a%u %08x (%g)%s", i, bits, (double)f, i % 4 == 3 ? "\n" : "");
    }
}

static int show_memory(const session *s)
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

static tw_status make_image(const char *path, tw_isa_arch arch, const char *entry, tw_diags *diags,
                            tw_object **image)
{
    tw_asm_options options = { .arch = arch };
    tw_object *object;
    bool text = g_str_has_suffix(path, ".S") || g_str_has_suffix(path, ".s");
    tw_status status = text ? tw_asm_file(path, &options, diags, &object) : tw_object_read(path, &object);
    if (status != TW_OK) return status;
    const tw_object *objects[] = { object };
    tw_link_options link = { .entry = entry };
    status = tw_link(objects, 1, &link, diags, image);
    tw_object_free(object);
    return status;
}

static int start_and_run(session *s, uint32_t entry)
{
    tw_sim_launch launch = { .entry = entry,
                             .vertex_base = s->region1 + VERTEX,
                             .worker_base = s->region1 + ARGUMENTS };
    char *end = NULL;
    guint64 limit = s->r->limit ? g_ascii_strtoull(s->r->limit, &end, 0) : 1000000000;
    if (!limit || (end && *end)) return tw__cli_usage_error("sim", "--limit takes a number of turns");
    if (s->r->trace || s->r->cycles) tw_sim_set_hook(s->sim, watch, s);
    tw_status status = s->r->all ? tw_sim_start_all(s->sim, &launch, 0, SCRATCH) : tw_sim_start(s->sim, 0, &launch);
    if (status != TW_OK) return tw__cli_failure("sim");
    tw_sim_stop stop = tw_sim_run(s->sim, limit);
    fflush(stdout);
    if (stop == TW_SIM_FAULT) fprintf(stderr, "%s\n", tw_sim_get_exception(s->sim)->message);
    if (stop == TW_SIM_LIMIT)
        fprintf(stderr, "tilewright sim: stopped after %" G_GUINT64_FORMAT " turns; --limit sets it\n", limit);
    for (unsigned i = 0; i < (s->r->all ? TW_SIM_WORKERS : 1u); i++) print_registers(s, i);
    printf("%llu cycles\n", (unsigned long long)tw_sim_cycles(s->sim));
    if (s->r->cycles) print_lines(s);
    int bad = show_memory(s);
    return bad ? bad : stop == TW_SIM_DONE ? TW__EXIT_OK : TW__EXIT_FAILURE;
}

static int run_file(const char *path, request *r, tw_isa_arch arch)
{
    g_auto(GStrv) call = g_strsplit(r->call ? r->call : "", "(", 2);
    const char *entry = r->call ? g_strstrip(call[0]) : r->entry;
    char *close = call[0] && call[1] ? strrchr(call[1], ')') : NULL;
    if (r->call && !close) return tw__cli_usage_error("sim", "--call takes NAME(ARGUMENTS)");
    if (close) *close = 0;
    tw_diags *diags = tw_diags_new();
    session s = { .r = r };
    tw_status status = make_image(path, arch, entry, diags, &s.image);
    tw_diags_print(diags, stderr, isatty(STDERR_FILENO));
    bool told = tw_diags_count(diags, TW_ERROR) > 0;
    tw_diags_free(diags);
    if (status != TW_OK) return told ? TW__EXIT_FAILURE : tw__cli_failure("sim");
    tw_sim_options options = { .arch = tw_object_arch(s.image) };
    s.sim = tw_sim_new(&options);
    s.region1 = tw_tile_arch_by_name(tw_isa_arch_name(options.arch))->regions[1].start;
    s.next = s.region1 + ARGUMENTS + 8 * SCRATCH;
    s.lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    int result = s.sim && tw_sim_load(s.sim, s.image) == TW_OK ? TW__EXIT_OK : tw__cli_failure("sim");
    if (!result && r->call) result = pass_all(&s, call[1]);
    if (!result) result = set_registers(&s);
    if (!result) result = set_memory(&s);
    if (!result) result = start_and_run(&s, tw_object_entry(s.image));
    g_hash_table_destroy(s.lines);
    tw_sim_free(s.sim);
    tw_object_free(s.image);
    return result;
}

static int main_sim(int argc, char **argv)
{
    request r = { 0 };
    int bad = tw__cli_parse(&tw__command_sim, &r, &argc, argv);
    if (bad) return bad;
    if (argc != 2) return tw__cli_usage_error("sim", argc < 2 ? "no file given" : "one file at a time");
    tw_isa_arch arch = r.arch ? tw_isa_arch_by_name(r.arch) : TW_ISA_IPU2;
    if (!arch) return tw__cli_usage_error("sim", "%s", tw_error_message());
    if (r.all && r.call) return tw__cli_usage_error("sim", "--call runs on one worker");
    return run_file(argv[1], &r, arch);
}

const tw__command tw__command_sim = {
    .name = "sim",
    .arguments = "FILE.S|FILE.o [OPTIONS]",
    .summary = "run a function of IPU assembly on the simulator of a tile",
    .help =
        "$mvertex_base is 64 KB behind the start of region 1, the stack and scratch space lie before it.\n"
        "Arguments of --call: 7, 1.5 (float), 1.5h (half), 1:2 and 1.0:2.0:3.0:4.0 (vectors in pairs and quads),\n"
        "{7} (as its member), {1,2,3} (by pointer); those behind ... are variadic and go to the stack.\n",
    .example =
        "tilewright sim half.S --entry __runCodelet_Half --mem '0x90000=0x91000,0x91004;0x91000=1.5' --trace\n"
        "tilewright sim lib.S --call 'add(1, 2)'",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .words = "",
    .files = ".S .s .o .elf",
    .main = main_sim,
};
