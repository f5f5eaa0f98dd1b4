#include "lib/cluster/allocation_queue.h"

#include "lib/base/text.h"

static int check_range(const char *name,
                       uint64_t value,
                       uint64_t low,
                       uint64_t high,
                       struct err *err)
{
    if (value >= low && value <= high)
        return 0;
    return err_set(err, ERR_INPUT, "%s: %llu is out of range; give %llu to %llu", name,
                   (unsigned long long)value, (unsigned long long)low,
                   (unsigned long long)high);
}

int alloc_check(const struct allocation_request *request, struct err *err)
{
    if (!text_is_path_part(request->name))
        return err_set(err, ERR_INPUT,
                       "queue name '%s' is invalid; use letters, digits and _.=,+-",
                       request->name);
    if (!text_is_path_part(request->resource))
        return err_set(err, ERR_INPUT,
                       "--resource '%s' is invalid; give the cluster's name of a "
                       "card, such as npu",
                       request->resource);
    for (size_t i = 0; i < request->option_count; i++)
        if (request->options[i][0] != '-')
            return err_set(err, ERR_INPUT,
                           "'%s' after -- is not an option of sbatch; write it as "
                           "--NAME=VALUE",
                           request->options[i]);
    if (check_range("number of options after --", request->option_count, 0,
                    ALLOC_OPTIONS_MAX, err) < 0 ||
        check_range("--nodes", request->nodes, 1, ALLOC_NODES_MAX, err) < 0 ||
        check_range("--cards-per-node", request->cards_per_node, 1, ALLOC_CARDS_MAX,
                    err) < 0 ||
        check_range("--backlog", request->backlog, 1, ALLOC_LIVE_MAX, err) < 0 ||
        check_range("--most", request->most, 1, ALLOC_LIVE_MAX, err) < 0)
        return -1;
    return 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

uint64_t alloc_missing(const struct allocation_request *request,
                       const struct alloc_load *load)
{
    uint64_t cards_each = request->nodes * request->cards_per_node;
    uint64_t cards_coming = (load->queued + load->starting) * cards_each;
    uint64_t cards_missing =
        difference(load->cards_wanted, load->cards_idle + cards_coming);
    uint64_t allocations =
        cards_missing / cards_each + (cards_missing % cards_each != 0);

    if (request->here)
        return load->live == 0 &&
               load->cards_wanted > 0; /* its cards are allocated already */
    return smaller(allocations, smaller(difference(request->backlog, load->queued),
                                        difference(request->most, load->live)));
}

uint64_t alloc_back_off_ms(uint64_t failures)
{
    uint64_t ms = ALLOC_BACK_OFF_MS;

    if (failures == 0)
        return 0;
    while (--failures > 0 && ms < ALLOC_BACK_OFF_MAX_MS)
        ms *= 2;
    return smaller(ms, ALLOC_BACK_OFF_MAX_MS);
}
