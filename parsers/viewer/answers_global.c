/* answers_global.c - heart beat, list of projects, folders, and the file to compare
 * with
 *
 * Clients see the listed files as a tree of folders, never the files of this host. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/viewer/view_handlers.h"
#include "parsers/viewer/viewer_internal.h"

enum { PROJECTS_MAX = 1000 }; /* in the list of projects; folders show all files */

/* Results of files/checkProjectValid. */
enum { PROJECT_FINE = 0, PROJECT_NO_FILE = 6 };

int answer_heart_check(struct view_call *call)
{
    (void)call;
    return 0;
}

int answer_modules(struct view_call *call)
{
    put_empty_list(call->body, "configs");
    return 0;
}

/* Returns the name that the client gave to a project, or its path. */
static const char *name_of(const struct viewer_session *session, const char *shown)
{
    const char *name;
    size_t at = 0;
    void *path;

    while (map_next(session->renamed, &at, &name, &path))
        if (strcmp(path, shown) == 0)
            return name;
    return shown;
}

static void put_project(struct view_call *call, const char *shown)
{
    struct json_write *json = call->body;

    json_write_object(json);
    put_text(json, "projectName", name_of(call->session, shown));
    json_write_key(json, "fileName");
    json_write_array(json);
    json_write_text(json, shown);
    json_write_array_end(json);
    json_write_key(json, "children");
    put_project_tree(json, shown);
    json_write_object_end(json);
}

int answer_projects(struct view_call *call)
{
    size_t count = 0;

    json_write_key(call->body, "projectDirectoryList");
    json_write_array(call->body);
    for (size_t i = 0; i < call->viewer->entry_count && count < PROJECTS_MAX; i++) {
        const char *shown = call->viewer->entries[i].shown;

        if (map_get(call->session->hidden, shown))
            continue;
        put_project(call, shown);
        count++;
    }
    json_write_array_end(call->body);
    return 0;
}

/* One name in a folder. */
struct child {
    const char *name; /* within a shown path */
    size_t length;
    bool is_file;
};

