#include "sim/fleet/config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/fleet/config_internal.h"
#include "sim/fleet/nodes.h"
#include "sim/fleet/soc.h"

#define FILE_MAX   (4u << 20) /* of a fleet file, in bytes */
#define COMPLAINTS 4096
#define OLD_MAX    64 /* faults in NPU_SIM_FAULTS */

static struct config current;

#define HOST_STEP_NS     100000000
#define HOST_STEP_MAX_US 60000000
#define NOISE_MAX        100

static bool read_number(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    *out = strtoull(text, &end, 10);
    return *end == '\0' && *out >= min && *out <= max;
}

/* ---- NPU_SIM_FAULTS: faults without a fleet file ---- */

static struct fault blank_fault(enum fault_kind kind)
{
    return (struct fault){.kind = kind,
                          .host = FLEET_ANY,
                          .card = FLEET_ANY,
                          .to_host = FLEET_ANY,
                          .to_card = FLEET_ANY,
                          .rank = FLEET_ANY,
                          .times = 1};
}

static const struct short_fault {
    const char *name;
    enum fault_kind kind;
    bool has_card; /* name=card:value, else name=value */
    uint64_t min, max;
    size_t offset; /* of a uint32_t member; 0: the value is the factor */
} short_faults[] = {
    {"slow_card", FAULT_SLOW_CARD, true, 0, 0, 0},
    {"throttle", FAULT_THROTTLE, true, 100, 10000, offsetof(struct fault, mhz)},
    {"lose_pmu", FAULT_LOST_PMU, true, 1, UINT32_MAX, offsetof(struct fault, every)},
    {"fail_launch", FAULT_FAILED_KERNEL, false, 1, UINT32_MAX,
     offsetof(struct fault, launch)},
    {"read_at_most", FAULT_SHORT_READS, false, 1, UINT32_MAX,
     offsetof(struct fault, bytes)},
};

static bool read_real(const char *text, double min, double max, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return *text && *end == '\0' && *out >= min && *out <= max;
}

static bool read_factor(const char *text, double *out)
{
    return read_real(text, 1.0, 1e3, out);
}

static bool
read_value(const struct short_fault *row, const char *text, struct fault *out)
{
    uint64_t number;

    *out = blank_fault(row->kind);
    if (row->has_card) {
        const char *colon = strchr(text, ':');
        char head[8] = "";

        if (!colon || (size_t)(colon - text) >= sizeof(head))
            return false;
        memcpy(head, text, (size_t)(colon - text));
        if (!read_number(head, 0, CARDS_MAX - 1, &number))
            return false;
        out->card = (uint32_t)number;
        text = colon + 1;
    }
    if (row->offset == 0)
        return read_factor(text, &out->factor);
    if (!read_number(text, row->min, row->max, &number))
        return false;
    *(uint32_t *)((char *)out + row->offset) = (uint32_t)number;
    return true;
}

static bool read_short(const char *name, const char *text, struct fault *out)
{
    for (size_t i = 0; i < sizeof(short_faults) / sizeof(short_faults[0]); i++)
        if (!strcmp(name, short_faults[i].name))
            return read_value(&short_faults[i], text, out);
    return false;
}

/* Appends the faults to those of the fleet, which frees them. */
static bool read_faults(struct fleet *fleet, const char *text)
{
    char copy[512];
    char *rest = copy, *part;
    struct fault *grown;

    if (strlen(text) >= sizeof(copy))
        return false;
    strcpy(copy, text);
    grown = realloc(fleet->faults, (fleet->fault_count + OLD_MAX) * sizeof(*grown));
    if (!grown)
        return false;
    fleet->faults = grown;
    for (int count = 0; (part = strsep(&rest, ";"));) {
        char *value = strchr(part, '=');

        if (*part == '\0')
            continue;
        if (!value || count++ == OLD_MAX)
            return false;
        *value++ = '\0';
        if (!read_short(part, value, &grown[fleet->fault_count]))
            return false;
        fleet->fault_count++;
    }
    return true;
}

/* ---- where the hosts come from ---- */

__attribute__((format(printf, 3, 4))) static bool
reject(char *message, size_t size, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(message, size, format, list);
    va_end(list);
    return false;
}

static bool slurp(const char *path, char **text, size_t *size, uint64_t *id)
{
    struct stat is;
    FILE *file = fopen(path, "re");
    bool good;

    *text = malloc(FILE_MAX + 1);
    *size = file && *text ? fread(*text, 1, FILE_MAX + 1, file) : 0;
    good = file && *text && !ferror(file) && *size <= FILE_MAX;
    if (good && fstat(fileno(file), &is) == 0)
        *id = (uint64_t)is.st_dev << 48 ^ (uint64_t)is.st_ino ^ 1ull << 63;
    if (file)
        fclose(file);
    return good;
}

