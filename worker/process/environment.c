#include "worker/process/environment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/vendor_simulator.h"
#include "lib/wire/messages.h"
#include "worker/process/operator_process.h"
#include "worker/process/run_as_user.h"

enum { ADDED_MAX = 32 };

#define XPTI_DISPATCHER  "XPTI_FRAMEWORK_DISPATCHER"
#define XPTI_SUBSCRIBERS "XPTI_SUBSCRIBERS"

struct environment {
    char *added[ADDED_MAX];
    size_t added_count;
    const char **all;
};

/* Returns the value that the job file sets, or NULL. */
static const char *job_value(const struct msg_lease *lease, const char *key)
{
    size_t length = strlen(key);
    const char *value = NULL;

    for (size_t i = 0; i < lease->env.count; i++)
        if (strncmp(lease->env.items[i], key, length) == 0 &&
            lease->env.items[i][length] == '=')
            value = lease->env.items[i] + length + 1;
    return value;
}

/* Returns the value that the operator has without the additions of this file. */
static const char *inherited_value(const struct msg_lease *lease, const char *key)
{
    const char *value = job_value(lease, key);

    if (!value)
        value = getenv(key);
    return value ? value : "";
}

static void add(struct environment *environment, char *line)
{
    environment->added[environment->added_count++] = line;
}

static void add_in_front(struct environment *environment,
                         const struct msg_lease *lease,
                         const char *key,
                         const char *value)
{
    const char *old = inherited_value(lease, key);

    add(environment, xasprintf("%s=%s%s%s", key, value, *old ? ":" : "", old));
}

static void add_behind(struct environment *environment,
                       const struct msg_lease *lease,
                       const char *key,
                       const char *value)
{
    const char *old = inherited_value(lease, key);

    add(environment, xasprintf("%s=%s%s%s", key, old, *old ? "," : "", value));
}

bool environment_is_traced(const struct msg_lease *lease)
{
    return lease->tool && strcmp(lease->tool, "xpti") == 0;
}

bool environment_is_simulation(const struct msg_lease *lease)
{
    return lease->tool && strcmp(lease->tool, "simulator") == 0;
}

int environment_find_simulator(struct vendor_simulator *out,
                               const struct msg_lease *lease,
                               const char *soc,
                               struct err *err)
{
    const char *folder = getenv(VENDOR_SIMULATOR_VARIABLE);

    return vendor_simulator_find(out, soc, folder ? folder : "",
                                 inherited_value(lease, "ASCEND_HOME_PATH"), err);
}

/* A name without a folder is searched by the dynamic linker. */
static int check_library(const char *variable, const char *path, struct err *err)
{
    if (!strchr(path, '/') || access(path, R_OK) == 0)
        return 0;
    return err_errno(err, "%s names %s", variable, path);
}

static int check_list(const char *variable, const char *list, struct err *err)
{
    int result = 0;

    while (*list && result == 0) {
        size_t length = strcspn(list, ",");
        char *path = xstrndup(list, length);

        result = check_library(variable, path, err);
        list += length + (list[length] == ',');
        free(path);
    }
    return result;
}

int environment_check_trace(const struct msg_lease *lease,
                            const char *parts,
                            struct err *err)
{
    char *subscriber = xasprintf("%s/libmuster_xpti.so", parts);
    int result = -1;

    if (strchr(parts, ','))
        err_set(err, ERR_INPUT,
                XPTI_SUBSCRIBERS " is divided by commas, and the folder %s has one; "
                                 "install muster in another folder",
                parts);
    else if (check_library(XPTI_SUBSCRIBERS, subscriber, err) == 0 &&
             check_list(XPTI_SUBSCRIBERS, inherited_value(lease, XPTI_SUBSCRIBERS),
                        err) == 0)
        result = check_library(XPTI_DISPATCHER, inherited_value(lease, XPTI_DISPATCHER),
                               err);
    free(subscriber);
    return result;
}

static void add_trace(struct environment *environment,
                      const struct msg_lease *lease,
                      const char *parts)
{
    char *subscriber = xasprintf("%s/libmuster_xpti.so", parts);

    if (!*inherited_value(lease, XPTI_DISPATCHER))
        add(environment,
            xasprintf(XPTI_DISPATCHER "=%s/libmuster_xpti_dispatcher.so", parts));
    add(environment, xstrdup("XPTI_TRACE_ENABLE=1"));
    add_behind(environment, lease, XPTI_SUBSCRIBERS, subscriber);
    add_behind(environment, lease, "UR_ENABLE_LAYERS", "UR_LAYER_TRACING");
    add(environment,
        xasprintf("MUSTER_XPTI_STREAMS=%s", lease->streams ? lease->streams : ""));
    add(environment,
        xasprintf("MUSTER_XPTI_FILTER=%s", lease->filter ? lease->filter : ""));
    free(subscriber);
}

