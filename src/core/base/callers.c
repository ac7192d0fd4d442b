/* SPDX-License-Identifier: MIT */
/* callers: addresses of calls, and the lines they stand in. */
#define _GNU_SOURCE /* dladdr */
#include "core/base/callers.h"

#include "core/base/base.h"
#include "core/base/list.h"

#include <dlfcn.h>
#include <glib.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unwind.h>

enum {
    FRAMES = 6,        /* of a call: headers of ours may stand between the library and the program */
    MOST = 1 << 16,    /* calls that are kept */
    AT_ONCE = 1 << 10, /* addresses that addr2line is asked for */
};

typedef struct call {
    uintptr_t at[FRAMES]; /* innermost first; 0 behind the last */
    bool is_looked_up;
    const char *file;
    uint32_t line;
} call;

static struct {
    pthread_mutex_t lock;
    TW__LIST(call) calls;
    uint32_t *slots; /* open addressing: numbers, 0 = free */
    size_t slot_count;
} callers = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Who looks lines up does so alone, but others go on recording: a program may take seconds to read. */
static struct {
    pthread_mutex_t lock; /* taken before that of the table */
    GStringChunk *files;
} lookup = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* --- the table ------------------------------------------------------------------------------------------------- */

static uint32_t *callers_slot(const uintptr_t at[FRAMES])
{
    const uint64_t hash = tw__fnv1a(TW__FNV, at, FRAMES * sizeof *at);
    size_t i = (size_t)(hash & (callers.slot_count - 1));
    while (callers.slots[i] && memcmp(callers.calls.items[callers.slots[i] - 1].at, at, FRAMES * sizeof *at) != 0)
        i = (i + 1) & (callers.slot_count - 1);
    return &callers.slots[i];
}

static bool callers_make_room(void)
{
    if (callers.calls.count * 2 < callers.slot_count) return true;
    const size_t count = callers.slot_count ? callers.slot_count * 2 : 256;
    uint32_t *fresh = tw__calloc(count, sizeof *fresh), *old = callers.slots;
    if (!fresh) return false;
    callers.slots = fresh, callers.slot_count = count;
    for (size_t i = 0; i < callers.calls.count; i++) *callers_slot(callers.calls.items[i].at) = (uint32_t)i + 1;
    free(old);
    return true;
}

/* 0: no room. */
static uint32_t callers_number(const uintptr_t at[FRAMES])
{
    uint32_t number = 0;
    pthread_mutex_lock(&callers.lock);
    if (callers_make_room()) {
        uint32_t *slot = callers_slot(at);
        call *fresh = *slot || callers.calls.count >= MOST ? NULL : TW__PUSH(callers.calls, (void)0);
        if (fresh) memcpy(fresh->at, at, sizeof fresh->at), *slot = (uint32_t)callers.calls.count;
        number = *slot;
    }
    pthread_mutex_unlock(&callers.lock);
    return number;
}

/* --- recording -------------------------------------------------------------------------------------------------- */

static struct {
    uintptr_t from, to; /* the library's own code; 0: it is a part of the program */
} own;

static int find_own(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    uintptr_t here = (uintptr_t)&find_own, from = UINTPTR_MAX, to = 0;
    bool is_own = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD) continue;
        is_own |= here >= at && here < at + segment->p_memsz;
        from = at < from ? at : from;
        to = at + segment->p_memsz > to ? at + segment->p_memsz : to;
    }
    const uintptr_t program = getauxval(AT_PHDR);
    if (is_own && !(program >= from && program < to)) own.from = from, own.to = to;
    return is_own;
}

static void learn_own(void)
{
    dl_iterate_phdr(find_own, NULL);
}

typedef struct way_out {
    uintptr_t at[FRAMES];
    unsigned count;
} way_out;

/* Frames of the library first, then those of its caller, until it is the library's again: the bottom of a fiber. */
static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *data)
{
    way_out *w = data;
    const uintptr_t at = (uintptr_t)_Unwind_GetIP(context);
    if (!at) return _URC_END_OF_STACK;
    if (at >= own.from && at < own.to) return w->count ? _URC_END_OF_STACK : _URC_NO_REASON;
    w->at[w->count++] = at - 1; /* within the call */
    return w->count < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

uint32_t tw__caller(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, learn_own);
    way_out w = { .count = 0 };
    if (own.to) _Unwind_Backtrace(add_frame, &w);
    return w.count ? callers_number(w.at) : 0;
}

uint32_t tw__caller_function(const void *function)
{
    const uintptr_t at[FRAMES] = { (uintptr_t)function };
    return function ? callers_number(at) : 0;
}

/* --- lines ------------------------------------------------------------------------------------------------------ */

typedef struct asked {
    uint32_t call, frame;
    uintptr_t at;
    const void *module; /* where it is loaded */
    const char *path;
    const char *file; /* the answer */
    uint32_t line;
} asked;

static int asked_by_module(const void *a, const void *b)
{
    const asked *x = a, *y = b;
    if (x->module != y->module) return x->module < y->module ? -1 : 1;
    if (x->call != y->call) return x->call < y->call ? -1 : 1;
    return x->frame < y->frame ? -1 : x->frame > y->frame;
}

