/* SPDX-License-Identifier: MIT */
/* dap_requests: what a client may ask, a row each of the table at the end. */
#include "cli/dap/dap_inner.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *text_of(const json_t *arguments, const char *name)
{
    return json_string_value(json_object_get(arguments, name));
}

static json_int_t integer_of(const json_t *arguments, const char *name)
{
    return json_integer_value(json_object_get(arguments, name));
}

/* --- from initialize to launch --------------------------------------------------------------------------------- */

static json_t *initialize(tw__dap *dap, const json_t *arguments, char **error)
{
    static const char *const can[] = { "supportsConfigurationDoneRequest",
                                       "supportsFunctionBreakpoints",
                                       "supportsConditionalBreakpoints",
                                       "supportsEvaluateForHovers",
                                       "supportsSteppingGranularity",
                                       "supportsDisassembleRequest",
                                       "supportsCancelRequest",
                                       "supportsTerminateRequest",
                                       "supportsExceptionInfoRequest",
                                       "supportsCompletionsRequest",
                                       "supportsReadMemoryRequest",
                                       "supportsHitConditionalBreakpoints",
                                       "supportsLogPoints" };
    if (dap->initialized) {
        *error = g_strdup("it is initialized");
        return NULL;
    }
    dap->initialized = true;
    dap->lines_from_0 = json_is_false(json_object_get(arguments, "linesStartAt1"));
    dap->columns_from_0 = json_is_false(json_object_get(arguments, "columnsStartAt1"));
    json_t *body = json_object();
    for (size_t i = 0; i < G_N_ELEMENTS(can); i++) json_object_set_new(body, can[i], json_true());
    json_object_set_new(body, "supportsSetVariable", json_boolean(dap->target->assign));
    json_object_set_new(body, "supportsRestartRequest", json_boolean(!dap->target->only_once));
    json_object_set_new(body, "completionTriggerCharacters", json_pack("[sss]", ".", "$", " "));
    return body;
}

/* The words of the command line: options first, so that the program is not taken for one's value. */
static GPtrArray *command_line(const tw__dap *dap, const json_t *arguments)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    const json_t *args = json_object_get(arguments, "args"), *one;
    size_t i;
    g_ptr_array_add(words, g_strdup(dap->target->command));
    json_array_foreach(args, i, one) if (json_is_string(one))
        g_ptr_array_add(words, g_strdup(json_string_value(one)));
    if (text_of(arguments, "program")) g_ptr_array_add(words, g_strdup(text_of(arguments, "program")));
    g_ptr_array_add(words, NULL);
    return words;
}

static json_t *launch(tw__dap *dap, const json_t *arguments, char **error)
{
    const char *program = text_of(arguments, "program"), *folder = text_of(arguments, "cwd");
    bool is_file = program && *program && strcmp(program, "-") != 0; /* "-" would read the protocol */
    if ((!is_file && !dap->target->only_once) || dap->debugger) {
        *error = g_strdup(dap->debugger ? "a program is open" : "'program' names the file to run");
        return NULL;
    }
    if (folder && !dap->target->only_once && chdir(folder) != 0) {
        *error = g_strdup_printf("'cwd': there is no folder '%s'", folder);
        return NULL;
    }
    dap->stop_on_entry = json_is_true(json_object_get(arguments, "stopOnEntry"));
    dap->no_debug = json_is_true(json_object_get(arguments, "noDebug"));
    g_free(dap->folder);
    dap->folder = g_path_get_dirname(program ? program : ".");
    tw__dap_flush(dap, "console");
    GPtrArray *words = command_line(dap, arguments);
    char **argv = g_memdup2(words->pdata, words->len * sizeof(char *));
    dap->target->main(dap, (int)words->len - 1, argv);
    if (!dap->opened) { /* there was no session */
        *error = tw__dap_take(dap);
        if (!**error) g_free(*error), *error = g_strdup("the program cannot be opened");
    }
    g_free(argv);
    g_ptr_array_free(words, TRUE);
    return NULL; /* tw__dap_session() has answered */
}

static void start_program(tw__dap *dap)
{
    dap->running = dap->started = true;
    dap->target->start(dap->debugger, dap->stop_on_entry && !dap->no_debug);
}

static json_t *configuration_done(tw__dap *dap, const json_t *arguments, char **error)
{
    (void)arguments;
    if (dap->started || dap->exited) {
        *error = g_strdup(dap->started ? "it has started" : "the program has ended");
        return NULL;
    }
    dap->after = start_program;
    return json_object();
}

