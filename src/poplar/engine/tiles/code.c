/* SPDX-License-Identifier: MIT */
/* Code of the chip in a graph: external codelets and what they need, tile by tile (guide 2.2.2, 3.4.1, 7.3.1). */
#include "poplar/engine/tiles/tiles.h"

#include <stdlib.h>
#include <string.h>

/* --- links ---------------------------------------------------------------------------------------------------- */

/* bytes: of each type, uint32_t; NULL = not wanted. */
static tw_status link_types(const tw__chip_code *code, const tw__core *core, const GArray *types, uint32_t at,
                            uint32_t data_at, uint32_t *bytes, tw_object **image)
{
    g_autoptr(GPtrArray) keep = g_ptr_array_new();
    for (guint i = 0; i < types->len; i++)
        g_ptr_array_add(keep, (char *)core->types[g_array_index(types, uint32_t, i)].info->symbol);
    g_ptr_array_add(keep, NULL);
    tw_link_options options = { .size = sizeof options,
                                .keep = (const char *const *)keep->pdata,
                                .code_address = at,
                                .data_address = data_at,
                                .keep_bytes = bytes,
                                .drop_debug = !code->debugged };
    return tw_status_of(*image =
                            tw_link((const tw_object *const *)code->objects, code->object_count, &options, NULL));
}

/* --- which vertices have it ----------------------------------------------------------------------------------- */

static bool defines(const tw_object *object, const char *symbol)
{
    int index = tw_object_find_symbol(object, symbol);
    const tw_symbol *s = index < 0 ? NULL : tw_object_get_symbol(object, (size_t)index);
    return s && s->section != TW_SECTION_UNDEFINED && s->binding != TW_SYMBOL_LOCAL;
}

static bool any_defines(const tw__chip_code *code, const char *symbol)
{
    for (size_t i = 0; i < code->object_count; i++)
        if (defines(code->objects[i], symbol)) return true;
    return false;
}

/* The entries of compiled classes are weak; what wins over them is not. */
static bool is_compiled(const tw__chip_code *code, const char *symbol)
{
    for (size_t i = 0; i < code->object_count; i++) {
        int index = tw_object_find_symbol(code->objects[i], symbol);
        if (defines(code->objects[i], symbol) &&
            tw_object_get_symbol(code->objects[i], (size_t)index)->binding != TW_SYMBOL_WEAK)
            return false;
    }
    return true;
}

/* Types that some step executes. */
static bool *used_types(const tw_engine *engine)
{
    bool *used = tw__calloc(engine->core->type_count + 1, sizeof *used);
    for (size_t x = 0; used && x < engine->plan.execs.count; x++)
        for (size_t g = 0; g < engine->plan.execs.items[x].group_count; g++)
            used[engine->plan.execs.items[x].groups[g].type] = true;
    return used;
}

/* A simulator asks for the code of every vertex; a model where the class says that there is some, and for that of
 * all, which then counts in the memory of tiles (guide 8.1.1), when it is told to. */
static bool asks_for_code(const tw_engine *engine, const tw__vertex_type *info)
{
    return engine->target->kind == TW_TARGET_IPU || engine->target->compile_ipu_code || info->is_external ||
           !info->has_entry;
}

static tw_status missing(const tw_engine *engine, const tw__chip_code *code, const tw__vertex_type *info)
{
    if (engine->target->kind != TW_TARGET_IPU)
        return tw__fail(
            TW_E_LINK,
            "vertex type '%s' of '%s' is external and no codelet file defines %s: add the assembly that "
            "does, or give the class a compute()",
            info->name, info->origin, info->symbol);
    return tw__fail(TW_E_NOT_SUPPORTED,
                    "vertex type '%s' of '%s' has no code for %s: no codelet file defines %s%s%s. Engine option "
                    "simulator.runNativeVertices=true runs such vertices natively, with estimated cycles",
                    info->name, info->origin, tw_target_arch(engine->target), info->symbol,
                    code->problem ? "; " : "", code->problem ? code->problem : "");
}

