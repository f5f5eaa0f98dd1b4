#include "parsers/framework/kernel_csv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/csv_read.h"
#include "lib/base/digits.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "parsers/framework/microseconds.h"

enum {
    HEADER_BYTES_MAX = 64 << 10,
    ROW_BYTES = 256, /* of a row with few counters; untouched room costs no memory */
    NAMES_MAX = 4 << 20, /* distinct texts; more are no profile of a program */
};

enum field {
    FIELD_NAME,
    FIELD_START,
    FIELD_DURATION,
    FIELD_WAIT,
    FIELD_TYPE,
    FIELD_UNIT,
    FIELD_STEP,
    FIELD_DEVICE,
    FIELD_STREAM,
    FIELD_TASK,
    FIELD_SHAPES,
    FIELD_COUNT,
};

/* Names of each field in the versions of the profiler; the first that exists is read.
 */
static const struct {
    bool required;
    const char *names[3];
} fields[FIELD_COUNT] = {
    [FIELD_NAME] = {true, {"Name", "Op Name"}},
    [FIELD_START] = {true, {"Start Time(us)", "Task Start Time(us)"}},
    [FIELD_DURATION] = {true, {"Duration(us)", "Task Duration(us)"}},
    [FIELD_WAIT] = {false, {"Wait Time(us)", "Task Wait Time(us)"}},
    [FIELD_TYPE] = {false, {"Type", "OP Type"}},
    [FIELD_UNIT] = {false, {"Task Type", "Accelerator Core"}},
    [FIELD_STEP] = {false, {"Step Id"}},
    [FIELD_DEVICE] = {false, {"Device_id"}},
    [FIELD_STREAM] = {false, {"Stream ID"}},
    [FIELD_TASK] = {false, {"Task ID"}},
    [FIELD_SHAPES] = {false, {"Input Shapes"}},
};

struct reading {
    struct kernel_list *list;
    const char *path;
    enum field field_of[FIELD_COUNT]; /* per requested column */
    size_t columns;
    bool has_wait;
    uint32_t last[FIELD_COUNT]; /* names of the row before, which often repeat */
    uint32_t class_unit;        /* the unit that `unit_class` belongs to */
    enum unit_class unit_class;
};

static int
ignore_row(void *arg, const struct csv_value *values, uint64_t line, struct err *err)
{
    (void)arg, (void)values, (void)line, (void)err;
    return 0;
}

static bool has_column(const char *header, const char *name)
{
    const struct csv_column column = {name, CSV_TEXT, false};
    struct err err;

    return csv_read_memory("header", header, strlen(header), &column, 1, ignore_row,
                           NULL, &err) == 0;
}

/* Returns the first line of the file, without its line end, and sets the size of the
 * file. The caller frees the line. */
static char *read_header(const char *path, uint64_t *file_bytes, struct err *err)
{
    char *header = NULL;
    struct stat status;
    ssize_t got;
    int fd;

    if (file_open(&fd, path, err) < 0)
        return NULL;
    header = xcalloc(1, HEADER_BYTES_MAX + 1);
    got = read(fd, header, HEADER_BYTES_MAX);
    *file_bytes =
        fstat(fd, &status) == 0 && status.st_size > 0 ? (uint64_t)status.st_size : 0;
    close(fd);
    if (got < 0) {
        err_errno(err, "%s", path);
        free(header);
        return NULL;
    }
    header[strcspn(header, "\r\n")] = '\0';
    return header;
}

/* Chooses the columns of this file. */
static int choose_columns(struct csv_column *columns,
                          struct reading *reading,
                          const char *header,
                          struct err *err)
{
    for (enum field field = 0; field < FIELD_COUNT; field++) {
        const char *const *name = fields[field].names;

        while (*name && !has_column(header, *name))
            name++;
        if (!*name && fields[field].required)
            return err_set(err, ERR_INPUT,
                           "%s:1: no column '%s'; the file is no list of kernels",
                           reading->path, fields[field].names[0]);
        if (!*name)
            continue;
        reading->field_of[reading->columns] = field;
        columns[reading->columns++] = (struct csv_column){*name, CSV_TEXT, false};
        reading->has_wait |= field == FIELD_WAIT;
    }
    return 0;
}

static int32_t read_id(const char *text)
{
    enum { SURE_TO_FIT = 9 }; /* digits, in 31 bits */
    uint64_t id = 0;
    int length = 0;

    for (; length < SURE_TO_FIT && (unsigned char)(text[length] - '0') < 10; length++)
        id = id * 10 + (uint64_t)(text[length] - '0');
    if (length && text[length] == '\0')
        return (int32_t)id;
    return num_parse_u64(text, &id) && id <= INT32_MAX ? (int32_t)id : -1;
}

