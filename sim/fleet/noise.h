/* noise.h - the seeded noise of modelled times
 *
 * Equal seeds and settings give equal noise in every process. NPU_SIM_NOISE is a factor
 * on all noise; 0 switches it off. */
#ifndef SIM_FLEET_NOISE_H
#define SIM_FLEET_NOISE_H

#include <stdint.h>

/* Mixes two numbers, for the seeds of different things. */
uint64_t npu_sim_noise_mix(uint64_t a, uint64_t b);
uint64_t npu_sim_noise_seed(void); /* NPU_SIM_SEED, or that of the fleet file */
/* Returns a number from 0 to `most`, times the setting; it depends only on the seed. */
double npu_sim_noise_of(double most, uint64_t seed);

#endif
