/* SPDX-License-Identifier: MIT */
/* Leaves of the program tree. Adjacent Copy programs that do not touch each other's data become one step, adjacent
 * stream copies of one direction one transfer up to the limit (guide 2.6.1, 2.6.3, docs/decisions.md, G2). */
#include "poplar/engine/plan/lower.h"

#include <stdlib.h>
#include <string.h>

#define MAX_MERGED   4096                  /* copies in one step: keeps merging linear */
#define STREAM_LIMIT ((uint64_t)128 << 20) /* bytes per stream copy operation and IPU: guide 2.6.3 */

/* --- copies --------------------------------------------------------------------------------------------------- */

/* Blocks of the copies as one process has them: what a profile says does not depend on ranks. */
static tw_status count_blocks(tw__emitter *e, const tw__copy *made)
{
    if (e->engine->ranks.size < 2) {
        e->plan->copy_blocks += made->count;
        return TW_OK;
    }
    tw__copy whole = { 0 };
    tw_status s = TW_OK;
    for (size_t i = 0; i < e->copy_count && !s; i++) {
        const tw__program *p = &e->core->programs[e->copies[i]];
        s = tw__copy_add(&whole, &e->plan->storage, (tw__side){ .regions = p->a.regions },
                         (tw__side){ .regions = p->b.regions }, p->a.regions->count,
                         tw__device_size(e->engine, p->a.type));
    }
    if (!s) s = tw__copy_finish(&whole);
    e->plan->copy_blocks += whole.count;
    tw__copy_free(&whole);
    return s;
}

static tw_status build_copy(tw__emitter *e, tw__copy *copy)
{
    for (size_t i = 0; i < e->copy_count; i++) {
        const tw__program *p = &e->core->programs[e->copies[i]];
        tw_status s = tw__copy_between(e->engine, copy, (tw__side){ .regions = p->a.regions },
                                       (tw__side){ .regions = p->b.regions }, p->a.regions->count,
                                       tw__device_size(e->engine, p->a.type));
        if (s) return s;
    }
    tw_status s = tw__copy_finish(copy);
    return s ? s : count_blocks(e, copy);
}

static tw_status flush_copies(tw__emitter *e)
{
    size_t count = e->copy_count;
    if (count == 0) return TW_OK;
    tw__plan *plan = e->plan;
    uint32_t *made = count == 1 ? &e->payload_of[e->copies[0]] : NULL;
    uint32_t payload = made ? *made : TW__NOT_MADE;
    tw_status s = TW_OK;
    if (payload == TW__NOT_MADE) {
        if (!tw__grow(&plan->copies.items, &plan->copies.room, plan->copies.count, sizeof(tw__copy)))
            return tw__emit_no_memory();
        payload = (uint32_t)plan->copies.count++;
        plan->copies.items[payload] = (tw__copy){ 0 };
        s = build_copy(e, &plan->copies.items[payload]);
        if (made) *made = payload;
    }
    e->copy_count = 0;
    e->reads.count = e->writes.count = 0;
    if (s) return s;
    return tw__emit_step(e, TW__I_COPY, payload, TW__S_COPY, e->copies, count) ? TW_OK : tw__emit_no_memory();
}

tw_status tw__leaf_copy(tw__emitter *e, uint32_t program)
{
    const tw__program *p = &e->core->programs[program];
    if (!p->a.regions || p->a.regions->count == 0) return TW_OK;
    bool dependent = e->transfer.count > 0 || e->copy_count >= MAX_MERGED ||
                     tw__spans_touch(&e->writes, p->a.regions) || tw__spans_touch(&e->writes, p->b.regions) ||
                     tw__spans_touch(&e->reads, p->b.regions);
    if (dependent) {
        tw_status s = tw__leaf_flush(e);
        if (s) return s;
    }
    if (!tw__spans_add(&e->reads, p->a.regions) || !tw__spans_add(&e->writes, p->b.regions) ||
        !tw__grow(&e->copies, &e->copy_room, e->copy_count, sizeof *e->copies))
        return tw__emit_no_memory();
    e->copies[e->copy_count++] = program;
    return TW_OK;
}

