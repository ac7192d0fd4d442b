/* SPDX-License-Identifier: MIT */
/* One vertex class as JSON: name, layout of its state, fields, constraints. */
#include "poplar/codelet/clang/clang.h"

#include <string.h>

/* --- fields ------------------------------------------------------------------------------------------------ */

static const char *const vector_layouts[] = { "NOT_A_VECTOR", "SPAN",         "SHORT_SPAN",    "ONE_PTR",
                                              "SCALED_PTR32", "SCALED_PTR64", "SCALED_PTR128", "COMPACT_PTR" };
static const char *const list_layouts[] = { "NOT_A_VECTOR",  "ONE_PTR", "SCALED_PTR32",   "SCALED_PTR64",
                                            "SCALED_PTR128", "DELTAN",  "DELTANELEMENTS", "COMPACT_DELTAN" };

typedef struct field {
    const char *direction; /* "state", "input", "output", "inout" */
    const char *form;      /* names of tw__field_form in lower case without the prefix */
    CXType element;
    const char *layout[2];
    char *owned[2]; /* C: the texts behind layout */
    unsigned min_align;
    bool interleaved, list;
    unsigned count; /* of arrays */
} field;

typedef struct vector_template {
    bool is_vector, is_list;
    CXType element;
    const char *layout;
    unsigned min_align;
    bool interleaved;
} vector_template;

static vector_template vector_of(CXType type)
{
    vector_template v = { 0 };
    CXCursor declaration = clang_getTypeDeclaration(type);
    if (type.kind != CXType_Record || !popc_is_in_poplar(declaration)) return v;
    v.is_vector = popc_is_named(type, "Vector");
    v.is_list = popc_is_named(type, "VectorList");
    if (!v.is_vector && !v.is_list) return v;
    v.element = clang_getCanonicalType(clang_Type_getTemplateArgumentAsType(type, 0));
    unsigned long long layout = clang_Cursor_getTemplateArgumentUnsignedValue(declaration, 1);
    const char *const *names = v.is_list ? list_layouts : vector_layouts;
    v.layout = layout < G_N_ELEMENTS(vector_layouts) ? names[layout] : names[0];
    v.min_align = (unsigned)clang_Cursor_getTemplateArgumentUnsignedValue(declaration, 2);
    v.interleaved = clang_Cursor_getTemplateArgumentUnsignedValue(declaration, 3) != 0;
    return v;
}

static const char *direction_of(CXType type, CXType *inner)
{
    static const char *const names[][2] = { { "Input", "input" }, { "Output", "output" }, { "InOut", "inout" } };
    if (type.kind != CXType_Record || !popc_is_in_poplar(clang_getTypeDeclaration(type))) return NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (popc_is_named(type, names[i][0])) {
            *inner = clang_getCanonicalType(clang_Type_getTemplateArgumentAsType(type, 0));
            return names[i][1];
        }
    return NULL;
}

static field plain_field(CXType type)
{
    field f = { .direction = "state", .form = "state_plain", .element = type, .count = 1 };
    for (CXType at = clang_getCanonicalType(type); at.kind == CXType_ConstantArray;
         at = clang_getCanonicalType(clang_getArrayElementType(at))) {
        f.count *= (unsigned)clang_getArraySize(at);
        while (f.element.kind == CXType_Elaborated) f.element = clang_Type_getNamedType(f.element);
        f.element = f.element.kind == CXType_ConstantArray ? clang_getArrayElementType(f.element)
                                                           : clang_getArrayElementType(at);
    }
    return f;
}

static field cpp_field(CXType declared)
{
    CXType type = clang_getCanonicalType(declared), inner = type;
    const char *direction = direction_of(type, &inner);
    vector_template outer = vector_of(inner);
    if (direction) {
        if (!outer.is_vector && !outer.is_list)
            return (field){ .direction = direction, .form = "edge_scalar", .element = inner, .count = 1 };
        return (field){ .direction = direction,
                        .form = outer.is_list ? "edge_vectors" : "edge_vector",
                        .element = outer.element,
                        .layout = { outer.layout, NULL },
                        .min_align = outer.min_align,
                        .interleaved = outer.interleaved,
                        .list = outer.is_list,
                        .count = 1 };
    }
    if (outer.is_list) return (field){ .form = NULL };
    if (!outer.is_vector) return plain_field(declared);
    CXType row = outer.element, data = row;
    direction = direction_of(row, &data);
    vector_template nested = vector_of(data);
    bool rows = direction && nested.is_vector;
    field f = { .direction = direction ? direction : "state",
                .form = !direction         ? "state_vector"
                        : nested.is_vector ? "edge_vectors"
                        : nested.is_list   ? NULL
                                           : "edge_scalars",
                .element = rows ? nested.element : data,
                .layout = { outer.layout, rows ? nested.layout : NULL },
                .min_align = rows ? nested.min_align : outer.min_align,
                .interleaved = rows ? nested.interleaved : outer.interleaved,
                .count = 1 };
    return f;
}

