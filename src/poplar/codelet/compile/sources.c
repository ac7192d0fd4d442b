/* SPDX-License-Identifier: MIT */
/* One source for one target: from the cache, or scanned, wrapped, compiled and linked.
 *
 * A source is compiled with a precompiled header first. When that fails it is compiled again without, so that
 * messages (and verdicts) are those of the plain compiler. */
#include "poplar/codelet/compile/compile.h"
#include "poplar/colossus/cc/cc.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void tw__built_clear(tw__built *built)
{
    g_free(built->table);
    g_free(built->object);
    g_free(built->shared);
    g_strfreev(built->headers);
    *built = (tw__built){ 0 };
}

/* --- keys -------------------------------------------------------------------------------------------------- */

static char *base_key(const tw__toolchain *toolchain, const tw__source *source, tw__build_target target,
                      unsigned options)
{
    g_autofree char *digest = tw__cache_headers_digest();
    if (!digest) {
        tw__fail(TW_E_NO_ENVIRONMENT, "the headers for codelets are not in '%s'", tw__include_dir());
        return NULL;
    }
    GPtrArray *args = tw__toolchain_args(toolchain, source, target, options);
    g_autofree char *joined = g_strjoinv("\n", (char **)args->pdata);
    g_ptr_array_free(args, TRUE);
    g_autofree char *current = g_get_current_dir(); /* relative -I, and names in debug information */
    g_autofree char *module = tw__module_identity(),
                    *compiler = options & TW__BUILD_CODE ? tw__cc_identity() : NULL;
    const char *parts[] = { "3",
                            TW_VERSION,
                            module,
                            toolchain->identity,
                            compiler ? compiler : "",
                            options & TW__BUILD_TEXT ? "text" : "",
                            digest,
                            joined,
                            tw__build_target_name(target),
                            source->path,
                            current,
                            source->text };
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        g_checksum_update(sum, (const guchar *)parts[i], (gssize)strlen(parts[i]) + 1);
    char *key = g_strdup(g_checksum_get_string(sum));
    g_checksum_free(sum);
    return key;
}

static bool has_object(tw__build_target target, unsigned options)
{
    return tw__build_is_host(target) || options & TW__BUILD_CODE;
}

static bool look_up(const char *base, tw__build_target target, unsigned options, tw__built *built)
{
    g_autofree char *list = tw__cache_path(base, ".deps");
    g_auto(GStrv) lines = tw__cache_read_list(list);
    if (!lines) return false;
    char **dependencies = lines[0] && lines[0][0] ? lines : NULL;
    g_autofree char *key = tw__cache_result_key(base, dependencies);
    if (!key) return false;
    g_autofree char *table = tw__cache_path(key, ".json");
    bool wants_object = has_object(target, options), wants_shared = options & TW__BUILD_SHARED;
    built->object = wants_object ? tw__cache_path(key, ".o") : NULL; /* NULL also without memory */
    built->shared = wants_shared ? tw__cache_path(key, ".so") : NULL;
    if ((!wants_object || (built->object && tw__cache_read(built->object, NULL, NULL))) &&
        (!wants_shared || (built->shared && tw__cache_read(built->shared, NULL, NULL))) && table &&
        tw__cache_read(table, &built->table, NULL)) {
        built->headers = g_strdupv(dependencies);
        return true;
    }
    tw__built_clear(built);
    return false;
}

/* --- steps ------------------------------------------------------------------------------------------------- */

static void forward(void *user, const tw__scan_diag *diag)
{
    tw__report(user, diag);
}

