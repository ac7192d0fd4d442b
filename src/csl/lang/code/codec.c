/* SPDX-License-Identifier: MIT */
/* codec: one description of every table serves both directions. A function io_x(s, x) names the fields of an x in
 * order; the stream `s` either appends them or fills them in. */
#include "csl/lang/code/codec.h"

#include <stdlib.h>
#include <string.h>

typedef struct stream {
    bool writing;
    unsigned char *out; /* writing: malloc'ed */
    size_t size, room;
    const unsigned char *in; /* reading */
    size_t left;
    tw__csl_image *image; /* reading: owner of strings */
    const char *problem;  /* the first one; later calls do nothing */
} stream;

static void fail(stream *s, const char *problem)
{
    if (!s->problem) s->problem = problem;
    s->left = 0;
}

static void io_bytes(stream *s, void *data, size_t bytes)
{
    if (s->problem) {
        if (!s->writing) memset(data, 0, bytes);
        return;
    }
    if (!s->writing) {
        if (bytes > s->left) {
            memset(data, 0, bytes);
            fail(s, "it ends too early");
            return;
        }
        memcpy(data, s->in, bytes);
        s->in += bytes;
        s->left -= bytes;
        return;
    }
    while (s->size + bytes > s->room) {
        size_t room = s->room ? s->room * 2 : 4096;
        unsigned char *larger = tw__realloc(s->out, room);
        if (!larger) {
            fail(s, "out of memory");
            return;
        }
        s->out = larger;
        s->room = room;
    }
    memcpy(s->out + s->size, data, bytes);
    s->size += bytes;
}

/* Integers, lowest byte first. */
static uint64_t io_value(stream *s, uint64_t value, size_t bytes)
{
    unsigned char raw[8];
    for (size_t i = 0; i < bytes; i++) raw[i] = (unsigned char)(value >> (8 * i));
    io_bytes(s, raw, bytes);
    value = 0;
    for (size_t i = 0; i < bytes; i++) value |= (uint64_t)raw[i] << (8 * i);
    return value;
}

static void io_u8(stream *s, uint8_t *x)
{
    *x = (uint8_t)io_value(s, *x, 1);
}
static void io_u16(stream *s, uint16_t *x)
{
    *x = (uint16_t)io_value(s, *x, 2);
}
static void io_i16(stream *s, int16_t *x)
{
    *x = (int16_t)(uint16_t)io_value(s, (uint16_t)*x, 2);
}
static void io_u32(stream *s, uint32_t *x)
{
    *x = (uint32_t)io_value(s, *x, 4);
}
static void io_u64(stream *s, uint64_t *x)
{
    *x = io_value(s, *x, 8);
}

static void io_type(stream *s, tw_type *x)
{
    uint64_t value = io_value(s, (uint64_t)*x, 1);
    if (value >= TW_TYPE_COUNT) fail(s, "it names an element type that does not exist");
    *x = value < TW_TYPE_COUNT ? (tw_type)value : TW_TYPE_NONE;
}

/* Length and characters; NULL is a length of its own. */
static void io_string(stream *s, const char **text)
{
    const uint32_t nothing = UINT32_MAX;
    uint32_t length = s->writing ? (*text ? (uint32_t)strlen(*text) : nothing) : 0;
    io_u32(s, &length);
    if (s->writing) {
        if (*text) io_bytes(s, (void *)*text, length);
        return;
    }
    *text = length == nothing ? NULL : "";
    if (length == nothing || s->problem) return;
    char *copy = length > s->left ? NULL : tw__arena_alloc(s->image->arena, (size_t)length + 1, 1);
    if (!copy) {
        fail(s, length > s->left ? "a text is longer than the file" : "out of memory");
        return;
    }
    io_bytes(s, copy, length);
    copy[length] = 0;
    *text = copy;
    if (memchr(copy, 0, length)) fail(s, "a text has a zero in it");
}

static void io_name(stream *s, const char **text)
{
    io_string(s, text);
    if (!s->writing && !*text) *text = "";
}

/* --- tables --------------------------------------------------------------------------------------------------- */

static void io_insn(stream *s, tw__csl_insn *x)
{
    io_u16(s, &x->op);
    io_u16(s, &x->a);
    io_u16(s, &x->b);
    io_u16(s, &x->c);
}

static void io_line(stream *s, tw__csl_line *x)
{
    io_u32(s, &x->at);
    io_u32(s, &x->file);
    io_u32(s, &x->line);
    io_u32(s, &x->column);
    io_u32(s, &x->frame);
}

static void io_frame(stream *s, tw__csl_frame *x)
{
    io_name(s, &x->name);
    uint32_t *const fields[] = { &x->outer, &x->file, &x->line, &x->column, &x->stack };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) io_u32(s, fields[i]);
}

