/* SPDX-License-Identifier: MIT */
/* Where DSD operations end: the last element that lies in memory, in an array, in a table, and the first that does
 * not, on each of the ways that an operation may go. */
#include "csl/wse/kit.h"

enum { MEMORY = TW__CSL_PE_BYTES, LISTED = 8 };

/* --- memory ----------------------------------------------------------------------------------------------------- */

typedef enum way { AT_ONCE, ELEMENTWISE, SOURCE, POINTER, FROM_FABRIC, TO_FABRIC, WAYS } way;

static unsigned op_of(unsigned size)
{
    return size == 2 ? TW__CSL_OP_MOV16 : TW__CSL_OP_MOV32;
}

/* One operation of `dsd->length` elements, or as many as a shape has, whose memory operand is `dsd`; a wavelet for
 * each element where it is the fabric that it moves from or to. */
static void operation(kit *k, way w, tw__csl_dsd dsd, unsigned size)
{
    tw__csl_arg scalar = arg_scalar(4), none = arg_none();
    kit_main(k);
    WIDE(k, LDI, 4, 0x1111);
    kit_dsd(k, 0, dsd);
    WIDE(k, LDI, 5, dsd.base);
    bool in = w == FROM_FABRIC, out = w == TO_FABRIC;
    kit_dsd(k, 2,
            in || out ? fabric(in ? TW__CSL_DSD_FABIN : TW__CSL_DSD_FABOUT, in ? 3 : 4, in ? 2 : 3, dsd.length)
                      : mem1d(0, dsd.length ? dsd.length : 1, 0));
    switch (w) {
    case SOURCE: kit_use(k, op_of(size), arg_dsd(2), none, arg_dsd(0), none); break;
    case POINTER: kit_use(k, op_of(size), arg_pointer(5), none, scalar, none); break;
    case FROM_FABRIC: kit_use(k, op_of(size), arg_dsd(0), none, arg_dsd(2), none); break;
    case TO_FABRIC: kit_use(k, op_of(size), arg_dsd(2), none, arg_dsd(0), none); break;
    default: kit_use(k, op_of(size), arg_dsd(0), none, scalar, none);
    }
    kit_op(k, 6);
    kit_end(k);
    if (in) kit_route(k, 0, 0, 3, TW__CSL_WEST, TW__CSL_RAMP);
    if (out) kit_route(k, 0, 0, 4, TW__CSL_RAMP, TW__CSL_EAST);
}

/* Runs it; NULL = it ended well, else what was said. The message lives until the next call. */
static const char *run(kit *k, way w, unsigned n)
{
    static char said[512];
    static const uint32_t words[LISTED] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    k->options.reference |= w == ELEMENTWISE;
    kit_start(k);
    if (w == FROM_FABRIC) assert_true(tw__wse_send(k->w, 0, 0, TW__CSL_WEST, 3, words, n, false));
    if (w == TO_FABRIC) assert_true(tw__wse_listen(k->w, 0, 0, TW__CSL_EAST, 4));
    bool good = tw__wse_run(k->w, 1000000, NULL, NULL) == TW_OK && tw_diags_count(k->diags, TW_WARNING) == 0;
    snprintf(said, sizeof said, "%s", good ? "" : tw_diags_get(k->diags, 0)->message);
    return good ? NULL : said;
}

static void try_memory(way w, tw__csl_dsd dsd, unsigned size, bool good)
{
    for (int reference = 0; reference < 2; reference++) { /* with and without the short ways */
        kit k;
        kit_begin(&k, 1, 1, false);
        k.options.reference = reference;
        operation(&k, w, dsd, size);
        const char *said = run(&k, w, dsd.length);
        if (good && said) fail_msg("way %d, base %u, stride %d, size %u: %s", w, dsd.base, dsd.stride, size, said);
        if (!good && (!said || !strstr(said, "outside the 49152 bytes of PE memory")))
            fail_msg("way %d, base %u, stride %d, size %u: %s", w, dsd.base, dsd.stride, size,
                     said ? said : "good");
        kit_free(&k);
    }
}

