#include "worker/spool/result_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/wire/messages.h"
#include "worker/spool/result_slots.h"

enum { RETRY_MS = 500, FILE_MAX = 64 * 1024 };
enum { FLAG_INJECTED = 1, FLAG_CARD_FAULT = 2 }; /* last number of a result file */

struct stored_result {
    struct msg_rank_result result; /* its texts point to the two buffers below */
    char status[32];
    char reason[RESULT_REASON_MAX];
    uint64_t sent_ms; /* monotonic; 0: never */
};

struct result_store {
    char folder[PATH_MAX - 64];
    struct stored_result **items;
    size_t count, room, unsent;
    struct text text; /* buffer for the file that is written */
    struct result_slots *slots;
};

static void result_path(char out[PATH_MAX],
                        const struct result_store *results,
                        uint64_t run_id,
                        uint64_t rank)
{
    snprintf(out, PATH_MAX, "%s/%" PRIu64 "-%" PRIu64, results->folder, run_id, rank);
}

static bool parse_result(struct stored_result *stored, const char *bytes)
{
    struct msg_rank_result *result = &stored->result;
    int flags = 0, at = 0;
    bool good =
        sscanf(bytes,
               "%31s %" SCNd64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64 " %d\n%n",
               stored->status, &result->exit_code, &result->signal, &result->launches,
               &result->groups, &result->blocks, &result->started_wall_ns,
               &result->ended_wall_ns, &flags, &at) == 9 &&
        at > 0;
    if (good)
        snprintf(stored->reason, sizeof(stored->reason), "%s", bytes + at);
    result->injected = flags & FLAG_INJECTED;
    result->card_fault = flags & FLAG_CARD_FAULT;
    return good;
}

static bool read_file(struct stored_result *stored, const char *path)
{
    struct err ignored;
    char *bytes;
    size_t size;

    if (file_read(&bytes, &size, path, FILE_MAX, &ignored) < 0)
        return false;
    bool good = parse_result(stored, bytes);
    free(bytes);
    return good;
}

static void add(struct result_store *results, struct stored_result *stored)
{
    stored->result.status = stored->status;
    stored->result.reason = stored->reason;
    if (results->count == results->room) {
        results->room = results->room ? 2 * results->room : 8;
        results->items = xreallocarray(results->items, results->room,
                                       sizeof(struct stored_result *));
    }
    results->items[results->count++] = stored;
    results->unsent++;
}

/* Reads one file. A file that cannot be read was cut off while it was written, so its
 * result was never sent, and it is removed. */
static void find_result(struct result_store *results, const char *name)
{
    struct stored_result *stored = xcalloc(1, sizeof(*stored));
    char path[PATH_MAX], again[64];

    snprintf(path, sizeof(path), "%s/%.63s", results->folder, name);
    if (sscanf(name, "%" SCNu64 "-%" SCNu64, &stored->result.run_id,
               &stored->result.rank) == 2) {
        snprintf(again, sizeof(again), "%" PRIu64 "-%" PRIu64, stored->result.run_id,
                 stored->result.rank);
        if (strcmp(again, name) == 0 && read_file(stored, path)) {
            add(results, stored);
            return;
        }
    }
    unlink(path);
    free(stored);
}

static void find_in_slot(void *arg, uint64_t run_id, uint64_t rank, const char *text)
{
    struct result_store *results = arg;
    struct stored_result *stored = xcalloc(1, sizeof(*stored));

    stored->result.run_id = run_id;
    stored->result.rank = rank;
    if (parse_result(stored, text))
        add(results, stored);
    else
        free(stored);
}

int result_store_open(struct result_store **out,
                      const char *spool_folder,
                      struct err *err)
{
    struct result_store *results = xcalloc(1, sizeof(*results));
    struct dirent *entry;
    DIR *dir;

