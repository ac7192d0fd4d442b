/* SPDX-License-Identifier: MIT */
/* Macros and repetitions: bodies are kept as text and read again with arguments in the place of parameters.
 *
 * In a body, \name is an argument, \() nothing, \@ and name@ the number of the expansion. Where a body has no \name
 * at all, bare names of parameters stand for the arguments too, as the vendor's guide writes them. */
#include "poplar/colossus/asm/asm.h"

#include <ctype.h>
#include <string.h>

enum { MAX_PARAMETERS = 64, MAX_REPEATS = 1 << 22 };

typedef struct parameter {
    const char *name, *initial; /* "" without a default */
    size_t length;
    bool required, rest;
} parameter;

void tw__asm_free_macro(gpointer data)
{
    macro *m = data;
    g_free(m->parameters);
    g_free(m);
}

/* --- bodies --------------------------------------------------------------------------------------------------- */

static bool is_directive(const char *at, const char *const *names, size_t *length)
{
    *length = 0;
    if (*at != '.') return false;
    size_t n = tw__asm_identifier_length(at);
    for (; *names; names++)
        if (strlen(*names) + 1 == n && g_ascii_strncasecmp(*names, at + 1, n - 1) == 0) {
            *length = n;
            return true;
        }
    return false;
}

/* From the line behind the cursor to the directive that ends the body: its text, cursor behind that directive. A body
 * in the guide ends on the line of its last label (`name@: .endm`), so statements, not lines, are looked at. */
static bool read_body(tw__asm *as, bool is_macro, place where, macro *out)
{
    static const char *const macro_starts[] = { "macro", NULL }, *const macro_ends[] = { "endm", "endmacro", NULL };
    static const char *const repeat_starts[] = { "rept", "rep", "irp", "irpc", NULL }, *const repeat_ends[] = {
        "endr", NULL
    };
    const char *const *starts = is_macro ? macro_starts : repeat_starts, *const *ends =
                                                                             is_macro ? macro_ends : repeat_ends;
    tw__asm_skip_statement(as);
    const char *start = as->top->at;
    if (*start) start++;
    out->line = tw__asm_locate(as, as->top, start, &out->file);
    unsigned depth = 1;
    bool first = true; /* at the start of a statement */
    for (const char *p = start; *p; p++) {
        if (*p == '\n' || *p == ';') {
            first = true;
        } else if (*p == '"') {
            for (p++; *p && *p != '"' && *p != '\n'; p++)
                if (*p == '\\' && p[1] && p[1] != '\n') p++;
            first = *p == '\n';
            if (!*p) break;
        } else if (p[0] == '/' && p[1] == '/') {
            while (p[1] && p[1] != '\n') p++;
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            if (!end) {
                fail_at(as, tw__asm_place_at(as, p, 2), "the comment has no end: \"*/\" is missing");
                break;
            }
            p = end + 1;
        } else if (!isspace((unsigned char)*p)) {
            size_t n;
            if (first && is_directive(p, starts, &n)) depth++;
            if (first && is_directive(p, ends, &n) && --depth == 0) {
                out->body = start, out->length = (size_t)(p - start);
                as->top->at = p + n;
                return true;
            }
            if (first && n) p += n - 1;
            first = *p == ':'; /* behind a label a statement may begin */
        }
        while (!first && p[1] && !strchr("\n;\":/", p[1])) p++;
    }
    fail_at(as, where, is_macro ? "the macro has no .endm" : "the repetition has no .endr");
    as->top->at = as->top->end;
    return false;
}

/* --- .macro --------------------------------------------------------------------------------------------------- */

/* Length of an argument: to a comma or a blank outside parentheses and quotes; blanks around an operator do not end
 * it. */
static size_t argument_length(const char *start)
{
    static const char operators[] = "+-~/*.=|^&!<>%";
    int open = 0;
    const char *p = start, *end = start;
    while (*p && *p != '\n' && *p != ';') {
        if (p[0] == '/' && (p[1] == '/' || p[1] == '*')) break;
        if (!open && (*p == ',' || *p == '}' || *p == '#')) break;
        if (*p == ' ' || *p == '\t') {
            const char *next = p;
            while (*next == ' ' || *next == '\t') next++;
            bool goes_on =
                open || (*next && strchr(operators, *next) && !(next[0] == '/' && strchr("/*", next[1])) &&
                         !(*next == '.' && !isdigit((unsigned char)next[1])));
            if (!goes_on) break;
            p = next;
            continue;
        }
        if (!open && *p != '.' && strchr(operators, *p)) { /* "- 1": the blank belongs to the operator */
            for (end = ++p; *p == ' ' || *p == '\t'; p++) {
            }
            continue;
        }
        if (*p == '(') open++;
        if (*p == ')' && open) open--;
        if (*p == '"') {
            for (p++; *p && *p != '"' && *p != '\n'; p++)
                if (*p == '\\' && p[1] && p[1] != '\n') p++;
            if (*p != '"') break;
        }
        end = ++p;
    }
    return (size_t)(end - start);
}

