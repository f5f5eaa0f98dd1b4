/* verdict_answer.h - the output of compare, gate, trend or logs, as JSON
 *
 * While the command runs, the answer has `state` "running" and no rows; the same
 * request, sent again, returns the rows. `exit` is the exit code of the command. */
#ifndef CLI_API_VERDICT_ANSWER_H
#define CLI_API_VERDICT_ANSWER_H

#include "cli/api/endpoints.h"
#include "cli/query/client.h"
#include "cli/verdicts/command_runs.h"

/* Where the command reads rows: the options of the server. */
struct verdict_source {
    const struct client_options *client;
    const char *out;
    uint64_t version; /* of the rows */
};

int verdict_answer(struct command_runs *runs,
                   const struct verdict_source *source,
                   const struct endpoint *endpoint,
                   const struct http_request *request,
                   struct http_response *response,
                   struct err *err);

#endif
