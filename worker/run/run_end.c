/* run_end.c - the end of a program: its result, and the start of the next pass */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "worker/capture/inject_server.h"
#include "worker/process/operator_process.h"
#include "worker/process/output_capture.h"
#include "worker/process/resident_runner.h"
#include "worker/run/run_internal.h"

/* The words of the first thing that is wrong. */
static enum rank_status judge(struct run *run, const struct inject_server_sums *sums)
{
    const struct msg_rank_result *result = &run->result;
    char words[256] = "";

    if (run_program(run))
        output_capture_last_words(operator_process_printed(run_program(run)), words,
                                  sizeof(words));
    if (run->ended_by_us != RANK_DONE)
        return run->ended_by_us;
    if (result->signal != 0 && !run->enough)
        snprintf(run->reason, sizeof(run->reason), "ended by signal %llu (%s)",
                 (unsigned long long)result->signal, strsignal((int)result->signal));
    else if (result->exit_code != 0 && !run->enough)
        snprintf(run->reason, sizeof(run->reason), "exit code %lld%s%s%s%s",
                 (long long)result->exit_code, sums->all.incomplete > 0 ? "; " : "",
                 sums->all.incomplete > 0 ? sums->all.reason : "", words[0] ? ": " : "",
                 words);
    else if (run->only_runs)
        return RANK_DONE;
    else if (sums->processes == 0) {
        snprintf(
            run->reason, sizeof(run->reason),
            "no process of it was seen to use an NPU; one that clears its environment "
            "or closes inherited files is not seen");
        return RANK_NOT_INJECTED;
    } else if (sums->refused[0])
        snprintf(run->reason, sizeof(run->reason), "%s", sums->refused);
    else if (sums->all.launches == 0) {
        snprintf(run->reason, sizeof(run->reason), "no launch was profiled%s%s",
                 run->decide.others.length ? "; other kernels: " : "",
                 text_get(&run->decide.others));
        return RANK_NOT_INJECTED;
    } else if (sums->all.incomplete > 0)
        snprintf(run->reason, sizeof(run->reason),
                 "%llu of %llu launches incomplete: %s",
                 (unsigned long long)sums->all.incomplete,
                 (unsigned long long)sums->all.launches, sums->all.reason);
    else if (sums->all.dropped > 0)
        snprintf(run->reason, sizeof(run->reason), "%llu records dropped",
                 (unsigned long long)sums->all.dropped);
    else if (run->spool_error[0])
        snprintf(run->reason, sizeof(run->reason), "%s", run->spool_error);
    else
        return RANK_DONE;
    return RANK_FAILED;
}

void run_on_finished(void *arg)
{
    struct run *run = arg;
    struct inject_server_sums sums = {0};

    if (run_start_again(run))
        return;
    if (run->rendezvous)
        inject_server_sum(run->rendezvous, &sums);
    /* a rank may fail because the others, who have measured all, were ended before it
     */
    if (run->wanted > 0 && sums.all.launches >= run->wanted)
        run->enough = true;
    run->result.injected = sums.processes > 0;
    run->result.launches = sums.all.launches;
    run->result.groups = sums.all.groups;
    run->result.blocks = sums.all.blocks;
    run_close(run, judge(run, &sums));
}

void run_on_program_end(void *arg, int status)
{
    struct run *run = arg;

    run->result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run->result.signal = WIFSIGNALED(status) ? (uint64_t)WTERMSIG(status) : 0;
    run->state = RUN_GATHERING;
    if (run->rendezvous)
        inject_server_finish(run->rendezvous);
    else
        run_on_finished(run);
}

/* What only runs is as long as the runner says: it may be past it when we hear. */
void run_on_resident_end(void *arg, const struct resident_runner_end *end)
{
    struct run *run = arg;

    if (run->only_runs && end->ended_wall_ns != 0) {
        run->result.started_wall_ns = end->began_wall_ns;
        run->result.ended_wall_ns = end->ended_wall_ns;
    }
    run_on_program_end(run, end->status);
}
