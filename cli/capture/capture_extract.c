#include "cli/capture/capture_extract.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/capture/capture_extract_detail.h"
#include "cli/capture/capture_files.h"
#include "cli/capture/extract_cores.h"
#include "cli/capture/extract_info.h"
#include "cli/capture/extract_launches.h"
#include "cli/capture/extract_range.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/format/channels.h"
#include "lib/capture/format/kinds.h"
#include "lib/capture/format/records.h"
#include "lib/capture/format/report.h"
#include "parsers/source/launch_selection.h"

static const uint64_t FILE_LIMIT = (uint64_t)1 << 30; /* limit of the vendor's tool */

enum { FIRST_RANK = -1 };

struct extract {
    struct extract_launches launches;
    uint64_t run_id;
    bool has_run_id;   /* false until the first block, when it selects the attempt */
    int64_t rank;      /* FIRST_RANK until the first block of the attempt */
    int64_t last_rank; /* rank of the attempt's latest block; FIRST_RANK: no block */
    struct text ranks; /* all ranks of the attempt, for an error: 0, 1, 3 */
    bool has_rank;     /* the attempt has a block of `rank` */
    struct record_run_clock clock; /* the last clock record */
    struct capture_extract_detail *detail;
};

static int write_piece(const char *path,
                       const struct record_channel_bytes *head,
                       const uint8_t *bytes,
                       bool truncate,
                       struct err *err)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (truncate ? O_TRUNC : 0);
    int fd = open(path, flags, FILE_MODE), result = 0;

    if (fd < 0)
        return err_errno(err, "opening %s", path);
    if (lseek(fd, (off_t)head->offset, SEEK_SET) < 0 ||
        fd_write_all(fd, bytes, head->bytes) < 0)
        result = err_errno(err, "writing %s", path);
    close(fd);
    return result;
}

/* Appends to a file that holds the data of all passes or reports. */
static int append(const struct extract_launch *launch,
                  const char *name,
                  const uint8_t *bytes,
                  size_t size,
                  struct err *err)
{
    char path[PATH_MAX];
    int fd, result = 0;

    snprintf(path, sizeof(path), "%s/%s", launch->folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, FILE_MODE);
    if (fd < 0)
        return err_errno(err, "opening %s", path);
    if (fd_write_all(fd, bytes, size) < 0)
        result = err_errno(err, "writing %s", path);
    close(fd);
    return result;
}

static int add_bytes(struct extract *extract,
                     uint32_t shard,
                     const uint8_t *record,
                     size_t size,
                     struct err *err)
{
    struct record_channel_bytes head;
    struct extract_launch *launch;
    char path[PATH_MAX];
    bool truncate = false;

    memcpy(&head, record, sizeof(head));
    if (head.bytes > size - sizeof(head))
        return err_set(err, ERR_INPUT,
                       "channel.bytes record has fewer than the %" PRIu32
                       " bytes that its header announces; run 'muster capture verify'",
                       head.bytes);
    if (head.offset > FILE_LIMIT || head.bytes > FILE_LIMIT - head.offset)
        return err_set(err, ERR_LIMIT,
                       "the data of a channel exceeds the limit of 1 GiB per file");
    launch = extract_launches_find(&extract->launches, shard, head.launch);
    if (!launch)
        return err_set(err, ERR_INPUT,
                       "data of launch %" PRIu64
                       " without a launch record; run 'muster "
                       "capture verify'",
                       head.launch);
    if (!launch->folder)
        return 0;
    if (channel_is_counters(head.channel)) {
        snprintf(path, sizeof(path), "%s/DeviceProf%" PRIu32 ".bin", launch->folder,
                 head.pass);
    } else if (head.channel == CHANNEL_L2) {
        snprintf(path, sizeof(path), "%s/L2Cache.bin", launch->folder);
    } else if (channel_is_task_log(head.channel) && head.pass != PLAIN_PASS_NUMBER &&
               head.pass >= launch->log_pass) {
        snprintf(path, sizeof(path), "%s/duration.bin", launch->folder);
        truncate = head.pass > launch->log_pass;
        launch->log_pass = head.pass;
    } else if (head.channel == CHANNEL_AI_CPU) {
        return append(launch, "aicpu.bin", record + sizeof(head), head.bytes, err);
    } else if (channel_is_core(head.channel)) {
        return extract_core_bytes(launch->folder, &head, record + sizeof(head), err);
    } else {
        return 0;
    }
    return write_piece(path, &head, record + sizeof(head), truncate, err);
}

