/* fetch_source.h - the source of files of `muster fetch`: a coordinator or a store
 *
 * The struct has functions, so that a test can be a source, too. */
#ifndef CLI_FETCH_FETCH_SOURCE_H
#define CLI_FETCH_FETCH_SOURCE_H

#include "cli/query/client.h"
#include "lib/base/err.h"

struct row_source;

struct fetch_source {
    void *self;
    /* Calls fn with each struct msg_file_row of a page. No answer may be outstanding.
     */
    int (*list)(void *self,
                const struct msg_list_files *request,
                client_row_fn *fn,
                void *arg,
                struct err *err);
    /* Asks for a piece, and returns the answers in the order of the requests. The text
     * and data of a request and of an answer are valid until the next call. */
    int (*ask)(void *self, const struct msg_read_file *request, struct err *err);
    int (*answer)(void *self, const struct msg_file_piece **piece, struct err *err);
};

enum { FETCH_WINDOW = 16 }; /* requests that wait for their answer at a time */

/* Borrows the rows. `out`: folder of results, when they come from a store. */
struct fetch_source *fetch_source_create(struct row_source *rows, const char *out);
void fetch_source_destroy(struct fetch_source *source); /* NULL is allowed */

#endif
