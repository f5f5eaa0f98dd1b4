#include "worker/process/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/wire/messages.h"
#include "worker/process/operator_process.h"
#include "worker/process/run_as_user.h"

enum { OURS_MAX = 24 };

struct environment {
    char *ours[OURS_MAX];
    size_t our_count;
    const char **all;
};

/* By the job file, or NULL. */
static const char *told(const struct msg_lease *lease, const char *key)
{
    size_t length = strlen(key);
    const char *value = NULL;

    for (size_t i = 0; i < lease->env.count; i++)
        if (strncmp(lease->env.items[i], key, length) == 0 &&
            lease->env.items[i][length] == '=')
            value = lease->env.items[i] + length + 1;
    return value;
}

/* What the operator would find without us. */
static const char *found(const struct msg_lease *lease, const char *key)
{
    const char *value = told(lease, key);

    if (!value)
        value = getenv(key);
    return value ? value : "";
}

static void set(struct environment *environment, char *line)
{
    environment->ours[environment->our_count++] = line;
}

static void set_in_front(struct environment *environment,
                         const struct msg_lease *lease,
                         const char *key,
                         const char *value)
{
    const char *old = found(lease, key);

    set(environment, xasprintf("%s=%s%s%s", key, value, *old ? ":" : "", old));
}

char *environment_mark(uint64_t run_id, uint64_t rank)
{
    return xasprintf("MUSTER_RUN=%llu-%llu", (unsigned long long)run_id,
                     (unsigned long long)rank);
}

/* The cards that the process may see: the runtime wants them in ascending order. */
static void
set_cards(struct environment *environment, const struct msg_lease *lease, uint64_t card)
{
    struct text list = {0};

    text_add(&list, "ASCEND_RT_VISIBLE_DEVICES=");
    if (!lease->threads)
        text_printf(&list, "%llu", (unsigned long long)card);
    for (size_t i = 0; lease->threads && i < lease->cards.count; i++)
        text_printf(&list, "%s%llu", i ? "," : "",
                    (unsigned long long)lease->cards.items[i]);
    set(environment, text_take(&list));
}

static void set_number(struct environment *environment, const char *key, uint64_t value)
{
    set(environment, xasprintf("%s=%llu", key, (unsigned long long)value));
}

/* The worker's own are root's; what the job file says of them stays. */
static void set_account(struct environment *environment,
                        const struct msg_lease *lease,
                        const struct run_as_user *as)
{
    const char *const lines[][2] = {{"HOME", as->home},
                                    {"USER", as->user},
                                    {"LOGNAME", as->user},
                                    {"SHELL", as->shell}};

    for (size_t i = 0; i < COUNT(lines); i++)
        if (!told(lease, lines[i][0]))
            set(environment, xasprintf("%s=%s", lines[i][0], lines[i][1]));
}

/* What a program of several ranks asks for; ASCEND_DEVICE_ID counts what it sees. */
static void set_rank(struct environment *environment,
                     const struct msg_lease *lease,
                     const char *rank_table)
{
    set_number(environment, "RANK_ID", lease->rank);
    set_number(environment, "RANK_SIZE", lease->world_size);
    set_number(environment, "ASCEND_DEVICE_ID", 0);
    if (rank_table)
        set(environment, xasprintf("RANK_TABLE_FILE=%s", rank_table));
}

char *environment_home(const struct msg_lease *lease, const char *parts, bool simulated)
{
    return simulated ? xasprintf("%s/sim", parts)
                     : xstrdup(found(lease, "ASCEND_HOME_PATH"));
}

struct environment *environment_create(const struct msg_lease *lease,
                                       const char *parts,
                                       const char *variable,
                                       const char *rank_table,
                                       const char *stubs,
                                       const struct run_as_user *as,
                                       uint64_t card,
                                       bool simulated)
{
    struct environment *environment = xcalloc(1, sizeof(*environment));
    char *home = environment_home(lease, parts, simulated);
    char *library = xasprintf("%s/libmuster_inject.so", parts);
    size_t count = lease->env.count;
    const char **more;

    if (*home) {
        char *libraries =
            xasprintf("%s%s%s/lib64", stubs ? stubs : "", stubs ? ":" : "", home);

        set(environment, xasprintf("ASCEND_HOME_PATH=%s", home));
        set_in_front(environment, lease, "LD_LIBRARY_PATH", libraries);
        free(libraries);
    }
    if (lease->metrics.count > 0) {
        set_in_front(environment, lease, "LD_PRELOAD", library);
        set(environment, xstrdup(variable));
    }
    if (simulated && !*found(lease, "NPU_SIM_SEED")) /* repeats differ, as on a card */
        set(environment,
            xasprintf("NPU_SIM_SEED=%llu", (unsigned long long)lease->repeat + 1));
    set(environment, environment_mark(lease->run_id, lease->rank));
    set_number(environment, "MUSTER_ATTEMPT", lease->attempt);
    set_cards(environment, lease, card);
    if (lease->world_size > 1 && !lease->threads)
        set_rank(environment, lease, rank_table);
    if (as)
        set_account(environment, lease, as);
    /* launches in the calling thread, in the program's order */
    set(environment, xstrdup("TASK_QUEUE_ENABLE=0"));
#ifdef __SANITIZE_ADDRESS__
    /* simulated programs are built like us; their runtime wants to be loaded first */
    set_in_front(environment, lease, "ASAN_OPTIONS", "verify_asan_link_order=0");
#endif

    more = xcalloc(count + environment->our_count + 1, sizeof(*more));
    if (count > 0)
        memcpy(more, lease->env.items, count * sizeof(*more));
    memcpy(more + count, environment->ours, environment->our_count * sizeof(*more));
    environment->all =
        operator_process_environment(environ, more, count + environment->our_count);
    free(more);
    free(home);
    free(library);
    return environment;
}

void environment_destroy(struct environment *environment)
{
    if (!environment)
        return;
    for (size_t i = 0; i < environment->our_count; i++)
        free(environment->ours[i]);
    free(environment->all);
    free(environment);
}

const char *const *environment_get(const struct environment *environment)
{
    return environment->all;
}

/* What a program needs to run at all, to be measured, and to find its card. */
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

void environment_keep(const char *patterns)
{
    char name[256];

    for (char **at = environ; *at;) {
        size_t length = strcspn(*at, "=");

        snprintf(name, sizeof(name), "%.*s", (int)length, *at);
        if (length >= sizeof(name) || !is_kept(name, patterns)) {
            char *whole = xstrndup(*at, length);

            unsetenv(whole); /* moves the others up */
            free(whole);
        } else {
            at++;
        }
    }
}
