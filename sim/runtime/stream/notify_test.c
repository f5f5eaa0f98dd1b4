#include <acl/acl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

#define ALL        ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION
#define NO_PROCESS ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT
#define KEY        65
#define REFUSED    100

/* the action of the other process with a notify of this one */
enum order { STOP, RECORD, WAIT, COUNT_ID };

struct task {
    enum order order;
    char key[KEY];
};

static int obey(const struct task *task)
{
    aclrtNotify notify;
    uint32_t id = 0;
    aclError error;

    if (aclrtSetDevice(0))
        return -1;
    if (aclrtNotifyImportByKey(&notify, task->key, 0))
        return REFUSED;
    error = task->order == RECORD ? aclrtRecordNotify(notify, NULL)
            : task->order == WAIT ? aclrtWaitAndResetNotify(notify, NULL, 20)
                                  : aclrtGetNotifyId(notify, &id);
    if (aclrtSynchronizeStream(NULL) || aclrtDestroyNotify(notify) || error)
        return -1;
    return (int)id;
}

static pid_t peer;
static int to_peer[2], from_peer[2];

static void serve(void)
{
    struct task task;

    while (read(to_peer[0], &task, sizeof(task)) == sizeof(task) &&
           task.order != STOP) {
        int answer = obey(&task);

        if (write(from_peer[1], &answer, sizeof(answer)) != sizeof(answer))
            break;
    }
    aclrtResetDeviceForce(0);
    _exit(0);
}

/* The child is forked before this process opens a card. */
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

static void send_command(enum order order, const char *key)
{
    struct task task = {.order = order};

    strcpy(task.key, key);
    assert_int_equal(write(to_peer[1], &task, sizeof(task)), sizeof(task));
}

static int read_result(void)
{
    int answer = -1;

    assert_int_equal(read(from_peer[0], &answer, sizeof(answer)), sizeof(answer));
    return answer;
}

static int stop_peer(void **state)
{
    int status;

    (void)state;
    send_command(STOP, "");
    return waitpid(peer, &status, 0) != peer || aclrtResetDeviceForce(0);
}

