#include "parsers/framework/rank_host.h"

#include <stdio.h>

#include "lib/base/mem.h"
#include "lib/sqlite/foreign_db.h"

static void copy_text(char *out, const struct foreign_row *row, int column)
{
    const char *text = foreign_row_text(row, column);

    snprintf(out, RANK_HOST_TEXT, "%s", text ? text : "");
}

static int take_host(void *arg, const struct foreign_row *row, struct err *err)
{
    struct rank_host *host = arg;
    (void)err;

    copy_text(host->uid, row, 0);
    copy_text(host->name, row, 1);
    return 0;
}

static int take_device(void *arg, const struct foreign_row *row, struct err *err)
{
    struct rank_host *host = arg;
    int64_t device;
    (void)err;

    if (host->device < 0 && foreign_row_i64(row, 0, &device) && device >= 0 &&
        device <= INT32_MAX)
        host->device = (int32_t)device;
    return 0;
}

/* Takes the chip of the device; of an unknown device, that of the first one. */
static int take_chip(void *arg, const struct foreign_row *row, struct err *err)
{
    struct rank_host *host = arg;
    int64_t device;
    (void)err;

    if (foreign_row_i64(row, 0, &device) &&
        (device == host->device || (host->device < 0 && !host->chip[0])))
        copy_text(host->chip, row, 1);
    return 0;
}

int rank_host_read(struct rank_host *host,
                   const char *path,
                   int32_t device,
                   struct err *err)
{
    static const struct {
        const char *table, *sql;
        foreign_row_fn *take;
    } sources[] = {
        {"HOST_INFO",
         "SELECT CAST(hostUid AS TEXT), CAST(hostName AS TEXT) FROM HOST_INFO LIMIT 1",
         take_host},
        {"RANK_DEVICE_MAP", "SELECT deviceId FROM RANK_DEVICE_MAP ORDER BY rankId",
         take_device},
        {"NPU_INFO", "SELECT id, CAST(name AS TEXT) FROM NPU_INFO ORDER BY id",
         take_chip},
    };
    struct foreign_db *db;
    int result = foreign_db_open(&db, path, err);

    *host = (struct rank_host){.device = device < 0 ? -1 : device};
    if (result < 0)
        return -1;
    for (size_t i = 0; i < COUNT(sources) && result == 0; i++)
        if (foreign_db_has_table(db, sources[i].table))
            result = foreign_db_select(db, sources[i].sql, sources[i].take, host, err);
    foreign_db_close(db);
    return result;
}
