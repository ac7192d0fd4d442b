/* SPDX-License-Identifier: MIT */
/* build.h: what the files of this box share while a graph is under construction. An engine needs none of it. */
#ifndef TW_GRAPH_BUILD_H
#define TW_GRAPH_BUILD_H

#include "poplar/graph/graph.h"

enum { TW__MAX_RANK = 32 };

/* --- virtual_graphs.c: the handle a user holds ------------------------------------------------------------------ */

struct tw_graph {
    int refs;
    tw__core *core;
    tw_target *target;        /* of this graph, with its number of tiles */
    tw_graph *top;            /* NULL in a top-level graph; else holds a reference */
    const uint32_t *to_top;   /* [tiles]; NULL = the same numbers */
    const uint32_t *from_top; /* [tiles of the top-level graph] */
    tw_graph **replica;       /* [replicas]; the graph itself maps as replica 0 does (replicas.h) */
    unsigned replicas;        /* 0: not replicated */
};
/* NULL, for a call that could not make another graph of this one, which says why (or is NULL itself). */
void *tw__graph_refused(const tw_graph *graph);

/* --- core/errors.c ---------------------------------------------------------------------------------------------- */

typedef struct tw__error_state {
    tw_error error; /* strings point into the buffers below */
    char message[2048], function[64], file[512];
} tw__error_state;

/* Top-level number of a tile of this graph; false with an error when there is no such tile. */
bool tw__tile_to_top(const tw_graph *graph, unsigned tile, const char *what, uint32_t *top);
/* First line of every public call: notes function and call site; false when the graph is NULL or in error. */
bool tw__enter(const tw_graph *graph, const char *function);
/* The same for calls that make a graph from nothing. */
void tw__enter_maker(const char *function);
/* NULL for such a call, whose message is there: keeps the error with its place for tw_graph_error(NULL). */
void *tw__no_graph(tw_status status);
/* The same for getters, which also answer on a graph in error. False when the graph is NULL. */
bool tw__enter_getter(const tw_graph *graph, const char *function);
#define TW__ENTER(graph, result)                          \
    do {                                                  \
        if (!tw__enter((graph), __func__)) return result; \
    } while (0)
#define TW__ENTER_GETTER(graph, result)                          \
    do {                                                         \
        if (!tw__enter_getter((graph), __func__)) return result; \
    } while (0)
/* Hands the call site of the call that runs now on to a public call that it makes. */
void tw__call_site_again(void);
/* Source file of the call that runs now; NULL when it is not known. */
const char *tw__call_site_file(void);
/* Keeps the error if it is the first; returns false, so that a check ends in one line. */
bool tw__graph_fail(const tw__core *core, tw_status status, const char *format, ...) TW_PRINTF(3, 4);
bool tw__graph_no_memory(const tw__core *core);

/* --- tensor/regions.c ------------------------------------------------------------------------------------------- */

/* Collects regions in order and joins what fits together. Zero-initialise; ends in finish() or drop(). */
typedef struct tw__builder {
    tw__region *region;
    size_t n, room;
    bool failed; /* out of memory */
} tw__builder;
void tw__builder_box(tw__builder *builder, uint32_t var, uint64_t offset, const tw__dim *dims, unsigned rank);
void tw__builder_range(tw__builder *builder, const tw__regions *list, uint64_t begin, uint64_t end);
void tw__builder_drop(tw__builder *builder);
tw__regions *tw__builder_finish(tw__builder *builder); /* NULL: out of memory */

/* Drops dims of one element and joins neighbours that step evenly; returns the new number, 0 for one element. */
unsigned tw__dims_join(tw__dim *dims, unsigned rank);
/* Dims of the same elements in ascending order of address: strides positive, outermost largest, zero strides gone.
 * *offset becomes the lowest element. Order and multiplicity are lost; *repeats tells whether there was any. */
