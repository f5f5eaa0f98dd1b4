/* source_folder.c - opens a source in a folder that the vendor's tool wrote */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/capture/format/format.h"
#include "parsers/source/source_detail.h"
#include "parsers/source/source_launches.h"
#include "parsers/source/source_range.h"
#include "parsers/source/source_transfers.h"

enum {
    DEPTH_MAX = 5, /* the folder of a run, its device, kernel, launch and dump */
    ENTRIES_MAX = 100000,
    PATH_BYTES = 4096,
};
static const size_t FILE_BYTES_MAX = (size_t)1 << 30;
static const size_t INFO_BYTES_MAX = (size_t)1 << 20;

/* Reads a file. Returns false when it is missing, and false with a note when it exists
 * and cannot be read. */
static bool read_into(struct source_launch *launch,
                      const char *folder,
                      const char *name,
                      struct text *out)
{
    char path[PATH_BYTES];
    struct err err;
    char *bytes;
    size_t size;

    if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
        return false;
    if (file_read(&bytes, &size, path, FILE_BYTES_MAX, &err) < 0) {
        if (err.code != ERR_NOT_FOUND)
            source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "%s", err.text);
        return false;
    }
    if (size == 0)
        source_note(&launch->notes, SOURCE_REMARK, SOURCE_NO_BLOCK, "%s is empty",
                    name);
    *out = (struct text){.bytes = bytes, .length = size, .room = size + 1};
    return true;
}

/* Reads NAME.0, NAME.1 and so on up to the first missing number, and joins them. */
static void read_pieces(struct source_launch *launch,
                        const char *folder,
                        const char *name,
                        struct text *out)
{
    for (unsigned i = 0;; i++) {
        struct text piece = {0};
        char numbered[40];

        snprintf(numbered, sizeof(numbered), "%s.%u", name, i);
        if (!read_into(launch, folder, numbered, &piece))
            return;
        if (piece.length > FILE_BYTES_MAX - out->length) {
            source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                        "%s left out: the files have more than 1 GiB", numbered);
            text_clear(&piece);
            return;
        }
        text_add_bytes(out, piece.bytes, piece.length);
        text_clear(&piece);
    }
}

/* Reads the hexadecimal number in a file. Returns false when there is none. */
static bool read_number(struct source_launch *launch,
                        const char *folder,
                        const char *name,
                        uint64_t *number)
{
    struct text text = {0};
    bool found = read_into(launch, folder, name, &text);
    char *end;

    if (found) {
        errno = 0;
        *number = strtoull(text_get(&text), &end, 16);
        found = end != text_get(&text) && !errno;
    }
    text_clear(&text);
    return found;
}

/* Builds the folder of the kernel's first launch, which has the compiler's files. */
static void first_dump(const char *folder, char out[PATH_BYTES])
{
    const char *end = folder + strlen(folder);
    int parts = 0;

    while (end > folder && (end[-1] != '/' || ++parts < 2))
        end--;
    snprintf(out, PATH_BYTES, "%.*s0/dump", (int)(end - folder), folder);
}

static bool read_regions(struct source_launch *launch, const char *folder)
{
    bool has_map = read_into(launch, folder, "dfx_region_map.txt", &launch->regions);

    return read_into(launch, folder, "dfx_tune.log", &launch->tune_log) || has_map;
}

/* Reads the files that only a 950 has. */
static void read_instruction_profile(struct source_launch *launch, const char *folder)
{
    struct text offset = {0};
    char first[PATH_BYTES];

    read_pieces(launch, folder, "timeline.bin", &launch->pipes);
    first_dump(folder, first);
    launch->marks_instructions = read_regions(launch, folder) ||
                                 (launch->pipes.length && read_regions(launch, first));
    read_pieces(launch, folder, "pcSampling.bin", &launch->pc_samples);
    read_into(launch, folder, "WarpTimeline.bin", &launch->warps);
    read_into(launch, folder, "OperandRecord.bin", &launch->operands);
    read_into(launch, folder, "lrm.bin", &launch->registers);
    if (!read_number(launch, folder, "pc_start_pcsampling.txt", &launch->pc_start))
        read_number(launch, folder, "pc_start_addr.txt", &launch->pc_start);
    if (read_into(launch, folder, "PcOffset.bin", &offset) && offset.length == 8)
        launch->pc_offset = load_u64(offset.bytes);
    text_clear(&offset);
}

/* Reads the first file, by name, that is called kernel*CONTAINS*; for example
 * kernel<R>.extra.<L>. */
static void read_first(struct source_launch *launch,
                       const char *folder,
                       const char *contains,
                       struct text *out)
{
    DIR *entries = opendir(folder);
    char first[256] = "";
    struct dirent *entry;

