#include "parsers/framework/host_ops.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/csv_read.h"
#include "lib/base/mem.h"

enum { NAMES_MAX = 1 << 20 };

enum { NAME, OTHER_NAME, HOST_US, OTHER_HOST_US, DEVICE_US, OTHER_DEVICE_US, COLUMNS };

/* Two versions of the file. */
static const struct csv_column columns[COLUMNS] = {
    [NAME] = {"Name", CSV_TEXT, true},
    [OTHER_NAME] = {"Op Name", CSV_TEXT, true},
    [HOST_US] = {"Host Self Duration(us)", CSV_DOUBLE, true},
    [OTHER_HOST_US] = {"Execution Time(us)", CSV_DOUBLE, true},
    [DEVICE_US] = {"Device Self Duration(us)", CSV_DOUBLE, true},
    [OTHER_DEVICE_US] = {"Device Duration(us)", CSV_DOUBLE, true},
};

struct reading {
    struct host_ops *ops;
    size_t *places; /* per name of all names: place in the rows + 1 */
    size_t room;
};

static struct host_op *find_op(struct reading *reading, uint32_t name)
{
    struct host_ops *ops = reading->ops;

    if (name >= reading->room) {
        size_t room = (size_t)name * 2 + 64;

        reading->places = xreallocarray(reading->places, room, sizeof(size_t));
        memset(reading->places + reading->room, 0,
               (room - reading->room) * sizeof(size_t));
        reading->room = room;
    }
    if (reading->places[name] == 0) {
        if (ops->count == ops->room) {
            ops->room = ops->room ? ops->room * 2 : 64;
            ops->rows = xreallocarray(ops->rows, ops->room, sizeof(*ops->rows));
        }
        ops->rows[ops->count++] = (struct host_op){.name = name};
        reading->places[name] = ops->count;
    }
    return &ops->rows[reading->places[name] - 1];
}

static int
take_row(void *arg, const struct csv_value *values, uint64_t line, struct err *err)
{
    struct reading *reading = arg;
    struct host_ops *ops = reading->ops;
    const struct csv_value *host = &values[HOST_US], *device = &values[DEVICE_US];
    const char *name = values[NAME].there ? values[NAME].text : values[OTHER_NAME].text;
    struct host_op *op;

    host = host->there ? host : &values[OTHER_HOST_US];
    device = device->there ? device : &values[OTHER_DEVICE_US];
    ops->rows_read++;
    if (!*name || !host->there || host->f64 < 0 || (device->there && device->f64 < 0)) {
        ops->rows_skipped++;
        return 0;
    }
    if (names_count(ops->names) > NAMES_MAX)
        return err_set(err, ERR_LIMIT,
                       "line %llu: the file has too many different names",
                       (unsigned long long)line);
    op = find_op(reading, names_add(ops->names, name));
    op->calls++;
    op->host_us += host->f64;
    op->device_us += device->there ? device->f64 : 0;
    return 0;
}

static void skip_row(void *arg, const char *reason)
{
    struct reading *reading = arg;

    (void)reason;
    reading->ops->rows_read++;
    reading->ops->rows_skipped++;
}

static int compare(const void *a, const void *b)
{
    const struct host_op *left = a, *right = b;

    if (left->host_us != right->host_us)
        return left->host_us > right->host_us ? -1 : 1;
    return left->name < right->name ? -1 : left->name > right->name;
}

int host_ops_read(struct host_ops *ops,
                  struct names *names,
                  const char *path,
                  struct err *err)
{
    struct reading reading = {.ops = ops};
    int result;

    *ops = (struct host_ops){.names = names};
    result =
        csv_read_good_rows(path, columns, COLUMNS, take_row, skip_row, &reading, err);
    free(reading.places);
    if (result == 0 && ops->rows_read > 0 && ops->rows_skipped == ops->rows_read)
        result = err_set(err, ERR_INPUT,
                         "%s: no row has a name and a time on the host; the file is no "
                         "list of operators",
                         path);
    if (result < 0)
        host_ops_clear(ops);
    else if (ops->count > 0)
        qsort(ops->rows, ops->count, sizeof(*ops->rows), compare);
    return result;
}

void host_ops_clear(struct host_ops *ops)
{
    free(ops->rows);
    *ops = (struct host_ops){0};
}
