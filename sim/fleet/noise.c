#include "sim/fleet/noise.h"

#include "sim/card/model.h"
#include "sim/fleet/config.h"

uint64_t npu_sim_noise_mix(uint64_t a, uint64_t b)
{
    return model_hash(a, b);
}

uint64_t npu_sim_noise_seed(void)
{
    return config_get()->seed;
}

double npu_sim_noise_of(double most, uint64_t seed)
{
    return most * config_get()->noise * ((double)(seed >> 11) / 0x1p53);
}
