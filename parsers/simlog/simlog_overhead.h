/* simlog_overhead.h - what went on before an instruction of a simulation began
 *
 * The log of the instruction cache tells when it was fetched, that of the control unit
 * when it was issued; both only where the simulator was asked for them. Of each the
 * nearest before the start that has the same address counts. */
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

/* Lines of other kinds are passed over. */
void simlog_read_fetches(struct sim_overhead *overhead, const char *bytes, size_t size);
void simlog_read_issues(struct sim_overhead *overhead, const char *bytes, size_t size);
/* Fills in when each instruction was fetched and issued, where both are known. */
void simlog_find_overhead(struct sim_core *core, struct sim_overhead *overhead);
void simlog_clear_overhead(struct sim_overhead *overhead);

#endif
