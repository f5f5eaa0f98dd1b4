#include "parsers/busy_time/bubbles.h"

enum { NS_PER_US = 1000, NS_PER_MS = 1000000 };

void bubbles_each_gap(const struct intervals *busy,
                      int64_t start,
                      int64_t end,
                      int64_t least,
                      gap_fn *fn,
                      void *arg)
{
    enum gap_kind kind = GAP_PRELAUNCH;
    int64_t from = start;

    for (size_t i = intervals_first_after(busy, start);
         i < busy->count && busy->items[i].start < end; i++) {
        int64_t gap = busy->items[i].start - from;

        if (gap > 0 && gap >= least)
            fn(arg, kind, from, from + gap);
        kind = GAP_INTERNAL;
        from = busy->items[i].end;
    }
    if (end > from && end - from >= least)
        fn(arg, kind == GAP_PRELAUNCH ? GAP_PRELAUNCH : GAP_TAIL, from, end);
}

static void add_gap(void *arg, enum gap_kind kind, int64_t start, int64_t end)
{
    struct bubbles *out = arg;

    switch (kind) {
    case GAP_PRELAUNCH:
        out->prelaunch = end - start;
        break;
    case GAP_TAIL:
        out->tail = end - start;
        break;
    case GAP_INTERNAL:
        out->internal += end - start;
        out->count++;
        if (end - start > out->largest)
            out->largest = end - start;
        break;
    }
}

void bubbles_measure(struct bubbles *out,
                     const struct intervals *busy,
                     int64_t start,
                     int64_t end)
{
    *out = (struct bubbles){.service = end > start ? end - start : 0};
    bubbles_each_gap(busy, start, end, 1, add_gap, out);
    out->busy = intervals_cover(busy, start, end);
    out->underfeed = out->service - out->busy;
}

double bubbles_underfeed_ratio(const struct bubbles *bubbles)
{
    return bubbles->service > 0 ? (double)bubbles->underfeed / (double)bubbles->service
                                : 0;
}

static int64_t between(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

int64_t bubbles_significant_ns(int64_t service)
{
    return between((service + 99) / 100, 10 * NS_PER_US, 100 * NS_PER_US);
}

int64_t bubbles_heavy_ns(int64_t service)
{
    int64_t tenth = service / 10 + (service % 10 > 0);

    return tenth > NS_PER_MS ? tenth : NS_PER_MS;
}
