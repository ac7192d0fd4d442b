/* SPDX-License-Identifier: MIT */
/* host: life of a wafer, its commands as calls, and time. */
#include "csl/wse/host/host.h"
#include "core/wire/wire.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_CYCLES      (1ull << 40)
#define DEFAULT_IDLE_CYCLES 10000000ull

/* --- messages ------------------------------------------------------------------------------------------------- */

bool tw__host_prints(const FILE *out)
{
    return tw__wire_rank() == 0 || (out != stdout && out != stderr);
}

tw_status tw__host_one_process(const char *what)
{
    if (tw__wire_size() < 2) return TW_OK;
    return tw__fail(TW_E_NOT_SUPPORTED, "%s follows a wafer of one process: start it without ranks", what);
}

void tw__host_report(tw_wse *w)
{
    size_t count = tw_diags_count(w->diags, TW_NOTE);
    FILE *out = w->options.reports ? w->options.reports : stderr;
    for (; w->reported < count; w->reported++) {
        tw_diags *one = tw_diags_new();
        if (!one) return;
        tw_diags_add(one, tw_diags_get(w->diags, w->reported));
        if (tw__host_prints(out)) tw_diags_print(one, out, false);
        tw_diags_free(one);
    }
    fflush(out);
}

/* The fabric's failure with the text of its last error. */
static tw_status fabric_failed(tw_wse *w, tw_status status)
{
    const char *text = NULL;
    for (size_t i = 0; i < tw_diags_count(w->diags, TW_NOTE); i++)
        if (tw_diags_get(w->diags, i)->severity == TW_ERROR) text = tw_diags_get(w->diags, i)->message;
    if (status == TW_E_OVERFLOW) tw__wse_say_running(w->fabric);
    char *copy = g_strdup(text && status != TW_E_OVERFLOW ? text : tw_error_message());
    tw__host_report(w);
    w->failed = status;
    tw__fail(status, "cycle %llu: %s", (unsigned long long)tw__wse_cycle(w->fabric), copy);
    g_free(copy);
    return status;
}

static void print_line(void *user, unsigned x, unsigned y, uint64_t cycle, const char *line)
{
    tw_wse *w = user;
    (void)x, (void)y;
    if (!w->options.out || !tw__host_prints(w->options.out)) return;
    fprintf(w->options.out, "@%llu ", (unsigned long long)cycle);
    tw_print_text(w->options.out, line, strlen(line), "\n\t");
    fputc('\n', w->options.out);
}

/* --- life ----------------------------------------------------------------------------------------------------- */

/* The colors that the memcpy library declared as streams to the host. */
static bool listen_to_streams(tw_wse *w)
{
    for (size_t i = 0; i < w->image->pe_count; i++) {
        uint32_t program = w->image->pes[i].program;
        const tw__csl_program *p = program < w->image->program_count ? &w->image->programs[program] : NULL;
        for (size_t d = 0; p && d < p->declaration_count; d++) {
            const tw__csl_declaration *declared = &p->declarations[d];
            if (declared->service != TW__CSL_SERVICE_D2H) continue;
            if (!tw__wse_listen(w->fabric, (unsigned)(i % w->image->width), (unsigned)(i / w->image->width),
                                TW__CSL_RAMP, declared->args[1]))
                return false;
        }
    }
    return true;
}

/* Tasks and operations of a PE that a profile keeps one by one: its share of some 100,000. */
static unsigned spans_of(const tw_wse *w)
{
    enum { ALL_SPANS = 1 << 17, MOST_SPANS = 2000, LEAST_SPANS = 8 };
    size_t share = ALL_SPANS / (w->image->pe_count ? w->image->pe_count : 1);
    return share > MOST_SPANS ? MOST_SPANS : share < LEAST_SPANS ? 0 : (unsigned)share;
}

