/* SPDX-License-Identifier: MIT */
/* dap: messages and their order. Requests are answered one after the other; those that let the program go on do so
 * behind their answer. What is no request is told and left out. */
#include "cli/dap/dap_inner.h"

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- answers and events ---------------------------------------------------------------------------------------- */

void tw__dap_event(tw__dap *dap, const char *name, json_t *body)
{
    json_t *event = json_pack("{sIssss}", "seq", ++dap->seq, "type", "event", "event", name);
    if (body) json_object_set_new(event, "body", body);
    tw__messages_send(dap->out, event);
}

void tw__dap_respond(tw__dap *dap, json_int_t request, const char *command, json_t *body, const char *error)
{
    g_autofree char *text = error ? g_utf8_make_valid(error, -1) : NULL;
    json_t *response = json_pack("{sIsssIsbss}", "seq", ++dap->seq, "type", "response", "request_seq", request,
                                 "success", !error, "command", command);
    if (error) {
        json_object_set_new(response, "message", json_string(text));
        body = json_pack("{s{sisssb}}", "error", "id", 1, "format", text, "showUser", 1);
    }
    if (body) json_object_set_new(response, "body", body);
    tw__messages_send(dap->out, response);
}

/* --- requests -------------------------------------------------------------------------------------------------- */

static const tw__dap_request *find_request(const char *name)
{
    for (size_t i = 0; i < tw__dap_request_count; i++)
        if (strcmp(tw__dap_requests[i].name, name) == 0) return &tw__dap_requests[i];
    return NULL;
}

/* Does a message that waits cancel this request? */
static bool is_cancelled(const tw__dap *dap, json_int_t seq)
{
    for (GList *m = dap->stream.list->head; m; m = m->next) {
        const char *command = json_string_value(json_object_get(m->data, "command"));
        const json_t *id = json_object_get(json_object_get(m->data, "arguments"), "requestId");
        if (g_strcmp0(command, "cancel") == 0 && json_is_integer(id) && json_integer_value(id) == seq) return true;
    }
    return false;
}

/* Why it cannot be asked now; NULL = it can. The words are those of the protocol where it has some. */
static const char *refusal(const tw__dap *dap, const tw__dap_request *r)
{
    if (!r) return "unknown request";
    if (!dap->initialized && strcmp(r->name, "initialize") != 0 && strcmp(r->name, "disconnect") != 0)
        return "'initialize' comes first";
    if (r->when == TW__DAP_ALWAYS) return NULL;
    if (!dap->debugger) return "no program is open: 'launch' opens one";
    if (dap->gone) return "the program has ended";
    return r->when == TW__DAP_STANDS && dap->running ? "notStopped" : NULL;
}

static void take_request(tw__dap *dap, const json_t *message, const char *command)
{
    static const char *const no_arguments = "its arguments are no object";
    json_int_t seq = json_integer_value(json_object_get(message, "seq"));
    const json_t *arguments = json_object_get(message, "arguments");
    const tw__dap_request *r = find_request(command);
    const char *refused = is_cancelled(dap, seq) ? "cancelled" : refusal(dap, r);
    if (!refused && arguments && !json_is_object(arguments) && !json_is_null(arguments)) refused = no_arguments;
    if (refused) {
        tw__dap_respond(dap, seq, command, NULL, refused);
        return;
    }
    g_autofree char *error = NULL;
    dap->request = seq;
    json_t *body = r->handle(dap, arguments, &error);
    if (error || body) tw__dap_respond(dap, seq, command, body, error);
    void (*after)(tw__dap *) = dap->after;
    dap->after = NULL;
    if (after) after(dap);
}

static void take_message(tw__dap *dap, const json_t *message)
{
    const char *type = json_string_value(json_object_get(message, "type"));
    const char *command = json_string_value(json_object_get(message, "command"));
    bool is_request = g_strcmp0(type, "request") == 0 && json_is_integer(json_object_get(message, "seq"));
    if (is_request && command) {
        take_request(dap, message, command);
    } else if (is_request) {
        tw__dap_respond(dap, json_integer_value(json_object_get(message, "seq")), "", NULL, "it has no command");
    } else if (g_strcmp0(type, "response") != 0 && g_strcmp0(type, "event") != 0) {
        tw__dap_event(
            dap, "output",
            json_pack("{ssss}", "category", "console", "output", "a message that is no request is left out\n"));
    }
}

