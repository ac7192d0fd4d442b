/* SPDX-License-Identifier: MIT */
/* The convention of calls, guide 10.3, in both directions: compiled code calls assembly, which writes down what it
 * finds in registers and on the stack; assembly calls compiled code with values in those places. Each row says the
 * places. */
#include "program_test.h"

typedef struct row {
    const char *parameters, *arguments; /* of C; of variable ones the named first */
    const char
        *places; /* m0=1 a0=3f800000 s4=2, words in hex; a0~3c00: the low half counts; *m1=1,2: what it points to */
    const char *result, *value, *answer; /* type, C value, places; "" for the third: through the pointer in $m0 */
} row;

#define VOID "int", "5", "m0=5"

/* Guide 10.3.1 and 10.3.2; where it is silent, docs/colossus.md: doubles are pairs of the main file. */
static const row rows[] = {
    { "int a, int b, int c, int d, int e, int f", "1, -2, 3, 4, 5, 6", "m0=1 m1=fffffffe m2=3 m3=4 s0=5 s4=6",
      VOID },
    { "signed char a, unsigned char b, short c, unsigned short d", "-1, 200, -2, 65535",
      "m0=ffffffff m1=c8 m2=fffffffe m3=ffff", "signed char", "-5", "m0=fffffffb" },
    { "_Bool a, char b, int *c, enum e d", "1, -3, (int *)0x8000, two", "m0=1 m1=fffffffd m2=8000 m3=2",
      "unsigned short", "60000", "m0=ea60" },
    { "long long a", "0x100000002", "m0=2 m1=1", "long long", "-2", "m0=fffffffe m1=ffffffff" },
    { "int a, long long b, int c", "7, 0x100000002, 9", "m0=7 m2=2 m3=1 s0=9", "short", "-7", "m0=fffffff9" },
    { "long long a, long long b, long long c, int d, long long e", "1, 2, 3, 4, 5",
      "m0=1 m1=0 m2=2 m3=0 s0=3 s4=0 s8=4 s10=5 s14=0", "_Bool", "1", "m0=1" },
    { "float a, float b, float c, float d, float e, float f, float g, float h", "1, 2, 3, 4, 5, 6, 7, 8",
      "a0=3f800000 a1=40000000 a2=40400000 a3=40800000 a4=40a00000 a5=40c00000 s0=40e00000 s4=41000000", "float",
      "1.5f", "a0=3fc00000" },
    { "int a, float b, int c, float d, short e", "1, 1, 2, 2, -3", "m0=1 a0=3f800000 m1=2 a1=40000000 m2=fffffffd",
      "int *", "(int *)0x1234", "m0=1234" },
    { "float a, float2 b, float c", "1, ((float2){ 2, 3 }), 4", "a0=3f800000 a2=40000000 a3=40400000 a4=40800000",
      "float2", "(float2){ 2, 3 }", "a0=40000000 a1=40400000" },
    { "float4 a, float b, float2 c", "((float4){ 1, 2, 3, 4 }), 5, ((float2){ 6, 7 })",
      "a0=3f800000 a1=40000000 a2=40400000 a3=40800000 a4=40a00000 s0=40c00000 s4=40e00000", "float4",
      "(float4){ 1, 2, 3, 4 }", "a0=3f800000 a1=40000000 a2=40400000 a3=40800000" },
    { "half a, half2 b, half4 c", "1, ((half2){ 1, 2 }), ((half4){ 1, 2, 3, 4 })",
      "a0~3c00 a1=40003c00 a2=40003c00 a3=44004200", "half", "2", "a0~4000" },
    { "half4 a, half b", "((half4){ 1, 2, 3, 4 }), 2", "a0=40003c00 a1=44004200 a2~4000", "half4",
      "(half4){ 1, 2, 3, 4 }", "a0=40003c00 a1=44004200" },
    { "half2 a, int b", "((half2){ 2, 1 }), 3", "a0=3c004000 m0=3", "half2", "(half2){ 1, 2 }", "a0=40003c00" },
    { "double a, int b, double c", "1.5, 2, -1", "m0=0 m1=3ff80000 m2=2 s0=0 s4=bff00000", "double", "-2.5",
      "m0=0 m1=c0040000" },
    { "short2 a, char4 b, int2 c", "((short2){ 1, -2 }), ((char4){ 1, 2, 3, 4 }), ((int2){ 5, 6 })",
      "m0=fffe0001 m1=4030201 m2=5 m3=6", "int2", "(int2){ 7, 8 }", "m0=7 m1=8" },
    { "short4 a, short2 b", "((short4){ 1, 2, 3, 4 }), ((short2){ 5, 6 })", "m0=20001 m1=40003 m2=60005", "short2",
      "(short2){ 1, 2 }", "m0=20001" },
    { "struct of_float a, struct of_int b, struct nested c",
      "(struct of_float){ 1 }, (struct of_int){ 2 }, (struct nested){ { { 3 } } }", "a0=3f800000 m0=2 a1=40400000",
      "struct nested", "{ { { 4 } } }", "a0=40800000" },
    { "struct of_long a, struct of_char b", "(struct of_long){ 3 }, (struct of_char){ -4 }", "m0=3 m1=0 m2~fc",
      "struct of_int", "{ 6 }", "m0=6" },
    { "struct pair a, int b, struct pair c", "(struct pair){ 1, 2 }, 9, (struct pair){ 3, 4 }",
      "*m0=1,2 m1=9 *m2=3,4", "struct pair", "{ 5, 6 }", "" },
    { "union either a, float b", "(union either){ 7 }, 1", "*m0=7 a0=3f800000", "struct odd", "{ 1, 2, 3 }", "" },
    { "int a, ...", "1, 2, 3ll, 1.5, (char)-5", "m0=1 s0=2 s8=3 sc=0 s10=0 s14=3ff80000 s18=fffffffb", VOID },
    { "const char *a, ...", "(char *)16, (struct pair){ 1, 2 }, 5ll, 6", "m0=10 *s0=1,2 s8=5 sc=0 s10=6", VOID },
};