typedef struct note_search {
    char *text;
} note_search;

static enum CXChildVisitResult fields_find_note(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    note_search *search = data;
    if (clang_getCursorKind(cursor) != CXCursor_AnnotateAttr || search->text) return CXChildVisit_Continue;
    char *text = popc_string(clang_getCursorSpelling(cursor));
    if (g_str_has_prefix(text, "tw.field ")) search->text = g_strdup(text + strlen("tw.field "));
    g_free(text);
    return CXChildVisit_Continue;
}

typedef struct member_type {
    const char *name;
    CXType type;
} member_type;

static enum CXVisitorResult find_member(CXCursor cursor, CXClientData data)
{
    member_type *member = data;
    char *name = popc_string(clang_getCursorSpelling(cursor));
    bool found = strcmp(name, member->name) == 0;
    g_free(name);
    if (found) member->type = clang_getCursorType(cursor);
    return found ? CXVisit_Break : CXVisit_Continue;
}

static CXType pointee_of_member(CXType record, const char *name)
{
    member_type member = { name, { .kind = CXType_Invalid } };
    clang_Type_visitFields(clang_getCanonicalType(record), find_member, &member);
    return clang_getPointeeType(member.type);
}

/* A field of <tilewright/codelet.h>: its annotation is "Input Vector SPAN 0 0". */
static field c_field(const scanner *s, CXCursor cursor)
{
    note_search note = { NULL };
    clang_visitChildren(cursor, fields_find_note, &note);
    CXType type = clang_getCursorType(cursor);
    if (!note.text) return plain_field(type);
    char **words = g_strsplit(note.text, " ", -1);
    unsigned count = g_strv_length(words);
    static const char *const directions[][2] = {
        { "Input", "input" }, { "Output", "output" }, { "InOut", "inout" }, { "State", "state" }
    };
    field f = { .form = "edge_scalar", .count = 1 };
    for (size_t i = 0; i < G_N_ELEMENTS(directions); i++)
        if (strcmp(words[0], directions[i][0]) == 0) f.direction = directions[i][1];
    const char *form = count > 1 ? words[1] : "";
    bool known = !s->scan->is_device;
    if (strcmp(form, "Scalar") == 0) {
        f.element = clang_getPointeeType(type);
    } else if (strcmp(form, "Vector") == 0 && count == 5) {
        f.form = strcmp(f.direction, "state") == 0 ? "state_vector" : "edge_vector";
        f.owned[0] = g_strdup(words[2]);
        f.min_align = (unsigned)g_ascii_strtoull(words[3], NULL, 0);
        f.interleaved = words[4][0] != '0' && words[4][0] != 'f';
        if (known) f.element = pointee_of_member(type, "tw_data");
    } else if (strcmp(form, "List") == 0 && count == 5) {
        f.form = "edge_vectors", f.list = true;
        f.owned[0] = g_strdup(words[2]);
        f.min_align = (unsigned)g_ascii_strtoull(words[3], NULL, 0);
        f.interleaved = words[4][0] != '0' && words[4][0] != 'f';
        if (known) f.element = pointee_of_member(pointee_of_member(type, "tw_list"), "tw_data");
    } else if (strcmp(form, "Vectors") == 0 && count == 5) {
        f.form = "edge_vectors";
        f.owned[0] = g_strdup(words[2]);
        f.owned[1] = g_strdup(words[3]);
        f.min_align = (unsigned)g_ascii_strtoull(words[4], NULL, 0);
        if (known) f.element = pointee_of_member(pointee_of_member(type, "tw_list"), "tw_data");
    } else if (strcmp(form, "Scalars") == 0 && count == 3) {
        f.form = "edge_scalars";
        f.owned[0] = g_strdup(words[2]);
        if (known) f.element = clang_getPointeeType(pointee_of_member(type, "tw_list"));
    }
    f.layout[0] = f.owned[0];
    f.layout[1] = f.owned[1];
    g_strfreev(words);
    g_free(note.text);
    return f;
}

typedef struct field_visit {
    scanner *s;
    const char *vertex; /* name */
    json_t *fields, *constraints;
    bool has_state; /* of the class being visited */
    bool external;  /* C: TW_EXTERNAL */
} field_visit;

