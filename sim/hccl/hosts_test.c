#include <ascend_hal.h>
#include <hccl/hccl.h>
#include <hccl/hccl_mc2.h>
#include <hccl/hccl_rank_graph.h>
#include <npu_sim/comm.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/hccl/ranks/address.h"
#include "sim/hccl/ranks/handshake.h"
#include "sim/tests/ranks.h"
#include "tests/support/unit.h"

#define FIRST ACL_MEM_MALLOC_HUGE_FIRST
#define INT32 HCCL_DATA_TYPE_INT32

/* Runs an all-reduce of one number; returns 0 when the result is right. */
static int sum_over(HcclComm comm, aclrtStream stream, int32_t own, int32_t wanted)
{
    int32_t *memory;

    WRONG_UNLESS(!aclrtMalloc((void **)&memory, 4, FIRST));
    *memory = own;
    WRONG_UNLESS(
        !HcclAllReduce(memory, memory, 1, INT32, HCCL_REDUCE_SUM, comm, stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(stream));
    WRONG_UNLESS(*memory == wanted);
    return aclrtFree(memory);
}

static int last_one_dies(struct rank *me)
{
    HcclResult error;

    WRONG_UNLESS(!sum_over(me->comm, me->stream, 1, 4));
    if (me->rank == 3)
        kill(getpid(), SIGKILL);
    /* another rank may have noticed the failure before this one calls */
    error = HcclBarrier(me->comm, me->stream);
    WRONG_UNLESS(error == HCCL_E_REMOTE || aclrtSynchronizeStream(me->stream) ==
                                               ACL_ERROR_RT_SUSPECT_REMOTE_ERROR);
    WRONG_UNLESS(!HcclGetCommAsyncError(me->comm, &error) && error == HCCL_E_REMOTE);
    return 0;
}

static void a_dead_peer_on_another_host_fails_the_communicator(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_HOSTS, 4, last_one_dies), -1);
    assert_int_equal(ranks_run(RANKS_HOST_ROOT, 4, last_one_dies), -1);
}

/* A rank that closed its communicator in good order is no failure: its peers wait until
 * the time limit. */
static int one_call_more(struct rank *me)
{
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    if (me->rank > 0)
        return 0;
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(aclrtSynchronizeStream(me->stream) == ACL_ERROR_RT_FFTS_PLUS_TIMEOUT);
    return 0;
}

static void a_call_without_its_peers_hangs_until_the_time_limit(void **ctx)
{
    (void)ctx;
    setenv("HCCL_EXEC_TIMEOUT", "1", 1);
    assert_int_equal(ranks_run(RANKS_HOSTS, 4, one_call_more), 0);
    assert_int_equal(ranks_run(RANKS_HOST_THREADS, 2, one_call_more), 0);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
}

/* Rank 0 closes at once; the other ranks continue to exchange data. */
static int first_one_leaves(struct rank *me)
{
    enum { COUNT = 100000, TIMES = 5 };
    const uint32_t other = me->rank == 1 ? 2 : 1;
    int32_t *from, *into;

    if (me->rank == 0 || me->rank == 3)
        return 0;
    WRONG_UNLESS(!aclrtMalloc((void **)&from, COUNT * 4, FIRST));
    WRONG_UNLESS(!aclrtMalloc((void **)&into, COUNT * 4, FIRST));
    for (int32_t time = 0; time < TIMES; time++) {
        HcclSendRecvItem items[2] = {{HCCL_SEND, from, COUNT, INT32, other},
                                     {HCCL_RECV, into, COUNT, INT32, other}};

        for (int32_t i = 0; i < COUNT; i++)
            from[i] = i * 7 + time + (int32_t)me->rank;
        WRONG_UNLESS(!HcclBatchSendRecv(items, 2, me->comm, me->stream));
        WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
        for (int32_t i = 0; i < COUNT; i++)
            WRONG_UNLESS(into[i] == i * 7 + time + (int32_t)other);
    }
    return aclrtFree(from) || aclrtFree(into);
}

static void an_orderly_close_of_a_rank_is_no_failure(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_HOSTS, 4, first_one_leaves), 0);
    assert_int_equal(ranks_run(RANKS_HOST_THREADS, 4, first_one_leaves), 0);
}