static const char types[] =
    "typedef _Float16 half;\n#define V(t, n) typedef t t##n __attribute__((ext_vector_type(n)));\n"
    "V(float, 2) V(float, 4) V(half, 2) V(half, 4) V(int, 2) V(short, 2) V(short, 4) V(char, 4)\n"
    "enum e { one = 1, two = 2 };\nstruct of_float { float f; };\nstruct of_int { int i; };\n"
    "struct nested { struct of_float a[1]; };\nstruct of_long { long long l; };\nstruct of_char { char c; };\n"
    "struct pair { int a, b; };\nstruct odd { char a; short b; int c; };\nunion either { int i; float f; };\n"
    "static int same(const void *a, const void *b, int n) {\n"
    "  for (int i = 0; i < n; i++) if (((const char *)a)[i] != ((const char *)b)[i]) return 0;\n  return 1;\n}\n";

enum {
    FOUND = 0x90000,
    STACKED = FOUND + 40,
    GIVEN = 0x90200,
    POINTED = 0x90400,
    HIDDEN = 0x90600,
    STACK_WORDS = 10
};

/* Writes down $m0 to $m3, $a0 to $a5 and the stack at FOUND, then loads $m0 to $m3 and $a0 to $a3 from GIVEN. */
static const char recorder[] =
    ".worker\n.section .text.f, \"ax\"\n.align 4\n.globl f\n.type f, @function\nf:\n  setzi $m4, %d\n"
    "  st32 $m0, $m4, $mzero, 0\n  st32 $m1, $m4, $mzero, 1\n  st32 $m2, $m4, $mzero, 2\n  st32 $m3, $m4, $mzero, "
    "3\n"
    "  st32 $a0, $m4, $mzero, 4\n  st32 $a1, $m4, $mzero, 5\n  st32 $a2, $m4, $mzero, 6\n  st32 $a3, $m4, $mzero, "
    "7\n"
    "  st32 $a4, $m4, $mzero, 8\n  st32 $a5, $m4, $mzero, 9\n  setzi $m4, %d\n  mov $m5, $sp\n  setzi $m6, 9\n"
    "1: ld32step $m0, $mzero, $m5+=, 1\n  st32step $m0, $mzero, $m4+=, 1\n  brnzdec $m6, 1b\n"
    "  setzi $m4, %d\n  ld32 $m0, $m4, $mzero, 0\n  ld32 $m1, $m4, $mzero, 1\n  ld32 $m2, $m4, $mzero, 2\n"
    "  ld32 $m3, $m4, $mzero, 3\n  ld32 $a0, $m4, $mzero, 4\n  ld32 $a1, $m4, $mzero, 5\n  ld32 $a2, $m4, $mzero, "
    "6\n"
    "  ld32 $a3, $m4, $mzero, 7\n  br $lr\n.stack_own f, 0\n";