/* It begins where the loop of messages is: here, or as soon as the program stands. */
static json_t *restart(tw__dap *dap, const json_t *arguments, char **error)
{
    const json_t *launched = json_object_get(arguments, "arguments");
    if (!dap->started || dap->target->only_once) {
        *error = g_strdup(dap->started ? "it cannot be started again" : "'configurationDone' starts it");
        return NULL;
    }
    if (json_is_object(launched)) dap->stop_on_entry = json_is_true(json_object_get(launched, "stopOnEntry"));
    dap->restart = true, dap->exited = dap->ending = false; /* of `restart` and `terminate` the later one counts */
    dap->pause = dap->running;
    return json_object();
}

static json_t *disconnect(tw__dap *dap, const json_t *arguments, char **error)
{
    (void)arguments, (void)error;
    dap->over = dap->left = true;
    return json_object();
}

static json_t *attach(tw__dap *dap, const json_t *arguments, char **error)
{
    (void)dap, (void)arguments;
    *error = g_strdup("there is nothing to attach to: 'launch' starts a simulation");
    return NULL;
}

static void end_at_once(tw__dap *dap)
{
    if (!dap->running) tw__dap_end(dap);
}

/* It goes no further than it stands, or will stand; what it has done can still be looked at. */
static json_t *terminate(tw__dap *dap, const json_t *arguments, char **error)
{
    (void)arguments;
    if (dap->exited) {
        *error = g_strdup("the program has ended");
        return NULL;
    }
    dap->ending = dap->pause = dap->running;
    dap->restart = false;
    dap->after = end_at_once;
    return json_object();
}

static json_t *exception_info(tw__dap *dap, const json_t *arguments, char **error)
{
    if (!dap->excepted || integer_of(arguments, "threadId") != dap->excepted) {
        *error = g_strdup("this thread has not stopped for an exception");
        return NULL;
    }
    return json_pack("{sssssss{ssss}}", "exceptionId", dap->kind, "description", dap->what, "breakMode", "always",
                     "details", "message", dap->what, "typeName", dap->kind);
}

static json_t *cancel(tw__dap *dap, const json_t *arguments, char **error)
{
    (void)dap, (void)arguments, (void)error;
    return json_object(); /* what it is about was refused before, or is done */
}

/* --- breakpoints ----------------------------------------------------------------------------------------------- */

static json_int_t to_client(const tw__dap *dap, unsigned line)
{
    return (json_int_t)line - (dap->lines_from_0 && line);
}

/* The location by which the program knows "path:line": the longest end of the path that it knows. */
static char *location_of(tw__dap *dap, const char *path, json_int_t line)
{
    for (const char *name = path; name; name = strchr(name, '/')) {
        name += *name == '/';
        g_autofree char *location = g_strdup_printf("%s:%" JSON_INTEGER_FORMAT, name, line);
        if (*name && dap->target->knows(dap->debugger, location)) return g_steal_pointer(&location);
    }
    g_autofree char *base = g_path_get_basename(path);
    return g_strdup_printf("%s:%" JSON_INTEGER_FORMAT, base, line);
}

static void free_range(void *range)
{
    g_free(((tw__dap_range *)range)->log);
}

static GArray *forget_breakpoints(tw__dap *dap, const char *key)
{
    GArray *old = g_hash_table_lookup(dap->breakpoints, key);
    for (guint i = 0; old && i < old->len; i++) {
        tw__dap_range r = g_array_index(old, tw__dap_range, i);
        for (unsigned k = 0; k < r.count; k++) dap->target->remove(dap->debugger, r.first + k);
    }
    GArray *ranges = g_array_new(FALSE, TRUE, sizeof(tw__dap_range));
    g_array_set_clear_func(ranges, free_range);
    g_hash_table_insert(dap->breakpoints, g_strdup(key), ranges);
    return ranges;
}

/* "3": the third hit stops, and those behind it. False: it is no number. */
static bool read_hits(const json_t *wanted, uint64_t *ignored)
{
    const char *text = text_of(wanted, "hitCondition");
    char *end;
    *ignored = 0;
    if (!text || !*text) return true;
    uint64_t hits = g_ascii_strtoull(text, &end, 10);
    if (!g_ascii_isdigit(*text) || *end || !hits) return false;
    *ignored = hits - 1;
    return true;
}

