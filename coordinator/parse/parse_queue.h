/* parse_queue.h - runs muster-parser as child processes: figures, timelines, reports
 *
 * One process parses one rank; several run at the same time, each with limits on
 * memory, processor time and wall time. The output of a process (JSON lines on stdout)
 * is stored until the process has ended and is then reported at once, so a process that
 * crashes reports its error and no figures. A report starts when all earlier parses of
 * its job have ended.
 *
 * A process that fails for a reason outside its input is started again, after a delay
 * that doubles up to a minute: without limit when the disk is full or the machine lacks
 * descriptors or processes, and PARSE_STARTS_MAX times when it was killed, because a
 * parse that needs more memory than the machine has would be killed each time. */
#ifndef COORDINATOR_PARSE_PARSE_QUEUE_H
#define COORDINATOR_PARSE_PARSE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/parse/parser_process.h"

struct reactor;
struct store_environment;
struct store_launch;
struct store_metric;
struct store_replay;
struct parse_queue;

enum { PARSE_STARTS_MAX = 8 }; /* of a parser that is killed from outside */

struct parse_task {
    uint64_t job_id;
    uint64_t run_id;
    uint32_t rank;            /* for a merge: number of ranks */
    const char *out;          /* the folder of this point and repeat */
    const char *custom_input; /* JSON with names of marks, or NULL */
    bool is_partial; /* of an attempt that failed: parse complete launches only */
};

/* Called from the event loop. The texts are valid during the call. */
struct parse_events {
    void (*metric)(const struct store_metric *metric, void *arg);
    void (*launch)(const struct store_launch *launch, void *arg);
    void (*replay)(const struct store_replay *replay, void *arg);
    void (*environment)(uint64_t run_id,
                        uint32_t rank,
                        const struct store_environment *environment,
                        void *arg);
    void (*output)(uint64_t run_id, uint32_t rank, const char *path, void *arg);
    /* A rank is parsed; `error` is "" when `good`. */
    void (*ended)(uint64_t run_id,
                  uint32_t rank,
                  bool good,
                  const char *error,
                  void *arg);
    /* The timelines of all ranks are merged. */
    void (*merged)(uint64_t run_id, bool good, const char *error, void *arg);
    void (*reported)(uint64_t job_id, bool good, const char *error, void *arg);
    /* The process is started again after delay_ms; run_id 0: of a report. Returns false
     * to report the failure instead. */
    bool (*repeats)(uint64_t job_id,
                    uint64_t run_id,
                    const char *error,
                    uint64_t delay_ms,
                    void *arg);
};

struct parse_queue *parse_queue_create(struct reactor *reactor,
                                       const struct parse_options *options,
                                       const struct parse_events *events,
                                       void *arg);
void parse_queue_destroy(struct parse_queue *queue); /* kills its children */

void parse_queue_add(struct parse_queue *queue, const struct parse_task *task);
/* Merges the timelines of all ranks. Call it before the parses of the same attempt. */
void parse_queue_merge(struct parse_queue *queue, const struct parse_task *task);
void parse_queue_report(struct parse_queue *queue, uint64_t job_id, const char *out);
/* Reports the failures of all processes of the job that wait for a repetition. */
void parse_queue_end_repeats(struct parse_queue *queue, uint64_t job_id);
/* Returns the number of processes that run or wait. */
size_t parse_queue_busy(const struct parse_queue *queue);

#endif
