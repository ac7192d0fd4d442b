/* SPDX-License-Identifier: MIT */
/* Stack that functions of an image need: notes, and the calls that the code shows (guide 2.8.1, 3.4.2, 7.3.1). */
#include "poplar/colossus/isa/isa.h"
#include "poplar/colossus/link/link.h"

#include <string.h>

enum { MAX_DEPTH = 200, RETURN_REGISTER = 10 };

/* Offsets in its section, which have been checked against the section's size; addresses only tell who is called. */
typedef struct function {
    const char *name;
    uint32_t address, start, end;
    int section;
    uint32_t order; /* as symbols come */
} function;

struct tw__stack {
    const tw_object *image;
    GArray *functions;    /* by address */
    GHashTable *by_name;  /* name -> 1 + index of the first function */
    GHashTable *notes;    /* name -> GArray of guint: notes */
    GHashTable *by_place; /* place_key() -> GArray of guint: notes that name a symbol there */
    uint32_t *needs;      /* of each function; UINT32_MAX = not known yet */
    bool *open;           /* under way: a call to it is a recursion */
    guint path[MAX_DEPTH];
    unsigned depth;
};
typedef tw__stack walk;

/* --- notes by what they name ---------------------------------------------------------------------------------- */

static gpointer place_key(int section, uint32_t value)
{
    return (gpointer)((uintptr_t)section << 32 | value);
}

static void add_index(GHashTable *table, gpointer key, guint index)
{
    GArray *list = g_hash_table_lookup(table, key);
    if (!list) g_hash_table_insert(table, key, list = g_array_new(FALSE, FALSE, sizeof(guint)));
    g_array_append_val(list, index);
}

static void free_list(gpointer list)
{
    g_array_free(list, TRUE);
}

static void sort_notes(walk *w)
{
    const tw_object *image = w->image;
    w->notes = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_list);
    w->by_place = g_hash_table_new_full(NULL, NULL, NULL, free_list);
    for (size_t i = 0; i < image->note_count; i++) {
        const char *name = image->notes[i].name;
        int symbol = tw_object_find_symbol(image, name);
        add_index(w->notes, (gpointer)name, (guint)i);
        if (symbol < 0 || image->symbols[symbol].section < 0) continue;
        add_index(w->by_place, place_key(image->symbols[symbol].section, image->symbols[symbol].value), (guint)i);
    }
}

/* Calls `use` for each note that speaks of this function, by its name, that of its section or another name of the
 * same place, until one does not return TW_OK. */
typedef tw_status note_function(walk *w, const function *f, const tw_stack_note *note, void *data);
static tw_status for_notes(walk *w, const function *f, note_function *use, void *data)
{
    const char *section = w->image->sections[f->section].public.name;
    bool same = strcmp(section, f->name) == 0;
    const GArray *lists[] = { g_hash_table_lookup(w->notes, f->name),
                              same ? NULL : g_hash_table_lookup(w->notes, section),
                              g_hash_table_lookup(w->by_place, place_key(f->section, f->address)) };
    for (size_t k = 0; k < G_N_ELEMENTS(lists); k++)
        for (guint i = 0; lists[k] && i < lists[k]->len; i++) {
            const tw_stack_note *note = &w->image->notes[g_array_index(lists[k], guint, i)];
            if (k == 2 && (strcmp(note->name, f->name) == 0 || strcmp(note->name, section) == 0)) continue;
            tw_status status = use(w, f, note, data);
            if (status != TW_OK) return status;
        }
    return TW_OK;
}

/* --- functions ------------------------------------------------------------------------------------------------ */

static int by_start(const void *a, const void *b)
{
    const function *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Symbols of type function, and labels that notes name; each reaches as far as its size says, or to the next one. */
static bool is_function(const walk *w, const tw_symbol *s)
{
    if (s->section < 0 || !(w->image->sections[s->section].public.flags & TW_SECTION_EXEC) || !*s->name)
        return false;
    return s->type == TW_SYMBOL_FUNCTION || s->binding != TW_SYMBOL_LOCAL ||
           g_hash_table_contains(w->notes, s->name);
}

/* A function ends where the next one begins; other names of its own place are not the next one. */
static void cut_at_next(GArray *functions)
{
    const function *next = NULL;
    for (guint i = functions->len; i-- > 0;) {
        function *f = &g_array_index(functions, function, i), *behind = f + 1;
        if (i + 1 < functions->len && behind->address != f->address) next = behind;
        if (next && next->section == f->section && next->start > f->start && next->start < f->end)
            f->end = next->start;
    }
}

static void find_functions(walk *w)
{
    const tw_object *image = w->image;
    w->functions = g_array_new(FALSE, FALSE, sizeof(function));
    for (size_t i = 0; i < image->symbol_count; i++) {
        const tw_symbol *s = &image->symbols[i];
        if (!is_function(w, s)) continue;
        uint32_t end = image->sections[s->section].public.size, start = tw__symbol_offset(image, s);
        if (s->size && s->size < end - start) end = start + s->size;
        function f = { s->name, s->value, start, end, s->section, (uint32_t)i };
        g_array_append_val(w->functions, f);
    }
    g_array_sort(w->functions, by_start);
    cut_at_next(w->functions);
    w->by_name = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = w->functions->len; i-- > 0;)
        g_hash_table_insert(w->by_name, (gpointer)g_array_index(w->functions, function, i).name,
                            GUINT_TO_POINTER(i + 1));
}

