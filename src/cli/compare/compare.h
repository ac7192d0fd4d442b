/* SPDX-License-Identifier: MIT */
/* compare: one kernel on several machines. The parts of `tilewright compare`: kernels (what is calculated, and the
 * plain reference), machines (how a kernel's program is run there), and what is printed. */
#ifndef TW_CLI_COMPARE_H
#define TW_CLI_COMPARE_H

#include "cli/cli.h"

#include <glib.h>
#include <stdint.h>
#include <tilewright/npy.h>
#include <tilewright/profile.h>

enum { TW__COMPARE_ARRAYS = 3 };

/* A kernel's numbers at one size: inputs by name, what should come out. Owned: tw__compare_clear(). */
typedef struct tw__compare_case {
    size_t n;
    struct tw__compare_array {
        const char *name; /* in the lines `run:` of the programs; NULL: no more */
        bool is_integer;  /* int32_t rather than float */
        unsigned rank;
        size_t shape[2];
        void *data;
    } inputs[TW__COMPARE_ARRAYS], output;
    double *expected; /* as many as the output has elements, from sums in double */
    double tolerance; /* of an element, absolute */
    double
        operations; /* additions, multiplications, comparisons, calls of exp: of the definition, not of a program */
    double bytes;   /* inputs read once and output written once */
} tw__compare_case;

typedef struct tw__compare_kernel {
    const char *name, *what; /* what: one line */
    const char *size;        /* what n counts */
    size_t small, usual;     /* n of tests, and when the user names none */
    size_t unit, most;       /* n is a multiple of it, and what the host still calculates in seconds */
    void (*fill)(tw__compare_case *c);
} tw__compare_kernel;

extern const tw__compare_kernel tw__compare_kernels[];
extern const size_t tw__compare_kernel_count;
const tw__compare_kernel *tw__compare_find_kernel(const char *name); /* NULL */
void tw__compare_fill(const tw__compare_kernel *kernel, size_t n, tw__compare_case *c);
void tw__compare_clear(tw__compare_case *c);

typedef struct tw__compare_machine {
    const char *name, *arch; /* of the table of chips */
    const char *program;     /* the kernel's file for it */
    const char *device;      /* what {device} stands for in a line `run:` */
    const char *core;        /* what a core is called */
} tw__compare_machine;
extern const tw__compare_machine tw__compare_machines[];
extern const size_t tw__compare_machine_count;
const tw__compare_machine *tw__compare_find_machine(const char *name); /* NULL */
/* Its program of the kernel in `folder`: pto_a5.pto when there is one for the chip a5 alone, else pto.pto. */
char *tw__compare_program(const char *folder, const tw__compare_machine *machine);

/* What a run gave. */
typedef struct tw__compare_row {
    const tw__compare_kernel *kernel; /* NULL: a profile of the user's: */
    const tw__compare_machine *machine;
    char *label;       /* its file; NULL of a kernel */
    char *chip, *band; /* what its profile says of its machine and of its cycles; NULL: there is none */
    size_t n;
    char *problem; /* why there is no figure; NULL */
    char *command; /* that ran, as the program has it; NULL when none did */
    double worst;  /* error, in units of the tolerance */
    double operations, bytes;
    tw_profile_totals totals;
    unsigned cores_used, cores;
    uint64_t memory; /* most bytes of one core; 0: not known */
    uint64_t moved;  /* bytes between cores, or to and from the memory that they share */
    bool moved_is_known;
    double computing,
        exchanging; /* shares of the time of the cores that worked; the rest is waiting and launching */
    double clock_hz, peak_operations, peak_bytes; /* of the chip, a second; 0: not known */
} tw__compare_row;

/* Runs the kernel's program from `folder` on a machine. False with a message on stderr when nothing can be run at
 * all; what goes wrong with the program is in row->problem. */
bool tw__compare_run(const char *folder, const tw__compare_machine *machine, const tw__compare_kernel *kernel,
                     const tw__compare_case *c, tw__compare_row *row);
/* Fills in what a profile says; false with row->problem. */
bool tw__compare_read_profile(const char *path, tw__compare_row *row);
/* A row of the user's own. */
bool tw__compare_own(const char *path, tw__compare_row *row);
void tw__compare_row_clear(tw__compare_row *row);

/* Of the rate that the cores which worked could reach, 0 to 1; -1: not known. */
typedef struct tw__compare_share {
    double operations, bytes;
} tw__compare_share;
tw__compare_share tw__compare_share_of(const tw__compare_row *row);
size_t tw__compare_first(const tw__compare_row *rows, size_t last); /* the first row of that one's kernel */
/* As people read them, in `text`. */
char *tw__compare_seconds_text(double seconds, char text[32]);
char *tw__compare_bytes_text(double bytes, char text[32]);
const char *tw__compare_percent_text(double part, char text[32]);
const char *tw__compare_band_text(const tw__compare_row *row);

void tw__compare_print(const tw__compare_row *rows, size_t count);
json_t *tw__compare_json(const tw__compare_row *rows, size_t count);
void tw__compare_page(const tw__compare_row *rows, size_t count, FILE *out);

#endif
