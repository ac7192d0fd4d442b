/* SPDX-License-Identifier: MIT */
/* report: a profile as a page, as tables in a terminal, and the difference of two.
 *
 *   stats.c     what rules and tables need: executions, busy cycles of each tile, extremes of rows
 *   findings.c  the rules: what matters most, in words
 *   repeats.c   what two of the rules look for: repeated exchanges, memory held too long
 *   align.c     steps of two profiles that were renamed
 *   diff.c      two profiles, figure by figure
 *   columns.c   a profile as columns of numbers for the page
 *   pack.c      columns and head as one compressed text
 *   page.c      the HTML around it
 *   text.c      tables for the terminal */
#ifndef TW_REPORT_REPORT_H
#define TW_REPORT_REPORT_H

#include <tilewright/report.h>
#include "core/profile/json.h"
#include "core/profile/profile.h"

#include <glib.h>

/* --- stats.c ---------------------------------------------------------------------------------------------------- */

typedef struct tw__row_stats {
    uint64_t min, max, second; /* second: the largest of the other tiles */
    uint32_t argmax;
} tw__row_stats;

typedef struct tw__stats {
    const tw_profile *p;
    uint32_t tiles;
    bool has_totals;
    tw_profile_totals totals;
    uint64_t *counts;                  /* [steps] executions */
    tw__row_stats *rows;               /* [rows] over all tiles; tiles that a row does not reach are 0 */
    uint64_t *busy[TW_CYCLES_BUCKETS]; /* [tiles] cycles over the execution; NULL = nothing of that kind */
    uint64_t *active;                  /* [tiles] compute, exchanges, copies together */
    uint64_t *memory;                  /* [tiles] bytes, with gaps where they are known; NULL = not recorded */
    bool memory_has_gaps;
    tw__type_cycles *types;            /* [types] over the execution */
    uint64_t *worst;                   /* [types] cycles of the slowest instance; 0 = not recorded */
    uint32_t *worst_tile, *worst_step; /* [types] */
    uint64_t limit;                    /* bytes of a tile; 0 = not known */
} tw__stats;

tw_status tw__stats_new(tw__stats *s, const tw_profile *p);
void tw__stats_free(tw__stats *s);
/* Cycles of a step summed over tiles, and by the slowest tile, over its executions. */
double tw__stats_step_cycles(const tw__stats *s, uint32_t step);
double tw__stats_step_active(const tw__stats *s, uint32_t step);
/* -1: a machine whose tiles have no threads */
double tw__stats_thread_balance(const tw__stats *s);
tw_cycles_bucket tw__step_bucket(const tw__step *step);
const char *tw__fact_of(const tw_profile *p, const char *key); /* "" = not stated */
/* "IPU", "tile", "vertex" in the machine's own words. */
typedef enum tw__word { TW__WORD_CHIP, TW__WORD_TILE, TW__WORD_KERNEL } tw__word;
const char *tw__word_of(const tw_profile *p, tw__word word);

/* --- names.c: steps by the program's own names ------------------------------------------------------------------ */

typedef struct tw__named_steps {
    char *title;
    uint32_t up; /* TW__NONE: nothing */
    unsigned depth;
    double cycles; /* of it and of all below it */
    uint64_t times;
} tw__named_steps;
/* A node before what is below it (g_array_free()). */
GArray *tw__names_of(const tw__stats *s);

/* --- findings.c ------------------------------------------------------------------------------------------------- */

/* Thresholds of the rules, printed on the page. */
typedef struct tw__rule_row {
    const char *name, *title, *formula;
    double threshold;
} tw__rule_row;
extern const tw__rule_row tw__rule_rows[];
tw_findings *tw__findings_of(const tw__stats *s);

/* --- repeats.c ------------------------------------------------------------------------------------------------- */

typedef struct tw__repeat { /* exchanges that move what an earlier one has moved, nothing having written it since */
    uint32_t first, second; /* steps of the largest; TW__NONE = there is none */
    uint64_t exchanges;     /* that repeat an earlier one */
    double bytes, cycles;   /* of these; bytes of all exchanges */
    double all_bytes;
} tw__repeat;
tw__repeat tw__repeat_of(const tw__stats *s);

