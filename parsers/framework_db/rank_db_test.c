/* rank_db_test.c - databases of ranks: genuine ones, old ones and ones without tables
 */
#include "parsers/framework_db/rank_db.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/sqlite/table_file.h"
#include "parsers/framework/rank_devices.h"
#include "tests/support/unit.h"

#define SAMPLES "../samples/framework/alexnet_ddp_level1_db/"
#define RANK_1                                                                         \
    SAMPLES "rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db"

static char folder[] = "/tmp/muster-rank-db-XXXXXX";
static char *path;
static struct names *names;
static struct kernel_list kernels;
static struct trace_view trace;
static struct err err;

static int begin(void **ctx)
{
    (void)ctx;
    path = xasprintf("%s/rank.db", folder);
    names = names_create();
    kernel_list_init(&kernels, names);
    return 0;
}

static int end(void **ctx)
{
    (void)ctx;
    unlink(path);
    free(path);
    kernel_list_clear(&kernels);
    trace_view_clear(&trace);
    names_destroy(names);
    return 0;
}

static struct table_file *create(const char *tables)
{
    struct table_file *file;

    assert_int_equal(table_file_create(&file, path, tables, &err), 0);
    return file;
}

static void finish(struct table_file *file)
{
    assert_int_equal(table_file_finish(file, &err), 0);
}

static size_t count_flags(uint8_t flag)
{
    size_t count = 0;

    for (size_t i = 0; i < trace.event_count; i++)
        count += (trace.events[i].flags & flag) != 0;
    return count;
}

static void a_genuine_database_is_read(void **ctx)
{
    const struct kernel *kernel;
    (void)ctx;
    assert_int_equal(rank_db_read_kernels(&kernels, RANK_1, -1, &err), 0);
    kernel_list_sort(&kernels);
    assert_int_equal(kernels.count, 191); /* 187 kernels and 4 collectives */
    kernel = &kernels.rows[0];
    assert_int_equal(kernel->start, 1736410576407391697);
    assert_string_equal(names_text(names, kernel->unit), "AI_VECTOR_CORE");
    assert_int_equal(kernel->unit_class, UNIT_CORE);
    assert_int_equal(kernel->device, 1);
    assert_int_equal(rank_db_read_trace(&trace, names, RANK_1, -1, &err), 0);
    assert_int_equal(trace.marker_count, 1);
    assert_int_equal(trace.marker_kind, TRACE_MARKER_TABLE);
    assert_string_equal(names_text(names, trace.markers[0].step), "50");
    assert_int_equal(trace.markers[0].start, 1736410576389878870);
    /* 2,460 calls of the framework without one marker, 709 of CANN */
    assert_int_equal(count_flags(TRACE_HOST), 2459 + 709);
    assert_int_equal(count_flags(TRACE_COPY), 24);
    assert_int_equal(count_flags(TRACE_WAIT), 10 + 112);
    assert_true(trace.has_stacks);
}

static void the_text_of_a_call_has_its_interface(void **ctx)
{
    bool found = false;
    (void)ctx;
    assert_int_equal(rank_db_read_trace(&trace, names, RANK_1, -1, &err), 0);
    for (size_t i = 0; i < trace.event_count; i++)
        found |=
            strncmp(names_text(names, trace.events[i].name), "AscendCL@acl", 12) == 0;
    assert_true(found);
}

