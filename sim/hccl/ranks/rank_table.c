#include "sim/hccl/ranks/rank_table.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hccl/ranks/json.h"

#define FILE_MAX   (1u << 20)
#define ID_MAX     64 /* characters of a server_id */
#define LAYERS_MAX 8
#define NONE       UINT32_MAX

/* The used fields of an entry; an empty text means a missing key. */
struct rank_text {
    char rank[JSON_TEXT], card[JSON_TEXT];
    char address[JSON_TEXT];
    char device_port[JSON_TEXT], host_port[JSON_TEXT];
};

struct server_text {
    char id[JSON_TEXT], ip[JSON_TEXT];
};

/* A level of a rank of version 2.0. */
struct level_text {
    char layer[JSON_TEXT], instance[JSON_TEXT], address[JSON_TEXT];
};

struct found {
    struct roster *roster;
    uint16_t base_port;
    bool seen[RANKS_MAX];
    uint32_t ranks;
    char servers[RANKS_MAX][JSON_TEXT]; /* ids, in the order of their first rank */
    uint32_t server_count;
    char status[JSON_TEXT], version[JSON_TEXT];
    char declared_servers[JSON_TEXT], declared_ranks[JSON_TEXT];
    bool legacy;
    /* state of the current object */
    struct rank_text rank;
    struct server_text server;
    struct rank_text devices[RANKS_MAX];
    uint32_t device_count;
    struct level_text level;
    uint32_t top_layer;
    bool bad; /* well-formed JSON with contradictory content */
};

/* Keys of an object, and the destinations of their texts. */
struct key {
    const char *name;
    size_t offset;
};

static bool
take_text(struct json *json, const char *key, const struct key *keys, void *into)
{
    for (; keys->name; keys++)
        if (!strcmp(key, keys->name)) {
            json_scalar(json, (char *)into + keys->offset);
            return true;
        }
    return false;
}

static bool number_of(const char *text, uint32_t *out)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    *out = (uint32_t)value;
    return *text >= '0' && *text <= '9' && !*end && value <= 65535;
}

static void does_not_add_up(struct found *found)
{
    found->bad = true;
}

/* Returns the index of a server by its id. */
static uint32_t host_of(struct found *found, const char *id)
{
    for (uint32_t i = 0; i < found->server_count; i++)
        if (!strcmp(found->servers[i], id))
            return i;
    if (found->server_count == RANKS_MAX)
        return NONE;
    snprintf(found->servers[found->server_count], JSON_TEXT, "%s", id);
    return found->server_count++;
}

static bool has_address(struct found *found,
                        const struct rank_text *text,
                        const char *host_ip,
                        uint32_t card,
                        struct address *address)
{
    bool by_host = *host_ip && address_parse(address, host_ip, 0);
    const char *ports[2] = {text->device_port, text->host_port};
    const char *port_text = ports[by_host];
    uint32_t port = found->base_port + card;

    if (!*port_text)
        port_text = ports[!by_host];
    if (*port_text && (!number_of(port_text, &port) || port == 0))
        return false;
    if (!by_host && (!*text->address || !address_parse(address, text->address, 0)))
        memset(address, 0, sizeof(*address)); /* needed only between hosts */
    else
        address_set_port(address, (uint16_t)port);
    return port <= 65535;
}

static void
enter(struct found *found, const struct rank_text *text, uint32_t host, const char *ip)
{
    struct roster_entry *entry;
    uint32_t rank = found->ranks, card;

    if ((!found->legacy && !number_of(text->rank, &rank)) ||
        !number_of(text->card, &card) || rank >= RANKS_MAX || host == NONE ||
        found->seen[rank]) {
        does_not_add_up(found);
        return;
    }
    entry = &found->roster->entries[rank];
    entry->host = host;
    entry->card = card;
    found->seen[rank] = true;
    found->ranks++;
    if (!has_address(found, text, ip, card, &entry->address))
        does_not_add_up(found);
}

