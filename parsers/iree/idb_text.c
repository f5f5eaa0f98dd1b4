#include "parsers/iree/idb_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/text.h"
#include "parsers/iree/idb_value.h"

enum { LINE_MAX_BYTES = 1024 };

static void write_workgroup(char *out,
                            size_t size,
                            const struct idb_record *record,
                            const struct idb_metadata *metadata)
{
    snprintf(out, size,
             "WORKGROUP dispatch(%" PRIu32 " %.600s %" PRIu32 "x%" PRIu32 "x%" PRIu32
             ") %" PRIu32 ",%" PRIu32 ",%" PRIu32 " pid:%" PRIu32,
             record->site, idb_metadata_function(metadata, record->site)->name,
             record->count[0], record->count[1], record->count[2], record->id[0],
             record->id[1], record->id[2], record->processor);
}

void idb_record_text(char *out,
                     size_t size,
                     const struct idb_record *record,
                     const struct idb_metadata *metadata)
{
    char line[LINE_MAX_BYTES], rest[LINE_MAX_BYTES - 64], value[64];

    switch (record->kind) {
    case IDB_WORKGROUP:
        write_workgroup(rest, sizeof(rest), record, metadata);
        break;
    case IDB_PRINT:
        snprintf(rest, sizeof(rest), "PRINT %.*s", (int)record->bytes, record->text);
        break;
    case IDB_VALUE:
        idb_value_text(value, sizeof(value), record->type, record->bits);
        snprintf(rest, sizeof(rest), "VALUE %04u = %s", record->ordinal, value);
        break;
    default:
        snprintf(rest, sizeof(rest), "%s %016" PRIX64 " %" PRIu32,
                 record->kind == IDB_LOAD ? "LOAD " : "STORE", record->address,
                 record->bytes);
    }
    snprintf(line, sizeof(line), "%016" PRIX64 " | %s%s%s", record->owner, rest,
             record->is_lost ? " (workgroup lost)" : "",
             record->is_doubtful ? " (doubtful)" : "");
    text_to_ascii(out, size, line);
}
