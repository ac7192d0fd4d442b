/* main: what the files of `tilewright pto` share. */
#ifndef TW_PTO_MAIN_H
#define TW_PTO_MAIN_H

#include <tilewright/npy.h>

#include <glib.h>
#include <tilewright/pto/text.h>

enum { EXIT_OK, EXIT_FAILED, EXIT_USAGE };
enum { TW__MOST_DEVICES = 64 };

typedef struct tw__argument {
    const char *name, *value;
    int device;   /* NAME@DEVICE; -1 = all of them */
    tw_npy array; /* data NULL: a number */
    tw_type type; /* of the array's elements */
} tw__argument;

typedef struct tw__request {
    const char *file, *function, *target;
    GArray *args, *outs;
    bool manual, trace, profile;
    const char *profile_file;
    unsigned long long blocks, devices, max_steps;
    long vectors; /* -1 = as the program needs */
} tw__request;

/* --- main.c ----------------------------------------------------------------------------------------------------- */

int tw__usage_error(const char *format, const char *what); /* prints it; returns EXIT_USAGE */
/* Whole file, or the standard input for "-"; g_free it. false with tw_error_message(). */
bool tw__read_source(const char *file, char **source, size_t *size);

/* --- main_fmt.c: `fmt`, its options and files; returns the exit status ------------------------------------------ */

int tw__format_files(int argc, char **argv);

/* --- main_args.c: arguments from the command line --------------------------------------------------------------- */

/* Reads @file.npy or makes the zeros of f32[16x16]; a number is left as it is. */
tw_status tw__load_argument(tw__argument *argument);
/* What a device gets under a name: the one for this device, else the one for all. NULL when there is none. */
tw__argument *tw__argument_of(GArray *list, const char *name, int device);
tw_status tw__bind_argument(tw_pto_run *run, const tw__argument *argument);
/* The arguments of each device, [devices]: arrays that are for all of them are copied, so that each has its own. NULL
 * with a message. */
GArray **tw__arguments_by_device(GArray *args, unsigned devices);
void tw__free_arguments(GArray **by_device, unsigned devices);
/* --out for one device: memory of its arguments, else tiles of the run. Without @DEVICE it is device 0. */
tw_status tw__write_outputs(tw_pto *core, tw_pto_run *run, const tw__request *request, GArray *args,
                            unsigned device);

/* --- main_run.c ------------------------------------------------------------------------------------------------- */

/* Prints tw_error_message(). Returns EXIT_FAILED. */
int tw__command_failed(void);
/* Runs a program that has been verified for `target`; returns the exit status. */
int tw__run_blocks(const tw__request *r, tw_pto_text *text, tw_pto_target target);

#endif