static char *scan_once(tw__scan_function module, const tw__toolchain *toolchain, const tw__source *source,
                       tw__build_target target, unsigned options, const char *pch, tw__reporter *reporter)
{
    GPtrArray *args = tw__toolchain_args(toolchain, source, target, options);
    g_ptr_array_remove_index(args, args->len - 1);
    if (pch) {
        g_ptr_array_add(args, g_strdup("-include-pch"));
        g_ptr_array_add(args, g_strdup(pch));
    }
    tw__scan scan = { .version = TW__SCAN_VERSION,
                      .path = source->path,
                      .text = source->text,
                      .length = strlen(source->text),
                      .is_c = source->is_c,
                      .is_device = !tw__build_is_host(target),
                      .args = (const char *const *)args->pdata,
                      .num_args = (int)args->len,
                      .rewrite = tw__rewrite_constraints,
                      .report = forward,
                      .user = reporter };
    char *table = module(&scan);
    g_ptr_array_free(args, TRUE);
    return table;
}

/* Runs clang on the text; true when it made `object` and `depfile`. */
static bool compile_once(const tw__toolchain *toolchain, const tw__source *source, const GString *text,
                         tw__build_target target, unsigned options, const char *pch, const char *object,
                         const char *depfile, tw__reporter *reporter)
{
    GPtrArray *args = tw__toolchain_args(toolchain, source, target, options);
    g_ptr_array_remove_index(args, args->len - 1);
    g_ptr_array_insert(args, 0, g_strdup(toolchain->clang));
    const char *more[] = { "-c",
                           "-",
                           "-o",
                           object,
                           "-MD",
                           "-MT",
                           "codelet", /* not our file: its name may hold a colon */
                           "-MF",
                           depfile,
                           "-fno-caret-diagnostics",
                           "-fdiagnostics-print-source-range-info",
                           "-fno-color-diagnostics",
                           "-Wno-unknown-attributes" }; /* the scan names those */
    for (size_t i = 0; i < G_N_ELEMENTS(more); i++) g_ptr_array_add(args, g_strdup(more[i]));
    if (pch) {
        g_ptr_array_add(args, g_strdup("-include-pch"));
        g_ptr_array_add(args, g_strdup(pch));
    }
    g_ptr_array_add(args, NULL);
    g_autofree char *messages = NULL;
    int status = 1;
    bool ran = tw__run((char **)args->pdata, text->str, text->len, NULL, &messages, &status) == TW_OK;
    g_ptr_array_free(args, TRUE);
    if (ran) tw__report_text(reporter, messages);
    return ran && status == 0;
}

/* Linking a .gp needs no clang: any compiler of the host will do. */
static char *host_linker(void)
{
    static const char *const names[] = { "c++", "g++", "cc", "gcc" };
    char *path = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(names) && !path; i++) path = g_find_program_in_path(names[i]);
    return path;
}

