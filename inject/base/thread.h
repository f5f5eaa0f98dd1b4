/* thread.h - state of the calling thread: hook depth, number, clock */
#ifndef INJECT_BASE_THREAD_H
#define INJECT_BASE_THREAD_H

#include <stdint.h>

/* 0 in a call of the program; more in calls of inject or of the runtime below a hook
 * (hook_frame.h). */
extern __thread int hook_depth __attribute__((tls_model("initial-exec")));

uint64_t thread_now_ns(void); /* monotonic */
/* Returns the same time at half the cost, from the processor's cycle counter. The error
 * is a few microseconds. Never decreases on one thread. */
uint64_t thread_quick_ns(void);
uint32_t thread_number(void); /* the system's thread ID */

void thread_reset(void); /* in a child process: its thread has another number */

#endif
