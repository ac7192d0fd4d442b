/* SPDX-License-Identifier: MIT */
/* Products of floats are rounded before they are added, whatever the compiler does by itself: this file is compiled
 * with the compiler's own rule for contraction, like a user's program. Sums cancel what a fused one would keep. */
#include <tilewright/aie.h>
#include "aie/aie_cases.h"

static float x[8], z[8], acc[8], want[8];

static float times(float a, float b)
{
    volatile double r = (double)a * (double)b; /* exact */
    return (float)r;
}
static float plus(float a, float b)
{
    volatile double r = (double)a + (double)b; /* rounded twice, which does no harm */
    return (float)r;
}
/* From 1 to 2: products do not fit 24 bits. */
static float near_one(void)
{
    return 1 + (float)(rnd() >> 9) * 0x1p-23f;
}
static void same(const char *name, const void *got)
{
    for (int i = 0; i < 8; i++) {
        float g;
        memcpy(&g, (const char *)got + 4 * i, 4);
        if (g != want[i]) fail_msg("%s lane %d: %a, expected %a", name, i, (double)g, (double)want[i]);
    }
}
#define JUDGE(type, name, call) \
    {                           \
        type r = call;          \
        same(name, &r);         \
    }

static void aie_contract_real(void **state)
{
    (void)state;
    for (unsigned n = 1000; n > 0; n--) {
        v8float xv, zv, av;
        for (int i = 0; i < 8; i++) x[i] = near_one(), z[i] = near_one(), acc[i] = -times(x[i], z[i]);
        memcpy(&xv, x, 32), memcpy(&zv, z, 32), memcpy(&av, acc, 32);
        for (int i = 0; i < 8; i++) want[i] = 0;
        JUDGE(v8float, "fpmac", fpmac(av, xv, zv))
        JUDGE(v8float, "fpmac at offsets", fpmac(av, xv, 0, 0x76543210, zv, 0, 0x76543210))
        JUDGE(v8float, "fpmac_abs", fpmac_abs(av, xv, zv))
        JUDGE(v8float, "fpmac_conf",
              fpmac_conf(av, xv, 0, 0x76543210, zv, 0, 0x76543210, 0, 0, fpadd_add, 0, fpcmp_nrm))
        for (int i = 0; i < 8; i++) acc[i] = -acc[i];
        memcpy(&av, acc, 32);
        JUDGE(v8float, "fpmsc", fpmsc(av, xv, zv))
        for (int i = 0; i < 8; i++) want[i] = plus(plus(acc[i], times(x[i], z[i])), times(z[i], z[i]));
        JUDGE(v8float, "a chain", fpmac(fpmac(av, xv, zv), zv, zv))
    }
}

/* One part alone: no vector instruction makes both. */
static __attribute__((noinline)) float real_of(cfloat a, cfloat b)
{
    return tw_cfloat_mul(a, b).real;
}
static __attribute__((noinline)) float imag_of(cfloat a, cfloat b)
{
    return tw_cfloat_mul(a, b).imag;
}

static void aie_contract_complex(void **state)
{
    (void)state;
    for (unsigned n = 1000; n > 0; n--) {
        v4cfloat xv, zv, av;
        float product[8];
        cfloat a, b, scalar[4];
        for (int i = 0; i < 8; i++) x[i] = near_one(), z[i] = near_one();
        for (int i = 0; i < 8; i += 2) {
            product[i] = plus(times(x[i], z[i]), -times(x[i + 1], z[i + 1]));
            product[i + 1] = plus(times(x[i], z[i + 1]), times(x[i + 1], z[i]));
            acc[i] = -times(x[i], z[i]), acc[i + 1] = -times(x[i], z[i + 1]);
        }
        memcpy(&xv, x, 32), memcpy(&zv, z, 32), memcpy(&av, acc, 32);
        memcpy(want, product, 32);
        JUDGE(v4cfloat, "fpmul of complex numbers", fpmul(xv, zv))
        for (int i = 0; i < 4; i++) {
            memcpy(&a, x + 2 * i, 8), memcpy(&b, z + 2 * i, 8);
            scalar[i] = tw_cfloat(real_of(a, b), imag_of(a, b));
        }
        same("tw_cfloat_mul", scalar);
        for (int i = 0; i < 8; i += 2)
            want[i] = -times(x[i + 1], z[i + 1]), want[i + 1] = times(x[i + 1], z[i]); /* the others cancel */
        JUDGE(v4cfloat, "fpmac of complex numbers", fpmac(av, xv, zv))
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_contract_real),
        cmocka_unit_test(aie_contract_complex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
