#include "lib/store/schema.h"

#include "lib/base/mem.h"

/* schema_page.c describes tables and columns. Never change a migration after a release:
 * existing stores have executed it. */
static const char version_1[] =
    "CREATE TABLE about(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "INSERT INTO about VALUES('store_id', lower(hex(randomblob(16))));"
    "CREATE TABLE jobs("
    " job_id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, name TEXT NOT NULL,"
    " yaml TEXT NOT NULL, file_name TEXT NOT NULL, folder TEXT NOT NULL,"
    " user TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL,"
    " submitted_wall_ms INTEGER NOT NULL, started_wall_ms INTEGER NOT NULL,"
    " ended_wall_ms INTEGER NOT NULL, points_total INTEGER NOT NULL,"
    " tasks_total INTEGER NOT NULL);"
    "CREATE INDEX jobs_by_key ON jobs(key);"
    "CREATE TABLE points("
    " job_id INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE, point INTEGER NOT "
    "NULL,"
    " text TEXT NOT NULL, values_json TEXT NOT NULL, PRIMARY KEY(job_id, point))"
    " WITHOUT ROWID;"
    "CREATE TABLE tasks("
    " task_id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " job_id INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE, point INTEGER NOT "
    "NULL,"
    " repeat INTEGER NOT NULL, place INTEGER NOT NULL, card INTEGER,"
    " state TEXT NOT NULL, reason TEXT NOT NULL, attempts INTEGER NOT NULL,"
    " accepted_run_id INTEGER);"
    "CREATE INDEX tasks_by_job ON tasks(job_id, place, state);"
    "CREATE INDEX tasks_open ON tasks(job_id, place)"
    " WHERE state IN ('waiting', 'leased', 'parsing');"
    "CREATE TABLE attempts("
    " run_id INTEGER PRIMARY KEY, task_id INTEGER NOT NULL REFERENCES tasks"
    " ON DELETE CASCADE, attempt INTEGER NOT NULL, state TEXT NOT NULL,"
    " reason TEXT NOT NULL, host TEXT NOT NULL, card INTEGER,"
    " leased_wall_ms INTEGER NOT NULL, started_wall_ms INTEGER NOT NULL,"
    " ended_wall_ms INTEGER NOT NULL, UNIQUE(task_id, attempt));"
    "CREATE TABLE ranks("
    " run_id INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,"
    " rank INTEGER NOT NULL, host TEXT NOT NULL, card INTEGER, model TEXT NOT NULL,"
    " serial TEXT NOT NULL, simulated INTEGER NOT NULL, status TEXT NOT NULL,"
    " exit_code INTEGER NOT NULL, signal INTEGER NOT NULL, reason TEXT NOT NULL,"
    " injected INTEGER NOT NULL, launches INTEGER NOT NULL, groups INTEGER NOT NULL,"
    " blocks INTEGER NOT NULL, started_wall_ns INTEGER NOT NULL,"
    " ended_wall_ns INTEGER NOT NULL, parse_state TEXT NOT NULL,"
    " parse_error TEXT NOT NULL, PRIMARY KEY(run_id, rank)) WITHOUT ROWID;"
    "CREATE TABLE metrics("
    " run_id INTEGER NOT NULL, rank INTEGER NOT NULL, launch INTEGER NOT NULL,"
    " kernel TEXT NOT NULL, device INTEGER NOT NULL, metric TEXT NOT NULL, value REAL,"
    " unit TEXT NOT NULL, simulated INTEGER NOT NULL,"
    " FOREIGN KEY(run_id, rank) REFERENCES ranks ON DELETE CASCADE);"
    "CREATE INDEX metrics_by_rank ON metrics(run_id, rank, launch);"
    "CREATE TABLE outputs("
    " run_id INTEGER NOT NULL, rank INTEGER NOT NULL, path TEXT NOT NULL,"
    " PRIMARY KEY(run_id, rank, path),"
    " FOREIGN KEY(run_id, rank) REFERENCES ranks ON DELETE CASCADE) WITHOUT ROWID;"
    "CREATE TABLE events("
    " seq INTEGER PRIMARY KEY AUTOINCREMENT, wall_ms INTEGER NOT NULL,"
    " kind TEXT NOT NULL, job_id INTEGER, task_id INTEGER, run_id INTEGER,"
    " text TEXT NOT NULL);"
    "CREATE INDEX events_by_job ON events(job_id, seq);"
    "CREATE VIEW v_ranks AS SELECT t.job_id, j.key AS job, t.task_id, t.point, p.text "
    "AS point_text,"
    " t.repeat, a.attempt, a.state AS attempt_state, t.accepted_run_id = r.run_id AS"
    " accepted, r.*, (r.ended_wall_ns - r.started_wall_ns) / 1e6 AS wall_ms"
    " FROM ranks r JOIN attempts a USING(run_id) JOIN tasks t USING(task_id)"
    " JOIN jobs j ON j.job_id = t.job_id"
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point;"
    "CREATE VIEW v_results AS SELECT t.job_id, j.key AS job, t.task_id, t.point, "
    "p.text AS point_text,"
    " t.repeat, a.attempt, r.run_id, r.rank, r.host, r.card, r.model, r.serial,"
    " m.launch, m.kernel, m.device, m.metric, m.value, m.unit, m.simulated"
    " FROM metrics m JOIN ranks r USING(run_id, rank) JOIN attempts a USING(run_id)"
    " JOIN tasks t ON t.accepted_run_id = m.run_id"
    " JOIN jobs j ON j.job_id = t.job_id"
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point;"
    "CREATE VIEW v_skew AS SELECT j.key AS job, t.point, t.repeat, a.attempt, a.run_id,"
    " count(*) AS ranks,"
    " (max(r.started_wall_ns) - min(r.started_wall_ns)) / 1e6 AS start_skew_ms,"
    " (max(r.ended_wall_ns) - min(r.ended_wall_ns)) / 1e6 AS end_skew_ms"
    " FROM ranks r JOIN attempts a USING(run_id) JOIN tasks t USING(task_id)"
    " JOIN jobs j ON j.job_id = t.job_id GROUP BY a.run_id HAVING count(*) > 1;";