/* Returns the shapes without the quotes that the profiler writes around them. */
static uint32_t add_shapes(struct names *names, const char *text)
{
    size_t length = strlen(text);

    if (length == 0 || strcmp(text, "N/A") == 0)
        return 0;
    if (text[0] != '"' || length < 2 || text[length - 1] != '"')
        return names_add(names, text);
    return names_add_part(names, text + 1, length - 2);
}

/* Reads the three times. Returns the name of the first column that is wrong, or NULL.
 */
static const char *
read_times(struct kernel *kernel, const char *const *texts, bool has_wait)
{
    int64_t duration;

    if (!microseconds_read(texts[FIELD_START], &kernel->start))
        return "start";
    if (!microseconds_read(texts[FIELD_DURATION], &duration) || duration < 0 ||
        __builtin_add_overflow(kernel->start, duration, &kernel->end))
        return "duration";
    if (has_wait &&
        (!microseconds_read(texts[FIELD_WAIT], &kernel->wait) || kernel->wait < 0))
        return "wait";
    return NULL;
}

/* Adds a text that is often the same as in the row before. */
static uint32_t
add_repeated(struct reading *reading, enum field field, const char *text)
{
    struct names *names = reading->list->names;

    if (strcmp(names_text(names, reading->last[field]), text) != 0)
        reading->last[field] = names_add(names, text);
    return reading->last[field];
}

/* Returns the class of the row, whose unit is often that of an earlier row. */
static enum unit_class class_of(struct reading *reading, const char *const *texts)
{
    uint32_t unit = add_repeated(reading, FIELD_UNIT, texts[FIELD_UNIT]);

    if (kernel_name_is_comm(texts[FIELD_NAME]))
        return UNIT_COMM;
    if (unit != reading->class_unit || unit == 0) {
        reading->unit_class = unit_class_of(texts[FIELD_UNIT], texts[FIELD_NAME]);
        reading->class_unit = unit;
    }
    return reading->unit_class;
}

static uint32_t
name_of(struct reading *reading, enum field field, const char *const *texts)
{
    return strcmp(texts[field], "N/A") == 0
               ? 0
               : add_repeated(reading, field, texts[field]);
}

static int
take_row(void *arg, const struct csv_value *values, uint64_t line, struct err *err)
{
    struct reading *reading = arg;
    struct names *names = reading->list->names;
    const char *texts[FIELD_COUNT];
    struct kernel kernel = {0};
    const char *wrong;

    for (size_t i = 0; i < FIELD_COUNT; i++)
        texts[i] = "";
    for (size_t i = 0; i < reading->columns; i++)
        texts[reading->field_of[i]] = values[i].text;
    reading->list->rows_read++;
    wrong = read_times(&kernel, texts, reading->has_wait);
    if (wrong) {
        char *reason = xasprintf("%s:%llu: the %s is no valid time", reading->path,
                                 (unsigned long long)line, wrong);

        kernel_list_skip(reading->list, reason);
        free(reason);
        return 0;
    }
    if (names_count(names) > NAMES_MAX)
        return err_set(err, ERR_LIMIT, "%s:%llu: the file has too many different names",
                       reading->path, (unsigned long long)line);
    kernel.name = names_add(names, texts[FIELD_NAME]);
    kernel.type = name_of(reading, FIELD_TYPE, texts);
    kernel.unit_class = class_of(reading, texts);
    kernel.unit = reading->last[FIELD_UNIT];
    kernel.step = name_of(reading, FIELD_STEP, texts);
    kernel.shapes = add_shapes(names, texts[FIELD_SHAPES]);
    kernel.device = read_id(texts[FIELD_DEVICE]);
    kernel.stream = read_id(texts[FIELD_STREAM]);
    kernel.task = read_id(texts[FIELD_TASK]);
    kernel_list_add(reading->list, &kernel);
    return 0;
}

static void skip_row(void *arg, const char *reason)
{
    struct reading *reading = arg;

    reading->list->rows_read++;
    kernel_list_skip(reading->list, reason);
}

int kernel_csv_read(struct kernel_list *list, const char *path, struct err *err)
{
    struct csv_column columns[FIELD_COUNT];
    struct reading reading = {.list = list, .path = path};
    uint64_t file_bytes;
    char *header = read_header(path, &file_bytes, err);
    int result;

    if (!header)
        return -1;
    result = choose_columns(columns, &reading, header, err);
    free(header);
    if (result < 0)
        return -1;
    list->has_wait &= reading.has_wait;
    kernel_list_reserve(list, file_bytes / ROW_BYTES);
    return csv_read_good_rows(path, columns, reading.columns, take_row, skip_row,
                              &reading, err);
}
