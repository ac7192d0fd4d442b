/* SPDX-License-Identifier: MIT */
/* The assembler's language: expressions, labels, conditions, macros, directives, sections (guide 7.5.1; Colossus ISA,
 * assembler). */
#include "asm_test.h"

/* --- bytes: what stands in .data ------------------------------------------------------------------------------ */

static const struct {
    const char *text, *hex;
} bytes[] = {
    { ".byte 1, 2, 0x10, 0b101, 017, -1, 'a', '\\n'", "01021005"
                                                      "0fff610a" },
    { ".short 0x1234, -2", "3412feff" },
    { ".int 0x12345678", "78563412" },
    { ".long 1 ; .word 2 ; .4byte 3", "010000000200000003000000" },
    { ".quad 0x123456789abcdef0", "f0debc9a78563412" },
    { ".float 1.5, -inf", "0000c03f000080ff" },
    { ".double 1.0", "000000000000f03f" },
    { ".ascii \"ab\\n\\\"\\101\"", "61620a2241" },
    { ".asciz \"ab\"", "616200" },
    { ".string \"a\", \"b\"", "61006200" },
    { ".space 3", "000000" },
    { ".skip 2, 0xff", "ffff" },
    { ".zero 1 ; .byte 1", "0001" },
    { ".fill 2, 2, 0x1234", "34123412" },
    { ".byte 1 ; .align 4 ; .byte 2", "0100000002" },
    { ".byte 1 ; .p2align 2, 0xee ; .byte 2", "01eeeeee02" },
    { ".byte 1 ; .balign 8,,2 ; .byte 2", "0102" },
    { ".org 3 ; .byte 1", "00000001" },
    /* precedence of GNU as: shifts and * bind tighter than | & ^, those tighter than + - */
    { ".byte 1 + 2 * 3, 1 | 2 + 4, 1 << 2 + 1, 7 & 3 * 2", "0707050"
                                                           "6" },
    { ".byte (1 + 2) * 3, ~0 & 0xf, !0, !5, 7 / 2, 7 % 4, -7 / 2", "090fff000303fd" },
    { ".byte 1 == 1, 1 != 1, 2 > 1, 1 >= 2, 1 && 0, 1 || 0", "ff00ff000001" },
    { "a = 3 ; .byte a ; a = a + 1 ; .byte a", "0304" },
    { ".set x, 5 ; .equ y, x * 2 ; .byte y", "0a" },
    { "l: .byte 1, 2 ; .byte . - l, m - l ; m:", "01020204" },
    { "1: .byte 0 ; 1: .byte 1f - 1b, 1b - 1b ; 1:", "000200" },
    { ".if 1 ; .byte 1 ; .else ; .byte 2 ; .endif", "01" },
    { ".if 0 ; .byte 1 ; .elseif 1 ; .byte 2 ; .else ; .byte 3 ; .endif", "02" },
    { ".if 0 ; .if 1 ; .byte 1 ; .else ; .byte 9 ; .endif ; .else ; .byte 2 ; .endif", "02" },
    { ".ifeq 0 ; .byte 1 ; .endif ; .ifne 0 ; .byte 2 ; .endif ; .ifgt 1 ; .byte 3 ; .endif ; .iflt 1 ; .byte 4 ; "
      ".endif",
      "0103" },
    { ".ifc \"a b\",\"a b\" ; .byte 1 ; .endif ; .ifc a, b ; .byte 2 ; .endif ; .ifnc a , b ; .byte 3 ; .endif",
      "0103" },
    { ".ifdef q ; .byte 1 ; .endif ; q = 1 ; .ifdef q ; .byte 2 ; .endif ; .ifndef q ; .byte 3 ; .endif", "02" },
    { ".ifb ; .byte 1 ; .endif ; .ifnb x ; .byte 2 ; .endif", "0102" },
    { ".rept 3 ; .byte 7 ; .endr", "070707" },
    { ".rept 2\n.rept 2\n.byte 1\n.endr\n.byte 2\n.endr", "010102010102" },
    { ".irp v, 1, 2, 3\n.byte \\v * 2\n.endr", "020406" },
    { ".irpc c, 123\n.byte \\c\n.endr", "010203" },
    { ".macro m a b=4 c\n.byte \\a, \\b, \\c + 0\n.endm\nm 1, , 3\nm 5 6 7\nm c=1, a=2", "01040305060702"
                                                                                         "0401" },
    { ".macro m a:req, b:vararg\n.byte \\a\n.byte \\b\n.endm\nm 1, 2, 3", "010203" },
    { ".macro m a\n.byte \\a\n.endm\nm 1 + 2\nm (1 + 3)\nm \"4 + 1\"", "030405" },
    { ".macro m\n.byte \\@\n.endm\nm\nm", "0001" },
    { ".macro m\nl\\@: .byte . - l\\@\n.endm\nm\nm", "0000" },
    { ".macro m x\n.byte x, x_y@ - x_y@\nx_y@:\n.endm\nm 3\nm 4", "03000400" },
    { ".macro m n\nlab@: .byte n\n.byte . - lab@ ; .endm\nm 3", "0301" },
    { ".macro m a\n.byte v\\a\\()w\n.endm\nv1w = 9\nm 1", "09" },
    { ".macro in a\n.byte \\a\n.endm\n.macro out b\nin \\b\nin \\b+1\n.endm\nout 4", "0405" },
    { ".macro m n\n.if \\n\n.byte \\n\nm \\n-1\n.endif\n.endm\nm 3", "030201" },
    { ".macro m a\n.byte 1\n.ifc \\a,x\n.exitm\n.endif\n.byte 2\n.endm\nm x\nm y", "010102" },
    { ".macro m\n.byte 1\n.endm\nm\n.purgem m\n.macro m\n.byte 2\n.endm\nm", "0102" },
    { ".pushsection .rodata ; .byte 9 ; .popsection ; .byte 1", "01" },
    { ".section .rodata ; .byte 9 ; .previous ; .byte 1", "01" },
    { "# 12 \"other.S\"\n.byte 1 // text\n/* a\nb */ .byte 2 # text", "0102" },
    { ".byte 1 \\\n, 2", "0102" },
    { ".byte 1\n.end\nnonsense", "01" },
    /* numbers and strings in all their spellings */
    { ".float 1, -1, +1.5, .5, 5., 1e3, 1E-1, 1.5e+2, 0f1.5, 0d2.5, 0F1, 0D-2",
      "0000803f000080bf0000c03f0000003f0000a04000007a44cdcccc3d000016430000c03f000020400000803f000000c0" },
    { ".float inf, +inf, -infinity, INF, nan", "0000807f0000807f000080ff0000807f0000c07f" },
    { ".single 2 ; .double -0.5, 1e1", "00000040000000000000e0bf0000000000002440" },
    { ".ascii \"\\b\\t\\n\\f\\r\\\\\\\"\\'\"", "08090a0c0d5c2227" },
    { ".ascii \"\\1\\12\\123\\1234\\377\\8\\07x\"", "010a535334ff380778" },
    { ".ascii \"\\x41\\x4g\\xfF\\x\\x123\\q\"", "410467ff002371" },
    { ".ascii \"a;b//c#d}\", \"\"", "613b622f2f6323647d" },
    { ".2byte 1 ; .value 2 ; .hword 3 ; .half 4 ; .4byte 5 ; .8byte 6", "010002000300040005000000"
                                                                        "0600000000000000" },
    { ".byte 255, -128 ; .short 65535, -32768 ; .long 0xffffffff, -0x80000000", "ff80ffff0080ffffffff00000080" },
    { ".byte\n.byte 1", "01" },
    { ".quad -1, 0x8000000000000000", "ffffffffffffffff0000000000000080" },
    { ".BYTE 1 ; .Align 2 ; .Short 2", "01000200" },
    /* room */
    { ".fill 3 ; .byte 1", "00000001" },
    { ".fill 2, 0, 7 ; .byte 1", "01" },
    { ".fill 1, 8, -1 ; .fill 2, 3, 0x12345678", "ffffffffffffffff785634785634" },
    { ".space 0 ; .space 2, 0x1ff ; .skip 1", "ffff00" },
    { ".byte 1 ; .align 8, 7 ; .align 8 ; .align 0 ; .align 1 ; .byte 2", "010707070707070702" },
    { ".byte 1 ; .balign 8,,7 ; .byte 2", "0100000000000000"
                                          "02" },
    { ".byte 1 ; .balign 8,,6 ; .byte 2 ; .balign 4, 9, 1 ; .balign 4, 9, 2 ; .byte 3", "01020909"
                                                                                        "03" },
    { ".byte 1 ; .p2align 3, , 7 ; .p2align 0 ; .byte 2", "010000000000000002" },
    { "l: .byte 1 ; .org l + 3 ; .org 3 ; .byte 2 ; .org . ; .byte 3 ; .org . + 1 ; .byte 4", "01000002030004" },
    /* conditions */
    { ".ifge 0 ; .byte 1 ; .endif ; .ifge -1 ; .byte 2 ; .endif ; .ifle 0 ; .byte 3 ; .endif ; .ifle 1 ; .byte 4 ; "
      ".endif ; .ifgt 0 ; .byte 5 ; .endif ; .iflt 0 ; .byte 6 ; .endif ; .iflt -1 ; .byte 7 ; .endif",
      "010307" },
    { ".ifne 3 ; .byte 1 ; .endif ; .ifeq 3 ; .byte 2 ; .else ; .byte 3 ; .endif ; .ifgt 2 ; .byte 4 ; .endif",
      "010304" },
    { ".ifeqs \"a\",\"a\" ; .byte 1 ; .endif ; .ifnes \"a\",\"b\" ; .byte 2 ; .endif ; .ifnc 'a','a' ; .byte 3 ; "
      ".endif",
      "0102" },
    { ".ifc a b , a b ; .byte 1 ; .endif ; .ifc ab, a b ; .byte 2 ; .endif ; .ifc , ; .byte 3 ; .endif ; .ifc a, ; "
      ".byte 4 ; .endif",
      "0103" },
    { ".ifc \"x,y\", \"x,y\"\n.byte 1\n.endif\n.ifc x, \"x\" // text\n.byte 2\n.endif", "0102" },
    { ".ifnotdef q ; .byte 1 ; .endif ; q: ; .ifndef q ; .byte 2 ; .endif ; .ifdef q ; .byte 3 ; .endif", "0103" },
    { "# used, not defined\n.long u ; .ifdef u ; .byte 1 ; .endif", "00000000" },
    { ".ifb // text\n.byte 1\n.endif\n.ifnb\n.byte 2\n.endif", "01" },
    { ".if 0 ; .elseif 0 ; .byte 1 ; .elseif 1 ; .byte 2 ; .elseif 1 ; .byte 3 ; .else ; .byte 4 ; .endif", "02" },
    { ".if 1 ; .byte 1 ; .elseif 1/0 ; .byte 2 ; .else ; .byte 3 ; .endif", "01" },
    { ".if 0\n.if 1/0\n.byte 1\n.elseif 1/0\n.endif\n.frob \"}\" { \n.ifdef\n.endif\n.endif\n.byte 2", "02" },
    { ".IF 1 ; .byte 1 ; .Else ; .byte 2 ; .ENDIF", "01" },
    /* repetitions */
    { ".rept 0\n.byte 1\n.endr\n.rep 2\n.byte 2\n.endr\n.byte 3", "020203" },
    { ".irp v\n.byte 1\\v\n.endr\n.irp v, 5\n.byte \\v\n.endr\n.irpc c,\n.byte 2\\c\n.endr", "010502" },
    { ".irp v, 1 2, \"3\" (4 + 1)\n.byte \\v\n.endr", "01020305" },
    { ".irp ab, 1\n.irp a, 2\n.byte \\ab, \\a\n.endr\n.endr", "0102" },
    { ".irpc c, 12\n.irp d, 3, 4\n.byte \\c\\d\n.endr\n.endr", "0d0e1718" },
    { ".irpc c, \"07\"\n.byte \\c ; .endr", "0007" },
    { ".set i, 0\n.rept 3\n.set i, i + 1\n.byte i\n.endr", "010203" },
    { ".rept 2 ; .byte 1 ; .ascii \".endr\" ; .endr # .endr", "012e656e6472012e656e6472" },
    { ".rept 1\n// .endr\n/* .endr\n.endr */ .byte 1\nl: .rept 2\n.byte 2\n.endr\n.endr", "010202" },
    { ".macro m\nxendm = 3\n// .endm\n.byte xendm /* *//* .endm */ ; //.endm\n.endm\nm", "03" },
    { "99999: .byte . - 99999b", "00" },
    { ".ifc a b, \"a b\"\n.byte 1\n.endif\n.ifnc ab, \"ab\"\n.byte 2\n.endif", "01" },
    { "x:.rept 2; .byte 1; .endr", "0101" },
    /* macros */
    { ".macro m // .endm\n/* .endm */ .byte 1\n# text\n.ascii \"\\\".endm\\\"\"\n.endm // text\nm",
      "01222e656e646d22" },
    { ".macro m, a, b\n.byte \\a, \\b\n.endm\nm 1, 2\nm 3 4\nm b=5, a=6\nm a = 7 b = 8", "0102030406050708" },
    { ".macro m a b\n.byte \\b\n.set b, 9\n.byte b\n.endm\nm 1, 2", "0209" },
    { ".macro m a\n.byte \\a\n.set a, 3\n.byte a\n.endm\nm 1", "0103" },
    { ".macro m a=\"1, 2\" b=3 c=(4 + 5)\n.byte \\a, \\b, \\c\n.endm\nm\nm 7\nm ,8\nm \"\" b=5 a=6",
      "01020309070309010208090605"
      "09" },
    { ".macro m a:vararg\n.byte \\a\n.endm\nm 1, 2, 3 // text\nm 4", "01020304" },
    { ".macro m a b:vararg\n.byte \\a + 0\n.ifnb \\b\n.byte \\b\n.endif\n.endm\nm 1\nm 2, 3 , 4 \nm",
      "0102030400" },
    { ".macro m ab a\n.byte \\ab, \\a\n.endm\nm 1, 2", "0102" },
    { ".macro m n\nv\\n\\()x = 5\n.byte v\\n\\()x\nv.\\n = 6\n.byte v.\\n\n.endm\nm 3", "0506" },
    { ".macro m op\n.\\op 1\n.endm\nm byte\nm short", "010100" },
    { ".macro m n\n.byte \\n.q\n.endm\nx.q = 4\nm x", "04" },
    { ".macro in\n.byte \\@\n.endm\n.macro out\nin\n.byte \\@\nin\n.endm\nout\nin", "0100020"
                                                                                    "3" },
    { ".macro m\nl@: .byte . - l@, l@ - l\\@\n.endm\nm\nm", "00000000" },
    { ".macro m a\n.ifc \\a,1\n.rept 3\n.byte 1\n.exitm\n.endr\n.byte 9\n.endif\n.byte 2\n.endm\nm 1\nm 2",
      "0102" },
    { ".macro m a\n.if \\a\n.exitm\n.byte 8\n.else\n.byte 1\n.endif\n.endm\nm 1\nm 0\n.byte 2", "0102" },
    { ".macro m\n.macro n\n.byte 4\n.endm\nn\n.endm\nm", "04" },
    { ".macro m a\n.byte \\a\n.endm\nm 2 * 3\nm 1 | 4 ; m 7 - 1 // text\nm 5 /* text */\nm ( 1 + ( 2 ) ) + 7\nm - "
      "( 3 )\n",
      "060506050afd" },
    { ".macro m a, b=2\n.byte \\a, \\b\n.endmacro\nm 1+1 3\nm -1 -2\nm ~0, - 3", "0203fd02fffd" },
    { ".macro m a\n.ascii \"\\a\"\n.endm\nm x;m \"y z\"", "7879207a" },
    { ".macro m a\n.byte a ; .endm\nm 3 ; .byte 4", "0304" },
    /* sections */
    { ".pushsection .rodata\n.pushsection .text\nnop\n.popsection\n.byte 9\n.popsection\n.byte 1", "01" },
    { ".section .rodata\n.previous\n.byte 1\n.previous\n.byte 2\n.previous\n.byte 3", "0103" },
    { ".text 0\n.data 1\n.byte 1\n.rodata\n.byte 2\n.bss\n.space 4\n.data\n.byte 3", "0103" },
    { ".section .a, \"aM\", @progbits, 4\n.byte 9\n.section \".data\"\n.byte 1\n.section .n, \"\", @note\n.section "
      ".b, \"aw\", %nobits\n.space 4\n.section .data\n.byte 2",
      "0102" },
    /* lines */
    { "#line 12 \"other.S\"\n.byte 1\n# 5 \"x.S\" 2\n.byte 2\n#\n# text\n.byte 3", "010203" },
    { ".byte 1 ;; .byte 2;\n;\n a: b: .byte 3\n 7: 8: .byte 4 + 7b - 8b", "01020304" },
    { "name = 4 ; name=5;.byte name\nother = name + 1 ; .byte other", "0506" },
    { ".byte 1 \\\r\n, 2\n.byte 3\t,\v4\f", "01020304" },
    { ".byte /* a */ 1 /* b */ , /* c\n */ 2", "0102" },
    { ".file \"x.c\" ; .loc 1 2 3 ; .ident \"i\" ; .cfi_sections .debug_frame ; .line 3 ; .title \"t\" ; .addrsig "
      "; .altmacro "
      "; "
      ".noaltmacro ; .extern f ; .byte 1",
      "01" },
};

