/* SPDX-License-Identifier: MIT */
/* check, private side: marks of undefined lanes as ports see them, places in sources. */
#ifndef TW_AIE_CHECK_H
#define TW_AIE_CHECK_H

#include "aie/type_names.h"

/* --- undefined_lanes.c --- */
/* What leaves through a port is read: reports marked words in it. */
void tw__aie_check_sent(const char *call, const void *p, size_t bytes);

/* --- source_line.c --- */
bool tw__aie_first_report(const char *file, size_t line, int kind); /* true once a place and kind */
/* The line of an instruction, and its file; 0 where it is not known, with the program and the offset as file. */
int tw__aie_source_of(const void *pc, char *file, size_t size);

#endif