static json_t *set_one(tw__dap *dap, const char *location, const json_t *wanted, GArray *ranges)
{
    tw__dap_range r = { 0, 0, NULL };
    tw__dap_place place = { 0 };
    const char *condition = text_of(wanted, "condition");
    uint64_t ignored;
    if (!read_hits(wanted, &ignored))
        return json_pack("{sbss}", "verified", 0, "message", "the hit count is a number of hits");
    if (condition && !*condition) condition = NULL;
    tw__dap_flush(dap, dap->running ? "stdout" : "console");
    if (!dap->no_debug) r.first = dap->target->set(dap->debugger, location, condition, &r.count, &place);
    g_autofree char *message = tw__dap_take(dap);
    if (!r.first)
        return json_pack("{sbss}", "verified", 0, "message", dap->no_debug ? "started without debugging" : message);
    const char *log = text_of(wanted, "logMessage");
    if (log && *log) r.log = g_strdup(log);
    g_array_append_val(ranges, r);
    for (unsigned k = 0; k < r.count; k++) dap->target->ignore(dap->debugger, r.first + k, ignored);
    json_t *one = json_pack("{sbsI}", "verified", 1, "id", (json_int_t)r.first);
    if (place.line) json_object_set_new(one, "line", json_integer(to_client(dap, place.line)));
    return one;
}

static json_t *set_breakpoints(tw__dap *dap, const json_t *arguments, char **error)
{
    const json_t *wanted = json_object_get(arguments, "breakpoints"), *one;
    const char *given = text_of(json_object_get(arguments, "source"), "path");
    size_t i;
    if (!given) {
        *error = g_strdup("'source' has no path");
        return NULL;
    }
    g_autofree char *path =
        g_str_has_prefix(given, "file:") ? g_filename_from_uri(given, NULL, NULL) : g_strdup(given);
    GArray *ranges = forget_breakpoints(dap, given);
    json_t *list = json_array();
    json_array_foreach(wanted, i, one)
    {
        json_int_t line = integer_of(one, "line");
        line = line < 0 || line > INT32_MAX ? 0 : line + dap->lines_from_0;
        g_autofree char *location = location_of(dap, path ? path : given, line);
        json_array_append_new(list, set_one(dap, location, one, ranges));
    }
    return json_pack("{so}", "breakpoints", list);
}

static json_t *set_function_breakpoints(tw__dap *dap, const json_t *arguments, char **error)
{
    const json_t *wanted = json_object_get(arguments, "breakpoints"), *one;
    size_t i;
    (void)error;
    GArray *ranges = forget_breakpoints(dap, "");
    json_t *list = json_array();
    json_array_foreach(wanted, i, one)
    {
        const char *name = text_of(one, "name");
        json_array_append_new(list, name && *name
                                        ? set_one(dap, name, one, ranges)
                                        : json_pack("{sbss}", "verified", 0, "message", "it has no name"));
    }
    return json_pack("{so}", "breakpoints", list);
}

static json_t *set_exception_breakpoints(tw__dap *dap, const json_t *arguments, char **error)
{
    (void)dap, (void)arguments, (void)error;
    return json_pack("{s[]}", "breakpoints"); /* it stops at all of them */
}

/* --- running --------------------------------------------------------------------------------------------------- */

static void let_go(tw__dap *dap)
{
    tw__dap_forget(dap);
    dap->running = dap->go = true;
    dap->target->go(dap->debugger, dap->thread, dap->how, dap->instruction);
}

static json_t *goes(tw__dap *dap, const json_t *arguments, tw__dap_go how, char **error)
{
    json_int_t thread = integer_of(arguments, "threadId");
    if (!dap->started || dap->exited) {
        *error = g_strdup(dap->exited ? "the program has ended" : "'configurationDone' starts it");
        return NULL;
    }
    if (thread < 1 || thread > UINT32_MAX || !dap->target->has_thread(dap->debugger, (unsigned)thread)) {
        *error = g_strdup("there is no such thread");
        return NULL;
    }
    dap->thread = (unsigned)thread, dap->how = how;
    dap->instruction = g_strcmp0(text_of(arguments, "granularity"), "instruction") == 0;
    dap->after = let_go;
    return how == TW__DAP_CONTINUE ? json_pack("{sb}", "allThreadsContinued", 1) : json_object();
}

#define GOES(name, how)                                                                \
    static json_t *name##_request(tw__dap *dap, const json_t *arguments, char **error) \
    {                                                                                  \
        return goes(dap, arguments, how, error);                                       \
    }
GOES(continue, TW__DAP_CONTINUE)
GOES(next, TW__DAP_NEXT)
GOES(step_in, TW__DAP_STEP_IN)
GOES(step_out, TW__DAP_STEP_OUT)

static json_t *pause_request(tw__dap *dap, const json_t *arguments, char **error)
{
    (void)arguments, (void)error;
    dap->pause = dap->running;
    return json_object();
}

