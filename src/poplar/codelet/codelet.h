/* SPDX-License-Identifier: MIT */
/* codelet: vertex types and the native code behind them. What graph and engine use.
 *
 *     tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
 *     tw__codelets_add_file(set, "scale.c", TW__CODELET_AUTO, "-O3", diags);
 *     const tw__vertex_type *vt = tw__codelets_find(set, "Scale");
 *     tw__entry run = tw__codelets_entry(set, vt);        // compiled, linked, loaded; cached on disk
 *     run(state, 0, 1);                                    // state laid out as the fields of vt say
 *
 * HOST STATE ABI. The caller allocates host_size bytes aligned to host_align, zeroes them and fills each
 * field at its host_offset by its form: TW__EDGE_SCALAR   T *                           Input<T>, Output<T>,
 * InOut<T> TW__EDGE_VECTOR   tw_host_span                  Input<Vector<T>>, whatever the layout
 *     TW__EDGE_VECTORS  tw_host_rows                  Vector<Input<Vector<T>>>, Input<VectorList<T>>
 *     TW__EDGE_SCALARS  tw_host_edges                 Vector<Input<T>>
 *     TW__STATE_VECTOR  tw_host_span                  Vector<T> without a direction
 *     TW__STATE_PLAIN   count elements of `type`      int n; short s[4]; half k; float4 v (count 4); enum
 * (its integer) TW__STATE_OPAQUE  host_size bytes               structs, pointers: settable from raw bytes
 * only `half` takes 4 bytes (a float) in a TW__HALF_FLOAT set and 2 bytes in a TW__HALF_F16 set, in data and
 * in state. */
#ifndef TW_CODELET_CODELET_H
#define TW_CODELET_CODELET_H

#include "core/base/base.h"
#include "core/type/type.h"

#include <glib.h>
#include <tilewright/codelet_math.h>
#include <tilewright/poplar/colossus/object.h>

/* Same layout as the span types of <poplar/InOutTypes.hpp> and <tilewright/codelet.h>. Sizes in elements. */
typedef struct tw_host_span {
    void *data;
    uint32_t size;
} tw_host_span;
typedef struct tw_host_rows {
    tw_host_span *rows;
    uint32_t size;
} tw_host_rows;
typedef struct tw_host_edges {
    void **edges;
    uint32_t size;
} tw_host_edges;
_Static_assert(sizeof(void *) != 8 || sizeof(tw_host_span) == 16, "part of the host state ABI");

typedef enum tw__direction { TW__STATE, TW__INPUT, TW__OUTPUT, TW__INOUT } tw__direction;

typedef enum tw__field_form {
    TW__STATE_PLAIN,
    TW__STATE_OPAQUE,
    TW__STATE_VECTOR,
    TW__EDGE_SCALAR,
    TW__EDGE_VECTOR,
    TW__EDGE_SCALARS,
    TW__EDGE_VECTORS
} tw__field_form;

/* poplar::VectorLayout and poplar::VectorListLayout in one enum (Poplar API, codelet headers). */
typedef enum tw__vector_layout {
    TW__LAYOUT_NONE, /* NOT_A_VECTOR */
    TW__LAYOUT_SPAN,
    TW__LAYOUT_SHORT_SPAN,
    TW__LAYOUT_ONE_PTR,
    TW__LAYOUT_SCALED_PTR32,
    TW__LAYOUT_SCALED_PTR64,
    TW__LAYOUT_SCALED_PTR128,
    TW__LAYOUT_COMPACT_PTR,
    TW__LAYOUT_DELTAN, /* lists only, from here on */
    TW__LAYOUT_DELTANELEMENTS,
    TW__LAYOUT_COMPACT_DELTAN,
    TW__LAYOUT_COUNT
} tw__vector_layout;
const char *tw__vector_layout_name(tw__vector_layout layout); /* "SPAN"... */

typedef struct tw__field {
    const char *name;
    tw__direction direction;
    tw__field_form form;
    tw_type type;                /* of one element; TW_TYPE_NONE for TW__STATE_OPAQUE */
    const char *type_text;       /* TW__STATE_OPAQUE: the type as declared, NULL when not known; else NULL */
    unsigned rank;               /* 0, 1, 2; 1 for TW__EDGE_SCALARS */
    tw__vector_layout layout[2]; /* [0] outermost level, as declared; rank 1 uses [0] alone, a VectorList too */
    unsigned min_align;          /* bytes, of the innermost data, as declared; at least the element's size */
    bool interleaved;            /* innermost data in interleaved memory (guide 4.1.4) */
    bool is_list;                /* VectorList rather than Vector of Vector */
    unsigned count;              /* TW__STATE_PLAIN: elements (1, or the array's length); else 1 */
    size_t host_offset, host_size;
} tw__field;
bool tw__field_is_long(const tw__field *field); /* plain state of 32 bits on the chip, 64 on the host */

