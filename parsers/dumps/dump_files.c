#include "parsers/dumps/dump_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/format/kinds.h"
#include "parsers/source/source_blocks.h"

enum { PART_BYTES = 201 };

struct restoring {
    const char *folder;
    const struct dump_files_events *events;
    struct record_run_rank rank;
    struct record_simulation simulation;
    bool is_simulation;
    struct record_dump_file file; /* the one that is being written */
    struct file_new *out;         /* NULL: none */
    char *path, *subfolder;
    uint64_t written;
    bool is_broken; /* pieces are missing */
};

/* Reports the first problem of a file. */
static void
problem(struct restoring *restoring, const char *what, uint64_t offset, const char *end)
{
    char text[400];

    if (restoring->is_broken)
        return;
    restoring->is_broken = true;
    snprintf(text, sizeof(text), "dump %.200s: %s %" PRIu64 " of %" PRIu64 " bytes%s",
             restoring->file.name, what, offset, restoring->file.bytes, end);
    restoring->events->on_problem(text, restoring->events->arg);
}

/* Ends the current file, if there is one. */
static int end_file(struct restoring *restoring, struct err *err)
{
    int result = 0;

    if (!restoring->out)
        return 0;
    if (restoring->written < restoring->file.bytes)
        problem(restoring, "the capture has only", restoring->written, "");
    if (restoring->is_broken) {
        file_new_abandon(&restoring->out);
    } else {
        const struct dump_file file = {restoring->path,
                                       restoring->subfolder,
                                       restoring->file.name,
                                       restoring->rank.device_logical,
                                       restoring->file.kind == DUMP_PROFILE,
                                       restoring->is_simulation ? &restoring->simulation
                                                                : NULL};

        result = file_new_commit(&restoring->out, err);
        if (result == 0)
            result = restoring->events->on_file(&file, restoring->events->arg, err);
    }
    free(restoring->path);
    free(restoring->subfolder);
    restoring->path = restoring->subfolder = NULL;
    return result;
}

/* Returns the folder of a file of a profile: the folders of its name, without those
 * that lead upwards. */
static char *folder_of_profile(const char *top, const char *name)
{
    struct text folder = {0};
    char part[PART_BYTES];

    text_printf(&folder, "%s/profile", top);
    for (const char *slash; (slash = strchr(name, '/')); name = slash + 1) {
        char *word = xasprintf("%.*s", (int)(slash - name), name);

        if (*word && strcmp(word, ".") != 0 && strcmp(word, "..") != 0) {
            text_to_path_part(part, sizeof(part), word);
            text_printf(&folder, "/%s", part);
        }
        free(word);
    }
    return text_take(&folder);
}

static int
begin_file(struct restoring *restoring, const uint8_t *record, struct err *err)
{
    struct record_dump_file *file = &restoring->file;
    char host[PART_BYTES], name[PART_BYTES], *top, *folder;
    const char *last;
    int result;

    if (end_file(restoring, err) < 0)
        return -1;
    memcpy(file, record, sizeof(*file));
    file->name[sizeof(file->name) - 1] = '\0';
    last = strrchr(file->name, '/');
    text_to_path_part(host, sizeof(host), restoring->rank.host);
    text_to_path_part(name, sizeof(name), last ? last + 1 : file->name);
    restoring->written = 0;
    restoring->is_broken = false;
    top = xasprintf("%s/device%" PRIu32, host, restoring->rank.device_logical);
    restoring->subfolder =
        file->kind == DUMP_PROFILE ? folder_of_profile(top, file->name)
        : restoring->is_simulation ? xasprintf("%s/simulator/logs", top)
                                   : xasprintf("%s/dumps/%" PRIu32, top, file->file);
    free(top);
    folder = xasprintf("%s/%s", restoring->folder, restoring->subfolder);
    restoring->path = xasprintf("%s/%s", folder, name);
    result = folder_create(folder, err);
    free(folder);
    return result < 0 ? -1 : file_new_create(&restoring->out, restoring->path, err);
}

static int add_piece(struct restoring *restoring,
                     const uint8_t *record,
                     size_t size,
                     struct err *err)
{
    struct record_dump_piece head;

    memcpy(&head, record, sizeof(head));
    if (!restoring->out || restoring->is_broken)
        return 0;
    if (head.file != restoring->file.file || head.offset != restoring->written ||
        head.bytes > size - sizeof(head) ||
        head.bytes > restoring->file.bytes - restoring->written) {
        problem(restoring, "the piece at", head.offset, " is out of place");
        return 0;
    }
    if (fd_write_all(file_new_fd(restoring->out), record + sizeof(head), head.bytes) <
        0)
        return err_errno(err, "writing %s", restoring->path);
    restoring->written += head.bytes;
    return 0;
}

static void read_simulation(struct restoring *restoring, const uint8_t *record)
{
    struct record_simulation *simulation = &restoring->simulation;

    memcpy(simulation, record, sizeof(*simulation));
    simulation->chip[sizeof(simulation->chip) - 1] = '\0';
    simulation->metrics[sizeof(simulation->metrics) - 1] = '\0';
    simulation->cores[sizeof(simulation->cores) - 1] = '\0';
    simulation->elf[sizeof(simulation->elf) - 1] = '\0';
    restoring->is_simulation = true;
}

static int add_block(const struct capture_block *block, void *arg, struct err *err)
{
    const struct record_kind_row *kind = record_kind_find(block->type);
    struct restoring *restoring = arg;
    const uint8_t *record;
    size_t at = 0, size;
    int result = 0;

    if (!kind)
        return 0;
    while (result == 0 && capture_record_next(block, &at, &record, &size)) {
        if (size < kind->least || (kind->size && size != kind->size))
            continue;
        if (kind->kind == RECORD_RUN_RANK)
            memcpy(&restoring->rank, record, sizeof(restoring->rank));
        else if (kind->kind == RECORD_SIMULATION)
            read_simulation(restoring, record);
        else if (kind->kind == RECORD_DUMP_FILE)
            result = begin_file(restoring, record, err);
        else if (kind->kind == RECORD_DUMP_PIECE)
            result = add_piece(restoring, record, size, err);
    }
    restoring->rank.host[sizeof(restoring->rank.host) - 1] = '\0';
    return result;
}

int dump_files_restore(const char *capture,
                       uint64_t run_id,
                       uint32_t rank,
                       const char *folder,
                       const struct dump_files_events *events,
                       struct err *err)
{
    struct restoring restoring = {.folder = folder, .events = events};
    int result = source_each_block(capture, run_id, rank, add_block, &restoring, err);

    if (result == 0)
        result = end_file(&restoring, err);
    if (restoring.out)
        file_new_abandon(&restoring.out);
    free(restoring.path);
    free(restoring.subfolder);
    return result;
}
