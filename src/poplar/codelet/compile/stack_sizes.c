/* SPDX-License-Identifier: MIT */
/* Stack sizes that codelets state (guide 2.8.1, 7.3.1): DEF_STACK_USAGE, DEF_STACK_SIZE_OWN, DEF_FUNC_CALL_PTRS.
 *
 * In C and C++ they are macros of <poplar/StackSizeDefs.hpp>; preprocessed for a scan they become
 *     TW__stack_note kind size , "function" , "targets" ;
 * In assembly they are lines "DEF_STACK_USAGE size function". The stack of an entry is known when its total is
 * stated, or its own part and the totals of all it calls through pointers; other calls need an assembler to be seen,
 * so an own part without a list of calls stays unknown. */
#include "poplar/codelet/compile/compile.h"

#include <string.h>

enum { MAX_STACK = 1 << 21, MAX_DEPTH = 32, MAX_NESTING = 64 }; /* the largest address of a tile; chains of calls */

void tw__stack_note_clear(gpointer data)
{
    tw__stack_note *note = data;
    g_free(note->function);
    g_free(note->targets);
}

GArray *tw__stack_notes_new(void)
{
    GArray *notes = g_array_new(FALSE, TRUE, sizeof(tw__stack_note));
    g_array_set_clear_func(notes, tw__stack_note_clear);
    return notes;
}

/* --- numbers -------------------------------------------------------------------------------------------------- */

typedef struct expression {
    const char *at;
    int nesting;
    bool ok;
} expression;

static int64_t sum(expression *e);

static void blanks(expression *e)
{
    while (g_ascii_isspace(*e->at)) e->at++;
}

static int64_t primary(expression *e)
{
    blanks(e);
    if (*e->at == '(' && e->nesting < MAX_NESTING) {
        e->at++, e->nesting++;
        int64_t value = sum(e);
        blanks(e);
        e->nesting--;
        e->ok = e->ok && *e->at == ')';
        e->at += e->ok;
        return value;
    }
    if (!g_ascii_isdigit(*e->at)) return e->ok = false, 0;
    char *end;
    guint64 value = g_ascii_strtoull(e->at, &end, 0);
    while (*end && strchr("uUlL", *end)) end++;
    e->at = end;
    if (value > MAX_STACK) e->ok = false;
    return e->ok ? (int64_t)value : 0;
}

static int64_t stack_sizes_product(expression *e)
{
    int64_t value = primary(e);
    for (blanks(e); e->ok && (*e->at == '*' || *e->at == '/'); blanks(e)) {
        bool times = *e->at++ == '*';
        int64_t other = primary(e);
        if (!times && !other) e->ok = false;
        if (e->ok) value = times ? value * other : value / other;
        if (value > MAX_STACK || value < -MAX_STACK) e->ok = false;
        if (!e->ok) return 0;
    }
    return value;
}

static int64_t sum(expression *e)
{
    int64_t value = stack_sizes_product(e);
    for (blanks(e); e->ok && (*e->at == '+' || *e->at == '-'); blanks(e)) {
        bool plus = *e->at++ == '+';
        int64_t other = stack_sizes_product(e);
        value = plus ? value + other : value - other;
        if (value > MAX_STACK || value < -MAX_STACK) e->ok = false;
        if (!e->ok) return 0;
    }
    return value;
}

/* Size in bytes at *at, which moves past it; -1 when it is no plain number. */
static int64_t read_size(const char **at)
{
    expression e = { *at, 0, true };
    int64_t value = sum(&e);
    *at = e.at;
    return e.ok && value >= 0 ? value : -1;
}

/* --- C and C++ ------------------------------------------------------------------------------------------------ */

static const char *const kinds[] = {
    [TW__STACK_TOTAL] = "total", [TW__STACK_OWN] = "own", [TW__STACK_CALLS] = "calls"
};

static bool is_name(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '.' || c == '$';
}

static bool read_kind(const char **at, const char *const *names, tw__stack_kind *kind)
{
    while (g_ascii_isspace(**at)) ++*at;
    for (int k = 0; k <= TW__STACK_CALLS; k++) {
        size_t n = strlen(names[k]);
        if (strncmp(*at, names[k], n) != 0 || is_name((*at)[n])) continue;
        *kind = (tw__stack_kind)k, *at += n;
        return true;
    }
    return false;
}

