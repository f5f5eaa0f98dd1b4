#include "sim/hccl/times/arrival.h"

static uint64_t round_to(uint64_t ns, uint64_t step_ns)
{
    return step_ns ? (ns + step_ns / 2) / step_ns * step_ns : ns;
}

static uint64_t first_anchor(const struct arrival *arrivals, uint32_t ranks)
{
    uint64_t first = arrivals[0].anchor_ns;

    for (uint32_t rank = 1; rank < ranks; rank++)
        if (arrivals[rank].machine == arrivals[0].machine &&
            arrivals[rank].anchor_ns < first)
            first = arrivals[rank].anchor_ns;
    return first;
}

uint64_t arrivals_align(const struct arrival *arrivals,
                        uint32_t ranks,
                        uint32_t own,
                        uint64_t step_ns,
                        uint64_t *start_ns)
{
    uint64_t first = first_anchor(arrivals, ranks), common_ns = 0;

    for (uint32_t rank = 0; rank < ranks; rank++) {
        const struct arrival *arrival = &arrivals[rank];
        uint64_t late = 0, moment;

        if (arrival->machine == arrivals[0].machine)
            late = round_to(arrival->anchor_ns - first, step_ns);
        start_ns[rank] = late + arrival->since_ns;
        moment = arrival->anchor_ns > late ? arrival->anchor_ns - late : 0;
        if (arrival->machine == arrivals[own].machine && moment > common_ns)
            common_ns = moment;
    }
    return common_ns;
}
