/* SPDX-License-Identifier: MIT */
/* Types and names as Poplar spells them: element types of fields, short vectors, template arguments. */
#include "poplar/codelet/clang/clang.h"

#include <string.h>

/* --- types ------------------------------------------------------------------------------------------------- */

/* Element types of fields (Poplar API, Type.hpp), and what to write instead of the others. */
static const struct {
    int kind;
    const char *name; /* Poplar's, NULL = not a type of the IPU's fields */
    const char *instead;
} scalar_types[] = {
    { CXType_Bool, "bool", NULL },
    { CXType_Char_S, "char", NULL },
    { CXType_Char_U, "char", NULL },
    { CXType_SChar, "signed char", NULL },
    { CXType_UChar, "unsigned char", NULL },
    { CXType_Short, "short", NULL },
    { CXType_UShort, "unsigned short", NULL },
    { CXType_Int, "int", NULL },
    { CXType_UInt, "unsigned int", NULL },
    { CXType_Float, "float", NULL },
    { CXType_Half, "half", NULL },
    { CXType_Float16, "half", NULL },
    { CXType_Long, NULL, "int (long is 32 bits on the IPU and 64 on the host)" },
    { CXType_ULong, NULL, "unsigned int (long is 32 bits on the IPU and 64 on the host)" },
    { CXType_LongLong, NULL, "int, or two unsigned ints for 64 bits" },
    { CXType_ULongLong, NULL, "unsigned int, or two of them for 64 bits" },
    { CXType_Double, NULL, "float: the IPU has no 64-bit floating point" },
    { CXType_LongDouble, NULL, "float: the IPU has no 64-bit floating point" },
    { CXType_Float128, NULL, "float" },
    { CXType_Int128, NULL, "int" },
    { CXType_UInt128, NULL, "unsigned int" },
    { CXType_BFloat16, NULL, "half or float" },
    { CXType_WChar, NULL, "int" },
    { CXType_Char16, NULL, "unsigned short" },
    { CXType_Char32, NULL, "unsigned int" },
    { CXType_Void, NULL, "unsigned char" },
};

/* Guide table 2.2. */
static const struct {
    int kind, count;
    const char *name;
} vector_types[] = {
    { CXType_SChar, 2, "char2" },   { CXType_UChar, 2, "uchar2" },       { CXType_SChar, 4, "char4" },
    { CXType_UChar, 4, "uchar4" },  { CXType_Short, 2, "short2" },       { CXType_UShort, 2, "ushort2" },
    { CXType_Short, 4, "short4" },  { CXType_UShort, 4, "ushort4" },     { CXType_Int, 2, "int2" },
    { CXType_UInt, 2, "uint2" },    { CXType_Int, 4, "int4" },           { CXType_UInt, 4, "uint4" },
    { CXType_Float, 2, "float2" },  { CXType_Float, 4, "float4" },       { CXType_LongLong, 2, "longlong2" },
    { CXType_Float16, 2, "half2" }, { CXType_LongLong, 4, "longlong4" }, { CXType_Float16, 4, "half4" },
};

bool popc_is_named(CXType type, const char *name)
{
    CXCursor declaration = clang_getTypeDeclaration(type);
    char *spelling = popc_string(clang_getCursorSpelling(declaration));
    bool same = strcmp(spelling, name) == 0;
    g_free(spelling);
    return same;
}

/* C has no class half: there the name of the typedef tells it from float. */
static const char *half_typedef(CXType type)
{
    static const char *const names[] = { "half", "half2", "half4" };
    for (int depth = 0; depth < 16; depth++) {
        while (type.kind == CXType_Elaborated) type = clang_Type_getNamedType(type);
        if (type.kind != CXType_Typedef) return NULL;
        for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
            if (popc_is_named(type, names[i])) return names[i];
        type = clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
    }
    return NULL;
}

