/* SPDX-License-Identifier: MIT */
/* schema: the columns of a profile as a table (schema.def), and how it is walked. Who adds up, sorts or folds (the
 * trace of steps, totals, sums of memory) has code of its own; what is a value of a struct is a row. */
#ifndef TW_PROFILE_SCHEMA_H
#define TW_PROFILE_SCHEMA_H

#include "core/profile/profile.h"

/* How a value is said         as a column of JSON          as a member of JSON            in the page's data */
typedef enum tw__kind {
    TW__KIND_COUNT,    /*      number                       number                         number of its size */
    TW__KIND_SMALL,    /*      number                       number                         a byte */
    TW__KIND_REAL,     /*                                   number                         double */
    TW__KIND_FIGURE,   /*                                   number of either sign          double */
    TW__KIND_RATIO,    /*      negative = not known         number                         double */
    TW__KIND_SIGNED,   /*      0 = as usual                 number                         double */
    TW__KIND_ID,       /*      number + 1; TW__NONE = 0     number; TW__NONE = left out    number */
    TW__KIND_TEXT,     /*      number in "names"            text                           number of a name */
    TW__KIND_SUM,      /*                                   number; of a file also a row */
    TW__KIND_ROW,      /*      array by tile, or null       array by tile; 0 = left out    number of a row */
    TW__KIND_FIDELITY, /*                                   word; exact = left out         a byte */
    TW__KIND_SYNC,     /*                                   word; none = left out          a byte */
} tw__kind;

/* More tiles than this are taken for a damaged file: a wafer has 900,000. */
#define TW__MAX_TILES (16u << 20)

/* B(NAME, limit): a file's values are less than that, in a profile `p`; those of an ID in a list may also be none. */
#define TW__BELOW_LIST(B)                                                                  \
    B(ANY, c->size == 8 ? UINT64_MAX : UINT32_MAX - (uint64_t)(c->kind == TW__KIND_ID))    \
    B(DOUBLE, UINT64_C(1) << 53) /* what a double holds */                                 \
    B(AFTER, UINT64_C(1) << 53)  /* likewise, and it is not less than the column before */ \
    B(TILES, p->target.tiles)                                                              \
    B(CHIP, p->target.tiles) /* of a row: it is of the tiles of one chip */                \
    B(TYPES, p->types.count)                                                               \
    B(LANES, p->lanes.count)                                                               \
    B(NODES, p->nodes.count)                                                               \
    B(EXCHANGE_KINDS, TW__EXCHANGE_KINDS)                                                  \
    B(BLOCKS, TW__MOST_BLOCKS)                                                             \
    B(COLORS, 256)                                                                         \
    B(SIDES, 32)                                                                           \
    B(FLOW_KINDS, TW__FLOW_KINDS)                                                          \
    B(FLAG, 2)                                                                             \
    B(MOST_TILES, TW__MAX_TILES) /* of any machine */                                      \
    B(TILE_COUNT, TW__MAX_TILES + 1)
typedef enum tw__below {
#define TW__BELOW_ENUM(name, limit) TW__BELOW_##name,
    TW__BELOW_LIST(TW__BELOW_ENUM)
#undef TW__BELOW_ENUM
} tw__below;

