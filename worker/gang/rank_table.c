#include "worker/gang/rank_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/json_write.h"
#include "lib/wire/messages.h"

/* First port of HCCL; the number of the card is added, so that ranks of a host differ.
 */
enum { PORT = 16666 };

static void member(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

/* Numbers are strings in this format. */
static void number_member(struct json_write *json, const char *key, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, value);
    member(json, key, text);
}

/* Returns the address of the card's own network if it is known, else that of the host.
 * A simulated card has no network of its own. */
static const char *card_address(const struct msg_lease *lease, size_t rank)
{
    const char *own =
        rank < lease->card_addresses.count ? lease->card_addresses.items[rank] : "";

    return *own ? own : lease->addresses.items[rank];
}

static bool is_first_of_host(const struct msg_lease *lease, size_t rank)
{
    for (size_t i = 0; i < rank; i++)
        if (strcmp(lease->hosts.items[i], lease->hosts.items[rank]) == 0)
            return false;
    return true;
}

static void
add_server(struct json_write *json, const struct msg_lease *lease, size_t of)
{
    const char *address = lease->addresses.items[of];

    json_write_object(json);
    member(json, "server_id", address);
    member(json, "host_ip", address);
    json_write_key(json, "device");
    json_write_array(json);
    for (size_t rank = 0; rank < lease->hosts.count; rank++) {
        if (strcmp(lease->hosts.items[rank], lease->hosts.items[of]) != 0)
            continue;
        json_write_object(json);
        number_member(json, "device_id", lease->cards.items[rank]);
        member(json, "device_ip", card_address(lease, rank));
        number_member(json, "device_port", PORT + lease->cards.items[rank]);
        number_member(json, "rank_id", rank);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}

int rank_table_make(struct text *out, const struct msg_lease *lease, struct err *err)
{
    struct json_write json;
    uint64_t servers = 0;

    if (lease->hosts.count != lease->world_size ||
        lease->cards.count != lease->world_size ||
        lease->addresses.count != lease->world_size)
        return err_set(err, ERR_INPUT,
                       "the lease has %" PRIu64 " ranks but names the hosts of %zu",
                       lease->world_size, lease->hosts.count);
    for (size_t rank = 0; rank < lease->hosts.count; rank++)
        servers += is_first_of_host(lease, rank);
    json_write_to_text(&json, out);
    json_write_object(&json);
    member(&json, "status", "completed");
    member(&json, "version", "1.0");
    number_member(&json, "muster_run", lease->run_id);
    number_member(&json, "server_count", servers);
    json_write_key(&json, "server_list");
    json_write_array(&json);
    for (size_t rank = 0; rank < lease->hosts.count; rank++)
        if (is_first_of_host(lease, rank))
            add_server(&json, lease, rank);
    json_write_array_end(&json);
    json_write_object_end(&json);
    return json_write_finish(&json, err);
}
