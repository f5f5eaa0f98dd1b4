/* records.h - what a capture holds: the kinds of record, their layout, their one home
 *
 * Inject writes them into the ring, the worker puts them into groups, parsers read
 * them. All integers are little endian; all sizes are fixed but for the kinds whose
 * size is 0 in the table: their records start with a u32 length that counts the whole
 * record, itself too. A text field holds a NUL-terminated text, cut where it did not
 * fit. A kind never changes its layout: a change is a new name (".v2"). */
#ifndef LIB_CAPTURE_FORMAT_RECORDS_H
#define LIB_CAPTURE_FORMAT_RECORDS_H

#include <assert.h>
#include <stdint.h>

enum record_kind {
    RECORD_RUN_RANK = 1,
    RECORD_RUN_CLOCK,
    RECORD_LAUNCH,
    RECORD_LAUNCH_END,
    RECORD_PASS,
    RECORD_CHANNEL_BYTES,
    RECORD_DROP,
    RECORD_COMM_GROUP,
    RECORD_LAUNCH_GROUP,
    RECORD_REPORT,
    RECORD_STAMP,
    RECORD_RUN_HEALTH,
    RECORD_BARRIER,
    RECORD_FILE_PIECE,
    RECORD_KERNEL_BINARY,
    RECORD_LAUNCH_CODE,
    RECORD_MEM_EVENT,
    RECORD_LAUNCH_SHARE,
    RECORD_KIND_END
};

enum { RECORD_EVENTS_MAX = 10, RECORD_PIECE_MAX = 64 * 1024 };

/* run.rank: who ran what, where; written by the worker, first in each shard */
struct record_run_rank {
    uint64_t run_id; /* one attempt of one task */
    uint64_t job_id;
    uint64_t point;
    uint32_t repeat;
    uint32_t attempt; /* from 1 */
    uint32_t rank;
    uint32_t world_size;
    uint32_t device_visible;  /* what the program passes to aclrtSetDevice */
    uint32_t device_logical;  /* what the driver's functions take */
    uint32_t device_physical; /* the number people know the card by */
    uint32_t simulated;       /* 1: no figure of this run was measured */
    uint32_t pid;
    uint32_t reserved;
    uint64_t started_wall_ns;
    char job[64];
    char point_text[256];
    char host[64];
    char card_serial[32];
    char card_model[32];
    char program[128];
    char muster_version[32];
};

/* run.clock: one device's clocks and frequencies, before and after each launch */
struct record_run_clock {
    uint64_t host_before_ns; /* monotonic, around the questions to the driver */
    uint64_t host_after_ns;
    uint64_t device_ticks; /* task scheduler counter */
    uint64_t device_mono_ns;
    uint64_t launch; /* 0: at the device's first use */
    uint32_t device; /* logical */
    uint32_t ticks_khz;
    uint32_t core_mhz_current; /* 0: the driver did not tell */
    uint32_t core_mhz_rated;
    uint32_t core_count; /* cubes */
    uint32_t chip;       /* number of raw_capture: 5 = A2/A3, 4 = 310P, 15 = A5 */
    uint32_t simulated;  /* the runtime says of itself that it is a simulation */
    uint32_t hbm_maker;  /* 0: not known, or the default maker */
    char soc[32];        /* as aclrtGetSocName */
};

enum launch_kind {
    LAUNCH_SINGLE = 1,
    LAUNCH_MIX, /* cubes and vectors together */
    LAUNCH_UNKNOWN,
    LAUNCH_MC2,        /* with a half on the AI CPU that talks to the other ranks */
    LAUNCH_MTE,        /* the kernel itself reaches into the other ranks' windows */
    LAUNCH_LCCL,       /* the same, by a library that brings its own windows */
    LAUNCH_COLLECTIVE, /* no kernel of the program's */
    LAUNCH_RANGE,      /* all launches of a marked range; block_dim is how many */
};

/* What could be put back between replays. */
enum restore_class {
    RESTORE_ALL = 1,    /* every block of the device was saved, and is put back */
    RESTORE_NONE,       /* nothing was allocated */
    RESTORE_OFF,        /* switched off; only a test does that */
    RESTORE_NO_ROOM,    /* the snapshot did not fit: not replayed */
    RESTORE_NOT_NEEDED, /* one execution for each start of the program */
};

