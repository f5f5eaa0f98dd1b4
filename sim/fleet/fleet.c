#include "sim/fleet/fleet.h"

#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "sim/fleet/fields.h"
#include "sim/fleet/fleet_internal.h"
#include "sim/fleet/soc.h"

/* ---- properties of a card: keys of a host and of its exceptions ---- */

static void
read_soc(struct reader *reader, const char *key, yaml_node_t *node, void *into)
{
    const char *text = fields_text(reader, key, node);

    if (!text)
        return;
    *(const struct soc **)into = soc_find(text);
    if (!soc_find(text))
        fields_complain(reader, node, key, "'%.40s' is not simulated; use one of %s",
                        text, soc_names());
}

static void
read_mib(struct reader *reader, const char *key, yaml_node_t *node, void *into)
{
    uint64_t mib;

    if (fields_number(reader, key, node, 1, 1u << 20, &mib))
        *(uint64_t *)into = mib << 20;
}

#define CARD_KEYS(in_struct, member)                                                   \
    FIELD_IN(in_struct, "soc", read_soc, member.soc),                                  \
        FIELD_IN(in_struct, "memory_mib", read_mib, member.memory_bytes),              \
        FIELD_AT(in_struct, FIELD_U32, "mhz", 100, 10000, member.mhz),                 \
        FIELD_AT(in_struct, FIELD_REAL, "ambient", -40, 120, member.ambient),          \
        FIELD_AT(in_struct, FIELD_U32, "hbm_maker", 0, 65535, member.hbm_maker)

static const struct field exception_fields[] = {
    FIELD_AT(fleet_exception, FIELD_U32, "card", 0, CARDS_MAX - 1, card),
    FIELD_AT(fleet_exception, FIELD_TEXT, "serial", 0, SERIAL_TEXT_MAX, is.serial),
    CARD_KEYS(fleet_exception, is),
};

static void read_exception(struct reader *reader, yaml_node_t *item, void *arg)
{
    struct fleet_host *host = arg;
    struct fleet_exception *grown = realloc(
        host->exceptions, (host->exception_count + 1) * sizeof(*host->exceptions));
    struct fleet_exception *exception;

    if (!grown) {
        fields_complain(reader, item, "except", "no memory");
        return;
    }
    host->exceptions = grown;
    exception = &grown[host->exception_count++];
    memset(exception, 0, sizeof(*exception));
    exception->is =
        host->each; /* complete: `except` is read after the other keys of the host */
    fields_read(reader, "an exception", item, exception_fields,
                FIELD_COUNT(exception_fields),
                "card! soc memory_mib mhz ambient hbm_maker serial", exception);
}

/* ---- hosts ---- */

static void
host_clock(struct reader *reader, const char *key, yaml_node_t *node, void *into)
{
    static const struct field fields[] = {
        FIELD_AT(fleet_host, FIELD_REAL, "offset_us", -1e12, 1e12, clock_offset_us),
        FIELD_AT(fleet_host, FIELD_REAL, "drift_ppm", -1000, 1000, clock_drift_ppm),
    };

    fields_read(reader, key, node, fields, FIELD_COUNT(fields), NULL, into);
}

static const struct field host_fields[] = {
    FIELD_AT(fleet_host, FIELD_TEXT, "name", 0, HOST_NAME_MAX, name),
    FIELD_AT(fleet_host, FIELD_U32, "cards", 1, CARDS_MAX, cards),
    FIELD_AT(fleet_host, FIELD_U32, "first_physical_id", 0, 65535, first_physical_id),
    FIELD_BY("clock", host_clock),
    FIELD_AT(fleet_host, FIELD_TEXT, "driver", 0, VERSION_TEXT_MAX, driver),
    FIELD_AT(fleet_host, FIELD_TEXT, "firmware", 0, VERSION_TEXT_MAX, firmware),
    FIELD_AT(fleet_host, FIELD_TEXT, "cann", 0, VERSION_TEXT_MAX, cann),
    FIELD_KNOWN(
        "except"), /* read last: an exception starts as a copy of the host's card */
    CARD_KEYS(fleet_host, each),
};

void fleet_host_init(struct fleet_host *host)
{
    *host = (struct fleet_host){
        .cards = 1,
        .each = {.soc = soc_find(SOC_STANDARD),
                 .memory_bytes = 1024ull << 20,
                 .ambient = AMBIENT_STANDARD},
        .driver = "npu_sim " MUSTER_VERSION,
        .firmware = "npu_sim " MUSTER_VERSION,
        .cann = CANN_STANDARD,
    };
}

static void check_exceptions(struct reader *reader,
                             const struct fleet_host *host,
                             yaml_node_t *node,
                             size_t index)
{
    const struct fleet_exception *it = &host->exceptions[index];

    if (it->card >= host->cards)
        fields_complain(reader, node, "card", "host %s has cards 0 to %u only",
                        host->name, host->cards - 1);
    for (size_t i = 0; i < index; i++)
        if (host->exceptions[i].card == it->card)
            fields_complain(reader, node, "card", "card %u has two exceptions",
                            it->card);
    /* the driver answers for the whole host what generation it is, and packages have
     * their numbers by their dies */
    if (it->is.soc && host->each.soc &&
        (it->is.soc->chip != host->each.soc->chip ||
         it->is.soc->dies != host->each.soc->dies))
        fields_complain(
            reader, node, "soc",
            "%s and the host's %s are different generations; use one per host",
            it->is.soc->name, host->each.soc->name);
}

