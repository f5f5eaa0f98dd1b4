/* links_test.c - flows share resources, and a planted slow link slows no other link */
#include "sim/fleet/links.h"

#include <acl/acl.h>
#include <ascend_hal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/unit.h"

#define BYTES 28000000ull /* one millisecond on a link of 28 GB/s */

enum { MESH, SWITCHED, PCIE };
enum { FLOWS_MAX = 40 };

static struct npu_sim_flow
flow(uint32_t host, uint32_t from, uint32_t to_host, uint32_t to)
{
    return (struct npu_sim_flow){{host, from}, {to_host, to}, BYTES};
}

/* Returns the time from the common start of all flows to the last arrival. */
static uint64_t last_arrival(const struct npu_sim_flow *flows, size_t count)
{
    uint64_t ns[FLOWS_MAX], last = 0;

    assert_true(count <= FLOWS_MAX);
    npu_sim_link_each_ns(flows, count, ns);
    for (size_t i = 0; i < count; i++)
        last = ns[i] > last ? ns[i] : last;
    return last;
}

static uint64_t alone(uint32_t host, uint32_t from, uint32_t to_host, uint32_t to)
{
    struct npu_sim_flow one = flow(host, from, to_host, to);

    return last_arrival(&one, 1);
}

static void each_pair_of_a_board_has_its_link(void **ctx)
{
    struct npu_sim_flow two[] = {flow(MESH, 0, MESH, 1), flow(MESH, 0, MESH, 2)};
    struct npu_sim_flow same[] = {flow(MESH, 0, MESH, 1), flow(MESH, 0, MESH, 1)};

    (void)ctx;
    assert_int_equal(alone(MESH, 0, MESH, 1), 1000000 + 5000);
    assert_int_equal(last_arrival(two, 2), alone(MESH, 0, MESH, 1));
    assert_int_equal(last_arrival(same, 2), 2 * 1000000 + 5000);
    assert_int_equal(alone(MESH, 3, MESH, 3), 0);
    assert_int_equal(last_arrival(NULL, 0), 0);
}

static void only_the_planted_link_is_slow_and_both_ways(void **ctx)
{
    (void)ctx;
    assert_int_equal(alone(MESH, 2, MESH, 5), 4 * 1000000 + 5000);
    assert_int_equal(alone(MESH, 5, MESH, 2), 4 * 1000000 + 5000);
    assert_int_equal(alone(MESH, 2, MESH, 4), 1000000 + 5000);
    assert_true(npu_sim_link_factor((struct npu_sim_place){MESH, 5},
                                    (struct npu_sim_place){MESH, 2}) == 4.0);
}

static void a_port_is_shared_where_cards_are_switched(void **ctx)
{
    struct npu_sim_flow fan[3], dies;

    (void)ctx;
    for (uint32_t i = 0; i < 3; i++)
        fan[i] = flow(SWITCHED, 0, SWITCHED, 2 + i);
    dies = flow(SWITCHED, 0, SWITCHED, 1);
    assert_int_equal(npu_sim_link_of(dies.from, dies.to), NPU_SIM_LINK_SIO);
    assert_int_equal(npu_sim_link_of(fan[0].from, fan[0].to), NPU_SIM_LINK_HCCS_SW);
    assert_in_range(last_arrival(fan, 3) - 5000, 3 * (last_arrival(fan, 1) - 5000) - 3,
                    3 * (last_arrival(fan, 1) - 5000) + 3);
}

/* Three flows leave card 4 through its port of 196 GB/s; only one has a slow link. */
static void a_slow_link_leaves_the_other_flows_of_its_port_alone(void **ctx)
{
    struct npu_sim_flow fan[3] = {flow(SWITCHED, 4, SWITCHED, 6),
                                  flow(SWITCHED, 4, SWITCHED, 7),
                                  flow(SWITCHED, 4, SWITCHED, 1)};
    uint64_t ns[3], each = 3 * BYTES / 196;

    (void)ctx;
    npu_sim_link_each_ns(fan, 3, ns);
    assert_in_range(ns[0], 5000 + 10 * BYTES / 196 - 1, 5000 + 10 * BYTES / 196 + 1);
    assert_in_range(ns[1], 5000 + each - 1, 5000 + each + 1);
    assert_int_equal(ns[2], ns[1]);
}

