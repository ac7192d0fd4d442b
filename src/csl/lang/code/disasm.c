/* SPDX-License-Identifier: MIT */
/* disasm: names of instructions and operations, and the listing of a program. */
#include "csl/lang/code/cost.h"
#include "csl/lang/code/room.h"

#include "core/tile/tile.h"

#include <ctype.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

const tw__csl_dsd_op_row tw__csl_dsd_op_rows[TW__CSL_DSD_OPS] = {
#define X(name, builtin, dst, src0, src1, src2, forms) \
    { builtin, { TW__CSL_E_##dst, TW__CSL_E_##src0, TW__CSL_E_##src1, TW__CSL_E_##src2 }, forms },
#include "csl/lang/code/dsd_ops.def"
};

int tw__csl_dsd_op_named(const char *builtin)
{
    for (int i = 0; i < TW__CSL_DSD_OPS; i++)
        if (strcmp(tw__csl_dsd_op_rows[i].builtin, builtin) == 0) return i;
    return -1;
}

const tw__csl_op_row tw__csl_op_rows[TW__CSL_OPS] = {
#define PLAIN(name, operands, cycles) { #name, operands, cycles },
    TW__CSL_CODE_PLAIN(PLAIN)
#undef PLAIN
#define TYPED(name, operands, cycles)                                                                         \
    { #name ".U8", operands, cycles }, { #name ".I8", operands, cycles }, { #name ".U16", operands, cycles }, \
        { #name ".I16", operands, cycles }, { #name ".U32", operands, cycles },                               \
        { #name ".I32", operands, cycles }, { #name ".U64", operands, cycles },                               \
        { #name ".I64", operands, cycles },
        TW__CSL_CODE_INT(TYPED)
#undef TYPED
#define TYPED(name, operands, cycles)                                                                            \
    { #name ".F32", operands, cycles }, { #name ".F16", operands, cycles }, { #name ".BF16", operands, cycles }, \
        { #name ".CB16", operands, cycles },
            TW__CSL_CODE_FLOAT(TYPED)
#undef TYPED
#define TYPED(name, operands, cycles)                                                                         \
    { #name ".U8", operands, cycles }, { #name ".I8", operands, cycles }, { #name ".U16", operands, cycles }, \
        { #name ".I16", operands, cycles }, { #name ".U32", operands, cycles },                               \
        { #name ".I32", operands, cycles }, { #name ".U64", operands, cycles },
                TW__CSL_CODE_MEM(TYPED)
#undef TYPED
};

/* One operand; false when it prints nothing. */
static bool operand_text(GString *out, char role, uint16_t value, uint32_t wide)
{
    switch (role) {
    case 'd':
    case 's': g_string_append_printf(out, "r%u", value); break;
    case 'D':
    case 'S': g_string_append_printf(out, "r%u:%u", value, value + 1u); break;
    case 'w': g_string_append_printf(out, "r%u...", value); break;
    case 'i': g_string_append_printf(out, "%d", (int16_t)value); break;
    case 'u': g_string_append_printf(out, "%u", value); break;
    case 'j': g_string_append_printf(out, "%+d", (int16_t)value); break;
    case 'I': g_string_append_printf(out, "%d", (int32_t)wide); break;
    case 'J': g_string_append_printf(out, "%+d", (int32_t)wide); break;
    case 'U': g_string_append_printf(out, "%u", wide); break;
    case 'A': g_string_append_printf(out, "[0x%04x]", wide); break;
    case 'K':
    case 'L': g_string_append_printf(out, "const %u", wide); break;
    case 'P':
    case 'Q': g_string_append_printf(out, "pool %u", wide); break;
    case 'F': g_string_append_printf(out, "function %u", wide); break;
    case 'X': g_string_append_printf(out, "use %u", wide); break;
    case 'M': g_string_append_printf(out, "map %u", wide); break;
    case 'R': g_string_append_printf(out, "load %u", wide); break;
    default: return false;
    }
    return true;
}

char *tw__csl_insn_text(char out[TW__CSL_INSN_TEXT], tw__csl_insn insn)
{
    if (insn.op >= TW__CSL_OPS) {
        g_snprintf(out, TW__CSL_INSN_TEXT, "op %u", insn.op);
        return out;
    }
    const tw__csl_op_row *row = &tw__csl_op_rows[insn.op];
    GString *text = g_string_new(NULL);
    for (const char *c = row->name; *c; c++) g_string_append_c(text, (char)tolower((unsigned char)*c));
    const uint16_t values[3] = { insn.a, insn.b, insn.c };
    const char *gap = " ";
    for (int i = 0; i < 3; i++) {
        size_t before = text->len;
        g_string_append(text, gap);
        if (operand_text(text, row->operands[i], values[i], tw__csl_wide(insn)))
            gap = ", ";
        else
            g_string_truncate(text, before);
    }
    g_strlcpy(out, text->str, TW__CSL_INSN_TEXT);
    g_string_free(text, TRUE);
    return out;
}

static void list_use(GString *out, const tw__csl_dsd_use *use, size_t number)
{
    static const char *const kinds[] = { "-", "r", "dsr", "fifo ", "r", "*r" };
    g_string_append_printf(out, "  use %zu: @%s", number,
                           use->op < TW__CSL_DSD_OPS ? tw__csl_dsd_op_rows[use->op].builtin : "?");
    for (int i = 0; i < 4; i++)
        if (use->arg[i].kind != TW__CSL_ARG_NONE && use->arg[i].kind < TW__CSL_ARG_KINDS)
            g_string_append_printf(out, " %s%u%s", kinds[use->arg[i].kind], use->arg[i].at,
                                   use->arg[i].kind == TW__CSL_ARG_DSD ? "(dsd)" : "");
    g_string_append_printf(out, "%s\n", use->flags & TW__CSL_USE_ASYNC ? " async" : "");
}

static void list_function(GString *out, const tw__csl_image *image, const tw__csl_program *p, size_t number,
                          const tw__csl_cost *cost, uint32_t bytes)
{
    const tw__csl_function_code *f = &p->functions[number];
    uint32_t line = 0, frame = 0, end = f->entry + f->count, block = 0;
    g_string_append_printf(out, "%s: function %zu, %u parameters, %u results, %u registers, about %u bytes\n",
                           f->name, number, f->params, f->results, f->registers, bytes);
    for (uint32_t at = f->entry; at < end; at++) {
        char text[TW__CSL_INSN_TEXT];
        tw__csl_line here;
        if (cost[at].leads) { /* all of the block */
            block = 0;
            for (uint32_t k = at; k < end && (k == at || !cost[k].leads); k++) block += cost[k].cycles;
            g_string_append_printf(out, "                                          ; block of %u cycles\n", block);
        }
        g_string_append_printf(out, "  %5u %3u  %s", at - f->entry, cost[at].cycles,
                               tw__csl_insn_text(text, p->code[at]));
        if (tw__csl_program_line(p, at, &here) && (here.line != line || here.frame != frame)) {
            line = here.line;
            frame = here.frame;
            g_string_append_printf(out, "  ; %s:%u", tw__csl_file_name(image, here.file), line);
            if (frame) g_string_append_printf(out, " in %s", p->frames[frame - 1].name);
        }
        g_string_append_c(out, '\n');
    }
}

/* "memory: 1,024 bytes of data, ... of 49,152 (code is estimated)", and every array. */
static void list_memory(GString *out, const tw__csl_program *p, const uint32_t *bytes, const tw__csl_pe_room *room)
{
    char *largest = tw__csl_pe_room_largest(p, bytes, room, 12);
    g_string_append_printf(
        out,
        "  memory: %u of %u bytes: %u of data, %u of local variables; estimated: %u of code, %u of "
        "libraries' code, %u of <memcpy>\n",
        tw__csl_pe_room_sum(room), TW__CSL_PE_BYTES, room->data, room->stack, room->code, room->imported,
        room->link);
    if (*largest) g_string_append_printf(out, "  largest: %s\n", largest);
    g_free(largest);
}

char *tw__csl_listing(const tw__csl_image *image, uint32_t program)
{
    if (program >= image->program_count) return NULL;
    const tw__csl_program *p = &image->programs[program];
    tw__csl_cost *cost = tw__calloc(p->code_count + 1, sizeof *cost);
    uint32_t *bytes = tw__calloc(p->function_count + 1, sizeof *bytes);
    tw__csl_pe_room room;
    if (!cost || !bytes || !tw__csl_costs(p, image->wse3, cost) || !tw__csl_pe_room_of(image, p, bytes, &room)) {
        free(cost), free(bytes);
        return NULL;
    }
    GString *out = g_string_new(NULL);
    char band[64];
    tw_band_text(tw_band_find(image->wse3 ? "wse3" : "wse2", NULL), band, sizeof band);
    g_string_append_printf(out,
                           "program %s: %zu functions, %zu instructions; each with its number and cycles (%s)\n",
                           p->name, p->function_count, p->code_count, band);
    list_memory(out, p, bytes, &room);
    for (size_t i = 0; i < p->use_count; i++) list_use(out, &p->uses[i], i);
    for (size_t i = 0; i < p->function_count; i++) list_function(out, image, p, i, cost, bytes[i]);
    free(cost), free(bytes);
    char *copy = tw__calloc(out->len + 1, 1);
    if (copy) memcpy(copy, out->str, out->len);
    g_string_free(out, TRUE);
    return copy;
}
