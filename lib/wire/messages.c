#include "lib/wire/messages.h"

#include "lib/base/mem.h"

/* The second summand is 0; it makes the compiler compare the types. */
#define FIELD(msg, member, kind, ctype, ...)                                           \
    {                                                                                  \
        .name = #member, .type = kind,                                                 \
        .offset = offsetof(struct msg, member) +                                       \
                  0 * sizeof((ctype *)0 == &((struct msg *)0)->member),                \
        __VA_ARGS__                                                                    \
    }
#define U64(msg, member, ...)  FIELD(msg, member, FIELD_U64, uint64_t, __VA_ARGS__)
#define I64(msg, member, ...)  FIELD(msg, member, FIELD_I64, int64_t, __VA_ARGS__)
#define BOOL(msg, member, ...) FIELD(msg, member, FIELD_BOOL, bool, __VA_ARGS__)
#define F64(msg, member, ...)  FIELD(msg, member, FIELD_F64, double, __VA_ARGS__)
#define TEXT(msg, member, ...) FIELD(msg, member, FIELD_TEXT, const char *, __VA_ARGS__)
#define BYTES(msg, member, ...)                                                        \
    FIELD(msg, member, FIELD_BYTES, struct bytes, __VA_ARGS__)
#define TEXT_LIST(msg, member, ...)                                                    \
    FIELD(msg, member, FIELD_TEXT_LIST, struct text_list, __VA_ARGS__)
#define U64_LIST(msg, member, ...)                                                     \
    FIELD(msg, member, FIELD_U64_LIST, struct u64_list, __VA_ARGS__)
/* The field is younger than protocol 2, or zero is a useful default. */
#define OPTIONAL .optional = true

static const struct field worker_hello_fields[] = {
    U64(msg_worker_hello, protocol),
    TEXT(msg_worker_hello, host),
    TEXT(msg_worker_hello, version),
    U64(msg_worker_hello, pid),
    U64(msg_worker_hello, card),
    TEXT(msg_worker_hello, model),
    TEXT(msg_worker_hello, serial),
    BOOL(msg_worker_hello, simulated),
    U64_LIST(msg_worker_hello, held_runs, OPTIONAL),
    TEXT(msg_worker_hello, address, OPTIONAL),
    TEXT(msg_worker_hello, card_address, OPTIONAL),
    TEXT(msg_worker_hello, net_switch, OPTIONAL),
    TEXT(msg_worker_hello, allocation, OPTIONAL),
    {0},
};

static const struct field heartbeat_fields[] = {
    U64(msg_heartbeat, run_id),
    {0},
};

static const struct field worker_bye_fields[] = {
    TEXT(msg_worker_bye, reason),
    {0},
};

static const struct field card_fault_fields[] = {
    U64(msg_card_fault, run_id),
    TEXT(msg_card_fault, reason),
    {0},
};

static const struct field lease_taken_fields[] = {
    U64(msg_lease_taken, run_id),
    U64(msg_lease_taken, rank),
    {0},
};

static const struct field lease_refused_fields[] = {
    U64(msg_lease_refused, run_id),
    U64(msg_lease_refused, rank),
    TEXT(msg_lease_refused, reason),
    BOOL(msg_lease_refused, card_fault, OPTIONAL),
    {0},
};

static const struct field rank_result_fields[] = {
    U64(msg_rank_result, run_id),
    U64(msg_rank_result, rank),
    TEXT(msg_rank_result, status),
    I64(msg_rank_result, exit_code),
    U64(msg_rank_result, signal, OPTIONAL),
    TEXT(msg_rank_result, reason, OPTIONAL),
    U64(msg_rank_result, launches),
    U64(msg_rank_result, groups),
    U64(msg_rank_result, blocks),
    U64(msg_rank_result, started_wall_ns),
    U64(msg_rank_result, ended_wall_ns),
    BOOL(msg_rank_result, injected),
    BOOL(msg_rank_result, card_fault, OPTIONAL),
    {0},
};

static const struct field barrier_arrive_fields[] = {
    U64(msg_barrier_arrive, run_id),
    U64(msg_barrier_arrive, group),
    U64(msg_barrier_arrive, epoch),
    U64(msg_barrier_arrive, phase),
    U64(msg_barrier_arrive, size),
    U64(msg_barrier_arrive, wait_ms),
    U64(msg_barrier_arrive, round_ns),
    U64_LIST(msg_barrier_arrive, ranks),
    U64_LIST(msg_barrier_arrive, fingerprints),
    U64_LIST(msg_barrier_arrive, votes),
    TEXT_LIST(msg_barrier_arrive, words),
    {0},
};