static void
read_exceptions(struct reader *reader, yaml_node_t *item, struct fleet_host *host)
{
    yaml_node_t *list = fields_find(reader, item, "except");

    if (!list)
        return;
    fields_each(reader, "except", list, CARDS_MAX, read_exception, host);
    for (size_t i = 0; i < host->exception_count; i++)
        check_exceptions(reader, host,
                         yaml_document_get_node(reader->document,
                                                list->data.sequence.items.start[i]),
                         i);
}

static void read_host(struct reader *reader, yaml_node_t *item, void *arg)
{
    struct fleet *fleet = arg;
    struct fleet_host *grown =
        realloc(fleet->hosts, (fleet->host_count + 1) * sizeof(*fleet->hosts));
    struct fleet_host *host;

    if (!grown) {
        fields_complain(reader, item, "hosts", "no memory");
        return;
    }
    fleet->hosts = grown;
    host = &grown[fleet->host_count];
    fleet_host_init(host);
    fields_read(reader, "a host", item, host_fields, FIELD_COUNT(host_fields),
                "name! cards! first_physical_id soc memory_mib clock except mhz "
                "ambient hbm_maker driver firmware cann",
                host);
    if (fleet_find_host(fleet, host->name) != FLEET_ANY)
        fields_complain(reader, item, "name", "two hosts have the name '%s'",
                        host->name);
    fleet->host_count++;
    read_exceptions(reader, item, host);
}

static void
fleet_hosts(struct reader *reader, const char *key, yaml_node_t *node, void *into)
{
    fields_each(reader, key, node, HOSTS_MAX, read_host, into);
}

/* ---- links ---- */

static void
fleet_links(struct reader *reader, const char *key, yaml_node_t *node, void *into)
{
    static const struct field fields[] = {
        FIELD_AT(fleet_links, FIELD_REAL, "gbs", 0.001, 1e6, gbs),
        FIELD_AT(fleet_links, FIELD_REAL, "latency_us", 0, 1e6, latency_us),
        FIELD_AT(fleet_links, FIELD_REAL, "between_hosts_gbs", 0.001, 1e6,
                 between_hosts_gbs),
        FIELD_AT(fleet_links, FIELD_REAL, "between_hosts_latency_us", 0, 1e6,
                 between_hosts_latency_us),
    };

    fields_read(reader, key, node, fields, FIELD_COUNT(fields), NULL,
                &((struct fleet *)into)->links);
}

/* ---- the file ---- */

static void
fleet_seed(struct reader *reader, const char *key, yaml_node_t *node, void *into)
{
    struct fleet *fleet = into;

    fleet->has_seed = fields_number(reader, key, node, 0, UINT64_MAX, &fleet->seed);
}

static void
fleet_version(struct reader *reader, const char *key, yaml_node_t *node, void *into)
{
    uint64_t version;

    (void)into;
    fields_number(reader, key, node, 1, 1, &version);
}

static const struct field fleet_fields[] = {
    FIELD_BY("version", fleet_version),
    FIELD_BY("seed", fleet_seed),
    FIELD_BY("hosts", fleet_hosts),
    FIELD_BY("links", fleet_links),
    FIELD_KNOWN("faults"), /* read last: faults name hosts */
};

static void read_root(struct reader *reader, yaml_node_t *root, struct fleet *fleet)
{
    yaml_node_t *faults;
    unsigned before = reader->count;

    fields_read(reader, "a fleet", root, fleet_fields, FIELD_COUNT(fleet_fields),
                "version! seed hosts! links faults", fleet);
    if (fleet->host_count == 0 && reader->count == before)
        fields_complain(reader, root, "hosts", "a fleet needs at least one host");
    faults = fields_find(reader, root, "faults");
    if (faults)
        fleet_read_faults(reader, faults, fleet);
}

bool fleet_read(struct fleet *fleet,
                const char *name,
                const char *text,
                size_t size,
                char *complaints,
                size_t complaints_size)
{
    struct reader reader = {
        .file = name, .complaints = complaints, .room = complaints_size};
    yaml_node_t *root;

    memset(fleet, 0, sizeof(*fleet));
    complaints[0] = '\0';
    root = fields_open(&reader, text, size);
    if (root)
        read_root(&reader, root, fleet);
    fields_close(&reader);
    if (reader.count == 0)
        return true;
    fleet_clear(fleet);
    return false;
}

void fleet_clear(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->host_count; i++)
        free(fleet->hosts[i].exceptions);
    free(fleet->hosts);
    free(fleet->faults);
    memset(fleet, 0, sizeof(*fleet));
}

uint32_t fleet_find_host(const struct fleet *fleet, const char *name)
{
    for (size_t i = 0; i < fleet->host_count; i++)
        if (!strcmp(fleet->hosts[i].name, name))
            return (uint32_t)i;
    return FLEET_ANY;
}

struct fleet_card fleet_card_of(const struct fleet_host *host, uint32_t card)
{
    for (size_t i = 0; i < host->exception_count; i++)
        if (host->exceptions[i].card == card)
            return host->exceptions[i].is;
    return host->each;
}
