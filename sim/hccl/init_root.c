/* init_root.c - creates communicators from a root info
 *
 * Its text contains an id, the host that made it and, when that host has an address for
 * other hosts (HCCL_IF_IP, HCCL_SOCKET_IFNAME), the address of the root and its token.
 */
#include <hccl/hccl_comm.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "sim/hccl/ranks/join.h"
#include "sim/hccl/ranks/listener.h"
#include "sim/hccl/ranks/root.h"
#include "sim/runtime/stream/outside.h"

#define MARK    "npu_sim_root "
#define ID_HEX  32
#define GRACE_S 20 /* the root waits longer than the ranks do */

struct root_text {
    char name[sizeof(MARK) + ID_HEX]; /* mark and id */
    struct host_id host;
    struct address address; /* size 0: none */
    struct token token;
};

static void write_hex(char *out, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sprintf(out + 2 * i, "%02x", bytes[i]);
}

static bool read_hex(const char *text, unsigned char *bytes, size_t count)
{
    if (strspn(text, "0123456789abcdef") != 2 * count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (sscanf(text + 2 * i, "%2hhx", &bytes[i]) != 1)
            return false;
    return true;
}

static HcclResult open_root(struct root_text *root)
{
    struct settings settings;
    struct ports ports;
    HcclResult result = settings_read(&settings, NULL);

    if (result)
        return result;
    if (!ports_read(&ports, "HCCL_HOST_SOCKET_PORT_RANGE"))
        return HCCL_E_PARA;
    return root_open(&root->address, &ports, &root->token,
                     settings.connect_timeout_s + GRACE_S);
}

HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo)
{
    unsigned char id[ID_HEX / 2];
    char id_text[ID_HEX + 1], host[2 * ROOT_HOST + 1], token[2 * HANDSHAKE_TOKEN + 1];
    char ip[ADDRESS_TEXT];
    struct root_text root;
    HcclResult result;
    int32_t device;
    uint32_t card;

    if (!rootInfo)
        return HCCL_E_PTR;
    if (npu_sim_current_card(&card, &device))
        return HCCL_E_RUNTIME;
    if (!address_of_host(&root.address))
        return HCCL_E_PARA;
    if (getrandom(id, sizeof(id), 0) != sizeof(id) ||
        getrandom(&root.token, sizeof(root.token), 0) != sizeof(root.token))
        return HCCL_E_SYSCALL;
    root.host = root_host();
    write_hex(id_text, id, sizeof(id));
    write_hex(host, root.host.bytes, sizeof(root.host.bytes));
    memset(rootInfo, 0, sizeof(*rootInfo));
    if (root.address.size == 0) {
        snprintf(rootInfo->internal, sizeof(rootInfo->internal), MARK "%s %s", id_text,
                 host);
        return HCCL_SUCCESS;
    }
    result = open_root(&root);
    if (result)
        return result;
    address_text(&root.address, ip);
    write_hex(token, root.token.bytes, sizeof(root.token.bytes));
    snprintf(rootInfo->internal, sizeof(rootInfo->internal), MARK "%s %s %s %u %s",
             id_text, host, ip, address_port(&root.address), token);
    return HCCL_SUCCESS;
}

static bool read_root(struct root_text *root, const HcclRootInfo *info)
{
    char id[64] = "", host[64] = "", ip[64] = "", token[128] = "", more[2];
    unsigned char bytes[ID_HEX / 2];
    unsigned port = 0;
    int words;

    memset(root, 0, sizeof(*root));
    if (!memchr(info->internal, '\0', sizeof(info->internal)))
        return false;
    words = sscanf(info->internal, MARK "%63s %63s %63s %5u %127s %1s", id, host, ip,
                   &port, token, more);
    if ((words != 2 && words != 5) || !read_hex(id, bytes, sizeof(bytes)) ||
        !read_hex(host, root->host.bytes, sizeof(root->host.bytes)))
        return false;
    snprintf(root->name, sizeof(root->name), MARK "%.*s", ID_HEX, id);
    return words == 2 ||
           (port > 0 && port <= 65535 &&
            address_parse(&root->address, ip, (uint16_t)port) &&
            read_hex(token, root->token.bytes, sizeof(root->token.bytes)));
}