/* FP8, not a class of the source that has the same name. */
static bool is_quarter(CXType type)
{
    CXFile file = NULL;
    if (!popc_is_named(type, "quarter")) return false;
    clang_getFileLocation(clang_getCursorLocation(clang_getTypeDeclaration(type)), &file, NULL, NULL, NULL);
    char *name = popc_string(clang_getFileName(file));
    bool ours = g_str_has_suffix(name, "/poplar/QuarterFloat.hpp");
    g_free(name);
    return ours && clang_Type_getSizeOf(type) == 1;
}

element popc_element(CXType type)
{
    const char *half = half_typedef(type);
    if (half) return (element){ "half", NULL, half[4] ? (unsigned)(half[4] - '0') : 1 };
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_Enum)
        type = clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)));
    if (type.kind == CXType_Record && clang_getCursorKind(clang_getCursorSemanticParent(
                                          clang_getTypeDeclaration(type))) == CXCursor_TranslationUnit) {
        if (popc_is_named(type, "half")) return (element){ "half", NULL, 1 };
        if (is_quarter(type)) return (element){ "quarter", NULL, 1 };
    }
    if (type.kind == CXType_Vector || type.kind == CXType_ExtVector) {
        element lane = popc_element(clang_getElementType(type));
        lane.count = (unsigned)clang_getNumElements(type);
        /* On the host an extended vector of float is a half vector (ipudef.h). */
        if (type.kind == CXType_ExtVector && lane.type && strcmp(lane.type, "float") == 0) lane.type = "half";
        return lane;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(scalar_types); i++)
        if (scalar_types[i].kind == (int)type.kind)
            return (element){ scalar_types[i].name, scalar_types[i].instead, 1 };
    return (element){ NULL, NULL, 1 };
}

/* --- names ------------------------------------------------------------------------------------------------- */

/* Turns compiler spelling into Poplar's: "_Float16" is half, no blank after a comma, no anonymous namespaces. */
static char *tidy(char *text)
{
    static const char *const pairs[][2] = { { "_Float16", "half" },
                                            { ", ", "," },
                                            { "(anonymous namespace)::", "" },
                                            { "float __attribute__((ext_vector_type(2)))", "half2" },
                                            { "float __attribute__((ext_vector_type(4)))", "half4" } };
    GString *out = g_string_new(text);
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) g_string_replace(out, pairs[i][0], pairs[i][1], 0);
    g_free(text);
    return g_string_free(out, FALSE);
}

static char *names_type_text(CXType type)
{
    CXType plain = clang_getCanonicalType(type);
    if (plain.kind == CXType_Vector || plain.kind == CXType_ExtVector) {
        CXType lane = clang_getCanonicalType(clang_getElementType(plain));
        if (plain.kind == CXType_ExtVector && lane.kind == CXType_Float) lane.kind = CXType_Float16;
        for (size_t i = 0; i < G_N_ELEMENTS(vector_types); i++)
            if (vector_types[i].kind == (int)lane.kind && vector_types[i].count == clang_getNumElements(plain))
                return g_strdup(vector_types[i].name);
    }
    return tidy(popc_string(clang_getTypeSpelling(plain)));
}

static char *scope_of(CXCursor cursor)
{
    GString *scope = g_string_new(NULL);
    for (CXCursor up = clang_getCursorSemanticParent(cursor);
         !clang_Cursor_isNull(up) && clang_getCursorKind(up) != CXCursor_TranslationUnit;
         up = clang_getCursorSemanticParent(up)) {
        enum CXCursorKind kind = clang_getCursorKind(up);
        if (kind == CXCursor_LinkageSpec || clang_Cursor_isAnonymous(up)) continue;
        char *name =
            kind == CXCursor_Namespace ? popc_string(clang_getCursorSpelling(up)) : popc_class_name(up, true);
        if (kind != CXCursor_Namespace) { /* already qualified */
            g_string_prepend(scope, "::");
            g_string_prepend(scope, name);
            g_free(name);
            break;
        }
        g_string_prepend(scope, *name ? "::" : "");
        g_string_prepend(scope, name);
        g_free(name);
    }
    return g_string_free(scope, FALSE);
}

typedef struct parameter_search {
    int wanted, seen;
    CXCursor found;
} parameter_search;