    while (entries && (entry = readdir(entries)))
        if (strncmp(entry->d_name, "kernel", 6) == 0 &&
            strstr(entry->d_name, contains) &&
            (!*first || strverscmp(entry->d_name, first) < 0))
            snprintf(first, sizeof(first), "%s", entry->d_name);
    if (entries)
        closedir(entries);
    if (*first)
        read_into(launch, folder, first, out);
}

/* Reads the files of instrumented launches. */
static void
read_detail(struct source *source, struct source_launch *launch, const char *folder)
{
    struct text code = {0};

    source_find_chart(launch, folder);
    read_into(launch, folder, "fdata", &launch->block_table);
    read_first(launch, folder, ".extra.", &launch->block_counts);
    read_first(launch, folder, ".bbbmap.", &launch->block_map);
    if (launch->block_table.length || launch->block_map.length)
        launch->metrics |= METRIC_SOURCE;
    if (read_into(launch, folder, "aicore_binary.o", &code))
        source_give_binary(source, launch, &code);
    if (launch->pc_start == 0)
        read_number(launch, folder, "pc_start_addr.txt", &launch->pc_start);
}

/* Reads "Pass 3 Aic=9 10 12": the events of pass 3 on the cube cores. */
static bool read_events(struct counter_schedule *schedule, const char *line)
{
    unsigned number;
    char kind[4];
    int at = 0;

    if (sscanf(line, "Pass %u %3[A-Za-z]=%n", &number, kind, &at) != 2 || at == 0 ||
        number == 0 || number > COUNTER_SCHEDULE_PASSES_MAX)
        return false;
    struct counter_schedule_pass *pass = &schedule->passes[number - 1];
    uint16_t *events = strcmp(kind, "Aiv") == 0 ? pass->aiv : pass->aic;
    const char *word = line + at;

    for (size_t i = 0; i < COUNTER_SCHEDULE_SLOTS_MAX; i++) {
        char *end;
        unsigned long event = strtoul(word, &end, 10);

        if (end == word || event > UINT16_MAX)
            break;
        events[i] = (uint16_t)event;
        word = end;
    }
    if (number > schedule->pass_count)
        schedule->pass_count = number;
    return true;
}

/* Reads the metrics and the events of each pass. muster adds such lines to
 * op_basic_info.txt. The vendor's tool writes none, and always runs the full schedule.
 */
static int read_schedule(struct source_launch *launch,
                         char *text,
                         struct counter_schedule *schedule,
                         struct err *err)
{
    char *rest = text, *line;

    *schedule = (struct counter_schedule){0};
    while ((line = strsep(&rest, "\n"))) {
        if (strncmp(line, "Metrics=", 8) == 0 &&
            metric_parse(line + 8, &launch->metrics, err) < 0)
            return -1;
        read_events(schedule, line);
    }
    return schedule->pass_count
               ? 0
               : counter_schedule_full(launch->info.chip, schedule, err);
}

static void read_passes(struct source_launch *launch, const char *folder, char *text)
{
    const char *counter_folder = launch->range ? launch->range : folder;
    struct text links = {0};
    struct counter_schedule full;
    struct err err;

    if (read_schedule(launch, text, &full, &err) < 0) {
        source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "%s", err.text);
        return;
    }
    launch->complete = true;
    for (size_t i = 0; i < full.pass_count; i++) {
        struct source_pass *pass = source_launch_pass(launch, (uint32_t)i + 1);
        char name[40];

        pass->events = full.passes[i];
        pass->has_events = true;
        snprintf(name, sizeof(name), "DeviceProf%zu.bin", i + 1);
        if (!read_into(launch, counter_folder, name, &pass->counters)) {
            source_note(&launch->notes, SOURCE_REMARK, SOURCE_NO_BLOCK, "%s is missing",
                        name);
            launch->complete = false;
        } else if (launch->range &&
                   !source_range_cut_counters(launch, &pass->counters)) {
            launch->complete = false;
        }
    }
    struct source_pass *last = &launch->passes[launch->pass_count - 1];
    if (!read_into(launch, counter_folder, "duration.bin", &last->task_log)) {
        source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "duration.bin is missing");
        launch->complete = false;
    } else if (launch->range &&
               !source_range_cut_log(launch, &launch->passes[0].counters,
                                     &last->task_log)) {
        launch->complete = false;
    }
    read_into(launch, folder, "L2Cache.bin", &launch->l2);
    read_into(launch, folder, "aic_timestamp.bin", &launch->stamps);
    read_into(launch, folder, "aicpu.bin", &launch->ai_cpu);
    if (read_into(launch, folder, "hccs.bin", &links))
        source_note(&launch->notes, SOURCE_REMARK, SOURCE_NO_BLOCK,
                    "hccs.bin not read: its layout is not published (%zu bytes)",
                    links.length);
    text_clear(&links);
    if (launch->info.chip == CHIP_A5)
        read_instruction_profile(launch, folder);
}

