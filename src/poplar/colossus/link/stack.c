/* Stack that functions of an image need: notes, and the calls that the code shows (guide 2.8.1, 3.4.2, 7.3.1). */
#include "poplar/colossus/isa/isa.h"
#include "poplar/colossus/link/link.h"

#include <string.h>

enum { MAX_DEPTH = 200, RETURN_REGISTER = 10 };

typedef struct function {
    const char *name;
    uint32_t start, end;
    int section;
} function;

typedef struct walk {
    const tw_object *image;
    GArray *functions; /* by address */
    uint32_t *needs;   /* of each function; UINT32_MAX = not known yet */
    bool *open;        /* under way: a call to it is a recursion */
    guint path[MAX_DEPTH];
    unsigned depth;
} walk;

/* --- functions ------------------------------------------------------------------------------------------------ */

static int by_start(const void *a, const void *b)
{
    const function *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Symbols of type function, and labels that notes name; each reaches as far as its size says, or to the next one. */
static bool is_function(const tw_object *image, const tw_symbol *s)
{
    if (s->section < 0 || !(image->sections[s->section].public.flags & TW_SECTION_EXEC) || !*s->name) return false;
    if (s->type == TW_SYMBOL_FUNCTION || s->binding != TW_SYMBOL_LOCAL) return true;
    for (size_t i = 0; i < image->note_count; i++)
        if (strcmp(image->notes[i].name, s->name) == 0) return true;
    return false;
}

static GArray *find_functions(const tw_object *image)
{
    GArray *functions = g_array_new(FALSE, FALSE, sizeof(function));
    for (size_t i = 0; i < image->symbol_count; i++) {
        const tw_symbol *s = &image->symbols[i];
        if (!is_function(image, s)) continue;
        const tw_section *section = &image->sections[s->section].public;
        function f = { s->name, s->value, s->size ? s->value + s->size : section->address + section->size,
                       s->section };
        if (f.end > section->address + section->size) f.end = section->address + section->size;
        g_array_append_val(functions, f);
    }
    g_array_sort(functions, by_start);
    for (guint i = 0; i + 1 < functions->len; i++) {
        function *f = &g_array_index(functions, function, i), *next = f + 1;
        if (next->section == f->section && next->start > f->start && next->start < f->end) f->end = next->start;
    }
    return functions;
}

static int function_at(const walk *w, uint32_t address)
{
    for (guint i = 0; i < w->functions->len; i++) {
        const function *f = &g_array_index(w->functions, function, i);
        if (address >= f->start && address < f->end) return (int)i;
    }
    return -1;
}

static int function_named(const walk *w, const char *name)
{
    for (guint i = 0; i < w->functions->len; i++)
        if (strcmp(g_array_index(w->functions, function, i).name, name) == 0) return (int)i;
    return -1;
}

/* --- messages ------------------------------------------------------------------------------------------------- */

/* "file:line: " of where the function begins, so that an editor goes there; nothing when the object does not say. */
static void add_place(const walk *w, const char *name, GString *text)
{
    int index = function_named(w, name);
    if (index < 0) return;
    const function *f = &g_array_index(w->functions, function, index);
    uint32_t offset = f->start - w->image->sections[f->section].public.address;
    const tw_object_line *line = tw_object_line_at(w->image, f->section, offset);
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

/* Does the note speak of this function: by its name, another name of the same place, or that of its section? */
static bool is_about(const walk *w, const tw_stack_note *note, const function *f)
{
    if (strcmp(note->name, f->name) == 0) return true;
    if (strcmp(note->name, w->image->sections[f->section].public.name) == 0) return true;
    int symbol = tw_object_find_symbol(w->image, note->name);
    return symbol >= 0 && w->image->symbols[symbol].section == f->section &&
           w->image->symbols[symbol].value == f->start;
}

static tw_status find_note(const walk *w, const function *f, const tw_stack_note **found)
{
    *found = NULL;
    for (size_t i = 0; i < w->image->note_count; i++) {
        const tw_stack_note *note = &w->image->notes[i];
        if (note->kind == TW_STACK_CALLS || !is_about(w, note, f)) continue;
        if (*found) return complain(w, "the stack of '%s' is stated more than once", f->name);
        *found = note;
    }
    return *found
               ? TW_OK
               : complain(
                     w,
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

/* Targets of DEF_FUNC_CALL_PTRS. */
static tw_status add_pointed(walk *w, const function *f, uint32_t *most, bool *listed)
{
    *listed = false;
    for (size_t i = 0; i < w->image->note_count; i++) {
        const tw_stack_note *note = &w->image->notes[i];
        if (note->kind != TW_STACK_CALLS || !is_about(w, note, f)) continue;
        *listed = true;
        g_auto(GStrv) targets = g_strsplit(note->targets, ",", -1);
        for (char **t = targets; *t; t++) {
            if (!*g_strstrip(*t)) continue;
            int callee = function_named(w, *t);
            if (callee < 0) return complain(w, "DEF_FUNC_CALL_PTRS names '%s', which is not in the program", *t);
            tw_status status = widen(w, callee, most);
            if (status != TW_OK) return status;
        }
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
    for (uint32_t at = f->start - s->address; s->data && at + 4 <= f->end - s->address; at += 4) {
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

static tw_status need_of(walk *w, guint index, uint32_t *bytes)
{
    const function *f = &g_array_index(w->functions, function, index);
    if (w->needs[index] != UINT32_MAX) {
        *bytes = w->needs[index];
        return TW_OK;
    }
    if (w->depth == MAX_DEPTH) return complain(w, "calls are nested too deep at '%s'", f->name);
    w->path[w->depth++] = index;
    const tw_stack_note *note;
    uint32_t most = 0;
    tw_status status = find_note(w, f, &note);
    if (status == TW_OK && note->kind == TW_STACK_OWN) {
        bool listed;
        if (w->open[index])
            return complain(w, "'%s' calls itself: DEF_STACK_USAGE has to state what all its calls together need",
                            f->name);
        w->open[index] = true;
        status = add_pointed(w, f, &most, &listed);
        if (status == TW_OK) status = add_called(w, f, index, listed, &most);
        w->open[index] = false;
    }
    if (status != TW_OK) return status;
    w->depth--;
    *bytes = w->needs[index] = note->bytes + most;
    return TW_OK;
}

tw_status tw_stack_need(const tw_object *image, const char *name, uint32_t *bytes)
{
    if (!image->linked)
        return tw__fail(TW_E_INVALID_ARGUMENT, "the stack can be computed of a linked program only");
    walk w = { .image = image, .functions = find_functions(image) };
    w.needs = g_new(uint32_t, w.functions->len + 1);
    w.open = g_new0(bool, w.functions->len + 1);
    for (guint i = 0; i < w.functions->len; i++) w.needs[i] = UINT32_MAX;
    int index = function_named(&w, name);
    tw_status status =
        index < 0 ? tw__fail(TW_E_SYMBOL, "there is no function '%s'", name) : need_of(&w, (guint)index, bytes);
    g_array_free(w.functions, TRUE);
    g_free(w.needs);
    g_free(w.open);
    return status;
}
