/* analysis_db_test.c - the tables of analysis.db, against the genuine one of rank 1 */
#include "parsers/framework_db/analysis_db.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/sqlite/table_file.h"
#include "tests/support/unit.h"

#define OUTPUT                                                                         \
    "../samples/framework/alexnet_ddp_level1_db/rank1_ascend_pt/"                      \
    "ASCEND_PROFILER_OUTPUT/"
#define GENUINE OUTPUT "analysis.db"

static struct names *names;
static struct step_trace steps;
static struct comm_ops comm;
static struct comm_matrix matrix;
static struct err err;

static void assert_near(double value, double wanted, double tolerance)
{
    assert_true(fabs(value - wanted) <= tolerance);
}

static int begin(void **ctx)
{
    (void)ctx;
    names = names_create();
    return 0;
}

static int end(void **ctx)
{
    (void)ctx;
    step_trace_clear(&steps);
    comm_ops_clear(&comm);
    comm_matrix_clear(&matrix);
    names_destroy(names);
    return 0;
}

static void the_times_of_the_step(void **ctx)
{
    (void)ctx;
    assert_int_equal(analysis_db_read_steps(&steps, GENUINE, &err), 0);
    assert_int_equal(steps.count, 1);
    assert_string_equal(steps.rows[0].step, "50");
    assert_int_equal(step_trace_ns(&steps, "50", STEP_COMPUTING), 8915634);
    assert_int_equal(step_trace_ns(&steps, "50", STEP_COMMUNICATION), 98590190);
    assert_int_equal(step_trace_ns(&steps, "50", STEP_FREE), 25840499);
    assert_int_equal(step_trace_ns(&steps, "50", STEP_PREPARING), 17512827);
}

static void the_collectives_with_their_traffic(void **ctx)
{
    const struct comm_packages *packages;
    size_t count;
    (void)ctx;
    assert_int_equal(analysis_db_read_comm(&comm, names, GENUINE, &err), 0);
    assert_int_equal(comm.count, 4);
    assert_string_equal(names_text(names, comm.rows[3].name),
                        "hcom_allReduce__210_3_1");
    assert_string_equal(names_text(names, comm.rows[3].step), "step50");
    assert_false(comm.rows[3].is_p2p);
    assert_near(comm.rows[3].times.elapse_ms, 8.7692351875, 1e-9);
    assert_near(comm.rows[3].times.sync_ms, 0.02124040625, 1e-9);
    /* two sizes of packages repeat the size of the transport */
    assert_near(comm.rows[3].traffic[COMM_HCCS].size_mb, 17.2672, 1e-9);
    assert_near(comm.rows[3].traffic[COMM_SDMA].time_ms, 2.096461875, 1e-9);
    packages = comm_ops_packages_of(&comm, 3, &count);
    assert_int_equal(count, 2);
    assert_int_equal(packages[1].transport, COMM_HCCS);
    assert_near(packages[0].size_mb * packages[0].count +
                    packages[1].size_mb * packages[1].count,
                17.2672, 1e-9);
}

static void the_sums_of_the_links(void **ctx)
{
    double local_mb = 0;
    size_t sums = 0;
    (void)ctx;
    assert_int_equal(analysis_db_read_matrix(&matrix, names, GENUINE, &err), 0);
    for (size_t i = 0; i < matrix.count; i++) {
        assert_int_equal(matrix.rows[i].from, 1);
        if (!matrix.rows[i].is_sum)
            continue;
        sums++;
        if (matrix.rows[i].to == 1)
            local_mb = matrix.rows[i].size_mb;
    }
    assert_int_equal(sums, 8); /* to each rank of the group */
    assert_near(local_mb, 61.210656, 1e-6);
}

static void parallel_groups_of_a_database(void **ctx)
{
    char path[] = "/tmp/muster-meta-XXXXXX";
    struct profiler_metadata metadata;
    struct table_file *file;
    int fd = mkstemp(path);
    (void)ctx;
    close(fd);
    assert_int_equal(
        table_file_create(&file, path, "CREATE TABLE META_DATA (name, value)", &err),
        0);
    table_file_add(file, "META_DATA", "TT", "SCHEMA_VERSION", "1.0.0");
    table_file_add(file, "META_DATA", "TT", "distributed_args",
                   "{\"world_size\": 4, \"tensor_model_parallel_size\": 2}");
    table_file_add(
        file, "META_DATA", "TT", "parallel_group_info",
        "{\"group_name_0\": {\"group_name\": \"dp\", \"global_ranks\": [1,3]}}");
    assert_int_equal(table_file_finish(file, &err), 0);
    assert_int_equal(analysis_db_read_metadata(&metadata, path, &err), 0);
    assert_int_equal(metadata.world, 4);
    assert_int_equal(metadata.tensor, 2);
    assert_int_equal(metadata.groups[0].hash, 5862276093215481612u);
    assert_int_equal(metadata.groups[0].ranks[1], 3);
    profiler_metadata_clear(&metadata);
    unlink(path);
}

static void a_missing_table_is_named(void **ctx)
{
    struct profiler_metadata metadata;
    (void)ctx;
    assert_int_equal(
        analysis_db_read_steps(&steps, OUTPUT "ascend_pytorch_profiler_1.db", &err),
        -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "has no table StepTraceTime"));
    assert_int_equal(analysis_db_read_metadata(&metadata, GENUINE, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
}

/* Cut at every 64th byte and with flipped bytes: figures or an error with a text. */
static void damaged_databases(void **ctx)
{
    char path[] = "/tmp/muster-damaged-XXXXXX", *bytes;
    int fd = mkstemp(path);
    size_t size;
    (void)ctx;
    close(fd);
    assert_int_equal(file_read(&bytes, &size, GENUINE, 1 << 20, &err), 0);
    for (size_t i = 0; i < size; i += 64) {
        bool is_cut = i % 128 == 0;

        bytes[i] ^= 0x2a;
        assert_int_equal(file_write(path, bytes, is_cut ? i : size, &err), 0);
        bytes[i] ^= 0x2a;
        if (analysis_db_read_steps(&steps, path, &err) < 0)
            assert_true(strlen(err.text) > 0);
        if (analysis_db_read_comm(&comm, names, path, &err) < 0)
            assert_true(strlen(err.text) > 0);
        if (analysis_db_read_matrix(&matrix, names, path, &err) < 0)
            assert_true(strlen(err.text) > 0);
        assert_true(steps.count <= 1 && matrix.count <= 64);
        step_trace_clear(&steps);
        comm_ops_clear(&comm);
        comm_matrix_clear(&matrix);
    }
    free(bytes);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_times_of_the_step, begin, end),
        cmocka_unit_test_setup_teardown(the_collectives_with_their_traffic, begin, end),
        cmocka_unit_test_setup_teardown(the_sums_of_the_links, begin, end),
        cmocka_unit_test(parallel_groups_of_a_database),
        cmocka_unit_test(a_missing_table_is_named),
        cmocka_unit_test_setup_teardown(damaged_databases, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
