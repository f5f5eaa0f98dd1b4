/* resident.h - the runner that stays alive from one point to the next
 *
 * One process of muster-runner a card, with its card set up and its guest loaded. It
 * takes a point by its words (runner/talk.h) and says when that is over. It is started
 * anew when a point spoilt it, or left memory of the card behind, after so many points
 * as the job says, and when the next point wants another environment. It ends when it
 * has had nothing to do for a while, and before anybody else gets the card. */
#ifndef WORKER_RESIDENT_H
#define WORKER_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct isolation;
struct program;
struct reactor;
struct resident;

/* The point is over, or the process is; `status` is as of waitpid(). */
typedef void resident_fn(void *arg, int status);

struct resident_point {
    const char *runner;     /* path of the program */
    const char *const *env; /* NULL-terminated, whole */
    const char *cwd;        /* of the point */
    const char *const *words;
    size_t word_count;
    const char *output; /* the file for what it prints meanwhile */
    int their_end;      /* of the rendezvous, borrowed; -1: nothing is measured */
    uint64_t renew;     /* points of one process */
    const struct isolation *isolation; /* of the process; borrowed as long as it runs */
};

struct resident *resident_create(struct reactor *reactor);
void resident_destroy(struct resident *resident); /* NULL is welcome */

/* Nothing may run in it. Calls fn once, later. */
int resident_run(struct resident *resident,
                 const struct resident_point *point,
                 resident_fn *fn,
                 void *arg,
                 struct err *err);
/* Its process; NULL when there is none. */
struct program *resident_program(const struct resident *resident);
/* Ends the process; nothing may run in it. */
void resident_end(struct resident *resident);
/* A child of ours ended. */
void resident_reap(struct resident *resident);

#endif
