/* damage_test.c - every file that a reader knows, cut short at every 64th byte and with
 * bytes turned over: an error or a partial result that says so, and never a crash
 *
 * Where a file has no head and no sum, a cut between two of its records shows nowhere:
 * `whole` says so for each. MUSTER_TEST_FLIP_ALL=all turns over every byte. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "parsers/records/live_registers.h"
#include "parsers/run/read_all.h"
#include "parsers/simulator/sim_bin.h"
#include "parsers/simulator/sim_tables.h"
#include "parsers/simulator/sim_trace.h"
#include "parsers/source/sample_folder.h"
#include "tests/support/unit.h"

enum { CUT_STEP = 64, FLIPS = 24, TEXT = 1, LOG = 2 };

static char top[64];

/* A cut at a multiple of `whole` is silent; TEXT: at the end of any word or line;
 * LOG: nothing at all is good news. */
static const struct input {
    const char *name;
    size_t whole;
    size_t valid; /* bytes that mean something; 0: all */
} inputs[] = {
    {"op_basic_info.txt", TEXT, 0},
    {"DeviceProf1.bin", 0, 0},
    {"DeviceProf2.bin", 0, 0},
    {"duration.bin", 0, 0},
    {"L2Cache.bin", 0, 0},
    {"aic_timestamp.bin", 24, 0}, /* of lightweight collectives 32 */
    {"aicpu.bin", 256, 0},
    {"MemoryChart.bin", 56, 0},
    {"kernel0.extra.0", 0, 0},
    {"kernel0Stub.o.bbbmap.0", TEXT, 0},
    {"pc_start_addr.txt", TEXT, 0},
    {"pc_start_pcsampling.txt", TEXT, 0},
    {"aicore_binary.o", 0, 0},
    {"timeline.bin.0", 0, 256},
    {"dfx_region_map.txt", TEXT, 0},
    {"dfx_tune.log", LOG, 0},
    {"pcSampling.bin.0", 0, 256},
    {"WarpTimeline.bin", 0, 0},
    {"PcOffset.bin", 0, 0},
    {"OperandRecord.bin", 0, 256},
    {"lrm.bin", 0, 0},
};

struct bytes {
    char *at;
    size_t size;
};

static struct bytes load(const char *folder, const char *name)
{
    char path[512];
    struct bytes bytes = {0};
    struct err err;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (file_exists(path) &&
        file_read(&bytes.at, &bytes.size, path, 16 << 20, &err) < 0)
        fail_msg("%s", err.text);
    return bytes;
}

/* A launch, and the vendor's own list of registers beside it. */
static void make_launch(const char *folder, const struct sample_launch *launch)
{
    sample_dump(folder, launch, SAMPLE_INLINED);
    if (launch->counts_operands) {
        struct bytes bytes = load("../samples/lrm", "lrm.data");

        sample_file(folder, "lrm.bin", bytes.at, bytes.size);
        free(bytes.at);
    }
}

static struct read_all read_folder(const char *folder)
{
    struct read_all told = {0};
    struct source *source;
    struct err err;

    if (source_read_folder(&source, folder, &err) < 0) {
        assert_true(err.text[0]);
        told.words = SIZE_MAX;
        return told;
    }
    told = read_all(source);
    source_destroy(source);
    return told;
}

static void cut_everywhere(const char *folder,
                           const struct input *input,
                           const struct bytes *bytes,
                           const struct read_all *whole)
{
    size_t end = input->valid ? input->valid : bytes->size;
    bool is_lccl = strstr(folder, "collective") && input->whole == 24;
    size_t step = is_lccl ? 32 : input->whole;

    for (size_t size = 0; size < end; size += CUT_STEP) {
        sample_file(folder, input->name, bytes->at, size);
        struct read_all told = read_folder(folder);
        bool may_be_silent = step == TEXT || (step && size % step == 0);

        if (told.words <= whole->words && told.incomplete <= whole->incomplete &&
            (size == 0 || !may_be_silent) && step != LOG)
            fail_msg("%s/%s cut to %zu of %zu bytes: nobody says so", folder,
                     input->name, size, bytes->size);
    }
}

static void
flip_bytes(const char *folder, const struct input *input, const struct bytes *bytes)
{
    size_t end = input->valid ? input->valid : bytes->size;
    size_t step = getenv("MUSTER_TEST_FLIP_ALL") || end <= FLIPS ? 1 : end / FLIPS | 1;

    for (size_t at = 0; at < end; at += step) {
        char good = bytes->at[at];

        bytes->at[at] = (char)(at / step % 2 ? ~good : good ^ 1 << at % 8);
        sample_file(folder, input->name, bytes->at, bytes->size);
        read_folder(folder);
        bytes->at[at] = good;
    }
}

