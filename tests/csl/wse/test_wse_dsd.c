/* SPDX-License-Identifier: MIT */
/* DSD operations on one PE: every operation against a plain reference, length rules, strides, scalars, FIFOs. */
#include "csl/wse/kit.h"

/* y = y + x * s in three operands, vendor document "DSDs" and fact sheet 2.5. */
static void fmacs_of_two_vectors(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 1, 1, false);
    kit_main(&k);
    kit_dsd(&k, 0, mem1d(100, 5, 1));
    kit_dsd(&k, 2, mem1d(200, 5, 1));
    float s = 2.5f;
    uint32_t bits;
    memcpy(&bits, &s, 4);
    tw__csl_emit_const(&k.e, 4, bits);
    kit_use(&k, TW__CSL_OP_FMACS, arg_dsd(0), arg_dsd(0), arg_dsd(2), arg_scalar(4));
    kit_op(&k, 5);
    WIDE(&k, STA_U16, 5, 20);
    kit_end(&k);
    kit_start(&k);
    for (int i = 0; i < 6; i++) {
        putf(&k, 0, 0, 100 + 4 * (unsigned)i, (float)i);
        putf(&k, 0, 0, 200 + 4 * (unsigned)i, (float)(10 * i + 1));
    }
    kit_run(&k);
    for (int i = 0; i < 6; i++) {
        float want = i < 5 ? fmaf((float)(10 * i + 1), 2.5f, (float)i) : (float)i;
        assert_float_equal(getf(&k, 0, 0, 100 + 4 * (unsigned)i), want, 0);
    }
    assert_int_equal(get16(&k, 0, 0, 20), 1);
    kit_free(&k);
}

/* Length: first source, else second, else destination, else 1 (fact sheet 3.3); micro-facts 20 and 7. */
static void lengths(void **state)
{
    (void)state;
    static const struct {
        unsigned dst, src0, src1, want; /* 0 = scalar, as far as sources go */
    } rows[] = { { 9, 3, 7, 3 }, { 9, 0, 7, 7 }, { 9, 0, 0, 9 }, { 2, 4, 3, 4 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kit k;
        kit_begin(&k, 1, 1, false);
        kit_main(&k);
        kit_dsd(&k, 0, mem1d(100, rows[i].dst, 1));
        kit_dsd(&k, 2, mem1d(200, rows[i].src0, 1));
        kit_dsd(&k, 4, mem1d(300, rows[i].src1, 1));
        WIDE(&k, LDI, 6, 5);
        kit_use(&k, TW__CSL_OP_ADD16, arg_dsd(0), rows[i].src0 ? arg_dsd(2) : arg_scalar(6),
                rows[i].src1 ? arg_dsd(4) : arg_scalar(6), arg_none());
        kit_op(&k, 7);
        kit_end(&k);
        kit_start(&k);
        for (unsigned n = 0; n < 20; n++) {
            put16(&k, 0, 0, 200 + 2 * n, rows[i].src0 ? n + 1 : 0);
            put16(&k, 0, 0, 300 + 2 * n, rows[i].src1 ? 100 * n + 1 : 0);
        }
        kit_run(&k);
        for (unsigned n = 0; n < 20; n++) {
            unsigned a = rows[i].src0 ? n + 1 : 5, b = rows[i].src1 ? 100 * n + 1 : 5;
            assert_int_equal(get16(&k, 0, 0, 100 + 2 * n), n < rows[i].want ? a + b : 0);
        }
        kit_free(&k);
    }
}

/* Seed, "Pointers To Scalars As Destinations": the last element stays; a scalar source that reads the same object
 * folds. */
static void pointer_destinations(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 1, 1, false);
    kit_main(&k);
    WIDE(&k, LDI, 0, 40); /* &scalar */
    kit_dsd(&k, 2, mem1d(100, 4, 2));
    kit_use(&k, TW__CSL_OP_FMOVH, arg_pointer(0), arg_none(), arg_dsd(2), arg_none());
    kit_op(&k, 9);
    WIDE(&k, LDI, 4, 60); /* &m */
    WIDE(&k, LDA_U32, 5, 60);
    kit_dsd(&k, 6, mem1d(200, 5, 1));
    kit_use(&k, TW__CSL_OP_FMAXS, arg_pointer(4), arg_scalar(5), arg_dsd(6), arg_none())->flags = TW__CSL_USE_FOLD;
    k.p->uses[k.p->use_count - 1].from = 4;
    kit_op(&k, 9);
    WIDE(&k, LDI, 8, 64); /* another object than the value's, register 4 */
    kit_use(&k, TW__CSL_OP_FADDS, arg_pointer(8), arg_scalar(5), arg_dsd(6), arg_none())->flags = TW__CSL_USE_FOLD;
    k.p->uses[k.p->use_count - 1].from = 4;
    kit_op(&k, 9);
    kit_end(&k);
    kit_start(&k);
    for (unsigned n = 0; n < 8; n++)
        put16(&k, 0, 0, 100 + 2 * n, tw_f32_to_f16((float)n, TW_ROUND_NEAREST_EVEN, 0));
    static const float x[] = { 1, 7, -3, 6, 2 };
    for (unsigned n = 0; n < 5; n++) putf(&k, 0, 0, 200 + 4 * n, x[n]);
    putf(&k, 0, 0, 60, 3);
    kit_run(&k);
    assert_float_equal(tw_f16_to_f32((uint16_t)get16(&k, 0, 0, 40)), 6, 0);
    assert_float_equal(getf(&k, 0, 0, 60), 7, 0);
    assert_float_equal(getf(&k, 0, 0, 64), 3 + 2, 0); /* v captured: v op x_last */
    kit_free(&k);
}

