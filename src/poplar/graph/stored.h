/* SPDX-License-Identifier: MIT */
/* stored.c: a graph as bytes, for executables. */
#ifndef TW_GRAPH_STORED_H
#define TW_GRAPH_STORED_H

#include "poplar/graph/graph.h"

/* Bytes being written (`out`) or read ([at, end)). Reading past the end, or nonsense, sets `bad` and gives zeros. */
typedef struct tw__pack {
    GByteArray *out;
    const uint8_t *at, *end;
    tw__arena *arena; /* of what is read */
    bool bad;
} tw__pack;
void tw__pack_raw(tw__pack *pack, void *value, size_t bytes);
/* A number of things of at least `least` bytes each: count when writing, what was read else; 0 when bad. */
size_t tw__pack_count(tw__pack *pack, size_t count, size_t least);
void tw__pack_text(tw__pack *pack, const char **text);

/* Appends target, codelets (compiled) and everything of the graph. Estimators are asked about the vertices of the
 * compute sets for which cs_used[id] is set; what they say is stored. */
tw_status tw__graph_store(tw__core *core, const bool *cs_used, GByteArray *out);
/* A new graph of its own; NULL with tw_error_message(). */
tw_graph *tw__graph_restore(tw__pack *pack);

#endif
