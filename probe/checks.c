/* checks.c - one function for each row of docs/reference/unconfirmed.md */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/base/abi.h"
#include "inject/base/real_functions.h"
#include "probe/probe.h"

#define FIND(library, name, type) ((type)probe_find(library, name))
#define NEED(function)                                                                 \
    if (!(function)) {                                                                 \
        probe_report_add(report, "the installation has no %s", #function);             \
        return PROBE_NOT_HERE;                                                         \
    }

static const enum probe_library library_of[] = {
    [LAYER_ACL] = LIBRARY_ACL,    [LAYER_IMPL] = LIBRARY_RUNTIME,
    [LAYER_RT] = LIBRARY_RUNTIME, [LAYER_HCCL] = LIBRARY_HCCL,
    [LAYER_PROF] = LIBRARY_PROF,  [LAYER_DRIVER] = LIBRARY_DRIVER,
    [LAYER_DCMI] = LIBRARY_BOARD,
};

static const struct {
    const char *name;
    enum layer layer;
} hooked[] = {
#define X(name, layer) {#name, layer},
    HOOKED_FUNCTIONS(X)
#undef X
};

static enum probe_verdict functions(struct probe_report *report)
{
    size_t found = 0, count = sizeof(hooked) / sizeof(hooked[0]);

    if (!probe_open(LIBRARY_ACL)) {
        probe_report_add(report, "no libascendcl.so");
        return PROBE_NOT_HERE;
    }
    for (size_t i = 0; i < count; i++) {
        if (probe_find(library_of[hooked[i].layer], hooked[i].name))
            found++;
        else
            probe_report_add(report, "%s%s", found == i ? "missing: " : " ",
                             hooked[i].name);
    }
    probe_report_add(report, "%s%zu of %zu hooked functions exist",
                     report->length ? "; " : "", found, count);
    return PROBE_FACT;
}

static enum probe_verdict server_args(struct probe_report *report)
{
    bool is_new = probe_find(LIBRARY_RUNTIME, "aclrtSetDeviceImpl") != NULL;

    if (!probe_open(LIBRARY_RUNTIME)) {
        probe_report_add(report, "no libruntime.so");
        return PROBE_NOT_HERE;
    }
    probe_report_add(
        report,
        "inject uses the %s rtAicpuArgsEx_t of %d bytes; compare it with the runtime "
        "headers of this release",
        is_new ? "new" : "old", is_new ? 48 : 40);
    return PROBE_FACT;
}

/* Returns the SONAME of a library, or NULL. *flags gets DT_FLAGS. */
static const char *dynamic_name(void *handle, uint64_t *flags)
{
    struct link_map *map = NULL;
    const char *strings = NULL;
    uint64_t name = UINT64_MAX;

    *flags = 0;
    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        return NULL;
    for (const ElfW(Dyn) *at = map->l_ld; at->d_tag != DT_NULL; at++) {
        if (at->d_tag == DT_SONAME)
            name = at->d_un.d_val;
        if (at->d_tag == DT_STRTAB)
            strings = (const char *)at->d_un.d_ptr;
        if (at->d_tag == DT_FLAGS)
            *flags |= at->d_un.d_val;
        if (at->d_tag == DT_SYMBOLIC)
            *flags |= DF_SYMBOLIC;
    }
    return strings && name != UINT64_MAX ? strings + name : NULL;
}

static enum probe_verdict communicators(struct probe_report *report)
{
    void *comm = probe_open(LIBRARY_HCOMM);
    uint64_t flags;

    if (!comm) {
        probe_report_add(report,
                         "no libhcomm.so; the hook of HcclCommInitAll is enough");
        return PROBE_NOT_HERE;
    }
    dynamic_name(comm, &flags);
    probe_report_add(report,
                     "libhcomm.so %s HcclCommInitRootInfo and is %slinked -Bsymbolic",
                     dlsym(comm, "HcclCommInitRootInfo") ? "has" : "has no",
                     flags & DF_SYMBOLIC ? "" : "not ");
    return PROBE_FACT;
}

static enum probe_verdict sonames(struct probe_report *report)
{
    size_t opened = 0, odd = 0;

    for (int i = 0; i < LIBRARY_COUNT; i++) {
        void *handle = probe_open((enum probe_library)i);
        const char *file = probe_library_file((enum probe_library)i), *name;
        uint64_t flags;

        if (!handle)
            continue;
        opened++;
        name = dynamic_name(handle, &flags);
        if (!name || strcmp(name, file) != 0) {
            odd++;
            probe_report_add(report, "%s has the SONAME %s; ", file,
                             name ? name : "(none)");
        }
    }
    probe_report_add(report,
                     "%zu of %zu libraries have the name of their file as SONAME",
                     opened - odd, opened);
    return odd ? PROBE_DIFFERS : PROBE_CONFIRMED;
}

static enum probe_verdict sub_communicators(struct probe_report *report)
{
    uint32_t (*ask)(void) =
        FIND(LIBRARY_HCCL, "HcclGetCommConfigCapability", uint32_t(*)(void));

    NEED(ask);
    probe_report_add(
        report,
        "HcclGetCommConfigCapability is %u; to see the handle of a rank outside of a "
        "sub-communicator, run a job of 3 ranks that creates one of 2",
        ask());
    return PROBE_FACT;
}

/* A device, two streams and a notify. */
struct notify_setup {
    int (*set_device)(int32_t);
    int (*create_stream)(void **);
    int (*sync)(void *, int32_t);
    int (*create)(void **, uint64_t);
    int (*record)(void *, void *);
    int (*wait)(void *, void *, uint32_t);
    void *first, *second, *notify;
};

static int create_notifies(struct notify_setup *setup)
{
    setup->set_device = FIND(LIBRARY_ACL, "aclrtSetDevice", int (*)(int32_t));
    setup->create_stream = FIND(LIBRARY_ACL, "aclrtCreateStream", int (*)(void **));
    setup->sync = FIND(LIBRARY_ACL, "aclrtSynchronizeStreamWithTimeout",
                       int (*)(void *, int32_t));
    setup->create = FIND(LIBRARY_ACL, "aclrtCreateNotify", int (*)(void **, uint64_t));
    setup->record = FIND(LIBRARY_ACL, "aclrtRecordNotify", int (*)(void *, void *));
    setup->wait =
        FIND(LIBRARY_ACL, "aclrtWaitAndResetNotify", int (*)(void *, void *, uint32_t));
    return setup->set_device && setup->create_stream && setup->sync && setup->create &&
                   setup->record && setup->wait && setup->set_device(0) == 0 &&
                   setup->create_stream(&setup->first) == 0 &&
                   setup->create_stream(&setup->second) == 0 &&
                   setup->create(&setup->notify, 0) == 0
               ? 0
               : -1;
}

/* A replay waits and records in pairs, so both results are acceptable. The result shows
 * how an interrupted pair behaves. */
static enum probe_verdict notifies(struct probe_report *report)
{
    struct notify_setup setup;
    int first, second;

    if (create_notifies(&setup) < 0) {
        probe_report_add(report, "no device, or no streams and notifies");
        return PROBE_NOT_HERE;
    }
    setup.record(setup.notify, setup.first);
    setup.record(setup.notify, setup.first);
    setup.sync(setup.first, 5000);
    setup.wait(setup.notify, setup.second, 1);
    first = setup.sync(setup.second, 5000);
    setup.wait(setup.notify, setup.second, 1);
    second = setup.sync(setup.second, 5000);
    probe_report_add(
        report, "after two records the first wait ends with %d, the second with %d",
        first, second);
    return first == 0 && second != 0 ? PROBE_CONFIRMED : PROBE_DIFFERS;
}

static enum probe_verdict dump_layout(struct probe_report *report)
{
    if (!probe_open(LIBRARY_DUMP)) {
        probe_report_add(report, "no libascend_dump.so");
        return PROBE_NOT_HERE;
    }
    probe_report_add(
        report, "dump the memory that AdumpGetDFXInfoAddrForDynamic returns after the "
                "launch of an operator, and compare it with its shapes");
    return PROBE_BY_HAND;
}

static int use_device(void)
{
    int (*set)(int32_t) = FIND(LIBRARY_ACL, "aclrtSetDevice", int (*)(int32_t));
    int (*allocate)(void **, size_t, int) =
        FIND(LIBRARY_ACL, "aclrtMalloc", int (*)(void **, size_t, int));
    void *memory;
    int result = set ? set(0) : -1;

    if (result == 0)
        result = allocate ? allocate(&memory, 4096, 0) : -1;
    return result;
}

static enum probe_verdict fork_without_exec(struct probe_report *report)
{
    int parent = use_device(), status = 0;
    pid_t pid;

    if (parent != 0) {
        probe_report_add(report, "the parent cannot use device 0: %d", parent);
        return PROBE_NOT_HERE;
    }
    pid = fork();
    if (pid == 0)
        _exit(use_device() == 0 ? 0 : 1);
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status))
        probe_report_add(report,
                         "a child process that uses the device is killed by signal %d",
                         WTERMSIG(status));
    else
        probe_report_add(report, "the device %s a child process",
                         WEXITSTATUS(status) == 0 ? "accepts" : "refuses");
    return WIFEXITED(status) && WEXITSTATUS(status) != 0 ? PROBE_CONFIRMED
                                                         : PROBE_DIFFERS;
}