static void directives_make_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(bytes); i++) {
        g_autofree char *text = g_strconcat(".data\n", bytes[i].text, "\n", NULL);
        tw_object *object = assemble(text);
        g_autofree char *hex = hex_of(section_of(object, ".data"));
        if (strcmp(hex, bytes[i].hex) != 0)
            fail_msg("row %zu: %s: %s, not %s", i, bytes[i].text, hex, bytes[i].hex);
        tw_object_free(object);
    }
}

/* --- refusals ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text, *phrase;
    int line, column;
} refused[] = {
    { ".frob 1", "unknown directive '.frob'", 1, 1 },
    { ".sectoin .text", "did you mean 'section'", 1, 1 },
    { ".byte 256", "does not fit 1 byte", 1, 7 },
    { ".byte 1 +", "an expression is missing", 1, 10 },
    { ".byte (1", "expected ')'", 1, 9 },
    { ".byte 1 / 0", "division by zero", 1, 9 },
    { ".byte 0x", "not a number", 1, 7 },
    { ".byte 12q", "not a number", 1, 7 },
    { ".int 1.5", "a real number cannot stand here", 1, 6 },
    { ".byte 0x1ffffffffffffffff", "does not fit 64 bits", 1, 7 },
    { ".byte \"x\" 3", "not expected here", 1, 11 },
    { "l: nop\nl: nop", "'l' is defined already", 2, 1 },
    { "a = 1\na: nop", "'a' is defined already", 2, 1 },
    { ".equiv a, 1\n.equiv a, 2", "defined already", 2, 1 },
    { "bri 1b", "no label '1:' before", 1, 5 },
    { "bri 1f", "no label '1:' behind", 1, 5 },
    { "bri .Lno", "label '.Lno' is not defined", 1, 5 },
    { "setzi $m0, a - b", "no value here", 1, 12 },
    { "shl $m0, $m1, foo", "has to be a constant", 1, 15 },
    { ".set x, x + 1\nsetzi $m0, x", "circles", 1, 1 },
    { ".if 1\nnop", "no .endif", 1, 1 },
    { ".endif", "no .if that belongs", 1, 1 },
    { ".else", "no .if that belongs", 1, 1 },
    { ".if 1\n.else\n.else\n.endif", "only .endif", 3, 1 },
    { ".if foo\n.endif", "known here", 1, 5 },
    { ".macro m\nnop", "no .endm", 1, 1 },
    { ".rept 2\nnop", "no .endr", 1, 1 },
    { ".rept -1\nnop\n.endr", "too many", 1, 1 },
    { ".rept 99999999\nnop\n.endr", "too many", 1, 1 },
    { ".macro m a\n.endm\nm 1, 2", "takes 1 arguments", 3, 6 },
    { ".macro m a:req\n.endm\nm", "needs its argument 'a'", 3, 2 },
    { ".macro m\nfrob $m0\n.endm\nm", "'frob'", 2, 1 },
    { ".macro m\nm\n.endm\nm", "nested more than", 2, 1 },
    { ".macro m\n.endm\n.macro m\n.endm", "is defined already", 3, 1 },
    { ".purgem m", "there is no macro 'm'", 1, 9 },
    { ".endm", "nothing that .endm", 1, 1 },
    { ".popsection", "no .pushsection", 1, 1 },
    { ".section .x, \"q\"", "unknown flag 'q'", 1, 14 },
    { ".type f, @thing", "unknown type of a symbol", 1, 11 },
    { ".align 3", "power of two", 1, 1 },
    { ".space -1", "between 0 and 2 MB", 1, 1 },
    { ".space 0x300000", "between 0 and 2 MB", 1, 1 },
    { ".data\n.space 0x200000\n.byte 1", "larger than the 2 MB", 3, 7 },
    { ".byte 1, 2\n.org 1", "cannot go back", 2, 1 },
    { ".bss\n.space 4\n.long 0, 0\n.byte 0, 7", "anything but zeros", 4, 10 },
    { ".bss\n.long foo", "anything but zeros", 2, 7 },
    { ".section .x,\"aw\",@nobits\n.ascii \"a\"", "anything but zeros", 2, 1 },
    { ".bss\n.fill 2, 4, 7", "anything but zeros", 2, 1 },
    { ".bss\n.float 1", "anything but zeros", 2, 8 },
    { ".error \"stop here\"", "stop here", 1, 1 },
    { ".err", ".err stands here", 1, 1 },
    { ".ascii \"abc", "no closing quote", 1, 8 },
    { ".incbin \"/nowhere/at/all\"", "nowhere", 1, 1 },
    { ".include \"/nowhere/at/all\"", "nowhere", 1, 1 },
    { ".stack_total f, 8\n.stack_own f, 8", "stack of 'f' is stated already", 2, 12 },
    { ".stack_total f, -8", "number of bytes", 1, 1 },
    { "f: nop\n.size f, g", "the size of 'f'", 2, 10 },
    { "setzi $m0, f@abs99", "unknown modifier", 1, 13 },
    /* comments that nobody closes */
    { ".byte 1 /* never closed", "the comment has no end", 1, 9 },
    { "/*/", "the comment has no end", 1, 1 },
    { ".if 0\nnop /* never\n.endif", "the comment has no end", 2, 5 },
    { ".macro m\nnop\n/* never\n.endm\nm", "the comment has no end", 3, 1 },
    { ".rept 2\n/* never\n.endr", "the comment has no end", 2, 1 },
    /* numbers at the ends of 64 bits */
    { ".byte 1\n.org 9223372036854775808", "cannot go back", 2, 1 },
    { ".byte 1\n.org 9223372036854775807", "between 0 and 2 MB", 2, 1 },
    { ".byte 1\nf: .org f + 9223372036854775807", "cannot go back", 2, 4 },
    { ".byte 1\n.org 18446744073709551615", "cannot go back", 2, 1 },
    { ".org 1.5", "known here", 1, 1 },
    { ".data\n.long 0\nf: .long 1\n.reloc f + 9223372036854775807, R_COLOSSUS_32, f", "has to be in this section",
      4, 8 },
    { ".reloc -9223372036854775808, R_COLOSSUS_32, f", "has to be in this section", 1, 8 },
    { ".space 9223372036854775808", "between 0 and 2 MB", 1, 1 },
    { ".space 9223372036854775807", "between 0 and 2 MB", 1, 1 },
    { ".fill 9223372036854775807, 8", "between 0 and 2 MB", 1, 1 },
    { ".fill 9223372036854775808, 8", "between 0 and 2 MB", 1, 1 },
    { ".fill 1, 9223372036854775808", "0 to 8 bytes", 1, 1 },
    { ".align 9223372036854775808", "power of two", 1, 1 },
    { ".p2align 9223372036854775808", "power of two", 1, 1 },
    { ".p2align 64", "power of two", 1, 1 },
    { ".rept 9223372036854775807\nnop\n.endr", "too many", 1, 1 },
    { ".rept 9223372036854775808\nnop\n.endr", "too many", 1, 1 },
    { ".comm c, 9223372036854775808", "at most 2 MB", 1, 1 },
    { ".comm c, 4, 9223372036854775808", "at most 2 MB", 1, 1 },
    { ".long 1 / 0", "division by zero", 1, 9 },
    { ".long -9223372036854775808 / -1", "does not fit 4 bytes", 1, 7 },
    { ".data\nf: .long f + 9223372036854775807", "is out of range", 2, 10 },
    { ".data\n.space 16\nf: .long f + 0x7ffffff8", "is out of range", 3, 10 },
    { ".data\nf: .long f - 0x80000001", "is out of range", 2, 10 },
    { ".stack_total f, 9223372036854775808", "number of bytes", 1, 1 },
    /* what a file cannot hold */
    { ".globl x\nx = 0x100000000", "'x' cannot be seen by other files", 2, 1 },
    { ".globl x\nf: nop\nx = f + 5", "'x' cannot be seen by other files", 3, 1 },
    { ".globl x\nf: nop\nx = f - 1", "'x' cannot be seen by other files", 3, 1 },
    { "f: nop\n.comm f, 4", "'f' is defined already", 2, 1 },
    { ".comm f, 4\n.lcomm f, 4", "'f' is defined already", 2, 1 },
    { "f = 4\n.comm f, 4", "'f' is defined already", 2, 1 },
    { ".lcomm f, 4\n.lcomm f, 4", "'f' is defined already", 2, 1 },
    { ".section .tw_lines", "is a table of the file format", 1, 1 },
    { ".stack_own \"a b\", 4", "cannot be the name of a stack note", 1, 1 },
};

