/* session.h - whether this process is measured, and its talk with the worker
 *
 * A process that nobody measures is one without MUSTER_INJECT_FD: it costs one look at
 * the environment. One that is measured says HELLO when it uses an NPU for the first
 * time. A child after fork() starts anew: it has a channel of its own or none. */
#ifndef INJECT_SESSION_SESSION_H
#define INJECT_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

struct control_decision;
struct control_prepare;
union control_message;

/* Does the environment ask for it? Touches nothing else. */
bool lifecycle_is_requested(void);
/* The same, and the worker answered. Connects when asked for the first time. */
bool lifecycle_connect(void);
/* Connected already; connects nobody. */
bool session_is_on(void);
/* Nothing of this process is measured any more. */
void session_end(void);

/* Marked ranges are replayed, and no launch by itself. */
bool session_has_ranges(void);
/* Tests only: memory is not put back between replays. */
bool session_restore_is_off(void);

/* Asks the worker about a launch, and waits for its answer, with a time limit. False
 * when it did not answer: then nothing is measured any more. */
bool session_ask(union control_message *question, union control_message *answer);

#endif