static bool start(tw_wse *w)
{
    static const tw__wse_check checks[] = { [TW_WSE_REPORT] = TW__WSE_CHECK_REPORT,
                                            [TW_WSE_ERROR] = TW__WSE_CHECK_ERROR,
                                            [TW_WSE_STRICT] = TW__WSE_CHECK_STRICT,
                                            [TW_WSE_OFF] = TW__WSE_CHECK_OFF };
    tw__wse_options o = { .threads = w->options.threads,
                          .check = checks[w->options.check <= TW_WSE_OFF ? w->options.check : TW_WSE_REPORT],
                          .random_order = w->options.task_order_seed != 0,
                          .seed = w->options.task_order_seed,
                          .trace = w->options.trace,
                          .profile = w->options.profile,
                          .motion = w->options.motion,
                          .may_wait = w->options.may_wait,
                          .max_seconds = w->options.max_seconds,
                          .spans = spans_of(w) };
    if ((w->failed = tw__wse_ranks_meet(w->image, &o)) != TW_OK) return false;
    w->fabric = tw__wse_new(w->image, &o, w->diags);
    if (!w->fabric) return false;
    tw__wse_on_print(w->fabric, print_line, w);
    return listen_to_streams(w);
}

/* `from`: a checkpoint; NULL = as the program begins. */
static tw_wse *make_wafer(const tw_csl_program *program, const tw_wse_options *options, const char *from)
{
    if (!program) return NULL;
    tw_wse *w = tw__calloc(1, sizeof *w);
    if (!w) return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory for a wafer"), NULL);
    tw_status wrong = TW__TAKE_OPTIONS(&w->options, options, tw_wse_options);
    if (wrong != TW_OK) return free(w), tw__made(wrong, NULL);
    w->program = program;
    w->image = program->image;
    if (!w->options.max_cycles) w->options.max_cycles = DEFAULT_CYCLES;
    if (!w->options.max_idle_cycles) w->options.max_idle_cycles = DEFAULT_IDLE_CYCLES;
    w->queue = g_ptr_array_new();
    w->pushed = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    w->events = g_array_new(FALSE, FALSE, sizeof(tw__wse_event));
    w->launched = tw__calloc(w->image->pe_count + 1, sizeof *w->launched);
    w->diags = tw_diags_new();
    if (!w->launched || !w->diags || !start(w)) {
        tw_status status = w->failed;
        if (!status)
            status =
                tw__fail(TW_E_NO_MEMORY, "no memory for a wafer of %u x %u PEs", w->image->width, w->image->height);
        if (w->diags && tw_diags_count(w->diags, TW_ERROR)) {
            const char *code = tw_diags_get(w->diags, 0)->code;
            tw__host_report(w);
            if (strcmp(code, "base.no-memory") != 0) /* of the list itself */
                status = tw__fail(TW_E_INVALID_ARGUMENT, "the program is faulty");
        }
        tw_wse_free(w);
        return tw__made(status, NULL);
    }
    tw_status status = from ? tw__host_load(w, from) : TW_OK;
    if (status == TW_OK) return w;
    tw_wse_free(w);
    return tw__made(status, NULL);
}

tw_wse *tw_wse_new(const tw_csl_program *program, const tw_wse_options *options)
{
    return make_wafer(program, options, NULL);
}

tw_wse *tw_wse_resume(const tw_csl_program *program, const tw_wse_options *options, const char *path)
{
    if (!program) return NULL; /* that it could not be made is the message */
    if (!path) return tw__made(tw__fail(TW_E_INVALID_ARGUMENT, "a checkpoint needs a path"), NULL);
    return make_wafer(program, options, path);
}

void tw_wse_free(tw_wse *w)
{
    if (!w) return;
    for (guint i = 0; i < w->queue->len; i++) tw__command_free(w->queue->pdata[i]);
    g_ptr_array_free(w->queue, TRUE);
    g_hash_table_destroy(w->pushed);
    g_array_free(w->events, TRUE);
    tw__wse_free(w->fabric);
    tw_diags_free(w->diags);
    tw_profile_free(w->profile);
    tw__host_journal_free(w);
    free(w->launched);
    free(w);
}

/* --- commands ------------------------------------------------------------------------------------------------- */

/* Without one the run cannot become what the host wanted: that is its end. */
static tw__command *new_command(tw_wse *w, tw__command_kind kind)
{
    tw__command *c = tw__calloc(1, sizeof *c);
    if (c)
        c->kind = kind;
    else
        w->failed = tw__fail(TW_E_NO_MEMORY, "no memory for a command");
    return c;
}

