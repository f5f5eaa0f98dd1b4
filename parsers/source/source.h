/* source.h - what one rank of one run left behind, read once, ready for the formulas
 *
 * It comes from a capture (source_capture.c) or from a folder in the layout of the
 * vendor's tool (source_folder.c); who reads a source cannot tell which. What is
 * damaged or missing does not stop the rest: it is a note, on the launch that it is
 * about or on the source as a whole, with the number of the block where there is one.
 *
 * A source that was opened, not read whole, leaves the bytes of its launches where they
 * are until source_load(): it takes the memory of one launch, however many there are.
 */
#ifndef PARSERS_SOURCE_SOURCE_H
#define PARSERS_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "parsers/records/op_info.h"

enum { SOURCE_NO_BLOCK = -1, SOURCE_PASSES_MAX = 16 };

struct mark_names;

struct source_note {
    bool is_error; /* something is lost; else only worth a word */
    int64_t block; /* SOURCE_NO_BLOCK: of no single block */
    char text[256];
};

struct source_notes {
    struct source_note *notes;
    size_t count, room;
    size_t left_out; /* beyond SOURCE_NOTES_MAX */
};
enum { SOURCE_NOTES_MAX = 100 };

void source_note(struct source_notes *notes,
                 bool is_error,
                 int64_t block,
                 const char *fmt,
                 ...) __attribute__((format(printf, 4, 5)));

/* One counter pass: the events it ran with, and what its channels gave. */
struct source_pass {
    uint32_t number; /* from 1 */
    bool has_events;
    bool is_borrowed; /* a like rank made it, in the same replays as we made ours: */
    uint32_t made_by; /* a rank of the group */
    struct counter_schedule_pass events;
    struct text counters; /* the bytes of DeviceProf<number>.bin */
    struct text task_log; /* of duration.bin */
};

/* One moment on both clocks, as near to the launch as it was told. */
struct source_clock {
    bool is_known;
    uint64_t host_ns; /* monotonic */
    uint64_t device_ticks;
    uint64_t uncertainty_ns; /* half the time that the question took, and by how much
                                the clocks went apart since the moment before */
};

/* What to add to the clock of this host to get that of the run's root. */
struct source_offset {
    bool is_known;
    int64_t ns;
    uint64_t uncertainty_ns;
};

/* One core's part of the buffer of an instrumented launch: head and records. */
struct source_part {
    uint32_t number;
    struct text bytes;
};

/* A kernel's ELF file. */
struct source_code {
    uint64_t hash, total;
    struct text bytes;
};

/* How this rank met the others before its executions; count 0: it is one alone. */
struct source_meetings {
    uint32_t count;         /* executions that all went into together */
    uint64_t late_max_ns;   /* between the planned release and its own */
    uint64_t wait_max_ns;   /* between its coming and the release */
    uint64_t spread_max_ns; /* uncertainty of the clocks between hosts at the most */
};

/* Like ranks of the group made the passes together; passes 0: each made all. */
struct source_share {
    uint64_t key, operation; /* which launch of theirs it was */
    uint32_t rank, passes;   /* ours in the group; how many there are in all */
    uint32_t permille;       /* how near in time they had to be */
};

