/* host_ops_test.c - operators of the host, in both versions of the file, and damage */
#include "parsers/framework/host_ops.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static struct names *names;
static struct host_ops ops;
static struct err err;

static int read_text(const char *text, size_t size)
{
    char path[] = "/tmp/muster-host-ops-XXXXXX";
    int fd = mkstemp(path), result;

    assert_int_equal(write(fd, text, size), size);
    close(fd);
    host_ops_clear(&ops);
    result = host_ops_read(&ops, names, path, &err);
    unlink(path);
    return result;
}

static const char genuine[] =
    "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total "
    "Duration(us),Device "
    "Self Duration(us),Device Total Duration(us),Device Self Duration With "
    "AICore(us),Device Total Duration With AICore(us)\n"
    "aten::conv2d,\"32,3;\r\n64,3\",\"a.py(1): f;\r\nb.py(2): "
    "g\",4.5,90.25,0.0,0.0,0,0\n"
    "aten::add,,,10.0,10.0,2.5,2.5,2.5,2.5\n"
    "aten::conv2d,,\"a \"\"quoted\"\" frame\",3.0,3,1.5,1.5,0,0\n";

static void calls_of_an_operator_are_added_up(void **ctx)
{
    (void)ctx;
    assert_int_equal(read_text(genuine, strlen(genuine)), 0);
    assert_int_equal(ops.count, 2);
    assert_string_equal(names_text(names, ops.rows[0].name), "aten::add");
    assert_int_equal(ops.rows[1].calls, 2);
    assert_true(ops.rows[1].host_us == 7.5 && ops.rows[1].device_us == 1.5);
    assert_int_equal(ops.rows_read, 3);
    assert_int_equal(ops.rows_skipped, 0);
}

static void the_other_version_is_read(void **ctx)
{
    static const char text[] = "\xef\xbb\xbfOp Name,Execution Time(us),Device "
                               "Duration(us)\r\nmm,3,N/A\r\nmm,x,1\r\n,1,1\r\n";
    (void)ctx;
    assert_int_equal(read_text(text, strlen(text)), 0);
    assert_int_equal(ops.count, 1);
    assert_true(ops.rows[0].host_us == 3 && ops.rows[0].device_us == 0);
    assert_int_equal(ops.rows_skipped, 2);
}

static void another_table_is_an_error(void **ctx)
{
    static const char text[] = "Step,Free\n1,2\n";
    (void)ctx;
    assert_int_equal(read_text(text, strlen(text)), -1);
    assert_non_null(strstr(err.text, "is no list of operators"));
}

/* A cut costs the row at its end; a changed byte costs rows or is an error. */
static void damage_costs_rows(void **ctx)
{
    char *copy = xmemdup(genuine, sizeof(genuine));
    size_t header = strcspn(genuine, "\n") + 1;
    (void)ctx;
    for (size_t length = header; length < strlen(genuine); length++)
        if (read_text(genuine, length) == 0)
            assert_true(ops.rows_read <= 3 && ops.count <= 2);
    for (size_t i = 0; i < strlen(genuine); i++) {
        copy[i] ^= 0x11;
        if (read_text(copy, strlen(genuine)) == 0)
            assert_true(ops.count <= 3);
        copy[i] ^= 0x11;
    }
    free(copy);
}

static int set_up(void **ctx)
{
    (void)ctx;
    names = names_create();
    return 0;
}

static int clear(void **ctx)
{
    (void)ctx;
    host_ops_clear(&ops);
    names_destroy(names);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_an_operator_are_added_up),
        cmocka_unit_test(the_other_version_is_read),
        cmocka_unit_test(another_table_is_an_error),
        cmocka_unit_test(damage_costs_rows),
    };
    return cmocka_run_group_tests(tests, set_up, clear);
}
