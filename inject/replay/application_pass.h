/* application_pass.h - measures a launch in the program's own execution of it
 *
 * Messages between two ranks have one such pass. With application replay each start of
 * the program measures one pass of each launch: counters start,
 * the program's own execution runs, counters are read. No memory is saved or restored,
 * no rank waits for another, and the launch is executed once, as without inject. */
#ifndef INJECT_REPLAY_APPLICATION_PASS_H
#define INJECT_REPLAY_APPLICATION_PASS_H

struct replay;

/* Needs the exclusive lock of the device. Returns the result for the program. */
int application_pass(struct replay *replay);

#endif