static const struct field barrier_abort_fields[] = {
    U64(msg_barrier_abort, run_id),  U64(msg_barrier_abort, group),
    U64(msg_barrier_abort, epoch),   U64(msg_barrier_abort, rank),
    U64(msg_barrier_abort, vote),    U64(msg_barrier_abort, size),
    TEXT(msg_barrier_abort, reason), {0},
};

static const struct field clock_ping_fields[] = {
    U64(msg_clock_ping, sent_ns),
    {0},
};

static const struct field output_fields[] = {
    U64(msg_output, ticket),
    U64(msg_output, from),
    BYTES(msg_output, data),
    BOOL(msg_output, there),
    {0},
};

static const struct field read_output_fields[] = {
    U64(msg_read_output, ticket),
    U64(msg_read_output, run_id),
    U64(msg_read_output, rank),
    U64(msg_read_output, from),
    {0},
};

static const struct field read_log_fields[] = {
    U64(msg_read_log, job_id),
    U64(msg_read_log, point),
    U64(msg_read_log, repeat),
    U64(msg_read_log, rank),
    U64(msg_read_log, run_id),
    U64(msg_read_log, from),
    {0},
};

static const struct field log_piece_fields[] = {
    U64(msg_log_piece, run_id),
    U64(msg_log_piece, from),
    BYTES(msg_log_piece, data),
    BOOL(msg_log_piece, there),
    BOOL(msg_log_piece, ended),
    TEXT(msg_log_piece, note, OPTIONAL),
    {0},
};

static const struct field welcome_fields[] = {
    U64(msg_welcome, protocol),
    U64(msg_welcome, heartbeat_ms),
    TEXT(msg_welcome, store_id),
    U64(msg_welcome, session),
    {0},
};

static const struct field heartbeat_reply_fields[] = {
    U64(msg_heartbeat_reply, run_id),
    {0},
};

static const struct field lease_fields[] = {
    U64(msg_lease, run_id),
    U64(msg_lease, job_id),
    TEXT(msg_lease, job_name),
    U64(msg_lease, point),
    U64(msg_lease, repeat),
    U64(msg_lease, attempt),
    U64(msg_lease, rank),
    U64(msg_lease, world_size),
    U64(msg_lease, time_limit_ms),
    TEXT_LIST(msg_lease, command),
    TEXT_LIST(msg_lease, env),
    TEXT(msg_lease, cwd),
    TEXT_LIST(msg_lease, metrics),
    TEXT(msg_lease, kernel),
    U64(msg_lease, launch_count),
    U64(msg_lease, launch_skip),
    U64(msg_lease, warmup),
    U64(msg_lease, card),
    TEXT(msg_lease, point_text),
    TEXT_LIST(msg_lease, hosts, OPTIONAL),
    TEXT_LIST(msg_lease, addresses, OPTIONAL),
    TEXT_LIST(msg_lease, card_addresses, OPTIONAL),
    U64_LIST(msg_lease, cards, OPTIONAL),
    BOOL(msg_lease, threads, OPTIONAL),
    TEXT(msg_lease, gang, OPTIONAL),
    TEXT(msg_lease, replay, OPTIONAL),
    U64(msg_lease, barrier_ms, OPTIONAL),
    TEXT(msg_lease, launch_range, OPTIONAL),
    U64(msg_lease, share_permille, OPTIONAL),
    BOOL(msg_lease, kill, OPTIONAL),
    BOOL(msg_lease, stubs, OPTIONAL),
    BOOL(msg_lease, runner, OPTIONAL),
    U64(msg_lease, renew, OPTIONAL),
    TEXT(msg_lease, tool, OPTIONAL),
    TEXT(msg_lease, dump, OPTIONAL),
    TEXT(msg_lease, user, OPTIONAL),
    TEXT(msg_lease, streams, OPTIONAL),
    TEXT(msg_lease, filter, OPTIONAL),
    TEXT(msg_lease, simulation, OPTIONAL),
    TEXT(msg_lease, cores, OPTIONAL),
    TEXT(msg_lease, elf, OPTIONAL),
    {0},
};

static const struct field result_ack_fields[] = {
    U64(msg_result_ack, run_id),
    U64(msg_result_ack, rank),
    {0},
};

static const struct field stop_rank_fields[] = {
    U64(msg_stop_rank, run_id),
    U64(msg_stop_rank, rank),
    TEXT(msg_stop_rank, reason),
    BOOL(msg_stop_rank, only_waiting, OPTIONAL),
    {0},
};

static const struct field go_away_fields[] = {
    TEXT(msg_go_away, reason),
    {0},
};