/* Gangs: the number of ranks of an attempt, and the card of each rank. */
static const char version_2[] =
    "ALTER TABLE attempts ADD COLUMN ranks INTEGER NOT NULL DEFAULT 1;"
    "CREATE TABLE seats("
    " run_id INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,"
    " rank INTEGER NOT NULL, host TEXT NOT NULL, card INTEGER NOT NULL,"
    " PRIMARY KEY(run_id, rank)) WITHOUT ROWID;";

/* Cards out of service; card -1: all cards of the host. */
static const char version_3[] =
    "CREATE TABLE drains("
    " host TEXT NOT NULL, card INTEGER NOT NULL, reason TEXT NOT NULL,"
    " since_wall_ms INTEGER NOT NULL, PRIMARY KEY(host, card)) WITHOUT ROWID;";

/* `muster retry`: the job has a column for its cancellation, which the states of its
 * tasks no longer show. Attempts up to the number `forgiven` do not count as retries.
 */
static const char version_4[] =
    "ALTER TABLE jobs ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0;"
    "UPDATE jobs SET cancelled = 1 WHERE job_id IN"
    " (SELECT job_id FROM tasks WHERE state = 'cancelled');"
    "ALTER TABLE tasks ADD COLUMN forgiven INTEGER NOT NULL DEFAULT 0;";

/* Queues that request allocations from a cluster, and the allocations. */
static const char version_5[] =
    "CREATE TABLE alloc_queues("
    " queue_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
    " resource TEXT NOT NULL, nodes INTEGER NOT NULL, cards_per_node INTEGER NOT NULL,"
    " time_limit_ms INTEGER NOT NULL, idle_ms INTEGER NOT NULL,"
    " backlog INTEGER NOT NULL, most INTEGER NOT NULL, model TEXT NOT NULL,"
    " simulated INTEGER NOT NULL, here INTEGER NOT NULL, paused INTEGER NOT NULL,"
    " words TEXT NOT NULL, reason TEXT NOT NULL);"
    "CREATE TABLE allocations("
    " allocation_id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " queue_id INTEGER NOT NULL REFERENCES alloc_queues ON DELETE CASCADE,"
    " name TEXT NOT NULL, number INTEGER NOT NULL, state TEXT NOT NULL,"
    " reason TEXT NOT NULL, public_key TEXT NOT NULL, asked_wall_ms INTEGER NOT NULL,"
    " ended_wall_ms INTEGER NOT NULL);";

