/* fake_dcmi.c - management library for card_health_test and card_model_test
 *
 * FAKE_DCMI_HEALTH is the health state of card 1, FAKE_DCMI_FAILS the return code of
 * the query, FAKE_DCMI_INIT that of dcmi_init(). */
#include <stdlib.h>
#include <string.h>

int dcmi_init(void);
int dcmi_get_card_id_device_id_from_logicid(int *card, int *chip, unsigned logical);
int dcmi_get_device_health(int card, int chip, unsigned *state);

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);

    return text ? atoi(text) : otherwise;
}

int dcmi_init(void)
{
    return number("FAKE_DCMI_INIT", 0);
}

int dcmi_get_card_id_device_id_from_logicid(int *card, int *chip, unsigned logical)
{
    *card = (int)logical;
    *chip = 0;
    return 0;
}

int dcmi_get_device_health(int card, int chip, unsigned *state)
{
    (void)chip;
    *state = card == 1 ? (unsigned)number("FAKE_DCMI_HEALTH", 0) : 0;
    return number("FAKE_DCMI_FAILS", 0);
}

int dcmi_get_device_pcie_info(int card, int chip, unsigned info[7]);
int dcmi_get_device_pcie_info(int card, int chip, unsigned info[7])
{
    (void)chip;
    info[4] = 3;
    info[5] = 1u << 8 | 0xc1u;
    info[6] = (unsigned)card;
    return 0;
}

/* type, name, version, number of cores */
int dcmi_get_device_chip_info(int card, int chip, char info[3 * 32 + sizeof(int)]);
int dcmi_get_device_chip_info(int card, int chip, char info[3 * 32 + sizeof(int)])
{
    (void)chip;
    strcpy(info + 32, card == 0 ? "910B4" : "Ascend910B4-1");
    return card < 2 ? 0 : -8001;
}