static void wrong_texts_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++)
        check_refused(TW_ISA_IPU2, refused[i].text, refused[i].phrase, refused[i].line, refused[i].column);
}

/* Errors in an expansion name the line of the macro, and a note the call; a marker of the preprocessor names the
 * file. */
static void places_of_errors(void **state)
{
    (void)state;
    static const char text[] = "# 41 \"vertex.S\"\n.macro m a\n  shl $m0, $m1, \\a\n.endm\nnop\n  m 5000\n";
    tw_diags *diags = tw_diags_new();
    tw_object *object;
    assert_int_equal(tw_status_of(object = tw_asm_text(text, sizeof text - 1, "x", NULL, diags)), TW_E_PARSE);
    const tw_diag *error = tw_diags_get(diags, 0), *note = tw_diags_get(diags, 1);
    assert_string_equal(error->file, "vertex.S");
    assert_int_equal(error->line, 42);
    assert_int_equal(error->column, 17);
    assert_string_equal(error->source, "  shl $m0, $m1, 5000");
    assert_string_equal(note->file, "vertex.S");
    assert_int_equal(note->line, 45);
    assert_int_equal(note->severity, TW_NOTE);
    tw_diags_free(diags);
}

/* A mistake deep in expansions: the four innermost calls are told. */
static void notes_have_a_limit(void **state)
{
    (void)state;
    g_autoptr(GString) text = g_string_new(".macro m0\nfrob\n.endm\n");
    for (int i = 1; i < 7; i++) g_string_append_printf(text, ".macro m%d\n\n  m%d\n.endm\n", i, i - 1);
    g_string_append(text, "m6\n");
    tw_diags *diags = tw_diags_new();
    tw_object *object;
    assert_int_equal(tw_status_of(object = tw_asm_text(text->str, text->len, "x", NULL, diags)), TW_E_PARSE);
    for (size_t i = 1; i < 5; i++) {
        g_autofree char *note = g_strdup_printf("in the expansion of 'm%zu'", i - 1);
        assert_string_equal(tw_diags_get(diags, i)->message, note);
        assert_int_equal(tw_diags_get(diags, i)->line, 4 * (int)i + 2);
        assert_int_equal(tw_diags_get(diags, i)->column, 3);
        assert_int_equal(tw_diags_get(diags, i)->length, 2);
    }
    assert_null(tw_diags_get(diags, 5));
    tw_diags_free(diags);
}