/* The argument at the cursor; quotes around it go. */
static const char *read_argument(tw__asm *as, size_t *length)
{
    tw__asm_skip_blanks(as);
    const char *at = as->top->at;
    size_t n = argument_length(at);
    as->top->at = at + n;
    while (n && (at[n - 1] == ' ' || at[n - 1] == '\t' || at[n - 1] == '\r')) n--;
    if (n >= 2 && at[0] == '"' && at[n - 1] == '"' && !memchr(at + 1, '"', n - 2)) at++, n -= 2;
    *length = n;
    return at;
}

static bool read_parameter(tw__asm *as, parameter *out)
{
    const char *at = as->top->at;
    size_t n = tw__asm_identifier_length(at);
    if (!n) {
        fail_at(as, tw__asm_place_at(as, at, 1), "expected the name of a parameter");
        return false;
    }
    *out = (parameter){ .name = tw__asm_copy_text(as, at, n), .length = n, .initial = "" };
    as->top->at = at + n;
    if (*as->top->at == ':') {
        const char *word = as->top->at + 1;
        size_t length = tw__asm_identifier_length(word);
        out->required = length == 3 && strncmp(word, "req", 3) == 0;
        out->rest = length == 6 && strncmp(word, "vararg", 6) == 0;
        if (!out->required && !out->rest) {
            fail_at(as, tw__asm_place_at(as, word, MAX(length, 1)), "expected 'req' or 'vararg'");
            return false;
        }
        as->top->at = word + length;
    }
    tw__asm_skip_blanks(as);
    if (*as->top->at == '=') {
        size_t length;
        as->top->at++;
        const char *text = read_argument(as, &length);
        out->initial = tw__asm_copy_text(as, text, length);
    }
    return out->name && out->initial;
}

/* Does the body use parameters with a backslash anywhere? */
static bool uses_backslash(const macro *m)
{
    for (const char *p = m->body; (p = memchr(p, '\\', m->length - (size_t)(p - m->body))); p++) {
        size_t left = m->length - (size_t)(p - m->body) - 1;
        for (size_t i = 0; i < m->parameter_count; i++)
            if (m->parameters[i].length <= left &&
                strncmp(p + 1, m->parameters[i].name, m->parameters[i].length) == 0)
                return true;
    }
    return false;
}

void tw__asm_define_macro(tw__asm *as, place where)
{
    const char *name = tw__asm_read_name(as, "the name of a macro");
    if (!name) {
        macro ignored = { 0 };
        read_body(as, true, where, &ignored);
        return;
    }
    parameter parameters[MAX_PARAMETERS];
    size_t count = 0;
    tw__asm_accept(as, ',');
    while (!tw__asm_at_end_of_statement(as)) {
        if (count == MAX_PARAMETERS) {
            fail_at(as, where, "a macro has at most %d parameters", MAX_PARAMETERS);
            break;
        }
        if (!read_parameter(as, &parameters[count])) break;
        count++;
        tw__asm_accept(as, ',');
    }
    macro *m = g_new0(macro, 1);
    if (!read_body(as, true, where, m)) {
        g_free(m);
        return;
    }
    m->name = name;
    m->parameters = g_memdup2(parameters, count * sizeof *parameters), m->parameter_count = count;
    m->has_backslash = uses_backslash(m);
    if (g_hash_table_contains(as->macros, name))
        fail_at(as, where, "macro '%s' is defined already; .purgem removes it", name);
    g_hash_table_replace(as->macros, (gpointer)name, m);
}

void tw__asm_purge_macro(tw__asm *as)
{
    place where = tw__asm_place_at(as, as->top->at, 1);
    const char *name = tw__asm_read_name(as, "the name of a macro");
    if (name && !g_hash_table_remove(as->macros, name)) fail_at(as, where, "there is no macro '%s'", name);
}

/* --- arguments ------------------------------------------------------------------------------------------------ */

typedef struct argument {
    const char *text;
    size_t length;
} argument;

static size_t find_parameter(const macro *m, const char *name, size_t length)
{
    for (size_t i = 0; i < m->parameter_count; i++)
        if (m->parameters[i].length == length && strncmp(m->parameters[i].name, name, length) == 0) return i;
    return m->parameter_count;
}

