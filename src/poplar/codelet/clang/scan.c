/* SPDX-License-Identifier: MIT */
/* Parse a codelet source, find its vertices, resolve their base classes, report what is wrong. */
#include "poplar/codelet/clang/clang.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARSES = 6, MAX_DIAGNOSTICS = 100, MAX_NOTES = 6 };

#define PROBE_FILE "<popc>"

char *popc_string(CXString string)
{
    char *copy = g_strdup(clang_getCString(string) ? clang_getCString(string) : "");
    clang_disposeString(string);
    return copy;
}

static void report_at(scanner *s, CXSourceLocation location, unsigned length, int severity, const char *code,
                      const char *message)
{
    CXString file;
    unsigned line = 0, column = 0;
    clang_getPresumedLocation(location, &file, &line, &column);
    char *name = popc_string(file);
    if (strcmp(name, PROBE_FILE) == 0) { /* in a question of our own: blame the source as a whole */
        g_free(name);
        name = g_strdup(s->scan->path);
        line = column = 0;
    }
    tw__scan_diag diag = { name, line, column, length ? length : 1, severity, code, message };
    s->scan->report(s->scan->user, &diag);
    if (severity == 2) s->errors++;
    g_free(name);
}

void popc_error(scanner *s, CXCursor at, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *message = g_strdup_vprintf(format, args), *name = popc_string(clang_getCursorSpelling(at));
    va_end(args);
    report_at(s, clang_getCursorLocation(at), (unsigned)strlen(name), 2, code, message);
    g_free(name);
    g_free(message);
}

/* --- visiting ---------------------------------------------------------------------------------------------- */

static bool spelled(CXCursor cursor, const char *name)
{
    CXString spelling = clang_getCursorSpelling(cursor);
    bool same = g_strcmp0(clang_getCString(spelling), name) == 0;
    clang_disposeString(spelling);
    return same;
}

bool popc_is_in_poplar(CXCursor cursor)
{
    CXCursor parent = clang_getCursorSemanticParent(cursor);
    return clang_getCursorKind(parent) == CXCursor_Namespace && spelled(parent, "poplar") &&
           clang_getCursorKind(clang_getCursorSemanticParent(parent)) == CXCursor_TranslationUnit;
}

static enum CXChildVisitResult count_body(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind != CXCursor_CXXBaseSpecifier && kind != CXCursor_FieldDecl && kind != CXCursor_CXXMethod)
        return CXChildVisit_Continue;
    *(bool *)data = true;
    return CXChildVisit_Break;
}

CXCursor popc_pattern(CXCursor cursor)
{
    CXCursor pattern = clang_getSpecializedCursorTemplate(cursor);
    if (clang_Cursor_isNull(pattern)) return cursor;
    bool has_body = false; /* a full specialisation shows its own */
    clang_visitChildren(cursor, count_body, &has_body);
    if (has_body) return cursor;
    CXCursor definition = clang_getCursorDefinition(pattern);
    return clang_Cursor_isNull(definition) ? pattern : definition;
}

typedef struct children {
    CXCursor items[MAX_BASES];
    unsigned count;
    enum CXCursorKind kind;
} children;

static enum CXChildVisitResult scan_collect(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    children *found = data;
    if (clang_getCursorKind(cursor) == found->kind && found->count < MAX_BASES)
        found->items[found->count++] = cursor;
    return CXChildVisit_Continue;
}

static char *source_text(scanner *s, CXCursor cursor)
{
    CXToken *tokens;
    unsigned count;
    clang_tokenize(s->unit, clang_getCursorExtent(cursor), &tokens, &count);
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < count; i++) {
        char *token = popc_string(clang_getTokenSpelling(s->unit, tokens[i]));
        g_string_append_printf(text, "%s%s", i ? " " : "", token);
        g_free(token);
    }
    clang_disposeTokens(s->unit, tokens, count);
    return g_string_free(text, FALSE);
}

/* --- probes ------------------------------------------------------------------------------------------------ */

/* Name of the probe that answers `question`, NULL when it was not asked before. */
static const char *asked(scanner *s, const char *question)
{
    return g_hash_table_lookup(s->questions, question);
}

static const char *ask(scanner *s, const char *question)
{
    char *name = g_strdup_printf("tw__probe_%u", s->num_probes++);
    g_hash_table_insert(s->questions, g_strdup(question), name);
    s->num_new++;
    return name;
}

static const CXCursor *answer(scanner *s, const char *probe)
{
    return probe ? g_hash_table_lookup(s->answers, probe) : NULL;
}