tw_status tw__leaf_cross(tw__emitter *e, uint32_t program)
{
    const tw__program *p = &e->core->programs[program];
    tw__plan *plan = e->plan;
    uint32_t payload = e->payload_of[program];
    if (!p->a.regions || p->a.regions->count == 0) return TW_OK;
    if (payload == TW__NOT_MADE) {
        if (!tw__grow(&plan->crosses.items, &plan->crosses.room, plan->crosses.count, sizeof(tw__cross)))
            return tw__emit_no_memory();
        payload = e->payload_of[program] = (uint32_t)plan->crosses.count++;
        tw__cross *cross = &plan->crosses.items[payload];
        size_t size = tw__device_size(e->engine, p->a.type);
        uint64_t count = p->a.regions->count;
        *cross = (tw__cross){ .bytes = count * size, .to = p->cases };
        tw_status s = tw__copy_add(&cross->out, &plan->storage, (tw__side){ .regions = p->a.regions },
                                   (tw__side){ 0 }, count, size);
        if (!s)
            s = tw__copy_add(&cross->in, &plan->storage, (tw__side){ 0 }, (tw__side){ .regions = p->b.regions },
                             count, size);
        if (!s) s = tw__copy_finish(&cross->out);
        if (!s) s = tw__copy_finish(&cross->in);
        if (s) return s;
        plan->copy_blocks += cross->out.count + cross->in.count;
    }
    return tw__emit_step(e, TW__I_CROSS, payload, TW__S_CROSS, &program, 1) ? TW_OK : tw__emit_no_memory();
}

/* --- streams -------------------------------------------------------------------------------------------------- */

/* Whether replicas wait for each other in this transfer (guide 2.7.2). */
static bool transfer_meets(const tw_engine *engine, const tw__transfer *transfer)
{
    if (!engine->core->created) return false;
    if (!tw__options_bool(engine->options, "target.syncReplicasIndependently")) return true;
    for (size_t i = 0; i < transfer->count; i++)
        if (tw__stream_shared(&engine->core->streams[transfer->parts[i].stream])) return true;
    return false;
}

static tw_status flush_transfer(tw__emitter *e)
{
    tw__transfer *open = &e->transfer;
    if (open->count == 0) return TW_OK;
    tw__plan *plan = e->plan;
    uint32_t *programs = tw__realloc(NULL, open->count * sizeof *programs);
    if (!programs ||
        !tw__grow(&plan->transfers.items, &plan->transfers.room, plan->transfers.count, sizeof *open)) {
        free(programs);
        return tw__emit_no_memory();
    }
    size_t count = open->count;
    for (size_t i = 0; i < count; i++) programs[i] = open->parts[i].program;
    uint32_t payload = (uint32_t)plan->transfers.count++;
    open->meets = transfer_meets(e->engine, open);
    plan->transfers.items[payload] = *open;
    *open = (tw__transfer){ 0 };
    memset(e->ipu_bytes, 0, e->core->target->ipus * sizeof *e->ipu_bytes);
    tw__instr *in = tw__emit_step(e, TW__I_TRANSFER, payload, TW__S_TRANSFER, programs, count);
    free(programs);
    return in ? TW_OK : tw__emit_no_memory();
}

static tw_status add_part(tw__emitter *e, uint32_t program, uint64_t first, uint64_t count, bool begins, bool ends)
{
    const tw__program *p = &e->core->programs[program];
    tw__transfer *t = &e->transfer;
    if (!tw__grow(&t->parts, &t->room, t->count, sizeof *t->parts)) return tw__emit_no_memory();
    tw__part *part = &t->parts[t->count++];
    *part = (tw__part){
        .stream = p->id, .program = program, .first = first, .count = count, .begins = begins, .ends = ends
    };
    t->to_device = p->kind == TW__P_STREAM_IN;
    size_t size = tw__device_size(e->engine, p->a.type);
    t->bytes += count * size;
    tw__side host = { .first = first }, tensor = { .regions = p->a.regions, .first = first };
    tw_status s = t->to_device ? tw__copy_between(e->engine, &part->copy, host, tensor, count, size)
                               : tw__copy_between(e->engine, &part->copy, tensor, host, count, size);
    return s ? s : tw__copy_finish(&part->copy);
}

static uint64_t limit_of(const tw__emitter *e, const tw__stream *stream)
{
    if (stream->split_limit) return stream->split_limit;
    return e->core->target->kind == TW_TARGET_CPU ? UINT64_MAX : STREAM_LIMIT; /* no translation table on a CPU */
}

