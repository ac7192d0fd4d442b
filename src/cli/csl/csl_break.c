/* SPDX-License-Identifier: MIT */
/* `tilewright csl debug`: breakpoints, by place, PE and condition. */
#include "cli/csl/csl_debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tw__csl_free_breakpoint(void *data)
{
    breakpoint *b = data;
    g_free(b->place);
    g_free(b->condition);
    g_free(b->watched), g_free(b->before), g_free(b->now), g_free(b->bytes);
    g_free(b->function), g_free(b->file);
    g_array_free(b->codes, TRUE);
    g_hash_table_destroy(b->held);
    g_free(b);
}

/* --- stops ---------------------------------------------------------------------------------------------------- */

static bool is_there(const breakpoint *b, const tw_wse_halt *halt)
{
    if (!b->enabled || (b->has_pe && (b->x != halt->x || b->y != halt->y))) return false;
    for (guint i = 0; i < b->codes->len; i++) {
        const tw_wse_code *c = &g_array_index(b->codes, tw_wse_code, i);
        if (c->program == halt->program && c->at == halt->at) return true;
    }
    return false;
}

/* A condition alone stops a PE when it becomes true there. */
static bool became_true(breakpoint *b, const tw_wse_halt *halt, bool holds)
{
    gpointer pe = GUINT_TO_POINTER((halt->y << 16 | halt->x) + 1);
    bool before = g_hash_table_contains(b->held, pe);
    if (holds)
        g_hash_table_add(b->held, pe);
    else
        g_hash_table_remove(b->held, pe);
    return holds && !before;
}

static bool break_holds(debugger *d, breakpoint *b, const tw_wse_halt *halt)
{
    bool true_now = false;
    if (b->watched) return tw__csl_changed(d, b);
    if (!b->condition) return true;
    tw_status status = tw_wse_holds(d->w, halt->x, halt->y, 0, b->condition, &true_now);
    if (status == TW_OK) return b->place ? true_now : became_true(b, halt, true_now);
    if (!b->place) return false; /* where its variables are not in sight it is not true */
    complain(d, "condition of breakpoint %u: %s.", b->id, tw_error_message());
    return true;
}

/* The first one. All that stop at a change are looked at, also behind another one: each change is told once. */
breakpoint *tw__csl_hit(debugger *d, const tw_wse_halt *halt)
{
    breakpoint *first = NULL;
    for (guint i = 0; i < d->breakpoints->len; i++) {
        breakpoint *b = d->breakpoints->pdata[i];
        b->changed = false;
        if ((first && !b->watched && b->place) || !is_there(b, halt) || !break_holds(d, b, halt)) continue;
        b->hits++;
        b->changed = b->watched && !b->ignored;
        if (b->ignored)
            b->ignored--;
        else if (!first)
            first = b;
    }
    return first;
}

/* --- marks in the code ---------------------------------------------------------------------------------------- */

static void break_mark(debugger *d, const breakpoint *b, bool on)
{
    for (guint i = 0; i < b->codes->len; i++) {
        const tw_wse_code *c = &g_array_index(b->codes, tw_wse_code, i);
        tw_wse_mark(d->w, c->program, c->at, on);
    }
}

void tw__csl_mark_all(debugger *d)
{
    for (guint i = 0; i < d->breakpoints->len; i++) {
        breakpoint *b = d->breakpoints->pdata[i];
        if (d->fresh) g_hash_table_remove_all(b->held);
        if (d->fresh && b->watched) b->away = true, tw__csl_changed(d, b); /* what it is from now on */
        if (b->enabled) break_mark(d, b, true);
    }
}

void tw__csl_forget(debugger *d, breakpoint *b)
{
    break_mark(d, b, false);
    g_ptr_array_remove(d->breakpoints, b);
    tw__csl_mark_all(d); /* others may stand at the same instruction */
}

/* --- commands ------------------------------------------------------------------------------------------------- */

bool tw__csl_locations(debugger *d, const char *place, GArray *codes)
{
    tw_wse_frame f;
    char *end;
    g_autofree char *full = NULL;
    strtoul(place, &end, 10);
    if (g_ascii_isdigit(*place) && !*end) {
        if (!tw_wse_get_frame(d->w, d->x, d->y, d->frame, &f) || !*f.code.file) {
            complain(d, "Line %s of which file? FILE:%s says.", place, place);
            return false;
        }
        place = full = g_strdup_printf("%s:%s", f.code.file, place);
    }
    size_t count = tw_wse_find_code(d->w, place, NULL, 0);
    g_array_set_size(codes, (guint)count);
    if (!count) {
        complain(d, "%s.", tw_error_message());
        return false;
    }
    tw_wse_find_code(d->w, place, (tw_wse_code *)(void *)codes->data, count);
    return true;
}