/* Rows lie on one host, columns span the hosts; each has a stream. */
static int crosswise(struct rank *me)
{
    uint32_t half = me->ranks / 2, place = me->rank % half, host = me->rank / half;
    uint32_t row[8], column[2] = {place, place + half}, number, *layers;
    HcclCommConfig config;
    HcclComm rows, columns;
    aclrtStream other;
    int32_t sum = 0;

    HcclCommConfigInit(&config);
    for (uint32_t i = 0; i < half; i++) {
        row[i] = host * half + i;
        sum += (int32_t)row[i];
    }
    WRONG_UNLESS(!aclrtCreateStream(&other));
    WRONG_UNLESS(
        !HcclCreateSubCommConfig(&me->comm, half, row, host, place, &config, &rows));
    WRONG_UNLESS(!HcclCreateSubCommConfig(&me->comm, 2, column, 10 + place, host,
                                          &config, &columns));
    WRONG_UNLESS(!HcclRankGraphGetLayers(rows, &layers, &number) && number == 1);
    WRONG_UNLESS(!HcclRankGraphGetLayers(columns, &layers, &number) && number == 2);
    WRONG_UNLESS(!HcclRankGraphGetRankSizeByLayer(columns, 0, &number) && number == 1);
    for (int i = 0; i < 20; i++) {
        WRONG_UNLESS(!HcclBarrier(rows, me->stream) && !HcclBarrier(columns, other));
        WRONG_UNLESS(!sum_over(rows, me->stream, (int32_t)me->rank, sum));
        WRONG_UNLESS(!sum_over(columns, other, (int32_t)me->rank,
                               (int32_t)(column[0] + column[1])));
    }
    WRONG_UNLESS(!HcclCommDestroy(rows) && !HcclCommDestroy(columns));
    WRONG_UNLESS(!aclrtDestroyStream(other));
    return 0;
}

static void a_part_of_a_communicator_can_span_hosts(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_HOSTS, 4, crosswise), 0);
    assert_int_equal(ranks_run(RANKS_HOST_THREADS, 6, crosswise), 0);
    assert_int_equal(ranks_run(RANKS_HOST_ROOT, 4, crosswise), 0);
}

static int knows_its_neighbours(struct rank *me)
{
    struct npu_sim_comm_context *context;
    uint32_t *layers, number;
    int tiling;

    WRONG_UNLESS(!HcclRankGraphGetLayers(me->comm, &layers, &number));
    WRONG_UNLESS(number == 2 && layers[0] == 0 && layers[1] == 1);
    WRONG_UNLESS(!HcclRankGraphGetRankSizeByLayer(me->comm, 0, &number));
    WRONG_UNLESS(number == (me->rank < 2 ? 2 : 3));
    WRONG_UNLESS(!HcclRankGraphGetRankSizeByLayer(me->comm, 1, &number) && number == 5);
    WRONG_UNLESS(!HcclRankGraphGetTopoTypeByLayer(me->comm, 1, &number));
    WRONG_UNLESS(number == COMM_TOPO_CLOS);
    WRONG_UNLESS(!HcclAllocComResourceByTiling(me->comm, me->stream, &tiling,
                                               (void **)&context));
    for (uint32_t rank = 0; rank < me->ranks; rank++)
        WRONG_UNLESS((context->windows_in[rank] != 0) ==
                     (ranks_host(rank, me->ranks) == ranks_host(me->rank, me->ranks)));
    return 0;
}

static void only_windows_of_the_own_host_are_mapped(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_HOSTS, 5, knows_its_neighbours), 0);
}

static int differs(struct rank *me)
{
    int32_t *memory;

    WRONG_UNLESS(!aclrtMalloc((void **)&memory, 64, FIRST));
    WRONG_UNLESS(!HcclAllReduce(memory, memory, 1 + me->rank / 2, INT32,
                                HCCL_REDUCE_SUM, me->comm, me->stream));
    WRONG_UNLESS(aclrtSynchronizeStream(me->stream) != 0);
    WRONG_UNLESS(HcclBarrier(me->comm, me->stream) == HCCL_E_PARA);
    return aclrtFree(memory);
}

static void calls_that_do_not_match_across_hosts_fail(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_HOSTS, 4, differs), 0);
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Runs fn in a child process, because the parent must be able to fork again. */
static int apart(int (*fn)(const char *path), const char *path)
{
    pid_t pid = fork();
    int status;

    if (pid == 0)
        _exit(fn(path) ? 1 : 0);
    return waitpid(pid, &status, 0) == pid ? status : -1;
}

#define NOWHERE UINT32_MAX /* addresses without a host */

