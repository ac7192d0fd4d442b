/* SPDX-License-Identifier: MIT */
/* padded_load: TLOAD with padding, the form of text that has more than a source and a destination:
 *
 *     pto.tload ins(%v : V) outs(%t : T) pad_mode = #pto<pad_mode PadValue> pad_value = %x : f32
 *         left_padding_num = %l : index right_padding_num = %r : index init_out_buffer = true
 *
 * Each row of the tile gets `left` elements of padding, the row of the tensor, and `right` elements of padding.
 * PadNull leaves the padding as it is, PadFirstElem repeats the row's first element, PadValue writes pad_value. With
 * init_out_buffer the whole tile is filled with pad_value first. The documents name the parts and not their meaning:
 * this is modelled after the vector loads of the same tool chain (estimated). */
#include "pto/text/ops/ops.h"

#include <inttypes.h>

typedef enum pad_mode { PAD_NULL, PAD_FIRST, PAD_VALUE } pad_mode;
enum { VALUE = 1, LEFT = 2, RIGHT = 4, INIT = 8, MODE_SHIFT = 4 }; /* bits of code->number: operands that follow */

/* Columns [col, col + cols) of a tile, all valid rows. */
static tw_status columns(tw__as_run *run, tw_pto_tile *tile, uint32_t col, uint32_t cols, tw_pto_tile *window)
{
    *window = *tile;
    window->rows = tile->valid_rows;
    window->valid_rows = tile->valid_rows;
    window->cols = window->valid_cols = cols;
    window->pad = 0;
    return tw_pto_window(run->core, window, tile, 0, col);
}

static tw_status padded_load_fill(tw__as_run *run, tw_pto_tile *tile, tw_pto_scalar value)
{
    tw_pto_operand operands[] = { tw_pto_tile_operand(tile), tw_pto_scalar_operand(value) };
    return tw_pto_call(run->core, "texpands", operands, 2, NULL);
}

/* Padding of `cols` columns from `col` on; the tensor's first column lies at `first`. */
static tw_status pad(tw__as_run *run, tw_pto_tile *tile, pad_mode mode, uint32_t col, uint32_t cols, uint32_t first,
                     tw_pto_scalar value)
{
    tw_pto_tile window, source;
    if (cols == 0 || mode == PAD_NULL) return TW_OK;
    tw_status status = columns(run, tile, col, cols, &window);
    if (status == TW_OK && mode == PAD_VALUE) return padded_load_fill(run, &window, value);
    if (status == TW_OK) status = columns(run, tile, first, 1, &source);
    tw_pto_operand operands[] = { tw_pto_tile_operand(&window), tw_pto_tile_operand(&source) };
    return status == TW_OK ? tw_pto_call(run->core, "trowexpand", operands, 2, NULL) : status;
}

static tw_status run_load(tw__as_run *run, const tw__as_code *code)
{
    tw_pto_tile *tile = &tw__as_operand(run, code, 0)->wide->tile, window, whole;
    tw_pto_tensor *tensor = &tw__as_operand(run, code, 1)->wide->tensor;
    unsigned at = 2;
    tw_pto_scalar value = { .type = tile->type };
    if (code->number & VALUE) value = tw__as_operand(run, code, at++)->scalar;
    int64_t left = code->number & LEFT ? tw__as_integer(tw__as_operand(run, code, at++)) : 0;
    int64_t right = code->number & RIGHT ? tw__as_integer(tw__as_operand(run, code, at)) : 0;
    size_t rows, cols;
    tw_pto_tensor_extents(tensor, &rows, &cols);
    if (left < 0 || right < 0 || left > UINT32_MAX || right > UINT32_MAX || cols > UINT32_MAX ||
        (uint64_t)left + cols + (uint64_t)right != tile->valid_cols)
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        "%s: %" PRId64 " + %zu + %" PRId64 " columns with padding for %u valid columns",
                        code->op->name, left, cols, right, tile->valid_cols);
    pad_mode mode = (pad_mode)(code->number >> MODE_SHIFT);
    tw_status status = TW_OK;
    if (code->number & INIT) {
        whole = *tile;
        status = tw_pto_data(run->core, tile) ? TW_OK : TW_E_TILE_MEMORY;
        whole.place = tile->place;
        whole.valid_rows = whole.rows;
        whole.valid_cols = whole.cols;
        if (status == TW_OK) status = padded_load_fill(run, &whole, value);
    }
    if (status == TW_OK) status = columns(run, tile, (uint32_t)left, (uint32_t)cols, &window);
    if (status == TW_OK) status = tw_pto_load(run->core, &window, tensor);
    if (status == TW_OK) status = pad(run, tile, mode, 0, (uint32_t)left, (uint32_t)left, value);
    return status == TW_OK
               ? pad(run, tile, mode, (uint32_t)(left + (int64_t)cols), (uint32_t)right, (uint32_t)left, value)
               : status;
}

