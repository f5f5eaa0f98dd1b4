"""scenarios.py - launches of each chip and kind, as a card would have counted them"""
from raw import Scenario

EVICTIONS = [11, 22, 33, 44, 60000, 66, 77, 88]

SCENARIOS = [
    Scenario("add_vector", "A2", "Ascend910B2", "vector", 5, 60000, l2=EVICTIONS,
             shared_cores=True),
    Scenario("mul_cube", "A2", "Ascend910B4", "cube", 3, 4321, maker=88),
    Scenario("fused_mix", "A2", "Ascend910B1", "mix", 2, 399, l2=EVICTIONS, current=1800,
             rated=1800),
    Scenario("half_mix", "A2", "Ascend910B3", "mix", 2, 12345, vectors=1),
    Scenario("other_mix", "A2", "Ascend910_9391", "mix", 1, 70000),
    Scenario("old_core", "310P", "Ascend310P3", "AiCore", 1, 10000, cores=10,
             l2=[1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008],
             metrics="Default,Roofline"),
    Scenario("new_vector", "A5", "Ascend950PR_9599", "vector", 4, 70000),
    Scenario("new_cube", "A5", "Ascend950DT_9581", "cube", 2, 70000),
    Scenario("new_mix", "A5", "Ascend950PR_9599", "mix", 2, 170000),
    Scenario("unknown_mix", "A5", "Ascend950PR_9999", "mix", 1, 170000),
]
