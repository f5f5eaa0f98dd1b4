/* application_pass.h - a launch that is measured in its only execution
 *
 * With application replay each start of the program measures one pass: counters start,
 * the program's own execution runs, counters are read. Nothing is saved, nothing is put
 * back, no rank waits for another: the launch happens as often as without us. */
#ifndef INJECT_REPLAY_APPLICATION_PASS_H
#define INJECT_REPLAY_APPLICATION_PASS_H

struct replay;

/* The device is claimed. What the program gets. */
int application_pass(struct replay *replay);

#endif