static const char call_of_caller[] =
    ".worker\n.section .text.start, \"ax\"\n.align 4\n.globl start\nstart:\n  mov $sp, $mworker_base\n"
    "  call $lr, caller\n  exitnz $m0\n.stack_own start, 0\n";
/* Values for all that a function keeps; arguments from GIVEN, results to FOUND, what was kept behind them. */
static const char call_of_f[] =
    ".worker\n.section .text.start, \"ax\"\n.align 4\n.globl start\nstart:\n  add $sp, $mworker_base, -64\n"
    "  setzi $m4, %d\n  mov $m5, $sp\n  setzi $m6, 9\n"
    "1: ld32step $m0, $mzero, $m4+=, 1\n  st32step $m0, $mzero, $m5+=, 1\n  brnzdec $m6, 1b\n"
    "  setzi $m4, %d\n  ld32 $m0, $m4, $mzero, 0\n  ld32 $m1, $m4, $mzero, 1\n  ld32 $m2, $m4, $mzero, 2\n"
    "  ld32 $m3, $m4, $mzero, 3\n  ld32 $a0, $m4, $mzero, 4\n  ld32 $a1, $m4, $mzero, 5\n  ld32 $a2, $m4, $mzero, "
    "6\n"
    "  ld32 $a3, $m4, $mzero, 7\n  ld32 $a4, $m4, $mzero, 8\n  ld32 $a5, $m4, $mzero, 9\n"
    "  setzi $m7, 0x77\n  setzi $m8, 0x88\n  setzi $m9, 0x99\n  setzi $a6, 0x66\n  setzi $a7, 0x7a\n"
    "  call $lr, f\n  setzi $m4, %d\n  st32 $m0, $m4, $mzero, 0\n  st32 $m1, $m4, $mzero, 1\n"
    "  st32 $m2, $m4, $mzero, 2\n  st32 $m3, $m4, $mzero, 3\n  st32 $a0, $m4, $mzero, 4\n  st32 $a1, $m4, $mzero, "
    "5\n"
    "  st32 $a2, $m4, $mzero, 6\n  st32 $a3, $m4, $mzero, 7\n  st32 $m7, $m4, $mzero, 10\n  st32 $m8, $m4, $mzero, "
    "11\n"
    "  st32 $m9, $m4, $mzero, 12\n  st32 $a6, $m4, $mzero, 13\n  st32 $a7, $m4, $mzero, 14\n"
    "  sub $m0, $mworker_base, $sp\n  st32 $m0, $m4, $mzero, 15\n  exitz $mzero\n.stack_own start, 64\n";

/* --- places ----------------------------------------------------------------------------------------------------- */

typedef struct place {
    char file; /* 'm', 'a', 's' */
    unsigned number, count;
    bool is_pointer;
    uint32_t mask, words[4];
} place;

static bool next_place(const char **at, place *p)
{
    *at += strspn(*at, " ");
    if (!**at) return false;
    *p = (place){ .mask = UINT32_MAX };
    if (**at == '*') p->is_pointer = true, ++*at;
    p->file = *(*at)++;
    char *end;
    p->number = (unsigned)strtoul(*at, &end, 16);
    bool is_low = *end == '~';
    do p->words[p->count++] = (uint32_t)strtoul(end + 1, &end, 16);
    while (*end == ',');
    if (is_low) p->mask = p->words[0] > 0xff ? 0xffff : 0xff;
    *at = end;
    return true;
}

