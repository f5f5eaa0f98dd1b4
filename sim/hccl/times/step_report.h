/* step_report.h - profiling records of the transfers of one operation on one rank
 *
 * Each peer has a queue of this rank, without a handle for programs. In each step a
 * queue notifies its peer, waits for the peer's notify, and copies. The task log gets
 * each of these as a task, and the AI CPU channel a report about it. */
#ifndef SIM_HCCL_TIMES_STEP_REPORT_H
#define SIM_HCCL_TIMES_STEP_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct plan;

/* The queues are the last streams of a card. */
#define STEP_PLANES_MAX      8
#define STEP_PLANE_STREAM(p) (2040 + (p))

struct step_report {
    const struct plan *plan;
    uint32_t card;
    uint64_t group, tag;     /* hashes of their names */
    uint64_t from, into;     /* addresses */
    uint8_t operation, type; /* HcclReduceOp, HcclDataType */
    bool reduces;            /* the copies of the first stage reduce */
    /* output: the tasks of the first queue */
    uint16_t first_task, last_task;
    bool has_tasks;
};

/* Writes the records of one turn. */
void step_report_turn(struct step_report *report, uint32_t turn);

#endif
