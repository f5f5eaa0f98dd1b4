/* run_end.c - end of the operator: result of the rank, or the next program start */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "worker/capture/dump_collector.h"
#include "worker/capture/inject_server.h"
#include "worker/process/operator_process.h"
#include "worker/process/output_capture.h"
#include "worker/process/resident_runner.h"
#include "worker/run/run_internal.h"

/* Writes the reason when the operator ended badly, and returns true. */
static bool describe_bad_exit(struct run *run,
                              const struct inject_server_totals *totals)
{
    const struct msg_rank_result *result = &run->result;
    bool has_incomplete = totals->all.incomplete > 0;
    char line[256] = "";

    if (run->measured_all)
        return false;
    if (result->signal != 0) {
        snprintf(run->reason, sizeof(run->reason), "ended by signal %llu (%s)",
                 (unsigned long long)result->signal, strsignal((int)result->signal));
        return true;
    }
    if (result->exit_code == 0)
        return false;
    if (run_program(run))
        output_capture_last_line(operator_process_output(run_program(run)), line,
                                 sizeof(line));
    snprintf(run->reason, sizeof(run->reason), "exit code %lld%s%s%s%s",
             (long long)result->exit_code, has_incomplete ? "; " : "",
             has_incomplete ? totals->all.reason : "", line[0] ? ": " : "", line);
    return true;
}

/* Checks that the program had as many launches, or ranges, as the lease requests. Call
 * it for a rank that is good in all else. */
static enum rank_status check_count(struct run *run)
{
    const struct launch_decision *decision = &run->decision;
    char range[LAUNCH_RANGE_BYTES_MAX];
    uint64_t found, wanted;

    if (!launch_decision_is_short(decision, &found, &wanted, range))
        return RANK_DONE;
    snprintf(run->reason, sizeof(run->reason),
             "%" PRIu64 " of %" PRIu64 " %s were found%s%s%s%s%s; lower "
             "profile.launch.count, or write 'all'",
             found, wanted, run->ranges ? "ranges" : "launches",
             range[0] ? " in the range '" : "", range, range[0] ? "'" : "",
             decision->other_kernels.length ? "; other kernels: " : "",
             text_get(&decision->other_kernels));
    return RANK_TOO_FEW_LAUNCHES;
}

/* Returns the status of a measured rank whose operator ended well. Writes the first
 * failure, in the order of these checks, as the reason. */
static enum rank_status check_capture(struct run *run,
                                      const struct inject_server_totals *totals)
{
    char *reason = run->reason;
    size_t size = sizeof(run->reason);

    if (totals->processes == 0) {
        snprintf(reason, size, "no process of the operator connected to the worker; %s",
                 run->is_traced
                     ? "an operator that publishes none of the selected XPTI streams, "
                       "or clears its environment, cannot be traced"
                     : "an operator that uses no NPU, clears its environment or closes "
                       "inherited files cannot be measured");
        return RANK_NOT_INJECTED;
    }
    if (run->is_traced && totals->all.events == 0) {
        snprintf(
            reason, size,
            "no trace event was recorded; check profile.streams and profile.filter");
        return RANK_NOTHING_PROFILED;
    }
    if (!run->is_traced && totals->all.launches == 0 && !totals->plan_error[0]) {
        bool has_others = run->decision.other_kernels.length > 0;

        snprintf(reason, size, "no %s was profiled%s%s%s",
                 run->ranges ? "range" : "launch", has_others ? "; other " : "",
                 !has_others   ? ""
                 : run->ranges ? "ranges: "
                               : "kernels: ",
                 has_others    ? text_get(&run->decision.other_kernels)
                 : run->ranges ? ": the program marks none with mstxRangeStartA; use "
                                 "another profile.replay"
                               : "");
        return RANK_NOTHING_PROFILED;
    }
    if (totals->plan_error[0])
        snprintf(reason, size, "%s", totals->plan_error);
    else if (totals->all.incomplete > 0)
        snprintf(reason, size, "%llu of %llu launches incomplete: %s",
                 (unsigned long long)totals->all.incomplete,
                 (unsigned long long)totals->all.launches, totals->all.reason);
    else if (totals->all.dropped > 0)
        snprintf(reason, size, "%llu records dropped",
                 (unsigned long long)totals->all.dropped);
    else if (run->spool_error[0])
        snprintf(reason, size, "%s", run->spool_error);
    else
        return run->is_traced ? RANK_DONE : check_count(run);
    return RANK_FAILED;
}

/* Returns the status of a rank whose operator ended well and whose files were
 * collected. */
static enum rank_status check_dumps(struct run *run)
{
    const struct dump_collector_totals *totals = dump_collector_totals(run->dumps);
    const char *error = totals->error[0] ? totals->error : run->spool_error;

    if (!error[0])
        return RANK_DONE;
    snprintf(run->reason, sizeof(run->reason), "%s", error);
    return totals->files == 0 ? RANK_NOTHING_PROFILED : RANK_FAILED;
}

static enum rank_status find_status(struct run *run,
                                    const struct inject_server_totals *totals)
{
    if (run->stopped_with != RANK_DONE)
        return run->stopped_with;
    if (describe_bad_exit(run, totals))
        return RANK_FAILED;
    if (run->dumps)
        return check_dumps(run);
    return run->only_runs ? RANK_DONE : check_capture(run, totals);
}

/* Ends the rank with the totals of all that was captured. */
static void end_rank(struct run *run)
{
    struct inject_server_totals totals = {0};

    if (run->inject_server)
        inject_server_get_totals(run->inject_server, &totals);
    /* A rank can fail because the other ranks, which had measured all launches, were
     * stopped first. This is no failure. */
    if (run->launches_wanted > 0 && totals.all.launches >= run->launches_wanted)
        run->measured_all = true;
    run->result.injected = totals.processes > 0;
    run->result.launches = totals.all.launches;
    run->result.groups = totals.all.groups;
    run->result.blocks = totals.all.blocks;
    if (run->dumps) {
        const struct dump_collector_totals *dumps = dump_collector_totals(run->dumps);

        run->result.groups += dumps->groups;
        run->result.blocks += dumps->blocks;
    }
    run_close(run, find_status(run, &totals));
}

void run_on_collected(void *arg)
{
    end_rank(arg);
}

/* Runs when all processes of the operator have ended, so no file changes any more. */
void run_on_finished(void *arg)
{
    struct run *run = arg;

    if (run_start_again(run))
        return;
    if (run->dumps)
        dump_collector_start(run->dumps);
    else
        end_rank(run);
}

void run_on_program_end(void *arg, int status)
{
    struct run *run = arg;

    run->result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run->result.signal = WIFSIGNALED(status) ? (uint64_t)WTERMSIG(status) : 0;
    run->state = RUN_COLLECTING;
    if (run->inject_server)
        inject_server_finish(run->inject_server);
    else
        run_on_finished(run);
}

/* Takes the times of an unmeasured rank from the runner: the message about the end can
 * arrive later. */
void run_on_resident_end(void *arg, const struct resident_runner_end *end)
{
    struct run *run = arg;

    if (run->only_runs && end->ended_wall_ns != 0) {
        run->result.started_wall_ns = end->began_wall_ns;
        run->result.ended_wall_ns = end->ended_wall_ns;
    }
    run_on_program_end(run, end->status);
}