/* The shadows, an unknown column, and rows without a valid time. */
static void other_tables_and_damaged_rows(void **ctx)
{
    struct table_file *file = create(
        "CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);"
        "CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, globalTaskId INTEGER,"
        " streamId INTEGER, depth INTEGER);"
        "CREATE TABLE COMPUTE_TASK_INFO (globalTaskId INTEGER PRIMARY KEY,"
        " name INTEGER, taskType INTEGER);"
        "CREATE TABLE COMMUNICATION_SCHEDULE_TASK_INFO (globalTaskId INTEGER"
        " PRIMARY KEY, name INTEGER, taskType INTEGER);"
        "CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER,"
        " endNs INTEGER)");
    (void)ctx;
    table_file_add(file, "STRING_IDS", "IT", (int64_t)1, "MatMul");
    table_file_add(file, "STRING_IDS", "IT", (int64_t)2, "AI_CORE");
    table_file_add(file, "STRING_IDS", "IT", (int64_t)3, "runner");
    table_file_add(file, "STRING_IDS", "IT", (int64_t)4, "AI_CPU");
    table_file_add(file, "STRING_IDS", "IT", (int64_t)5, "hcom_allReduce__1_0_1");
    table_file_add(file, "TASK", "IIIII", (int64_t)1000, (int64_t)1500, (int64_t)7,
                   (int64_t)2, (int64_t)0);
    table_file_add(file, "TASK", "TIIII", "soon", (int64_t)1600, (int64_t)8, (int64_t)2,
                   (int64_t)0);
    table_file_add(file, "TASK", "IIIII", (int64_t)2100, (int64_t)2900, (int64_t)9,
                   (int64_t)3, (int64_t)0);
    table_file_add(file, "COMPUTE_TASK_INFO", "III", (int64_t)7, (int64_t)1,
                   (int64_t)2);
    table_file_add(file, "COMPUTE_TASK_INFO", "III", (int64_t)8, (int64_t)1,
                   (int64_t)2);
    table_file_add(file, "COMMUNICATION_SCHEDULE_TASK_INFO", "III", (int64_t)9,
                   (int64_t)3, (int64_t)4);
    table_file_add(file, "COMMUNICATION_OP", "III", (int64_t)5, (int64_t)2000,
                   (int64_t)3000);
    finish(file);
    assert_int_equal(rank_db_read_kernels(&kernels, path, -1, &err), 0);
    kernel_list_sort(&kernels);
    assert_int_equal(kernels.count, 3);
    assert_int_equal(kernels.rows_skipped, 1);
    assert_non_null(strstr(text_get(&kernels.skipped), "COMPUTE_TASK_INFO"));
    assert_string_equal(names_text(names, kernels.rows[0].name), "MatMul");
    assert_int_equal(kernels.rows[0].stream, 2);
    assert_int_equal(kernels.rows[1].unit_class, UNIT_COMM);
    assert_int_equal(kernels.rows[1].stream, -1);
    assert_int_equal(kernels.rows[1].wait, 500);
    assert_string_equal(names_text(names, kernels.rows[2].type), "AicpuKernel");
    assert_int_equal(rank_db_read_trace(&trace, names, path, -1, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void a_database_without_tables_is_an_error(void **ctx)
{
    (void)ctx;
    finish(create("CREATE TABLE OTHER (n)"));
    assert_int_equal(rank_db_read_kernels(&kernels, path, -1, &err), -1);
    assert_non_null(strstr(err.text, "it is no database of the profiler"));
}

static void each_device_is_read_alone(void **ctx)
{
    struct rank_device devices[RANK_DEVICES_MAX];
    struct table_file *file =
        create("CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);"
               "CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER,"
               " globalTaskId INTEGER);"
               "CREATE TABLE COMPUTE_TASK_INFO (globalTaskId INTEGER PRIMARY KEY,"
               " name INTEGER)");
    (void)ctx;
    for (int64_t device = 0; device < 2; device++) {
        table_file_add(file, "RANK_DEVICE_MAP", "II", 8 + device, 4 + device);
        for (int64_t i = 0; i <= device; i++) {
            table_file_add(file, "TASK", "IIII", 100 + i, 101 + i, 4 + device,
                           10 * device + i);
            table_file_add(file, "COMPUTE_TASK_INFO", "II", 10 * device + i,
                           (int64_t)1);
        }
    }
    finish(file);
    assert_int_equal(rank_devices_find(devices, path, &err), 2);
    assert_int_equal(devices[1].rank, 9);
    assert_int_equal(devices[1].device, 5);
    assert_int_equal(rank_db_read_kernels(&kernels, path, 5, &err), 0);
    assert_int_equal(kernels.count, 2);
    assert_int_equal(rank_db_read_kernels(&kernels, path, 4, &err), 0);
    assert_int_equal(kernels.count, 3);
}

/* The database of rank 1, cut and with flipped bytes: kernels or an error with a text.
 */
static void damage_is_an_error_or_rows(void **ctx)
{
    char *bytes;
    size_t size;
    (void)ctx;
    assert_int_equal(file_read(&bytes, &size, RANK_1, 1 << 24, &err), 0);
    for (size_t cut = 0; cut < size; cut += 8192 + 64) {
        assert_int_equal(file_write(path, bytes, cut, &err), 0);
        if (rank_db_read_kernels(&kernels, path, -1, &err) < 0)
            assert_true(strlen(err.text) > 0);
        assert_true(kernels.count <= 191);
        kernel_list_clear(&kernels);
        kernel_list_init(&kernels, names);
    }
    for (size_t at = 0; at < size; at += 4001) {
        bytes[at] ^= 0x55;
        assert_int_equal(file_write(path, bytes, size, &err), 0);
        if (rank_db_read_kernels(&kernels, path, -1, &err) < 0)
            assert_true(strlen(err.text) > 0);
        if (rank_db_read_trace(&trace, names, path, -1, &err) < 0)
            assert_true(strlen(err.text) > 0);
        trace_view_clear(&trace);
        kernel_list_clear(&kernels);
        kernel_list_init(&kernels, names);
        bytes[at] ^= 0x55;
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_genuine_database_is_read, begin, end),
        cmocka_unit_test_setup_teardown(the_text_of_a_call_has_its_interface, begin,
                                        end),
        cmocka_unit_test_setup_teardown(other_tables_and_damaged_rows, begin, end),
        cmocka_unit_test_setup_teardown(a_database_without_tables_is_an_error, begin,
                                        end),
        cmocka_unit_test_setup_teardown(each_device_is_read_alone, begin, end),
        cmocka_unit_test_setup_teardown(damage_is_an_error_or_rows, begin, end),
    };
    int failed;

    if (!mkdtemp(folder))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
