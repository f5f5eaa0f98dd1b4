#include <acl/acl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

#define FIRST      ACL_MEM_MALLOC_HUGE_FIRST
#define NO_PROCESS ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT
#define ALL        ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION
#define SIZE       8192

/* the request to the other process, and its result */
struct task {
    char key[65];
    bool stop;
};

static int answer_of_peer(const struct task *task)
{
    char text[16];
    void *memory;
    int error;

    if (aclrtSetDevice(0))
        return 1;
    error = aclrtIpcMemImportByKey(&memory, task->key, 0);
    if (error == ACL_ERROR_RT_DRV_INTERNAL_ERROR)
        return 3;
    if (error)
        return 2;
    if (aclrtMemcpy(text, 16, memory, 16, ACL_MEMCPY_DEVICE_TO_HOST) ||
        strcmp(text, "from here") ||
        aclrtMemcpy(memory, 16, "from there", 11, ACL_MEMCPY_HOST_TO_DEVICE) ||
        aclrtFree(memory) != ACL_ERROR_RT_PARAM_INVALID ||
        aclrtIpcMemClose(task->key) ||
        aclrtIpcMemClose(task->key) != ACL_ERROR_RT_PARAM_INVALID)
        return 4;
    return 0;
}

/* The child never used a card: it is forked before the parent opens one. */
static pid_t peer;
static int to_peer[2], from_peer[2];

static void serve(void)
{
    struct task task;

    while (read(to_peer[0], &task, sizeof(task)) == sizeof(task) && !task.stop) {
        char answer = (char)answer_of_peer(&task);

        if (write(from_peer[1], &answer, 1) != 1)
            break;
    }
    aclrtResetDeviceForce(0);
    _exit(0);
}

static int start_peer(void **state)
{
    (void)state;
    if (pipe(to_peer) || pipe(from_peer))
        return -1;
    peer = fork();
    if (peer == 0)
        serve();
    return peer > 0 && !aclrtSetDevice(0) ? 0 : -1;
}

static int stop_peer(void **state)
{
    struct task task = {.stop = true};
    int status;

    (void)state;
    if (write(to_peer[1], &task, sizeof(task)) != sizeof(task) ||
        waitpid(peer, &status, 0) != peer)
        return -1;
    return aclrtResetDeviceForce(0);
}

static int ask_peer(const char *key)
{
    struct task task = {.stop = false};
    char answer = -1;

    strcpy(task.key, key);
    if (write(to_peer[1], &task, sizeof(task)) != sizeof(task) ||
        read(from_peer[0], &answer, 1) != 1)
        return -1;
    return answer;
}

static void another_process_maps_an_exported_block(void **ctx)
{
    char key[65], text[16];
    void *memory;

    (void)ctx;
    assert_int_equal(aclrtMalloc(&memory, SIZE, FIRST), 0);
    assert_int_equal(
        aclrtMemcpy(memory, SIZE, "from here", 10, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    assert_int_equal(aclrtIpcMemGetExportKey(memory, SIZE, key, 65, ALL), 0);
    assert_int_equal(ask_peer(key), 0);
    assert_int_equal(aclrtMemcpy(text, 16, memory, 16, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    assert_string_equal(text, "from there");
    assert_int_equal(aclrtFree(memory), 0);
    assert_int_equal(ask_peer(key), 2); /* the key became invalid with the block */
}

static void only_a_listed_process_can_map_the_block(void **ctx)
{
    char key[65];
    int32_t pid = peer;
    void *memory;

    (void)ctx;
    assert_int_equal(aclrtMalloc(&memory, SIZE, FIRST), 0);
    assert_int_equal(
        aclrtMemcpy(memory, SIZE, "from here", 10, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    assert_int_equal(aclrtIpcMemGetExportKey(memory, SIZE, key, 65, NO_PROCESS), 0);
    assert_int_equal(ask_peer(key), 3);
    assert_int_equal(aclrtIpcMemSetImportPid(key, &pid, 1), 0);
    assert_int_equal(ask_peer(key), 0);
    assert_int_equal(aclrtIpcMemClose(key), 0);
    assert_int_equal(ask_peer(key), 2);
    assert_int_equal(aclrtIpcMemSetImportPid(key, &pid, 1), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtFree(memory), 0);
}

static void an_export_is_whole_pages_of_one_block(void **ctx)
{
    void *memory, *small;
    char key[65];

    (void)ctx;
    assert_int_equal(aclrtMalloc(&memory, SIZE, FIRST), 0);
    assert_int_equal(aclrtMalloc(&small, 100, FIRST), 0);
    assert_int_equal(aclrtIpcMemGetExportKey(memory, 100, key, 65, ALL),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtIpcMemGetExportKey(memory, SIZE * 2, key, 65, ALL),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtIpcMemGetExportKey((char *)memory + 4096, 4096, key, 65, ALL),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtIpcMemGetExportKey(memory, SIZE, key, 64, ALL),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtIpcMemGetExportKey(memory, SIZE, key, 65, 2),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtIpcMemGetExportKey(small, 4096, key, 65, ALL),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtIpcMemGetExportKey(key, 4096, key, 65, ALL),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtIpcMemImportByKey(&memory, "nothing", 0),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtIpcMemImportByKey(&memory, "npu_sim-1-0-0", 0),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtFree(small), 0);
    assert_int_equal(aclrtFree(memory), 0);
}

static void a_freed_block_returns_to_the_heap(void **ctx)
{
    static const size_t sizes[] = {SIZE, 1 << 20, 12 << 20};
    char key[65];
    void *memory;

    (void)ctx;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(aclrtMalloc(&memory, sizes[i], FIRST), 0);
        assert_int_equal(aclrtIpcMemGetExportKey(memory, sizes[i], key, 65, ALL), 0);
        assert_int_equal(aclrtMemset(memory, sizes[i], 1, sizes[i]), 0);
        assert_int_equal(aclrtFree(memory), 0);
    }
}

static void peers_are_other_cards_of_the_host(void **ctx)
{
    int32_t can = 0;

    (void)ctx;
    assert_int_equal(aclrtDeviceCanAccessPeer(&can, 0, 1), 0);
    assert_int_equal(can, 1);
    assert_int_equal(aclrtDeviceCanAccessPeer(&can, 0, 0), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtDeviceCanAccessPeer(&can, 0, 9),
                     ACL_ERROR_RT_INVALID_DEVICEID);
    assert_int_equal(aclrtDeviceCanAccessPeer(NULL, 0, 1), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtDeviceDisablePeerAccess(1), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtDeviceEnablePeerAccess(1, 1), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtDeviceEnablePeerAccess(0, 0), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtDeviceEnablePeerAccess(1, 0), 0);
    assert_int_equal(aclrtDeviceDisablePeerAccess(1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_process_maps_an_exported_block),
        cmocka_unit_test(only_a_listed_process_can_map_the_block),
        cmocka_unit_test(an_export_is_whole_pages_of_one_block),
        cmocka_unit_test(a_freed_block_returns_to_the_heap),
        cmocka_unit_test(peers_are_other_cards_of_the_host),
    };

    setenv("NPU_SIM_CARDS", "2", 1);
    return cmocka_run_group_tests(tests, start_peer, stop_peer);
}
