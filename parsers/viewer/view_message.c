/* view_message.c - reads the frame of a request and writes the frame of the answer */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/viewer/viewer_internal.h"

enum { BODY_DEPTH = 2 }; /* open objects around the members of a body */

/* The members of a request that the answer repeats. */
struct envelope {
    int64_t id;
    const char *command, *module;
    bool has_callback;
    int64_t callback;
};

/* One request and the answer that is written. */
struct view_answer {
    struct view_call call;
    struct envelope envelope;
    struct text out; /* the part that was not sent yet */
    struct json_write json;
    bool is_begun; /* a part was sent */
};

static void write_envelope(struct json_write *json,
                           struct viewer_session *session,
                           const struct envelope *envelope)
{
    json_write_object(json);
    put_text(json, "type", "response");
    put_number(json, "id", (int64_t)++session->answers);
    put_number(json, "requestId", envelope->id);
    put_text(json, "command", envelope->command);
    put_text(json, "moduleName", envelope->module);
    if (envelope->has_callback)
        put_number(json, "resultCallbackId", envelope->callback);
}

static void
finish(struct json_write *json, struct text *out, viewer_send_fn *send, void *ctx)
{
    struct err err;

    json_write_object_end(json);
    json_write_finish(json, &err); /* a text cannot fail */
    send(ctx, out->bytes, out->length, true);
}

static void write_error(struct json_write *json, const struct view_call *call)
{
    json_write_key(json, "error");
    json_write_object(json);
    put_number(json, "code", call->code);
    put_text(json, "message", call->text);
    json_write_object_end(json);
}

static void send_failure(struct viewer_session *session,
                         const struct envelope *envelope,
                         const struct view_call *call,
                         viewer_send_fn *send,
                         void *ctx)
{
    struct text out = {0};
    struct json_write json;

    json_write_to_text(&json, &out);
    write_envelope(&json, session, envelope);
    put_bool(&json, "result", false);
    write_error(&json, call);
    finish(&json, &out, send, ctx);
    text_clear(&out);
}

void view_send_event(viewer_send_fn *send,
                     void *ctx,
                     const char *module,
                     const char *event,
                     view_body_fn *body,
                     const void *arg)
{
    struct text out = {0};
    struct json_write json;

    json_write_to_text(&json, &out);
    json_write_object(&json);
    put_text(&json, "type", "event");
    put_number(&json, "id", 0);
    put_text(&json, "event", event);
    put_text(&json, "moduleName", module);
    json_write_key(&json, "body");
    json_write_object(&json);
    body(&json, arg);
    json_write_object_end(&json);
    finish(&json, &out, send, ctx);
    text_clear(&out);
}

static void write_reset(struct json_write *json, const void *arg)
{
    (void)arg;
    put_bool(json, "reset", true);
}

static void destroy_answer(struct view_answer *answer)
{
    struct view_call *call = &answer->call;

    if (call->part) {
        call->clear(call->state);
        viewer_leave(&call->file);
    }
    text_clear(&answer->out);
    arena_destroy(call->arena);
    free(answer);
}

/* Sends the end of the answer, or the failure in its place. A failure after the first
 * part closes the body: the client then reads `result` and `error`. */
static void
end_answer(struct view_answer *answer, int result, viewer_send_fn *send, void *ctx)
{
    struct view_call *call = &answer->call;
    struct json_write *json = &answer->json;

    if (result < 0 && !answer->is_begun) {
        json_write_clear(json);
        call->session->answers--; /* the unfinished answer was not sent */
        send_failure(call->session, &answer->envelope, call, send, ctx);
        return;
    }
    json_write_close_to(json, BODY_DEPTH);
    json_write_object_end(json);
    put_bool(json, "result", result == 0);
    if (call->code)
        write_error(json, call);
    finish(json, &answer->out, send, ctx);
}

/* Writes the next part. Returns 1 when more follows, otherwise as end_answer() needs.
 */
