/* aie, private side of the checks: marks of undefined lanes, as ports see them. */
#ifndef TW_AIE_CHECK_UNDEFINED_LANES_H
#define TW_AIE_CHECK_UNDEFINED_LANES_H

#include "aie/type_names.h"

/* --- undefined_lanes.c --- */
bool tw__aie_marks_exist(void);
/* What leaves through a port is read: reports marked words in it. */
void tw__aie_check_sent(const char *call, const void *p, size_t bytes);

#endif