static enum probe_verdict card_numbers(struct probe_report *report)
{
    static const char *const names[] = {
        "ASCEND_VISIBLE_DEVICES",
        "ASCEND_RT_VISIBLE_DEVICES",
    };
    int (*convert)(int32_t, int32_t *) =
        FIND(LIBRARY_ACL, "aclrtGetLogicDevIdByUserDevId", int (*)(int32_t, int32_t *));
    int cards = probe_cards();

    for (size_t i = 0; i < 2; i++)
        probe_report_add(report, "%s=%s ", names[i],
                         getenv(names[i]) ? getenv(names[i]) : "");
    for (int32_t i = 0; i < cards && i < ABI_DEVICES_MAX; i++) {
        int32_t logical = -1;

        if (convert && convert(i, &logical) == 0)
            probe_report_add(report, "%d->%d ", i, logical);
    }
    probe_report_add(report, "(%d visible)", cards);
    return PROBE_FACT;
}

static int start_channel(void)
{
    int (*start)(unsigned, unsigned, struct prof_start *) =
        FIND(LIBRARY_DRIVER, "prof_drv_start",
             int (*)(unsigned, unsigned, struct prof_start *));
    struct stars_log_config config = {1, 1, 2, 2, 2, 2, 1, 2, 2};
    struct prof_start parameters = {
        .real_time = 1,
        .user_data = &config,
        .user_data_size = sizeof(config),
    };

    return start ? start(0, PROF_STARS_LOG, &parameters) : INT32_MIN;
}