tw_status tw__link(char *const *objects, unsigned options, const char *out, tw_diags *diags)
{
    const tw__toolchain *toolchain;
    bool has_clang = tw__toolchain_get(&toolchain) == TW_OK;
    g_autofree char *other = has_clang ? NULL : host_linker();
    if (!has_clang && !other)
        return tw__fail(TW_E_NO_ENVIRONMENT,
                        "object code is linked with clang 19 or the system's C++ compiler, and "
                        "neither is installed (Debian: apt install clang-19)");
    g_autofree char *made = tw__cache_temporary(".so"), *messages = NULL;
    if (!made) return TW_E_IO;
    GPtrArray *args = g_ptr_array_new();
    g_ptr_array_add(args, has_clang ? toolchain->clang : other);
    if (has_clang) g_ptr_array_add(args, (char *)"--driver-mode=g++");
    if (has_clang && toolchain->has_lld) g_ptr_array_add(args, (char *)"-fuse-ld=lld");
    const char *fixed[] = { "-shared", "-Wl,-z,defs", "-Wl,--as-needed", "-o", made };
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++) g_ptr_array_add(args, (char *)fixed[i]);
    for (char *const *object = objects; *object; object++) g_ptr_array_add(args, *object);
    g_autofree char *halves = g_build_filename(tw__include_dir(), "poplar", "device", "half_calls.c", NULL);
    const char *more[] = { "-O2", "-fPIC", "-mf16c", "-x", "c", halves };
    /* see half_calls.c; no other processor than x86 has that level */
    bool convert = options & TW__BUILD_PORTABLE && has_clang && tw__cpu_best() >= TW__CPU_AVX2;
    for (size_t i = 0; i < G_N_ELEMENTS(more) && convert; i++) g_ptr_array_add(args, (char *)more[i]);
    g_ptr_array_add(args, NULL);
    int exit_status = 1;
    tw_status status = tw__run((char **)args->pdata, "", 0, NULL, &messages, &exit_status);
    g_ptr_array_free(args, TRUE);
    if (status == TW_OK && exit_status != 0) {
        const char *error = strstr(messages, "error: ");
        const char *undefined = strstr(messages, "undefined reference"); /* as GNU ld says it */
        const char *text = undefined ? undefined : error ? error + strlen("error: ") : messages;
        g_autofree char *line = g_strndup(text, strcspn(text, "\n"));
        if (diags) {
            tw_diag diag = {
                .file = "codelets", .length = 1, .severity = TW_ERROR, .code = "popc.link", .message = line
            };
            tw_diags_add(diags, &diag);
        }
        status = tw__fail(TW_E_LINK, "codelets do not link: %s", line);
    }
    if (status == TW_OK) return tw__cache_publish(made, out);
    g_unlink(made);
    return status;
}

/* --- all together ------------------------------------------------------------------------------------------ */

typedef struct job {
    const tw__toolchain *toolchain;
    tw__source source; /* text with constraints rewritten */
    tw__build_target target;
    unsigned options;
    tw__scan_function scan;
    char *object, *depfile; /* temporary files, of the host */
    GByteArray *code;       /* of a chip */
    char **headers;
} job;

/* Stack sizes of a chip's build, added to its table: the preprocessor knows what the macros come to. */
static char *add_stacks(const job *j, char *table)
{
    if (!strstr(j->source.text, "DEF_STACK") && !strstr(j->source.text, "DEF_FUNC_CALL")) return table;
    GPtrArray *args = tw__toolchain_args(j->toolchain, &j->source, j->target, j->options);
    g_ptr_array_remove_index(args, args->len - 1);
    g_ptr_array_insert(args, 0, g_strdup(j->toolchain->clang));
    static const char *const more[] = { "-DTW__STACK_SCAN=1", "-E", "-P", "-w", "-" };
    for (size_t i = 0; i < G_N_ELEMENTS(more); i++) g_ptr_array_add(args, g_strdup(more[i]));
    g_ptr_array_add(args, NULL);
    g_autofree char *output = NULL, *messages = NULL;
    int status = 1;
    bool ran =
        tw__run((char **)args->pdata, j->source.text, strlen(j->source.text), &output, &messages, &status) == TW_OK;
    g_ptr_array_free(args, TRUE);
    json_t *json = ran && status == 0 ? json_loads(table, 0, NULL) : NULL;
    if (!json) return table;
    GArray *notes = tw__stack_notes_new();
    tw__stack_read_preprocessed(output, notes);
    json_object_set_new(json, "stacks", tw__stack_notes_json(notes));
    char *more_json = json_dumps(json, JSON_COMPACT);
    g_array_free(notes, TRUE);
    json_decref(json);
    if (!more_json) return table;
    free(table);
    return more_json;
}

/* The front end of libclang gave up without a word, as with flags that the compiler refuses: clang itself says
 * why. */