/* Parts of a struct that are written and read by themselves, or only where something is so. */
typedef enum tw__when {
    TW__WHEN_0 = 0,
    TW__WHEN_IF = 1 << 0,   /* of a schema.def's row: left out where nothing is known */
    TW__WHEN_MAIN = 1 << 1, /* what is no other part */
    TW__WHEN_SIZE = 1 << 2, /* of a target: how many tiles */
    TW__WHEN_CLOCK = 1 << 3,
    TW__WHEN_THREADS = 1 << 4, /* also of a step: figures that a file may state where rows are missing */
    TW__WHEN_TILES = 1 << 5,
    TW__WHEN_MOVED = 1 << 6,
    TW__WHEN_WITHIN = 1 << 7, /* an exchange within a chip, beyond it */
    TW__WHEN_BEYOND = 1 << 8,
    TW__WHEN_EXCHANGE = 1 << 9, /* what `index` is a number of */
    TW__WHEN_COMPUTE = 1 << 10,
    TW__WHEN_TOTAL = 1 << 11, /* memory.byTile, simulation; memory.liveness and its members */
    TW__WHEN_LIVE = 1 << 12,
    TW__WHEN_ALWAYS = 1 << 13,
    TW__WHEN_MOST = 1 << 14,
    TW__WHEN_BUCKET = 1 << 15, /* simulation.tileCycles */
    TW__WHEN_PLAN = 1 << 16,   /* steps of the plan, those that are listed */
    TW__WHEN_LISTED = 1 << 17,
    TW__WHEN_SPAN = 1 << 18,
    TW__WHEN_DATA = 1 << 19,
    TW__WHEN_ROWS = 1 << 20,
    TW__WHEN_DATA_ROWS = 1 << 21,
    TW__WHEN_WORK = 1 << 22,
    TW__WHEN_WORST = 1 << 23,
    TW__WHEN_TRACE = 1 << 24, /* arguments of a slice of the trace */
    TW__WHEN_MAIN_IF = TW__WHEN_MAIN | TW__WHEN_IF,
    TW__WHEN_MAIN_TRACE = TW__WHEN_MAIN | TW__WHEN_TRACE,
    TW__WHEN_TILES_TRACE = TW__WHEN_TILES | TW__WHEN_TRACE,
} tw__when;

#define TW__GIVEN (TW__WHEN_TILES | TW__WHEN_THREADS | TW__WHEN_MOVED) /* columns of tw__given */
enum { TW__GIVEN_ACTIVE_TILES, TW__GIVEN_TILE_BALANCE };               /* the first of them */

/* What rows of tables are members of where the profile has arrays. */
typedef struct tw__by_region {
    tw__row row[TW__MEMORY_REGIONS];
} tw__by_region;
typedef struct tw__by_overlap {
    tw__row row[TW__MEMORY_OVERLAPS];
} tw__by_overlap;
/* A step with what follows from it. */
typedef struct tw__step_line {
    tw__step stored;
    tw_profile_step info;
    uint64_t executions;
    uint8_t bucket; /* tw_cycles_bucket */
} tw__step_line;

typedef enum tw__table {
#define TABLE(table, type, page) TW__TABLE_##table,
#include "core/profile/schema.def"
    TW__TABLES
} tw__table;

typedef struct tw__column {
    uint16_t at; /* offset in the struct */
    uint8_t size, kind, below, table;
    uint32_t when;
    const char *key, *page, *label, *unit, *meaning;
} tw__column;

enum { TW__MOST_COLUMNS = 40 }; /* of a table */
typedef struct tw__table_info {
    uint16_t first, size; /* first column; bytes of the struct */
    const char *page;
    size_t list, most, omitted; /* offsets in tw_profile; list: 0 = there is none */
} tw__table_info;
extern const tw__column tw__schema[]; /* the columns of all tables, one after the other */
extern const tw__table_info tw__tables[TW__TABLES];
#define TW__EACH_COLUMN(c, which)                               \
    const tw__column *c = &tw__schema[tw__tables[which].first]; \
    c->table == (which);                                        \
    c++

/* The structs of a LIST; none of a TABLE. */
typedef struct tw__items {
    const void *at;
    size_t count;
} tw__items;
tw__items tw__table_items(const tw_profile *p, tw__table table);
/* One more, all zero; NULL: the list is full, or memory is. */
void *tw__table_push(tw_profile *p, tw__table table);

/* Whether a part that is written or read by itself has the column. */
static inline bool tw__column_in(const tw__column *c, unsigned parts)
{
    unsigned when = c->when & ~(unsigned)TW__WHEN_IF;
    return !when || (when & parts);
}
unsigned tw__step_parts(const tw__step *step);                  /* what a step of its type has */
uint64_t tw__column_get(const tw__column *c, const void *item); /* all but the doubles */
double tw__column_real(const tw__column *c, const void *item);
static inline bool tw__column_is_real(const tw__column *c)
{
    return c->kind >= TW__KIND_REAL && c->kind <= TW__KIND_RATIO;
}
void tw__column_set(const tw__column *c, void *item, uint64_t value);
void tw__column_set_real(const tw__column *c, void *item, double value);
bool tw__column_known(const tw__column *c, const void *item); /* false: left out of an object */
/* Of FIDELITY and SYNC; NULL past the end. */
const char *tw__column_word(const tw__column *c, unsigned value);

#endif
