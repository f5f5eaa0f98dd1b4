/* card_history.h - the distance of one card to the others, in each of the newest jobs
 */
#ifndef CLI_ANSWERS_CARD_HISTORY_H
#define CLI_ANSWERS_CARD_HISTORY_H

#include "cli/http/http_message.h"
#include "cli/query/row_source.h"

/* Answers /api/v1/cards/{host}/{card}/history: one row for each job in which a rank ran
 * on the card, oldest job first. */
int card_history_answer(struct row_source *source,
                        const struct http_request *request,
                        struct http_response *response,
                        struct err *err);

#endif