static void stop_channel(void)
{
    int (*stop)(unsigned, unsigned) =
        FIND(LIBRARY_DRIVER, "prof_stop", int (*)(unsigned, unsigned));

    if (stop)
        stop(0, PROF_STARS_LOG);
}

/* Uses two processes, because the driver has one state per process. */
static enum probe_verdict channel_of_two(struct probe_report *report)
{
    int ends[2], own, other = INT32_MIN, status;
    pid_t pid;

    if (pipe(ends) < 0)
        return PROBE_NOT_HERE;
    pid = fork();
    if (pid == 0) {
        char go;

        if (read(ends[0], &go, 1) != 1)
            _exit(125);
        other = start_channel();
        if (other == 0)
            stop_channel();
        _exit(other == INT32_MIN ? 124 : other == 0 ? 0 : -other & 0x7f);
    }
    own = start_channel();
    if (write(ends[1], "g", 1) != 1)
        return PROBE_NOT_HERE;
    waitpid(pid, &status, 0);
    if (own == 0)
        stop_channel();
    other = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (own != 0 || other >= 124) {
        probe_report_add(report, "the channel does not start: result %d", own);
        return PROBE_NOT_HERE;
    }
    probe_report_add(report, "while one process has channel %d open, another %s",
                     PROF_STARS_LOG, other == 0 ? "can open it too" : "is refused");
    if (other > 0)
        probe_report_add(report, " with result -%d", other);
    return other != 0 ? PROBE_CONFIRMED : PROBE_DIFFERS;
}

static enum probe_verdict channel_rights(struct probe_report *report)
{
    int result = start_channel();

    if (result == INT32_MIN) {
        probe_report_add(report, "no prof_drv_start");
        return PROBE_NOT_HERE;
    }
    if (result == 0)
        stop_channel();
    probe_report_add(report, "uid %u: the channel starts with result %d%s",
                     (unsigned)getuid(), result,
                     result == -12 ? " (refused in a container)" : "");
    return result == 0 ? PROBE_CONFIRMED : PROBE_DIFFERS;
}

static enum probe_verdict server_channel(struct probe_report *report)
{
    int (*ask)(unsigned, struct prof_channel_list *) =
        FIND(LIBRARY_DRIVER, "prof_drv_get_channels",
             int (*)(unsigned, struct prof_channel_list *));
    static struct prof_channel_list list;
    bool there = false;

    NEED(ask);
    if (ask(0, &list) != 0 || list.count > 160) {
        probe_report_add(report, "the driver lists no channels for device 0");
        return PROBE_NOT_HERE;
    }
    for (uint32_t i = 0; i < list.count; i++)
        there = there || list.channels[i].id == PROF_SERVER;
    probe_report_add(report, "channel %d is %sin the list of %u", PROF_SERVER,
                     there ? "" : "not ", list.count);
    return there ? PROBE_CONFIRMED : PROBE_DIFFERS;
}