static tw_status check_copy(const tw_wse *w, const tw_wse_copy *c, size_t words, bool to_device)
{
    const tw__csl_image *image = w->image;
    if (c->x > image->width || c->width > image->width - c->x || c->y > image->height ||
        c->height > image->height - c->y)
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        "%u x %u PEs from (%u, %u) on are not inside the rectangle of %u x %u PEs", c->width,
                        c->height, c->x, c->y, image->width, image->height);
    if (tw_wse_copy_words(c) != words)
        return tw__fail(TW_E_INVALID_ARGUMENT, "the copy moves %zu words, the array has %zu", tw_wse_copy_words(c),
                        words);
    if (!to_device && (c->spread != TW_WSE_EACH || c->row_stride > 1 || c->column_stride > 1))
        return tw__fail(TW_E_INVALID_ARGUMENT, "only copies to the device can be spread or strided");
    if (c->streaming) {
        if (c->symbol < 0 || c->symbol >= (int)TW__CSL_COLORS)
            return tw__fail(TW_E_INVALID_ARGUMENT, "a stream needs a color, 0 to %u, not %d", TW__CSL_COLORS - 1,
                            c->symbol);
        return TW_OK;
    }
    if (c->symbol < 0 || (size_t)c->symbol >= image->export_count)
        return tw__fail(TW_E_INVALID_ARGUMENT, "there is no exported symbol %d", c->symbol);
    const tw__csl_export_name *e = &image->exports[c->symbol];
    if (e->is_function) return tw__fail(TW_E_INVALID_ARGUMENT, "'%s' is a function", e->name);
    if (to_device && !e->is_mutable)
        return tw__fail(TW_E_INVALID_ARGUMENT, "'%s' is exported as not mutable: the host can only read it",
                        e->name);
    return TW_OK;
}

tw_status tw_wse_h2d(tw_wse *w, const tw_wse_copy *copy, const uint32_t *src, size_t words, tw_wse_task *task)
{
    if (!w) return tw__missing("wafer");
    tw_status status = check_copy(w, copy, words, true);
    if (status != TW_OK) return status;
    tw__command *c = new_command(w, copy->streaming ? TW__COMMAND_SEND : TW__COMMAND_WRITE);
    uint32_t *own = tw__calloc(words + 1, sizeof *own);
    if (!c || !own) {
        free(own);
        free(c);
        return tw__fail(TW_E_NO_MEMORY, "no memory for a copy of %zu words", words);
    }
    memcpy(own, src, words * sizeof *own);
    c->words = own;
    c->copy = *copy;
    c->port = TW__CSL_RAMP;
    c->color = copy->streaming ? (unsigned)copy->symbol : 0;
    return tw__host_enqueue(w, c, task);
}

tw_status tw_wse_d2h(tw_wse *w, const tw_wse_copy *copy, uint32_t *dst, size_t words, tw_wse_task *task)
{
    if (!w) return tw__missing("wafer");
    tw_status status = check_copy(w, copy, words, false);
    if (status != TW_OK) return status;
    tw__command *c = new_command(w, copy->streaming ? TW__COMMAND_RECEIVE : TW__COMMAND_READ);
    if (!c) return TW_E_NO_MEMORY;
    c->words = dst;
    c->copy = *copy;
    c->port = TW__CSL_RAMP;
    c->color = copy->streaming ? (unsigned)copy->symbol : 0;
    return tw__host_enqueue(w, c, task);
}

/* Bits of an argument as a register holds them: signed types are sign-extended. */
static uint64_t canonical(uint32_t bits, tw_type type)
{
    const tw_type_info *info = tw_type_get(type);
    if (info->bits >= 32 || info->bits == 0)
        return info->kind == TW_KIND_INT && info->is_signed ? (uint64_t)(int64_t)(int32_t)bits : bits;
    uint32_t low = bits & ((1u << info->bits) - 1);
    bool negative = info->kind == TW_KIND_INT && info->is_signed && (low >> (info->bits - 1));
    return negative ? (uint64_t)low | ~(((uint64_t)1 << info->bits) - 1) : low;
}

tw_status tw_wse_launch(tw_wse *w, const char *name, const uint32_t *args, size_t count, tw_wse_task *task)
{
    if (!w) return tw__missing("wafer");
    int export = tw_csl_find_export(w->program, name);
    if (export < 0) return TW_E_SYMBOL;
    const tw__csl_export_name *e = &w->image->exports[export];
    if (!e->is_function) return tw__fail(TW_E_INVALID_ARGUMENT, "'%s' is no function", name);
    if (count != e->param_count)
        return tw__fail(TW_E_INVALID_ARGUMENT, "'%s' takes %u argument%s, not %zu", name, e->param_count,
                        e->param_count == 1 ? "" : "s", count);
    tw__command *c = new_command(w, TW__COMMAND_LAUNCH);
    if (!c) return TW_E_NO_MEMORY;
    c->export = export;
    for (size_t i = 0; i < count; i++) c->args[i] = canonical(args[i], e->params[i]);
    return tw__host_enqueue(w, c, task);
}