/* Its word in the block of registers and stack, as the recorder writes it. */
static uint32_t address_of(uint32_t block, const place *p)
{
    return block + (p->file == 'm' ? 4 * p->number : p->file == 'a' ? 16 + 4 * p->number : 40 + p->number);
}

/* --- the two directions ----------------------------------------------------------------------------------------- */

static machine build(const row *r, const char *code, const char *assembly)
{
    g_autoptr(GString) problems = g_string_new(NULL);
    static const char *const args[] = { "-O2", "-w", "-std=gnu11", "-ffreestanding", "-nostdinc", NULL };
    g_autofree char *text = program_compile("abi.c", code, TW__CC_C, args, problems);
    if (!text) fail_msg("(%s): %s\n%s", r->parameters, problems->str, code);
    tw_object *objects[] = { program_assemble(text, "abi.c", problems),
                             program_assemble(assembly, "abi.S", problems) };
    if (!objects[0] || !objects[1]) fail_msg("(%s): %s", r->parameters, problems->str);
    tw_link_options link = { .size = sizeof link, .entry = "start" };
    machine m = { .sim = tw_sim_new(NULL), .image = tw_link((const tw_object *const *)objects, 2, &link, NULL) };
    if (!m.image) fail_msg("(%s): %s", r->parameters, tw_error_message());
    for (unsigned i = 0; i < 2; i++) tw_object_free(objects[i]);
    assert_int_equal(tw_sim_load(m.sim, m.image), TW_OK);
    m.entry = tw_object_entry(m.image);
    return m;
}

static void run_row(machine *m, const row *r)
{
    tw_sim_launch launch = { .entry = m->entry, .vertex_base = 0x80000, .worker_base = 0xe0000 };
    assert_int_equal(tw_sim_start(m->sim, 0, &launch), TW_OK);
    tw_sim_stop stop = tw_sim_run(m->sim, 1000000);
    if (stop == TW_SIM_FAULT) fail_msg("(%s): %s", r->parameters, tw_sim_get_exception(m->sim)->message);
    assert_int_equal(stop, TW_SIM_DONE);
}

/* A result through memory shifts the arguments by the pointer. */
static const char *hidden(const row *r)
{
    return *r->answer ? "" : "the first argument is where the result goes";
}

static unsigned shifted(const row *r, const place *p)
{
    return !*r->answer && p->file == 'm' ? p->number + 1 : p->number;
}

static void compiled_calls_assembly(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const row *r = &rows[i];
        g_autofree char *code = g_strdup_printf(
            "%s\nextern %s f(%s);\n%s result;\nstatic const %s want = %s;\nint caller(void) {\n  %s r = f(%s);\n"
            "  return same(&r, &want, sizeof r);\n}\n",
            types, r->result, r->parameters, r->result, r->result, r->value, r->result, r->arguments);
        g_autofree char *f = g_strdup_printf(recorder, FOUND, STACKED, GIVEN);
        g_autofree char *assembly = g_strconcat(f, call_of_caller, NULL);
        machine m = build(r, code, assembly);
        place p;
        for (const char *at = r->answer; next_place(&at, &p);) poke(&m, address_of(GIVEN, &p), p.words[0]);
        run_row(&m, r);
        for (const char *at = r->places; next_place(&at, &p);) {
            p.number = shifted(r, &p);
            uint32_t word = peek(&m, address_of(FOUND, &p));
            for (unsigned k = 0; k < p.count; k++) {
                uint32_t got = p.is_pointer ? peek(&m, word + 4 * k) : word;
                if ((got ^ p.words[k]) & p.mask)
                    fail_msg("f(%s) with (%s): $%c%x is %x, not %x; %s", r->parameters, r->arguments, p.file,
                             p.number, got, p.words[k], hidden(r));
            }
        }
        if (*r->answer && !tw_sim_exit_status(m.sim, 0))
            fail_msg("f(%s): the caller finds another %s than %s", r->parameters, r->result, r->value);
        machine_free(&m);
    }
}

