/* ai_cpu_report.h - the envelope of the AI CPU's reports about communication */
#ifndef SIM_HCCL_TIMES_AI_CPU_REPORT_H
#define SIM_HCCL_TIMES_AI_CPU_REPORT_H

#include <stdint.h>

enum report_type {
    REPORT_TURN = 4,
    REPORT_COMPUTE = 5,
    REPORT_OPERATION = 10,
    REPORT_WRAP = 11,
    REPORT_MAIN_STREAM = 12,
    REPORT_TASKS = 13,
};

/* Writes a report to the AI CPU channel of the card, if a profiler reads it. */
void ai_cpu_report_write(uint32_t card,
                         enum report_type type,
                         const void *data,
                         uint32_t size,
                         uint64_t ticks);
/* Returns the vendor's hash of a name. */
uint64_t ai_cpu_report_hash(const char *name);

#endif
