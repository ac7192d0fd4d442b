/* SPDX-License-Identifier: MIT */
/* move: between memories and layouts, and windows. */
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

static bool converts(const tw__pto_call *call, const tw_pto_tile *src, const tw_pto_tile *dst)
{
    if (src->location == TW_PTO_ACC) return tw__acc_converts(src->type, dst->type);
    if (dst->location == TW_PTO_BIAS && dst->type == TW_F32)
        return src->type == TW_F32 || src->type == TW_F16 || (src->type == TW_BF16 && call->target != TW_PTO_A2A3);
    if (dst->location == TW_PTO_BIAS && dst->type != TW_I32) return false;
    return src->type == dst->type;
}

tw_status tw__pto_check_path(tw__pto_call *call)
{
    static const char *const names[] = {
#define NAME(name, number, text, memory, cpp) [number] = text,
        TW_PTO_LOCATION_LIST(NAME)
#undef NAME
    };
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    if (!path_exists(call->target, src->location, dst->location))
        return tw__pto_refuse(call, 0, "move.path", "there is no move from %s to %s", names[src->location],
                              names[dst->location]);
    if (call->attrs->relu && src->location != TW_PTO_ACC)
        return tw__pto_refuse(call, 1, "move.relu", "only accumulators pass through relu");
    return TW_OK;
}

/* Of windows: on A2/A3 those of accumulators go to L1 alone. */
tw_status tw__pto_check_window_path(tw__pto_call *call)
{
    tw_status status = tw__pto_check_path(call);
    if (status == TW_OK && call->target == TW_PTO_A2A3 && tw__tile(call, 1)->location == TW_PTO_ACC &&
        tw__tile(call, 0)->location != TW_PTO_MAT)
        return tw__pto_refuse(call, 0, "move.path", "windows of accumulators move to L1 alone");
    return status;
}

/* Box layouts of the cube's memories: left operands differ by target (the manual). */
tw_status tw__pto_check_cube_layout(tw__pto_call *call, const tw_pto_tile *t, unsigned i)
{
    if (call->target == TW_PTO_CPU || !tw__tile_boxed(t)) return TW_OK;
    static const char *const words[] = { "row_major", "col_major" };
    bool left = t->location == TW_PTO_LEFT, right = t->location == TW_PTO_RIGHT;
    if (!left && !right && t->location != TW_PTO_ACC) return TW_OK;
    bool by_columns = left ? call->target != TW_PTO_A2A3 : !right;
    if (t->slayout == (right ? TW_PTO_BOX_COL : TW_PTO_BOX_ROW) &&
        t->blayout == (by_columns ? TW_PTO_COL_MAJOR : TW_PTO_ROW_MAJOR))
        return TW_OK;
    return tw__pto_refuse(call, i, "layout.cube", "operand %u has blayout %s, slayout %s; %s has %s and %s here%s",
                          i + 1, words[t->blayout == TW_PTO_COL_MAJOR], words[t->slayout == TW_PTO_BOX_COL],
                          left    ? "left"
                          : right ? "right"
                                  : "acc",
                          words[by_columns], words[right],
                          !left        ? ""
                          : by_columns ? " (C++: TileLeft without -DPTO_NPU_ARCH_A2A3)"
                                       : " (C++: TileLeft with -DPTO_NPU_ARCH_A2A3)");
}

/* Bias table and fixpipe buffer take one row, in whole blocks. */
static tw_status check_tables(tw__pto_call *call)
{
    enum { BIAS_BLOCK = 64, BIAS_MOST = 4096, SCALING_BLOCK = 128 };
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    size_t bytes = dst->cols * tw_type_size(dst->type);
    if (call->target == TW_PTO_CPU || (dst->location != TW_PTO_BIAS && dst->location != TW_PTO_SCALING))
        return TW_OK;
    if (src->rows != 1 || dst->rows != 1) return tw__pto_refuse(call, 0, "move.row", "source and dst have one row");
    if (dst->location == TW_PTO_BIAS && (bytes % BIAS_BLOCK || (call->target == TW_PTO_A5 && bytes > BIAS_MOST)))
        return tw__pto_refuse(call, 0, "move.bias", "%zu bytes of bias: a multiple of %d (A5: at most %d)", bytes,
                              BIAS_BLOCK, BIAS_MOST);
    if (dst->location == TW_PTO_BIAS) return TW_OK;
    if (call->target == TW_PTO_A2A3 && tw_type_size(dst->type) != 8)
        return tw__pto_refuse(call, 0, "move.scaling-type", "scales have 64 bits");
    if (bytes % SCALING_BLOCK)
        return tw__pto_refuse(call, 0, "move.scaling", "%zu bytes of scales: a multiple of %d", bytes,
                              SCALING_BLOCK);
    return TW_OK;
}

