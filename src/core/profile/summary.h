/* SPDX-License-Identifier: MIT */
/* What the two halves of the text summary share: a page that knows its colours, figures as text. */
#ifndef TW_PROFILE_SUMMARY_H
#define TW_PROFILE_SUMMARY_H

#include "core/profile/schema.h"

/* What a machine calls its parts. Lines that only a graph program has (replicas, exchange, vertex data, threads) are
 * left out where `is_graph` is false and they are zero. */
typedef struct tw__terms {
    const char *target;                 /* tw__profile_target.type; NULL: all others */
    const char *chips, *tiles_per_chip; /* NULL: the profile has a part of a chip */
    const char *tiles, *memory_per_tile, *memory;
    const char *vertices, *cycles_by_type;
    bool is_graph;
    const char *words[3], *plurals[3]; /* a chip, a tile and a vertex; several of them */
} tw__terms;
/* Terms of a machine by the type of its target; the last row for all others. */
const tw__terms *tw__profile_terms(const char *target);

typedef struct tw__page {
    FILE *out;
    bool colour;
    const tw_profile *p;
    const tw__terms *terms;
    tw_profile_options options;
} tw__page;

enum { TW__TEXT = 48, TW__LABEL = 80 }; /* room for one figure, for a label */

/* Column and row of a tile, on machines whose users know tiles by them; false: by its number alone. */
bool tw__profile_place(const tw_profile *p, uint32_t tile, uint32_t place[2]);
/* How readers of this machine name a tile: "12", or "x,y" of its grid. A label with the machine's word for "tile". */
char *tw__profile_tile(const tw_profile *p, uint32_t tile, char buf[TW__TEXT]);
char *tw__worded(const tw__terms *of, const char *label, char buf[TW__LABEL]);

/* "1,234.5": one decimal, commas. */
char *tw__fixed1(char buf[TW__TEXT], double value);
/* A heading on a line of its own, and a line "label: value" with the value ending at a column. */
void tw__heading(const tw__page *page, int indent, const char *text);
void tw__line(const tw__page *page, int indent, const char *label, const char *value);
void tw__line_count(const tw__page *page, int indent, const char *label, uint64_t value);
void tw__line_bytes(const tw__page *page, int indent, const char *label, uint64_t bytes);
void tw__note(const tw__page *page, int indent, const char *format, ...) TW_PRINTF(3, 4);

tw_status tw__summary_graph(const tw__page *page);     /* summary_graph.c */
tw_status tw__summary_liveness(const tw__page *page);  /* summary_graph.c calls it: summary_liveness.c */
tw_status tw__summary_execution(const tw__page *page); /* summary_execution.c */

#endif
