/* drains.h - cards that are out of service, with the reasons
 *
 * A user drains a card or a whole host. Tasks that run there finish, and no new task
 * starts. Drains are stored, since a restart of the coordinator repairs no card. */
#ifndef COORDINATOR_FLEET_DRAINS_H
#define COORDINATOR_FLEET_DRAINS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct drains;
struct store;

enum { DRAINS_WHOLE_HOST = -1 };

int drains_open(struct drains **out, struct store *store, struct err *err);
void drains_close(struct drains *drains); /* NULL is allowed */

/* Returns the reason of the card's or the host's drain, or NULL when the card is in
 * service. */
const char *drains_find(const struct drains *drains, const char *host, int32_t card);
/* Replaces the reason when there is a drain already. */
int drains_add(struct drains *drains,
               const char *host,
               int32_t card,
               const char *reason,
               struct err *err);
/* For a whole host, also removes the drains of its cards. *found: there was a drain. */
int drains_remove(struct drains *drains,
                  const char *host,
                  int32_t card,
                  bool *found,
                  struct err *err);

#endif