static const struct field barrier_release_fields[] = {
    U64(msg_barrier_release, run_id),
    U64(msg_barrier_release, group),
    U64(msg_barrier_release, epoch),
    BOOL(msg_barrier_release, go),
    U64(msg_barrier_release, release_ns),
    U64(msg_barrier_release, vote),
    U64(msg_barrier_release, rank),
    TEXT(msg_barrier_release, reason),
    {0},
};

static const struct field clock_pong_fields[] = {
    U64(msg_clock_pong, sent_ns),
    U64(msg_clock_pong, root_ns),
    {0},
};

static const struct field group_fields[] = {
    U64(msg_group, run_id), U64(msg_group, shard),
    U64(msg_group, number), U64(msg_group, raw_bytes),
    BOOL(msg_group, zstd),  U64(msg_group, session),
    BYTES(msg_group, data), {0},
};

static const struct field group_ack_fields[] = {
    U64(msg_group_ack, run_id),
    U64(msg_group_ack, shard),
    U64(msg_group_ack, number),
    {0},
};

static const struct field group_refused_fields[] = {
    U64(msg_group_refused, run_id),
    U64(msg_group_refused, shard),
    U64(msg_group_refused, number),
    TEXT(msg_group_refused, reason),
    {0},
};

static const struct field submit_fields[] = {
    TEXT(msg_submit, yaml), TEXT(msg_submit, file_name),      TEXT(msg_submit, folder),
    TEXT(msg_submit, user), TEXT(msg_submit, once, OPTIONAL), {0},
};

static const struct field list_jobs_fields[] = {
    BOOL(msg_list_jobs, active_only, OPTIONAL),
    BOOL(msg_list_jobs, uncounted, OPTIONAL),
    {0},
};

static const struct field list_tasks_fields[] = {
    U64(msg_list_tasks, job_id),
    BOOL(msg_list_tasks, states_only, OPTIONAL),
    {0},
};

static const struct field list_results_fields[] = {
    U64(msg_list_results, job_id),
    TEXT(msg_list_results, metric, OPTIONAL),
    {0},
};

static const struct field list_ranks_fields[] = {
    U64(msg_list_ranks, job_id),
    BOOL(msg_list_ranks, environments_only, OPTIONAL),
    {0},
};

static const struct field list_launches_fields[] = {
    U64(msg_list_launches, job_id),
    {0},
};

static const struct field list_replays_fields[] = {
    U64(msg_list_replays, job_id),
    {0},
};

static const struct field list_workers_fields[] = {
    BOOL(msg_list_workers, idle_only, OPTIONAL),
    {0},
};

static const struct field watch_fields[] = {
    U64(msg_watch, job_id),
    {0},
};

static const struct field cancel_fields[] = {
    U64(msg_cancel, job_id),
    BOOL(msg_cancel, now, OPTIONAL),
    {0},
};

static const struct field shutdown_fields[] = {
    BOOL(msg_shutdown, workers_too, OPTIONAL),
    {0},
};

static const struct field explain_fields[] = {
    U64(msg_explain, job_id),
    U64(msg_explain, point),
    U64(msg_explain, repeat),
    BOOL(msg_explain, any, OPTIONAL),
    {0},
};

static const struct field list_events_fields[] = {
    U64(msg_list_events, job_id, OPTIONAL),
    U64(msg_list_events, since, OPTIONAL),
    U64(msg_list_events, newest, OPTIONAL),
    {0},
};

static const struct field drain_fields[] = {
    TEXT(msg_drain, host),
    U64(msg_drain, card),
    BOOL(msg_drain, whole_host, OPTIONAL),
    BOOL(msg_drain, undo, OPTIONAL),
    TEXT(msg_drain, reason, OPTIONAL),
    {0},
};

static const struct field retry_fields[] = {
    U64(msg_retry, job_id),
    BOOL(msg_retry, failed_only, OPTIONAL),
    TEXT_LIST(msg_retry, classes, OPTIONAL),
    {0},
};

static const struct field reparse_fields[] = {
    U64(msg_reparse, job_id),
    BOOL(msg_reparse, all, OPTIONAL),
    {0},
};

static const struct field alloc_fields[] = {
    TEXT(msg_alloc, what),
    TEXT(msg_alloc, name),
    TEXT(msg_alloc, resource, OPTIONAL),
    U64(msg_alloc, nodes, OPTIONAL),
    U64(msg_alloc, cards_per_node, OPTIONAL),
    U64(msg_alloc, time_limit_ms, OPTIONAL),
    U64(msg_alloc, idle_ms, OPTIONAL),
    U64(msg_alloc, backlog, OPTIONAL),
    U64(msg_alloc, most, OPTIONAL),
    TEXT(msg_alloc, model, OPTIONAL),
    BOOL(msg_alloc, simulated, OPTIONAL),
    BOOL(msg_alloc, here, OPTIONAL),
    TEXT_LIST(msg_alloc, words, OPTIONAL),
    {0},
};

