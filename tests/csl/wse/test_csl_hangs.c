/* Programs that hang: the report names the PE, what waits, for which color, queue or FIFO, and the line of the
 * source. Line 1 of each text is the first of `program`. */
#include "csl/wse/compile.h"
#include "csl/wse/wse.h"

#define START "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n"

typedef struct hang {
    const char *program;
    unsigned words; /* from the host to the ramp, on color 4 */
    const char *report[2];
} hang;

static const hang hangs[] = {
    { "var x = @zeros([4]u32);\n"
      "const to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> x[i] });\n"
      "const from = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(4), .input_queue = "
      "@get_input_queue(2) });\n"
      "task main() void {\n"
      "  @mov32(to, from);\n"
      "}\n" START,
      3,
      { "PE 0,0: @mov32 at t.csl:5 waits for wavelets on color 4 (input queue 2); 3 of 4 elements done" } },
    { "var x = @zeros([40]u32);\n"
      "const from = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{40} -> x[i] });\n"
      "const to = @get_dsd(fabout_dsd, .{ .extent = 40, .fabric_color = @get_color(5), .output_queue = "
      "@get_output_queue(2) });\n"
      "task main() void {\n"
      "  var i: u16 = 0;\n"
      "  @mov32(to, from, .{ .async = true });\n"
      "}\n" START,
      0,
      { "PE 0,0: @mov32 at t.csl:6 cannot send on color 5 (output queue 2), which is full",
        "4 wavelet(s) of color 5 from the PE wait in the router: the route" } },
    { "var room = @zeros([16]u32);\n"
      "const line = @allocate_fifo(room);\n"
      "const to = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = @get_color(5), .output_queue = "
      "@get_output_queue(2) });\n"
      "task main() void {\n"
      "  @mov32(to, line, .{ .async = true });\n"
      "}\n" START,
      0,
      { "PE 0,0: @mov32 at t.csl:5 waits for FIFO 'line', which is empty; 0 of 4 elements done" } },
    { "var room = @zeros([4]u32);\n"
      "const line = @allocate_fifo(room);\n"
      "const from = @get_dsd(fabin_dsd, .{ .extent = 9, .fabric_color = @get_color(4), .input_queue = "
      "@get_input_queue(2) });\n"
      "task main() void {\n"
      "  @mov32(line, from, .{ .async = true });\n"
      "}\n" START,
      9,
      { "PE 0,0: @mov32 at t.csl:5 waits for FIFO 'line', which is full; 4 of 9 elements done" } },
    { "const in = @get_data_task_id(@get_color(4));\n"
      "task main() void {}\n"
      "task take(v: u32) void {}\n"
      "comptime { @bind_data_task(take, in); @block(in); }\n" START,
      2,
      { "PE 0,0: 2 wavelet(s) wait on color 4: its data task is blocked" } },
    { "const id = @get_local_task_id(9);\n"
      "task main() void { @activate(id); }\n"
      "task later() void {}\n"
      "comptime { @bind_local_task(later, id); @block(id); }\n" START,
      0,
      { "PE 0,0: local task 9 is active but blocked" } },
};

static bool never(void *user)
{
    (void)user;
    return false;
}

static void reports(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hangs / sizeof *hangs; i++) {
        compiled c = compile_good(hangs[i].program, false);
        tw_diags *said = tw_diags_new();
        tw__wse *w = tw__wse_new(c.image, NULL, said);
        assert_non_null(w);
        uint32_t words[16] = { 0 };
        if (hangs[i].words) assert_true(tw__wse_send(w, 0, 0, TW__CSL_RAMP, 4, words, hangs[i].words, false));
        assert_int_equal(tw__wse_run(w, 100000, never, NULL), TW_E_SYSTEM);
        assert_non_null(find_message(said, TW_ERROR, "deadlock"));
        for (size_t r = 0; r < 2 && hangs[i].report[r]; r++) {
            if (find_message(said, TW_NOTE, hangs[i].report[r])) continue;
            tw_diags_print(said, stderr, false);
            fail_msg("program %zu: not reported: %s", i, hangs[i].report[r]);
        }
        tw__wse_free(w);
        compiled_free(&c);
        tw_diags_free(said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(reports) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
