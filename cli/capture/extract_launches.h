/* extract_launches.h - the launches of a rank, and the folder of each in the vendor's
 * layout
 *
 * A marked range that was replayed as one has no folder: its launches have one each. */
#ifndef CLI_CAPTURE_EXTRACT_LAUNCHES_H
#define CLI_CAPTURE_EXTRACT_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/capture/format/records.h"

struct extract_launch {
    uint32_t shard;
    struct record_launch
        record;   /* of a launch in a range: with the facts of the range */
    char *folder; /* .../dump; NULL: nothing is written */
    bool is_range;
    size_t range; /* index of the range plus 1; 0: the launch is in no range */
    uint32_t core_mhz;
    uint32_t log_pass; /* pass whose task log is in duration.bin: the last one */
    struct text lists; /* lines with the events of each pass */
};

struct extract_launches {
    const char *folder;
    const char *selection; /* see launch_selection.h; NULL: all launches */
    struct extract_launch *items;
    size_t count;
    size_t written;      /* launches with a folder */
    struct text skipped; /* some launches that were not selected, for an error */
};

void extract_launches_clear(struct extract_launches *launches);
/* Returns NULL when there is no such launch. Numbers are those of the process. */
struct extract_launch *extract_launches_find(const struct extract_launches *launches,
                                             uint32_t shard,
                                             uint64_t number);
/* Add a launch and create its folder. `record` is a launch or range.launch record. */
int extract_launches_add(struct extract_launches *launches,
                         uint32_t shard,
                         const uint8_t *record,
                         struct err *err);
int extract_launches_add_inner(struct extract_launches *launches,
                               uint32_t shard,
                               const uint8_t *record,
                               struct err *err);

#endif