/* launch: one kernel launch that is profiled; before its first pass */
struct record_launch {
    uint64_t launch; /* from 1, in the process */
    uint64_t start_ns;
    uint64_t args_bytes;
    uint64_t snapshot_bytes;
    uint32_t snapshot_blocks;
    uint32_t device; /* logical */
    int32_t stream;
    uint32_t thread;
    uint32_t block_dim;
    uint32_t kind;          /* enum launch_kind */
    uint32_t restore_class; /* enum restore_class */
    uint32_t order;         /* launches of this kernel on this device before it */
    uint32_t warmups_planned;
    uint32_t passes_planned; /* counter passes, the L2 one not counted */
    uint32_t is_mc2;
    uint32_t is_lccl;
    uint32_t pid;
    uint32_t reserved;
    char kernel[256];  /* from 255 letters on: the first 72, '_' and a hash */
    char metrics[128]; /* what was asked for */
};

/* launch.end: what became of it */
struct record_launch_end {
    uint64_t launch;
    uint64_t end_ns;
    uint32_t passes_done;
    uint32_t complete; /* 1: all passes ran and their channels were read to the end */
    int32_t result;    /* what the program got */
    uint32_t reserved;
    char reason[128]; /* why not complete */
};

enum pass_kind {
    PASS_FIRST = 1,
    PASS_WARMUP,
    PASS_L2,
    PASS_COUNTERS,
    PASS_INSTRUMENTED
};

/* pass: one execution of the launch under the profiler */
struct record_pass {
    uint64_t launch;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t input_checksum; /* of the saved memory, right before the launch */
    uint32_t pass;           /* 0 for first, warm-up and L2; counter passes from 1 */
    uint32_t kind;           /* enum pass_kind */
    int32_t status;          /* 0, or the runtime's error */
    uint32_t has_duration;   /* the task log was on */
    uint32_t event_count;    /* slots of a record: 8 or 10 */
    uint32_t core_mhz;       /* right after the launch; 0: not told */
    uint16_t aic_events[RECORD_EVENTS_MAX];
    uint16_t aiv_events[RECORD_EVENTS_MAX];
    uint16_t l2_events[8];
};

/* channel.bytes: what a profiling channel gave, as read; variable size. Joined in the
 * order of `offset` they are the vendor's file of that channel, launch and pass. */
struct record_channel_bytes {
    uint32_t length; /* of the whole record */
    uint32_t device;
    uint32_t channel; /* of the driver: 53 counters, 50 task log, 47 L2 ... */
    uint32_t pass;    /* as in struct record_pass; 0 with channel 47 */
    uint64_t launch;
    uint64_t offset; /* of the first byte in that file */
    uint32_t bytes;  /* how many follow this head; then zeros up to a multiple of 8 */
    uint32_t lost;   /* 1: the driver said that data was lost (0x916) */
};

enum group_source { GROUP_FROM_CALL = 1, GROUP_FROM_REPORT };
enum { GROUP_STREAMS_MAX = 8, GROUP_RANK_UNKNOWN = 0xffffffff };

/* comm.group: a communicator of this process, when it was made; and again when the
 * operator's library reported more about it (level 10000 type 12) */
struct record_comm_group {
    uint64_t key;       /* the same on all ranks of it; 0: not told by that source */
    uint64_t name_hash; /* as reports call it */
    uint64_t time_ns;
    uint32_t source; /* enum group_source */
    uint32_t rank;
    uint32_t ranks;
    uint32_t global_rank;  /* GROUP_RANK_UNKNOWN: only a report tells */
    uint32_t device;       /* logical */
    uint32_t generation;   /* groups like it on this device before */
    int32_t server_stream; /* of its AI CPU half; -1: not told */
    uint32_t stream_count; /* of the communication's own streams */
    uint32_t streams[GROUP_STREAMS_MAX];
    char name[128]; /* empty: only its hash was told */
};

/* launch.group: a launch that its communicator's other ranks take part in; one for
 * each of its groups */
struct record_launch_group {
    uint64_t launch;
    uint64_t key;
    uint64_t operation;   /* of this group, from 1 */
    uint64_t fingerprint; /* what all ranks must have alike */
    uint32_t rank;
    uint32_t ranks;
    uint32_t index;    /* 0: the operator's own group */
    uint32_t replayed; /* 1: all ranks agreed to replay it */
};

/* launch.share: like ranks may share the passes of a launch; said when they might have.
 * Then the passes that this rank has not made are those of the group's other ranks, in
 * their own records, under the same numbers. */
