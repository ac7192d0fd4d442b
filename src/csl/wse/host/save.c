/* SPDX-License-Identifier: MIT */
/* save: checkpoints. A host's program cannot be saved, so it is played again: while checkpoints may be taken a
 * journal notes what the host asked and what it was answered - marks of its calls, what it read, when waiting was
 * over. A resumed wafer answers from the journal, without simulating, until the host waits where the checkpoint
 * was taken; there commands that were under way get back how far they were, and the run goes on. A host that asks
 * for something else is told so. */
#include "csl/lang/code/codec.h"
#include "csl/wse/host/host.h"
#include "core/wire/wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALL, ANSWER, DONE, WAITED, KINDS }; /* marks: of the call, of the question, the command, the cycle */
enum { MOST_RECORDS = 1 << 30 };
#define TARGET_IDLE UINT64_MAX /* after the last command, until nothing moves */

typedef struct record {
    uint8_t kind;
    uint64_t mark;
    uint64_t size;
    void *bytes; /* ANSWER: what was read; DONE: words for the host */
} record;

/* A command that was under way. */
typedef struct held {
    uint64_t task;
    uint8_t kind, issued;
    uint64_t cursor;
    size_t end_count, word_count;
    uint64_t *ends;
    uint32_t *words;
} held;

typedef struct when { /* a checkpoint that is wanted */
    uint64_t cycle;
    char *path;
} when;

struct tw__journal {
    record *records;
    size_t count, room;
    size_t next;  /* of those to be played again */
    bool replays; /* until the host waits where the checkpoint was taken */
    bool is_resumed;
    uint64_t cycle;         /* what the host takes for the cycle, meanwhile */
    uint64_t target;        /* what the host waits for, or waited for when the checkpoint was taken */
    uint64_t resumed, last; /* cycle of the checkpoint; commands given until then */
    held *held;
    size_t held_count;
    when *whens;
    size_t when_count, when_room;
    uint64_t every, next_every;
    char *every_path;
    char **kept; /* files of save_every, oldest first */
    unsigned keep, kept_count;
    uint64_t program;
};

static const tw__ck_field record_rows[] = {
    TW__CK_ONE(record, kind, KINDS - 1),
    TW__CK_ONE(record, mark, TW__CK_ANY),
    TW__CK_NOT(record, size),
    TW__CK_NOT(record, bytes),
};
static const tw__ck_field held_rows[] = {
    TW__CK_ONE(held, task, TW__CK_ANY),
    TW__CK_ONE(held, kind, TW__COMMAND_LAUNCH),
    TW__CK_ONE(held, issued, 1),
    TW__CK_ONE(held, cursor, TW__CK_ANY),
    TW__CK_NOT(held, end_count),
    TW__CK_NOT(held, word_count),
    TW__CK_NOT(held, ends),
    TW__CK_NOT(held, words),
};
static const tw__ck_table tables[] = {
    { "record", sizeof(record), record_rows, G_N_ELEMENTS(record_rows) },
    { "held", sizeof(held), held_rows, G_N_ELEMENTS(held_rows) },
    { NULL, 0, NULL, 0 },
};

/* Of what the machine runs: how the paths of its sources were spelled does not matter. 0: no memory. */
static uint64_t program_hash(const tw__csl_image *image)
{
    tw__csl_image nameless = *image;
    nameless.files = tw__calloc(image->file_count + 1, sizeof *nameless.files);
    nameless.programs = tw__calloc(image->program_count + 1, sizeof *nameless.programs);
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (nameless.files && nameless.programs) {
        for (size_t i = 0; i < image->file_count; i++) nameless.files[i] = "";
        for (size_t i = 0; i < image->program_count; i++) {
            nameless.programs[i] = image->programs[i];
            nameless.programs[i].name = "";
        }
        bytes = tw__csl_image_encode(&nameless, &size);
    }
    uint64_t hash = bytes ? tw__fnv1a(TW__FNV, bytes, size) : 0;
    free(nameless.files);
    free(nameless.programs);
    free(bytes);
    return hash;
}

static tw_status journal_begin(tw_wse *w)
{
    if (w->journal) return TW_OK;
    w->journal = tw__calloc(1, sizeof *w->journal);
    if (w->journal) w->journal->program = program_hash(w->image);
    if (w->journal && w->journal->program) return TW_OK;
    return tw__fail(TW_E_NO_MEMORY, "no memory for checkpoints");
}

