/* SPDX-License-Identifier: MIT */
/* tw_graph: a dataflow program under construction: tensors, vertices, tile mapping, control programs, streams.
 *
 *     tw_graph *g = tw_graph_new(tw_device_target(dev));
 *     tw_graph_add_codelets(g, "scale.c", NULL);
 *     tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 1472, 512 }, "x");
 *     tw_graph_map_linearly(g, x);
 *     tw_compute_set cs = tw_graph_add_compute_set(g, "scale");
 *     tw_vertex v = tw_graph_add_vertex(g, cs, "Scale", 7);              // on tile 7
 *     tw_graph_connect(g, v, "data", tw_tensor_slice(g, x, 0, 7, 8));
 *     tw_graph_set_field(g, v, "factor", 2.0);
 *     tw_program p = tw_program_repeat(g, 10, tw_program_execute(g, cs));
 *
 * Ownership: names, codelets and data are copied. tw_graph_free() drops the caller's reference; an engine keeps
 * its own. tw_vertex, tw_compute_set, tw_program ... are indices, valid until the graph is gone.
 *
 * Tensors are views: small handles that name an immutable list of regions of variables; no call here copies
 * elements. Handles of views live until the graph is freed, or until tw_tensor_free(), or until the innermost
 * tw_graph_push_scope() / tw_graph_pop_scope() pair closes: loops that make millions of views use a scope.
 * Connecting, mapping and programs keep what they need of a view, whether or not its handle lives on.
 *
 * Errors: the first mistake is kept with the call that made it; later calls do nothing and return nil handles. A
 * failing call has no effect. Check tw_graph_status() once, or let tw_engine_new() / tw_engine_load() refuse the
 * graph; tw_graph_take_error() returns the error and clears it, so that a caller can go on.
 *
 * Threads: a graph, with its virtual and replicated graphs and the engines being made from it, is used by one thread
 * at a time; two graphs, also of one target, by two. Nothing here locks by itself: threads that share a graph put
 * their calls, views and queries too, between tw_graph_lock() and tw_graph_unlock(). */
#ifndef TILEWRIGHT_POPLAR_GRAPH_H
#define TILEWRIGHT_POPLAR_GRAPH_H

#include <tilewright/poplar/target.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_graph tw_graph;
/* clang-format off */
typedef struct tw_tensor { uint32_t id, generation; } tw_tensor; /* nil: id 0 */
typedef struct tw_vertex { uint32_t id; } tw_vertex;
typedef struct tw_compute_set { uint32_t id; } tw_compute_set;
typedef struct tw_program { uint32_t id; } tw_program;
typedef struct tw_function { uint32_t id; } tw_function;
typedef struct tw_function_buffer { uint32_t id; } tw_function_buffer;
typedef struct tw_host_function { uint32_t id; } tw_host_function;
typedef struct tw_stream { uint32_t id; } tw_stream;
typedef struct tw_remote_buffer { uint32_t id; } tw_remote_buffer;

typedef struct tw_interval { uint64_t begin, end; } tw_interval; /* half-open, in elements */
/* clang-format on */

/* --- life and errors --------------------------------------------------------------------------------------- */

typedef struct tw_error {
    tw_status status;     /* its name maps 1:1 to the exceptions of the Poplar API (tw_status_exception) */
    const char *message;  /* names tensor, vertex, field and tile where there are any */
    const char *function; /* the API call that failed, e.g. "tw_graph_connect" */
    const char *file;     /* of that call, when compiled with this header; NULL when unknown */
    int line;
} tw_error;

/* NULL: no memory, no target, or one without tiles. The target is referenced. */
TW_API tw_graph *tw_graph_new(const tw_target *target);
TW_API void tw_graph_free(tw_graph *graph); /* NULL is fine */
/* One lock for a graph and all that are views of it; a thread may take it several times. It guards nothing but what
 * callers put inside. The error of a call is taken before the lock is given back, or another thread may find it. */
TW_API void tw_graph_lock(const tw_graph *graph); /* NULL is fine */
TW_API void tw_graph_unlock(const tw_graph *graph);
TW_API const tw_target *tw_graph_target(const tw_graph *graph); /* of this (virtual) graph */
/* Of NULL: why this thread could not make a graph, until its next failure. */
TW_API tw_status tw_graph_status(const tw_graph *graph);
TW_API const tw_error *tw_graph_error(const tw_graph *graph); /* status TW_OK when none; owned by the graph */
/* Copies the error to *error (may be NULL; its strings live until the next failing call) and clears it. */
TW_API tw_status tw_graph_take_error(tw_graph *graph, tw_error *error);
/* For libraries on top of graphs: the error of their call `function`, kept unless the graph has one. Returns the
 * status that the graph has now. TW_OK is no failure and becomes TW_E_ERROR. */