unsigned tw__dims_sort(tw__dim *dims, unsigned rank, uint64_t *offset, bool *repeats);
/* Lowest element and one past the highest. */
void tw__region_bounds(const tw__region *region, uint64_t *begin, uint64_t *end);
/* Elements [begin, end) of a region as one box, if they are one; rank <= 4 into dims. */
bool tw__region_part(const tw__region *region, uint64_t begin, uint64_t end, uint64_t *offset, tw__dim *dims,
                     unsigned *rank);
/* The same of a list, when they lie in one region. */
bool tw__regions_box(const tw__regions *list, uint64_t begin, uint64_t end, uint32_t *var, uint64_t *offset,
                     tw__dim *dims, unsigned *rank);

/* --- tensor/affine.c -------------------------------------------------------------------------------------------- */

/* Strides of a row-major tensor of `shape`; the product is the caller's business. */
void tw__row_major(unsigned rank, const size_t *shape, int64_t *stride);
/* Strides of `shape` over the elements that joined `dims` walk, if each dimension of the shape steps evenly. */
bool tw__dims_reshape(const tw__dim *dims, unsigned n, unsigned rank, const size_t *shape, int64_t *stride);

/* A box of a tensor's index space that is one affine piece of one variable. */
typedef struct tw__axis {
    uint64_t begin, size;
    int64_t stride; /* elements */
} tw__axis;
typedef struct tw__box {
    uint32_t var;
    uint64_t offset; /* element at the box's lowest corner */
    tw__axis axis[];
} tw__box;
typedef struct tw__boxes {
    unsigned rank;
    size_t n, room;
    char *data;
    bool failed; /* out of memory */
} tw__boxes;
tw__box *tw__boxes_at(const tw__boxes *boxes, size_t index);
tw__box *tw__boxes_add(tw__boxes *boxes); /* NULL and `failed` when out of memory */
void tw__boxes_drop(tw__boxes *boxes);
/* Appends the boxes of `list` seen as a tensor of `shape` (boxes->rank dims). */
void tw__boxes_from_list(tw__boxes *boxes, const tw__regions *list, const size_t *shape);
/* Row-major list of boxes that tile `shape`. NULL: out of memory. */
tw__regions *tw__boxes_to_list(const tw__boxes *boxes, const size_t *shape);

/* --- tensor/box_sets.c ------------------------------------------------------------------------------------------ */

struct tw__box_set; /* immutable, reference counted: more boxes than a few, which tile the shape of a tensor */
struct tw__node;
struct tw__box_set *tw__box_set_ref(struct tw__box_set *set);
void tw__box_set_unref(struct tw__box_set *set);
const tw__boxes *tw__box_set_boxes(const struct tw__box_set *set);
/* Handle of a tensor of `shape` of boxes that tile it, empty ones aside (taken over, also on failure); affine or a
 * list where they are few. */
tw_tensor tw__tensor_from_boxes(tw__core *core, tw_type type, unsigned rank, const size_t *shape, tw__boxes *boxes);
/* Appends the boxes of any node with out->rank dims; a list must be there when it is neither affine nor a set. */
void tw__boxes_of_node(const struct tw__node *node, tw__boxes *out);
/* The elements of a node in any order, each as often as the tensor names it; borrowed. NULL with an error. */
tw__regions *tw__node_elements(const tw__core *core, const struct tw__node *node);
/* The same boxes in the same order? When not, the elements may still be the same. */
bool tw__box_sets_equal(const struct tw__box_set *a, const struct tw__box_set *b);
/* Appends what indices [begin, end) of each dimension hold, as a tensor of its own. */
void tw__box_set_slice(struct tw__box_set *set, const size_t *begin, const size_t *end, tw__boxes *out);
/* The same elements under another shape; false when they would be more boxes. */
bool tw__box_set_reshape(tw__core *core, const struct tw__node *t, unsigned rank, const size_t *shape,
                         tw_tensor *result);

