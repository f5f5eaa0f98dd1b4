/* fleet_faults.c - reads the `faults` list of a fleet file */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "sim/fleet/fields.h"
#include "sim/fleet/fleet.h"
#include "sim/fleet/fleet_internal.h"

#define FAULTS_MAX                     4096
#define COUNT(array)                   (sizeof(array) / sizeof(array[0]))
#define PLAIN(type, member, low, high) FIELD_AT(fault, type, #member, low, high, member)

/* the allowed keys of each kind of fault; "!" follows a required key */
static const struct kind {
    const char *name;
    enum fault_kind kind;
    const char *keys;
} kinds[] = {
    {"slow_card", FAULT_SLOW_CARD, "fault! host card! factor! after_s when"},
    {"slow_link", FAULT_SLOW_LINK,
     "fault! host card! to_host to_card! factor! after_s when"},
    {"throttle", FAULT_THROTTLE, "fault! host card! mhz! after_s when"},
    {"noisy_neighbour", FAULT_NOISY_NEIGHBOUR, "fault! host card! share! after_s when"},
    {"lost_pmu", FAULT_LOST_PMU, "fault! host card! every! when"},
    {"stuck_kernel", FAULT_STUCK_KERNEL,
     "fault! host card rank launch! times kernel when"},
    {"dead_rank", FAULT_DEAD_RANK, "fault! host card rank launch! kernel when"},
    {"late_rank", FAULT_LATE_RANK,
     "fault! host card rank launch! times kernel seconds! when"},
    {"failed_kernel", FAULT_FAILED_KERNEL,
     "fault! host card rank launch! times kernel when"},
    {"ecc_error", FAULT_ECC_ERROR, "fault! host card! launch times kernel bits! when"},
    {"full_memory", FAULT_FULL_MEMORY, "fault! host card! free_mib! when"},
    {"short_reads", FAULT_SHORT_READS, "fault! host card bytes! when"},
    {"other_process", FAULT_OTHER_PROCESS, "fault! host card! when"},
};

static uint32_t named_host(struct reader *reader, const char *key, yaml_node_t *node)
{
    const char *text = fields_text(reader, key, node);
    uint32_t host = text ? fleet_find_host(reader->context, text) : FLEET_ANY;

    if (text && host == FLEET_ANY)
        fields_complain(reader, node, key, "the fleet has no host '%.64s'", text);
    return host;
}

static void
fault_host(struct reader *reader, const char *key, yaml_node_t *node, void *into)
{
    ((struct fault *)into)->host = named_host(reader, key, node);
}

static void
fault_to_host(struct reader *reader, const char *key, yaml_node_t *node, void *into)
{
    ((struct fault *)into)->to_host = named_host(reader, key, node);
}

static void
fault_bits(struct reader *reader, const char *key, yaml_node_t *node, void *into)
{
    const char *text = fields_text(reader, key, node);
    struct fault *fault = into;

    if (!text)
        return;
    fault->unread = !strcmp(text, "unread");
    fault->multi_bit = fault->unread || !strcmp(text, "multi");
    if (!fault->multi_bit && strcmp(text, "single") != 0)
        fields_complain(reader, node, key,
                        "'%.40s' is not one of 'single', 'multi' and 'unread'", text);
}

static void
fault_free(struct reader *reader, const char *key, yaml_node_t *node, void *into)
{
    uint64_t mib;

    if (fields_number(reader, key, node, 0, 1u << 20, &mib))
        ((struct fault *)into)->free_bytes = mib << 20;
}

static void add_when(struct reader *reader,
                     yaml_node_t *at,
                     const char *name,
                     const char *value,
                     void *arg)
{
    struct fault *fault = arg;

    if (fault->when_count == COUNT(fault->when) || strlen(name) >= 64 ||
        strlen(value) >= 64) {
        fields_complain(reader, at, "when",
                        "expected at most %zu variables of at most 63 letters each",
                        COUNT(fault->when));
        return;
    }
    strcpy(fault->when[fault->when_count][0], name);
    strcpy(fault->when[fault->when_count++][1], value);
}

static void
fault_when(struct reader *reader, const char *key, yaml_node_t *node, void *into)
{
    fields_pairs(reader, key, node, add_when, into);
}