static void io_local(stream *s, tw__csl_local *x)
{
    io_name(s, &x->name);
    io_name(s, &x->type_text);
    uint32_t *const fields[] = { &x->at, &x->end, &x->frame, &x->kind, &x->place };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) io_u32(s, fields[i]);
    for (size_t i = 0; i < 2 && x->kind == TW__CSL_LOCAL_CONSTANT; i++) io_u64(s, &x->words[i]);
}

static void io_index(stream *s, tw__csl_index_use *x)
{
    uint32_t *const fields[] = { &x->at, &x->limit, &x->file, &x->line, &x->column };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) io_u32(s, fields[i]);
    io_u16(s, &x->reg);
    io_u16(s, &x->is_signed);
}

static void io_function(stream *s, tw__csl_function_code *x)
{
    io_name(s, &x->name);
    uint32_t *const fields[] = { &x->entry,   &x->count,       &x->registers, &x->params,
                                 &x->results, &x->stack_bytes, &x->file,      &x->line };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) io_u32(s, fields[i]);
}

static void io_arg(stream *s, tw__csl_arg *x)
{
    io_u8(s, &x->kind);
    io_u8(s, &x->file);
    io_u16(s, &x->at);
}

static void io_action(stream *s, tw__csl_action *x)
{
    io_u8(s, &x->kind);
    io_u8(s, &x->in_register);
    io_u16(s, &x->at);
}

static void io_use(stream *s, tw__csl_dsd_use *x)
{
    io_u8(s, &x->op);
    io_u8(s, &x->flags);
    io_u8(s, &x->priority);
    io_u8(s, &x->ut);
    for (int i = 0; i < 4; i++) io_arg(s, &x->arg[i]);
    io_action(s, &x->done);
    io_action(s, &x->on_control);
    io_u16(s, &x->index);
    io_u16(s, &x->from);
}

static void io_map(stream *s, tw__csl_map *x)
{
    io_u32(s, &x->function);
    io_u8(s, &x->input_count);
    io_u8(s, &x->has_output);
    io_u16(s, &x->spare);
    for (int i = 0; i < TW__CSL_MAP_INPUTS; i++) {
        io_arg(s, &x->input[i]);
        io_u8(s, &x->is_signed[i]);
        io_u8(s, &x->input_file[i]);
    }
    io_arg(s, &x->output);
    io_u8(s, &x->output_file);
}

static void io_dsd(stream *s, tw__csl_dsd *x)
{
    io_u8(s, &x->kind);
    io_u8(s, &x->flags);
    io_u8(s, &x->simd);
    io_u8(s, &x->priority);
    io_u16(s, &x->length);
    io_u16(s, &x->base);
    io_i16(s, &x->stride);
    io_u8(s, &x->color);
    io_u8(s, &x->queue);
    io_u16(s, &x->shape);
    io_u16(s, &x->object);
}

static void io_dsr_load(stream *s, tw__csl_dsr_load *x)
{
    io_u8(s, &x->file);
    io_u8(s, &x->id);
    io_u8(s, &x->flags);
    io_u8(s, &x->ut);
    io_u16(s, &x->pair);
    io_u16(s, &x->spare);
    io_action(s, &x->done);
    io_action(s, &x->on_control);
    io_dsd(s, &x->dsd);
}

static void io_shape(stream *s, tw__csl_shape *x)
{
    io_u16(s, &x->rank);
    for (int i = 0; i < 4; i++) {
        io_u16(s, &x->extent[i]);
        io_i16(s, &x->stride[i]);
    }
}

static void io_segment(stream *s, tw__csl_segment *x)
{
    io_u32(s, &x->address);
    io_u32(s, &x->bytes);
    if (!s->writing) {
        if (s->problem || x->bytes > s->left || x->bytes > TW__CSL_PE_BYTES) {
            x->bytes = 0;
            fail(s, "initial data is longer than the file or a PE");
            return;
        }
        x->data = tw__calloc(x->bytes ? x->bytes : 1, 1);
        if (!x->data) {
            fail(s, "out of memory");
            return;
        }
    }
    io_bytes(s, x->data, x->bytes);
}

static void io_symbol(stream *s, tw__csl_symbol *x)
{
    io_name(s, &x->name);
    io_u32(s, &x->address);
    io_u32(s, &x->bytes);
    io_type(s, &x->type);
    io_u32(s, &x->count);
    io_u32(s, &x->rank);
    if (x->rank > 8) fail(s, "an array has more than eight dimensions");
    for (uint32_t i = 0; i < x->rank && i < 8; i++) io_u32(s, &x->dims[i]);
    io_name(s, &x->type_text);
    io_u32(s, &x->file);
    io_u32(s, &x->line);
}

static void io_export(stream *s, tw__csl_export *x)
{
    io_u32(s, &x->name);
    io_u32(s, &x->is_function);
    io_u32(s, &x->target);
    io_u32(s, &x->pointer);
}