static void each_file_of_a_launch_may_be_damaged(void **ctx)
{
    size_t tried[COUNT(inputs)] = {0};
    (void)ctx;
    for (size_t i = 0; i < COUNT(sample_launches); i++) {
        char folder[128];
        struct read_all whole;

        snprintf(folder, sizeof(folder), "%s/%s", top, sample_launches[i].name);
        make_launch(folder, &sample_launches[i]);
        whole = read_folder(folder);
        assert_true(whole.bytes > 0);
        assert_int_equal(whole.incomplete, 0);
        for (size_t k = 0; k < COUNT(inputs); k++) {
            struct bytes bytes = load(folder, inputs[k].name);

            if (!bytes.at)
                continue;
            tried[k]++;
            cut_everywhere(folder, &inputs[k], &bytes, &whole);
            flip_bytes(folder, &inputs[k], &bytes);
            sample_file(folder, inputs[k].name, bytes.at, bytes.size);
            free(bytes.at);
        }
        struct read_all again = read_folder(folder);
        assert_memory_equal(&again, &whole, sizeof(whole));
    }
    for (size_t k = 0; k < COUNT(inputs); k++)
        if (!tried[k])
            fail_msg("no launch has a %s", inputs[k].name);
}

/* The files of these launches are those that are tried, or like one of them. */
static void every_file_of_a_launch_is_tried(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(sample_launches); i++) {
        char folder[128];
        struct dirent *entry;
        DIR *entries;

        snprintf(folder, sizeof(folder), "%s/all-%s", top, sample_launches[i].name);
        make_launch(folder, &sample_launches[i]);
        entries = opendir(folder);
        assert_non_null(entries);
        while ((entry = readdir(entries))) {
            bool found = entry->d_name[0] == '.' ||
                         strncmp(entry->d_name, "DeviceProf", 10) == 0;

            for (size_t k = 0; k < COUNT(inputs) && !found; k++)
                found = strcmp(inputs[k].name, entry->d_name) == 0;
            if (!found)
                fail_msg("%s is damaged by nobody", entry->d_name);
        }
        closedir(entries);
    }
}

/* A range's files lie beside the launch; each is cut and turned over like the others.
 */
static void the_files_of_a_range_may_be_damaged(void **ctx)
{
    static const struct input range[] = {
        {"DeviceProf1.bin", 0, 0},
        {"duration.bin", 0, 0},
        {"output.txt", TEXT, 0},
        {"freq.txt", TEXT, 0},
    };
    static const char list[] = "/was/elsewhere/device3/fused/0/dump\n",
                      freq[] = "Current Freq=1000\nRated Freq=1800\n";
    char in[128], folder[160], scratch[160];
    (void)ctx;
    snprintf(in, sizeof(in), "%s/range", top);
    snprintf(folder, sizeof(folder), "%s/device3/fused/0/dump", in);
    snprintf(scratch, sizeof(scratch), "%s/tmp_dump/device3/1/0", in);
    sample_dump(folder, &sample_launches[0], NULL);
    sample_passes(scratch, &sample_launches[0]);
    sample_task_log(scratch, &sample_launches[0]);
    sample_file(scratch, "output.txt", list, sizeof(list) - 1);
    sample_file(scratch, "freq.txt", freq, sizeof(freq) - 1);
    for (size_t i = 0; i < COUNT(range); i++) {
        struct bytes bytes = load(scratch, range[i].name);
        char good = bytes.at[bytes.size / 2];

        for (size_t size = 0; size < bytes.size; size += CUT_STEP) {
            sample_file(scratch, range[i].name, bytes.at, size);
            struct read_all told = read_folder(in);
            if (range[i].whole != TEXT && !told.words)
                fail_msg("%s cut to %zu bytes: nobody says so", range[i].name, size);
        }
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes.at[bytes.size / 2] = (char)(good ^ 1 << bit);
            sample_file(scratch, range[i].name, bytes.at, bytes.size);
            read_folder(in);
        }
        bytes.at[bytes.size / 2] = good;
        sample_file(scratch, range[i].name, bytes.at, bytes.size);
        free(bytes.at);
    }
}