static const struct field list_allocs_fields[] = {
    BOOL(msg_list_allocs, allocations, OPTIONAL),
    {0},
};

static const struct field alloc_row_fields[] = {
    TEXT(msg_alloc_row, name),
    TEXT(msg_alloc_row, state),
    TEXT(msg_alloc_row, reason),
    U64(msg_alloc_row, nodes),
    U64(msg_alloc_row, cards_per_node),
    U64(msg_alloc_row, backlog),
    U64(msg_alloc_row, most),
    U64(msg_alloc_row, idle_ms),
    U64(msg_alloc_row, queued),
    U64(msg_alloc_row, running),
    U64(msg_alloc_row, ended),
    U64(msg_alloc_row, failures),
    {0},
};

static const struct field allocation_row_fields[] = {
    TEXT(msg_allocation_row, queue),
    TEXT(msg_allocation_row, name),
    U64(msg_allocation_row, number),
    TEXT(msg_allocation_row, state),
    TEXT(msg_allocation_row, reason),
    U64(msg_allocation_row, workers),
    U64(msg_allocation_row, asked_wall_ns),
    U64(msg_allocation_row, ended_wall_ns),
    {0},
};

static const struct field event_row_fields[] = {
    U64(msg_event_row, seq),     U64(msg_event_row, at_wall_ns),
    TEXT(msg_event_row, kind),   U64(msg_event_row, job_id),
    U64(msg_event_row, task_id), U64(msg_event_row, run_id),
    TEXT(msg_event_row, text),   {0},
};

static const struct field bye_fields[] = {
    U64(msg_bye, pid),
    {0},
};

static const struct field submitted_fields[] = {
    U64(msg_submitted, job_id),
    TEXT(msg_submitted, job_key),
    U64(msg_submitted, points),
    U64(msg_submitted, tasks),
    TEXT(msg_submitted, out),
    BOOL(msg_submitted, repeated, OPTIONAL),
    {0},
};

static const struct field job_row_fields[] = {
    U64(msg_job_row, job_id),
    TEXT(msg_job_row, job_key),
    TEXT(msg_job_row, state),
    TEXT(msg_job_row, user),
    U64(msg_job_row, tasks),
    U64(msg_job_row, waiting),
    U64(msg_job_row, running),
    U64(msg_job_row, done),
    U64(msg_job_row, failed),
    U64(msg_job_row, cancelled),
    U64(msg_job_row, submitted_wall_ns),
    U64(msg_job_row, ended_wall_ns),
    TEXT(msg_job_row, compare_against, OPTIONAL),
    TEXT(msg_job_row, compare_metric, OPTIONAL),
    F64(msg_job_row, compare_tolerance, OPTIONAL),
    {0},
};

static const struct field task_row_fields[] = {
    U64(msg_task_row, job_id),
    U64(msg_task_row, point),
    U64(msg_task_row, repeat),
    TEXT(msg_task_row, point_text),
    TEXT(msg_task_row, state),
    U64(msg_task_row, attempt),
    U64(msg_task_row, run_id),
    TEXT(msg_task_row, host),
    U64(msg_task_row, card),
    TEXT(msg_task_row, status),
    I64(msg_task_row, exit_code),
    TEXT(msg_task_row, reason),
    U64(msg_task_row, launches),
    U64(msg_task_row, started_wall_ns),
    U64(msg_task_row, ended_wall_ns),
    U64(msg_task_row, ranks, OPTIONAL),
    U64(msg_task_row, ranks_done, OPTIONAL),
    {0},
};

static const struct field result_row_fields[] = {
    U64(msg_result_row, job_id),
    U64(msg_result_row, point),
    U64(msg_result_row, repeat),
    TEXT(msg_result_row, point_text),
    U64(msg_result_row, attempt),
    U64(msg_result_row, run_id),
    U64(msg_result_row, rank),
    TEXT(msg_result_row, host),
    U64(msg_result_row, device),
    BOOL(msg_result_row, simulated),
    U64(msg_result_row, launch),
    TEXT(msg_result_row, kernel),
    TEXT(msg_result_row, metric),
    F64(msg_result_row, value),
    TEXT(msg_result_row, unit),
    I64(msg_result_row, card, OPTIONAL),
    TEXT(msg_result_row, serial, OPTIONAL),
    F64(msg_result_row, tick_ns, OPTIONAL),
    {0},
};

static const struct field read_job_file_fields[] = {
    U64(msg_read_job_file, job_id),
    {0},
};