/* Opens the listener of this rank: at the address from the environment, or at the local
 * address of the connection to the root. */
static HcclResult open_listener(struct listener **listener,
                                struct address *own,
                                int root_fd,
                                uint64_t deadline_ms)
{
    socklen_t size = sizeof(own->room);
    struct ports ports;

    if (!address_of_host(own) || !ports_read(&ports, "HCCL_NPU_SOCKET_PORT_RANGE"))
        return HCCL_E_PARA;
    if (own->size == 0) {
        if (getsockname(root_fd, &own->any, &size))
            return HCCL_E_SYSCALL;
        own->size = size;
    }
    return listener_open(listener, own, &ports, deadline_ms);
}

static HcclResult ask_root(struct roster *roster,
                           struct listener **listener,
                           const struct root_text *root,
                           const struct joining *joining)
{
    struct candidate candidate = {
        .ranks = roster->ranks,
        .rank = joining->rank,
        .card = joining->place->card,
        .host = root_host(),
    };
    HcclResult result;
    int fd;

    result = root_call(&fd, &root->address, joining->deadline_ms);
    if (result)
        return result;
    result = open_listener(listener, &candidate.address, fd, joining->deadline_ms);
    if (result) {
        close(fd);
        return result;
    }
    return root_join(roster, fd, &candidate, &root->token, joining->deadline_ms);
}

static HcclResult init(const struct root_text *root,
                       uint32_t ranks,
                       uint32_t rank,
                       const struct place *place,
                       const struct settings *settings,
                       struct comm **comm)
{
    struct roster roster;
    struct listener *listener = NULL;
    struct joining joining = {
        .key = root->name,
        .name = root->name,
        .roster = &roster,
        .rank = rank,
        .place = place,
        .settings = settings,
        .deadline_ms = join_deadline(settings),
    };
    struct host_id own = root_host();
    HcclResult result = HCCL_SUCCESS;

    join_one_host(&roster, ranks);
    if (root->address.size > 0) {
        result = ask_root(&roster, &listener, root, &joining);
    } else if (memcmp(&own, &root->host, sizeof(own)) != 0) {
        fprintf(stderr,
                "npu_sim: the root info was made on another host and has no address; "
                "set HCCL_IF_IP or HCCL_SOCKET_IFNAME there\n");
        result = HCCL_E_TCP_CONNECT;
    }
    joining.listener = roster.hosts > 1 ? listener : NULL;
    if (!result)
        result = join(&joining, comm);
    listener_close(listener);
    return result;
}

static HcclResult check_and_init(uint32_t ranks,
                                 const HcclRootInfo *info,
                                 uint32_t rank,
                                 const HcclCommConfig *config,
                                 HcclComm *out)
{
    struct settings settings;
    struct root_text root;
    struct place place;
    struct comm *comm;
    HcclResult result;

    if (!info || !out)
        return HCCL_E_PTR;
    if (ranks == 0 || rank >= ranks)
        return HCCL_E_PARA;
    if (ranks > RANKS_MAX)
        return HCCL_E_NOT_SUPPORT;
    if (!read_root(&root, info))
        return HCCL_E_PARA;
    if (npu_sim_current_card(&place.card, &place.device))
        return HCCL_E_RUNTIME;
    result = settings_read(&settings, config);
    if (!result)
        result = init(&root, ranks, rank, &place, &settings, &comm);
    if (!result)
        *out = comm;
    return result;
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks,
                                const HcclRootInfo *rootInfo,
                                uint32_t rank,
                                HcclComm *comm)
{
    return check_and_init(nRanks, rootInfo, rank, NULL, comm);
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks,
                                      const HcclRootInfo *rootInfo,
                                      uint32_t rank,
                                      const HcclCommConfig *config,
                                      HcclComm *comm)
{
    return config ? check_and_init(nRanks, rootInfo, rank, config, comm) : HCCL_E_PTR;
}