static bool read_mode(tw__as_binder *b, const tw__as_op *op, const tw__as_item *item, tw__as_code *code)
{
    static const char *const modes[] = { "PadNull", "PadFirstElem", "PadValue" };
    char word[32];
    tw__as_value_word(b, item->child, word, sizeof word);
    for (int64_t m = 0; m < 3; m++)
        if (g_ascii_strcasecmp(word, modes[m]) == 0) return code->number |= m << MODE_SHIFT, true;
    const char *near = tw__nearest(word, modes, 3);
    tw__as_refuse(b, item->child, op, "pto.padding",
                  near ? "'%s' is not a pad mode; did you mean '%s'?"
                       : "'%s' is not a pad mode: PadNull, PadFirstElem, PadValue",
                  word, near);
    return false;
}

bool tw__as_bind_padded_load(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p)
{
    static const char *const names[] = { "pad_value", "left_padding_num", "right_padding_num", "init_out_buffer",
                                         "pad_mode" };
    tw__as_item *where[5] = { NULL };
    uint32_t slots[5];
    unsigned count = 2;
    tw__as_code local = { 0 };
    if (p->nameds == 0 || strcmp(op->name, "pto.tload") != 0 || p->ins != 1 || p->outs != 1) return false;
    where[0] = p->out[0];
    where[1] = p->in[0];
    for (unsigned n = 1; n < p->nameds; n++)
        for (unsigned k = 0; k < n; k++)
            if (strcmp(p->named[n]->text, p->named[k]->text) == 0)
                return tw__as_refuse(b, p->named[n], op, "pto.padding", "'%s' is given twice", p->named[n]->text),
                       true;
    for (unsigned k = 0; k < G_N_ELEMENTS(names); k++)
        for (unsigned n = 0; n < p->nameds; n++) {
            tw__as_item *item = p->named[n];
            if (!item->has_value || strcmp(item->text, names[k]) != 0) continue;
            if (k == 4) {
                if (!read_mode(b, op, item, &local)) return true;
            } else if (k == 3) {
                char word[16];
                tw__as_value_word(b, item->child, word, sizeof word);
                if (strcmp(word, "true") == 0) local.number |= INIT;
            } else {
                local.number |= 1 << k;
                where[count++] = item->child;
            }
        }
    for (unsigned n = 0; n < p->nameds; n++) {
        bool known = false;
        for (unsigned k = 0; k < G_N_ELEMENTS(names); k++) known |= strcmp(p->named[n]->text, names[k]) == 0;
        const char *near = known ? NULL : tw__nearest(p->named[n]->text, names, G_N_ELEMENTS(names));
        if (!known || !p->named[n]->has_value)
            return tw__as_refuse(b, p->named[n], op, "pto.padding",
                                 near ? "tload has no '%s'; did you mean '%s'?" : "'%s' has no meaning in tload",
                                 p->named[n]->text, near),
                   true;
    }
    if (!tw__as_slots(b, op, where, 2, TW_TYPE_NONE, slots)) return true;
    const tw__as_type *tile = b->f->slot_type[slots[0]], *view = b->f->slot_type[slots[1]];
    if (tile->kind != TW__AS_TILE ||
        (view->kind != TW__AS_VIEW && view->kind != TW__AS_PART && view->kind != TW__AS_MEMREF))
        return tw__as_refuse(b, where[0], op, "pto.type", "tload takes a view and a tile"), true;
    for (unsigned i = 2; i < count; i++) {
        bool is_value = i == 2 && local.number & VALUE;
        if (!tw__as_slots(b, op, where + i, 1, is_value ? tile->element : TW_I64, slots + i)) return true;
        const tw__as_type *t = b->f->slot_type[slots[i]];
        if (is_value ? t->element != tile->element || t->kind != TW__AS_SCALAR : !tw__as_is_integer(t))
            return tw__as_refuse(b, where[i], op, "pto.type",
                                 is_value ? "pad_value has the tile's element type"
                                          : "an integer or index is wanted here"),
                   true;
    }
    if (local.number >> MODE_SHIFT == PAD_VALUE && !(local.number & VALUE))
        return tw__as_refuse(b, NULL, op, "pto.padding", "PadValue needs pad_value = %%value : type"), true;
    tw__as_code *code = tw__as_code_new(b, op, run_load);
    if (code && tw__as_set_operands(b, code, slots, where, count)) code->number = local.number;
    return true;
}