static void ask_compiler(const job *j, tw__reporter *reporter)
{
    GPtrArray *args = tw__toolchain_args(j->toolchain, &j->source, j->target, j->options);
    g_ptr_array_remove_index(args, args->len - 1);
    g_ptr_array_insert(args, 0, g_strdup(j->toolchain->clang));
    g_ptr_array_add(args, g_strdup("-fsyntax-only")), g_ptr_array_add(args, g_strdup("-"));
    g_ptr_array_add(args, NULL);
    g_autofree char *messages = NULL;
    int status = 0;
    if (tw__run((char **)args->pdata, j->source.text, strlen(j->source.text), NULL, &messages, &status) == TW_OK)
        tw__report_text(reporter, messages);
    g_ptr_array_free(args, TRUE);
}

/* From the scan on. */
static char *attempt_chip(job *j, char *table, tw__reporter *reporter)
{
    if (!j->code) return add_stacks(j, table);
    json_t *json = json_loads(table, 0, NULL);
    g_autofree char *wrappers = tw__device_wrappers(json, j->source.is_c);
    json_decref(json);
    GString *text = g_string_new(NULL);
    tw__add_line_marker(text, j->source.path);
    g_string_append(text, j->source.text);
    g_string_append(text, wrappers);
    g_byte_array_set_size(j->code, 0);
    g_clear_pointer(&j->headers, g_strfreev);
    bool ok =
        tw__chip_code_make(j->toolchain, &j->source, text, j->target, j->options, j->code, &j->headers, reporter);
    g_string_free(text, TRUE);
    if (ok) return add_stacks(j, table);
    free(table);
    return NULL;
}

/* Scan and compile, once. The table, or NULL with messages in the reporter. */
static char *attempt(job *j, const char *pch, tw__reporter *reporter)
{
    char *table = scan_once(j->scan, j->toolchain, &j->source, j->target, j->options, pch, reporter);
    if (!table && !reporter->errors && !reporter->own->len) ask_compiler(j, reporter);
    if (!table) return NULL;
    if (!tw__build_is_host(j->target)) return attempt_chip(j, table, reporter);
    json_t *json = json_loads(table, 0, NULL);
    if (json_array_size(json_object_get(json, "vertices")) == 0) {
        tw__scan_diag diag = { j->source.path,
                               0,
                               0,
                               1,
                               2,
                               "popc.no-vertex",
                               j->source.is_c
                                   ? "the file defines no vertex: expected TW_VERTEX(Name) { ... }"
                                   : "the file defines no vertex: expected a class derived from "
                                     "poplar::Vertex or poplar::MultiVertex, or an explicit instantiation "
                                     "of a class template" };
        tw__report(reporter, &diag);
    }
    g_autofree char *wrappers = tw__wrappers(json, j->source.is_c);
    GString *text = g_string_new(NULL);
    tw__add_line_marker(text, j->source.path);
    g_string_append(text, j->source.text);
    g_string_append(text, wrappers);
    bool ok = reporter->errors == 0 && compile_once(j->toolchain, &j->source, text, j->target, j->options, pch,
                                                    j->object, j->depfile, reporter);
    ok = ok && tw__constraints_check(json, reporter);
    json_decref(json);
    g_string_free(text, TRUE);
    if (ok) return table;
    free(table);
    return NULL;
}

/* Moves what was made into the cache. */
static tw_status store(job *j, const char *base, const char *table, tw__built *built, tw_diags *diags)
{
    if (j->depfile) built->headers = tw__cache_read_depfile(j->depfile, j->source.path);
    if (j->headers) built->headers = g_steal_pointer(&j->headers);
    g_autofree char *key = tw__cache_result_key(base, built->headers), *list = tw__cache_path(base, ".deps");
    g_autofree char *names = built->headers ? g_strjoinv("\n", built->headers) : g_strdup("");
    g_autofree char *path = key ? tw__cache_path(key, ".json") : NULL;
    if (!path || !list) return tw__fail(TW_E_IO, "a header changed while '%s' was compiled", j->source.path);
    built->table = g_strdup(table);
    if (j->object) {
        built->object = tw__cache_path(key, ".o");
        tw_status status = tw__cache_publish(j->object, built->object);
        if (status) return status;
    }
    if (j->code) {
        built->object = tw__cache_path(key, ".o");
        tw_status status = tw__cache_write(built->object, (const char *)j->code->data, j->code->len);
        if (status) return status;
    }
    if (j->options & TW__BUILD_SHARED) {
        built->shared = tw__cache_path(key, ".so");
        char *objects[] = { built->object, NULL };
        tw_status status = tw__link(objects, j->options, built->shared, diags);
        if (status != TW_OK) return status;
    }
    tw_status status = tw__cache_write(path, table, strlen(table));
    return status == TW_OK ? tw__cache_write(list, names, strlen(names)) : status;
}

