/* SPDX-License-Identifier: MIT */
/* aie_build: a graph with its kernels becomes a program. Objects, the program and a precompiled header of <adf.h>
 * (and of the layered library) lie in the user's cache (kept.c), so that a run compiles only what has changed. */
#include "cli/aie/aie.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/aie/cost.h>
#include <tilewright/tile.h>

static void aie_build_add(GPtrArray *words, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void aie_build_add(GPtrArray *words, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_ptr_array_add(words, g_strdup_vprintf(format, args));
    va_end(args);
}

static void add_all(GPtrArray *words, const GPtrArray *more)
{
    for (guint i = 0; i < more->len; i++) aie_build_add(words, "%s", (char *)more->pdata[i]);
}

static GPtrArray *new_words(void)
{
    return g_ptr_array_new_with_free_func(g_free);
}

/* --- the compiler ----------------------------------------------------------------------------------------------- */

typedef struct compiler {
    GPtrArray *words;
    bool gnu;
    bool is_sanitized; /* it takes one sanitizer of addresses: the user's own comes first */
    bool has_lld;
} compiler;

/* A listing is of clang's code, whatever builds programs. */
static compiler find_compiler(bool is_for_listing)
{
    compiler c = { .words = new_words(), .gnu = true };
    const char *given = is_for_listing ? NULL : g_getenv("CXX");
    g_autofree char *clang = g_find_program_in_path("clang++-19"), *lld = g_find_program_in_path("ld.lld-19");
    g_auto(GStrv) words = g_strsplit_set(given && *given ? given : clang ? "clang++-19" : "c++", " \t", -1);
    for (char **word = words; *word; word++) {
        c.is_sanitized |= g_str_has_prefix(*word, "-fsanitize=") && strstr(*word, "address");
        if (**word) aie_build_add(c.words, "%s", *word);
        if (strstr(*word, "clang")) c.gnu = false;
    }
    c.has_lld = lld && c.words->len && strstr(c.words->pdata[0], "clang++-19");
    return c;
}

bool tw__aie_find_library(tw__aie_request *r)
{
    const char *checkout = g_getenv("TILEWRIGHT_AIE_API");
    if (checkout && *checkout) g_ptr_array_add(r->folders, g_build_filename(checkout, "include", NULL));
    for (guint i = 0; i < r->folders->len; i++) {
        g_autofree char *header = g_build_filename(r->folders->pdata[i], "aie_api", "aie.hpp", NULL);
        if (g_file_test(header, G_FILE_TEST_IS_REGULAR)) return true;
    }
    fprintf(stderr,
            "tilewright aie: the program includes aie_api, the vendor's layered library, which is not part of this "
            "project: give the folder that has aie_api/aie.hpp by -I, or a checkout of it in TILEWRIGHT_AIE_API\n");
    return false;
}

/* --- compiling -------------------------------------------------------------------------------------------------- */

typedef struct work {
    const tw__aie_request *r;
    const tw__aie_sources *s;
    compiler c;
    char *precompiled;  /* header; NULL: none to use */
    GPtrArray *objects; /* paths of kept files; the last may be that of the precompiled header */
} work;

/* So that the profile has loads and stores through pointers: calls of libtilewright_aie_check (docs/aie.md). */
static void count_pointers(GPtrArray *words, bool gnu)
{
    static const char *const options[] = { "instrumentation-with-call-threshold=0", "stack=0", "globals=0" };
    aie_build_add(words, "-fsanitize=kernel-address");
    if (!gnu)
        aie_build_add(words, "-fno-sanitize-link-runtime"), aie_build_add(words, "-mllvm"),
            aie_build_add(words, "-asan-kernel-mem-intrinsic-prefix=1");
    for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
        if (!gnu) aie_build_add(words, "-mllvm");
        aie_build_add(words, gnu ? "--param=asan-%s" : "-asan-%s", options[i]);
    }
}

static bool is_timed(const tw__aie_request *r)
{
    return r->profile || r->report || r->timestamps || r->listing;
}

