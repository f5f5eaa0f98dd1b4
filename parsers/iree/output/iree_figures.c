#include "parsers/iree/output/iree_figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "lib/base/mem.h"

enum { NAME_BYTES = 256 };

/* The origin of a figure: a site of a ring, or an operation of a profile. */
struct place {
    const struct iree_ring *ring;
    const struct idb_site *site;
    const struct irpf_operation *operation;
};

static const double us = 1000; /* ns */

#define READ(name, expression)                                                         \
    static double read_##name(const struct place *is)                                  \
    {                                                                                  \
        return (double)(expression);                                                   \
    }

READ(workgroups, is->site->workgroups)
READ(iterations_min, is->site->has_iterations ? (double)is->site->iterations_min : NAN)
READ(iterations_max, is->site->has_iterations ? (double)is->site->iterations_max : NAN)
READ(processors, is->site->processors)
READ(imbalance, is->site->workgroups ? idb_site_imbalance(is->site) : NAN)
READ(loads, is->site->loads)
READ(load_bytes, is->site->load_bytes)
READ(stores, is->site->stores)
READ(store_bytes, is->site->store_bytes)
READ(cache_lines,
     is->site->loads + is->site->stores && !is->site->accesses.has_no_lines
         ? (double)is->site->accesses.lines
         : NAN)

static double read_conflicts(const struct place *is)
{
    const struct idb_conflicts *conflicts =
        idb_accesses_conflicts(&is->ring->sites.accesses, is->site->site);

    if (is->site->stores == 0 || (conflicts && conflicts->is_unknown))
        return NAN;
    return conflicts ? (double)conflicts->count : 0;
}

READ(lost_bytes, is->ring->totals.lost_bytes)
READ(mean,
     is->operation->timed
         ? (double)is->operation->total_ns / us / (double)is->operation->timed
         : NAN)
READ(events, is->operation->events)
READ(total, is->operation->timed ? (double)is->operation->total_ns / us : NAN)
READ(min, is->operation->timed ? (double)is->operation->min_ns / us : NAN)
READ(max, is->operation->timed ? (double)is->operation->max_ns / us : NAN)
READ(payload, is->operation->payload)

static const struct row {
    struct iree_metric metric;
    double (*of_site)(const struct place *is);
    double (*of_operation)(const struct place *is);
} rows[] = {
    {{"duration_us", "us", "mean duration of an event of the operation (profiles)"},
     NULL,
     read_mean},
    {{"iree_events", "count", "events of the operation (profiles)"}, NULL, read_events},
    {{"iree_total_us", "us", "sum of their durations"}, NULL, read_total},
    {{"iree_min_us", "us", "shortest duration"}, NULL, read_min},
    {{"iree_max_us", "us", "longest duration"}, NULL, read_max},
    {{"iree_payload_bytes", "B", "bytes that the operation copied or filled"},
     NULL,
     read_payload},
    {{"iree_workgroups", "count", "workgroups that ran at the site (dumps)"},
     read_workgroups,
     NULL},
    {{"iree_iterations_min", "count", "executions of the workgroup that ran least"},
     read_iterations_min,
     NULL},
    {{"iree_iterations_max", "count", "executions of the workgroup that ran most"},
     read_iterations_max,
     NULL},
    {{"iree_processors", "count", "processors that ran workgroups of the site"},
     read_processors,
     NULL},
    {{"iree_imbalance", "ratio", "workgroups of the busiest processor over their mean"},
     read_imbalance,
     NULL},
    {{"iree_loads", "count", "recorded loads"}, read_loads, NULL},
    {{"iree_load_bytes", "B", "bytes of these loads"}, read_load_bytes, NULL},
    {{"iree_stores", "count", "recorded stores"}, read_stores, NULL},
    {{"iree_store_bytes", "B", "bytes of these stores"}, read_store_bytes, NULL},
    {{"iree_cache_lines", "count", "distinct lines of 64 bytes that the site accessed"},
     read_cache_lines,
     NULL},
    {{"iree_conflicts", "count",
      "stores to an address of another workgroup of the same iteration"},
     read_conflicts,
     NULL},
    {{"iree_lost_bytes", "B",
      "bytes that the ring overwrote; above 0 all counts of the ring are lower bounds"},
     read_lost_bytes,
     NULL},
};

const struct iree_metric *iree_metric_at(size_t index)
{
    return index < COUNT(rows) ? &rows[index].metric : NULL;
}

static void add(const struct place *place,
                struct iree_figure *figure,
                iree_figure_fn *fn,
                void *arg)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        double (*read)(const struct place *is) =
            place->site ? rows[i].of_site : rows[i].of_operation;

        figure->value = read ? read(place) : NAN;
        if (isnan(figure->value))
            continue;
        figure->metric = rows[i].metric.metric;
        figure->unit = rows[i].metric.unit;
        fn(figure, arg);
    }
    figure->row++;
}

static void add_sites(const struct iree_dump *dump,
                      const struct iree_ring *ring,
                      struct iree_figure *figure,
                      iree_figure_fn *fn,
                      void *arg)
{
    const struct idb_metadata *metadata = iree_ring_metadata(dump, ring);
    char name[NAME_BYTES];

    for (size_t i = 0; i < ring->sites.sites.count; i++) {
        const struct idb_site *site = idb_sites_at(&ring->sites, i);

        snprintf(name, sizeof(name), "%s",
                 idb_metadata_function(metadata, site->site)->name);
        if (!name[0])
            snprintf(name, sizeof(name), "site %" PRIu32, site->site);
        figure->kernel = name;
        add(&(struct place){.ring = ring, .site = site}, figure, fn, arg);
    }
}

/* A queue event is the request for an operation, whose execution is an event too. Such
 * rows count only where nothing was timed. */
static bool has_timed(const struct irpf_profile *profile)
{
    for (size_t i = 0; i < profile->operations.count; i++)
        if (irpf_profile_operation(profile, i)->timed)
            return true;
    return false;
}

static void add_operations(const struct irpf_profile *profile,
                           struct iree_figure *figure,
                           iree_figure_fn *fn,
                           void *arg)
{
    bool skips_requests = has_timed(profile);
    char name[NAME_BYTES];

    for (size_t i = 0; i < profile->operations.count; i++) {
        const struct irpf_operation *row = irpf_profile_operation(profile, i);

        if (skips_requests && row->content == IRPF_QUEUE_EVENTS)
            continue;
        irpf_profile_operation_name(name, sizeof(name), profile, row);
        figure->kernel = name;
        add(&(struct place){.operation = row}, figure, fn, arg);
    }
}

void iree_figures_each(const struct iree_dump *dump, iree_figure_fn *fn, void *arg)
{
    struct iree_figure figure = {0};

    for (size_t i = 0; i < dump->ring_count; i++)
        add_sites(dump, &dump->rings[i], &figure, fn, arg);
    for (size_t i = 0; i < dump->profile_count; i++)
        add_operations(&dump->profiles[i], &figure, fn, arg);
}
