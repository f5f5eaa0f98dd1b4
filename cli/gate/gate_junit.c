/* gate_junit.c - junit.xml: a suite for each kernel, a case for each point
 *
 * Readers add up the times of the cases, so `time` is the time that the tasks of the
 * point took, and only the first case of a point has it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/gate/gate_points.h"
#include "cli/gate/gate_report.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/html/escape.h"

struct suite {
    struct text cases;
    size_t tests, failures, errors, skipped;
    double seconds;
    size_t bad; /* failures and errors of all suites so far */
};

static void add_attribute(struct text *out, const char *name, const char *value)
{
    text_printf(out, " %s=\"", name);
    html_escape(out, value);
    text_add(out, "\"");
}

static void
begin_case(struct suite *suite, const char *class, const char *name, double seconds)
{
    text_add(&suite->cases, "    <testcase");
    add_attribute(&suite->cases, "classname", class);
    add_attribute(&suite->cases, "name", name);
    text_printf(&suite->cases, " time=\"%.3f\">\n", seconds);
    suite->tests++;
    suite->seconds += seconds;
}

static void end_case(struct suite *suite)
{
    text_add(&suite->cases, "    </testcase>\n");
}

static void
add_result(struct text *out, const char *element, const char *type, const char *message)
{
    text_printf(out, "      <%s", element);
    if (type)
        add_attribute(out, "type", type);
    add_attribute(out, "message", message);
    text_add(out, "/>\n");
}

static void add_failure(struct suite *suite, const char *message)
{
    suite->failures++;
    suite->bad++;
    add_result(&suite->cases, "failure", "regressed", message);
}

static void add_error(struct suite *suite, const char *type, const char *message)
{
    suite->errors++;
    suite->bad++;
    add_result(&suite->cases, "error", type, message);
}

static void add_skipped(struct suite *suite, const char *message)
{
    suite->skipped++;
    add_result(&suite->cases, "skipped", NULL, message);
}

static void add_property(struct text *out, const char *name, const char *value)
{
    text_add(out, "        <property");
    add_attribute(out, "name", name);
    add_attribute(out, "value", value);
    text_add(out, "/>\n");
}

static void add_number(struct text *out, const char *name, double value)
{
    char text[32];

    if (!isfinite(value))
        return;
    snprintf(text, sizeof(text), "%.6g", value);
    add_property(out, name, text);
}

/* Adds the reason of each cell of the point: of repeats that were left out it names the
 * card, which need not be that of the worst cell. */
static void add_reasons(const struct gate_report *report,
                        const struct gate_point *point,
                        struct text *out)
{
    for (const struct comparison_row *row = point->first; row < point->end; row++)
        if (row->reason[0] && gate_is_judged(report->gate, row))
            add_property(out, "reason", row->reason);
}

static void add_properties(const struct gate_report *report,
                           const struct gate_point *point,
                           struct text *out)
{
    const struct comparison_row *cell = point->worst;

    text_add(out, "      <properties>\n");
    add_property(out, "verdict", comparison_outcome_name(cell->outcome));
    add_property(out, "metric", cell->metric);
    if (cell->placed_serial[0])
        add_property(out, "card", cell->placed_serial);
    add_number(out, "ratio", cell->new_median / cell->base_median);
    add_number(out, "low", exp(cell->low));
    add_number(out, "high", exp(cell->high));
    add_number(out, "p", fmin(cell->p_worse, cell->p_better));
    add_number(out, "p_adjusted",
               fmin(cell->p_worse_adjusted, cell->p_better_adjusted));
    add_number(out, "n_base", (double)cell->base_count);
    add_number(out, "n_new", (double)cell->new_count);
    add_property(out, "against", report->against);
    add_property(out, "simulated", cell->simulated ? "true" : "false");
    if (point->suspect)
        add_property(out, "cause", cause_name(point->suspect->causes.first));
    add_reasons(report, point, out);
    text_add(out, "      </properties>\n");
}