static int function_at(const walk *w, uint32_t address)
{
    guint low = 0, high = w->functions->len;
    while (low < high) { /* first function behind the address */
        guint middle = (low + high) / 2;
        if (g_array_index(w->functions, function, middle).address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    int found = -1;
    for (guint i = low; i-- > 0;) { /* of several names of a place, the first */
        const function *f = &g_array_index(w->functions, function, i);
        if (f->address != g_array_index(w->functions, function, low - 1).address) break;
        if (address - f->address < f->end - f->start) found = (int)i;
    }
    return found;
}

static int function_named(const walk *w, const char *name)
{
    return (int)GPOINTER_TO_UINT(g_hash_table_lookup(w->by_name, name)) - 1;
}

/* --- messages ------------------------------------------------------------------------------------------------- */

/* "file:line: " of where the function begins, so that an editor goes there; nothing when the object does not say. */
static void add_place(const walk *w, const char *name, GString *text)
{
    int index = function_named(w, name);
    if (index < 0) return;
    const function *f = &g_array_index(w->functions, function, index);
    const tw_object_line *line = tw_object_line_at(w->image, f->section, f->start);
    if (line) g_string_append_printf(text, "%s:%u: ", line->file, line->line);
}

static tw_status complain(const walk *w, const char *format, const char *name)
{
    g_autoptr(GString) text = g_string_new(NULL);
    add_place(w, name, text);
    g_string_append_printf(text, format, name);
    for (unsigned i = 0; i + 1 < w->depth; i++)
        g_string_append_printf(text, "%s%s", i ? " -> " : "; called by ",
                               g_array_index(w->functions, function, w->path[i]).name);
    return tw__fail(TW_E_LINK, "%s", text->str);
}

/* --- notes ---------------------------------------------------------------------------------------------------- */

static tw_status keep_note(walk *w, const function *f, const tw_stack_note *note, void *data)
{
    const tw_stack_note **found = data;
    if (note->kind == TW_STACK_CALLS) return TW_OK;
    if (*found) return complain(w, "the stack of '%s' is stated more than once", f->name);
    *found = note;
    return TW_OK;
}

static tw_status find_note(walk *w, const function *f, const tw_stack_note **found)
{
    *found = NULL;
    tw_status status = for_notes(w, f, keep_note, found);
    if (status != TW_OK || *found) return status;
    return complain(w,
                    "the stack of '%1$s' is not stated: write \"DEF_STACK_USAGE <bytes> %1$s\" (0 for none), or "
                    "DEF_STACK_SIZE_OWN when it calls functions that state theirs (poplar/StackSizeDefs.hpp)",
                    f->name);
}

static tw_status need_of(walk *w, guint index, uint32_t *bytes);

static tw_status widen(walk *w, int callee, uint32_t *most)
{
    uint32_t bytes = 0;
    tw_status status = need_of(w, (guint)callee, &bytes);
    if (status == TW_OK && bytes > *most) *most = bytes;
    return status;
}

typedef struct pointed {
    uint32_t most;
    bool listed;
} pointed;

/* Targets of DEF_FUNC_CALL_PTRS. */
static tw_status add_pointed(walk *w, const function *f, const tw_stack_note *note, void *data)
{
    (void)f;
    pointed *p = data;
    if (note->kind != TW_STACK_CALLS) return TW_OK;
    p->listed = true;
    g_auto(GStrv) targets = g_strsplit(note->targets, ",", -1);
    for (char **t = targets; *t; t++) {
        if (!*g_strstrip(*t)) continue;
        int callee = function_named(w, *t);
        if (callee < 0) return complain(w, "DEF_FUNC_CALL_PTRS names '%s', which is not in the program", *t);
        tw_status status = widen(w, callee, &p->most);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

/* --- code ----------------------------------------------------------------------------------------------------- */

static uint32_t word_at(const tw_section *s, uint32_t offset)
{
    const uint8_t *p = s->data + offset;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Calls and jumps out of the function; a jump through a register other than the link register needs a list of
 * targets. */
static tw_status add_called(walk *w, const function *f, guint index, bool listed, uint32_t *most)
{
    const tw_section *s = &w->image->sections[f->section].public;
    for (uint32_t at = f->start; s->data && f->end - at >= 4; at += 4) {
        tw_insn insn;
        if (!tw_insn_decode(w->image->arch, word_at(s, at), &insn)) continue;
        const tw_isa_row *row = tw_isa_get(insn.row);
        if (insn.row == TW__OP_br && insn.operands[0] != RETURN_REGISTER && !listed)
            return complain(w, "'%s' jumps through a register: DEF_FUNC_CALL_PTRS has to list where it may go",
                            f->name);
        if (!(row->flags & TW_ISA_CONTROL) || !row->count || row->operands[row->count - 1]->file != TW_ISA_CODE)
            continue;
        int callee = function_at(w, insn.operands[row->count - 1]);
        if (callee < 0 || ((guint)callee == index && insn.row != TW__OP_call)) continue;
        tw_status status = widen(w, callee, most);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

/* What a function of kind OWN needs: its own bytes, and the most that anything it calls needs. */
static tw_status own_need(walk *w, guint index, const tw_stack_note *note, uint32_t *bytes)
{
    const function *f = &g_array_index(w->functions, function, index);
    if (w->open[index])
        return complain(w, "'%s' calls itself: DEF_STACK_USAGE has to state what all its calls together need",
                        f->name);
    pointed p = { 0, false };
    w->open[index] = true;
    tw_status status = for_notes(w, f, add_pointed, &p);
    if (status == TW_OK) status = add_called(w, f, index, p.listed, &p.most);
    w->open[index] = false;
    *bytes = note->bytes + p.most;
    return status;
}

static tw_status need_of(walk *w, guint index, uint32_t *bytes)
{
    const function *f = &g_array_index(w->functions, function, index);
    *bytes = w->needs[index];
    if (*bytes != UINT32_MAX) return TW_OK;
    if (w->depth == MAX_DEPTH) return complain(w, "calls are nested too deep at '%s'", f->name);
    w->path[w->depth++] = index;
    const tw_stack_note *note;
    tw_status status = find_note(w, f, &note);
    if (status == TW_OK && note->kind == TW_STACK_OWN)
        status = own_need(w, index, note, bytes);
    else if (status == TW_OK)
        *bytes = note->bytes;
    w->depth--;
    if (status == TW_OK) w->needs[index] = *bytes;
    return status;
}

/* --- the interface -------------------------------------------------------------------------------------------- */

tw__stack *tw__stack_new(const tw_object *image)
{
    walk *w = g_new0(walk, 1);
    w->image = image;
    sort_notes(w);
    find_functions(w);
    w->needs = g_new(uint32_t, w->functions->len + 1);
    w->open = g_new0(bool, w->functions->len + 1);
    for (guint i = 0; i < w->functions->len; i++) w->needs[i] = UINT32_MAX;
    return w;
}

tw_status tw__stack_need(tw__stack *w, const char *name, uint32_t *bytes)
{
    int index = function_named(w, name);
    if (index < 0) return tw__fail(TW_E_SYMBOL, "there is no function '%s'", name);
    uint32_t need;
    tw_status status = need_of(w, (guint)index, &need);
    if (status == TW_OK) *bytes = need;
    return status;
}

void tw__stack_free(tw__stack *w)
{
    g_array_free(w->functions, TRUE);
    g_hash_table_destroy(w->by_name);
    g_hash_table_destroy(w->notes);
    g_hash_table_destroy(w->by_place);
    g_free(w->needs);
    g_free(w->open);
    g_free(w);
}

tw_status tw_stack_need(const tw_object *image, const char *name, uint32_t *bytes)
{
    if (!image) return tw__missing("image");
    if (!name || !bytes)
        return tw__fail(TW_E_INVALID_ARGUMENT, "the stack is that of a function, and needs a place");
    if (!image->linked)
        return tw__fail(TW_E_INVALID_ARGUMENT, "the stack can be computed of a linked program only");
    tw__stack *stack = tw__stack_new(image);
    tw_status status = tw__stack_need(stack, name, bytes);
    tw__stack_free(stack);
    return status;
}
