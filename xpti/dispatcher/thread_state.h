/* thread_state.h - values of a thread: universal ID, stashed value, tracepoint scope */
#ifndef XPTI_DISPATCHER_THREAD_STATE_H
#define XPTI_DISPATCHER_THREAD_STATE_H

void thread_state_reset(void); /* of the calling thread */

#endif