static const struct field fields[] = {
    FIELD_KNOWN("fault"), /* find_kind() has read it */
    FIELD_BY("host", fault_host),
    FIELD_BY("to_host", fault_to_host),
    PLAIN(FIELD_U32, card, 0, CARDS_MAX - 1),
    PLAIN(FIELD_U32, to_card, 0, CARDS_MAX - 1),
    PLAIN(FIELD_U32, rank, 0, 1u << 20),
    PLAIN(FIELD_REAL, factor, 1, 1000),
    PLAIN(FIELD_REAL, share, 0, 0.95),
    PLAIN(FIELD_REAL, after_s, 0, 1e9),
    PLAIN(FIELD_REAL, seconds, 0, 86400),
    PLAIN(FIELD_U32, mhz, 100, 10000),
    PLAIN(FIELD_U32, every, 1, UINT32_MAX),
    PLAIN(FIELD_U32, launch, 1, UINT32_MAX),
    PLAIN(FIELD_U32, times, 1, UINT32_MAX),
    PLAIN(FIELD_U32, bytes, 1, UINT32_MAX),
    PLAIN(FIELD_TEXT, kernel, 0, sizeof(((struct fault *)0)->kernel)),
    FIELD_BY("bits", fault_bits),
    FIELD_BY("free_mib", fault_free),
    FIELD_BY("when", fault_when),
};

static const struct kind *
find_kind(struct reader *reader, yaml_node_t *item, char *names, size_t room)
{
    yaml_node_t *node = fields_find(reader, item, "fault");
    const char *text = node ? fields_text(reader, "fault", node) : NULL;
    size_t used = 0;

    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (text && !strcmp(kinds[i].name, text))
            return &kinds[i];
        used += (size_t)snprintf(names + used, room - used, "%s%s", i ? ", " : "",
                                 kinds[i].name);
    }
    if (!node)
        fields_complain(reader, item, "fault", "a fault needs this key; use one of %s",
                        names);
    else if (text)
        fields_complain(reader, node, "fault", "unknown fault '%.40s'; use one of %s",
                        text, names);
    return NULL;
}

static void check_card(struct reader *reader,
                       yaml_node_t *item,
                       const struct fleet *fleet,
                       const char *key,
                       uint32_t host,
                       uint32_t card)
{
    yaml_node_t *node = fields_find(reader, item, key);

    if (node && host < fleet->host_count && card >= fleet->hosts[host].cards)
        fields_complain(reader, node, key, "host %s has cards 0 to %u only",
                        fleet->hosts[host].name, fleet->hosts[host].cards - 1);
}

static void check_fault(struct reader *reader,
                        yaml_node_t *item,
                        const struct fleet *fleet,
                        struct fault *fault)
{
    bool names_card = fields_find(reader, item, "card");
    bool names_host = fields_find(reader, item, "host");
    const struct kind *kind = &kinds[fault->kind];

    if (!names_host && names_card) {
        if (fleet->host_count == 1)
            fault->host = 0;
        else
            fields_complain(reader, item, "host",
                            "name the host of the card: the fleet has several hosts");
    }
    if (strstr(kind->keys, " rank") && !names_card &&
        !fields_find(reader, item, "rank"))
        fields_complain(reader, item, "card", "a fault needs the key 'card' or 'rank'");
    if (fault->kind == FAULT_SLOW_LINK && fault->to_host == FLEET_ANY)
        fault->to_host = fault->host;
    if (fault->kind == FAULT_SLOW_LINK && fault->host != FLEET_ANY &&
        fault->host == fault->to_host && fault->card == fault->to_card)
        fields_complain(reader, item, "to_card",
                        "a link must connect two different cards");
    check_card(reader, item, fleet, "card", fault->host, fault->card);
    check_card(reader, item, fleet, "to_card", fault->to_host, fault->to_card);
}

static void read_fault(struct reader *reader, yaml_node_t *item, void *arg)
{
    struct fleet *fleet = arg;
    char names[256];
    const struct kind *kind;
    struct fault *grown, *fault;

    if (item->type != YAML_MAPPING_NODE) {
        fields_complain(reader, item, "faults", "a fault must be a mapping");
        return;
    }
    kind = find_kind(reader, item, names, sizeof(names));
    grown = realloc(fleet->faults, (fleet->fault_count + 1) * sizeof(*grown));
    if (grown)
        fleet->faults = grown;
    if (!kind || !grown)
        return;
    fault = &grown[fleet->fault_count++];
    *fault = (struct fault){
        .kind = kind->kind,
        .host = FLEET_ANY,
        .card = FLEET_ANY,
        .to_host = FLEET_ANY,
        .to_card = FLEET_ANY,
        .rank = FLEET_ANY,
        .times = 1,
    };
    fields_read(reader, kind->name, item, fields, COUNT(fields), kind->keys, fault);
    check_fault(reader, item, fleet, fault);
}

void fleet_read_faults(struct reader *reader, yaml_node_t *list, struct fleet *fleet)
{
    reader->context = fleet;
    fields_each(reader, "faults", list, FAULTS_MAX, read_fault, fleet);
}
