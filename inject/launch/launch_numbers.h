/* launch_numbers.h - the numbers of the launches of this process, from 1 */
#ifndef INJECT_LAUNCH_LAUNCH_NUMBERS_H
#define INJECT_LAUNCH_LAUNCH_NUMBERS_H

#include <stdint.h>

/* Returns the number of the next launch. */
uint64_t launch_numbers_next(void);
/* Launches count from 1 again. */
void launch_numbers_restart(void);

#endif