static void memory(void **state)
{
    (void)state;
    for (unsigned w = 0; w < WAYS; w++)
        for (unsigned size = 2; size <= 4; size += 2) {
            if (w == POINTER) {
                try_memory((way)w, mem1d(MEMORY - size, 1, 1), size, true);
                try_memory((way)w, mem1d(MEMORY - size + 1, 1, 1), size, false);
                continue;
            }
            for (unsigned n = 1; n <= 3; n += 2)
                for (int stride = -7; stride <= 7; stride += 2) {
                    unsigned reach = size * (n - 1) * (unsigned)abs(stride);
                    unsigned last = MEMORY - size - (stride > 0 ? reach : 0), first = stride < 0 ? reach : 0;
                    try_memory((way)w, mem1d(last, n, stride), size, true);
                    try_memory((way)w, mem1d(last + 1, n, stride), size, false);
                    try_memory((way)w, mem1d(first, n, stride), size, true);
                    if (first) try_memory((way)w, mem1d(first - 1, n, stride), size, false);
                }
        }
}

/* --- arrays, under strict checks -------------------------------------------------------------------------------- */

/* An array at 200 to 216, the object `object` of the DSD. */
static const char *in_array(way w, tw__csl_dsd dsd, unsigned object, tw__wse_check check)
{
    static char kept[512];
    kit k;
    kit_begin(&k, 1, 1, false);
    k.options.check = check;
    tw__csl_symbol *x = TW__CSL_PUSH(k.p, symbols, symbol);
    *x = (tw__csl_symbol){ .name = "x", .address = 200, .bytes = 16, .type_text = "[8]i16" };
    dsd.object = (uint16_t)object;
    operation(&k, w, dsd, 2);
    const char *said = run(&k, w, dsd.length);
    snprintf(kept, sizeof kept, "%s", said ? said : "");
    kit_free(&k);
    return said ? kept : NULL;
}

static void arrays(void **state)
{
    (void)state;
    static const struct {
        tw__csl_dsd dsd;
        bool good;
    } rows[] = {
        { { .base = 200, .length = 8, .stride = 1 }, true },  { { .base = 202, .length = 8, .stride = 1 }, false },
        { { .base = 200, .length = 4, .stride = 2 }, true },  { { .base = 204, .length = 4, .stride = 2 }, false },
        { { .base = 214, .length = 8, .stride = -1 }, true }, { { .base = 212, .length = 8, .stride = -1 }, false },
        { { .base = 215, .length = 1, .stride = 1 }, false }, { { .base = 199, .length = 1, .stride = 1 }, false },
    };
    for (unsigned w = 0; w < WAYS; w++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (w == POINTER || w == AT_ONCE)
                continue; /* a pointer belongs to no array; the short way is not strict */
            tw__csl_dsd dsd = mem1d(rows[i].dsd.base, rows[i].dsd.length, rows[i].dsd.stride);
            const char *said = in_array((way)w, dsd, 1, TW__WSE_CHECK_STRICT);
            if (rows[i].good ? said != NULL : !said || !strstr(said, "outside its array at 0x00c8 to 0x00d7"))
                fail_msg("way %u, row %zu: %s", w, i, said ? said : "good");
            assert_null(in_array((way)w, dsd, 0, TW__WSE_CHECK_STRICT));
            assert_null(in_array((way)w, dsd, 2, TW__WSE_CHECK_STRICT)); /* there is one */
            assert_null(in_array((way)w, dsd, 1, TW__WSE_CHECK_REPORT));
        }
}

/* --- shapes, rings ---------------------------------------------------------------------------------------------- */

static const char *walk(tw__csl_dsd dsd, tw__csl_shape shape)
{
    static char kept[512];
    kit k;
    kit_begin(&k, 1, 1, false);
    *(tw__csl_shape *)TW__CSL_PUSH(k.p, shapes, shape) = shape;
    operation(&k, SOURCE, dsd, 2);
    const char *said = run(&k, SOURCE, 0);
    snprintf(kept, sizeof kept, "%s", said ? said : "");
    kit_free(&k);
    return said ? kept : NULL;
}

static tw__csl_dsd mem4d(unsigned base, unsigned shape)
{
    tw__csl_dsd dsd = mem1d(base, 0, 0);
    dsd.kind = TW__CSL_DSD_MEM4D;
    dsd.shape = (uint16_t)shape;
    return dsd;
}

static void said(const char *what, const char *says)
{
    if (!what || !strstr(what, says)) fail_msg("\"%s\" does not say \"%s\"", what ? what : "good", says);
}