static void take_next(tw__dap *dap)
{
    json_t *message = g_queue_pop_head(dap->stream.list);
    take_message(dap, message);
    json_decref(message);
}

/* From the start; true: a run that is under way ends first. */
static bool start_again(tw__dap *dap)
{
    const tw__dap_target *t = dap->target;
    dap->restart = dap->pause = false;
    dap->excepted = 0;
    dap->running = true;
    tw__dap_forget(dap);
    bool stops = dap->stop_on_entry && !dap->no_debug;
    if (t->again && t->again(dap->debugger, stops)) return true;
    t->start(dap->debugger, stops);
    return false;
}

void tw__dap_loop(tw__dap *dap)
{
    dap->go = false;
    while (!dap->over && !dap->go) {
        if (dap->restart) {
            if (start_again(dap)) return;
            continue;
        }
        tw__messages_receive(&dap->stream, true);
        if (g_queue_is_empty(dap->stream.list))
            dap->over = true;
        else
            take_next(dap);
        if (!dap->over && !dap->go) tw__dap_flush(dap, "console");
    }
}

bool tw__dap_poll(tw__dap *dap)
{
    tw__dap_flush(dap, "stdout");
    tw__messages_receive(&dap->stream, false);
    while (!dap->over && !g_queue_is_empty(dap->stream.list)) take_next(dap);
    if (dap->stream.ended && g_queue_is_empty(dap->stream.list)) dap->over = true;
    bool stop = dap->pause || dap->over;
    dap->pause = false;
    return stop;
}

bool tw__dap_is_over(const tw__dap *dap)
{
    return dap->over;
}

bool tw__dap_has_ended(const tw__dap *dap)
{
    return dap->exited;
}

/* --- what the program does ------------------------------------------------------------------------------------- */

void tw__dap_stopped(tw__dap *dap, const char *reason, unsigned thread, unsigned breakpoint, const char *text)
{
    if (dap->over) return;
    tw__dap_flush(dap, "console");
    dap->running = dap->pause = false;
    if (dap->restart) return; /* nobody is to see this stop */
    if (dap->ending) {
        tw__dap_end(dap);
        return;
    }
    if (strcmp(reason, "exception") != 0) dap->excepted = 0;
    json_t *body = json_pack("{sssIsb}", "reason", reason, "threadId", (json_int_t)thread, "allThreadsStopped", 1);
    if (text) json_object_set_new(body, "text", json_string(text));
    if (text) json_object_set_new(body, "description", json_string(text));
    const tw__dap_range *range = tw__dap_find_range(dap, breakpoint); /* the client knows the first of its places */
    if (range) json_object_set_new(body, "hitBreakpointIds", json_pack("[I]", (json_int_t)range->first));
    tw__dap_event(dap, "stopped", body);
}

void tw__dap_excepted(tw__dap *dap, unsigned thread, const char *kind, const char *text)
{
    g_free(dap->kind), g_free(dap->what);
    dap->excepted = thread, dap->kind = g_strdup(kind), dap->what = g_utf8_make_valid(text, -1);
    tw__dap_stopped(dap, "exception", thread, 0, dap->what);
}

void tw__dap_end(tw__dap *dap)
{
    dap->ending = false, dap->exited = true;
    dap->excepted = 0;
    tw__dap_event(dap, "terminated", NULL);
}

void tw__dap_exited(tw__dap *dap, int status)
{
    dap->running = dap->ending = false;
    dap->gone = dap->target->only_once;
    dap->excepted = 0;
    if (dap->over || dap->exited || dap->restart) return;
    dap->exited = true;
    tw__dap_flush(dap, "stdout");
    tw__dap_event(dap, "exited", json_pack("{si}", "exitCode", status));
    tw__dap_event(dap, "terminated", NULL);
}

