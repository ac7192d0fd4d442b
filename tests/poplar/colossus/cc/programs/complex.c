/* SPDX-License-Identifier: MIT */
/* Complex numbers: sums, products, quotients, sizes; with zeros, infinities and NaN. */
#include "program.h"

float cabsf(float _Complex z);

static volatile float parts[] = { 0,
                                  -0.0f,
                                  1,
                                  -2.5f,
                                  0.1f,
                                  3e5f,
                                  -7e-6f,
                                  1e30f,
                                  -2e-30f,
                                  __builtin_inff(),
                                  -1e9f,
                                  33,
                                  0.333f,
                                  -__builtin_inff(),
                                  __builtin_nanf("") };

static float _Complex number(unsigned i)
{
    float _Complex z;
    __real__ z = parts[i % COUNT(parts)], __imag__ z = parts[i * 7 / COUNT(parts) % COUNT(parts)];
    return z;
}
static NOINLINE void put(float _Complex z)
{
    out_float(__real__ z), out_float(__imag__ z);
}
static NOINLINE float _Complex polynomial(float _Complex x, const float _Complex *c, int n)
{
    float _Complex y = 0;
    while (n--) y = y * x + c[n];
    return y;
}

int main(void)
{
    float _Complex all[12];
    for (unsigned i = 0; i < 40; i++)
        for (unsigned j = 0; j < 40; j += 3) {
            float _Complex x = number(i), y = number(j);
            put(x * y), put(x / y), put(x + y), out(x == y);
        }
    for (unsigned i = 0; i < 12; i++) __real__ all[i] = 0.1f * (float)i, __imag__ all[i] = 0.7f - 0.05f * (float)i;
    for (unsigned i = 0; i < 12; i++) put(polynomial(all[i], all, (int)i)), put(~all[i]);
    for (int i = -4; i < 5; i++) out_float(cabsf((float _Complex){ 3.0f * (float)i, 4.0f * (float)i }));
    return 0;
}
