/* SPDX-License-Identifier: MIT */
/* symbol: names of variables, and the memory of PEs. */
#include "csl/wse/host/host.h"

#include <string.h>

static const tw__csl_program *program_of(const tw_wse *w, unsigned x, unsigned y)
{
    if (x >= w->image->width || y >= w->image->height) return NULL;
    uint32_t program = w->image->pes[(size_t)y * w->image->width + x].program;
    return program < w->image->program_count ? &w->image->programs[program] : NULL;
}

static uint32_t read_u16(const uint8_t *memory, uint32_t address)
{
    return memory[address] | (uint32_t)memory[address + 1] << 8;
}

/* The variable that an address lies in; NULL when in none. */
static const tw__csl_symbol *symbol_at(const tw__csl_program *p, uint32_t address)
{
    for (size_t i = 0; i < p->symbol_count; i++)
        if (address >= p->symbols[i].address && address - p->symbols[i].address < p->symbols[i].bytes)
            return &p->symbols[i];
    return NULL;
}

bool tw__host_target(const tw_wse *w, unsigned x, unsigned y, int export, uint32_t *address, uint32_t *room)
{
    const tw__csl_program *p = program_of(w, x, y);
    for (size_t i = 0; p && i < p->export_count; i++) {
        const tw__csl_export *e = &p->exports[i];
        if ((int)e->name != export || e->is_function) continue;
        if (e->pointer)
            *address = read_u16(tw__wse_memory(w->fabric, x, y), e->pointer);
        else
            *address = e->target < p->symbol_count ? p->symbols[e->target].address : 0;
        const tw__csl_symbol *s = symbol_at(p, *address);
        *room =
            s ? s->address + s->bytes - *address : TW__CSL_PE_BYTES - (*address < TW__CSL_PE_BYTES ? *address : 0);
        return true;
    }
    return false;
}

static const tw__csl_symbol *find_symbol(const tw__csl_program *p, const char *name)
{
    for (size_t i = 0; i < p->symbol_count; i++)
        if (strcmp(p->symbols[i].name, name) == 0) return &p->symbols[i];
    return NULL;
}

/* Fabric coordinates to those of the rectangle. */
static tw_status locate(const tw_wse *w, unsigned *x, unsigned *y)
{
    unsigned px = *x - w->image->offset_x, py = *y - w->image->offset_y;
    if (*x < w->image->offset_x || *y < w->image->offset_y || px >= w->image->width || py >= w->image->height)
        return tw__fail(TW_E_INDEX,
                        "PE (%u, %u) lies outside the program's rectangle: %u x %u PEs from (%u, %u) on", *x, *y,
                        w->image->width, w->image->height, w->image->offset_x, w->image->offset_y);
    *x = px;
    *y = py;
    return TW_OK;
}

/* The same of a PE that may live in another rank: all of them ask. */
static bool target_of_all(const tw_wse *w, unsigned x, unsigned y, int export, uint32_t *address, uint32_t *room)
{
    struct {
        uint32_t found, address, room;
    } target = { 0 };
    if (tw__wse_is_here(w->fabric, x, y))
        target.found = tw__host_target(w, x, y, export, &target.address, &target.room);
    if (tw__wse_from_owner(w->fabric, y, &target, sizeof target) != TW_OK || !target.found) return false;
    *address = target.address, *room = target.room;
    return true;
}

/* Address and size of a variable, or of the target of an exported pointer. */
static tw_status symbol_find(const tw_wse *w, unsigned x, unsigned y, const char *name, uint32_t *address,
                             uint32_t *bytes)
{
    tw_status status = locate(w, &x, &y);
    if (status != TW_OK) return status;
    const tw__csl_program *p = program_of(w, x, y);
    const tw__csl_symbol *s = p ? find_symbol(p, name) : NULL;
    if (s) {
        *address = s->address;
        *bytes = s->bytes;
        return TW_OK;
    }
    for (size_t i = 0; i < w->image->export_count; i++)
        if (strcmp(w->image->exports[i].name, name) == 0 && target_of_all(w, x, y, (int)i, address, bytes))
            return TW_OK;
    return tw__fail(TW_E_SYMBOL, "the program of PE (%u, %u) has no variable '%s'", x, y, name);
}

static tw_status check_range(unsigned address, size_t size)
{
    if (address <= TW__CSL_PE_BYTES && size <= TW__CSL_PE_BYTES - address) return TW_OK;
    return tw__fail(TW_E_INDEX, "bytes %u to %zu lie outside a PE's memory of %u bytes", address, address + size,
                    TW__CSL_PE_BYTES);
}

