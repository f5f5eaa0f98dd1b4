/* lifecycle.h - connects this process to a worker, and resets it after fork() and
 * between two measured runs */
#ifndef INJECT_LIFECYCLE_H
#define INJECT_LIFECYCLE_H

#include <stdbool.h>

/* Returns true when the environment asks for a measurement. Has no other effect. */
bool lifecycle_is_requested(void);
/* Returns true when this process is connected to a worker. Connects at the first call.
 */
bool lifecycle_connect(void);

/* Starts or ends a measured run in a program that stays alive between points.
 *
 * The resident runner finds this function by its name. It calls the function before
 * each point with the operator's end of a control socket, and after the point with -1.
 * No call of the runner may run on a device meanwhile. inject owns `socket` from then
 * on. The next use of the NPU sends HELLO through it, and launches count from 1 again.
 *
 * Returns 0, or -1 without any change when a hook is the caller. */
__attribute__((visibility("default"))) int muster_inject_restart(int socket);

#endif