/* Two indexes cost more than they saved: with tasks_open each state change of a task
 * created a temporary table; no query uses events_by_job. */
static const char version_6[] = "DROP INDEX tasks_open; DROP INDEX events_by_job;";

/* Without the state in its index, a state change of a task writes once instead of
 * twice. Events are never deleted, so their numbers need no AUTOINCREMENT table. */
static const char version_7[] =
    "DROP INDEX tasks_by_job;"
    "CREATE INDEX tasks_by_job ON tasks(job_id, place);"
    "ALTER TABLE events RENAME TO old_events;"
    "CREATE TABLE events("
    " seq INTEGER PRIMARY KEY, wall_ms INTEGER NOT NULL, kind TEXT NOT NULL,"
    " job_id INTEGER, task_id INTEGER, run_id INTEGER, text TEXT NOT NULL);"
    "INSERT INTO events SELECT seq, wall_ms, kind, job_id, task_id, run_id, text"
    " FROM old_events;"
    "DROP TABLE old_events;";

/* The token of `muster submit --once`. */
static const char version_8[] =
    "ALTER TABLE jobs ADD COLUMN once TEXT NOT NULL DEFAULT '';"
    "CREATE UNIQUE INDEX jobs_by_once ON jobs(user, once) WHERE once <> '';";

/* Plain names. The view keeps the old name of the table for one release. */
static const char version_9[] =
    "ALTER TABLE tasks RENAME COLUMN forgiven TO retries_counted_from;"
    "ALTER TABLE seats RENAME TO rank_cards;"
    "CREATE VIEW seats AS SELECT * FROM rank_cards;";

/* The names of kernels and metrics are stored once, so a figure takes a fraction of the
 * bytes. The view `metrics` has the columns of the old table. The values of a point are
 * sorted by name, so that the same point has the same text in each job. `muster
 * compare` reads the settings of the key `compare` from the job. */
static const char version_10[] =
    "CREATE TABLE kernels(kernel_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE metric_names("
    " metric_id INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL,"
    " UNIQUE(name, unit));"
    "CREATE TABLE launches("
    " launch_id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, rank INTEGER NOT NULL,"
    " launch INTEGER NOT NULL, device INTEGER NOT NULL,"
    " kernel_id INTEGER NOT NULL REFERENCES kernels,"
    " UNIQUE(run_id, rank, launch, device, kernel_id),"
    " FOREIGN KEY(run_id, rank) REFERENCES ranks ON DELETE CASCADE);"
    "CREATE TABLE figures("
    " launch_id INTEGER NOT NULL REFERENCES launches ON DELETE CASCADE,"
    " metric_id INTEGER NOT NULL REFERENCES metric_names, value REAL,"
    " PRIMARY KEY(launch_id, metric_id)) WITHOUT ROWID;"
    "INSERT OR IGNORE INTO kernels(name) SELECT kernel FROM metrics ORDER BY rowid;"
    "INSERT OR IGNORE INTO metric_names(name, unit)"
    " SELECT metric, unit FROM metrics ORDER BY rowid;"
    "INSERT OR IGNORE INTO launches(run_id, rank, launch, device, kernel_id)"
    " SELECT m.run_id, m.rank, m.launch, m.device, k.kernel_id"
    " FROM metrics m JOIN kernels k ON k.name = m.kernel"
    " ORDER BY m.run_id, m.rank, m.launch, m.rowid;"
    "INSERT OR REPLACE INTO figures(launch_id, metric_id, value)"
    " SELECT l.launch_id, n.metric_id, m.value FROM metrics m"
    " JOIN kernels k ON k.name = m.kernel"
    " JOIN metric_names n ON n.name = m.metric AND n.unit = m.unit"
    " JOIN launches l ON l.run_id = m.run_id AND l.rank = m.rank"
    " AND l.launch = m.launch AND l.device = m.device AND l.kernel_id = k.kernel_id"
    " ORDER BY m.rowid;"
    "DROP VIEW v_results; DROP TABLE metrics;"
    "CREATE VIEW metrics AS SELECT l.run_id, l.rank, l.launch, k.name AS kernel,"
    " l.device, n.name AS metric, f.value, n.unit, r.simulated"
    " FROM figures f JOIN launches l USING(launch_id) JOIN kernels k USING(kernel_id)"
    " JOIN metric_names n USING(metric_id)"
    " JOIN ranks r ON r.run_id = l.run_id AND r.rank = l.rank;"
    "CREATE VIEW v_results AS SELECT t.job_id, j.key AS job, t.task_id, t.point,"
    " p.text AS point_text, t.repeat, a.attempt, r.run_id, r.rank, r.host, r.card,"
    " r.model, r.serial, l.launch, k.name AS kernel, l.device, n.name AS metric,"
    " f.value, n.unit, r.simulated"
    " FROM tasks t JOIN jobs j ON j.job_id = t.job_id"
    " JOIN attempts a ON a.run_id = t.accepted_run_id"
    " JOIN ranks r ON r.run_id = a.run_id"
    " JOIN launches l ON l.run_id = r.run_id AND l.rank = r.rank"
    " JOIN kernels k ON k.kernel_id = l.kernel_id"
    " JOIN figures f ON f.launch_id = l.launch_id"
    " JOIN metric_names n ON n.metric_id = f.metric_id"
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point;"
    "ALTER TABLE jobs ADD COLUMN compare_against TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE jobs ADD COLUMN compare_metric TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE jobs ADD COLUMN compare_tolerance REAL NOT NULL DEFAULT 0;"
    "UPDATE points SET values_json ="
    " (SELECT json_group_object(name, value) FROM"
    " (SELECT e.key AS name, e.value AS value FROM json_each(points.values_json) e"
    " ORDER BY e.key))"
    " WHERE json_valid(values_json) AND values_json <> '{}';";