/* Cycles from the compiler's code, block by block: with clang 19. Else from the issue slots of intrinsics, and of
 * loads and stores that instrumented code reports. */
static bool counts_blocks(const work *w)
{
    const char *first = w->c.words->len ? w->c.words->pdata[0] : "";
    return is_timed(w->r) && !w->c.is_sanitized && strcmp(first, "clang++-19") == 0 && tw_aie_can_cost();
}

static bool counts_pointers(const work *w)
{
    return is_timed(w->r) && !w->c.is_sanitized && !counts_blocks(w);
}

static void add_compiler(GPtrArray *words, const compiler *c)
{
    for (guint i = 0; i < c->words->len; i++) aie_build_add(words, "%s", (char *)c->words->pdata[i]);
}

/* Of the layered library, in front of everything. */
static void add_first(GPtrArray *words, const tw__aie_sources *s)
{
    static const char *const first[] = { "tilewright/aie/vendor.hpp", "aie_api/aie.hpp", "aie_api/aie_adf.hpp" };
    for (size_t i = 0; i < G_N_ELEMENTS(first) && s->layered; i++)
        aie_build_add(words, "-include"), aie_build_add(words, "%s", first[i]);
}

/* What belongs to a program alone; a precompiled header does without, so that programs share it. */
static bool is_own(const char *flag)
{
    bool macro = g_str_has_prefix(flag, "-D") || g_str_has_prefix(flag, "-U");
    return g_str_has_prefix(flag, "-I") || g_str_has_prefix(flag, "-W") ||
           (macro && flag[2] && flag[2] != '_' && !g_str_has_prefix(flag + 2, "TW"));
}

/* Code as the core's compiler would see it: intrinsics whole, nothing made wider for the host, loops as they are
 * written; without the assertions of the layered library, which would cut its loops to pieces. */
static void add_counting(GPtrArray *words, const tw__aie_sources *s)
{
    aie_build_add(words, "-DTW_AIE_COST"), aie_build_add(words, "-Xclang"),
        aie_build_add(words, "-disable-llvm-passes");
    if (s->layered) aie_build_add(words, "-DNDEBUG");
}

/* The words of a command up to the source. */
static GPtrArray *compile_words(const work *w, bool is_shared)
{
    const tw__aie_request *r = w->r;
    GPtrArray *words = new_words();
    add_compiler(words, &w->c);
    aie_build_add(words, "-std=gnu++20"), aie_build_add(words, "-O2"), aie_build_add(words, "-ffp-contract=off"),
        aie_build_add(words, "-Wno-psabi");
    aie_build_add(words, w->c.gnu ? "-g1" : "-gline-tables-only"); /* reports of loads and stores name lines */
    if (w->s->layered && w->c.gnu) aie_build_add(words, "-fpermissive");
    if (w->s->layered) aie_build_add(words, "-w"); /* of the library */
    aie_build_add(words, r->hardware ? "-D__AIESIM__" : "-D__X86SIM__");
    if (counts_blocks(w)) add_counting(words, w->s);
    if (is_timed(r) && !counts_blocks(w)) aie_build_add(words, "-DTW_AIE_PROFILE");
    if (counts_pointers(w)) count_pointers(words, w->c.gnu);
    aie_build_add(words, "-I%s/tilewright/compat/aie", tw_include_dir());
    tw__cli_add_headers(words);
    for (guint i = 0; i < r->folders->len && r->folders->pdata[i] && (!is_shared || w->s->layered); i++)
        aie_build_add(words, "-I%s", (char *)r->folders->pdata[i]);
    for (guint i = 0; i < r->flags->len; i++) {
        const char *flag = r->flags->pdata[i];
        bool apart = is_own(flag) && !flag[2];                          /* its value is the next word */
        if (counts_blocks(w) && g_str_has_prefix(flag, "-O")) continue; /* cycles are those of optimised code */
        if (!is_shared || !is_own(flag)) aie_build_add(words, "%s", flag);
        if (apart && is_shared) i++;
    }
    return words;
}

