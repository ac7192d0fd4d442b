/* The name that graph programs include. */
#include <tilewright/adf.hpp>