/* Assembly may call functions that only the vendor's compiler makes of C++: such a vertex can only run natively. */
static bool links_alone(const tw_engine *engine, const tw__chip_code *code, uint32_t type)
{
    const tw_tile_region *low = &engine->target->arch.regions[0], *high = &engine->target->arch.regions[1];
    g_autoptr(GArray) types = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    tw_object *image = NULL;
    g_array_append_val(types, type);
    tw_status status = link_types(code, engine->core, types, low->start, high->start, NULL, &image);
    tw_object_free(image);
    return status == TW_OK;
}

static tw_status decide(const tw_engine *engine, tw__chip_code *code, const bool *used)
{
    bool simulator = engine->target->kind == TW_TARGET_IPU;
    bool asked = simulator && tw__options_bool(engine->options, "simulator.runNativeVertices");
    bool native = !simulator || asked;
    for (uint32_t t = 0; t < engine->core->type_count; t++) {
        const tw__vertex_type *info = engine->core->types[t].info;
        if (!used[t] || !asks_for_code(engine, info)) continue;
        code->has_code[t] = any_defines(code, info->symbol);
        if (asked && code->has_code[t] && info->has_entry) code->has_code[t] = links_alone(engine, code, t);
        code->compiled[t] = code->has_code[t] && is_compiled(code, info->symbol);
        code->measured[t] = code->has_code[t] && !simulator && info->has_entry &&
                            engine->target->compile_ipu_code && !engine->core->types[t].estimator;
        code->simulated[t] = code->has_code[t] && (simulator || !info->has_entry || code->measured[t]);
        if (!code->has_code[t] && (!info->has_entry || !native)) return missing(engine, code, info);
    }
    return TW_OK;
}

/* --- what stands on a tile ------------------------------------------------------------------------------------ */

typedef struct stand {
    uint32_t tile, type;
} stand;

static int by_tile(const void *x, const void *y)
{
    const stand *a = x, *b = y;
    if (a->tile != b->tile) return a->tile < b->tile ? -1 : 1;
    return (a->type > b->type) - (a->type < b->type);
}

static GArray *find_stands(const tw_engine *engine, const tw__chip_code *code)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(stand));
    for (size_t x = 0; x < engine->plan.execs.count; x++)
        for (size_t g = 0; g < engine->plan.execs.items[x].group_count; g++) {
            const tw__group *group = &engine->plan.execs.items[x].groups[g];
            stand s = { group->tile, group->type };
            if (code->has_code[s.type]) g_array_append_val(list, s);
        }
    g_array_sort(list, by_tile);
    guint kept = 0;
    for (guint i = 0; i < list->len; i++) {
        stand *s = &g_array_index(list, stand, i), *last = kept ? &g_array_index(list, stand, kept - 1) : NULL;
        if (!last || by_tile(s, last) != 0) g_array_index(list, stand, kept++) = *s;
    }
    g_array_set_size(list, kept);
    return list;
}

/* --- what each tile needs ----------------------------------------------------------------------------------- */

/* Room that the sections of one kind take, from the first to the end of the last, and their alignment. */
static uint32_t extent(const tw_object *image, bool exec, uint32_t start, uint32_t *align)
{
    uint32_t end = start;
    const tw_section *s;
    *align = exec ? 8 : 4; /* words of code that a fetch reads together */
    for (size_t i = 0; (s = tw_object_get_section(image, i)); i++) {
        if (!(s->flags & TW_SECTION_ALLOC) || exec != ((s->flags & TW_SECTION_EXEC) != 0) || !s->size) continue;
        if (s->address + s->size > end) end = s->address + s->size;
        if (s->align > *align) *align = s->align;
    }
    return end - start;
}

/* Has the code an instruction that takes more than a turn? Words of a section are instructions, or data that look
 * like one: then too much is called modelled. */
