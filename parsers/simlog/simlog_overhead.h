/* simlog_overhead.h - fetch and issue cycles of the instructions of a simulation
 *
 * The log of the instruction cache has the fetches, the log of the control unit (CCU)
 * the issues. The simulator writes both only on request. An instruction gets the latest
 * issue of its address before its start, and the latest fetch before that issue. */
#ifndef PARSERS_SIMLOG_SIMLOG_OVERHEAD_H
#define PARSERS_SIMLOG_SIMLOG_OVERHEAD_H

#include "parsers/simlog/simlog.h"

struct sim_tick {
    uint64_t pc, cycle;
};

struct sim_overhead {
    struct sim_tick *fetches, *issues;
    size_t fetch_count, fetch_room, issue_count, issue_room;
};

/* Other lines are ignored. */
void simlog_read_fetches(struct sim_overhead *overhead, const char *bytes, size_t size);
void simlog_read_issues(struct sim_overhead *overhead, const char *bytes, size_t size);
/* Sets `fetched` and `issued` of each instruction for which both are known. */
void simlog_find_overhead(struct sim_core *core, struct sim_overhead *overhead);
void simlog_clear_overhead(struct sim_overhead *overhead);

#endif