static int
read_info_file(const char *folder, char **text, size_t *size, struct err *err)
{
    char path[PATH_BYTES];

    if ((size_t)snprintf(path, sizeof(path), "%s/op_basic_info.txt", folder) >=
        sizeof(path))
        return err_set(err, ERR_LIMIT, "%s: path is longer than %d bytes", folder,
                       PATH_BYTES);
    return file_read(text, size, path, INFO_BYTES_MAX, err);
}

/* Adds a launch and reads its facts. load() reads its bytes. */
static void read_dump(struct source *source, const char *folder)
{
    struct source_launch *launch = source_add_launch(source);
    struct err err;
    char *text = NULL;
    size_t size = 0, unknown_lines = 0;

    launch->launch = source->count;
    launch->folder = xstrdup(folder);
    launch->metrics = METRIC_TABLES | METRIC_ROOFLINE;
    if (read_info_file(folder, &text, &size, &err) < 0) {
        source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "%s", err.text);
        return;
    }
    if (op_info_parse(&launch->info, text, size, &unknown_lines, &err) < 0) {
        source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "op_basic_info.txt: %s", err.text);
    } else {
        launch->has_chip = true;
        if (launch->info.chip != CHIP_310P) /* its cores lack the counters */
            launch->metrics |= METRIC_OCCUPANCY;
        snprintf(launch->kernel, sizeof(launch->kernel), "%s", launch->info.name);
    }
    if (unknown_lines)
        source_note(&launch->notes, SOURCE_REMARK, SOURCE_NO_BLOCK,
                    "op_basic_info.txt: %zu lines not understood", unknown_lines);
    free(text);
}

/* Reads all files of a launch, including the code of its kernel. */
static void load(struct source *source, struct source_launch *launch)
{
    struct err err;
    char *text = NULL;
    size_t size = 0;

    if (!launch->has_chip)
        return;
    if (read_info_file(launch->folder, &text, &size, &err) < 0) {
        source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "%s", err.text);
        return;
    }
    read_passes(launch, launch->folder, text);
    read_detail(source, launch, launch->folder);
    free(text);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool is_folder(const char *path)
{
    struct stat facts;

    return lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Keeps the folder of a range, NUL-terminated, for apply_ranges(). The search may find
 * the kernels of the range later. */
static void add_range(struct text *ranges, const char *folder)
{
    text_add_bytes(ranges, folder, strlen(folder) + 1);
}

static void apply_ranges(struct source *source, const struct text *ranges)
{
    for (size_t at = 0; at < ranges->length; at += strlen(ranges->bytes + at) + 1)
        source_range_apply(source, ranges->bytes + at);
}

/* Finds all dump folders, depth first and sorted by name with 10 after 9, so that the
 * launches are in the order of their execution. */
static int search(struct source *source,
                  struct text *ranges,
                  const char *folder,
                  int depth,
                  struct err *err)
{
    struct dirent **entries;
    char path[PATH_BYTES];
    int count = scandir(folder, &entries, is_visible, compare_names);
    int result = 0;

    if (count < 0)
        return err_errno(err, "reading folder %s", folder);
    if (count > ENTRIES_MAX)
        result =
            err_set(err, ERR_LIMIT, "folder %s has %d entries, at most %d are read",
                    folder, count, ENTRIES_MAX);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;

        if (result == 0 && (size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) <
                               sizeof(path)) {
            if (strcmp(name, "op_basic_info.txt") == 0)
                read_dump(source, folder);
            else if (strcmp(name, "output.txt") == 0)
                add_range(ranges, folder);
            else if (depth < DEPTH_MAX && is_folder(path))
                result = search(source, ranges, path, depth + 1, err);
        }
        free(entries[i]);
    }
    free(entries);
    return result;
}

/* Counts the launches of each kernel and device; a flat folder does not name them. */
static void number_orders(struct source *source)
{
    for (size_t i = 0; i < source->count; i++) {
        struct source_launch *launch = source->launches[i];

        for (size_t k = 0; k < i; k++)
            if (source->launches[k]->info.device == launch->info.device &&
                strcmp(source->launches[k]->kernel, launch->kernel) == 0)
                launch->order++;
    }
}

int source_open_folder(struct source **out, const char *path, struct err *err)
{
    struct source *source = source_create();
    struct text ranges = {0};
    int result;

    snprintf(source->host, sizeof(source->host), "local");
    result = search(source, &ranges, path, 0, err);
    if (result == 0 && !source->count)
        result =
            err_set(err, ERR_NOT_FOUND,
                    "no op_basic_info.txt within %d folders below %s", DEPTH_MAX, path);
    if (result == 0) {
        number_orders(source);
        apply_ranges(source, &ranges);
        source->origin.load = load;
        *out = source;
    } else {
        source_destroy(source);
    }
    text_clear(&ranges);
    return result;
}

int source_read_folder(struct source **out, const char *path, struct err *err)
{
    if (source_open_folder(out, path, err) < 0)
        return -1;
    source_load_all(*out);
    return 0;
}