/* IPU of the device side of a piece. */
static unsigned ipu_of(const tw__core *core, const tw__piece *piece)
{
    uint32_t tile = piece->dst_tile;
    unsigned per_ipu = core->target->tiles_per_ipu;
    return tile == TW_UNMAPPED || per_ipu == 0 || tile / per_ipu >= core->target->ipus ? 0 : tile / per_ipu;
}

/* Bytes of the tensor on each IPU. */
static void add_ipu_bytes(const tw__emitter *e, const tw__program *p, uint64_t *bytes)
{
    size_t size = tw__device_size(e->engine, p->a.type);
    tw__exchange_walk walk =
        tw__exchange_begin(e->core, NULL, TW_UNMAPPED, p->a.regions, TW_UNMAPPED, 0, p->a.regions->count);
    tw__piece piece;
    while (tw__exchange_next(&walk, &piece)) bytes[ipu_of(e->core, &piece)] += piece.count * size;
}

/* A copy above the limit: transfers of its own, each as large as the fullest IPU allows. */
static tw_status leaves_split(tw__emitter *e, uint32_t program, uint64_t limit)
{
    const tw__program *p = &e->core->programs[program];
    const tw__stream *stream = &e->core->streams[p->id];
    size_t size = tw__device_size(e->engine, p->a.type);
    uint64_t total = p->a.regions->count, first = 0, pos = 0, fit = limit / size;
    if (stream->split_disabled || fit == 0)
        return tw__fail(
            TW_E_STREAM_MEMORY,
            "stream '%s' transfers %llu bytes, more than the limit of %llu bytes per copy and IPU, and %s",
            stream->handle, (unsigned long long)(total * size), (unsigned long long)limit,
            fit == 0 ? "not even one element fits" : "splitting is disabled for it");
    tw_status s = tw__leaf_flush(e);
    tw__exchange_walk walk = tw__exchange_begin(e->core, NULL, TW_UNMAPPED, p->a.regions, TW_UNMAPPED, 0, total);
    tw__piece piece;
    while (!s && tw__exchange_next(&walk, &piece)) {
        uint64_t *bytes = &e->ipu_bytes[ipu_of(e->core, &piece)];
        while (!s && piece.count > 0) {
            uint64_t n = (limit - *bytes) / size;
            if (n > piece.count) n = piece.count;
            *bytes += n * size;
            pos += n;
            piece.count -= n;
            if (piece.count == 0) break;
            s = add_part(e, program, first, pos - first, first == 0, false);
            if (!s) s = flush_transfer(e);
            first = pos;
        }
    }
    if (!s) s = add_part(e, program, first, pos - first, first == 0, true);
    return s ? s : flush_transfer(e);
}

tw_status tw__leaf_stream(tw__emitter *e, uint32_t program)
{
    const tw__program *p = &e->core->programs[program];
    const tw__stream *stream = &e->core->streams[p->id];
    const tw__regions *list = p->a.regions;
    if (list->n != 1 || list->region[0].rank != 1 || (list->region[0].dim[0].stride != 1 && list->count > 1))
        e->plan->stream_rearranged[p->id] = true;
    unsigned ipus = e->core->target->ipus ? e->core->target->ipus : 1;
    uint64_t *bytes = tw__calloc(ipus, sizeof *bytes), limit = limit_of(e, stream);
    if (!bytes) return tw__emit_no_memory();
    add_ipu_bytes(e, p, bytes);
    bool fits = true, joins = e->transfer.count > 0 && e->transfer.to_device == (p->kind == TW__P_STREAM_IN);
    for (unsigned i = 0; i < ipus; i++) {
        fits = fits && bytes[i] <= limit;
        joins = joins && e->ipu_bytes[i] + bytes[i] <= limit;
    }
    for (size_t i = 0; i < e->transfer.count; i++) joins = joins && e->transfer.parts[i].stream != p->id;
    tw_status s = TW_OK;
    if (!fits) {
        s = leaves_split(e, program, limit);
    } else {
        if (!joins) s = tw__leaf_flush(e);
        for (unsigned i = 0; i < ipus; i++) e->ipu_bytes[i] += bytes[i];
        if (!s) s = add_part(e, program, 0, list->count, true, true);
    }
    free(bytes);
    return s;
}

/* --- remote buffers, prints, texts ---------------------------------------------------------------------------- */

