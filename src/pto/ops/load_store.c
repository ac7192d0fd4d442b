/* SPDX-License-Identifier: MIT */
/* load_store: between tiles and global memory. A tensor and a tile correspond element by element as
 * two views of rank 5; moving is a copy of views. */
#include "pto/pto.h"

static const tw_window anywhere = { NULL, SIZE_MAX };

static bool tensor_fits(const tw_pto_tensor *g, const tw_pto_tile *t)
{
    size_t rows, cols;
    tw_pto_tensor_extents(g, &rows, &cols);
    return (t->valid_rows == TW_PTO_DYNAMIC || rows == t->valid_rows) &&
           (t->valid_cols == TW_PTO_DYNAMIC || cols == t->valid_cols);
}

/* Boxes of scales: Zz for the left operand, Nn for the right one. */
static bool scale_boxes(const tw_pto_tile *t, bool left)
{
    return t->fractal == 32 && t->slayout == (left ? TW_PTO_BOX_ROW : TW_PTO_BOX_COL) &&
           t->blayout == (left ? TW_PTO_ROW_MAJOR : TW_PTO_COL_MAJOR);
}

/* Layout of tile and tensor: the same, or (L1) a change on the way in. Vectors have no layout. */
static bool layouts_fit(const tw__pto_call *call, const tw_pto_tile *t, const tw_pto_tensor *g)
{
    bool boxed = tw__tile_boxed(t), columns = t->blayout == TW_PTO_COL_MAJOR;
    bool zn = boxed && !columns && t->slayout == TW_PTO_BOX_COL,
         nz = boxed && columns && t->slayout == TW_PTO_BOX_ROW, zz32 = scale_boxes(t, true),
         nn32 = scale_boxes(t, false);
    bool outer = g->shape[0] == 1 && g->shape[1] == 1 && g->shape[2] == 1 && t->fractal != 1024 && t->fractal != 32;
    bool changes = outer && t->location == TW_PTO_MAT && tw__letter(call->row, 'g') >= 0;
    if (call->target == TW_PTO_CPU || t->rows == 1 || t->cols == 1) return true;
    switch (g->layout) {
    case TW_PTO_ND: return (!boxed && !columns) || (changes && nz);
    case TW_PTO_DN: return (!boxed && columns) || (changes && zn);
    case TW_PTO_NZ: return nz;
    case TW_PTO_MX_A_ZZ:
    case TW_PTO_MX_A_ND:
    case TW_PTO_MX_A_DN:
    case TW_PTO_HIF4_A_ZZ: return zz32;
    case TW_PTO_MX_B_NN:
    case TW_PTO_MX_B_ND:
    case TW_PTO_MX_B_DN:
    case TW_PTO_HIF4_B_NN: return nn32;
    case TW_PTO_SCALE: return (!boxed && !columns) || zz32 || nn32;
    case TW_PTO_NC1HWC0:
    case TW_PTO_GNC1HWC0:
    case TW_PTO_NDC1HWC0: return nz;
    case TW_PTO_NCHW:
    case TW_PTO_GNCHW:
    case TW_PTO_NHWC:
    case TW_PTO_NCDHW:
    case TW_PTO_FRACTAL_Z:
    case TW_PTO_FRACTAL_Z_S16S8:
    case TW_PTO_FRACTAL_Z_3D:
    case TW_PTO_LAYOUTS: break;
    }
    return false;
}

#define L(l) (UINT64_C(1) << TW_PTO_##l)
static const uint64_t left_scales = L(MX_A_ZZ) | L(MX_A_ND) | L(MX_A_DN) | L(HIF4_A_ZZ),
                      right_scales = L(MX_B_NN) | L(MX_B_ND) | L(MX_B_DN) | L(HIF4_B_NN),
                      hif4_scales = L(HIF4_A_ZZ) | L(HIF4_B_NN), any_scales = left_scales | right_scales | L(SCALE);