static void io_task(stream *s, tw__csl_task *x)
{
    io_u8(s, &x->kind);
    io_u8(s, &x->id);
    io_u8(s, &x->args);
    io_u8(s, &x->wide);
    io_u8(s, &x->is_signed[0]);
    io_u8(s, &x->is_signed[1]);
    io_u16(s, &x->spare);
    io_u32(s, &x->function);
}

static void io_fifo(stream *s, tw__csl_fifo *x)
{
    io_name(s, &x->name);
    io_u32(s, &x->address);
    io_u32(s, &x->bytes);
    io_u8(s, &x->elem_bytes);
    uint8_t packed = (uint8_t)(x->simd | x->empty_action << 2 | x->full_action << 4);
    io_u8(s, &packed);
    x->simd = packed & 3;
    x->empty_action = packed >> 2 & 3;
    x->full_action = packed >> 4 & 3;
    io_u8(s, &x->priority);
    io_u8(s, &x->push_task);
    io_u8(s, &x->pop_task);
}

static void io_queue(stream *s, tw__csl_queue *x)
{
    io_u8(s, &x->is_output);
    io_u8(s, &x->id);
    io_u8(s, &x->color);
    uint8_t packed = (uint8_t)(x->priority | x->control_base << 2);
    io_u8(s, &packed);
    x->priority = packed & 3;
    x->control_base = packed >> 2;
    io_u8(s, &x->implied);
}

static void io_declaration(stream *s, tw__csl_declaration *x)
{
    io_u32(s, &x->service);
    for (int i = 0; i < 4; i++) io_u32(s, &x->args[i]);
}

static void io_config(stream *s, tw__csl_config *x)
{
    io_u16(s, &x->address);
    io_u16(s, &x->value);
}

static void io_init(stream *s, tw__csl_init *x)
{
    io_u8(s, &x->what);
    io_u8(s, &x->id_kind);
    io_u8(s, &x->id);
}

static void io_rotation(stream *s, tw__csl_rotation *x)
{
    io_u8(s, &x->id);
    io_u32(s, &x->main);
    io_u32(s, &x->alternative);
    io_u16(s, &x->limit);
    io_u16(s, &x->init);
}

static void io_handler(stream *s, tw__csl_handler *x)
{
    io_u8(s, &x->is_queue);
    io_u8(s, &x->id);
    io_u32(s, &x->function);
}

static void io_pe(stream *s, tw__csl_pe *x)
{
    io_u32(s, &x->program);
    io_u32(s, &x->pool);
    io_u32(s, &x->route);
    io_u32(s, &x->route_count);
}

static void io_filter(stream *s, tw__csl_filter *x)
{
    uint8_t *const flags[] = { &x->kind,           &x->count_data, &x->count_control,
                               &x->filter_control, &x->has_limit1, &x->has_limit2 };
    uint16_t *const limits[] = { &x->min_index, &x->max_index, &x->init_counter,
                                 &x->limit1,    &x->limit2,    &x->max_counter };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) io_u8(s, flags[i]);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) io_u16(s, limits[i]);
}

static void io_route(stream *s, tw__csl_route *x)
{
    uint8_t *const fields[] = { &x->color,        &x->rx,      &x->tx,   &x->swap_x, &x->swap_y,
                                &x->has_switches, &x->current, &x->ring, &x->pop,    &x->teardown };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) io_u8(s, fields[i]);
    for (int i = 0; i < 3; i++) {
        io_u8(s, &x->valid[i]);
        io_u8(s, &x->pos_rx[i]);
        io_u8(s, &x->pos_tx[i]);
    }
    io_filter(s, &x->filter);
    io_u32(s, &x->file);
    io_u32(s, &x->line);
    io_u32(s, &x->column);
}

static void io_export_name(stream *s, tw__csl_export_name *x)
{
    io_name(s, &x->name);
    io_name(s, &x->type_text);
    io_u32(s, &x->is_function);
    io_u32(s, &x->is_mutable);
    io_type(s, &x->type);
    io_u32(s, &x->param_count);
    if (x->param_count > 15) fail(s, "a function has more than 15 parameters");
    for (uint32_t i = 0; i < x->param_count && i < 15; i++) {
        io_type(s, &x->params[i]);
        io_string(s, &x->param_names[i]);
    }
}

/* --- arrays of them ------------------------------------------------------------------------------------------- */

/* Reads the number of rows and makes room. Every row takes a byte of the file at least, so that a small file cannot
 * ask for much memory: rows of tables have up to 300 bytes. */
