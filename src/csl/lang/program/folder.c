/* SPDX-License-Identifier: MIT */
/* folder: a program as a folder of files. program.twcsl is all that we read back:
 *
 *     8 bytes  magic           4  version (codec.h)      8  bytes of the body      8  checksum of the body
 *     body:    number of parameters and of the first one that is a color, each a text and 8 bytes; the image
 *
 * out.json and bin/out_rpc.json are for host scripts. */
#include "csl/lang/code/codec.h"
#include "csl/lang/program/program.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char magic[8] = { 'T', 'W', 'C', 'S', 'L', '\r', '\n', 0x1a };
enum { HEADER_BYTES = 28, MAX_PARAMS = 100000 };

uint64_t tw__csl_checksum(const unsigned char *bytes, size_t size)
{
    return tw__fnv1a(TW__FNV, bytes, size);
}

static void folder_put(GByteArray *to, uint64_t value, unsigned bytes)
{
    unsigned char raw[8];
    for (unsigned i = 0; i < bytes; i++) raw[i] = (unsigned char)(value >> (8 * i));
    g_byte_array_append(to, raw, bytes);
}

static uint64_t get(const unsigned char *from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)from[i] << (8 * i);
    return value;
}

/* --- bytes ---------------------------------------------------------------------------------------------------- */

unsigned char *tw_csl_encode(const tw_csl_program *program, size_t *size)
{
    if (!program) return tw__made(tw__missing("program"), NULL);
    size_t image_size;
    unsigned char *image = tw__csl_image_encode(program->image, &image_size);
    if (!image) return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory to write a program"), NULL);
    GByteArray *body = g_byte_array_new();
    folder_put(body, program->param_count, 4);
    folder_put(body, program->first_color, 4);
    for (size_t i = 0; i < program->param_count; i++) {
        size_t length = strlen(program->params[i].name);
        folder_put(body, length, 4);
        g_byte_array_append(body, (const guint8 *)program->params[i].name, (guint)length);
        folder_put(body, (uint64_t)program->params[i].value, 8);
    }
    *size = HEADER_BYTES + body->len + image_size;
    unsigned char *bytes = tw__realloc(NULL, *size);
    if (bytes) {
        unsigned char *to = bytes + HEADER_BYTES;
        memcpy(to, body->data, body->len);
        memcpy(to + body->len, image, image_size);
        GByteArray *header = g_byte_array_new();
        g_byte_array_append(header, magic, sizeof magic);
        folder_put(header, TW__CSL_CODEC_VERSION, 4);
        folder_put(header, body->len + image_size, 8);
        folder_put(header, tw__csl_checksum(to, body->len + image_size), 8);
        memcpy(bytes, header->data, HEADER_BYTES);
        g_byte_array_free(header, TRUE);
    }
    g_byte_array_free(body, TRUE);
    free(image);
    return tw__made(bytes ? TW_OK : tw__fail(TW_E_NO_MEMORY, "no memory to write a program"), bytes);
}

static tw_status damaged(const char *origin, const char *why)
{
    return tw__fail(TW_E_FILE_LOAD, "%s is damaged: %s", origin, why);
}

static tw_status check_header(const unsigned char *bytes, size_t size, const char *origin)
{
    if (size < HEADER_BYTES || memcmp(bytes, magic, sizeof magic) != 0)
        return tw__fail(TW_E_FILE_LOAD, "%s is no compiled CSL program", origin);
    uint64_t version = get(bytes + 8, 4);
    if (version != TW__CSL_CODEC_VERSION)
        return tw__fail(TW_E_FILE_LOAD, "%s was written by another version (%u, this one is %u): compile it again",
                        origin, (unsigned)version, TW__CSL_CODEC_VERSION);
    if (get(bytes + 12, 8) != size - HEADER_BYTES) return damaged(origin, "its size is not the one that it states");
    if (get(bytes + 20, 8) != tw__csl_checksum(bytes + HEADER_BYTES, size - HEADER_BYTES))
        return damaged(origin, "its checksum is wrong");
    return TW_OK;
}

/* The parameters at *at; the cursor ends behind them. */
static bool read_params(GArray *params, size_t *first_color, const unsigned char *bytes, size_t size, size_t *at)
{
    uint64_t count = size - *at < 8 ? UINT64_MAX : get(bytes + *at, 4);
    if (count > MAX_PARAMS) return false;
    *first_color = (size_t)get(bytes + *at + 4, 4);
    if (*first_color > count) return false;
    *at += 8;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length = size - *at < 4 ? UINT64_MAX : get(bytes + *at, 4);
        if (length > size - *at || size - *at - length < 12) return false;
        tw_csl_binding row = { g_strndup((const char *)bytes + *at + 4, (gsize)length),
                               (int64_t)get(bytes + *at + 4 + length, 8) };
        *at += 12 + (size_t)length;
        g_array_append_val(params, row);
    }
    return true;
}

