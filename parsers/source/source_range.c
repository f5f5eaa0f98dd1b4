#include "parsers/source/source_range.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/records/pmu.h"
#include "parsers/records/task_log.h"

enum { IDS_AT = 4, LIST_BYTES_MAX = 16 << 20, FREQ_BYTES_MAX = 4096, TAIL_PARTS = 4 };

/* Returns the last four parts of a path, device<D>/<kernel>/<order>/dump. The folders
 * above them can have been renamed since the list was written. */
static const char *last_parts(const char *path)
{
    const char *at = path + strlen(path);
    int parts = 0;

    while (at > path && (at[-1] != '/' || ++parts < TAIL_PARTS))
        at--;
    return at;
}

static struct source_launch *find_launch(const struct source *source, const char *path)
{
    const char *tail = last_parts(path);

    for (size_t i = 0; i < source->count; i++)
        if (strcmp(last_parts(source->launches[i]->folder), tail) == 0)
            return source->launches[i];
    return NULL;
}

/* Reads lines like "Current Freq=1800", which apply to all kernels of a range. */
static void apply_frequencies(struct source_launch *launch, const char *text)
{
    static const char *const keys[] = {"Current Freq=", "Rated Freq="};
    uint32_t *const out[] = {&launch->info.current_mhz, &launch->info.rated_mhz};

    for (size_t i = 0; i < COUNT(keys); i++) {
        const char *at = strstr(text, keys[i]);
        unsigned long mhz = at ? strtoul(at + strlen(keys[i]), NULL, 10) : 0;

        if (mhz && mhz < 100000)
            *out[i] = (uint32_t)mhz;
    }
}

static bool read_text(struct source *source,
                      const char *folder,
                      const char *name,
                      size_t limit,
                      char **text)
{
    char *path = xasprintf("%s/%s", folder, name);
    struct err err;
    size_t size;
    bool found = file_exists(path);

    if (found && file_read(text, &size, path, limit, &err) < 0) {
        source_note(&source->notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "%s", err.text);
        found = false;
    }
    free(path);
    return found;
}

void source_range_apply(struct source *source, const char *folder)
{
    char *list, *rest, *line, *frequencies = NULL;
    uint32_t place = 0;

    if (!read_text(source, folder, "output.txt", LIST_BYTES_MAX, &list))
        return;
    read_text(source, folder, "freq.txt", FREQ_BYTES_MAX, &frequencies);
    for (rest = list; (line = strsep(&rest, "\n")); place++) {
        struct source_launch *launch;

        if (!*line && !rest)
            break; /* the text ends with a line feed */
        if (!*line || strcmp(line, "-1") == 0)
            continue; /* a kernel that was not selected */
        launch = find_launch(source, line);
        if (!launch || launch->range) {
            source_note(&source->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                        "range %s: kernel %u, %.100s, %s", folder, (unsigned)place,
                        line, launch ? "is listed twice" : "has no folder");
            continue;
        }
        launch->range = xstrdup(folder);
        launch->range_place = place;
        if (frequencies)
            apply_frequencies(launch, frequencies);
    }
    for (size_t i = 0; i < source->count; i++)
        if (source->launches[i]->range &&
            strcmp(source->launches[i]->range, folder) == 0)
            source->launches[i]->range_count = place;
    free(frequencies);
    free(list);
}

static bool reject(struct source_launch *launch, struct text *bytes, const char *what)
{
    source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "range %s: %s",
                launch->range, what);
    text_clear(bytes);
    return false;
}

bool source_range_cut_counters(struct source_launch *launch, struct text *bytes)
{
    const char *records = text_get(bytes);
    size_t count = bytes->length / PMU_RECORD_BYTES, groups = 0, from = 0, to = 0;

    if (bytes->length % PMU_RECORD_BYTES)
        return reject(launch, bytes, "counters end inside a record");
    for (size_t i = 0; i < count; i++) {
        const char *ids = records + i * PMU_RECORD_BYTES + IDS_AT;

        if (i == 0 || memcmp(ids, ids - PMU_RECORD_BYTES, 4) != 0) {
            if (groups == launch->range_place)
                from = i;
            groups++;
        }
        if (groups == launch->range_place + 1u)
            to = i + 1;
    }
    if (groups != launch->range_count)
        return reject(launch, bytes, "output.txt lists another number of kernels");
    memmove(bytes->bytes, records + from * PMU_RECORD_BYTES,
            (to - from) * PMU_RECORD_BYTES);
    bytes->length = (to - from) * PMU_RECORD_BYTES;
    return true;
}

static uint32_t read_ids(const char *record)
{
    const uint8_t *at = (const uint8_t *)record + IDS_AT;
    uint16_t stream, task;

    pmu_decode_ids(load_u16(at), load_u16(at + 2), &stream, &task);
    return (uint32_t)stream << 16 | task;
}

bool source_range_cut_log(struct source_launch *launch,
                          const struct text *counters,
                          struct text *bytes)
{
    size_t step = task_log_record_bytes(launch->info.chip), kept = 0;

    if (bytes->length % step)
        return reject(launch, bytes, "the task log ends inside a record");
    if (!counters->length)
        return reject(launch, bytes, "without counters the tasks cannot be assigned");
    for (size_t at = 0; at < bytes->length; at += step)
        if (read_ids(bytes->bytes + at) == read_ids(counters->bytes)) {
            memmove(bytes->bytes + kept, bytes->bytes + at, step);
            kept += step;
        }
    bytes->length = kept;
    return true;
}
