#include "parsers/records/op_info.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/capture/soc_facts.h"

enum { LINE_MAX_BYTES = 4096 };

static uint32_t default_ticks_khz(enum chip chip)
{
    return chip == CHIP_310P ? 38400 : chip == CHIP_A5 ? 1000000 : 50000;
}

void op_info_fill(struct op_info *info)
{
    if (!info->core_count)
        info->core_count = soc_facts_of(info->soc).core_count;
    if (!info->ticks_khz)
        info->ticks_khz = default_ticks_khz(info->chip);
}

uint32_t op_info_rated_mhz(const struct op_info *info)
{
    return info->rated_mhz ? info->rated_mhz : soc_facts_of(info->soc).mhz;
}

uint32_t op_info_clock_mhz(const struct op_info *info)
{
    return info->current_mhz ? info->current_mhz : op_info_rated_mhz(info);
}

void op_info_set_name(struct op_info *info, const char *kernel)
{
    const char *mangled = strstr(kernel, "_Z");
    size_t length = strlen(kernel);

    if (mangled && isdigit((unsigned char)mangled[2])) {
        size_t count = 0;
        const char *at = mangled + 2;

        for (; isdigit((unsigned char)*at) && count < sizeof(info->name); at++)
            count = count * 10 + (size_t)(*at - '0');
        if (count && count <= strlen(at)) {
            kernel = at;
            length = count;
        }
    }
    snprintf(info->name, sizeof(info->name), "%.*s", (int)length, kernel);
}

enum value_kind { VALUE_NAME, VALUE_SOC, VALUE_NUMBER, VALUE_MHZ, VALUE_FLAG };

/* Ticks Khz to Simulated are keys of muster, which the vendor's tool ignores. */
static const struct key {
    const char *name;
    enum value_kind kind;
    size_t offset;
} keys[] = {
    {"Op Name", VALUE_NAME, 0},
    {"Block Dim", VALUE_NUMBER, offsetof(struct op_info, block_dim)},
    {"Run Soc Version", VALUE_SOC, 0},
    {"Device Id", VALUE_NUMBER, offsetof(struct op_info, device)},
    {"Pid", VALUE_NUMBER, offsetof(struct op_info, pid)},
    {"Current Freq", VALUE_MHZ, offsetof(struct op_info, current_mhz)},
    {"Rated Freq", VALUE_MHZ, offsetof(struct op_info, rated_mhz)},
    {"Is MC2", VALUE_FLAG, offsetof(struct op_info, is_mc2)},
    {"Is Lccl", VALUE_FLAG, offsetof(struct op_info, is_lccl)},
    {"Ticks Khz", VALUE_NUMBER, offsetof(struct op_info, ticks_khz)},
    {"Core Count", VALUE_NUMBER, offsetof(struct op_info, core_count)},
    {"Hbm Maker", VALUE_NUMBER, offsetof(struct op_info, hbm_maker)},
    {"Simulated", VALUE_FLAG, offsetof(struct op_info, simulated)},
    {"Has Simt", VALUE_FLAG, offsetof(struct op_info, has_simt)},
};

static int set_number(struct op_info *info,
                      const struct key *key,
                      const char *value,
                      struct err *err)
{
    uint32_t *out = (uint32_t *)(void *)((char *)info + key->offset);
    uint64_t number;

    if (!num_parse_u64(value, &number) || number > UINT32_MAX) {
        if (key->kind == VALUE_MHZ)
            return 0; /* NA or N/A: not known */
        return err_set(err, ERR_INPUT, "%s: '%.40s' is not a number", key->name, value);
    }
    *out = (uint32_t)number;
    return 0;
}

static int set_value(struct op_info *info,
                     const struct key *key,
                     const char *value,
                     struct err *err)
{
    switch (key->kind) {
    case VALUE_NAME:
        op_info_set_name(info, value);
        return 0;
    case VALUE_SOC:
        info->chip = chip_of_soc(value);
        if (info->chip == CHIP_UNKNOWN)
            return err_set(err, ERR_INPUT, "chip '%.40s' is not supported", value);
        snprintf(info->soc, sizeof(info->soc), "%s", value);
        return 0;
    case VALUE_FLAG:
        *((bool *)info + key->offset) = strcmp(value, "1") == 0;
        return 0;
    case VALUE_NUMBER:
    case VALUE_MHZ:
        break;
    }
    return set_number(info, key, value, err);
}

/* Splits at '='. Returns false unless the line has exactly one. */
static bool split(char *line, char **value)
{
    char *equals = strchr(line, '=');

    if (!equals || strchr(equals + 1, '='))
        return false;
    *equals = '\0';
    *value = equals + 1;
    return true;
}

static int
read_line(struct op_info *info, char *line, size_t *unknown_lines, struct err *err)
{
    char *value;

    if (!split(line, &value)) {
        *unknown_lines += *line != '\0';
        return 0;
    }
    for (size_t i = 0; i < COUNT(keys); i++)
        if (strcmp(line, keys[i].name) == 0)
            return set_value(info, &keys[i], value, err);
    return 0; /* a key of a newer tool */
}

int op_info_parse(struct op_info *info,
                  const char *text,
                  size_t size,
                  size_t *unknown_lines,
                  struct err *err)
{
    struct op_info found = {.chip = CHIP_UNKNOWN};
    const char *end = text + size;

    *unknown_lines = 0;
    while (text < end) {
        char line[LINE_MAX_BYTES];
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);

        if (length >= sizeof(line) || memchr(text, '\0', length)) {
            ++*unknown_lines;
        } else {
            memcpy(line, text, length);
            line[length] = '\0';
            if (length && line[length - 1] == '\r')
                line[length - 1] = '\0';
            if (read_line(&found, line, unknown_lines, err) < 0)
                return -1;
        }
        text += length + 1;
    }
    if (found.chip == CHIP_UNKNOWN)
        return err_set(err, ERR_INPUT, "'Run Soc Version' is missing");
    op_info_fill(&found);
    *info = found;
    return 0;
}
