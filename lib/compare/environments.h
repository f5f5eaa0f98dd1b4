/* environments.h - chip, drivers and versions of each card during a job
 *
 * Jobs whose cards have other environments are compared, but the change is shown: code
 * is not its cause without alternating runs. A value that one of both jobs does not
 * have is not compared, and neither is a card that only one of them has. */
#ifndef LIB_COMPARE_ENVIRONMENTS_H
#define LIB_COMPARE_ENVIRONMENTS_H

#include <stdint.h>

/* NULL, "" or 0: unknown */
struct environment {
    const char *chip, *cann, *driver, *firmware, *host_kernel, *measurement;
    uint64_t hbm_maker;
};

struct environments;

struct environments *environments_create(void);
void environments_destroy(struct environments *environments); /* NULL is allowed */

/* Sets the environment of a card, which is named by its serial number or HOST:CARD. */
void environments_set(struct environments *environments,
                      const char *card,
                      const struct environment *environment);
/* Sets the environments of all cards of `from`; other cards keep theirs. */
void environments_update(struct environments *environments,
                         const struct environments *from);

enum environments_order {
    ENVIRONMENT_UNKNOWN, /* the card is missing in a job */
    ENVIRONMENT_EQUAL,
    ENVIRONMENT_CHANGED,
};
enum environments_order environments_compare(const struct environments *base,
                                             const struct environments *fresh,
                                             const char *card);
/* Returns all changes: "driver 25.5.0 became 26.0.1 on 6 cards, ..."; NULL: there is
 * none. The caller frees the text. */
char *environments_change(const struct environments *base,
                          const struct environments *fresh);

#endif
