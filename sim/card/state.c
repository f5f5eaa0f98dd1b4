#include "sim/card/state.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sim/card/usage.h"
#include "sim/fleet/condition.h"
#include "sim/fleet/config.h"
#include "sim/fleet/soc.h"

#define WARM     90.0      /* degrees Celsius at which the health becomes a warning */
#define FRESH_NS 100000000 /* for which a scan of the processes is reused */

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- usage pages of other processes: not trusted, any process of the user can make
 * one
 * ---- */

static bool is_number(const char *name)
{
    return *name && strspn(name, "0123456789") == strlen(name) && strlen(name) < 10;
}

static bool read_at(int fd, void *out, size_t size, size_t at)
{
    return pread(fd, out, size, (off_t)at) == (ssize_t)size;
}

static bool read_head(int fd, uint32_t pid, struct usage_head *head)
{
    const struct config *config = config_get();
    struct stat is;

    return fstat(fd, &is) == 0 && is.st_size == (off_t)sizeof(struct usage_page) &&
           read_at(fd, head, sizeof(*head), 0) && head->magic == USAGE_MAGIC &&
           head->pid == pid && head->slot_size == sizeof(struct usage_slot) &&
           head->fleet == config->fleet_id &&
           (config->fleet_id || head->pid == (uint32_t)getpid()) &&
           memchr(head->host, 0, sizeof(head->host)) &&
           !strcmp(head->host, config->fleet.hosts[config->host].name);
}

/* Opens the usage page among the open files of a process. Returns -1 without one. */
static int open_page_of(const char *pid)
{
    char path[64], target[64];
    struct dirent *entry;
    DIR *files;
    int fd = -1;

    snprintf(path, sizeof(path), "/proc/%s/fd", pid);
    files = opendir(path);
    while (fd < 0 && files && (entry = readdir(files))) {
        ssize_t size;

        if (!is_number(entry->d_name))
            continue;
        size = readlinkat(dirfd(files), entry->d_name, target, sizeof(target) - 1);
        if (size <= 0)
            continue;
        target[size] = '\0';
        if (!strncmp(target, "/memfd:" USAGE_FILE, strlen("/memfd:" USAGE_FILE)))
            fd = openat(dirfd(files), entry->d_name, O_RDONLY | O_CLOEXEC);
    }
    if (files)
        closedir(files);
    return fd;
}