/* A half of the source's rows or columns for each vector core. */
static tw_status check_split(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    bool by_cols = call->attrs->acc_mode == 3;
    uint32_t whole = by_cols ? src->valid_cols : src->valid_rows,
             half = by_cols ? dst->valid_cols : dst->valid_rows;
    if (src->location != TW_PTO_ACC || dst->location != TW_PTO_VEC || call->attrs->acc_mode > 3)
        return tw__pto_refuse(call, 0, "move.split", "accumulators alone are split, over vector memories");
    if (whole == TW_PTO_DYNAMIC || half == TW_PTO_DYNAMIC) return TW_OK;
    if (whole % 2 || half != whole / 2 ||
        !tw__same(by_cols ? src->valid_rows : src->valid_cols, by_cols ? dst->valid_rows : dst->valid_cols))
        return tw__pto_refuse(call, 0, "move.split-extents", "dst is half of the source's %u %s", whole,
                              by_cols ? "columns" : "rows");
    if (by_cols && tw_type_size(dst->type) == 4 && whole % 32)
        return tw__pto_refuse(call, 1, "move.split-columns", "%u columns of 32 bits: a multiple of 32", whole);
    if (call->core && !tw__pto_has_mates(call->core))
        return tw__pto_refuse(call, TW__NO_OPERAND, "move.split-cores",
                              "splitting needs a cube core with two vector cores beside it");
    return TW_OK;
}

/* A row-major tile to Zn boxes in vector memory: tiles there need not be whole boxes, but the move is made of them.
 * */
static tw_status check_zn(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    uint32_t rows = 256 / (tw_type_get(dst->type)->bits ? tw_type_get(dst->type)->bits : 8);
    bool zn = dst->slayout == TW_PTO_BOX_COL && dst->blayout == TW_PTO_ROW_MAJOR;
    if (call->target != TW_PTO_A5 || dst->location != TW_PTO_VEC || tw__tile_boxed(src) || !zn) return TW_OK;
    return dst->rows % rows == 0
               ? TW_OK
               : tw__pto_refuse(call, 0, "move.zn", "%u rows are not whole boxes of %u", dst->rows, rows);
}

tw_status tw__pto_check_move(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    tw_status status = tw__pto_check_path(call);
    if (status == TW_OK) status = tw__pto_check_cube_layout(call, dst, 0);
    if (status == TW_OK) status = tw__pto_check_cube_layout(call, src, 1);
    if (status != TW_OK) return status;
    if (!converts(call, src, dst))
        return tw__pto_refuse(call, 0, "move.type", "%s is not moved to %s", tw_type_name(src->type, TW_SYSTEM_PTO),
                              tw_type_name(dst->type, TW_SYSTEM_PTO));
    if ((status = check_tables(call)) != TW_OK) return status;
    if ((status = check_zn(call)) != TW_OK) return status;
    if (call->attrs->acc_mode > 1) return check_split(call);
    bool same_shape = src->rows == dst->rows && src->cols == dst->cols;
    if (call->target == TW_PTO_A2A3 && !same_shape)
        return tw__pto_refuse(call, 0, "move.shape", "source is %u x %u, dst %u x %u", src->rows, src->cols,
                              dst->rows, dst->cols);
    if (call->target == TW_PTO_A2A3 && src->location == TW_PTO_VEC &&
        (src->blayout != dst->blayout || src->slayout != dst->slayout))
        return tw__pto_refuse(call, 0, "move.layout", "moves in vector memory keep the layout");
    if ((!tw__same(dst->valid_rows, src->valid_rows) || !tw__same(dst->valid_cols, src->valid_cols)) && !same_shape)
        return tw__pto_refuse(call, 1, "move.extents", "source and dst differ in extents");
    return TW_OK;
}

static tw_status move_values(tw__pto_call *call, tw__plane dst, tw__plane src)
{
    tw__plane values = src;
    tw_status status = TW_OK;
    if (call->attrs->relu) {
        values = tw__plane_new(call->core, src.type, src.rows, src.cols);
        if (!values.at) return TW_E_NO_MEMORY;
        status = tw__relu(call, values, src);
    }
    if (status != TW_OK) return status;
    if (values.type == dst.type) return tw__plane_copy(&dst, &values);
    return tw__lanes(call, TW_VEC_CONVERT, NULL, values.rows, values.cols, (tw__plane[]){ dst, values }, 2);
}

