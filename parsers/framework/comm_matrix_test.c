/* comm_matrix_test.c - links of a genuine file, of msprof's form, and damaged files */
#include "parsers/framework/comm_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "tests/support/unit.h"

#define SAMPLE                                                                         \
    "../samples/framework/qwen3_pp2dp2_level2_text/rank_0_ascend_pt/"                  \
    "ASCEND_PROFILER_OUTPUT/communication_matrix.json"

static int read_bytes(struct comm_matrix *matrix,
                      struct names *names,
                      const char *bytes,
                      size_t size)
{
    char path[] = "/tmp/muster-matrix-XXXXXX";
    int fd = mkstemp(path), result;
    struct err err;

    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
    result = comm_matrix_read(matrix, names, path, &err);
    unlink(path);
    return result;
}

static void sums_of_a_genuine_file(void **ctx)
{
    struct names *names = names_create();
    struct comm_matrix matrix;
    double local = 0, hccs = 0;
    struct err err;

    (void)ctx;
    assert_int_equal(comm_matrix_read(&matrix, names, SAMPLE, &err), 0);
    for (size_t i = 0; i < matrix.count; i++) {
        const struct comm_link *link = &matrix.rows[i];

        if (!link->is_sum ||
            strcmp(names_text(names, link->group), "5862276114690318097") != 0)
            continue;
        assert_string_equal(names_text(names, link->step), "step13");
        assert_int_equal(link->from, 0);
        if (link->to == 0) {
            assert_string_equal(names_text(names, link->transport), "LOCAL");
            local += link->size_mb;
        } else {
            assert_string_equal(names_text(names, link->transport), "HCCS");
            hccs += link->size_mb;
        }
    }
    assert_true(fabs(local - 2254.8942) < 5e-5);
    assert_true(fabs(hccs - 1127.447) < 5e-4);
    comm_matrix_clear(&matrix);
    names_destroy(names);
}

static void a_file_of_msprof_and_links_without_members(void **ctx)
{
    static const char text[] =
        "{\"send-total@7\": {\"0-3\": {\"Transport Type\": \"RDMA\", \"Transit "
        "Size(MB)\": 2, \"Transit Time(ms)\": 0.5}, \"0-4\": {\"Transport Type\": "
        "\"RDMA\"}, \"0-x\": {}, \"1-2-3\": 5}, \"send-top1@7\": {\"0-1\": "
        "{\"Transport "
        "Type\": \"RDMA\", \"Transit Size(MB)\": 2, \"Transit Time(ms)\": 1, \"Op "
        "Name\": \"hcom_send__1\"}}}";
    struct names *names = names_create();
    struct comm_matrix matrix;

    (void)ctx;
    assert_int_equal(read_bytes(&matrix, names, text, strlen(text)), 0);
    assert_int_equal(matrix.count, 2);
    assert_true(matrix.rows[0].is_sum);
    assert_false(matrix.rows[1].is_sum);
    assert_string_equal(names_text(names, matrix.rows[1].kind), "send-top1");
    assert_string_equal(names_text(names, matrix.rows[1].op), "hcom_send__1");
    assert_int_equal(matrix.rows[0].to, 3);
    assert_true(matrix.rows[0].size_mb == 2 && matrix.rows[0].time_ms == .5);
    assert_string_equal(names_text(names, matrix.rows[0].group), "7");
    comm_matrix_clear(&matrix);
    names_destroy(names);
}

/* A cut file is an error; a changed byte is an error or costs links. */
static void damaged_files(void **ctx)
{
    struct names *names = names_create();
    struct comm_matrix matrix, whole;
    struct err err;
    char *bytes;
    size_t size;

    (void)ctx;
    assert_int_equal(comm_matrix_read(&whole, names, SAMPLE, &err), 0);
    assert_int_equal(file_read(&bytes, &size, SAMPLE, 1 << 20, &err), 0);
    for (size_t cut = 0; cut + 1 < size; cut += 64)
        assert_int_equal(read_bytes(&matrix, names, bytes, cut), -1);
    for (size_t at = 0; at < size; at += 97) {
        bytes[at] ^= 0x15;
        if (read_bytes(&matrix, names, bytes, size) == 0) {
            assert_true(matrix.count <= whole.count + 1);
            comm_matrix_clear(&matrix);
        }
        bytes[at] ^= 0x15;
    }
    free(bytes);
    comm_matrix_clear(&whole);
    names_destroy(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_a_genuine_file),
        cmocka_unit_test(a_file_of_msprof_and_links_without_members),
        cmocka_unit_test(damaged_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
