/* leftover_processes.h - processes that an operator left behind, to be ended before the
 * next one
 *
 * What leaves the operator's session becomes our child when its parent ends, so we find
 * it. What outlives a worker that was killed is found by a word in its environment. */
#ifndef WORKER_PROCESS_LEFTOVER_PROCESSES_H
#define WORKER_PROCESS_LEFTOVER_PROCESSES_H

/* From now on the orphans among our descendants become our children. */
void leftover_processes_adopt(void);
/* Kills and reaps every child of this process: to be called when none is wanted. */
void leftover_processes_end(void);
/* Kills every process that was started with this word (KEY=value). */
void leftover_processes_end_marked(const char *word);

#endif
