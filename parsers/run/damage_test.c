/* damage_test.c - truncates every kind of input file at each 64th byte and inverts
 * bytes: readers must report an error or an incomplete result, and must never crash
 *
 * Some files have neither head nor checksum, so a cut between two records cannot be
 * detected; `record_bytes` names these. MUSTER_TEST_FLIP_ALL=all inverts every byte. */
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

/* A cut at a multiple of `record_bytes` cannot be detected; TEXT: nor any cut at the
 * end of a word or line; LOG: nor any cut at all. */
static const struct input {
    const char *name;
    size_t record_bytes;
    size_t valid; /* bytes with content; 0: all */
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

/* Writes a launch, with a genuine list of registers if it counts operands. */
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
    struct read_all totals = {0};
    struct source *source;
    struct err err;

    if (source_read_folder(&source, folder, &err) < 0) {
        assert_true(err.text[0]);
        totals.notes = SIZE_MAX;
        return totals;
    }
    totals = read_all(source);
    source_destroy(source);
    return totals;
}

static void cut_everywhere(const char *folder,
                           const struct input *input,
                           const struct bytes *bytes,
                           const struct read_all *whole)
{
    size_t end = input->valid ? input->valid : bytes->size;
    bool is_lccl = strstr(folder, "collective") && input->record_bytes == 24;
    size_t step = is_lccl ? 32 : input->record_bytes;

    for (size_t size = 0; size < end; size += CUT_STEP) {
        sample_file(folder, input->name, bytes->at, size);
        struct read_all totals = read_folder(folder);
        bool is_undetectable = step == TEXT || (step && size % step == 0);

        if (totals.notes <= whole->notes && totals.incomplete <= whole->incomplete &&
            (size == 0 || !is_undetectable) && step != LOG)
            fail_msg("%s/%s cut to %zu of %zu bytes: no reader reports it", folder,
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

static void damaged_files_of_a_launch_are_survived(void **ctx)
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

/* Fails when a sample launch has a file that the list of inputs lacks. */
static void the_list_of_inputs_is_complete(void **ctx)
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
                fail_msg("%s is missing in the list of inputs", entry->d_name);
        }
        closedir(entries);
    }
}

static void damaged_files_of_a_range_are_survived(void **ctx)
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
            struct read_all totals = read_folder(in);
            if (range[i].record_bytes != TEXT && !totals.notes)
                fail_msg("%s cut to %zu bytes: no reader reports it", range[i].name,
                         size);
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

/* Writes all files of a simulation to memory. Returns false for rejected logs. */
static bool read_simulation(const char *folder, const char *soc)
{
    struct simulation simulation;
    struct text out = {0};
    struct err err;

    if (simulation_open(&simulation, folder, &(struct simulation_options){.soc = soc},
                        &err) < 0) {
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

static void damaged_logs_of_a_simulator_are_survived(void **ctx)
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

/* These lists contain lengths, so every cut is detected. */
static void damaged_lists_of_registers_are_rejected(void **ctx)
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
        cmocka_unit_test(damaged_files_of_a_launch_are_survived),
        cmocka_unit_test(the_list_of_inputs_is_complete),
        cmocka_unit_test(damaged_files_of_a_range_are_survived),
        cmocka_unit_test(damaged_logs_of_a_simulator_are_survived),
        cmocka_unit_test(damaged_lists_of_registers_are_rejected),
    };
    log_open("damage_test", LOG_ERROR);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
