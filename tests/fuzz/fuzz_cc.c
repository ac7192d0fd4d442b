/* SPDX-License-Identifier: MIT */
// needs: colossus
/* Any text through the compiler of tiles: the first byte says C, C++ or LLVM's own. What compiles has to assemble;
 * what does not has to say why, and "a mistake of ours" is no reason (clang's own crashes are not ours). Sources that
 * include files are left out: they would read those of this machine. */
#include "grammar.h"
#include "poplar/colossus/cc/cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/colossus/asm.h>

typedef struct verdict {
    unsigned errors;
    bool is_ours;
} verdict;

static void check(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "fuzz_cc: %s\n", what);
    abort();
}

/* What LLVM held when it crashed stays, as its crashes are caught: from then on nothing can be said about leaks. */
static bool has_crashed;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return has_crashed;
}

static void report(void *user, const tw_diag *d)
{
    verdict *v = user;
    check(d->message && *d->message && d->file, "a message without text or file");
    if (d->severity != TW_ERROR) return;
    if (strcmp(d->code, "cc.crash") == 0 || strcmp(d->code, "cc.clang") == 0) has_crashed = true;
    if (!v->errors++) v->is_ours = strcmp(d->code, "cc.crash") == 0 || strcmp(d->code, "cc.internal") == 0;
    if (v->is_ours) fprintf(stderr, "%s\n", d->message);
}

/* Words that make the compiler read files, or work for very long on little text. */
static bool is_left_out(const char *text, bool is_ir)
{
    static const char *const words[] = { "include", "embed",  "incbin",  "__has_",
                                         "pragma",  "import", "_BitInt", "vector_size" };
    if (is_ir) return strstr(text, "module asm") != NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i])) return true;
    /* clang itself ends on vectors of millions of lanes */
    for (const char *at = text; (at = strstr(at, "ext_vector_type")) != NULL;) {
        at += strlen("ext_vector_type");
        if (at[0] != '(' || !memchr("234", at[1], 3) || at[2] != ')') return true;
    }
    return false;
}

static bool has_compiler(void)
{
    static int known;
    if (!known) {
        char *identity = tw__cc_identity();
        known = identity ? 1 : -1;
        g_free(identity);
    }
    return known > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const args[] = {
        "-O2",      "-w", "-ferror-limit=5", "-ftemplate-depth=16", "-fconstexpr-steps=10000", "-fbracket-depth=48",
        "-nostdinc"
    };
    if (size < 2 || size > 30000 || !has_compiler() || memchr(data, 0, size)) return 0;
    char *text = g_strndup((const char *)data + 1, size - 1);
    verdict v = { 0 };
    tw__cc_request request = { .version = TW__CC_VERSION,
                               .path = "fuzz.c",
                               .text = text,
                               .length = size - 1,
                               .language = *data == 'i'   ? TW__CC_IR
                                           : *data == 'p' ? TW__CC_CPP
                                                          : TW__CC_C,
                               .arch = *data & 32 ? TW_ISA_IPU2 : TW_ISA_IPU21,
                               .args = args,
                               .arg_count = sizeof args / sizeof *args,
                               .report = report,
                               .user = &v };
    tw__cc_output output = { 0 };
    if (!is_left_out(text, request.language == TW__CC_IR)) {
        tw_status status = tw__cc_compile(&request, &output);
        check(!v.is_ours, "the compiler failed");
        check((status == TW_OK) == (output.text != NULL), "status and text do not go together");
        check((status == TW_OK) == (v.errors == 0), "status and messages do not go together");
        if (output.text) {
            tw_asm_options options = { .size = sizeof options, .arch = request.arch };
            tw_diags *diags = tw_diags_new();
            tw_object *object = tw_asm_text(output.text, strlen(output.text), "fuzz.s", &options, diags);
            if (!object) tw_diags_print(diags, stderr, false);
            /* names of symbols twice, inline assembly: the source's own mistakes */
            check(object || strstr(text, "asm"), "the assembly is refused");
            tw_object_free(object);
            tw_diags_free(diags);
        }
        tw__cc_output_clear(&output);
    }
    g_free(text);
    return 0;
}