/* The set of any node, with a reference: its own, or one of its boxes for this time. NULL: out of memory. */
struct tw__box_set *tw__node_box_set(const struct tw__node *node);
/* The first element in row-major order; false when there is none. */
bool tw__node_corner(const struct tw__node *node, uint32_t *var, uint64_t *offset);

/* --- tensor/storage_order.c ------------------------------------------------------------------------------------- */

/* lists[count]: the elements of t in the order of storage, lists[i] those of others[i], of the same shape, in that
 * order, too. False when t is not made of boxes that are runs apart from each other, or out of memory. */
bool tw__storage_order(const struct tw__node *t, size_t count, const struct tw__node *const *others,
                       tw__regions **lists);

/* --- tensor/handles.c ------------------------------------------------------------------------------------------- */

/* What a handle names. Affine tensors have an offset and strides, others many boxes, the rest a region list; the list
 * of the first two is made when somebody asks for it. */
typedef struct tw__node {
    tw__tensor t;            /* t.shape points to dims */
    struct tw__box_set *set; /* NULL: no boxes */
    uint32_t var;
    uint32_t affine;
    uint64_t offset;
    size_t dims[]; /* shape[rank], then strides[rank] as int64_t when affine */
} tw__node;
static inline int64_t *tw__strides(const tw__node *node)
{
    return (int64_t *)(uintptr_t)(node->dims + node->t.rank);
}
uint64_t tw__node_count(const tw__node *node); /* elements */

struct tw__handles *tw__handles_new(void); /* NULL: out of memory */
void tw__handles_free(struct tw__handles *handles);
/* Nodes and their handles. make: unset strides and shape, or NULL. publish: takes the node, nil on failure. */
tw__node *tw__node_make(tw__core *core, tw_type type, unsigned rank, bool affine);
void tw__node_drop(tw__core *core, tw__node *node); /* of a node without a handle; NULL is fine */
tw_tensor tw__node_publish(tw__core *core, tw__node *node);
void tw__tensor_drop(tw__core *core, tw_tensor tensor);                /* a temporary of this box; nil is fine */
const tw__node *tw__node_find(const tw__core *core, tw_tensor tensor); /* NULL when nil or stale */
const tw__node *tw__node_get(const tw__core *core, tw_tensor tensor, const char *what); /* the same with an error */
/* The region list of a node, made on demand; borrowed. NULL with an error when out of memory. */
tw__regions *tw__node_regions(const tw__core *core, const tw__node *node);
void tw__builder_node(tw__builder *builder, const tw__node *node);
/* One run var[offset .. offset + count)? */
bool tw__node_run(const tw__node *node, uint32_t *var, uint64_t *offset, uint64_t *count);
bool tw__node_plain(const tw__node *node); /* one run of ascending elements */
/* "x[1472][512]", "slice of x[1472][512]", ... into buf; returns buf. */
char *tw__node_text(const tw__core *core, const tw__node *node, char *buf, size_t size);
char *tw__shape_text(unsigned rank, const size_t *shape, char *buf, size_t size); /* "[8][512]", "[]" */
char *tw__variable_text(const tw__core *core, uint32_t var, char *buf, size_t size);
#define TW__TEXT_BYTES 256

/* --- tensor/shapes.c -------------------------------------------------------------------------------------------- */