static tw_status make(job *j, const char *base, tw__built *built, tw_diags *diags)
{
    tw_status status = tw__module_load(&j->scan);
    if (status != TW_OK) return status;
    g_autofree char *pch = tw__toolchain_pch(j->toolchain, &j->source, j->target, j->options);
    tw__reporter reporter;
    tw_diags *quiet = pch ? tw_diags_new() : NULL;
    tw__reporter_init(&reporter, &j->source, pch ? quiet : diags);
    char *table = attempt(j, pch, &reporter);
    if (pch && (!table || tw_diags_count(quiet, TW_NOTE) > 0)) {
        bool failed = !table;
        if (failed) {
            tw__reporter_clear(&reporter);
            tw__reporter_init(&reporter, &j->source, diags);
            table = attempt(j, NULL, &reporter);
            if (table) g_unlink(pch); /* perhaps made from system headers that have changed: the next one is new */
        } else {
            for (size_t i = 0; diags && tw_diags_get(quiet, i); i++) tw_diags_add(diags, tw_diags_get(quiet, i));
        }
    }
    if (!table)
        tw__report_own(&reporter), status = tw__fail(TW_E_COMPILATION, "%s", reporter.first_error->str);
    else
        status = store(j, base, table, built, diags);
    tw_diags_free(quiet);
    tw__reporter_clear(&reporter);
    free(table);
    return status;
}

tw_status tw__build(const tw__source *source, tw__build_target target, unsigned options, tw__built *built,
                    tw_diags *diags)
{
    *built = (tw__built){ 0 };
    job j = { .source = *source, .target = target, .options = options & ~(unsigned)TW__BUILD_CODE };
    tw_status status = tw__check_source_name(source->path);
    if (status == TW_OK) status = tw__toolchain_get(&j.toolchain);
    if (status != TW_OK) return status;
    g_autofree char *base = base_key(j.toolchain, source, target, options);
    if (!base) return TW_E_NO_ENVIRONMENT;
    if (look_up(base, target, options, built)) {
        TW__LOG(CODELETS, DEBUG, "%s for %s: from the cache", source->path, tw__build_target_name(target));
        return TW_OK;
    }
    char *rewritten = tw__rewrite_constraints(source->text, strlen(source->text));
    if (rewritten) j.source.text = rewritten;
    if (tw__build_is_host(target)) {
        j.object = tw__cache_temporary(".o");
        j.depfile = tw__cache_temporary(".d");
    } else if (options & TW__BUILD_CODE) {
        j.code = g_byte_array_new();
    }
    gint64 start = g_get_monotonic_time();
    if (tw__build_is_host(target) && (!j.object || !j.depfile))
        status = TW_E_IO;
    else
        status = make(&j, base, built, diags);
    TW__LOG(CODELETS, INFO, "%s for %s: compiled in %.3f s", source->path, tw__build_target_name(target),
            (double)(g_get_monotonic_time() - start) * 1e-6);
    if (j.object) g_unlink(j.object);
    if (j.depfile) g_unlink(j.depfile);
    g_free(j.object);
    g_free(j.depfile);
    g_strfreev(j.headers);
    if (j.code) g_byte_array_free(j.code, TRUE);
    free(rewritten);
    if (status != TW_OK) tw__built_clear(built);
    return status;
}
