#include "sim/hccl/rank_table.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX  (1u << 20)
#define DEPTH_MAX 16
#define TEXT_MAX  128 /* longer strings are not for us and are cut */

struct reader {
    const char *at;
    unsigned depth;
    bool bad;
};

struct found {
    struct rank_table *table;
    bool seen[GROUP_RANKS_MAX];
    uint32_t devices, servers, server_count;
    char status[TEXT_MAX], version[TEXT_MAX];
    char device_id[TEXT_MAX], rank_id[TEXT_MAX]; /* of the device that is being read */
};

typedef void member_fn(struct reader *reader, const char *key, struct found *found);

static char peek(struct reader *reader)
{
    while (*reader->at && strchr(" \t\r\n", *reader->at))
        reader->at++;
    return *reader->at;
}

static bool take(struct reader *reader, char wanted)
{
    if (reader->bad || peek(reader) != wanted)
        return false;
    reader->at++;
    return true;
}

static void expect(struct reader *reader, char wanted)
{
    if (!take(reader, wanted))
        reader->bad = true;
}

/* Escapes stay as they are: nothing that matters here has any. */
static void read_text(struct reader *reader, char *out)
{
    size_t length = 0;

    expect(reader, '"');
    while (!reader->bad && *reader->at != '"') {
        if ((unsigned char)*reader->at < 0x20 ||
            (*reader->at == '\\' && !*++reader->at)) {
            reader->bad = true;
            return;
        }
        if (out && length < TEXT_MAX - 1)
            out[length++] = *reader->at;
        reader->at++;
    }
    expect(reader, '"');
    if (out)
        out[length] = '\0';
}

static void skip_value(struct reader *reader);

static void read_object(struct reader *reader, member_fn *member, struct found *found)
{
    char key[TEXT_MAX];

    if (++reader->depth > DEPTH_MAX)
        reader->bad = true;
    expect(reader, '{');
    if (take(reader, '}')) {
        reader->depth--;
        return;
    }
    do {
        read_text(reader, key);
        expect(reader, ':');
        if (reader->bad)
            return;
        if (member)
            member(reader, key, found);
        else
            skip_value(reader);
    } while (take(reader, ','));
    expect(reader, '}');
    reader->depth--;
}

static void read_array(struct reader *reader,
                       void (*element)(struct reader *reader, struct found *found),
                       struct found *found)
{
    if (++reader->depth > DEPTH_MAX)
        reader->bad = true;
    expect(reader, '[');
    if (take(reader, ']')) {
        reader->depth--;
        return;
    }
    do {
        if (reader->bad)
            return;
        if (element)
            element(reader, found);
        else
            skip_value(reader);
    } while (take(reader, ','));
    expect(reader, ']');
    reader->depth--;
}

static void skip_value(struct reader *reader)
{
    char first = peek(reader);

    if (first == '{')
        read_object(reader, NULL, NULL);
    else if (first == '[')
        read_array(reader, NULL, NULL);
    else if (first == '"')
        read_text(reader, NULL);
    else { /* a number or a word */
        size_t length = strspn(reader->at, "-+.0123456789aeEflnrstu");

        reader->at += length;
        if (length == 0)
            reader->bad = true;
    }
}

static bool number_of(const char *text, uint32_t *out)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    *out = (uint32_t)value;
    return *text >= '0' && *text <= '9' && !*end && value <= 65535;
}

static void device_member(struct reader *reader, const char *key, struct found *found)
{
    if (!strcmp(key, "device_id"))
        read_text(reader, found->device_id);
    else if (!strcmp(key, "rank_id"))
        read_text(reader, found->rank_id);
    else
        skip_value(reader);
}

static void read_device(struct reader *reader, struct found *found)
{
    uint32_t rank, card;

    found->device_id[0] = found->rank_id[0] = '\0';
    read_object(reader, device_member, found);
    if (!number_of(found->device_id, &card) || !number_of(found->rank_id, &rank) ||
        rank >= GROUP_RANKS_MAX || found->seen[rank]) {
        reader->bad = true;
        return;
    }
    found->seen[rank] = true;
    found->table->cards[rank] = card;
    found->devices++;
}

static void server_member(struct reader *reader, const char *key, struct found *found)
{
    char id[TEXT_MAX];

    if (!strcmp(key, "device")) {
        read_array(reader, read_device, found);
    } else if (!strcmp(key, "server_id")) {
        read_text(reader, id);
        if (strlen(id) > 64 || !*id)
            reader->bad = true;
    } else {
        skip_value(reader);
    }
}

static void read_server(struct reader *reader, struct found *found)
{
    found->servers++;
    read_object(reader, server_member, found);
}

static void top_member(struct reader *reader, const char *key, struct found *found)
{
    char text[TEXT_MAX];

    if (!strcmp(key, "status"))
        read_text(reader, found->status);
    else if (!strcmp(key, "version"))
        read_text(reader, found->version);
    else if (!strcmp(key, "server_count")) {
        read_text(reader, text);
        if (!number_of(text, &found->server_count))
            reader->bad = true;
    } else if (!strcmp(key, "server_list"))
        read_array(reader, read_server, found);
    else
        skip_value(reader);
}

static HcclResult judge(const struct found *found)
{
    if (!strcmp(found->status, "initializing"))
        return HCCL_E_AGAIN;
    if (strcmp(found->status, "completed"))
        return HCCL_E_PARA;
    if (strcmp(found->version, "1.0") || found->servers > 1)
        return HCCL_E_NOT_SUPPORT;
    if (found->servers != found->server_count || found->devices == 0)
        return HCCL_E_PARA;
    for (uint32_t rank = 0; rank < found->devices; rank++)
        if (!found->seen[rank])
            return HCCL_E_PARA;
    return HCCL_SUCCESS;
}

HcclResult rank_table_parse(struct rank_table *table, const char *text)
{
    struct reader reader = {.at = text};
    struct found found = {.table = table};
    HcclResult result;

    memset(table, 0, sizeof(*table));
    read_object(&reader, top_member, &found);
    /* other versions hold other things: what version it is comes before whether
     * it is well made */
    if (found.version[0] && strcmp(found.version, "1.0"))
        return HCCL_E_NOT_SUPPORT;
    if (reader.bad || peek(&reader))
        return HCCL_E_PARA;
    result = judge(&found);
    table->ranks = found.devices;
    table->hash = 0xCBF29CE484222325u; /* FNV-1a */
    for (const char *c = text; *c; c++)
        table->hash = (table->hash ^ (unsigned char)*c) * 0x100000001B3u;
    return result;
}

HcclResult rank_table_read(struct rank_table *table, const char *path)
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
        result = rank_table_parse(table, text);
    }
    free(text);
    return result;
}
