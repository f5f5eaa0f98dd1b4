/* iree_dump_fuzz.c - reads any bytes as a file of IREE dumps and profiles
 *
 * The records of a ring must be those that its totals count, at growing positions. */
#include <assert.h>

#include "parsers/iree/idb_text.h"
#include "parsers/iree/iree_dump.h"
#include "parsers/iree/irpf_memory.h"

static void check_memory(const struct irpf_profile *profile)
{
    struct key_table table;

    irpf_memory_read(&table, profile);
    for (size_t i = 0; i < table.count; i++) {
        const struct irpf_memory *row = key_table_at(&table, i);

        assert(row->acquired + row->released > 0);
    }
    key_table_clear(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_ring(const struct iree_dump *dump, const struct iree_ring *ring)
{
    struct idb_record record;
    struct idb_ring records;
    uint64_t next = 0, counts[IDB_KINDS] = {0};
    char line[200];

    iree_ring_records(dump, ring, &records);
    while (idb_ring_next(&records, &record)) {
        assert(record.position >= next && record.position < ring->head);
        next = record.position + 16;
        counts[record.kind]++;
        idb_record_text(line, sizeof(line), &record, iree_ring_metadata(dump, ring));
    }
    for (int kind = 0; kind < IDB_KINDS; kind++)
        assert(counts[kind] == ring->totals.records[kind]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct iree_dump *dump = iree_dump_read("fuzz", bytes, size);

    for (size_t i = 0; i < dump->ring_count; i++)
        check_ring(dump, &dump->rings[i]);
    for (size_t i = 0; i < dump->profile_count; i++)
        check_memory(&dump->profiles[i]);
    iree_dump_close(dump);
    return 0;
}
