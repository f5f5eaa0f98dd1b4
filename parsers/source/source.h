/* source.h - the raw data of one rank of one run: its launches, their passes and bytes
 *
 * A source is read from a capture (source_store.c, source_file.c) or from a folder in
 * the layout of the vendor's tool (source_folder.c); both give the same structs.
 * Damaged or missing data does not stop the reader. It becomes a note on the launch or,
 * when it belongs to no launch, on the source.
 *
 * source_open_*() reads the facts of all launches; source_load() then reads the bytes
 * of one launch, so that the memory needed is that of one launch. source_read_*() reads
 * everything and closes the input. */
#ifndef PARSERS_SOURCE_SOURCE_H
#define PARSERS_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "parsers/records/op_info.h"
#include "parsers/source/source_notes.h"

enum { SOURCE_PASSES_MAX = 16 };

struct inner_task;
struct mark_names;

/* one counter pass: its events, and the bytes of its channels */
struct source_pass {
    uint32_t number; /* from 1 */
    bool has_events;
    bool is_shared;   /* another rank executed it, in the same replay: */
    uint32_t made_by; /* number of that rank in the group */
    struct counter_schedule_pass events;
    struct text counters; /* as DeviceProf<number>.bin */
    struct text task_log; /* as duration.bin */
};

/* one point in time on both clocks, the nearest to the launch */
struct source_clock {
    bool is_known;
    uint64_t host_ns; /* monotonic */
    uint64_t device_ticks;
    uint64_t uncertainty_ns; /* half the time that reading the device clock took, and
                                the drift between the clocks since the previous point */
};

/* offset from the clock of this host to the clock of rank 0's host */
struct source_offset {
    bool is_known;
    int64_t ns;
    uint64_t uncertainty_ns;
};

/* one block's part of the buffer of an instrumented launch: header and records */
struct source_part {
    uint32_t number;
    struct text bytes;
};

/* the ELF file of a kernel */
struct source_binary {
    uint64_t hash, total; /* total: bytes of the complete file */
    struct text bytes;
};

/* the card before and after a launch, as its management library reports it */
struct source_health {
    bool has_errors, has_processes;
    uint32_t errors;          /* new double bit errors of the device memory */
    uint32_t other_processes; /* on the card before or after it */
};

/* the start barriers of a launch's executions; count 0: the rank was alone */
struct source_barriers {
    uint32_t count;                    /* barriers that released all ranks */
    uint64_t late_max_ns;              /* from the planned to the actual release */
    uint64_t wait_max_ns;              /* from the arrival to the release */
    uint64_t clock_uncertainty_max_ns; /* of the clock offsets between hosts */
};

/* one execution after the first: a warm-up, the L2 pass, a counter pass or the one
 * without counters */
struct source_replay {
    uint32_t number; /* from 0 */
    /* number of the counter pass, or PLAIN_PASS_NUMBER; 0: another execution */
    uint32_t pass;
    bool has_barrier;
    uint64_t arrived_ns, released_ns; /* at its start barrier; of the host's clock */
    struct source_offset offset;      /* at that barrier */
};

/* passes shared with ranks that ran the same kernel; passes 0: none shared */
struct source_sharing {
    uint64_t key, operation; /* group of ranks, and number of the launch in it */
    uint32_t rank, passes;   /* this rank in the group; passes in all */
    uint32_t permille;       /* largest allowed difference of the ranks' durations */
};

/* the tokens that a launch brought to the experts of its rank; experts 0: no such
 * launch */
struct source_tokens {
    uint32_t rank, ranks; /* of the operator's group */
    uint32_t experts, first_expert;
    bool is_shared; /* a shared expert, which has no number */
    uint64_t row_bytes;
    uint32_t *rows; /* [expert][rank it came from] */
};

/* everything besides the code that can change figures; an empty text is unknown */
struct source_environment {
    bool is_known;
    char chip[33], cann[65], driver[65], firmware[65], host_kernel[65];
    uint32_t hbm_maker, replay_version;
};