/* The unit with counters in its blocks, in a file beside what a run leaves. */
static bool write_counted(const char *unit, const char *counted)
{
    char *code = NULL;
    void *more = NULL;
    size_t size, more_size;
    bool done = (code = tw_read_file(unit, (size_t)1 << 30, &size)) != NULL &&
                (more = tw_aie_cost(code, size, &more_size)) != NULL &&
                tw_write_file(counted, more, more_size, NULL, 0) == TW_OK;
    if (!done) tw__cli_failure("aie");
    free(code), free(more);
    return done;
}

/* Functions of a unit with their blocks, cycles and instructions. */
static bool list_unit(const char *unit)
{
    size_t size;
    char *code = tw_read_file(unit, (size_t)1 << 30, &size), *text = code ? tw_aie_cost_listing(code, size) : NULL;
    if (text) tw_print_text(stdout, text, strlen(text), "\n");
    if (!text) tw__cli_failure("aie");
    free(code), free(text);
    return text != NULL;
}

/* The object of a unit that is there as bitcode; NULL after a message. */
static char *count_unit(const work *w, const char *unit)
{
    g_autoptr(GPtrArray) words = new_words(), key = new_words(), parts = new_words();
    g_autofree char *counted = g_build_filename(w->r->work, "unit.bc", NULL),
                    *library = g_build_filename(tw_lib_dir(), "libtilewright.so", NULL);
    add_compiler(words, &w->c), aie_build_add(words, "-O2"), aie_build_add(words, "-c");
    add_all(key, words), aie_build_add(key, "%s", unit), aie_build_add(words, "%s", counted),
        aie_build_add(parts, "%s", unit);
    const tw__kept kept = { .command = "aie",
                            .words = words,
                            .key = key,
                            .tools = { library }, /* its tables */
                            .name = "object.o",
                            .parts = parts,
                            .is_verbose = w->r->verbose };
    char *path = tw__kept_path(&kept);
    if (path && (tw__kept_is_fresh(path) || (write_counted(unit, counted) && tw__kept_make(&kept, path))))
        return path;
    g_free(path);
    return NULL;
}

/* One object. False after a message, or what the compiler says is in *messages. */
static bool aie_build_compile(work *w, const GPtrArray *includes, const char *folder, bool precompiled,
                              char **messages)
{
    g_autoptr(GPtrArray) words = compile_words(w, false);
    if (precompiled)
        aie_build_add(words, "-include-pch"), aie_build_add(words, "%s", w->precompiled);
    else
        add_first(words, w->s);
    aie_build_add(words, "-I%s",
                  folder); /* the graph's folder is found from everywhere, as where aiecompiler is called */
    guint last = includes->len - 1;
    for (guint i = 0; last > 0 && i < includes->len; i++)
        aie_build_add(words, "-include"), aie_build_add(words, "%s", (char *)includes->pdata[i]);
    bool counts = counts_blocks(w);
    if (counts) aie_build_add(words, "-emit-llvm");
    aie_build_add(words, "-c"), aie_build_add(words, "-x"), aie_build_add(words, "c++");
    aie_build_add(words, "%s", last > 0 ? "/dev/null" : (char *)includes->pdata[0]);
    const tw__kept kept = { .command = "aie",
                            .words = words,
                            .name = counts ? "unit.bc" : "object.o",
                            .messages = messages,
                            .is_verbose = w->r->verbose };
    char *path = tw__kept_path(&kept);
    bool done = path && (tw__kept_is_fresh(path) || tw__kept_make(&kept, path));
    if (done && w->r->listing) {
        done = list_unit(path);
    } else if (done && counts) {
        char *object = count_unit(w, path);
        g_free(path);
        path = object, done = object != NULL;
    }
    if (done)
        g_ptr_array_add(w->objects, path);
    else
        g_free(path);
    return done;
}

/* With the precompiled header first; when that fails, without it, so that messages and verdicts are those of the
 * plain compiler. */
