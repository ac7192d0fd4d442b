/* SPDX-License-Identifier: MIT */
/* Variables: their bytes, and addresses among them. */
#include "poplar/colossus/cc/sel/address.h"

/* --- constants that are addresses ------------------------------------------------------------------------------- */

static bool data_expression(tw__sel *s, LLVMValueRef constant, const char **symbol, int64_t *add)
{
    const char *other = NULL;
    int64_t number = 0;
    switch (LLVMGetConstOpcode(constant)) {
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMTrunc: return tw__sel_symbol(s, LLVMGetOperand(constant, 0), symbol, add);
    case LLVMGetElementPtr: {
        unsigned count;
        int64_t offset;
        tw__sel_term term;
        if (!tw__sel_symbol(s, LLVMGetOperand(constant, 0), symbol, add)) return false;
        if (!tw__sel_gep_terms(s, constant, &offset, &term, 0, &count)) return false;
        *add += offset;
        return true;
    }
    case LLVMAdd:
    case LLVMSub:
        if (!tw__sel_symbol(s, LLVMGetOperand(constant, 0), symbol, add) ||
            !tw__sel_symbol(s, LLVMGetOperand(constant, 1), &other, &number))
            return false;
        if (LLVMGetConstOpcode(constant) == LLVMSub) {
            *add -= number;
            if (!other) return true;
            if (!*symbol || strcmp(*symbol, other)) return false;
            *symbol = NULL;
            return true;
        }
        if (other && *symbol) return false;
        if (other) *symbol = other;
        *add += number;
        return true;
    default: return false;
    }
}

bool tw__sel_symbol(tw__sel *s, LLVMValueRef constant, const char **symbol, int64_t *add)
{
    *symbol = NULL;
    *add = 0;
    if (tw__sel_number(constant, add, NULL)) return true;
    if (LLVMIsAGlobalAlias(constant)) return tw__sel_symbol(s, LLVMAliasGetAliasee(constant), symbol, add);
    if (LLVMIsAGlobalValue(constant)) {
        if (LLVMIsThreadLocal(constant) && LLVMIsAGlobalVariable(constant))
            return tw__sel_refuse(s, "cc.thread-local",
                                  "'%s' is thread-local, which the chip does not have; keep it "
                                  "in the vertex",
                                  tw__sel_name(s, constant));
        *symbol = tw__sel_name(s, constant);
        return true;
    }
    return LLVMIsAConstantExpr(constant) && data_expression(s, constant, symbol, add);
}

/* --- bytes ------------------------------------------------------------------------------------------------------ */

typedef struct data_writer {
    tw__sel *s;
    uint8_t *bytes;
    GArray *addresses;
    const char *name;
} data_writer;

static void data_number(data_writer *w, uint64_t at, uint64_t bits, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) w->bytes[at + i] = (uint8_t)(bits >> 8 * i);
}

static bool data_value(data_writer *w, LLVMValueRef constant, uint64_t at);

static bool data_scalar(data_writer *w, LLVMValueRef constant, uint64_t at)
{
    LLVMTypeRef type = LLVMTypeOf(constant);
    unsigned bytes = (unsigned)LLVMStoreSizeOfType(w->s->layout, type);
    uint64_t bits;
    int64_t add;
    const char *symbol;
    if (tw__sel_number(constant, NULL, &bits)) {
        data_number(w, at, bits, bytes);
        return true;
    }
    if (LLVMIsAConstantFP(constant)) {
        LLVMTypeRef integer = LLVMIntTypeInContext(LLVMGetTypeContext(type), 8 * bytes);
        data_number(w, at, LLVMConstIntGetZExtValue(LLVMConstBitCast(constant, integer)), bytes);
        return true;
    }
    if (bytes != 4 && bytes != 8) return false;
    if (!tw__sel_symbol(w->s, constant, &symbol, &add)) return false;
    data_number(w, at, (uint64_t)add, bytes);
    if (!symbol) return true;
    data_number(w, at, 0, bytes);
    struct tw__mir_address address = { .at = (uint32_t)at, .symbol = symbol, .add = add };
    g_array_append_val(w->addresses, address);
    return true;
}

