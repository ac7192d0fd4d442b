/* SPDX-License-Identifier: MIT */
/* lines: see the header. libedit rather than readline, whose licence would become that of what is linked with it. */
#define _GNU_SOURCE /* pipe2 */
#include "cli/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

/* --- Ctrl-C ---------------------------------------------------------------------------------------------------- */

/* A pipe, since a signal interrupts a wait of its own thread only, and none that begins behind it. */
static int wake[2] = { -1, -1 };
static volatile sig_atomic_t is_typing;

static bool has_woken(void)
{
    char bytes[64];
    bool any = false;
    while (read(wake[0], bytes, sizeof bytes) > 0) any = true;
    return any;
}

void tw__lines_begin(void)
{
    if (wake[0] < 0 && pipe2(wake, O_NONBLOCK | O_CLOEXEC) != 0) wake[0] = wake[1] = -1;
    has_woken(); /* was there before the prompt: it drops nothing */
    is_typing = wake[0] >= 0;
}

void tw__lines_end(void)
{
    is_typing = false;
    if (has_woken()) raise(SIGINT); /* behind the line: it is meant for what the line starts */
}

bool tw__lines_interrupt(void)
{
    int before = errno;
    bool told = is_typing && (write(wake[1], "", 1) == 1 || errno == EAGAIN); /* full: told often enough */
    errno = before;
    return told;
}

bool tw__lines_wait(void)
{
    struct pollfd ends[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .fd = wake[0], .events = POLLIN } };
    while (poll(ends, 2, -1) < 0 && errno == EINTR) continue;
    return !has_woken();
}

#ifdef TW_HAS_LIBEDIT

#include <glib.h>
#include <glib/gstdio.h>
#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { KEPT = 1000, LISTED = 100 }; /* lines of a history; words that are listed */

struct tw__lines {
    EditLine *edit;
    History *history;
    FILE *out; /* the terminal: stdout may be a stream that shows what would move its cursor */
    char *prompt, *file, *line;
    tw__lines_words *words;
    void *user;
};

static char *show_prompt(EditLine *edit)
{
    tw__lines *l = NULL;
    el_get(edit, EL_CLIENTDATA, &l);
    return l->prompt;
}

/* --- completion ------------------------------------------------------------------------------------------------ */

typedef struct fitting {
    const char *start;
    GPtrArray *words; /* those that begin so, each once */
    GHashTable *seen; /* the same: a program may have a great many symbols */
} fitting;

static void add_fitting(void *list, const char *word)
{
    fitting *f = list;
    if (!g_str_has_prefix(word, f->start)) return;
    if (g_hash_table_contains(f->seen, word)) return;
    char *copy = g_strdup(word);
    g_ptr_array_add(f->words, copy);
    g_hash_table_add(f->seen, copy);
}

