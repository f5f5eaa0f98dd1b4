/* drains.h - cards that get nothing more until somebody says otherwise
 *
 * A person names a card or a whole host, and why. What runs there ends as it would. It
 * is kept in the store, since a card that is broken is so after a restart, too. */
#ifndef COORDINATOR_FLEET_DRAINS_H
#define COORDINATOR_FLEET_DRAINS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct drains;
struct store;

enum { DRAINS_WHOLE_HOST = -1 };

int drains_open(struct drains **out, struct store *store, struct err *err);
void drains_close(struct drains *drains); /* NULL is welcome */

/* Why nothing runs on this card: of its own or of its host's; NULL: it may. */
const char *drains_find(const struct drains *drains, const char *host, int32_t card);
/* Another reason replaces the first one. */
int drains_add(struct drains *drains,
               const char *host,
               int32_t card,
               const char *reason,
               struct err *err);
/* Of a whole host also those of its cards. *found: there was one. */
int drains_remove(struct drains *drains,
                  const char *host,
                  int32_t card,
                  bool *found,
                  struct err *err);

#endif
