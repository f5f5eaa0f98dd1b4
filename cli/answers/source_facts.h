/* source_facts.h - whether the rows come from a store or from a coordinator */
#ifndef CLI_ANSWERS_SOURCE_FACTS_H
#define CLI_ANSWERS_SOURCE_FACTS_H

#include "cli/http/http_message.h"
#include "cli/query/row_source.h"

/* Answers /api/v1/source. Pages use it to leave out what only a coordinator has. */
int source_facts_answer(struct row_source *source,
                        const struct http_request *request,
                        struct http_response *response,
                        struct err *err);

#endif
