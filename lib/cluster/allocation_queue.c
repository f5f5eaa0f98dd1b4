#include "lib/cluster/allocation_queue.h"

#include "lib/base/text.h"

static int
in_range(const char *what, uint64_t value, uint64_t low, uint64_t high, struct err *err)
{
    if (value >= low && value <= high)
        return 0;
    return err_set(err, ERR_INPUT, "%s: %llu is not between %llu and %llu", what,
                   (unsigned long long)value, (unsigned long long)low,
                   (unsigned long long)high);
}

int alloc_check(const struct allocation_request *wish, struct err *err)
{
    if (!text_is_path_part(wish->name))
        return err_set(err, ERR_INPUT,
                       "'%s' is no name for a queue: letters, digits and _.=,+-",
                       wish->name);
    if (!text_is_path_part(wish->resource))
        return err_set(err, ERR_INPUT, "'%s' is no name of a resource, such as npu",
                       wish->resource);
    for (size_t i = 0; i < wish->word_count; i++)
        if (wish->words[i][0] != '-')
            return err_set(err, ERR_INPUT,
                           "'%s': what stands behind -- are options of sbatch, "
                           "written --NAME=VALUE",
                           wish->words[i]);
    if (in_range("words behind --", wish->word_count, 0, ALLOC_WORDS_MAX, err) < 0 ||
        in_range("--nodes", wish->nodes, 1, ALLOC_NODES_MAX, err) < 0 ||
        in_range("--cards-per-node", wish->cards_per_node, 1, ALLOC_CARDS_MAX, err) <
            0 ||
        in_range("--backlog", wish->backlog, 1, ALLOC_LIVE_MAX, err) < 0 ||
        in_range("--most", wish->most, 1, ALLOC_LIVE_MAX, err) < 0)
        return -1;
    return 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

uint64_t alloc_missing(const struct allocation_request *wish,
                       const struct alloc_load *load)
{
    uint64_t each = wish->nodes * wish->cards_per_node;
    uint64_t on_their_way = (load->queued + load->coming) * each;
    uint64_t cards = minus(load->cards_wanted, load->cards_idle + on_their_way);
    uint64_t wanted = cards / each + (cards % each != 0);

    if (wish->here)
        return load->live == 0 && load->cards_wanted > 0; /* they are ours already */
    return least(wanted, least(minus(wish->backlog, load->queued),
                               minus(wish->most, load->live)));
}

uint64_t alloc_back_off_ms(uint64_t failures)
{
    uint64_t ms = ALLOC_BACK_OFF_MS;

    if (failures == 0)
        return 0;
    while (--failures > 0 && ms < ALLOC_BACK_OFF_MAX_MS)
        ms *= 2;
    return least(ms, ALLOC_BACK_OFF_MAX_MS);
}
