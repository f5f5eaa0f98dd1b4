/* api_source.h - the coordinator or the store whose rows the API returns
 *
 * The source is opened at the first use and again after an error. While a coordinator
 * does not answer, requests fail at once and the next attempt follows one second
 * later, so that a server without its coordinator still answers. */
#ifndef CLI_API_API_SOURCE_H
#define CLI_API_API_SOURCE_H

#include "cli/query/row_source.h"
#include "lib/base/err.h"

struct api_source {
    struct client_options client;
    const char *out;           /* folder of results, when no coordinator is named */
    struct row_source *source; /* NULL: not open */
    struct err failure;        /* of the last attempt to open it */
    uint64_t failed_ms;        /* 0: it did not fail */
    uint64_t version;          /* of the store, when it was checked; 0: unknown */
    uint64_t checked_ms;
};

/* The texts of the options are borrowed. */
void api_source_init(struct api_source *source,
                     const struct client_options *client,
                     const char *out);
void api_source_clear(struct api_source *source);
/* Returns the open source, or NULL with err. */
struct row_source *api_source_get(struct api_source *source, struct err *err);
/* Closes the source after a failed query, so that the next use opens it again. */
void api_source_failed(struct api_source *source, const struct err *err);
/* Returns a number that changes when the rows may have changed. */
uint64_t api_source_version(struct api_source *source);

#endif
