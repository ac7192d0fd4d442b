/* SPDX-License-Identifier: MIT */
/* Division by the number of workers (layout.h; guide 7.5.3). The domains are those in which the results are right:
 * n * 0xAAAB overflows 32 bits from 98,304 on; a quotient above 8,191 does not fit beside 3 bits of remainder. */
#include "core/tile/layout.h"

#define SIXTH       UINT32_C(0xAAAB)
#define SIXTH_SHIFT 18
#define SIXTH_LIMIT UINT32_C(98304)
#define PACK_LIMIT  UINT32_C(49151)

tw_status tw_div6(uint32_t n, uint32_t *quotient)
{
    if (n >= SIXTH_LIMIT)
        return tw__fail(TW_E_OVERFLOW, "%u * 0xAAAB >> 18 is not %u / 6: it is right below 98,304", n, n);
    *quotient = n * SIXTH >> SIXTH_SHIFT;
    return TW_OK;
}

tw_status tw_div6_pack(uint32_t n, uint16_t *packed)
{
    if (n > PACK_LIMIT)
        return tw__fail(TW_E_OVERFLOW, "quotient and remainder of %u / 6 do not fit into 16 bits: at most 49,151",
                        n);
    *packed = (uint16_t)(n / 6 << 3 | n % 6);
    return TW_OK;
}

/* As the guide's assembly does it: the first workers take one of the remaining items each. */
void tw_div6_share(uint16_t packed, unsigned worker, uint32_t *begin, uint32_t *count)
{
    uint32_t each = packed >> 3, rest = packed & 7;
    *begin = each * worker + (worker < rest ? worker : rest);
    *count = each + (worker < rest);
}
