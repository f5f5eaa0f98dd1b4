/* fake_dcmi.c - management library for the tests of card health, model and serial
 * number
 *
 * FAKE_DCMI_HEALTH is the health state of card 1, FAKE_DCMI_FAILS the return code of
 * the query, FAKE_DCMI_INIT that of dcmi_init(). FAKE_DCMI_SERIAL is the serial number
 * of each board, FAKE_DCMI_CHIPS the number of chips on a board. */
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
    int chips = number("FAKE_DCMI_CHIPS", 1);

    *card = (int)logical / chips;
    *chip = (int)logical % chips;
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

int dcmi_get_device_num_in_card(int card, int *chips);
int dcmi_get_device_num_in_card(int card, int *chips)
{
    (void)card;
    *chips = number("FAKE_DCMI_CHIPS", 1);
    return 0;
}

/* product, model, maker, date, serial number */
int dcmi_get_device_elabel_info(int card, int chip, char label[5][256]);
int dcmi_get_device_elabel_info(int card, int chip, char label[5][256])
{
    const char *serial = getenv("FAKE_DCMI_SERIAL");

    (void)card;
    (void)chip;
    strcpy(label[0], "product");
    strncpy(label[4], serial ? serial : "NA", 255);
    return 0;
}
