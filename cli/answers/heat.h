/* heat.h - the figures of a job as a table of points and cards
 *
 * A row of the table is a point without its card, a column is a card. A field has the
 * median of one metric of one kernel over all repeats, ranks and launches there. */
#ifndef CLI_ANSWERS_HEAT_H
#define CLI_ANSWERS_HEAT_H

#include "cli/http/http_message.h"
#include "cli/query/row_source.h"

/* Answers /api/v1/jobs/{job}/heat. */
int heat_answer(struct row_source *source,
                const struct http_request *request,
                struct http_response *response,
                struct err *err);
/* Answers /api/v1/jobs/{job}/metrics: the metrics of each kernel of a job. */
int heat_metrics_answer(struct row_source *source,
                        const struct http_request *request,
                        struct http_response *response,
                        struct err *err);

#endif
