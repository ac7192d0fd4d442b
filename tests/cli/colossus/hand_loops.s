# SPDX-License-Identifier: MIT
# Loops as somebody would write them who knows the chip, wherever the data lies (no paced access, which asks for memory
# elements that do not clash). State as that of the classes in hand_loops_test.sh; lengths are multiples of 8, from 16 on.
    .allow_optimizations
    .worker
    .text
    .macro begin name, shift
    .align 8
    .globl hand_\name
hand_\name:
    ld32 $m0, $mvertex_base, $mzero, 0
    ld32 $m1, $mvertex_base, $mzero, 2
    ld32 $m2, $mvertex_base, $mzero, 4
    ld32 $m3, $mvertex_base, $mzero, 5
    ld32 $a6, $mvertex_base, $mzero, 6
    or $a7, $a6, 0
    shr $m3, $m3, \shift
    .endm

    .macro two_and_store name, shift, op
    begin \name, \shift
    ld64step $a0:1, $mzero, $m0+=, 1
    ld64step $a2:3, $mzero, $m1+=, 1
    { add $m3, $m3, -1 ; \op $a4:5, $a0:1, $a2:3 }
    rpt $m3, 2
    { ld64step $a0:1, $mzero, $m0+=, 1 ; fnop }
    { ld64step $a2:3, $mzero, $m1+=, 1 ; fnop }
    { st64step $a4:5, $mzero, $m2+=, 1 ; \op $a4:5, $a0:1, $a2:3 }
    st64step $a4:5, $mzero, $m2+=, 1
    exitz $mzero
    .endm
    two_and_store AddFloat, 1, f32v2add
    two_and_store AddHalf, 2, f16v4add

    begin ScaleFloat, 1
    or $m4, $m2, 0
    ld64step $a0:1, $mzero, $m4+=, 1
    { add $m3, $m3, -1 ; f32v2mul $a2:3, $a6:7, $a0:1 }
    rpt $m3, 1
    { ld64step $a0:1, $mzero, $m4+=, 1 ; fnop }
    { st64step $a2:3, $mzero, $m2+=, 1 ; f32v2mul $a2:3, $a6:7, $a0:1 }
    st64step $a2:3, $mzero, $m2+=, 1
    exitz $mzero

    .macro scaled_add name, shift, mul, add, factor
    begin \name, \shift
    f32tof16 $a5, $a6
    sort4x16lo $a5, $a5, $a5
    .ifc \mul, f16v4mul
    or $a6, $a5, 0
    or $a7, $a5, 0
    .endif
    or $m4, $m2, 0
    ld64step $a0:1, $mzero, $m0+=, 1
    { ld64step $a2:3, $mzero, $m4+=, 1 ; \mul $a0:1, $a6:7, $a0:1 }
    { add $m3, $m3, -1 ; \add $a4:5, $a0:1, $a2:3 }
    rpt $m3, 2
    { ld64step $a0:1, $mzero, $m0+=, 1 ; fnop }
    { ld64step $a2:3, $mzero, $m4+=, 1 ; \mul $a0:1, $a6:7, $a0:1 }
    { st64step $a4:5, $mzero, $m2+=, 1 ; \add $a4:5, $a0:1, $a2:3 }
    st64step $a4:5, $mzero, $m2+=, 1
    exitz $mzero
    .endm
    scaled_add ScaledAddFloat, 1, f32v2mul, f32v2add
    scaled_add ScaledAddHalf, 2, f16v4mul, f16v4add

    begin FillFloat, 1
    rpt $m3, 0
    { st64step $a6:7, $mzero, $m2+=, 1 ; fnop }
    exitz $mzero

    begin FillHalf, 2
    f32tof16 $a6, $a6
    sort4x16lo $a6, $a6, $a6
    or $a7, $a6, 0
    rpt $m3, 0
    { st64step $a6:7, $mzero, $m2+=, 1 ; fnop }
    exitz $mzero

    begin CastUp, 2
    ld64step $a0:1, $mzero, $m0+=, 1
    { add $m3, $m3, -1 ; f16v2tof32 $a2:3, $a0 }
    rpt $m3, 2
    { st64step $a2:3, $mzero, $m2+=, 1 ; f16v2tof32 $a4:5, $a1 }
    { ld64step $a0:1, $mzero, $m0+=, 1 ; fnop }
    { st64step $a4:5, $mzero, $m2+=, 1 ; f16v2tof32 $a2:3, $a0 }
    { st64step $a2:3, $mzero, $m2+=, 1 ; f16v2tof32 $a4:5, $a1 }
    st64step $a4:5, $mzero, $m2+=, 1
    exitz $mzero

    begin CastDown, 2
    ld64step $a0:1, $mzero, $m0+=, 1
    ld64step $a2:3, $mzero, $m0+=, 1
    { add $m3, $m3, -1 ; f32v4tof16 $a4:5, $a0:3 }
    rpt $m3, 2
    { ld64step $a0:1, $mzero, $m0+=, 1 ; fnop }
    { ld64step $a2:3, $mzero, $m0+=, 1 ; fnop }
    { st64step $a4:5, $mzero, $m2+=, 1 ; f32v4tof16 $a4:5, $a0:3 }
    st64step $a4:5, $mzero, $m2+=, 1
    exitz $mzero

    # two sums side by side: another order of additions than the loop in C++ has
    begin SumFloat, 1
    setzi $a2, 0
    setzi $a3, 0
    ld64step $a0:1, $mzero, $m0+=, 1
    add $m3, $m3, -1
    rpt $m3, 0
    { ld64step $a0:1, $mzero, $m0+=, 1 ; f32v2add $a2:3, $a2:3, $a0:1 }
    f32v2add $a2:3, $a2:3, $a0:1
    f32add $a2, $a2, $a3
    st32 $a2, $m2, $mzero, 0
    exitz $mzero

    begin SelectFloat, 1
    rpt $m3, 5
    { ld64step $a0:1, $mzero, $m0+=, 1 ; fnop }
    { ld64step $a2:3, $mzero, $m1+=, 1 ; f32v2cmpgt $a4:5, $a0:1, $a6:7 }
    { nop ; and64 $a0:1, $a0:1, $a4:5 }
    { nop ; andc64 $a2:3, $a2:3, $a4:5 }
    { nop ; or64 $a0:1, $a0:1, $a2:3 }
    { st64step $a0:1, $mzero, $m2+=, 1 ; fnop }
    exitz $mzero

    begin ClampFloat, 1
    f32add $a7, $a6, $a6
    ld64step $a0:1, $mzero, $m0+=, 1
    { add $m3, $m3, -1 ; f32v2clamp $a2:3, $a0:1, $a6:7 }
    rpt $m3, 1
    { ld64step $a0:1, $mzero, $m0+=, 1 ; fnop }
    { st64step $a2:3, $mzero, $m2+=, 1 ; f32v2clamp $a2:3, $a0:1, $a6:7 }
    st64step $a2:3, $mzero, $m2+=, 1
    exitz $mzero