static bool has_long_instructions(const tw_object *image)
{
    const tw_section *s;
    for (size_t i = 0; (s = tw_object_get_section(image, i)); i++)
        for (uint32_t at = 0; (s->flags & TW_SECTION_EXEC) && s->data && at + 4 <= s->size; at += 4) {
            const uint8_t *p = s->data + at;
            tw_insn insn;
            uint32_t word = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
            if (tw_insn_decode(tw_object_arch(image), word, &insn) && tw_isa_get(insn.row)->cycles > 1) return true;
        }
    return false;
}

/* Sizes and stacks of the code of these types, linked where nothing is in the way. */
static tw_status measure(const tw_engine *engine, const tw__chip_code *code, tw__tile_link *link)
{
    const tw_tile_region *low = &engine->target->arch.regions[0], *high = &engine->target->arch.regions[1];
    tw_object *image;
    link->type_bytes = g_array_sized_new(FALSE, TRUE, sizeof(uint32_t), link->types->len);
    g_array_set_size(link->type_bytes, link->types->len);
    tw_status status = link_types(code, engine->core, link->types, low->start, high->start,
                                  (uint32_t *)(void *)link->type_bytes->data, &image);
    if (status) return status;
    link->modelled = has_long_instructions(image);
    link->interleaved = tw_link_is_interleaved(image);
    link->code_bytes = extent(image, true, low->start, &link->code_align);
    link->data_bytes = extent(image, false, high->start, &link->data_align);
    for (guint i = 0; i < link->types->len && !status; i++) {
        const tw__vertex_type *info = engine->core->types[g_array_index(link->types, uint32_t, i)].info;
        uint32_t bytes = 0, *most = info->kind == TW__SUPERVISOR ? &link->supervisor_stack : &link->stack;
        status = tw_stack_need(image, info->symbol, &bytes);
        if (bytes > *most) *most = bytes;
    }
    tw_object_free(image);
    return status;
}

static guint hash_types(gconstpointer key)
{
    const GArray *types = key;
    guint hash = 5381;
    for (guint i = 0; i < types->len; i++) hash = hash * 33 + g_array_index(types, uint32_t, i);
    return hash;
}

static gboolean same_types(gconstpointer x, gconstpointer y)
{
    const GArray *a = x, *b = y;
    return a->len == b->len && memcmp(a->data, b->data, a->len * sizeof(uint32_t)) == 0;
}

static tw_status link_tiles(const tw_engine *engine, tw__chip_code *code)
{
    g_autoptr(GArray) stands = find_stands(engine, code);
    g_autoptr(GHashTable) known = g_hash_table_new(hash_types, same_types);
    tw_status status = TW_OK;
    for (guint i = 0, end; i < stands->len && !status; i = end) {
        uint32_t tile = g_array_index(stands, stand, i).tile;
        GArray *types = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        for (end = i; end < stands->len && g_array_index(stands, stand, end).tile == tile; end++)
            g_array_append_val(types, g_array_index(stands, stand, end).type);
        guint number = GPOINTER_TO_UINT(g_hash_table_lookup(known, types));
        if (number) {
            g_array_free(types, TRUE);
        } else {
            tw__tile_link link = { .types = types };
            status = measure(engine, code, &link);
            g_array_append_val(code->links, link);
            g_hash_table_insert(known, types, GUINT_TO_POINTER(number = code->links->len));
        }
        code->link_of[tile] = number;
    }
    return status;
}

/* --- life ----------------------------------------------------------------------------------------------------- */

static void clear_link(gpointer data)
{
    tw__tile_link *link = data;
    g_array_free(link->types, TRUE), g_array_free(link->type_bytes, TRUE);
}

static void clear_placed(gpointer data)
{
    tw_object_free(((tw__placed_link *)data)->image);
}

void tw__chip_code_free(tw__chip_code *code)
{
    if (!code) return;
    for (size_t i = 0; i < code->object_count; i++) tw_object_free(code->objects[i]);
    g_free(code->objects);
    g_free(code->problem);
    g_array_free(code->links, TRUE), g_array_free(code->placed, TRUE);
    free(code->has_code), free(code->simulated), free(code->measured), free(code->compiled), free(code->link_of),
        free(code->item), free(code->data_item);
    free(code->placed_of), free(code);
}

