#include "cli/gate/gate_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/asked_metrics.h"
#include "cli/compare/compared_jobs.h"
#include "cli/gate/gate_drift.h"
#include "cli/gate/gate_evidence_print.h"
#include "cli/gate/gate_evidence_read.h"
#include "cli/gate/gate_files.h"
#include "cli/gate/gate_settings.h"
#include "cli/gate/gate_since.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/point_key.h"
#include "lib/gate/false_alarms.h"
#include "lib/gate/gate_sentence.h"
#include "lib/gate/night_findings.h"

enum { NIGHTS = 10 }; /* newest jobs of the base's name that show the noise of nights */

/* The data of one run of the gate. */
struct run {
    struct row_source *source;
    const struct gate_options *options;
    struct gate_settings settings;
    struct compared_base base;
    struct compared_job fresh;
    uint64_t base_id; /* job whose code and environment count; 0: there is no base */
    struct comparison *comparison;
    struct gate_evidence *evidence;
    struct map *seconds; /* key of a point to a double */
    struct gate_drift drift;
    char *environment_change; /* NULL: none */
    double false_alarms;      /* share; NaN: unknown */
    struct gate *gate;
    struct gate_reasons reasons;
    struct gate_result result;
    char *problem; /* why the gate cannot pass; NULL: it can */
    char *sentence;
};

static void run_clear(struct run *run)
{
    size_t cursor = 0;
    const char *key;
    void *value;

    gate_reasons_clear(&run->reasons);
    gate_drift_clear(&run->drift);
    gate_destroy(run->gate);
    gate_evidence_destroy(run->evidence);
    comparison_destroy(run->comparison);
    while (run->seconds && map_next(run->seconds, &cursor, &key, &value))
        free(value);
    map_destroy(run->seconds);
    compared_base_clear(&run->base);
    compared_job_clear(&run->fresh);
    gate_settings_clear(&run->settings);
    free(run->environment_change);
    free(run->problem);
    free(run->sentence);
}

static int
read_settings(struct run *run, uint64_t job_id, const char *job_arg, struct err *err)
{
    char *yaml = NULL;
    int result = row_source_job_file(run->source, job_id, &yaml, err);

    if (result == 0)
        result = gate_settings_init(&run->settings, yaml, err);
    free(yaml);
    if (result == 0)
        result = compared_job_find(&run->fresh, run->source, job_arg, err);
    run->settings.rules.confirm &= !run->options->no_confirm;
    return result;
}

static void use_baseline(struct run *run)
{
    const struct stored_baseline *baseline = &run->base.baseline;
    const struct compared_job *fresh = &run->fresh;

    run->settings.comparison.baseline = baseline->rule;
    run->settings.comparison.new_job_id = fresh->job_id;
    run->base_id = compared_base_newest(&run->base, fresh);
    if (run->base_id == 0)
        run->problem =
            xasprintf("undecided: no night of baseline %s that passed is older than %s",
                      baseline->name, fresh->key);
    else if (baseline_is_stale(baseline->rule, fresh->job_id, fresh->submitted_wall_ns))
        run->problem = xasprintf("undecided: baseline %s is stale, because no night "
                                 "passed for %d days before %s",
                                 baseline->name, BASELINE_EXPIRY_DAYS, fresh->key);
}

/* A missing base is a verdict, not an error. */
static int find_base(struct run *run, struct err *err)
{
    const char *name = run->options->against;

    if (!name && !run->fresh.against[0])
        return err_set(err, ERR_INPUT,
                       "the job file has no key compare.against; add it, or name the "
                       "base with --against");
    if (compared_base_find(&run->base, run->source, name, &run->fresh, err) == 0) {
        if (run->base.baseline.rule)
            use_baseline(run);
        else
            run->base_id = run->base.job.job_id;
        return 0;
    }
    if (err->code != ERR_NOT_FOUND)
        return -1;
    run->problem = xasprintf("undecided: no baseline '%s', and no job of this name was "
                             "done before %s",
                             name ? name : run->fresh.against, run->fresh.key);
    return 0;
}

static const char *base_name(const struct run *run)
{
    return run->base_id ? compared_base_name(&run->base) : "";
}

static void add_seconds(const void *row, void *arg)
{
    const struct msg_task_row *task = row;
    struct run *run = arg;
    bool pinned;
    char *key = point_key(task->point_text, &pinned);
    double *seconds = map_get(run->seconds, key);

    if (!seconds) {
        seconds = xcalloc(1, sizeof(*seconds));
        map_put(run->seconds, key, seconds);
    }
    if (task->started_wall_ns && task->ended_wall_ns > task->started_wall_ns)
        *seconds += (double)(task->ended_wall_ns - task->started_wall_ns) / 1e9;
    free(key);
}

