/* records.h - layout of all record kinds of a capture
 *
 * Inject writes records into the ring, the worker puts them into groups, parsers read
 * them. All integers are little endian. Kinds have a fixed size, except those with size
 * 0 in kinds.c: their records start with a u32 length of the whole record. A text field
 * is NUL-terminated and truncated to its size. The layout of a kind never changes; a
 * changed layout gets a new name (".v2"). */
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
    RECORD_RANGE_LAUNCH,
    RECORD_RUN_ENVIRONMENT,
    RECORD_DUMP_FILE,
    RECORD_DUMP_PIECE,
    RECORD_XPTI_PROCESS,
    RECORD_XPTI_STREAM,
    RECORD_XPTI_TEXT,
    RECORD_XPTI_OBJECT,
    RECORD_XPTI_METADATA,
    RECORD_XPTI_EVENT,
    RECORD_SIMULATION,
    RECORD_LAUNCH_TOKENS,
    RECORD_KIND_END
};

enum { RECORD_EVENTS_MAX = 10, RECORD_PIECE_MAX = 64 * 1024 };

/* run.rank: identity of a rank; the worker writes it first in each shard */
struct record_run_rank {
    uint64_t run_id; /* one attempt of one task */
    uint64_t job_id;
    uint64_t point;
    uint32_t repeat;
    uint32_t attempt; /* from 1 */
    uint32_t rank;
    uint32_t world_size;
    uint32_t device_visible;  /* number for aclrtSetDevice */
    uint32_t device_logical;  /* number for functions of the driver */
    uint32_t device_physical; /* number of the card on its host */
    uint32_t simulated;       /* 1: simulated, no measured figures */
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

/* run.clock: clocks and frequencies of a device, before and after each launch */
struct record_run_clock {
    uint64_t host_before_ns; /* monotonic, around the calls of the driver */
    uint64_t host_after_ns;
    uint64_t device_ticks; /* task scheduler counter */
    uint64_t device_mono_ns;
    uint64_t launch; /* 0: at the first use of the device */
    uint32_t device; /* logical */
    uint32_t ticks_khz;
    uint32_t core_mhz_current; /* 0: unknown */
    uint32_t core_mhz_rated;
    uint32_t core_count; /* cubes */
    uint32_t chip;       /* number of raw_capture: 5 = A2/A3, 4 = 310P, 15 = A5 */
    uint32_t simulated;  /* 1: the runtime reports that it is a simulation */
    uint32_t hbm_maker;  /* 0: unknown, or the default maker */
    char soc[32];        /* from aclrtGetSocName */
};

/* Increased when the replay of an unchanged kernel gives other figures than before. */
enum { REPLAY_VERSION = 2 };

/* run.environment: everything besides the code that can change figures; written before
 * the first launch on a device. An empty text is unknown. */
struct record_run_environment {
    uint32_t device;    /* logical */
    uint32_t hbm_maker; /* code of DCMI; 0: unknown */
    uint32_t replay_version;
    uint32_t reserved;
    char chip[32]; /* from aclrtGetSocName */
    char cann[64]; /* versions */
    char driver[64];
    char firmware[64];
    char host_kernel[64];
};

enum launch_kind {
    LAUNCH_SINGLE = 1,
    LAUNCH_MIX, /* cubes and vectors together */
    LAUNCH_UNKNOWN,
    LAUNCH_MC2,  /* with a part on the AI CPU that communicates with other ranks */
    LAUNCH_MTE,  /* the kernel accesses the windows of other ranks */
    LAUNCH_LCCL, /* as LAUNCH_MTE, with windows of a library */
    LAUNCH_COLLECTIVE, /* a collective operation, not a kernel of the program */
    LAUNCH_RANGE,      /* all launches of a marked range; block_dim is their number */
    LAUNCH_POINT_TO_POINT, /* a message between two ranks */
};

/* Memory that was restored between replays. */
enum restore_class {
    RESTORE_ALL = 1,    /* all allocated memory of the device */
    RESTORE_NONE,       /* nothing was allocated */
    RESTORE_OFF,        /* restoring is switched off, by tests only */
    RESTORE_NO_ROOM,    /* the snapshot did not fit, so no replay */
    RESTORE_NOT_NEEDED, /* application replay: one execution per start */
};

/* launch: a profiled kernel launch; written before its first pass */
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
    uint32_t passes_planned; /* counter passes without the L2 pass */
    uint32_t is_mc2;
    uint32_t is_lccl;
    uint32_t pid;
    uint32_t has_simt; /* 1: the kernel ran as threads (950) */
    char kernel[256];  /* a name of 255 or more: its first 72, '_' and a hash */
    char metrics[128]; /* the selected metrics */
};