/* Writes a table of two servers with one rank each; the addresses depend on `place`. */
static void write_table(const char *path, const char *status, uint32_t place)
{
    FILE *file = fopen(path, "w");
    char first[32], second[32];

    if (place == NOWHERE) {
        strcpy(first, "192.0.2.1");
        strcpy(second, "192.0.2.2");
    } else {
        ranks_address(first, place);
        ranks_address(second, place + 1);
    }
    assert_non_null(file);
    assert_true(fprintf(file,
                        "{\"status\":\"%s\",\"version\":\"1.0\","
                        "\"server_count\":\"2\",\"server_list\":["
                        "{\"server_id\":\"%s\",\"device\":[{\"device_id\":\"0\","
                        "\"rank_id\":\"0\"}]},"
                        "{\"server_id\":\"%s\",\"device\":[{\"device_id\":\"0\","
                        "\"rank_id\":\"1\"}]}]}",
                        status, first, second) > 0);
    assert_int_equal(fclose(file), 0);
}

static int finds_no_peer(const char *path)
{
    uint64_t from = now_ms();
    HcclComm comm;

    WRONG_UNLESS(!aclrtSetDevice(0));
    WRONG_UNLESS(HcclCommInitClusterInfo(path, 0, &comm) == HCCL_E_TIMEOUT);
    WRONG_UNLESS(HcclCommInitClusterInfo(path, 1, &comm) == HCCL_E_TIMEOUT);
    WRONG_UNLESS(now_ms() - from >= 2000);
    return 0;
}

static int is_not_that_host(const char *path)
{
    HcclComm comm;

    WRONG_UNLESS(!aclrtSetDevice(0));
    WRONG_UNLESS(HcclCommInitClusterInfo(path, 0, &comm) == HCCL_E_TCP_CONNECT);
    return 0;
}

static int is_never_ready(const char *path)
{
    HcclComm comm;

    WRONG_UNLESS(!aclrtSetDevice(0));
    WRONG_UNLESS(HcclCommInitClusterInfo(path, 0, &comm) == HCCL_E_TIMEOUT);
    return 0;
}

static void waiting_for_a_missing_host_ends_at_the_time_limit(void **ctx)
{
    char path[] = "/tmp/npu_sim_hosts_XXXXXX";

    (void)ctx;
    close(mkstemp(path));
    setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
    write_table(path, "completed", 10);
    assert_int_equal(apart(finds_no_peer, path), 0);
    write_table(path, "completed", NOWHERE);
    assert_int_equal(apart(is_not_that_host, path), 0);
    write_table(path, "initializing", 10);
    assert_int_equal(apart(is_never_ready, path), 0);
    setenv("HCCL_CONNECT_TIMEOUT", "60", 1);
    unlink(path);
}

static void *complete_table(void *path)
{
    char fresh[64];

    snprintf(fresh, sizeof(fresh), "%s.new", (char *)path);
    write_table(fresh, "completed", 20);
    rename(fresh, path);
    return NULL;
}

static const char *late_table;

static void *join_late_table(void *arg)
{
    uint32_t rank = (uint32_t)(uintptr_t)arg;
    HcclComm comm;

    aclrtSetDevice(0);
    if (HcclCommInitClusterInfo(late_table, rank, &comm))
        return arg;
    HcclCommDestroy(comm);
    return NULL;
}

static int waits_for_its_table(const char *path)
{
    pthread_t ranks[2], writer;
    void *wrong = NULL;

    late_table = path;
    for (uintptr_t i = 0; i < 2; i++)
        WRONG_UNLESS(!pthread_create(&ranks[i], NULL, join_late_table, (void *)i));
    WRONG_UNLESS(!pthread_create(&writer, NULL, complete_table, (void *)path));
    pthread_join(writer, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_join(ranks[i], &wrong);
        WRONG_UNLESS(!wrong);
    }
    return 0;
}

static void an_incomplete_table_is_read_again_until_it_is_complete(void **ctx)
{
    char path[] = "/tmp/npu_sim_hosts_XXXXXX";

    (void)ctx;
    close(mkstemp(path));
    write_table(path, "initializing", 20);
    assert_int_equal(apart(waits_for_its_table, path), 0);
    unlink(path);
}

static int root_of_another_host(const char *unused)
{
    HcclRootInfo root;
    HcclComm comm;

    (void)unused;
    WRONG_UNLESS(!aclrtSetDevice(0));
    WRONG_UNLESS(!HcclGetRootInfo(&root));
    setenv("NPU_SIM_HOST", "elsewhere", 1);
    WRONG_UNLESS(HcclCommInitRootInfo(2, &root, 1, &comm) == HCCL_E_TCP_CONNECT);
    setenv("HCCL_IF_IP", "192.0.2.1", 1);
    WRONG_UNLESS(HcclGetRootInfo(&root) == HCCL_E_TCP_CONNECT);
    setenv("HCCL_IF_IP", "somewhere", 1);
    WRONG_UNLESS(HcclGetRootInfo(&root) == HCCL_E_PARA);
    setenv("HCCL_IF_IP", "127.79.0.1", 1);
    setenv("HCCL_HOST_SOCKET_PORT_RANGE", "1-", 1);
    WRONG_UNLESS(HcclGetRootInfo(&root) == HCCL_E_PARA);
    return 0;
}