bool popc_is_external(scanner *s, const vertex_class *vc)
{
    if (!vc->has_external) return false;
    char *question = g_strdup_printf("%s::isExternalCodelet", vc->key);
    const char *probe = asked(s, question);
    bool value = false;
    if (!probe) {
        char *code = popc_class_name(vc->cursor, true);
        g_string_append_printf(s->probes, "constexpr bool %s = %s::isExternalCodelet;\n", ask(s, question), code);
        g_free(code);
    } else if (answer(s, probe)) {
        CXEvalResult result = clang_Cursor_Evaluate(*answer(s, probe));
        value = result && clang_EvalResult_getAsInt(result) != 0;
        clang_EvalResult_dispose(result);
    }
    g_free(question);
    return value;
}

/* "template < typename T >" of a class template. */
static char *template_head(scanner *s, CXCursor pattern)
{
    char *text = source_text(s, pattern), *at = strchr(text, '<');
    int nesting = 0;
    for (; at && *at; at++) {
        nesting += (*at == '<') - (*at == '>');
        if (nesting == 0) break;
    }
    if (at && *at) at[1] = 0;
    return text;
}

/* Appends probes for the base class written as `base` in `pattern`: an alias template with the parameters of the
 * class template, declared in its namespace, and an alias that applies it to the arguments of the instantiation. */
static void ask_base(scanner *s, CXCursor cursor, CXCursor pattern, const char *base, const char *probe)
{
    static const char *const words[] = { "public ", "protected ", "private ", "virtual " };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (g_str_has_prefix(base, words[i])) base += strlen(words[i]), i = (size_t)-1;
    GString *scope = g_string_new(NULL), *open = g_string_new(NULL);
    unsigned depth = 0;
    for (CXCursor up = clang_getCursorSemanticParent(pattern); clang_getCursorKind(up) == CXCursor_Namespace;
         up = clang_getCursorSemanticParent(up), depth++) {
        char *name = popc_string(clang_getCursorSpelling(up)), *whole = g_strdup_printf("namespace %s { ", name);
        g_string_prepend(open, whole);
        char *part = g_strdup_printf("%s::", name);
        g_string_prepend(scope, *name ? part : "");
        g_free(part);
        g_free(whole);
        g_free(name);
    }
    char *head = template_head(s, pattern), *code = popc_class_name(cursor, true), *arguments = strchr(code, '<');
    g_string_append_printf(s->probes, "%s%s using %s_of = %s;", open->str, head, probe, base);
    for (unsigned i = 0; i < depth; i++) g_string_append(s->probes, " }");
    g_string_append_printf(s->probes, "\nusing %s = %s%s_of%s;\n", probe, scope->str, probe,
                           arguments ? arguments : "");
    g_free(code);
    g_free(head);
    g_string_free(scope, TRUE);
    g_string_free(open, TRUE);
}

/* Type of the base class `specifier` of an instantiation, CXType_Invalid while it is being asked for. */
static CXType dependent_base(scanner *s, CXCursor cursor, CXCursor pattern, CXCursor specifier)
{
    char *key = popc_string(clang_getTypeSpelling(clang_getCursorType(cursor)));
    char *base = source_text(s, specifier);
    char *question = g_strdup_printf("%s:%s", key, base);
    const char *probe = asked(s, question);
    CXType type = { .kind = CXType_Invalid };
    if (!probe)
        ask_base(s, cursor, pattern, base, ask(s, question));
    else if (answer(s, probe))
        type = clang_getCanonicalType(clang_getTypedefDeclUnderlyingType(*answer(s, probe)));
    g_free(question);
    g_free(base);
    g_free(key);
    return type;
}

/* --- classes ----------------------------------------------------------------------------------------------- */

typedef struct member_search {
    vertex_class *vc;
    scanner *s;
} member_search;

static enum CXChildVisitResult visit_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    member_search *search = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_VarDecl && spelled(cursor, "isExternalCodelet")) search->vc->has_external = true;
    if (kind == CXCursor_CXXMethod && spelled(cursor, "compute"))
        search->vc->compute_args = clang_Cursor_getNumArguments(cursor), search->vc->compute = cursor;
    if (kind == CXCursor_CXXMethod && clang_CXXMethod_isVirtual(cursor) && search->vc->base != NOT_A_VERTEX)
        popc_error(
            search->s, cursor, "popc.virtual",
            "a vertex cannot have virtual methods: its state is filled in by the graph, not by a constructor");
    return CXChildVisit_Continue;
}

