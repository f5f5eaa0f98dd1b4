/* view_call.h - one request of a client, and the answer that a handler writes */
#ifndef PARSERS_VIEWER_VIEW_CALL_H
#define PARSERS_VIEWER_VIEW_CALL_H

#include "lib/base/json_tree.h"
#include "lib/base/json_write.h"
#include "parsers/view_rows/view_put.h"
#include "parsers/viewer/viewer.h"

struct view_call;
struct view_file;

enum { VIEW_PART_BYTES = 48 * 1024 }; /* of an answer that has several parts */

/* Writes the next part of a body, until call_is_full(). Returns 1 when more follows, 0
 * at the end, or -1 after call_fail(). */
typedef int view_part_fn(struct view_call *call, void *state);
typedef void view_clear_fn(void *state);

/* Numbers of errors, as the vendor's server uses them. */
enum view_code {
    VIEW_PARAMETER = 1101,
    VIEW_PROJECT = 2101, /* no project of this name */
    VIEW_DATA = 3001,    /* no such card, or no file is open */
    VIEW_UNREAD = 3105,  /* the timeline is not read yet */
    VIEW_NO_HIT = 3120,
    VIEW_FILE = 4101, /* the file cannot be read */
    VIEW_OTHER = 9999,
};

struct view_call {
    struct viewer_session *session;
    struct viewer *viewer;
    const char *command, *module, *project;
    const struct json_node *params;
    struct arena *arena;     /* freed after the answer */
    struct json_write *body; /* inside of the object `body` */
    struct view_file *file;  /* of call_file(); in use until the last part was sent */
    view_part_fn *part;      /* of call_continue(), or NULL */
    view_clear_fn *clear;
    void *state;
    int code;         /* of an error, or 0 */
    char text[400];   /* of the error */
    bool sends_reset; /* the event module.reset precedes the answer */
};

/* Writes the members of the body. Returns 0, or -1 after call_fail(). The answer of a
 * failed request has no body. */
typedef int view_answer_fn(struct view_call *call);

/* Lets `part` continue the body after the handler returned 0; its calls may change and
 * free nothing but `state`. `clear` frees the state in any case. */
void call_continue(struct view_call *call,
                   view_part_fn *part,
                   view_clear_fn *clear,
                   void *state);
/* Returns true when the part has enough bytes. */
bool call_is_full(const struct view_call *call);

/* Sets the error of the answer and returns -1. A handler that returns 0 nevertheless
 * sends its body together with the error: the pages ignore the error then. */
int call_fail(struct view_call *call, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int call_fail_err(struct view_call *call, int code, const struct err *err);

/* Read a parameter. The first four fail when it is missing or has another type. */
int call_text(struct view_call *call, const char *name, const char **value);
/* A text of 1 to 500 characters without those that the vendor's server refuses. */
int call_checked(struct view_call *call, const char *name, const char **value);
/* A point in time, nanoseconds after the start of the timeline. */
int call_time(struct view_call *call, const char *name, int64_t *value);
/* Reads startTime and endTime; fails when the end is before the start. */
int call_window(struct view_call *call, int64_t *start_ns, int64_t *end_ns);
/* Return a default when it is missing; fail when it has another type. */
int call_bool(struct view_call *call, const char *name, bool *value);
int call_number(struct view_call *call,
                const char *name,
                int64_t usual,
                int64_t *value);
int call_optional_text(struct view_call *call, const char *name, const char **value);

/* Return the file that the request means, unchanged since it was opened: the opened
 * file, the file of a card, or the file of the comparison (NULL when none is set). */
int call_file(struct view_call *call, struct view_file **file);
int call_card(struct view_call *call, const char *name, struct view_file **file);
int call_baseline(struct view_call *call, struct view_file **file);
/* Finds the place of a core in the list of cores; an unknown core is the first. */
int call_core(struct view_call *call,
              const struct view_file *file,
              const char *name,
              size_t *core);

#endif