static void free_held(struct tw__journal *j)
{
    for (size_t i = 0; i < j->held_count; i++) {
        free(j->held[i].ends);
        free(j->held[i].words);
    }
    free(j->held);
    j->held = NULL;
    j->held_count = 0;
}

void tw__host_journal_free(tw_wse *w)
{
    struct tw__journal *j = w->journal;
    if (!j) return;
    for (size_t i = 0; i < j->count; i++) free(j->records[i].bytes);
    for (size_t i = 0; i < j->when_count; i++) free(j->whens[i].path);
    for (unsigned i = 0; i < j->kept_count; i++) free(j->kept[i]);
    free_held(j);
    free(j->records);
    free(j->whens);
    free(j->kept);
    free(j->every_path);
    free(j);
}

/* --- what is noted ---------------------------------------------------------------------------------------------- */

static void journal_note(tw_wse *w, unsigned kind, uint64_t mark, const void *bytes, size_t size)
{
    struct tw__journal *j = w->journal;
    record r = { .kind = (uint8_t)kind, .mark = mark, .size = size };
    if (size && (r.bytes = tw__realloc(NULL, size))) memcpy(r.bytes, bytes, size);
    if ((size && !r.bytes) || !tw__grow(&j->records, &j->room, j->count, sizeof r)) {
        free(r.bytes);
        w->failed = tw__fail(TW_E_NO_MEMORY, "no memory to note what the host asks for");
        return;
    }
    j->records[j->count++] = r;
    j->next = j->count;
}

static tw_status strays(tw_wse *w, const char *does)
{
    if (w->failed == TW_OK)
        w->failed =
            tw__fail(TW_E_INVALID_ARGUMENT,
                     "the host %s before cycle %" PRIu64
                     ", where the checkpoint was taken: a run is resumed by the same calls with the same data",
                     does, w->journal->resumed);
    return w->failed;
}

static const record *replayed(struct tw__journal *j, unsigned kind, uint64_t mark)
{
    const record *r = j->next < j->count ? &j->records[j->next] : NULL;
    if (!r || r->kind != kind || (kind != WAITED && r->mark != mark)) return NULL;
    j->next++;
    return r;
}

bool tw__host_replays(const tw_wse *w)
{
    return w->journal && w->journal->replays;
}

tw_status tw__host_call(tw_wse *w, uint64_t mark)
{
    if (!w->journal) return TW_OK;
    if (!w->journal->replays) return journal_note(w, CALL, mark, NULL, 0), w->failed;
    return replayed(w->journal, CALL, mark) ? TW_OK : strays(w, "asks for something else");
}

tw_status tw__host_answer(tw_wse *w, uint64_t mark, void *bytes, size_t size)
{
    struct tw__journal *j = w->journal;
    if (!j || w->hook || w->stopped) return TW_OK; /* a debugger looks where it wants; nothing is saved any more */
    if (!j->replays) return journal_note(w, ANSWER, mark, bytes, size), w->failed;
    const record *r = replayed(j, ANSWER, mark);
    if (!r || r->size != size) return strays(w, "reads something else");
    if (size) memcpy(bytes, r->bytes, size);
    return TW_OK;
}

uint64_t tw__host_mark(uint64_t mark, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned b = 0; b < 64; b += 8) mark = tw__fnv1a(mark, &(uint8_t){ (uint8_t)(numbers[i] >> b) }, 1);
    return mark;
}

uint64_t tw__host_command_mark(const tw__command *c, size_t words)
{
    const tw_wse_copy *copy = &c->copy;
    const uint64_t numbers[] = { c->kind,
                                 c->port,
                                 c->color,
                                 c->single,
                                 (uint64_t)c->export,
                                 (uint64_t)copy->symbol,
                                 copy->streaming,
                                 copy->half,
                                 copy->order,
                                 copy->spread,
                                 copy->x,
                                 copy->y,
                                 copy->width,
                                 copy->height,
                                 copy->elements,
                                 copy->row_stride,
                                 copy->column_stride,
                                 words };
    uint64_t mark = tw__host_mark(TW__FNV, numbers, G_N_ELEMENTS(numbers));
    mark = tw__host_mark(mark, c->args, G_N_ELEMENTS(c->args));
    bool to_device = c->kind == TW__COMMAND_WRITE || c->kind == TW__COMMAND_SEND;
    for (size_t i = 0; to_device && i < words; i++) mark = tw__host_mark(mark, &(uint64_t){ c->words[i] }, 1);
    return mark;
}

