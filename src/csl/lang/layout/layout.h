/* SPDX-License-Identifier: MIT */
/* What a layout block decides: the rectangle, the code and parameters of each PE, routes, names for the host. */
#ifndef TW_CSL_LAYOUT_LAYOUT_H
#define TW_CSL_LAYOUT_LAYOUT_H

#include "csl/lang/sema/local.h"

typedef struct tile {
    const node *at;   /* its @set_tile_code; NULL = none yet */
    uint32_t program; /* row of tw__csl_layout.bindings */
} tile;

/* A tile program: a file with its parameters. */
typedef struct tile_binding {
    const char *file; /* as written; NULL = the layout's own file */
    value params;     /* type NULL = none */
    const node *at;   /* of the first PE that runs it */
    uint32_t image_program;
    uint32_t member; /* of the programs that share code */
    uint32_t data_bytes, stack_bytes;
    tw__csl_route *local; /* routes of @set_local_color_config */
    size_t local_count, local_room;
    const node **local_at;
    size_t at_room;
} tile_binding;

typedef struct placed_route {
    uint32_t pe;
    uint32_t config; /* row of tw__csl_layout.configs: whole layouts have few that differ */
    const node *at;
} placed_route;

typedef struct tw__csl_layout {
    bool has_rectangle;
    bool has_block; /* there is a layout block: exports need their @export_name */
    uint32_t width, height;
    tile *tiles;     /* row-major */
    uint32_t placed; /* of them have code */
    tile_binding *bindings;
    size_t binding_count, binding_room;
    GHashTable *by_params; /* hash of file and params -> row + 1, chained by `next` */
    uint32_t *next;
    size_t next_room;
    placed_route *routes;
    size_t route_count, route_room;
    uint32_t *configured;   /* per PE: bits of the colors in `routes` */
    tw__csl_route *configs; /* distinct ones */
    size_t config_count, config_room;
    GHashTable *config_rows;   /* hash of a config -> row + 1; others with this hash are not shared */
    GHashTable *fixed_routes;  /* nodes whose configuration is the same wherever they are read -> tw__csl_route */
    const type **export_types; /* by row of image.exports */
    size_t export_count, export_room;
    const node *placed_at; /* the last one that tw__csl_route_place() was asked about, and its place */
    uint32_t placed_file, placed_line, placed_column;
    uint32_t warned_switches; /* colors whose switches WSE-3 lacks, reported */
} tw__csl_layout;

void tw__csl_layout_free(tw__csl_layout *l);
bool tw__csl_set_rectangle(sema *s, const node *at, uint32_t width, uint32_t height);
/* Row of the program with this file and these parameters, added when new; -1 = out of memory. */
int64_t tw__csl_layout_binding(sema *s, const node *at, const char *file, const value *params);
/* Where a configuration stands, for messages of the machine. */
void tw__csl_route_place(sema *s, const node *at, tw__csl_route *route);
/* Adds the configuration of one color of a PE; false after an error. */
bool tw__csl_layout_route(sema *s, const node *at, uint32_t pe, const tw__csl_route *route);
/* Fabric size and offsets into the image; checks the room for the host's link. */
bool tw__csl_place_rectangle(sema *s);
/* Routes of all PEs into the image, local ones included; an error for one color configured twice. */
bool tw__csl_merge_routes(sema *s);

/* Evaluates the configuration argument of @set_color_config and @set_local_color_config: routes, switches, filter,
 * teardown. Fills everything but out->color; false after an error. */
bool tw__csl_route_of(sema *s, const node *config, tw__csl_route *out);

/* --- builtins --- */
extern const tw__csl_builtin_table tw__csl_layout_builtins, tw__csl_symbol_builtins, tw__csl_config_builtins;
/* Is this the place for the builtin? false after an error. */
bool tw__csl_in_layout(sema *s, const node *n);
bool tw__csl_in_comptime(sema *s, const node *n);
/* Do the filters that @get_filter_id numbered still have these numbers? Asked when a tile program is complete. */
bool tw__csl_check_filter_ids(sema *s);

/* Compiles one binding into the image; tile.c. */
bool tw__csl_build_program(tw__csl_shared *shared, sema *layout, const char *top_file, tile_binding *b);

#endif
