/* SPDX-License-Identifier: MIT */
/* Compiled programs as bytes: what is read back is what was written, and nothing that is damaged is accepted. */
#include "csl/lang/code/codec.h"
#include "csl/lang/program/program.h"
#include "csl/lang/compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char layout[] =
    "param n: u16;\n"
    "const memcpy = @import_module(\"<memcpy/get_params>\", .{ .width = 2, .height = 1 });\n"
    "layout {\n"
    "  @set_rectangle(2, 1);\n"
    "  const c = @get_color(3);\n"
    "  for (@range(u16, 2)) |x| {\n"
    "    @set_tile_code(x, 0, \"pe.csl\", .{ .p = memcpy.get_params(x), .n = n, .c = c });\n"
    "  }\n"
    "  @set_color_config(0, 0, c, .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} },\n"
    "    .switches = .{ .pos1 = .{ .tx = RAMP }, .ring_mode = true } });\n"
    "  @set_color_config(1, 0, c, .{ .routes = .{ .rx = .{WEST}, .tx = .{RAMP} } });\n"
    "  @export_name(\"v\", [*]f32, true);\n"
    "  @export_name(\"go\", fn (i16, f32) void);\n"
    "}\n";
static const char pe[] = "param p: comptime_struct;\n"
                         "param n: u16;\n"
                         "param c: color;\n"
                         "const sys = @import_module(\"<memcpy/memcpy>\", p);\n"
                         "var v = [3]f32{ 1.0, 2.0, 3.0 };\n"
                         "const v_ptr: [*]f32 = &v;\n"
                         "var buffer = @zeros([32]f32);\n"
                         "const fifo = @allocate_fifo(buffer);\n"
                         "const all = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> v[i] });\n"
                         "const out = @get_dsd(fabout_dsd, .{ .extent = 3, .fabric_color = c,\n"
                         "  .output_queue = @get_output_queue(2) });\n"
                         "fn go(a: i16, b: f32) void {\n"
                         "  v[0] = b * @as(f32, a);\n"
                         "  @fmovs(fifo, all);\n"
                         "  @fmovs(out, all, .{ .async = true, .activate = done });\n"
                         "}\n"
                         "task done() void { sys.unblock_cmd_stream(); }\n"
                         "comptime {\n"
                         "  @bind_local_task(done, @get_local_task_id(9));\n"
                         "  if (@is_arch(\"wse3\")) @initialize_queue(@get_output_queue(2), .{ .color = c });\n"
                         "  @export_symbol(v_ptr, \"v\");\n"
                         "  @export_symbol(go);\n"
                         "}\n";

static char *read_text(void *user, const char *path, size_t *size)
{
    (void)user;
    const char *text = strstr(path, "pe.csl") ? pe : strstr(path, "layout.csl") ? layout : NULL;
    if (!text) return NULL;
    *size = strlen(text);
    return strdup(text);
}

static tw__csl_image *compile(bool wse3)
{
    static const tw__csl_binding params[] = { { "n", 7 } };
    tw__csl_compile_options o = {
        .file = "layout.csl", .wse3 = wse3, .params = params, .param_count = 1, .read = read_text
    };
    tw_diags *diags = tw_diags_new();
    tw__csl_image *image = tw__csl_compile(&o, diags);
    if (!image) tw_diags_print(diags, stderr, false);
    tw_diags_free(diags);
    assert_non_null(image);
    return image;
}

static void encode(unsigned char **bytes, size_t *size)
{
    static const tw_csl_binding params[] = { { "n", 7 }, { "big", -123456789012 } };
    static const tw_csl_binding colors[] = { { "c", 3 } };
    tw_csl_program *program = tw__csl_program_new(compile(true), params, 2, colors, 1);
    assert_non_null(program);
    assert_int_equal(tw_status_of(*bytes = tw_csl_encode(program, size)), TW_OK);
    tw_csl_program_free(program);
}

