/* resident_runner.h - the runner that stays alive from one point to the next
 *
 * One process of muster-runner a card, with its card set up and its guest loaded. It
 * takes a point by its words (runner/protocol/runner_messages.h) and says when that is
 * over. It is started anew when a point spoilt it, or left memory of the card behind,
 * after so many points as the job says, and when the next point wants another
 * environment. It ends when it has had nothing to do for a while, and before anybody
 * else gets the card.
 *
 * Points of which nothing is measured may be handed to it while another one runs: then
 * it need not wait for us between two of them. What it has not begun can be taken back.
 */
#ifndef WORKER_PROCESS_RESIDENT_RUNNER_H
#define WORKER_PROCESS_RESIDENT_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct isolation;
struct msg_lease;
struct operator_process;
struct reactor;
struct resident_runner;

enum {
    RESIDENT_RUNNER_AHEAD = 8
}; /* points that it may have besides the one that runs */

/* What is the same for all points. */
struct resident_runner_options {
    uint64_t card;
    bool simulated;
    const struct isolation *isolation; /* of the process; borrowed for ever */
};

/* The point is over, or the process is; `status` is as of waitpid(). The times are the
 * runner's; 0: it did not tell. */
struct resident_runner_end {
    int status;
    uint64_t began_wall_ns, ended_wall_ns;
};
typedef void resident_runner_fn(void *arg, const struct resident_runner_end *end);

struct resident_runner *
resident_runner_create(struct reactor *reactor,
                       const struct resident_runner_options *options);
void resident_runner_destroy(struct resident_runner *resident); /* NULL is welcome */

/* Nothing may run in it. Calls fn once, later, or in resident_runner_look(). `output`:
 * the file for what it prints meanwhile; `their_end`: of the rendezvous, borrowed, or
 * -1 when nothing is measured. */
int resident_runner_run(struct resident_runner *resident,
                        const struct msg_lease *lease,
                        const char *output,
                        int their_end,
                        resident_runner_fn *fn,
                        void *arg,
                        struct err *err);
/* The point may have been handed over before, and be over. */
void resident_runner_look(struct resident_runner *resident);
/* Hands over a point, of which nothing is to be measured, behind the one that runs.
 * False: not now. True as well when it has it. */
bool resident_runner_ahead(struct resident_runner *resident,
                           const struct msg_lease *lease);
/* Nothing that was handed over begins any more, unless it is handed over again; with
 * false what has this number has begun already, though nobody waits for it yet. */
bool resident_runner_take_back(struct resident_runner *resident, uint64_t run_id);
/* Nobody waits for what it has besides the one that runs. */
void resident_runner_forget(struct resident_runner *resident);
/* Ends the process while it runs a point; fn is called when it has ended. */
void resident_runner_stop(struct resident_runner *resident, uint64_t grace_ms);

/* Its process; NULL when there is none. */
struct operator_process *
resident_runner_program(const struct resident_runner *resident);
/* Ends the process; nothing may run in it. */
void resident_runner_end(struct resident_runner *resident);
/* A child of ours ended. */
void resident_runner_reap(struct resident_runner *resident);

#endif