static void read_rest(tw__asm *as, argument *out)
{
    tw__asm_skip_blanks(as);
    const char *start = as->top->at;
    tw__asm_skip_statement(as);
    size_t n = (size_t)(as->top->at - start);
    while (n && isspace((unsigned char)start[n - 1])) n--;
    *out = (argument){ start, n };
}

static bool read_arguments(tw__asm *as, const macro *m, argument *arguments)
{
    for (size_t i = 0; i < m->parameter_count; i++)
        arguments[i] = (argument){ m->parameters[i].initial, strlen(m->parameters[i].initial) };
    bool given[MAX_PARAMETERS] = { false };
    for (size_t next = 0; !tw__asm_at_end_of_statement(as); next++) {
        const char *at = as->top->at;
        size_t n = tw__asm_identifier_length(at), i = next;
        const char *equals = at + n + strspn(at + n, " \t");
        bool keyword =
            n && *equals == '=' && equals[1] != '=' && (i = find_parameter(m, at, n)) < m->parameter_count;
        if (keyword)
            as->top->at = equals + 1;
        else
            i = next;
        if (i >= m->parameter_count) {
            fail_at(as, tw__asm_place_at(as, at, 1), "macro '%s' takes %zu arguments", m->name, m->parameter_count);
            return false;
        }
        argument read;
        if (m->parameters[i].rest)
            read_rest(as, &read);
        else
            read.text = read_argument(as, &read.length);
        if (read.length || keyword || *at == '"') arguments[i] = read, given[i] = true;
        const char *before = as->top->at;
        if (!tw__asm_accept(as, ',') && before == at && !tw__asm_at_end_of_statement(as)) {
            fail_at(as, tw__asm_place_at(as, at, 1), "this cannot be an argument of macro '%s'", m->name);
            return false;
        }
    }
    for (size_t i = 0; i < m->parameter_count; i++)
        if (m->parameters[i].required && !given[i]) {
            fail_at(as, tw__asm_place_at(as, as->top->at, 1), "macro '%s' needs its argument '%s'", m->name,
                    m->parameters[i].name);
            return false;
        }
    return true;
}

/* --- expansion ------------------------------------------------------------------------------------------------ */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* What stands behind a backslash; returns the length of its name, 0 when it is nothing of ours. Longest parameter
 * first. */
static size_t expand_backslash(const macro *m, const argument *arguments, unsigned counter, const char *p,
                               const char *end, GString *out)
{
    if (p < end && *p == '@') {
        g_string_append_printf(out, "%u", counter);
        return 1;
    }
    if (end - p >= 2 && p[0] == '(' && p[1] == ')') return 2;
    size_t n = 0, best = m->parameter_count;
    while (p + n < end && is_word(p[n])) n++;
    for (size_t i = 0; i < m->parameter_count; i++) {
        const parameter *q = &m->parameters[i];
        if (q->length <= n && strncmp(q->name, p, q->length) == 0 &&
            (best == m->parameter_count || q->length > m->parameters[best].length))
            best = i;
    }
    if (best == m->parameter_count) return 0;
    /* The whole word wins; else a dot may end the name, as in \name.f32. */
    if (m->parameters[best].length < n && p[m->parameters[best].length] != '.') return 0;
    g_string_append_len(out, arguments[best].text, (gssize)arguments[best].length);
    return m->parameters[best].length;
}

/* Counter marks "name@": not behind a register, not before a word (that is a modifier). */
static bool is_counter_mark(const char *start, const char *word, const char *at, const char *end)
{
    return at < end && *at == '@' && !(at + 1 < end && is_word(at[1])) &&
           !(word > start && (word[-1] == '$' || word[-1] == '\\'));
}

static void expand_text(const macro *m, const argument *arguments, unsigned counter, GString *out)
{
    const char *p = m->body, *end = m->body + m->length;
    while (p < end) {
        if (*p == '\\' && p + 1 < end) {
            size_t n = expand_backslash(m, arguments, counter, p + 1, end, out);
            if (n) {
                p += 1 + n;
                continue;
            }
        }
        if (!is_word(*p)) {
            g_string_append_c(out, *p++);
            continue;
        }
        const char *word = p;
        while (p < end && is_word(*p)) p++;
        size_t n = (size_t)(p - word), i = m->has_backslash ? m->parameter_count : find_parameter(m, word, n);
        if (i < m->parameter_count)
            g_string_append_len(out, arguments[i].text, (gssize)arguments[i].length);
        else
            g_string_append_len(out, word, (gssize)n);
        if (!m->repetition && is_counter_mark(m->body, word, p, end))
            g_string_append_printf(out, "%u", counter), p++;
    }
}