/* The valid region of the source; all of it between L1 and the cube's memories, where boxes move as they are. */
tw_status tw__pto_run_move(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    bool whole = src->location == TW_PTO_MAT && dst->rows == src->rows && dst->cols == src->cols;
    if (tw__pto_fills_cube(call)) return tw__pto_to_cube(call, &call->plane[1], 0, 0);
    tw__plane to = call->plane[0], from = whole ? tw__plane_physical(call, 1) : call->plane[1];
    bool laid_alike = to.row == from.row && to.col == from.col;
    tw_status apart = laid_alike && to.at == from.at ? TW_OK : tw__plane_apart(call, 1, &from);
    if (apart != TW_OK) return apart;
    if (src->location != TW_PTO_ACC || dst->location != TW_PTO_VEC || !tw__pto_has_mates(call->core))
        return move_values(call, to, from);
    tw__plane values = tw__plane_new(call->core, dst->type, from.rows, from.cols);
    if (!values.at) return TW_E_NO_MEMORY;
    tw_status status = move_values(call, values, from);
    return status == TW_OK ? tw__pto_split(call, &values) : status;
}

/* Exponents of a matrix with a scale per 32 elements to the order that the scale memories need: Zz boxes of 16 x 2;
 * with axis row the source has its groups along rows and is turned over. */
tw_status tw__pto_check_move_zz(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    bool turn = call->attrs->axis != 0;
    if (dst->slayout != TW_PTO_BOX_ROW || dst->blayout != TW_PTO_ROW_MAJOR || dst->fractal != 32)
        return tw__pto_refuse(call, 0, "zz.dst", "dst has Zz boxes of fractal 32");
    if (tw__tile_boxed(src) || src->blayout != TW_PTO_ROW_MAJOR)
        return tw__pto_refuse(call, 1, "zz.src", "the source is row-major and not boxed");
    if (!tw__same(dst->valid_rows, turn ? src->valid_cols : src->valid_rows) ||
        !tw__same(dst->valid_cols, turn ? src->valid_rows : src->valid_cols))
        return tw__pto_refuse(call, 0, "zz.extents", "dst has the source's valid region%s",
                              turn ? ", turned over" : "");
    if (dst->valid_rows != TW_PTO_DYNAMIC && dst->valid_cols != TW_PTO_DYNAMIC &&
        (dst->valid_rows % 16 || dst->valid_cols % 2))
        return tw__pto_refuse(call, 0, "zz.boxes", "%u x %u exponents are not whole boxes of 16 x 2",
                              dst->valid_rows, dst->valid_cols);
    return TW_OK;
}

tw_status tw__pto_run_move_zz(tw__pto_call *call)
{
    tw__plane src = call->plane[1], turned = src;
    turned.rows = src.cols;
    turned.cols = src.rows;
    turned.row = src.col;
    turned.col = src.row;
    return tw__plane_copy(&call->plane[0], call->attrs->axis ? &turned : &src);
}

/* The scales of an operand lie at a sixteenth of its address in their own memory. */
tw_status tw__pto_check_scale_address(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    bool left = src->location == TW_PTO_LEFT && dst->location == TW_PTO_SCALE_LEFT,
         right = src->location == TW_PTO_RIGHT && dst->location == TW_PTO_SCALE_RIGHT;
    if (!left && !right)
        return tw__pto_refuse(call, 0, "scale-address.location",
                              "dst lies in ScaleLeft for a left operand, in ScaleRight for a right one");
    return TW_OK;
}

tw_status tw__pto_run_scale_address(tw__pto_call *call)
{
    enum { SHIFT = 4, ALIGN = 32 };
    uint64_t address = (uint64_t)tw_pto_address(call->core, call->operand[1].tile);
    if (address >> SHIFT & (ALIGN - 1))
        return tw__pto_refuse(call, 1, "scale-address.align", "address 0x%llx is not a multiple of %d",
                              (unsigned long long)address, ALIGN << SHIFT);
    tw_status status = tw_pto_assign(call->core, call->operand[0].tile, address >> SHIFT);
    return status == TW_OK ? tw__pto_bind(call) : status; /* dst lies elsewhere now */
}

/* --- windows ---------------------------------------------------------------------------------------------------- */