static int write_part(struct view_answer *answer)
{
    struct view_call *call = &answer->call;
    struct err err;

    if (view_file_check(call->file, &err) < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    call->file->used = ++call->viewer->uses;
    return call->part(call, call->state);
}

void view_answer_continue(struct viewer_session *session,
                          viewer_send_fn *send,
                          void *ctx)
{
    struct view_answer *answer = session->answer;
    int result = write_part(answer);

    if (result > 0) {
        if (!call_is_full(&answer->call)) /* the part only read */
            return;
        send(ctx, answer->out.bytes, answer->out.length, false);
        answer->is_begun = true;
        text_reset(&answer->out);
        return;
    }
    end_answer(answer, result, send, ctx);
    view_answer_drop(session);
}

void view_answer_drop(struct viewer_session *session)
{
    if (session->answer)
        destroy_answer(session->answer);
    session->answer = NULL;
}

bool viewer_is_answering(const struct viewer_session *session)
{
    return session->answer != NULL;
}

/* Runs the handler and sends its answer, or the first part. Takes the answer. */
static void run(struct view_answer *answer,
                view_answer_fn *handler,
                viewer_send_fn *send,
                void *ctx)
{
    struct view_call *call = &answer->call;
    int result;

    json_write_to_text(&answer->json, &answer->out);
    write_envelope(&answer->json, call->session, &answer->envelope);
    json_write_key(&answer->json, "body");
    json_write_object(&answer->json);
    call->body = &answer->json;
    result = handler(call);
    if (call->sends_reset)
        view_send_event(send, ctx, "operator", "module.reset", write_reset, NULL);
    if (result == 0 && call->part) {
        call->file->users++;
        call->session->answer = answer;
        view_answer_continue(call->session, send, ctx);
        return;
    }
    end_answer(answer, result, send, ctx);
    destroy_answer(answer);
}

/* Reads the members around the parameters. */
static int read_envelope(struct view_call *call,
                         struct envelope *envelope,
                         const struct json_node *root)
{
    const char *type = NULL;

    if (json_tree_i64(json_tree_get(root, "resultCallbackId"), &envelope->callback))
        envelope->has_callback = true;
    json_tree_text(json_tree_get(root, "command"), &envelope->command);
    json_tree_text(json_tree_get(root, "moduleName"), &envelope->module);
    if (!json_tree_i64(json_tree_get(root, "id"), &envelope->id))
        return call_fail(call, VIEW_OTHER, "'id' is missing or no whole number");
    if (!json_tree_text(json_tree_get(root, "type"), &type) ||
        strcmp(type, "request") != 0)
        return call_fail(call, VIEW_OTHER, "'type' is missing or not 'request'");
    if (!*envelope->command)
        return call_fail(call, VIEW_OTHER, "'command' is missing or no text");
    if (!*envelope->module)
        return call_fail(call, VIEW_OTHER, "'moduleName' is missing or no text");
    call->params = json_tree_get(root, "params");
    if (!json_tree_is(call->params, JSON_OBJECT))
        return call_fail(call, VIEW_OTHER, "'params' is missing or no object");
    json_tree_text(json_tree_get(root, "projectName"), &call->project);
    call->command = envelope->command;
    call->module = envelope->module;
    return 0;
}

static int find_handler(struct view_call *call, view_answer_fn **handler)
{
    bool has_module;

    *handler = view_handler(call->module, call->command, &has_module);
    if (*handler)
        return 0;
    if (!has_module)
        return call_fail(call, VIEW_OTHER, "module '%.100s' is unknown", call->module);
    return call_fail(call, VIEW_OTHER, "command '%.100s' of module '%s' is unknown",
                     call->command, call->module);
}

static int parse(struct view_call *call,
                 const struct json_node **root,
                 const char *text,
                 size_t size)
{
    struct json_limits limits = {.depth = 64, .text_bytes = VIEWER_REQUEST_MAX};
    struct err err;

    if (size > VIEWER_REQUEST_MAX)
        return call_fail(call, VIEW_OTHER, "the request has %zu bytes, the limit is %d",
                         size, VIEWER_REQUEST_MAX);
    if (json_tree_parse(root, "request", text, size, limits, call->arena, &err) < 0)
        return call_fail_err(call, VIEW_OTHER, &err);
    if (!json_tree_is(*root, JSON_OBJECT))
        return call_fail(call, VIEW_OTHER, "the request is no JSON object");
    return 0;
}

void viewer_answer(struct viewer_session *session,
                   const char *text,
                   size_t size,
                   viewer_send_fn *send,
                   void *ctx)
{
    struct view_answer *answer = xcalloc(1, sizeof(*answer));
    struct view_call *call = &answer->call;
    const struct json_node *root = NULL;
    view_answer_fn *handler;

    while (session->answer)
        view_answer_continue(session, send, ctx);
    answer->envelope = (struct envelope){.id = -1, .command = "", .module = ""};
    call->session = session;
    call->viewer = session->viewer;
    call->project = "";
    call->arena = arena_create(16 * 1024);
    if (parse(call, &root, text, size) < 0 ||
        read_envelope(call, &answer->envelope, root) < 0 ||
        find_handler(call, &handler) < 0) {
        send_failure(session, &answer->envelope, call, send, ctx);
        destroy_answer(answer);
    } else {
        run(answer, handler, send, ctx);
    }
    viewer_trim(session->viewer);
}