/* The environment print of each rank, the binary of each launch, and the step of the
 * clock that measured its duration. */
static const char version_11[] =
    "CREATE TABLE environments("
    " environment_id INTEGER PRIMARY KEY, chip TEXT NOT NULL,"
    " hbm_maker INTEGER NOT NULL, cann TEXT NOT NULL, driver TEXT NOT NULL,"
    " firmware TEXT NOT NULL, host_kernel TEXT NOT NULL, measurement TEXT NOT NULL,"
    " UNIQUE(chip, hbm_maker, cann, driver, firmware, host_kernel, measurement));"
    "ALTER TABLE ranks ADD COLUMN environment_id INTEGER REFERENCES environments;"
    "ALTER TABLE launches ADD COLUMN code_hash TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE launches ADD COLUMN tick_ns REAL;"
    "DROP VIEW v_ranks;"
    "CREATE VIEW v_ranks AS SELECT t.job_id, j.key AS job, t.task_id, t.point,"
    " p.text AS point_text, t.repeat, a.attempt, a.state AS attempt_state,"
    " t.accepted_run_id = r.run_id AS accepted, r.*,"
    " (r.ended_wall_ns - r.started_wall_ns) / 1e6 AS wall_ms, e.chip, e.hbm_maker,"
    " e.cann, e.driver, e.firmware, e.host_kernel, e.measurement"
    " FROM ranks r JOIN attempts a USING(run_id) JOIN tasks t USING(task_id)"
    " JOIN jobs j ON j.job_id = t.job_id"
    " LEFT JOIN environments e ON e.environment_id = r.environment_id"
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point;"
    "CREATE VIEW v_launches AS SELECT t.job_id, j.key AS job, t.point,"
    " p.text AS point_text, t.repeat, r.run_id, r.rank, r.host, r.card, r.serial,"
    " l.launch, k.name AS kernel, l.device, l.code_hash, l.tick_ns"
    " FROM tasks t JOIN jobs j ON j.job_id = t.job_id"
    " JOIN ranks r ON r.run_id = t.accepted_run_id"
    " JOIN launches l ON l.run_id = r.run_id AND l.rank = r.rank"
    " JOIN kernels k ON k.kernel_id = l.kernel_id"
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point;";

/* Baselines: jobs that later jobs are compared with. A night is one of these jobs; it
 * counts when it passed. A split begins a new level at a job, for the points that match
 * its pattern. The number of a job stays valid in it after the job was deleted. */
