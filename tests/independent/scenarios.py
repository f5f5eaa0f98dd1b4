"""scenarios.py - generated launches of each chip and operator type"""
from raw import Scenario

EVICTIONS = [11, 22, 33, 44, 60000, 66, 77, 88]
F16, F32, S8, S32 = 0, 15, 27, 24


def transfers(ways):
    """Builds transfers from tuples (device block, sub-block, from, to, bytes...)."""
    found = []
    for block, sub, from_, to, *sizes in ways:
        for i, size in enumerate(sizes):
            found.append((0x10000 + 4096 * len(found), 0x90000 + 4096 * len(found), size, size,
                          0x40 + 8 * (i % 4), block, sub, from_, to))
    return found


A2_CHART = transfers([(0, 0, "GM", "L0A", 1000, 24), (0, 0, "GM", "L0B", 130),
                      (0, 0, "GM", "L1", 5000, 600), (1, 0, "GM", "L0A", 30000000),
                      (1, 0, "L0C", "GM", 512)])
# vector operator: blocks 0 and 1 are the vectors of core 0, block 2 is the first of core 1
VECTOR_CHART = transfers([(0, 0, "GM", "UB", 1000, 128, 129), (0, 0, "UB", "GM", 256),
                          (1, 1, "UB", "GM", 1, 2, 3), (3, 0, "GM", "REG", 4, 200),
                          (3, 0, "REG", "GM", 64), (3, 0, "REG", "PRIVATE", 300),
                          (1, 1, "PRIVATE", "REG", 129), (0, 0, "UB", "REG", 257),
                          (0, 0, "REG", "UB", 100)])
MIX_CHART = transfers([(2, 0, "L1", "UB", 100, 300), (2, 1, "L1", "UB", 257),
                       (0, 0, "UB", "L1", 129), (1, 1, "UB", "GM", 777),
                       (0, 0, "GM", "UB", 1 << 20), (1, 1, "REG", "GM", 5)])
MIX_OPERANDS = {(2, None, F16): (10, 800000), (2, None, S8): (4, 400000),
                (0, None, F32): (9, 999), (0, 0, F32): (100, 6400000),
                (0, 2047, F32): (1, 64), (1, 5, S32): (7, 224000)}

