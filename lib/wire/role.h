/* role.h - permissions of a key
 *
 * A line of the allow-list gives a key one role. A peer on a socket that only this user
 * can open has all roles: it runs as the user of the coordinator. */
#ifndef LIB_WIRE_ROLE_H
#define LIB_WIRE_ROLE_H

#include <stdbool.h>

enum role {
    ROLE_NONE = 0,
    ROLE_READ = 1,   /* lists jobs, results, workers */
    ROLE_SUBMIT = 2, /* the same; submits jobs and cancels the own ones */
    ROLE_ADMIN = 4,  /* all requests of users */
    ROLE_WORKER = 8, /* serves a card; no requests of users */
    ROLE_ALL = 15,
};

#define ROLE_WORDS "read, submit, admin or worker"

bool role_parse(const char *word, enum role *role);
const char *role_word(enum role role); /* "any" when it is not a single role */

#endif