/* poplar::constraint, resolved (guide table 3.1): the data of fields a and b must lie in different memory elements,
 * or in different regions. a and b are indices into the vertex type's fields, edges both, never the same. */
typedef enum tw__constraint_rule { TW__CONSTRAINT_ELEM, TW__CONSTRAINT_REGION } tw__constraint_rule;
typedef struct tw__constraint {
    tw__constraint_rule rule;
    unsigned a, b;
    const char *text; /* as written: "elem(*src)!=elem(*dst)" */
} tw__constraint;

typedef enum tw__vertex_kind { TW__VERTEX, TW__MULTIVERTEX, TW__SUPERVISOR } tw__vertex_kind;

typedef struct tw__vertex_type {
    const char *name;   /* "popops::Reduce<popops::ReduceAdd,float,float,false,2>" (Poplar API, vertex names) */
    const char *symbol; /* "__runCodelet_..." (guide 3.5) */
    tw__vertex_kind kind;
    size_t host_size, host_align;
    const tw__field *fields; /* in order of declaration, fields of base classes first */
    unsigned num_fields;
    const char *const *constraints; /* texts of placed_apart, for whoever shows them */
    const tw__constraint *placed_apart;
    unsigned num_constraints;
    bool is_external;   /* isExternalCodelet as the host sees it; the host runs compute() anyway */
    bool has_entry;     /* false: declared but without native code (external, no compute) */
    const char *origin; /* file that declares it */
    unsigned line;      /* of compute() there; 0 = not known */
    unsigned index;     /* in the set */
} tw__vertex_type;

/* The same vertex on a chip. fields[i] belongs to vertex_type->fields[i]. */
typedef enum tw__arch { TW__ARCH_IPU1, TW__ARCH_IPU2, TW__ARCH_IPU21, TW__ARCH_COUNT } tw__arch;
bool tw__arch_by_name(const char *name, tw__arch *arch); /* ipu1 = mk1, ipu2 = mk2, ipu21 */
const char *tw__arch_name(tw__arch arch);

typedef struct tw__device_field {
    uint32_t offset, size;       /* bytes in the vertex state; size 0: the field does not exist on this chip */
    tw__vector_layout layout[2]; /* COMPACT_* resolved */
    bool compact[2];             /* declared as COMPACT_PTR */
    uint32_t align;              /* bytes, of the field in the state */
} tw__device_field;

typedef struct tw__device_vertex {
    uint32_t size, align;           /* bytes */
    const tw__device_field *fields; /* vertex_type->num_fields */
    bool is_external;
    int64_t stack_bytes; /* of the entry, -1 when unknown */
} tw__device_vertex;

/* --- loaded.c: a set of loaded codelets --------------------------------------------------------------------
 */

typedef enum tw__half_variant { TW__HALF_FLOAT, TW__HALF_F16 } tw__half_variant; /* docs/decisions.md, G3 */

typedef enum tw__codelet_type {
    TW__CODELET_AUTO, /* by the file's name: .c, .cpp .cc .cxx .C, .gp, .o, .S .s (assembly: code for the chip) */
    TW__CODELET_C,
    TW__CODELET_CPP,
    TW__CODELET_OBJECT /* .gp, and .o: ELF of a chip */
} tw__codelet_type;

typedef struct tw__codelets tw__codelets;
typedef int (*tw__entry)(void *state, unsigned worker, unsigned num_workers);

/* One owner each; a set is read by one thread at a time, entries may run in any thread. Freeing unloads the
 * code. */
tw__codelets *tw__codelets_new(tw__half_variant variant); /* NULL: out of memory */
tw__codelets *tw__codelets_ref(tw__codelets *set);
void tw__codelets_free(tw__codelets *set); /* drops one reference; NULL is fine */
tw__half_variant tw__codelets_variant(const tw__codelets *set);

/* Compiles (or takes from the cache) and adds the vertex types of a file. `flags` as a shell would split
 * them, or NULL. Messages about the user's file go to `diags` (may be NULL); the return value and
 * tw_error_message() tell the rest: TW_E_FILE_LOAD (cannot be read), TW_E_COMPILATION, TW_E_OBJECT_LOAD (bad
 * .gp), TW_E_NO_ENVIRONMENT (no compiler), TW_E_OBJECT_CREATION (vertex defined twice). On failure the set is
 * as before. Same file and flags again: nothing happens. */
tw_status tw__codelets_add_file(tw__codelets *set, const char *path, tw__codelet_type type, const char *flags,
                                tw_diags *diags);
/* The same for a text; `name` stands in messages and __FILE__ ("<codelets>"); type C or CPP. */
tw_status tw__codelets_add_source(tw__codelets *set, const char *text, tw__codelet_type type, const char *name,
                                  const char *flags, tw_diags *diags);

