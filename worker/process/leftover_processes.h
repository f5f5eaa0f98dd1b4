/* leftover_processes.h - kills processes that an operator left behind
 *
 * A process that left the operator's session becomes a child of the worker when its
 * parent ends. Processes that outlived a killed worker are found by a mark in their
 * environment. */
#ifndef WORKER_PROCESS_LEFTOVER_PROCESSES_H
#define WORKER_PROCESS_LEFTOVER_PROCESSES_H

/* Makes orphans among the descendants of this process its children. */
void leftover_processes_adopt(void);
/* Kills and reaps every child of this process. Call it only when no child is needed. */
void leftover_processes_kill(void);
/* Kills every process whose initial environment has this KEY=value. */
void leftover_processes_kill_marked(const char *word);

#endif
