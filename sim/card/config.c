#include "sim/card/config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/card/soc.h"

static struct config current;

static bool read_number(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    *out = strtoull(text, &end, 10);
    return *end == '\0' && *out >= min && *out <= max;
}

/* name=value, or name=card:value; what follows the '=' is in text */
static bool read_fault(struct config *config, const char *name, const char *text)
{
    uint64_t card = 0, number;
    const char *colon = strchr(text, ':');
    char head[8] = "";
    char *end;

    if (!strcmp(name, "fail_launch") || !strcmp(name, "read_at_most")) {
        if (!read_number(text, 1, UINT32_MAX, &number))
            return false;
        *(name[0] == 'f' ? &config->fail_launch : &config->read_at_most) =
            (uint32_t)number;
        return true;
    }
    if (!colon || (size_t)(colon - text) >= sizeof(head))
        return false;
    memcpy(head, text, (size_t)(colon - text));
    if (!read_number(head, 0, CARDS_MAX - 1, &card))
        return false;
    if (!strcmp(name, "slow_card")) {
        config->slow[card] = strtod(colon + 1, &end);
        return *end == '\0' && config->slow[card] >= 1.0 && config->slow[card] <= 1e3;
    }
    if (!strcmp(name, "throttle")) {
        if (!read_number(colon + 1, 100, 10000, &number))
            return false;
        config->current_mhz[card] = (uint32_t)number;
        return true;
    }
    if (!strcmp(name, "lose_pmu")) {
        if (!read_number(colon + 1, 1, UINT32_MAX, &number))
            return false;
        config->lose_pmu_every[card] = (uint32_t)number;
        return true;
    }
    return false;
}

static bool read_faults(struct config *config, const char *text)
{
    char copy[512];
    char *rest = copy, *part;

    if (strlen(text) >= sizeof(copy))
        return false;
    strcpy(copy, text);
    while ((part = strsep(&rest, ";"))) {
        char *value = strchr(part, '=');

        if (*part == '\0')
            continue;
        if (!value)
            return false;
        *value++ = '\0';
        if (!read_fault(config, part, value))
            return false;
    }
    return true;
}

bool config_read(struct config *config,
                 const char *(*get)(const char *name),
                 char *message,
                 size_t message_size)
{
    const struct {
        const char *name;
        uint64_t min, max, standard;
    } numbers[] = {
        {"NPU_SIM_CARDS", 0, CARDS_MAX, 2},
        {"NPU_SIM_SEED", 0, UINT64_MAX, 1},
        {"NPU_SIM_MEMORY_MIB", 1, 1u << 20, 1024},
    };
    uint64_t values[3];
    const char *text;

    memset(config, 0, sizeof(*config));
    for (int i = 0; i < CARDS_MAX; i++)
        config->slow[i] = 1.0;
    for (int i = 0; i < 3; i++) {
        text = get(numbers[i].name);
        values[i] = numbers[i].standard;
        if (text && !read_number(text, numbers[i].min, numbers[i].max, &values[i])) {
            snprintf(message, message_size, "%s: '%s' is not a number in its range",
                     numbers[i].name, text);
            return false;
        }
    }
    config->seed = values[1];
    config->memory_bytes = values[2] << 20;
    text = get("NPU_SIM_SOC");
    config->soc = soc_find(text ? text : "Ascend910B2");
    if (!config->soc) {
        snprintf(message, message_size,
                 "NPU_SIM_SOC: '%s' is not simulated; there are %s", text, soc_names());
        return false;
    }
    text = get("NPU_SIM_FAULTS");
    if (text && !read_faults(config, text)) {
        snprintf(message, message_size, "NPU_SIM_FAULTS: cannot read '%s'", text);
        return false;
    }
    config->cards = (uint32_t)values[0]; /* last: none when anything is wrong */
    return true;
}

static const char *from_environment(const char *name)
{
    return getenv(name);
}

static void read_once(void)
{
    char message[256];

    if (!config_read(&current, from_environment, message, sizeof(message))) {
        current.soc = soc_find("Ascend910B2");
        fprintf(stderr, "npu_sim: %s; no cards\n", message);
    }
}

const struct config *config_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_once);
    return &current;
}
