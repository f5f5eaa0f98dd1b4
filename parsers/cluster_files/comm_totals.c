#include "parsers/cluster_files/comm_totals.h"

#include "lib/base/mem.h"

static void add_packages(struct comm_total *total,
                         const struct comm_packages *packages,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct comm_packages copy = packages[i];

        copy.op = 0;
        comm_ops_add_packages(&total->packages, &copy);
    }
}

/* Adds up packages of one transport and size. */
static void join_packages(struct comm_ops *ops)
{
    size_t kept = 0;

    comm_ops_sort_packages(ops);
    for (size_t i = 0; i < ops->package_count; i++) {
        struct comm_packages *last = kept > 0 ? &ops->packages[kept - 1] : NULL;
        const struct comm_packages *next = &ops->packages[i];

        if (last && last->transport == next->transport &&
            last->size_mb == next->size_mb) {
            last->count += next->count;
            last->time_ms += next->time_ms;
        } else {
            ops->packages[kept++] = *next;
        }
    }
    ops->package_count = kept;
}

static void add_op(struct comm_total *total, const struct comm_op *op)
{
    total->times.elapse_ms += op->times.elapse_ms;
    total->times.transit_ms += op->times.transit_ms;
    total->times.wait_ms += op->times.wait_ms;
    total->times.sync_ms += op->times.sync_ms;
    total->times.idle_ms += op->times.idle_ms;
    for (size_t i = 0; i < COMM_TRANSPORT_COUNT; i++) {
        total->traffic[i].size_mb += op->traffic[i].size_mb;
        total->traffic[i].time_ms += op->traffic[i].time_ms;
    }
}

void comm_totals_each(const struct comm_sets *sets,
                      size_t first,
                      size_t count,
                      comm_total_fn *fn,
                      void *arg)
{
    const struct comm_entry *entries = sets->entries + first;

    for (size_t rank = 0; rank < sets->cluster->count; rank++) {
        struct comm_total total = {.sets = sets, .rank = rank};
        bool found = false;

        for (size_t i = 0; i < count; i++) {
            size_t package_count;
            const struct comm_packages *packages;

            if (entries[i].rank != rank)
                continue;
            found = true;
            add_op(&total, comm_sets_op(sets, &entries[i]));
            packages = comm_ops_packages_of(&sets->cluster->ranks[rank].comm,
                                            entries[i].op, &package_count);
            add_packages(&total, packages, package_count);
        }
        join_packages(&total.packages);
        if (found)
            fn(arg, &total);
        comm_ops_clear(&total.packages);
    }
}
