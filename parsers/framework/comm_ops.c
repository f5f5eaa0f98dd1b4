#include "parsers/framework/comm_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/json_read.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "parsers/framework/microseconds.h"

enum { LEVELS = 4, KEY_BYTES = 512, OPS_MAX = 1 << 24, PACKAGES_MAX = 1 << 26 };

struct reading {
    struct json_read *json;
    struct comm_ops *ops;
    char path[LEVELS][KEY_BYTES]; /* the keys of the open objects */
    struct err *err;
};

static const char *const transports[COMM_TRANSPORT_COUNT] = {
    [COMM_HCCS] = "HCCS", [COMM_RDMA] = "RDMA", [COMM_PCIE] = "PCIE",
    [COMM_SDMA] = "SDMA", [COMM_SIO] = "SIO",
};

const char *comm_transport_name(enum comm_transport transport)
{
    return transports[transport];
}

bool comm_name_is_p2p(const char *name)
{
    return strncasecmp(name, "hcom_send", 9) == 0 ||
           strncasecmp(name, "hcom_receive", 12) == 0 ||
           strncasecmp(name, "hcom_batchsendrecv", 18) == 0;
}

/* Reads the next key of the current object. Returns 1, 0 at its end, or -1. */
static int next_key(struct reading *reading, struct json_token *token)
{
    if (json_read_next(reading->json, token, reading->err) < 0)
        return -1;
    return token->kind == JSON_KEY;
}

/* Reads a finite number and skips any other value. */
static int read_number(struct reading *reading, double *value)
{
    struct json_token token;

    if (json_read_next(reading->json, &token, reading->err) < 0)
        return -1;
    if (!json_token_double(&token, value) || !isfinite(*value))
        *value = 0;
    return json_read_skip(reading->json, reading->err);
}

/* Reads the members of an object whose names are in the list, and skips the others. */
struct member {
    const char *name;
    double *value;
    int64_t *time; /* or a time in microseconds */
};

static int read_member(struct reading *reading, const struct member *member)
{
    struct json_token token;

    if (member->value)
        return read_number(reading, member->value);
    if (json_read_next(reading->json, &token, reading->err) < 0)
        return -1;
    if (token.kind != JSON_NUMBER || !microseconds_read(token.text, member->time))
        *member->time = 0;
    return json_read_skip(reading->json, reading->err);
}

/* Reads the value of the key when it is in the list, else skips it. */
static int read_known(struct reading *reading,
                      const struct json_token *key,
                      const struct member *members,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (json_token_is(key, members[i].name))
            return read_member(reading, &members[i]);
    return json_read_skip(reading->json, reading->err);
}

static int
read_members(struct reading *reading, const struct member *members, size_t count)
{
    struct json_token token;
    int more;

    if (json_read_expect(reading->json, JSON_OBJECT, &token, reading->err) < 0)
        return -1;
    while ((more = next_key(reading, &token)) > 0)
        if (read_known(reading, &token, members, count) < 0)
            return -1;
    return more;
}

static int read_times(struct reading *reading, struct comm_op *op)
{
    const struct member members[] = {
        {"Start Timestamp(us)", NULL, &op->start},
        {"Elapse Time(ms)", &op->times.elapse_ms, NULL},
        {"Transit Time(ms)", &op->times.transit_ms, NULL},
        {"Wait Time(ms)", &op->times.wait_ms, NULL},
        {"Synchronization Time(ms)", &op->times.sync_ms, NULL},
        {"Idle Time(ms)", &op->times.idle_ms, NULL},
    };

    return read_members(reading, members, COUNT(members));
}