TW_API tw_status tw_graph_fail(tw_graph *graph, tw_status status, const char *function, const char *format, ...)
    TW_PRINTF(4, 5);

/* --- variables and constants ------------------------------------------------------------------------------- */

/* A new variable of shape[0] x … x shape[rank-1] elements; rank 0 = one element. `name` may be NULL.
 * Unmapped until mapped. Types: those of the Poplar column of type.h. */
TW_API tw_tensor tw_graph_add_variable(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                       const char *name);
/* A read-only tensor. `values`: product(shape) elements of `type` in host format (half: 2 bytes), row-major; with
 * `broadcast` one element for all. Must be mapped like a variable. Connecting it to an Output is an error. */
TW_API tw_tensor tw_graph_add_constant(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                       const void *values, bool broadcast, const char *name);
TW_API tw_tensor tw_graph_add_constant_double(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                              double value, const char *name);
/* Value of the elements of `tensor` after each load: numElements values of its type in host format, or one when
 * `broadcast`. Elements without one start as zero. */
TW_API void tw_graph_set_initial_value(tw_graph *graph, tw_tensor tensor, const void *values, bool broadcast);

typedef enum tw_clone_method {
    TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES = 0,
    TW_CLONE_PRESERVE_ORDER_AND_ALIASES = 1,
    TW_CLONE_CREATE_NEW_ORDER = 2,
    TW_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES = 3
} tw_clone_method;
/* New variable with shape and tile mapping of `tensor`; TW_TYPE_NONE keeps its type. */
TW_API tw_tensor tw_graph_clone(tw_graph *graph, tw_type type, tw_tensor tensor, tw_clone_method method,
                                const char *name);
typedef enum tw_clone_duplication {
    TW_CLONE_BY_OUTER_DIMENSION = 0, /* one clone after the other */
    TW_CLONE_BY_TILE_CONTIGUOUS_REGION =
        1 /* the copies of elements that follow one another on a tile lie together */
} tw_clone_duplication;
/* `n` clones in a new first dimension, in one new variable. */
TW_API tw_tensor tw_graph_clone_n(tw_graph *graph, tw_type type, tw_tensor tensor, size_t n, tw_clone_method method,
                                  tw_clone_duplication duplication, const char *name);

/* --- tensor views (Poplar API, Tensor.hpp); all share storage with their argument ------------------------------- */

TW_API bool tw_tensor_valid(const tw_graph *graph, tw_tensor tensor);
TW_API tw_type tw_tensor_type(const tw_graph *graph, tw_tensor tensor);
TW_API unsigned tw_tensor_rank(const tw_graph *graph, tw_tensor tensor);
TW_API size_t tw_tensor_dim(tw_graph *graph, tw_tensor tensor, unsigned dim);  /* TW_E_INDEX when dim >= rank */
TW_API const size_t *tw_tensor_shape(const tw_graph *graph, tw_tensor tensor); /* valid while the handle lives */
TW_API uint64_t tw_tensor_elements(const tw_graph *graph, tw_tensor tensor);

TW_API tw_tensor tw_tensor_slice(tw_graph *graph, tw_tensor tensor, unsigned dim, size_t begin, size_t end);
TW_API tw_tensor tw_tensor_slice_nd(tw_graph *graph, tw_tensor tensor, const size_t *begin,
                                    const size_t *end);                            /* rank each */
TW_API tw_tensor tw_tensor_index(tw_graph *graph, tw_tensor tensor, size_t index); /* tensor[index]: rank - 1 */
TW_API tw_tensor tw_tensor_element(tw_graph *graph, tw_tensor tensor,
                                   const size_t *indices); /* one element, rank 0 */
TW_API tw_tensor tw_tensor_concat(tw_graph *graph, unsigned count, const tw_tensor *tensors, unsigned dim);
TW_API tw_tensor tw_tensor_append(tw_graph *graph, tw_tensor tensor, tw_tensor element, unsigned dim);
TW_API tw_tensor tw_tensor_reshape(tw_graph *graph, tw_tensor tensor, unsigned rank, const size_t *shape);
TW_API tw_tensor tw_tensor_reshape_partial(tw_graph *graph, tw_tensor tensor, unsigned begin, unsigned end,
                                           unsigned rank,
                                           const size_t *shape); /* dims [begin, end) become `rank` new ones */
TW_API tw_tensor tw_tensor_flatten(tw_graph *graph, tw_tensor tensor);
TW_API tw_tensor tw_tensor_flatten_dims(tw_graph *graph, tw_tensor tensor, unsigned begin, unsigned end);
TW_API tw_tensor tw_tensor_dim_shuffle(tw_graph *graph, tw_tensor tensor,
                                       const unsigned *permutation); /* out.dim i = in.dim p[i] */