/* "4.0 % slower than 100.02 us on card S; cause: code (confirmed)" */
static char *describe(const struct gate_point *point)
{
    const struct suspect *suspect = point->suspect;
    const struct comparison_row *cell = &suspect->cell;
    struct text text = {0};

    text_printf(&text, "%.1f %% worse: %g %s after %g %s", 100 * expm1(cell->shift),
                cell->new_median, cell->unit, cell->base_median, cell->unit);
    if (cell->placed_serial[0])
        text_printf(&text, " on card %s of host %s", cell->placed_serial,
                    cell->placed_host);
    text_printf(&text, "; cause: %s", cause_name(suspect->causes.first));
    if (suspect->causes.second != CAUSE_NONE)
        text_printf(&text, " and %s", cause_name(suspect->causes.second));
    text_printf(&text, " (%s)", suspect_state_name(suspect->state));
    return text_take(&text);
}

static void add_suspect(const struct gate_report *report,
                        struct suite *suite,
                        const struct gate_point *point)
{
    char *text = describe(point);

    if (!(gate_rules(report->gate)->fail & JOB_FAIL_REGRESSED) ||
        point->weight == WEIGHT_EXCUSED || point->weight == WEIGHT_NOT_REPRODUCED)
        add_skipped(suite, text);
    else if (point->weight == WEIGHT_OPEN)
        add_error(suite, "undecided", text);
    else
        add_failure(suite, text);
    free(text);
}

static void add_inconclusive(const struct gate_report *report,
                             struct suite *suite,
                             const struct comparison_row *cell)
{
    char *text = cell->more > 0
                     ? xasprintf("inconclusive: at least %zu more repeats", cell->more)
                     : xasprintf("inconclusive: %s", cell->reason);

    if (report->result->too_many_undecided)
        add_error(suite, "undecided", text);
    else
        add_skipped(suite, text);
    free(text);
}

static void add_not_measured(const struct gate_report *report,
                             struct suite *suite,
                             const char *text)
{
    if (gate_rules(report->gate)->fail & JOB_FAIL_NOT_MEASURED)
        add_error(suite, "not-measured", text);
    else
        add_skipped(suite, text);
}

/* A point that lacks repeats is not measured, whatever its other repeats show. */
static void add_outcome(const struct gate_report *report,
                        struct suite *suite,
                        const struct gate_point *point)
{
    unsigned fail = gate_rules(report->gate)->fail;

    if (point->worst->missing > 0) {
        add_not_measured(report, suite, "a repeat has no result");
        return;
    }
    switch (point->worst->outcome) {
    case OUTCOME_NOT_MEASURED:
        add_not_measured(report, suite,
                         point->worst->reason[0] ? point->worst->reason
                                                 : "a repeat or a card has no value");
        break;
    case OUTCOME_INCONCLUSIVE:
        add_inconclusive(report, suite, point->worst);
        break;
    case OUTCOME_IMPROVED:
        if (fail & JOB_FAIL_IMPROVED)
            add_failure(suite, "improved, and gate.fail lists `improved`");
        break;
    case OUTCOME_GONE:
        add_skipped(suite, "gone: only the base contains the point or its card");
        break;
    case OUTCOME_ADDED:
        add_skipped(suite, "added: the base does not contain the point or its card");
        break;
    default:
        break;
    }
}

/* Takes the time of a point, so that its next case has none. */
static double take_seconds(const struct gate_report *report, const char *point)
{
    double *seconds = map_get(report->seconds, point);
    double result = seconds ? *seconds : 0;

    if (seconds)
        *seconds = 0;
    return result;
}

static void end_suite(struct text *out, struct suite *suite, const char *name)
{
    text_add(out, "  <testsuite");
    add_attribute(out, "name", name);
    text_printf(out,
                " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" "
                "time=\"%.3f\">\n%s  </testsuite>\n",
                suite->tests, suite->failures, suite->errors, suite->skipped,
                suite->seconds, text_get(&suite->cases));
    text_clear(&suite->cases);
    *suite = (struct suite){.bad = suite->bad};
}

static void add_quarantined(struct suite *suite, const char *reason)
{
    char *text = xasprintf("quarantined: %s", reason);

    add_skipped(suite, text);
    free(text);
}

/* Returns the number of failures and errors. */
static size_t add_kernels(const struct gate_report *report, struct text *out)
{
    struct suite suite = {0};
    size_t count;
    struct gate_point *points = gate_points(report->gate, &count);

    for (size_t i = 0; i < count; i++) {
        const struct gate_point *point = &points[i];

        begin_case(&suite, point->kernel,
                   point->point[0] ? point->point : point->kernel,
                   take_seconds(report, point->point));
        add_properties(report, point, &suite.cases);
        if (point->quarantine[0])
            add_quarantined(&suite, point->quarantine);
        else if (point->suspect)
            add_suspect(report, &suite, point);
        else
            add_outcome(report, &suite, point);
        end_case(&suite);
        if (i + 1 == count || strcmp(points[i + 1].kernel, point->kernel) != 0)
            end_suite(out, &suite, point->kernel);
    }
    free(points);
    return suite.bad;
}

