/* SPDX-License-Identifier: MIT */
/* A tile as an object: memory, registers, images. */
#include "poplar/colossus/sim/fp.h"

#include <stdlib.h>

/* --- life ------------------------------------------------------------------------------------------------------- */

static const tw_tile_arch *tile_of(tw_isa_arch arch)
{
    const char *name = tw_isa_arch_name(arch);
    return *name ? tw_tile_arch_by_name(name) : NULL;
}

uint32_t tw_sim_memory_base(tw_isa_arch arch)
{
    const tw_tile_arch *tile = tile_of(arch ? arch : TW_ISA_IPU2);
    return tile ? tile->regions[0].start : 0;
}

uint32_t tw_sim_memory_bytes(tw_isa_arch arch)
{
    const tw_tile_arch *tile = tile_of(arch ? arch : TW_ISA_IPU2);
    return tile ? tile->regions[0].bytes + tile->regions[1].bytes : 0;
}

static uint64_t mix(uint64_t x) /* splitmix64: seeds of generators that must not be related */
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9), x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void reset_context(tw_sim *sim, unsigned number)
{
    tw__sim_context *w = &sim->contexts[number];
    memset(w, 0, sizeof *w);
    w->memory = sim->memory, w->code_map = sim->code_map;
    w->base = sim->base, w->size = sim->size, w->region1 = sim->region1;
    w->clashes = !sim->options.ignore_clashes, w->flush = !sim->options.denormals;
    w->weights = &sim->weights;
    w->number = (uint8_t)number, w->supervisor = number == TW_SIM_SUPERVISOR;
    w->sim = sim;
    w->prng[0] = mix(sim->options.seed * 2654435761u + 2 * number + 1);
    w->prng[1] = mix(w->prng[0] ^ sim->options.tile);
}

void tw_sim_reset(tw_sim *sim)
{
    if (!sim) return;
    memset(&sim->weights, 0, sizeof sim->weights);
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) reset_context(sim, i);
    memset(sim->ready, 0, sizeof sim->ready);
    sim->clock = 0, sim->local_consensus = true, sim->waiting = false;
    sim->has_exception = sim->unfinished = false;
    g_free(sim->message);
    sim->message = NULL;
}

tw_sim *tw_sim_new(const tw_sim_options *given)
{
    tw_sim_options own;
    tw_status status = TW__TAKE_OPTIONS(&own, given, tw_sim_options);
    if (status != TW_OK) return tw__made(status, NULL);
    const tw_sim_options *options = &own;
    tw_isa_arch arch = options->arch ? options->arch : TW_ISA_IPU2;
    const tw_tile_arch *tile = tile_of(arch);
    if (!tile) {
        return tw__made(tw__fail(TW_E_INVALID_ARGUMENT, "the simulator runs one chip: ipu1, ipu2 or ipu21"), NULL);
    }
    tw_sim *sim = NULL;
    if (posix_memalign((void **)&sim, 64, sizeof *sim) != 0) {
        return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory for a tile"), NULL);
    }
    memset(sim, 0, sizeof *sim);
    sim->arch = arch, sim->tile = tile, sim->options = *options;
    sim->base = tile->regions[0].start, sim->region1 = tile->regions[1].start;
    sim->size = tw_sim_memory_bytes(arch);
    sim->page_count = (sim->region1 - sim->base) >> TW__SIM_PAGE_BITS;
    sim->own_memory = !options->memory, sim->wide = tw__cpu_has(TW__CPU_AVX2);
    sim->memory = options->memory ? options->memory : tw__calloc(1, sim->size);
    sim->pages = tw__calloc(sim->page_count, sizeof *sim->pages);
    sim->code_map = tw__calloc(1, sim->size >> TW__SIM_PAGE_BITS);
    if (!sim->memory || !sim->pages || !sim->code_map) {
        tw_sim_free(sim);
        return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory for a tile"), NULL);
    }
    tw_sim_reset(sim);
    return sim;
}