char *environment_mark(const char *spool)
{
    struct stat status = {0};

    stat(spool, &status); /* the worker has its spool open, so the folder exists */
    return xasprintf("MUSTER_WORKER_SPOOL=%llx-%llx", (unsigned long long)status.st_dev,
                     (unsigned long long)status.st_ino);
}

/* Sets the cards that the process may use. The runtime requires ascending order. */
static void
add_cards(struct environment *environment, const struct msg_lease *lease, uint64_t card)
{
    struct text list = {0};

    text_add(&list, "ASCEND_RT_VISIBLE_DEVICES=");
    if (!lease->threads)
        text_printf(&list, "%llu", (unsigned long long)card);
    for (size_t i = 0; lease->threads && i < lease->cards.count; i++)
        text_printf(&list, "%s%llu", i ? "," : "",
                    (unsigned long long)lease->cards.items[i]);
    add(environment, text_take(&list));
}

static void add_number(struct environment *environment, const char *key, uint64_t value)
{
    add(environment, xasprintf("%s=%llu", key, (unsigned long long)value));
}

/* Sets HOME and the like of the account, since those of the worker belong to root.
 * Values of the job file stay. */
static void add_account(struct environment *environment,
                        const struct msg_lease *lease,
                        const struct run_as_user *as)
{
    const char *const lines[][2] = {{"HOME", as->home},
                                    {"USER", as->user},
                                    {"LOGNAME", as->user},
                                    {"SHELL", as->shell}};

    for (size_t i = 0; i < COUNT(lines); i++)
        if (!job_value(lease, lines[i][0]))
            add(environment, xasprintf("%s=%s", lines[i][0], lines[i][1]));
}

/* Sets the variables of a rank of a gang. ASCEND_DEVICE_ID is the number of the device
 * among the visible ones; each rank sees one. */
static void add_rank(struct environment *environment,
                     const struct msg_lease *lease,
                     const char *rank_table)
{
    add_number(environment, "RANK_ID", lease->rank);
    add_number(environment, "RANK_SIZE", lease->world_size);
    add_number(environment, "ASCEND_DEVICE_ID", 0);
    if (rank_table)
        add(environment, xasprintf("RANK_TABLE_FILE=%s", rank_table));
}

char *environment_runtime_folder(const struct msg_lease *lease,
                                 const char *parts,
                                 bool simulated)
{
    const char *own = inherited_value(lease, "ASCEND_HOME_PATH");

    /* the vendor's simulator replaces the driver below the vendor's libraries */
    return simulated && !(environment_is_simulation(lease) && *own)
               ? xasprintf("%s/sim", parts)
               : xstrdup(own);
}

/* Sets what the vendor's tool sets for a program in the simulator. */
static void add_simulation(struct environment *environment,
                           const struct msg_lease *lease,
                           const struct environment_simulation *simulation)
{
    add_in_front(environment, lease, "LD_PRELOAD", simulation->simulator->runtime);
    add(environment, xstrdup("IS_SIMULATOR_ENV=true"));
    add(environment, xstrdup("GE_INIT_DISABLE=1"));
    add(environment, xasprintf("CAMODEL_SOC_VERSION=%s", simulation->soc));
    add(environment, xasprintf("CAMODEL_LOG_PATH=%s", simulation->logs));
}

/* Sets the runtime and the folders of libraries: those of the simulator, then stub
 * libraries, then those of the runtime. */
static void add_libraries(struct environment *environment,
                          const struct msg_lease *lease,
                          const struct environment_simulation *simulation,
                          const char *stubs,
                          const char *runtime)
{
    struct text folders = {0};

    if (simulation)
        text_add(&folders, simulation->simulator->libraries);
    if (*runtime) {
        add(environment, xasprintf("ASCEND_HOME_PATH=%s", runtime));
        if (stubs)
            text_printf(&folders, "%s%s", folders.length ? ":" : "", stubs);
        text_printf(&folders, "%s%s/lib64", folders.length ? ":" : "", runtime);
    }
    if (folders.length)
        add_in_front(environment, lease, "LD_LIBRARY_PATH", text_get(&folders));
    text_clear(&folders);
}

