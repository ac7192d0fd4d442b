/* SPDX-License-Identifier: MIT */
/* Code shared by PEs whose programs differ in constants only (their coordinates, say): the constants that differ go
 * to a pool of each PE, everything else is kept once.
 *
 *     tw__csl_sharing *s = tw__csl_sharing_new(image);
 *     for each tile program: add and fill it as the image's last one; tw__csl_share_last(s, &program, &member);
 *     tw__csl_share_finish(s);                     // now the programs load from the pool what differs
 *     pe->program = program; pe->pool = tw__csl_share_pool(s, member);
 *     tw__csl_sharing_free(s); */
#ifndef TW_CSL_CODE_SHARE_H
#define TW_CSL_CODE_SHARE_H

#include "csl/lang/code/image.h"

typedef struct tw__csl_sharing tw__csl_sharing;
tw__csl_sharing *tw__csl_sharing_new(tw__csl_image *image); /* NULL when out of memory */
void tw__csl_sharing_free(tw__csl_sharing *s);              /* NULL is fine */
/* Keeps the image's last program, or drops it for an equal earlier one; false when out of memory.
 *   mark   of image->arena before the program was added: its strings go with it */
bool tw__csl_share_last(tw__csl_sharing *s, tw__arena_mark mark, size_t files, uint32_t *program, uint32_t *member);
bool tw__csl_share_finish(tw__csl_sharing *s);
uint32_t tw__csl_share_pool(const tw__csl_sharing *s, uint32_t member); /* first constant in image->pool */

#endif
