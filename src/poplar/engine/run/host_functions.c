/* SPDX-License-Identifier: MIT */
/* Host functions: the streams of their arguments, and the code that runs when the last input has come, or when the
 * first output is wanted. */
#include "poplar/engine/engine.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

typedef struct host_function host_function;

typedef struct argument {
    host_function *of;
    size_t index, bytes;
    bool output;
} argument;

/* Lives until the last of its streams is disconnected. */
struct host_function {
    tw_host_callback callback;
    size_t in_count, out_count, users;
    const void **in; /* where the transfers left them */
    void **out;      /* ours, handed out one by one */
    argument *arguments;
};

static void host_functions_drop(void *user)
{
    host_function *f = ((argument *)user)->of;
    if (--f->users) return;
    if (f->callback.destroy) f->callback.destroy(f->callback.user);
    for (size_t i = 0; i < f->out_count; i++) free(f->out[i]);
    free(f->in), free(f->out), free(f->arguments), free(f);
}

static void call(const host_function *f, size_t in_count)
{
    f->callback.call(f->in, in_count, f->out, f->out_count, f->callback.user);
}

static void fetch(void *buffer, void *user)
{
    const argument *a = user;
    host_function *f = a->of;
    if (a->output) {
        if (a->index == 0) call(f, f->in_count);
        memcpy(buffer, f->out[a->index], a->bytes);
        return;
    }
    f->in[a->index] = buffer;
    if (a->index + 1 == f->in_count && f->out_count == 0) call(f, f->in_count);
}

static void fetch_call(void *buffer, void *user)
{
    (void)buffer;
    call(((argument *)user)->of, 0);
}

/* "handle/in0", or "handle/in0[2]" for replica 2; whether there is such a stream. */
static bool host_functions_find(const tw_engine *engine, char *name, unsigned replica, size_t *bytes)
{
    char *one = g_strdup_printf("%s[%u]", name, replica);
    bool found = tw__stream_bytes(engine, one, bytes);
    if (found)
        strcpy(name, one);
    else
        found = replica == 0 && tw__stream_bytes(engine, name, bytes);
    g_free(one);
    return found;
}

/* Names and sizes of the streams of one side, in order. */
typedef struct side {
    GPtrArray *names;
    GArray *bytes;
} side;

static side side_new(void)
{
    return (side){ g_ptr_array_new_with_free_func(g_free), g_array_new(false, false, sizeof(size_t)) };
}

static void side_free(side *s)
{
    g_ptr_array_free(s->names, true), g_array_free(s->bytes, true);
}

static bool side_add(side *s, const tw_engine *engine, char *name, unsigned replica)
{
    size_t bytes;
    char *room = g_malloc(strlen(name) + 16);
    strcpy(room, name);
    g_free(name);
    if (!host_functions_find(engine, room, replica, &bytes)) return g_free(room), false;
    g_ptr_array_add(s->names, room);
    g_array_append_val(s->bytes, bytes);
    return true;
}

static side side_of(const tw_engine *engine, const char *handle, const char *which, unsigned replica)
{
    side s = side_new();
    while (side_add(&s, engine, g_strdup_printf(TW__HOST_ARGUMENT, handle, which, s.names->len), replica)) continue;
    return s;
}

static host_function *function_new(size_t in, size_t out, const side *outputs, const tw_host_callback *callback)
{
    host_function *f = tw__calloc(1, sizeof *f);
    if (!f) return NULL;
    *f = (host_function){ .callback = *callback,
                          .in_count = in,
                          .out_count = out,
                          .in = tw__calloc(in + 1, sizeof *f->in),
                          .out = tw__calloc(out + 1, sizeof *f->out),
                          .arguments = tw__calloc(in + out + 1, sizeof *f->arguments) };
    bool ready = f->in && f->out && f->arguments;
    for (size_t i = 0; ready && i < out; i++)
        ready = (f->out[i] = tw__calloc(1, g_array_index(outputs->bytes, size_t, i) + 1)) != NULL;
    if (ready) return f;
    for (size_t i = 0; f->out && i < out; i++) free(f->out[i]);
    free(f->in), free(f->out), free(f->arguments), free(f);
    return NULL;
}

/* Each stream that is connected is one more user of the function. When one fails, those before it are disconnected
 * with the engine; the callback is theirs by then. */
static tw_status connect_side(tw_engine *engine, host_function *f, const side *s, bool output, bool bare)
{
    for (size_t i = 0; i < s->names->len; i++) {
        argument *a = &f->arguments[output ? f->in_count + i : i];
        *a = (argument){ .of = f, .index = i, .bytes = g_array_index(s->bytes, size_t, i), .output = output };
        tw_stream_callback c = { .fetch = bare ? fetch_call : fetch, .destroy = host_functions_drop, .user = a };
        f->users++;
        tw_status status = tw__connect_in_order(engine, s->names->pdata[i], &c);
        if (status) return f->users--, status;
    }
    return TW_OK;
}

static tw_status connect(tw_engine *engine, const side *in, const side *out, bool bare,
                         const tw_host_callback *callback)
{
    host_function *f = function_new(in->names->len, out->names->len, out, callback);
    if (!f) return tw__fail(TW_E_NO_MEMORY, "no memory for a host function");
    f->users = 1; /* us, so that a failure in the middle is not the end */
    tw_status s = connect_side(engine, f, in, false, bare);
    if (!s) s = connect_side(engine, f, out, true, false);
    if (s) f->callback.destroy = NULL; /* it stays the caller's */
    argument self = { .of = f };
    host_functions_drop(&self);
    return s;
}

static tw_status connect_function(tw_engine *engine, const char *handle, unsigned replica,
                                  const tw_host_callback *callback)
{
    tw_status s = tw__engine_usable(engine);
    if (s) return s;
    if (!handle || !callback || !callback->call)
        return tw__fail(TW_E_INVALID_ARGUMENT, "%s",
                        handle ? "the callback of a host function has no function" : "the handle is NULL");
    side in = side_of(engine, handle, "in", replica), out = side_of(engine, handle, "out", replica);
    bool bare =
        !in.names->len && !out.names->len && side_add(&in, engine, g_strdup_printf(TW__HOST_CALL, handle), replica);
    s = in.names->len + out.names->len
            ? connect(engine, &in, &out, bare, callback)
            : tw__fail(TW_E_STREAM_CONNECTION, "no host function '%s' of replica %u in this graph", handle,
                       replica);
    side_free(&in), side_free(&out);
    return s;
}

tw_status tw_engine_connect_host_function(tw_engine *engine, const char *handle, unsigned replica,
                                          const tw_host_callback *callback)
{
    return tw__engine_note(engine, connect_function(engine, handle, replica, callback), __func__);
}
