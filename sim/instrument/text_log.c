#include "sim/instrument/text_log.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES_MAX                                                                      \
    (1u << 20) /* limit per body of a core; further lines are dropped with a message   \
                */
#define LINE_BYTES  256
#define CACHE_LINE  128u
#define CACHE_LINES 256u /* instruction cache of 32 KiB, direct-mapped */
#define REQUEST     512u
#define REQUESTS                                                                       \
    64u /* maximum requests per transfer; a long transfer has larger ones */

enum file { FILE_ENDED, FILE_POPPED, FILE_CACHE, FILE_TRANSFERS, FILES };

static const char *const endings[FILES] = {
    [FILE_ENDED] = ".instr_log.dump",
    [FILE_POPPED] = ".instr_popped_log.dump",
    [FILE_CACHE] = ".ifu.icache_log.dump",
    [FILE_TRANSFERS] = ".mte_log.dump",
};

struct line {
    uint64_t cycle;
    uint32_t order;
    char text[LINE_BYTES];
};

struct lines {
    struct line *rows;
    uint32_t count, room;
    bool cut;
};

struct text_log {
    uint64_t code_base;
    uint32_t transfers;
    uint64_t cached[CACHE_LINES]; /* line number + 1 */
    struct lines files[FILES];
};

const char *text_log_folder(void)
{
    const char *folder = getenv("CAMODEL_LOG_PATH");

    return folder && *folder ? folder : NULL;
}

struct text_log *text_log_create(uint64_t code_base)
{
    struct text_log *log = calloc(1, sizeof(*log));

    if (log)
        log->code_base = code_base;
    return log;
}

void text_log_destroy(struct text_log *log)
{
    if (!log)
        return;
    for (int i = 0; i < FILES; i++)
        free(log->files[i].rows);
    free(log);
}

static void __attribute__((format(printf, 4, 5)))
add(struct text_log *log, enum file file, uint64_t cycle, const char *format, ...)
{
    struct lines *lines = &log->files[file];
    struct line *grown = lines->rows;
    va_list args;

    if (lines->count == lines->room) {
        uint32_t room = lines->room ? lines->room * 2 : 256;

        if (room <= LINES_MAX)
            grown = realloc(lines->rows, room * sizeof(*grown));
        if (room > LINES_MAX || !grown) {
            lines->cut = true;
            return;
        }
        lines->rows = grown;
        lines->room = room;
    }
    grown = &lines->rows[lines->count];
    grown->cycle = cycle;
    grown->order = lines->count++;
    va_start(args, format);
    vsnprintf(grown->text, sizeof(grown->text), format, args);
    va_end(args);
}

static void fetch(struct text_log *log, uint64_t pc, uint64_t cycle)
{
    uint64_t line = pc / CACHE_LINE;

    if (log->cached[line % CACHE_LINES] == line + 1)
        return;
    log->cached[line % CACHE_LINES] = line + 1;
    add(log, FILE_CACHE, cycle,
        "[info] %" PRIu64 ": icache read address is 0x%" PRIx64
        ", size is 0x%08x, type:1, last:0, status is MISS\n",
        cycle, line * CACHE_LINE, CACHE_LINE);
}

void text_log_instruction(struct text_log *log,
                          uint64_t pc,
                          const char *pipe,
                          const char *name,
                          const char *detail,
                          struct pipeline_time time)
{
    uint32_t binary;

    /* the host's code at that address */
    memcpy(&binary, (const void *)(uintptr_t)(log->code_base + pc), sizeof(binary));
    fetch(log, pc, time.start);
    for (int i = FILE_ENDED; i <= FILE_POPPED; i++) {
        uint64_t cycle = i == FILE_ENDED ? time.end : time.start;

        add(log, (enum file)i, cycle,
            "[info] [%08" PRIu64 "] (PC: 0x%" PRIx64
            ") %-9s: (Binary: 0x%08x) %s  %s\n",
            cycle, pc, pipe, binary, name, detail);
    }
}

static const char *far_side(const struct transfer_view *view)
{
    static const char *const names[] = {"L1", "L0A", "L0B", "L0C", "UB", "BT"};

    return names[view->from == NPU_SIM_GM ? view->to : view->from];
}

void text_log_transfer(struct text_log *log,
                       const struct transfer_view *view,
                       struct pipeline_time time)
{
    bool reads = view->from == NPU_SIM_GM;
    uint64_t size = view->bytes / REQUESTS;
    uint32_t instruction = log->transfers++;
    uint64_t left = view->bytes, count;

    if (!reads && view->to != NPU_SIM_GM)
        return; /* a transfer inside the core sends no request */
    size = size < REQUEST ? REQUEST : (size + REQUEST - 1) / REQUEST * REQUEST;
    count = (left + size - 1) / size;
    add(log, FILE_TRANSFERS, time.start,
        "[info] %" PRIu64 ": <mte.%s%sIF> instr_id: %u, req_id: 0, size: %" PRIu64
        ".\n",
        time.start, far_side(view), reads ? "W" : "R", instruction, view->bytes);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t cycle = time.start + (time.end - time.start) * (i + 1) / count;
        uint64_t bytes = left < size ? left : size;

        add(log, FILE_TRANSFERS, cycle,
            "[info] %" PRIu64 ": <mte.B%sIF> instr_id: %u, req_id: %" PRIu64
            ", size: %" PRIu64 ".\n",
            cycle, reads ? "R" : "W", instruction, i, bytes);
        left -= bytes;
    }
}

static int by_cycle(const void *left, const void *right)
{
    const struct line *a = left, *b = right;

    if (a->cycle != b->cycle)
        return a->cycle < b->cycle ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static void write_file(struct lines *lines, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "a");

    if (!file) {
        fprintf(stderr, "npu_sim: cannot write %s: %m\n", path);
        if (fd >= 0)
            close(fd);
        return;
    }
    qsort(lines->rows, lines->count, sizeof(lines->rows[0]), by_cycle);
    for (uint32_t i = 0; i < lines->count; i++)
        fputs(lines->rows[i].text, file);
    if (lines->cut)
        fprintf(stderr,
                "npu_sim: %s: more than %u lines for one core; dropped the others\n",
                path, LINES_MAX);
    if (fclose(file))
        fprintf(stderr, "npu_sim: cannot write %s: %m\n", path);
}

void text_log_write(struct text_log *log, uint32_t core, const char *part)
{
    char path[4096];

    for (int i = 0; i < FILES; i++) {
        struct lines *lines = &log->files[i];
        const char *dot = i == FILE_TRANSFERS || !*part ? "" : ".";

        if (lines->count == 0)
            continue;
        if (snprintf(path, sizeof(path), "%s/core%u%s%s%s", text_log_folder(), core,
                     dot, i == FILE_TRANSFERS ? "" : part,
                     endings[i]) < (int)sizeof(path))
            write_file(lines, path);
        lines->count = 0;
        lines->cut = false;
    }
    memset(log->cached, 0, sizeof(log->cached));
}