/* launch.end: result of a profiled launch */
struct record_launch_end {
    uint64_t launch;
    uint64_t end_ns;
    uint32_t passes_done;
    uint32_t complete; /* 1: all passes ran and their channels were read to the end */
    int32_t result;    /* return value for the program */
    uint32_t reserved;
    char reason[128]; /* of an incomplete launch */
};

/* range.launch: a launch inside a replayed range; written after the launch record of
 * the range, in the order of the launches. The range has the passes; the channels have
 * the data of its launches one after the other. */
struct record_range_launch {
    uint64_t range;  /* number of the range's launch record */
    uint64_t launch; /* from 1, in the process */
    uint64_t args_bytes;
    uint32_t place; /* position in the segment, from 0 */
    uint32_t
        segment;     /* of the marked range, from 1; a synchronization ends a segment */
    uint32_t device; /* logical */
    int32_t stream;
    uint32_t block_dim;
    uint32_t kind;  /* enum launch_kind */
    uint32_t order; /* launches of this kernel on this device before it */
    uint32_t reserved;
    char kernel[256]; /* as in struct record_launch */
};

enum pass_kind {
    PASS_FIRST = 1,
    PASS_WARMUP,
    PASS_L2,
    PASS_COUNTERS,
    PASS_INSTRUMENTED,
    PASS_PLAIN /* without counters: its task log has the duration of the launch */
};

enum { PLAIN_PASS_NUMBER = 255 };

/* pass: one execution of the launch under the profiler */
struct record_pass {
    uint64_t launch;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t input_checksum; /* of the saved memory, before the launch */
    uint32_t pass;           /* 0 for first, warm-up and L2; counter passes from 1;
                                PLAIN_PASS_NUMBER */
    uint32_t kind;           /* enum pass_kind */
    int32_t status;          /* 0, or the runtime's error */
    uint32_t has_duration;   /* the task log was on */
    uint32_t event_count;    /* slots of a record: 8 or 10 */
    uint32_t core_mhz;       /* after the launch; 0: unknown */
    uint16_t aic_events[RECORD_EVENTS_MAX];
    uint16_t aiv_events[RECORD_EVENTS_MAX];
    uint16_t l2_events[8];
};

/* `pass` of the channels of cores (CHANNEL_CORE_FIRST ...), which are in use in two
 * instrumented passes */
enum core_channel_pass { CORE_PASS_TIMELINE = 1, CORE_PASS_SAMPLES };

/* channel.bytes: bytes read from a profiling channel; variable size. Joined in the
 * order of `offset` they are the vendor's file of that channel, launch and pass. */
struct record_channel_bytes {
    uint32_t length; /* of the whole record */
    uint32_t device;
    uint32_t channel; /* of the driver: 53 counters, 50 task log, 47 L2 ... */
    uint32_t pass;    /* as in struct record_pass; 0 with channel 47; of a core: enum
                         core_channel_pass */
    uint64_t launch;
    uint64_t offset; /* of the first byte in that file */
    uint32_t bytes;  /* bytes after this head; then zeros up to a multiple of 8 */
    uint32_t lost;   /* 1: the driver reported lost data (0x916) */
};

enum group_source { GROUP_FROM_CALL = 1, GROUP_FROM_REPORT };
enum { GROUP_STREAMS_MAX = 8, GROUP_RANK_UNKNOWN = 0xffffffff };

/* comm.group: a communicator of this process; written when it is created, and again
 * when the library of the operator reports more about it (level 10000 type 12) */
struct record_comm_group {
    uint64_t key;       /* the same on all its ranks; 0: unknown to this source */
    uint64_t name_hash; /* identifies it in reports */
    uint64_t time_ns;
    uint32_t source; /* enum group_source */
    uint32_t rank;
    uint32_t ranks;
    uint32_t global_rank;  /* GROUP_RANK_UNKNOWN: only reports have it */
    uint32_t device;       /* logical */
    uint32_t generation;   /* earlier equal communicators on this device */
    int32_t server_stream; /* of its AI CPU part; -1: unknown */
    uint32_t stream_count; /* number of its own streams */
    uint32_t streams[GROUP_STREAMS_MAX];
    char name[128]; /* empty: only the hash is known */
};

/* launch.group: a launch with a communicator; one record per communicator of the
 * launch */
