/* parse_feed.h - passes attempts from the ledger to the parsers, and stores their
 * results in the ledger */
#ifndef COORDINATOR_PARSE_PARSE_FEED_H
#define COORDINATOR_PARSE_PARSE_FEED_H

#include "lib/base/err.h"

struct ledger;
struct parse_options;
struct parse_queue;
struct parse_feed;
struct reactor;

/* Borrows the ledger. `failed` is called when the store fails. */
struct parse_feed *parse_feed_create(struct reactor *reactor,
                                     const struct parse_options *options,
                                     struct ledger *ledger,
                                     void (*failed)(const struct err *err, void *arg),
                                     void *arg);
/* Kills the parsers. NULL is allowed. */
void parse_feed_destroy(struct parse_feed *feed);

/* Starts all parses and reports that the ledger requests. Call it after the commit,
 * since the parsers read the store. */
void parse_feed_start(struct parse_feed *feed);
const struct parse_queue *parse_feed_queue(const struct parse_feed *feed);

#endif
