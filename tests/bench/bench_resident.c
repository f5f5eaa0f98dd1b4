/* bench_resident.c - time of an empty point in a resident runner
 *
 * The floor is the exchange of two packets with a process (exchange.h). Leases, results
 * and the store take no part in this measurement. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/wire/messages.h"
#include "tests/bench/exchange.h"
#include "tests/bench/ratio.h"
#include "worker/process/resident_runner.h"

enum { CARDS = EXCHANGE_WORKERS, POINTS = 20000 };

struct card {
    struct resident_runner *resident;
    uint64_t next; /* number of the next point */
    bool runs;
    char output[PATH_MAX];
};

struct ground {
    char folder[64];
    struct reactor *reactor;
    struct exchange exchange;
    struct card cards[CARDS];
    uint64_t ended, limit; /* points */
};

static struct ground ground = {.folder = "/tmp/muster-bench-XXXXXX"};

static void die(const struct err *err)
{
    fprintf(stderr, "bench_resident: %s\n", err->text);
    exit(1);
}

static struct msg_lease lease_of(uint64_t number)
{
    static const char *const words[] = {"muster-runner", "library", TOY, "rest", "1"};

    return (struct msg_lease){.run_id = number,
                              .cwd = ground.folder,
                              .command = {words, COUNT(words)},
                              .runner = true,
                              .renew = UINT64_MAX};
}

static void on_end(void *arg, const struct resident_runner_end *end)
{
    struct card *card = arg;

    if (end->status != 0) {
        fprintf(stderr, "bench_resident: point failed: status=%d\n", end->status);
        exit(1);
    }
    card->runs = false;
    ground.ended++;
}

/* Sends further points when earlier ones have ended, as worker/card/card.c does. */
static void send_points(void *arg)
{
    struct err err;

    (void)arg;
    if (ground.ended >= ground.limit) {
        reactor_stop(ground.reactor);
        return;
    }
    for (struct card *card = ground.cards; card < ground.cards + CARDS; card++) {
        while (!card->runs) {
            const struct msg_lease lease = lease_of(card->next++);

            card->runs = true;
            if (resident_runner_run(card->resident, &lease, card->output, -1, on_end,
                                    card, &err) < 0)
                die(&err);
            resident_runner_check_end(card->resident);
        }
        for (uint64_t ahead = 0; ahead < RESIDENT_RUNNER_AHEAD; ahead++) {
            const struct msg_lease lease = lease_of(card->next + ahead);

            if (!resident_runner_send_ahead(card->resident, &lease))
                break;
        }
    }
}

static double resident_us(void *arg)
{
    uint64_t start_ns = clock_mono_ns(), before = ground.ended;
    struct err err;

    (void)arg;
    ground.limit = ground.ended + POINTS;
    if (reactor_run(ground.reactor, &err) < 0)
        die(&err);
    return (double)(clock_mono_ns() - start_ns) / 1000 /
           (double)(ground.ended - before);
}

static double bare_us(void *arg)
{
    (void)arg;
    return exchange_us(&ground.exchange);
}

static void on_child(void *arg)
{
    (void)arg;
    for (struct card *card = ground.cards; card < ground.cards + CARDS; card++)
        resident_runner_reap(card->resident);
}

int main(void)
{
    struct err err;
    double ratio;

    signal(SIGPIPE, SIG_IGN);
    log_open("bench_resident", LOG_WARNING);
    if (!mkdtemp(ground.folder))
        return 1;
    exchange_open(&ground.exchange);
    ground.reactor = reactor_create();
    if (reactor_on_signal(ground.reactor, SIGCHLD, on_child, NULL, &err) < 0)
        die(&err);
    for (uint64_t i = 0; i < CARDS; i++) {
        struct card *card = &ground.cards[i];

        card->resident = resident_runner_create(
            ground.reactor,
            &(struct resident_runner_options){.card = i, .simulated = true});
        card->next = 1;
        snprintf(card->output, sizeof(card->output), "%s/output-%d", ground.folder,
                 (int)i);
    }
    reactor_before_sleep(ground.reactor, send_points, NULL);
    resident_us(NULL); /* warm-up: starts the runners */
    ratio = ratio_median(bare_us, resident_us, NULL);
    for (size_t i = 0; i < CARDS; i++)
        resident_runner_destroy(ground.cards[i].resident);
    reactor_destroy(ground.reactor);
    exchange_close(&ground.exchange);
    folder_remove(ground.folder, &err);
    ratio_print("empty point in a resident runner", ratio,
                "128 B out, 64 B back, SEQPACKET, 16 in flight", ">= 0.25",
                ratio >= 0.25);
    return 0;
}
