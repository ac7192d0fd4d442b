/* SPDX-License-Identifier: MIT */
/* checkpoint: the state of a machine as a file, written and read by one walk over the state.
 *
 *     tw__ck *k = path ? tw__ck_read(path, &head) : tw__ck_write(file, &head);
 *     tw__ck_section(k, "clock", 0);
 *     tw__ck_fields(k, rows, count, &machine->clock);
 *     tw_status status = tw__ck_end(k);
 *
 * The machine describes its structs by tables of fields; whoever walks asks tw__ck_reads() only where memory has to
 * be made, and to check what was read: a file comes from anywhere. The first thing that is wrong stays, later calls
 * do nothing, and what they read is zero. Whole numbers take as few bytes as they need (seven bits a byte), so the
 * same state gives the same bytes on every machine. The file: magic, head, sections (name, number, bytes), and a
 * trailer with length and checksum: a file that was cut off or damaged is told from one of another machine. */
#ifndef TW_CORE_BASE_CHECKPOINT_H
#define TW_CORE_BASE_CHECKPOINT_H

#include "core/base/base.h"
#include <stdio.h>

typedef struct tw__ck tw__ck;

const char *tw__build_name(void); /* build.c: version and commit of this library */

/* What a file has to agree with. */
typedef struct tw__ck_head {
    const char *machine; /* "wafer" */
    const char *build;   /* version and commit */
    uint64_t layout;     /* of the tables of fields: tw__ck_layout() */
    uint64_t program;    /* of what the machine runs */
} tw__ck_head;

typedef struct tw__ck_field {
    const char *name;
    uint32_t offset, size, count; /* count elements of 1, 2, 4 or 8 bytes; size 0: not in the file */
    uint64_t most;                /* of an element as an unsigned number */
} tw__ck_field;
#define TW__CK_ONE(type, field, most) { #field, offsetof(type, field), sizeof((type *)0)->field, 1, most }
#define TW__CK_ALL(type, field, most)                             \
    { #field, offsetof(type, field), sizeof((type *)0)->field[0], \
      sizeof((type *)0)->field / sizeof((type *)0)->field[0], most }
/* Another part of the walk brings it back, or the machine as it starts: for the test that all of a struct is told.
 * Its size, of a pointer too, which clang-tidy takes for a slip unless it is a struct's. */
#define TW__CK_NOT(type, field) \
    { #field, offsetof(type, field), 0, sizeof(struct { __typeof__(((type *)0)->field) whole; }), 0 }
#define TW__CK_ANY UINT64_MAX

/* A struct and its rows. Lists of them end with a name of NULL. */
typedef struct tw__ck_table {
    const char *name;
    size_t size;
    const tw__ck_field *rows;
    size_t count;
} tw__ck_table;
/* Part of tw__ck_head.layout: of what was hashed before (first: TW__FNV) and some more tables. */
uint64_t tw__ck_layout(uint64_t hash, const tw__ck_table *tables);

/* Both: NULL after a message. The file is not closed. */
tw__ck *tw__ck_write(FILE *out, const tw__ck_head *head);
tw__ck *tw__ck_read(const char *path, const tw__ck_head *head);
/* The end of it: TW_OK, or what was wrong: TW_E_IO, TW_E_NO_MEMORY, TW_E_FILE_LOAD. Frees it; NULL is fine: what
 * tw_error_status() says. */
tw_status tw__ck_end(tw__ck *k);

bool tw__ck_reads(const tw__ck *k);
bool tw__ck_good(const tw__ck *k);
/* When reading: the section that comes next must be that one, and the one before has been read to its end. */
void tw__ck_section(tw__ck *k, const char *name, uint32_t number);
/* What was read cannot be: TW_E_FILE_LOAD, with file and section before it. */
void tw__ck_wrong(tw__ck *k, const char *format, ...) TW_PRINTF(2, 3);
/* It is sound, and not for this run: the file's name, and then the text. */
void tw__ck_refuse(tw__ck *k, const char *format, ...) TW_PRINTF(2, 3);
void tw__ck_no_memory(tw__ck *k);
void tw__ck_skip(tw__ck *k); /* reading: the rest of the section */

uint64_t tw__ck_whole(tw__ck *k, const char *what, uint64_t value, uint64_t most); /* gives what is there */
static inline bool tw__ck_flag(tw__ck *k, const char *what, bool value)
{
    return tw__ck_whole(k, what, value, 1) != 0;
}
/* Of things that follow, each of which takes `least` bytes or more. */
size_t tw__ck_count(tw__ck *k, const char *what, size_t count, size_t most, size_t least);
void tw__ck_bytes(tw__ck *k, void *bytes, size_t size);
void tw__ck_fields(tw__ck *k, const tw__ck_field *rows, size_t count, void *at);
/* `count` whole numbers of `size` bytes. */
void tw__ck_wholes(tw__ck *k, const char *what, void *at, size_t size, size_t count, uint64_t most);
/* A text without zero bytes: malloc'ed when reading, NULL when something is wrong; when writing `text` itself. */
char *tw__ck_text(tw__ck *k, const char *what, const char *text, size_t most);
/* Memory of which most is zero: pages of 256 bytes that are not, and which. Reading: it is zero before. */
void tw__ck_sparse(tw__ck *k, const char *what, uint8_t *memory, size_t size);

#endif
