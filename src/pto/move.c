/* move: between memories and layouts, windows, padding, and what rearranges whole rows and columns (spec pto.md 3.7). */
#include "pto/pto.h"

/* Which moves a target has: bit TW_PTO_<to> by source location. */
static bool path_exists(tw_pto_target target, unsigned from, unsigned to)
{
#define L(l) (1u << TW_PTO_##l)
    static const unsigned a2a3[TW_PTO_LOCATIONS] = { [TW_PTO_MAT] = L(LEFT) | L(RIGHT) | L(BIAS) | L(SCALING),
                                                     [TW_PTO_VEC] = L(VEC),
                                                     [TW_PTO_ACC] = L(MAT) | L(VEC) };
    static const unsigned a5[TW_PTO_LOCATIONS] = { [TW_PTO_MAT] = L(LEFT) | L(RIGHT) | L(BIAS) | L(SCALING) |
                                                                  L(SCALE_LEFT) | L(SCALE_RIGHT),
                                                   [TW_PTO_VEC] = L(VEC) | L(MAT),
                                                   [TW_PTO_ACC] = L(MAT) | L(VEC) };
#undef L
    unsigned paths = target == TW_PTO_A2A3 ? a2a3[from] : target == TW_PTO_A5 ? a5[from] : a2a3[from] | a5[from];
    return paths >> to & 1;
}

static bool converts(const tw_pto_tile *src, const tw_pto_tile *dst)
{
    if (src->type == dst->type) return true;
    if (src->location == TW_PTO_ACC && src->type == TW_F32) return dst->type == TW_F16 || dst->type == TW_BF16;
    return dst->location == TW_PTO_BIAS && dst->type == TW_F32 && (src->type == TW_F16 || src->type == TW_BF16);
}

static tw_status check_path(tw__pto_call *call)
{
    static const char *const names[] = { "vec",  "mat",     "left",       "right",      "acc",
                                         "bias", "scaling", "scale_left", "scale_right" };
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    if (!path_exists(call->target, src->location, dst->location))
        return tw__pto_refuse(call, 0, "move.path", "there is no move from %s to %s", names[src->location],
                              names[dst->location]);
    if (call->attrs->relu && src->location != TW_PTO_ACC)
        return tw__pto_refuse(call, 1, "move.relu", "only accumulators pass through relu");
    return TW_OK;
}

/* Box layouts of the cube's memories: left operands differ by target (spec pto.md 1.1, 8 no. 22). */
static tw_status check_box(tw__pto_call *call, const tw_pto_tile *t, unsigned i)
{
    if (call->target == TW_PTO_CPU || !tw__tile_boxed(t)) return TW_OK;
    bool good = true;
    if (t->location == TW_PTO_LEFT)
        good = t->slayout == TW_PTO_BOX_ROW &&
               t->blayout == (call->target == TW_PTO_A2A3 ? TW_PTO_ROW_MAJOR : TW_PTO_COL_MAJOR);
    if (t->location == TW_PTO_RIGHT) good = t->slayout == TW_PTO_BOX_COL && t->blayout == TW_PTO_ROW_MAJOR;
    if (t->location == TW_PTO_ACC) good = t->slayout == TW_PTO_BOX_ROW && t->blayout == TW_PTO_COL_MAJOR;
    return good ? TW_OK
                : tw__pto_refuse(call, i, "layout.cube", "the boxes of operand %u do not lie as this memory needs",
                                 i + 1);
}

tw_status tw__pto_check_move(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    tw_status status = check_path(call);
    if (status == TW_OK) status = check_box(call, dst, 0);
    if (status == TW_OK) status = check_box(call, src, 1);
    if (status != TW_OK) return status;
    if (!converts(src, dst))
        return tw__pto_refuse(call, 0, "move.type", "%s is not moved to %s", tw_type_name(src->type, TW_SYSTEM_PTO),
                              tw_type_name(dst->type, TW_SYSTEM_PTO));
    bool split = call->attrs->acc_mode > 1;
    if (!split && (!tw__same(dst->valid_rows, src->valid_rows) || !tw__same(dst->valid_cols, src->valid_cols)) &&
        (src->rows != dst->rows || src->cols != dst->cols))
        return tw__pto_refuse(call, 1, "move.extents", "source and dst differ in extents");
    if (split)
        return tw__pto_refuse(call, TW__NO_OPERAND, "move.split",
                              "splitting over two vector cores needs both of them");
    return TW_OK;
}