/* Expansions of megabytes are made whole. */
static void large_repetitions(void **state)
{
    (void)state;
    g_autoptr(GString) text = g_string_new(".data\n.irpc c, 0123456789012345678901234567890123456789\n.byte \\c\n");
    for (int i = 0; i < 2000; i++) g_string_append(text, "// 50 characters of text that nobody needs to read\n");
    g_string_append(text,
                    "// 50 characters and a backslash at the end of all\\\n.endr\n.rept 100000\n.byte 7\n.endr\n");
    tw_object *o = assemble(text->str);
    assert_int_equal(section_of(o, ".data")->size, 100040);
    assert_int_equal(section_of(o, ".data")->data[39], 9);
    tw_object_free(o);
}

/* One more is too many, whether of repetitions or of bytes. */
static void bounds_of_repetitions(void **state)
{
    (void)state;
    static const struct {
        int64_t count;
        unsigned bytes; /* of the body, the end of its line included; 0: no body */
        bool fits;
    } rows[] = { { 0, 0, true },         { -1, 0, false },       { 0, 64, true },       { -1, 64, false },
                 { 4194304, 0, true },   { 4194305, 0, false },  { 4194304, 2, true },  { 4194305, 2, false },
                 { 1048576, 64, true },  { 1048577, 64, false }, { 1048575, 64, true }, { 524288, 128, true },
                 { 524289, 128, false }, { 671088, 100, true },  { 671089, 100, false } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GString) text = g_string_new(NULL);
        g_string_printf(text, ".rept %lld\n", (long long)rows[i].count);
        if (rows[i].bytes == 2) g_string_append(text, " \n");
        if (rows[i].bytes > 2) g_string_append_printf(text, "//%*s\n", (int)rows[i].bytes - 3, "");
        g_string_append(text, ".endr\n");
        tw_object *o = tw_asm_text(text->str, text->len, "x", NULL, NULL);
        tw_status status = tw_status_of(o);
        if (status != (rows[i].fits ? TW_OK : TW_E_PARSE)) fail_msg("row %zu: %d", i, status);
        tw_object_free(o);
    }
}

