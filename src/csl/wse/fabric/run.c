/* run: the wafer as a whole - made, stepped in windows of two cycles, taken apart. */
#include "csl/wse/pe/pe.h"

#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Fewer PEs than this to look at in a window: one thread does all partitions. */
enum { WINDOW = 2, WORTH_THREADS = 384, ASK_EVERY = 16, MOST_WINDOWS = 1024 };

tw__part *tw__wse_part_of(tw__wse *w, uint32_t pe)
{
    unsigned k = 0;
    while (pe >= w->part[k].end) k++;
    return &w->part[k];
}

static bool make_parts(tw__wse *w)
{
    unsigned threads = w->options.threads ? w->options.threads : (unsigned)omp_get_max_threads();
    if (threads > w->height) threads = w->height;
    if (threads == 0) threads = 1;
    if (threads > 256) threads = 256;
    w->part_count = threads;
    w->part = tw__calloc(threads, sizeof *w->part);
    if (!w->part) return false;
    for (unsigned k = 0; k < threads; k++) {
        tw__part *part = &w->part[k];
        part->w = w;
        part->number = k;
        part->first = (uint32_t)((uint64_t)w->height * k / threads) * w->width;
        part->end = (uint32_t)((uint64_t)w->height * (k + 1) / threads) * w->width;
        part->mail = tw__calloc((size_t)threads * 4, sizeof *part->mail);
        if (!part->mail) return false;
    }
    return true;
}

static void set_neighbours(tw__wse *w, uint32_t pe)
{
    uint32_t x = pe % w->width, y = pe / w->width, *n = w->router[pe].neighbour;
    n[TW__WSE_W] = x > 0 ? pe - 1 : UINT32_MAX;
    n[TW__WSE_E] = x + 1 < w->width ? pe + 1 : UINT32_MAX;
    n[TW__WSE_S] = y + 1 < w->height ? pe + w->width : UINT32_MAX;
    n[TW__WSE_N] = y > 0 ? pe - w->width : UINT32_MAX;
}

static bool make_pes(tw__wse *w)
{
    w->router = tw__calloc(w->count, sizeof *w->router);
    w->pe = tw__calloc(w->count, sizeof *w->pe);
    if (w->options.profile) w->counters = tw__calloc(w->count, sizeof *w->counters);
    w->memory_bytes = (size_t)w->count * TW__CSL_PE_BYTES;
    void *memory =
        mmap(NULL, w->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) w->memory = memory;
    if (!w->router || !w->pe || !w->memory || (w->options.profile && !w->counters)) return false;
    for (uint32_t pe = 0; pe < w->count; pe++) set_neighbours(w, pe);
    for (uint32_t pe = 0; pe < w->count; pe++)
        if (!tw__wse_pe_start(tw__wse_part_of(w, pe), &w->pe[pe]) && !w->part->fault) return false;
    return true;
}

tw__wse *tw__wse_new(const tw__csl_image *image, const tw__wse_options *options, tw_diags *diags)
{
    if (tw__csl_verify(image, diags) != TW_OK) return NULL;
    tw__wse *w = tw__calloc(1, sizeof *w);
    if (!w) return NULL;
    w->image = image;
    w->diags = diags;
    if (options) w->options = *options;
    w->arch = image->wse3 ? 1 : 0;
    w->width = image->width;
    w->height = image->height;
    w->count = w->width * w->height;
    w->said = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (tw__wse_kernels(w) != TW_OK || tw__wse_decode(w) != TW_OK || !make_parts(w) || !make_pes(w)) {
        tw_diag diag = { .file = "",
                         .severity = TW_ERROR,
                         .code = "wse.memory",
                         .length = 1,
                         .message = "out of host memory for the PEs of the rectangle" };
        tw_diags_add(diags, &diag);
        tw__wse_free(w);
        return NULL;
    }
    tw__wse_flush_messages(w);
    return w;
}