/* Adjacent string literals after a comma, as one; NULL when there is none. */
static char *read_literals(const char **at)
{
    const char *p = *at;
    while (g_ascii_isspace(*p)) p++;
    if (*p != ',') return NULL;
    GString *text = NULL;
    for (p++;; p++) {
        while (g_ascii_isspace(*p)) p++;
        if (*p != '"') break;
        if (!text) text = g_string_new(NULL);
        for (p++; *p && *p != '"' && *p != '\n'; p++) g_string_append_c(text, *p);
        if (*p != '"') break;
    }
    *at = p;
    return text ? g_string_free(text, FALSE) : NULL;
}

void tw__stack_read_preprocessed(const char *text, GArray *notes)
{
    static const char mark[] = "TW__stack_note ";
    for (const char *at = text; (at = strstr(at, mark));) {
        tw__stack_note note = { 0 };
        at += sizeof mark - 1;
        if (!read_kind(&at, kinds, &note.kind)) continue;
        note.bytes = read_size(&at);
        while (*at && *at != ',' && *at != ';') at++; /* the rest of what was no plain number */
        note.function = read_literals(&at);
        note.targets = note.kind == TW__STACK_CALLS ? read_literals(&at) : NULL;
        if (note.function && *note.function)
            g_array_append_val(notes, note);
        else
            tw__stack_note_clear(&note);
    }
}

/* --- assembly ------------------------------------------------------------------------------------------------- */

/* Value of "#define NAME 48" in the lines before. */
static const char *defined(GHashTable *constants, const char *name, size_t length)
{
    g_autofree char *key = g_strndup(name, length);
    return g_hash_table_lookup(constants, key);
}

static void remember_define(GHashTable *constants, const char *line)
{
    while (g_ascii_isspace(*line)) line++;
    if (*line++ != '#') return;
    while (g_ascii_isspace(*line)) line++;
    if (strncmp(line, "define", 6) != 0 || !g_ascii_isspace(line[6])) return;
    for (line += 6; g_ascii_isspace(*line);) line++;
    size_t n = 0;
    while (is_name(line[n])) n++;
    if (n && g_ascii_isspace(line[n])) g_hash_table_insert(constants, g_strndup(line, n), g_strdup(line + n));
}

static char *read_word(const char **at)
{
    size_t n = 0;
    while (g_ascii_isspace(**at) || **at == ',') ++*at;
    while (is_name((*at)[n])) n++;
    char *word = n ? g_strndup(*at, n) : NULL;
    *at += n;
    return word;
}

static void read_line(GHashTable *constants, const char *line, unsigned number, GArray *notes)
{
    static const char *const names[] = { [TW__STACK_TOTAL] = "DEF_STACK_USAGE",
                                         [TW__STACK_OWN] = "DEF_STACK_SIZE_OWN",
                                         [TW__STACK_CALLS] = "DEF_FUNC_CALL_PTRS" };
    tw__stack_note note = { .line = number };
    const char *at = line;
    if (!read_kind(&at, names, &note.kind)) return;
    if (note.kind != TW__STACK_CALLS) {
        while (g_ascii_isspace(*at)) at++;
        size_t n = 0;
        while (is_name(at[n])) n++;
        const char *value = n && !g_ascii_isdigit(*at) ? defined(constants, at, n) : NULL;
        if (value) {
            note.bytes = read_size(&value), at += n;
        } else {
            note.bytes = read_size(&at);
            if (note.bytes < 0) return; /* a parameter of a macro, a symbol: seen by an assembler only */
        }
    }
    note.function = read_word(&at);
    if (note.kind == TW__STACK_CALLS) note.targets = g_strdup(at);
    if (note.function && *at != '\\' && *at != '(')
        g_array_append_val(notes, note);
    else
        tw__stack_note_clear(&note); /* "__runCodelet_\NAME" of a macro, NAME(float): seen by an assembler only */
}

/* Comments become blanks, lines stay. */
static char *without_comments(const char *text)
{
    char *copy = g_strdup(text);
    for (char *at = copy; *at; at++) {
        bool line = at[0] == '/' && at[1] == '/', block = at[0] == '/' && at[1] == '*';
        if (line)
            while (*at && *at != '\n') *at++ = ' ';
        for (; block && *at; at++) {
            bool end = at[0] == '*' && at[1] == '/';
            if (end) at[0] = at[1] = ' ';
            if (end) break;
            if (*at != '\n') *at = ' ';
        }
        if (!*at) break;
    }
    return copy;
}

