#include "coordinator/fleet/fleet.h"

int fleet_init(struct fleet *fleet, struct store *store, struct err *err)
{
    *fleet = (struct fleet){0};
    return drains_open(&fleet->drains, store, err);
}

void fleet_clear(struct fleet *fleet)
{
    workers_clear(&fleet->workers);
    card_faults_clear(&fleet->faults);
    drains_close(fleet->drains);
    fleet->drains = NULL;
}