static void free_pe(tw__wse *w, uint32_t number)
{
    tw__pe *pe = &w->pe[number];
    free(w->router[number].channel);
    free(pe->regs);
    free(pe->frames);
    for (unsigned k = 0; k < TW__WSE_DIRECT + TW__CSL_COLORS; k++) {
        free(pe->in_queue[k]);
        free(pe->out_queue[k]);
    }
    for (unsigned k = 0; k < 9; k++) {
        for (unsigned a = 0; pe->op[k] && a < 4; a++) free(pe->op[k]->arg[a].walk);
        if (pe->op[k]) free(pe->op[k]->zero.walk);
        free(pe->op[k]);
    }
    for (tw__map_state *m = pe->map, *outer; m; m = outer) {
        outer = m->outer;
        for (unsigned k = 0; k < TW__CSL_MAP_INPUTS; k++) free(m->input[k].walk);
        free(m->output.walk);
        free(m);
    }
    for (tw__command *c = pe->commands, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    for (tw__port *p = pe->ports, *next; p; p = next) {
        next = p->next;
        free(p->words);
        free(p);
    }
    free(pe->dsr);
    free(pe->fifo);
    free(pe->line);
    free(pe->config);
}

void tw__wse_free(tw__wse *w)
{
    if (!w) return;
    for (uint32_t pe = 0; w->router && w->pe && pe < w->count; pe++) free_pe(w, pe);
    for (unsigned k = 0; w->part && k < w->part_count; k++) {
        tw__part *part = &w->part[k];
        for (unsigned s = 0; s < 4; s++) free(part->near[s].items);
        for (unsigned m = 0; part->mail && m < w->part_count * 4; m++) free(part->mail[m].items);
        for (size_t m = 0; m < part->message_count; m++) g_free(part->message[m].text);
        free(part->mail);
        free(part->timer);
        free(part->message);
        free(part->event);
    }
    free(w->part);
    if (w->decoded) tw__wse_decode_free(w);
    free(w->router);
    free(w->pe);
    free(w->counters);
    free(w->event);
    if (w->memory) munmap(w->memory, w->memory_bytes);
    g_hash_table_destroy(w->said);
    free(w);
}

/* --- time ----------------------------------------------------------------------------------------------------- */

/* One cycle of a partition. The list of the cycle is taken away first: nobody is added to it any more. */
static void cycle(tw__part *part, uint64_t now)
{
    tw__wse *w = part->w;
    part->now = now;
    while (part->timer_count && part->timer[0].at <= now) {
        uint32_t pe = part->timer[0].pe;
        tw__wse_timer_pop(part);
        tw__wse_wake(part, pe, now);
    }
    tw__list *list = &part->near[now & 3];
    uint8_t bit = (uint8_t)(1u << (now & 3));
    for (size_t k = 0; k < list->count; k++) {
        uint32_t pe = list->items[k];
        tw__wse_router_turn(part, pe, now);
        if (w->pe[pe].due <= now) tw__wse_engine_turn(part, &w->pe[pe], now);
        w->router[pe].near &= (uint8_t)~bit;
    }
    list->count = 0;
}

static void window(tw__part *part, uint64_t now)
{
    for (unsigned k = 0; k < WINDOW; k++) cycle(part, now + k);
}

static void collect_mail(tw__part *part, uint64_t now)
{
    tw__wse *w = part->w;
    part->now = now;
    for (unsigned from = 0; from < w->part_count; from++) {
        for (unsigned slot = 0; slot < 4; slot++) {
            tw__list *mail = &w->part[from].mail[part->number * 4 + slot];
            uint64_t at = now + ((slot - now) & 3);
            for (size_t k = 0; k < mail->count; k++) tw__wse_wake(part, mail->items[k], at);
            mail->count = 0;
        }
    }
}

static uint64_t next_time(const tw__wse *w, size_t *busy)
{
    uint64_t next = TW__WSE_NEVER;
    *busy = 0;
    for (unsigned k = 0; k < w->part_count; k++) {
        const tw__part *part = &w->part[k];
        for (unsigned ahead = 0; ahead < 4; ahead++) {
            size_t count = part->near[(w->now + ahead) & 3].count;
            if (count && w->now + ahead < next) next = w->now + ahead;
            if (ahead < WINDOW) *busy += count;
        }
        if (part->timer_count && part->timer[0].at < next) next = part->timer[0].at;
    }
    return next;
}

/* All threads of a burst come here before any goes on. On a machine with more work than processors the one that is
 * waited for may not be running: after a while the others step aside. */
static void meet(tw__wse *w, unsigned threads)
{
    enum { PATIENCE = 4000 };
    unsigned turn = atomic_load_explicit(&w->meeting, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&w->arrived, 1, memory_order_acq_rel) + 1 == threads) {
        atomic_store_explicit(&w->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&w->meeting, turn + 1, memory_order_release);
        return;
    }
    for (unsigned waited = 0; atomic_load_explicit(&w->meeting, memory_order_acquire) == turn; waited++)
        if (waited > PATIENCE) sched_yield();
}

/* What the others need to know of a partition to decide alike whether the burst goes on. */
static void sum_up(tw__part *part, uint64_t now)
{
    part->busy = part->near[now & 3].count + part->near[(now + 1) & 3].count;
    part->stop = part->fault || part->no_memory || part->message_count;
}

