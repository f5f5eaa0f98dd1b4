#include "coordinator/monitor/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "coordinator/fleet/workers.h"
#include "coordinator/ledger/event_counts.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/parse/parse_queue.h"
#include "lib/base/mem.h"

enum {
    MODELS_MAX = 16,
    RESERVED = CARD_GONE, /* cards in state CARD_GONE have no worker: not counted */
    CARD_STATES,
};

static void head(struct text *out, const char *name, const char *type, const char *help)
{
    text_printf(out, "# TYPE %s %s\n# HELP %s %s\n", name, type, name, help);
}

/* Writes a label value with escapes: the model is text from a worker. */
static void write_label_value(struct text *out, const char *value)
{
    for (; *value; value++)
        switch (*value) {
        case '\\':
        case '"':
            text_add_char(out, '\\');
            text_add_char(out, *value);
            break;
        case '\n':
            text_add(out, "\\n");
            break;
        default:
            text_add_char(out, *value);
        }
}

static void write_jobs(const struct ledger *ledger, struct text *out)
{
    uint64_t tasks[TASK_STATE_END] = {0}, jobs[JOB_STATE_END] = {0};

    for (const struct ledger_job *job = ledger_first_job(ledger); job;
         job = job->next) {
        jobs[job->state]++;
        for (int state = 0; state < TASK_STATE_END; state++)
            tasks[state] += job->counts[state];
    }
    head(out, "muster_jobs", "gauge", "Jobs that have not ended.");
    for (int state = 0; state < JOB_STATE_END; state++)
        if (!job_state_is_final(state))
            text_printf(out, "muster_jobs{state=\"%s\"} %" PRIu64 "\n",
                        job_state_name(state), jobs[state]);
    head(out, "muster_tasks", "gauge", "Tasks of jobs that have not ended.");
    for (int state = 0; state < TASK_STATE_END; state++)
        text_printf(out, "muster_tasks{state=\"%s\"} %" PRIu64 "\n",
                    task_state_name(state), tasks[state]);
}

struct model_count {
    const char *model;
    bool simulated;
    uint64_t counts[CARD_STATES];
};

static void write_cards(const struct workers *workers, struct text *out)
{
    struct model_count models[MODELS_MAX] = {{0}};
    size_t count = 0;

    for (const struct worker *worker = workers->first; worker; worker = worker->next) {
        int state = worker->state == CARD_IDLE && worker->reserved_for_gang
                        ? RESERVED
                        : (int)worker->state;
        size_t i = 0;

        while (i < count && (models[i].simulated != worker->simulated ||
                             strcmp(models[i].model, worker->model) != 0))
            i++;
        if (i == MODELS_MAX) /* all further models are counted together */
            models[--i].model = "other";
        else if (i == count)
            models[count++] = (struct model_count){.model = worker->model,
                                                   .simulated = worker->simulated};
        models[i].counts[state]++;
    }
    head(out, "muster_cards", "gauge", "Cards with a connected worker.");
    for (size_t i = 0; i < count; i++)
        for (int state = 0; state < CARD_STATES; state++) {
            text_add(out, "muster_cards{model=\"");
            write_label_value(out, models[i].model);
            text_printf(out, "\",simulated=\"%s\",state=\"%s\"} %" PRIu64 "\n",
                        models[i].simulated ? "true" : "false",
                        state == RESERVED ? "kept"
                                          : card_state_name((enum card_state)state),
                        models[i].counts[state]);
        }
}

static void write_hosts(const struct workers *workers, struct text *out)
{
    uint64_t counts[HOST_AWAY] = {
        0}; /* hosts in state HOST_AWAY have no worker: not counted */

    for (const struct fleet_host *host = workers->hosts; host; host = host->next)
        counts[host->state]++;
    head(out, "muster_hosts", "gauge", "Hosts with a connected worker.");
    for (int state = 0; state < HOST_AWAY; state++)
        text_printf(out, "muster_hosts{state=\"%s\"} %" PRIu64 "\n",
                    host_state_name((enum host_state)state), counts[state]);
}

static void write_totals(const struct metrics *metrics, struct text *out)
{
    const struct ledger_totals *totals = ledger_totals(metrics->ledger);

    head(out, "muster_events", "counter", "Events of jobs, tasks, workers and cards.");
    for (size_t i = 0; i < totals->events.count; i++)
        text_printf(out, "muster_events_total{kind=\"%s\"} %" PRIu64 "\n",
                    totals->events.rows[i].word, totals->events.rows[i].count);
    head(out, "muster_groups", "counter", "Capture groups stored.");
    text_printf(out, "muster_groups_total %" PRIu64 "\n", totals->groups);
    head(out, "muster_group_bytes", "counter",
         "Size of the stored capture groups as sent.");
    text_add(out, "# UNIT muster_group_bytes bytes\n");
    text_printf(out, "muster_group_bytes_total %" PRIu64 "\n", totals->group_bytes);
    head(out, "muster_commits", "counter", "Commits of the store.");
    text_printf(out, "muster_commits_total %" PRIu64 "\n", metrics->commits);
    head(out, "muster_parsers_waiting", "gauge", "Parser processes that run or wait.");
    text_printf(out, "muster_parsers_waiting %zu\n", parse_queue_busy(metrics->parses));
}

static void write_process(struct text *out)
{
    struct rusage usage = {0};
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (file) {
        if (fscanf(file, "%*u %llu", &pages) != 1)
            pages = 0;
        fclose(file);
    }
    getrusage(RUSAGE_SELF, &usage);
    head(out, "process_cpu_seconds", "counter",
         "Processor time used, user and system.");
    text_add(out, "# UNIT process_cpu_seconds seconds\n");
    text_printf(out, "process_cpu_seconds_total %.6f\n",
                (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
    head(out, "process_resident_memory_bytes", "gauge", "Resident memory.");
    text_add(out, "# UNIT process_resident_memory_bytes bytes\n");
    text_printf(out, "process_resident_memory_bytes %llu\n",
                pages * (unsigned long long)sysconf(_SC_PAGESIZE));
}

void metrics_write(const struct metrics *metrics, struct text *out)
{
    head(out, "muster_build", "info", "Version of muster.");
    text_printf(out, "muster_build_info{version=\"%s\"} 1\n", MUSTER_VERSION);
    write_jobs(metrics->ledger, out);
    write_cards(metrics->workers, out);
    write_hosts(metrics->workers, out);
    write_totals(metrics, out);
    write_process(out);
    text_add(out, "# EOF\n");
}
