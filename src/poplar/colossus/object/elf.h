/* SPDX-License-Identifier: MIT */
/* colossus, ELF: what the writer and the reader share. */
#ifndef TW_COLOSSUS_ELF_H
#define TW_COLOSSUS_ELF_H

#include "poplar/colossus/object/object.h"

enum { TW__EM_IPU = 248, TW__LINE_BYTES = 20 };

#endif
