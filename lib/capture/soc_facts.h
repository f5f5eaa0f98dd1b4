/* soc_facts.h - models of cards, with clock and number of cores
 *
 * The facts are for raw data in which the driver's figures are missing. */
#ifndef LIB_CAPTURE_SOC_FACTS_H
#define LIB_CAPTURE_SOC_FACTS_H

#include <stddef.h>
#include <stdint.h>

struct soc_facts {
    uint32_t mhz;        /* rated clock of the cores */
    uint32_t core_count; /* cubes */
};

/* Returns the facts of a model such as Ascend910B4. A model without a row of its own
 * gets the figures of its family, which are the vendor's defaults. */
struct soc_facts soc_facts_of(const char *soc);
/* Returns the model to simulate or to forecast for a pattern such as "Ascend910B*", or
 * NULL when no model matches. */
const char *soc_first_match(const char *pattern);
/* Returns the models that the simulated NPU has, then NULL. */
const char *soc_simulated_at(size_t index);
/* Returns them as one text, each family with the first name in full. */
const char *soc_simulated_names(void);

#endif
