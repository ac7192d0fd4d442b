/* Instruction builtins (__builtin_ipu_*) belong to the compiler for the chip; codelets use them under #ifdef __IPU__. A host
 * build gets the types they work on and the register names. */
#ifndef TW_IPU_BUILTINS_H
#define TW_IPU_BUILTINS_H

#include <ipudef.h>
#include <poplar/TileConstants.hpp>

#endif