/* --- looking --------------------------------------------------------------------------------------------------- */

void tw__dap_add_thread(json_t *list, unsigned thread, const char *name)
{
    json_array_append_new(list, json_pack("{sIss}", "id", (json_int_t)thread, "name", name));
}

static json_t *threads(tw__dap *dap, const json_t *arguments, char **error)
{
    json_t *list = json_array();
    (void)arguments, (void)error;
    dap->target->threads(dap->debugger, list);
    return json_pack("{so}", "threads", list);
}

/* The file by its name in the program, or in the program's folder; NULL: there is none. */
static char *find_source(const tw__dap *dap, const char *file)
{
    char *made = dap->target->source ? dap->target->source(file) : NULL;
    if (made) return made;
    g_autofree char *beside = g_build_filename(dap->folder, file, NULL);
    if (g_file_test(file, G_FILE_TEST_IS_REGULAR)) return g_canonicalize_filename(file, NULL);
    return g_file_test(beside, G_FILE_TEST_IS_REGULAR) ? g_canonicalize_filename(beside, NULL) : NULL;
}

static void put_source(const tw__dap *dap, json_t *into, const char *key, const tw__dap_place *place)
{
    if (!place->file || !*place->file) return;
    g_autofree char *path = find_source(dap, place->file), *base = g_path_get_basename(place->file);
    json_t *source = json_pack("{ss}", "name", base);
    if (path) json_object_set_new(source, "path", json_string(path));
    json_object_set_new(into, key, source);
}

static json_t *frame_of(tw__dap *dap, unsigned thread, unsigned n, const tw__dap_frame *f)
{
    g_array_append_val(dap->frames, ((tw__dap_location){ thread, n }));
    json_int_t column = f->place.column - (dap->columns_from_0 && f->place.column);
    json_t *one = json_pack("{sIsssIsI}", "id", (json_int_t)dap->frames->len, "name", f->name, "line",
                            to_client(dap, f->place.line), "column", column);
    if (!one) return NULL;
    put_source(dap, one, "source", &f->place);
    g_autofree char *address = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", f->address);
    if (f->has_address)
        json_object_set_new(one, "instructionPointerReference", json_string(address));
    else
        json_object_set_new(one, "presentationHint", json_string("subtle"));
    return one;
}

enum { MOST_FRAMES = 1000 }; /* a target walks the stack for each: of one that recurs for ever, the inner ones */

static json_t *stack_trace(tw__dap *dap, const json_t *arguments, char **error)
{
    json_int_t thread = integer_of(arguments, "threadId"), first = integer_of(arguments, "startFrame"),
               levels = integer_of(arguments, "levels");
    if (thread < 1 || thread > UINT32_MAX || !dap->target->has_thread(dap->debugger, (unsigned)thread)) {
        *error = g_strdup("there is no such thread");
        return NULL;
    }
    if (first < 0) first = 0;
    json_t *list = json_array();
    tw__dap_frame f = { 0 };
    unsigned n = 0;
    for (; n < MOST_FRAMES && dap->target->frame(dap->debugger, (unsigned)thread, n, &f); n++) {
        if (n >= first && (levels <= 0 || n - first < levels))
            json_array_append_new(list, frame_of(dap, (unsigned)thread, n, &f));
        g_free(f.name);
        f = (tw__dap_frame){ 0 };
    }
    return json_pack("{sosI}", "stackFrames", list, "totalFrames", (json_int_t)n);
}

/* What the console gets is an expression where it is one, else a command. */
static json_t *evaluate(tw__dap *dap, const json_t *arguments, char **error)
{
    const char *text = text_of(arguments, "expression");
    json_int_t number = integer_of(arguments, "frameId");
    tw__dap_location at = { 0, 0 };
    if (!text) {
        *error = g_strdup("there is no expression");
        return NULL;
    }
    if (number > 0 && number <= dap->frames->len) at = g_array_index(dap->frames, tw__dap_location, number - 1);
    char *value = dap->target->evaluate(dap->debugger, at.thread, at.frame, text, error);
    if (value) {
        g_autofree char *valid = g_utf8_make_valid(value, -1);
        json_t *body = json_pack("{sssI}", "result", valid, "variablesReference",
                                 tw__dap_refer(dap, at, value, strpbrk(text, " :@/*&") ? NULL : text));
        free(value);
        tw__dap_put_memory(dap, at, body, text);
        return body;
    }
    if (g_strcmp0(text_of(arguments, "context"), "repl") != 0) return NULL;
    if (!text[strspn(text, " \t\n")]) {
        g_clear_pointer(error, g_free);
        return json_pack("{sssi}", "result", "", "variablesReference", 0);
    }
    bool go = false, good;
    tw__dap_flush(dap, "console");
    good = dap->target->command_line(dap->debugger, text, &go);
    g_autofree char *printed = tw__dap_take(dap);
    bool is_value =
        text[strspn(text, G_CSET_A_2_Z G_CSET_a_2_z "_")] && g_str_has_prefix(printed, "Undefined command");
    if (!good && is_value && *error) return NULL; /* what is wrong with the expression says more */
    g_clear_pointer(error, g_free);
    if (!good) {
        *error = g_steal_pointer(&printed);
        return NULL;
    }
    if (go && dap->exited) {
        *error = g_strdup("the program has ended");
        return NULL;
    }
    if (go) {
        tw__dap_event(dap, "continued", json_pack("{sIsb}", "threadId", (json_int_t)1, "allThreadsContinued", 1));
        tw__dap_forget(dap);
        dap->running = dap->go = true;
    }
    return json_pack("{sssi}", "result", printed, "variablesReference", 0);
}