static int read_figures(struct run *run, struct err *err)
{
    run->comparison = comparison_create(&run->settings.comparison);
    run->evidence = gate_evidence_create();
    run->seconds = map_create();
    if (run->base_id &&
        (compared_jobs_read(run->comparison, run->source, &run->base, &run->fresh,
                            &compared_everything, NIGHTS, err) < 0 ||
         asked_metrics_check_comparison(run->settings.rules.suspects.metric,
                                        run->comparison, run->source, &run->base,
                                        &run->fresh, err) < 0 ||
         gate_evidence_read(run->evidence, run->source, COMPARISON_BASE, run->base_id,
                            err) < 0 ||
         gate_evidence_read(run->evidence, run->source, COMPARISON_NEW,
                            run->fresh.job_id, err) < 0))
        return -1;
    return row_source_each(run->source, MSG_TASK_ROW, run->fresh.job_id, add_seconds,
                           run, err);
}

/* Has the suspects measured again, when the rules and the options ask for it. */
static int confirm(struct run *run, struct err *err)
{
    const struct gate_options *options = run->options;
    const struct gate_confirm_jobs jobs = {
        .source = run->source,
        .job_id = run->fresh.job_id,
        .base_job_id = run->base_id,
        .tolerance = run->settings.comparison.tolerance,
        .settings = &run->settings.gate->confirm,
        .quiet = options->quiet,
    };
    size_t count;

    gate_suspects(run->gate, &count);
    if (count == 0 || !run->settings.rules.confirm || !options->confirm ||
        options->dry_run)
        return 0;
    return options->confirm(run->gate, &jobs, options->confirm_arg, err);
}

/* Sets what keeps the gate from passing, whatever the cells show. */
static void find_problem(struct run *run)
{
    if (run->problem)
        return;
    if (run->drift.is_missing)
        run->problem = xasprintf("undecided: there is no baseline and no job '%s', "
                                 "which gate.anchor names",
                                 run->settings.gate->anchor);
    else if (run->false_alarms > FALSE_ALARMS_MOST)
        run->problem =
            xasprintf("undecided: the gate is often wrong: %.1f %% false alarms among "
                      "the cells with equal code and environment in %d nights",
                      100 * run->false_alarms, FALSE_ALARM_NIGHTS);
}

static int decide(struct run *run, int job_code, struct err *err)
{
    comparison_judge(run->comparison);
    run->environment_change = gate_evidence_environment_change(run->evidence);
    run->gate = gate_create(run->comparison, &run->settings.rules, run->evidence);
    if (gate_since_read(run->gate, run->source, &run->base, &run->fresh, err) < 0 ||
        confirm(run, err) < 0)
        return -1;
    run->false_alarms =
        false_alarms_rate(run->base.baseline.rule, run->fresh.job_id, run->gate);
    find_problem(run);
    run->result = gate_decide(run->gate, job_code != 0, run->problem != NULL);
    gate_reasons_init(&run->reasons, run->gate);
    run->sentence = run->problem && run->result.code != GATE_REGRESSED
                        ? xstrdup(run->problem)
                        : gate_sentence(run->gate, &run->reasons, &run->result);
    return 0;
}

static bool has_unknown_nights(const struct run *run)
{
    size_t count;
    const struct suspect *suspects = gate_suspects(run->gate, &count);

    for (size_t i = 0; i < count; i++)
        if (suspects[i].cell.nights_unknown)
            return true;
    return false;
}

static struct gate_report report_of(const struct run *run)
{
    return (struct gate_report){
        .job_key = run->fresh.key,
        .against = base_name(run),
        .metric = run->settings.rules.suspects.metric,
        .tolerance = run->settings.comparison.tolerance,
        .gate = run->gate,
        .reasons = &run->reasons,
        .result = &run->result,
        .sentence = run->sentence,
        .problem = run->problem,
        .simulated = comparison_is_simulated(run->comparison),
        .nights_unknown = has_unknown_nights(run),
        .seconds = run->seconds,
        .drifts = (const char *const *)run->drift.texts,
        .drift_count = run->drift.count,
        .environment_change = run->environment_change,
        .false_alarms = run->false_alarms,
    };
}

/* "12 same, 1 regressed": the verdicts that occur. */
static void print_counts(const struct gate_report *report)
{
    struct text counts = {0};

    for (enum comparison_outcome i = 0; i < OUTCOME_COUNT; i++)
        if (report->result->outcomes[i] > 0)
            text_printf(&counts, "%s%zu %s", text_get(&counts)[0] ? ", " : "",
                        report->result->outcomes[i], comparison_outcome_name(i));
    if (report->result->quarantined > 0)
        text_printf(&counts, "%s%zu in quarantine", text_get(&counts)[0] ? ", " : "",
                    report->result->quarantined);
    printf("%s against %s: %s (metric %s, tolerance %g %%)\n", report->job_key,
           report->against[0] ? report->against : "nothing",
           text_get(&counts)[0] ? text_get(&counts) : "no cell", report->metric,
           100 * report->tolerance);
    text_clear(&counts);
}

