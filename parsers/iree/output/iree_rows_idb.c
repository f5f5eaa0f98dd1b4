/* iree_rows_idb.c - rows about the parts of a file and its IDB0 dumps */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/iree/idb_value.h"
#include "parsers/iree/output/iree_cells.h"
#include "parsers/iree/output/iree_rows.h"

void iree_rows_parts(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    static const char *const names[] = {
        [IREE_PART_METADATA] = "metadata", [IREE_PART_RING] = "ring",
        [IREE_PART_PROFILE] = "profile",   [IREE_PART_CAPTURE] = "capture",
        [IREE_PART_UNKNOWN] = "unknown",   [IREE_PART_BAD] = "bad bytes",
    };
    struct iree_cells row = {.fn = fn, .arg = arg};

    for (size_t i = 0; i < dump->part_count; i++) {
        const struct iree_part *part = &dump->parts[i];

        iree_cells_count(&row, part->offset);
        iree_cells_count(&row, part->bytes);
        iree_cells_text(&row, names[part->kind]);
        if (part->kind == IREE_PART_PROFILE || part->kind == IREE_PART_BAD ||
            part->kind == IREE_PART_CAPTURE)
            iree_cells_none(&row);
        else
            iree_cells_count(&row, part->type);
        if (!iree_cells_end(&row))
            return;
    }
}

static bool
add_functions(const struct iree_module *module, size_t number, struct iree_cells *row)
{
    const struct idb_metadata *metadata = &module->metadata;
    uint64_t *sites = xcalloc(metadata->function_count + 1, sizeof(*sites));
    bool goes_on = true;

    for (uint32_t i = 0; i < metadata->site_count; i++)
        sites[metadata->sites[i]]++;
    for (uint32_t i = 0; goes_on && i < metadata->function_count; i++) {
        const struct idb_function *function = &metadata->functions[i];

        iree_cells_count(row, number);
        iree_cells_count(row, i);
        iree_cells_text(row, function->name);
        iree_cells_text(row, function->target);
        iree_cells_count(row, sites[i]);
        iree_cells_text(row, function->layout);
        iree_cells_text(row, function->source);
        goes_on = iree_cells_end(row);
    }
    free(sites);
    return goes_on;
}

void iree_rows_functions(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    struct iree_cells row = {.fn = fn, .arg = arg};

    for (size_t i = 0; i < dump->module_count; i++)
        if (!add_functions(&dump->modules[i], i, &row))
            return;
}

void iree_rows_rings(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    struct iree_cells row = {.fn = fn, .arg = arg};

    for (size_t i = 0; i < dump->ring_count; i++) {
        const struct iree_ring *ring = &dump->rings[i];
        const struct idb_ring_totals *totals = &ring->totals;

        iree_cells_count(&row, i);
        if (ring->module == IREE_NO_MODULE)
            iree_cells_none(&row);
        else
            iree_cells_count(&row, ring->module);
        iree_cells_count(&row, ring->offset);
        iree_cells_count(&row, ring->bytes);
        iree_cells_number(&row, IREE_CELL_WIDE, ring->head);
        iree_cells_number(&row, IREE_CELL_WIDE, totals->lost_bytes);
        iree_cells_count(&row, totals->cut_bytes);
        iree_cells_count(&row, totals->holes);
        iree_cells_count(&row, totals->hole_bytes);
        iree_cells_count(&row, totals->bad_bytes);
        iree_cells_count(&row, totals->doubtful);
        iree_cells_count(&row, totals->lost_owners);
        iree_cells_count(&row, totals->records[IDB_WORKGROUP]);
        iree_cells_count(&row, totals->records[IDB_PRINT]);
        iree_cells_count(&row, totals->records[IDB_VALUE]);
        iree_cells_count(&row, totals->records[IDB_LOAD]);
        iree_cells_count(&row, totals->records[IDB_STORE]);
        if (!iree_cells_end(&row))
            return;
    }
}

static void begin_site(struct iree_cells *row,
                       const struct iree_dump *dump,
                       size_t ring,
                       uint32_t site)
{
    const struct idb_metadata *metadata = iree_ring_metadata(dump, &dump->rings[ring]);

    iree_cells_count(row, ring);
    iree_cells_count(row, site);
    iree_cells_text(row, idb_metadata_function(metadata, site)->name);
}

/* Cells of a site without accesses, and of one that did not fit, are empty. */
static void add_accesses(struct iree_cells *row,
                         const struct idb_accesses *accesses,
                         const struct idb_site *site)
{
    const struct idb_conflicts *conflicts =
        idb_accesses_conflicts(accesses, site->site);

    if (site->loads + site->stores == 0 || site->accesses.has_no_lines)
        iree_cells_none(row);
    else
        iree_cells_count(row, site->accesses.lines);
    if (site->stores == 0 || (conflicts && conflicts->is_unknown))
        iree_cells_none(row);
    else
        iree_cells_count(row, conflicts ? conflicts->count : 0);
    if (conflicts && conflicts->count)
        iree_cells_number(row, IREE_CELL_HEX, conflicts->address);
    else
        iree_cells_none(row);
}