static bool compile_unit(work *w, const GPtrArray *includes, const char *folder)
{
    if (w->precompiled) {
        g_autofree char *messages = NULL;
        bool done = aie_build_compile(w, includes, folder, true, &messages);
        if (done && messages) fputs(messages, stderr);
        if (done) return true;
    }
    return aie_build_compile(w, includes, folder, false, NULL);
}

/* --- the precompiled header ------------------------------------------------------------------------------------- */

/* A header is every folder's when its compiler and flags are: none that may name a file from where it lies. */
static bool is_everywhere(const work *w)
{
    static const char *const relative[] = { "CPATH", "CPLUS_INCLUDE_PATH", "COMPILER_PATH" };
    for (size_t i = 0; i < G_N_ELEMENTS(relative); i++)
        if (g_getenv(relative[i])) return false;
    for (guint i = 0; i < w->r->flags->len; i++) {
        const char *flag = w->r->flags->pdata[i];
        bool plain =
            g_str_has_prefix(flag, "-O") || g_str_has_prefix(flag, "-g") || g_str_has_prefix(flag, "-std=");
        if (!plain && !(is_own(flag) && flag[2])) return false;
    }
    return !w->s->layered && w->c.words->len == 1 && !strchr(w->c.words->pdata[0], '/');
}

/* Its own object has the functions of the headers, which the units then do without: most of what a graph takes to
 * compile. Made with the header, and only then: what it is made from is the header's. */
static char *object_of(const work *w, const char *header)
{
    g_autoptr(GPtrArray) words = new_words(), parts = new_words();
    add_compiler(words, &w->c);
    aie_build_add(words, "-O0"), aie_build_add(words, "-w");
    if (counts_pointers(w)) count_pointers(words, w->c.gnu);
    aie_build_add(words, "-c"), aie_build_add(words, "%s", header), aie_build_add(parts, "%s", header);
    const tw__kept kept = { .command = "aie",
                            .words = words,
                            .name = "adf.o",
                            .parts = parts,
                            .is_verbose = w->r->verbose,
                            .is_shared = is_everywhere(w) };
    char *path = tw__kept_path(&kept);
    if (path && (tw__kept_is_fresh(path) || tw__kept_make(&kept, path))) return path;
    g_free(path);
    return NULL;
}

/* Headers that a program sets up by macros of ours are compiled as it sets them up. */
static void precompile(work *w)
{
    if (w->c.gnu || w->s->is_set_up || !(w->s->layered || w->s->has_adf)) return;
    g_autoptr(GPtrArray) words = compile_words(w, true);
    g_autofree char *messages = NULL, *messages_of_object = NULL;
    add_first(words, w->s);
    aie_build_add(words, "-fpch-codegen"), aie_build_add(words, "-fpch-instantiate-templates"),
        aie_build_add(words, "-x");
    aie_build_add(words, "c++-header"), aie_build_add(words, "%s/tilewright/compat/aie/adf.h", tw_include_dir());
    const tw__kept kept = { .command = "aie",
                            .words = words,
                            .name = "adf.pch",
                            .messages = &messages,
                            .is_verbose = w->r->verbose,
                            .is_shared = is_everywhere(w) };
    char *path = tw__kept_path(&kept);
    if (!path || (!tw__kept_is_fresh(path) && !tw__kept_make(&kept, path))) {
        g_free(path); /* unusual flags: the units do without, and say what is wrong */
        return;
    }
    char *object = object_of(w, path);
    if (object)
        w->precompiled = path, g_ptr_array_add(w->objects, object);
    else
        g_free(path);
}

/* --- the program ------------------------------------------------------------------------------------------------ */

/* What links it, with its objects in front; what its place goes by, without. */
static GPtrArray *link_words(const work *w)
{
    GPtrArray *words = new_words();
    add_compiler(words, &w->c);
    if (w->c.has_lld) aie_build_add(words, "-fuse-ld=lld");
    for (guint i = 0; i < w->objects->len; i++) aie_build_add(words, "%s", (char *)w->objects->pdata[i]);
    aie_build_add(words, "-rdynamic"); /* initialisation functions that are given as texts */
    tw__cli_add_library(words), aie_build_add(words, "-ltilewright_aie_check");
    aie_build_add(words, "-ltilewright"), aie_build_add(words, "-lm");
    return words;
}