static tw_status decode(tw_csl_program **out, const unsigned char *bytes, size_t size, const char *origin)
{
    *out = NULL;
    tw_status status = check_header(bytes, size, origin);
    if (status != TW_OK) return status;
    GArray *params = g_array_new(FALSE, FALSE, sizeof(tw_csl_binding));
    size_t at = HEADER_BYTES, first_color = 0;
    tw__csl_image *image = NULL;
    if (!read_params(params, &first_color, bytes, size, &at))
        damaged(origin, "its list of parameters is cut off");
    else
        image = tw__csl_image_decode(bytes + at, size - at, origin);
    if (image)
        *out = tw__csl_program_new(image, (const tw_csl_binding *)(void *)params->data, params->len, NULL, 0);
    for (guint i = 0; i < params->len; i++) g_free((char *)g_array_index(params, tw_csl_binding, i).name);
    g_array_free(params, TRUE);
    return *out ? TW_OK : TW_E_FILE_LOAD;
}

tw_csl_program *tw_csl_decode(const unsigned char *bytes, size_t size, const char *origin)
{
    tw_csl_program *program;
    tw_status status = decode(&program, bytes, size, origin);
    return tw__made(status, program);
}

/* --- files ---------------------------------------------------------------------------------------------------- */

static tw_status write_file(const char *folder, const char *name, const void *bytes, size_t size)
{
    char *path = g_build_filename(folder, name, NULL);
    tw_status status = tw_write_file(path, bytes, size, NULL, 0);
    g_free(path);
    return status;
}

static tw_status write_json(const char *folder, const char *name, json_t *root)
{
    char *text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (!text) return tw__fail(TW_E_NO_MEMORY, "no memory to write %s", name);
    tw_status status = write_file(folder, name, text, strlen(text));
    free(text);
    return status;
}

static json_t *out_json(const tw_csl_program *program)
{
    const tw__csl_image *image = program->image;
    json_t *params = json_object(), *colors = json_object(); /* scripts find colors in either */
    for (size_t i = 0; i < program->param_count; i++) {
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)program->params[i].value);
        json_object_set_new(params, program->params[i].name, json_string(text));
        if (i >= program->first_color) json_object_set_new(colors, program->params[i].name, json_string(text));
    }
    return json_pack("{s:s, s:o, s:o, s:[ii], s:[ii], s:[ii], s:i, s:b}", "arch", image->wse3 ? "wse3" : "wse2",
                     "params", params, "colors", colors, "fabric_dims", (int)image->fabric_width,
                     (int)image->fabric_height, "fabric_offsets", (int)image->offset_x, (int)image->offset_y,
                     "rectangle", (int)image->width, (int)image->height, "channels", (int)image->channels, "memcpy",
                     (int)image->memcpy);
}

static json_t *rpc_json(const tw_csl_program *program)
{
    json_t *list = json_array();
    for (size_t i = 0; i < program->image->export_count; i++) {
        const tw__csl_export_name *e = &program->image->exports[i];
        json_t *inputs = json_array();
        for (uint32_t k = 0; k < e->param_count; k++)
            json_array_append_new(inputs,
                                  json_pack("{s:s, s:s}", "name", e->param_names[k] ? e->param_names[k] : "",
                                            "type", tw_type_name(e->params[k], TW_SYSTEM_CSL)));
        json_array_append_new(list, json_pack("{s:i, s:s, s:s, s:s, s:b, s:o}", "id", (int)i, "name", e->name,
                                              "type", e->type_text, "kind", e->is_function ? "Func" : "Var",
                                              "immutable", !e->is_mutable, "inputs", inputs));
    }
    return json_pack("{s:o}", "rpc_symbols", list);
}

tw_status tw_csl_save(const tw_csl_program *program, const char *folder)
{
    if (!program) return tw__missing("program");
    char *bin = g_build_filename(folder, "bin", NULL);
    int made = g_mkdir_with_parents(bin, 0777);
    if (made != 0) tw__fail(TW_E_IO, "cannot make the folder '%s': %s", bin, g_strerror(errno));
    g_free(bin);
    if (made != 0) return TW_E_IO;
    size_t size;
    unsigned char *bytes = tw_csl_encode(program, &size);
    if (!bytes) return tw_error_status();
    tw_status status = write_file(folder, "program.twcsl", bytes, size);
    free(bytes);
    if (status == TW_OK) status = write_json(folder, "out.json", out_json(program));
    if (status == TW_OK) status = write_json(folder, "bin/out_rpc.json", rpc_json(program));
    return status;
}

enum { PROGRAM_LIMIT = 1 << 30 }; /* bytes; a wafer of different programs has some hundred MB */

tw_csl_program *tw_csl_load(const char *folder)
{
    tw_csl_program *program = NULL;
    char *path = g_build_filename(folder, "program.twcsl", NULL), *bytes = NULL;
    size_t size = 0;
    tw_status status = TW_OK;
    if ((bytes = tw_read_file(path, PROGRAM_LIMIT, &size))) {
        status = decode(&program, (const unsigned char *)bytes, size, path);
    } else {
        g_autofree char *why = g_strdup(tw_error_message());
        status = tw__fail(TW_E_FILE_LOAD, "'%s' is no folder that cslc wrote: %s", folder, why);
    }
    free(bytes);
    g_free(path);
    return tw__made(status, program);
}
