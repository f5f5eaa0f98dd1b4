/* parse_queue.h - child processes that turn captures into figures and reports
 *
 * One muster-parser a rank, several at once, each with limits on memory, processor
 * time and wall time. What a child says on stdout (JSON lines) is kept until it has
 * ended, and then handed over all at once: a child that crashes half-way gives its
 * reason and no figures. A report starts when all parses before it have ended. */
#ifndef COORDINATOR_PARSE_PARSE_QUEUE_H
#define COORDINATOR_PARSE_PARSE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/parse/parser_process.h"

struct reactor;
struct store_metric;
struct parse_queue;

struct parse_task {
    uint64_t job_id;
    uint64_t run_id;
    uint32_t rank;   /* of a merge: how many there are */
    const char *out; /* the folder of this point and repeat */
};

/* Called in turns of the loop. Texts are good for the call. */
struct parse_events {
    void (*metric)(const struct store_metric *metric, void *arg);
    void (*output)(uint64_t run_id, uint32_t rank, const char *path, void *arg);
    /* The last word on a rank; `error` is "" when all was good. */
    void (*ended)(uint64_t run_id,
                  uint32_t rank,
                  bool good,
                  const char *error,
                  void *arg);
    /* Of all ranks together. */
    void (*merged)(uint64_t run_id, bool good, const char *error, void *arg);
    void (*reported)(uint64_t job_id, bool good, const char *error, void *arg);
};

struct parse_queue *parse_queue_create(struct reactor *reactor,
                                       const struct parse_options *options,
                                       const struct parse_events *events,
                                       void *arg);
void parse_queue_destroy(struct parse_queue *queue); /* kills its children */

void parse_queue_add(struct parse_queue *queue, const struct parse_task *task);
/* The timelines of all ranks on one clock; before the parses of the same run. */
void parse_queue_merge(struct parse_queue *queue, const struct parse_task *task);
void parse_queue_report(struct parse_queue *queue, uint64_t job_id, const char *out);
/* Waiting and running. */
size_t parse_queue_busy(const struct parse_queue *queue);

#endif
