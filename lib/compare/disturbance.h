/* disturbance.h - the disturbances of a launch, as the value of one metric
 *
 * The parser stores the metric with each launch that something besides its program
 * disturbed. A comparison reads it together with its own metric. */
#ifndef LIB_COMPARE_DISTURBANCE_H
#define LIB_COMPARE_DISTURBANCE_H

#include <stdbool.h>
#include <stdint.h>

extern const char disturbed_metric[];

struct disturbance {
    bool throttled;         /* the clock of the card was low */
    bool other_process;     /* used the card */
    uint64_t memory_errors; /* new double bit errors */
};

/* 1 for a low clock, 2 for other processes, 4 for each memory error; 0: nothing */
double disturbance_pack(const struct disturbance *disturbance);
struct disturbance disturbance_unpack(double value);

/* Returns true for metrics that describe a disturbance, and are not compared. */
bool disturbance_has_metric(const char *metric);

#endif