#undef L

/* Scales in boxes of 16 x 2, in pairs where only these lie together. */
static bool scale_shape(const tw_pto_tensor *g)
{
    bool boxes = g->layout == TW_PTO_MX_A_ZZ || g->layout == TW_PTO_MX_B_NN;
    return g->layout == TW_PTO_SCALE || (g->shape[4] == 2 && (!boxes || g->shape[3] == 16));
}

/* Layouts of scales exist where the scales do, and scales come in pairs along the dimension that is multiplied. */
static tw_status check_scales(tw__pto_call *call, const tw_pto_tile *t, unsigned tensor)
{
    tw_pto_layout layout = call->operand[tensor].tensor->layout;
    if (!(any_scales >> layout & 1)) return TW_OK;
    if (hif4_scales >> layout & 1 && call->target != TW_PTO_CPU)
        return tw__pto_refuse(call, tensor, "global.absent", "layout %s is one of A6; here profile cpu has it",
                              tw_pto_layout_name(layout));
    if (call->target == TW_PTO_A2A3)
        return tw__pto_refuse(call, tensor, "global.absent", "layout %s is one of A5: there are no scales here",
                              tw_pto_layout_name(layout));
    bool right = right_scales >> layout & 1 || (layout == TW_PTO_SCALE && scale_boxes(t, false));
    if (layout == TW_PTO_SCALE && !right && !scale_boxes(t, true)) return TW_OK;
    uint32_t pairs = right ? t->valid_rows : t->valid_cols;
    if (pairs != TW_PTO_DYNAMIC && pairs % 2)
        return tw__pto_refuse(call, tensor, "global.scales", "scales come in pairs");
    if (call->target == TW_PTO_A5 && !scale_shape(call->operand[tensor].tensor))
        return tw__pto_refuse(call, tensor, "global.scales", "the innermost dimensions of layout %s are %s",
                              tw_pto_layout_name(layout),
                              layout == TW_PTO_MX_A_ZZ || layout == TW_PTO_MX_B_NN ? "16 and 2" : "pairs");
    return TW_OK;
}

static tw_status check_fit(tw__pto_call *call, unsigned tile, unsigned tensor)
{
    size_t rows, cols;
    const tw_pto_tile *t = tw__tile(call, tile);
    if (tensor_fits(call->operand[tensor].tensor, t)) return TW_OK;
    tw_pto_tensor_extents(call->operand[tensor].tensor, &rows, &cols);
    return tw__pto_refuse(call, tensor, "global.extents",
                          "the tensor is %zu x %zu, the tile's valid region %u x %u", rows, cols, t->valid_rows,
                          t->valid_cols);
}

static tw_status check_transfer(tw__pto_call *call, unsigned tile, unsigned tensor)
{
    const tw_pto_tile *t = tw__tile(call, tile);
    const tw_pto_tensor *g = call->operand[tensor].tensor;
    if (tw_type_size(t->type) != tw_type_size(g->type) || tw_type_get(t->type)->bits != tw_type_get(g->type)->bits)
        return tw__pto_refuse(call, tensor, "global.type", "tensor of %s and tile of %s differ in element size",
                              tw_type_name(g->type, TW_SYSTEM_PTO), tw_type_name(t->type, TW_SYSTEM_PTO));
    tw_status status = check_fit(call, tile, tensor);
    if (status == TW_OK) status = check_scales(call, t, tensor);
    if (status != TW_OK) return status;
    if (!layouts_fit(call, t, g))
        return tw__pto_refuse(call, tile, "global.layout", "the tile's layout does not fit the tensor's");
    if (call->target != TW_PTO_CPU && tw_type_size(t->type) == 8 && g->layout != TW_PTO_ND &&
        g->layout != TW_PTO_DN)
        return tw__pto_refuse(call, tensor, "global.wide", "elements of 64 bits move in layouts nd and dn");
    return TW_OK;
}