/* Words that the host gets, 0 for commands to the device. */
static size_t words_back(const tw__command *c)
{
    if (c->kind != TW__COMMAND_READ && c->kind != TW__COMMAND_RECEIVE) return 0;
    return c->single ? c->copy.elements : tw_wse_copy_words(&c->copy);
}

void tw__host_note_done(tw_wse *w, const tw__command *c)
{
    if (w->journal) journal_note(w, DONE, c->task, c->words, words_back(c) * sizeof *c->words);
}

/* --- playing it again ------------------------------------------------------------------------------------------- */

static void replay_done(tw_wse *w, const record *r)
{
    for (guint i = 0; i < w->queue->len; i++) {
        tw__command *c = w->queue->pdata[i];
        if (c->task != r->mark) continue;
        if (words_back(c) * sizeof *c->words != r->size) break;
        if (r->size) memcpy(c->words, r->bytes, r->size);
        tw__command_free(c);
        g_ptr_array_remove_index(w->queue, i);
        return;
    }
    strays(w, "waits for something else");
}

static size_t ends_of(const tw_wse *w, const tw__command *c)
{
    if (!c->ends) return 0;
    return c->kind == TW__COMMAND_LAUNCH ? w->image->pe_count : c->single ? 1 : tw__copy_shares(&c->copy);
}

/* A command of the host, and one that was under way. False: they are not the same. */
static bool take_up_one(const tw_wse *w, tw__command *c, held *h)
{
    size_t shares = c->kind == TW__COMMAND_LAUNCH ? w->image->pe_count : c->single ? 1 : tw__copy_shares(&c->copy);
    if (c->task != h->task || c->kind != h->kind || h->cursor > shares) return false;
    if (h->word_count && words_back(c) != h->word_count) return false;
    if (h->end_count && (!h->issued || h->end_count != shares)) return false;
    if (h->issued && !h->end_count && shares && (c->kind == TW__COMMAND_SEND || c->kind == TW__COMMAND_LAUNCH))
        return false;
    c->issued = h->issued, c->cursor = (size_t)h->cursor;
    c->ends = h->ends;
    h->ends = NULL;
    if (h->word_count) memcpy(c->words, h->words, h->word_count * sizeof *c->words);
    return true;
}

/* The commands of the host are those that were under way: they are as far as they were. */
static void take_up(tw_wse *w, uint64_t target)
{
    struct tw__journal *j = w->journal;
    bool same = target == j->target && w->queue->len == j->held_count && w->last_task == j->last;
    for (size_t i = 0; i < j->held_count && same; i++) same = take_up_one(w, w->queue->pdata[i], &j->held[i]);
    if (!same) {
        strays(w, "waits for something else");
        return;
    }
    free_held(j);
    j->replays = false;
}

bool tw__host_replay_wait(tw_wse *w, tw_wse_task task)
{
    struct tw__journal *j = w->journal;
    for (; w->failed == TW_OK && j->next < j->count && j->records[j->next].kind == DONE; j->next++)
        replay_done(w, &j->records[j->next]);
    if (w->failed != TW_OK) return true;
    if (j->next == j->count) return take_up(w, task), w->failed != TW_OK;
    const record *r = replayed(j, WAITED, 0);
    if (!r) return strays(w, "waits"), true;
    j->cycle = r->mark;
    return true;
}

tw_status tw__host_replay_idle(tw_wse *w)
{
    if (!tw__host_replays(w)) return TW_OK;
    if (w->journal->next < w->journal->count) return strays(w, "stops the wafer");
    take_up(w, TARGET_IDLE);
    return w->failed;
}

void tw__host_waits(tw_wse *w, tw_wse_task task, bool idle)
{
    if (w->journal) w->journal->target = idle ? TARGET_IDLE : task;
}

void tw__host_waited(tw_wse *w)
{
    if (w->journal) journal_note(w, WAITED, tw__wse_cycle(w->fabric), NULL, 0);
}

/* --- the file --------------------------------------------------------------------------------------------------- */

