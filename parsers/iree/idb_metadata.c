#include "parsers/iree/idb_metadata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/iree/flatbuffer.h"

/* Fields of the root table, of a function and of a site, by their numbers. */
enum { ROOT_VERSION, ROOT_FLAGS, ROOT_FUNCTIONS, ROOT_SITES };
enum { FUNCTION_NAME, FUNCTION_TARGET, FUNCTION_LAYOUT, FUNCTION_SOURCE };
enum { SITE_FUNCTION };

/* A valid buffer stores each text once. Texts that overlap could make a small file
 * write an endless result. */
enum { TEXT_SHARES_MAX = 4, TEXT_LEAST = 65536 };

static int read_function(struct idb_function *out,
                         const struct flatbuffer *buffer,
                         const struct flatbuffer_table *table,
                         uint32_t index,
                         uint64_t *text_bytes,
                         struct err *err)
{
    const struct {
        const char *name;
        const char **out;
    } fields[] = {
        [FUNCTION_NAME] = {"name", &out->name},
        [FUNCTION_TARGET] = {"target", &out->target},
        [FUNCTION_LAYOUT] = {"layout", &out->layout},
        [FUNCTION_SOURCE] = {"source", &out->source},
    };
    char name[64];

    for (unsigned i = 0; i < COUNT(fields); i++) {
        uint32_t length;

        snprintf(name, sizeof(name), "functions[%" PRIu32 "].%s", index,
                 fields[i].name);
        if (flatbuffer_text(fields[i].out, &length, buffer, table, i, name, err) < 0)
            return -1;
        *text_bytes += length;
    }
    if (*text_bytes > TEXT_SHARES_MAX * buffer->size + TEXT_LEAST)
        return err_set(err, ERR_LIMIT,
                       "functions[%" PRIu32 "]: the texts of the functions overlap and "
                       "have more than %d times the size of the flatbuffer",
                       index, TEXT_SHARES_MAX);
    return 0;
}

static int check_count(uint32_t count, const char *name, struct err *err)
{
    if (count <= IDB_ENTRIES_MAX)
        return 0;
    return err_set(err, ERR_LIMIT, "%s: %" PRIu32 " entries, at most %d are read", name,
                   count, IDB_ENTRIES_MAX);
}

static int read_functions(struct idb_metadata *out,
                          const struct flatbuffer *buffer,
                          const struct flatbuffer_table *root,
                          struct err *err)
{
    struct flatbuffer_vector vector;
    uint64_t text_bytes = 0;

    if (flatbuffer_tables(&vector, buffer, root, ROOT_FUNCTIONS, "functions", err) <
            0 ||
        check_count(vector.count, "functions", err) < 0)
        return -1;
    out->functions = xcalloc(vector.count + 1, sizeof(*out->functions));
    out->function_count = vector.count;
    for (uint32_t i = 0; i < vector.count; i++) {
        struct flatbuffer_table table;
        char name[64];

        snprintf(name, sizeof(name), "functions[%" PRIu32 "]", i);
        if (flatbuffer_element(&table, buffer, &vector, i, name, err) < 0 ||
            read_function(&out->functions[i], buffer, &table, i, &text_bytes, err) < 0)
            return -1;
    }
    return 0;
}

static int read_sites(struct idb_metadata *out,
                      const struct flatbuffer *buffer,
                      const struct flatbuffer_table *root,
                      struct err *err)
{
    struct flatbuffer_vector vector;

    if (flatbuffer_tables(&vector, buffer, root, ROOT_SITES, "sites", err) < 0 ||
        check_count(vector.count, "sites", err) < 0)
        return -1;
    out->sites = xcalloc(vector.count + 1, sizeof(*out->sites));
    out->site_count = vector.count;
    for (uint32_t i = 0; i < vector.count; i++) {
        struct flatbuffer_table table;
        char name[64];

        snprintf(name, sizeof(name), "sites[%" PRIu32 "]", i);
        if (flatbuffer_element(&table, buffer, &vector, i, name, err) < 0)
            return -1;
        snprintf(name, sizeof(name), "sites[%" PRIu32 "].function", i);
        if (flatbuffer_u32(&out->sites[i], buffer, &table, SITE_FUNCTION, name, err) <
            0)
            return -1;
        if (out->sites[i] >= out->function_count)
            return err_set(err, ERR_INPUT,
                           "%s: %" PRIu32 ", but there are %" PRIu32 " functions", name,
                           out->sites[i], out->function_count);
    }
    return 0;
}

int idb_metadata_read(struct idb_metadata *out,
                      const uint8_t *content,
                      uint64_t size,
                      struct err *err)
{
    const struct flatbuffer buffer = {content, size};
    struct flatbuffer_table root;

    *out = (struct idb_metadata){0};
    if (flatbuffer_root(&root, &buffer, "IDBD", err) < 0 ||
        flatbuffer_u32(&out->version, &buffer, &root, ROOT_VERSION, "version", err) <
            0 ||
        flatbuffer_u32(&out->flags, &buffer, &root, ROOT_FLAGS, "flags", err) < 0 ||
        read_functions(out, &buffer, &root, err) < 0 ||
        read_sites(out, &buffer, &root, err) < 0) {
        idb_metadata_clear(out);
        return -1;
    }
    return 0;
}

void idb_metadata_clear(struct idb_metadata *metadata)
{
    free(metadata->functions);
    free(metadata->sites);
    *metadata = (struct idb_metadata){0};
}

const struct idb_function *idb_metadata_function(const struct idb_metadata *metadata,
                                                 uint32_t site)
{
    static const struct idb_function unknown = {"", "", "", ""};

    return site < metadata->site_count ? &metadata->functions[metadata->sites[site]]
                                       : &unknown;
}
