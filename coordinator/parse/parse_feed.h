/* parse_feed.h - what the ledger wants parsed goes to the queue of parsers, and what
 * they find comes back to it */
#ifndef COORDINATOR_PARSE_PARSE_FEED_H
#define COORDINATOR_PARSE_PARSE_FEED_H

#include "lib/base/err.h"

struct ledger;
struct parse_options;
struct parse_queue;
struct parsing;
struct reactor;

/* Borrows the ledger; `failed` is called when it cannot write something down. */
struct parsing *parsing_create(struct reactor *reactor,
                               const struct parse_options *options,
                               struct ledger *ledger,
                               void (*failed)(const struct err *err, void *arg),
                               void *arg);
void parsing_destroy(struct parsing *parsing); /* NULL is welcome; ends the parsers */

/* Everything that the ledger wants by now; what it told us must be on disk. */
void parsing_start(struct parsing *parsing);
const struct parse_queue *parsing_queue(const struct parsing *parsing);

#endif
