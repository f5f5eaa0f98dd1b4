/* cards.h - the ranks of the cards in the newest jobs */
#ifndef CLI_ANSWERS_CARDS_H
#define CLI_ANSWERS_CARDS_H

#include "cli/http/http_message.h"
#include "cli/query/row_source.h"

enum { CARDS_JOBS_DEFAULT = 20 };

/* Calls fn with each MSG_RANK_ROW of the newest `jobs` jobs, newest job first. */
int cards_each_rank(struct row_source *source,
                    uint64_t jobs,
                    client_row_fn *fn,
                    void *arg,
                    struct err *err);
/* Answers /api/v1/cards: one row for each card. */
int cards_answer(struct row_source *source,
                 const struct http_request *request,
                 struct http_response *response,
                 struct err *err);

#endif