static const struct key device_keys[] = {
    {"device_id", offsetof(struct rank_text, card)},
    {"rank_id", offsetof(struct rank_text, rank)},
    {"device_ip", offsetof(struct rank_text, address)},
    {"device_port", offsetof(struct rank_text, device_port)},
    {"host_port", offsetof(struct rank_text, host_port)},
    {NULL, 0},
};

static void device_member(struct json *json, const char *key, void *arg)
{
    if (!take_text(json, key, device_keys, arg))
        json_skip(json);
}

static void read_device(struct json *json, void *arg)
{
    struct found *found = arg;

    if (found->device_count == RANKS_MAX) {
        does_not_add_up(found);
        json_skip(json);
        return;
    }
    json_object(json, device_member, &found->devices[found->device_count++]);
}

static const struct key server_keys[] = {
    {"server_id", offsetof(struct server_text, id)},
    {"host_ip", offsetof(struct server_text, ip)},
    {NULL, 0},
};

static void server_member(struct json *json, const char *key, void *arg)
{
    struct found *found = arg;

    if (!strcmp(key, "device") || !strcmp(key, "devices"))
        json_array(json, read_device, found);
    else if (!take_text(json, key, server_keys, &found->server))
        json_skip(json);
}

/* The list of devices may come before or after the id. */
static void read_server(struct json *json, void *arg)
{
    struct found *found = arg;
    const struct server_text *server = &found->server;
    uint32_t host;

    memset(&found->server, 0, sizeof(found->server));
    memset(found->devices, 0, sizeof(found->devices));
    found->device_count = 0;
    json_object(json, server_member, found);
    if (!*server->id || strlen(server->id) > ID_MAX) {
        does_not_add_up(found);
        return;
    }
    host = host_of(found, server->id);
    for (uint32_t i = 0; i < found->device_count; i++)
        enter(found, &found->devices[i], host, *server->ip ? server->ip : server->id);
}

static const struct key address_keys[] = {
    {"addr", offsetof(struct level_text, address)},
    {NULL, 0},
};

static void address_member(struct json *json, const char *key, void *arg)
{
    struct found *found = arg;

    if (!take_text(json, key, address_keys, &found->level))
        json_skip(json);
}

static void read_address(struct json *json, void *arg)
{
    json_object(json, address_member, arg);
}

static const struct key level_keys[] = {
    {"net_layer", offsetof(struct level_text, layer)},
    {"net_instance_id", offsetof(struct level_text, instance)},
    {NULL, 0},
};

static void level_member(struct json *json, const char *key, void *arg)
{
    struct found *found = arg;

    if (!strcmp(key, "rank_addr_list"))
        json_array(json, read_address, found);
    else if (!take_text(json, key, level_keys, &found->level))
        json_skip(json);
}

static void read_level(struct json *json, void *arg)
{
    struct found *found = arg;
    struct address address;
    uint32_t layer;

    memset(&found->level, 0, sizeof(found->level));
    json_object(json, level_member, found);
    if (!number_of(found->level.layer, &layer) || layer >= LAYERS_MAX) {
        does_not_add_up(found);
        return;
    }
    if (layer == 0)
        strcpy(found->server.id, found->level.instance);
    if (layer >= found->top_layer && address_parse(&address, found->level.address, 0)) {
        strcpy(found->rank.address, found->level.address);
        found->top_layer = layer;
    }
}

static void rank_member(struct json *json, const char *key, void *arg)
{
    struct found *found = arg;

    if (!strcmp(key, "level_list"))
        json_array(json, read_level, found);
    else if (!take_text(json, key, device_keys, &found->rank))
        json_skip(json);
}

static void read_rank(struct json *json, void *arg)
{
    struct found *found = arg;

    memset(&found->server, 0, sizeof(found->server));
    memset(&found->rank, 0, sizeof(found->rank));
    found->top_layer = 0;
    json_object(json, rank_member, found);
    enter(found, &found->rank, host_of(found, found->server.id), "");
}

static void group_member(struct json *json, const char *key, void *arg)
{
    if (!strcmp(key, "instance_list"))
        json_array(json, read_server, arg);
    else
        json_skip(json);
}