static tw_status move_values(tw__pto_call *call, tw__plane dst, tw__plane src)
{
    tw__plane values = src;
    tw_status status = TW_OK;
    if (call->attrs->relu) {
        values = tw__plane_new(call->core, src.type, src.rows, src.cols);
        if (!values.at) return TW_E_NO_MEMORY;
        status = tw__lanes(call, TW_VEC_RELU, NULL, src.rows, src.cols, (tw__plane[]){ values, src }, 2);
    }
    if (status != TW_OK) return status;
    if (values.type == dst.type) return tw__plane_copy(call, &dst, &values);
    return tw__lanes(call, TW_VEC_CONVERT, NULL, values.rows, values.cols, (tw__plane[]){ dst, values }, 2);
}

/* The valid region of the source; all of it outside vector memory, where boxes move as they are. */
tw_status tw__pto_run_move(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    bool whole = dst->location != TW_PTO_VEC && src->location != TW_PTO_VEC && dst->rows == src->rows &&
                 dst->cols == src->cols;
    if (tw_type_get(dst->type)->bits == 4)
        return tw__pto_refuse(call, 0, "type.set", "4-bit elements are moved as bytes");
    tw__plane to = call->plane[0], from = whole ? tw__plane_physical(call, 1) : call->plane[1];
    return move_values(call, to, from);
}

tw_status tw__pto_scaled(tw__pto_call *call, unsigned source, unsigned scale, tw_type to, tw__plane *out);

tw_status tw__pto_check_move_quant(tw__pto_call *call)
{
    tw_type to = tw__tile(call, 0)->type;
    tw_status status = check_path(call);
    if (status != TW_OK) return status;
    if (tw__tile(call, 1)->location != TW_PTO_ACC)
        return tw__pto_refuse(call, 1, "location.acc", "only accumulators are moved with a scale");
    if (to != TW_I8 && to != TW_U8 && to != TW_F16 && (call->target == TW_PTO_A2A3 || to != TW_BF16))
        return tw__pto_refuse(call, 0, "move.type", "a scaled accumulator does not become %s",
                              tw_type_name(to, TW_SYSTEM_PTO));
    if (tw__tile(call, 0)->rows < tw__tile(call, 1)->rows || tw__tile(call, 0)->cols < tw__tile(call, 1)->cols)
        return tw__pto_refuse(call, 0, "move.extents", "dst is smaller than the source");
    if (call->operand[2].kind == TW_PTO_TILE && tw_type_size(tw__tile(call, 2)->type) < 4)
        return tw__pto_refuse(call, 2, "scale.type", "scales are 32 or 64 bits wide");
    return TW_OK;
}

tw_status tw__pto_run_move_quant(tw__pto_call *call)
{
    tw__plane out;
    tw_status status = tw__pto_scaled(call, 1, 2, call->plane[0].type, &out);
    return status == TW_OK ? tw__plane_copy(call, &call->plane[0], &out) : status;
}

/* --- windows ------------------------------------------------------------------------------------------------------- */

static tw_status check_window(tw__pto_call *call, const tw_pto_tile *small, const tw_pto_tile *large, uint32_t rows,
                              uint32_t cols)
{
    uint64_t r = call->operand[2].scalar.bits & UINT32_MAX, c = call->operand[3].scalar.bits & UINT32_MAX;
    if (small->type != large->type && !converts(tw__tile(call, 1), tw__tile(call, 0)))
        return tw__pto_refuse(call, 1, "type.same", "source and dst have one type");
    if (!call->core) return TW_OK; /* the corner is known at run time */
    if (r + rows > large->rows || c + cols > large->cols)
        return tw__pto_refuse(call, 2, "window.bounds", "%u x %u elements at (%llu, %llu) reach outside %u x %u",
                              rows, cols, (unsigned long long)r, (unsigned long long)c, large->rows, large->cols);
    return TW_OK;
}