void tw_sim_free(tw_sim *sim)
{
    if (!sim) return;
    for (uint32_t i = 0; sim->pages && i < sim->page_count; i++) free(sim->pages[i]);
    if (sim->own_memory) free(sim->memory);
    free(sim->pages);
    free(sim->code_map);
    free(sim->images);
    g_free(sim->message);
    free(sim);
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

uint8_t *tw_sim_memory(tw_sim *sim)
{
    if (!sim) return NULL;
    return sim->memory;
}

void tw_sim_code_changed(tw_sim *sim, uint32_t address, uint32_t bytes)
{
    if (!sim) return;
    uint32_t end = sim->base + (sim->page_count << TW__SIM_PAGE_BITS);
    if (address < sim->base)
        bytes = address + bytes > sim->base ? address + bytes - sim->base : 0, address = sim->base;
    if (address < end && bytes) tw__sim_drop_code(sim, address, MIN(bytes, end - address));
}

static tw_status check_range(const tw_sim *sim, uint32_t address, uint32_t bytes)
{
    uint32_t offset = address - sim->base;
    if (offset <= sim->size && bytes <= sim->size - offset) return TW_OK;
    return tw__fail(TW_E_INDEX, "0x%x to 0x%llx is not all in the memory of %s: 0x%x to 0x%x", address,
                    (unsigned long long)address + bytes, tw_isa_arch_name(sim->arch), sim->base,
                    sim->base + sim->size);
}

tw_status tw_sim_write(tw_sim *sim, uint32_t address, const void *from, uint32_t bytes)
{
    if (!sim) return tw__missing("simulator");
    tw_status status = check_range(sim, address, bytes);
    if (status != TW_OK || !bytes) return status;
    memcpy(sim->memory + (address - sim->base), from, bytes);
    if (address < sim->region1) sim->native_seen = 0; /* other translations may fit */
    uint32_t last = (address + bytes - 1 - sim->base) >> TW__SIM_PAGE_BITS;
    for (uint32_t p = (address - sim->base) >> TW__SIM_PAGE_BITS; p <= last && p < sim->page_count; p++)
        if (sim->code_map[p]) {
            tw_sim_code_changed(sim, address, bytes);
            break;
        }
    return TW_OK;
}

tw_status tw_sim_read(tw_sim *sim, uint32_t address, void *to, uint32_t bytes)
{
    if (!sim) return tw__missing("simulator");
    tw_status status = check_range(sim, address, bytes);
    if (status == TW_OK && bytes) memcpy(to, sim->memory + (address - sim->base), bytes);
    return status;
}

static tw_status load_section(tw_sim *sim, const tw_section *s)
{
    tw_status status = check_range(sim, s->address, s->size);
    if (status != TW_OK || !s->size) return status;
    if (s->data && !(s->flags & TW_SECTION_EMPTY)) return tw_sim_write(sim, s->address, s->data, s->size);
    memset(sim->memory + (s->address - sim->base), 0, s->size);
    tw_sim_code_changed(sim, s->address, s->size);
    return TW_OK;
}

tw_status tw_sim_load(tw_sim *sim, const tw_object *image)
{
    if (!sim) return tw__missing("simulator");
    if (tw_object_arch(image) != sim->arch)
        return tw__fail(TW_E_INVALID_ARGUMENT, "code for %s on a tile of %s",
                        tw_isa_arch_name(tw_object_arch(image)), tw_isa_arch_name(sim->arch));
    if (tw_object_relocation_count(image))
        return tw__fail(TW_E_INVALID_ARGUMENT, "the object is not linked: it has relocations");
    const tw_section *s;
    for (size_t i = 0; (s = tw_object_get_section(image, i)); i++) {
        if (!(s->flags & TW_SECTION_ALLOC)) continue;
        tw_status status = load_section(sim, s);
        if (status != TW_OK) return status;
    }
    for (size_t i = 0; i < sim->image_count; i++)
        if (sim->images[i] == image) return TW_OK;
    if (!tw__grow(&sim->images, &sim->image_room, sim->image_count, sizeof *sim->images))
        return tw__fail(TW_E_NO_MEMORY, "no memory for a tile");
    sim->images[sim->image_count++] = image;
    return TW_OK;
}

/* --- registers -------------------------------------------------------------------------------------------------- */

uint32_t tw_sim_get_m(const tw_sim *sim, unsigned context, unsigned number)
{
    if (!sim) return 0;
    return context < TW_SIM_CONTEXTS && number < 16 ? sim->contexts[context].m[number] : 0;
}

void tw_sim_set_m(tw_sim *sim, unsigned context, unsigned number, uint32_t value)
{
    if (!sim) return;
    if (context < TW_SIM_CONTEXTS && number < 12) sim->contexts[context].m[number] = value;
}

uint32_t tw_sim_get_a(const tw_sim *sim, unsigned worker, unsigned number)
{
    if (!sim) return 0;
    return worker < TW_SIM_WORKERS && number < 16 ? sim->contexts[worker].a[number] : 0;
}

void tw_sim_set_a(tw_sim *sim, unsigned worker, unsigned number, uint32_t value)
{
    if (!sim) return;
    if (worker < TW_SIM_WORKERS && number < 8) sim->contexts[worker].a[number] = value;
}

static float *accumulator(const tw_sim *sim, unsigned worker, unsigned number)
{
    if (worker >= TW_SIM_WORKERS || number >= 2 * TW__SIM_UNITS) return NULL;
    const tw__sim_context *w = &sim->contexts[worker];
    return (float *)&(number & 1 ? w->o : w->e)[number / 2];
}

uint32_t tw_sim_get_accumulator(const tw_sim *sim, unsigned worker, unsigned number)
{
    if (!sim) return 0;
    uint32_t bits = 0;
    const float *at = accumulator(sim, worker, number);
    if (at) memcpy(&bits, at, 4);
    return bits;
}

void tw_sim_set_accumulator(tw_sim *sim, unsigned worker, unsigned number, uint32_t bits)
{
    if (!sim) return;
    float *at = accumulator(sim, worker, number);
    if (at) memcpy(at, &bits, 4);
}

static tw_status no_csr(const tw_sim *sim, unsigned context, unsigned index)
{
    return tw__fail(TW_E_INDEX, "context %u of %s has no control register 0x%x", context,
                    tw_isa_arch_name(sim->arch), index);
}

tw_status tw_sim_get_csr(tw_sim *sim, unsigned context, unsigned index, uint32_t *value)
{
    if (!sim) return tw__missing("simulator");
    *value = 0;
    if (context < TW_SIM_CONTEXTS && tw__sim_csr_get(&sim->contexts[context], index, value)) return TW_OK;
    return no_csr(sim, context, index);
}

tw_status tw_sim_set_csr(tw_sim *sim, unsigned context, unsigned index, uint32_t value)
{
    if (!sim) return tw__missing("simulator");
    tw__sim_put done = TW__SIM_PUT_NONE;
    if (context < TW_SIM_CONTEXTS) done = tw__sim_csr_put(&sim->contexts[context], index, value);
    if (done == TW__SIM_PUT_NONE) return no_csr(sim, context, index);
    return done == TW__SIM_PUT_DONE ? TW_OK
                                    : tw__fail(TW_E_INVALID_ARGUMENT, "control register 0x%x is read-only", index);
}

uint64_t tw_sim_get_weight(const tw_sim *sim, unsigned index)
{
    if (!sim) return 0;
    return index < TW__SIM_WEIGHTS ? sim->weights.words[index] : 0;
}

void tw_sim_set_weight(tw_sim *sim, unsigned index, uint64_t bits)
{
    if (!sim) return;
    if (index < TW__SIM_WEIGHTS) tw__sim_set_weight(sim, index, bits);
}

uint32_t tw_sim_get_pc(const tw_sim *sim, unsigned context)
{
    if (!sim) return 0;
    return context < TW_SIM_CONTEXTS ? sim->contexts[context].pc : 0;
}

tw_status tw_sim_set_pc(tw_sim *sim, unsigned context, uint32_t address)
{
    if (!sim) return tw__missing("simulator");
    tw_sim_state state = tw_sim_get_state(sim, context);
    if (state == TW_SIM_IDLE)
        return tw__fail(TW_E_INVALID_ARGUMENT, "context %u is not active: nothing is to go on in it", context);
    tw__sim_context *w = &sim->contexts[context];
    w->pc = address;
    w->repeat_count = 0;
    if (state == TW_SIM_EXCEPTED) tw__sim_fault_over(w);
    return TW_OK;
}

/* --- names ------------------------------------------------------------------------------------------------------ */

static const tw_section *section_at(const tw_object *image, uint32_t address, size_t *index)
{
    const tw_section *s;
    for (*index = 0; (s = tw_object_get_section(image, *index)); ++*index)
        if ((s->flags & TW_SECTION_ALLOC) && address - s->address < s->size) return s;
    return NULL;
}

const tw_object_line *tw_sim_place_at(const tw_sim *sim, uint32_t address)
{
    const tw_object_line *found = NULL;
    for (size_t i = sim ? sim->image_count : 0; i-- && !found;) {
        size_t index;
        const tw_section *s = section_at(sim->images[i], address, &index);
        if (s) found = tw_object_line_at(sim->images[i], (int)index, address - s->address);
    }
    return found;
}

bool tw_sim_line_at(const tw_sim *sim, uint32_t address, const char **file, uint32_t *line)
{
    if (!sim) return false;
    const tw_object_line *found = tw_sim_place_at(sim, address);
    if (file) *file = found ? found->file : NULL;
    if (line) *line = found ? found->line : 0;
    return found;
}

bool tw_sim_symbol_at(const tw_sim *sim, uint32_t address, const char **name, uint32_t *offset)
{
    if (!sim) return false;
    const tw_symbol *best = NULL, *s;
    for (size_t i = sim->image_count; i-- && !best;) {
        size_t index;
        if (!section_at(sim->images[i], address, &index)) continue;
        for (size_t k = 0; (s = tw_object_get_symbol(sim->images[i], k)); k++)
            if (s->section == (int)index && s->type != TW_SYMBOL_SECTION && s->value <= address &&
                (!best || s->value >= best->value))
                best = s;
    }
    if (name) *name = best ? best->name : NULL;
    if (offset) *offset = best ? address - best->value : 0;
    return best;
}

unsigned tw__sim_insns_at(tw_sim *sim, uint32_t address, tw_insn insns[2])
{
    uint32_t words[2] = { 0, 0 };
    if (address & 3 || tw_sim_read(sim, address, words, 4) != TW_OK) return 0;
    uint32_t second = GUINT32_FROM_LE(words[0]);
    bool more = tw_sim_read(sim, address + 4, words + 1, 4) == TW_OK;
    uint64_t word = second | (uint64_t)GUINT32_FROM_LE(words[1]) << 32;
    if (!tw_insn_decode(sim->arch, word, &insns[0])) return 0;
    if (!insns[0].bundled || !more) return 1;
    return tw_insn_decode(sim->arch, GUINT32_FROM_LE(words[1]), &insns[1]) && insns[1].bundled ? 2 : 1;
}

/* An instruction as text; the target of a branch in bytes with its symbol, where the assembler would count words. */
static char *tile_text_of(const tw_sim *sim, const tw_insn *insn, char buf[TW_INSN_TEXT])
{
    const tw_isa_row *row = &tw__isa_rows[insn->row];
    char target[TW_INSN_TEXT / 2];
    const char *name;
    uint32_t offset;
    int k = (int)row->count - 1; /* targets are the last operand */
    if (!(row->flags & TW_ISA_CONTROL) || k < 0 || row->operands[k]->file != TW_ISA_CODE)
        return tw_insn_format(insn, buf);
    int length = g_snprintf(target, sizeof target, "0x%x", insn->operands[k]);
    if (tw_sim_symbol_at(sim, insn->operands[k], &name, &offset))
        g_snprintf(target + length, sizeof target - (gulong)length, offset ? " <%.50s+%u>" : " <%.50s>", name,
                   offset);
    return tw__isa_format(insn, k, target, buf);
}

char *tw_sim_text_at(tw_sim *sim, uint32_t address, char buf[2 * TW_INSN_TEXT])
{
    if (!sim) return *buf = 0, buf;
    tw_insn insns[2];
    char one[TW_INSN_TEXT], two[TW_INSN_TEXT];
    unsigned count = tw__sim_insns_at(sim, address, insns);
    *buf = 0;
    if (count) tile_text_of(sim, &insns[0], one);
    if (count == 2)
        g_snprintf(buf, 2 * TW_INSN_TEXT, "{ %s ; %s }", one, tile_text_of(sim, &insns[1], two));
    else if (count)
        g_strlcpy(buf, one, 2 * TW_INSN_TEXT);
    return buf;
}