    if (snprintf(results->folder, sizeof(results->folder), "%s/results",
                 spool_folder) >= (int)sizeof(results->folder)) {
        err_set(err, ERR_INPUT, "spool path %s is too long; pass a shorter --spool",
                spool_folder);
        goto fail;
    }
    if (folder_create(results->folder, err) < 0)
        goto fail;
    dir = opendir(results->folder);
    if (!dir) {
        err_errno(err, "reading %s", results->folder);
        goto fail;
    }
    while ((entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            find_result(results, entry->d_name);
    closedir(dir);
    if (result_slots_open(&results->slots, spool_folder, err) < 0)
        goto fail;
    result_slots_each(results->slots, find_in_slot, results);
    *out = results;
    return 0;

fail:
    result_store_close(results);
    return -1;
}

void result_store_close(struct result_store *results)
{
    if (!results)
        return;
    for (size_t i = 0; i < results->count; i++)
        free(results->items[i]);
    free(results->items);
    result_slots_close(results->slots);
    text_clear(&results->text);
    free(results);
}

int result_store_save(struct result_store *results,
                      const struct msg_rank_result *result,
                      bool sync,
                      struct err *err)
{
    int flags = (result->injected ? FLAG_INJECTED : 0) |
                (result->card_fault ? FLAG_CARD_FAULT : 0);
    char path[PATH_MAX];

    result_path(path, results, result->run_id, result->rank);
    text_reset(&results->text);
    text_printf(&results->text,
                "%s %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                " %" PRIu64 " %" PRIu64 " %d\n%s",
                result->status, result->exit_code, result->signal, result->launches,
                result->groups, result->blocks, result->started_wall_ns,
                result->ended_wall_ns, flags, result->reason);
    if (sync)
        return file_write(path, text_get(&results->text), results->text.length, err);

    if (result_slots_put(results->slots, result->run_id, result->rank,
                         text_get(&results->text)))
        return 0;

    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
    if (fd < 0)
        return err_errno(err, "creating %s", path);
    int done = fd_write_all(fd, text_get(&results->text), results->text.length);
    if (done < 0) {
        err_errno(err, "writing %s", path);
        unlink(path);
    }
    close(fd);
    return done;
}

void result_store_add(struct result_store *results,
                      const struct msg_rank_result *result)
{
    struct stored_result *stored = xcalloc(1, sizeof(*stored));

    stored->result = *result;
    snprintf(stored->status, sizeof(stored->status), "%s", result->status);
    snprintf(stored->reason, sizeof(stored->reason), "%s",
             result->reason ? result->reason : "");
    add(results, stored);
}

static size_t find(const struct result_store *results, uint64_t run_id, uint64_t rank)
{
    size_t i = 0;

    while (i < results->count && (results->items[i]->result.run_id != run_id ||
                                  results->items[i]->result.rank != rank))
        i++;
    return i;
}

static void remove_item(struct result_store *results, size_t at)
{
    results->unsent -= results->items[at]->sent_ms == 0;
    free(results->items[at]);
    results->count--;
    memmove(&results->items[at], &results->items[at + 1],
            (results->count - at) * sizeof(struct stored_result *));
}

bool result_store_take(struct result_store *results,
                       uint64_t run_id,
                       uint64_t rank,
                       struct msg_rank_result *result,
                       char reason[RESULT_REASON_MAX])
{
    size_t at = find(results, run_id, rank);
    enum rank_status status;

    if (at == results->count)
        return false;
    *result = results->items[at]->result;
    if (!rank_status_parse(result->status, &status))
        status = RANK_FAILED;
    result->status = rank_status_word(status);
    memcpy(reason, results->items[at]->reason, RESULT_REASON_MAX);
    result->reason = reason;
    remove_item(results, at);
    return true;
}

void result_store_send(struct result_store *results,
                       bool resend,
                       result_store_fn *fn,
                       void *arg)
{
    uint64_t now = results->count > 0 ? clock_mono_ms() : 0;

    for (size_t i = 0; i < results->count; i++) {
        struct stored_result *stored = results->items[i];
        bool due = resend || stored->sent_ms == 0 || now - stored->sent_ms >= RETRY_MS;

        if (!due || !fn(arg, &stored->result))
            continue;
        results->unsent -= stored->sent_ms == 0;
        stored->sent_ms = now;
    }
}

bool result_store_ack(struct result_store *results, uint64_t run_id, uint64_t rank)
{
    size_t at = find(results, run_id, rank);
    char path[PATH_MAX];

    if (at == results->count)
        return false;
    if (!result_slots_drop(results->slots, run_id, rank)) {
        result_path(path, results, run_id, rank);
        unlink(path);
    }
    remove_item(results, at);
    return true;
}

bool result_store_has(const struct result_store *results,
                      uint64_t run_id,
                      uint64_t rank)
{
    return find(results, run_id, rank) < results->count;
}

size_t result_store_unsent(const struct result_store *results)
{
    return results->unsent;
}

size_t result_store_count(const struct result_store *results)
{
    return results->count;
}

uint64_t result_store_run_id(const struct result_store *results, size_t at)
{
    return results->items[at]->result.run_id;
}
