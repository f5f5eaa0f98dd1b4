#include "parsers/framework/kernel_csv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

#define ALEXNET                                                                        \
    "../samples/framework/alexnet_ddp_level1_text/rank0_ascend_pt/"                    \
    "ASCEND_PROFILER_OUTPUT/kernel_details.csv"

static struct names *names;
static struct kernel_list list;
static struct err err;

static int read_text(const char *csv)
{
    char *path = xasprintf("/tmp/muster-kernels-%d.csv", getpid());
    int result;

    kernel_list_clear(&list);
    names_destroy(names);
    names = names_create();
    kernel_list_init(&list, names);
    assert_int_equal(file_write(path, csv, strlen(csv), &err), 0);
    result = kernel_csv_read(&list, path, &err);
    unlink(path);
    free(path);
    kernel_list_sort(&list);
    return result;
}

static const char *name_of(size_t row)
{
    return names_text(names, list.rows[row].name);
}

static void each_version_of_the_header_is_read(void **ctx)
{
    static const char *const files[] = {
        "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
        "Block Dim\n13,k,N/A,AI_CORE,1.5\t,2,0.25,8\n",
        "Step Id,Model ID,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),"
        "Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input "
        "Shapes\n"
        "13,1,2,3,k,T,AI_CORE,1.5\t,2,0.25,8,0,NO,\"\"\"1,2\"\"\"\n",
        "\xef\xbb\xbf"
        "Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),"
        "Wait Time(us),Block Num\r\n0,k,T,AI_CORE,1.5\t,2,0.25,8\r\n",
        "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,"
        "Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Num\n"
        "0,1,2,3,k,T,dynamic,AI_CORE,\"1.5\t\",2,0.25,8\n",
        "Op Name,Start Time(us),Task Duration(us),Task Wait Time(us),Task Type\n"
        "k,1.5,2,0.25,AI_CORE\n",
        "Extra,Wait Time(us),Duration(us),Start Time(us),Accelerator Core,Name\n"
        "x,0.25,2,1.5,AI_CORE,k\n",
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(files); i++) {
        assert_int_equal(read_text(files[i]), 0);
        assert_int_equal(list.count, 1);
        assert_string_equal(name_of(0), "k");
        assert_int_equal(list.rows[0].start, 1500);
        assert_int_equal(list.rows[0].end, 3500);
        assert_int_equal(list.rows[0].wait, 250);
        assert_int_equal(list.rows[0].unit_class, UNIT_CORE);
    }
}

static void missing_columns_have_no_values(void **ctx)
{
    (void)ctx;
    read_text("Name,Start Time(us),Duration(us)\nb,10,5\na,1,2\n");
    assert_int_equal(list.count, 2);
    assert_string_equal(name_of(0), "a");
    assert_int_equal(list.rows[0].stream, -1);
    assert_int_equal(list.rows[0].step, 0);
    assert_int_equal(list.rows[0].unit_class, UNIT_UNKNOWN);
    assert_int_equal(list.rows[0].wait, 0);
    assert_int_equal(list.rows[1].wait, 7000); /* the gap to the row before */
}

static void the_quotes_around_shapes_are_removed(void **ctx)
{
    (void)ctx;
    read_text("Name,Start Time(us),Duration(us),Input Shapes\n"
              "a,1,2,\"\"\"32,3;1\"\"\"\nb,3,2,N/A\n");
    assert_string_equal(names_text(names, list.rows[0].shapes), "32,3;1");
    assert_int_equal(list.rows[1].shapes, 0);
}

static void damaged_rows_are_counted_and_named(void **ctx)
{
    (void)ctx;
    read_text("Name,Start Time(us),Duration(us),Wait Time(us)\n"
              "a,1,2,0\n"
              "b,N/A,2,0\n"
              "c,3,x,0\n"
              "d,4,-1,0\n"
              "e,5,1,\n"
              "f,6,1\n"
              "g,7,1,0\n");
    assert_int_equal(list.count, 2);
    assert_int_equal(list.rows_read, 7);
    assert_int_equal(list.rows_skipped, 5);
    assert_non_null(strstr(text_get(&list.skipped), ":3: the start is no valid time"));
    assert_non_null(
        strstr(text_get(&list.skipped), ":4: the duration is no valid time"));
    assert_non_null(
        strstr(text_get(&list.skipped), ":5: the duration is no valid time"));
    assert_non_null(strstr(text_get(&list.skipped), ":6: the wait is no valid time"));
    assert_non_null(strstr(text_get(&list.skipped), ":7: the row has 3 fields"));
}

static void a_table_of_sums_is_refused(void **ctx)
{
    (void)ctx;
    assert_int_equal(
        read_text("OP Type,Core Type,Count,Total Time(us)\nAdd,AI_CORE,3,4\n"), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, "no column 'Name'"));
}

/* A collective does not change the class of the unit that it shares with other rows. */
static void each_row_has_the_class_of_its_unit(void **ctx)
{
    static const enum unit_class classes[] = {UNIT_CORE, UNIT_COMM, UNIT_AICPU,
                                              UNIT_AICPU, UNIT_CORE};
    (void)ctx;
    read_text("Name,Accelerator Core,Start Time(us),Duration(us)\n"
              "a,AI_CORE,1,1\nhcom_send_,AI_CPU,2,1\nb,AI_CPU,3,1\nc,AI_CPU,4,1\n"
              "d,AI_CORE,5,1\n");
    assert_int_equal(list.count, COUNT(classes));
    for (size_t i = 0; i < COUNT(classes); i++)
        assert_int_equal(list.rows[i].unit_class, classes[i]);
}

static void units_have_classes(void **ctx)
{
    (void)ctx;
    assert_int_equal(unit_class_of("MIX_AIV", "x"), UNIT_CORE);
    assert_int_equal(unit_class_of("DSA_SQE", "x"), UNIT_CORE);
    assert_int_equal(unit_class_of("AI_CPU", "x"), UNIT_AICPU);
    assert_int_equal(unit_class_of("HCCL", "x"), UNIT_COMM);
    assert_int_equal(unit_class_of("N/A", "hcom_send_"), UNIT_COMM);
    assert_int_equal(unit_class_of("N/A", "x"), UNIT_UNKNOWN);
    assert_int_equal(unit_class_of("DVPP", "x"), UNIT_OTHER);
}

static void a_genuine_file_is_read(void **ctx)
{
    (void)ctx;
    kernel_list_clear(&list);
    kernel_list_init(&list, names);
    assert_int_equal(kernel_csv_read(&list, ALEXNET, &err), 0);
    assert_int_equal(list.count, 191);
    assert_int_equal(list.rows_skipped, 0);
    assert_int_equal(list.rows[0].start, 1736408883704643212);
    assert_int_equal(kernel_duration(&list.rows[0]), 53741);
    assert_int_equal(list.rows[0].stream, 2);
    assert_string_equal(names_text(names, list.rows[0].step), "50");
    assert_string_equal(names_text(names, list.rows[0].shapes), "32,3,224,224");
}

static int clear(void **ctx)
{
    (void)ctx;
    kernel_list_clear(&list);
    names_destroy(names);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_version_of_the_header_is_read),
        cmocka_unit_test(missing_columns_have_no_values),
        cmocka_unit_test(the_quotes_around_shapes_are_removed),
        cmocka_unit_test(damaged_rows_are_counted_and_named),
        cmocka_unit_test(a_table_of_sums_is_refused),
        cmocka_unit_test(each_row_has_the_class_of_its_unit),
        cmocka_unit_test(units_have_classes),
        cmocka_unit_test(a_genuine_file_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, clear);
}