TW_API tw_tensor tw_tensor_dim_shuffle_partial(tw_graph *graph, tw_tensor tensor, unsigned count,
                                               const unsigned *source, const unsigned *destination);
TW_API tw_tensor tw_tensor_dim_roll(tw_graph *graph, tw_tensor tensor, unsigned dim, unsigned new_position);
TW_API tw_tensor tw_tensor_transpose(tw_graph *graph, tw_tensor tensor); /* rank 2 */
TW_API tw_tensor tw_tensor_expand(tw_graph *graph, tw_tensor tensor, unsigned count, const size_t *positions);
TW_API tw_tensor tw_tensor_squeeze(tw_graph *graph, tw_tensor tensor, unsigned count, const size_t *dims);
TW_API tw_tensor tw_tensor_broadcast(tw_graph *graph, tw_tensor tensor, unsigned times, unsigned dim);
TW_API tw_tensor tw_tensor_upsample(tw_graph *graph, tw_tensor tensor, unsigned scale, unsigned dim);
TW_API tw_tensor tw_tensor_sub_sample(tw_graph *graph, tw_tensor tensor, unsigned stride, unsigned dim);
TW_API tw_tensor tw_tensor_reverse(tw_graph *graph, tw_tensor tensor, unsigned dim);
TW_API tw_tensor tw_tensor_reinterpret(tw_graph *graph, tw_tensor tensor,
                                       tw_type type); /* same element size on the target */
/* Concatenation of intervals of the flattened tensor: "element pick". Rank 1. */
TW_API tw_tensor tw_tensor_pick(tw_graph *graph, tw_tensor tensor, size_t count, const tw_interval *intervals);

TW_API bool tw_tensor_is_contiguous(const tw_graph *graph, tw_tensor tensor);
TW_API bool tw_tensor_contains_aliases(const tw_graph *graph, tw_tensor tensor);
TW_API bool tw_tensor_contains_constant(const tw_graph *graph, tw_tensor tensor);
TW_API bool tw_tensor_is_parallel_writeable(const tw_graph *graph, tw_tensor tensor);
TW_API bool tw_tensor_intersects(const tw_graph *graph, tw_tensor a, tw_tensor b);
TW_API bool tw_tensor_equal(const tw_graph *graph, tw_tensor a, tw_tensor b); /* same shape, type, elements */
/* Intervals of the flattened tensor, each contiguous in one variable. Returns their number, writes up to `room`. */
TW_API size_t tw_tensor_contiguous_regions(const tw_graph *graph, tw_tensor tensor, tw_interval *regions,
                                           size_t room);
/* The same with the variables they lie in, for layers that sort and simplify views themselves. */
typedef struct tw_variable_region {
    tw_interval elements; /* of the flattened tensor */
    uint64_t offset;      /* element of the variable that the first of them is */
    uint32_t variable;    /* ids start at 0; a replica's variable is that of replica 0 */
} tw_variable_region;
TW_API size_t tw_tensor_variable_regions(const tw_graph *graph, tw_tensor tensor, tw_variable_region *regions,
                                         size_t room);
/* A tensor of rank 1 from such regions, in their order; `elements` of the first starts at 0 and each goes on where
 * the one before it ends. TW_E_INDEX; TW_E_TYPE for variables of several types. */
TW_API tw_tensor tw_tensor_of_regions(tw_graph *graph, size_t count, const tw_variable_region *regions);
/* Elements in the order of their storage (Graph::getSortedContiguousRegions): the intervals of each run name elements
 * that follow one another in one variable without a gap; runs are sorted by variable and place. */
typedef struct tw_sorted_regions {
    size_t run_count, interval_count;
    size_t *first;             /* [run_count + 1] run r has intervals first[r] to first[r + 1] */
    tw_interval *intervals;    /* [interval_count] of the flattened tensor */
    uint64_t *representatives; /* [interval_count] begin of the interval that stands for the same elements, its own
                                * where there is none before it; set with TW_REGIONS_REPRESENTATIVES, which also cuts
                                * intervals until two of them have all their elements in common or none */
} tw_sorted_regions;
enum {
    TW_REGIONS_ONCE = 1, /* further references to an element are left out */
    TW_REGIONS_REPRESENTATIVES = 2
};
/* Of the elements of `parts` [count], intervals of the flattened tensor; NULL = all. Free with
 * tw_sorted_regions_free(); NULL with an error: TW_E_INDEX, TW_E_NO_MEMORY. */
TW_API tw_sorted_regions *tw_tensor_sorted_contiguous_regions(const tw_graph *graph, tw_tensor tensor, size_t count,
                                                              const tw_interval *parts, unsigned flags);