tw_status tw_wse_read_symbol(const tw_wse *w, unsigned x, unsigned y, const char *name, void *bytes, size_t *size)
{
    if (!w) return tw__missing("wafer");
    uint32_t address, room;
    tw_status status = symbol_find(w, x, y, name, &address, &room);
    if (status != TW_OK) return status;
    size_t wanted = *size < room ? *size : room;
    *size = room;
    return bytes ? tw_wse_read(w, x, y, address, bytes, wanted) : TW_OK;
}

tw_status tw_wse_write_symbol(tw_wse *w, unsigned x, unsigned y, const char *name, const void *bytes, size_t size)
{
    if (!w) return tw__missing("wafer");
    uint32_t address, room;
    tw_status status = symbol_find(w, x, y, name, &address, &room);
    if (status != TW_OK) return status;
    if (size > room) return tw__fail(TW_E_INVALID_ARGUMENT, "'%s' has %u bytes, %zu were given", name, room, size);
    return tw_wse_write(w, x, y, address, bytes, size);
}

const char *tw_wse_symbol_name(const tw_wse *w, unsigned x, unsigned y, size_t index)
{
    if (!w) return NULL;
    if (locate(w, &x, &y) != TW_OK) return NULL;
    const tw__csl_program *p = program_of(w, x, y);
    return p && index < p->symbol_count ? p->symbols[index].name : NULL;
}

/* What a checkpoint knows a look at memory by. */
static uint64_t look_mark(unsigned what, unsigned x, unsigned y, unsigned address, size_t size)
{
    const uint64_t numbers[] = { what, x, y, address, size };
    return tw__host_mark(TW__FNV, numbers, G_N_ELEMENTS(numbers));
}

tw_status tw_wse_read(const tw_wse *w, unsigned x, unsigned y, unsigned address, void *bytes, size_t size)
{
    if (!w) return tw__missing("wafer");
    tw_status status = locate(w, &x, &y);
    if (status == TW_OK) status = check_range(address, size);
    if (status != TW_OK) return status;
    memcpy(bytes, tw__wse_memory(w->fabric, x, y) + address, size);
    status = tw__wse_from_owner(w->fabric, y, bytes, size);
    /* The journal is no part of what the wafer is. */
    return status == TW_OK ? tw__host_answer((tw_wse *)w, look_mark('r', x, y, address, size), bytes, size)
                           : status;
}

tw_status tw_wse_write(tw_wse *w, unsigned x, unsigned y, unsigned address, const void *bytes, size_t size)
{
    if (!w) return tw__missing("wafer");
    tw_status status = locate(w, &x, &y);
    if (status == TW_OK) status = check_range(address, size);
    if (status == TW_OK && w->journal)
        status = tw__host_call(w, tw__fnv1a(look_mark('w', x, y, address, size), bytes, size));
    if (status == TW_OK && !tw__host_replays(w) && tw__wse_is_here(w->fabric, x, y))
        memcpy(tw__wse_memory(w->fabric, x, y) + address, bytes, size);
    return status;
}

/* --- what events are of ---------------------------------------------------------------------------------------- */

const char *tw__host_operation(uint32_t number)
{
    uint32_t code = number & 255;
    return code < TW__CSL_DSD_OPS ? tw__csl_dsd_op_rows[code].builtin : "?";
}

const char *tw__host_operation_at(const tw__csl_program *p, uint32_t at)
{
    uint32_t use = at < p->code_count && p->code[at].op == TW__CSL_I_DSDOP ? tw__csl_wide(p->code[at]) : UINT32_MAX;
    return use < p->use_count ? tw__host_operation(p->uses[use].op) : "?";
}

const char *tw__host_place_in(const tw_wse *w, const tw__csl_program *p, bool task, uint32_t number, uint32_t *line)
{
    tw__csl_line found = { 0 };
    *line = 0;
    if (task && number < p->function_count)
        found = (tw__csl_line){ .file = p->functions[number].file, .line = p->functions[number].line };
    else if (task || !tw__csl_program_line(p, number >> 8, &found))
        return NULL;
    const char *file = tw__csl_file_name(w->image, found.file);
    *line = *file ? found.line : 0;
    return *line ? file : NULL;
}

const char *tw__host_place(const tw_wse *w, uint32_t pe, bool task, uint32_t number, uint32_t *line)
{
    uint32_t program = w->image->pes[pe].program;
    *line = 0;
    return program < w->image->program_count
               ? tw__host_place_in(w, &w->image->programs[program], task, number, line)
               : NULL;
}
