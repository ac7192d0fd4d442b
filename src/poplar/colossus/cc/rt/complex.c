/* SPDX-License-Identifier: MIT */
/* Products and quotients of complex numbers, with infinities as C has them (annex G). */
#include "rt.h"

typedef float _Complex cfloat;

INLINE bool complex_is_infinite(float x)
{
    return __builtin_fabsf(x) == __builtin_inff();
}
/* 1 or 0 for infinite or not, with the sign. */
INLINE float complex_corner(float x)
{
    return __builtin_copysignf(complex_is_infinite(x) ? 1 : 0, x);
}
INLINE float complex_number(float x)
{
    return x != x ? __builtin_copysignf(0, x) : x;
}
INLINE cfloat complex_of(float real, float imaginary)
{
    cfloat z;
    __real__ z = real, __imag__ z = imaginary;
    return z;
}

RT cfloat RT_HELPER(mulsc3)(float a, float b, float c, float d)
{
    float ac = a * c, bd = b * d, ad = a * d, bc = b * c, real = ac - bd, imaginary = ad + bc;
    if (real == real || imaginary == imaginary) return complex_of(real, imaginary);
    bool first = complex_is_infinite(a) || complex_is_infinite(b),
         second = complex_is_infinite(c) || complex_is_infinite(d),
         over = complex_is_infinite(ac) || complex_is_infinite(bd) || complex_is_infinite(ad) ||
                complex_is_infinite(bc);
    if (!first && !second && !over) return complex_of(real, imaginary);
    if (first)
        a = complex_corner(a), b = complex_corner(b);
    else
        a = complex_number(a), b = complex_number(b);
    if (second)
        c = complex_corner(c), d = complex_corner(d);
    else
        c = complex_number(c), d = complex_number(d);
    return complex_of(__builtin_inff() * (a * c - b * d), __builtin_inff() * (a * d + b * c));
}

/* In double, where nothing overflows and the sums are next to exact. */
RT cfloat RT_HELPER(divsc3)(float a, float b, float c, float d)
{
    double x = a, y = b, u = c, v = d, size = u * u + v * v;
    float real = (float)((x * u + y * v) / size), imaginary = (float)((y * u - x * v) / size);
    if (real == real || imaginary == imaginary) return complex_of(real, imaginary);
    if (size == 0 && (a == a || b == b)) {
        float far = __builtin_copysignf(__builtin_inff(), c);
        return complex_of(far * a, far * b);
    }
    bool is_number = c == c && d == d && !complex_is_infinite(c) && !complex_is_infinite(d);
    if ((complex_is_infinite(a) || complex_is_infinite(b)) && is_number) {
        a = complex_corner(a), b = complex_corner(b);
        return complex_of(__builtin_inff() * (a * c + b * d), __builtin_inff() * (b * c - a * d));
    }
    bool is_small = a == a && b == b && !complex_is_infinite(a) && !complex_is_infinite(b);
    if ((complex_is_infinite(c) || complex_is_infinite(d)) && is_small) {
        c = complex_corner(c), d = complex_corner(d);
        return complex_of(0 * (a * c + b * d), 0 * (b * c - a * d));
    }
    return complex_of(real, imaginary);
}

RT float RT_NAME(cabsf)(cfloat z)
{
    return RT_NAME(hypotf)(__real__ z, __imag__ z);
}