static void break_tell(const breakpoint *b)
{
    if (b->watched) {
        printf("Watchpoint %u: %s, PE %u,%u", b->id, b->watched, b->x, b->y);
        if (b->function) printf(", in '%s'", b->function);
        return;
    }
    printf("%s %u, ", b->temporary ? "Temporary breakpoint" : "Breakpoint", b->id);
    if (b->place)
        tw__csl_put_code(&g_array_index(b->codes, tw_wse_code, 0));
    else
        fputs(b->condition ? "any line" : "tasks", stdout);
    if (b->place && b->codes->len > 1) printf(" and %u more", b->codes->len - 1);
    if (b->has_pe) printf(", PE %u,%u", b->x, b->y);
    if (b->condition) printf(" if %s", b->condition);
}

/* " if " or " at " as a word of its own; NULL = there is none. */
static char *word_in(char *text, const char *word)
{
    size_t n = strlen(word);
    for (char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || g_ascii_isspace(at[-1])) && (!at[n] || g_ascii_isspace(at[n]))) return at;
    return NULL;
}

/* The parts of "[LOCATION] [at X,Y] [if VALUE]" in a new breakpoint; false after a message. */
static bool break_parse(debugger *d, char *args, breakpoint *b)
{
    char *condition = word_in(args, "if"), *at;
    if (condition) {
        *condition = 0;
        b->condition = g_strdup(g_strstrip(condition + 2));
    }
    at = word_in(args, "at");
    const char *pe = at ? at + 2 : args, *rest;
    while (g_ascii_isspace(*pe)) pe++;
    rest = pe;
    b->has_pe = tw__csl_read_pe(&rest, &b->x, &b->y);
    if ((at && !b->has_pe) || (b->has_pe && *rest)) {
        complain(d, "'%s' is no PE: X,Y.", b->has_pe ? rest : pe);
        return false;
    }
    if (b->has_pe && (b->x >= d->info.width || b->y >= d->info.height)) {
        complain(d, "There is no PE %u,%u: the rectangle has %u x %u PEs.", b->x, b->y, d->info.width,
                 d->info.height);
        return false;
    }
    if (at) *at = 0;
    g_strstrip(args);
    if (*args && (at || !b->has_pe)) b->place = g_strdup(args);
    return true;
}

/* A place is found, and where only the condition is given, its names are known on some PE. */
static bool break_check(debugger *d, breakpoint *b)
{
    tw_wse_frame f;
    if (!b->place && !b->has_pe && !b->condition) {
        if (!tw_wse_get_frame(d->w, d->x, d->y, d->frame, &f)) {
            complain(d, "PE %u,%u is in no task: break LOCATION", d->x, d->y);
            return false;
        }
        b->place = g_strdup_printf("%s:%u", f.code.file, f.code.line);
    }
    if (!tw__csl_locations(d, b->place ? b->place : b->condition || b->watched ? "*" : "@", b->codes)) return false;
    for (guint i = b->codes->len; b->has_pe && i-- > 0;)
        if ((int)g_array_index(b->codes, tw_wse_code, i).program != tw_wse_program_of(d->w, b->x, b->y))
            g_array_remove_index(b->codes, i);
    if (b->codes->len) return true;
    complain(d, "PE %u,%u has no such code.", b->x, b->y);
    return false;
}

/* Whether a condition can be read at all: on the PE it is about, or on one of them all. */
static bool check_condition(debugger *d, const breakpoint *b)
{
    bool value;
    tw_status status = TW_OK;
    if (!b->condition) return true;
    for (unsigned y = 0; y < d->info.height && status != TW_E_PARSE; y++)
        for (unsigned x = 0; x < d->info.width; x++) {
            if (b->has_pe && (x != b->x || y != b->y)) continue;
            status = tw_wse_holds(d->w, x, y, 0, b->condition, &value);
            if (status == TW_OK || status == TW_E_TYPE || status == TW_E_INDEX) return true;
            if (status == TW_E_PARSE || (status == TW_E_SYMBOL && b->place)) break;
        }
    if (status == TW_E_SYMBOL && b->place) return true; /* a local variable of that place, perhaps */
    complain(d, "%s.", tw_error_message());
    return false;
}

