/* SPDX-License-Identifier: MIT */
/* Data that nobody has read when a run has ended: port by port for whoever asks; where kernels are
 * compiled with TW_AIE_CHECK a run reports it unasked.
 *
 * What is reported is what was sent to be read: words from kernels and from memory, and the rest of a file that was
 * to be read to its end. With a number of iterations a file may be longer, and its next blocks already stand in the
 * queue. */
#define TW_AIE_CHECK
#include "aie/array/model/model.h"

#include <glib.h>

/* An input port of a kernel with what waits there. */
typedef struct port {
    const tw__kernel *kernel;
    const char *unit, *name; /* "word", "input stream 0" */
    const void *queue;
    const tw__plio *file; /* or memory; NULL: a kernel writes it */
    const char *source;   /* of the last word, may be NULL */
    int line, from;
    size_t count; /* words or registers, with those that a file or memory still holds */
} port;

static size_t rest(const tw__plio *file)
{
    return file ? (file->count - file->at) / 4 : 0;
}

static port stream_port(const tw_aie_array *a, const tw__kernel *k, int number)
{
    static const char *const name[] = { "input stream 0", "input stream 1", "the cascade" };
    const tw__fifo *f = k->in[number];
    const tw__plio *file = tw__plio_of(a, f);
    return (port){ .kernel = k,
                   .unit = number == TW__AIE_STREAMS ? "register" : "word",
                   .name = name[number],
                   .queue = f,
                   .file = file,
                   .source = f->source,
                   .line = f->line,
                   .from = f->from,
                   .count = f->count + rest(file) };
}

/* A block that the kernel still holds, acquired and not released, has been read. */
static port window_port(const tw_aie_array *a, const tw__kernel *k, int number, char *name, size_t size)
{
    const tw__pair *p = k->window_in[number];
    const tw__plio *file = tw__plio_of(a, p);
    unsigned blocks = p->full - (p->full && p->async_in && k->view_in[number].window.is_open);
    snprintf(name, size, "input window %d", number);
    return (port){ .kernel = k,
                   .unit = "word",
                   .name = name,
                   .queue = p,
                   .file = file,
                   .from = p->from,
                   .count = (size_t)blocks * p->bytes / 4 + rest(file) };
}

static void visit(const tw_aie_array *a, void (*see)(void *user, const tw_aie_array *a, const port *p), void *user)
{
    char name[24];
    for (size_t i = 0; i < a->kernel_count; i++) {
        const tw__kernel *k = a->kernels[i];
        for (int n = 0; n <= TW__AIE_STREAMS; n++) {
            if (!k->in[n]) continue;
            port p = stream_port(a, k, n);
            if (p.count) see(user, a, &p);
        }
        for (int n = 0; n < TW__AIE_PORTS; n++) {
            if (!k->window_in[n]) continue;
            port p = window_port(a, k, n, name, sizeof name);
            if (p.count) see(user, a, &p);
        }
    }
}

static void describe(const tw_aie_array *a, const port *p, GString *text)
{
    tw__peer from = tw__aie_peer(a, p->from, p->queue);
    g_string_append_printf(text, "%zu %s%s of %s of kernel '%s' on tile (%d,%d), from %s", p->count, p->unit,
                           p->count == 1 ? "" : "s", p->name, p->kernel->name, p->kernel->column, p->kernel->row,
                           from.text);
}

static void list(void *user, const tw_aie_array *a, const port *p)
{
    describe(a, p, user);
    g_string_append_c(user, '\n');
}

static void add(void *user, const tw_aie_array *a, const port *p)
{
    (void)a;
    *(uint64_t *)user += p->count;
}

void tw__aie_count_unread(tw_aie_array *a)
{
    GString *text = g_string_new(NULL);
    visit(a, list, text);
    g_free(a->unread_ports);
    a->unread_ports = g_string_free(text, FALSE);
    a->unread = 0;
    visit(a, add, &a->unread);
}

/* Whether all of it may come from files: directly, or through kernels that fire whenever they can, such as those that
 * stand for the stream switch. seen: kernels that the question has come to, which add nothing in a ring. */
static bool is_from_file(const tw_aie_array *a, int from, const tw__plio *file, bool *seen)
{
    if (from < 0) return file && file->path;
    const tw__kernel *k = a->kernels[from];
    if (k->repeat) return false;
    if (seen[from]) return true;
    seen[from] = true;
    for (int n = 0; n <= TW__AIE_STREAMS; n++)
        if (k->in[n] && !is_from_file(a, k->in[n]->from, tw__plio_of(a, k->in[n]), seen)) return false;
    for (int n = 0; n < TW__AIE_PORTS; n++) {
        const tw__pair *p = k->window_in[n];
        if (p && !is_from_file(a, p->from, tw__plio_of(a, p), seen)) return false;
    }
    return true;
}

static void tell(void *user, const tw_aie_array *a, const port *p)
{
    (void)user;
    bool *seen = g_new0(bool, a->kernel_count);
    bool is_rest = a->iterations && is_from_file(a, p->from, p->file, seen);
    g_free(seen);
    if (is_rest) return;
    GString *text = g_string_new(NULL);
    describe(a, p, text);
    tw__aie_report_at(p->source, p->line, "note", "nobody has read %s", text->str);
    g_string_free(text, TRUE);
}

void tw__aie_finish(tw_aie_array *a)
{
    bool checked = false;
    if (a->unwritten) tw__plio_store_all(a);
    a->unwritten = false;
    for (size_t i = 0; i < a->kernel_count; i++) checked |= a->kernels[i]->control.checked;
    if (!checked || a->told || a->status != TW_OK) return;
    a->told = true;
    visit(a, tell, NULL);
}

uint64_t tw_aie_array_unread(const tw_aie_array *a)
{
    if (!a) return 0;
    return a->unread;
}

const char *tw_aie_array_unread_ports(const tw_aie_array *a)
{
    if (!a) return NULL;
    return a->unread_ports ? a->unread_ports : "";
}