static json_t *instruction_of(tw__dap *dap, uint64_t *address)
{
    char *text = NULL;
    tw__dap_place place = { 0 };
    g_autofree char *at = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", *address);
    *address = dap->target->instruction(dap->debugger, *address, &text, &place);
    json_t *one = json_pack("{ssss}", "address", at, "instruction", text ? text : "??");
    if (!text) json_object_set_new(one, "presentationHint", json_string("invalid"));
    if (place.line) {
        put_source(dap, one, "location", &place);
        json_object_set_new(one, "line", json_integer(to_client(dap, place.line)));
    }
    g_free(text);
    return one;
}

static json_t *disassemble(tw__dap *dap, const json_t *arguments, char **error)
{
    enum { MOST = 10000 };
    const char *reference = text_of(arguments, "memoryReference");
    char *end = NULL;
    uint64_t address = reference ? g_ascii_strtoull(reference, &end, 0) : 0;
    json_int_t count = integer_of(arguments, "instructionCount"), skip = integer_of(arguments, "instructionOffset");
    if (!reference || end == reference || *end || count < 0 || count > MOST || skip < -MOST || skip > MOST) {
        *error = g_strdup("'memoryReference' is no address, or there are too many instructions");
        return NULL;
    }
    address += (uint64_t)integer_of(arguments, "offset") + (uint64_t)skip * dap->target->unit;
    json_t *list = json_array();
    while (count-- > 0) json_array_append_new(list, instruction_of(dap, &address));
    return json_pack("{so}", "instructions", list);
}

const tw__dap_request tw__dap_requests[] = {
    { "initialize", initialize, TW__DAP_ALWAYS },
    { "launch", launch, TW__DAP_ALWAYS },
    { "attach", attach, TW__DAP_ALWAYS },
    { "restart", restart, TW__DAP_OPEN },
    { "disconnect", disconnect, TW__DAP_ALWAYS },
    { "terminate", terminate, TW__DAP_OPEN },
    { "cancel", cancel, TW__DAP_ALWAYS },
    { "setBreakpoints", set_breakpoints, TW__DAP_OPEN },
    { "setFunctionBreakpoints", set_function_breakpoints, TW__DAP_OPEN },
    { "setExceptionBreakpoints", set_exception_breakpoints, TW__DAP_OPEN },
    { "configurationDone", configuration_done, TW__DAP_OPEN },
    { "threads", threads, TW__DAP_OPEN },
    { "pause", pause_request, TW__DAP_OPEN },
    { "continue", continue_request, TW__DAP_STANDS },
    { "next", next_request, TW__DAP_STANDS },
    { "stepIn", step_in_request, TW__DAP_STANDS },
    { "stepOut", step_out_request, TW__DAP_STANDS },
    { "stackTrace", stack_trace, TW__DAP_STANDS },
    { "scopes", tw__dap_scopes, TW__DAP_STANDS },
    { "variables", tw__dap_variables, TW__DAP_STANDS },
    { "setVariable", tw__dap_set_variable, TW__DAP_STANDS },
    { "evaluate", evaluate, TW__DAP_STANDS },
    { "exceptionInfo", exception_info, TW__DAP_STANDS },
    { "completions", tw__dap_completions, TW__DAP_STANDS },
    { "readMemory", tw__dap_read_memory, TW__DAP_STANDS },
    { "disassemble", disassemble, TW__DAP_STANDS },
};
const size_t tw__dap_request_count = G_N_ELEMENTS(tw__dap_requests);