static int order_of_children(const void *left, const void *right)
{
    const struct child *a = left, *b = right;
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = strncasecmp(a->name, b->name, shorter);

    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Collects the children of a folder, each once: the entries are sorted by path. */
static size_t
find_children(const struct viewer *viewer, const char *folder, struct child *children)
{
    size_t length = strlen(folder), count = 0;

    if (length == 1)
        length = 0; /* "/": each path begins with it */
    for (size_t i = 0; i < viewer->entry_count; i++) {
        const char *shown = viewer->entries[i].shown, *name = shown + length + 1;
        struct child child = {.name = name};

        if (strncmp(shown, folder, length) != 0 || shown[length] != '/')
            continue;
        child.length = strcspn(name, "/");
        child.is_file = name[child.length] == '\0';
        if (!count || order_of_children(&children[count - 1], &child) != 0 ||
            strncmp(children[count - 1].name, name, child.length) != 0)
            children[count++] = child;
    }
    return count;
}

static void put_children(struct json_write *json,
                         const char *folder,
                         const struct child *children,
                         size_t count,
                         bool files)
{
    json_write_key(json, files ? "childrenFiles" : "childrenFolders");
    json_write_array(json);
    for (size_t i = 0; i < count; i++) {
        if (children[i].is_file != files)
            continue;
        json_write_object(json);
        json_write_key(json, "name");
        json_write_bytes(json, children[i].name, children[i].length);
        char *path = xasprintf("%s/%.*s", folder[1] ? folder : "",
                               (int)children[i].length, children[i].name);
        put_text(json, "path", path);
        free(path);
        if (!files) {
            put_empty_list(json, "childrenFolders");
            put_empty_list(json, "childrenFiles");
        }
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

int answer_folder(struct view_call *call)
{
    struct viewer *viewer = call->viewer;
    struct child *children;
    const char *path;
    size_t count = 0;

    if (call_text(call, "path", &path) < 0)
        return -1;
    children = xcalloc(viewer->entry_count + 1, sizeof(*children));
    if (!*path)
        children[count++] = (struct child){"/", 1, false};
    else
        count = find_children(viewer, path, children);
    if (count)
        qsort(children, count, sizeof(*children), order_of_children);
    put_text(call->body, "path", path);
    put_bool(call->body, "exist",
             *path && (count || strcmp(path, "/") == 0 || viewer_find(viewer, path)));
    put_children(call->body, *path ? path : "/", children, count, false);
    put_children(call->body, *path ? path : "/", children, count, true);
    free(children);
    return 0;
}

static void put_problem(struct json_write *json, const char *path)
{
    json_write_object(json);
    put_number(json, "layer", 0);
    put_number(json, "error", PROJECT_NO_FILE);
    put_text(json, "path", path);
    put_text(json, "message", "this file is not in the list of files");
    json_write_object_end(json);
}

int answer_check_project(struct view_call *call)
{
    const struct json_node *paths = json_tree_get(call->params, "dataPath");
    const char *project, *path;
    bool is_fine = true;

    if (call_text(call, "projectName", &project) < 0)
        return -1;
    if (!json_tree_is(paths, JSON_ARRAY) || !paths->count)
        return call_fail(call, VIEW_PARAMETER,
                         "params.dataPath is missing or no list of paths");
    for (const struct json_node *node = paths->first; node; node = node->next)
        is_fine &= json_tree_text(node, &path) && viewer_find(call->viewer, path);
    put_number(call->body, "result", is_fine ? PROJECT_FINE : PROJECT_NO_FILE);
    if (is_fine)
        return 0;
    json_write_key(call->body, "errorDetail");
    json_write_array(call->body);
    for (const struct json_node *node = paths->first; node; node = node->next)
        if (json_tree_text(node, &path) && !viewer_find(call->viewer, path))
            put_problem(call->body, path);
    json_write_array_end(call->body);
    return 0;
}

static void hide(struct viewer_session *session, const char *shown)
{
    map_put(session->hidden, shown, session);
    if (session->opened && strcmp(session->opened->shown, shown) == 0) {
        session_close(session);
        session->is_reset = true;
    }
}

int answer_remove_project(struct view_call *call)
{
    const char *project, *shown;

    if (call_text(call, "projectName", &project) < 0)
        return -1;
    shown = session_path(call->session, project);
    if (!shown)
        return call_fail(call, VIEW_PROJECT, "project '%.200s' is unknown", project);
    hide(call->session, shown);
    return 0;
}

int answer_clear_projects(struct view_call *call)
{
    const struct json_node *names = json_tree_get(call->params, "projectNameList");

    if (!json_tree_is(names, JSON_ARRAY))
        return call_fail(call, VIEW_PARAMETER,
                         "params.projectNameList is missing or no list of names");
    for (const struct json_node *node = names->first; node; node = node->next) {
        const char *name, *shown;

        if (!json_tree_text(node, &name) ||
            !(shown = session_path(call->session, name)))
            return call_fail(call, VIEW_PROJECT, "project '%.200s' is unknown",
                             view_scalar(node));
        hide(call->session, shown);
    }
    for (size_t i = 0; !names->count && i < call->viewer->entry_count; i++)
        hide(call->session, call->viewer->entries[i].shown);
    return 0;
}

int answer_rename_project(struct view_call *call)
{
    struct map *renamed = call->session->renamed;
    const char *old, *new, *shown, *same;

    if (call_text(call, "oldProjectName", &old) < 0 ||
        call_text(call, "newProjectName", &new) < 0)
        return -1;
    shown = session_path(call->session, old);
    if (!shown)
        return call_fail(call, VIEW_PROJECT, "project '%.200s' is unknown", old);
    if (!*new || strlen(new) > BIN_PATH_MAX)
        return call_fail(call, VIEW_PARAMETER,
                         "params.newProjectName must have 1 to %d characters",
                         BIN_PATH_MAX);
    same = session_path(call->session, new);
    if (same && strcmp(same, shown) != 0)
        return call_fail(call, VIEW_PROJECT, "project '%.200s' exists", new);
    free(map_remove(renamed, name_of(call->session, shown)));
    if (strcmp(new, shown) != 0) /* otherwise the project has its first name again */
        map_put(renamed, new, xstrdup(shown));
    return 0;
}

static void put_baseline(struct json_write *json, const char *shown)
{
    char *database = view_database(shown);
    char *name = xasprintf("%s%s%s", BASELINE_CARD, BASELINE_CARD, shown);

    put_text(json, "rankId", name + strlen(BASELINE_CARD));
    put_text(json, "host", "");
    put_text(json, "cardName", name);
    put_bool(json, "isCluster", false);
    put_text(json, "errorMessage", "");
    put_text(json, "dbPath", database);
    put_bool(json, "isFtrace", false);
    free(database);
    free(name);
}

/* The page throws on a failed answer; it shows a text in errorMessage instead. */
static int refuse_baseline(struct view_call *call, const char *reason)
{
    put_text(call->body, "rankId", "");
    put_text(call->body, "host", "");
    put_text(call->body, "cardName", "");
    put_bool(call->body, "isCluster", false);
    put_text(call->body, "errorMessage", reason);
    put_text(call->body, "dbPath", "");
    put_bool(call->body, "isFtrace", false);
    return 0;
}

int answer_set_baseline(struct view_call *call)
{
    struct view_file *file;
    const char *path;
    struct err err;

    if (call_text(call, "filePath", &path) < 0)
        return -1;
    if (viewer_use(&file, call->viewer, path, &err) < 0)
        return refuse_baseline(call, err.text);
    put_baseline(call->body, file->shown);
    session_set_baseline(call->session, &file);
    return 0;
}

int answer_cancel_baseline(struct view_call *call)
{
    session_set_baseline(call->session, &(struct view_file *){NULL});
    return 0;
}
