/* simlog_mte.h - reads the log of the transfer engines (MTE): bytes by cycle
 *
 * Each request has several lines; the latest one is the end of the request. The unit on
 * the other side of the instruction than GM determines the path. */
#ifndef PARSERS_SIMLOG_SIMLOG_MTE_H
#define PARSERS_SIMLOG_SIMLOG_MTE_H

#include <stddef.h>
#include <stdint.h>

enum sim_path {
    SIM_GM_TO_UB,
    SIM_GM_TO_L1,
    SIM_GM_TO_TOTAL, /* from GM to other units; in sums also the two above */
    SIM_UB_TO_GM,
    SIM_L1_TO_GM,
    SIM_TOTAL_TO_GM,
    SIM_PATHS
};

struct sim_request {
    uint64_t instruction, number;
    uint64_t cycle, bytes;
    enum sim_path path;
};

struct sim_requests {
    struct sim_request *rows; /* sorted by instruction, then number */
    size_t count;
    size_t unknown_lines;
    size_t without_far_side; /* requests with no line of the other side */
};

void simlog_read_requests(struct sim_requests *requests,
                          const char *bytes,
                          size_t size);
void simlog_clear_requests(struct sim_requests *requests);
const char *sim_path_name(enum sim_path path);

#endif