static bool open_table(stream *s, void *items, size_t *count, size_t *room, size_t size)
{
    uint64_t rows = *count;
    io_u64(s, &rows);
    if (s->writing) return !s->problem;
    *count = *room = 0;
    if (s->problem || rows == 0) return false;
    void *table = rows > s->left ? NULL : tw__calloc((size_t)rows, size);
    if (!table) {
        fail(s, rows > s->left ? "a table is longer than the file" : "out of memory");
        return false;
    }
    memcpy(items, &table, sizeof table);
    *count = *room = (size_t)rows;
    return true;
}

#define TABLE(owner, plural, singular, io)                                                                 \
    do {                                                                                                   \
        if (open_table(s, &(owner)->plural, &(owner)->singular##_count, &(owner)->singular##_room,         \
                       sizeof *(owner)->plural))                                                           \
            for (size_t row_ = 0; row_ < (owner)->singular##_count; row_++) io(s, &(owner)->plural[row_]); \
    } while (0)

static void io_program(stream *s, tw__csl_program *p)
{
    io_name(s, &p->name);
    TABLE(p, code, code, io_insn);
    TABLE(p, functions, function, io_function);
    TABLE(p, lines, line, io_line);
    TABLE(p, frames, frame, io_frame);
    TABLE(p, indices, index, io_index);
    TABLE(p, locals, local, io_local);
    TABLE(p, consts, const, io_u64);
    TABLE(p, uses, use, io_use);
    TABLE(p, maps, map, io_map);
    TABLE(p, dsr_loads, dsr_load, io_dsr_load);
    TABLE(p, dsr_init, dsr_init, io_dsr_load);
    TABLE(p, shapes, shape, io_shape);
    TABLE(p, segments, segment, io_segment);
    TABLE(p, symbols, symbol, io_symbol);
    TABLE(p, exports, export, io_export);
    TABLE(p, tasks, task, io_task);
    TABLE(p, fifos, fifo, io_fifo);
    TABLE(p, queues, queue, io_queue);
    TABLE(p, declarations, declaration, io_declaration);
    TABLE(p, configs, config, io_config);
    TABLE(p, inits, init, io_init);
    TABLE(p, rotations, rotation, io_rotation);
    TABLE(p, handlers, handler, io_handler);
    io_u32(s, &p->stack_address);
    io_u32(s, &p->stack_bytes);
    io_u32(s, &p->pool_count);
}

static void io_image(stream *s, tw__csl_image *image)
{
    uint32_t *const fields[] = { &image->wse3,         &image->memcpy,        &image->channels,
                                 &image->fabric_width, &image->fabric_height, &image->offset_x,
                                 &image->offset_y,     &image->width,         &image->height };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) io_u32(s, fields[i]);
    TABLE(image, files, file, io_name);
    TABLE(image, exports, export, io_export_name);
    TABLE(image, programs, program, io_program);
    TABLE(image, pes, pe, io_pe);
    TABLE(image, pool, pool, io_u64);
    TABLE(image, routes, route, io_route);
}

/* --- both directions ------------------------------------------------------------------------------------------ */

unsigned char *tw__csl_image_encode(const tw__csl_image *image, size_t *size)
{
    stream s = { .writing = true };
    io_image(&s, (tw__csl_image *)image); /* not changed when writing */
    if (s.problem) {
        free(s.out);
        return NULL;
    }
    *size = s.size;
    return s.out;
}

/* The text of the first error of the verifier. */
static void verify_failed(const tw_diags *diags, const char *origin)
{
    for (size_t i = 0; i < tw_diags_count(diags, TW_NOTE); i++) {
        const tw_diag *d = tw_diags_get(diags, i);
        if (d->severity != TW_ERROR) continue;
        tw__fail(TW_E_FILE_LOAD, "%s is damaged: %s", origin, d->message);
        return;
    }
    tw__fail(TW_E_FILE_LOAD, "%s is damaged", origin);
}

tw__csl_image *tw__csl_image_decode(const unsigned char *bytes, size_t size, const char *origin)
{
    tw__csl_image *image = tw__csl_image_new();
    tw_diags *diags = tw_diags_new();
    if (!image || !diags) {
        tw__fail(TW_E_NO_MEMORY, "no memory to read %s", origin);
        goto failed;
    }
    free(image->files); /* the table in the file has the row of an unknown file too */
    image->files = NULL;
    image->file_count = image->file_room = 0;
    stream s = { .in = bytes, .left = size, .image = image };
    io_image(&s, image);
    if (!s.problem && s.left) s.problem = "it goes on after its end";
    if (s.problem) {
        tw__fail(TW_E_FILE_LOAD, "%s is damaged: %s", origin, s.problem);
        goto failed;
    }
    if (tw__csl_verify(image, diags) != TW_OK) {
        verify_failed(diags, origin);
        goto failed;
    }
    tw_diags_free(diags);
    return image;
failed:
    tw_diags_free(diags);
    tw__csl_image_free(image);
    return NULL;
}