#define TW__NIL_TENSOR ((tw_tensor){ 0, 0 })
/* Handle of a new tensor of `shape` over `list` (reference taken over, also on failure); affine when it is. */
tw_tensor tw__tensor_from_list(tw__core *core, tw_type type, unsigned rank, const size_t *shape, tw__regions *list);
/* An affine node that starts where `like` does; shape and strides unset. NULL with an error. */
tw__node *tw__node_affine(tw__core *core, const tw__node *like, unsigned rank);
void tw__node_set_shape(tw__node *node, const size_t *shape);
/* The same elements under another shape of as many. */
tw_tensor tw__reshaped(tw__core *core, const tw__node *t, unsigned rank, const size_t *shape);
uint64_t tw__dims_product(const size_t *shape, unsigned begin, unsigned end); /* of dims [begin, end) */
/* Checks of arguments: false with an error. */
bool tw__check_dim(tw__core *core, const tw__node *t, unsigned dim);
bool tw__check_rank(tw__core *core, unsigned rank);
/* The dimensions that are not 0 have a product whose size in bits fits into 63. */
bool tw__shape_fits(unsigned rank, const size_t *shape);
/* Product of a shape; false with an error when it does not fit or the rank is too large. */
bool tw__shape_count(const tw__core *core, unsigned rank, const size_t *shape, uint64_t *count);
/* First lines of a view: `core` is that of `graph`, `name` the node of `tensor`. */
#define TW__GET(graph, core, name, tensor, what)             \
    TW__ENTER((graph), TW__NIL_TENSOR);                      \
    tw__core *core = (graph)->core;                          \
    const tw__node *name = tw__node_get(core, tensor, what); \
    if (!name) return TW__NIL_TENSOR

/* --- vertex/fields.c, vertex/late_values.c ---------------------------------------------------------------------- */

/* A field of plain state that takes one number (or, with `many`, several). NULL with an error. */
const tw__field *tw__state_field(tw__core *core, tw_vertex vertex, const char *name, bool many, unsigned *field);
/* A checked number into plain state; the graph's error when it does not fit. */
void tw__field_put(tw__core *core, uint32_t vertex, unsigned index, const tw_field_number *number);
void tw__late_value_drop(tw__core *core, uint32_t vertex, unsigned field); /* a value came after the callback */

/* --- tensor/variables.c ----------------------------------------------------------------------------------------- */

tw_tensor tw__variable_tensor(tw__core *core, uint32_t var);
/* Adds a variable without mapping; false with an error. */
bool tw__variable_add(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape, const char *name,
                      bool constant, uint32_t *var);
void tw__variable_drop_last(tw__core *core); /* undoes tw__variable_add() */
/* Element of a constant as a number; false when the variable is no constant. */
bool tw__constant_element(const tw__core *core, uint32_t var, uint64_t element, double *value);
/* A constant of one element that no handle names. */
bool tw__constant_add(tw_graph *graph, tw_type type, const void *value, uint32_t *var);
/* Checks a type of the Poplar column against the target. */
bool tw__type_check(const tw__core *core, tw_type type);

/* --- tensor/mapping.c ------------------------------------------------------------------------------------------- */

/* Unmapped gaps of a variable go to a tile. False: no memory. */
bool tw__mapping_fill(tw__variable *variable, uint32_t tile);
/* Elements [begin, end) of `from` (settled) as they are mapped, at element `at` of `to`. False: no memory. */
bool tw__mapping_copy(tw__variable *to, uint64_t at, const tw__variable *from, uint64_t begin, uint64_t end);
/* First unmapped element of [begin, end), or `end`. The variable must be settled. */
uint64_t tw__mapping_gap(const tw__variable *variable, uint64_t begin, uint64_t end);

/* --- vertex/vertices.c, edges.c, fields.c ----------------------------------------------------------------------- */

tw__vertex *tw__vertex_get(tw__core *core, tw_vertex vertex); /* NULL with an error */
const tw__vertex_type *tw__vertex_info(const tw__core *core, const tw__vertex *vertex);
/* "vertex 12 of type Scale on tile 7" */
char *tw__vertex_text(const tw__core *core, uint32_t vertex, char *buf, size_t size);
/* Field by name, with "[index]" split off (*index = -1 without one). NULL with an error. */
const tw__field *tw__field_get(tw__core *core, uint32_t vertex, const char *name, unsigned *field, int64_t *index);
/* Of set_field_size(), by vertex, then field: sizes are set vertex after vertex, so nearly all go to the end. */
struct tw__field_size {
    uint32_t vertex, field;
    uint64_t size;
    uint64_t next; /* elements connected one by one have indices below this */
};
/* Size given by set_field_size(); false when none. */
bool tw__field_size_find(const tw__core *core, uint32_t vertex, unsigned field, uint64_t *size);
bool tw__field_size_set(tw__core *core, uint32_t vertex, unsigned field, uint64_t size); /* false with an error */
/* Is `index` beyond all elements of the field connected one by one so far? With `connected` it is the last from now
 * on. In ascending order, connecting n elements so costs O(n). */