static const char version_12[] =
    "CREATE TABLE baselines("
    " baseline_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
    " frozen INTEGER NOT NULL, keep INTEGER NOT NULL, user TEXT NOT NULL,"
    " set_wall_ms INTEGER NOT NULL);"
    "CREATE TABLE baseline_jobs("
    " baseline_id INTEGER NOT NULL REFERENCES baselines ON DELETE CASCADE,"
    " job_id INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,"
    " passed INTEGER NOT NULL, reason TEXT NOT NULL, user TEXT NOT NULL,"
    " added_wall_ms INTEGER NOT NULL,"
    " PRIMARY KEY(baseline_id, job_id)) WITHOUT ROWID;"
    "CREATE INDEX baseline_jobs_by_job ON baseline_jobs(job_id);"
    "CREATE TABLE baseline_splits("
    " baseline_id INTEGER NOT NULL REFERENCES baselines ON DELETE CASCADE,"
    " job_id INTEGER NOT NULL, points TEXT NOT NULL, reason TEXT NOT NULL,"
    " user TEXT NOT NULL, added_wall_ms INTEGER NOT NULL,"
    " PRIMARY KEY(baseline_id, job_id, points)) WITHOUT ROWID;"
    "CREATE TABLE quarantines("
    " baseline_id INTEGER NOT NULL REFERENCES baselines ON DELETE CASCADE,"
    " points TEXT NOT NULL, reason TEXT NOT NULL, user TEXT NOT NULL,"
    " after_job_id INTEGER NOT NULL, nights INTEGER NOT NULL,"
    " added_wall_ms INTEGER NOT NULL,"
    " PRIMARY KEY(baseline_id, points)) WITHOUT ROWID;";

/* A checksum of the figures of each rank, which `muster fsck` compares. */
static const char version_13[] = "ALTER TABLE ranks ADD COLUMN figures_crc INTEGER;";

/* The times of each replay, for all replays instead of their maxima. */
static const char version_14[] =
    "CREATE TABLE replays("
    " launch_id INTEGER NOT NULL REFERENCES launches ON DELETE CASCADE,"
    " replay INTEGER NOT NULL, pass INTEGER NOT NULL, started_ns INTEGER,"
    " duration_ns INTEGER, arrived_ns INTEGER, released_ns INTEGER,"
    " uncertainty_ns INTEGER, PRIMARY KEY(launch_id, replay)) WITHOUT ROWID;"
    "CREATE VIEW v_replays AS SELECT v.job_id, v.job, v.point, v.point_text, v.repeat,"
    " v.run_id, v.rank, v.host, v.card, v.serial, v.launch, v.kernel, v.device,"
    " x.replay, x.pass, x.started_ns, x.duration_ns, x.arrived_ns, x.released_ns,"
    " x.uncertainty_ns FROM v_launches v"
    " JOIN launches l ON l.run_id = v.run_id AND l.rank = v.rank"
    " AND l.launch = v.launch AND l.device = v.device"
    " JOIN kernels k ON k.kernel_id = l.kernel_id AND k.name = v.kernel"
    " JOIN replays x ON x.launch_id = l.launch_id;";

/* Confirmations: jobs that run the programs of a job and of its base in turn, and the
 * suspects whose cause they find. They stay when one of the two jobs is deleted. */
static const char version_15[] =
    "CREATE TABLE confirmations("
    " job_id INTEGER PRIMARY KEY REFERENCES jobs ON DELETE CASCADE,"
    " confirms_job_id INTEGER NOT NULL, base_job_id INTEGER NOT NULL,"
    " tolerance REAL NOT NULL, until_wall_ms INTEGER NOT NULL,"
    " judged INTEGER NOT NULL);"
    "CREATE TABLE suspects("
    " job_id INTEGER NOT NULL REFERENCES confirmations ON DELETE CASCADE,"
    " number INTEGER NOT NULL, point TEXT NOT NULL, kernel TEXT NOT NULL,"
    " metric TEXT NOT NULL, rank INTEGER NOT NULL, card TEXT NOT NULL,"
    " place TEXT NOT NULL, neighbour_place TEXT NOT NULL, other_place TEXT NOT NULL,"
    " night_h REAL, night_w REAL, nights INTEGER NOT NULL,"
    " same_program INTEGER NOT NULL, cause TEXT NOT NULL, also TEXT NOT NULL,"
    " reason TEXT NOT NULL, code TEXT NOT NULL, code_shift REAL,"
    " neighbour_code TEXT NOT NULL, neighbour_code_shift REAL,"
    " other_code TEXT NOT NULL, other_code_shift REAL,"
    " drift TEXT NOT NULL, drift_shift REAL,"
    " neighbour_drift TEXT NOT NULL, neighbour_drift_shift REAL,"
    " other_drift TEXT NOT NULL, other_drift_shift REAL,"
    " PRIMARY KEY(job_id, number)) WITHOUT ROWID;";

