/* viewer_internal.h - the state of viewers and sessions, and the list of handlers */
#ifndef PARSERS_VIEWER_VIEWER_INTERNAL_H
#define PARSERS_VIEWER_VIEWER_INTERNAL_H

#include "lib/base/map.h"
#include "parsers/viewer/view_call.h"
#include "parsers/viewer/viewer.h"

/* In front of a shown path it names the card of a comparison. */
#define BASELINE_CARD "Baseline_"

struct viewer {
    struct viewer_entry {
        char *shown, *path;
    } * entries; /* sorted by shown */
    size_t entry_count;
    struct view_file **open; /* with and without users */
    size_t open_count, open_room;
    uint64_t uses; /* counts the uses of open files */
};

/* A file whose timeline is read for a session; the events about it follow. */
struct view_job {
    struct view_file *file; /* NULL: no job */
    bool is_baseline;
    uint64_t reported; /* bytes of the last parse/progress */
};

enum { VIEW_JOBS = 2 }; /* the opened file and the file of a comparison */

struct view_answer;

struct viewer_session {
    struct viewer *viewer;
    struct view_answer *answer;          /* with further parts, or NULL */
    struct view_file *opened, *baseline; /* NULL: none */
    bool is_reset; /* the client closed its project: open no file by its name */
    uint64_t answers;
    struct map *renamed; /* project name given by the client -> shown path */
    struct map *hidden;  /* shown paths that the client removed from its list */
    struct map *aliases; /* card -> the name that the client gave */
    struct view_job jobs[VIEW_JOBS];
};

/* viewer.c */
const struct viewer_entry *viewer_find(const struct viewer *viewer, const char *shown);
/* Opens a listed file, or returns the one that is open. Adds a user. */
int viewer_use(struct view_file **file,
               struct viewer *viewer,
               const char *shown,
               struct err *err);
void viewer_leave(struct view_file **file); /* removes a user and leaves NULL */
/* Closes files and drops timelines that were not used for the longest time. */
void viewer_trim(struct viewer *viewer);

/* view_project.c: returns the shown path of a project, or NULL. */
const char *session_path(const struct viewer_session *session, const char *project);
/* Makes this file the opened one. Takes the user of *file. */
void session_open(struct viewer_session *session, struct view_file **file);
void session_close(struct viewer_session *session);
void session_set_baseline(struct viewer_session *session, struct view_file **file);
/* Returns the handler of a command, or NULL and whether the module exists. */
view_answer_fn *view_handler(const char *module, const char *command, bool *has_module);

/* view_message.c */
/* Sends the next part of the session's answer. */
void view_answer_continue(struct viewer_session *session,
                          viewer_send_fn *send,
                          void *ctx);
void view_answer_drop(struct viewer_session *session);
typedef void view_body_fn(struct json_write *json, const void *arg);
void view_send_event(viewer_send_fn *send,
                     void *ctx,
                     const char *module,
                     const char *event,
                     view_body_fn *body,
                     const void *arg);

/* Write the tree of files that belongs to a project, with the brackets of the list. */
void put_project_tree(struct json_write *json, const char *shown);
/* Returns the name of the database that the vendor's server would create. The caller
 * frees it. */
char *view_database(const char *shown);

#endif
