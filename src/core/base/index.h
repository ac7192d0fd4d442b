/* SPDX-License-Identifier: MIT */
/* How front ends fill a tw_index. Texts are copied; NULL stands for "". Without memory rows are left out, and
 * tw__index_done() gives NULL. */
#ifndef TW_BASE_INDEX_H
#define TW_BASE_INDEX_H

#include "core/base/base.h"
#include <tilewright/index.h>

tw_index *tw__index_new(void);
uint32_t tw__index_add_file(tw_index *index, const char *path); /* its number */
uint32_t tw__index_add_symbol(tw_index *index, const tw_index_symbol *symbol);
void tw__index_add_use(tw_index *index, const tw_index_use *use);
/* Rows that are still filled in; valid until the next is added. Texts for them: tw__index_text(). */
tw_index_symbol *tw__index_symbol(tw_index *index, uint32_t symbol);
tw_index_use *tw__index_last_use(tw_index *index);
const char *tw__index_text(tw_index *index, const char *text);
/* The index itself when all of it is there; else it is freed, and this is NULL with TW_E_NO_MEMORY. */
tw_index *tw__index_done(tw_index *index);

#endif
