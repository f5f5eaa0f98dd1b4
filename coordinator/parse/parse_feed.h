/* parse_feed.h - what the ledger wants parsed goes to the queue of parsers, and what
 * they find comes back to it */
#ifndef COORDINATOR_PARSE_PARSE_FEED_H
#define COORDINATOR_PARSE_PARSE_FEED_H

#include "lib/base/err.h"

struct ledger;
struct parse_options;
struct parse_queue;
struct parse_feed;
struct reactor;

/* Borrows the ledger; `failed` is called when it cannot write something down. */
struct parse_feed *parse_feed_create(struct reactor *reactor,
                                     const struct parse_options *options,
                                     struct ledger *ledger,
                                     void (*failed)(const struct err *err, void *arg),
                                     void *arg);
void parse_feed_destroy(
    struct parse_feed *parsing); /* NULL is welcome; ends the parsers */

/* Everything that the ledger wants by now; what it told us must be on disk. */
void parse_feed_start(struct parse_feed *parsing);
const struct parse_queue *parse_feed_queue(const struct parse_feed *parsing);

#endif