static tw__ck_head head_of(const tw_wse *w)
{
    return (tw__ck_head){ .machine = "wafer",
                          .build = tw__build_name(),
                          .layout = tw__ck_layout(tw__wse_layout(), tables),
                          .program = w->journal->program };
}

static void walk_numbers(tw__ck *k, const char *what, void **numbers, size_t size, size_t *count, size_t most)
{
    *count = tw__ck_count(k, what, *count, most, 1);
    if (tw__ck_reads(k) && *count && !(*numbers = tw__calloc(*count, size))) {
        *count = 0;
        tw__ck_no_memory(k);
    }
    tw__ck_wholes(k, what, *numbers, size, *count, TW__CK_ANY);
}

static void walk_records(tw__ck *k, struct tw__journal *j)
{
    size_t count = tw__ck_count(k, "calls", j->count, MOST_RECORDS, 3);
    for (size_t i = 0; i < count && tw__ck_good(k); i++) {
        record fresh = { 0 }, *r = tw__ck_reads(k) ? &fresh : &j->records[i];
        tw__ck_fields(k, record_rows, G_N_ELEMENTS(record_rows), r);
        r->size = tw__ck_count(k, "answer", r->size, SIZE_MAX, 1);
        if (tw__ck_reads(k)) {
            r->bytes = r->size ? tw__realloc(NULL, r->size) : NULL;
            if ((r->size && !r->bytes) || !tw__grow(&j->records, &j->room, j->count, sizeof *r)) {
                free(r->bytes);
                tw__ck_no_memory(k);
                return;
            }
            j->records[j->count++] = *r;
        }
        tw__ck_bytes(k, r->bytes, r->size);
    }
}

static void walk_held(tw__ck *k, tw_wse *w)
{
    struct tw__journal *j = w->journal;
    size_t count = tw__ck_count(k, "commands", w->queue->len, MOST_RECORDS, 6);
    if (tw__ck_reads(k) && !(j->held = tw__calloc(count + 1, sizeof *j->held))) {
        tw__ck_no_memory(k);
        return;
    }
    for (size_t i = 0; i < count && tw__ck_good(k); i++) {
        held fresh = { 0 }, *h = &fresh;
        if (tw__ck_reads(k)) {
            h = &j->held[j->held_count++];
        } else {
            const tw__command *c = w->queue->pdata[i];
            fresh = (held){ .task = c->task,
                            .kind = (uint8_t)c->kind,
                            .issued = c->issued,
                            .cursor = c->cursor,
                            .ends = c->ends,
                            .end_count = ends_of(w, c),
                            .words = c->words,
                            .word_count = c->kind == TW__COMMAND_RECEIVE && c->cursor ? words_back(c) : 0 };
        }
        tw__ck_fields(k, held_rows, G_N_ELEMENTS(held_rows), h);
        walk_numbers(k, "ends", (void **)&h->ends, sizeof *h->ends, &h->end_count, SIZE_MAX / 8);
        walk_numbers(k, "words", (void **)&h->words, sizeof *h->words, &h->word_count, SIZE_MAX / 8);
    }
}