/* Follows the base classes of `cursor`, most basic first. Fills vc->base and vc->bases. */
static void follow_bases(scanner *s, vertex_class *vc, CXCursor cursor, unsigned depth)
{
    static const struct {
        const char *name;
        vertex_base base;
    } known[] = { { "Vertex", VERTEX },
                  { "MultiVertex", MULTIVERTEX },
                  { "SupervisorVertex", SUPERVISOR },
                  { "ExternalExchangeVertex", SUPERVISOR } };
    CXCursor pattern = popc_pattern(cursor);
    children specifiers = { .kind = CXCursor_CXXBaseSpecifier };
    clang_visitChildren(pattern, scan_collect, &specifiers);
    for (unsigned i = 0; i < specifiers.count && depth < MAX_BASES; i++) {
        CXType type = clang_getCanonicalType(clang_getCursorType(specifiers.items[i]));
        if (type.kind != CXType_Record) type = dependent_base(s, cursor, pattern, specifiers.items[i]);
        if (type.kind != CXType_Record) continue;
        CXCursor base = clang_getTypeDeclaration(type);
        bool found = false;
        for (size_t k = 0; k < G_N_ELEMENTS(known) && !found; k++) {
            found = spelled(base, known[k].name) && popc_is_in_poplar(base);
            if (found) vc->base = known[k].base;
        }
        if (found) continue;
        follow_bases(s, vc, base, depth + 1);
        if (vc->num_bases < MAX_BASES) vc->bases[vc->num_bases++] = type;
    }
}

static void add_class(scanner *s, CXCursor cursor)
{
    vertex_class vc = { .cursor = cursor,
                        .type = clang_getCanonicalType(clang_getCursorType(cursor)),
                        .compute_args = -1 };
    follow_bases(s, &vc, cursor, 0);
    if (vc.base == NOT_A_VERTEX) return;
    vc.key = popc_string(clang_getTypeSpelling(vc.type));
    member_search search = { &vc, s };
    for (unsigned i = 0; i < vc.num_bases; i++)
        clang_visitChildren(popc_pattern(clang_getTypeDeclaration(vc.bases[i])), visit_member, &search);
    clang_visitChildren(popc_pattern(cursor), visit_member, &search);
    for (guint i = 0; i < s->classes->len; i++)
        if (strcmp(g_array_index(s->classes, vertex_class, i).key, vc.key) == 0) {
            g_free(vc.key);
            return;
        }
    g_array_append_val(s->classes, vc);
}

static enum CXChildVisitResult find_annotation(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_AnnotateAttr) return CXChildVisit_Continue;
    char *text = popc_string(clang_getCursorSpelling(cursor));
    if (g_str_has_prefix(text, "tw.vertex ")) *(char **)data = g_strdup(text + strlen("tw.vertex "));
    g_free(text);
    return *(char **)data ? CXChildVisit_Break : CXChildVisit_Continue;
}

static void add_c_struct(scanner *s, CXCursor cursor)
{
    char *note = NULL;
    clang_visitChildren(cursor, find_annotation, &note);
    if (!note) return;
    const char *blank = strchr(note, ' ');
    if (!blank || !blank[1]) { /* written by hand */
        popc_error(s, cursor, "popc.annotation", "\"tw.vertex %s\" names no vertex: use TW_VERTEX(name)", note);
        g_free(note);
        return;
    }
    vertex_class vc = { .cursor = cursor,
                        .type = clang_getCanonicalType(clang_getCursorType(cursor)),
                        .compute_args = -1 };
    vc.base = g_str_has_prefix(note, "MultiVertex ") ? MULTIVERTEX : VERTEX;
    vc.c_name = g_strdup(blank + 1);
    vc.key = popc_string(clang_getCursorSpelling(cursor));
    g_free(note);
    g_array_append_val(s->classes, vc);
}

static enum CXChildVisitResult visit_classes(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    scanner *s = data;
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(cursor))) return CXChildVisit_Continue;
    switch ((int)clang_getCursorKind(cursor)) {
    case CXCursor_Namespace:
    case CXCursor_LinkageSpec:
    case CXCursor_UnexposedDecl: return CXChildVisit_Recurse;
    case CXCursor_ClassDecl:
    case CXCursor_StructDecl:
        if (!clang_isCursorDefinition(cursor)) return CXChildVisit_Continue;
        if (!s->scan->is_c) {
            add_class(s, cursor);
            return CXChildVisit_Recurse;
        }
        add_c_struct(s, cursor);
        return CXChildVisit_Continue;
    default: return CXChildVisit_Continue;
    }
}

