/* csv_read_fuzz.c - any bytes behind a good header: rows or an error */
#include <stdlib.h>
#include <string.h>

#include "lib/base/csv_read.h"
#include "lib/base/mem.h"

static const char header[] = "Name,Task,Delta,Time\n";
static const struct csv_column columns[] = {
    {"Name", CSV_TEXT, false},
    {"Task", CSV_U64, false},
    {"Delta", CSV_I64, true},
    {"Time", CSV_DOUBLE, false},
};

static int
look(void *arg, const struct csv_value *values, uint64_t line, struct err *err)
{
    (void)line, (void)err;
    for (size_t i = 0; i < COUNT(columns); i++)
        *(size_t *)arg += strlen(values[i].text);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t seen = 0, length = sizeof(header) - 1;
    char *csv = xmalloc(size + length);
    struct err err;

    memcpy(csv, header, length);
    if (size)
        memcpy(csv + length, bytes, size);
    csv_read_memory("fuzz", csv, size + length, columns, COUNT(columns), look, &seen,
                    &err);
    csv_read_memory("fuzz", bytes, size, columns, COUNT(columns), look, &seen, &err);
    free(csv);
    return 0;
}
