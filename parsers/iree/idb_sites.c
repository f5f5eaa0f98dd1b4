#include "parsers/iree/idb_sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/iree/idb_metadata.h"
#include "parsers/iree/idb_value.h"

enum {
    PROCESSORS_MAX = 1 << 18,
    SERIES_MAX = 1 << 16,
    IDS_OF_SITE_MAX = 1 << 18,
    IDS_MAX = 1 << 22,
};

void idb_sites_init(struct idb_sites *sites)
{
    *sites = (struct idb_sites){
        .sites = {.row_bytes = sizeof(struct idb_site), .most = IDB_ENTRIES_MAX},
        .processors = {.row_bytes = sizeof(struct idb_processor),
                       .most = PROCESSORS_MAX},
        .series = {.row_bytes = sizeof(struct idb_series), .most = SERIES_MAX},
    };
    idb_accesses_init(&sites->accesses);
}

static struct idb_site *find_site(struct idb_sites *sites, uint32_t site)
{
    if (!sites->site || sites->site->site != site) {
        sites->site = key_table_put(&sites->sites, site, 0);
        if (sites->site)
            sites->site->site = site;
    }
    return sites->site;
}

/* Prepares the counts of all ids of a site, unless there are too many. */
static void begin_ids(struct idb_sites *sites, struct idb_site *site)
{
    uint64_t ids = site->count[0];

    for (int i = 1; i < 3 && ids <= IDS_OF_SITE_MAX; i++)
        ids *= site->count[i];
    if (ids > IDS_OF_SITE_MAX || ids > IDS_MAX - sites->ids)
        return;
    site->executions = xcalloc(ids, sizeof(*site->executions));
    site->ids = ids;
    sites->ids += ids;
}

static void count_processor(struct idb_sites *sites, const struct idb_record *record)
{
    struct idb_processor *row = sites->processor;

    if (!row || row->site != record->site || row->processor != record->processor)
        row = key_table_put(&sites->processors, record->site, record->processor);
    sites->processor = row;
    if (!row) {
        sites->uncounted++;
        return;
    }
    row->site = record->site;
    row->processor = record->processor;
    row->workgroups++;
}

/* Counts an execution of the workgroup with this index. Returns its number, from 1; 0:
 * not counted. */
static uint32_t count_execution(struct idb_sites *sites,
                                struct idb_site *site,
                                const struct idb_record *record,
                                uint64_t id)
{
    if (!site->has_count) {
        site->has_count = true;
        memcpy(site->count, record->count, sizeof(site->count));
        begin_ids(sites, site);
    }
    if (memcmp(site->count, record->count, sizeof(site->count)) != 0) {
        site->is_changing = true;
        return 0;
    }
    return site->executions ? ++site->executions[id] : 0;
}

static void add_workgroup(struct idb_sites *sites,
                          struct idb_site *site,
                          const struct idb_record *record)
{
    const uint64_t id = ((uint64_t)record->id[2] * record->count[1] + record->id[1]) *
                            record->count[0] +
                        record->id[0];
    uint32_t execution = 0;

    site->workgroups++;
    count_processor(sites, record);
    if (!record->is_doubtful)
        execution = count_execution(sites, site, record, id);
    idb_accesses_begin(&sites->accesses, record, (uint32_t)id, execution);
}

static void add_value(struct idb_sites *sites, const struct idb_record *record)
{
    struct idb_series *series = key_table_put(
        &sites->series, record->site, (uint64_t)record->ordinal << 8 | record->type);
    double number = idb_value_number(record->type, record->bits);

    if (!series) {
        sites->uncounted++;
        return;
    }
    series->site = record->site;
    series->ordinal = record->ordinal;
    series->type = record->type;
    if (isnan(number)) {
        series->nans++;
    } else {
        bool is_first = series->count == series->nans;

        series->min = is_first ? number : fmin(series->min, number);
        series->max = is_first ? number : fmax(series->max, number);
        series->sum += number;
    }
    series->count++;
}

static void add_access(struct idb_sites *sites,
                       struct idb_site *site,
                       const struct idb_record *record)
{
    uint64_t last = record->address + record->bytes - 1;
    bool is_first = site->loads + site->stores == 0;

    if (last < record->address)
        last = UINT64_MAX;
    if (is_first || record->address < site->address_first)
        site->address_first = record->address;
    if (is_first || last > site->address_last)
        site->address_last = last;
    if (record->kind == IDB_LOAD) {
        site->loads++;
        site->load_bytes += record->bytes;
    } else {
        site->stores++;
        site->store_bytes += record->bytes;
    }
    idb_accesses_add(&sites->accesses, &site->accesses, record);
}

void idb_sites_add(struct idb_sites *sites, const struct idb_record *record)
{
    struct idb_site *site;

    if (record->is_lost)
        return; /* the totals of the ring count it */
    site = find_site(sites, record->site);
    if (!site) {
        sites->uncounted++;
        return;
    }
    switch (record->kind) {
    case IDB_WORKGROUP:
        add_workgroup(sites, site, record);
        break;
    case IDB_PRINT:
        site->prints++;
        break;
    case IDB_VALUE:
        site->values++;
        add_value(sites, record);
        break;
    default:
        add_access(sites, site, record);
    }
}

static void find_iterations(struct idb_site *site)
{
    site->has_iterations = site->executions && !site->is_changing;
    for (uint64_t i = 0; site->has_iterations && i < site->ids; i++) {
        uint32_t count = site->executions[i];

        if (i == 0 || count < site->iterations_min)
            site->iterations_min = count;
        if (count > site->iterations_max)
            site->iterations_max = count;
    }
    for (uint64_t i = 0; site->has_iterations && i < site->ids; i++)
        site->incomplete_ids += site->executions[i] < site->iterations_max;
    free(site->executions);
    site->executions = NULL;
}

void idb_sites_finish(struct idb_sites *sites)
{
    for (size_t i = 0; i < sites->sites.count; i++)
        find_iterations(key_table_at(&sites->sites, i));
    for (size_t i = 0; i < sites->processors.count; i++) {
        const struct idb_processor *row = key_table_at(&sites->processors, i);
        struct idb_site *site = key_table_get(&sites->sites, row->site, 0);

        site->processors++;
        if (row->workgroups > site->busiest)
            site->busiest = row->workgroups;
    }
    idb_accesses_finish(&sites->accesses);
    sites->uncounted += sites->accesses.uncounted;
    sites->site = NULL;
    sites->processor = NULL;
}

void idb_sites_clear(struct idb_sites *sites)
{
    for (size_t i = 0; i < sites->sites.count; i++)
        free(((struct idb_site *)key_table_at(&sites->sites, i))->executions);
    key_table_clear(&sites->sites);
    key_table_clear(&sites->processors);
    key_table_clear(&sites->series);
    idb_accesses_clear(&sites->accesses);
}

double idb_site_imbalance(const struct idb_site *site)
{
    return (double)site->busiest * site->processors / (double)site->workgroups;
}

const struct idb_site *idb_sites_at(const struct idb_sites *sites, size_t index)
{
    return key_table_at(&sites->sites, index);
}

const struct idb_processor *idb_sites_processor(const struct idb_sites *sites,
                                                size_t index)
{
    return key_table_at(&sites->processors, index);
}

const struct idb_series *idb_sites_series(const struct idb_sites *sites, size_t index)
{
    return key_table_at(&sites->series, index);
}
