/* npu_smi.h - the tool that shows the cards, in the layout of the vendor's */
#ifndef SIM_TOOLS_NPU_SMI_H
#define SIM_TOOLS_NPU_SMI_H

#include <stdbool.h>

#define CARDS_LISTED 4096

struct card_list {
    int count;
    int id[CARDS_LISTED];
};

/* what follows `info`; -1 where an option was not given */
struct smi_options {
    const char *type;
    int card, chip, physical;
    bool list, mapping;
};

/* Ends the program when there are none. */
void smi_cards(struct card_list *out);
int smi_devices_of(int card);
const char *smi_health(unsigned health);
/* The name of a process, "" when it has gone. */
void smi_process_name(int pid, char *out, int size);
/* "0000:C1:00.0" */
void smi_bus(int card, int device, char out[16]);

void smi_print_table(void);                         /* info */
void smi_print_list(void);                          /* -l */
void smi_print_mapping(void);                       /* -m */
int smi_print_type(const struct smi_options *wish); /* -t; the exit status */

#endif