tw_status tw__stack_read_assembly(const char *path, const char *text, GArray *notes, tw_diags *diags)
{
    g_autofree char *plain = without_comments(text);
    g_auto(GStrv) lines = g_strsplit(plain, "\n", -1);
    GHashTable *constants = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    guint from = notes->len;
    tw_status status = TW_OK;
    for (unsigned i = 0; lines[i]; i++) {
        remember_define(constants, lines[i]);
        read_line(constants, lines[i], i + 1, notes);
    }
    /* Guide 7.3.1: more than once is an error. Of the branches of an #if one counts: there the linker tells. */
    for (guint i = strstr(plain, "#if") ? notes->len : from; i < notes->len; i++) {
        const tw__stack_note *note = &g_array_index(notes, tw__stack_note, i);
        if (note->kind == TW__STACK_CALLS || g_hash_table_add(seen, note->function)) continue;
        g_autofree char *message = g_strdup_printf("the stack of '%s' is stated more than once", note->function);
        const char *source = lines[note->line - 1], *name = strstr(source, note->function);
        tw_diag diag = { .file = path,
                         .line = (int)note->line,
                         .column = name ? (int)(name - source) + 1 : 1,
                         .length = (int)strlen(note->function),
                         .severity = TW_ERROR,
                         .code = "popc.stack",
                         .message = message,
                         .source = source };
        if (diags) tw_diags_add(diags, &diag);
        if (!status) status = tw__fail(TW_E_COMPILATION, "%s:%d:%d: %s", path, diag.line, diag.column, message);
    }
    if (status) g_array_set_size(notes, from);
    g_hash_table_destroy(seen);
    g_hash_table_destroy(constants);
    return status;
}

/* --- what an entry needs -------------------------------------------------------------------------------------- */

static bool is_called(const char *function, const char *symbol)
{
    static const char section[] = ".text.";
    bool prefixed = strncmp(function, section, sizeof section - 1) == 0;
    return strcmp(prefixed ? function + sizeof section - 1 : function, symbol) == 0;
}

static const tw__stack_note *find_note(const GArray *notes, const char *symbol, tw__stack_kind kind)
{
    for (guint i = 0; i < notes->len; i++) {
        const tw__stack_note *note = &g_array_index(notes, tw__stack_note, i);
        if (note->kind == kind && is_called(note->function, symbol)) return note;
    }
    return NULL;
}

static int64_t bytes_of(const GArray *notes, const char *symbol, int depth)
{
    const tw__stack_note *total = find_note(notes, symbol, TW__STACK_TOTAL),
                         *own = find_note(notes, symbol, TW__STACK_OWN),
                         *calls = find_note(notes, symbol, TW__STACK_CALLS);
    if (total) return total->bytes;
    if (!own || !calls || own->bytes < 0 || depth == MAX_DEPTH) return -1;
    g_auto(GStrv) targets = g_strsplit_set(calls->targets ? calls->targets : "", " \t,", -1);
    int64_t most = 0;
    for (char **target = targets; *target; target++) {
        int64_t bytes = **target ? bytes_of(notes, *target, depth + 1) : 0;
        if (bytes < 0) return -1;
        most = bytes > most ? bytes : most;
    }
    return own->bytes + most;
}

int64_t tw__stack_bytes_of(const GArray *notes, const char *symbol)
{
    return bytes_of(notes, symbol, 0);
}

/* --- in vertex tables ----------------------------------------------------------------------------------------- */

json_t *tw__stack_notes_json(const GArray *notes)
{
    json_t *list = json_array();
    for (guint i = 0; i < notes->len; i++) {
        const tw__stack_note *note = &g_array_index(notes, tw__stack_note, i);
        json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:s}", "kind", kinds[note->kind], "function",
                                              note->function, "bytes", (json_int_t)note->bytes, "targets",
                                              note->targets ? note->targets : ""));
    }
    return list;
}

GArray *tw__stack_notes_of(const json_t *table)
{
    GArray *notes = tw__stack_notes_new();
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(table, "stacks"), i, item)
    {
        tw__stack_note note = { .bytes = json_integer_value(json_object_get(item, "bytes")) };
        const char *kind = json_string_value(json_object_get(item, "kind")),
                   *function = json_string_value(json_object_get(item, "function"));
        for (int k = 0; kind && k <= TW__STACK_CALLS; k++)
            if (strcmp(kind, kinds[k]) == 0) note.kind = (tw__stack_kind)k;
        if (!function || note.bytes > MAX_STACK) continue;
        note.function = g_strdup(function);
        note.targets = g_strdup(json_string_value(json_object_get(item, "targets")));
        g_array_append_val(notes, note);
    }
    return notes;
}
