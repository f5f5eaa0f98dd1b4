#include "cli/capture/capture_extract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/text.h"
#include "lib/capture/format/records.h"
#include "lib/capture/format/writer.h"
#include "tests/support/unit.h"

static char folder[64], file[128], out[128];
static struct err err;

static void put_bytes(struct capture_writer *writer,
                      uint32_t channel,
                      uint32_t pass,
                      uint64_t offset,
                      const char *text)
{
    uint8_t bytes[64] = {0};
    struct record_channel_bytes head = {
        .length = sizeof(bytes), .device = 2, .channel = channel, .pass = pass};

    head.launch = 1;
    head.offset = offset;
    head.bytes = (uint32_t)strlen(text);
    memcpy(bytes, &head, sizeof(head));
    memcpy(bytes + sizeof(head), text, head.bytes);
    assert_int_equal(capture_put(writer, RECORD_CHANNEL_BYTES, bytes, sizeof(bytes), 0),
                     0);
}

static void make_folder(void)
{
    strcpy(folder, "/tmp/muster-extract-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof(file), "%s/x.iidb", folder);
    snprintf(out, sizeof(out), "%s/vendor", folder);
}

static int make_file(void **ctx)
{
    static uint8_t buffer[CAPTURE_GROUP_MAX];
    struct record_run_clock clock = {.core_mhz_rated = 1800, .soc = "Ascend910B1"};
    struct record_launch launch = {
        .launch = 1, .device = 2, .block_dim = 8, .kernel = "_Z3add_mix", .pid = 77};
    struct capture_writer writer;
    const void *bytes;
    size_t size;

    (void)ctx;
    make_folder();
    capture_writer_init(&writer, buffer, sizeof(buffer), 5, 0, 0, 0);
    assert_int_equal(capture_put(&writer, RECORD_RUN_CLOCK, &clock, sizeof(clock), 0),
                     0);
    assert_int_equal(capture_put(&writer, RECORD_LAUNCH, &launch, sizeof(launch), 0),
                     0);
    put_bytes(&writer, 47, 0, 0, "cache");
    put_bytes(&writer, 53, 1, 0, "one ");
    put_bytes(&writer, 53, 1, 4, "pass");
    put_bytes(&writer, 50, 1, 0, "an early, longer log");
    put_bytes(&writer, 53, 2, 0, "two");
    put_bytes(&writer, 50, 2, 0, "the log");
    assert_true(capture_writer_finish(&writer, &bytes, &size));
    return file_write(file, bytes, size, &err);
}

/* Appends a launch of one rank to the bytes of a file; the process has the number of
 * the rank. */
static void add_rank(struct text *bytes, uint64_t run_id, uint32_t rank)
{
    static uint8_t buffer[CAPTURE_GROUP_MAX];
    struct record_launch launch = {
        .launch = 1, .device = 2, .kernel = "_Z3add_mix", .pid = rank};
    struct capture_writer writer;
    const void *group;
    size_t size;

    capture_writer_init(&writer, buffer, sizeof(buffer), run_id, rank << 16, 0, 0);
    assert_int_equal(capture_put(&writer, RECORD_LAUNCH, &launch, sizeof(launch), 0),
                     0);
    assert_true(capture_writer_finish(&writer, &group, &size));
    text_add_bytes(bytes, group, size);
}

/* Writes a file with ranks 1 and 3 of attempt 5, and rank 2 of attempt 6. */
static int make_file_of_ranks(void **ctx)
{
    struct text bytes = {0};

    (void)ctx;
    make_folder();
    add_rank(&bytes, 5, 1);
    add_rank(&bytes, 5, 3);
    add_rank(&bytes, 6, 2);
    assert_int_equal(file_write(file, bytes.bytes, bytes.length, &err), 0);
    text_clear(&bytes);
    return 0;
}

static int remove_all(void **ctx)
{
    (void)ctx;
    return folder_remove(folder, &err);
}

static int
extract(uint64_t run_id, int64_t rank, const char *launch, uint64_t *launches)
{
    const struct capture_extract_choice choice = {run_id, rank, launch};

    return capture_extract(file, out, &choice, launches, &err);
}

static void expect(const char *name, const char *content)
{
    char path[256], *bytes;
    size_t size;

    snprintf(path, sizeof(path), "%s/device2/_Z3add_mix/0/dump/%s", out, name);
    if (file_read(&bytes, &size, path, 4096, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(bytes, content);
    free(bytes);
}

static void the_files_have_the_vendors_names_and_content(void **ctx)
{
    uint64_t launches;

    (void)ctx;
    if (extract(0, -1, NULL, &launches) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(launches, 1);
    expect("DeviceProf1.bin", "one pass");
    expect("DeviceProf2.bin", "two");
    expect("L2Cache.bin", "cache");
    expect("duration.bin", "the log");
    expect("op_basic_info.txt",
           "Op Name=add\nBlock Dim=8\nRun Soc Version=Ascend910B1\nDevice Id=2\n"
           "Pid=77\nCurrent Freq=NA\nRated Freq=1800\nIs MC2=0\nIs Lccl=0\nHas Simt=0\n"
           "Metrics=\nSimulated=0\nTicks Khz=0\nCore Count=0\nHbm Maker=0\n");
    /* a second extraction would mix the files */
    assert_int_equal(extract(0, -1, NULL, &launches), -1);
    assert_int_equal(err.code, ERR_CONFLICT);
}

static void an_unknown_attempt_is_an_error(void **ctx)
{
    uint64_t launches;

    (void)ctx;
    assert_int_equal(extract(6, 0, NULL, &launches), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "has no attempt 6; 'muster capture ls' lists"));
    assert_false(file_exists(out));
}

/* Returns the rank of which a launch was extracted. */
static unsigned extracted_rank(uint64_t run_id, int64_t rank)
{
    char path[256], *info, *pid;
    uint64_t launches;
    unsigned number;
    size_t size;

    if (extract(run_id, rank, NULL, &launches) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(launches, 1);
    snprintf(path, sizeof(path), "%s/device2/_Z3add_mix/0/dump/op_basic_info.txt", out);
    assert_int_equal(file_read(&info, &size, path, 4096, &err), 0);
    pid = strstr(info, "Pid=");
    assert_non_null(pid);
    number = (unsigned)strtoul(pid + 4, NULL, 10);
    free(info);
    assert_int_equal(folder_remove(out, &err), 0);
    return number;
}

static void the_requested_rank_is_extracted(void **ctx)
{
    (void)ctx;
    assert_int_equal(extracted_rank(0, 3), 3);
    assert_int_equal(extracted_rank(0, 1), 1);
    assert_int_equal(extracted_rank(5, 3), 3);
    assert_int_equal(extracted_rank(6, 2), 2);
}

static void the_default_is_the_first_rank_of_the_attempt(void **ctx)
{
    (void)ctx;
    assert_int_equal(extracted_rank(0, -1), 1);
    assert_int_equal(extracted_rank(6, -1), 2);
}

static void the_error_for_an_unknown_rank_lists_the_ranks_of_the_attempt(void **ctx)
{
    uint64_t launches;

    (void)ctx;
    assert_int_equal(extract(0, 2, NULL, &launches), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "attempt 5 has no rank 2; its ranks are 1, 3"));
    assert_false(file_exists(out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_files_have_the_vendors_names_and_content,
                                        make_file, remove_all),
        cmocka_unit_test_setup_teardown(an_unknown_attempt_is_an_error, make_file,
                                        remove_all),
        cmocka_unit_test_setup_teardown(the_requested_rank_is_extracted,
                                        make_file_of_ranks, remove_all),
        cmocka_unit_test_setup_teardown(the_default_is_the_first_rank_of_the_attempt,
                                        make_file_of_ranks, remove_all),
        cmocka_unit_test_setup_teardown(
            the_error_for_an_unknown_rank_lists_the_ranks_of_the_attempt,
            make_file_of_ranks, remove_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
