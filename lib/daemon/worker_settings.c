#include "lib/daemon/worker_settings.h"

#include <string.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/base/mem.h"

const char worker_settings_usage[] =
    "--control ENDPOINT --data ENDPOINT --spool DIR [OPTION...]";

static void fill_rows(struct worker_settings *settings)
{
    const struct option_row rows[] = {
        {"control", 0, OPTION_TEXT, &settings->control, "ENDPOINT",
         "the coordinator's control socket", NULL},
        {"data", 0, OPTION_TEXT, &settings->data, "ENDPOINT",
         "the coordinator's data socket", NULL},
        {"card", 0, OPTION_I64, &settings->card, "N",
         "the card to serve, as the driver counts; else all of this host", NULL},
        {"cards", 0, OPTION_TEXT, &settings->cards, "LIST",
         "these of the host, such as 0,2-3; else those that its environment names",
         NULL},
        {"idle", 0, OPTION_DURATION, &settings->idle_ms, "TIME",
         "end when there was nothing to do for so long", NULL},
        {"ticket", 0, OPTION_FLAG, &settings->ticket, NULL,
         "endpoints and keys are those of MUSTER_TICKET", NULL},
        {"spool", 0, OPTION_TEXT, &settings->spool, "DIR",
         "folder for what is not yet acknowledged", NULL},
        {"spool-limit", 0, OPTION_BYTES, &settings->spool_limit, "BYTES",
         "an operator that fills more is stopped; 0: none is (16GiB)", NULL},
        {"spool-goes", 0, OPTION_FLAG, &settings->spool_goes, NULL,
         "with the worker, when all that it made is home", NULL},
        {"model", 0, OPTION_TEXT, &settings->model, "NAME",
         "what kind of card it is, such as Ascend910B1", NULL},
        {"serial", 0, OPTION_TEXT, &settings->serial, "TEXT",
         "the card's serial number", NULL},
        {"simulated", 0, OPTION_FLAG, &settings->simulated, NULL,
         "run on the simulated NPU", NULL},
        {"host", 0, OPTION_TEXT, &settings->host, "NAME",
         "the host's name; default: the system's", NULL},
        {"address", 0, OPTION_TEXT, &settings->address, "ADDRESS",
         "where other hosts reach this one; default: as the coordinator is reached",
         NULL},
        {"switch", 0, OPTION_TEXT, &settings->net_switch, "NAME",
         "the switch that this host hangs on, for tasks that stay on one", NULL},
        {"key", 0, OPTION_TEXT, &settings->key, "FILE", "this worker's CURVE key",
         NULL},
        {"server-key", 0, OPTION_TEXT, &settings->server_key, "FILE",
         "the coordinator's public key", NULL},
        {"insecure", 0, OPTION_FLAG, &settings->insecure, NULL,
         "allow plain tcp beyond loopback", NULL},
        {"limit", 0, OPTION_TEXT, &settings->limits, "LIST",
         "of each operator process: core fsize nofile nproc as stack memlock cpu, and "
         "memory of all (core=0)",
         NULL},
        {"cpus", 0, OPTION_TEXT, &settings->cpus, "LIST",
         "processors for operators, such as 0-7; auto: those near the card", NULL},
        {"cgroup", 0, OPTION_TEXT, &settings->cgroup, "DIR",
         "control group where operators get one of their own; auto: the worker's",
         NULL},
        {"env-allow", 0, OPTION_TEXT, &settings->env_allow, "LIST",
         "patterns: of the worker's environment operators see these, and what all need",
         NULL},
        {"as-submitter", 0, OPTION_FLAG, &settings->as_submitter, NULL,
         "operators run as the account that has their submitter's name; for root",
         NULL},
        {"parent-fd", 0, OPTION_I64, &settings->parent_fd, "N",
         "end when this pipe is closed", NULL},
        {"once", 0, OPTION_FLAG, &settings->once, NULL, "end after one run", NULL},
        {"log-level", 0, OPTION_CHOICE, &settings->log_level, "WORD", "what is told",
         log_levels},
        {"log-format", 0, OPTION_CHOICE, &settings->log_format, "FORM",
         "for people, collectors of logs, or systemd", log_formats},
#ifdef MUSTER_TEST_SWITCHES
        {"test-no-restore", 0, OPTION_FLAG, &settings->no_restore, NULL,
         "tests: do not put memory back between replays", NULL},
#endif
        {"help", 'h', OPTION_FLAG, &settings->help, NULL, "print this", NULL},
        {"version", 0, OPTION_FLAG, &settings->version, NULL, "print the version",
         NULL},
        {0},
    };

    _Static_assert(COUNT(rows) <= WORKER_SETTINGS_ROWS, "the table has grown");
    memcpy(settings->rows, rows, sizeof(rows));
}

void worker_settings_init(struct worker_settings *settings)
{
    *settings = (struct worker_settings){.card = -1,
                                         .model = "",
                                         .serial = "",
                                         .host = "",
                                         .address = "",
                                         .limits = "core=0",
                                         .cpus = "",
                                         .cgroup = "",
                                         .net_switch = "",
                                         .parent_fd = -1,
                                         .spool_limit = 16ull << 30,
                                         .log_level = LOG_WARNING};
    fill_rows(settings);
}

int worker_settings_check(const struct worker_settings *settings,
                          char **args,
                          struct err *err)
{
    if (args[0])
        return err_set(err, ERR_INPUT, "'%s' is not understood", args[0]);
    if (!settings->control || !settings->data || !settings->spool)
        return err_set(err, ERR_INPUT, "--control, --data and --spool are needed");
    if (settings->card < -1 || settings->card >= HOST_CARDS_MAX)
        return err_set(err, ERR_INPUT, "--card: 0 to %d", HOST_CARDS_MAX - 1);
    if (settings->as_submitter && geteuid() != 0)
        return err_set(err, ERR_INPUT, "--as-submitter: only root can do that");
    if (settings->as_submitter && !settings->key && !settings->ticket)
        return err_set(err, ERR_INPUT,
                       "--as-submitter needs --key: without keys anybody may take "
                       "any name");
    if (settings->cards && settings->card >= 0)
        return err_set(err, ERR_INPUT, "--card or --cards, not both");
    return 0;
}