static bool
read_file(struct config *config, const char *path, char *message, size_t message_size)
{
    char *text;
    size_t size;
    bool good = slurp(path, &text, &size, &config->fleet_id);

    if (good)
        good = fleet_read(&config->fleet, path, text, size, message, message_size);
    else
        reject(message, message_size, "NPU_SIM_FLEET: cannot read '%s'", path);
    free(text);
    return good;
}

/* Makes one host with equal cards from NPU_SIM_CARDS, NPU_SIM_SOC and
 * NPU_SIM_MEMORY_MIB. */
static bool make_host(struct fleet *fleet,
                      const char *(*get)(const char *name),
                      char *message,
                      size_t message_size)
{
    const char *texts[] = {get("NPU_SIM_CARDS"), get("NPU_SIM_MEMORY_MIB"),
                           get("NPU_SIM_SOC")};
    const struct soc *soc = soc_find(texts[2] ? texts[2] : SOC_STANDARD);
    const char *name = get("NPU_SIM_HOST");
    uint64_t cards = 2, mib = 1024;

    if (texts[0] && !read_number(texts[0], 0, CARDS_MAX, &cards))
        return reject(message, message_size,
                      "NPU_SIM_CARDS: '%s' is not a number in its range", texts[0]);
    if (texts[1] && !read_number(texts[1], 1, 1u << 20, &mib))
        return reject(message, message_size,
                      "NPU_SIM_MEMORY_MIB: '%s' is not a number in its range",
                      texts[1]);
    if (!soc)
        return reject(message, message_size,
                      "NPU_SIM_SOC: '%s' is not simulated; use one of %s", texts[2],
                      soc_names());
    fleet->hosts = calloc(1, sizeof(*fleet->hosts));
    if (!fleet->hosts)
        return reject(message, message_size, "out of memory");
    fleet->host_count = 1;
    fleet_host_init(&fleet->hosts[0]);
    snprintf(fleet->hosts[0].name, sizeof(fleet->hosts[0].name), "%s",
             name && *name ? name : "host0");
    fleet->hosts[0].cards = (uint32_t)cards;
    fleet->hosts[0].each = (struct fleet_card){
        .soc = soc, .memory_bytes = mib << 20, .ambient = AMBIENT_STANDARD};
    return true;
}

static bool
pick_host(struct config *config, const char *name, char *message, size_t message_size)
{
    config->host = name && *name ? fleet_find_host(&config->fleet, name) : 0;
    if (config->host == FLEET_ANY)
        return reject(message, message_size,
                      "NPU_SIM_HOST: the fleet file has no host '%s'", name);
    return true;
}

static struct card_config make_card(const struct fleet_host *host, uint32_t number)
{
    struct fleet_card is = fleet_card_of(host, number);
    struct card_config card = {
        .soc = is.soc,
        .number = number,
        .memory_bytes = is.memory_bytes,
        .physical = host->first_physical_id + number,
        .mhz = is.mhz ? is.mhz : is.soc->mhz,
        .hbm_maker = is.hbm_maker,
        .ambient = is.ambient,
        .slow = 1.0,
    };

    memcpy(card.serial, is.serial, sizeof(card.serial));
    return card;
}

/* Makes all cards of the host; with NPU_SIM_DEV_DIR only those that have a node. */
static bool
make_cards(struct config *config, const char *nodes, char *message, size_t message_size)
{
    const struct fleet_host *host = &config->fleet.hosts[config->host];

    for (const char *const *at = nodes_of_driver; nodes && *at; at++)
        if (!nodes_can_open(nodes, *at))
            return reject(message, message_size,
                          "NPU_SIM_DEV_DIR: cannot open '%s' in '%s'", *at, nodes);
    config->card = calloc(host->cards ? host->cards : 1, sizeof(*config->card));
    if (!config->card)
        return reject(message, message_size, "out of memory");
    config->soc = host->each.soc;
    for (uint32_t i = 0; i < host->cards; i++)
        if (!nodes || nodes_has_card(nodes, host->first_physical_id + i))
            config->card[config->cards++] = make_card(host, i);
    if (config->cards > 0)
        config->soc = config->card[0].soc;
    return true;
}

/* ---- the rest ---- */