/* --- ports ---------------------------------------------------------------------------------------------------- */

static const unsigned sides[] = { [TW_WSE_WEST] = TW__CSL_WEST,
                                  [TW_WSE_EAST] = TW__CSL_EAST,
                                  [TW_WSE_SOUTH] = TW__CSL_SOUTH,
                                  [TW_WSE_NORTH] = TW__CSL_NORTH,
                                  [TW_WSE_RAMP] = TW__CSL_RAMP };

static tw_status check_port(const tw_wse *w, const tw_wse_port *p)
{
    const tw__csl_image *i = w->image;
    if (p->x < i->offset_x || p->y < i->offset_y || p->x - i->offset_x >= i->width ||
        p->y - i->offset_y >= i->height)
        return tw__fail(TW_E_INDEX, "the port's PE (%u, %u) lies outside the rectangle", p->x, p->y);
    if (p->color >= TW__CSL_COLORS || p->side > TW_WSE_RAMP)
        return tw__fail(TW_E_INVALID_ARGUMENT, "a port needs a color, 0 to %u, and a side", TW__CSL_COLORS - 1);
    return TW_OK;
}

tw_status tw_wse_open_output(tw_wse *w, const tw_wse_port *p)
{
    if (!w) return tw__missing("wafer");
    tw_status status = check_port(w, p);
    const uint64_t numbers[] = { 'o', p->x, p->y, p->color, p->side };
    if (status == TW_OK) status = tw__host_call(w, tw__host_mark(TW__FNV, numbers, G_N_ELEMENTS(numbers)));
    if (status != TW_OK || tw__host_replays(w)) return status;
    if (!tw__wse_listen(w->fabric, p->x - w->image->offset_x, p->y - w->image->offset_y, sides[p->side], p->color))
        return tw__fail(TW_E_NO_MEMORY, "no memory for a port");
    return TW_OK;
}

static tw_status port_command(tw_wse *w, const tw_wse_port *p, uint32_t *words, size_t count, tw_wse_task *task,
                              tw__command_kind kind)
{
    tw_status status = check_port(w, p);
    if (status == TW_OK && count > UINT32_MAX)
        status = tw__fail(TW_E_INVALID_ARGUMENT, "too many words: %zu", count);
    if (status != TW_OK) return status;
    tw__command *c = new_command(w, kind);
    uint32_t *own = words;
    if (kind == TW__COMMAND_SEND && (own = tw__calloc(count + 1, sizeof *own)))
        memcpy(own, words, count * sizeof *own);
    if (!c || !own) {
        free(c);
        if (kind == TW__COMMAND_SEND) free(own);
        return tw__fail(TW_E_NO_MEMORY, "no memory for a transfer of %zu words", count);
    }
    c->words = own;
    c->single = true;
    c->port = sides[p->side];
    c->color = p->color;
    c->copy = (tw_wse_copy){ .x = p->x - w->image->offset_x,
                             .y = p->y - w->image->offset_y,
                             .width = 1,
                             .height = 1,
                             .elements = (unsigned)count };
    return tw__host_enqueue(w, c, task);
}

tw_status tw_wse_send(tw_wse *w, const tw_wse_port *port, const uint32_t *src, size_t words, tw_wse_task *task)
{
    if (!w) return tw__missing("wafer");
    return port_command(w, port, (uint32_t *)src, words, task, TW__COMMAND_SEND); /* copied, not written */
}

tw_status tw_wse_receive(tw_wse *w, const tw_wse_port *port, uint32_t *dst, size_t words, tw_wse_task *task)
{
    if (!w) return tw__missing("wafer");
    return port_command(w, port, dst, words, task, TW__COMMAND_RECEIVE);
}

/* --- time ----------------------------------------------------------------------------------------------------- */

typedef struct waiter {
    tw_wse *w;
    tw_wse_task task; /* 0 = all */
} waiter;