static int add_report(struct extract *extract,
                      uint32_t shard,
                      const uint8_t *record,
                      struct err *err)
{
    struct record_report report;
    struct extract_launch *launch;
    const uint8_t *stamps;
    size_t size;

    memcpy(&report, record, sizeof(report));
    launch = extract_launches_find(&extract->launches, shard, report.launch);
    size = report_stamps(&report, &stamps);
    return launch && launch->folder && size
               ? append(launch, "aic_timestamp.bin", stamps, size, err)
               : 0;
}

/* Adds a line with the events of a pass, because the counter files do not name them. */
static void add_list(struct extract_launch *launch,
                     const struct record_pass *pass,
                     const char *kind,
                     const uint16_t *events)
{
    text_printf(&launch->lists, "Pass %" PRIu32 " %s=", pass->pass, kind);
    for (uint32_t i = 0; i < pass->event_count && i < RECORD_EVENTS_MAX; i++)
        text_printf(&launch->lists, "%s%u", i ? " " : "", events[i]);
    text_add_char(&launch->lists, '\n');
}

/* Adds a record of an instrumented launch. Records of unknown launches are skipped. */
static int add_detail(struct extract *extract,
                      uint32_t shard,
                      enum record_kind kind,
                      const uint8_t *record,
                      size_t size,
                      struct err *err)
{
    struct record_file_piece piece;
    struct record_launch_code code;
    struct extract_launch *launch;

    if (kind == RECORD_KERNEL_BINARY && size >= sizeof(struct record_kernel_binary))
        return extract_binary(extract->detail, record, size, err);
    if (kind == RECORD_FILE_PIECE && size >= sizeof(piece)) {
        memcpy(&piece, record, sizeof(piece));
        launch = extract_launches_find(&extract->launches, shard, piece.launch);
        return launch && launch->folder
                   ? extract_piece(extract->detail, launch->folder, record, size, err)
                   : 0;
    }
    if (kind == RECORD_LAUNCH_CODE && size == sizeof(code)) {
        memcpy(&code, record, sizeof(code));
        launch = extract_launches_find(&extract->launches, shard, code.launch);
        return launch && launch->folder
                   ? extract_code(extract->detail, launch->folder, record, err)
                   : 0;
    }
    return 0;
}

static int add_record(struct extract *extract,
                      const struct capture_block *block,
                      const uint8_t *record,
                      size_t size,
                      struct err *err)
{
    const struct record_kind_row *kind = record_kind_find(block->type);
    uint32_t shard = block->head.shard;
    struct record_pass pass;
    struct extract_launch *launch;

    if (strcmp(block->type, "launch") == 0 && size == sizeof(struct record_launch))
        return extract_launches_add(&extract->launches, shard, record, err);
    if (strcmp(block->type, "range.launch") == 0 &&
        size == sizeof(struct record_range_launch))
        return extract_launches_add_inner(&extract->launches, shard, record, err);
    if (strcmp(block->type, "channel.bytes") == 0 &&
        size >= sizeof(struct record_channel_bytes))
        return add_bytes(extract, shard, record, size, err);
    if (strcmp(block->type, "report.envelope") == 0 &&
        size == sizeof(struct record_report))
        return add_report(extract, shard, record, err);
    if (kind && kind->kind >= RECORD_FILE_PIECE && kind->kind <= RECORD_LAUNCH_CODE)
        return add_detail(extract, shard, kind->kind, record, size, err);
    if (strcmp(block->type, "run.clock") == 0 && size == sizeof(extract->clock)) {
        memcpy(&extract->clock, record, sizeof(extract->clock));
        extract->clock.soc[sizeof(extract->clock.soc) - 1] = '\0';
    }
    if (strcmp(block->type, "pass") == 0 && size == sizeof(pass)) {
        memcpy(&pass, record, sizeof(pass));
        launch = extract_launches_find(&extract->launches, shard, pass.launch);
        if (launch && pass.core_mhz)
            launch->core_mhz = pass.core_mhz;
        if (launch && pass.kind == PASS_COUNTERS) {
            add_list(launch, &pass, "Aic", pass.aic_events);
            add_list(launch, &pass, "Aiv", pass.aiv_events);
        }
    }
    return 0;
}