struct record_launch_group {
    uint64_t launch;
    uint64_t key;
    uint64_t operation;   /* number within the communicator, from 1 */
    uint64_t fingerprint; /* must be equal on all ranks */
    uint32_t rank;
    uint32_t ranks;
    uint32_t index;    /* 0: the communicator of the operator */
    uint32_t replayed; /* 1: all ranks agreed to replay it */
};

/* launch.share: equal ranks may share the passes of a launch; written when that was
 * possible. Passes that this rank did not run are in the records of the other ranks of
 * the communicator, under the same numbers. */
struct record_launch_share {
    uint64_t launch;
    uint64_t key;       /* of the communicator, as in launch.group */
    uint64_t operation; /* of the group */
    uint64_t likeness;  /* hash of blocks and arguments without addresses */
    uint64_t took_ns;   /* device time of the execution before the passes; 0: unknown */
    uint32_t permille;  /* allowed difference of took_ns */
    uint32_t shared;    /* 1: the ranks are equal, and each runs a part */
    uint32_t rank;
    uint32_t ranks;
    uint32_t passes;      /* passes that this rank runs */
    uint32_t passes_full; /* passes of a rank without sharing */
    char why[64];         /* reason of the decision */
};

enum report_source {
    REPORT_ADDITIONAL = 1, /* 256 bytes */
    REPORT_COMPACT,        /* 64 */
    REPORT_API,            /* 40 */
    REPORT_EVENT,          /* 40 */
};
enum { REPORT_BYTES = 256 };

/* report.envelope: a complete report of the runtime or an operator to the profiler */
struct record_report {
    uint64_t launch; /* the profiled launch at that time; 0: none */
    uint64_t time_ns;
    uint32_t pass;
    uint32_t device; /* logical, of the reporting thread */
    uint32_t thread;
    uint32_t source;    /* enum report_source */
    uint32_t bytes;     /* used bytes of `envelope`; then zeros */
    uint32_t pass_kind; /* enum pass_kind; 0: in no pass */
    uint8_t envelope[REPORT_BYTES];
};

enum stamp_kind { STAMP_MARK = 1, STAMP_RANGE_START, STAMP_RANGE_END };

/* stamp: a mark or a range that the program set (mstx) */
struct record_stamp {
    uint64_t launch; /* the profiled launch at that time; 0: none */
    uint64_t time_ns;
    uint64_t range;  /* of STAMP_RANGE_*; 0 with a mark */
    uint64_t domain; /* 0: none */
    uint32_t kind;   /* enum stamp_kind */
    uint32_t device; /* logical */
    uint32_t thread;
    int32_t stream; /* -1: none */
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
    HEALTH_HAS_ERRORS = 64,
};
enum { HEALTH_PROCESSES_MAX = 15 };

/* run.health: state of a card before and after each profiled launch */
struct record_run_health {
    uint64_t launch;
    uint64_t time_ns;
    uint64_t memory_used; /* bytes */
    uint64_t memory_total;
    uint32_t device; /* logical */
    uint32_t when;   /* enum health_when */
    uint32_t known;  /* enum health_known: the members with a value */
    uint32_t core_mhz;
    int32_t temperature_c;
    uint32_t power_mw;
    uint32_t state;         /* number of the driver; 0: good */
    uint32_t process_count; /* other processes on the card; may exceed the list */
    uint32_t processes[HEALTH_PROCESSES_MAX];
    uint32_t double_bit_errors; /* of the device memory; older captures have a sixteenth
                                   process here, without HEALTH_HAS_ERRORS */
};

enum barrier_phase {
    BARRIER_PREPARE = 1, /* all ranks can replay this operation */
    BARRIER_SAVED,       /* all memory is saved */
    BARRIER_FIRST,       /* the execution of the program has ended */
    BARRIER_START,       /* memory is restored, counters run */
    BARRIER_END,         /* the execution has ended, counters are read */
};
enum { BARRIER_NO_CULPRIT = 0xffffffff };

/* barrier: one barrier of one rank of a communicator. Times are monotonic on this host;
 * add `root_offset_ns` for the clock of the root */