TW_API void tw_sorted_regions_free(tw_sorted_regions *regions); /* NULL is fine */
/* Replaces *tensor by a view of its flattened elements in an order that has as few regions as there can be, and
 * others [count] by theirs in the same order. The old handles stay valid. False with an error: tensors of several
 * sizes are TW_E_INVALID_ARGUMENT. */
TW_API bool tw_tensor_reorder_to_simplify(tw_graph *graph, tw_tensor *tensor, size_t count, tw_tensor *others);
/* The smallest view that gives `tensor` when dimensions of it are repeated (tw_tensor_broadcast); the same elements
 * when none do. A new handle. */
TW_API tw_tensor tw_tensor_find_unbroadcast(tw_graph *graph, tw_tensor tensor);
/* The whole variable in the order of its storage, with the shape it was declared with. TW_E_INDEX. */
TW_API tw_tensor tw_graph_get_variable(tw_graph *graph, uint32_t variable);
TW_API bool tw_graph_variable_is_constant(const tw_graph *graph, uint32_t variable);
/* As it was given, "" for none; valid until the graph goes. TW_E_INDEX. */
TW_API const char *tw_graph_variable_name(const tw_graph *graph, uint32_t variable);
/* True and the value when all elements are constants of one value (bit for bit); false for a tensor without
 * elements. */
TW_API bool tw_tensor_constant_value(const tw_graph *graph, tw_tensor tensor, double *value);
TW_API void tw_tensor_print(const tw_graph *graph, tw_tensor tensor,
                            FILE *out); /* shape, type, regions: for people */

TW_API void tw_tensor_free(tw_graph *graph, tw_tensor tensor); /* the handle is invalid from now on */
TW_API void tw_graph_push_scope(tw_graph *graph);
TW_API void tw_graph_pop_scope(tw_graph *graph);
TW_API tw_tensor tw_tensor_keep(tw_graph *graph,
                                tw_tensor tensor); /* survives the innermost scope (moves one out) */

/* --- tile mapping ------------------------------------------------------------------------------------------- */

/* All elements of the tensor on one tile of this graph; later mappings override earlier ones. */
TW_API void tw_graph_map(tw_graph *graph, tw_tensor tensor, unsigned tile);
/* Elements [first, first + count) of the flattened tensor. */
TW_API void tw_graph_map_range(tw_graph *graph, tw_tensor tensor, uint64_t first, uint64_t count, unsigned tile);
/* Contiguous ranges in tile order, at most ceil(elements / tiles) each, in units of the vector width (8 bytes)
 * and at least 128 bytes on a tile (Poplar API row 2, 7.5). */
TW_API void tw_graph_map_linearly(tw_graph *graph, tw_tensor tensor);
TW_API void tw_graph_map_linearly_with(tw_graph *graph, tw_tensor tensor, unsigned min_elements_per_tile,
                                       unsigned grain_size, unsigned first_tile);
typedef struct tw_mapped_interval {
    tw_interval interval;
    unsigned tile;
} tw_mapped_interval;
/* Mapping of the flattened tensor, in element order, neighbours on one tile merged; unmapped elements and tiles
 * outside a virtual graph are left out. Returns the number of entries, writes up to `room`. */
TW_API size_t tw_graph_get_mapping(const tw_graph *graph, tw_tensor tensor, tw_mapped_interval *out, size_t room);
TW_API bool tw_graph_mapping_complete(const tw_graph *graph, tw_tensor tensor);

/* --- codelets and vertices ---------------------------------------------------------------------------------- */

/* C, C++ or .gp file; `flags` as for a compiler ("-O3 -DX=1"), may be NULL. Adding a file twice is fine.
 * A relative name is looked up in the working directory, then beside the source file that makes this call.
 * TW_E_FILE_LOAD, TW_E_COMPILATION (diagnostics of the user's file in the message), TW_E_OBJECT_LOAD. */
TW_API void tw_graph_add_codelets(tw_graph *graph, const char *file, const char *flags);
/* From text; `language` is "c" or "c++"; `name` stands for the file in messages (NULL = "<string>"). */
TW_API void tw_graph_add_codelets_source(tw_graph *graph, const char *text, const char *language, const char *name,
                                         const char *flags);
TW_API bool tw_graph_has_codelet(const tw_graph *graph, const char *vertex_type);

TW_API tw_compute_set tw_graph_add_compute_set(tw_graph *graph, const char *name);
/* Whether it is one of this graph. */
TW_API bool tw_compute_set_valid(const tw_graph *graph, tw_compute_set cs);
/* tile = TW_UNMAPPED leaves the vertex to tw_graph_map_vertex(). */
#define TW_UNMAPPED 0xffffffffu
TW_API tw_vertex tw_graph_add_vertex(tw_graph *graph, tw_compute_set cs, const char *vertex_type, unsigned tile);
TW_API void tw_graph_map_vertex(tw_graph *graph, tw_vertex vertex, unsigned tile);

