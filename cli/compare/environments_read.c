#include "cli/compare/environments_read.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "lib/base/mem.h"

static void add_rank(const void *row, void *arg)
{
    const struct msg_rank_row *rank = row;
    struct environments *environments = arg;
    char *card;

    if (!rank->accepted || rank->environment_id == 0)
        return;
    card = rank->serial && rank->serial[0]
               ? xstrdup(rank->serial)
               : xasprintf("%s:%" PRId64, rank->host, rank->card);
    environments_set(environments, card,
                     &(struct environment){.chip = rank->chip,
                                           .cann = rank->cann,
                                           .driver = rank->driver,
                                           .firmware = rank->firmware,
                                           .host_kernel = rank->host_kernel,
                                           .measurement = rank->measurement,
                                           .hbm_maker = rank->hbm_maker});
    free(card);
}

int environments_read(struct environments *environments,
                      struct row_source *source,
                      uint64_t job_id,
                      struct err *err)
{
    return row_source_rank_environments(source, job_id, add_rank, environments, err);
}

int compared_environments_read(struct compared_environments *environments,
                               struct row_source *source,
                               uint64_t base_id,
                               uint64_t fresh_id,
                               struct err *err)
{
    *environments = (struct compared_environments){.base = environments_create(),
                                                   .fresh = environments_create()};
    if (base_id == 0)
        return 0;
    if (environments_read(environments->base, source, base_id, err) < 0 ||
        environments_read(environments->fresh, source, fresh_id, err) < 0)
        return -1;
    environments->change = environments_change(environments->base, environments->fresh);
    return 0;
}

void compared_environments_clear(struct compared_environments *environments)
{
    environments_destroy(environments->base);
    environments_destroy(environments->fresh);
    free(environments->change);
    *environments = (struct compared_environments){0};
}

bool compared_environments_is_changed(const struct compared_environments *environments,
                                      const struct comparison_row *row)
{
    const char *card = row->card[0] ? row->card : row->placed_serial;

    if (!environments->change || !card[0])
        return environments->change != NULL;
    return environments_compare(environments->base, environments->fresh, card) ==
           ENVIRONMENT_CHANGED;
}