static void shapes(void **state)
{
    (void)state;
    const tw__csl_shape plane = { 2, { 3, 4 }, { 1, 7 } }; /* rows of 4, 10 apart: elements 0 .. 23 */
    assert_null(walk(mem4d(MEMORY - 48, 0), plane));
    said(walk(mem4d(MEMORY - 47, 0), plane), "outside the 49152 bytes");
    said(walk(mem4d(0, 1), plane), "a register pair used as mem4d_dsd holds none");
    const tw__csl_shape back = { 2, { 3, 4 }, { -1, -7 } };
    assert_null(walk(mem4d(46, 0), back));
    said(walk(mem4d(45, 0), back), "outside the 49152 bytes");
    said(walk(mem4d(0, 0), (tw__csl_shape){ 2, { 3, 0 }, { 1, 1 } }), "one of its extents is 0");
    assert_null(walk(mem4d(0, 0), (tw__csl_shape){ 2, { 254, 129 }, { 0, 0 } })); /* 32,766 */
    said(walk(mem4d(0, 0), (tw__csl_shape){ 2, { 217, 151 }, { 0, 0 } }), "without end");
    said(walk(mem4d(0, 0), (tw__csl_shape){ 2, { 256, 128 }, { 0, 0 } }), "a DSD length of 32768");
    said(walk(mem4d(0, 0), (tw__csl_shape){ 2, { 255, 257 }, { 0, 0 } }), "a DSD length of 65535");
    said(walk(mem4d(0, 0), (tw__csl_shape){ 2, { 256, 256 }, { 0, 0 } }), "a DSD length of 65535");
    said(walk(mem4d(0, 0), (tw__csl_shape){ 4, { 65535, 65535, 65535, 65535 }, { 0 } }), "a DSD length of 65535");
}

/* A ring of four elements: what it gives from each place on, and from one behind its end. */
static void rings(void **state)
{
    (void)state;
    for (unsigned place = 0; place <= 5; place++) {
        kit k;
        kit_begin(&k, 1, 1, false);
        kit_main(&k);
        tw__csl_dsd ring = mem1d(100, 6, 4);
        ring.kind = TW__CSL_DSD_CIRCBUF;
        ring.shape = (uint16_t)place;
        kit_dsd(&k, 0, mem1d(300, 6, 1));
        kit_dsd(&k, 2, ring);
        kit_use(&k, TW__CSL_OP_MOV16, arg_dsd(0), arg_none(), arg_dsd(2), arg_none());
        kit_op(&k, 4);
        kit_end(&k);
        kit_start(&k);
        for (unsigned i = 0; i < 8; i++) put16(&k, 0, 0, 100 + 2 * i, 10 + i);
        kit_run(&k);
        for (unsigned i = 0; i < 6; i++)
            assert_int_equal(get16(&k, 0, 0, 300 + 2 * i), 10 + ((place < 4 ? place : 0) + i) % 4);
        kit_free(&k);
    }
    kit k;
    for (unsigned more = 0; more < 2; more++) { /* its last element ends with the memory */
        kit_begin(&k, 1, 1, false);
        tw__csl_dsd ring = mem1d(MEMORY - 8 + more, 6, 4);
        ring.kind = TW__CSL_DSD_CIRCBUF;
        operation(&k, SOURCE, ring, 2);
        if (more)
            said(run(&k, SOURCE, 0), "outside the 49152 bytes");
        else
            assert_null(run(&k, SOURCE, 0));
        kit_free(&k);
    }
}

/* --- lengths, queues, colors ------------------------------------------------------------------------------------ */

static const char *ends(way w, tw__csl_dsd dsd)
{
    static char kept[512];
    kit k;
    kit_begin(&k, 1, 1, false);
    operation(&k, w, dsd, 2);
    const char *what = run(&k, w, 0);
    snprintf(kept, sizeof kept, "%s", what ? what : "");
    kit_free(&k);
    return what ? kept : NULL;
}

static void lengths(void **state)
{
    (void)state;
    for (way w = AT_ONCE; w <= ELEMENTWISE; w++) {
        assert_null(ends(w, mem1d(100, TW__CSL_UNBOUNDED - 1, 0)));
        said(ends(w, mem1d(100, TW__CSL_UNBOUNDED, 0)), "a synchronous operation on memory without end");
        said(ends(w, mem1d(100, TW__CSL_UNBOUNDED + 1, 0)), "a DSD length of 32768");
    }
}

