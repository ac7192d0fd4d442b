/* SPDX-License-Identifier: MIT */
/* Inline assembly: its operands of both files, ties, clobbers, numbers, bundles and rpt; and what is refused, with
 * the words and the place of the message. */
#include "select_test.h"

static const struct {
    const char *name, *code; /* of %x and %y, first and second word of the input; %r goes out */
    uint32_t x, y, want;
} rows[] = {
    { "one instruction", "%r = call i32 asm \"sub $0, $1, $2\", \"=r,r,r\"(i32 %x, i32 %y)", 50, 8, 42 },
    { "a number", "%r = call i32 asm \"add $0, $1, $2\", \"=r,r,i\"(i32 %x, i32 -7)", 50, 0, 43 },
    { "tied", "%r = call i32 asm \"movz $0, $2, $3\", \"=r,0,r,r\"(i32 %x, i32 %y, i32 9)", 5, 1, 9 },
    { "tied, kept", "%r = call i32 asm \"movz $0, $2, $3\", \"=r,0,r,r\"(i32 %x, i32 %y, i32 9)", 5, 0, 5 },
    { "two, early", "%r = call i32 asm \"add $0, $1, 1\\0A mul $0, $0, $2\", \"=&r,r,r\"(i32 %x, i32 %y)", 5, 7,
      42 },
    { "clobbers",
      "%r = call i32 asm sideeffect \"mov $$m4, $1\\0A setzi $$m5, 2\\0A mul $0, $$m4, $$m5\", "
      "\"=r,r,~{$m4},~{m5},~{memory}\"(i32 %x)",
      21, 0, 42 },
    { "a value over it",
      "%k = mul i32 %x, %y\ncall void asm sideeffect \"setzi $$m0, 0\\0Asetzi $$m1, 0\\0Asetzi $$m2, 0\", "
      "\"~{$m0},~{$m1},~{$m2}\"()\n%r = add i32 %k, %y",
      5, 7, 42 },
    { "aux",
      "%a = bitcast i32 %x to float\n%b = bitcast i32 %y to float\n"
      "%f = call float asm \"f32add $0, $1, $2\", \"=r,r,r\"(float %a, float %b)\n%r = bitcast float %f to i32",
      0x40000000, 0x3f800000, 0x40400000 },
    { "pairs",
      "%v = insertelement <2 x float> zeroinitializer, float 1.0, i32 1\n"
      "%w = call <2 x float> asm \"f32v2add $0, $1, $1\", \"=r,r\"(<2 x float> %v)\n"
      "%e = extractelement <2 x float> %w, i32 1\n%r = bitcast float %e to i32",
      0, 0, 0x40000000 },
    { "packed",
      "%k = call <2 x i32> asm \"tapack $0, $1, $2, $3\", \"=r,r,r,r\"(i32 %x, i32 %y, i32 0)\n"
      "%a = extractelement <2 x i32> %k, i32 0\n%b = extractelement <2 x i32> %k, i32 1\n%r = sub i32 %a, %b",
      0x1234, 0x234, 0x1000 },
    { "bundle", "%r = call i32 asm \"{\\0A add $0, $1, $2\\0A fnop\\0A}\", \"=r,r,r\"(i32 %x, i32 %y)", 40, 2, 42 },
    { "repeated",
      "%c = call i32 asm \".align 8\\0A{ rpt $2, 0 ; fnop }\\0A{ add $0, $0, 3 ; fnop }\", \"=r,0,r\"(i32 %x, i32 "
      "%y)\n%r = add i32 %c, 0",
      12, 10, 42 },
    { "labels",
      "%r = call i32 asm \"mov $0, $1\\0Abrz $1, .Lskip${:uid}\\0A setzi $0, 7\\0A.Lskip${:uid}:\", \"=&r,r\"(i32 "
      "%x)",
      3, 0, 7 },
    { "two results",
      "%s = call { i32, i32 } asm \"add $0, $2, 1\\0Aadd $1, $2, 2\", \"=&r,=&r,r\"(i32 %x)\n"
      "%a = extractvalue { i32, i32 } %s, 0\n%b = extractvalue { i32, i32 } %s, 1\n%r = mul i32 %a, %b",
      5, 0, 42 },
    { "control register", "%r = call i32 asm \"get $0, $1\", \"=r,i\"(i32 1)", 0, 0, 0 },
    { "empty", "call void asm sideeffect \"\", \"~{memory}\"()\n%r = add i32 %x, 1", 41, 0, 42 },
};

static void text_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *ir = g_strdup_printf(
            SELECT_LAYOUT
            "define void @f(ptr %%in, ptr %%out) {\n%%x = load i32, ptr %%in\n"
            "%%p = getelementptr i32, ptr %%in, i32 1\n%%y = load i32, ptr %%p\n%s\nstore i32 %%r, ptr %%out\n"
            "ret void\n}\n",
            rows[i].code);
        const uint32_t in[4] = { rows[i].x, rows[i].y };
        uint32_t out[4] = { 0 };
        select_run(ir, TW_ISA_IPU2, 1, (const uint8_t *)in, 16, (uint8_t *)out, 16, 0);
        if (out[0] != rows[i].want) fail_msg("%s: %#x, not %#x", rows[i].name, out[0], rows[i].want);
    }
}

/* --- refused ---------------------------------------------------------------------------------------------------- */

