/* fake_dcmi.c - for card_health_test: a card that is as TOY_HEALTH says */
#include <stdlib.h>

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
    return number("TOY_INIT", 0);
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
    *state = card == 1 ? (unsigned)number("TOY_HEALTH", 0) : 0;
    return number("TOY_FAILS", 0);
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
