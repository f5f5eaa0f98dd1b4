#include "worker/spool/result_slots.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"

/* `used` is set last and cleared first, so that a slot with used == 1 is complete even
 * when the worker was killed during a write. */
struct slot {
    _Atomic uint64_t used;
    uint64_t run_id, rank;
    char text[SLOT_BYTES - 3 * sizeof(uint64_t)];
};
static_assert(sizeof(struct slot) == SLOT_BYTES, "a slot has SLOT_BYTES");

struct result_slots {
    struct slot *all;
    /* Where the next searches start; results mostly leave in order. */
    size_t put_at, drop_at;
};

int result_slots_open(struct result_slots **out, const char *folder, struct err *err)
{
    struct result_slots *slots;
    char path[PATH_MAX];
    void *memory;
    int fd;

    snprintf(path, sizeof(path), "%s/results.slots", folder);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, FILE_MODE);
    /* Allocates the whole file: on a full disk, a later write to the mapping would end
     * the worker with SIGBUS. */
    if (fd < 0 || ftruncate(fd, RESULT_SLOTS * SLOT_BYTES) < 0 ||
        (errno = posix_fallocate(fd, 0, RESULT_SLOTS * SLOT_BYTES)) != 0) {
        err_errno(err, "creating result slots %s", path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    memory = mmap(NULL, RESULT_SLOTS * SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                  fd, 0);
    close(fd);
    if (memory == MAP_FAILED)
        return err_errno(err, "mapping %s", path);
    slots = xcalloc(1, sizeof(*slots));
    slots->all = memory;
    *out = slots;
    return 0;
}

void result_slots_close(struct result_slots *slots)
{
    if (!slots)
        return;
    munmap(slots->all, RESULT_SLOTS * SLOT_BYTES);
    free(slots);
}

void result_slots_each(const struct result_slots *slots, result_slots_fn *fn, void *arg)
{
    for (size_t i = 0; i < RESULT_SLOTS; i++) {
        struct slot *slot = &slots->all[i];

        if (atomic_load(&slot->used) == 1 &&
            memchr(slot->text, '\0', sizeof(slot->text)))
            fn(arg, slot->run_id, slot->rank, slot->text);
        else
            atomic_store(&slot->used, 0);
    }
}

bool result_slots_put(struct result_slots *slots,
                      uint64_t run_id,
                      uint64_t rank,
                      const char *text)
{
    size_t size = strlen(text) + 1;

    for (size_t i = 0; i < RESULT_SLOTS && size <= sizeof(slots->all->text); i++) {
        struct slot *slot = &slots->all[(slots->put_at + i) % RESULT_SLOTS];

        if (atomic_load(&slot->used) != 0)
            continue;
        slot->run_id = run_id;
        slot->rank = rank;
        memcpy(slot->text, text, size);
        atomic_store(&slot->used, 1);
        slots->put_at = (slots->put_at + i + 1) % RESULT_SLOTS;
        return true;
    }
    return false;
}

bool result_slots_drop(struct result_slots *slots, uint64_t run_id, uint64_t rank)
{
    for (size_t i = 0; i < RESULT_SLOTS; i++) {
        struct slot *slot = &slots->all[(slots->drop_at + i) % RESULT_SLOTS];

        if (atomic_load(&slot->used) != 0 && slot->run_id == run_id &&
            slot->rank == rank) {
            atomic_store(&slot->used, 0);
            slots->drop_at = (slots->drop_at + i + 1) % RESULT_SLOTS;
            return true;
        }
    }
    return false;
}