static enum CXChildVisitResult find_parameter(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    parameter_search *search = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind != CXCursor_TemplateTypeParameter && kind != CXCursor_NonTypeTemplateParameter &&
        kind != CXCursor_TemplateTemplateParameter)
        return CXChildVisit_Continue;
    if (search->seen++ != search->wanted) return CXChildVisit_Continue;
    search->found = cursor;
    return CXChildVisit_Break;
}

typedef struct enumerator_search {
    long long value;
    char *name;
} enumerator_search;

static enum CXChildVisitResult find_enumerator(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    enumerator_search *search = data;
    if (clang_getCursorKind(cursor) != CXCursor_EnumConstantDecl ||
        clang_getEnumConstantDeclValue(cursor) != search->value)
        return CXChildVisit_Continue;
    char *scope = scope_of(cursor), *name = popc_string(clang_getCursorSpelling(cursor));
    search->name = g_strconcat(scope, name, NULL);
    g_free(scope);
    g_free(name);
    return CXChildVisit_Break;
}

/* Integer, bool or enum argument `index`, by the type of the template's parameter (Poplar API, vertex names). */
static char *integral_text(CXCursor cursor, unsigned index, bool as_code)
{
    CXCursor primary = clang_getSpecializedCursorTemplate(cursor);
    while (clang_getCursorKind(primary) == CXCursor_ClassTemplatePartialSpecialization)
        primary = clang_getSpecializedCursorTemplate(primary);
    parameter_search search = { .wanted = (int)index, .found = clang_getNullCursor() };
    clang_visitChildren(primary, find_parameter, &search);
    CXType type = clang_getCanonicalType(clang_getCursorType(search.found));
    long long value = clang_Cursor_getTemplateArgumentValue(cursor, index);
    if (type.kind == CXType_Bool) return g_strdup(value ? "true" : "false");
    if (type.kind == CXType_Enum) {
        enumerator_search enumerator = { value, NULL };
        CXCursor declaration = clang_getTypeDeclaration(type);
        clang_visitChildren(declaration, find_enumerator, &enumerator);
        if (enumerator.name) return enumerator.name;
        char *name = names_type_text(type), *cast = g_strdup_printf("(%s)%lld", name, value);
        g_free(name);
        if (as_code) return cast;
        g_free(cast);
    }
    bool is_unsigned = type.kind == CXType_UInt || type.kind == CXType_ULong || type.kind == CXType_ULongLong;
    return g_strdup_printf(is_unsigned ? "%llu" : "%lld", value);
}

char *popc_class_name(CXCursor cursor, bool as_code)
{
    char *scope = scope_of(cursor), *spelling = popc_string(clang_getCursorSpelling(cursor));
    GString *name = g_string_new(scope);
    g_string_append(name, spelling);
    g_free(scope);
    g_free(spelling);
    int count = clang_Cursor_getNumTemplateArguments(cursor);
    bool plain = true;
    for (int i = 0; i < count && plain; i++) {
        enum CXTemplateArgumentKind kind = clang_Cursor_getTemplateArgumentKind(cursor, (unsigned)i);
        plain = kind == CXTemplateArgumentKind_Type || kind == CXTemplateArgumentKind_Integral;
    }
    if (!plain) { /* packs, templates, addresses: as the compiler spells them */
        g_string_free(name, TRUE);
        return tidy(popc_string(clang_getTypeSpelling(clang_getCanonicalType(clang_getCursorType(cursor)))));
    }
    for (int i = 0; i < count; i++) {
        bool is_type = clang_Cursor_getTemplateArgumentKind(cursor, (unsigned)i) == CXTemplateArgumentKind_Type;
        char *text = is_type ? names_type_text(clang_Cursor_getTemplateArgumentType(cursor, (unsigned)i))
                             : integral_text(cursor, (unsigned)i, as_code);
        g_string_append_c(name, i ? ',' : '<');
        g_string_append(name, text);
        g_free(text);
    }
    if (count > 0) g_string_append_c(name, '>');
    return g_string_free(name, FALSE);
}