tw_status tw__pto_check_extract(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    bool vectors = dst->location == TW_PTO_VEC && src->location == TW_PTO_VEC;
    if (!vectors) {
        tw_status status = check_path(call);
        if (status == TW_OK) status = check_box(call, dst, 0);
        if (status != TW_OK) return status;
    }
    return check_window(call, dst, src, dst->valid_rows == TW_PTO_DYNAMIC ? 0 : dst->valid_rows,
                        dst->valid_cols == TW_PTO_DYNAMIC ? 0 : dst->valid_cols);
}

static uint32_t corner(const tw__pto_call *call, unsigned i)
{
    return (uint32_t)call->operand[i].scalar.bits;
}

tw_status tw__pto_run_extract(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], all = tw__plane_physical(call, 1);
    return move_values(call, dst, tw__plane_part(all, corner(call, 2), dst.rows, corner(call, 3), dst.cols));
}

tw_status tw__pto_check_insert(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    bool cube = src->location == TW_PTO_ACC && dst->location == TW_PTO_MAT;
    bool wide = (src->location == TW_PTO_ACC && dst->location == TW_PTO_VEC) ||
                (src->location == TW_PTO_VEC && (dst->location == TW_PTO_MAT || dst->location == TW_PTO_VEC));
    if (!cube && (!wide || call->target == TW_PTO_A2A3))
        return tw__pto_refuse(call, 0, "move.path", "there is no such insertion");
    return check_window(call, src, dst, src->valid_rows == TW_PTO_DYNAMIC ? 0 : src->valid_rows,
                        src->valid_cols == TW_PTO_DYNAMIC ? 0 : src->valid_cols);
}

tw_status tw__pto_run_insert(tw__pto_call *call)
{
    tw__plane src = call->plane[1], all = tw__plane_physical(call, 0);
    return move_values(call, tw__plane_part(all, corner(call, 2), src.rows, corner(call, 3), src.cols), src);
}

tw_status tw__pto_check_reshape(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    if (dst->location != src->location)
        return tw__pto_refuse(call, 0, "reshape.location", "both lie in one memory");
    if (tw_pto_tile_bytes(dst) != tw_pto_tile_bytes(src))
        return tw__pto_refuse(call, 0, "reshape.bytes", "dst has %zu bytes, the source %zu", tw_pto_tile_bytes(dst),
                              tw_pto_tile_bytes(src));
    if (tw__tile_boxed(dst) != tw__tile_boxed(src))
        return tw__pto_refuse(call, 0, "reshape.boxes", "boxed tiles stay boxed and others do not become so");
    if (dst->base_rows || src->base_rows)
        return tw__pto_refuse(call, 1, "reshape.window", "windows cannot be reshaped");
    return TW_OK;
}

/* Bytes of storage to storage: the plane of a boxed dst is taken anew, so that putting it back changes nothing. */
tw_status tw__pto_run_reshape(tw__pto_call *call)
{
    unsigned char *to = tw__pto_storage(call->core, tw__tile(call, 0)),
                  *from = tw__pto_storage(call->core, tw__tile(call, 1));
    memmove(to, from, tw_pto_tile_bytes(tw__tile(call, 0)));
    return tw__tile_boxed(tw__tile(call, 0)) ? tw__pto_bind(call) : TW_OK;
}

tw_status tw__pto_check_transpose(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    if (call->target != TW_PTO_CPU && (src->blayout != TW_PTO_ROW_MAJOR || tw__tile_boxed(src)))
        return tw__pto_refuse(call, 1, "layout.row-major", "the source must be row-major");
    if (!tw__at_most(src->valid_cols, dst->rows) || !tw__at_most(src->valid_rows, dst->cols))
        return tw__pto_refuse(call, 0, "trans.extents", "%u x %u transposed does not fit dst's %u x %u",
                              src->valid_rows, src->valid_cols, dst->rows, dst->cols);
    return TW_OK;
}

tw_status tw__pto_run_transpose(tw__pto_call *call)
{
    tw__plane src = call->plane[1], turned = src;
    turned.rows = src.cols;
    turned.cols = src.rows;
    turned.row = src.col;
    turned.col = src.row;
    if (call->operand[0].tile->place != call->operand[1].tile->place)
        return tw__plane_copy(call, &call->plane[0], &turned);
    tw__plane copy = tw__plane_new(call->core, src.type, turned.rows, turned.cols);
    if (!copy.at) return TW_E_NO_MEMORY;
    tw_status status = tw__plane_copy(call, &copy, &turned);
    return status == TW_OK ? tw__plane_copy(call, &call->plane[0], &copy) : status;
}

