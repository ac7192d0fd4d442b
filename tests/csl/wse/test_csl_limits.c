/* SPDX-License-Identifier: MIT */
/* Limits of the vendor document "Data Structure Descriptors" and of the fact sheet, on both sides: the last value
 * that is legal compiles, the next one does not. */
#include "compile.h"

#include <inttypes.h>

enum { WSE2 = 1, WSE3 = 2, BOTH = 3 };

#define HEAD                                                                                                    \
    "var a = @zeros([10]i16); var m = @zeros([4,5]i16); var buf = @zeros([32]i16);\n"                           \
    "const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} -> a[i] });\n"                                   \
    "const moved = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} -> a[i], .wavelet_index_offset = true });\n" \
    "const in = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(6), .input_queue = "             \
    "@get_input_queue(2) });\n"                                                                                 \
    "const fifo = @allocate_fifo(buf);\n"
#define BIND "comptime { @bind_local_task(run, @get_local_task_id(20)); @activate(@get_local_task_id(20)); }\n"

/* How the text of a row becomes a program: N stands for the number. */
typedef enum { VALUE, CODE, COMPTIME, FILE_LEVEL } place;

typedef struct {
    unsigned arch;
    place where;
    const char *text;
    int64_t low, high; /* low INT64_MIN: no lower limit is tried */
    const char *phrase;
} limit;

#define NONE INT64_MIN
// clang-format off
static const limit limits[] = {
    /* lengths: u16 by type, 15 bits in a DSD (decision 6) */
    { BOTH, VALUE, "@get_dsd(mem1d_dsd, .{ .base_address = &a, .extent = N })", 0, 32767, "" },
    { BOTH, VALUE, "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{N} -> a[0] })", 0, 32767, "" },
    { BOTH, VALUE, "@get_dsd(mem4d_dsd, .{ .tensor_access = |i,j|{N,1} -> m[i,j] })", 0, 32767, "" },
    { BOTH, VALUE, "@get_dsd(mem4d_dsd, .{ .base_address = &a, .extent = .{ 127, N } })", NONE, 258, "the product of the extents" },
    { BOTH, VALUE, "@get_dsd(fabin_dsd, .{ .extent = N, .fabric_color = @get_color(1) })", 0, 32767, "" },
    { BOTH, VALUE, "@get_dsd(fabout_dsd, .{ .extent = N, .fabric_color = @get_color(1) })", 0, 32767, "" },
    { BOTH, VALUE, "@set_dsd_length(d, N)", 0, 32767, "" },
    { BOTH, VALUE, "@set_dsd_length(in, N)", 0, 32767, "" },
    { BOTH, CODE, "@set_fifo_read_length(fifo, N);", 0, 32767, "" },
    { BOTH, CODE, "@set_fifo_write_length(fifo, N);", 0, 32767, "" },
    /* strides and offsets */
    { BOTH, VALUE, "@get_dsd(mem1d_dsd, .{ .base_address = &a, .extent = 3, .stride = N })", -128, 127, "does not fit i8" },
    { BOTH, VALUE, "@get_dsd(mem1d_dsd, .{ .base_address = &a, .extent = 3, .offset = N })", -32768, 32767, "does not fit i16" },
    { BOTH, VALUE, "@get_dsd(mem4d_dsd, .{ .base_address = &a, .extent = .{ 2, 2 }, .stride = .{ N, 1 } })", -32768, 32767, "" },
    { BOTH, VALUE, "@set_dsd_stride(d, N)", -128, 127, "does not fit i8" },
    { BOTH, VALUE, "@increment_dsd_offset(d, N, i16)", -32768, 32767, "does not fit i16" },
    { BOTH, VALUE, "@get_dsd(circbuf_dsd, .{ .base_address = &a, .extent = 4, .wraparound = N })", 1, 10, ".wraparound" },
    /* .index: u16 */
    { BOTH, CODE, "@add16(moved, moved, 3, .{ .index = N });", 0, 65535, "does not fit u16" },
    /* ids, queues, registers */
    { BOTH, VALUE, "@get_color(N)", 0, 23, "must be 0 to 23" },
    { WSE2, VALUE, "@get_local_task_id(N)", 0, 30, "must be 0 to 30" },
    { WSE3, VALUE, "@get_local_task_id(N)", 8, 30, "must be 8 to 30" },
    { BOTH, VALUE, "@get_control_task_id(N)", 0, 63, "must be 0 to 63" },
    { BOTH, VALUE, "@get_input_queue(N)", 0, 7, "must be 0 to 7" },
    { WSE2, VALUE, "@get_output_queue(N)", 0, 5, "must be 0 to 5" },
    { WSE3, VALUE, "@get_output_queue(N)", 0, 7, "must be 0 to 7" },
    { WSE3, VALUE, "@get_ut_id(N)", 0, 7, "must be 0 to 7" },
    { BOTH, VALUE, "@get_dsr(dsr_dest, N)", 0, 15, "must be 0 to 15" },
    { BOTH, VALUE, "@get_dsr(dsr_src0, N)", 0, 15, "must be 0 to 15" },
    { BOTH, VALUE, "@get_dsr(dsr_src1, N)", 0, 15, "must be 0 to 15" },
    /* routes, switches, control tables */
    { BOTH, COMPTIME, "@set_local_color_config(@get_color(1), .{ .routes = N });", 0, 1023, "must be 0 to 1023" },
    { BOTH, COMPTIME, "@set_local_color_config(@get_color(1), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } }, .switches = "
      ".{ .pos1 = .{ .rx = EAST }, .pos2 = .{ .rx = SOUTH }, .pos3 = .{ .rx = NORTH }, .current_switch_pos = N } });",
      0, 3, "must be 0 to 3" },
    { WSE3, COMPTIME, "@set_control_task_table(.{ .stride = N });", 1, 7, "must be 1 to 7" },
    /* an array, and a task's arguments */
    { BOTH, FILE_LEVEL, "export var v = @zeros([N]u8);", NONE, 49088, "out of PE memory" },
    { BOTH, FILE_LEVEL, "export var small = [1]u8{ N };", 0, 255, "does not fit u8" },
    { BOTH, FILE_LEVEL, "export var word = [1]i16{ N };", -32768, 32767, "does not fit i16" },
    { BOTH, FILE_LEVEL, "export var wide = [1]i32{ N };", -2147483648LL, 2147483647LL, "does not fit i32" },
};
// clang-format on

