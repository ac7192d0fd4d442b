/* type: what the other boxes use besides <tilewright/type.h>. No _Float16 arithmetic operators outside this box. */
#ifndef TW_TYPE_TYPE_H
#define TW_TYPE_TYPE_H

#include "base/base.h"
#include <tilewright/type.h>

#endif