tw_status tw__pto_check_load(tw__pto_call *call)
{
    enum { VEC_ROWS = 4095, MAT_ROWS = 16384 };
    const tw_pto_tile *t = tw__tile(call, 0);
    if (t->conv) return tw__conv_check_transfer(call, 0, 1);
    if (t->location != TW_PTO_VEC && t->location != TW_PTO_MAT)
        return tw__pto_refuse(call, 0, "location.load", "dst lies in vector memory or L1");
    uint32_t most = t->location == TW_PTO_VEC ? VEC_ROWS : MAT_ROWS;
    if (call->target != TW_PTO_CPU && t->rows > most)
        return tw__pto_refuse(call, 0, "load.rows", "%u rows; a tile has at most %u here", t->rows, most);
    if (call->target == TW_PTO_A5 && tw_type_size(t->type) == 8 && t->pad > TW_PTO_PAD_ZERO)
        return tw__pto_refuse(call, 0, "load.pad", "elements of 64 bits are padded with zero");
    return check_transfer(call, 0, 1);
}

/* Padding goes to the whole physical tile. */
tw_status tw__pto_run_load(tw__pto_call *call)
{
    tw_view to, from;
    const tw_pto_tile *t = tw__tile(call, 0);
    const tw_pto_tensor *g = call->operand[1].tensor;
    if (t->conv) return tw__conv_transfer(call, 0, 1);
    bool nibbles = tw__tile_nibbles(t);
    tw_status status = nibbles ? TW_OK : tw__tensor_views(call, g, &call->plane[0], &to, &from);
    if (status != TW_OK) return status;
    if (t->pad != TW_PTO_PAD_NULL && (t->valid_rows < t->rows || t->valid_cols < t->cols)) {
        uint64_t pad = tw__pad_bits(t->type, t->pad);
        tw__plane all = tw__plane_physical(call, 0);
        status = tw__plane_fill(call, &all, &pad);
        if (status != TW_OK) return status;
    }
    if (nibbles) return tw__nibble_transfer(call, g, &call->plane[0], true);
    from.type = to.type;
    return tw_vec_copy_view(&to, &from, anywhere);
}

/* Layouts that an accumulator can be stored in, and how much of it. */
tw_status tw__pto_check_acc_store(tw__pto_call *call)
{
    enum { MOST = 4095, ND_ROWS = 8192, NZ_ROWS = 65535 };
#define L(l) (UINT64_C(1) << TW_PTO_##l)
    const uint64_t both = L(ND) | L(NZ), a2a3 = L(NC1HWC0) | L(NDC1HWC0), a5 = L(NHWC) | L(NCHW) | L(NCDHW);
#undef L
    const tw_pto_tile *t = tw__tile(call, 1);
    tw_pto_layout layout = call->operand[0].tensor->layout;
    tw_status status = check_fit(call, 1, 0);
    if (status != TW_OK || call->target == TW_PTO_CPU) return status;
    if (!((both | (call->target == TW_PTO_A2A3 ? a2a3 : a5)) >> layout & 1))
        return tw__pto_refuse(call, 0, "store.layout", "accumulators are not stored in layout %s",
                              tw_pto_layout_name(layout));
    uint32_t rows = layout == TW_PTO_NZ ? NZ_ROWS : ND_ROWS;
    if (t->cols > MOST || t->valid_cols == 0 || t->rows > rows)
        return tw__pto_refuse(call, 1, "store.extents", "an accumulator of %u x %u: at most %u x %u", t->rows,
                              t->cols, rows, MOST);
    if (layout == TW_PTO_NZ && t->cols % 16)
        return tw__pto_refuse(call, 1, "store.nz", "%u columns are not a multiple of 16", t->cols);
    return TW_OK;
}

