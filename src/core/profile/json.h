/* SPDX-License-Identifier: MIT */
/* JSON of a profile: what the readers of its two parts share. The form is described in docs/profile.md. */
#ifndef TW_PROFILE_JSON_H
#define TW_PROFILE_JSON_H

#include "core/profile/profile.h"

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

/* More tiles than this are taken for a damaged file: a wafer has 900,000. */
#define TW__MAX_TILES (16u << 20)

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
int64_t tw__signed(tw__reader *r, json_t *from, const char *key); /* 0 when it is absent */
uint32_t tw__id(tw__reader *r, json_t *from, const char *key);    /* TW__NONE when absent */
uint64_t tw__value(tw__reader *r, json_t *number);                /* the element the path names */
/* Element i of an array, the member `key` of where the reader is (NULL: it is there already). */
uint64_t tw__value_at(tw__reader *r, json_t *array, const char *key, size_t i);
const char *tw__text_at(tw__reader *r, json_t *array, const char *key, size_t i); /* "" after an error */
json_t *tw__object_at(tw__reader *r, json_t *array, const char *key, size_t i);   /* NULL after an error */
/* An array of one number per tile as a row, 0 when absent. A single number stands for a sum and becomes tile 0. */
tw__row tw__tiles(tw__reader *r, json_t *from, const char *key);
tw__row tw__tiles_value(tw__reader *r, json_t *array);
tw_fidelity tw__fidelity(tw__reader *r, json_t *from, const char *key);

void tw__read_target(tw__reader *r, json_t *root); /* json_read.c */
void tw__read_vertex_types(tw__reader *r, json_t *root);
void tw__read_graph(tw__reader *r, json_t *root);      /* json_read_graph.c */
int tw__by_set_and_type(const void *a, const void *b); /* order of set_counts once a graph part is read */
void tw__read_execution(tw__reader *r, json_t *root);  /* json_read_execution.c */
/* json_read_learned.c; members of the objects that are named. */
void tw__read_facts(tw__reader *r, json_t *root);
void tw__read_floor(tw__reader *r, json_t *target);
void tw__read_maps(tw__reader *r, json_t *memory);
void tw__read_variables(tw__reader *r, json_t *memory);
void tw__read_pairs(tw__reader *r, json_t *root);
void tw__read_work(tw__reader *r, json_t *step_from, tw__step *step);
void tw__read_intervals(tw__reader *r, json_t *root);

/* Members of simulation.tileCycles (json_write.c). */
enum { TW__BUCKET_KEYS = 6 };
extern const struct tw__bucket_key {
    const char *key;
    tw_cycles_bucket bucket;
} tw__bucket_keys[TW__BUCKET_KEYS];

/* --- json_write.c: a stream of tokens; nothing is held in memory ---------------------------------------------- */

typedef struct tw__json {
    FILE *out;
    bool pretty;
    bool empty; /* the open object or array has no member yet */
    bool flat;  /* nor a line break */
    int depth;
    bool failed; /* out of memory: the output is not whole */
} tw__json;

void tw__json_open(tw__json *j, const char *key, char bracket); /* key NULL: in an array, or the root */
void tw__json_close(tw__json *j, char bracket);
void tw__json_text(tw__json *j, const char *key, const char *value);
void tw__json_count(tw__json *j, const char *key, uint64_t value);
void tw__json_number(tw__json *j, const char *key, double value);
/* A row as an array; left out (key) or null (in an array) when not recorded. row: scratch, one value per tile. */
void tw__json_row(tw__json *j, const tw_profile *p, const char *key, tw__row id, uint32_t tiles, uint64_t *row);
void tw__json_head(tw__json *j, const char *part);
void tw__json_target(tw__json *j, const tw_profile *p, uint64_t *row);
void tw__json_vertex_types(tw__json *j, const tw_profile *p);
void tw__json_fidelity(tw__json *j, tw_fidelity fidelity); /* nothing when exact */

void tw__write_graph(tw__json *j, const tw_profile *p, uint64_t *row);
/* json_write_learned.c: members of the open object, where there is something to write. */
void tw__write_facts(tw__json *j, const tw_profile *p);
void tw__write_floor(tw__json *j, const tw_profile *p);
void tw__write_maps(tw__json *j, const tw_profile *p);
void tw__write_variables(tw__json *j, const tw_profile *p);
void tw__write_pairs(tw__json *j, const tw_profile *p);
void tw__write_intervals(tw__json *j, const tw_profile *p);
void tw__write_contents(tw__json *j, const tw_profile *p, tw__exchange_kind kind);
void tw__write_work(tw__json *j, const tw_profile *p, const tw__step *step);
void tw__write_execution(tw__json *j, const tw_profile *p, uint64_t *row, const uint64_t *counts);

#endif
