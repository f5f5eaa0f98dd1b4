/* single_replay.h - a launch of one card, replayed by itself
 *
 * With the device to ourselves: snapshot; the first execution, which warms what is
 * warmed once; then the passes of the plan. Before each the memory is put back, so the
 * last pass leaves exactly what one execution leaves. Where something goes wrong the
 * memory is put back and the launch runs once, as the program meant it. */
#ifndef INJECT_REPLAY_SINGLE_REPLAY_H
#define INJECT_REPLAY_SINGLE_REPLAY_H

struct replay;

/* The device is claimed. What the program gets. */
int single_replay(struct replay *replay);

#endif