static void print_report(const struct gate_report *report)
{
    const struct gate_reasons *reasons = report->reasons;

    printf("%s\n", report->sentence);
    for (size_t i = 0; i < reasons->improved_count; i++)
        printf("improved: %s\n", reasons->improved[i]);
    for (size_t i = 0; i < reasons->count; i++)
        if (strcmp(reasons->reasons[i].text, report->sentence) != 0)
            printf("also: %s\n", reasons->reasons[i].text);
    for (size_t i = 0; i < reasons->new_card_count; i++)
        printf("%s\n", reasons->new_cards[i]);
    for (size_t i = 0; i < report->drift_count; i++)
        printf("drift: %s\n", report->drifts[i]);
    if (report->environment_change)
        printf("environment changed: %s\n", report->environment_change);
    if (report->false_alarms > FALSE_ALARMS_SHOWN)
        printf("false alarms: %.1f %% of the cells with equal code and environment in "
               "%d nights\n",
               100 * report->false_alarms, FALSE_ALARM_NIGHTS);
    print_counts(report);
    if (report->simulated)
        puts("the figures are simulated");
    if (report->result->missing > 0)
        printf("%zu repeat%s of %s %s no result; see 'muster show %s'\n",
               report->result->missing, report->result->missing == 1 ? "" : "s",
               report->job_key, report->result->missing == 1 ? "has" : "have",
               report->job_key);
    if (report->nights_unknown)
        printf("fewer than %d nights up to %s show how much nights differ\n",
               COMPARISON_NIGHTS_FEWEST, report->against);
}

/* Sends the verdict to the coordinator, or to one that writes to the store. */
static int send_verdict(const struct run *run,
                        const struct msg_gate_verdict *verdict,
                        struct err *err)
{
    struct client *client = row_source_client(run->source);
    const union any_message *reply;

    if (client)
        return client_request(client, MSG_GATE_VERDICT, verdict, MSG_OK, &reply, err);
    if (run->options->store)
        return run->options->store(verdict, row_source_out(run->source), err);
    return 0;
}

static int store_verdict(const struct run *run, struct err *err)
{
    const struct gate_reasons *reasons = &run->reasons;
    const char **texts = xcalloc(reasons->count + 1, sizeof(*texts));
    const struct gate_equal_cells equal = gate_count_equal(run->gate);
    struct night_findings findings;

    for (size_t i = 0; i < reasons->count; i++)
        texts[i] = reasons->reasons[i].text;
    night_findings_init(&findings, run->gate);
    const struct msg_gate_verdict verdict = {
        .job_id = run->fresh.job_id,
        .code = run->result.code,
        .against = base_name(run),
        .baseline = run->base.baseline.rule ? run->base.baseline.name : "",
        .sentence = run->sentence,
        .suspects = {texts, reasons->count},
        .equal_cells = equal.cells,
        .false_alarms = equal.false_alarms,
        .improved = {findings.improved.points, findings.improved.count},
        .not_reproduced = {findings.not_reproduced.points,
                           findings.not_reproduced.count},
        .noisy = {findings.noisy.points, findings.noisy.count},
    };
    int result = send_verdict(run, &verdict, err);
    free(texts);
    night_findings_clear(&findings);
    if (result == 0 || err->code != ERR_DENIED)
        return result;
    /* A key that only reads may decide for itself; the others do not see its verdict.
     */
    fprintf(stderr, "muster: the verdict is not among the events: %s\n", err->text);
    return 0;
}

static int publish(const struct run *run, struct err *err)
{
    const struct gate_report report = report_of(run);

    print_report(&report);
    if (run->options->explain)
        gate_evidence_print(run->gate);
    if (run->options->dry_run)
        return 0;
    if (run->options->to) {
        if (gate_files_write(&report, run->options->to, err) < 0)
            return -1;
        printf("%s/gate.html\n", run->options->to);
    }
    return store_verdict(run, err);
}

int gate_run(enum gate_code *code,
             struct row_source *source,
             uint64_t job_id,
             int job_code,
             const struct gate_options *options,
             struct err *err)
{
    struct run run = {.source = source, .options = options, .false_alarms = NAN};
    char job_arg[24];
    int result = -1;

    snprintf(job_arg, sizeof(job_arg), "%llu", (unsigned long long)job_id);
    if (read_settings(&run, job_id, job_arg, err) == 0 && find_base(&run, err) == 0 &&
        read_figures(&run, err) == 0 &&
        gate_drift_read(&run.drift, source, &run.settings, &run.fresh, err) == 0 &&
        decide(&run, job_code, err) == 0) {
        result = publish(&run, err);
        *code = run.result.code;
    }
    run_clear(&run);
    return result < 0 ? err_wrap(err, "gate of job %s", job_arg) : 0;
}

int gate_is_given(struct row_source *source,
                  uint64_t job_id,
                  bool *given,
                  struct err *err)
{
    struct gate_settings settings;
    char *yaml;

    if (row_source_job_file(source, job_id, &yaml, err) < 0)
        return -1;
    int result = gate_settings_init(&settings, yaml, err);
    *given = result == 0 && settings.gate->given;
    if (result == 0)
        gate_settings_clear(&settings);
    free(yaml);
    return result;
}
