/* card_health.h - whether a card is fit for work, as its management library says
 *
 * Asked before a task gets the card, and after each. The library is found by name;
 * without it, or where it does not answer, nothing is known and the card is taken for
 * fit. An answer serves for a while: asking is not free. */
#ifndef WORKER_CARD_CARD_HEALTH_H
#define WORKER_CARD_CARD_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct card_health;

/* `library` is looked for first, then where the system has it. Found at the first
 * question. */
struct card_health *card_health_create(const char *library, uint32_t card);
void card_health_destroy(struct card_health *health); /* NULL is welcome */

/* True when it says of itself that it is not; the words tell what it said. `anew`: now,
 * and not a while ago. */
bool card_health_is_bad(struct card_health *health,
                        bool anew,
                        char *words,
                        size_t size);

/* The processors near the card, as the system lists them below `sysfs`; "" and false
 * where nobody knows. */
bool card_health_near_cpus(struct card_health *health,
                           const char *sysfs,
                           char *out,
                           size_t size);

#endif