static char *program_of(const limit *row, int64_t number)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRId64, number);
    char *text = malloc(4096), *to = text;
    assert_non_null(text);
    static const char *const before[] = { HEAD "task run() void {}\n" BIND "const x = ", HEAD "task run() void { ",
                                          HEAD "task run() void {}\n" BIND "comptime { ",
                                          HEAD "task run() void {}\n" BIND };
    static const char *const after[] = { ";\ncomptime { _ = @type_of(x); }\n", (" }\n" BIND), " }\n", "\n" };
    to += sprintf(to, "%s", before[row->where]);
    for (const char *c = row->text; *c; c++) {
        bool number_here =
            *c == 'N' && !(c[1] >= 'A' && c[1] <= 'Z') && !(c > row->text && c[-1] >= 'A' && c[-1] <= 'Z');
        to += number_here ? sprintf(to, "%s", digits) : sprintf(to, "%c", *c);
    }
    sprintf(to, "%s", after[row->where]);
    return text;
}

static unsigned expect(const limit *row, bool wse3, int64_t number, bool legal)
{
    char *text = program_of(row, number);
    compiled c = compile_text(text, wse3);
    bool good = legal ? c.image != NULL : !c.image && find_message(c.diags, TW_ERROR, row->phrase);
    if (!good) {
        tw_diags_print(c.diags, stderr, false);
        fprintf(stderr, "WSE-%d: %" PRId64 " must be %s\n%s", wse3 ? 3 : 2, number, legal ? "legal" : "refused",
                text);
    }
    compiled_free(&c);
    free(text);
    return !good;
}

static void both_sides(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (unsigned wse3 = 0; wse3 < 2; wse3++) {
            const limit *row = &limits[i];
            if (!(row->arch & 1u << wse3)) continue;
            bad += expect(row, wse3, row->high, true);
            bad += expect(row, wse3, row->high + 1, false);
            if (row->low == NONE) continue;
            bad += expect(row, wse3, row->low, true);
            bad += expect(row, wse3, row->low - 1, false);
        }
    assert_int_equal(bad, 0);
}

/* A mem4d_dsd names its shape by 16 bits: a program may have 65,536 different ones. */
static void shapes_of_a_program(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "var a = @zeros([4]i16);\ntask run() void {\n"
            "inline for (@range(i16, 256)) |i| { inline for (@range(i16, 256)) |j| {\n"
            "  @mov16(@get_dsd(mem4d_dsd, .{ .base_address = &a, .extent = .{ 1, 1 }, .stride = .{ i, j } }), 1);"
            " } }\n%s }\n" BIND,
            more ? "@mov16(@get_dsd(mem4d_dsd, .{ .base_address = &a, .extent = .{ 1, 2 } }), 1);" : "");
        compiled c = compile_text(text, true);
        const tw_diag *d = find_message(c.diags, TW_ERROR, "at most 65536 different shapes");
        assert_true(more ? d && d->line == 5 && d->column == 8 : c.image != NULL);
        compiled_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(both_sides), cmocka_unit_test(shapes_of_a_program) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