static int by_stream(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void walk_pushed(tw__ck *k, tw_wse *w)
{
    size_t count = g_hash_table_size(w->pushed), at = 0;
    uint64_t *keys = tw__calloc(count + 1, sizeof *keys);
    GHashTableIter iter;
    gpointer key;
    if (!keys) {
        tw__ck_no_memory(k);
        return;
    }
    g_hash_table_iter_init(&iter, w->pushed);
    while (g_hash_table_iter_next(&iter, &key, NULL)) keys[at++] = *(const uint64_t *)key;
    qsort(keys, count, sizeof *keys, by_stream);
    size_t there = tw__ck_count(k, "streams", count, MOST_RECORDS, 2);
    for (size_t i = 0; i < there && tw__ck_good(k); i++) {
        const uint64_t *total = tw__ck_reads(k) ? NULL : g_hash_table_lookup(w->pushed, &keys[i]);
        uint64_t stream = tw__ck_whole(k, "stream", total ? keys[i] : 0, TW__CK_ANY);
        uint64_t words = tw__ck_whole(k, "words", total ? *total : 0, TW__CK_ANY);
        if (tw__ck_reads(k))
            g_hash_table_insert(w->pushed, g_memdup2(&stream, sizeof stream), g_memdup2(&words, sizeof words));
    }
    free(keys);
}

static void walk_host_events(tw__ck *k, tw_wse *w, tw__wse_kept kept)
{
    tw__wse_event *events = (tw__wse_event *)(void *)w->events->data;
    size_t count = w->events->len;
    tw__ck_section(k, "host events", 0);
    if (!tw__wse_takes(w->fabric, kept)) {
        if (w->options.profile)
            tw__ck_refuse(k, "was saved by a run %s: a profile needs what was counted from the start",
                          !(kept & TW__WSE_KEEPS_PROFILE) ? "without a profile"
                          : w->options.trace              ? "without a trace, and this one has both"
                                                          : "with a trace, and this one has none");
        tw__ck_skip(k);
        return;
    }
    if (!tw__wse_events_walk(k, w->fabric, &events, &count) && !tw__ck_reads(k)) return;
    if (!tw__ck_reads(k)) return;
    if (tw__ck_good(k) && count <= UINT_MAX) g_array_append_vals(w->events, events, (guint)count);
    free(events);
}

static void walk_all(tw__ck *k, tw_wse *w)
{
    struct tw__journal *j = w->journal;
    tw__ck_section(k, "host", 0);
    tw__wse_kept kept = (tw__wse_kept)tw__ck_whole(k, "kept", tw__wse_keeps(w->fabric), 3);
    j->target = tw__ck_whole(k, "target", j->target, TW__CK_ANY);
    j->last = tw__ck_whole(k, "commands", w->last_task, TW__CK_ANY);
    w->settled = tw__ck_whole(k, "settled", w->settled, TW__CK_ANY);
    tw__ck_wholes(k, "launched", w->launched, sizeof *w->launched, w->image->pe_count, TW__CK_ANY);
    walk_pushed(k, w);
    walk_records(k, j);
    walk_held(k, w);
    walk_host_events(k, w, kept);
    tw__wse_walk(w->fabric, k, kept);
}

/* --- saving ----------------------------------------------------------------------------------------------------- */

/* The standard output has lines of the program. */
static tw_status check_path(const char *path)
{
    if (!path) return tw__fail(TW_E_INVALID_ARGUMENT, "a checkpoint needs a path");
    if (strcmp(path, "-") != 0) return TW_OK;
    return tw__fail(TW_E_INVALID_ARGUMENT, "'-': a checkpoint is a file, not a standard stream");
}

static tw_status save_to(tw_wse *w, const char *path)
{
    tw_output *out = tw_output_open(path, NULL, 0);
    if (!out) return tw_error_status();
    const tw__ck_head head = head_of(w);
    tw__ck *k = tw__ck_write(tw_output_file(out), &head);
    if (k) walk_all(k, w);
    tw_status status = tw__ck_end(k);
    if (status == TW_OK || status == TW_E_IO) status = tw_output_commit(out); /* which can say why */
    tw_output_free(out);
    return status;
}

/* Of the files of tw_wse_save_every() the last ones stay. */
static tw_status save_rolling(tw_wse *w)
{
    struct tw__journal *j = w->journal;
    char *path = g_strdup_printf("%s.%" PRIu64, j->every_path, tw__wse_cycle(w->fabric));
    tw_status status = save_to(w, path);
    if (status == TW_OK && j->kept_count == j->keep) {
        unlink(j->kept[0]);
        g_free(j->kept[0]);
        memmove(j->kept, j->kept + 1, --j->kept_count * sizeof *j->kept);
    }
    if (status == TW_OK)
        j->kept[j->kept_count++] = path;
    else
        g_free(path);
    return status;
}

/* The first checkpoint that is wanted; UINT64_MAX = none. */
static uint64_t next_wanted(const struct tw__journal *j)
{
    uint64_t next = j->every ? j->next_every : UINT64_MAX;
    for (size_t i = 0; i < j->when_count; i++)
        if (j->whens[i].path && j->whens[i].cycle < next) next = j->whens[i].cycle;
    return next;
}

static bool save_due(void *user, uint64_t end, uint64_t *next)
{
    tw_wse *w = user;
    struct tw__journal *j = w->journal;
    tw_status status = w->failed;
    for (size_t i = 0; i < j->when_count && status == TW_OK; i++) {
        when *one = &j->whens[i];
        if (!one->path || one->cycle >= end) continue;
        status = save_to(w, one->path);
        free(one->path);
        one->path = NULL;
    }
    if (j->every && j->next_every < end && status == TW_OK) {
        bool is_that = j->is_resumed && tw__wse_cycle(w->fabric) == j->resumed; /* the run begins with that file */
        if (!is_that) status = save_rolling(w);
        j->next_every =
            (end - 1) / j->every < UINT64_MAX / j->every ? ((end - 1) / j->every + 1) * j->every : UINT64_MAX;
    }
    w->failed = status;
    *next = next_wanted(j);
    return status == TW_OK;
}

/* From the first call on, unless the wafer is resumed and has its journal. */
static tw_status may_save(tw_wse *w)
{
    if (tw__wire_size() > 1)
        return tw__fail(TW_E_NOT_SUPPORTED,
                        "a checkpoint is of a wafer of one process: save and resume without ranks");
    if (!w->journal && (w->last_task || w->stopped))
        return tw__fail(TW_E_INVALID_ARGUMENT, "checkpoints are asked for before the first command");
    return journal_begin(w);
}

tw_status tw_wse_save_at(tw_wse *w, uint64_t cycle, const char *path)
{
    if (!w) return tw__missing("wafer");
    tw_status status = check_path(path);
    if (status == TW_OK) status = may_save(w);
    if (status != TW_OK) return status;
    struct tw__journal *j = w->journal;
    char *copy = strdup(path);
    if (!copy || !tw__grow(&j->whens, &j->when_room, j->when_count, sizeof *j->whens))
        return free(copy), tw__fail(TW_E_NO_MEMORY, "no memory for checkpoints");
    j->whens[j->when_count++] = (when){ cycle, copy };
    tw__wse_save_at(w->fabric, next_wanted(j), save_due, w);
    return TW_OK;
}

tw_status tw_wse_save_every(tw_wse *w, uint64_t cycles, unsigned keep, const char *path)
{
    if (!w) return tw__missing("wafer");
    tw_status status = check_path(path);
    if (status != TW_OK) return status;
    if (cycles == 0 || keep == 0 || keep > 1000)
        return tw__fail(TW_E_INVALID_ARGUMENT, "checkpoints every %" PRIu64 " cycles, of which %u are kept", cycles,
                        keep);
    status = may_save(w);
    if (status != TW_OK) return status;
    struct tw__journal *j = w->journal;
    if (j->every)
        return tw__fail(TW_E_INVALID_ARGUMENT, "checkpoints are taken every %" PRIu64 " cycles", j->every);
    j->every_path = strdup(path);
    j->kept = tw__calloc(keep + 1u, sizeof *j->kept);
    if (!j->every_path || !j->kept) return tw__fail(TW_E_NO_MEMORY, "no memory for checkpoints");
    j->keep = keep;
    j->every = cycles;
    j->next_every = tw__wse_cycle(w->fabric) / cycles * cycles + cycles;
    tw__wse_save_at(w->fabric, next_wanted(j), save_due, w);
    return TW_OK;
}

uint64_t tw_wse_unsaved(const tw_wse *w)
{
    if (!w || !w->journal) return UINT64_MAX;
    struct tw__journal j = *w->journal;
    j.every = 0;
    return next_wanted(&j);
}

/* --- resuming --------------------------------------------------------------------------------------------------- */

tw_status tw__host_load(tw_wse *w, const char *path)
{
    tw_status status = check_path(path);
    if (status == TW_OK) status = may_save(w);
    if (status != TW_OK) return status;
    const tw__ck_head head = head_of(w);
    tw__ck *k = tw__ck_read(path, &head);
    if (!k) return tw_error_status();
    walk_all(k, w);
    uint64_t cycle = tw__wse_cycle(w->fabric);
    if (tw__ck_good(k) && cycle > w->options.max_cycles)
        tw__ck_refuse(k, "was saved at cycle %" PRIu64 ", and the run may not go past %" PRIu64, cycle,
                      w->options.max_cycles);
    status = tw__ck_end(k);
    w->journal->replays = w->journal->is_resumed = true;
    w->journal->resumed = cycle;
    return status;
}

uint64_t tw_wse_resumed_at(const tw_wse *w)
{
    return w && w->journal ? w->journal->resumed : 0;
}

uint64_t tw__host_cycle(const tw_wse *w)
{
    return tw__host_replays(w) ? w->journal->cycle : tw__wse_cycle(w->fabric);
}