/* Connection rules: Poplar API, VertexRef.hpp. `field` may be indexed: "rows[3]" is sub-vector 3 of a list field. */
TW_API void tw_graph_connect(tw_graph *graph, tw_vertex vertex, const char *field, tw_tensor tensor);
/* One tensor for each sub-vector of a list field. */
TW_API void tw_graph_connect_list(tw_graph *graph, tw_vertex vertex, const char *field, size_t count,
                                  const tw_tensor *tensors);
/* An edge to a new one-element constant. */
TW_API void tw_graph_connect_constant(tw_graph *graph, tw_vertex vertex, const char *field, double value);
TW_API void tw_graph_set_field_size(tw_graph *graph, tw_vertex vertex, const char *field, size_t size);
TW_API size_t tw_graph_get_field_size(tw_graph *graph, tw_vertex vertex, const char *field);
/* Whether the type of the vertex has a field of exactly that name; false, and no error, for a nil or foreign
 * vertex. */
TW_API bool tw_graph_has_field(const tw_graph *graph, tw_vertex vertex, const char *field);
/* Initial value of plain state. Numbers are converted to the field's type; TW_E_OVERFLOW when it does not fit. */
TW_API void tw_graph_set_field(tw_graph *graph, tw_vertex vertex, const char *field, double value);
TW_API void tw_graph_set_field_int(tw_graph *graph, tw_vertex vertex, const char *field, int64_t value);
/* Arrays, state vectors and structs: `count` elements of `type` in host format (TW_U8 bytes for a struct). */
TW_API void tw_graph_set_field_values(tw_graph *graph, tw_vertex vertex, const char *field, tw_type type,
                                      size_t count, const void *values);
/* Initial value of plain state that depends on where the vertex's edges lie in a tile's memory (Poplar API,
 * LateInitCallback). The callback is asked when an engine is made, once for each engine that executes the vertex;
 * until then the field is 0. False: the engine is in error. Not on the CPU, whose data have no such addresses:
 * TW_E_NOT_SUPPORTED from the engine. `destroy` (may be NULL) is called with `user` when the graph goes or the
 * field gets another value; when the call fails (false) `user` stays the caller's. */
typedef struct tw_edge_place {
    const char *field;
    size_t index;    /* sub-vector of a list, element of a vector of scalar edges; else 0 */
    uint64_t offset; /* bytes from the start of the tile's memory */
    uint64_t bytes;
} tw_edge_place;
typedef struct tw_field_number {
    bool is_integer;
    int64_t integer;
    double real; /* when it is not */
} tw_field_number;
typedef bool (*tw_late_value)(const tw_edge_place *edges, size_t count, tw_field_number *value, void *user);
TW_API bool tw_graph_set_field_late(tw_graph *graph, tw_vertex vertex, const char *field, tw_late_value callback,
                                    void *user, void (*destroy)(void *user));
/* Largest size of dimension `dim` (0 = outer) of a vector field by its layout, e.g. 2047 for SHORT_SPAN. */
TW_API uint64_t tw_graph_max_field_dim(tw_graph *graph, const char *vertex_type, const char *field, unsigned dim);
/* Largest value that plain state or an element of an edge can have, e.g. 65,535 for unsigned short. */
TW_API double tw_graph_max_field_value(tw_graph *graph, const char *vertex_type, const char *field);

/* Estimates: worker cycles for a Vertex, tile cycles for a MultiVertex (docs/decisions.md, G7). A value set on a
 * vertex wins over its type's estimator. */
TW_API void tw_graph_set_perf_estimate(tw_graph *graph, tw_vertex vertex, uint64_t cycles, uint64_t flops);
typedef struct tw_vertex_info tw_vertex_info; /* what an estimator may ask about one vertex */
typedef struct tw_perf_estimate {
    uint64_t cycles, flops;
} tw_perf_estimate;
typedef tw_perf_estimate (*tw_perf_estimator)(const tw_vertex_info *vertex, const tw_target *target, void *user);
/* `destroy` (may be NULL) is called with `user` when the graph goes or the estimator is replaced. */
TW_API void tw_graph_register_perf_estimator(tw_graph *graph, const char *vertex_type, tw_perf_estimator estimator,
                                             void *user, void (*destroy)(void *user));
TW_API size_t tw_vertex_info_field_size(const tw_vertex_info *vertex,
                                        const char *field); /* elements, sub-vectors or 1 */
TW_API size_t tw_vertex_info_sub_size(const tw_vertex_info *vertex, const char *field, size_t index);
TW_API double tw_vertex_info_value(const tw_vertex_info *vertex, const char *field, size_t index); /* plain state */
/* What is known before a run: of a state field its initial values, of a connection (sub-vector `sub`) the elements of
 * constants. Copies at most `room` of them, in order, and returns how many there are; 0: not known. */
