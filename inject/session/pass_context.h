/* pass_context.h - the launch and pass that run at present, for records of other
 * threads
 *
 * The thread that replays a launch marks the begin and end of each pass. Reports of the
 * runtime arrive on its own threads. Such a thread gets the running pass when there is
 * exactly one in the process, and none when several devices are in a pass. */
#ifndef INJECT_SESSION_PASS_CONTEXT_H
#define INJECT_SESSION_PASS_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

struct pass_context {
    uint64_t launch;
    uint32_t pass; /* as in struct record_pass */
    uint32_t pass_kind;
    uint32_t device; /* logical */
};

void pass_context_begin(const struct pass_context *context);
void pass_context_end(void);
/* Returns false when no launch is in a pass, or when several are on other threads. */
bool pass_context_get(struct pass_context *out);

void pass_context_reset(void); /* in a child process */

#endif