struct record_barrier {
    uint64_t launch;
    uint64_t key;         /* of the communicator, as in comm.group */
    uint64_t operation;   /* number within the communicator, from 1 */
    uint64_t fingerprint; /* of the launch of this rank */
    uint64_t arrived_ns;
    uint64_t planned_ns; /* planned time of the release; 0: aborted */
    uint64_t released_ns;
    int64_t root_offset_ns;
    uint64_t root_uncertainty_ns; /* UINT64_MAX: the offset is unknown */
    uint32_t phase;               /* enum barrier_phase */
    uint32_t
        execution; /* number of the execution after the first, from 0; START and END */
    uint32_t rank; /* in the communicator */
    uint32_t ranks;
    uint32_t said;      /* reason of this rank for an abort; 0: none */
    uint32_t reason;    /* reason of the abort; 0: released */
    uint32_t culprit;   /* rank that caused the abort, or BARRIER_NO_CULPRIT */
    uint32_t pass_kind; /* enum pass_kind of that execution */
    char word[16];      /* name of `reason`: late, gone, mismatch ... */
};

/* file.piece: bytes that a launch wrote into a buffer or a file; variable size. Pieces
 * with the same launch, name and part are joined by offset. "dbi": a part of the buffer
 * of transfer records, head and records; "bbcount": u32 counts of basic blocks. */
struct record_file_piece {
    uint32_t length; /* of the whole record */
    uint32_t device; /* logical */
    uint64_t launch;
    uint64_t offset;
    uint64_t total; /* bytes of the complete part */
    uint32_t bytes; /* bytes after this head; then zeros up to a multiple of 8 */
    uint32_t part;
    char name[32];
};

enum dump_kind {
    DUMP_FILE,    /* a file that is read alone, for example an IREE dump */
    DUMP_PROFILE, /* a file of a profile, which needs the folders of its name */
};

/* dump.file: a file that the program of a rank wrote; its pieces follow */
struct record_dump_file {
    uint32_t file;  /* number in the shard, from 0 */
    uint32_t kind;  /* enum dump_kind */
    uint64_t bytes; /* of the complete file */
    uint64_t modified_wall_ns;
    char name[256]; /* below the working directory of the program, or absolute */
};

/* dump.piece: a piece of the file with this number; variable size */
struct record_dump_piece {
    uint32_t length; /* of the whole record */
    uint32_t file;
    uint64_t offset;
    uint32_t bytes; /* bytes after this head; then zeros up to a multiple of 8 */
    uint32_t reserved;
};

/* simulation: the dump files of the shard are logs of the vendor's instruction
 * simulator */
struct record_simulation {
    char chip[32];
    char metrics[96]; /* names, divided by commas */
    char cores[128];  /* selected cores, such as "0,2-3"; "": all */
    char elf[256];    /* name of the dump file with the kernel; "": none */
};

/* launch.tokens: the tokens that a launch brought to the experts of this rank; variable
 * size. The head is followed by experts x ranks numbers of 32 bits: the rows of each
 * expert from each rank. */
struct record_launch_tokens {
    uint32_t length; /* of the whole record */
    uint32_t rank;   /* of the group, as all numbers of ranks */
    uint64_t launch;
    uint32_t ranks, experts;
    uint32_t first_expert; /* number of the first expert among those of all ranks */
    uint32_t is_shared;    /* 1: a shared expert, which has no number */
    uint64_t row_bytes;    /* of a token, as it was sent */
};

/* kernel.binary: a piece of an ELF file that the program loaded; variable size */
struct record_kernel_binary {
    uint32_t length; /* of the whole record */
    uint32_t bytes;  /* bytes after this head; then zeros up to a multiple of 8 */
    uint64_t hash;   /* of the complete file */
    uint64_t offset;
    uint64_t total; /* bytes of the complete file */
};

/* launch.code: the binary of a launch */
struct record_launch_code {
    uint64_t launch;
    uint64_t hash;
    uint64_t bytes;
    uint64_t pc_start; /* base of the program counters */
};

enum mem_event_what {
    MEM_ALLOC = 1,
    MEM_FREE,
    MEM_MAP, /* memory at an address that was reserved before */
    MEM_UNMAP,
    MEM_HEAP, /* a part that the program manages and announces */
    MEM_HEAP_END,
    MEM_REGION, /* a part of a heap that is in use */
    MEM_REGION_END,
};

/* mem.event: device memory that the program allocates, frees or announces */
struct record_mem_event {
    uint64_t time_ns;
    uint64_t address; /* 0: see handle */
    uint64_t size;    /* 0 for the end */
    uint64_t handle;  /* of a heap or a region; 0: see address */
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
    DROP_NOT_POSSIBLE, /* a selected figure is not available here */
    DROP_INTERRUPTED,  /* a signal handler interrupted the writer of records */
};

/* The features of the dispatcher that tell its age. */
enum xpti_generation { XPTI_2021 = 1, XPTI_2023, XPTI_2024 };