/* Long texts of one kind of line each: a second here, hours if each line looked at all before it. */
static void long_texts(void **state)
{
    (void)state;
    static const struct {
        const char *line; /* %1$d: its number */
        int count;
        tw_status status;
    } rows[] = {
        { ".macro m%1$d a\n.byte \\a\n.endm\n", 200000, TW_OK },
        { ".rept 1\n.endr\n", 200000, TW_OK },
        { ".irp a, 1, 2\n# \\a\n.endr\n", 100000, TW_OK },
        { ".section .data.x%1$d\n.byte 1\n", 31000, TW_OK },
        { ".section .data.x%1$d\n", 200000, TW_E_PARSE },
        { ".pushsection .data\n", 200000, TW_OK },
        { ".warning \"w\"\n", 200000, TW_OK },
        { ".print \"p\"\n", 200000, TW_OK },
        { "nop\n.warning \"w\"\n", 200000, TW_OK },
        { ".stack_own f%1$d, 8\n", 200000, TW_OK },
        { ".stack_calls f%1$d, g\n", 200000, TW_OK },
        { "l%1$d: bri l%1$d\n", 200000, TW_OK },
        { "1: bri 1b\nbri 2f\n2:\n", 100000, TW_OK },
        { "%1$d: bri %1$db\n", 90000, TW_OK },
        { "x = x%1$d\n.set x%1$d, %1$d\n", 100000, TW_OK },
        { ".comm c%1$d, 4\n", 200000, TW_OK },
        { ".if 1\n", 200000, TW_E_PARSE },
        { "# %1$d \"file%1$d.S\"\nnop\n", 200000, TW_OK },
        { ".reloc ., R_COLOSSUS_32, f\n.long 0\n", 100000, TW_OK },
        { "{nop\n;fnop}\n", 100000, TW_OK },
        { ".globl g%1$d\n.type g%1$d, @function\n.size g%1$d, 4\n", 60000, TW_OK },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (int k = 0; k < rows[i].count; k++) g_string_append_printf(text, rows[i].line, k);
        tw_diags *diags = tw_diags_new();
        tw_object *o = tw_asm_text(text->str, text->len, "x", NULL, diags);
        tw_status status = tw_status_of(o);
        if (status != rows[i].status) tw_diags_print(diags, stderr, false);
        if (status != rows[i].status) fail_msg("row %zu: %d", i, status);
        tw_diags_free(diags);
        tw_object_free(o);
    }
}

