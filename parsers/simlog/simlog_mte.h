/* simlog_mte.h - the log of the transfer engines: which bytes were through at which
 * cycle
 *
 * Each request has several lines; the latest says when it was through. The unit on the
 * far side of an instruction tells which way it went. */
#ifndef PARSERS_SIMLOG_SIMLOG_MTE_H
#define PARSERS_SIMLOG_SIMLOG_MTE_H

#include <stddef.h>
#include <stdint.h>

enum sim_path {
    SIM_GM_TO_UB,
    SIM_GM_TO_L1,
    SIM_GM_TO_TOTAL, /* elsewhere from GM; as a sum it holds the two above, too */
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
    struct sim_request *rows; /* by instruction, then number */
    size_t count;
    size_t unknown_lines;
    size_t without_far_side; /* whose instruction no far side was told of */
};

void simlog_read_requests(struct sim_requests *requests,
                          const char *bytes,
                          size_t size);
void simlog_clear_requests(struct sim_requests *requests);
const char *sim_path_name(enum sim_path path);

#endif