static const struct {
    const char *module, *message;
} refused[] = {
    { "define i32 @f(ptr %p) { %r = atomicrmw add ptr %p, i32 1 seq_cst\nret i32 %r }",
      "no atomic operations; let one worker" },
    { "@t = thread_local global i32 0\ndefine i32 @f() { %r = load i32, ptr @t\nret i32 %r }",
      "'t' is thread-local" },
    { "define <256 x half> @f(<256 x half> %a) { ret <256 x half> %a }", "keep it in memory" },
    { "define i128 @f(i128 %a) { ret i128 %a }", "integers of 128 bits are not supported" },
    { "declare i32 @p(...)\ndeclare void @g()\ndefine void @f() personality ptr @p {\ninvoke void @g() to label %a "
      "unwind label "
      "%b\na: ret void\nb: %l = landingpad { ptr, i32 } cleanup\nret void }",
      "no C++ exceptions" },
    { "define float @f(float %a) \"tw-context\"=\"supervisor\" { %r = fadd float %a, %a\nret float %r }",
      "a supervisor has no floating point" },
    { "define double @f(double %a) \"tw-context\"=\"supervisor\" { %r = fadd double %a, %a\nret double %r }",
      "a supervisor cannot compute with 'double'" },
    { "define i32 @f() { %r = call i32 asm \"add $0, $1, 1\", \"=r,m\"(i32 3)\nret i32 %r }",
      "inline assembly: memory operands" },
    { "define void @f(i32 %a) { call void asm \"put 3, $0\", \"i\"(i32 %a)\nret void }", "has to be a constant" },
    { "declare i32 @__builtin_ipu_unheard()\ndefine i32 @f() { %r = call i32 @__builtin_ipu_unheard()\nret i32 %r "
      "}",
      "'__builtin_ipu_unheard' is no builtin" },
    { "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @f, ptr null "
      "}]\n"
      "define void @f() { ret void }",
      "initialised by code" },
    { "@r = ifunc i32 (), ptr @f\ndefine ptr @f() { ret ptr null }", "which function 'r' is" },
    { "define i32 @f(i32 %a) {\ncallbr void asm sideeffect \"brz $0, ${1:l}\", \"r,!i\"(i32 %a) to label %b [label "
      "%c]\n"
      "b: ret i32 0\nc: ret i32 1 }",
      "inline assembly cannot jump" },
    { "@big = global [4000000 x i32] zeroinitializer\n", "it fits no tile" },
    { "declare void @g(ptr byval([536870912 x i32]))\n"
      "define void @f(ptr %p) { call void @g(ptr byval([536870912 x i32]) %p)\nret void }",
      "an argument of 2147483648 bytes fits no tile; pass a pointer" },
    { "define ptr @f() { ret ptr blockaddress(@f, %b)\nb: ret ptr null }", "no value that can be computed" },
    { "declare {i65, i1} @llvm.sadd.with.overflow.i65(i65, i65)\n"
      "define i1 @f(i64 %a) { %w = sext i64 %a to i65\n"
      "%r = call {i65, i1} @llvm.sadd.with.overflow.i65(i65 %w, i65 %w)\n%o = extractvalue {i65, i1} %r, 1\nret i1 "
      "%o }",
      "integers of 65 bits" },
};

static void text_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autofree char *ir = g_strconcat(SELECT_LAYOUT, refused[i].module, NULL);
        GString *problems = g_string_new(NULL);
        char *code = select_assembly(ir, TW_ISA_IPU2, problems);
        if (code) fail_msg("it was not refused: %s", ir);
        if (!strstr(problems->str, refused[i].message)) fail_msg("%s\nof: %s", problems->str, ir);
        g_string_free(problems, TRUE);
    }
}

/* What other modules may call, such as the second name of a constructor in C++. */
static void text_aliases(void **state)
{
    (void)state;
    static const char ir[] = SELECT_LAYOUT
        "@v = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]\ndefine i32 @f() { ret i32 1 }\n"
        "@g = weak alias i32 (), ptr @f\n@h = alias i32 (), ptr @g\n@own = internal alias i32 (), ptr @f\n"
        "@w = alias i32, getelementptr inbounds ([4 x i32], ptr @v, i32 0, i32 2)\n";
    GString *problems = g_string_new(NULL);
    g_autofree char *code = select_assembly(ir, TW_ISA_IPU2, problems);
    if (!code) fail_msg("%s", problems->str);
    assert_non_null(strstr(code, "\t.weak g\n\t.type g, @function\n\t.set g, f\n"));
    assert_non_null(strstr(code, "\t.globl h\n\t.type h, @function\n\t.set h, f\n"));
    assert_non_null(strstr(code, "\t.globl w\n\t.type w, @object\n\t.set w, v+8\n"));
    assert_null(strstr(code, "own,"));
    g_string_free(problems, TRUE);
}

/* Messages stand at the line of the source. */
static void text_places(void **state)
{
    (void)state;
    static const char ir[] = SELECT_LAYOUT
        "define i32 @f(ptr %p) !dbg !4 {\n%r = atomicrmw add ptr %p, i32 1 seq_cst, !dbg !7\nret i32 %r, !dbg "
        "!8\n}\n"
        "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n"
        "!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: LineTablesOnly)\n"
        "!1 = !DIFile(filename: \"one.c\", directory: \"/there\")\n!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
        "!3 = !DISubroutineType(types: !5)\n"
        "!4 = distinct !DISubprogram(name: \"f\", file: !1, line: 10, type: !3, unit: !0, spFlags: "
        "DISPFlagDefinition)\n"
        "!5 = !{}\n!7 = !DILocation(line: 12, column: 5, scope: !4)\n!8 = !DILocation(line: 13, column: 1, scope: "
        "!4)\n";
    GString *problems = g_string_new(NULL);
    assert_null(select_assembly(ir, TW_ISA_IPU2, problems));
    assert_true(g_str_has_prefix(problems->str, "/there/one.c:12:5: the chip has no atomic"));
    g_string_free(problems, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_rows),
        cmocka_unit_test(text_refused),
        cmocka_unit_test(text_aliases),
        cmocka_unit_test(text_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