struct source_launch {
    uint64_t launch; /* number in its process, from 1 */
    uint32_t shard;
    uint32_t order;   /* earlier launches of this kernel on this device */
    unsigned metrics; /* enum metric_bits: the requested metrics */
    bool as_vendor;
    bool with_tracekit;             /* write blocks 0x0A and 0x0B too */
    const struct mark_names *marks; /* borrowed; NULL: marks have numbers, no names */
    bool kernel_scale;              /* only a marked part of the kernel was counted */
    char kernel[257];
    char *folder; /* input folder; NULL for a capture, which has the blocks: */
    char *range;  /* folder with the counters of its range; NULL: its own folder */
    uint32_t range_place, range_count; /* index of the kernel in its range, and count */
    uint64_t first_block, last_block;  /* numbers in the shard */
    uint32_t first_group, last_group;  /* numbers of groups in a store */
    struct op_info info;
    bool is_loaded;
    bool has_end;       /* an end record was found */
    bool complete;      /* all passes were executed and completely read */
    bool is_collective; /* a communication launch, which has no counters */
    /* How the ranks of the launch were found (docs/user/gangs.md), and which memory was
     * restored between passes; "": not known. Constant texts. */
    const char *group_found, *restored;
    bool is_range; /* a marked range that was replayed as one; its launches: */
    struct source_launch **inner;
    size_t inner_count;
    struct inner_task *inner_tasks; /* of a loaded range, see source_inner.c; or NULL */
    uint32_t segment;               /* number in the marked range, from 1 */
    struct source_launch *range_launch; /* of an inner launch: its range; else NULL */
    size_t index_in_range;              /* of an inner launch */
    bool has_pass_clock; /* info.current_mhz comes from a pass, not from the rank */
    bool has_chip;       /* the chip is known, so the bytes can be parsed */
    struct source_pass passes[SOURCE_PASSES_MAX];
    size_t pass_count;
    struct text plain_log; /* task log of the execution without counters */
    struct source_tokens tokens;
    struct text l2;
    struct text stamps;      /* as aic_timestamp.bin */
    struct text ai_cpu;      /* as aicpu.bin: all passes, joined */
    struct text pipes;       /* as timeline.bin.<k>, joined */
    bool marks_instructions; /* the compiler placed a mark around each instruction: */
    struct text regions;     /* as dfx_region_map.txt */
    struct text tune_log;    /* as dfx_tune.log */
    struct text warps;       /* as WarpTimeline.bin */
    struct text pc_samples;  /* as pcSampling.bin.<k>, joined */
    bool packs_cores;        /* `pipes` and `pc_samples` are packed containers */
    struct text operands;    /* as OperandRecord.bin */
    struct text registers;   /* as lrm.bin */
    uint64_t pc_start;       /* address of the kernel when it ran; 0: not known */
    uint64_t pc_offset;
    struct source_part *parts; /* memory records of an instrumented kernel */
    size_t part_count;
    char *chart; /* path of MemoryChart.bin with the expanded transfers; or NULL */
    struct text block_counts; /* a u32 per basic block */
    struct text block_map;   /* addresses of the basic blocks, as the tool wrote them */
    struct text block_table; /* as fdata: counts and addresses */
    const struct text *binary; /* the kernel's ELF file, or NULL */
    uint64_t binary_hash;
    size_t ai_cpu_pass_at; /* offset in ai_cpu of the pass that is being read */
    uint32_t ai_cpu_pass;
    struct source_clock clock;
    struct source_offset offset;
    struct source_barriers barriers;
    struct source_health health;
    struct source_replay *replays; /* sorted by their numbers */
    size_t replay_count;
    uint32_t executions; /* after the first, of which a record was found */
    struct source_sharing sharing;
    struct source_notes notes;
};

struct source;
/* the input from which source_load() reads the bytes of a launch */
struct source_origin {
    void (*load)(struct source *source, struct source_launch *launch);
    void (*close)(void *from);
    /* Opens another rank of the run; returns NULL when it has no data. The pointer is
     * NULL when the input holds one rank. */
    struct source *(*open_rank)(void *from, uint32_t rank);
    void *from;
};

struct source {
    char host[65];
    struct source_environment environment;
    uint32_t world_size;         /* ranks of the run, from the rank record */
    bool is_traced;              /* a process wrote XPTI trace events */
    uint32_t dump_count;         /* files of the program, which no launch has */
    struct source_origin origin; /* load is NULL when everything is in memory */
    struct source_launch **launches;
    size_t count, room;
    struct source_binary **binaries;
    size_t binary_count;
    struct source_launch
        *loaded_range; /* its bytes are kept for its launches; or NULL */
    struct source_notes notes;
};

/* The next four set an option on all launches of a source. */
/* Reproduces known mistakes of the vendor's tool (docs/reference/differences.md). */
void source_set_as_vendor(struct source *source);
/* Writes blocks that no current viewer reads (parsers/container/tracekit.h). */
void source_set_tracekit(struct source *source);
/* Names the marks of the program; `marks` is borrowed. */
void source_set_mark_names(struct source *source, const struct mark_names *marks);
/* Marks everything as counted with KernelScale; the vendor's files have no such field.
 */
void source_set_kernel_scale(struct source *source);

/* Converts a tick of the device to its host's clock, then to the clock of rank 0's host
 * when the offset is known. */
int64_t source_root_ns(const struct source_launch *launch, uint64_t ticks);

/* Opens rank `rank` of run `run_id` in a job's database or in a file of groups. */
int source_open_capture(struct source **out,
                        const char *path,
                        uint64_t run_id,
                        uint32_t rank,
                        struct err *err);
int source_read_capture(struct source **out,
                        const char *path,
                        uint64_t run_id,
                        uint32_t rank,
                        struct err *err);
/* The same for a file of groups only. */
int source_open_file(struct source **out,
                     const char *path,
                     uint64_t run_id,
                     uint32_t rank,
                     struct err *err);
/* Opens all launches below a folder: device<D>/<kernel>/<order>/dump/, or one dump/.
 * The vendor's files do not name their events; those of the full schedule are assumed.
 */
int source_open_folder(struct source **out, const char *path, struct err *err);
int source_read_folder(struct source **out, const char *path, struct err *err);

/* Reads the bytes of a launch, and adds notes about missing ones. Does nothing when the
 * launch is loaded. May be called in a forked child. */
void source_load(struct source *source, struct source_launch *launch);
/* Reads all launches and closes the origin. */
void source_load_all(struct source *source);
/* Frees the bytes of a launch; source_load() can read them again. Does nothing when
 * the origin is closed. */
void source_drop(struct source *source, struct source_launch *launch);
void source_destroy(struct source *source); /* NULL is allowed */

#endif