bool tw__field_index_new(tw__core *core, uint32_t vertex, unsigned field, uint64_t index, bool connected);
bool tw__field_size_now(const tw__core *core, uint32_t vertex, unsigned field,
                        uint64_t *size); /* false: not known yet */
tw__vector_layout tw__layout_on(const tw_target *target, tw__vector_layout layout,
                                unsigned align);                                  /* COMPACT_* resolved */
uint64_t tw__field_limit(const tw__core *core, const tw__field *f, unsigned dim); /* as tw_graph_max_field_dim() */
/* One element, rounded to nearest even. Too large a number becomes the largest of its type, infinity stays infinite:
 * reductions start with it. */
void tw__number_store(tw_type type, void *to, double value);
/* Can `value` be stored in `type` without loss of range (and, for integers, exactly)? False with an error that names
 * the field and `owner`. */
bool tw__value_fits(const tw__core *core, tw_type type, double value, const char *field, const char *owner);
/* Index of the type in core->types, added on first use; -1 with an error. */
int64_t tw__type_entry(tw__core *core, const char *name);
void tw__vertex_lists_drop(tw__core *core);

/* --- tensor/overlap.c ------------------------------------------------------------------------------------------- */

/* Elements that an owner reads or writes: one run, or any region. */
typedef struct tw__touch {
    uint32_t var, owner;
    uint64_t begin, end;      /* bounds */
    const tw__region *region; /* NULL: exactly [begin, end) */
    uint32_t tag;             /* the caller's */
    bool write;
} tw__touch;
typedef enum tw__overlap { TW__OVERLAP_NONE, TW__OVERLAP_FOUND, TW__OVERLAP_NO_MEMORY } tw__overlap;
/* Looks for an element that one owner writes and another one reads or writes. Reorders `touches`. */
tw__overlap tw__overlap_find(tw__touch *touches, size_t count, tw__touch *first, tw__touch *second,
                             uint64_t *element);
/* Touches of a list's regions into out[list->n]. A region that repeats elements within itself says so. */
void tw__touches_of(const tw__regions *list, uint32_t owner, bool write, tw__touch *out);
tw__overlap tw__list_aliases(const tw__regions *list); /* any element twice */
tw__overlap tw__lists_intersect(const tw__regions *a, const tw__regions *b);
bool tw__lists_equal(const tw__regions *a, const tw__regions *b);
/* queries.c: as many elements, of the same places in the same order? False also when out of memory. */
bool tw__nodes_equal(const tw__core *core, const tw__node *x, const tw__node *y);

/* --- program/programs.c, copies.c, print.c ---------------------------------------------------------------------- */

/* Takes over the operands, also on failure (nil with an error). */
tw_program tw__program_add(tw__core *core, tw__program program);
/* The tensor is written by a program: no constants, no element twice. False with an error. */
bool tw__writable(tw__core *core, tw_tensor tensor, const char *what);
void tw__operand_drop(tw__operand *operand);
bool tw__operand_set(tw__core *core, tw__operand *operand, const tw__node *node); /* false with an error */
const char *tw__program_kind_name(tw__program_kind kind);                         /* print.c: "RepeatWhileTrue" */
char *tw__operand_text(const tw__core *core, const tw__operand *operand, char *buf, size_t size);

#endif