/* A structure or pointer: opaque bytes; refused when it points to a type the IPU lacks. */
static const char *pointed_to_instead(CXType type)
{
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_Pointer || type.kind == CXType_LValueReference)
        type = clang_getCanonicalType(clang_getPointeeType(type));
    return type.kind == CXType_Void ? NULL : popc_element(type).instead;
}

/* A long, as std::size_t is one, is an int of the chip (guide 2.3.1): as state the host keeps such numbers in 64
 * bits. */
static void take_long(CXType type, element *e)
{
    if (type.kind == CXType_Long) *e = (element){ "int", NULL, 1 };
    if (type.kind == CXType_ULong) *e = (element){ "unsigned int", NULL, 1 };
}

/* Fills in the element type of `f`; reports and returns false when a vertex cannot hold it. */
static bool check_type(field_visit *v, CXCursor cursor, field *f, const char *name, const char **type)
{
    CXType declared = clang_getCursorType(cursor);
    char *text = popc_string(clang_getTypeSpelling(declared));
    bool ok = false;
    const char *instead;
    element e = { NULL, NULL, 1 };
    CXType plain = clang_getCanonicalType(f->element);
    if (f->form) e = popc_element(f->element);
    if (f->form && strcmp(f->form, "state_plain") == 0) take_long(plain, &e);
    bool is_edge = f->form && strcmp(f->form, "state_plain") != 0;
    if (clang_Cursor_isBitField(cursor))
        popc_error(v->s, cursor, "popc.bit-field",
                   "field '%s' of vertex '%s' is a bit-field, which has no address to be filled in: "
                   "put it into a structure",
                   name, v->vertex);
    else if (!f->form)
        popc_error(v->s, cursor, "popc.field-form",
                   "field '%s' of vertex '%s' of type '%s': a VectorList stands in Input, Output or InOut", name,
                   v->vertex, text);
    else if (e.instead)
        popc_error(v->s, cursor, "popc.field-type",
                   "field '%s' of vertex '%s' has type '%s', which a vertex cannot hold: use %s", name, v->vertex,
                   text, e.instead);
    else if (e.type && is_edge && e.count > 1)
        popc_error(v->s, cursor, "popc.field-type",
                   "field '%s' of vertex '%s' has type '%s': tensors have scalar elements, so use %s here and "
                   "cast the address of the data",
                   name, v->vertex, text, e.type);
    else if (!e.type && is_edge && strcmp(f->form, "state_vector") == 0)
        popc_error(v->s, cursor, "popc.field-type",
                   "field '%s' of vertex '%s' has type '%s': a Vector that is state holds numbers; one that is "
                   "connected stands in Input, Output or InOut, or has them inside",
                   name, v->vertex, text);
    else if (!e.type && is_edge)
        popc_error(v->s, cursor, "popc.field-type",
                   "field '%s' of vertex '%s' has type '%s', which is not a type of tensors: use bool, an integer "
                   "of 8 to 32 bits, half or float",
                   name, v->vertex, text);
    else if (!e.type && (instead = pointed_to_instead(plain)))
        popc_error(v->s, cursor, "popc.field-type",
                   "field '%s' of vertex '%s' has type '%s', which a vertex cannot hold: use %s", name, v->vertex,
                   text, instead);
    else if (plain.kind == CXType_LValueReference || plain.kind == CXType_RValueReference)
        popc_error(v->s, cursor, "popc.field-type",
                   "field '%s' of vertex '%s' is a reference: use an edge or a value", name, v->vertex);
    else
        ok = e.type || is_edge || popc_check_members(v->s, plain, name, v->vertex, 0);
    g_free(text);
    *type = e.type;
    f->count *= e.count;
    return ok;
}

typedef struct field_place {
    long long offset, size, align; /* bytes */
} field_place;

static void add_field(field_visit *v, const char *name, const field *f, const char *type, field_place at)
{
    json_t *item = json_pack("{s:s, s:s, s:s, s:s?, s:i, s:b, s:b, s:i, s:I, s:I, s:I}", "name", name, "direction",
                             f->direction, "form", f->form, "type", type, "min_align", (int)f->min_align,
                             "interleaved", f->interleaved, "list", f->list, "count", (int)f->count, "offset",
                             (json_int_t)at.offset, "size", (json_int_t)at.size, "align", (json_int_t)at.align);
    json_t *layout = json_array();
    for (int i = 0; i < 2 && f->layout[i]; i++) json_array_append_new(layout, json_string(f->layout[i]));
    json_object_set_new(item, "layout", layout);
    json_array_append_new(v->fields, item);
}