static gint by_text(gconstpointer x, gconstpointer y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static size_t common_start(const GPtrArray *words)
{
    const char *first = words->pdata[0];
    size_t length = strlen(first);
    for (guint i = 1; i < words->len; i++) {
        const char *other = words->pdata[i];
        size_t same = 0;
        while (same < length && other[same] == first[same]) same++;
        length = same;
    }
    return length;
}

static void list_words(const GPtrArray *words)
{
    putchar('\n');
    for (guint i = 0; i < words->len && i < LISTED; i++) printf("%s%s", i ? "  " : "", (char *)words->pdata[i]);
    if (words->len > LISTED) printf("  ... %u in all", words->len);
    putchar('\n');
    fflush(stdout);
}

static unsigned char complete_line(EditLine *edit, int key)
{
    tw__lines *l = NULL;
    const LineInfo *at = el_line(edit);
    (void)key;
    el_get(edit, EL_CLIENTDATA, &l);
    const char *start = at->cursor;
    while (start > at->buffer && !strchr(" \t*&(,=+", start[-1])) start--;
    g_autofree char *before = g_strndup(at->buffer, (gsize)(start - at->buffer));
    g_autofree char *begun = g_strndup(start, (gsize)(at->cursor - start));
    fitting f = { begun, g_ptr_array_new_with_free_func(g_free), g_hash_table_new(g_str_hash, g_str_equal) };
    l->words(l->user, before, add_fitting, &f);
    g_hash_table_destroy(f.seen);
    unsigned char result = CC_REFRESH_BEEP;
    if (f.words->len) {
        g_ptr_array_sort(f.words, by_text);
        size_t known = strlen(begun), common = common_start(f.words);
        g_autofree char *rest = g_strndup((char *)f.words->pdata[0] + known, common - known);
        if (*rest) el_insertstr(edit, rest);
        if (f.words->len == 1) el_insertstr(edit, " ");
        if (f.words->len > 1 && !*rest) list_words(f.words);
        result = f.words->len > 1 && !*rest ? CC_REDISPLAY : CC_REFRESH;
    }
    g_ptr_array_free(f.words, TRUE);
    return result;
}

/* --- history --------------------------------------------------------------------------------------------------- */

/* NULL: there is no place for it. */
static char *history_file(const char *name)
{
    g_autofree char *folder = g_build_filename(g_get_user_state_dir(), "tilewright", NULL);
    if (g_mkdir_with_parents(folder, 0700) != 0) return NULL;
    g_autofree char *file = g_strconcat("history-", name, NULL);
    return g_build_filename(folder, file, NULL);
}

/* Written behind each line: a program that is debugged may end in many ways. */
static void keep_line(tw__lines *l, const char *line)
{
    HistEvent event;
    if (!*line) return;
    history(l->history, &event, H_ENTER, line);
    if (l->file && history(l->history, &event, H_SAVE, l->file) >= 0) g_chmod(l->file, 0600);
}

/* In place of libedit's own, which a signal that comes before its read() does not end. Bytes that are no character of
 * the locale are passed over, as there. */
static int next_char(EditLine *edit, wchar_t *out)
{
    mbstate_t state = { 0 };
    char byte;
    (void)edit;
    for (;;) {
        if (!tw__lines_wait()) {
            errno = EINTR;
            return -1;
        }
        ssize_t n = read(STDIN_FILENO, &byte, 1);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return (int)n;
        size_t length = mbrtowc(out, &byte, 1, &state);
        if (length == (size_t)-1) state = (mbstate_t){ 0 };
        if (length <= 1) return 1;
    }
}

/* --- life ------------------------------------------------------------------------------------------------------ */

tw__lines *tw__lines_new(const char *name, const char *prompt, tw__lines_words *words, void *user)
{
    HistEvent event;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return NULL;
    tw__lines *l = g_new0(tw__lines, 1);
    int out = dup(STDOUT_FILENO);
    l->out = out < 0 ? NULL : fdopen(out, "w");
    l->edit = l->out ? el_init("tilewright", stdin, l->out, stderr) : NULL;
    l->history = history_init();
    if (!l->edit || !l->history) {
        tw__lines_free(l);
        return NULL;
    }
    l->prompt = g_strdup(prompt), l->words = words, l->user = user, l->file = history_file(name);
    history(l->history, &event, H_SETSIZE, KEPT);
    history(l->history, &event, H_SETUNIQUE, 1);
    if (l->file) history(l->history, &event, H_LOAD, l->file);
    el_set(l->edit, EL_CLIENTDATA, l);
    el_set(l->edit, EL_PROMPT, show_prompt);
    el_set(l->edit, EL_EDITOR, "emacs");
    el_set(l->edit, EL_HIST, history, l->history);
    el_wset(l->edit, EL_ADDFN, L"tw-complete", L"completes a word", complete_line); /* el_set() leaks both */
    el_set(l->edit, EL_BIND, "^I", "tw-complete", NULL);
    el_set(l->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_wset(l->edit, EL_GETCFN, next_char);
    el_source(l->edit, NULL); /* ~/.editrc, as of other programs */
    return l;
}

void tw__lines_free(tw__lines *l)
{
    if (!l) return;
    if (l->edit) el_end(l->edit);
    if (l->history) history_end(l->history);
    if (l->out) fclose(l->out);
    g_free(l->prompt), g_free(l->file), g_free(l->line);
    g_free(l);
}

const char *tw__lines_read(tw__lines *l)
{
    int count = 0;
    fflush(stdout);
    const char *line;
    while (errno = 0, !(line = el_gets(l->edit, &count)) && errno == EINTR) { /* Ctrl-C: what was typed goes */
        el_reset(l->edit);
        fputc('\n', l->out), fflush(l->out);
    }
    if (!line || count <= 0) return NULL;
    g_free(l->line);
    l->line = g_strchomp(g_strdup(line));
    keep_line(l, l->line);
    return l->line;
}

#else

#include <stddef.h>

tw__lines *tw__lines_new(const char *name, const char *prompt, tw__lines_words *words, void *user)
{
    (void)name, (void)prompt, (void)words, (void)user;
    return NULL;
}

void tw__lines_free(tw__lines *lines)
{
    (void)lines;
}

const char *tw__lines_read(tw__lines *lines)
{
    (void)lines;
    return NULL;
}

#endif
