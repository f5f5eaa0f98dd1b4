/* resident_runner.h - a muster-runner process that executes many points
 *
 * One process per card, with the card initialised and inject loaded. The worker sends
 * it points and receives a message at the end of each
 * (runner/protocol/runner_messages.h). The process is replaced when a point damaged it
 * or left device memory allocated, after the number of points in the lease (`renew`),
 * and when the next point needs another environment. It ends after 10 s without a
 * point, and before another process gets the card.
 *
 * Unmeasured points can be sent ahead while another point runs, so that the runner does
 * not wait for the worker between them. Points that have not begun can be recalled. */
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

enum { RESIDENT_RUNNER_AHEAD = 8 }; /* points sent ahead of the running one */

/* Settings that hold for all points. */
struct resident_runner_options {
    uint64_t card;
    bool simulated;
    const char *spool;                 /* folder of the worker; borrowed */
    const struct isolation *isolation; /* of the process; borrowed */
};

/* End of a point, or of the process; `status` is like that of waitpid(). The runner
 * measures the times; 0: unknown. */
struct resident_runner_end {
    int status;
    uint64_t began_wall_ns, ended_wall_ns;
};
typedef void resident_runner_fn(void *arg, const struct resident_runner_end *end);

struct resident_runner *
resident_runner_create(struct reactor *reactor,
                       const struct resident_runner_options *options);
void resident_runner_destroy(struct resident_runner *runner); /* NULL is allowed */

/* Starts a point; none may be running. fn is called once, from the loop or in
 * resident_runner_check_end(). `output` is the file for the output of the point.
 * `inject_fd` is the operator's end of the inject server's socket, borrowed; -1: not
 * measured. */
int resident_runner_run(struct resident_runner *runner,
                        const struct msg_lease *lease,
                        const char *output,
                        int inject_fd,
                        resident_runner_fn *fn,
                        void *arg,
                        struct err *err);
/* Calls fn if the point was sent ahead and has ended already. */
void resident_runner_check_end(struct resident_runner *runner);
/* Sends an unmeasured point ahead of its start. Returns true when the runner has it,
 * also from an earlier call; false when the runner cannot take it now. */
bool resident_runner_send_ahead(struct resident_runner *runner,
                                const struct msg_lease *lease);
/* Recalls all points that have not begun. Returns false when the runner has begun this
 * point. */
bool resident_runner_recall(struct resident_runner *runner, uint64_t run_id);
/* Discards the results of all points that were sent ahead. */
void resident_runner_discard_ahead(struct resident_runner *runner);
/* Stops the process during a point; fn is called when the process has ended. */
void resident_runner_stop(struct resident_runner *runner, uint64_t grace_ms);

/* Returns the process, or NULL. */
struct operator_process *resident_runner_program(const struct resident_runner *runner);
/* Ends the process; no point may be running. */
void resident_runner_end(struct resident_runner *runner);
/* Call it after SIGCHLD. */
void resident_runner_reap(struct resident_runner *runner);

#endif