/* Blanks in `name` do not matter ("Foo<float, 2>"). NULL when unknown. Valid as long as the set. */
const tw__vertex_type *tw__codelets_find(const tw__codelets *set, const char *name);
/* Whether there is one of that name; when it cannot be found all the same, tw_error_message() says what is wrong with
 * the file that it is in. */
bool tw__codelets_has(const tw__codelets *set, const char *name);
/* Vertex whose entry is `symbol` ("__runCodelet_..."); NULL when there is none. Names that mangle alike cannot meet
 * in a set, so the answer is the only one (docs/poplar-memory.md). */
const tw__vertex_type *tw__codelets_demangle(const tw__codelets *set, const char *symbol);
const tw__field *tw__vertex_field(const tw__vertex_type *vt, const char *name); /* NULL when unknown */
size_t tw__codelets_count(const tw__codelets *set);
const tw__vertex_type *tw__codelets_get(const tw__codelets *set, size_t index);
/* Nearest known name, for "did you mean"; NULL when nothing is near. */
const char *tw__codelets_suggest(const tw__codelets *set, const char *name);
const char *tw__vertex_suggest_field(const tw__vertex_type *vt, const char *name);

/* Native code; links and loads on first use. NULL with tw_error_message() set when that fails. */
tw__entry tw__codelets_entry(tw__codelets *set, const tw__vertex_type *vt);
/* Layout on a chip; made on first use (one pass of the compiler's front end per file and chip, cached). NULL
 * with tw_error_message() set when the file cannot be read for that chip. Valid as long as the set. */
const tw__device_vertex *tw__codelets_device(tw__codelets *set, const tw__vertex_type *vt, tw__arch arch);
bool tw__codelets_no_memory(const tw__codelets *set); /* one of the calls here failed for this */
/* The same with COMPACT_PTR as PopLibs' assembly reads it (docs/colossus.md): no coarser than an alignment of 8
 * allows. Fields behind a pointer that grows by this move. */
const tw__device_vertex *tw__codelets_device_poplibs(tw__codelets *set, const tw__vertex_type *vt, tw__arch arch);

/* --- poplibs.c: from the layout of the chip; count: fields. NULL with tw_error_message(). */
tw__device_vertex *tw__device_as_poplibs(tw__arena *arena, const tw__device_vertex *device, unsigned count,
                                         tw__arch arch);

/* Code of the chip: an object of each assembly file and of each unit of an archive that holds one; with `compiled`
 * those of C and C++, too, with `debug` as by -g. Newly allocated: tw_object_free() each, g_free() the array.
 * Messages go to `diags`; a source in C or C++ that cannot be compiled for it is left out, behind its errors. */
tw_status tw__codelets_objects(const tw__codelets *set, tw__arch arch, bool compiled, bool debug,
                               tw_object ***objects, size_t *count, tw_diags *diags);

/* --- store.c: a set as bytes, for executables ------------------------------------------------------------------- */

/* Appends every file of the set, compiled: for the host and, unless `host_only`, for the chips. */
tw_status tw__codelets_store(const tw__codelets *set, bool host_only, GByteArray *out);
/* Adds what store() wrote; *used gets its length. The bytes may be anything: TW_E_OBJECT_LOAD. */
tw_status tw__codelets_restore(tw__codelets *set, const uint8_t *bytes, size_t size, size_t *used);

/* --- random.c: generators of simulated tiles -------------------------------------------------------------------- */

typedef struct tw__random {
    unsigned long long state[2];
} tw__random;
void tw__random_seed(tw__random *random); /* the fixed seed of every tile */
/* Vertices that this thread runs from now on draw from `random`; NULL = a generator of the thread's own. */
void tw__random_use(tw__random *random);
bool tw__random_connect(void *handle);           /* of loaded codelets; false when they draw none */
bool tw__codelets_draw(const tw__codelets *set); /* some loaded codelet may draw random numbers */

/* --- math.c: functions of <tilewright/codelet_math.h> ------------------------------------------------------- */

/* What codelets call that are loaded from now on; the table stays. The vector kernels stand above this box. */
void tw__math_offer(const tw_codelet_math *table);
void tw__math_connect(void *handle);

/* --- compile/names.c: guide 3.5, docs/decisions.md, M4 --------------------------------------------------------- */

#define TW__ENTRY_PREFIX "__runCodelet_"
/* "popnn::NonLinearity2D<float, 2>" -> "__runCodelet_popnn__NonLinearity2D___float_2"; newly allocated
 * (g_free). */
char *tw__mangle(const char *vertex_name);
/* Drops blanks around punctuation, keeps one inside types: "Foo< float, unsigned  int >" ->
 * "Foo<float,unsigned int>". Newly allocated (g_free). */
char *tw__vertex_canonical_name(const char *vertex_name);

#endif