static void read_group(struct json *json, void *arg)
{
    json_object(json, group_member, arg);
}

static const struct key top_keys[] = {
    {"status", offsetof(struct found, status)},
    {"version", offsetof(struct found, version)},
    {"server_count", offsetof(struct found, declared_servers)},
    {"rank_count", offsetof(struct found, declared_ranks)},
    {NULL, 0},
};

static void top_member(struct json *json, const char *key, void *arg)
{
    static const struct {
        const char *key;
        json_element_fn *read;
    } lists[] = {{"server_list", read_server},
                 {"rank_list", read_rank},
                 {"group_list", read_group}};
    struct found *found = arg;

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (!strcmp(key, lists[i].key)) {
            found->legacy = lists[i].read == read_group;
            json_array(json, lists[i].read, found);
            return;
        }
    if (!take_text(json, key, top_keys, found))
        json_skip(json);
}

/* Checks that no two ranks have the same address and port. */
static bool all_can_be_called(const struct roster *roster)
{
    for (uint32_t rank = 0; rank < roster->ranks; rank++) {
        if (roster->entries[rank].address.size == 0)
            return false;
        for (uint32_t other = 0; other < rank; other++)
            if (address_is_same(&roster->entries[rank].address,
                                &roster->entries[other].address))
                return false;
    }
    return true;
}

static bool matches_count(const char *announced, uint32_t count)
{
    uint32_t number;

    return !*announced || (number_of(announced, &number) && number == count);
}

static HcclResult judge(const struct found *found)
{
    static const char *const versions[] = {"1.0", "1.2", "2.0"};
    bool known = found->legacy && !*found->version;

    if (strcmp(found->status, "completed"))
        return HCCL_E_PARA;
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
        known = known || !strcmp(found->version, versions[i]);
    if (!known)
        return *found->version ? HCCL_E_NOT_SUPPORT : HCCL_E_PARA;
    if (found->bad || found->ranks == 0 ||
        !matches_count(found->declared_servers, found->server_count) ||
        !matches_count(found->declared_ranks, found->ranks))
        return HCCL_E_PARA;
    for (uint32_t rank = 0; rank < found->ranks; rank++)
        if (!found->seen[rank])
            return HCCL_E_PARA;
    if (found->server_count > 1 && !all_can_be_called(found->roster))
        return HCCL_E_PARA;
    return HCCL_SUCCESS;
}

HcclResult rank_table_parse(struct roster *roster, const char *text, uint16_t base_port)
{
    struct json json = {.at = text};
    struct found *found = calloc(1, sizeof(*found));
    HcclResult result;

    if (!found)
        return HCCL_E_MEMORY;
    memset(roster, 0, sizeof(*roster));
    found->roster = roster;
    found->base_port = base_port;
    json_object(&json, top_member, found);
    roster->ranks = found->ranks;
    roster->hosts = found->server_count;
    if (!json_is_over(&json))
        result = HCCL_E_PARA;
    else if (!strcmp(found->status, "initializing"))
        result = HCCL_E_AGAIN; /* the rest of the file is not valid yet */
    else
        result = judge(found);
    free(found);
    return result;
}

HcclResult rank_table_read(struct roster *roster,
                           uint64_t *hash,
                           struct token *token,
                           const char *path,
                           uint16_t base_port)
{
    FILE *file = fopen(path, "re");
    HcclResult result = HCCL_E_PARA;
    size_t length;
    char *text;

    if (!file)
        return HCCL_E_OPEN_FILE_FAILURE;
    text = malloc(FILE_MAX + 1);
    if (!text) {
        fclose(file);
        return HCCL_E_MEMORY;
    }
    length = fread(text, 1, FILE_MAX + 1, file);
    fclose(file);
    if (length <= FILE_MAX && !memchr(text, '\0', length)) {
        text[length] = '\0';
        result = rank_table_parse(roster, text, base_port);
        *token = token_of(text, 0);
        memcpy(hash, handshake_key_of(text).bytes, sizeof(*hash));
    }
    free(text);
    return result;
}
