/* session.h - connection of this process to its worker
 *
 * A process without MUSTER_INJECT_FD is not measured; it reads the environment once.
 * A measured process sends HELLO at its first NPU call (inject/lifecycle.c). After
 * fork() the child has no channel. It opens one at its first NPU call. */
#ifndef INJECT_SESSION_SESSION_H
#define INJECT_SESSION_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/shm/control_channel.h"

enum session_state {
    SESSION_UNKNOWN, /* the environment was not read yet */
    SESSION_OFF,
    SESSION_REQUESTED,
    SESSION_CONNECTING,
    SESSION_ON
};

extern atomic_int session_state_now; /* enum session_state; use session_state() */

static inline enum session_state session_state(void)
{
    return (enum session_state)atomic_load_explicit(&session_state_now,
                                                    memory_order_acquire);
}

void session_set_state(enum session_state state);
/* Changes the state when it is *from. Otherwise returns false and stores the present
 * state in *from. */
bool session_change_state(enum session_state *from, enum session_state to);

static inline bool session_is_on(void)
{
    return session_state() == SESSION_ON;
}

/* Takes the descriptor of this process's own channel to the worker. */
void session_take_channel(int fd);
/* Stores the flags of the worker's CONFIG message. */
void session_configure(uint32_t flags);
/* Closes the channel. The state does not change. */
void session_reset(void);
/* Stops the measurement of this process. Hooks only call the real functions then. */
void session_end(void);

/* Returns true when marked ranges are replayed, and single launches are not. */
bool session_has_ranges(void);
/* Returns true when memory is not restored between passes; for tests only. */
bool session_restore_is_off(void);

/* Sends a question about a launch and waits at most CONTROL_ANSWER_MS for the answer.
 * Returns false without an answer; the caller then ends the session. */
bool session_ask(union control_message *question, union control_message *answer);

#endif
