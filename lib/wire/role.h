/* role.h - what the holder of a key may do
 *
 * A line of the allow-list names one of them. Who comes over a socket that only we can
 * open has all of them at once: he is who started the programs. */
#ifndef LIB_WIRE_ROLE_H
#define LIB_WIRE_ROLE_H

#include <stdbool.h>

enum role {
    ROLE_NONE = 0,
    ROLE_READ = 1,   /* sees jobs, results, workers */
    ROLE_SUBMIT = 2, /* and submits jobs, and cancels his own */
    ROLE_ADMIN = 4,  /* and all that people may ask */
    ROLE_WORKER = 8, /* serves a card; asks for nothing else */
    ROLE_ALL = 15,
};

#define ROLE_WORDS "read, submit, admin or worker"

bool role_parse(const char *word, enum role *role);
const char *role_word(enum role role); /* of one role, or "any" */

#endif