struct environment *environment_create(const struct msg_lease *lease,
                                       const char *parts,
                                       const char *variable,
                                       const char *rank_table,
                                       const char *stubs,
                                       const char *spool,
                                       const struct run_as_user *as,
                                       uint64_t card,
                                       bool simulated,
                                       const struct environment_simulation *simulation)
{
    struct environment *environment = xcalloc(1, sizeof(*environment));
    char *runtime = environment_runtime_folder(lease, parts, simulated);
    char *library = xasprintf("%s/libmuster_inject.so", parts);
    size_t count = lease->env.count;
    const char **more;

    add_libraries(environment, lease, simulation, stubs, runtime);
    if (simulation)
        add_simulation(environment, lease, simulation);
    if (lease->metrics.count > 0) {
        add_in_front(environment, lease, "LD_PRELOAD", library);
        add(environment, xstrdup(variable));
    } else if (environment_is_traced(lease)) {
        add_trace(environment, lease, parts);
        add(environment, xstrdup(variable));
    }
    if (simulated &&
        !*inherited_value(lease, "NPU_SIM_SEED")) /* repeats differ as on a real card */
        add(environment,
            xasprintf("NPU_SIM_SEED=%llu", (unsigned long long)lease->repeat + 1));
    add(environment,
        xasprintf("MUSTER_RUN=%llu-%llu", (unsigned long long)lease->run_id,
                  (unsigned long long)lease->rank));
    add(environment, environment_mark(spool));
    add_number(environment, "MUSTER_ATTEMPT", lease->attempt);
    add_cards(environment, lease, card);
    if (lease->world_size > 1 && !lease->threads)
        add_rank(environment, lease, rank_table);
    if (as)
        add_account(environment, lease, as);
    /* 0: the framework launches kernels in the calling thread, in program order */
    add(environment, xstrdup("TASK_QUEUE_ENABLE=0"));
#ifdef __SANITIZE_ADDRESS__
    /* Simulated operators are sanitized too, but LD_PRELOAD loads inject before the
     * runtime of the sanitizer, which would report that as an error. */
    add_in_front(environment, lease, "ASAN_OPTIONS", "verify_asan_link_order=0");
#endif

    more = xcalloc(count + environment->added_count + 1, sizeof(*more));
    if (count > 0)
        memcpy(more, lease->env.items, count * sizeof(*more));
    memcpy(more + count, environment->added, environment->added_count * sizeof(*more));
    environment->all =
        operator_process_environment(environ, more, count + environment->added_count);
    free(more);
    free(runtime);
    free(library);
    return environment;
}

void environment_destroy(struct environment *environment)
{
    if (!environment)
        return;
    for (size_t i = 0; i < environment->added_count; i++)
        free(environment->added[i]);
    free(environment->all);
    free(environment);
}

const char *const *environment_get(const struct environment *environment)
{
    return environment->all;
}

void environment_make_paths_absolute(void)
{
    static const char *const names[] = {"ASCEND_HOME_PATH",        "MUSTER_PARTS",
                                        VENDOR_SIMULATOR_VARIABLE, "NPU_SIM_DEV_DIR",
                                        "NPU_SIM_FLEET",           "TMPDIR"};
    char here[PATH_MAX];

    if (!getcwd(here, sizeof(here)))
        return;
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *path = getenv(names[i]);
        char *whole;

        if (!path || !*path || *path == '/')
            continue;
        whole = xasprintf("%s/%s", here, path);
        setenv(names[i], whole, 1);
        free(whole);
    }
}

/* Variables that operators need to run, to find their card and to be measured. */
static const char *const always[] = {
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "TZ",
    "LANG",
    "LC_*",
    "ASCEND_*",
    "LD_LIBRARY_PATH",
    "NPU_SIM_*",
    "ASAN_OPTIONS",
    "UBSAN_OPTIONS",
    "MUSTER_PARTS",
    VENDOR_SIMULATOR_VARIABLE,
};

static bool is_kept(const char *name, const char *patterns)
{
    char pattern[128];

    for (size_t i = 0; i < COUNT(always); i++)
        if (text_matches(name, always[i]))
            return true;
    while (*patterns) {
        size_t length = strcspn(patterns, ",");

        snprintf(pattern, sizeof(pattern), "%.*s", (int)length, patterns);
        if (length < sizeof(pattern) && text_matches(name, pattern))
            return true;
        patterns += length + (patterns[length] == ',');
    }
    return false;
}

void environment_restrict(const char *patterns)
{
    char name[256];

    for (char **at = environ; *at;) {
        size_t length = strcspn(*at, "=");

        snprintf(name, sizeof(name), "%.*s", (int)length, *at);
        if (length >= sizeof(name) || !is_kept(name, patterns)) {
            char *whole = xstrndup(*at, length);

            unsetenv(whole); /* moves the later entries to this position */
            free(whole);
        } else {
            at++;
        }
    }
}
