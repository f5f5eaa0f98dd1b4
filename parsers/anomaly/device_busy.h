/* device_busy.h - when the device was busy, with what, and which rows say so twice */
#ifndef PARSERS_ANOMALY_DEVICE_BUSY_H
#define PARSERS_ANOMALY_DEVICE_BUSY_H

#include "parsers/anomaly/rank_input.h"
#include "parsers/busy_time/intervals.h"

struct device_busy {
    struct intervals all;     /* every kernel on every stream */
    struct intervals compute; /* everything but communication and shadows */
    struct intervals comm;    /* communication */
    struct intervals work;    /* computation and communication */
    struct intervals core;    /* AI cores, which hide AI CPU kernels */
    struct intervals core_and_comm;
    int64_t start, end; /* of the first and the last kernel */
    size_t duplicates, shadows, from_comm_json;
};

/* Removes duplicate rows, marks shadows in the list of kernels, and merges the
 * intervals. A shadow is the expansion of a collective that another row describes: it
 * keeps the device busy, and its duration is counted with that row. */
void device_busy_find(struct device_busy *busy, struct rank_input *input);
void device_busy_clear(struct device_busy *busy);

#endif