/* What is no DSD, though its kind is one: bytes of a program that wrote over it. Both ways into an operation. */
static const char *overwritten(tw__csl_dsd dsd)
{
    static char kept[512];
    kit k;
    kit_begin(&k, 1, 1, false);
    *(tw__csl_fifo *)TW__CSL_PUSH(k.p, fifos, fifo) = (tw__csl_fifo){ .name = "fifo",
                                                                      .address = 600,
                                                                      .bytes = 64,
                                                                      .elem_bytes = 2,
                                                                      .push_task = TW__CSL_NO_ID,
                                                                      .pop_task = TW__CSL_NO_ID };
    kit_main(&k);
    kit_dsd(&k, 0, dsd);
    kit_use(&k, TW__CSL_OP_MOV16, arg_fifo(0), arg_none(), arg_dsd(0), arg_none());
    kit_op(&k, 6);
    kit_end(&k);
    const char *what = run(&k, SOURCE, 0);
    snprintf(kept, sizeof kept, "%s", what ? what : "");
    kit_free(&k);
    return what ? kept : NULL;
}

static void fields_that_choose(void **state)
{
    (void)state;
    static const char says[] = "the source of the operation is no DSD";
    for (unsigned field = 0; field < 3; field++) {
        tw__csl_dsd dsd = mem1d(100, 4, 1);
        uint8_t *const fields[] = { &dsd.simd, &dsd.priority, &dsd.kind };
        if (field < 2) *fields[field] = 3;
        assert_null(overwritten(dsd));
        *fields[field] = field < 2 ? 4 : TW__CSL_DSD_NONE;
        said(overwritten(dsd), says);
        *fields[field] = field < 2 ? 255 : TW__CSL_DSD_KINDS;
        said(overwritten(dsd), says);
    }
}

static const char *fabric_operand(unsigned color, unsigned queue, bool out)
{
    static char kept[512];
    kit k;
    kit_begin(&k, 1, 1, false);
    kit_main(&k);
    kit_dsd(&k, 0, mem1d(100, 1, 1));
    kit_dsd(&k, 2, fabric(out ? TW__CSL_DSD_FABOUT : TW__CSL_DSD_FABIN, color, queue, 1));
    kit_use(&k, TW__CSL_OP_MOV16, arg_dsd(out ? 2 : 0), arg_none(), arg_dsd(out ? 0 : 2), arg_none());
    kit_op(&k, 6);
    kit_end(&k);
    kit_start(&k);
    tw__wse_run(k.w, 1000, NULL, NULL);
    const tw_diag *d = tw_diags_get(k.diags, 0);
    snprintf(kept, sizeof kept, "%s", d ? d->message : "");
    kit_free(&k);
    return kept;
}

static void queues_and_colors(void **state)
{
    (void)state;
    for (int out = 0; out < 2; out++) {
        unsigned queues = out ? 6 : TW__CSL_QUEUES; /* of the WSE-2 */
        assert_null(strstr(fabric_operand(3, queues - 1, out), "does not exist"));
        said(fabric_operand(3, queues, out), "does not exist");
        said(fabric_operand(3, TW__CSL_QUEUES, out), "queue 8 of a fabric DSD does not exist");
        assert_null(strstr(fabric_operand(3, TW__CSL_NO_ID, out), "does not exist"));
        said(fabric_operand(3, TW__CSL_NO_ID - 1, out), "queue 254 of a fabric DSD does not exist");
        assert_null(strstr(fabric_operand(TW__CSL_COLORS - 1, 2, out), "routable"));
        said(fabric_operand(TW__CSL_COLORS, 2, out), "color 24 of a fabric DSD is not one of the 24 routable ones");
        said(fabric_operand(TW__CSL_NO_ID, TW__CSL_NO_ID, out), "neither color nor queue");
        said(fabric_operand(TW__CSL_NO_ID, 2, out), "has no color");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory),
        cmocka_unit_test(arrays),
        cmocka_unit_test(shapes),
        cmocka_unit_test(rings),
        cmocka_unit_test(fields_that_choose),
        cmocka_unit_test(lengths),
        cmocka_unit_test(queues_and_colors),
    };
    return cmocka_run_group_tests_name("wse_bounds", tests, NULL, NULL);
}