static const struct field gate_verdict_fields[] = {
    U64(msg_gate_verdict, job_id),
    U64(msg_gate_verdict, code),
    TEXT(msg_gate_verdict, against),
    TEXT(msg_gate_verdict, baseline),
    TEXT(msg_gate_verdict, sentence),
    TEXT_LIST(msg_gate_verdict, suspects),
    U64(msg_gate_verdict, equal_cells, OPTIONAL),
    U64(msg_gate_verdict, false_alarms, OPTIONAL),
    TEXT_LIST(msg_gate_verdict, improved, OPTIONAL),
    TEXT_LIST(msg_gate_verdict, not_reproduced, OPTIONAL),
    TEXT_LIST(msg_gate_verdict, noisy, OPTIONAL),
    {0},
};

static const struct field job_file_fields[] = {
    U64(msg_job_file, job_id),
    TEXT(msg_job_file, yaml),
    {0},
};

static const struct field rank_row_fields[] = {
    U64(msg_rank_row, job_id),
    U64(msg_rank_row, point),
    U64(msg_rank_row, repeat),
    TEXT(msg_rank_row, point_text),
    U64(msg_rank_row, attempt),
    U64(msg_rank_row, run_id),
    BOOL(msg_rank_row, accepted),
    U64(msg_rank_row, rank),
    TEXT(msg_rank_row, host),
    I64(msg_rank_row, card),
    TEXT(msg_rank_row, model),
    TEXT(msg_rank_row, serial),
    BOOL(msg_rank_row, simulated),
    TEXT(msg_rank_row, status),
    U64(msg_rank_row, environment_id),
    TEXT(msg_rank_row, chip),
    U64(msg_rank_row, hbm_maker),
    TEXT(msg_rank_row, cann),
    TEXT(msg_rank_row, driver),
    TEXT(msg_rank_row, firmware),
    TEXT(msg_rank_row, host_kernel),
    TEXT(msg_rank_row, measurement),
    {0},
};

static const struct field launch_row_fields[] = {
    U64(msg_launch_row, job_id),
    U64(msg_launch_row, point),
    U64(msg_launch_row, repeat),
    TEXT(msg_launch_row, point_text),
    U64(msg_launch_row, run_id),
    U64(msg_launch_row, rank),
    U64(msg_launch_row, launch),
    U64(msg_launch_row, device),
    TEXT(msg_launch_row, kernel),
    TEXT(msg_launch_row, code_hash),
    F64(msg_launch_row, tick_ns),
    TEXT(msg_launch_row, group_found, OPTIONAL),
    TEXT(msg_launch_row, restored, OPTIONAL),
    TEXT(msg_launch_row, advice, OPTIONAL),
    TEXT(msg_launch_row, notes, OPTIONAL),
    {0},
};

static const struct field replay_row_fields[] = {
    U64(msg_replay_row, job_id),
    U64(msg_replay_row, point),
    U64(msg_replay_row, repeat),
    TEXT(msg_replay_row, point_text),
    U64(msg_replay_row, run_id),
    U64(msg_replay_row, rank),
    U64(msg_replay_row, launch),
    U64(msg_replay_row, device),
    TEXT(msg_replay_row, kernel),
    U64(msg_replay_row, replay),
    U64(msg_replay_row, pass),
    F64(msg_replay_row, duration_us),
    U64(msg_replay_row, started_ns),
    U64(msg_replay_row, arrived_ns),
    U64(msg_replay_row, released_ns),
    F64(msg_replay_row, uncertainty_us),
    {0},
};

static const struct field worker_row_fields[] = {
    TEXT(msg_worker_row, host),
    U64(msg_worker_row, card),
    TEXT(msg_worker_row, model),
    TEXT(msg_worker_row, serial),
    BOOL(msg_worker_row, simulated),
    TEXT(msg_worker_row, version),
    U64(msg_worker_row, pid),
    TEXT(msg_worker_row, state),
    U64(msg_worker_row, run_id),
    TEXT(msg_worker_row, job_key),
    U64(msg_worker_row, silent_ms),
    U64(msg_worker_row, ranks_ended),
    U64(msg_worker_row, point, OPTIONAL),
    U64(msg_worker_row, repeat, OPTIONAL),
    U64(msg_worker_row, rank, OPTIONAL),
    U64(msg_worker_row, runs_ms, OPTIONAL),
    U64(msg_worker_row, ranks_failed, OPTIONAL),
    U64(msg_worker_row, faults, OPTIONAL),
    TEXT(msg_worker_row, note, OPTIONAL),
    {0},
};

static const struct field end_fields[] = {
    U64(msg_end, count),
    {0},
};