static tw__chip_code *allocate(const tw_engine *engine)
{
    tw__chip_code *code = tw__calloc(1, sizeof *code);
    if (!code) return NULL;
    size_t types = engine->core->type_count + 1, tiles = code->tiles = tw_target_tiles(engine->target);
    code->debugged = engine->debugger != NULL;
    code->links = g_array_new(FALSE, FALSE, sizeof(tw__tile_link));
    code->placed = g_array_new(FALSE, FALSE, sizeof(tw__placed_link));
    g_array_set_clear_func(code->links, clear_link), g_array_set_clear_func(code->placed, clear_placed);
    code->has_code = tw__calloc(types, sizeof(bool)), code->simulated = tw__calloc(types, sizeof(bool)),
    code->compiled = tw__calloc(types, sizeof(bool)), code->measured = tw__calloc(types, sizeof(bool));
    code->link_of = tw__calloc(tiles + 1, sizeof(uint32_t)),
    code->placed_of = tw__calloc(tiles + 1, sizeof(uint32_t));
    code->item = tw__calloc(tiles + 1, sizeof(uint32_t)), code->data_item = tw__calloc(tiles + 1, sizeof(uint32_t));
    if (code->has_code && code->simulated && code->compiled && code->measured && code->link_of && code->placed_of &&
        code->item && code->data_item)
        return code;
    tw__chip_code_free(code);
    return NULL;
}

/* Vertices of C and C++ run in the simulator unless it is asked to leave what is not assembly to the host. */
static bool wants_compiled(const tw_engine *engine)
{
    if (engine->target->kind != TW_TARGET_IPU) return engine->target->compile_ipu_code;
    return !tw__options_bool(engine->options, "simulator.runNativeVertices");
}

static const tw_diag *find_error(const tw_diags *diags)
{
    const tw_diag *d;
    for (size_t i = 0; diags && (d = tw_diags_get(diags, i)); i++)
        if (d->severity == TW_ERROR) return d;
    return NULL;
}

/* Assembles and compiles; the message has the first mistake in the text, and says how many there are. */
static tw_status assemble(const tw_engine *engine, tw__chip_code *code)
{
    tw_diags *diags = tw_diags_new();
    tw_status status = tw__codelets_objects(engine->codelets, tw__chip_of(engine->target), wants_compiled(engine),
                                            code->debugged, &code->objects, &code->object_count, diags);
    const tw_diag *d = find_error(diags);
    if (d && status) {
        g_autofree char *why = g_strdup(tw_error_message());
        status = tw__fail(status, "%s:%d:%d: %s (%s)", d->file, d->line, d->column, d->message, why);
    } else if (d) {
        code->problem = d->line ? g_strdup_printf("%s:%d:%d: %s", d->file, d->line, d->column, d->message)
                                : g_strdup_printf("%s: %s", d->file, d->message);
    }
    tw_diags_free(diags);
    return status;
}

tw_status tw__chip_code_new(tw_engine *engine, tw__chip_code **out)
{
    *out = NULL;
    if (engine->target->kind == TW_TARGET_CPU) return TW_OK;
    bool *used = used_types(engine), asked = false;
    tw__chip_code *code = used ? allocate(engine) : NULL;
    tw_status status = code ? TW_OK : tw__fail(TW_E_NO_MEMORY, "out of memory for the code of vertices");
    for (size_t t = 0; t < engine->core->type_count && !status; t++)
        asked |= used[t] && asks_for_code(engine, engine->core->types[t].info);
    if (asked && !status) status = assemble(engine, code);
    if (asked && !status) status = decide(engine, code, used);
    if (asked && !status) status = link_tiles(engine, code);
    free(used);
    if (!status && code->links->len)
        *out = code;
    else
        tw__chip_code_free(code);
    return status;
}

/* --- in the memory of tiles ----------------------------------------------------------------------------------- */

static const tw__tile_link *link_of(const tw__chip_code *code, uint32_t tile)
{
    return code && code->link_of[tile] ? &g_array_index(code->links, tw__tile_link, code->link_of[tile] - 1) : NULL;
}