static bool read_numbers(struct config *config,
                         const char *(*get)(const char *name),
                         char *message,
                         size_t message_size)
{
    const char *seed = get("NPU_SIM_SEED"), *epoch = get("NPU_SIM_EPOCH");
    const char *rank = get("RANK_ID"), *noise = get("NPU_SIM_NOISE");
    const char *step = get("NPU_SIM_HOST_STEP_US");
    uint64_t number;

    config->seed = config->fleet.has_seed ? config->fleet.seed : 1;
    config->noise = 1.0;
    config->host_step_ns = HOST_STEP_NS;
    config->epoch_ns = -1;
    config->rank = FLEET_ANY;
    if (seed && !read_number(seed, 0, UINT64_MAX, &config->seed))
        return reject(message, message_size,
                      "NPU_SIM_SEED: '%s' is not a number in its range", seed);
    if (noise && !read_real(noise, 0, NOISE_MAX, &config->noise))
        return reject(message, message_size,
                      "NPU_SIM_NOISE: '%s' is not a number from 0 to %d", noise,
                      NOISE_MAX);
    if (step) {
        if (!read_number(step, 0, HOST_STEP_MAX_US, &number))
            return reject(message, message_size,
                          "NPU_SIM_HOST_STEP_US: '%s' is not a number from 0 to %d",
                          step, HOST_STEP_MAX_US);
        config->host_step_ns = number * 1000;
    }
    if (epoch) {
        if (!read_number(epoch, 0, INT32_MAX, &number))
            return reject(message, message_size,
                          "NPU_SIM_EPOCH: '%s' is not a number in its range", epoch);
        config->epoch_ns = (int64_t)number * 1000000000;
    }
    if (rank && read_number(rank, 0, 1u << 20,
                            &number)) /* RANK_ID is not the simulator's: ignore a value
                                         that is not a number */
        config->rank = (uint32_t)number;
    return true;
}

static bool read_all(struct config *config,
                     const char *(*get)(const char *name),
                     char *message,
                     size_t message_size)
{
    const char *path = get("NPU_SIM_FLEET"), *faults = get("NPU_SIM_FAULTS");
    const char *nodes = get("NPU_SIM_DEV_DIR"), *host = get("NPU_SIM_HOST");

    if (path && *path) {
        if (!read_file(config, path, message, message_size) ||
            !pick_host(config, host, message, message_size))
            return false;
    } else if (!make_host(&config->fleet, get, message, message_size)) {
        return false;
    } else if (host && *host) {
        config->fleet_id =
            1; /* no clash with a fleet file: its id has the top bit set */
    }
    if (!read_numbers(config, get, message, message_size))
        return false;
    size_t of_file = config->fleet.fault_count;
    if (faults && !read_faults(&config->fleet, faults))
        return reject(message, message_size, "NPU_SIM_FAULTS: cannot read '%s'",
                      faults);
    if (!make_cards(config, nodes && *nodes ? nodes : NULL, message, message_size))
        return false;
    for (size_t i = of_file; i < config->fleet.fault_count; i++)
        if (config->fleet.faults[i].card != FLEET_ANY &&
            config->fleet.faults[i].card >= config->cards)
            return reject(message, message_size,
                          "NPU_SIM_FAULTS: '%s': there is no card %u, the host has %u",
                          faults, config->fleet.faults[i].card, config->cards);
    return plant_all(config, get) || reject(message, message_size, "out of memory");
}

bool config_check_names(char *const *environment, char *message, size_t message_size)
{
    static const char *const known[] = {
        "CARDS",      "DEV_DIR", "EPOCH",        "FAULTS", "FLEET",
        "HOST",       "LEDGER",  "HOST_STEP_US", "NOISE",  "MEMORY_MIB",
        "LINK_TOKEN", "SEED",    "SOC"};
    static const char prefix[] = "NPU_SIM_";

    for (; *environment; environment++) {
        const char *name = *environment + strlen(prefix);
        size_t count = sizeof(known) / sizeof(known[0]), length, i = 0;

        if (strncmp(*environment, prefix, strlen(prefix)) != 0)
            continue;
        length = strcspn(name, "=");
        while (i < count &&
               (strncmp(name, known[i], length) != 0 || known[i][length] != '\0'))
            i++;
        if (i == count)
            return reject(message, message_size,
                          "NPU_SIM_%.*s: the simulated NPU has no such variable; "
                          "sim/README.md lists all",
                          (int)length, name);
    }
    return true;
}

bool config_read(struct config *config,
                 const char *(*get)(const char *name),
                 char *message,
                 size_t message_size)
{
    memset(config, 0, sizeof(*config));
    if (read_all(config, get, message, message_size))
        return true;
    config_clear(config); /* one invalid setting leaves a host without cards */
    return false;
}

void config_clear(struct config *config)
{
    free(config->card);
    free(config->mishaps);
    free(config->mishaps_seen);
    fleet_clear(&config->fleet);
    memset(config, 0, sizeof(*config));
}

static const char *from_environment(const char *name)
{
    return getenv(name);
}

static void read_once(void)
{
    char *message = malloc(COMPLAINTS);

    if (message && config_check_names(environ, message, COMPLAINTS) &&
        config_read(&current, from_environment, message, COMPLAINTS)) {
        free(message);
        return;
    }
    current.soc = soc_find(SOC_STANDARD);
    fprintf(stderr, "npu_sim: %s\nnpu_sim: no cards\n",
            message ? message : "out of memory");
    free(message);
}

const struct config *config_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_once);
    return &current;
}
