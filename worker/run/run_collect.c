#include "worker/run/run_collect.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "worker/capture/dump_collector.h"
#include "worker/process/run_as_user.h"
#include "worker/spool/spool.h"

const char *run_working_folder(const struct run *run, const struct msg_lease *lease)
{
    return lease->cwd[0] ? lease->cwd : spool_work_folder(run->spool);
}

static bool has_room(void *arg)
{
    const struct run *run = arg;

    return !spool_is_full(run->spool);
}

static int find_logs(const struct run *run, char logs[PATH_MAX], struct err *err)
{
    const char *folder = spool_work_folder(run->spool);

    return snprintf(logs, PATH_MAX, "%s/simulation", folder) < PATH_MAX
               ? 0
               : err_set(err, ERR_LIMIT, "the path of the spool is too long");
}

int run_prepare_simulation(struct run *run,
                           const struct msg_lease *lease,
                           const struct run_as_user *account,
                           struct run_simulation *out,
                           struct err *err)
{
    if (environment_find_simulator(&out->simulator, lease, run->options.model, err) <
            0 ||
        find_logs(run, out->logs, err) < 0 || folder_create(out->logs, err) < 0)
        return -1;
    out->environment = (struct environment_simulation){
        .simulator = &out->simulator, .soc = run->options.model, .logs = out->logs};
    if (!account)
        return 0;
    return run_as_user_change_owner(account, spool_work_folder(run->spool), err) < 0
               ? -1
               : run_as_user_change_owner(account, out->logs, err);
}

/* Collects core<N>...log.dump and object_dump.txt, and the file of the kernel. */
static int open_simulation(struct run *run,
                           const struct msg_lease *lease,
                           struct dump_collector_options *options,
                           struct err *err)
{
    struct record_simulation simulation = {.chip = ""};
    char logs[PATH_MAX], elf[PATH_MAX] = "";
    const char *folder = run_working_folder(run, lease);

    if (find_logs(run, logs, err) < 0)
        return -1;
    if (lease->elf && *lease->elf &&
        snprintf(elf, sizeof(elf), "%s%s%s", *lease->elf == '/' ? "" : folder,
                 *lease->elf == '/' ? "" : "/",
                 lease->elf) >= (int)sizeof(simulation.elf))
        return err_set(err, ERR_LIMIT,
                       "profile.elf: the whole path has more than %zu bytes",
                       sizeof(simulation.elf) - 1);
    snprintf(simulation.chip, sizeof(simulation.chip), "%s", run->options.model);
    snprintf(simulation.metrics, sizeof(simulation.metrics), "%s",
             lease->simulation ? lease->simulation : "");
    snprintf(simulation.cores, sizeof(simulation.cores), "%s",
             lease->cores ? lease->cores : "");
    snprintf(simulation.elf, sizeof(simulation.elf), "%.*s",
             (int)sizeof(simulation.elf) - 1, elf);
    options->pattern = "[co]*";
    options->folder = logs;
    options->also = *elf ? elf : NULL;
    options->simulation = &simulation;
    options->nothing = "the simulator wrote no log: the program launched no kernel, or "
                       "it does not use the preloaded runtime";
    return dump_collector_create(&run->dumps, run->reactor, options, err);
}

int run_open_collector(struct run *run,
                       const struct msg_lease *lease,
                       const struct run_as_user *account,
                       struct err *err)
{
    struct dump_collector_options options = {
        .rank = &run->rank,
        .pattern = lease->dump,
        .folder = run_working_folder(run, lease),
        .owner = account ? account->uid : geteuid(),
        .kind = lease->tool && strcmp(lease->tool, "framework") == 0 ? DUMP_PROFILE
                                                                     : DUMP_FILE,
        .on_group = run_on_group,
        .has_room = has_room,
        .on_finished = run->on_collected,
        .arg = run,
    };

    if (environment_is_simulation(lease))
        return open_simulation(run, lease, &options, err);
    if (!lease->dump || !*lease->dump)
        return 0;
    return dump_collector_create(&run->dumps, run->reactor, &options, err);
}