/* Micro-fact 5: the shape of mem4d, with strides as increments, fastest first. */
static void four_dimensions(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 1, 1, false);
    tw__csl_shape *shape = TW__CSL_PUSH(k.p, shapes, shape);
    /* {1,2,1,4} over [1,2,3,4], index [i, j, 1 + k, l]: coefficients 24, 12, 4, 1 */
    *shape = (tw__csl_shape){ 4, { 1, 2, 1, 4 }, { 1, 4 - 3, 12 - 3, 24 - 12 - 3 } };
    kit_main(&k);
    kit_dsd(&k, 0, mem1d(300, 8, 1));
    kit_dsd(&k, 2,
            (tw__csl_dsd){ .kind = TW__CSL_DSD_MEM4D,
                           .base = 100 + 2 * 4,
                           .shape = 0,
                           .color = TW__CSL_NO_ID,
                           .queue = TW__CSL_NO_ID });
    kit_use(&k, TW__CSL_OP_MOV16, arg_dsd(0), arg_none(), arg_dsd(2), arg_none());
    kit_op(&k, 9);
    kit_end(&k);
    kit_start(&k);
    for (unsigned n = 0; n < 24; n++) put16(&k, 0, 0, 100 + 2 * n, n);
    kit_run(&k);
    static const unsigned want[] = { 4, 5, 6, 7, 16, 17, 18, 19 };
    for (unsigned n = 0; n < 8; n++) assert_int_equal(get16(&k, 0, 0, 300 + 2 * n), want[n]);
    kit_free(&k);
}

/* @set_dsd_base_addr drops the offset (micro-fact 18); offset, length, stride make new values. */
static void changed_values(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 1, 1, false);
    kit_main(&k);
    kit_dsd(&k, 0, mem1d(100, 3, 1));
    WIDE(&k, LDI, 2, 4);
    EMIT(&k, DSD_OFFSET16, 4, 0, 2); /* +8 bytes */
    WIDE(&k, LDI, 3, -2);
    EMIT(&k, DSD_STRIDE, 6, 4, 3); /* stride -2 */
    WIDE(&k, LDI, 3, 300);
    EMIT(&k, DSD_BASE, 8, 4, 3); /* base 300 */
    WIDE(&k, LDI, 3, 5);
    EMIT(&k, DSD_LENGTH, 10, 8, 3);
    WIDE(&k, LDI, 12, 7);
    kit_use(&k, TW__CSL_OP_MOV16, arg_dsd(6), arg_none(), arg_scalar(12), arg_none());
    kit_op(&k, 13);
    kit_use(&k, TW__CSL_OP_MOV16, arg_dsd(10), arg_none(), arg_scalar(12), arg_none());
    kit_op(&k, 13);
    kit_end(&k);
    kit_start(&k);
    kit_run(&k);
    for (unsigned n = 0; n < 8; n++) {
        assert_int_equal(get16(&k, 0, 0, 100 + 2 * n), n == 0 || n == 2 || n == 4 ? 7 : 0);
        assert_int_equal(get16(&k, 0, 0, 300 + 2 * n), n < 5 ? 7 : 0);
    }
    kit_free(&k);
}

