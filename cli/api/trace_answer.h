/* trace_answer.h - the part of a trace that a request names, as JSON
 *
 * While the trace is still being read, the answer has `state` "reading" and no rows;
 * the same request, sent again, reads the next part. */
#ifndef CLI_API_TRACE_ANSWER_H
#define CLI_API_TRACE_ANSWER_H

#include "cli/query/row_source.h"
#include "cli/traces/trace_files.h"
#include "cli/traces/trace_parts.h"

/* Answers /api/v1/jobs/{job}/files/{file}/... with the rows of `part`. */
int trace_answer(struct trace_files *files,
                 struct row_source *source,
                 trace_part_fn *part,
                 const char *schema,
                 const struct http_request *request,
                 struct http_response *response,
                 struct err *err);

#endif