void tw__dap_let_go(tw__dap *dap)
{
    dap->go = true;
}

void tw__dap_begin(tw__dap *dap, tw__debugger *d)
{
    dap->debugger = d, dap->opened = true;
    tw__dap_flush(dap, "console");
    tw__dap_respond(dap, dap->request, "launch", NULL, NULL);
    tw__dap_event(dap, "initialized", NULL);
}

void tw__dap_session(tw__dap *dap, tw__debugger *d)
{
    tw__dap_begin(dap, d);
    while (!dap->over) tw__dap_loop(dap); /* the end of a run ends one, too */
    dap->debugger = NULL;
}

/* --- log points ------------------------------------------------------------------------------------------------- */

const tw__dap_range *tw__dap_find_range(const tw__dap *dap, unsigned number)
{
    GHashTableIter all;
    gpointer ranges;
    g_hash_table_iter_init(&all, dap->breakpoints);
    while (number && g_hash_table_iter_next(&all, NULL, &ranges))
        for (guint i = 0; i < ((GArray *)ranges)->len; i++) {
            const tw__dap_range *r = &g_array_index((GArray *)ranges, tw__dap_range, i);
            if (number - r->first < r->count) return r;
        }
    return NULL;
}

/* "x is {x}": with values in place of what stands in braces, or why there are none. */
static char *log_text(tw__dap *dap, const char *log, unsigned thread)
{
    GString *text = g_string_new(NULL);
    while (*log) {
        const char *end = *log == '{' ? strchr(log, '}') : NULL;
        if (!end) {
            g_string_append_c(text, *log++);
            continue;
        }
        g_autofree char *expression = g_strndup(log + 1, (gsize)(end - log - 1)), *error = NULL;
        char *value = dap->target->evaluate(dap->debugger, thread, 0, g_strstrip(expression), &error);
        g_string_append(text, value ? value : error ? error : "?");
        free(value);
        log = end + 1;
    }
    g_string_append_c(text, '\n');
    return g_string_free(text, FALSE);
}

bool tw__dap_logs(tw__dap *dap, unsigned number, unsigned thread)
{
    const tw__dap_range *r = tw__dap_find_range(dap, number);
    if (!r || !r->log) return false;
    tw__dap_flush(dap, "stdout");
    g_autofree char *text = log_text(dap, r->log, thread), *valid = g_utf8_make_valid(text, -1);
    tw__dap_event(dap, "output", json_pack("{ssss}", "category", "console", "output", valid));
    return true;
}

/* --- life ------------------------------------------------------------------------------------------------------ */

static void make_lists(tw__dap *dap)
{
    tw__messages_open(&dap->stream);
    dap->frames = g_array_new(FALSE, TRUE, sizeof(tw__dap_location));
    dap->breakpoints = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
}

int tw__dap_serve(const tw__dap_target *target)
{
    tw__dap dap = { .target = target, .out = -1, .err = -1, .captured = { -1, -1 } };
    if (!tw__dap_capture(&dap)) {
        tw__dap_release(&dap);
        perror("tilewright: no memory for what is printed");
        return TW__EXIT_FAILURE;
    }
    make_lists(&dap);
    tw__dap_loop(&dap);
    tw__dap_release(&dap);
    tw__messages_close(&dap.stream);
    g_array_free(dap.frames, TRUE);
    if (dap.references) g_array_free(dap.references, TRUE);
    g_hash_table_destroy(dap.breakpoints);
    g_free(dap.folder), g_free(dap.kind), g_free(dap.what);
    return dap.left ? TW__EXIT_OK : TW__EXIT_FAILURE;
}

tw__dap *tw__dap_open(const tw__dap_target *target, int in, int out)
{
    tw__dap *dap = g_new0(tw__dap, 1);
    *dap = (tw__dap){ .target = target, .out = out, .err = -1, .captured = { -1, -1 } };
    if (!tw__dap_capture(dap)) {
        perror("tilewright: no memory for what is printed");
        g_free(dap);
        return NULL;
    }
    make_lists(dap);
    dap->stream.file = in;
    return dap;
}