struct record_launch_share {
    uint64_t launch;
    uint64_t key;       /* of the group, as in launch.group */
    uint64_t operation; /* of the group */
    uint64_t likeness;  /* what has to be alike: blocks, arguments but for addresses */
    uint64_t took_ns;  /* the last one before the passes, by the device; 0: not known */
    uint32_t permille; /* by which these may differ */
    uint32_t shared;   /* 1: the ranks are alike, and each makes a part */
    uint32_t rank;
    uint32_t ranks;
    uint32_t passes;      /* that this rank makes */
    uint32_t passes_full; /* that one alone would have made */
    char why[64];         /* not shared */
};

enum report_source {
    REPORT_ADDITIONAL = 1, /* 256 bytes */
    REPORT_COMPACT,        /* 64 */
    REPORT_API,            /* 40 */
    REPORT_EVENT,          /* 40 */
};
enum { REPORT_BYTES = 256 };

/* report.envelope: what the runtime or an operator reported to its profiler, whole */
struct record_report {
    uint64_t launch; /* the profiled one it came in; 0: none */
    uint64_t time_ns;
    uint32_t pass;
    uint32_t device; /* logical, of the thread that reported */
    uint32_t thread;
    uint32_t source;    /* enum report_source */
    uint32_t bytes;     /* of `envelope` that were given; then zeros */
    uint32_t pass_kind; /* enum pass_kind; 0: in no pass */
    uint8_t envelope[REPORT_BYTES];
};

enum stamp_kind { STAMP_MARK = 1, STAMP_RANGE_START, STAMP_RANGE_END };

/* stamp: a mark or a range of the program's own (mstx) */
struct record_stamp {
    uint64_t launch; /* the profiled one it came in; 0: none */
    uint64_t time_ns;
    uint64_t range;  /* of STAMP_RANGE_*; 0 with a mark */
    uint64_t domain; /* 0: none */
    uint32_t kind;   /* enum stamp_kind */
    uint32_t device; /* logical */
    uint32_t thread;
    int32_t stream; /* -1: it was given none */
    char domain_name[64];
    char text[128]; /* empty with STAMP_RANGE_END */
};

enum health_when { HEALTH_BEFORE = 1, HEALTH_AFTER };
enum health_known {
    HEALTH_HAS_CLOCK = 1,
    HEALTH_HAS_TEMPERATURE = 2,
    HEALTH_HAS_POWER = 4,
    HEALTH_HAS_MEMORY = 8,
    HEALTH_HAS_PROCESSES = 16,
    HEALTH_HAS_STATE = 32,
};
enum { HEALTH_PROCESSES_MAX = 16 };

/* run.health: how a card was, around each profiled launch */
struct record_run_health {
    uint64_t launch;
    uint64_t time_ns;
    uint64_t memory_used; /* bytes */
    uint64_t memory_total;
    uint32_t device; /* logical */
    uint32_t when;   /* enum health_when */
    uint32_t known;  /* enum health_known: which of these were told */
    uint32_t core_mhz;
    int32_t temperature_c;
    uint32_t power_mw;
    uint32_t state;         /* 0: well; the driver's own number */
    uint32_t process_count; /* on the card, without this one; may exceed the list */
    uint32_t processes[HEALTH_PROCESSES_MAX];
};

enum barrier_phase {
    BARRIER_PREPARE = 1, /* do all want to replay this operation */
    BARRIER_SAVED,       /* is all memory saved */
    BARRIER_FIRST,       /* the program's own execution has ended */
    BARRIER_START,       /* memory is put back, counters run */
    BARRIER_END,         /* this execution has ended, counters are read */
};
enum { BARRIER_NO_CULPRIT = 0xffffffff };

/* barrier: a meeting of the ranks of a group; one each rank and meeting. Times are
 * monotonic ones of this host; plus `root_offset_ns` they are the root's */