/* Answers to probes, and the functions of a C file: both are needed before the classes, and stand behind them. */
static enum CXChildVisitResult visit_others(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    scanner *s = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    bool is_function = kind == CXCursor_FunctionDecl && s->scan->is_c;
    if (!is_function && kind != CXCursor_TypeAliasDecl && kind != CXCursor_VarDecl) return CXChildVisit_Continue;
    char *name = popc_string(clang_getCursorSpelling(cursor));
    if (is_function || g_str_has_prefix(name, "tw__probe_"))
        g_hash_table_insert(is_function ? s->functions : s->answers, name, g_memdup2(&cursor, sizeof cursor));
    else
        g_free(name);
    return CXChildVisit_Continue;
}

/* --- parsing ----------------------------------------------------------------------------------------------- */

static void forward_diagnostics(scanner *s)
{
    unsigned count = clang_getNumDiagnostics(s->unit);
    for (unsigned i = 0; i < count && i < MAX_DIAGNOSTICS; i++) {
        CXDiagnostic diag = clang_getDiagnostic(s->unit, i);
        enum CXDiagnosticSeverity severity = clang_getDiagnosticSeverity(diag);
        char *message = popc_string(clang_getDiagnosticSpelling(diag));
        char *option = popc_string(clang_getDiagnosticOption(diag, NULL));
        CXSourceLocation location = clang_getDiagnosticLocation(diag);
        unsigned length = 0;
        if (clang_getDiagnosticNumRanges(diag) > 0) {
            CXSourceRange range = clang_getDiagnosticRange(diag, 0);
            unsigned start, end;
            clang_getFileLocation(clang_getRangeStart(range), NULL, NULL, &start, NULL);
            clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, &end, NULL);
            length = end > start ? end - start : 0;
        }
        if (severity != CXDiagnostic_Ignored)
            report_at(s, location, length,
                      severity >= CXDiagnostic_Error     ? 2
                      : severity == CXDiagnostic_Warning ? 1
                                                         : 0,
                      option, message);
        CXDiagnosticSet notes = clang_getChildDiagnostics(diag);
        /* Of an error in a template of our headers these name the user's line; how the header was reached does
         * not. */
        for (unsigned k = 0, shown = 0; k < clang_getNumDiagnosticsInSet(notes) && shown < MAX_NOTES; k++) {
            CXDiagnostic note = clang_getDiagnosticInSet(notes, k);
            char *text = popc_string(clang_getDiagnosticSpelling(note));
            if (!g_str_has_prefix(text, "in file included from")) {
                report_at(s, clang_getDiagnosticLocation(note), 0, 0, "", text);
                shown++;
            }
            g_free(text);
            clang_disposeDiagnostic(note);
        }
        g_free(option);
        g_free(message);
        clang_disposeDiagnostic(diag);
    }
}

/* Included files whose constraints the compiler dropped, rewritten: appended to `files` (CXUnsavedFile). */
static bool rewrite_included(scanner *s, GArray *files)
{
    bool any = false;
    unsigned count = clang_getNumDiagnostics(s->unit);
    for (unsigned i = 0; i < count && i < MAX_DIAGNOSTICS; i++) {
        CXDiagnostic diag = clang_getDiagnostic(s->unit, i);
        char *message = popc_string(clang_getDiagnosticSpelling(diag));
        CXFile file = NULL;
        clang_getFileLocation(clang_getDiagnosticLocation(diag), &file, NULL, NULL, NULL);
        bool dropped = strstr(message, "unknown attribute 'constraint'") && file;
        g_free(message);
        clang_disposeDiagnostic(diag);
        if (!dropped) continue;
        char *name = popc_string(clang_getFileName(file)), *contents = NULL, *text = NULL;
        bool known = false;
        for (guint k = 0; k < files->len; k++)
            known = known || strcmp(g_array_index(files, struct CXUnsavedFile, k).Filename, name) == 0;
        gsize length = 0;
        if (!known && g_file_get_contents(name, &contents, &length, NULL))
            text = s->scan->rewrite(contents, length);
        g_free(contents);
        if (!text) {
            g_free(name);
            continue;
        }
        struct CXUnsavedFile unsaved = { name, text, strlen(text) };
        g_array_append_val(files, unsaved);
        any = true;
    }
    return any;
}

static void clear_class(gpointer data)
{
    vertex_class *vc = data;
    g_free(vc->key);
    g_free(vc->c_name);
}