tw_status tw__leaf_remote(tw__emitter *e, uint32_t program)
{
    const tw__program *p = &e->core->programs[program];
    const tw__remote *remote = &e->core->remotes[p->id];
    tw__plan *plan = e->plan;
    uint32_t payload = e->payload_of[program];
    if (payload == TW__NOT_MADE) {
        if (!tw__grow(&plan->remote_copies.items, &plan->remote_copies.room, plan->remote_copies.count,
                      sizeof(tw__remote_copy)))
            return tw__emit_no_memory();
        payload = (uint32_t)plan->remote_copies.count++;
        tw__remote_copy *copy = &plan->remote_copies.items[payload];
        uint32_t k = p->b.regions ? (uint32_t)p->b.regions->count : 0;
        *copy = (tw__remote_copy){
            .remote = p->id, .program = program, .to_device = p->kind == TW__P_REMOTE_IN, .offset_count = k
        };
        copy->row_count = k ? k : 1;
        copy->rows = tw__calloc(copy->row_count, sizeof *copy->rows);
        if (!copy->rows) return tw__emit_no_memory();
        e->payload_of[program] = payload;
        size_t size = tw__device_size(e->engine, remote->type);
        tw_status s = TW_OK;
        for (uint32_t i = 0; i < copy->row_count && !s; i++) {
            tw__side row = { 0 }, tensor = { .regions = p->a.regions, .first = i * remote->count };
            s = copy->to_device ? tw__copy_between(e->engine, &copy->rows[i], row, tensor, remote->count, size)
                                : tw__copy_between(e->engine, &copy->rows[i], tensor, row, remote->count, size);
            if (!s) s = tw__copy_finish(&copy->rows[i]);
        }
        if (!s && k)
            s = tw__copy_between(e->engine, &copy->offsets, (tw__side){ .regions = p->b.regions }, (tw__side){ 0 },
                                 k, sizeof(uint32_t));
        if (!s) s = tw__copy_finish(&copy->offsets);
        if (s) return s;
    }
    return tw__emit_step(e, TW__I_REMOTE, payload, TW__S_REMOTE, &program, 1) ? TW_OK : tw__emit_no_memory();
}

tw_status tw__leaf_print(tw__emitter *e, uint32_t program, uint32_t *print)
{
    const tw__program *p = &e->core->programs[program];
    tw__plan *plan = e->plan;
    *print = e->payload_of[program];
    if (*print != TW__NOT_MADE) return TW_OK;
    if (!tw__grow(&plan->prints.items, &plan->prints.room, plan->prints.count, sizeof(tw__print)))
        return tw__emit_no_memory();
    *print = e->payload_of[program] = (uint32_t)plan->prints.count++;
    tw__print *out = &plan->prints.items[*print];
    *out = (tw__print){ .type = p->a.type, .rank = p->a.rank, .count = p->a.regions->count, .format = p->format };
    const char *title = p->text ? p->text : "";
    if (!*title && p->kind == TW__P_PRINT && p->a.regions->n > 0) /* the tensor's own name */
        title = e->core->vars[p->a.regions->region[0].var].name;
    out->title = tw__arena_strdup(e->engine->arena, title);
    size_t *shape = TW__NEW_N(e->engine->arena, size_t, p->a.rank ? p->a.rank : 1);
    if (!out->title || !shape) return tw__emit_no_memory();
    memcpy(shape, p->a.shape, p->a.rank * sizeof *shape);
    out->shape = shape;
    tw_status s = tw__copy_between(e->engine, &out->copy, (tw__side){ .regions = p->a.regions }, (tw__side){ 0 },
                                   out->count, tw__device_size(e->engine, out->type));
    return s ? s : tw__copy_finish(&out->copy);
}

tw_status tw__leaf_text(tw__emitter *e, const char *text, uint32_t *index)
{
    tw__plan *plan = e->plan;
    char *copy = tw__arena_strdup(e->engine->arena, text ? text : "");
    if (!copy || !tw__grow(&plan->texts.items, &plan->texts.room, plan->texts.count, sizeof(char *)))
        return tw__emit_no_memory();
    *index = (uint32_t)plan->texts.count++;
    plan->texts.items[*index] = copy;
    return TW_OK;
}

tw_status tw__leaf_flush(tw__emitter *e)
{
    tw_status s = flush_copies(e);
    return s ? s : flush_transfer(e);
}