static void a_process_waits_for_the_record_of_another(void **state)
{
    aclrtNotify first, notify;
    char key[KEY];
    uint32_t id;

    (void)state;
    assert_int_equal(aclrtCreateNotify(&first, 0) || aclrtCreateNotify(&notify, 0), 0);
    assert_int_equal(aclrtGetNotifyId(notify, &id), 0);
    assert_int_equal(aclrtNotifyGetExportKey(notify, key, KEY, ALL), 0);
    /* from the other process to this one, which already waits */
    assert_int_equal(aclrtWaitAndResetNotify(notify, NULL, 20), 0);
    send_command(RECORD, key);
    assert_int_equal(read_result(), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    /* from this process to the other one */
    send_command(WAIT, key);
    assert_int_equal(aclrtRecordNotify(notify, NULL), 0);
    assert_int_equal(read_result(), 0);
    send_command(COUNT_ID, key);
    assert_int_equal(read_result(), (int)id);
    assert_int_equal(aclrtDestroyNotify(first), 0);
    assert_int_equal(aclrtDestroyNotify(notify), 0);
    send_command(RECORD, key); /* the notify is destroyed */
    assert_int_equal(read_result(), REFUSED);
}

/* The key also ends when a task with the notify has not run yet. */
static void a_key_is_invalid_after_its_notify_is_destroyed(void **state)
{
    aclrtNotify hold, notify;
    aclrtStream stream;
    char key[KEY];

    (void)state;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtCreateNotify(&hold, 0) || aclrtCreateNotify(&notify, 0), 0);
    assert_int_equal(aclrtNotifyGetExportKey(notify, key, KEY, ALL), 0);
    assert_int_equal(aclrtWaitAndResetNotify(hold, stream, 20), 0);
    assert_int_equal(aclrtRecordNotify(notify, stream), 0);
    assert_int_equal(aclrtDestroyNotify(notify), 0);
    send_command(RECORD, key);
    assert_int_equal(read_result(), REFUSED);
    assert_int_equal(aclrtRecordNotify(hold, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtDestroyNotify(hold) || aclrtDestroyStream(stream), 0);
}

static void a_set_flag_stays_set_when_it_is_exported(void **state)
{
    aclrtNotify notify;
    char key[KEY], again[KEY];

    (void)state;
    assert_int_equal(aclrtCreateNotify(&notify, 0), 0);
    assert_int_equal(aclrtRecordNotify(notify, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtNotifyGetExportKey(notify, key, KEY, ALL), 0);
    assert_int_equal(aclrtNotifyGetExportKey(notify, again, KEY, ALL), 0);
    assert_string_equal(key, again);
    assert_int_equal(aclrtWaitAndResetNotify(notify, NULL, 1), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    /* the flag is not set again: a limited wait ends at its time limit, an unlimited
     * one by an abort */
    assert_int_equal(aclrtWaitAndResetNotify(notify, NULL, 1), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_WAIT_TIMEOUT);
    assert_int_equal(aclrtWaitAndResetNotify(notify, NULL, 0), 0);
    assert_int_equal(aclrtStreamAbort(NULL), 0);
    assert_int_equal(aclrtDestroyNotify(notify), 0);
}

static void only_listed_processes_can_import_a_notify(void **state)
{
    int32_t pids[] = {(int32_t)getpid(), (int32_t)peer};
    aclrtNotify notify, imported;
    char key[KEY];

    (void)state;
    assert_int_equal(aclrtCreateNotify(&notify, 0), 0);
    assert_int_equal(aclrtNotifySetImportPid(notify, pids, 1),
                     ACL_ERROR_RT_PARAM_INVALID); /* the notify has no key yet */
    assert_int_equal(aclrtNotifyGetExportKey(notify, key, KEY, NO_PROCESS), 0);
    send_command(RECORD, key);
    assert_int_equal(read_result(), REFUSED);
    assert_int_equal(aclrtNotifySetImportPid(notify, pids, 2), 0);
    send_command(RECORD, key);
    assert_int_equal(read_result(), 0);
    assert_int_equal(aclrtNotifyImportByKey(&imported, key, 0), 0);
    assert_int_equal(
        aclrtNotifyGetExportKey(imported, key, KEY, ALL),
        ACL_ERROR_RT_PARAM_INVALID); /* an imported notify cannot be exported */
    assert_int_equal(aclrtDestroyNotify(imported), 0);
    assert_int_equal(aclrtDestroyNotify(notify), 0);
}

static void keys_are_checked(void **state)
{
    char key[KEY], longest[2 * KEY];
    aclrtNotify notify;
    void *memory;

    (void)state;
    memset(longest, 'x', sizeof(longest));
    assert_int_equal(aclrtCreateNotify(&notify, 0), 0);
    assert_int_equal(aclrtNotifyGetExportKey(notify, key, KEY - 1, ALL),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtNotifyGetExportKey(notify, key, KEY, 1),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtNotifyImportByKey(&notify, longest, 0),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtNotifyImportByKey(&notify, "npu_sim-1-0-0", 0),
                     ACL_ERROR_RT_PARAM_INVALID);
    /* a key of another kind */
    assert_int_equal(aclrtMalloc(&memory, 8192, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtIpcMemGetExportKey(memory, 8192, key, KEY, 1), 0);
    assert_int_equal(aclrtNotifyImportByKey(&notify, key, 0),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtFree(memory), 0);
    assert_int_equal(aclrtDestroyNotify(notify), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_waits_for_the_record_of_another),
        cmocka_unit_test(a_key_is_invalid_after_its_notify_is_destroyed),
        cmocka_unit_test(a_set_flag_stays_set_when_it_is_exported),
        cmocka_unit_test(only_listed_processes_can_import_a_notify),
        cmocka_unit_test(keys_are_checked),
    };
    return cmocka_run_group_tests(tests, start_peer, stop_peer);
}