static void forget(scanner *s)
{
    g_array_set_size(s->classes, 0);
    g_hash_table_remove_all(s->answers);
    g_hash_table_remove_all(s->functions);
    clang_disposeTranslationUnit(s->unit);
    s->unit = NULL;
}

/* One parse. True when it answered everything; false when there are new questions, or errors. */
static bool scan_parse(scanner *s, CXIndex index, GArray *files, bool *stop)
{
    GString *text = g_string_new_len(s->scan->text, (gssize)s->scan->length);
    if (s->probes->len) g_string_append_printf(text, "\n# 1 \"" PROBE_FILE "\"\n%s", s->probes->str);
    g_array_index(files, struct CXUnsavedFile, 0).Contents = text->str;
    g_array_index(files, struct CXUnsavedFile, 0).Length = text->len;
    enum CXErrorCode code = clang_parseTranslationUnit2(
        index, s->scan->path, s->scan->args, s->scan->num_args, &g_array_index(files, struct CXUnsavedFile, 0),
        files->len, CXTranslationUnit_SkipFunctionBodies | CXTranslationUnit_KeepGoing, &s->unit);
    bool done = false;
    if (code != CXError_Success) { /* libclang does not say why: the caller asks the compiler */
        s->errors++;
        *stop = true;
    } else if (!rewrite_included(s, files)) {
        clang_visitChildren(clang_getTranslationUnitCursor(s->unit), visit_others, s);
        clang_visitChildren(clang_getTranslationUnitCursor(s->unit), visit_classes, s);
        for (guint i = 0; i < s->classes->len; i++)
            popc_is_external(s, &g_array_index(s->classes, vertex_class, i));
        done = s->num_new == 0;
    }
    g_string_free(text, TRUE);
    return done;
}

/* A class without compute() from which other vertices are derived: it holds what they share. */
static bool is_base_only(const scanner *s, const vertex_class *vc)
{
    bool is_base = false;
    for (guint i = 0; i < s->classes->len; i++) {
        const vertex_class *other = &g_array_index(s->classes, vertex_class, i);
        for (unsigned k = 0; k < other->num_bases; k++)
            is_base = is_base || clang_equalTypes(other->bases[k], vc->type);
    }
    return is_base && vc->compute_args < 0 && !vc->has_external;
}

static json_t *table(scanner *s)
{
    json_t *vertices = json_array();
    for (guint i = 0; i < s->classes->len; i++) {
        if (is_base_only(s, &g_array_index(s->classes, vertex_class, i))) continue;
        json_t *vertex = popc_vertex(s, &g_array_index(s->classes, vertex_class, i));
        if (vertex) json_array_append_new(vertices, vertex);
    }
    return json_pack("{s:i, s:o}", "version", TW__SCAN_VERSION, "vertices", vertices);
}

__attribute__((visibility("default"))) char *tw__scan_codelets(const tw__scan *scan)
{
    if (scan->version != TW__SCAN_VERSION) return NULL;
    scanner s = { .scan = scan,
                  .classes = g_array_new(FALSE, FALSE, sizeof(vertex_class)),
                  .answers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
                  .questions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
                  .functions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
                  .probes = g_string_new(NULL) };
    g_array_set_clear_func(s.classes, clear_class);
    GArray *files = g_array_new(FALSE, FALSE, sizeof(struct CXUnsavedFile));
    struct CXUnsavedFile source = { scan->path, NULL, 0 };
    g_array_append_val(files, source);
    CXIndex index = clang_createIndex(1, 0);
    bool done = false, stop = false;
    for (int i = 0; i < MAX_PARSES && !done && !stop; i++) {
        if (s.unit) forget(&s);
        s.num_new = 0;
        done = scan_parse(&s, index, files, &stop);
    }
    char *text = NULL;
    if (s.unit) {
        forward_diagnostics(&s);
        json_t *found = s.errors ? NULL : table(&s);
        if (found && !s.errors) text = json_dumps(found, JSON_COMPACT);
        json_decref(found);
        forget(&s);
    }
    clang_disposeIndex(index);
    for (guint i = 1; i < files->len; i++) {
        g_free((char *)g_array_index(files, struct CXUnsavedFile, i).Filename);
        free((char *)g_array_index(files, struct CXUnsavedFile, i).Contents);
    }
    g_array_free(files, TRUE);
    g_array_free(s.classes, TRUE);
    g_hash_table_destroy(s.answers);
    g_hash_table_destroy(s.questions);
    g_hash_table_destroy(s.functions);
    g_string_free(s.probes, TRUE);
    return text;
}
