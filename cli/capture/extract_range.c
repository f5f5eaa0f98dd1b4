#include "cli/capture/extract_range.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "cli/capture/extract_launches.h"
#include "lib/base/file.h"
#include "parsers/source/source.h"

/* Writes a file of the launch, unless it would be empty. */
static int write_bytes(const struct extract_launch *launch,
                       const char *name,
                       const struct text *bytes,
                       struct err *err)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", launch->folder, name);
    return bytes->length ? file_write(path, bytes->bytes, bytes->length, err) : 0;
}

static int write_files(const struct extract_launch *launch,
                       const struct source_launch *source,
                       struct err *err)
{
    for (size_t i = 0; i < source->pass_count; i++) {
        const struct source_pass *pass = &source->passes[i];
        char name[40];

        snprintf(name, sizeof(name), "DeviceProf%" PRIu32 ".bin", pass->number);
        if (write_bytes(launch, name, &pass->counters, err) < 0 ||
            write_bytes(launch, "duration.bin", &pass->task_log, err) < 0)
            return -1;
    }
    return write_bytes(launch, "aic_timestamp.bin", &source->stamps, err) < 0 ||
                   write_bytes(launch, "aicpu.bin", &source->ai_cpu, err) < 0
               ? -1
               : 0;
}

static struct source_launch *find_source(const struct source *source,
                                         const struct extract_launch *launch)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->launches[i]->range_launch &&
            source->launches[i]->shard == launch->shard &&
            source->launches[i]->launch == launch->record.launch)
            return source->launches[i];
    return NULL;
}

int extract_range_write(const struct extract_launches *launches,
                        const char *path,
                        uint64_t run_id,
                        uint32_t rank,
                        struct err *err)
{
    struct source *source = NULL;
    int result = 0;

    for (size_t i = 0; i < launches->count && result == 0; i++) {
        const struct extract_launch *launch = &launches->items[i];
        struct source_launch *from;

        if (!launch->range || !launch->folder)
            continue;
        if (!source)
            result = source_open_capture(&source, path, run_id, rank, err);
        if (result < 0 || !(from = find_source(source, launch)))
            continue;
        source_load(source, from);
        result = write_files(launch, from, err);
        source_drop(source, from);
    }
    source_destroy(source);
    return result;
}