typedef struct tw__held { /* of the tile where most is held at the fullest moment after its last use */
    uint32_t block;       /* the largest; TW__NONE = nothing, or uses are not recorded */
    uint32_t tile, peak_at;
    uint64_t peak, bytes; /* held at that moment; of these, no longer used */
} tw__held;
tw__held tw__held_of(const tw__stats *s);

/* --- diff.c ----------------------------------------------------------------------------------------------------- */

typedef enum tw__diff_group {
    TW__DIFF_FIGURE,
    TW__DIFF_STEP,
    TW__DIFF_KERNEL,
    TW__DIFF_CATEGORY,
    TW__DIFF_VARIABLE,
    TW__DIFF_GROUPS
} tw__diff_group;
extern const char *const tw__diff_group_names[TW__DIFF_GROUPS];
typedef struct tw__diff_line {
    tw__diff_group group;
    const char *name; /* of the profiles, or static */
    const char *kind; /* type of a step; "" */
    const char *unit; /* "cycles", "bytes", "ratio", "count", "seconds" */
    double a, b;      /* negative = it is not there */
    double weight;    /* share of the whole that changed: what lines are sorted by */
} tw__diff_line;
typedef struct tw__diff {
    GArray *lines;       /* tw__diff_line, the largest change first */
    GStringChunk *texts; /* names of steps that were renamed */
} tw__diff;
/* align.c: "type\x1fname" of steps in B -> the same of those in A that they stand for under another name. */
GHashTable *tw__renamed_steps(const tw__stats *a, const tw__stats *b);
tw_status tw__diff_new(tw__diff *d, const tw__stats *a, const tw__stats *b);
void tw__diff_free(tw__diff *d);

/* --- pack.c ----------------------------------------------------------------------------------------------------- */

/* Columns of little-endian numbers under names; the head of the page's data says where each begins. */
typedef struct tw__report_pack {
    GByteArray *data;
    GString *index; /* JSON: "name":["f64",offset,count],... */
} tw__report_pack;
void tw__report_pack_init(tw__report_pack *pack);
void tw__report_pack_free(tw__report_pack *pack);
/* Room for a column, numbers of 1, 4 (unsigned) or 8 bytes (double): filled before the next one is asked for. */
void *tw__report_pack_room(tw__report_pack *pack, const char *name, size_t count, size_t size);
void tw__report_pack_u8(tw__report_pack *pack, const char *name, const uint8_t *values, size_t count);
void tw__report_pack_u32(tw__report_pack *pack, const char *name, const uint32_t *values, size_t count);
void tw__report_pack_count(tw__report_pack *pack, const char *name, const uint64_t *values,
                           size_t count); /* as f64 */
void tw__report_pack_texts(tw__report_pack *pack, const char *name, const char *const *texts, size_t count);
/* Between two pieces of the data in the page: each is an element of its own. */
extern const char tw__report_joint[];
/* Magic, length of the head, head, columns: deflated and in base64, in pieces. */
tw_status tw__report_pack_write(const tw__report_pack *pack, const char *head, size_t head_bytes, FILE *out);

/* --- columns.c -------------------------------------------------------------------------------------------------- */

/* The profile's columns into the pack, its head as members of the open object. `prefix`: of the columns' names. */
tw_status tw__report_columns(const tw__stats *s, tw__report_pack *pack, const char *prefix, tw__json *head,
                             uint64_t row_bytes);

/* --- page.c ----------------------------------------------------------------------------------------------------- */

/* The page as it is built from web/: where a line `<!--tilewright:NAME-->` stands, the writer puts its parts. NULL:
 * this library was built without it. */
const char *tw__report_template(size_t *bytes);
/* `page`: the template to use; tests give their own. */
tw_status tw__report_write(const char *page, size_t page_bytes, const tw_profile *a, const tw_profile *b, FILE *out,
                           const tw_report_options *options);

#endif
