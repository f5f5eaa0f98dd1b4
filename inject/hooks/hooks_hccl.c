/* hooks_hccl.c - functions of HCCL that create, destroy and return communicators
 *
 * The data that all ranks of a communicator pass to HCCL becomes its origin (comm.h):
 * the root info, the text of the rank table, or the parent and the list of ranks. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/base/runtime.h"
#include "inject/hooks/hook_frame.h"
#include "inject/launch/range_replay.h"
#include "inject/program/comm.h"
#include "inject/program/mc2.h"
#include "inject/program/run_ranks.h"
#include "inject/session/record_output.h"
#include "lib/capture/format/records.h"

enum {
    ROOT_INFO_BYTES = 4108,
    TABLE_BYTES_MAX = 16 * 1024 * 1024,
};

/* Seeds of the hash, so that equal bytes of two kinds of origin differ. */
enum { BY_ROOT_INFO = 1, BY_TABLE, BY_PROCESS, BY_PARENT, BY_NAME };

static void write_record(const struct comm *comm)
{
    struct record_comm_group record = {
        .key = comm->key,
        .name_hash = comm_name_hash(comm->name),
        .time_ns = thread_now_ns(),
        .source = GROUP_FROM_CALL,
        .rank = comm->rank,
        .ranks = comm->ranks,
        .global_rank = GROUP_RANK_UNKNOWN,
        .device = (uint32_t)runtime_logical(comm->device),
        .generation = comm->generation,
        .server_stream = -1,
    };

    memcpy(record.name, comm->name, sizeof(record.name));
    record_output_record(RECORD_COMM_GROUP, &record, sizeof(record));
}

static void
add(const void *handle, uint64_t origin, uint32_t ranks, uint32_t rank, int32_t device)
{
    struct comm made = {
        .handle = handle,
        .rank = rank,
        .ranks = ranks,
        .device = device,
    };

    if (handle && runtime_comm_name(handle, made.name) != 0)
        made.name[0] = '\0';
    if (!handle || !comm_add(&made, origin, &made))
        return;
    write_record(&made);
    run_ranks_join(&made);
}

static void remove_communicator(const void *handle)
{
    struct comm comm;

    if (comm_get(handle, &comm))
        run_ranks_leave_group(&comm);
    comm_remove(handle);
}

static uint64_t origin_of_root(const void *root)
{
    return comm_hash(BY_ROOT_INFO, root, ROOT_INFO_BYTES);
}

/* Hashes the text of the file; an unreadable file has the hash of an empty text. */
static uint64_t origin_of_table(const char *path)
{
    uint64_t origin = comm_hash(BY_TABLE, "", 0);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat is;

    if (file < 0)
        return origin;
    if (fstat(file, &is) == 0 && S_ISREG(is.st_mode) && is.st_size > 0 &&
        is.st_size <= TABLE_BYTES_MAX) {
        size_t size = (size_t)is.st_size;
        void *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);

        if (text != MAP_FAILED) {
            origin = comm_hash_text(BY_TABLE, text, size);
            munmap(text, size);
        }
    }
    close(file);
    return origin;
}

/* Adds the communicators of HcclCommInitAll: all ranks belong to this process. */
static void add_all(uint32_t count, const int32_t *devices, void *const *handles)
{
    const int64_t process = getpid();
    uint64_t origin = comm_hash(BY_PROCESS, &process, sizeof(process));

    origin = comm_hash(origin, devices, count * sizeof(*devices));
    for (uint32_t i = 0; i < count; i++)
        add(handles[i], origin, count, i, devices[i]);
}

static void add_part(void *const *parent,
                     uint32_t ranks,
                     const uint32_t *ids,
                     uint64_t part,
                     uint32_t rank,
                     const void *handle)
{
    struct comm whole = {0};
    uint64_t origin;

    if (parent)
        comm_get(*parent, &whole);
    origin = comm_hash(BY_PARENT, &whole.key, sizeof(whole.key));
    origin = comm_hash(origin, &part, sizeof(part));
    if (ids)
        origin = comm_hash(origin, ids, ranks * sizeof(*ids));
    add(handle, origin, ranks, rank, runtime_device());
}