/* Format and scale of a field of quarters (QuarterFloat.hpp): its last pointer, an input of its own. */
static void add_metadata(field_visit *v, const char *name, field_place at)
{
    g_autofree char *own = g_strdup_printf("%s.metadata", name);
    const field f = { .direction = "input", .form = "edge_scalar", .count = 1 };
    add_field(v, own, &f, "unsigned char", at);
}

static enum CXVisitorResult visit_field(CXCursor cursor, CXClientData data)
{
    field_visit *v = data;
    char *name = popc_string(clang_getCursorSpelling(cursor));
    CXType declared = clang_getCursorType(cursor);
    v->has_state = true;
    field f = v->s->scan->is_c ? c_field(v->s, cursor) : cpp_field(declared);
    const char *type = NULL;
    bool skip_type = v->s->scan->is_device && v->s->scan->is_c && f.element.kind == CXType_Invalid;
    bool ok = skip_type || check_type(v, cursor, &f, name, &type);
    if (ok && !type && !skip_type) f.form = "state_opaque";
    char *spelled = ok && !type && !skip_type ? popc_string(clang_getTypeSpelling(declared)) : NULL;
    long long offset = clang_Cursor_getOffsetOfField(cursor), size = clang_Type_getSizeOf(declared);
    if (ok && offset >= 0 && size >= 0) {
        field_place at = { offset / 8, size, MAX(clang_Type_getAlignOf(declared), 1) };
        bool has_metadata = type && strcmp(type, "quarter") == 0 && strstr(f.form, "edge_vector");
        int pointer = v->s->scan->is_device ? 4 : (int)sizeof(void *);
        if (has_metadata) at.size -= pointer;
        add_field(v, name, &f, spelled ? spelled : type, at);
        if (has_metadata) add_metadata(v, name, (field_place){ at.offset + at.size, pointer, pointer });
    }
    g_free(spelled);
    g_free(f.owned[0]);
    g_free(f.owned[1]);
    g_free(name);
    return CXVisit_Continue;
}

/* What stands among the fields and is none: constraints, TW_EXTERNAL. */
static enum CXChildVisitResult visit_constraint(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    field_visit *v = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_StaticAssert) return CXChildVisit_Recurse;
    if (kind != CXCursor_AnnotateAttr && kind != CXCursor_StringLiteral) return CXChildVisit_Continue;
    char *text = popc_string(clang_getCursorSpelling(cursor)), *start = text;
    if (*start == '"') { /* literals are spelled with their quotes */
        start++;
        if (*start) start[strlen(start) - 1] = 0;
    }
    if (g_str_has_prefix(start, "tw.constraint "))
        json_array_append_new(v->constraints, json_string(start + strlen("tw.constraint ")));
    v->external |= strcmp(start, "tw.external") == 0;
    g_free(text);
    return CXChildVisit_Continue;
}

/* --- vertices ---------------------------------------------------------------------------------------------- */

/* Number of arguments of compute(), after checking it: -1 when there is none. */
static int check_compute(scanner *s, const vertex_class *vc, const char *name, bool external, bool *is_void)
{
    int expected = vc->base == MULTIVERTEX ? 1 : 0, found = vc->compute_args;
    const char *signature = expected ? "bool compute(unsigned workerId)" : "bool compute()";
    if (s->scan->is_device && !s->scan->is_c) return found;
    if (s->scan->is_c) {
        char *spelling = popc_string(clang_getCursorSpelling(vc->cursor)), *function;
        function = g_strdup_printf("%s_compute", spelling);
        const CXCursor *definition = g_hash_table_lookup(s->functions, function);
        if (definition) found = clang_Cursor_getNumArguments(*definition) - 1;
        *is_void = definition && clang_getCursorResultType(*definition).kind == CXType_Void;
        bool is_wrong = definition ? found != expected : !external;
        if (is_wrong && !s->scan->is_device) /* the host's pass says it */
            popc_error(s, definition ? *definition : vc->cursor, "popc.compute",
                       "vertex '%s' needs a function bool %s(%s *v%s), or TW_EXTERNAL; among its fields when it is "
                       "written in assembly",
                       name, function, spelling, expected ? ", unsigned worker" : "");
        g_free(function);
        g_free(spelling);
        return found;
    }
    if (found < 0 && !external)
        popc_error(s, vc->cursor, "popc.compute", "vertex '%s' has no method %s", name, signature);
    else if (found >= 0 && found != expected)
        popc_error(s, vc->cursor, "popc.compute", "compute() of vertex '%s' takes %d argument%s: expected %s", name,
                   found, found == 1 ? "" : "s", signature);
    return found;
}

