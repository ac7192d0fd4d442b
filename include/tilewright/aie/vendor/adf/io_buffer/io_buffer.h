#include <adf.h>