/* The names of parameters: the word before each comma. */
static void add_checks(GString *code, const char *parameters, const char *arguments)
{
    g_auto(GStrv) names = g_strsplit(parameters, ", ", -1);
    unsigned depth = 0, n = 0;
    const char *from = arguments;
    for (const char *at = arguments;; at++) {
        depth += *at == '(' || *at == '{', depth -= *at == ')' || *at == '}';
        if (*at && (*at != ',' || depth)) continue;
        if (!names[n] || names[n][0] == '.') break;
        const char *name = strrchr(names[n], ' ') + 1;
        while (*name == '*') name++;
        g_string_append_printf(code, "  { __typeof__(%s) w = %.*s; ok += same(&%s, &w, sizeof w); }\n", name,
                               (int)(at - from), from, name);
        n++, from = at + 1;
        if (!*at) break;
    }
    g_string_append_printf(code, "  found = ok == %u;\n", n);
}

static void assembly_calls_compiled(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const row *r = &rows[i];
        if (strstr(r->parameters, "...")) continue; /* va_arg: the programs */
        g_autoptr(GString) code = g_string_new(types);
        g_string_append_printf(code, "int found = 2;\n%s f(%s)\n{\n  int ok = 0;\n", r->result, r->parameters);
        add_checks(code, r->parameters, r->arguments);
        g_string_append_printf(code, "  %s r = %s;\n  return r;\n}\n", r->result, r->value);
        g_autofree char *assembly = g_strdup_printf(call_of_f, GIVEN + 40, GIVEN, FOUND);
        machine m = build(r, code->str, assembly);
        place p;
        uint32_t pointed = POINTED;
        for (const char *at = r->places; next_place(&at, &p);) {
            p.number = shifted(r, &p);
            for (unsigned k = 0; p.is_pointer && k < p.count; k++) poke(&m, pointed + 4 * k, p.words[k]);
            /* above the meaningful half there may be anything; a byte is extended by its caller */
            uint32_t word = p.mask == 0xffff ? p.words[0] | 0x7c010000
                            : p.mask == 0xff ? p.words[0] | 0xffffff00
                                             : p.words[0];
            poke(&m, address_of(GIVEN, &p), p.is_pointer ? pointed : word);
            pointed += p.is_pointer ? 32 : 0;
        }
        if (!*r->answer) poke(&m, GIVEN, HIDDEN);
        run_row(&m, r);
        int found = tw_object_find_symbol(m.image, "found");
        if (peek(&m, m.image->symbols[found].value) != 1)
            fail_msg("f(%s) does not find (%s)\n%s", r->parameters, r->arguments, code->str);
        for (const char *at = r->answer; next_place(&at, &p);) {
            uint32_t got = peek(&m, address_of(FOUND, &p));
            if ((got ^ p.words[0]) & p.mask)
                fail_msg("%s f(%s) returns %x in $%c%u, not %x", r->result, r->parameters, got, p.file, p.number,
                         p.words[0]);
        }
        static const uint32_t kept[] = { 0x77, 0x88, 0x99, 0x66, 0x7a, 64 };
        for (unsigned k = 0; k < G_N_ELEMENTS(kept); k++)
            if (peek(&m, FOUND + 40 + 4 * k) != kept[k]) fail_msg("f(%s) has not kept %u", r->parameters, k);
        machine_free(&m);
    }
}

int main(void)
{
    g_autoptr(GString) problems = g_string_new(NULL);
    g_autofree char *any = program_compile("x.c", "int x;", TW__CC_C, NULL, problems);
    if (!any) return print_message("no compiler: %s\n", problems->str), 0;
    const struct CMUnitTest tests[] = { cmocka_unit_test(compiled_calls_assembly),
                                        cmocka_unit_test(assembly_calls_compiled) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