/* Images that were read are written as the same bytes, for both chips. */
static void round_trip(void **state)
{
    (void)state;
    for (int arch = 0; arch < 2; arch++) {
        tw__csl_image *image = compile(arch);
        size_t size, again_size;
        unsigned char *bytes = tw__csl_image_encode(image, &size);
        assert_non_null(bytes);
        tw__csl_image *copy = tw__csl_image_decode(bytes, size, "memory");
        assert_non_null(copy);
        unsigned char *again = tw__csl_image_encode(copy, &again_size);
        assert_int_equal(size, again_size);
        assert_memory_equal(bytes, again, size);
        assert_int_equal(copy->wse3, arch);
        assert_int_equal(copy->width, 2);
        free(bytes);
        free(again);
        tw__csl_image_free(image);
        tw__csl_image_free(copy);
    }
}

static void questions(void **state)
{
    (void)state;
    unsigned char *bytes;
    size_t size;
    encode(&bytes, &size);
    tw_csl_program *program;
    assert_int_equal(tw_status_of(program = tw_csl_decode(bytes, size, "memory")), TW_OK);
    tw_csl_binding row;
    assert_true(tw_csl_param(program, 1, &row));
    assert_string_equal(row.name, "big");
    assert_int_equal(row.value, -123456789012);
    assert_true(tw_csl_param(program, 2, &row));
    assert_string_equal(row.name, "c");
    assert_false(tw_csl_param(program, 3, &row));
    tw_csl_info info;
    tw_csl_get_info(program, &info);
    assert_int_equal(info.arch, TW_WSE3);
    assert_int_equal(info.width * info.height, 2);
    assert_int_equal(info.channels, 1); /* when nothing is asked for */
    tw_csl_export e;
    int go = tw_csl_find_export(program, "go");
    assert_true(go >= 0 && tw_csl_get_export(program, (size_t)go, &e));
    assert_true(e.function);
    assert_int_equal(e.argument_count, 2);
    int v = tw_csl_find_export(program, "v");
    assert_true(v >= 0 && tw_csl_get_export(program, (size_t)v, &e));
    assert_int_equal(e.element_bytes, 4);
    assert_true(e.mutable_);
    assert_int_equal(tw_csl_find_export(program, "goo"), -1);
    assert_non_null(strstr(tw_error_message(), "did you mean 'go'"));
    tw_csl_program_free(program);
    free(bytes);
}

/* Cut off anywhere, and with any byte changed, the file is refused with a message that names it. */
static void damaged(void **state)
{
    (void)state;
    unsigned char *bytes;
    size_t size;
    encode(&bytes, &size);
    tw_csl_program *program;
    for (size_t cut = 0; cut < size; cut += 1 + cut / 16) {
        unsigned char *part = malloc(cut + 1);
        memcpy(part, bytes, cut);
        assert_int_equal(tw_status_of(program = tw_csl_decode(part, cut, "here.twcsl")), TW_E_FILE_LOAD);
        assert_null(program);
        assert_non_null(strstr(tw_error_message(), "here.twcsl"));
        free(part);
    }
    for (size_t at = 0; at < size; at += 1 + at / 16) {
        bytes[at] ^= 0x10;
        assert_int_equal(tw_status_of(program = tw_csl_decode(bytes, size, "here.twcsl")), TW_E_FILE_LOAD);
        bytes[at] ^= 0x10;
    }
    bytes[8]++; /* the version */
    assert_int_equal(tw_status_of(program = tw_csl_decode(bytes, size, "here.twcsl")), TW_E_FILE_LOAD);
    assert_non_null(strstr(tw_error_message(), "compile it again"));
    free(bytes);
}

/* With the checksum made right, a damaged body is either refused or harmless: nothing reads outside it. */
static void damaged_on_purpose(void **state)
{
    (void)state;
    unsigned char *bytes;
    size_t size;
    encode(&bytes, &size);
    unsigned refused = 0;
    for (size_t at = 28; at < size; at += 1 + at / 64)
        for (int k = 0; k < 3; k++) {
            unsigned char old = bytes[at];
            bytes[at] = (unsigned char)(k == 0 ? 0xff : k == 1 ? old + 1 : 0);
            uint64_t sum = tw__csl_checksum(bytes + 28, size - 28);
            for (int i = 0; i < 8; i++) bytes[20 + i] = (unsigned char)(sum >> (8 * i));
            tw_csl_program *program = tw_csl_decode(bytes, size, "memory");
            if (!program) refused++;
            tw_csl_program_free(program);
            bytes[at] = old;
        }
    assert_true(refused > 0);
    free(bytes);
}