/* A line of addr2line's, "file:12 (discriminator 2)": kept when it is the first that is none of our headers. */
static void take_frame(asked *q, const char *text)
{
    const char *colon = strrchr(text, ':');
    const uint32_t line = colon && *text != '?' ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
    if (q->file || !line || g_strstr_len(text, colon - text, "include/tilewright/")) return;
    if (!lookup.files) lookup.files = g_string_chunk_new(4096);
    g_autofree char *file = g_strndup(text, (gsize)(colon - text));
    q->file = g_string_chunk_insert_const(lookup.files, file), q->line = line;
}

/* Answers are "0xADDRESS" as it was asked, then a line for each frame there. How many were answered. */
static size_t take_answers(asked *list, size_t count, uintptr_t start, const char *out)
{
    g_auto(GStrv) lines = g_strsplit(out ? out : "", "\n", 0);
    size_t at = 0; /* + 1 */
    for (char **line = lines; *line; line++) {
        char *end = *line;
        const bool is_number = g_str_has_prefix(*line, "0x") && at < count;
        if (is_number && strtoull(*line, &end, 16) == list[at].at - start && !*end)
            at++;
        else if (at)
            take_frame(&list[at - 1], *line);
    }
    return at;
}

/* All of one module, by the first tool that can read it. dladdr() knows the program by argv[0] alone. */
static void ask_tool(asked *list, size_t count)
{
    static const char *const tools[] = { "addr2line", "llvm-addr2line", "llvm-addr2line-19" };
    Dl_info program;
    const ElfW(Ehdr) *header = list->module;
    const uintptr_t start = header->e_type == ET_DYN ? (uintptr_t)header : 0;
    bool is_program = dladdr((void *)getauxval(AT_PHDR), &program) && program.dli_fbase == list->module; // NOLINT
    g_autofree char *link = is_program ? g_file_read_link("/proc/self/exe", NULL) : NULL;
    size_t answered = 0;
    for (size_t t = 0; t < G_N_ELEMENTS(tools) && answered < count; t++) {
        g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
        g_ptr_array_add(words, g_strdup(tools[t])), g_ptr_array_add(words, g_strdup("-ia"));
        g_ptr_array_add(words, g_strdup("-e")), g_ptr_array_add(words, g_strdup(link ? link : list->path));
        for (size_t i = 0; i < count; i++)
            g_ptr_array_add(words, g_strdup_printf("0x%zx", (size_t)(list[i].at - start)));
        g_ptr_array_add(words, NULL);
        g_autofree char *out = NULL;
        if (g_spawn_sync(NULL, (char **)words->pdata, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
                         NULL, &out, NULL, NULL, NULL))
            answered = take_answers(list, count, start, out);
    }
}

/* What of the calls nobody has asked for yet. */
static GArray *calls_to_ask(void)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(asked));
    pthread_mutex_lock(&callers.lock);
    for (uint32_t i = 0; i < callers.calls.count; i++) {
        call *c = &callers.calls.items[i];
        for (uint32_t k = 0; !c->is_looked_up && k < FRAMES && c->at[k]; k++) {
            const asked q = { .call = i, .frame = k, .at = c->at[k] };
            g_array_append_val(list, q);
        }
        c->is_looked_up = true;
    }
    pthread_mutex_unlock(&callers.lock);
    return list;
}

/* Each call has the line of its innermost frame that has one. */
static void take_lines(const asked *all, size_t count)
{
    pthread_mutex_lock(&callers.lock);
    uint32_t *frame = g_new(uint32_t, callers.calls.count + 1);
    for (size_t i = 0; i < callers.calls.count; i++) frame[i] = FRAMES;
    for (size_t i = 0; i < count; i++) {
        const asked *q = &all[i];
        if (!q->file || q->frame >= frame[q->call]) continue;
        frame[q->call] = q->frame;
        callers.calls.items[q->call].file = q->file, callers.calls.items[q->call].line = q->line;
    }
    g_free(frame);
    pthread_mutex_unlock(&callers.lock);
}

static void look_up_all(void)
{
    g_autoptr(GArray) list = calls_to_ask();
    asked *all = (asked *)(void *)list->data;
    for (size_t i = 0; i < list->len; i++) {
        Dl_info at;
        if (!dladdr((const void *)all[i].at, &at) || !at.dli_fname) continue; // NOLINT
        all[i].module = at.dli_fbase, all[i].path = at.dli_fname;
    }
    if (list->len) qsort(all, list->len, sizeof *all, asked_by_module);
    for (size_t i = 0, end; i < list->len; i = end) {
        for (end = i; end < list->len && end - i < AT_ONCE && all[end].module == all[i].module;) end++;
        if (all[i].module) ask_tool(&all[i], end - i);
    }
    take_lines(all, list->len);
}

/* Whether the call is there and looked up. */
static bool callers_read(uint32_t number, bool *is_looked_up, tw__caller_place *place)
{
    pthread_mutex_lock(&callers.lock);
    bool is_there = number && number <= callers.calls.count;
    const call *c = is_there ? &callers.calls.items[number - 1] : NULL;
    if (c) *is_looked_up = c->is_looked_up, *place = (tw__caller_place){ c->file, c->line };
    pthread_mutex_unlock(&callers.lock);
    return is_there;
}

tw__caller_place tw__caller_find(uint32_t number)
{
    tw__caller_place place = { NULL, 0 };
    bool is_looked_up = true;
    pthread_mutex_lock(&lookup.lock);
    if (callers_read(number, &is_looked_up, &place) && !is_looked_up) {
        look_up_all();
        callers_read(number, &is_looked_up, &place);
    }
    pthread_mutex_unlock(&lookup.lock);
    return place;
}