TW_API size_t tw_vertex_info_values(const tw_vertex_info *vertex, const char *field, size_t sub, double *values,
                                    size_t room);
TW_API const char *tw_vertex_info_layout(const tw_vertex_info *vertex, const char *field,
                                         unsigned dim); /* "Span" … */

/* --- streams, host access, remote buffers ------------------------------------------------------------------- */

typedef enum tw_replicated_stream_mode {
    TW_STREAM_REPLICATE = 0,
    TW_STREAM_BROADCAST = 1
} tw_replicated_stream_mode;
/* options: "key=value,key=value" of bufferingDepth, splitLimit (bytes of one transfer; 0 = 128 MB, -1 = never
 * split), priority; NULL for none. Handles are unique. */
TW_API tw_stream tw_graph_add_host_to_device_fifo(tw_graph *graph, const char *handle, tw_type type,
                                                  uint64_t elements, tw_replicated_stream_mode mode,
                                                  const char *options);
TW_API tw_stream tw_graph_add_device_to_host_fifo(tw_graph *graph, const char *handle, tw_type type,
                                                  uint64_t elements, const char *options);
/* `repeats` rows of `elements` elements in off-chip memory. */
TW_API tw_remote_buffer tw_graph_add_remote_buffer(tw_graph *graph, const char *handle, tw_type type,
                                                   uint64_t elements, uint64_t repeats, bool rearrange_on_host,
                                                   bool optimise_memory);
/* Named access for tw_engine_write() / tw_engine_read(); both in one: tw_graph_create_host_access(). */
TW_API void tw_graph_create_host_write(tw_graph *graph, const char *handle, tw_tensor tensor);
TW_API void tw_graph_create_host_read(tw_graph *graph, const char *handle, tw_tensor tensor);
TW_API void tw_graph_create_host_access(tw_graph *graph, const char *handle, tw_tensor tensor);

/* --- control programs (Poplar API, Program.hpp): plain trees, owned by the graph ------------------------------ */

TW_API tw_program tw_program_sequence(tw_graph *graph, const char *name); /* empty */
TW_API void tw_program_sequence_add(tw_graph *graph, tw_program sequence,
                                    tw_program program); /* a copy of it as it is now */
/* Takes a sequence away again that is the graph's newest program, and empty, as who made it ahead of what failed
 * wants; any other stays. */
TW_API void tw_program_sequence_undo(tw_graph *graph, tw_program sequence);
/* Whether it is a sequence of this graph, to which programs can be added. */
TW_API bool tw_program_is_sequence(const tw_graph *graph, tw_program program);
/* A program under a name for profiles: where the engine option profiler.blocks.filter matches the name, reports can
 * say when it ran (pva: Execution::blocks). A nil program is refused. */
TW_API tw_program tw_program_block(tw_graph *graph, tw_program program, const char *name);
TW_API tw_program tw_program_sequence_of(tw_graph *graph, unsigned count, const tw_program *programs);
TW_API tw_program tw_program_execute(tw_graph *graph, tw_compute_set cs);
/* Also writes the logical AND of the vertices' return values into `result` (BOOL, INT or UNSIGNED_INT scalar). */
TW_API tw_program tw_program_execute_all_true(tw_graph *graph, tw_compute_set cs, tw_tensor result);
/* Element by element in row-major order: types and numbers of elements agree, shapes need not ([3] to [1][3]). */
TW_API tw_program tw_program_copy(tw_graph *graph, tw_tensor source, tw_tensor destination);
TW_API tw_program tw_program_copy_from_stream(tw_graph *graph, tw_stream stream, tw_tensor destination);
TW_API tw_program tw_program_copy_to_stream(tw_graph *graph, tw_tensor source, tw_stream stream);
/* k rows for k offsets: `offsets` is UNSIGNED_INT or INT with 1 or k elements, nil = row 0. */
TW_API tw_program tw_program_copy_from_remote(tw_graph *graph, tw_remote_buffer buffer, tw_tensor destination,
                                              tw_tensor offsets);
TW_API tw_program tw_program_copy_to_remote(tw_graph *graph, tw_tensor source, tw_remote_buffer buffer,
                                            tw_tensor offsets);
TW_API tw_program tw_program_repeat(tw_graph *graph, unsigned count, tw_program body);
TW_API tw_program tw_program_repeat_while_true(tw_graph *graph, tw_program condition, tw_tensor predicate,
                                               tw_program body);
TW_API tw_program tw_program_repeat_while_false(tw_graph *graph, tw_program condition, tw_tensor predicate,
                                                tw_program body);
