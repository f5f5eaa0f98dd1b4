/* queue.h - the jobs that have not ended, each with the reason why it waits */
#ifndef CLI_ANSWERS_QUEUE_H
#define CLI_ANSWERS_QUEUE_H

#include "cli/http/http_message.h"
#include "cli/query/row_source.h"

/* Answers /api/v1/queue with the words of `muster explain JOB`. */
int queue_answer(struct row_source *source,
                 const struct http_request *request,
                 struct http_response *response,
                 struct err *err);

#endif