/* Warnings end at 20, with a count of the others; what .print says is no warning. */
static void many_warnings(void **state)
{
    (void)state;
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < 50; i++) g_string_append_printf(text, ".warning \"w%d\"\n", i);
    g_string_append(text, ".print \"seen\"\n.error \"e\"\n");
    tw_diags *diags = tw_diags_new();
    tw_object *object;
    assert_int_equal(tw_status_of(object = tw_asm_text(text->str, text->len, "x", NULL, diags)), TW_E_PARSE);
    assert_string_equal(tw_diags_get(diags, 19)->message, "w19");
    assert_int_equal(tw_diags_get(diags, 19)->line, 20);
    assert_string_equal(tw_diags_get(diags, 20)->message, "30 more warnings are not shown");
    assert_string_equal(tw_diags_get(diags, 21)->message, "seen");
    assert_string_equal(tw_diags_get(diags, 22)->message, "e");
    assert_int_equal(tw_diags_get(diags, 22)->line, 52);
    tw_diags_free(diags);
}

/* Values that share their parts are looked at once each. */
static void shared_values(void **state)
{
    (void)state;
    g_autoptr(GString) text = g_string_new("v0 = end - start\n");
    for (int i = 1; i < 90; i++) g_string_append_printf(text, "v%d = v%d - v%d + v%d\n", i, i - 1, i - 1, i - 1);
    g_string_append(text, ".data\n");
    for (int i = 0; i < 20000; i++) g_string_append(text, ".byte v89\n");
    g_string_append(text, "start: .space 7\nend:\n");
    tw_object *o = assemble(text->str);
    assert_int_equal(section_of(o, ".data")->data[19999], 7);
    tw_object_free(o);
}

