#include <aclnnop/aclnn_matmul_all_reduce.h>
#include <ascend_hal.h>
#include <hccl/hccl.h>
#include <stdlib.h>
#include <string.h>
#include <toolchain/prof_api.h>

#include "sim/tests/ranks.h"
#include "tests/support/unit.h"

#define LOG        50
#define AI_CPU     143
#define M          300 /* rows of 256 columns: three turns */
#define N          256
#define K          4
#define BLOCKS     8 /* blocks of 16 rows of a tile; the last one waits for each turn */
#define LOG_MAX    400
#define REPORT_MAX 200

struct log_record {
    uint16_t kind, mark, stream, task;
    uint64_t ticks;
    uint8_t pad[48];
};

struct report {
    uint16_t magic, level;
    uint32_t type, thread, size;
    uint64_t ticks;
    uint8_t data[232];
};

static struct log_record logs[LOG_MAX];
static struct report reports[REPORT_MAX];
static size_t log_count, report_count;

static uint64_t number_at(const uint8_t *data, int size)
{
    uint64_t value = 0;

    memcpy(&value, data, (size_t)size);
    return value;
}

static uint64_t hash_of(const char *name)
{
    return MsprofGetHashId(name, strlen(name));
}

/* Launches the operator once. Both channels are read before, and emptied afterwards. */
static int run_fused(struct rank *me, uint32_t card)
{
    prof_stars_log_config_t config = {.acsq_task = 1, .ffts_context_task = 1};
    struct prof_start_para log = {
        .real_time = 1, .user_data = &config, .user_data_size = sizeof(config)};
    struct prof_start_para report = {.channel_type = PROF_PERIPHERAL_TYPE,
                                     .real_time = 1};
    int64_t left[2] = {M, K}, right[2] = {K, N}, out[2] = {M, N};
    char group[COMM_NAME_MAX_LENGTH];
    aclOpExecutor *executor;
    void *memory[3];
    aclTensor *tensors[3];
    uint64_t size;
    int bytes;

    WRONG_UNLESS(!HcclGetCommName(me->comm, group));
    for (int i = 0; i < 3; i++) {
        const int64_t *dims = i == 0 ? left : i == 1 ? right : out;
        size_t all = (size_t)(dims[0] * dims[1]) * 2;

        WRONG_UNLESS(!aclrtMalloc(&memory[i], all, ACL_MEM_MALLOC_HUGE_FIRST));
        WRONG_UNLESS(!aclrtMemset(memory[i], all, 0, all));
        tensors[i] = aclCreateTensor(dims, 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, dims,
                                     2, memory[i]);
    }
    WRONG_UNLESS(!prof_drv_start(card, LOG, &log));
    WRONG_UNLESS(!prof_drv_start(card, AI_CPU, &report));
    WRONG_UNLESS(!aclnnMatmulAllReduceGetWorkspaceSize(tensors[0], tensors[1], NULL,
                                                       group, "sum", 0, 1, tensors[2],
                                                       &size, &executor));
    WRONG_UNLESS(!aclnnMatmulAllReduce(NULL, 0, executor, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeDevice());
    bytes = prof_channel_read(card, LOG, (char *)logs, sizeof(logs));
    WRONG_UNLESS(bytes > 0 && bytes % sizeof(*logs) == 0);
    log_count = (size_t)bytes / sizeof(*logs);
    bytes = prof_channel_read(card, AI_CPU, (char *)reports, sizeof(reports));
    WRONG_UNLESS(bytes > 0 && bytes % sizeof(*reports) == 0);
    report_count = (size_t)bytes / sizeof(*reports);
    WRONG_UNLESS(!prof_stop(card, LOG) && !prof_stop(card, AI_CPU));
    for (int i = 0; i < 3; i++)
        WRONG_UNLESS(!aclDestroyTensor(tensors[i]) && !aclrtFree(memory[i]));
    return 0;
}

/* Returns the time of the last record of that kind; its end if is_end. */
static const struct log_record *find_kind(uint32_t kind, uint32_t is_end)
{
    const struct log_record *found = NULL;

    for (size_t i = 0; i < log_count; i++)
        if (logs[i].kind == (kind << 10 | is_end))
            found = &logs[i];
    return found;
}

static const struct log_record *
find_task(uint64_t stream, uint64_t task, uint32_t is_end)
{
    for (size_t i = 0; i < log_count; i++)
        if (logs[i].stream == stream && logs[i].task == task &&
            (logs[i].kind & 1) == is_end)
            return &logs[i];
    return NULL;
}

static size_t count_reports(uint32_t type)
{
    size_t count = 0;

    for (size_t i = 0; i < report_count; i++)
        count += reports[i].type == type;
    return count;
}

/* Reads the two tasks of a report, 116 bytes each; a group of 0 is an empty half. */
static int check_tasks(uint64_t group, uint32_t rank, uint64_t last_end)
{
    size_t tasks = 0;

    for (size_t i = 0; i < report_count; i++)
        for (int half = 0; reports[i].type == 13 && half < 2; half++) {
            const uint8_t *data = reports[i].data + half * 116;
            const struct log_record *start, *end;

            if (number_at(data + 16, 8) == 0)
                continue;
            WRONG_UNLESS(number_at(data + 16, 8) == group);
            WRONG_UNLESS(number_at(data + 24, 4) == rank);
            WRONG_UNLESS(number_at(data + 28, 4) == 1 - rank);
            start = find_task(number_at(data + 96, 2), number_at(data + 88, 4), 0);
            end = find_task(number_at(data + 96, 2), number_at(data + 88, 4), 1);
            WRONG_UNLESS(start && end && start->ticks <= end->ticks);
            WRONG_UNLESS(number_at(data + 48, 8) == start->ticks);
            WRONG_UNLESS(end->ticks <= last_end);
            tasks++;
        }
    return tasks == 3 * 2 * 3 ? 0 : __LINE__; /* turns, stages, tasks of a stage */
}

static int check_turns(uint64_t *last_end)
{
    uint64_t before = 0;
    uint8_t number = 0;

    for (size_t i = 0; i < report_count; i++) {
        const uint8_t *data = reports[i].data;

        WRONG_UNLESS(reports[i].magic == 0x5A5A && reports[i].level == 6000);
        if (reports[i].type != 4)
            continue;
        for (int stamp = 0; stamp < 7; stamp++) {
            WRONG_UNLESS(number_at(data + 8 * stamp, 8) >= before);
            before = number_at(data + 8 * stamp, 8);
        }
        WRONG_UNLESS(data[73] == 3 && data[74] == number++);
        *last_end = before;
    }
    return number == 3 ? 0 : __LINE__;
}

static uint8_t reported[64];
static uint64_t last_wait;     /* tick at the end of the cores' waits */
static uint32_t stamps[65536]; /* count per descriptor */

static int32_t on_report(uint32_t flag, const void *bytes, uint32_t length)
{
    const struct MsprofAdditionalInfo *info = bytes;

    (void)flag;
    if (length == sizeof(*info) && info->level == 10000 && info->type == 12)
        memcpy(reported, info->data, sizeof(reported));
    for (uint32_t at = 0; info->level == 3000 && at + 24 <= info->dataLen; at += 24) {
        uint64_t descriptor = number_at(info->data + at + 12, 4);

        stamps[descriptor & 0xFFFF]++;
        if (descriptor == 0x1021)
            last_wait = number_at(info->data + at, 8);
    }
    return 0;
}

static int check_report_of_host(uint64_t group, const struct rank *me)
{
    WRONG_UNLESS(number_at(reported, 8) == group);
    WRONG_UNLESS(number_at(reported + 8, 4) == me->ranks);
    WRONG_UNLESS(number_at(reported + 12, 4) == me->rank);
    WRONG_UNLESS(number_at(reported + 20, 4) == find_kind(1, 0)->stream);
    WRONG_UNLESS(number_at(reported + 24, 4) == me->ranks - 1);
    return 0;
}

/* Calls of the cores' library: prepare, one commit and wait per turn, finalize. */
static int check_stamps(void)
{
    const struct {
        uint32_t descriptor, times;
    } wanted[] = {{0x1100, 1}, {0x1010, 3}, {0x1020, 3 + BLOCKS - 1}, {0x1040, 1}};

    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        WRONG_UNLESS(stamps[wanted[i].descriptor] == wanted[i].times);
        WRONG_UNLESS(stamps[wanted[i].descriptor + 1] == wanted[i].times);
    }
    return 0;
}