static void name_of(const char *pid, char *out, size_t size)
{
    char path[64];
    ssize_t length = -1;
    int fd;

    snprintf(path, sizeof(path), "/proc/%s/comm", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = read(fd, out, size - 1);
        close(fd);
    }
    out[length > 0 ? length : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

/* the use of one card by one process */
struct use {
    uint32_t pid;
    uint32_t number; /* logical number of the card */
    char name[32];
    struct usage_slot slot;
};

/* The result of the last scan. It is reused for FRESH_NS, so that a caller that reads a
 * thousand cards in a row scans the processes once. */
static struct {
    pthread_mutex_t mutex;
    struct use *uses;
    size_t count, room;
    uint64_t at_ns;
} seen = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void add_use(uint32_t pid, const char *name, uint32_t number, int fd)
{
    struct use *use;

    if (seen.count == seen.room) {
        size_t room = seen.room ? seen.room * 2 : 64;
        struct use *grown = realloc(seen.uses, room * sizeof(*grown));

        if (!grown)
            return;
        seen.uses = grown;
        seen.room = room;
    }
    use = &seen.uses[seen.count];
    use->pid = pid;
    use->number = number;
    snprintf(use->name, sizeof(use->name), "%s", name);
    if (read_at(fd, &use->slot, sizeof(use->slot),
                offsetof(struct usage_page, slot) + number * sizeof(use->slot)))
        seen.count++;
}

static void look_into(const char *pid)
{
    struct usage_head head;
    int fd = open_page_of(pid);
    char name[32];

    if (fd < 0)
        return;
    if (read_head(fd, (uint32_t)strtoul(pid, NULL, 10), &head)) {
        name_of(pid, name, sizeof(name));
        for (uint32_t i = 0; i < CARDS_MAX; i++)
            if (head.used[i / 64] & 1ull << i % 64)
                add_use(head.pid, name, i, fd);
    }
    close(fd);
}

static int by_pid(const void *a, const void *b)
{
    const struct use *left = a, *right = b;

    return left->pid < right->pid ? -1 : left->pid > right->pid;
}

/* The caller holds the mutex. */
static void look(void)
{
    uint64_t now = now_ns();
    struct dirent *entry;
    DIR *processes;

    if (seen.at_ns && now - seen.at_ns < FRESH_NS)
        return;
    seen.at_ns = now;
    seen.count = 0;
    processes = opendir("/proc");
    while (processes && (entry = readdir(processes)))
        if (is_number(entry->d_name))
            look_into(entry->d_name);
    if (processes)
        closedir(processes);
    if (seen.count > 0)
        qsort(seen.uses, seen.count, sizeof(*seen.uses), by_pid);
}

/* ---- the state of a card ---- */

size_t npu_sim_card_processes(uint32_t card, struct npu_sim_process *out, size_t max)
{
    size_t count = 0;

    if (config_get()->card[card].other_process && count++ < max)
        out[0] = (struct npu_sim_process){1, 0, 0, "other"};
    pthread_mutex_lock(&seen.mutex);
    look();
    for (size_t i = 0; i < seen.count; i++) {
        const struct use *use = &seen.uses[i];

        if (use->number != config_get()->card[card].number)
            continue;
        if (count < max) {
            out[count] = (struct npu_sim_process){use->pid, use->slot.memory_bytes,
                                                  use->slot.launches, ""};
            memcpy(out[count].name, use->name, sizeof(use->name));
        }
        count++;
    }
    pthread_mutex_unlock(&seen.mutex);
    return count;
}

static double within(double value, double low, double high)
{
    return value >= low && value <= high ? value : value > high ? high : low;
}

/* Returns the sum of the use of a card by all processes. */
static struct usage_slot sum_of(uint32_t card)
{
    uint64_t now = now_ns();
    struct usage_slot sum = {.heat.at_ns = now};

    pthread_mutex_lock(&seen.mutex);
    look();
    for (size_t i = 0; i < seen.count; i++) {
        const struct use *use = &seen.uses[i];
        struct usage_slot own, *slot = &seen.uses[i].slot;

        if (use->number != config_get()->card[card].number)
            continue;
        if (use->pid == (uint32_t)getpid()) { /* its errors count at once */
            own = usage_of(card);
            slot = &own;
        }
        struct heat heat = heat_at(&slot->heat, now);
        sum.heat.warm += within(
            heat.warm, 0, 1); /* clamp: the page of another process is not trusted */
        sum.heat.busy += within(heat.busy, 0, 1);
        sum.memory_bytes += slot->memory_bytes;
        sum.ecc_single += slot->ecc_single;
        sum.ecc_multi += slot->ecc_multi;
    }
    pthread_mutex_unlock(&seen.mutex);
    sum.heat.warm = within(sum.heat.warm, 0, 1);
    sum.heat.busy = within(sum.heat.busy, 0, 1);
    return sum;
}

static enum npu_sim_health health_of(const struct npu_sim_card_state *state)
{
    if (state->ecc_multi > 0)
        return NPU_SIM_ALARM;
    return state->ecc_single > 0 || state->celsius >= WARM ? NPU_SIM_WARNING
                                                           : NPU_SIM_OK;
}

void npu_sim_card_state(uint32_t index, struct npu_sim_card_state *out)
{
    const struct card_config *card = &config_get()->card[index];
    struct usage_slot sum = sum_of(index);
    uint64_t used = card->taken_bytes + sum.memory_bytes;
    *out = (struct npu_sim_card_state){
        .soc = card->soc->name,
        .physical = card->physical,
        .cores = card->soc->cores,
        .mhz = condition_under(index, &sum.heat).mhz,
        .rated_mhz = card->soc->mhz,
        .celsius = heat_celsius(&sum.heat, card->soc, card->ambient),
        .watts = heat_watts(&sum.heat, card->soc),
        .busy_percent = (uint32_t)(sum.heat.busy * 100 + 0.5),
        .memory_total = card->memory_bytes,
        .memory_used = used < card->memory_bytes ? used : card->memory_bytes,
        .hbm_maker = card->hbm_maker,
        .serial = card->serial,
        .ecc_single = card->ecc_single + sum.ecc_single,
        .ecc_multi = card->ecc_multi + sum.ecc_multi,
    };
    out->health = health_of(out);
}
