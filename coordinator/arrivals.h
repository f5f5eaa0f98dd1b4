/* arrivals.h - a worker comes, or comes back with what it still has */
#ifndef COORDINATOR_ARRIVALS_H
#define COORDINATOR_ARRIVALS_H

#include "coordinator/control.h"

/* Its hello. What it has that counts stays with it, what it has lost is lost, and what
 * was given to its card before goes on with it. -1: the store failed. */
int arrivals_hello(struct control *control, const struct incoming *in, struct err *err);

#endif
