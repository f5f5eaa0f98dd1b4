#include "worker/spool/result_slots.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "tests/support/unit.h"

static char folder[64];
static struct {
    uint64_t sum;
    unsigned count;
    char last[SLOT_BYTES];
} seen;

static void count_result(void *arg, uint64_t run_id, uint64_t rank, const char *text)
{
    (void)arg;
    seen.sum += run_id * 100 + rank;
    seen.count++;
    snprintf(seen.last, sizeof(seen.last), "%s", text);
}

static struct result_slots *reopen(struct result_slots *slots)
{
    struct err err;

    result_slots_close(slots);
    assert_int_equal(result_slots_open(&slots, folder, &err), 0);
    memset(&seen, 0, sizeof(seen));
    result_slots_each(slots, count_result, NULL);
    return slots;
}

static int make_folder(void **ctx)
{
    (void)ctx;
    snprintf(folder, sizeof(folder), "/tmp/muster-slots-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **ctx)
{
    struct err err;

    (void)ctx;
    return folder_remove(folder, &err);
}

static void a_result_survives_a_kill_of_the_worker(void **ctx)
{
    struct result_slots *slots = reopen(NULL);
    int status;

    (void)ctx;
    assert_int_equal(seen.count, 0);
    pid_t pid = fork();
    if (pid == 0) {
        result_slots_put(slots, 7, 1, "done 0\nfine");
        result_slots_put(slots, 8, 0, "failed 1\n");
        result_slots_drop(slots, 8, 0);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    slots = reopen(slots);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.sum, 701);
    assert_string_equal(seen.last, "done 0\nfine");
    assert_true(result_slots_drop(slots, 7, 1));
    assert_false(result_slots_drop(slots, 7, 1));
    slots = reopen(slots);
    assert_int_equal(seen.count, 0);
    result_slots_close(slots);
    result_slots_close(NULL);
}

static void full_slots_and_long_texts_are_refused(void **ctx)
{
    struct result_slots *slots = reopen(NULL);
    char text[SLOT_BYTES];

    (void)ctx;
    memset(text, 'x', sizeof(text));
    text[SLOT_BYTES - 24] = '\0';
    assert_false(result_slots_put(slots, 1, 0, text));
    text[SLOT_BYTES - 25] = '\0';
    for (uint64_t id = 1; id <= RESULT_SLOTS; id++)
        assert_true(result_slots_put(slots, id, 0, text));
    assert_false(result_slots_put(slots, 99, 0, "x"));
    slots = reopen(slots);
    assert_int_equal(seen.count, RESULT_SLOTS);
    assert_int_equal(strlen(seen.last), SLOT_BYTES - 25);
    assert_true(result_slots_drop(slots, 5, 0));
    assert_true(result_slots_put(slots, 99, 0, "x"));
    result_slots_close(slots);
}

/* The slots of a file with random content are not in use or have no terminated text. */
static void a_damaged_file_yields_no_result(void **ctx)
{
    struct result_slots *slots = NULL;
    char path[96], bytes[RESULT_SLOTS * SLOT_BYTES];
    struct err err;

    (void)ctx;
    snprintf(path, sizeof(path), "%s/results.slots", folder);
    memset(bytes, 0xff, sizeof(bytes));
    bytes[0] = 1; /* `used` is not 1, because its other bytes are 0xff */
    memset(bytes + SLOT_BYTES, 0, 8);
    bytes[SLOT_BYTES] = 1; /* in use, but the text is not terminated */
    assert_int_equal(file_write(path, bytes, sizeof(bytes), &err), 0);
    slots = reopen(slots);
    assert_int_equal(seen.count, 0);
    assert_true(result_slots_put(slots, 1, 0, "x"));
    result_slots_close(slots);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_result_survives_a_kill_of_the_worker),
        CASE(full_slots_and_long_texts_are_refused),
        CASE(a_damaged_file_yields_no_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