static const char *const words[] = {
    "int",
    "unsigned",
    "char",
    "short",
    "long long",
    "float",
    "double",
    "_Float16",
    "_Bool",
    "void",
    "*",
    "const",
    "volatile",
    "static",
    "extern",
    "struct s { int a; char b; };\n",
    "union u { float f; int i; };\n",
    "struct f { unsigned a : 3; int b : 5; };\n",
    "typedef float f4 __attribute__((ext_vector_type(4)));\n",
    "f4",
    "struct s",
    "union u",
    "return",
    "if (",
    "else",
    "for (int i = 0; i < 9; i++)",
    "while (",
    "do {",
    "switch (x) {",
    "case 1:",
    "default:",
    "break;",
    "continue;",
    "goto l;",
    "l:",
    "(",
    ")",
    "{",
    "}",
    "[3]",
    ";",
    ",",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "&",
    "|",
    "^",
    "~",
    "!",
    "&&",
    "||",
    "<",
    "==",
    "?",
    ":",
    "->",
    ".",
    "x",
    "f",
    "f(x)",
    "&x",
    "*p",
    "p",
    "0",
    "1",
    "-1",
    "0x7fffffff",
    "0xffffffffull",
    "1.5f",
    "1e300",
    "'a'",
    "\"text\"",
    "(long long)",
    "(float)",
    "(char)",
    "(_Float16)",
    "sizeof(x)",
    "...",
    "__builtin_va_arg(l, int)",
    "__builtin_memcpy(p, q, 5)",
    "__builtin_memset(p, 0, 100)",
    "__builtin_clz(x)",
    "__builtin_sqrtf(x)",
    "__builtin_fmaf(x, y, z)",
    "__builtin_trap()",
    "__builtin_unreachable()",
    "__builtin_ipu_get(0)",
    "__builtin_ipu_max(x, y)",
    "__asm__ volatile(\"nop\");",
    "__attribute__((noinline))",
    "__attribute__((packed))",
    "__attribute__((aligned(16)))",
    "template <typename T>",
    "class c { public: virtual int f(); };\n",
    "define i32 @f(i32 %x) {\n",
    "ret i32 %x\n",
    "add i32",
    "mul i64",
    "udiv i64",
    "fadd float",
    "fdiv half",
    "<4 x half>",
    "<2 x float>",
    "<4 x i16>",
    "i1",
    "i8",
    "i16",
    "i64",
    "ptr",
    "half",
    "double",
    "zeroinitializer",
    "undef",
    "poison",
    "getelementptr i8, ptr %p, i32 1\n",
    "load i16, ptr %p, align 1\n",
    "store i8 1, ptr %p\n",
    "select i1 %c, i32 1, i32 2\n",
    "icmp slt i64",
    "fcmp ueq float",
    "phi i32 [ 0, %a ], [ 1, %b ]\n",
    "br i1 %c, label %a, label %b\n",
    "switch i32 %x, label %a [ i32 1, label %b ]\n",
    "call i32 @f(i32 %x)\n",
    "trunc i64 %x to i32\n",
    "sext i8 %x to i64\n",
    "bitcast <2 x half> %x to i32\n",
    "insertelement <4 x half> undef, half %h, i32 2\n",
    "extractelement <4 x half> %v, i32 %i\n",
    "shufflevector <4 x half> %v, <4 x half> %v, <4 x i32> <i32 3, i32 1, i32 0, i32 7>\n",
    "alloca [9 x i32], align 16\n",
    "freeze i32 %x\n",
    "unreachable\n",
    "align 2",
    "nsw",
    "volatile",
    "inbounds",
    NULL
};
static const mutate_pair pairs[] = { { "{\n", "}\n" },
                                     { "if (x) {\n", "}\n" },
                                     { "for (;;) {\n", "break; }\n" },
                                     { "int g(int x) {\n", "return x; }\n" },
                                     { NULL, NULL } };