static int lines_of(const macro *m)
{
    int lines = 0;
    for (size_t i = 0; i < m->length; i++) lines += m->body[i] == '\n';
    return lines;
}

static bool push_text(tw__asm *as, const GString *text, const char *name, const macro *m, const char *called_at,
                      bool repeats)
{
    frame *f = TW__NEW(as->arena, frame);
    char *copy = f ? tw__asm_copy_text(as, text->str, text->len) : NULL;
    if (!copy) {
        as->stopped = true, as->status = TW_E_NO_MEMORY;
        return false;
    }
    *f = (frame){ .text = copy,
                  .at = copy,
                  .end = copy + text->len,
                  .file = m->file,
                  .line = m->line,
                  .macro = name,
                  .called_at = called_at,
                  .repeats = repeats,
                  .period = repeats ? lines_of(m) : 0 };
    return tw__asm_push_frame(as, f);
}

bool tw__asm_expand_macro(tw__asm *as, const char *at, size_t length)
{
    char name[256];
    if (length >= sizeof name || !g_hash_table_size(as->macros)) return false;
    memcpy(name, at, length), name[length] = 0;
    const macro *m = g_hash_table_lookup(as->macros, name);
    if (!m) return false;
    argument arguments[MAX_PARAMETERS];
    if (!read_arguments(as, m, arguments)) {
        tw__asm_skip_statement(as);
        return true;
    }
    g_autoptr(GString) text = g_string_sized_new(m->length + 64);
    expand_text(m, arguments, as->counter++, text);
    push_text(as, text, m->name, m, at, false);
    return true;
}

void tw__asm_exit_macro(tw__asm *as, place where)
{
    frame *f = as->top;
    while (f && f->repeats) f = f->below;
    if (!f || !f->macro) {
        fail_at(as, where, ".exitm stands outside of any macro");
        return;
    }
    for (;;) { /* the conditions around it end with it */
        frame *top = as->top;
        g_array_set_size(as->conditions, top->conditions);
        as->top = top->below;
        if (top == f) return;
    }
}

/* --- repetitions ---------------------------------------------------------------------------------------------- */

static void repeat_list(tw__asm *as, place where, bool characters)
{
    parameter p;
    macro m = { .parameter_count = 1, .parameters = &p, .repetition = true };
    GArray *values = g_array_new(FALSE, FALSE, sizeof(argument));
    bool named = read_parameter(as, &p), empty = tw__asm_at_end_of_statement(as);
    if (!named || (!empty && !tw__asm_expect(as, ',', "behind the name of the parameter"))) {
        read_body(as, false, where, &m);
        g_array_free(values, TRUE);
        return;
    }
    while (!tw__asm_at_end_of_statement(as)) {
        argument a;
        const char *before = as->top->at;
        a.text = read_argument(as, &a.length);
        for (size_t i = 0; characters && i < a.length; i++) {
            argument one = { a.text + i, 1 };
            g_array_append_val(values, one);
        }
        if (!characters) g_array_append_val(values, a);
        if (!tw__asm_accept(as, ',') && as->top->at == before) break;
    }
    argument none = { "", 0 };
    if (!values->len) g_array_append_val(values, none); /* once, with nothing, as in GNU as */
    g_autoptr(GString) text = g_string_new(NULL);
    const char *name = characters ? ".irpc" : ".irp";
    if (read_body(as, false, where, &m)) {
        m.has_backslash = true;
        for (guint i = 0; i < values->len && text->len < MAX_REPEATS * 16; i++)
            expand_text(&m, &g_array_index(values, argument, i), as->counter, text);
        push_text(as, text, name, &m, where.at, true);
    }
    g_array_free(values, TRUE);
}

void tw__asm_repeat_text(tw__asm *as, const char *directive, place where)
{
    if (g_ascii_strncasecmp(directive, "irp", 3) == 0) {
        tw__asm_skip_blanks(as);
        repeat_list(as, where, strlen(directive) == 4);
        return;
    }
    int64_t count = 0;
    bool known = tw__asm_read_constant(as, &count, "the number of repetitions");
    macro m = { 0 };
    if (!read_body(as, false, where, &m) || !known) return;
    if (count < 0 || count > MAX_REPEATS || (m.length && (uint64_t)count > as->max_expanded / m.length)) {
        fail_at(as, where, "%lld repetitions of %zu bytes are too many", (long long)count, m.length);
        return;
    }
    g_autoptr(GString) text = g_string_sized_new(m.length * (size_t)count + 1);
    for (int64_t i = 0; i < count; i++) g_string_append_len(text, m.body, (gssize)m.length);
    push_text(as, text, ".rept", &m, where.at, true);
}