static void put_number(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> (8 * i));
}

/* A file with its head put right, cut to `size` bytes. NULL: it was read; else why not. */
static const char *refusal(unsigned char *bytes, size_t size)
{
    put_number(bytes + 12, size - 28, 8);
    put_number(bytes + 20, tw__csl_checksum(bytes + 28, size - 28), 8);
    tw_csl_program *program = tw_csl_decode(bytes, size, "memory");
    tw_status status = tw_status_of(program);
    tw_csl_program_free(program);
    return status == TW_OK ? NULL : tw_error_message();
}

/* The list of parameters at both sides of its limits: 100,000 of them, and the bytes that are there. */
static void bounds_of_parameters(void **state)
{
    (void)state;
    static const struct {
        uint32_t count, first_color;
        bool fits;
    } rows[] = { { 0, 0, true },           { 0, 1, false },           { 2, 2, true },      { 2, 3, false },
                 { 100000, 100000, true }, { 100000, 100001, false }, { 100001, 0, false } };
    unsigned char *good;
    size_t size, image_size;
    encode(&good, &size);
    tw__csl_image *image = compile(true);
    unsigned char *image_bytes = tw__csl_image_encode(image, &image_size);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t list = 36 + (size_t)rows[i].count * 12; /* nameless: a length of 0 and 8 bytes of value */
        unsigned char *bytes = calloc(list + image_size, 1);
        memcpy(bytes, good, 28);
        put_number(bytes + 28, rows[i].count, 4), put_number(bytes + 32, rows[i].first_color, 4);
        memcpy(bytes + list, image_bytes, image_size);
        const char *why = refusal(bytes, list + image_size);
        if (rows[i].fits && why) fail_msg("row %zu: %s", i, why);
        if (!rows[i].fits && (!why || !strstr(why, "list of parameters")))
            fail_msg("row %zu: %s", i, why ? why : "read");
        free(bytes);
    }
    /* Cut off inside the list and right behind it, where the image is what is missing. */
    for (size_t cut = 28; cut <= 36 + 12; cut++) {
        unsigned char *bytes = calloc(cut, 1); /* of this size, so that reading past its end is seen */
        memcpy(bytes, good, 28);
        if (cut >= 32) put_number(bytes + 28, 1, 4);
        const char *why = refusal(bytes, cut);
        assert_non_null(why);
        if ((strstr(why, "list of parameters") != NULL) != (cut < 36 + 12)) fail_msg("%zu bytes: %s", cut, why);
        free(bytes);
    }
    /* A name as long as the rest of the file allows, and one byte more. */
    for (unsigned length = 5; length <= 6; length++) {
        unsigned char *bytes = calloc(36 + 4 + 5 + 8, 1);
        memcpy(bytes, good, 28);
        put_number(bytes + 28, 1, 4), put_number(bytes + 36, length, 4);
        const char *why = refusal(bytes, 36 + 4 + 5 + 8);
        assert_non_null(why);
        assert_int_equal(strstr(why, "list of parameters") != NULL, length == 6);
        free(bytes);
    }
    free(good), free(image_bytes);
    tw__csl_image_free(image);
}

static void options(void **state)
{
    (void)state;
    tw_diags *diags = tw_diags_new();
    tw_csl_program *program;
    tw_csl_options o = { .size = sizeof o, .channels = 17 };
    assert_int_equal(tw_status_of(program = tw_csl_compile("x.csl", &o, diags)), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_status_of(program = tw_csl_compile("/nowhere/x.csl", NULL, diags)), TW_E_FILE_LOAD);
    tw_diags_free(diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(questions),
        cmocka_unit_test(damaged),
        cmocka_unit_test(damaged_on_purpose),
        cmocka_unit_test(bounds_of_parameters),
        cmocka_unit_test(options),
    };
    return cmocka_run_group_tests_name("csl_program_file", tests, NULL, NULL);
}