static bool derives_from(CXType derived, CXType base, unsigned depth);

typedef struct base_search {
    CXType base;
    unsigned depth;
    bool found;
} base_search;

static enum CXChildVisitResult visit_base(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    base_search *search = data;
    if (clang_getCursorKind(cursor) == CXCursor_CXXBaseSpecifier)
        search->found = search->found || derives_from(clang_getCursorType(cursor), search->base, search->depth + 1);
    return CXChildVisit_Continue;
}

static bool derives_from(CXType derived, CXType base, unsigned depth)
{
    derived = clang_getCanonicalType(derived);
    if (clang_equalTypes(derived, clang_getCanonicalType(base))) return true;
    if (derived.kind != CXType_Record || depth > MAX_BASES) return false;
    base_search search = { base, depth, false };
    clang_visitChildren(popc_pattern(clang_getTypeDeclaration(derived)), visit_base, &search);
    return search.found;
}

/* Fields of base classes. The state of a single chain of bases starts at offset 0, because Poplar's own base classes
 * are empty; two bases with state would need an offset that libclang does not tell. */
static void visit_bases(field_visit *v, const vertex_class *vc)
{
    const CXType *holder = NULL;
    for (unsigned i = 0; i < vc->num_bases; i++) {
        v->has_state = false;
        clang_Type_visitFields(vc->bases[i], visit_field, v);
        if (v->has_state && holder && !derives_from(vc->bases[i], *holder, 0))
            popc_error(
                v->s, vc->cursor, "popc.bases",
                "vertex '%s' inherits fields from two classes that are not derived from each other: keep the "
                "fields of one chain of base classes",
                v->vertex);
        if (v->has_state) holder = &vc->bases[i];
    }
}

/* The line of the function that runs the vertex, in the source itself; 0: it is elsewhere. */
static unsigned compute_line(const scanner *s, const vertex_class *vc)
{
    CXCursor compute = vc->compute_args >= 0 ? vc->compute : clang_getNullCursor();
    if (s->scan->is_c) {
        char *spelling = popc_string(clang_getCursorSpelling(vc->cursor));
        char *function = g_strdup_printf("%s_compute", spelling);
        const CXCursor *definition = g_hash_table_lookup(s->functions, function);
        if (definition) compute = *definition;
        g_free(function), g_free(spelling);
    }
    if (clang_Cursor_isNull(compute)) return 0;
    CXCursor definition = clang_getCursorDefinition(compute);
    CXSourceLocation at = clang_getCursorLocation(clang_Cursor_isNull(definition) ? compute : definition);
    unsigned line = 0;
    if (clang_Location_isFromMainFile(at)) clang_getPresumedLocation(at, NULL, &line, NULL);
    return line;
}

json_t *popc_vertex(scanner *s, const vertex_class *vc)
{
    static const char *const kinds[] = { "", "Vertex", "MultiVertex", "SupervisorVertex" };
    char *code = vc->c_name ? popc_string(clang_getCursorSpelling(vc->cursor)) : popc_class_name(vc->cursor, true);
    char *name = vc->c_name ? g_strdup(vc->c_name) : popc_class_name(vc->cursor, false);
    field_visit v = { .s = s, .vertex = name, .fields = json_array(), .constraints = json_array() };
    visit_bases(&v, vc);
    clang_Type_visitFields(vc->type, visit_field, &v);
    clang_visitChildren(vc->cursor, visit_constraint, &v);
    bool external = vc->c_name ? v.external : popc_is_external(s, vc);
    bool is_void = false; /* C only: the wrapper of a C++ class finds out by itself */
    int compute = check_compute(s, vc, name, external, &is_void);
    unsigned line = 0;
    clang_getPresumedLocation(clang_getCursorLocation(vc->cursor), NULL, &line, NULL);
    json_t *vertex = json_pack("{s:s, s:s, s:s, s:I, s:I, s:b, s:i, s:b, s:i, s:i, s:o, s:o}", "name", name, "code",
                               code, "kind", kinds[vc->base], "size", (json_int_t)clang_Type_getSizeOf(vc->type),
                               "align", (json_int_t)clang_Type_getAlignOf(vc->type), "external", external,
                               "compute", compute, "void", is_void, "line", (int)line, "computeLine",
                               (int)compute_line(s, vc), "fields", v.fields, "constraints", v.constraints);
    g_free(code);
    g_free(name);
    return vertex;
}