/* The values of a point beside its figures, and one row for each value. */
static const char version_16[] =
    "DROP VIEW v_results;"
    "CREATE VIEW v_results AS SELECT t.job_id, j.key AS job, t.task_id, t.point,"
    " p.text AS point_text, t.repeat, a.attempt, r.run_id, r.rank, r.host, r.card,"
    " r.model, r.serial, l.launch, k.name AS kernel, l.device, n.name AS metric,"
    " f.value, n.unit, r.simulated, p.values_json AS axes"
    " FROM tasks t JOIN jobs j ON j.job_id = t.job_id"
    " JOIN attempts a ON a.run_id = t.accepted_run_id"
    " JOIN ranks r ON r.run_id = a.run_id"
    " JOIN launches l ON l.run_id = r.run_id AND l.rank = r.rank"
    " JOIN kernels k ON k.kernel_id = l.kernel_id"
    " JOIN figures f ON f.launch_id = l.launch_id"
    " JOIN metric_names n ON n.metric_id = f.metric_id"
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point;"
    "CREATE VIEW v_axes AS SELECT p.job_id, j.key AS job, p.point, e.key AS axis,"
    " e.value FROM points p JOIN jobs j ON j.job_id = p.job_id,"
    " json_each(p.values_json) e;";

/* Jobs whose files are to be removed, or were removed while their figures stay. */
static const char version_17[] =
    "CREATE TABLE pruned("
    " job_id INTEGER PRIMARY KEY, key TEXT NOT NULL, keep_figures INTEGER NOT NULL,"
    " files_removed INTEGER NOT NULL, wall_ms INTEGER NOT NULL);";

/* The report of a job reads the few events of its gates, not the events of all jobs. */
static const char version_18[] = "CREATE INDEX events_of_gates ON events(job_id)"
                                 " WHERE kind IN ('gate.verdict', 'gate.suspect');";

/* Findings of gates in the nights of a baseline. */
static const char version_19[] =
    "ALTER TABLE baseline_jobs ADD COLUMN gated INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE baseline_jobs ADD COLUMN equal_cells INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE baseline_jobs ADD COLUMN false_alarms INTEGER NOT NULL DEFAULT 0;"
    "CREATE TABLE gate_findings("
    " baseline_id INTEGER NOT NULL REFERENCES baselines ON DELETE CASCADE,"
    " job_id INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,"
    " finding TEXT NOT NULL, point TEXT NOT NULL,"
    " PRIMARY KEY(baseline_id, finding, point, job_id)) WITHOUT ROWID;"
    "CREATE INDEX gate_findings_by_job ON gate_findings(job_id);";

/* How the ranks of a launch were found, and the memory that was restored. */
static const char version_20[] =
    "ALTER TABLE launches ADD COLUMN group_found TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE launches ADD COLUMN restored TEXT NOT NULL DEFAULT '';"
    "DROP VIEW v_replays;"
    "DROP VIEW v_launches;"
    "CREATE VIEW v_launches AS SELECT t.job_id, j.key AS job, t.point,"
    " p.text AS point_text, t.repeat, r.run_id, r.rank, r.host, r.card, r.serial,"
    " l.launch, k.name AS kernel, l.device, l.code_hash, l.tick_ns, l.group_found,"
    " l.restored"
    " FROM tasks t JOIN jobs j ON j.job_id = t.job_id"
    " JOIN ranks r ON r.run_id = t.accepted_run_id"
    " JOIN launches l ON l.run_id = r.run_id AND l.rank = r.rank"
    " JOIN kernels k ON k.kernel_id = l.kernel_id"
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point;"
    "CREATE VIEW v_replays AS SELECT v.job_id, v.job, v.point, v.point_text, v.repeat,"
    " v.run_id, v.rank, v.host, v.card, v.serial, v.launch, v.kernel, v.device,"
    " x.replay, x.pass, x.started_ns, x.duration_ns, x.arrived_ns, x.released_ns,"
    " x.uncertainty_ns FROM v_launches v"
    " JOIN launches l ON l.run_id = v.run_id AND l.rank = v.rank"
    " AND l.launch = v.launch AND l.device = v.device"
    " JOIN kernels k ON k.kernel_id = l.kernel_id AND k.name = v.kernel"
    " JOIN replays x ON x.launch_id = l.launch_id;";