tw_status tw__pto_check_window(tw__pto_call *call, unsigned corner, const tw_pto_tile *small,
                               const tw_pto_tile *large)
{
    uint64_t r = call->operand[corner].scalar.bits & UINT32_MAX,
             c = call->operand[corner + 1].scalar.bits & UINT32_MAX;
    if (!call->core) return TW_OK; /* the corner is known at run time */
    if (r + small->valid_rows > large->rows || c + small->valid_cols > large->cols)
        return tw__pto_refuse(call, corner, "window.bounds",
                              "%u x %u elements at (%llu, %llu) reach outside %u x %u", small->valid_rows,
                              small->valid_cols, (unsigned long long)r, (unsigned long long)c, large->rows,
                              large->cols);
    return TW_OK;
}

/* Element types of windows for the cube on A2/A3. */
static bool window_type(const tw__pto_call *call, const tw_pto_tile *src)
{
    return call->target != TW_PTO_A2A3 || src->location != TW_PTO_MAT || src->type == TW_I8 ||
           src->type == TW_F16 || src->type == TW_BF16 || src->type == TW_F32;
}

tw_status tw__pto_check_extract(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    tw_status status = tw__pto_check_window_path(call);
    if (status == TW_OK) status = tw__pto_check_cube_layout(call, dst, 0);
    if (status != TW_OK) return status;
    if (!converts(call, src, dst) || !window_type(call, src))
        return tw__pto_refuse(call, 1, "extract.type", "no window of %s becomes %s",
                              tw_type_name(src->type, TW_SYSTEM_PTO), tw_type_name(dst->type, TW_SYSTEM_PTO));
    bool cube = src->location == TW_PTO_MAT && (dst->location == TW_PTO_LEFT || dst->location == TW_PTO_RIGHT);
    bool nz = src->blayout == TW_PTO_COL_MAJOR && src->slayout == TW_PTO_BOX_ROW,
         zn = src->blayout == TW_PTO_ROW_MAJOR && src->slayout == TW_PTO_BOX_COL;
    bool vector = src->rows == 1 && dst->location == TW_PTO_LEFT;
    if (cube && call->target != TW_PTO_CPU && !nz && !zn && !vector)
        return tw__pto_refuse(call, 1, "extract.layout", "the source has Nz or Zn boxes, or is a row for L0A");
    return tw__pto_check_window(call, 2, dst, src);
}

static uint32_t corner(const tw__pto_call *call, unsigned i)
{
    return (uint32_t)call->operand[i].scalar.bits;
}

tw_status tw__pto_run_extract(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], all = tw__plane_physical(call, 1);
    tw__plane part = tw__plane_part(all, corner(call, 2), dst.rows, corner(call, 3), dst.cols);
    tw_status status = tw__plane_apart(call, 1, &part);
    return status == TW_OK ? move_values(call, dst, part) : status;
}

tw_status tw__pto_check_insert(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    bool cube = src->location == TW_PTO_ACC && dst->location == TW_PTO_MAT;
    bool wide = (src->location == TW_PTO_ACC && dst->location == TW_PTO_VEC) ||
                (src->location == TW_PTO_VEC && (dst->location == TW_PTO_MAT || dst->location == TW_PTO_VEC));
    if (!cube && (!wide || call->target == TW_PTO_A2A3))
        return tw__pto_refuse(call, 0, "move.path", "there is no such insertion");
    if (call->attrs->relu && src->location != TW_PTO_ACC)
        return tw__pto_refuse(call, 1, "move.relu", "only accumulators pass through relu");
    if (!converts(call, src, dst) || (call->target == TW_PTO_A2A3 && dst->type != TW_F16 && dst->type != TW_BF16))
        return tw__pto_refuse(call, 0, "insert.type", "%s is not inserted as %s",
                              tw_type_name(src->type, TW_SYSTEM_PTO), tw_type_name(dst->type, TW_SYSTEM_PTO));
    tw_status status = tw__pto_check_insert_split(call);
    return status == TW_OK ? tw__pto_check_window(call, 2, src, dst) : status;
}

tw_status tw__pto_run_insert(tw__pto_call *call)
{
    if (tw__pto_fills_cube(call)) return tw__pto_to_cube(call, &call->plane[1], corner(call, 2), corner(call, 3));
    tw__plane src = call->plane[1], all = tw__plane_physical(call, 0);
    tw_status status = tw__plane_apart(call, 1, &src);
    if (status != TW_OK) return status;
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
    const tw_pto_tile *dst = tw__tile(call, 0);
    return tw__tile_boxed(dst) || tw__tile_nibbles(dst) ? tw__pto_bind(call) : TW_OK;
}
