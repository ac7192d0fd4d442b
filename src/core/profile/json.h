/* SPDX-License-Identifier: MIT */
/* JSON of a profile: what the readers of its two parts share. The form is described in docs/profile.md. */
#ifndef TW_PROFILE_JSON_H
#define TW_PROFILE_JSON_H

#include "core/profile/schema.h"

#include <jansson.h>

/* A reader walks one parsed file. `path` names the member it looks at; the first error is kept, later calls do
 * nothing and give harmless values, so that a reader of many members checks once. */
typedef struct tw__reader {
    tw_profile *p;
    const char *file;
    tw_status status;
    char path[256];
    size_t path_length;
} tw__reader;

size_t tw__reader_enter(tw__reader *r,
                        const char *key); /* appends to the path; give the result to tw__reader_leave() */
size_t tw__reader_enter_index(tw__reader *r, size_t index);
void tw__reader_leave(tw__reader *r, size_t mark);
tw_status tw__bad(tw__reader *r, const char *format, ...) TW_PRINTF(2, 3);

/* Members of an object. Absent or null gives NULL or the given default; another type is an error. */
json_t *tw__object(tw__reader *r, json_t *from, const char *key);
json_t *tw__array(tw__reader *r, json_t *from, const char *key);
const char *tw__text(tw__reader *r, json_t *from, const char *key, const char *otherwise);
double tw__number(tw__reader *r, json_t *from, const char *key, double otherwise); /* not negative */
uint64_t tw__count(tw__reader *r, json_t *from, const char *key, uint64_t otherwise);
uint64_t tw__value(tw__reader *r, json_t *number); /* the element the path names */
/* Element i of an array, the member `key` of where the reader is (NULL: it is there already). */
uint64_t tw__value_at(tw__reader *r, json_t *array, const char *key, size_t i);
const char *tw__text_at(tw__reader *r, json_t *array, const char *key, size_t i); /* "" after an error */
json_t *tw__object_at(tw__reader *r, json_t *array, const char *key, size_t i);   /* NULL after an error */
/* An array of one number per tile as a row, 0 when null. A single number stands for a sum and becomes tile 0. */
tw__row tw__tiles_value(tw__reader *r, json_t *array);

/* The members of an object that are columns of a table, into its struct; what the object has not stays as it is. */
void tw__read_members(tw__reader *r, json_t *from, tw__table table, void *item, unsigned parts);

/* Likewise, from element i of an array that is the member `key`. */
void tw__read_object_at(tw__reader *r, json_t *array, const char *key, size_t i, tw__table table, void *item);

/* The columns of a table as members of an object, an array each. */
typedef struct tw__list_reader {
    tw__reader *r;
    json_t *from;
    bool loose; /* arrays may be shorter than others, and texts stand in them; else they are numbers of `names` */
    unsigned parts;
    size_t count, used;
    struct tw__list_column {
        const tw__column *column;
        json_t *array; /* NULL = it may be left out, and is */
        uint64_t below;
    } columns[TW__MOST_COLUMNS];
    json_t *names;
    tw__name *known; /* [names] of the profile; 0 = not asked for yet */
} tw__list_reader;
/* `count`: values that each column has; SIZE_MAX: as many as the first. */
bool tw__list_begin(tw__list_reader *l, tw__table table, size_t count); /* false after an error */
/* Element i into a struct of the table; false after an error. */
bool tw__list_at(tw__list_reader *l, size_t i, void *item);
/* The member `key` as tw__json_lists() writes it. `read`: reads a list of it; NULL: into those of the profile. */
typedef bool tw__list_read(tw__list_reader *l, tw__table table);
void tw__read_lists(tw__reader *r, json_t *from, const char *key, const tw__table *tables, size_t count,
                    tw__list_read *read, uint64_t *omitted);
/* Likewise as tw__json_named() writes it. */
void tw__read_named(tw__reader *r, json_t *from, const char *key, tw__table table);
tw_program_type tw__program_type(const char *name); /* TW_PROGRAM_OTHER: none of ours */

void tw__read_target(tw__reader *r, json_t *root); /* json_read.c */
void tw__read_vertex_types(tw__reader *r, json_t *root);
void tw__read_graph(tw__reader *r, json_t *root);      /* json_read_graph.c */
int tw__by_set_and_type(const void *a, const void *b); /* order of set_counts once a graph part is read */
void tw__read_execution(tw__reader *r, json_t *root);  /* json_read_execution.c */
extern const tw__table tw__map_tables[3], tw__interval_tables[3], tw__motion_tables[3];
/* Lists of memory.map, intervals, motion, lines and dataflow. */
extern const tw__table tw__line_tables[1], tw__node_tables[2];
/* Members of `root` that are exchanges, by their kind. */
extern const char *const tw__exchange_keys[TW__EXCHANGE_KINDS];

/* --- json_write.c: a stream of tokens; nothing is held in memory ---------------------------------------------- */

typedef struct tw__json {
    FILE *out;
    bool pretty;
    bool empty; /* the open object or array has no member yet */
    bool flat;  /* nor a line break */
    int depth;
    bool failed; /* out of memory: the output is not whole */
    const tw_profile *p;
    uint64_t *row;          /* scratch, one value per tile */
    const uint32_t *number; /* [names] what a name goes by in the open object, + 1; NULL = by its text */
} tw__json;

void tw__json_open(tw__json *j, const char *key, char bracket); /* key NULL: in an array, or the root */
void tw__json_close(tw__json *j, char bracket);
void tw__json_text(tw__json *j, const char *key, const char *value);
void tw__json_count(tw__json *j, const char *key, uint64_t value);
void tw__json_number(tw__json *j, const char *key, double value);
/* A row as an array; left out (key) or null (in an array) when not recorded. */
void tw__json_row(tw__json *j, const char *key, tw__row id, uint32_t tiles);
/* One value as its column says it; key NULL: in an array. */
void tw__json_value(tw__json *j, const tw__column *c, const char *key, const void *item);
/* The columns of a table as members of the open object: those of one struct, or an array each for all of them. */
void tw__json_members(tw__json *j, tw__table table, const void *item, unsigned parts);
void tw__json_columns(tw__json *j, tw__table table, tw__items items, unsigned parts);
void tw__json_objects(tw__json *j, const char *key, tw__table table, tw__items items); /* an array of objects */
void tw__json_named(tw__json *j, const char *key, tw__table table); /* an object: a name and a value for each */
/* An object with the columns of several lists and "names", the texts that they refer to by number. Left out where
 * all are empty and none is `omitted`. `unit`: of what is no number of a program; NULL = none. */
void tw__json_lists(tw__json *j, const char *key, const char *unit, const tw__table *tables, size_t count,
                    uint64_t omitted);
void tw__json_target(tw__json *j);
void tw__json_vertex_types(tw__json *j);

void tw__write_summary(tw__json *j); /* json_write_summary.c */
void tw__write_graph(tw__json *j);
void tw__write_execution(tw__json *j, const uint64_t *counts);
void tw__write_blocks(tw__json *j, uint64_t steps); /* blocks.c: of the first executed steps */

#endif