struct record_barrier {
    uint64_t launch;
    uint64_t key;         /* of the group, as in comm.group */
    uint64_t operation;   /* of the group, from 1 */
    uint64_t fingerprint; /* of what this rank came for */
    uint64_t arrived_ns;
    uint64_t planned_ns; /* when all were to go on; 0: they were not */
    uint64_t released_ns;
    int64_t root_offset_ns;
    uint64_t root_uncertainty_ns; /* UINT64_MAX: the offset is not known */
    uint32_t phase;               /* enum barrier_phase */
    uint32_t execution;           /* after the first one, from 0; of START and END */
    uint32_t rank;                /* in the group */
    uint32_t ranks;
    uint32_t said;      /* why this rank would not go on; 0: it would */
    uint32_t reason;    /* why nobody did; 0: all went on */
    uint32_t culprit;   /* rank in the group; BARRIER_NO_CULPRIT */
    uint32_t pass_kind; /* enum pass_kind of that execution */
    char word[16];      /* for `reason`: late, gone, mismatch ... */
};

/* file.piece: what one launch left in a buffer or a file; variable size. Pieces of one
 * (launch, name, part) join by offset. "dbi": a part of the buffer of transfer records,
 * head and records; "bbcount": u32 counts of basic blocks. */
struct record_file_piece {
    uint32_t length; /* of the whole record */
    uint32_t device; /* logical */
    uint64_t launch;
    uint64_t offset;
    uint64_t total; /* bytes of the whole part */
    uint32_t bytes; /* how many follow this head; then zeros up to a multiple of 8 */
    uint32_t part;
    char name[32];
};

/* kernel.binary: a piece of an ELF file, as the program loaded it; variable size */
struct record_kernel_binary {
    uint32_t length; /* of the whole record */
    uint32_t bytes;  /* how many follow this head; then zeros up to a multiple of 8 */
    uint64_t hash;   /* of the whole file */
    uint64_t offset;
    uint64_t total; /* bytes of the whole file */
};

/* launch.code: which binary a launch ran */
struct record_launch_code {
    uint64_t launch;
    uint64_t hash;
    uint64_t bytes;
    uint64_t pc_start; /* what program counters count from */
};

enum mem_event_what {
    MEM_ALLOC = 1,
    MEM_FREE,
    MEM_MAP, /* memory under an address that was reserved before */
    MEM_UNMAP,
    MEM_HEAP, /* a part that the program hands out itself; it says so */
    MEM_HEAP_END,
    MEM_REGION, /* a part of a heap that is in use */
    MEM_REGION_END,
};

/* mem.event: device memory that the program took, gave back, or told of */
struct record_mem_event {
    uint64_t time_ns;
    uint64_t address; /* 0: told by its handle */
    uint64_t size;    /* 0 when it ends */
    uint64_t handle;  /* of a heap or a region; 0: by its address */
    uint64_t heap;    /* of a region: the handle of its heap */
    uint32_t what;    /* enum mem_event_what */
    uint32_t device;  /* logical */
    uint32_t thread;
    uint32_t reserved;
};

enum drop_reason {
    DROP_RING_FULL = 1,
    DROP_TOO_LARGE,
    DROP_BAD_RECORD,
    DROP_NOT_POSSIBLE, /* it was asked for, and cannot be had here */
};

/* drop: what is not here, how many, why */
struct record_drop {
    uint32_t kind; /* enum record_kind of what was dropped */
    uint32_t reason;
    uint64_t count;
};

static_assert(sizeof(struct record_run_rank) == 680, "run.rank");
static_assert(sizeof(struct record_run_clock) == 104, "run.clock");
static_assert(sizeof(struct record_launch) == 472, "launch");
static_assert(sizeof(struct record_launch_end) == 160, "launch.end");
static_assert(sizeof(struct record_pass) == 112, "pass");
static_assert(sizeof(struct record_channel_bytes) == 40, "channel.bytes");
static_assert(sizeof(struct record_file_piece) == 72, "file.piece");
static_assert(sizeof(struct record_kernel_binary) == 32, "kernel.binary");
static_assert(sizeof(struct record_launch_code) == 32, "launch.code");
static_assert(sizeof(struct record_drop) == 16, "drop");
static_assert(sizeof(struct record_comm_group) == 216, "comm.group");
static_assert(sizeof(struct record_launch_group) == 48, "launch.group");
static_assert(sizeof(struct record_report) == 296, "report.envelope");
static_assert(sizeof(struct record_stamp) == 240, "stamp");
static_assert(sizeof(struct record_run_health) == 128, "run.health");
static_assert(sizeof(struct record_barrier) == 120, "barrier");
static_assert(sizeof(struct record_launch_share) == 128, "launch.share");
static_assert(sizeof(struct record_mem_event) == 56, "mem.event");

#endif