static void many_errors_stop_it(void **state)
{
    (void)state;
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < 1000; i++) g_string_append(text, "frob\n");
    tw_diags *diags = tw_diags_new();
    tw_object *object;
    assert_int_equal(tw_status_of(object = tw_asm_text(text->str, text->len, "x", NULL, diags)), TW_E_PARSE);
    assert_int_equal(tw_diags_count(diags, TW_ERROR), 20);
    tw_diags_free(diags);
}

/* --- the guide's own text ------------------------------------------------------------------------------------- */

static void line_ends_and_marks(void **state)
{
    (void)state;
    tw_object *o = assemble("\xef\xbb\xbfnop\r\n.macro m a\r\n  add $m1, $m2, \\a\r\n.endm\r\n.ifc "
                            "\"x\",\"x\"\r\nm 3\r\n{ nop\r\nfnop }\r\n.endif");
    assert_int_equal(section_of(o, ".text")->size, 16);
    assert_int_equal(word_of(section_of(o, ".text"), 1), 0x22210003);
    tw_object_free(o);
}

/* Arguments behind blanks, and a label that is new each time. */
static void macro_of_the_guide(void **state)
{
    (void)state;
    tw_object *o =
        assemble(".macro LOAD_BOTH FROM UNUSED TO\n\n  brz $m0, over@\n  ld32 $m1, $mzero, $mvertex_base,FROM\n"
                 "  ld32 $m2, $mzero, $mvertex_base,TO\n\nover@: .endm\nLOAD_BOTH 0 1 2\nLOAD_BOTH 3 4 5\n");
    assert_int_equal(section_of(o, ".text")->size, 24);
    assert_int_equal(word_of(section_of(o, ".text"), 5) & 0xfff, 5);
    tw_object_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directives_make_bytes), cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(places_of_errors),      cmocka_unit_test(many_errors_stop_it),
        cmocka_unit_test(bounds_of_repetitions), cmocka_unit_test(long_texts),
        cmocka_unit_test(many_warnings),         cmocka_unit_test(shared_values),
        cmocka_unit_test(notes_have_a_limit),    cmocka_unit_test(large_repetitions),
        cmocka_unit_test(macro_of_the_guide),    cmocka_unit_test(line_ends_and_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