static bool is_queued(const tw_wse *w, tw_wse_task task)
{
    for (guint i = 0; i < w->queue->len; i++)
        if (((const tw__command *)w->queue->pdata[i])->task == task) return true;
    return false;
}

/* For a line of progress: words of the stream that is waited for, else the limit that somebody gave. */
static void aim(const waiter *wait)
{
    tw_wse *w = wait->w;
    tw__wse_goal goal = { .most_cycles = w->options.max_cycles == DEFAULT_CYCLES ? 0 : w->options.max_cycles };
    const tw__command *last = NULL;
    for (guint i = 0; i < w->queue->len; i++) {
        const tw__command *c = w->queue->pdata[i];
        if (!wait->task || c->task <= wait->task) last = c;
    }
    if (last) tw__host_moved(w, last, &goal.words, &goal.all_words);
    tw__wse_aim(w->fabric, goal);
}

static bool reached(void *user)
{
    waiter *wait = user;
    bool empty = tw__host_advance(wait->w);
    aim(wait);
    return wait->w->failed != TW_OK || empty || (wait->task && !is_queued(wait->w, wait->task));
}

tw_status tw__host_wait(tw_wse *w, tw_wse_task task)
{
    waiter wait = { w, task };
    if (w->failed != TW_OK) return w->failed;
    bool resumes = tw__host_replays(w);
    if (resumes && tw__host_replay_wait(w, task)) return w->failed;
    uint64_t cycle = tw__wse_start(w->fabric);
    tw_status status = TW_OK;
    tw__host_waits(w, task, false);
    if (resumes || !reached(&wait)) {
        uint64_t left = w->options.max_cycles > cycle ? w->options.max_cycles - cycle : 1;
        status = tw__wse_run(w->fabric, left, reached, &wait);
    }
    if (status == TW_OK) status = tw__wse_lost(w->fabric);
    tw__host_collect(w);
    if (w->failed != TW_OK) return w->failed; /* of a command; its message stands */
    if (status != TW_OK) return fabric_failed(w, status);
    tw__host_report(w);
    tw__host_waited(w);
    return w->failed;
}

tw_status tw_wse_wait(tw_wse *w, tw_wse_task task)
{
    if (!w) return tw__missing("wafer");
    if (task == 0 || task > w->last_task) return tw__fail(TW_E_INVALID_ARGUMENT, "there is no such command");
    while (is_queued(w, task)) {
        tw_status status = tw__host_wait(w, task);
        if (status != TW_OK) return status;
    }
    return w->failed;
}

bool tw_wse_is_done(const tw_wse *w, tw_wse_task task)
{
    return task && task <= w->last_task && !is_queued(w, task);
}

tw_status tw_wse_stop(tw_wse *w)
{
    if (!w) return tw__missing("wafer");
    if (w->stopped) return w->failed;
    tw_status status = tw__host_wait(w, 0);
    if (status == TW_OK) status = tw__host_replay_idle(w);
    if (status == TW_OK) {
        tw__host_waits(w, 0, true);
        uint64_t cycle = tw__wse_start(w->fabric);
        uint64_t left = w->options.max_cycles > cycle ? w->options.max_cycles - cycle : 1;
        bool limited = left < w->options.max_idle_cycles; /* the limit for the whole run comes first */
        status = tw__wse_run(w->fabric, limited ? left : w->options.max_idle_cycles, NULL, NULL);
        tw__host_collect(w);
        if (w->failed != TW_OK) {
            status = w->failed; /* of a checkpoint; its message stands */
        } else if (status == TW_E_OVERFLOW &&
                   !limited) { /* such as a task that activates itself for ever: the host is through */
            FILE *out = w->options.reports ? w->options.reports : stderr;
            if (tw__host_prints(out))
                fprintf(out, "note: tasks still run %llu cycles after the last command; stopped\n",
                        (unsigned long long)w->options.max_idle_cycles);
            tw__wse_say_running(w->fabric);
            status = TW_OK;
        } else if (status != TW_OK || (status = tw__wse_end(w->fabric)) != TW_OK) {
            status = fabric_failed(w, status);
        }
        tw__host_report(w);
    }
    w->stopped = true;
    return status;
}

tw_status tw_wse_status(const tw_wse *w)
{
    if (!w) return tw__missing("wafer");
    return w->failed;
}

uint64_t tw_wse_cycle(const tw_wse *w)
{
    if (!w) return 0;
    return tw__host_cycle(w);
}