def with_code(code):
    """Returns launches of the binary with the functions first() and second()."""
    first, second = (at for _, at in code.functions)
    end = second + code.sizes["second"]
    counted = [(first, first + 12, 3), (first + 12, second, 0), (second, second + 8, 1 << 33),
               (second + 8, end, 7)]
    pc_start = 0x12C0E000
    moved = []
    for i, (pc, from_, to, address, size) in enumerate((
            (first, "GM", "L1", 0x4000, 5000), (first + 9, "L0C", "GM", 0x4000, 512),
            (second + 4, "GM", "UB", 0x4100, 700), (second + 4, "GM", "UB", 0x4100, 700),
            (second + 21, "L1", "L0A", 0, 512), (second + 30, "UB", "GM", 512 * 8192 * 3, 100))):
        moved.append((address, address, size, size, pc_start + pc, i % 2, 0, from_, to))
    # 30 lines of one cache set, some of them again: more than the set has ways
    moved += [(512 * 8192 * i, 0, 512, 512, pc_start + second + 30, 0, 0, "GM", "UB")
              for i in list(range(30)) + [29, 29, 5]]
    listed = {first + 4 * i: [("R%d" % r, (i + r) % 5) for r in range(i % 4)] +
              [("X7", 1)] * (i in (2, 3, 4)) for i in range(8)}
    sampled = [((pc_start + first) // 8, (1, 2, 3, 4, 5, 6, 7, 8, 9)),
               ((pc_start + second) // 8 + 1, (0, 0, 250, 0, 0, 0, 0, 0, 1)),
               ((pc_start + second) // 8 + 1, (0, 0, 250, 0, 0, 0, 0, 0, 3)),
               ((pc_start + second) // 8 + 100000, (1, 1, 1, 1, 1, 1, 1, 1, 1))]
    both = dict(pc_start=pc_start, counted=counted, chart=moved)
    found = [
        Scenario("detailed", "A2", "Ascend910B4", "mix", 2, 5000,
                 metrics="Default,MemoryDetail,Source", options=["--tracekit"], **both),
        Scenario("counted_only", "A2", "Ascend910B4", "vector", 1, 5000, pc_start=pc_start,
                 metrics="Default,Source", counted=counted),
        Scenario("sampled", "A5", "Ascend950PR_9599", "vector", 2, 5000, simt=1,
                 listed=listed, samples=sampled, metrics="Default,MemoryDetail,Source", **both),
    ]
    for scenario in found:
        scenario.code = code
        scenario.in_code = {pc * 8 - pc_start for pc, _ in scenario.samples
                            if code.inside(pc * 8 - pc_start)}
    return found


SCENARIOS = [
    Scenario("add_vector", "A2", "Ascend910B2", "vector", 5, 60000, l2=EVICTIONS,
             shared_cores=True),
    Scenario("mul_cube", "A2", "Ascend910B3", "cube", 3, 4321, maker=88),
    Scenario("moved_cube", "A2", "Ascend910B4", "cube", 2, 4321, maker=88, chart=A2_CHART,
             metrics="Default,Occupancy,Roofline"),
    Scenario("fused_mix", "A2", "Ascend910B1", "mix", 2, 399, l2=EVICTIONS, current=1800,
             rated=1800),
    Scenario("scaled_mix", "A2", "Ascend910B2", "mix", 2, 399, kernel_scale=True,
             options=["--kernel-scale"]),
    Scenario("half_mix", "A2", "Ascend910B3", "mix", 2, 12345, vectors=1),
    Scenario("other_mix", "A2", "Ascend910_9391", "mix", 1, 70000),
    Scenario("old_core", "310P", "Ascend310P3", "AiCore", 1, 10000, cores=10,
             l2=[1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008],
             metrics="Default,Roofline"),
    Scenario("new_vector", "A5", "Ascend950PR_9599", "vector", 4, 70000),
    Scenario("moved_vector", "A5", "Ascend950PR_9599", "vector", 3, 70000, chart=VECTOR_CHART),
    Scenario("simt_vector", "A5", "Ascend950PR_9571", "vector", 3, 70000, chart=VECTOR_CHART,
             simt=1),
    Scenario("timed_mix", "A5", "Ascend950PR_9599", "mix", 1, 5000, metrics="BasicInfo",
             pipes={(0, 0): [(50, 15, 0b0100101), (70, 15, 0b0000100), (5, 2, 7), (9, 15, 0),
                             (100, 3, 0x405), (31, 15, 0b1001000), (60, 3, 0xC05),
                             (65535, 15, 0)],
                    (1, 2): [(20, 15, 0b10), (30, 10, 9), (40, 15, 0b110000), (50, 15, 0)]},
             warps={(0, 0): [(1000, 1500), (1100, 1700)], (2, 1): [(77, 99)]}),
    Scenario("marked_mix", "A5", "Ascend950PR_9599", "mix", 1, 5000, metrics="BasicInfo",
             regions={("MTE2", 0x601): (0x10, "MOV_OUT_TO_UB"), ("CUBE", 0x601): (0x20, "MMAD"),
                      ("MTE2", 0xE02): (0x1C, "MMAD")},
             pipes={(0, 0): [(50, 4, 0x601), (20, 2, 0x601), (30, 4, 0xE02), (9, 15, 0b100),
                             (11, 4, 0x601), (70, 4, 0xE02), (5, 2, 0x601), (1, 0, 0x600),
                             (1, 0, 0x600), (40, 10, 0x7FF), (60, 10, 0x7FF), (3, 4, 0x601)],
                    (1, 1): [(65535, 5, 0x601), (65535, 5, 0x601)]}),
    Scenario("stamped", "A2", "Ascend910B2", "vector", 2, 5000, metrics="BasicInfo",
             stamps=[(0, 0x10000, (5100, 5300)), (1, 0x10007, (5200, 6000)),
                     (0, 0x10007, (5400, 5500)), (1, 0x10000, (10, 20))]),
    Scenario("new_cube", "A5", "Ascend950DT_9581", "cube", 2, 70000),
    Scenario("new_mix", "A5", "Ascend950PR_9599", "mix", 1, 170000, operands=MIX_OPERANDS,
             chart=MIX_CHART),
    Scenario("plain_mix", "A5", "Ascend950PR_95A1", "mix", 2, 170000),
    Scenario("idle_cache", "A5", "Ascend950PR_9599", "vector", 1, 70000,
             fixed={event: 0 for event in range(1060, 1072)}),
    Scenario("old_busy", "310P", "Ascend310P3", "AiCore", 1, 10000, cores=10,
             fixed={11: 190000, 12: 5000}, metrics="Default,Roofline"),
    Scenario("unknown_mix", "A5", "Ascend950PR_9999", "mix", 1, 170000),
]