TW_API tw_program tw_program_if(tw_graph *graph, tw_tensor predicate, tw_program then_body, tw_program else_body);
TW_API tw_program tw_program_switch(tw_graph *graph, tw_tensor control,
                                    tw_program default_body); /* default {0} = nothing */
TW_API tw_program tw_program_switch_with_bounds_checking(tw_graph *graph,
                                                         tw_tensor control); /* no match stops the run */
TW_API void tw_program_switch_add(tw_graph *graph, tw_program switch_program, int32_t value, tw_program body);
TW_API tw_function tw_graph_add_function(tw_graph *graph, tw_program body, const char *name);
TW_API tw_program tw_program_call(tw_graph *graph, tw_function function);
/* A place off the chip for the code of a function, and its way to the tiles, without which the function must not be
 * called (Poplar API, FunctionBuffer). Code of programs has no addresses here: the copy takes no time, and what is
 * called is the function in any case. TW_E_CONTROL_PROGRAM: the buffer is one of another function. */
TW_API tw_function_buffer tw_graph_add_function_buffer(tw_graph *graph, tw_function function);
TW_API tw_program tw_program_copy_function(tw_graph *graph, tw_function_buffer buffer, tw_function function);

/* Host code as a step of a program (Poplar API, HostFunction): `inputs` go to the host, the code that
 * tw_engine_connect_host_function() names runs, its `outputs` go to the device. Each argument is a stream,
 * "handle/in0" ..., "handle/out0" ..., and "handle/call" for a function without arguments; handles are those of
 * streams. */
typedef struct tw_host_argument {
    tw_type type;
    uint64_t elements;
} tw_host_argument;
TW_API tw_host_function tw_graph_add_host_function(tw_graph *graph, const char *handle, unsigned input_count,
                                                   const tw_host_argument *inputs, unsigned output_count,
                                                   const tw_host_argument *outputs);
TW_API tw_program tw_program_call_host(tw_graph *graph, tw_host_function function, unsigned input_count,
                                       const tw_tensor *inputs, unsigned output_count, const tw_tensor *outputs);
typedef enum tw_sync_type { TW_SYNC_INTERNAL = 0, TW_SYNC_EXTERNAL = 1, TW_SYNC_GLOBAL = 2 } tw_sync_type;
TW_API tw_program tw_program_sync(tw_graph *graph, tw_sync_type type);
TW_API tw_program tw_program_write_undef(tw_graph *graph, tw_tensor tensor);
/* The clock of the machine into two UNSIGNED_INT elements, the low word first: cycles since the engine was made,
 * as the profile counts them, all tiles alike (docs/model.md). The second makes of an earlier stamp the cycles
 * that have passed since. 0 on a CPU. */
TW_API tw_program tw_program_cycle_stamp(tw_graph *graph, tw_tensor stamp);
TW_API tw_program tw_program_cycles_since(tw_graph *graph, tw_tensor stamp);
TW_API tw_program tw_program_abort(tw_graph *graph, const char *message);
TW_API tw_program tw_program_abort_on_condition(tw_graph *graph, tw_tensor predicate, const char *message);
TW_API tw_program tw_program_assume_equal_across_replicas(tw_graph *graph, tw_tensor tensor);
TW_API tw_program tw_program_error(tw_graph *graph, const char *message, tw_tensor tensor);

typedef struct tw_print_format {  /* Poplar API, PrintTensor; 0 = default */
    unsigned summarise_threshold; /* 1000 elements */
    unsigned edge_items;          /* 3 */
    unsigned max_line_width;      /* 75 */
    unsigned digits;              /* 8 */
    enum { TW_PRINT_AUTO = 0, TW_PRINT_FIXED = 1, TW_PRINT_SCIENTIFIC = 2, TW_PRINT_NONE = 3 } float_format;
    char separator, open_bracket, close_bracket; /* ' ' '[' ']' */
} tw_print_format;
TW_API tw_program tw_program_print_tensor(tw_graph *graph, const char *title, tw_tensor tensor,
                                          const tw_print_format *format);

/* for (counter = begin; counter < limit; counter += step) body; `counter` is a one-element INT or UNSIGNED_INT
 * variable that the body may read. The _dynamic form takes the limit from a tensor at run time (guide 2.2.1). */
TW_API tw_program tw_program_counted_for_loop(tw_graph *graph, tw_tensor counter, int64_t begin, int64_t limit,
                                              int64_t step, tw_program body);
TW_API tw_program tw_program_counted_for_loop_dynamic(tw_graph *graph, tw_tensor counter, int64_t begin,
                                                      tw_tensor limit, int64_t step, tw_program body);
TW_API void tw_program_name(tw_graph *graph, tw_program program, const char *name); /* shown in profiles */
/* Writes a program as text, a step a line, indented below what it is part of; then all functions of the graph, which
 * _steps leaves out. A program that is none is "nothing". */
