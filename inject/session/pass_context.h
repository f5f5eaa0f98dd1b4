/* pass_context.h - which launch and pass a thread is in, so that what comes from
 * elsewhere while it runs finds its place
 *
 * The thread that replays says when a pass begins and ends. Who asks on another thread
 * (the runtime reports from its own) gets an answer when one launch is in a pass, and
 * none when there are several to choose from. */
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

void pass_context_begin(const struct pass_context *moment);
void pass_context_end(void);
/* False when no launch is in a pass, or nobody knows which one is meant. */
bool pass_context_get(struct pass_context *out);

void pass_context_reset(void); /* in a child */

#endif