static enum probe_verdict board(struct probe_report *report)
{
    int (*init)(void) = FIND(LIBRARY_BOARD, "dcmi_init", int (*)(void));
    int (*place)(int *, int *, unsigned) =
        FIND(LIBRARY_BOARD, "dcmi_get_card_id_device_id_from_logicid",
             int (*)(int *, int *, unsigned));
    int (*temperature)(int, int, int *) =
        FIND(LIBRARY_BOARD, "dcmi_get_device_temperature", int (*)(int, int, int *));
    int (*power)(int, int, int *) =
        FIND(LIBRARY_BOARD, "dcmi_get_device_power_info", int (*)(int, int, int *));
    int card, chip, celsius = 0, tenths = 0;

    NEED(init);
    NEED(place);
    if (init() != 0 || place(&card, &chip, 0) != 0 || !temperature || !power ||
        temperature(card, chip, &celsius) != 0 || power(card, chip, &tenths) != 0) {
        probe_report_add(report, "DCMI reports no temperature or power of card 0");
        return PROBE_NOT_HERE;
    }
    probe_report_add(report, "card 0: %d degrees, %d.%d W", celsius, tenths / 10,
                     tenths % 10);
    return celsius > 0 && celsius < 120 && tenths > 100 && tenths < 20000
               ? PROBE_CONFIRMED
               : PROBE_DIFFERS;
}

/* Finds the board and the chip of card 0. */
static bool find_first_chip(int *card, int *chip)
{
    int (*init)(void) = FIND(LIBRARY_BOARD, "dcmi_init", int (*)(void));
    int (*place)(int *, int *, unsigned) =
        FIND(LIBRARY_BOARD, "dcmi_get_card_id_device_id_from_logicid",
             int (*)(int *, int *, unsigned));

    return init && place && init() == 0 && place(card, chip, 0) == 0;
}

static enum probe_verdict serial(struct probe_report *report)
{
    char label[5][256] = {""};
    int (*read_label)(int, int, char(*)[256]) = FIND(
        LIBRARY_BOARD, "dcmi_get_device_elabel_info", int (*)(int, int, char(*)[256]));
    int card, chip;

    if (!read_label || !find_first_chip(&card, &chip) ||
        read_label(card, chip, label) != 0) {
        probe_report_add(report, "DCMI reports no serial number of card 0");
        return PROBE_NOT_HERE;
    }
    probe_report_add(report,
                     "card 0 has the serial number '%.255s'; compare it with "
                     "'npu-smi info -t board -i 0'",
                     label[4]);
    return PROBE_BY_HAND;
}

static enum probe_verdict firmware(struct probe_report *report)
{
    int (*list)(int, int, int *, unsigned) =
        FIND(LIBRARY_BOARD, "dcmi_get_device_component_list",
             int (*)(int, int, int *, unsigned));
    int (*version)(int, int, int, unsigned char *, unsigned) =
        FIND(LIBRARY_BOARD, "dcmi_get_device_component_static_version",
             int (*)(int, int, int, unsigned char *, unsigned));
    unsigned char text[64] = "";
    int card, chip, component;

    if (!find_first_chip(&card, &chip) || !list || !version ||
        list(card, chip, &component, 1) != 0 ||
        version(card, chip, component, text, sizeof(text)) != 0) {
        probe_report_add(report, "DCMI reports no version of the firmware of card 0");
        return PROBE_NOT_HERE;
    }
    text[sizeof(text) - 1] = '\0';
    probe_report_add(report,
                     "component %d of card 0 has version %s; compare it with "
                     "'npu-smi info -t board -i 0'",
                     component, (const char *)text);
    return PROBE_BY_HAND;
}

/* Checks that need an operator and a person to compare the results. */
#define BY_HAND(name, text)                                                            \
    static enum probe_verdict name(struct probe_report *report)                        \
    {                                                                                  \
        probe_report_add(report, "%s", text);                                          \
        return PROBE_BY_HAND;                                                          \
    }

BY_HAND(server_reports,
        "measure an MC2 operator, then count report.envelope records of level 6000 "
        "(muster capture cat) against the bytes of channel 143")
BY_HAND(task_log,
        "measure a kernel with all metrics; 'muster show JOB --replays' must have a "
        "duration for each counter pass, and they must be alike")
BY_HAND(mc2_memory,
        "measure an MC2 operator with 10 passes; its results must be those without "
        "muster, and all input checksums of a rank must be equal")