TW_API void tw_program_print(const tw_graph *graph, tw_program program, FILE *out);
TW_API void tw_program_print_steps(const tw_graph *graph, tw_program program, FILE *out);

/* --- virtual graphs (guide 2.4): views of the same graph with tiles numbered from 0 -------------------------- */

/* NULL when there are no such tiles: then `graph` has the error. */
TW_API tw_graph *tw_graph_virtual_first(tw_graph *graph, unsigned tiles_per_ipu);         /* first n of each IPU */
TW_API tw_graph *tw_graph_virtual_range(tw_graph *graph, unsigned lower, unsigned upper); /* [lower, upper) */
TW_API tw_graph *tw_graph_virtual_tiles(tw_graph *graph, unsigned count, const unsigned *tiles_of_each_ipu);
TW_API tw_graph *tw_graph_top_level(tw_graph *graph); /* borrowed */
TW_API unsigned tw_graph_to_top_level_tile(const tw_graph *graph, unsigned tile);
TW_API unsigned tw_graph_from_top_level_tile(const tw_graph *graph, unsigned tile); /* TW_UNMAPPED: not in it */

/* --- replicated graphs (guide 2.5) --------------------------------------------------------------------------- */

/* The tiles of `graph` in `factor` equal parts, one for each replica (createReplicatedGraph): whole IPUs, or equal
 * parts of IPUs. What is done through the result is done on every replica; a tensor made through it stands for that
 * variable of each of them. The graph that a call gets decides: through `graph` the same tensor means replica 0
 * alone, but its clones are replicated like it. Streams and remote buffers made through it are one for each replica,
 * "handle[0]", "handle[1]" ..., except TW_STREAM_BROADCAST ones; a host access moves all replicas, in a first
 * dimension. A predicate, a switch and a loop limit are taken from replica 0. Factor 1: one more reference to
 * `graph`. NULL, with TW_E_REPLICATION in `graph`: the parts are not equal. */
TW_API tw_graph *tw_graph_replicated(tw_graph *graph, unsigned factor);
/* A graph that exists as replicas only (guide 2.5.2), each on its part of the target: whole IPUs, or equal parts of
 * one. The graph is one replica; loaded, each goes its own way and waits for the others where they do something
 * together (docs/engine.md). It has no parent: tw_graph_top_level() and tw_graph_get_non_replicated_tensor() are
 * TW_E_REPLICATION, and so is a factor above 1 on the CPU, and on an IPU Model without `replicas_only` (2.5). */
TW_API tw_graph *tw_graph_new_replicated(const tw_target *target, unsigned factor);
TW_API unsigned tw_graph_replication_factor(const tw_graph *graph); /* 1 when it is not replicated */
/* The tensor of all replicas as one, with a first dimension for them, for use with the graph it was replicated
 * from. */
TW_API tw_tensor tw_graph_get_non_replicated_tensor(tw_graph *graph, tw_tensor tensor);
/* An unsigned int that is 0 in replica 0, 1 in replica 1 ... */
TW_API tw_tensor tw_graph_add_replication_index_constant(tw_graph *graph, const char *name);
/* Replica i sends `source` to `destination` of replica to[i], or to none where that is TW_UNMAPPED; no replica is
 * sent to twice. */
TW_API tw_program tw_program_cross_replica_copy(tw_graph *graph, tw_tensor source, tw_tensor destination,
                                                const unsigned *to);

/* --- text and statistics -------------------------------------------------------------------------------------- */
/* Its name as given, "" for none; valid until the graph goes. */
TW_API const char *tw_graph_compute_set_name(const tw_graph *graph, tw_compute_set cs);
/* Every vertex, and the variables that its fields read and write, as a digraph for Graphviz. TW_E_IO,
 * TW_E_NO_MEMORY. */
TW_API tw_status tw_graph_print_vertices(tw_graph *graph, FILE *out);
/* The graph as bytes, with its compiled codelets: "TWGRAPH" and a line feed, a version of 4 bytes (1), then as in
 * executables (docs/poplar-cpp.md); without what estimators say. TW_E_IO, TW_E_COMPILATION. */
TW_API tw_status tw_graph_serialize(tw_graph *graph, FILE *out);
TW_API size_t tw_graph_vertex_count(const tw_graph *graph);
TW_API size_t tw_graph_edge_count(const tw_graph *graph);
TW_API size_t tw_graph_variable_count(const tw_graph *graph);

/* Where the next call was made; set by the macros of detail/call_sites.h. */
TW_API void tw_graph_call_site(const char *file, int line);

#ifdef __cplusplus
}
#endif

#if !defined(TW_NO_CALL_SITES) && !defined(TW_BUILD)
#include <tilewright/poplar/detail/call_sites.h>
#endif
#endif