/* --- padding ---------------------------------------------------------------------------------------------------------- */

tw_status tw__pto_check_fill_pad(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    bool expand = strcmp(call->row->name, "TFILLPAD_EXPAND") == 0;
    if (dst->location != src->location || (dst->location != TW_PTO_VEC && dst->location != TW_PTO_MAT))
        return tw__pto_refuse(call, 0, "location.fill", "both lie in vector memory, or in L1");
    if (dst->location == TW_PTO_VEC && dst->pad == TW_PTO_PAD_NULL)
        return tw__pto_refuse(call, 0, "pad.null", "dst has no pad value");
    if (dst->location == TW_PTO_MAT && dst->pad > TW_PTO_PAD_ZERO)
        return tw__pto_refuse(call, 0, "pad.mat", "tiles in L1 are padded with zero");
    if (expand ? dst->rows < src->rows || dst->cols < src->cols : dst->rows != src->rows || dst->cols != src->cols)
        return tw__pto_refuse(call, 0, "pad.extents", expand ? "dst is smaller than the source" : "extents differ");
    return TW_OK;
}

tw_status tw__pto_run_fill_pad(tw__pto_call *call)
{
    tw__plane src = call->plane[1], all = tw__plane_physical(call, 0);
    uint64_t pad = tw__pad_bits(all.type, tw__tile(call, 0)->pad);
    tw__plane right = tw__plane_part(all, 0, src.rows, src.cols, all.cols - src.cols);
    tw__plane below = tw__plane_part(all, src.rows, all.rows - src.rows, 0, all.cols);
    tw_status status = all.at == src.at ? TW_OK : tw__plane_copy(call, &all, &src);
    if (status == TW_OK && right.cols) status = tw__plane_fill(call, &right, &pad);
    return status == TW_OK && below.rows ? tw__plane_fill(call, &below, &pad) : status;
}

/* --- columns side by side, streams zipped and unzipped ------------------------------------------------------------------ */

tw_status tw__pto_check_concat(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *a = tw__tile(call, 1), *b = tw__tile(call, 2);
    if (!tw__same(a->valid_rows, dst->valid_rows) || !tw__same(b->valid_rows, dst->valid_rows))
        return tw__pto_refuse(call, 0, "concat.rows", "sources and dst have as many valid rows");
    if (a->valid_cols == TW_PTO_DYNAMIC || b->valid_cols == TW_PTO_DYNAMIC) return TW_OK;
    uint32_t sum = a->valid_cols + b->valid_cols;
    if (call->target == TW_PTO_A5 ? !tw__same(sum, dst->valid_cols) : sum > dst->cols)
        return tw__pto_refuse(call, 0, "concat.cols", "%u columns side by side and dst's %u", sum, dst->valid_cols);
    return TW_OK;
}

tw_status tw__pto_run_concat(tw__pto_call *call)
{
    tw__plane dst = tw__plane_physical(call, 0), a = call->plane[1], b = call->plane[2];
    dst.rows = a.rows;
    tw__plane right = tw__plane_part(dst, 0, b.rows, a.cols, b.cols);
    tw_status status = tw__plane_copy(call, &dst, &a);
    return status == TW_OK ? tw__plane_copy(call, &right, &b) : status;
}

static tw_status check_zip(tw__pto_call *call)
{
    const tw_pto_tile *first = tw__tile(call, 0);
    if (first->valid_cols != TW_PTO_DYNAMIC && first->valid_cols % 2)
        return tw__pto_refuse(call, 0, "interleave.even", "an even number of valid columns is needed");
    for (unsigned i = 1; i < call->count; i++)
        if (!tw__same(tw__tile(call, i)->valid_rows, first->valid_rows) ||
            (call->count == 4 && !tw__same(tw__tile(call, i)->valid_cols, first->valid_cols)) ||
            tw__tile(call, i)->type != first->type)
            return tw__pto_refuse(call, i, "valid.same", "types and valid regions are equal");
    return TW_OK;
}

tw_status tw__pto_check_interleave(tw__pto_call *call)
{
    return check_zip(call);
}

