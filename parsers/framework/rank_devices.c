#include "parsers/framework/rank_devices.h"

#include <stddef.h>

#include "lib/base/mem.h"
#include "lib/sqlite/foreign_db.h"

struct device_list {
    struct rank_device *devices;
    int count;
};

static int32_t small_of(const struct foreign_row *row, int column)
{
    int64_t value;

    return foreign_row_i64(row, column, &value) && value >= 0 && value <= INT32_MAX
               ? (int32_t)value
               : -1;
}

static int take_device(void *arg, const struct foreign_row *row, struct err *err)
{
    struct device_list *list = arg;
    int32_t device = small_of(row, 1);
    (void)err;

    for (int i = 0; i < list->count; i++)
        if (list->devices[i].device == device)
            return 0;
    if (device >= 0 && list->count < RANK_DEVICES_MAX)
        list->devices[list->count++] = (struct rank_device){small_of(row, 0), device};
    return 0;
}

int rank_devices_find(struct rank_device devices[RANK_DEVICES_MAX],
                      const char *path,
                      struct err *err)
{
    static const struct {
        const char *table, *sql;
    } sources[] = {
        {"RANK_DEVICE_MAP",
         "SELECT rankId, deviceId FROM RANK_DEVICE_MAP ORDER BY 1, 2"},
        {"TASK", "SELECT DISTINCT NULL, deviceId FROM TASK ORDER BY 2"},
    };
    struct device_list list = {.devices = devices};
    struct foreign_db *db;
    int result = foreign_db_open(&db, path, err);

    if (result < 0)
        return -1;
    for (size_t i = 0; i < COUNT(sources) && result == 0 && list.count == 0; i++)
        if (foreign_db_has_table(db, sources[i].table))
            result = foreign_db_select(db, sources[i].sql, take_device, &list, err);
    foreign_db_close(db);
    return result < 0 ? -1 : list.count;
}
