/* lccl.h - the section that marks a kernel file as a lightweight collective
 *
 * Profilers search for the name of the section. Write the macro once at the top of the
 * kernel file. */
#ifndef NPU_SIM_LCCL_H
#define NPU_SIM_LCCL_H

#define NPU_SIM_LCCL_KERNEL                                                            \
    __attribute__((section("Attr_Section_Lcal"),                                       \
                   used)) static const char npu_sim_lccl_mark[] = "lcal"

#endif