/* #include, and so -include, has no escapes: a path with a quote or a line break cannot be written there. */
static bool can_include(const char *path)
{
    if (!strpbrk(path, "\"\n\r")) return true;
    g_autofree char *shown = g_strescape(path, NULL);
    fprintf(stderr, "tilewright aie: %s: #include cannot name a path with a quote or a line break: rename it\n",
            shown);
    return false;
}

/* The graph's unit has the kernels with templates, so that what the graph names is there. */
static bool compile_graph(work *w)
{
    g_autoptr(GPtrArray) includes = g_ptr_array_new();
    g_autofree char *graph = g_canonicalize_filename(w->r->graph, NULL), *folder = g_path_get_dirname(w->r->graph);
    g_ptr_array_add(includes, graph);
    for (guint i = 0; i < w->s->included->len; i++) g_ptr_array_add(includes, w->s->included->pdata[i]);
    for (guint i = 0; i < includes->len; i++)
        if (!can_include(includes->pdata[i])) return false;
    return compile_unit(w, includes, folder);
}

static bool compile_kernels(work *w)
{
    bool done = true;
    for (guint i = 0; i < w->s->apart->len && done; i++) {
        g_autoptr(GPtrArray) source = g_ptr_array_new();
        g_autofree char *folder = g_path_get_dirname(w->s->apart->pdata[i]);
        g_ptr_array_add(source, w->s->apart->pdata[i]);
        done = compile_unit(w, source, folder);
    }
    return done;
}

static bool make_program(work *w, tw__kept *kept, const char *path)
{
    precompile(w);
    if (!compile_graph(w) || !compile_kernels(w)) return false;
    g_autoptr(GPtrArray) words = link_words(w);
    kept->words = words, kept->parts = w->objects;
    if (tw__kept_make(kept, path)) return true;
    if (!w->s->included->len && !w->s->apart->len && !tw_diags_count(w->s->missing, TW_WARNING))
        fprintf(stderr, "tilewright aie: the graph names no files with kernels: source(kernel) = \"file.cc\"\n");
    return false;
}

int tw__aie_build(tw__aie_request *r, const tw__aie_sources *s)
{
    work w = { .r = r, .s = s, .c = find_compiler(r->listing), .objects = new_words() };
    g_autoptr(GPtrArray) key = compile_words(&w, false), link = link_words(&w);
    g_autofree char *archive = g_build_filename(tw_lib_dir(), "libtilewright_aie_check.a", NULL),
                    *library = g_build_filename(tw_lib_dir(), "libtilewright.so", NULL);
    aie_build_add(key, "%s", r->graph), add_all(key, link), add_all(key, s->included), add_all(key, s->apart);
    tw__kept kept = { .command = "aie",
                      .key = key,
                      .name = "program",
                      .tools = { archive, counts_blocks(&w) ? library : NULL },
                      .is_verbose = r->verbose };
    bool done;
    if (r->listing && !counts_blocks(&w)) {
        done = false;
        fprintf(stderr,
                "tilewright aie: cycles: blocks are read from the code of clang++-19, by a library built with "
                "llvm-19-dev\n");
    } else if (r->listing) {
        char band[64];
        tw_band_text(tw_band_find("aie1", "code"), band, sizeof band);
        printf("cycles are estimated: %s\n", band);
        precompile(&w);
        done = compile_graph(&w) && compile_kernels(&w);
    } else {
        r->program = tw__kept_path(&kept);
        done = r->program && (tw__kept_is_fresh(r->program) || make_program(&w, &kept, r->program));
    }
    if (!done) tw_diags_print(s->missing, stderr, tw_use_colours(stderr));
    g_ptr_array_free(w.c.words, TRUE), g_ptr_array_free(w.objects, TRUE), g_free(w.precompiled);
    return done ? TW__EXIT_OK : TW__EXIT_FAILURE;
}
