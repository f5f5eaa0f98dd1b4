#include "cli/capture/extract_launches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/source/launch_selection.h"

enum { SKIPPED_MAX = 100 }; /* bytes of the list of launches that were not selected */

void extract_launches_clear(struct extract_launches *launches)
{
    for (size_t i = 0; i < launches->count; i++) {
        free(launches->items[i].folder);
        text_clear(&launches->items[i].lists);
    }
    free(launches->items);
    text_clear(&launches->skipped);
}

struct extract_launch *extract_launches_find(const struct extract_launches *launches,
                                             uint32_t shard,
                                             uint64_t number)
{
    for (size_t i = launches->count; i-- > 0;)
        if (launches->items[i].shard == shard &&
            launches->items[i].record.launch == number)
            return &launches->items[i];
    return NULL;
}

static int create_folder(struct extract_launches *launches,
                         struct extract_launch *launch,
                         struct err *err)
{
    char part[201];

    text_to_path_part(part, sizeof(part), launch->record.kernel);
    if (launches->selection &&
        !launch_selection_matches(launches->selection, part, launch->record.order)) {
        if (launches->skipped.length < SKIPPED_MAX)
            text_printf(&launches->skipped, "%s%s/%" PRIu32,
                        launches->skipped.length ? ", " : "", part,
                        launch->record.order);
        return 0;
    }
    launch->folder =
        xasprintf("%s/device%" PRIu32 "/%s/%" PRIu32 "/dump", launches->folder,
                  launch->record.device, part, launch->record.order);
    launches->written++;
    if (file_exists(launch->folder))
        return err_set(err, ERR_CONFLICT,
                       "%s exists already; extract into an empty folder",
                       launch->folder);
    return folder_create(launch->folder, err);
}

static struct extract_launch *add(struct extract_launches *launches, uint32_t shard)
{
    struct extract_launch *launch;

    launches->items =
        xreallocarray(launches->items, launches->count + 1, sizeof(*launches->items));
    launch = &launches->items[launches->count++];
    *launch = (struct extract_launch){.shard = shard};
    return launch;
}

int extract_launches_add(struct extract_launches *launches,
                         uint32_t shard,
                         const uint8_t *record,
                         struct err *err)
{
    struct extract_launch *launch = add(launches, shard);

    memcpy(&launch->record, record, sizeof(launch->record));
    launch->record.kernel[sizeof(launch->record.kernel) - 1] = '\0';
    launch->is_range = launch->record.kind == LAUNCH_RANGE;
    return launch->is_range ? 0 : create_folder(launches, launch, err);
}

int extract_launches_add_inner(struct extract_launches *launches,
                               uint32_t shard,
                               const uint8_t *record,
                               struct err *err)
{
    struct record_range_launch inner;
    struct extract_launch *launch, *range;
    size_t place;

    memcpy(&inner, record, sizeof(inner));
    range = extract_launches_find(launches, shard, inner.range);
    if (!range || !range->is_range)
        return err_set(err, ERR_INPUT,
                       "launch %" PRIu64 " of a range without a launch record; run "
                       "'muster capture verify'",
                       inner.launch);
    place = (size_t)(range - launches->items);
    launch = add(launches, shard);
    launch->record = launches->items[place].record;
    launch->range = place + 1;
    launch->record.launch = inner.launch;
    launch->record.order = inner.order;
    launch->record.block_dim = inner.block_dim;
    launch->record.kind = inner.kind;
    launch->record.is_mc2 = inner.kind == LAUNCH_MC2 || inner.kind == LAUNCH_MTE;
    launch->record.is_lccl = inner.kind == LAUNCH_LCCL;
    memcpy(launch->record.kernel, inner.kernel, sizeof(launch->record.kernel));
    launch->record.kernel[sizeof(launch->record.kernel) - 1] = '\0';
    return create_folder(launches, launch, err);
}
