/* store_figures_crc.c - the checksum over the figures of a rank */
#include <string.h>

#include "lib/capture/format/crc.h"
#include "lib/store/store_internal.h"

/* The order is that of the primary keys, so no row is sorted. */
static const char select_figures[] =
    "SELECT l.launch, l.device, k.name, l.code_hash, l.tick_ns, n.name, n.unit, f.value"
    " FROM launches l JOIN kernels k ON k.kernel_id = l.kernel_id"
    " LEFT JOIN figures f ON f.launch_id = l.launch_id"
    " LEFT JOIN metric_names n ON n.metric_id = f.metric_id"
    " WHERE l.run_id = ? AND l.rank = ?"
    " ORDER BY l.launch, l.device, l.kernel_id, f.metric_id";

/* Adds the type, the length and the bytes of a column, so that no two rows have the
 * same bytes. */
static uint32_t add_column(uint32_t crc, sqlite3_stmt *stmt, int column)
{
    int type = sqlite3_column_type(stmt, column);
    double value = sqlite3_column_double(stmt, column);
    const void *bytes = &value;
    int size = sizeof(value);

    if (type == SQLITE_NULL) {
        size = 0;
    } else if (type != SQLITE_FLOAT) {
        bytes = sqlite3_column_text(stmt, column);
        size = sqlite3_column_bytes(stmt, column);
    }
    crc = crc32c(crc, &type, sizeof(type));
    crc = crc32c(crc, &size, sizeof(size));
    return crc32c(crc, bytes, (size_t)size);
}

int store_figures_crc(uint32_t *crc,
                      struct store *store,
                      uint64_t run_id,
                      uint32_t rank,
                      struct err *err)
{
    sqlite3_stmt *stmt =
        db_bind(&store->db, err, select_figures, "II", run_id, (uint64_t)rank);
    int got;

    *crc = 0;
    if (!stmt)
        return -1;
    while ((got = db_step(&store->db, stmt, err)) > 0)
        for (int column = 0; column < sqlite3_column_count(stmt); column++)
            *crc = add_column(*crc, stmt, column);
    return got;
}