BY_HAND(
    module_numbers,
    "run an operator with HCCL under ltrace of rtMalloc, and note the moduleId of the "
    "blocks that do not belong to the program")
BY_HAND(ccu_replay, "on a 950: measure an MC2 operator with CCU communication")
BY_HAND(range_capture,
        "measure a program with `replay: range`; its results must be those without "
        "muster, also with memory from aclrtMalloc and new streams in the range")
BY_HAND(
    l2_flush,
    "measure a kernel that reads 1 MiB twice, warm and after the flush: the L2 hits "
    "after the flush must be those of a first run")

const struct probe_check probe_checks[] = {
    {"functions", functions, "a release that lacks a hooked function never calls it",
     "a program gets \"not supported\" (200001) from a hook that should not exist"},
    {"server-arguments", server_args,
     "a runtime that exports aclrtSetDeviceImpl has the AI CPU argument struct of 48 "
     "bytes, an older one that of 40",
     "the copy of the AI CPU arguments is cut or too long; MC2 replays fail with an "
     "error of the runtime"},
    {"communicators", communicators,
     "a hook of HcclCommInitAll itself is enough, whatever calls it makes inside",
     "a communicator has two entries, and the later one counts"},
    {"sonames", sonames, "the SONAME of a library is its file name, without a version",
     "a library is opened a second time instead of being found"},
    {"server-reports", server_reports,
     "records of the AI CPU arrive through channel 143 and perhaps through reports too",
     "one of the two is empty; the parsers read the other one"},
    {"task-log", task_log,
     "the task log (channel 50) can run in each counter pass; the vendor's tool reads "
     "it in the last one",
     "the first pass reports the error of the driver, or durations are missing"},
    {"mc2-memory", mc2_memory,
     "workspace and message area of an MC2 operator are unchanged after each execution",
     "a second execution hangs; the replay is aborted with the kernel's name"},
    {"sub-communicators", sub_communicators,
     "ranks outside of a sub-communicator get no handle",
     "an entry without ranks, which is never replayed"},
    {"notifies", notifies,
     "a wait consumes one record, and two records before a wait count as one",
     "an interrupted replay leaves a record, and the next pair does not wait"},
    {"dump-layout", dump_layout,
     "the memory in which operators store their shapes is not read: all memory is "
     "saved",
     "no error; snapshots could be smaller"},
    {"module-numbers", module_numbers,
     "blocks of rtMalloc are saved for every module number",
     "snapshots are larger than necessary"},
    {"fork", fork_without_exec,
     "a child process cannot use a card of its parent after fork() without exec",
     "its launches are measured as those of another process"},
    {"card-numbers", card_numbers,
     "aclrtGetLogicDevIdByUserDevId converts visible numbers to the driver's; without "
     "it, ASCEND_RT_VISIBLE_DEVICES does",
     "counters of another card are read"},
    {"channel-of-two", channel_of_two,
     "two processes cannot open the same channel of a card",
     "the data of muster and of another profiler on the same card are mixed; use the "
     "card for muster alone"},
    {"ccu-replay", ccu_replay,
     "an operator with CCU communication (950) is passed through and never replayed",
     "-"},
    {"l2-flush", l2_flush,
     "copying more bytes than the L2 cache holds removes everything else from it",
     "hit rates after the flush are too high"},
    {"channel-rights", channel_rights,
     "a user with access to the card may open its channels, in a container too",
     "the first pass reports the error of the driver"},
    {"server-channel", server_channel,
     "channel 143 is started as a peripheral with period 100 and no configuration",
     "MC2 launches are measured without the records of the AI CPU"},
    {"board", board,
     "dcmi_get_device_temperature returns degrees, ..._power_info tenths of a watt",
     "run.health has wrong values"},
    {"firmware", firmware,
     "the version of the first component that dcmi_get_device_component_list returns "
     "is that of the firmware",
     "the environment print of a rank has another version; it still changes with the "
     "firmware"},
    {"serial", serial,
     "dcmi_get_device_elabel_info fills five texts of 256 bytes, the last one with the "
     "serial number of the board; chips of one board share it",
     "the card has no serial number or a wrong one; set it with muster-worker "
     "--serial"},
    {"range-capture", range_capture,
     "a stream is captured in mode THREAD_LOCAL from the first launch of a range to "
     "the first other call; a model may be executed several times; collectives and AI "
     "CPU kernels of an operator are captured with it, because its library sees the "
     "capture",
     "the capture is refused and the range runs unmeasured; or its launches are lost, "
     "and the program gets an error"},
    {NULL, NULL, NULL, NULL},
};