static int report_all(struct rank *me)
{
    struct MsprofCommandHandle stamps_on = {.profSwitch = 0x100000000, .type = 1};
    char group[COMM_NAME_MAX_LENGTH];
    uint64_t moved = 0;
    int wrong;

    WRONG_UNLESS(!MsprofRegisterProfileCallback(5, (void *)on_report, sizeof(void *)));
    /* the kernel file registers its stamps when it is opened, so the first launch has
     * none */
    wrong = run_fused(me, me->rank);
    WRONG_UNLESS(!profSetProfCommand(&stamps_on, sizeof(stamps_on)));
    if (!wrong)
        wrong = run_fused(me, me->rank);
    if (!wrong)
        wrong = check_stamps();
    if (wrong)
        return wrong;
    WRONG_UNLESS(!HcclGetCommName(me->comm, group));
    wrong = check_turns(&moved);
    if (!wrong)
        wrong = check_tasks(hash_of(group), me->rank, moved);
    if (!wrong)
        wrong = check_report_of_host(hash_of(group), me);
    if (wrong)
        return wrong;
    WRONG_UNLESS(count_reports(5) == 3 && count_reports(10) == 1 &&
                 count_reports(12) == 2);
    WRONG_UNLESS(find_kind(1, 0)->ticks < find_kind(0, 0)->ticks);
    WRONG_UNLESS(find_kind(1, 1)->ticks > moved);
    WRONG_UNLESS(find_kind(0, 1)->ticks >= moved);
    WRONG_UNLESS(last_wait >= moved && last_wait <= find_kind(0, 1)->ticks);
    return 0;
}

static void turns_and_tasks_of_a_fused_operator_use_one_clock(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, report_all), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_and_tasks_of_a_fused_operator_use_one_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