static const mutate_language language = { .words = words, .pairs = pairs, .head = 1 };

/* Words that stand for one another, so that most changed texts compile; NULL between the groups. */
static const char *const c_groups[] = { "int",
                                        "unsigned",
                                        "char",
                                        "short",
                                        "long",
                                        "float",
                                        "double",
                                        "_Float16",
                                        "_Bool",
                                        NULL,
                                        "if",
                                        "while",
                                        NULL,
                                        "break",
                                        "continue",
                                        NULL,
                                        "static",
                                        "extern",
                                        "const",
                                        "volatile",
                                        "inline",
                                        NULL,
                                        "struct",
                                        "union",
                                        NULL,
                                        "__builtin_sqrtf",
                                        "__builtin_fabsf",
                                        "__builtin_expf",
                                        "__builtin_floorf",
                                        NULL,
                                        "__builtin_clz",
                                        "__builtin_ctz",
                                        "__builtin_popcount",
                                        "__builtin_bswap32",
                                        NULL };
static const char *const ir_groups[] = {
    "i1",   "i8",   "i16",  "i32",  "i64",  NULL,     "half",   "float", "double", NULL,     "add", "sub",
    "mul",  "udiv", "sdiv", "urem", "srem", "shl",    "lshr",   "ashr",  "and",    "or",     "xor", NULL,
    "fadd", "fsub", "fmul", "fdiv", "frem", NULL,     "eq",     "ne",    "ugt",    "uge",    "ult", "ule",
    "sgt",  "sge",  "slt",  "sle",  NULL,   "oeq",    "ogt",    "olt",   "une",    "uno",    "ord", "ueq",
    "uge",  NULL,   "zext", "sext", NULL,   "fptosi", "fptoui", NULL,    "sitofp", "uitofp", NULL
};

static const grammar *grammar_of(uint8_t first)
{
    static grammar c = { .comments = { "//" } };
    static grammar ir = { .comments = { ";" }, .begins = "%@", .continues = ".", .lines = true };
    static grammar_words lists[2];
    if (!c.words) {
        int group = GRAMMAR_GROUP;
        for (size_t i = 0; i < sizeof c_groups / sizeof *c_groups; i++)
            if (c_groups[i])
                grammar_add_word(&lists[0], c_groups[i], strlen(c_groups[i]), group);
            else
                group++;
        for (size_t i = 0; i < sizeof ir_groups / sizeof *ir_groups; i++)
            if (ir_groups[i])
                grammar_add_word(&lists[1], ir_groups[i], strlen(ir_groups[i]), group);
            else
                group++;
        grammar_use_words(&c, &lists[0]);
        grammar_use_words(&ir, &lists[1]);
    }
    return first == 'i' ? &ir : &c;
}

/* Three of four know the grammar; the others put any words anywhere. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    mutate_chance chance = mutate_chance_of(~seed);
    if (!size || mutate_one_in(&chance, 4)) return mutate_text(&language, data, size, most, seed);
    uint8_t first = *data; /* another language would hardly ever compile; the other letters only choose a chip */
    size = grammar_mutate(grammar_of(first), 1, data, size, most, seed);
    if (size) *data = first == 'i' || first == 'p' || mutate_below(&chance, 8) ? first : first ^ 32;
    return size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t most, unsigned seed)
{
    mutate_chance chance = mutate_chance_of(~seed);
    if (!a_size || !b_size || (*a == 'i') != (*b == 'i') || mutate_one_in(&chance, 4))
        return mutate_cross(&language, a, a_size, b, b_size, out, most, seed);
    size_t size = grammar_splice(grammar_of(*a), 1, a, a_size, b, b_size, out, most, seed);
    if (size) *out = *a;
    return size;
}
