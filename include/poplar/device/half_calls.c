/* SPDX-License-Identifier: MIT */
/* Conversions of half for code of archives, which is made for any CPU of the architecture and so calls functions of
 * the compiler's library for each. Linked into such code on CPUs that convert in one instruction (compiled with
 * -mf16c): sums of halves run several times as fast. Results are the same, to the bit. */
#ifdef __F16C__

__attribute__((visibility("hidden"))) float __extendhfsf2(_Float16 x)
{
    return (float)x;
}

__attribute__((visibility("hidden"))) _Float16 __truncsfhf2(float x)
{
    return (_Float16)x;
}

#endif
