/* fleet.h - all that the coordinator stores about connected workers and their cards
 *
 * The ledger links its ranks to workers, so close the ledger before fleet_clear(). */
#ifndef COORDINATOR_FLEET_FLEET_H
#define COORDINATOR_FLEET_FLEET_H

#include "coordinator/fleet/card_faults.h"
#include "coordinator/fleet/drains.h"
#include "coordinator/fleet/workers.h"

struct fleet {
    struct workers workers;
    struct drains *drains;
    struct card_faults faults;
};

/* Loads the drained cards from the store. */
int fleet_init(struct fleet *fleet, struct store *store, struct err *err);
void fleet_clear(struct fleet *fleet);

#endif
