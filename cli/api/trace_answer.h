/* trace_answer.h - the part of a trace that a request names, as JSON
 *
 * While the trace is still being copied or read, the answer has `state` "reading" and
 * no rows; the same request, sent again, reads the next part. */
#ifndef CLI_API_TRACE_ANSWER_H
#define CLI_API_TRACE_ANSWER_H

#include "cli/api/api_source.h"
#include "cli/api/remote_copies.h"
#include "cli/traces/trace_files.h"
#include "cli/traces/trace_parts.h"

/* All are borrowed. */
struct trace_answer {
    struct api_source *source;
    struct remote_copies *copies; /* of files of a coordinator */
    struct trace_files *files;
    trace_part_fn *part;
    const char *schema;
    const struct http_request *request;
};

/* Answers /api/v1/jobs/{job}/files/{file}/... with the rows of the part. */
int trace_answer(const struct trace_answer *answer,
                 struct http_response *response,
                 struct err *err);
/* The same for a part that needs no timeline, which is not read then. */
int trace_answer_block(const struct trace_answer *answer,
                       struct http_response *response,
                       struct err *err);

#endif