/* The advice about a launch, which its visualize_data.bin has too. */
static const char version_21[] =
    "ALTER TABLE launches ADD COLUMN advice TEXT NOT NULL DEFAULT '';"
    "DROP VIEW v_replays;"
    "DROP VIEW v_launches;"
    "CREATE VIEW v_launches AS SELECT t.job_id, j.key AS job, t.point,"
    " p.text AS point_text, t.repeat, r.run_id, r.rank, r.host, r.card, r.serial,"
    " l.launch, k.name AS kernel, l.device, l.code_hash, l.tick_ns, l.group_found,"
    " l.restored, l.advice"
    " FROM tasks t JOIN jobs j ON j.job_id = t.job_id"
    " JOIN ranks r ON r.run_id = t.accepted_run_id"
    " JOIN launches l ON l.run_id = r.run_id AND l.rank = r.rank"
    " JOIN kernels k ON k.kernel_id = l.kernel_id"
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point;"
    "CREATE VIEW v_replays AS SELECT v.job_id, v.job, v.point, v.point_text, v.repeat,"
    " v.run_id, v.rank, v.host, v.card, v.serial, v.launch, v.kernel, v.device,"
    " x.replay, x.pass, x.started_ns, x.duration_ns, x.arrived_ns, x.released_ns,"
    " x.uncertainty_ns FROM v_launches v"
    " JOIN launches l ON l.run_id = v.run_id AND l.rank = v.rank"
    " AND l.launch = v.launch AND l.device = v.device"
    " JOIN kernels k ON k.kernel_id = l.kernel_id AND k.name = v.kernel"
    " JOIN replays x ON x.launch_id = l.launch_id;";

/* The card or link that is slow in rotated placements of a confirmation. */
static const char version_22[] =
    "ALTER TABLE suspects ADD COLUMN slow_card TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE suspects ADD COLUMN slow_peer TEXT NOT NULL DEFAULT '';";

/* Notes about the measurement of a launch, which only the log of the parser had. */
static const char version_23[] =
    "ALTER TABLE launches ADD COLUMN notes TEXT NOT NULL DEFAULT '';"
    "DROP VIEW v_replays;"
    "DROP VIEW v_launches;"
    "CREATE VIEW v_launches AS SELECT t.job_id, j.key AS job, t.point,"
    " p.text AS point_text, t.repeat, r.run_id, r.rank, r.host, r.card, r.serial,"
    " l.launch, k.name AS kernel, l.device, l.code_hash, l.tick_ns, l.group_found,"
    " l.restored, l.advice, l.notes"
    " FROM tasks t JOIN jobs j ON j.job_id = t.job_id"
    " JOIN ranks r ON r.run_id = t.accepted_run_id"
    " JOIN launches l ON l.run_id = r.run_id AND l.rank = r.rank"
    " JOIN kernels k ON k.kernel_id = l.kernel_id"
    " LEFT JOIN points p ON p.job_id = t.job_id AND p.point = t.point;"
    "CREATE VIEW v_replays AS SELECT v.job_id, v.job, v.point, v.point_text, v.repeat,"
    " v.run_id, v.rank, v.host, v.card, v.serial, v.launch, v.kernel, v.device,"
    " x.replay, x.pass, x.started_ns, x.duration_ns, x.arrived_ns, x.released_ns,"
    " x.uncertainty_ns FROM v_launches v"
    " JOIN launches l ON l.run_id = v.run_id AND l.rank = v.rank"
    " AND l.launch = v.launch AND l.device = v.device"
    " JOIN kernels k ON k.kernel_id = l.kernel_id AND k.name = v.kernel"
    " JOIN replays x ON x.launch_id = l.launch_id;";

const struct migration store_migrations[] = {
    {version_1},  {version_2},  {version_3},  {version_4},  {version_5},  {version_6},
    {version_7},  {version_8},  {version_9},  {version_10}, {version_11}, {version_12},
    {version_13}, {version_14}, {version_15}, {version_16}, {version_17}, {version_18},
    {version_19}, {version_20}, {version_21}, {version_22}, {version_23},
};
const int store_migration_count = COUNT(store_migrations);
