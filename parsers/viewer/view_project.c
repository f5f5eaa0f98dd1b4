/* view_project.c - which file a session has open, and the names of projects */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/viewer/viewer_internal.h"

const char *session_path(const struct viewer_session *session, const char *project)
{
    const char *renamed = map_get(session->renamed, project);
    const struct viewer_entry *entry =
        viewer_find(session->viewer, renamed ? renamed : project);

    return entry ? entry->shown : NULL;
}

/* Ends the reading of a file whose events the client no longer needs. */
static void stop_job(struct viewer_session *session, bool is_baseline)
{
    for (size_t i = 0; i < VIEW_JOBS; i++)
        if (session->jobs[i].file && session->jobs[i].is_baseline == is_baseline)
            session->jobs[i] = (struct view_job){0};
}

static void
start_job(struct viewer_session *session, struct view_file *file, bool is_baseline)
{
    for (size_t i = 0; i < VIEW_JOBS; i++)
        if (!session->jobs[i].file) {
            session->jobs[i] =
                (struct view_job){.file = file, .is_baseline = is_baseline};
            return;
        }
}

void session_close(struct viewer_session *session)
{
    stop_job(session, false);
    viewer_leave(&session->opened);
}

void session_open(struct viewer_session *session, struct view_file **file)
{
    session_close(session);
    session->opened = *file;
    session->is_reset = false;
    *file = NULL;
    start_job(session, session->opened, false);
}

void session_set_baseline(struct viewer_session *session, struct view_file **file)
{
    stop_job(session, true);
    viewer_leave(&session->baseline);
    session->baseline = *file;
    *file = NULL;
    if (session->baseline)
        start_job(session, session->baseline, true);
}

char *view_database(const char *shown)
{
    const char *slash = strrchr(shown, '/'), *name = slash ? slash + 1 : shown;
    int folder = (int)(name - shown), stem = (int)strcspn(name, ".");

    return xasprintf("%.*s%.*s_mindstudio_insight_data.db", folder, shown, stem, name);
}

/* Writes one node of the tree, up to its list of children. */
static void open_node(struct json_write *json, const char *shown, bool is_file)
{
    const char *slash = strrchr(shown, '/');

    json_write_object(json);
    put_text(json, "type", is_file ? "COMPUTE" : "PROJECT");
    put_text(json, "filePath", shown);
    put_text(json, "fileDir", slash ? slash + 1 : shown);
    put_text(json, "rankId", is_file ? shown : "");
    put_text(json, "host", "");
    put_text(json, "deviceId", "");
    put_text(json, "clusterPath", "");
    put_number(json, "projectType", is_file ? 0 : 1);
    json_write_key(json, "children");
    json_write_array(json);
}

static void close_node(struct json_write *json)
{
    json_write_array_end(json);
    json_write_object_end(json);
}

void put_project_tree(struct json_write *json, const char *shown)
{
    json_write_array(json);
    open_node(json, shown, false);
    open_node(json, shown, true);
    close_node(json);
    close_node(json);
    json_write_array_end(json);
}