static const struct field job_progress_fields[] = {
    U64(msg_job_progress, job_id),
    TEXT(msg_job_progress, job_key),
    TEXT(msg_job_progress, state),
    BOOL(msg_job_progress, final),
    U64(msg_job_progress, exit_code),
    U64(msg_job_progress, tasks),
    U64(msg_job_progress, waiting),
    U64(msg_job_progress, running),
    U64(msg_job_progress, parsing),
    U64(msg_job_progress, done),
    U64(msg_job_progress, failed),
    U64(msg_job_progress, cancelled),
    U64(msg_job_progress, workers),
    TEXT(msg_job_progress, note, OPTIONAL),
    TEXT(msg_job_progress, out),
    U64(msg_job_progress, started, OPTIONAL),
    {0},
};

static const struct field ok_fields[] = {
    TEXT(msg_ok, text),
    {0},
};

static const struct field refused_fields[] = {
    TEXT(msg_refused, code),
    TEXT(msg_refused, text),
    {0},
};

static const struct field baseline_fields[] = {
    TEXT(msg_baseline, what),
    TEXT(msg_baseline, name),
    TEXT(msg_baseline, user, OPTIONAL),
    U64_LIST(msg_baseline, jobs, OPTIONAL),
    BOOL(msg_baseline, frozen, OPTIONAL),
    U64(msg_baseline, keep, OPTIONAL),
    BOOL(msg_baseline, passed, OPTIONAL),
    TEXT(msg_baseline, points, OPTIONAL),
    TEXT(msg_baseline, reason, OPTIONAL),
    U64(msg_baseline, nights, OPTIONAL),
    {0},
};

static const struct field list_baselines_fields[] = {
    TEXT(msg_list_baselines, what),
    TEXT(msg_list_baselines, name, OPTIONAL),
    {0},
};

static const struct field baseline_row_fields[] = {
    TEXT(msg_baseline_row, name),
    BOOL(msg_baseline_row, frozen),
    U64(msg_baseline_row, keep),
    U64(msg_baseline_row, nights),
    U64(msg_baseline_row, passed),
    TEXT(msg_baseline_row, newest_job_key),
    U64(msg_baseline_row, newest_wall_ns),
    BOOL(msg_baseline_row, stale),
    U64(msg_baseline_row, splits),
    U64(msg_baseline_row, quarantines),
    TEXT(msg_baseline_row, user),
    U64(msg_baseline_row, set_wall_ns),
    {0},
};

static const struct field baseline_night_row_fields[] = {
    TEXT(msg_baseline_night_row, baseline),
    U64(msg_baseline_night_row, job_id),
    TEXT(msg_baseline_night_row, job_key),
    BOOL(msg_baseline_night_row, passed),
    BOOL(msg_baseline_night_row, used),
    TEXT(msg_baseline_night_row, reason),
    TEXT(msg_baseline_night_row, user),
    U64(msg_baseline_night_row, added_wall_ns),
    U64(msg_baseline_night_row, ended_wall_ns),
    TEXT(msg_baseline_night_row, state, OPTIONAL),
    BOOL(msg_baseline_night_row, gated, OPTIONAL),
    U64(msg_baseline_night_row, equal_cells, OPTIONAL),
    U64(msg_baseline_night_row, false_alarms, OPTIONAL),
    {0},
};

static const struct field baseline_split_row_fields[] = {
    TEXT(msg_baseline_split_row, baseline),     U64(msg_baseline_split_row, job_id),
    TEXT(msg_baseline_split_row, job_key),      TEXT(msg_baseline_split_row, points),
    TEXT(msg_baseline_split_row, reason),       TEXT(msg_baseline_split_row, user),
    U64(msg_baseline_split_row, added_wall_ns), {0},
};

static const struct field quarantine_row_fields[] = {
    TEXT(msg_quarantine_row, baseline),     TEXT(msg_quarantine_row, points),
    U64(msg_quarantine_row, nights),        U64(msg_quarantine_row, nights_left),
    TEXT(msg_quarantine_row, reason),       TEXT(msg_quarantine_row, user),
    U64(msg_quarantine_row, added_wall_ns), {0},
};

