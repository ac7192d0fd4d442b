/* SPDX-License-Identifier: MIT */
/* A kernel as text inside a C program: read once, verified for both chips, run with the program's own arrays; and
 * what a mistake in the text looks like.
 *   cc embed.c $(pkg-config --cflags --libs tilewright) && ./a.out
 * prints: kernel saxpy: %x !pto.ptr<f32>, %y !pto.ptr<f32>, %a f32, %n index
 * prints: a2a3: 100 of 100 right
 * prints: a5: 100 of 100 right
 * prints: typo.pto:2:6: unknown operation 'pto.tadds_'; did you mean 'pto.tadds'?
 */
#include <stdio.h>
#include <string.h>
#include <tilewright/pto/text.h>

/* y = a x + y for n elements, 64 at a time; the last piece is shorter. */
static const char saxpy[] =
    "!t = !pto.tile_buf<vec, 1x64xf32, valid=1x?>\n"
    "func.func @saxpy(%x : !pto.ptr<f32>, %y : !pto.ptr<f32>, %a : f32, %n : index) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %c64 = arith.constant 64 : index\n"
    "  %xv = pto.make_tensor_view %x, shape = [%c1, %n], strides = [%n, %c1] : !pto.tensor_view<?x?xf32>\n"
    "  %yv = pto.make_tensor_view %y, shape = [%c1, %n], strides = [%n, %c1] : !pto.tensor_view<?x?xf32>\n"
    "  scf.for %i = %c0 to %n step %c64 {\n"
    "    %rest = arith.subi %n, %i : index\n"
    "    %m = arith.minsi %rest, %c64 : index\n"
    "    %xp = pto.partition_view %xv, offsets = [%c0, %i], sizes = [%c1, %m]\n"
    "        : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x?xf32>\n"
    "    %yp = pto.partition_view %yv, offsets = [%c0, %i], sizes = [%c1, %m]\n"
    "        : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x?xf32>\n"
    "    %xt = pto.alloc_tile valid_col = %m : !t\n"
    "    %yt = pto.alloc_tile valid_col = %m : !t\n"
    "    pto.tload ins(%xp : !pto.partition_tensor_view<1x?xf32>) outs(%xt : !t)\n"
    "    pto.tload ins(%yp : !pto.partition_tensor_view<1x?xf32>) outs(%yt : !t)\n"
    "    pto.tmuls ins(%xt, %a : !t, f32) outs(%xt : !t)\n"
    "    pto.tadd ins(%xt, %yt : !t, !t) outs(%yt : !t)\n"
    "    pto.tstore ins(%yt : !t) outs(%yp : !pto.partition_tensor_view<1x?xf32>)\n"
    "  }\n"
    "  return\n"
    "}\n";

static const char typo[] = "%a = pto.tci 1 : i32 -> !pto.tile<1x16xi32>\n"
                           "%b = pto.tadds_ %a, 1 : (!pto.tile<1x16xi32>, i32) -> !pto.tile<1x16xi32>\n";

static void report(void *user, const tw_diag *diag)
{
    fprintf(user, "%s:%d:%d: %s\n", diag->file, diag->line, diag->column, diag->message);
}

static int run(tw_pto_text *text, tw_pto_target target)
{
    float x[100], y[100];
    int right = 0;
    for (int i = 0; i < 100; i++) {
        x[i] = (float)i;
        y[i] = (float)(1000 - i);
    }
    if (tw_pto_text_verify(text, target) != TW_OK) return -1;
    tw_pto *core = tw_pto_new(target, 0);
    tw_pto_run *kernel = core ? tw_pto_run_new(text, "saxpy", core) : NULL;
    if (kernel && tw_pto_run_memory(kernel, "x", x, TW_F32, 1, (size_t[]){ 100 }) == TW_OK &&
        tw_pto_run_memory(kernel, "y", y, TW_F32, 1, (size_t[]){ 100 }) == TW_OK &&
        tw_pto_run_scalar(kernel, "a", tw_pto_f32(0.5f)) == TW_OK &&
        tw_pto_run_number(kernel, "n", "100") == TW_OK && tw_pto_run_start(kernel, NULL) == TW_OK)
        for (int i = 0; i < 100; i++) right += y[i] == 0.5f * (float)i + (float)(1000 - i);
    else
        printf("%s\n", tw_error_message());
    tw_pto_run_free(kernel);
    tw_pto_free(core);
    printf("%s: %d of 100 right\n", tw_pto_target_name(target), right);
    return right == 100 ? 0 : -1;
}

int main(void)
{
    tw_pto_text *text = tw_pto_text_parse("saxpy.pto", saxpy, strlen(saxpy), report, stdout);
    tw_pto_param p;
    if (!text || tw_pto_text_verify(text, TW_PTO_A2A3) != TW_OK) return 1;
    printf("kernel %s:", tw_pto_text_function(text, 0));
    for (size_t i = 0; tw_pto_text_param(text, "saxpy", i, &p); i++)
        printf("%s %%%s %s", i ? "," : "", p.name, p.type);
    printf("\n");
    int bad = run(text, TW_PTO_A2A3) | run(text, TW_PTO_A5);
    tw_pto_text_free(text);

    text = tw_pto_text_parse("typo.pto", typo, strlen(typo), report, stdout);
    if (!text || tw_pto_text_verify(text, TW_PTO_A5) == TW_OK) return 1;
    tw_pto_text_free(text);
    return bad != 0;
}
