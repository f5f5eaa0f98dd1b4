/* timeout.h - the time limits of tasks that the program has set */
#ifndef SIM_RUNTIME_STREAM_TIMEOUT_H
#define SIM_RUNTIME_STREAM_TIMEOUT_H

#include <stdint.h>

#define TIMEOUT_NEVER UINT32_MAX

uint32_t op_execute_timeout_ms(void); /* or TIMEOUT_NEVER */
uint32_t op_wait_timeout_ms(void);    /* of waits for events; 0: no limit */

#endif