static const struct field confirm_suspects_fields[] = {
    U64(msg_confirm_suspects, job_id),
    U64(msg_confirm_suspects, base_job_id),
    TEXT(msg_confirm_suspects, user, OPTIONAL),
    TEXT(msg_confirm_suspects, once, OPTIONAL),
    U64(msg_confirm_suspects, pairs),
    U64(msg_confirm_suspects, sessions),
    U64(msg_confirm_suspects, card_count),
    U64(msg_confirm_suspects, time_ms),
    F64(msg_confirm_suspects, tolerance),
    TEXT_LIST(msg_confirm_suspects, points),
    TEXT_LIST(msg_confirm_suspects, kernels),
    TEXT_LIST(msg_confirm_suspects, metrics),
    TEXT_LIST(msg_confirm_suspects, cards),
    U64_LIST(msg_confirm_suspects, ranks),
    U64_LIST(msg_confirm_suspects, night_h_ppm, OPTIONAL),
    U64_LIST(msg_confirm_suspects, night_w_ppm, OPTIONAL),
    U64_LIST(msg_confirm_suspects, nights, OPTIONAL),
    {0},
};

static const struct field list_suspects_fields[] = {
    U64(msg_list_suspects, job_id),
    {0},
};

static const struct field suspect_row_fields[] = {
    U64(msg_suspect_row, number),
    TEXT(msg_suspect_row, cause),
    TEXT(msg_suspect_row, also),
    TEXT(msg_suspect_row, reason),
    TEXT(msg_suspect_row, point),
    TEXT(msg_suspect_row, kernel),
    TEXT(msg_suspect_row, metric),
    U64(msg_suspect_row, rank),
    TEXT(msg_suspect_row, card),
    TEXT(msg_suspect_row, place),
    TEXT(msg_suspect_row, neighbour_place),
    TEXT(msg_suspect_row, other_place),
    TEXT(msg_suspect_row, code),
    F64(msg_suspect_row, code_percent),
    TEXT(msg_suspect_row, neighbour_code),
    F64(msg_suspect_row, neighbour_code_percent),
    TEXT(msg_suspect_row, other_code),
    F64(msg_suspect_row, other_code_percent),
    TEXT(msg_suspect_row, drift),
    F64(msg_suspect_row, drift_percent),
    TEXT(msg_suspect_row, neighbour_drift),
    F64(msg_suspect_row, neighbour_drift_percent),
    TEXT(msg_suspect_row, other_drift),
    F64(msg_suspect_row, other_drift_percent),
    TEXT(msg_suspect_row, slow_card, OPTIONAL),
    TEXT(msg_suspect_row, slow_peer, OPTIONAL),
    {0},
};

static const struct field list_files_fields[] = {
    U64(msg_list_files, job_id),
    BOOL(msg_list_files, reports, OPTIONAL),
    U64(msg_list_files, place, OPTIONAL),
    U64(msg_list_files, rank, OPTIONAL),
    TEXT(msg_list_files, after, OPTIONAL),
    U64(msg_list_files, point, OPTIONAL),
    {0},
};

static const struct field file_row_fields[] = {
    TEXT(msg_file_row, path),
    U64(msg_file_row, size),
    BOOL(msg_file_row, missing, OPTIONAL),
    U64(msg_file_row, place, OPTIONAL),
    U64(msg_file_row, rank, OPTIONAL),
    TEXT(msg_file_row, name, OPTIONAL),
    {0},
};

static const struct field read_file_fields[] = {
    U64(msg_read_file, job_id),        TEXT(msg_read_file, path),
    U64(msg_read_file, from),          U64(msg_read_file, have, OPTIONAL),
    U64(msg_read_file, crc, OPTIONAL), {0},
};

static const struct field file_piece_fields[] = {
    U64(msg_file_piece, from),
    U64(msg_file_piece, size),
    U64(msg_file_piece, crc),
    BOOL(msg_file_piece, same, OPTIONAL),
    BYTES(msg_file_piece, data, OPTIONAL),
    U64(msg_file_piece, file_size),
    U64(msg_file_piece, changed_wall_ns),
    BOOL(msg_file_piece, missing, OPTIONAL),
    {0},
};

#define MESSAGE(number, word)                                                          \
    {                                                                                  \
        number, #word, sizeof(struct msg_##word), word##_fields                        \
    }

