/* SPDX-License-Identifier: MIT */
/* popc module: reads vertex classes out of a source with libclang. Loaded with dlopen by
 * src/poplar/codelet/compile/clang_module.c.
 *
 *   scan.c     parse, visit, resolve base classes, report
 *   names.c    types and names as Poplar spells them
 *   fields.c   one vertex: fields, constraints -> JSON
 *   members.c  the members of state that is a structure
 *
 * libclang does not show the base classes of an explicit template instantiation when they depend on its parameters,
 * nor its static members. Those questions are put to the compiler itself: the source is parsed again with alias
 * templates and constants appended ("probes"), whose answers are plain declarations. */
#ifndef TW_CODELET_CLANG_H
#define TW_CODELET_CLANG_H

#include "poplar/codelet/clang/scan.h"

#include <clang-c/Index.h>
#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

enum { MAX_BASES = 16 };

typedef enum vertex_base { NOT_A_VERTEX, VERTEX, MULTIVERTEX, SUPERVISOR } vertex_base;

typedef struct vertex_class {
    CXCursor cursor; /* class, or explicit instantiation */
    CXType type;
    char *key;               /* spelling of the type: the same in every parse */
    CXType bases[MAX_BASES]; /* user's own bases, most basic first */
    unsigned num_bases;
    vertex_base base;
    bool has_external; /* declares isExternalCodelet */
    int compute_args;  /* -1: no compute() */
    CXCursor compute;  /* it, where there is one */
    char *c_name;      /* C: the annotation "Vertex Foo<float>", else NULL */
} vertex_class;

typedef struct scanner {
    const tw__scan *scan;
    CXTranslationUnit unit;
    GArray *classes;       /* vertex_class */
    GHashTable *answers;   /* probe name -> CXCursor*, of this parse */
    GHashTable *questions; /* what was asked -> probe name */
    GString *probes;       /* text to append at the next parse */
    unsigned num_probes, num_new;
    GHashTable *functions; /* C: "Scale_compute" -> CXCursor* */
    unsigned errors;
} scanner;

typedef struct element {
    const char *type;    /* NULL: not a type of fields */
    const char *instead; /* then: what to use, NULL when it is a structure or pointer */
    unsigned count;      /* lanes of a short vector */
} element;

/* names.c */
element popc_element(CXType type);
bool popc_is_named(CXType type, const char *name);    /* its declaration, without scope */
char *popc_class_name(CXCursor cursor, bool as_code); /* "ns::Foo<float,3>"; as_code: what C++ reads as that type */

/* members.c */
bool popc_check_members(scanner *s, CXType type, const char *field, const char *vertex,
                        unsigned depth); /* reports */

/* fields.c */
json_t *popc_vertex(scanner *s, const vertex_class *vc);

/* scan.c */
void popc_error(scanner *s, CXCursor at, const char *code, const char *format, ...) G_GNUC_PRINTF(4, 5);
char *popc_string(CXString string);      /* newly allocated */
bool popc_is_in_poplar(CXCursor cursor); /* declared in namespace poplar */
/* The pattern whose children show fields, methods and bases of a class: its template, or the class itself. */
CXCursor popc_pattern(CXCursor cursor);
/* Answer of a constant probe about `vc`, 0 or 1; asks when nothing is known yet. */
bool popc_is_external(scanner *s, const vertex_class *vc);

#endif