int64_t tw__chip_code_stack(const tw__chip_code *code, uint32_t tile, uint32_t type)
{
    const tw__tile_link *link = link_of(code, tile);
    return link && code->has_code[type] ? (int64_t)link->stack : -1;
}

uint32_t tw__chip_code_supervisor_stack(const tw__chip_code *code, uint32_t tile)
{
    const tw__tile_link *link = link_of(code, tile);
    return link ? link->supervisor_stack : 0;
}

uint32_t tw__chip_code_bytes(const tw__chip_code *code, uint32_t tile, uint32_t type)
{
    const tw__tile_link *link = link_of(code, tile);
    for (guint i = 0; link && i < link->types->len; i++)
        if (g_array_index(link->types, uint32_t, i) == type) return g_array_index(link->type_bytes, uint32_t, i);
    return 0;
}

bool tw__chip_code_modelled(const tw__chip_code *code, uint32_t tile)
{
    const tw__tile_link *link = link_of(code, tile);
    return link && link->modelled;
}

bool tw__chip_reads_as_poplibs(const tw_engine *engine, uint32_t type)
{
    return tw__options_bool(engine->options, "simulator.popLibsLayouts") &&
           !(engine->chip && engine->chip->compiled[type]);
}

tw_fidelity tw__chip_code_fidelity(const tw_engine *engine)
{
    bool *used = engine->chip ? used_types(engine) : NULL;
    tw_fidelity fidelity = used ? TW_FIDELITY_EXACT : TW_FIDELITY_ABSENT;
    for (size_t t = 0; used && t < engine->core->type_count; t++)
        if (used[t] && !engine->chip->has_code[t]) fidelity = TW_FIDELITY_ABSENT;
    free(used);
    return fidelity;
}

void tw__chip_code_place(tw__chip_code *code, tw__placement *placement)
{
    for (uint32_t tile = 0; tile < code->tiles; tile++) {
        const tw__tile_link *link = link_of(code, tile);
        if (!link) continue;
        tw__place_item item = { .name = "code of vertices",
                                .tile = tile,
                                .bytes = link->code_bytes,
                                .align = link->code_align,
                                .last = TW__PLACE_ALWAYS,
                                .storage = TW_STORAGE_VERTEX_CODE,
                                .flags = TW__PLACE_EXECUTABLE };
        code->item[tile] = tw__placement_add(placement, &item);
        item.name = "data of vertices' code", item.bytes = link->data_bytes, item.align = link->data_align;
        item.storage = TW_STORAGE_SHARED_DATA,
        item.flags = TW__PLACE_OVERREAD | (link->interleaved ? TW__PLACE_INTERLEAVED : 0);
        code->data_item[tile] = tw__placement_add(placement, &item);
    }
}

tw_status tw__chip_code_link(tw__chip_code *code, const tw__core *core, const tw__placement *placement)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (uint32_t tile = 0; tile < code->tiles; tile++) {
        if (!code->link_of[tile]) continue;
        tw__placed_link placed = { .link = code->link_of[tile] - 1,
                                   .code_address = (uint32_t)placement->items.items[code->item[tile]].address,
                                   .data_address =
                                       (uint32_t)placement->items.items[code->data_item[tile]].address };
        g_autofree char *key = g_strdup_printf("%u %u %u", placed.link, placed.code_address, placed.data_address);
        guint number = GPOINTER_TO_UINT(g_hash_table_lookup(known, key));
        if (!number) {
            const tw__tile_link *link = &g_array_index(code->links, tw__tile_link, placed.link);
            tw_status status =
                link_types(code, core, link->types, placed.code_address, placed.data_address, NULL, &placed.image);
            if (status) return status;
            g_array_append_val(code->placed, placed);
            g_hash_table_insert(known, g_steal_pointer(&key), GUINT_TO_POINTER(number = code->placed->len));
        }
        code->placed_of[tile] = number;
    }
    return TW_OK;
}
