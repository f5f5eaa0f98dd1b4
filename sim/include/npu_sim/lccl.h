/* lccl.h - the mark of a kernel that is a lightweight collective: a section of its file
 *
 * Profilers look for the section's name. Stand it once at the top of the kernel file.
 */
#ifndef NPU_SIM_LCCL_H
#define NPU_SIM_LCCL_H

#define NPU_SIM_LCCL_KERNEL                                                            \
    __attribute__((section("Attr_Section_Lcal"),                                       \
                   used)) static const char npu_sim_lccl_mark[] = "lcal"

#endif
