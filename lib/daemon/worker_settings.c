#include "lib/daemon/worker_settings.h"

#include <string.h>
#include <unistd.h>

#include "lib/base/log.h"
#include "lib/base/mem.h"

const char worker_settings_usage[] =
    "--control ENDPOINT --data ENDPOINT --spool DIR [OPTION...]";

/* One row for each option, so the function grows with their number. */
/* NOLINTNEXTLINE(readability-function-size) */
static void fill_rows(struct worker_settings *settings)
{
    const struct option_row rows[] = {
        {"control", 0, OPTION_TEXT, &settings->control, "ENDPOINT",
         "Control endpoint of the coordinator, ipc:///PATH or tcp://HOST:PORT "
         "(required)",
         NULL},
        {"data", 0, OPTION_TEXT, &settings->data, "ENDPOINT",
         "Data endpoint of the coordinator, which receives captures (required)", NULL},
        {"card", 0, OPTION_I64, &settings->card, "N",
         "Serve only this card, numbered as the driver does (default: all cards of the "
         "host)",
         NULL},
        {"cards", 0, OPTION_TEXT, &settings->cards, "LIST",
         "Serve these cards of the host, such as 0,2-3 (default: the cards that the "
         "environment names, else all)",
         NULL},
        {"idle", 0, OPTION_DURATION, &settings->idle_ms, "TIME",
         "Exit after TIME without a lease (default: never)", NULL},
        {"ticket", 0, OPTION_FLAG, &settings->ticket, NULL,
         "Read endpoints and keys from MUSTER_TICKET (default: from the options)",
         NULL},
        {"spool", 0, OPTION_PATH, &settings->spool, "DIR",
         "Folder for groups and results that are not yet acknowledged (required)",
         NULL},
        {"spool-limit", 0, OPTION_BYTES, &settings->spool_limit, "BYTES",
         "Stop an operator whose unsent groups exceed BYTES; 0: no limit (default: "
         "16GiB)",
         NULL},
        {"remove-spool", 0, OPTION_FLAG, &settings->remove_spool, NULL,
         "Remove the spool folder at exit when everything is acknowledged (default: "
         "keep)",
         NULL},
        {"spool-goes", 0, OPTION_RENAMED, NULL, "remove-spool", NULL, NULL},
        {"model", 0, OPTION_TEXT, &settings->model, "NAME",
         "Model of the card, such as Ascend910B1 (default: what the driver reports)",
         NULL},
        {"serial", 0, OPTION_TEXT, &settings->serial, "TEXT",
         "Serial number of the card (default: what the driver reports)", NULL},
        {"simulated", 0, OPTION_FLAG, &settings->simulated, NULL,
         "Run operators on the simulated NPU (default: on a real card)", NULL},
        {"host", 0, OPTION_TEXT, &settings->host, "NAME",
         "Name of this host (default: the system's host name)", NULL},
        {"address", 0, OPTION_TEXT, &settings->address, "ADDRESS",
         "Address at which other hosts reach this host (default: the address that "
         "connects to the coordinator)",
         NULL},
        {"switch", 0, OPTION_TEXT, &settings->net_switch, "NAME",
         "Network switch of this host, for jobs whose ranks must share a switch "
         "(default: none)",
         NULL},
        {"key", 0, OPTION_PATH, &settings->key, "FILE",
         "CURVE key of this worker (default: none)", NULL},
        {"server-key", 0, OPTION_PATH, &settings->server_key, "FILE",
         "Public CURVE key of the coordinator; needs --key (default: none)", NULL},
        {"insecure", 0, OPTION_FLAG, &settings->insecure, NULL,
         "Allow TCP without keys beyond loopback (default: refuse)", NULL},
        {"limit", 0, OPTION_TEXT, &settings->limits, "LIST",
         "Limits of each operator process, such as nofile=4096,fsize=1GiB: core fsize "
         "nofile nproc as stack memlock cpu; memory limits all processes of an "
         "operator together (default: core=0)",
         NULL},
        {"cpus", 0, OPTION_TEXT, &settings->cpus, "LIST",
         "Processors for operators, such as 0-7; auto: those near the card (default: "
         "all)",
         NULL},
        {"cgroup", 0, OPTION_TEXT, &settings->cgroup, "DIR",
         "Control group in which each operator gets a group of its own; auto: the "
         "group of the worker (default: none)",
         NULL},
        {"env-allow", 0, OPTION_TEXT, &settings->env_allow, "LIST",
         "Pass only these variables of the worker's environment, as patterns separated "
         "by commas, and those that every operator needs (default: all)",
         NULL},
        {"as-submitter", 0, OPTION_FLAG, &settings->as_submitter, NULL,
         "Run operators as the account with the submitter's name; needs root and keys "
         "(default: as the worker's account)",
         NULL},
        {"parent-fd", 0, OPTION_I64, &settings->parent_fd, "N",
         "Exit when the pipe at descriptor N closes (default: no pipe)", NULL},
        {"once", 0, OPTION_FLAG, &settings->once, NULL,
         "Exit after one rank has run (default: serve until stopped)", NULL},
        {"log-level", 0, OPTION_CHOICE, &settings->log_level, "LEVEL",
         "Least severe level to log (default: warning)", log_levels},
        {"log-format", 0, OPTION_CHOICE, &settings->log_format, "FORM",
         "Format of log lines (default: text)", log_formats},
#ifdef MUSTER_TEST_SWITCHES
        {"test-no-restore", 0, OPTION_FLAG, &settings->no_restore, NULL,
         "For tests: do not restore device memory between replays (default: restore)",
         NULL},
#endif
        {"help", 'h', OPTION_FLAG, &settings->help, NULL, "Print this help and exit",
         NULL},
        {"version", 0, OPTION_FLAG, &settings->version, NULL,
         "Print the version and exit", NULL},
        {0},
    };

    _Static_assert(COUNT(rows) <= WORKER_SETTINGS_ROWS, "raise WORKER_SETTINGS_ROWS");
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
    const char *missing = !settings->control ? "--control"
                          : !settings->data  ? "--data"
                          : !settings->spool ? "--spool"
                                             : NULL;

    if (args[0])
        return err_set(err, ERR_INPUT,
                       "unexpected argument '%s'; muster-worker takes options only",
                       args[0]);
    if (missing)
        return err_set(err, ERR_INPUT,
                       "%s is missing; --control, --data and --spool are required",
                       missing);
    if (settings->card < -1 || settings->card >= HOST_CARDS_MAX)
        return err_set(err, ERR_INPUT, "--card: %lld is not a card number from 0 to %d",
                       (long long)settings->card, HOST_CARDS_MAX - 1);
    if (settings->as_submitter && geteuid() != 0)
        return err_set(err, ERR_INPUT, "--as-submitter: the worker must run as root");
    if (settings->as_submitter && !settings->key && !settings->ticket)
        return err_set(err, ERR_INPUT,
                       "--as-submitter needs --key or --ticket: without keys, the name "
                       "of a submitter is not proven");
    if (settings->cards && settings->card >= 0)
        return err_set(err, ERR_INPUT,
                       "--card and --cards exclude each other; pass one of them");
    return 0;
}