static void cards_on_other_boards_share_the_bus(void **ctx)
{
    struct npu_sim_flow two[] = {flow(PCIE, 0, PCIE, 8), flow(PCIE, 1, PCIE, 9)};
    struct npu_sim_flow near[] = {flow(PCIE, 0, PCIE, 2), flow(PCIE, 1, PCIE, 3)};

    (void)ctx;
    assert_int_equal(npu_sim_link_of(two[0].from, two[0].to), NPU_SIM_LINK_PHB);
    assert_int_equal(last_arrival(two, 2) - 5000, 2 * (last_arrival(two, 1) - 5000));
    assert_int_equal(last_arrival(near, 2), last_arrival(near, 1));
}

static void hosts_use_the_network_port_of_each_card(void **ctx)
{
    struct npu_sim_flow in[40];

    (void)ctx;
    for (uint32_t i = 0; i < 40; i++) /* all into one card */
        in[i] = flow(PCIE, i, MESH, 0);
    assert_int_equal(npu_sim_link_of(in[0].from, in[0].to), NPU_SIM_LINK_NET);
    assert_int_equal(last_arrival(in, 1), 2 * 1000000 + 7000); /* 14 GB/s, 7 us */
    assert_int_equal(last_arrival(in, 40), 40 * 2 * 1000000 + 7000);
}

static void a_host_clock_has_the_planted_offset(void **ctx)
{
    (void)ctx;
    assert_int_equal(npu_sim_host_clock_ns(), -1500000);
    assert_string_equal(npu_sim_host_name(), "switched");
    assert_int_equal(npu_sim_host_index(), SWITCHED);
}

static void physical_numbers_are_those_of_the_file(void **ctx)
{
    uint32_t number = 99;
    int64_t physical;

    (void)ctx;
    assert_int_equal(drvDeviceGetPhyIdByIndex(3, &number), 0);
    assert_int_equal(number, 11);
    assert_int_equal(drvDeviceGetIndexByPhyId(15, &number), 0);
    assert_int_equal(number, 7);
    assert_int_equal(drvDeviceGetIndexByPhyId(3, &number), DRV_ERROR_INVALID_DEVICE);
    assert_int_equal(aclrtGetDeviceInfo(7, ACL_DEV_ATTR_PHY_CHIP_ID, &physical), 0);
    assert_int_equal(physical, 15);
}

int main(void)
{
    static const char fleet[] =
        "version: 1\n"
        "hosts:\n"
        "- {name: mesh, cards: 16}\n"
        "- {name: switched, cards: 8, soc: Ascend910_9391, first_physical_id: 8,\n"
        "   clock: {offset_us: -1500}}\n"
        "- {name: pcie, cards: 48, soc: Ascend310P3}\n"
        "links: {between_hosts_gbs: 14, between_hosts_latency_us: 7}\n"
        "faults:\n"
        "- {fault: slow_link, host: switched, card: 4, to_card: 6, factor: 10}\n"
        "- {fault: slow_link, host: mesh, card: 2, to_card: 5, factor: 4}\n"
        "- {fault: slow_link, host: mesh, card: 2, to_card: 5, factor: 9,"
        " after_s: 100000}\n"
        "- {fault: slow_link, host: mesh, card: 2, to_card: 5, factor: 9,"
        " when: {NO_SUCH_VARIABLE: x}}\n";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pair_of_a_board_has_its_link),
        cmocka_unit_test(only_the_planted_link_is_slow_and_both_ways),
        cmocka_unit_test(a_port_is_shared_where_cards_are_switched),
        cmocka_unit_test(a_slow_link_leaves_the_other_flows_of_its_port_alone),
        cmocka_unit_test(cards_on_other_boards_share_the_bus),
        cmocka_unit_test(hosts_use_the_network_port_of_each_card),
        cmocka_unit_test(a_host_clock_has_the_planted_offset),
        cmocka_unit_test(physical_numbers_are_those_of_the_file),
    };
    char path[] = "/tmp/npu_sim_links_XXXXXX";
    int fd = mkstemp(path);
    uint32_t cards = 0;

    if (fd < 0 || write(fd, fleet, sizeof(fleet) - 1) < 0 || close(fd))
        return 1;
    setenv("NPU_SIM_FLEET", path, 1);
    setenv("NPU_SIM_HOST", "switched", 1);
    drvGetDevNum(&cards); /* reads it */
    unlink(path);
    return cards != 8 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