static void a_root_without_an_address_is_valid_on_its_host_only(void **ctx)
{
    (void)ctx;
    assert_int_equal(apart(root_of_another_host, NULL), 0);
}

/* Connects to the port that a rank listens on while its communicator exists. */
static int connect_to(uint32_t rank, uint32_t ranks)
{
    struct address address;
    char ip[32];
    int fd;

    ranks_address(ip, ranks_host(rank, ranks));
    if (!address_parse(&address, ip, (uint16_t)(60000 + rank)))
        return -1;
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, &address.any, address.size) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Unauthorized peers connect during operation; the listener closes them without an
 * answer. */
static int accepts_unauthorized_connections(struct rank *me)
{
    struct token token = token_of("guessed", 0);
    struct handshake handshake = handshake_make("table", &token, 0, me->rank);
    unsigned char words[HANDSHAKE_BYTES], answer[ANSWER_BYTES];
    int silent, loud, wrong;

    silent = connect_to(me->rank, me->ranks);
    loud = connect_to(me->rank, me->ranks);
    wrong = connect_to(me->rank, me->ranks);
    WRONG_UNLESS(silent >= 0 && loud >= 0 && wrong >= 0);
    memset(words, 'x', sizeof(words));
    WRONG_UNLESS(write(loud, words, sizeof(words)) == sizeof(words));
    WRONG_UNLESS(read(loud, answer, sizeof(answer)) == 0);
    handshake_pack(words, &handshake);
    WRONG_UNLESS(write(wrong, words, sizeof(words)) == sizeof(words));
    for (int i = 0; i < 10; i++)
        WRONG_UNLESS(!sum_over(me->comm, me->stream, 1, (int32_t)me->ranks));
    close(silent);
    close(loud);
    close(wrong);
    return 0;
}

static void unauthorized_connections_have_no_effect(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_HOSTS, 4, accepts_unauthorized_connections), 0);
}

static int with_another_secret(const char *path)
{
    pid_t pid = fork();
    uint32_t rank = pid ? 0 : 1;
    HcclComm comm;
    int status;

    setenv("NPU_SIM_LINK_TOKEN", rank ? "theirs" : "ours", 1);
    WRONG_UNLESS(!aclrtSetDevice(0));
    status = HcclCommInitClusterInfo(path, rank, &comm) != HCCL_E_TIMEOUT;
    if (pid == 0)
        _exit(status);
    WRONG_UNLESS(!status);
    WRONG_UNLESS(waitpid(pid, &status, 0) == pid && status == 0);
    return 0;
}

static void a_rank_with_another_token_cannot_join(void **ctx)
{
    char path[] = "/tmp/npu_sim_hosts_XXXXXX";

    (void)ctx;
    close(mkstemp(path));
    write_table(path, "completed", 30);
    setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
    assert_int_equal(apart(with_another_secret, path), 0);
    setenv("HCCL_CONNECT_TIMEOUT", "60", 1);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dead_peer_on_another_host_fails_the_communicator),
        cmocka_unit_test(a_call_without_its_peers_hangs_until_the_time_limit),
        cmocka_unit_test(an_orderly_close_of_a_rank_is_no_failure),
        cmocka_unit_test(a_part_of_a_communicator_can_span_hosts),
        cmocka_unit_test(only_windows_of_the_own_host_are_mapped),
        cmocka_unit_test(calls_that_do_not_match_across_hosts_fail),
        cmocka_unit_test(waiting_for_a_missing_host_ends_at_the_time_limit),
        cmocka_unit_test(an_incomplete_table_is_read_again_until_it_is_complete),
        cmocka_unit_test(a_root_without_an_address_is_valid_on_its_host_only),
        cmocka_unit_test(unauthorized_connections_have_no_effect),
        cmocka_unit_test(a_rank_with_another_token_cannot_join),
    };

    setenv("NPU_SIM_CARDS", "8", 1);
    setenv("HCCL_CONNECT_TIMEOUT", "60", 1);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
    ranks_address((char[32]){0},
                  0); /* before any fork, so that all processes use the same hosts */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
