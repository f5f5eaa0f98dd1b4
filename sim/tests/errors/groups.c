/* groups.c - errors of communicators */
#include <hccl/hccl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/tests/errors/errors.h"

static int root_info_without_result(void)
{
    return (int)HcclGetRootInfo(NULL);
}

static int rank_outside(void)
{
    HcclRootInfo root;
    HcclComm comm;

    MUST(aclrtSetDevice(0));
    MUST(HcclGetRootInfo(&root));
    return (int)HcclCommInitRootInfo(2, &root, 7, &comm);
}

static int peer_that_never_comes(void)
{
    HcclRootInfo root;
    HcclComm comm;

    MUST(aclrtSetDevice(0));
    MUST(HcclGetRootInfo(&root));
    return (int)HcclCommInitRootInfo(2, &root, 0, &comm);
}

static int address_of_another_host(void)
{
    HcclRootInfo root;

    MUST(aclrtSetDevice(0));
    return (int)HcclGetRootInfo(&root);
}

static int name_that_does_not_exist(void)
{
    HcclComm comm;

    MUST(aclrtSetDevice(0));
    return (int)HcclCommGetHandleWithName("nobody", &comm);
}

static int table_that_is_not_there(void)
{
    HcclComm comm;

    MUST(aclrtSetDevice(0));
    return (int)HcclCommInitClusterInfo("/no/such/table.json", 0, &comm);
}

/* Two ranks: this process, and one forked before any card is used. */
struct pair {
    HcclRootInfo root;
    int is_there;
    int is_asked; /* 1: the first rank now waits for the other one */
};

static struct pair *pair;
static pid_t peer;

static aclrtStream stream;
static void *memory;

static HcclComm enter(uint32_t rank)
{
    HcclComm comm;

    MUST(aclrtSetDevice((int32_t)rank));
    if (rank == 0) {
        MUST(HcclGetRootInfo(&pair->root));
        __atomic_store_n(&pair->is_there, 1, __ATOMIC_RELEASE);
    }
    while (!__atomic_load_n(&pair->is_there, __ATOMIC_ACQUIRE))
        usleep(1000);
    MUST(HcclCommInitRootInfo(2, &pair->root, rank, &comm));
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    return comm;
}

static HcclComm meet(void (*other)(HcclComm comm))
{
    pair = mmap(NULL, sizeof(*pair), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                -1, 0);
    must(pair == MAP_FAILED, "memory of both");
    peer = fork();
    if (peer == 0) {
        other(enter(1));
        _exit(0);
    }
    return enter(0);
}

static void sit_still(HcclComm comm)
{
    (void)comm;
    pause();
}

/* Waits until the other rank has called: a call in the group of a dead peer is refused.
 */
static void leave_without_a_word(HcclComm comm)
{
    (void)comm;
    while (!__atomic_load_n(&pair->is_asked, __ATOMIC_ACQUIRE))
        usleep(1000);
    raise(SIGKILL);
}

static void do_another_thing(HcclComm comm)
{
    (void)HcclBroadcast(memory, 8, HCCL_DATA_TYPE_INT32, 0, comm, stream);
    (void)aclrtSynchronizeStream(stream);
}

static void do_the_same(HcclComm comm)
{
    (void)HcclBarrier(comm, stream);
    (void)aclrtSynchronizeStream(stream);
    pause();
}

static int barrier_with(void (*other)(HcclComm comm))
{
    HcclComm comm = meet(other);
    int error;

    MUST(HcclBarrier(comm, stream));
    __atomic_store_n(&pair->is_asked, 1, __ATOMIC_RELEASE);
    error = aclrtSynchronizeStream(stream);
    kill(peer, SIGKILL);
    waitpid(peer, NULL, 0);
    return error;
}

static int peer_that_does_not_take_part(void)
{
    return barrier_with(sit_still);
}

static int peer_that_dies(void)
{
    return barrier_with(leave_without_a_word);
}

static int peer_that_does_another_thing(void)
{
    return barrier_with(do_another_thing);
}

/* After a failure every call on the communicator returns the reason. */
static int call_after_a_death(void)
{
    HcclComm comm = meet(leave_without_a_word);
    int met;

    MUST(HcclBarrier(comm, stream));
    __atomic_store_n(&pair->is_asked, 1, __ATOMIC_RELEASE);
    must(!aclrtSynchronizeStream(stream), "the death shows");
    met = (int)HcclBarrier(comm, stream);
    waitpid(peer, NULL, 0);
    return met;
}

static int stream_of_another_card(void)
{
    HcclComm comm = meet(do_the_same);
    aclrtStream wrong;
    int met;

    MUST(aclrtSetDevice(1));
    MUST(aclrtCreateStream(&wrong));
    MUST(aclrtSetDevice(0));
    met = (int)HcclBarrier(comm, wrong);
    kill(peer, SIGKILL);
    waitpid(peer, NULL, 0);
    return met;
}

static int type_that_cannot_be_summed(void)
{
    HcclComm comm = meet(do_the_same);
    int met = (int)HcclAllReduce(memory, memory, 1, HCCL_DATA_TYPE_INT128,
                                 HCCL_REDUCE_SUM, comm, stream);

    kill(peer, SIGKILL);
    waitpid(peer, NULL, 0);
    return met;
}

static const struct error_case cases[] = {
    REACH(HCCL_E_PTR, "a root info without a destination", root_info_without_result),
    REACH(HCCL_E_PARA, "a rank outside of its group", rank_outside),
    REACH_WITH("HCCL_CONNECT_TIMEOUT=1",
               HCCL_E_TIMEOUT,
               "a rank that never comes",
               peer_that_never_comes),
    REACH_WITH("HCCL_IF_IP=192.0.2.1",
               HCCL_E_TCP_CONNECT,
               "an address that is not this host's",
               address_of_another_host),
    REACH(HCCL_E_NOT_FOUND, "a communicator by a wrong name", name_that_does_not_exist),
    REACH(HCCL_E_OPEN_FILE_FAILURE,
          "a rank table that is not there",
          table_that_is_not_there),
    REACH(HCCL_E_NOT_SUPPORT,
          "a sum of a type without one",
          type_that_cannot_be_summed),
    REACH(HCCL_E_RUNTIME, "a stream of another card", stream_of_another_card),
    REACH(HCCL_E_REMOTE, "a call after a peer's death", call_after_a_death),
    REACH_WITH("HCCL_EXEC_TIMEOUT=1",
               ACL_ERROR_RT_FFTS_PLUS_TIMEOUT,
               "a peer that does not take part",
               peer_that_does_not_take_part),
    REACH(ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, "a peer that dies", peer_that_dies),
    REACH(ACL_ERROR_RT_AICPU_EXCEPTION,
          "a peer that does another thing",
          peer_that_does_another_thing),
};

const struct error_list errors_groups = {cases, COUNT(cases)};
