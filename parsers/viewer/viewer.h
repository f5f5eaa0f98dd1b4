/* viewer.h - answers the requests that MindStudio Insight's web pages send
 *
 * This library has no sockets. The caller owns the connections: it passes each text
 * message of a client to viewer_answer() and sends each text that comes back as one
 * text message. docs/dev/viewer.md lists the requests and the differences to the
 * vendor's server.
 *
 * A viewer stores the list of files that clients may open, and the parts of opened
 * files that several sessions use. A session belongs to one connection: it stores the
 * opened file, the file of a comparison, and the names that the client gave.
 *
 * Order of calls: viewer_create(), viewer_set_files(), then per connection
 * viewer_session_create(). After each viewer_answer(), and after each
 * viewer_continue() that returns true, the caller may serve other connections before it
 * calls viewer_continue(). All calls must come from one thread. Destroy the sessions
 * before the viewer. */
#ifndef PARSERS_VIEWER_VIEWER_H
#define PARSERS_VIEWER_VIEWER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct viewer;
struct viewer_session;

enum {
    VIEWER_REQUEST_MAX = 1 << 20,  /* bytes; a larger request is answered by an error */
    VIEWER_PATH_MAX = 4095,        /* bytes of viewer_file.shown */
    VIEWER_CACHE_BYTES = 64 << 20, /* for timelines that no request uses just now */
};

/* A visualize_data.bin, or a trace.json, that clients may open. Clients see and send
 * only `shown`: an absolute path such as "/job-17/point-3/rank-0/visualize_data.bin".
 * Its folders need not exist. `path` is the file on this host. */
struct viewer_file {
    const char *shown;
    const char *path;
};

/* Receives a part of a message, valid during the call; all parts up to the one with
 * `is_last` are one JSON object. Most messages have one part. */
typedef void viewer_send_fn(void *ctx, const char *text, size_t size, bool is_last);

struct viewer *viewer_create(void);
void viewer_destroy(struct viewer *viewer); /* NULL is allowed */

/* Replaces the list of files; copies the texts. Fails and changes nothing when a shown
 * path is not absolute, is too long, occurs twice, has an empty part, "." or "..", or
 * is also the folder of another file. Sessions keep the files that they opened. */
int viewer_set_files(struct viewer *viewer,
                     const struct viewer_file *files,
                     size_t count,
                     struct err *err);

struct viewer_session *viewer_session_create(struct viewer *viewer);
void viewer_session_destroy(struct viewer_session *session); /* NULL is allowed */

/* Answers one request: sends exactly one response, and before and after it the events
 * that belong to it. A wrong request is answered by an error. A long response is
 * continued by viewer_continue(), or by the next viewer_answer() as a whole. */
void viewer_answer(struct viewer_session *session,
                   const char *text,
                   size_t size,
                   viewer_send_fn *send,
                   void *ctx);
/* Sends the next part of a response; without one, reads a part of the timeline of an
 * opened file, for a few milliseconds, and sends the events about it. Returns true
 * while more remains. */
bool viewer_continue(struct viewer_session *session, viewer_send_fn *send, void *ctx);
/* Returns true while a response has further parts. The caller should not pass the next
 * request before the last part was sent, because all parts would be sent at once. */
bool viewer_is_answering(const struct viewer_session *session);

#endif
