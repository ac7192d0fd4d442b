/* zstart, as C++. */
#include "zstart.inc"