static bool goes_on(const tw__wse *w)
{
    size_t busy = 0;
    for (unsigned k = 0; k < w->part_count; k++) {
        if (w->part[k].stop) return false;
        busy += w->part[k].busy;
    }
    return busy >= WORTH_THREADS;
}

/* At most `most` windows by all threads, while there is much to do in each; returns how many. */
static unsigned burst(tw__wse *w, unsigned most)
{
    unsigned windows = 0, most_threads = (unsigned)omp_get_max_threads();
    unsigned team = w->part_count < most_threads ? w->part_count : most_threads; /* partitions go round */
#pragma omp parallel num_threads((int)team)
    {
        unsigned threads = (unsigned)omp_get_num_threads(), me = (unsigned)omp_get_thread_num(), done = 0;
        uint64_t now = w->now;
        do {
            for (unsigned k = me; k < w->part_count; k += threads) window(&w->part[k], now);
            meet(w, threads);
            now += WINDOW;
            for (unsigned k = me; k < w->part_count; k += threads) {
                collect_mail(&w->part[k], now);
                sum_up(&w->part[k], now);
            }
            meet(w, threads);
        } while (++done < most && goes_on(w));
        if (me == 0) windows = done;
    }
    w->now += (uint64_t)windows * WINDOW;
    return windows;
}

/* At least one window from w->now on; returns how many. */
static unsigned step(tw__wse *w, size_t busy, unsigned most)
{
    unsigned windows = 1;
    if (w->part_count > 1 && busy >= WORTH_THREADS) {
        windows = burst(w, most);
    } else {
        for (unsigned k = 0; k < w->part_count; k++) window(&w->part[k], w->now);
        w->now += WINDOW;
        for (unsigned k = 0; w->part_count > 1 && k < w->part_count; k++) collect_mail(&w->part[k], w->now);
    }
    for (unsigned k = 0; k < w->part_count; k++) {
        w->part[k].now = w->now;
        w->fault |= w->part[k].fault;
        w->no_memory |= w->part[k].no_memory;
        if (w->part[k].message_count) tw__wse_flush_messages(w);
    }
    return windows;
}

static void say(tw__wse *w, tw_severity severity, const char *code, const char *text)
{
    tw_diag diag = { .file = "", .severity = severity, .code = code, .length = 1, .message = text };
    tw_diags_add(w->diags, &diag);
}

static tw_status deadlock(tw__wse *w)
{
    say(w, TW_ERROR, "wse.deadlock", "deadlock: nothing can happen any more, and the host still waits");
    char *lines = tw__wse_waiting(w, 40);
    for (char *line = lines, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        else
            end = line + strlen(line);
        say(w, TW_NOTE, "wse.waiting", line);
    }
    free(lines);
    return tw__fail(TW_E_SYSTEM, "deadlock at cycle %llu", (unsigned long long)w->now);
}

tw_status tw__wse_run(tw__wse *w, uint64_t max_cycles, bool (*done)(void *user), void *user)
{
    uint64_t limit = max_cycles && max_cycles < TW__WSE_NEVER - w->now ? w->now + max_cycles : TW__WSE_NEVER;
    for (unsigned turn = 0;;) {
        if (w->no_memory)
            return tw__fail(TW_E_NO_MEMORY, "out of host memory at cycle %llu", (unsigned long long)w->now);
        if (w->fault)
            return tw__fail(TW_E_APPLICATION, "the program stopped at cycle %llu", (unsigned long long)w->now);
        if (done && turn % ASK_EVERY == 0 && done(user)) return TW_OK;
        size_t busy;
        uint64_t next = next_time(w, &busy);
        if (next == TW__WSE_NEVER) {
            if (!done || done(user)) return TW_OK;
            if (next_time(w, &busy) == TW__WSE_NEVER) return deadlock(w);
            turn++;
            continue; /* the question itself gave the wafer something to do */
        }
        if (next >= limit) {
            w->now = limit;
            for (unsigned k = 0; k < w->part_count; k++) w->part[k].now = limit;
            return tw__fail(TW_E_OVERFLOW, "more than %llu cycles", (unsigned long long)max_cycles);
        }
        if (next > w->now) {
            w->now = next;
            for (unsigned k = 0; k < w->part_count; k++) w->part[k].now = next;
        }
        uint64_t room = (limit - w->now + WINDOW - 1) / WINDOW;
        unsigned most = done ? ASK_EVERY - turn % ASK_EVERY : MOST_WINDOWS;
        turn += step(w, busy, room < most ? (unsigned)room : most);
    }
}

bool tw__wse_quiet(const tw__wse *w)
{
    size_t busy;
    return next_time(w, &busy) == TW__WSE_NEVER;
}
