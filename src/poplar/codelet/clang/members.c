/* SPDX-License-Identifier: MIT */
/* State that is a structure: its members, at any depth, must be types that the IPU has as well, or the host's state
 * and the chip's would differ in size (guide 10.1). */
#include "poplar/codelet/clang/clang.h"

#include <string.h>

#define MAX_DEPTH 32

typedef struct member_visit {
    scanner *s;
    const char *field, *vertex;
    unsigned depth;
    bool ok;
} member_visit;

/* The type behind arrays and references; of pointers only what they point to is looked at by the caller. */
static CXType element_of(CXType type)
{
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    return type;
}

static enum CXVisitorResult visit_member(CXCursor cursor, CXClientData data)
{
    member_visit *v = data;
    CXType type = element_of(clang_getCursorType(cursor));
    element e = popc_element(type);
    if (e.instead && type.kind != CXType_Void) {
        char *name = popc_string(clang_getCursorSpelling(cursor));
        char *text = popc_string(clang_getTypeSpelling(clang_getCursorType(cursor)));
        popc_error(v->s, cursor, "popc.field-type",
                   "member '%s' of field '%s' of vertex '%s' has type '%s', which a vertex cannot hold: use %s",
                   name, v->field, v->vertex, text, e.instead);
        g_free(name);
        g_free(text);
        v->ok = false;
    } else if (!e.type && type.kind == CXType_Record) {
        v->ok &= popc_check_members(v->s, type, v->field, v->vertex, v->depth + 1);
    }
    return CXVisit_Continue;
}

bool popc_check_members(scanner *s, CXType type, const char *field, const char *vertex, unsigned depth)
{
    type = element_of(type);
    if (type.kind != CXType_Record || depth > MAX_DEPTH) return true;
    member_visit v = { .s = s, .field = field, .vertex = vertex, .depth = depth, .ok = true };
    clang_Type_visitFields(type, visit_member, &v);
    return v.ok;
}
