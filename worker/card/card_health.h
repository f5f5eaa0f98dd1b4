/* card_health.h - health of a card as the management library (libdcmi.so) reports it
 *
 * Queried before and after each rank. Without the library, or when a call fails, the
 * card counts as healthy. An answer is reused for one second, because a call is slow.
 */
#ifndef WORKER_CARD_CARD_HEALTH_H
#define WORKER_CARD_CARD_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct card_health;

/* The library is opened at the first query: `library` first, then the usual paths. */
struct card_health *card_health_create(const char *library, uint32_t card);
void card_health_destroy(struct card_health *health); /* NULL is allowed */

/* Returns true, with the reason in `text`, when the card reports an alarm. With
 * `refresh` the library is called even if the last answer is recent. */
bool card_health_has_fault(struct card_health *health,
                           bool refresh,
                           char *text,
                           size_t size);

/* Writes the list of processors near the card, as the system has it below `sysfs`.
 * Returns false, with "" in `out`, when it is unknown. */
bool card_health_near_cpus(struct card_health *health,
                           const char *sysfs,
                           char *out,
                           size_t size);

#endif
