/* worker_connection.h - the first messages between a process and its worker
 *
 * The operator inherits the control socket (lib/shm/control_channel.h). Each process
 * opens a channel of its own through it. */
#ifndef INJECT_SESSION_WORKER_CONNECTION_H
#define INJECT_SESSION_WORKER_CONNECTION_H

#include <stdbool.h>

#include "lib/shm/control_channel.h"

/* Returns the descriptor that the environment names, if it still is the worker's
 * socket; else -1. */
int worker_connection_find_socket(void);
/* Sends HELLO and waits for CONFIG. Returns false when the worker does not answer. The
 * caller owns the channel and the descriptors of enum config_fd. */
bool worker_connection_open(int control_socket,
                            int *channel,
                            union control_message *config,
                            int fds[CONTROL_FDS_MAX]);
/* Waits at most CONTROL_ANSWER_MS for a message of `kind`. Returns false when none, or
 * another one, arrives. The caller owns the descriptors in `fds`; unused entries are
 * -1. */
bool worker_connection_receive(int socket,
                               union control_message *message,
                               enum control_kind kind,
                               int fds[CONTROL_FDS_MAX]);
void worker_connection_close_fds(int fds[CONTROL_FDS_MAX]);

#endif
