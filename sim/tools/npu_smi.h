/* npu_smi.h - parts of npu-smi, which prints the cards in the layout of the vendor's
 * tool
 */
#ifndef SIM_TOOLS_NPU_SMI_H
#define SIM_TOOLS_NPU_SMI_H

#include <stdbool.h>

#define CARDS_LISTED 4096

struct card_list {
    int count;
    int id[CARDS_LISTED];
};

/* the options after `info`; -1: not given */
struct smi_options {
    const char *type;
    int card, chip, physical;
    bool list, mapping;
};

/* Lists the cards. Ends the program when there are none. */
void smi_cards(struct card_list *out);
int smi_devices_of(int card);
const char *smi_health(unsigned health);
/* Writes the name of a process, or "" when it has ended. */
void smi_process_name(int pid, char *out, int size);
/* Writes a bus address such as "0000:C1:00.0". */
void smi_bus(int card, int device, char out[16]);

void smi_print_table(void);                            /* info */
void smi_print_list(void);                             /* -l */
void smi_print_mapping(void);                          /* -m */
int smi_print_type(const struct smi_options *options); /* -t; returns the exit status */

#endif