/* All views of a simulation; false when it was refused, with a word. */
static bool read_simulation(const char *folder, const char *soc)
{
    struct simulation simulation;
    struct text out = {0};
    struct err err;

    if (simulation_open(&simulation, folder, soc, NULL, &err) < 0) {
        assert_true(err.text[0]);
        return false;
    }
    for (size_t i = 0; i < simulation.core_count; i++) {
        sim_tables_code(&simulation, &simulation.cores[i], &out);
        sim_tables_instructions(&simulation, &simulation.cores[i], &out);
    }
    sim_trace_write(&simulation, &out);
    sim_bin_write(&simulation, &out);
    simulation_close(&simulation);
    text_clear(&out);
    return true;
}

/* Logs are lines of text: what a cut leaves over is read, or counted as no line. */
static void damage_log(const char *folder, const char *soc, const char *name)
{
    struct bytes bytes = load(folder, name);
    size_t step = getenv("MUSTER_TEST_FLIP_ALL") || bytes.size <= FLIPS
                      ? 1
                      : bytes.size / FLIPS | 1;

    for (size_t size = 0; size < bytes.size; size += CUT_STEP) {
        sample_file(folder, name, bytes.at, size);
        read_simulation(folder, soc);
    }
    for (size_t at = 0; at < bytes.size; at += step) {
        bytes.at[at] = (char)~bytes.at[at];
        sample_file(folder, name, bytes.at, bytes.size);
        read_simulation(folder, soc);
        bytes.at[at] = (char)~bytes.at[at];
    }
    sample_file(folder, name, bytes.at, bytes.size);
    assert_true(read_simulation(folder, soc));
    free(bytes.at);
}

static void each_log_of_a_simulator_may_be_damaged(void **ctx)
{
    static const struct {
        const char *folder, *soc;
    } cases[] = {
        {"../samples/sim/910B", "Ascend910B1"},
        {"../samples/sim/91095", "Ascend950PR_9599"},
        {"../samples/sim/mixed", "Ascend910B1"},
    };
    static const char requests[] =
        "[info] 00000100: biu.BRIF: instr_id: 5, req_id: 1, size: 64.\n"
        "[info] 00000105: mte.UBWIF.x: instr_id: 5, req_id: 1, size: 64.\n";
    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct dirent **entries;
        char folder[128];
        int count = scandir(cases[i].folder, &entries, NULL, alphasort);

        assert_true(count > 2);
        snprintf(folder, sizeof(folder), "%s/sim%zu", top, i);
        sample_file(folder, "core0.mte_log.dump", requests, sizeof(requests) - 1);
        for (int k = 0; k < count; k++) {
            struct bytes bytes = entries[k]->d_name[0] == '.'
                                     ? (struct bytes){0}
                                     : load(cases[i].folder, entries[k]->d_name);

            if (bytes.at)
                sample_file(folder, entries[k]->d_name, bytes.at, bytes.size);
            free(bytes.at);
        }
        damage_log(folder, cases[i].soc, "core0.mte_log.dump");
        for (int k = 0; k < count; k++) {
            if (entries[k]->d_name[0] != '.')
                damage_log(folder, cases[i].soc, entries[k]->d_name);
            free(entries[k]);
        }
        free(entries);
    }
}

/* Lists of registers have lengths inside: no cut is silent. */
static void lists_of_registers_may_be_damaged(void **ctx)
{
    static const char *const names[] = {"lrm.data", "lrm2.data", "lrm3.data"};
    (void)ctx;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct bytes bytes = load("../samples/lrm", names[i]);
        struct live_registers registers;
        struct err err;

        for (size_t size = 0; size < bytes.size; size += CUT_STEP) {
            err.text[0] = '\0';
            assert_int_equal(
                live_registers_read(&registers, (uint8_t *)bytes.at, size, &err), -1);
            assert_true(err.text[0]);
        }
        for (size_t at = 0; at < bytes.size; at++) {
            bytes.at[at] = (char)~bytes.at[at];
            if (live_registers_read(&registers, (uint8_t *)bytes.at, bytes.size,
                                    &err) == 0)
                live_registers_clear(&registers);
            bytes.at[at] = (char)~bytes.at[at];
        }
        free(bytes.at);
    }
}

static int make_folder(void **ctx)
{
    (void)ctx;
    snprintf(top, sizeof(top), "/tmp/muster-damage-XXXXXX");
    return mkdtemp(top) ? 0 : -1;
}

static int remove_folder(void **ctx)
{
    struct err err;
    (void)ctx;
    return folder_remove(top, &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_of_a_launch_may_be_damaged),
        cmocka_unit_test(every_file_of_a_launch_is_tried),
        cmocka_unit_test(the_files_of_a_range_may_be_damaged),
        cmocka_unit_test(each_log_of_a_simulator_may_be_damaged),
        cmocka_unit_test(lists_of_registers_may_be_damaged),
    };
    log_open("damage_test", LOG_ERROR);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
