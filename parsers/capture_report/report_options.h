/* report_options.h - the form of the report of a capture, and the limits of its ranks
 */
#ifndef PARSERS_CAPTURE_REPORT_REPORT_OPTIONS_H
#define PARSERS_CAPTURE_REPORT_REPORT_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

enum capture_format {
    CAPTURE_TEXT,
    CAPTURE_JSON, /* {"cluster": {...}, "ranks": [...]}: cluster.json with several
                   * ranks, and the objects of anomaly_discovery.json */
    CAPTURE_MARKDOWN,
    CAPTURE_HTML,
};

/* Gets a rank that could not be analysed, with the reason. */
typedef void capture_failed_fn(void *arg, int64_t rank, const char *reason);

struct analysis;
/* Gets a rank that was analysed. */
typedef void capture_analysed_fn(void *arg, const struct analysis *analysis);

struct capture_report_options {
    enum capture_format format;
    const char *to; /* folder for the files of all formats, or NULL */
    capture_failed_fn *failed;
    capture_analysed_fn *analysed; /* or NULL */
    void *arg;
    size_t parallel;       /* processes; 0: in this process, without limits */
    uint64_t limit_ms;     /* for a rank; 0: none */
    uint64_t memory_bytes; /* of a process; 0: no limit */
    /* Called after each rank; or NULL. */
    void (*progress)(void *arg, size_t done, size_t count);
    /* Called about each second for a rank in work, with parallel > 0; or NULL. */
    void (*working)(void *arg, int64_t rank, const char *phase, uint64_t spent_ms);
};

#endif