/* Reads the array [count, total ms]; other elements are skipped. */
static int read_package(struct reading *reading, struct comm_packages *packages)
{
    double *const values[] = {&packages->count, &packages->time_ms};
    struct json_token token;
    size_t place = 0;

    if (json_read_next(reading->json, &token, reading->err) < 0)
        return -1;
    if (token.kind != JSON_ARRAY)
        return json_read_skip(reading->json, reading->err);
    for (;;) {
        if (json_read_next(reading->json, &token, reading->err) < 0)
            return -1;
        if (token.kind == JSON_ARRAY_END)
            return 0;
        if (place < COUNT(values) &&
            (!json_token_double(&token, values[place]) || !isfinite(*values[place])))
            *values[place] = 0;
        place++;
        if (json_read_skip(reading->json, reading->err) < 0)
            return -1;
    }
}

/* Reads the object {"<size in MB>": [count, total ms]} of a transport. */
static int read_sizes(struct reading *reading, enum comm_transport transport)
{
    struct comm_ops *ops = reading->ops;
    struct json_token token;
    int more;

    if (json_read_next(reading->json, &token, reading->err) < 0)
        return -1;
    if (token.kind != JSON_OBJECT)
        return json_read_skip(reading->json, reading->err);
    while ((more = next_key(reading, &token)) > 0) {
        struct comm_packages packages = {.op = (uint32_t)ops->count,
                                         .transport = transport};
        bool is_size = num_parse_double(token.text, &packages.size_mb);

        if (read_package(reading, &packages) < 0)
            return -1;
        if (is_size && ops->package_count < PACKAGES_MAX)
            comm_ops_add_packages(ops, &packages);
    }
    return more;
}

static int read_transport(struct reading *reading,
                          struct comm_traffic *traffic,
                          enum comm_transport transport)
{
    const struct member members[] = {
        {"Transit Size(MB)", &traffic->size_mb, NULL},
        {"Transit Time(ms)", &traffic->time_ms, NULL},
        {"Large Packet Ratio", &traffic->large_ratio, NULL},
    };
    struct json_token token;
    int more;

    if (json_read_expect(reading->json, JSON_OBJECT, &token, reading->err) < 0)
        return -1;
    while ((more = next_key(reading, &token)) > 0) {
        bool is_sizes = json_token_is(&token, "Size Distribution");

        if ((is_sizes ? read_sizes(reading, transport)
                      : read_known(reading, &token, members, COUNT(members))) < 0)
            return -1;
    }
    return more;
}

static int read_traffic(struct reading *reading, struct comm_op *op)
{
    struct json_token token;
    int more;

    if (json_read_expect(reading->json, JSON_OBJECT, &token, reading->err) < 0)
        return -1;
    while ((more = next_key(reading, &token)) > 0) {
        size_t i = 0;

        while (i < COMM_TRANSPORT_COUNT && !json_token_is(&token, transports[i]))
            i++;
        if ((i == COMM_TRANSPORT_COUNT ? json_read_skip(reading->json, reading->err)
                                       : read_transport(reading, &op->traffic[i],
                                                        (enum comm_transport)i)) < 0)
            return -1;
    }
    return more;
}

/* Removes the packages of an object that is no operator. */
static void forget_packages(struct comm_ops *ops)
{
    while (ops->package_count > 0 &&
           ops->packages[ops->package_count - 1].op == ops->count)
        ops->package_count--;
}

/* Adds the operator at the end of the path: [step, kind,] name@group. */
static int add_op(struct reading *reading, struct comm_op *op, unsigned level)
{
    struct comm_ops *ops = reading->ops;
    char *name = reading->path[level - 1];
    char *group = strrchr(name, '@');

    if (strncasecmp(name, "total", 5) == 0) {
        forget_packages(ops);
        return 0;
    }
    if (ops->count == OPS_MAX)
        return json_read_error(reading->json, reading->err,
                               "the file has too many operators");
    if (ops->count == ops->room) {
        ops->room = ops->room ? ops->room * 2 : 64;
        ops->rows = xreallocarray(ops->rows, ops->room, sizeof(*ops->rows));
    }
    if (group)
        *group++ = '\0';
    op->name = names_add(ops->names, name);
    op->group = names_add(ops->names, group ? group : "");
    op->step = level == 3 ? names_add(ops->names, reading->path[0]) : 0;
    op->is_p2p =
        level == 3 ? strcmp(reading->path[1], "p2p") == 0 : comm_name_is_p2p(name);
    ops->rows[ops->count++] = *op;
    return 0;
}