typedef enum kind { ALWAYS, ONCE, CHANGED } kind;

/* "VALUE [at X,Y]" of a watchpoint. */
static bool watch_parse(debugger *d, char *args, breakpoint *b)
{
    if (!break_parse(d, args, b)) return false;
    g_autofree char *value = g_steal_pointer(&b->place);
    if (!b->condition) return tw__csl_watch_parse(d, value ? value : "", b);
    complain(d, "A watchpoint has no condition: break if VALUE");
    return false;
}

static void set_breakpoint(debugger *d, char *args, kind how)
{
    breakpoint *b = g_new0(breakpoint, 1);
    b->codes = g_array_new(FALSE, TRUE, sizeof(tw_wse_code));
    b->held = g_hash_table_new(NULL, NULL);
    b->enabled = true, b->temporary = how == ONCE;
    if (!(how == CHANGED ? watch_parse : break_parse)(d, args, b) || !break_check(d, b) || !check_condition(d, b)) {
        tw__csl_free_breakpoint(b);
        return;
    }
    b->id = d->next_id++;
    g_ptr_array_add(d->breakpoints, b);
    break_mark(d, b, true);
    break_tell(b);
    putchar('\n');
}
void tw__csl_break(debugger *d, char *args)
{
    set_breakpoint(d, args, ALWAYS);
}
void tw__csl_tbreak(debugger *d, char *args)
{
    set_breakpoint(d, args, ONCE);
}
void tw__csl_watch(debugger *d, char *args)
{
    set_breakpoint(d, args, CHANGED);
}

typedef enum change { DELETE, ENABLE, DISABLE } change;

static void change_one(debugger *d, breakpoint *b, change how)
{
    if (how == DELETE) {
        tw__csl_forget(d, b);
        return;
    }
    break_mark(d, b, false);
    b->enabled = how == ENABLE;
    tw__csl_mark_all(d);
}

static breakpoint *breakpoint_by_id(const debugger *d, guint64 id)
{
    for (guint i = 0; i < d->breakpoints->len; i++) {
        breakpoint *b = d->breakpoints->pdata[i];
        if (b->id == id) return b;
    }
    return NULL;
}

void tw__csl_remove(debugger *d, unsigned id)
{
    breakpoint *b = breakpoint_by_id(d, id);
    if (b) tw__csl_forget(d, b);
}

void tw__csl_ignore_hits(debugger *d, unsigned id, uint64_t count)
{
    breakpoint *b = breakpoint_by_id(d, id);
    if (b) b->ignored = count;
}

void tw__csl_ignore(debugger *d, char *args)
{
    unsigned id;
    uint64_t count;
    if (!tw__reader_ignore(&d->reader, args, &id, &count)) return;
    if (breakpoint_by_id(d, id))
        tw__csl_ignore_hits(d, id, count);
    else
        complain(d, "There is no breakpoint number %u.", id);
}

static void change_breakpoints(debugger *d, const char *args, change how)
{
    for (guint i = d->breakpoints->len; i-- && !*args;) change_one(d, d->breakpoints->pdata[i], how);
    g_auto(GStrv) ids = g_strsplit_set(args, " \t", -1);
    for (char **word = ids; *word; word++) {
        if (!**word) continue;
        char *end;
        guint64 id = g_ascii_strtoull(*word, &end, 10);
        breakpoint *b = *end ? NULL : breakpoint_by_id(d, id);
        if (b)
            change_one(d, b, how);
        else
            complain(d, "There is no breakpoint number %s.", *word);
    }
}
void tw__csl_delete(debugger *d, char *args)
{
    change_breakpoints(d, args, DELETE);
}
void tw__csl_enable(debugger *d, char *args)
{
    change_breakpoints(d, args, ENABLE);
}
void tw__csl_disable(debugger *d, char *args)
{
    change_breakpoints(d, args, DISABLE);
}

void tw__csl_info_break(debugger *d, char *args)
{
    (void)args;
    if (!d->breakpoints->len) puts("No breakpoints.");
    for (guint i = 0; i < d->breakpoints->len; i++) {
        const breakpoint *b = d->breakpoints->pdata[i];
        break_tell(b);
        if (!b->enabled) fputs(", off", stdout);
        if (b->hits) printf(", hit %u times", b->hits);
        putchar('\n');
    }
}