/* Operands: second half, first half, s1, s0; the stream is s0[0] s1[0] s0[1] ... (spec pto.md 3.1). */
tw_status tw__pto_run_interleave(tw__pto_call *call)
{
    uint32_t rows = call->plane[0].rows, cols = call->plane[0].cols;
    tw__plane stream = tw__plane_new(call->core, call->plane[0].type, rows, 2 * cols), even = stream, odd;
    if (!stream.at) return TW_E_NO_MEMORY;
    even.cols = cols;
    even.col *= 2;
    odd = even;
    odd.at += stream.col;
    tw_status status = tw__plane_copy(call, &even, &call->plane[3]);
    if (status == TW_OK) status = tw__plane_copy(call, &odd, &call->plane[2]);
    tw__plane low = tw__plane_part(stream, 0, rows, 0, cols), high = tw__plane_part(stream, 0, rows, cols, cols);
    if (status == TW_OK) status = tw__plane_copy(call, &call->plane[1], &low);
    return status == TW_OK ? tw__plane_copy(call, &call->plane[0], &high) : status;
}

static tw_status unzip(tw__pto_call *call, const tw__plane *stream)
{
    tw__plane even = *stream, odd;
    even.cols = stream->cols / 2;
    even.col *= 2;
    odd = even;
    odd.at += stream->col;
    tw_status status = tw__plane_copy(call, &call->plane[1], &even);
    return status == TW_OK ? tw__plane_copy(call, &call->plane[0], &odd) : status;
}

tw_status tw__pto_check_deinterleave(tw__pto_call *call)
{
    return check_zip(call);
}

tw_status tw__pto_run_deinterleave(tw__pto_call *call)
{
    uint32_t rows = call->plane[0].rows, cols = call->plane[0].cols;
    tw__plane stream = tw__plane_new(call->core, call->plane[0].type, rows, 2 * cols);
    if (!stream.at) return TW_E_NO_MEMORY;
    tw__plane low = tw__plane_part(stream, 0, rows, 0, cols), high = tw__plane_part(stream, 0, rows, cols, cols);
    tw_status status = tw__plane_copy(call, &low, &call->plane[3]);
    if (status == TW_OK) status = tw__plane_copy(call, &high, &call->plane[2]);
    return status == TW_OK ? unzip(call, &stream) : status;
}

tw_status tw__pto_check_deinterleave1(tw__pto_call *call)
{
    const tw_pto_tile *src = tw__tile(call, 2);
    for (unsigned i = 0; i < 2; i++)
        if (src->valid_cols != TW_PTO_DYNAMIC && !tw__same(tw__tile(call, i)->valid_cols, src->valid_cols / 2))
            return tw__pto_refuse(call, i, "interleave.half", "dst has half of the source's valid columns");
    return src->valid_cols % 2 && src->valid_cols != TW_PTO_DYNAMIC
               ? tw__pto_refuse(call, 2, "interleave.even", "an even number of valid columns is needed")
               : check_zip(call);
}

tw_status tw__pto_run_deinterleave1(tw__pto_call *call)
{
    tw__plane src = call->plane[2], stream = tw__plane_new(call->core, src.type, src.rows, src.cols);
    if (!stream.at) return TW_E_NO_MEMORY;
    tw_status status = tw__plane_copy(call, &stream, &src);
    return status == TW_OK ? unzip(call, &stream) : status;
}

/* TPACK: low bits, 4 to 2, 4 to 1 or 2 to 1 bytes. */
tw_status tw__pto_check_pack(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    if (tw_type_size(dst->type) >= tw_type_size(src->type))
        return tw__pto_refuse(call, 0, "pack.width", "dst's elements are narrower than the source's");
    if (!tw__same(dst->valid_rows, src->valid_rows) || !tw__same(dst->valid_cols, src->valid_cols))
        return tw__pto_refuse(call, 1, "valid.same", "valid regions differ");
    return TW_OK;
}

tw_status tw__pto_run_pack(tw__pto_call *call)
{
    static const tw_type bits[] = { [1] = TW_U8, [2] = TW_U16, [4] = TW_U32 };
    tw__plane p[] = { call->plane[0], call->plane[1] };
    for (int i = 0; i < 2; i++) p[i].type = bits[tw_type_size(p[i].type)];
    return tw__lanes(call, TW_VEC_CONVERT, NULL, p[0].rows, p[0].cols, p, 2);
}