static int by_text(const void *left, const void *right)
{
    return text_compare_names(*(const char *const *)left, *(const char *const *)right);
}

/* Adds a case for each host: its cards and the host itself are no cause. */
static void add_hosts(const struct gate_report *report, struct suite *suite)
{
    size_t count, host_count = 0;
    const struct comparison_row *rows = gate_rows(report->gate, &count);
    const char **hosts = xcalloc(count + 1, sizeof(*hosts));

    for (size_t i = 0; i < count; i++)
        if (rows[i].placed_host[0])
            hosts[host_count++] = rows[i].placed_host;
    if (host_count > 0)
        qsort(hosts, host_count, sizeof(*hosts), by_text);
    for (size_t i = 0; i < host_count; i++) {
        if (i > 0 && strcmp(hosts[i - 1], hosts[i]) == 0)
            continue;
        char *name = xasprintf("host %s", hosts[i]);

        begin_case(suite, "fleet", name, 0);
        for (size_t r = 0; r < report->reasons->count; r++) {
            const struct gate_reason *reason = &report->reasons->reasons[r];

            if (reason->weight == WEIGHT_REGRESSION &&
                strcmp(reason->host, hosts[i]) == 0) {
                add_failure(suite, reason->text);
                break;
            }
        }
        end_case(suite);
        free(name);
    }
    free(hosts);
}

static void add_environment(const struct gate_report *report, struct suite *suite)
{
    begin_case(suite, "fleet", "fleet", 0);
    for (size_t i = 0; i < report->reasons->count; i++) {
        const struct gate_reason *reason = &report->reasons->reasons[i];

        if (reason->weight == WEIGHT_REGRESSION && reason->cause == CAUSE_ENVIRONMENT) {
            add_failure(suite, reason->text);
            break;
        }
    }
    end_case(suite);
}

/* The base and the share of the cells that it could judge. */
static void add_baseline(const struct gate_report *report, struct suite *suite)
{
    const struct gate_result *result = report->result;

    begin_case(suite, "fleet", "baseline", 0);
    if (report->problem)
        add_error(suite, "undecided", report->problem);
    else if (result->decidable == 0 || result->large_quarantine)
        add_error(suite, "undecided", report->sentence);
    end_case(suite);
}

/* Tasks that the base does not have, or whose kernel is unknown, have no other case. */
static void add_tasks(const struct gate_report *report, struct suite *suite)
{
    const struct gate_result *result = report->result;
    char *text = xasprintf("%zu %s no result", result->missing,
                           result->missing == 1 ? "repeat has" : "repeats have");

    begin_case(suite, "fleet", "tasks", 0);
    if (result->code == GATE_TASKS_FAILED)
        add_error(suite, "tasks-failed", report->sentence);
    else if (result->missing > 0)
        add_not_measured(report, suite, text);
    end_case(suite);
    free(text);
}

/* `bad` is the number of failures and errors of the kernels. A point that improved only
 * by its cells together, for example, has no case that fails. */
static void add_fleet(const struct gate_report *report, size_t bad, struct text *out)
{
    struct suite suite = {.bad = bad};

    add_environment(report, &suite);
    add_hosts(report, &suite);
    add_baseline(report, &suite);
    add_tasks(report, &suite);
    if (report->result->code != GATE_PASSED && suite.bad == 0) {
        begin_case(&suite, "fleet", "gate", 0);
        if (report->result->code == GATE_REGRESSED)
            add_failure(&suite, report->sentence);
        else
            add_error(&suite, "undecided", report->sentence);
        end_case(&suite);
    }
    end_suite(out, &suite, "fleet");
}

void gate_to_junit(const struct gate_report *report, struct text *out)
{
    struct text kernels = {0};

    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    add_attribute(out, "name", report->job_key);
    text_add(out, ">\n");
    size_t bad = add_kernels(report, &kernels);
    add_fleet(report, bad, out);
    text_add(out, text_get(&kernels));
    text_add(out, "</testsuites>\n");
    text_clear(&kernels);
}