tw_status tw__pto_check_store(tw__pto_call *call)
{
    const tw_pto_tile *t = tw__tile(call, 1);
    tw_pto_tensor *g = call->operand[0].tensor;
    bool known = t->location == TW_PTO_VEC || t->location == TW_PTO_MAT || t->location == TW_PTO_ACC;
    if (!known || (t->location == TW_PTO_MAT && call->target == TW_PTO_A5))
        return tw__pto_refuse(call, 1, "location.store", "a tile in this memory cannot be stored");
    if (call->attrs->relu && t->location != TW_PTO_ACC)
        return tw__pto_refuse(call, 1, "store.relu", "only accumulators pass through relu");
    if (call->attrs->atomic > 1 || (call->attrs->atomic && (t->conv || tw__tile_nibbles(t))))
        return tw__pto_refuse(call, TW__NO_OPERAND, "store.atomic", "stores add or overwrite");
    if (t->conv) return tw__conv_check_transfer(call, 1, 0);
    if (t->location != TW_PTO_ACC) return check_transfer(call, 1, 0);
    if (!tw__acc_converts(t->type, g->type))
        return tw__pto_refuse(call, 0, "store.type", "%s is not stored as %s without a scale",
                              tw_type_name(t->type, TW_SYSTEM_PTO), tw_type_name(g->type, TW_SYSTEM_PTO));
    return tw__pto_check_acc_store(call);
}

/* A plane of the tensor's type to the tensor, overwriting or adding. */
tw_status tw__pto_put(tw__pto_call *call, const tw__plane *plane)
{
    tw_view from, to, args[3];
    const tw_pto_tensor *g = call->operand[0].tensor;
    tw_status status = tw__tensor_views(call, g, plane, &from, &to);
    if (status != TW_OK) return status;
    if (!call->attrs->atomic) {
        from.type = to.type;
        return tw_vec_copy_view(&to, &from, anywhere);
    }
    const tw_type types[] = { g->type, g->type, g->type };
    const tw_vec_kernel *k = tw__pto_kernel(call->core, TW_VEC_ADD, types, NULL);
    if (!k) return tw__pto_refuse(call, 0, "store.atomic", "%s", tw_error_message());
    args[0] = args[1] = to;
    args[2] = from;
    return tw_vec_apply(k, args, anywhere, NULL);
}

static tw_status relu_and_convert(tw__pto_call *call, tw__plane *values, tw_type to)
{
    tw__plane out = tw__plane_new(call->core, to, values->rows, values->cols);
    tw_status status = TW_OK;
    if (!out.at) return TW_E_NO_MEMORY;
    if (call->attrs->relu) {
        tw__plane positive = tw__plane_new(call->core, values->type, values->rows, values->cols);
        if (!positive.at) return TW_E_NO_MEMORY;
        status = tw__relu(call, positive, *values);
        *values = positive;
    }
    if (status == TW_OK)
        status = tw__lanes(call, values->type == to ? TW_VEC_COPY : TW_VEC_CONVERT, NULL, out.rows, out.cols,
                           (tw__plane[]){ out, *values }, 2);
    *values = out;
    return status;
}

tw_status tw__pto_run_store(tw__pto_call *call)
{
    tw__plane values = call->plane[1];
    const tw_pto_tile *t = tw__tile(call, 1);
    tw_type to = call->operand[0].tensor->type;
    if (t->conv) return tw__conv_transfer(call, 1, 0);
    if (tw__tile_nibbles(t)) return tw__nibble_transfer(call, call->operand[0].tensor, &values, false);
    if ((values.type != to && t->location == TW_PTO_ACC) || call->attrs->relu) {
        tw_status status = relu_and_convert(call, &values, to);
        if (status != TW_OK) return status;
    }
    return tw__pto_put(call, &values);
}

tw_status tw__pto_check_prefetch(tw__pto_call *call)
{
    (void)call;
    return TW_OK;
}

tw_status tw__pto_run_prefetch(tw__pto_call *call)
{
    (void)call;
    return TW_OK;
}
