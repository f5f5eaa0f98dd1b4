#include "parsers/viewer/view_call.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "parsers/view_file/view_file.h"
#include "parsers/viewer/viewer_internal.h"

int call_fail(struct view_call *call, int code, const char *fmt, ...)
{
    va_list args;

    call->code = code;
    va_start(args, fmt);
    vsnprintf(call->text, sizeof(call->text), fmt, args);
    va_end(args);
    return -1;
}

int call_fail_err(struct view_call *call, int code, const struct err *err)
{
    return call_fail(call, code, "%s", err->text);
}

static int wrong(struct view_call *call, const char *name, const char *expected)
{
    const struct json_node *node = json_tree_get(call->params, name);

    if (!node)
        return call_fail(call, VIEW_PARAMETER, "params.%s is missing; expected %s",
                         name, expected);
    return call_fail(call, VIEW_PARAMETER, "params.%s is %s; expected %s", name,
                     json_kind_name(node->kind), expected);
}

int call_text(struct view_call *call, const char *name, const char **value)
{
    if (!json_tree_text(json_tree_get(call->params, name), value))
        return wrong(call, name, "a text");
    return 0;
}

int call_checked(struct view_call *call, const char *name, const char **value)
{
    const struct json_node *node = json_tree_get(call->params, name);

    if (!node || (json_tree_is(node, JSON_TEXT) && !node->length))
        return call_fail(call, VIEW_OTHER, "Parameter is empty.");
    if (call_text(call, name, value) < 0)
        return -1;
    if (node->length > BIN_PATH_MAX)
        return call_fail(call, VIEW_PARAMETER,
                         "params.%s has %zu characters, the limit is %d", name,
                         node->length, BIN_PATH_MAX);
    if (strlen(*value) != node->length ||
        (*value)[strcspn(*value, "|;&$><`\\!\"'\n\t\r\f")])
        return call_fail(call, VIEW_PARAMETER,
                         "params.%s contains a character that is not allowed", name);
    return 0;
}

int call_time(struct view_call *call, const char *name, int64_t *value)
{
    const struct json_node *node = json_tree_get(call->params, name);
    uint64_t number;

    if (!json_tree_u64(node, &number) || number > INT64_MAX / 2)
        return wrong(call, name, "a whole number from 0 to 2^62");
    *value = (int64_t)number;
    return 0;
}

int call_window(struct view_call *call, int64_t *start_ns, int64_t *end_ns)
{
    if (call_time(call, "startTime", start_ns) < 0 ||
        call_time(call, "endTime", end_ns) < 0)
        return -1;
    if (*start_ns > *end_ns)
        return call_fail(call, VIEW_PARAMETER,
                         "params.startTime is after params.endTime");
    return 0;
}

int call_bool(struct view_call *call, const char *name, bool *value)
{
    const struct json_node *node = json_tree_get(call->params, name);

    *value = false;
    if (!node || json_tree_is(node, JSON_NULL) || json_tree_bool(node, value))
        return 0;
    return wrong(call, name, "true or false");
}

int call_number(struct view_call *call, const char *name, int64_t usual, int64_t *value)
{
    const struct json_node *node = json_tree_get(call->params, name);

    *value = usual;
    if (!node || json_tree_is(node, JSON_NULL) || json_tree_i64(node, value))
        return 0;
    return wrong(call, name, "a whole number");
}

int call_optional_text(struct view_call *call, const char *name, const char **value)
{
    const struct json_node *node = json_tree_get(call->params, name);

    *value = "";
    if (!node || json_tree_is(node, JSON_NULL))
        return 0;
    return call_text(call, name, value);
}

void call_continue(struct view_call *call,
                   view_part_fn *part,
                   view_clear_fn *clear,
                   void *state)
{
    call->part = part;
    call->clear = clear;
    call->state = state;
}

bool call_is_full(const struct view_call *call)
{
    return call->body->out->length >= VIEW_PART_BYTES;
}

static int check_file(struct view_call *call, struct view_file *file)
{
    struct err err;

    if (view_file_check(file, &err) < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    file->used = ++call->viewer->uses;
    return 0;
}

/* Returns the opened file. After a reconnection this is the file that the request names
 * as its project. NULL: none, or the call failed. */
static struct view_file *session_file(struct view_call *call)
{
    struct viewer_session *session = call->session;
    const char *shown;
    struct err err;

    if (session->opened || session->is_reset || !*call->project)
        return session->opened;
    shown = session_path(session, call->project);
    if (!shown) {
        call_fail(call, VIEW_PROJECT, "project '%.200s' is unknown", call->project);
        return NULL;
    }
    if (viewer_use(&session->opened, session->viewer, shown, &err) < 0)
        call_fail_err(call, VIEW_FILE, &err);
    return session->opened;
}

int call_file(struct view_call *call, struct view_file **file)
{
    *file = session_file(call);
    if (!*file)
        return call->code ? -1
                          : call_fail(call, VIEW_DATA,
                                      "no file is open; send import/action first");
    call->file = *file;
    return check_file(call, *file);
}

int call_card(struct view_call *call, const char *name, struct view_file **file)
{
    const char *card;

    if (call_text(call, name, &card) < 0 || call_file(call, file) < 0)
        return -1;
    if (text_has_prefix(card, BASELINE_CARD)) {
        *file = call->session->baseline;
        card += strlen(BASELINE_CARD);
    }
    if (!*file || strcmp(card, (*file)->shown) != 0)
        return call_fail(call, VIEW_DATA, "card '%.200s' is not open in this session",
                         card);
    return check_file(call, *file);
}

int call_baseline(struct view_call *call, struct view_file **file)
{
    bool is_compared;

    *file = NULL;
    if (call_bool(call, "isCompared", &is_compared) < 0)
        return -1;
    if (!is_compared || !call->session->baseline)
        return 0;
    *file = call->session->baseline;
    return check_file(call, *file);
}

int call_core(struct view_call *call,
              const struct view_file *file,
              const char *name,
              size_t *core)
{
    const struct view_block *block = view_block_find(file, BIN_INSTRUCTIONS);
    const struct json_node *cores = NULL;
    struct err err;
    size_t at = 0;

    *core = 0;
    if (block && view_block_member(&cores, file, block, "Cores", call->arena, &err) < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    for (const struct json_node *node = cores ? cores->first : NULL; node;
         node = node->next, at++)
        if (strcmp(view_scalar(node), name) == 0) {
            *core = at;
            break;
        }
    return 0;
}
