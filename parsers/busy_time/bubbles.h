/* bubbles.h - how much of a window of time a device was busy, and where it was idle */
#ifndef PARSERS_BUSY_TIME_BUBBLES_H
#define PARSERS_BUSY_TIME_BUBBLES_H

#include <stddef.h>
#include <stdint.h>

#include "parsers/busy_time/intervals.h"

/* Times in ns. prelaunch + internal + tail + busy = service. */
struct bubbles {
    int64_t service, busy, underfeed;
    int64_t prelaunch; /* from the start of the window to the first work */
    int64_t tail;      /* from the last work to the end of the window */
    int64_t internal;  /* all gaps between work */
    int64_t largest;   /* of the gaps between work */
    size_t count;      /* of the gaps between work */
};

/* A window without work has only a prelaunch gap. */
void bubbles_measure(struct bubbles *out,
                     const struct intervals *busy,
                     int64_t start,
                     int64_t end);
double
bubbles_underfeed_ratio(const struct bubbles *bubbles); /* 0 for an empty window */

/* The shortest gap that is examined: 1 % of the service time, at least 10 us and at
 * most 100 us. Nearly every two kernels have a shorter gap between them. */
int64_t bubbles_significant_ns(int64_t service);
/* The shortest gap that is called heavy: 10 % of the service time, at least 1 ms. */
int64_t bubbles_heavy_ns(int64_t service);

enum gap_kind { GAP_PRELAUNCH, GAP_INTERNAL, GAP_TAIL };

typedef void gap_fn(void *arg, enum gap_kind kind, int64_t start, int64_t end);
/* Calls fn for each gap of the window that lasts at least `least` ns, by time. */
void bubbles_each_gap(const struct intervals *busy,
                      int64_t start,
                      int64_t end,
                      int64_t least,
                      gap_fn *fn,
                      void *arg);

#endif