static bool data_members(data_writer *w, LLVMValueRef constant, uint64_t at)
{
    LLVMTypeRef type = LLVMTypeOf(constant);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    uint64_t count = kind == LLVMStructTypeKind  ? LLVMCountStructElementTypes(type)
                     : kind == LLVMArrayTypeKind ? LLVMGetArrayLength2(type)
                                                 : LLVMGetVectorSize(type);
    uint64_t step = kind == LLVMStructTypeKind ? 0 : LLVMABISizeOfType(w->s->layout, LLVMGetElementType(type));
    if (kind == LLVMVectorTypeKind && LLVMSizeOfTypeInBits(w->s->layout, LLVMGetElementType(type)) % 8)
        return false;
    if (LLVMIsAConstantDataArray(constant) && step == 1) { /* a text */
        size_t length = 0;
        const char *text = LLVMGetAsString(constant, &length);
        memcpy(w->bytes + at, text, length);
        return true;
    }
    for (unsigned i = 0; i < count; i++) {
        uint64_t place = at + (kind == LLVMStructTypeKind ? LLVMOffsetOfElement(w->s->layout, type, i) : i * step);
        LLVMValueRef member = LLVMGetAggregateElement(constant, i);
        if (!member || !data_value(w, member, place)) return false;
    }
    return true;
}

static bool data_value(data_writer *w, LLVMValueRef constant, uint64_t at)
{
    if (LLVMIsUndef(constant) || LLVMIsNull(constant)) return true;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(constant));
    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind)
        return data_members(w, constant, at);
    return data_scalar(w, constant, at);
}

static gint data_order(gconstpointer a, gconstpointer b)
{
    const struct tw__mir_address *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static const char *data_section(tw__sel *s, LLVMValueRef variable, const tw__mir_data *data)
{
    const char *given = LLVMGetSection(variable);
    if (given && *given) return tw__arena_strdup(s->mir->arena, given);
    const char *kind = LLVMIsGlobalConstant(variable) ? "rodata" : data->is_zero ? "bss" : "data";
    return tw__arena_printf(s->mir->arena, ".%s.%s", kind, data->name + (data->name[0] == '.'));
}

bool tw__sel_data(tw__sel *s, LLVMValueRef variable, tw__mir_data *data)
{
    LLVMValueRef initial = LLVMGetInitializer(variable);
    LLVMTypeRef type = LLVMGlobalGetValueType(variable);
    uint64_t size = LLVMABISizeOfType(s->layout, type);
    if (LLVMIsThreadLocal(variable))
        return tw__sel_refuse(s, "cc.thread-local",
                              "'%s' is thread-local, which the chip does not have; keep it in "
                              "the vertex",
                              data->name);
    if (size > TW__SEL_MOST)
        return tw__sel_refuse(s, "cc.data", "'%s' has %" G_GUINT64_FORMAT " bytes; it fits no tile", data->name,
                              size);
    data->size = (uint32_t)size;
    data->align = MAX(LLVMGetAlignment(variable), LLVMABIAlignmentOfType(s->layout, type));
    data->align = MAX(data->align, 4); /* a store of a byte writes its word */
    data->is_zero = LLVMIsNull(initial) || LLVMIsUndef(initial);
    data->section = data_section(s, variable, data);
    if (data->is_zero) return true;
    uint8_t *bytes = tw__arena_zalloc(s->mir->arena, size + 1, 8);
    data_writer writer = { .s = s, .bytes = bytes, .name = data->name };
    writer.addresses = g_array_new(FALSE, FALSE, sizeof(struct tw__mir_address));
    bool is_fine = data_value(&writer, initial, 0);
    if (!is_fine && !s->has_failed)
        tw__sel_refuse(s, "cc.data", "'%s' begins with a value that is not known before the program runs",
                       data->name);
    g_array_sort(writer.addresses, data_order);
    data->bytes = bytes;
    data->address_count = writer.addresses->len;
    data->addresses = TW__NEW_N(s->mir->arena, struct tw__mir_address, writer.addresses->len + 1);
    if (data->address_count)
        memcpy(data->addresses, writer.addresses->data, writer.addresses->len * sizeof *data->addresses);
    g_array_unref(writer.addresses);
    return is_fine;
}