/* xpti.process: a process that publishes trace events; written first */
struct record_xpti_process {
    uint64_t time_ns; /* monotonic, as in all records of the process */
    uint64_t wall_ns; /* at the same time */
    uint32_t pid;
    uint32_t parent_pid;
    uint32_t generation;   /* enum xpti_generation; 0: the dispatcher was refused */
    uint32_t has_metadata; /* 1: the metadata of this dispatcher can be read */
    char note[128];        /* why something is missing; "": all is there */
};

/* xpti.stream: a stream that the process announced and that is recorded */
struct record_xpti_stream {
    uint64_t time_ns;
    uint32_t stream; /* number in the events of this process */
    uint32_t major, minor;
    uint32_t reserved;
    char name[64];
    char version[64];
};

/* xpti.text: a text that other records of the process name by its number; variable
 * size. It is UTF-8; other bytes were replaced. */
struct record_xpti_text {
    uint32_t length; /* of the whole record */
    uint32_t text;   /* from 1 */
    uint32_t bytes;  /* bytes after this head; then zeros up to a multiple of 8 */
    uint32_t full;   /* bytes of the text before it was cut */
};

/* xpti.object: a node, a queue or another object of events; written before its first
 * event */
struct record_xpti_object {
    uint64_t object; /* number in the process, from 1 */
    uint64_t time_ns;
    uint64_t uid;      /* of the producer; can be used again for another object */
    uint64_t instance; /* visit of the place */
    uint64_t place;    /* hash of file, name, line and column; equal in all processes */
    uint32_t name;     /* texts; 0: none */
    uint32_t file;
    uint32_t line, column;
    uint32_t event_type;
    uint32_t activity;
};

/* xpti.metadata: one value of an object; variable size */
struct record_xpti_metadata {
    uint32_t length; /* of the whole record */
    uint32_t bytes;  /* bytes after this head; then zeros up to a multiple of 8 */
    uint64_t object;
    uint32_t key;  /* text */
    uint32_t type; /* 0 bytes, 1 text, 2 signed, 3 unsigned, 4 floating, 5 boolean */
};

/* xpti.event: one notification */
struct record_xpti_event {
    uint64_t time_ns;
    uint64_t object; /* 0: none; of an edge: the source node */
    uint64_t target; /* of an edge; of a call: its number; of an offload object: handle
                        of the host, the platform or the accessor */
    uint64_t instance;
    uint64_t value; /* address or handle: of memory, of a queue, of a signal */
    uint64_t size;  /* of memory and buffers: bytes; of images: elements; of a node:
                       number of its queue; of an accessor: target << 32 | mode */
    uint32_t text;  /* name of a call, kind of a node, message; 0: none */
    uint32_t thread;
    uint16_t type; /* trace type */
    uint16_t stream;
    int32_t result; /* of the end of a call */
};

/* drop: number of missing records and the reason */
struct record_drop {
    uint32_t kind;   /* enum record_kind of the dropped records */
    uint32_t reason; /* enum drop_reason */
    uint64_t count;
};

static_assert(sizeof(struct record_run_rank) == 680, "run.rank");
static_assert(sizeof(struct record_run_clock) == 104, "run.clock");
static_assert(sizeof(struct record_run_environment) == 304, "run.environment");
static_assert(sizeof(struct record_launch) == 472, "launch");
static_assert(sizeof(struct record_launch_end) == 160, "launch.end");
static_assert(sizeof(struct record_pass) == 112, "pass");
static_assert(sizeof(struct record_channel_bytes) == 40, "channel.bytes");
static_assert(sizeof(struct record_file_piece) == 72, "file.piece");
static_assert(sizeof(struct record_dump_file) == 280, "dump.file");
static_assert(sizeof(struct record_dump_piece) == 24, "dump.piece");
static_assert(sizeof(struct record_simulation) == 512, "simulation");
static_assert(sizeof(struct record_launch_tokens) == 40, "launch.tokens");
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
static_assert(sizeof(struct record_range_launch) == 312, "range.launch");
static_assert(sizeof(struct record_xpti_process) == 160, "xpti.process");
static_assert(sizeof(struct record_xpti_stream) == 152, "xpti.stream");
static_assert(sizeof(struct record_xpti_text) == 16, "xpti.text");
static_assert(sizeof(struct record_xpti_object) == 64, "xpti.object");
static_assert(sizeof(struct record_xpti_metadata) == 24, "xpti.metadata");
static_assert(sizeof(struct record_xpti_event) == 64, "xpti.event");

#endif