/* Reads the rest of an object; `level` keys lead to it. */
static int read_object(struct reading *reading, unsigned level)
{
    struct comm_op op = {0};
    struct json_token token;
    bool is_op = false;
    int more;

    while ((more = next_key(reading, &token)) > 0) {
        int result;

        if (json_token_is(&token, "Communication Time Info")) {
            is_op = true;
            result = read_times(reading, &op);
        } else if (json_token_is(&token, "Communication Bandwidth Info")) {
            is_op = true;
            result = read_traffic(reading, &op);
        } else if (level == LEVELS || token.length >= KEY_BYTES) {
            result = json_read_skip(reading->json, reading->err);
        } else {
            memcpy(reading->path[level], token.text, token.length + 1);
            result = json_read_next(reading->json, &token, reading->err);
            if (result == 0 && token.kind == JSON_OBJECT)
                result = read_object(reading, level + 1);
            else if (result == 0)
                result = json_read_skip(reading->json, reading->err);
        }
        if (result < 0)
            return -1;
    }
    if (more < 0)
        return -1;
    if (is_op && level > 0)
        return add_op(reading, &op, level);
    forget_packages(reading->ops);
    return 0;
}

int comm_ops_read(struct comm_ops *ops,
                  struct names *names,
                  const char *path,
                  struct err *err)
{
    struct reading *reading;
    struct json_token token;
    int fd, result;

    *ops = (struct comm_ops){.names = names};
    if (file_open(&fd, path, err) < 0)
        return -1;
    reading = xcalloc(1, sizeof(*reading));
    reading->ops = ops;
    reading->err = err;
    reading->json = json_read_create_fd(path, fd, JSON_LIMITS);
    result = json_read_expect(reading->json, JSON_OBJECT, &token, err);
    if (result == 0)
        result = read_object(reading, 0);
    if (result == 0)
        result = json_read_expect(reading->json, JSON_END, &token, err);
    json_read_destroy(reading->json);
    free(reading);
    close(fd);
    if (result < 0)
        comm_ops_clear(ops);
    else
        comm_ops_sort_packages(ops);
    return result;
}

void comm_ops_add_packages(struct comm_ops *ops, const struct comm_packages *packages)
{
    if (ops->package_count == ops->package_room) {
        ops->package_room = ops->package_room ? ops->package_room * 2 : 64;
        ops->packages =
            xreallocarray(ops->packages, ops->package_room, sizeof(*ops->packages));
    }
    ops->packages[ops->package_count++] = *packages;
}

static int compare_packages(const void *a, const void *b)
{
    const struct comm_packages *left = a, *right = b;

    if (left->op != right->op)
        return left->op < right->op ? -1 : 1;
    if (left->transport != right->transport)
        return left->transport < right->transport ? -1 : 1;
    return left->size_mb < right->size_mb ? -1 : left->size_mb > right->size_mb;
}

void comm_ops_sort_packages(struct comm_ops *ops)
{
    if (ops->package_count > 0)
        qsort(ops->packages, ops->package_count, sizeof(*ops->packages),
              compare_packages);
}

const struct comm_packages *
comm_ops_packages_of(const struct comm_ops *ops, size_t op, size_t *count)
{
    size_t low = 0, high = ops->package_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ops->packages[middle].op >= op)
            high = middle;
        else
            low = middle + 1;
    }
    *count = 0;
    while (low + *count < ops->package_count && ops->packages[low + *count].op == op)
        ++*count;
    return ops->packages + low;
}

void comm_ops_clear(struct comm_ops *ops)
{
    free(ops->rows);
    free(ops->packages);
    *ops = (struct comm_ops){0};
}