/* Repeated pops and pushes, and the document on FIFOs. */
static void fifo_synchronous(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 1, 1, false);
    tw__csl_fifo *fifo = TW__CSL_PUSH(k.p, fifos, fifo);
    *fifo = (tw__csl_fifo){
        .address = 1024, .bytes = 64, .elem_bytes = 2, .push_task = TW__CSL_NO_ID, .pop_task = TW__CSL_NO_ID
    };
    kit_main(&k);
    kit_dsd(&k, 0, mem1d(100, 40, 1));
    kit_use(&k, TW__CSL_OP_MOV16, arg_fifo(0), arg_none(), arg_dsd(0), arg_none());
    kit_op(&k, 4);
    WIDE(&k, STA_U16, 4, 20); /* false after 32 */
    kit_dsd(&k, 0, mem1d(300, 10, 1));
    kit_use(&k, TW__CSL_OP_MOV16, arg_dsd(0), arg_none(), arg_fifo(0), arg_none());
    kit_op(&k, 4);
    WIDE(&k, STA_U16, 4, 22);
    /* write length is now 8, so a scalar goes in 8 times: 22 + 8 fit */
    WIDE(&k, LDI, 6, 777);
    kit_use(&k, TW__CSL_OP_MOV16, arg_fifo(0), arg_none(), arg_scalar(6), arg_none());
    kit_op(&k, 4);
    WIDE(&k, STA_U16, 4, 24);
    kit_dsd(&k, 0, mem1d(400, 40, 1));
    kit_use(&k, TW__CSL_OP_MOV16, arg_dsd(0), arg_none(), arg_fifo(0), arg_none());
    kit_op(&k, 4);
    WIDE(&k, STA_U16, 4, 26); /* false: 30 there, and read length 10 left */
    kit_end(&k);
    kit_start(&k);
    for (unsigned n = 0; n < 40; n++) put16(&k, 0, 0, 100 + 2 * n, n + 1);
    kit_run(&k);
    assert_int_equal(get16(&k, 0, 0, 20), 0);
    assert_int_equal(get16(&k, 0, 0, 22), 1);
    assert_int_equal(get16(&k, 0, 0, 24), 1);
    for (unsigned n = 0; n < 10; n++) assert_int_equal(get16(&k, 0, 0, 300 + 2 * n), n + 1);
    for (unsigned n = 0; n < 22; n++) assert_int_equal(get16(&k, 0, 0, 400 + 2 * n), n + 11);
    for (unsigned n = 22; n < 30; n++) assert_int_equal(get16(&k, 0, 0, 400 + 2 * n), 777);
    assert_int_equal(get16(&k, 0, 0, 26), 0);
    assert_int_equal(get16(&k, 0, 0, 400 + 2 * 30), 0);
    kit_free(&k);
}

/* A DSD that leaves the memory is a fault with the address; the listing names the line. */
static void outside_memory(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 1, 1, false);
    kit_main(&k);
    kit_dsd(&k, 0, mem1d(49140, 10, 1));
    WIDE(&k, LDI, 2, 1);
    LINE(&k, 77);
    kit_use(&k, TW__CSL_OP_MOV16, arg_dsd(0), arg_none(), arg_scalar(2), arg_none());
    kit_op(&k, 4);
    kit_end(&k);
    kit_start(&k);
    assert_int_equal(tw__wse_run(k.w, 1000, NULL, NULL), TW_E_APPLICATION);
    const tw_diag *d = kit_said(&k, "outside the 49152 bytes");
    assert_non_null(d);
    assert_int_equal(d->line, 77);
    assert_string_equal(d->file, "kit.csl");
    assert_non_null(strstr(d->message, "PE 0,0"));
    kit_free(&k);
}

/* .index moves memory by words (micro: f32 element k uses 2k), and is ignored without the property. */
static void index_offset(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 1, 1, false);
    kit_main(&k);
    tw__csl_dsd moved = mem1d(100, 2, 1);
    moved.flags = TW__CSL_DSD_INDEXED;
    kit_dsd(&k, 0, moved);
    kit_dsd(&k, 2, mem1d(200, 2, 1));
    WIDE(&k, LDI, 4, 3);
    WIDE(&k, LDI, 5, 40);
    tw__csl_dsd_use *use = kit_use(&k, TW__CSL_OP_ADD16, arg_dsd(0), arg_dsd(2), arg_scalar(5), arg_none());
    use->flags = TW__CSL_USE_INDEX;
    use->index = 4;
    kit_op(&k, 6);
    LINE(&k, 5);
    kit_use(&k, TW__CSL_OP_ADD16, arg_dsd(0), arg_dsd(2), arg_scalar(5),
            arg_none()); /* missing: acts as 0, is reported */
    kit_op(&k, 6);
    kit_end(&k);
    kit_start(&k);
    kit_run(&k);
    static const unsigned want[] = { 40, 40, 0, 40, 40, 0 };
    for (unsigned n = 0; n < 6; n++) assert_int_equal(get16(&k, 0, 0, 100 + 2 * n), want[n]);
    const tw_diag *d = kit_said(&k, "needs .index");
    assert_non_null(d);
    assert_int_equal(d->severity, TW_WARNING);
    assert_int_equal(d->line, 5);
    kit_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fmacs_of_two_vectors), cmocka_unit_test(lengths),
        cmocka_unit_test(pointer_destinations), cmocka_unit_test(four_dimensions),
        cmocka_unit_test(changed_values),       cmocka_unit_test(fifo_synchronous),
        cmocka_unit_test(outside_memory),       cmocka_unit_test(index_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
