/* idb_sites.h - counts the records of a ring for each dispatch site
 *
 * An iteration is one execution of all workgroups of a site. Each workgroup id is
 * counted, so the fewest and the most executions of an id are known: they differ when
 * workgroups are missing. Sites with very many ids, and sites whose number of
 * workgroups changes, have no iterations. A doubtful workgroup does not count as an
 * execution. Memory does not grow with the ring. */
#ifndef PARSERS_IREE_IDB_SITES_H
#define PARSERS_IREE_IDB_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/iree/idb_accesses.h"
#include "parsers/iree/idb_ring.h"
#include "parsers/iree/key_table.h"

struct idb_site {
    uint32_t site;
    uint64_t workgroups, prints, values;
    uint64_t loads, stores, load_bytes, store_bytes;
    uint64_t address_first, address_last; /* valid with loads or stores */
    struct idb_access_sums accesses;
    bool has_count;       /* `count` is set, by the first record that is not doubtful */
    uint32_t count[3];    /* workgroups of a dispatch */
    bool is_changing;     /* other records have another count */
    uint32_t *executions; /* of each id; NULL: not counted */
    uint64_t ids;         /* elements of `executions` */
    /* set by idb_sites_finish() */
    bool has_iterations;
    uint64_t iterations_min, iterations_max;
    uint64_t incomplete_ids; /* that ran fewer times than the one that ran most */
    uint32_t processors;     /* that ran workgroups */
    uint64_t busiest;        /* workgroups on the processor with the most */
};

/* Workgroups of a site on a processor. */
struct idb_processor {
    uint32_t site, processor;
    uint64_t workgroups;
};

/* Values of a site with the same ordinal and type. */
struct idb_series {
    uint32_t site;
    uint8_t ordinal, type;
    uint64_t count, nans;
    double min, max, sum; /* without NaN */
};

struct idb_sites {
    struct key_table sites, processors, series;
    struct idb_accesses accesses;
    uint64_t ids;                    /* of all sites */
    uint64_t uncounted;              /* records for which a table was full */
    struct idb_site *site;           /* of the latest record */
    struct idb_processor *processor; /* of the latest workgroup */
};

void idb_sites_init(struct idb_sites *sites);
void idb_sites_add(struct idb_sites *sites, const struct idb_record *record);
void idb_sites_finish(struct idb_sites *sites);
void idb_sites_clear(struct idb_sites *sites);

/* Returns the workgroups of the busiest processor, divided by their mean. */
double idb_site_imbalance(const struct idb_site *site);
const struct idb_site *idb_sites_at(const struct idb_sites *sites, size_t index);
const struct idb_processor *idb_sites_processor(const struct idb_sites *sites,
                                                size_t index);
const struct idb_series *idb_sites_series(const struct idb_sites *sites, size_t index);

#endif
