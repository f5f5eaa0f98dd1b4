/* answers_import.c - opens a file, closes it, and names its card */
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/view_file/view_timeline.h"
#include "parsers/viewer/view_handlers.h"
#include "parsers/viewer/viewer_internal.h"

enum { REOPEN = 0, ADD = 1 }; /* projectAction */
enum { PROJECT_TYPE_TEXT = 1 };

/* Finds the path that the request means. */
static int find_path(struct view_call *call, const char **shown)
{
    const struct json_node *path = json_tree_at(json_tree_get(call->params, "path"), 0);
    const char *project;
    int64_t action;

    if (call_text(call, "projectName", &project) < 0 ||
        call_number(call, "projectAction", -1, &action) < 0)
        return -1;
    if (!*project)
        return call_fail(call, VIEW_PARAMETER, "params.projectName is empty");
    if (action != REOPEN && action != ADD)
        return call_fail(call, VIEW_PARAMETER,
                         "params.projectAction is missing or not 0 and not 1");
    if (action == REOPEN) {
        *shown = session_path(call->session, project);
        return *shown ? 0
                      : call_fail(call, VIEW_PROJECT, "project '%.200s' is unknown",
                                  project);
    }
    if (!json_tree_text(path, shown))
        return call_fail(call, VIEW_PARAMETER,
                         "params.path is missing or no list of paths");
    return 0;
}

/* Writes the names of the cores that the source view offers. */
static int put_cores(struct view_call *call, const struct view_file *file)
{
    const struct view_block *block = view_block_find(file, BIN_INSTRUCTIONS);
    const struct json_node *cores = NULL;
    struct err err;
    int result = 0;

    if (block)
        result = view_block_member(&cores, file, block, "Cores", call->arena, &err);
    json_write_key(call->body, "coreList");
    json_write_array(call->body);
    if (json_tree_is(cores, JSON_ARRAY))
        for (const struct json_node *core = cores->first; core; core = core->next)
            if (json_tree_is(core, JSON_TEXT))
                json_write_text(call->body, core->text);
    json_write_array_end(call->body);
    if (result < 0)
        call_fail_err(call, VIEW_FILE, &err);
    return 0;
}

static int order_of_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void put_sources(struct json_write *json, const struct view_file *file)
{
    const char **paths = xcalloc(file->count + 1, sizeof(*paths));
    size_t count = 0;

    for (size_t i = 0; i < file->count; i++)
        if (file->blocks[i].path)
            paths[count++] = file->blocks[i].path;
    qsort(paths, count, sizeof(*paths), order_of_texts);
    json_write_key(json, "sourceList");
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(paths[i - 1], paths[i]) != 0)
            json_write_text(json, paths[i]);
    json_write_array_end(json);
    free(paths);
}

/* Writes the card of the file as the only result. */
static void put_result(struct json_write *json, const char *shown)
{
    char *database = view_database(shown), *folder = xstrdup(shown), *name = folder;

    for (int level = 0; level < 2; level++)
        if ((name = strrchr(folder, '/')))
            *name = '\0';
    name = strrchr(folder, '/');
    char *place = xasprintf("Directory: %s", name ? name + 1 : "");

    json_write_key(json, "result");
    json_write_array(json);
    json_write_object(json);
    put_text(json, "cardName", shown);
    put_text(json, "rankId", shown);
    put_text(json, "cardPath", place);
    put_bool(json, "result", true);
    put_text(json, "dbPath", database);
    put_text(json, "cluster", "");
    put_number(json, "projectType", PROJECT_TYPE_TEXT);
    put_empty_list(json, "dataPathList");
    put_text(json, "host", "");
    json_write_object_end(json);
    json_write_array_end(json);
    free(place);
    free(folder);
    free(database);
}

/* Returns the version of the last block of instructions, as the vendor's server. */
static int version_of(const struct view_file *file)
{
    int version = BIN_MAGIC;

    for (size_t i = 0; i < file->count; i++)
        if (file->blocks[i].type == BIN_INSTRUCTIONS)
            version = file->blocks[i].version;
    return version;
}

static int put_import(struct view_call *call, const struct view_file *file)
{
    static const struct {
        const char *name;
        bool value;
    } flags[] = {
        {"isOnlyTraceJson", false}, {"isCluster", false}, {"reset", true},
        {"isSimulation", true},     {"isBinary", true},   {"isIpynb", false},
        {"isPending", false},       {"isLeaks", false},   {"isIE", false},
        {"isMultiDevice", false},   {"isTriton", false},
    };
    struct json_write *json = call->body;

    for (size_t i = 0; i < COUNT(flags); i++)
        put_bool(json, flags[i].name, flags[i].value);
    put_bool(json, "hasCachelineRecords",
             view_block_find(file, BIN_CACHELINES) != NULL);
    put_number(json, "instrVersion", version_of(file));
    if (put_cores(call, file) < 0)
        return -1;
    put_sources(json, file);
    json_write_key(json, "children");
    put_project_tree(json, file->shown);
    put_result(json, file->shown);
    if (*file->problem && !call->code)
        call_fail(call, VIEW_FILE,
                  "%s is damaged; only its first %zu blocks are shown: %s", file->shown,
                  file->count, file->problem);
    return 0;
}

int answer_import(struct view_call *call)
{
    struct viewer_session *session = call->session;
    struct view_file *file;
    const char *shown;
    struct err err;

    if (find_path(call, &shown) < 0)
        return -1;
    if (viewer_use(&file, call->viewer, shown, &err) < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    if (view_timeline_state(file) == VIEW_TIMELINE_FAILED)
        view_timeline_drop(file); /* the trace is read again */
    if (put_import(call, file) < 0) {
        viewer_leave(&file);
        return -1;
    }
    call->sends_reset = session->opened != NULL;
    map_remove(session->hidden, file->shown);
    session_open(session, &file);
    return 0;
}

int answer_reset(struct view_call *call)
{
    session_close(call->session);
    call->session->is_reset = true;
    return 0;
}

/* Closes the opened file when the request names its card. */
int answer_delete(struct view_call *call)
{
    const struct json_node *cards = json_tree_get(call->params, "rankId");

    if (!json_tree_is(cards, JSON_ARRAY))
        return call_fail(call, VIEW_PARAMETER,
                         "params.rankId is missing or no list of cards");
    for (const struct json_node *card = cards->first; card; card = card->next)
        if (call->session->opened &&
            strcmp(view_scalar(card), call->session->opened->shown) == 0) {
            session_close(call->session);
            call->session->is_reset = true;
        }
    put_bool(call->body, "startTimeUpdated", false);
    put_number(call->body, "maxTimeStamp", 0);
    return 0;
}

int answer_alias(struct view_call *call)
{
    const char *card, *alias;
    struct view_file *file;

    if (call_card(call, "rankId", &file) < 0 || call_text(call, "rankId", &card) < 0 ||
        call_text(call, "cardAlias", &alias) < 0)
        return -1;
    if (strlen(alias) > BIN_PATH_MAX)
        return call_fail(call, VIEW_PARAMETER,
                         "params.cardAlias has more than %d characters", BIN_PATH_MAX);
    free(map_put(call->session->aliases, card, xstrdup(alias)));
    return 0;
}