/* Returns true when the block is of the rank to extract. */
static bool select_block(struct extract *extract, const struct capture_block_head *head)
{
    int64_t rank = head->shard >> 16;

    if (!extract->has_run_id) {
        extract->run_id = head->run_id;
        extract->has_run_id = true;
    }
    if (head->run_id != extract->run_id)
        return false;
    if (rank != extract->last_rank) /* the blocks are sorted by rank */
        text_printf(&extract->ranks, "%s%" PRId64, extract->ranks.length ? ", " : "",
                    rank);
    extract->last_rank = rank;
    if (extract->rank == FIRST_RANK)
        extract->rank = rank;
    if (rank != extract->rank)
        return false;
    extract->has_rank = true;
    return true;
}

static int report_unknown_rank(const struct extract *extract, struct err *err)
{
    enum { LIST_MAX = 80 }; /* the path and the reason must fit into the error, too */

    return err_set(err, ERR_NOT_FOUND,
                   "attempt %" PRIu64 " has no rank %" PRId64 "; its ranks are %.*s%s",
                   extract->run_id, extract->rank, (int)LIST_MAX,
                   text_get(&extract->ranks),
                   extract->ranks.length > LIST_MAX ? " ..." : "");
}

static int add_block(const struct capture_block *block, void *arg, struct err *err)
{
    struct extract *extract = arg;
    const uint8_t *record;
    size_t at = 0, size;

    if (!block->verified || !block->has_texts || !select_block(extract, &block->head))
        return 0;
    while (capture_record_next(block, &at, &record, &size))
        if (add_record(extract, block, record, size, err) < 0)
            return err_wrap(err, "block %" PRIu32 " of shard %08" PRIx32,
                            block->head.number, block->head.shard);
    return 0;
}

static int report_selection(const struct extract *extract, struct err *err)
{
    return launch_selection_fail(extract->launches.selection,
                                 text_get(&extract->launches.skipped), err);
}

/* Writes what is known only after the last block. */
static int finish(struct extract *extract, const char *path, struct err *err)
{
    struct extract_launches *launches = &extract->launches;

    if (extract->has_run_id && extract->ranks.length == 0)
        return err_set(err, ERR_NOT_FOUND,
                       "the capture has no attempt %" PRIu64
                       "; 'muster capture ls' lists the attempts",
                       extract->run_id);
    if (extract->ranks.length > 0 && !extract->has_rank)
        return report_unknown_rank(extract, err);
    if (launches->skipped.length > 0 && launches->written == 0)
        return report_selection(extract, err);
    for (size_t i = 0; i < launches->count; i++) {
        struct extract_launch *launch = &launches->items[i];

        if (launch->range) {
            const struct extract_launch *range = &launches->items[launch->range - 1];

            launch->core_mhz = range->core_mhz;
            text_add(&launch->lists, text_get(&range->lists));
        }
        if (launch->folder && extract_info_write(launch, &extract->clock, err) < 0)
            return -1;
    }
    return extract_range_write(launches, path, extract->run_id, (uint32_t)extract->rank,
                               err);
}

int capture_extract(const char *path,
                    const char *folder,
                    const struct capture_extract_choice *choice,
                    uint64_t *launches,
                    struct err *err)
{
    struct extract extract = {
        .launches = {.folder = folder, .selection = choice->launch},
        .run_id = choice->run_id,
        .has_run_id = choice->run_id != 0,
        .rank = choice->rank,
        .last_rank = FIRST_RANK,
    };
    uint64_t problems;
    int result;

    extract.detail = capture_extract_detail_create();
    result = capture_each_block(path, add_block, NULL, &problems, &extract, err);
    if (result == 0)
        result = finish(&extract, path, err);
    *launches = extract.launches.written;
    capture_extract_detail_destroy(extract.detail);
    extract_launches_clear(&extract.launches);
    text_clear(&extract.ranks);
    return result < 0 ? err_wrap(err, "extracting %s", path) : 0;
}