const struct message messages[] = {
    MESSAGE(MSG_WORKER_HELLO, worker_hello),
    MESSAGE(MSG_HEARTBEAT, heartbeat),
    MESSAGE(MSG_LEASE_TAKEN, lease_taken),
    MESSAGE(MSG_LEASE_REFUSED, lease_refused),
    MESSAGE(MSG_RANK_RESULT, rank_result),
    MESSAGE(MSG_BARRIER_ARRIVE, barrier_arrive),
    MESSAGE(MSG_BARRIER_ABORT, barrier_abort),
    MESSAGE(MSG_CLOCK_PING, clock_ping),
    MESSAGE(MSG_OUTPUT, output),
    MESSAGE(MSG_WORKER_BYE, worker_bye),
    MESSAGE(MSG_CARD_FAULT, card_fault),
    MESSAGE(MSG_WELCOME, welcome),
    MESSAGE(MSG_HEARTBEAT_REPLY, heartbeat_reply),
    MESSAGE(MSG_LEASE, lease),
    MESSAGE(MSG_RESULT_ACK, result_ack),
    MESSAGE(MSG_STOP_RANK, stop_rank),
    MESSAGE(MSG_GO_AWAY, go_away),
    MESSAGE(MSG_BARRIER_RELEASE, barrier_release),
    MESSAGE(MSG_CLOCK_PONG, clock_pong),
    MESSAGE(MSG_READ_OUTPUT, read_output),
    MESSAGE(MSG_GROUP, group),
    MESSAGE(MSG_GROUP_ACK, group_ack),
    MESSAGE(MSG_GROUP_REFUSED, group_refused),
    MESSAGE(MSG_SUBMIT, submit),
    MESSAGE(MSG_LIST_JOBS, list_jobs),
    MESSAGE(MSG_LIST_TASKS, list_tasks),
    MESSAGE(MSG_LIST_RESULTS, list_results),
    MESSAGE(MSG_LIST_WORKERS, list_workers),
    MESSAGE(MSG_WATCH, watch),
    MESSAGE(MSG_CANCEL, cancel),
    MESSAGE(MSG_SHUTDOWN, shutdown),
    MESSAGE(MSG_EXPLAIN, explain),
    MESSAGE(MSG_LIST_EVENTS, list_events),
    MESSAGE(MSG_DRAIN, drain),
    MESSAGE(MSG_READ_LOG, read_log),
    MESSAGE(MSG_RETRY, retry),
    MESSAGE(MSG_ALLOC, alloc),
    MESSAGE(MSG_LIST_ALLOCS, list_allocs),
    MESSAGE(MSG_REPARSE, reparse),
    MESSAGE(MSG_SUBMITTED, submitted),
    MESSAGE(MSG_JOB_ROW, job_row),
    MESSAGE(MSG_TASK_ROW, task_row),
    MESSAGE(MSG_RESULT_ROW, result_row),
    MESSAGE(MSG_WORKER_ROW, worker_row),
    MESSAGE(MSG_END, end),
    MESSAGE(MSG_JOB_PROGRESS, job_progress),
    MESSAGE(MSG_OK, ok),
    MESSAGE(MSG_REFUSED, refused),
    MESSAGE(MSG_EVENT_ROW, event_row),
    MESSAGE(MSG_LOG_PIECE, log_piece),
    MESSAGE(MSG_ALLOC_ROW, alloc_row),
    MESSAGE(MSG_ALLOCATION_ROW, allocation_row),
    MESSAGE(MSG_BYE, bye),
    MESSAGE(MSG_LIST_RANKS, list_ranks),
    MESSAGE(MSG_LIST_LAUNCHES, list_launches),
    MESSAGE(MSG_BASELINE, baseline),
    MESSAGE(MSG_LIST_BASELINES, list_baselines),
    MESSAGE(MSG_LIST_REPLAYS, list_replays),
    MESSAGE(MSG_READ_JOB_FILE, read_job_file),
    MESSAGE(MSG_GATE_VERDICT, gate_verdict),
    MESSAGE(MSG_CONFIRM_SUSPECTS, confirm_suspects),
    MESSAGE(MSG_LIST_SUSPECTS, list_suspects),
    MESSAGE(MSG_LIST_FILES, list_files),
    MESSAGE(MSG_READ_FILE, read_file),
    MESSAGE(MSG_RANK_ROW, rank_row),
    MESSAGE(MSG_LAUNCH_ROW, launch_row),
    MESSAGE(MSG_BASELINE_ROW, baseline_row),
    MESSAGE(MSG_BASELINE_NIGHT_ROW, baseline_night_row),
    MESSAGE(MSG_BASELINE_SPLIT_ROW, baseline_split_row),
    MESSAGE(MSG_QUARANTINE_ROW, quarantine_row),
    MESSAGE(MSG_REPLAY_ROW, replay_row),
    MESSAGE(MSG_JOB_FILE, job_file),
    MESSAGE(MSG_SUSPECT_ROW, suspect_row),
    MESSAGE(MSG_FILE_ROW, file_row),
    MESSAGE(MSG_FILE_PIECE, file_piece),
    {0},
};

const struct message *message_find(uint64_t type)
{
    size_t low = 0, high = COUNT(messages) - 1; /* without the terminator */

    while (low < high) { /* the table is sorted by number */
        size_t middle = low + (high - low) / 2;

        if (messages[middle].type == type)
            return &messages[middle];
        if (messages[middle].type < type)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
