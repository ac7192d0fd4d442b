/* SPDX-License-Identifier: MIT */
/* The instruction set of the Colossus tile processors as data: one table that the assembler, the disassembler, the
 * simulator and the reference in docs/ read.
 *
 *     tw_insn insn;
 *     char text[TW_INSN_TEXT];
 *     if (tw_insn_decode(TW_ISA_IPU2, 0x44203011, &insn)) puts(tw_insn_format(&insn, text));   // add $m1, $m2, $m3
 *
 * Words are little-endian in memory. Bit 31 says that an instruction is half of a bundle: two words, main pipeline
 * first, both with the bit set. Every row is static and lives as long as the program.
 *
 * Threads: tables and pure functions, for any number at once. */
#ifndef TILEWRIGHT_POPLAR_COLOSSUS_ISA_H
#define TILEWRIGHT_POPLAR_COLOSSUS_ISA_H

#include <tilewright/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Chips, as bits of a set. */
typedef enum tw_isa_arch { TW_ISA_IPU1 = 1, TW_ISA_IPU2 = 2, TW_ISA_IPU21 = 4, TW_ISA_ALL = 7 } tw_isa_arch;
/* "ipu1" = "mk1", "ipu2" = "mk2", "ipu21", without regard to case; 0 and a message for another name. */
TW_API tw_isa_arch tw_isa_arch_by_name(const char *name);
TW_API const char *tw_isa_arch_name(tw_isa_arch arch); /* "ipu2"; "" for a set */

typedef enum tw_isa_pipe { TW_ISA_MAIN = 0, TW_ISA_AUX = 1 } tw_isa_pipe;
typedef enum tw_isa_context { TW_ISA_WORKER = 1, TW_ISA_SUPERVISOR = 2, TW_ISA_BOTH = 3 } tw_isa_context;
typedef enum tw_isa_flag {
    TW_ISA_CONTROL = 1,   /* changes the flow: not inside a repeat body */
    TW_ISA_SYSTEM = 2,    /* the same rule, for other reasons */
    TW_ISA_ALONE = 4,     /* never half of a bundle */
    TW_ISA_SHORT = 8,     /* the third operand may be left out in text and is $mzero then */
    TW_ISA_TWO_WORDS = 16 /* eight bytes; bit 31 of the first word is set */
} tw_isa_flag;

/* Where the value of an operand lives. */
typedef enum tw_isa_file {
    TW_ISA_MRF = 0,   /* $m0 to $m15 */
    TW_ISA_ARF = 1,   /* $a0 to $a15 */
    TW_ISA_CONST = 2, /* a number */
    TW_ISA_CSR = 3,   /* index of a control and status register, 0 to 255 */
    TW_ISA_UCSR = 4,  /* the same of the upper half, as index - 256 */
    TW_ISA_CODE = 5   /* an address of code or data */
} tw_isa_file;

/* One kind of operand. */
typedef struct tw_isa_operand {
    const char *name;   /* as the rows call it: "Md", "A2", "S16" */
    const char *label;  /* as documentation calls it: "$mD", "$aS:pair", "simm16" */
    const char *suffix; /* what follows the register in text: "+=", ":BL"; "" */
    tw_isa_file file;
    uint8_t registers; /* 1, 2 (even first), 4 (first divisible by 4); 0: no register */
    bool reads, writes;
    uint8_t bits;  /* of the field, as a number without shift */
    uint8_t shift; /* value = field << shift */
    bool is_signed;
} tw_isa_operand;

enum { TW_ISA_OPERANDS = 6, TW_ISA_ACCESSES = 3, TW_ISA_STORE = 0x80, TW_INSN_TEXT = 160 };

/* One encoding of one instruction. */
typedef struct tw_isa_row {
    const char *id;   /* unique: "add_s" */
    const char *name; /* mnemonic: "add" */
    const char *doc;  /* one line */
    tw_isa_pipe pipe;
    tw_isa_context context;
    uint8_t archs;        /* set of tw_isa_arch */
    uint8_t flags;        /* set of tw_isa_flag */
    uint8_t cycles;       /* turns of the worker until its next instruction */
    uint8_t count;        /* operands */
    uint32_t match, mask; /* word & mask == match; without bit 31 where it is the bundle bit */
    const tw_isa_operand *operands[TW_ISA_OPERANDS]; /* in the order of the text */
    uint8_t accesses[TW_ISA_ACCESSES];               /* bytes of each memory access, | TW_ISA_STORE; 0 = no more */
} tw_isa_row;

TW_API size_t tw_isa_count(void);
TW_API const tw_isa_row *tw_isa_get(size_t index); /* NULL past the end */
/* First row with this mnemonic (any case), or the one after `after`; NULL when there is none (left). */
TW_API const tw_isa_row *tw_isa_find(const char *name, const tw_isa_row *after);

/* One instruction. Operands: register number (the lowest of a pair or quad), constant (signed ones as int32_t cast to
 * uint32_t), address in bytes, CSR index. */
typedef struct tw_insn {
    uint16_t row; /* index for tw_isa_get() */
    bool bundled; /* bit 31: half of a bundle */
    uint32_t operands[TW_ISA_OPERANDS];
} tw_insn;

/* The instruction in `word` (for two-word ones the second word in the upper half). False when the chip has no such
 * instruction, or when a register field does not name a legal pair or quad. */
TW_API bool tw_insn_decode(tw_isa_arch arch, uint64_t word, tw_insn *insn);
/* The reverse. TW_E_NOT_SUPPORTED: not on this chip; TW_E_INDEX: no such row or register; TW_E_OVERFLOW: a constant
 * does not fit its field; the message names the operand. */
TW_API tw_status tw_insn_encode(tw_isa_arch arch, const tw_insn *insn, uint64_t *word);
/* Text that the assembler accepts and turns into the same word. Returns buf. */
TW_API char *tw_insn_format(const tw_insn *insn, char buf[TW_INSN_TEXT]);
/* "add $mD, $mS, simm16" into buf; returns buf. */
TW_API char *tw_isa_syntax(const tw_isa_row *row, char buf[TW_INSN_TEXT]);

/* All rows, aliases and control registers as a page of Markdown (docs/colossus-instructions.md); free(). NULL: no
 * memory. */
TW_API char *tw_isa_reference(void);

/* Another spelling: `mov $m1, $m2` stands for `or $m1, $m2, 0`. */
typedef struct tw_isa_alias {
    const char *name;
    const tw_isa_row *row;
    uint8_t count; /* operands in text */
    int8_t
        sources[TW_ISA_OPERANDS]; /* operand k of the row: index of the text's operand, ~index for its negative; */
    uint32_t constants[TW_ISA_OPERANDS]; /* ... or TW_ISA_FIXED and the value here */
    bool shown;                          /* the disassembler prefers it */
} tw_isa_alias;
enum { TW_ISA_FIXED = 100 };
TW_API const tw_isa_alias *tw_isa_alias_get(size_t index); /* NULL past the end */

/* A control and status register. */
typedef struct tw_isa_csr {
    const char *name;
    uint16_t index;         /* 0 to 511; from 256 on only uget and uput reach it */
    tw_isa_context context; /* who has it */
    uint8_t archs;
    bool writable;
    const char *doc;
} tw_isa_csr;
TW_API const tw_isa_csr *tw_isa_csr_get(size_t index); /* row of the table; NULL past the end */
TW_API const tw_isa_csr *tw_isa_csr_by_name(const char *name);
/* NULL when none has this index in this context. */
TW_API const tw_isa_csr *tw_isa_csr_at(tw_isa_context context, unsigned index);

#ifdef __cplusplus
}
#endif
#endif