/* Finds a communicator. One that was created without a hooked call is added with the
 * data that HCCL returns. */
static bool get_or_add(const void *handle, struct comm *out)
{
    uint32_t ranks, rank;

    if (comm_get(handle, out))
        return true;
    if (runtime_comm_place(handle, &ranks, &rank) != 0)
        return false;
    add(handle, comm_hash(BY_NAME, "", 0), ranks, rank, runtime_device());
    return comm_get(handle, out);
}

#define MADE(origin, ranks, rank)                                                      \
    (result == 0 ? add(*comm, origin, ranks, rank, runtime_device()) : (void)0)

HOOK(HcclCommInitRootInfo,
     lifecycle_connect(),
     ,
     MADE(origin_of_root(root), ranks, rank),
     (uint32_t, ranks),
     (const void *, root),
     (uint32_t, rank),
     (void **, comm))
HOOK(HcclCommInitRootInfoConfig,
     lifecycle_connect(),
     ,
     MADE(origin_of_root(root), ranks, rank),
     (uint32_t, ranks),
     (const void *, root),
     (uint32_t, rank),
     (const void *, config),
     (void **, comm))

static void add_by_table(const char *path, uint32_t rank, const void *handle)
{
    uint32_t ranks = 0, own;

    if (runtime_comm_place(handle, &ranks, &own) == 0)
        add(handle, origin_of_table(path), ranks, rank, runtime_device());
}

#define BY_THE_TABLE (result == 0 ? add_by_table(path, rank, *comm) : (void)0)

HOOK(HcclCommInitClusterInfo,
     lifecycle_connect(),
     ,
     BY_THE_TABLE,
     (const char *, path),
     (uint32_t, rank),
     (void **, comm))
HOOK(HcclCommInitClusterInfoConfig,
     lifecycle_connect(),
     ,
     BY_THE_TABLE,
     (const char *, path),
     (uint32_t, rank),
     (void *, config),
     (void **, comm))
HOOK(HcclCommInitAll,
     lifecycle_connect(),
     ,
     (result == 0 ? add_all(count, devices, comms) : (void)0),
     (uint32_t, count),
     (int32_t *, devices),
     (void **, comms))
HOOK(HcclCreateSubCommConfig,
     lifecycle_connect(),
     ,
     (result == 0 ? add_part(comm, ranks, ids, part, rank, *made) : (void)0),
     (void **, comm),
     (uint32_t, ranks),
     (uint32_t *, ids),
     (uint64_t, part),
     (uint32_t, rank),
     (void *, config),
     (void **, made))
HOOK(HcclCommDestroy, lifecycle_connect(), remove_communicator(comm), , (void *, comm))

static void on_communicator(const void *handle)
{
    struct comm comm;

    if (get_or_add(handle, &comm))
        mc2_on_group(&comm);
}

HOOK(HcomGetCommHandleByGroup,
     lifecycle_connect(),
     ,
     (result == 0 ? on_communicator(*comm) : (void)0),
     (const char *, group),
     (void **, comm))

static void on_context(const void *handle, const void *context)
{
    comm_set_context(handle, context);
    mc2_on_context(handle, context);
}

HOOK(HcclAllocComResourceByTiling,
     lifecycle_connect(),
     ,
     (result == 0 ? (on_context(comm, *context), range_expect_operator(stream))
                  : (void)0),
     (void *, comm),
     (void *, stream),
     (void *, tiling),
     (void **, context))

#define OF_NOTIFIES (notifies ? (void *const *)notifies : NULL)

HOOK(HcclGetAicpuOpStreamAndNotify,
     lifecycle_connect(),
     ,
     (result == 0 ? comm_set_server(comm, *stream, OF_NOTIFIES, count) : (void)0),
     (void *, comm),
     (void **, stream),
     (uint8_t, count),
     (void **, notifies))
HOOK(HcclGetHcclBuffer,
     lifecycle_connect(),
     ,
     (result == 0 ? comm_set_buffer(comm, *buffer, *bytes) : (void)0),
     (void *, comm),
     (void **, buffer),
     (uint64_t *, bytes))