static void add_site(struct iree_cells *row,
                     const struct idb_accesses *accesses,
                     const struct idb_site *site)
{
    iree_cells_count(row, site->workgroups);
    for (int i = 0; i < 3; i++)
        if (site->has_count)
            iree_cells_count(row, site->count[i]);
        else
            iree_cells_none(row);
    iree_cells_number(row, IREE_CELL_BOOL, site->is_changing);
    for (int i = 0; i < 3; i++)
        if (site->has_iterations)
            iree_cells_count(row, i == 0   ? site->iterations_min
                                  : i == 1 ? site->iterations_max
                                           : site->incomplete_ids);
        else
            iree_cells_none(row);
    iree_cells_count(row, site->processors);
    if (site->workgroups)
        iree_cells_real(row, idb_site_imbalance(site));
    else
        iree_cells_none(row);
    iree_cells_count(row, site->loads);
    iree_cells_count(row, site->load_bytes);
    iree_cells_count(row, site->stores);
    iree_cells_count(row, site->store_bytes);
    for (int i = 0; i < 2; i++)
        if (site->loads + site->stores)
            iree_cells_number(row, IREE_CELL_HEX,
                              i ? site->address_last : site->address_first);
        else
            iree_cells_none(row);
    add_accesses(row, accesses, site);
    iree_cells_count(row, site->values);
    iree_cells_count(row, site->prints);
}

void iree_rows_sites(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    struct iree_cells row = {.fn = fn, .arg = arg};

    for (size_t i = 0; i < dump->ring_count; i++) {
        const struct idb_sites *sites = &dump->rings[i].sites;

        for (size_t at = 0; at < sites->sites.count; at++) {
            const struct idb_site *site = idb_sites_at(sites, at);

            begin_site(&row, dump, i, site->site);
            add_site(&row, &sites->accesses, site);
            iree_cells_number(&row, IREE_CELL_BOOL,
                              dump->rings[i].totals.lost_bytes > 0);
            if (!iree_cells_end(&row))
                return;
        }
    }
}

void iree_rows_processors(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    struct iree_cells row = {.fn = fn, .arg = arg};

    for (size_t i = 0; i < dump->ring_count; i++) {
        const struct idb_sites *sites = &dump->rings[i].sites;

        for (size_t at = 0; at < sites->processors.count; at++) {
            const struct idb_processor *is = idb_sites_processor(sites, at);

            begin_site(&row, dump, i, is->site);
            iree_cells_count(&row, is->processor);
            iree_cells_count(&row, is->workgroups);
            if (!iree_cells_end(&row))
                return;
        }
    }
}

void iree_rows_strides(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    struct iree_cells row = {.fn = fn, .arg = arg};

    for (size_t i = 0; i < dump->ring_count; i++) {
        const struct idb_accesses *accesses = &dump->rings[i].sites.accesses;

        for (size_t at = 0; at < accesses->strides.count; at++) {
            const struct idb_strides *is = idb_accesses_strides(accesses, at);

            begin_site(&row, dump, i, is->site);
            iree_cells_text(&row, is->kind == IDB_LOAD ? "load" : "store");
            iree_cells_signed(&row, is->min);
            iree_cells_signed(&row, is->max);
            iree_cells_count(&row, is->count);
            if (!iree_cells_end(&row))
                return;
        }
    }
}

void iree_rows_values(const struct iree_dump *dump, iree_row_fn *fn, void *arg)
{
    struct iree_cells row = {.fn = fn, .arg = arg};

    for (size_t i = 0; i < dump->ring_count; i++) {
        const struct idb_sites *sites = &dump->rings[i].sites;

        for (size_t at = 0; at < sites->series.count; at++) {
            const struct idb_series *is = idb_sites_series(sites, at);
            uint64_t numbers = is->count - is->nans;

            begin_site(&row, dump, i, is->site);
            iree_cells_count(&row, is->ordinal);
            iree_cells_text(&row, idb_value_type_name(is->type));
            iree_cells_count(&row, is->count);
            iree_cells_count(&row, is->nans);
            if (numbers) {
                iree_cells_real(&row, is->min);
                iree_cells_real(&row, is->max);
                iree_cells_real(&row, is->sum / (double)numbers);
            } else {
                for (int n = 0; n < 3; n++)
                    iree_cells_none(&row);
            }
            if (!iree_cells_end(&row))
                return;
        }
    }
}