struct source_launch {
    uint64_t launch; /* in its process, from 1 */
    uint32_t shard;
    uint32_t order;   /* launches of this kernel on this device before it */
    unsigned metrics; /* enum metric_bits; what was asked for */
    bool as_vendor;
    bool with_tracekit;             /* blocks 0x0A and 0x0B, too */
    const struct mark_names *marks; /* borrowed; NULL: the user's ids are their names */
    bool kernel_scale;              /* only a marked part of the kernel was counted */
    char kernel[257];
    char *folder; /* that it was read from; NULL: a capture, of which these blocks: */
    char *range;  /* folder of the range that its counters lie in; NULL: its own */
    uint32_t range_place, range_count; /* n-th of so many kernels */
    uint64_t first_block, last_block;  /* numbers in the shard */
    uint32_t first_group, last_group;  /* the same in a store */
    struct op_info info;
    bool is_loaded;
    bool has_end;        /* the program told of it */
    bool complete;       /* all passes ran, and were read to the end */
    bool is_collective;  /* no kernel of the program's: no counters are missing */
    bool has_pass_clock; /* info.current_mhz is that of a pass */
    bool has_chip;       /* info tells how to read the bytes */
    struct source_pass passes[SOURCE_PASSES_MAX];
    size_t pass_count;
    struct text l2;
    struct text stamps;      /* of aic_timestamp.bin */
    struct text ai_cpu;      /* of aicpu.bin: all passes */
    struct text pipes;       /* of timeline.bin.<k>, one behind the other */
    bool marks_instructions; /* in which the compiler marked each instruction: */
    struct text regions;     /* of dfx_region_map.txt */
    struct text tune_log;    /* of dfx_tune.log */
    struct text warps;       /* of WarpTimeline.bin */
    struct text pc_samples;  /* of pcSampling.bin.<k> */
    struct text operands;    /* of OperandRecord.bin */
    struct text registers;   /* of lrm.bin */
    uint64_t pc_start;       /* where the kernel was when it was sampled; 0: not told */
    uint64_t pc_offset;
    struct source_part *parts; /* transfers, as an instrumented kernel wrote them */
    size_t part_count;
    struct text chart;        /* of MemoryChart.bin: the same, taken apart */
    struct text block_counts; /* u32 a basic block */
    struct text block_map;    /* which block is where, as the tool wrote it */
    struct text block_table;  /* counts and places together: fdata */
    const struct text *code;  /* its kernel's ELF file; NULL: not there */
    uint64_t code_hash;
    size_t ai_cpu_pass_at; /* where the bytes of the pass begin that is being read */
    uint32_t ai_cpu_pass;
    struct source_clock clock;
    struct source_offset offset;
    struct source_meetings meetings;
    struct source_share share;
    struct source_notes notes;
};

struct source;
/* Where the bytes are that source_load() is asked for. */
struct source_origin {
    void (*load)(struct source *source, struct source_launch *launch);
    void (*close)(void *from);
    /* Another rank of the same run; NULL: there is none that is known. */
    struct source *(*open_rank)(void *from, uint32_t rank);
    void *from;
};

struct source {
    char host[65];
    uint32_t world;              /* ranks of the run, as it was told */
    struct source_origin origin; /* no load(): all is there */
    struct source_launch **launches;
    size_t count, room;
    struct source_code **codes;
    size_t code_count;
    struct source_notes notes;
};

/* The vendor's known mistakes are made, too (docs/differences.md). */
void source_read_as_vendor(struct source *source);
/* Blocks that no viewer of today reads are written, too (parsers/container/tracekit.h).
 */
void source_with_tracekit(struct source *source);
/* The user's marks have these names, which are borrowed. */
void source_with_marks(struct source *source, const struct mark_names *marks);
/* All of it was counted with KernelScale, of which the vendor's files say nothing. */
void source_with_kernel_scale(struct source *source);

/* Run `run_id`, rank `rank` of a capture: a job's database, or a file of groups. */
int source_from_capture(struct source **out,
                        const char *path,
                        uint64_t run_id,
                        uint32_t rank,
                        struct err *err);
int source_open_file(struct source **out,
                     const char *path,
                     uint64_t run_id,
                     uint32_t rank,
                     struct err *err);
int source_from_file(struct source **out,
                     const char *path,
                     uint64_t run_id,
                     uint32_t rank,
                     struct err *err);
/* The same, and the bytes stay there. */
int source_open_capture(struct source **out,
                        const char *path,
                        uint64_t run_id,
                        uint32_t rank,
                        struct err *err);
/* All launches below a folder: device<D>/<kernel>/<order>/dump/, or one dump/ itself.
 * The vendor's files do not name their events: they are those of the full schedule. */
int source_from_folder(struct source **out, const char *path, struct err *err);
int source_open_folder(struct source **out, const char *path, struct err *err);

/* The bytes of a launch, with notes on what they lack; then they may be dropped. A
 * source that was read whole keeps them. In a forked child both are fine. */
void source_load(struct source *source, struct source_launch *launch);
void source_drop(struct source *source, struct source_launch *launch);
/* The passes that like ranks made for this launch, which is loaded. */
void source_borrow(struct source *source, struct source_launch *launch);
void source_destroy(struct source *source); /* NULL is welcome */

/* For those who make a source. */
struct source *source_create(void);
struct source_launch *source_add_launch(struct source *source);
/* The pass of that number (1 and up), made when it is new; NULL beyond the limit. */
struct source_pass *source_launch_pass(struct source_launch *launch, uint32_t number);

#endif
