/* SPDX-License-Identifier: MIT */
/* Reports: a profile as one HTML file that opens anywhere, without a network and without a server; and what changed
 * between two profiles, as text. docs/report.md shows the views and says what each figure means.
 *
 *     tw_profile *p = tw_profile_load_file("profile.json");
 *     tw_profile_write_report(p, file, NULL);
 *
 * Threads: as for the profiles that are read; calls are independent. Findings may be shared. */
#ifndef TILEWRIGHT_REPORT_H
#define TILEWRIGHT_REPORT_H

#include <tilewright/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All else zero = the defaults. */
typedef struct tw_report_options {
    size_t size;         /* sizeof(tw_report_options) */
    const char *title;   /* of the page; NULL = the name of the profile's program, or "Tilewright report" */
    const char *name_a;  /* what the profile is called, a file's name, say; NULL = "A" */
    const char *name_b;  /* of the second one in a comparison; NULL = "B" */
    uint64_t row_bytes;  /* most bytes of per-tile rows of steps in the page; 0 = 8 MiB. The rows of the steps that
                         * lose the most cycles come first; of the others sums, minima and maxima stay. */
    const char *unnamed; /* what a profile is called that does not name its program; NULL = "Tilewright report" */
} tw_report_options;

/* Writes a report of a profile (any machine's; graph, execution or both) as HTML; options may be NULL.
 * TW_E_NO_ENVIRONMENT without the page's script, which the build makes of npm packages (the message says how to get
 * it), TW_E_MISSING_PROFILE when the profile is empty, TW_E_NO_MEMORY, TW_E_IO. */
TW_API tw_status tw_profile_write_report(const tw_profile *profile, FILE *out, const tw_report_options *options);
/* The same of two profiles: both side by side, and what differs, the largest difference first. */
TW_API tw_status tw_profile_write_comparison(const tw_profile *a, const tw_profile *b, FILE *out,
                                             const tw_report_options *options);

/* --- findings --------------------------------------------------------------------------------------------------- */

/* What a rule found (docs/report.md lists the rules with their formulas and thresholds). Texts belong to the list. */
typedef struct tw_finding {
    const char *rule;     /* "R1" */
    const char *text;     /* what is the case, with figures */
    const char *advice;   /* what to try; "" = nothing is known */
    const char *link;     /* into the page: "#view=memory&tile=3" */
    double severity;      /* 0 to 1: share of the time or of the limit that could be won at most */
    bool is_error;        /* it cannot run like this */
    tw_fidelity fidelity; /* of the weakest figure in it */
} tw_finding;
typedef struct tw_findings tw_findings;
/* All findings, the most severe first. NULL when out of memory. */
TW_API tw_findings *tw_profile_findings(const tw_profile *profile);
TW_API size_t tw_findings_count(const tw_findings *findings);
TW_API const tw_finding *tw_findings_at(const tw_findings *findings, size_t index); /* NULL past the end */
TW_API void tw_findings_free(tw_findings *findings);

/* --- text ------------------------------------------------------------------------------------------------------- */

/* Tables with small bar charts, for those without a browser: kernels and steps by cycles; tiles by bytes and by busy
 * cycles; memory by category, and the fullest tiles. At most `rows` lines a table, 0 = 20. Colours as in
 * tw_profile_options. TW_E_MISSING_PROFILE when the part is not there. */
TW_API tw_status tw_profile_print_top(const tw_profile *profile, FILE *out, tw_colours colours, unsigned rows);
TW_API tw_status tw_profile_print_tiles(const tw_profile *profile, FILE *out, tw_colours colours, unsigned rows);
TW_API tw_status tw_profile_print_memory(const tw_profile *profile, FILE *out, tw_colours colours, unsigned rows);
/* Steps added up by the names that the program gave them, as a tree: `Layer1/Fwd` is a part of `Layer1`. */
TW_API tw_status tw_profile_print_names(const tw_profile *profile, FILE *out, tw_colours colours, unsigned rows);
/* Lines of the sources by cycles, of all tiles together, with their text where it is known. TW_E_MISSING_PROFILE also
 * when the machine did not record lines. */
TW_API tw_status tw_profile_print_lines(const tw_profile *profile, FILE *out, tw_colours colours, unsigned rows);

/* What changed from a to b, the largest change first. */
TW_API tw_status tw_profile_print_diff(const tw_profile *a, const tw_profile *b, FILE *out, tw_colours colours,
                                       unsigned rows);
/* Judges a condition "METRIC OP VALUE" on the change from a to b: "cycles>+2%" (b has over 2 % more cycles than a),
 * "memory.max>600000" (of b), "tileBalance<-1%". OP is > or <. A sign before the value makes it a change from a; "%"
 * makes the change relative. Metrics: cycles, time, memory.max, memory.total, exchange.bytes, tileBalance,
 * threadBalance, findings. *holds: whether the condition holds; text[256]: the figures. TW_E_INVALID_ARGUMENT for a
 * condition that cannot be read, TW_E_MISSING_PROFILE for a metric that one of them does not have. */
TW_API tw_status tw_profile_judge(const tw_profile *a, const tw_profile *b, const char *condition, bool *holds,
                                  char text[256]);

#ifdef __cplusplus
}
#endif
#endif
