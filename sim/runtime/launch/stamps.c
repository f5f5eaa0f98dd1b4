#include "sim/runtime/launch/stamps.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <toolchain/prof_api.h>
#include <unistd.h>

#include "sim/instrument/stamp_list.h"

#define MODULE_AICORE   61
#define COMMAND_START   1
#define COMMAND_STOP    2
#define SWITCH_OP_STAMP 0x100000000ull
#define LEVEL_AIC       3000

struct kept {
    const struct stream *stream;
    struct stamp_list list;
    bool is_lccl;
    struct kept *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct kept *first, **last = &first;
static uint32_t kept_count;
static bool wanted;

static int32_t on_command(uint32_t type, void *data, uint32_t length)
{
    const struct MsprofCommandHandle *command = data;

    if (type != PROF_CTRL_SWITCH || !data ||
        length < offsetof(struct MsprofCommandHandle, params) ||
        !(command->profSwitch & SWITCH_OP_STAMP))
        return 0;
    if (command->type == COMMAND_START || command->type == COMMAND_STOP)
        __atomic_store_n(&wanted, command->type == COMMAND_START, __ATOMIC_RELAXED);
    return 0;
}

static void offer(void)
{
    MsprofRegisterCallback(MODULE_AICORE, on_command);
}

void stamps_offer(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, offer);
}

bool stamps_are_wanted(void)
{
    return __atomic_load_n(&wanted, __ATOMIC_RELAXED);
}

void stamps_keep(const struct stream *stream, struct stamp_list *list, bool is_lccl)
{
    struct kept *kept = list->count ? malloc(sizeof(*kept)) : NULL;

    if (!kept) {
        stamp_list_clear(list);
        return;
    }
    *kept = (struct kept){.stream = stream, .list = *list, .is_lccl = is_lccl};
    pthread_mutex_lock(&mutex);
    *last = kept;
    last = &kept->next;
    __atomic_fetch_add(&kept_count, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&mutex);
}

/* Takes the lists of a stream out of the queue, in their order. */
static struct kept *take_all(const struct stream *stream)
{
    struct kept *mine = NULL, **end = &mine;

    if (__atomic_load_n(&kept_count, __ATOMIC_ACQUIRE) == 0)
        return NULL;
    pthread_mutex_lock(&mutex);
    for (struct kept **at = &first; *at;) {
        struct kept *kept = *at;

        if (kept->stream != stream) {
            at = &kept->next;
            continue;
        }
        *at = kept->next;
        kept->next = NULL;
        *end = kept;
        end = &kept->next;
        __atomic_fetch_sub(&kept_count, 1, __ATOMIC_RELEASE);
    }
    last = &first;
    while (*last)
        last = &(*last)->next;
    pthread_mutex_unlock(&mutex);
    return mine;
}

static void report_list(const struct stamp_list *list, bool is_lccl)
{
    size_t size = is_lccl ? STAMP_LCCL_BYTES : STAMP_BYTES;

    for (size_t i = 0; i < list->count;) {
        struct MsprofAdditionalInfo info = {
            .magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM,
            .level = LEVEL_AIC,
            .threadId = (uint32_t)syscall(SYS_gettid),
            .timeStamp = MsprofSysCycleTime(),
        };

        while (i < list->count && info.dataLen + size <= sizeof(info.data)) {
            (is_lccl ? stamp_put_lccl : stamp_put)(info.data + info.dataLen,
                                                   &list->rows[i++]);
            info.dataLen += (uint32_t)size;
        }
        MsprofReportAdditionalInfo(0, &info, sizeof(info));
    }
}

static void release_stamps(const struct stream *stream, bool is_reported)
{
    struct kept *kept = take_all(stream);

    while (kept) {
        struct kept *next = kept->next;

        if (is_reported)
            report_list(&kept->list, kept->is_lccl);
        stamp_list_clear(&kept->list);
        free(kept);
        kept = next;
    }
}

void stamps_report(const struct stream *stream)
{
    release_stamps(stream, true);
}

void stamps_forget(const struct stream *stream)
{
    release_stamps(stream, false);
}
