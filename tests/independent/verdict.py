#!/usr/bin/env python3
"""verdict.py - computes exact tests a second time, with fractions, and compares them

    verdict.py VERDICT_FIGURES

Small samples are enumerated; larger ones are counted with polynomials of Python's
unlimited integers. Shifts and intervals come from sorted lists of all pairs.
"""
import itertools
import math
import random
import subprocess
import sys
from collections import Counter
from fractions import Fraction

ENUMERATED = 13  # values in both samples


def midranks(values):
    """Returns the doubled midrank of each value."""
    ordered = sorted(values)
    return [2 * ordered.index(v) + ordered.count(v) + 1 for v in values]


def ways_to_choose(ranks, taken):
    """Returns a counter: sum of ranks -> number of ways to choose so many of them."""
    if len(ranks) <= ENUMERATED:
        return Counter(sum(c) for c in itertools.combinations(ranks, taken))
    by_taken = [Counter() for _ in range(taken + 1)]
    by_taken[0][0] = 1
    for rank in ranks:
        for t in range(taken, 0, -1):
            for total, ways in by_taken[t - 1].items():
                by_taken[t][total + rank] += ways
    return by_taken[taken]


def ways_to_sign(ranks):
    if len(ranks) <= ENUMERATED:
        return Counter(sum(r for r, s in zip(ranks, signs) if s)
                       for signs in itertools.product((0, 1), repeat=len(ranks)))
    ways = Counter({0: 1})
    for rank in ranks:
        longer = Counter(ways)
        for total, count in ways.items():
            longer[total + rank] += count
        ways = longer
    return ways


def shares(ways, limit):
    everything = sum(ways.values())
    above = sum(w for total, w in ways.items() if total >= limit)
    below = sum(w for total, w in ways.items() if total <= limit)
    return Fraction(above, everything), Fraction(below, everything)


def places(ways, step, first, limit=Fraction(1, 20)):
    """Returns the largest k whose tail below k has at most this probability."""
    everything, tail, k = sum(ways.values()), 0, 0
    while True:
        tail += ways[first + step * k]
        if Fraction(tail, everything) > limit:
            return k
        k += 1


def summary(pairs, k):
    pairs = sorted(pairs)
    middle = (pairs[(len(pairs) - 1) // 2] + pairs[len(pairs) // 2]) / 2
    return (middle, pairs[k - 1], pairs[-k]) if k else (middle, math.nan, math.nan)


def samples(base, fresh):
    ranks = midranks(base + fresh)
    above, below = shares(ways_to_choose(ranks, len(fresh)), sum(ranks[len(base):]))
    count, m = len(base) + len(fresh), len(fresh)
    without_ties = ways_to_choose(range(1, count + 1), m)
    k = places(without_ties, 1, m * (m + 1) // 2)
    differences = [math.log(b) - math.log(a) for a in base for b in fresh]
    return (above, below, k) + summary(differences, k)


def pairs(changes):
    left = [c for c in changes if c]
    ranks = midranks([abs(c) for c in left])
    positive = sum(r for r, c in zip(ranks, left) if c > 0)
    above, below = shares(ways_to_sign(ranks), positive)
    k = places(ways_to_sign(range(1, len(changes) + 1)), 1, 0)
    averages = [(a + b) / 2 for a, b in itertools.combinations_with_replacement(changes, 2)]
    return (above, below, k) + summary(averages, k)


def cases():
    rng = random.Random(20260301)
    for n in range(2, 21):
        for m in {2, 3, 5, 7, n}:
            ticks = rng.choice((3, 12, 1000))  # few ticks give many ties
            base = [100 + rng.randrange(ticks) / 8 for _ in range(n)]
            fresh = [100 + rng.randrange(ticks) / 8 + rng.choice((0, 1)) for _ in range(m)]
            yield f"samples {n} {m}", base + fresh, samples(base, fresh)
    for n in range(2, 51):
        ticks = rng.choice((3, 12, 1000))
        changes = [rng.randrange(-ticks, 2 * ticks) / 8 for _ in range(n)]
        if any(changes):
            yield f"pairs {n}", changes, pairs(changes)


def is_near(value, expected):
    if math.isnan(expected):
        return math.isnan(value)
    return abs(value - expected) <= 1e-12 * max(1, abs(expected))


def main():
    listed = list(cases())
    text = "".join(f"{head} {' '.join(map(repr, values))}\n" for head, values, _ in listed)
    done = subprocess.run([sys.argv[1]], input=text, text=True, check=True,
                          stdout=subprocess.PIPE)
    lines, wrong = done.stdout.splitlines(), 0
    if len(lines) != len(listed):
        sys.exit(f"verdict.py: {len(lines)} answers for {len(listed)} samples")
    for (head, values, expected), line in zip(listed, lines):
        answer = [float(word) for word in line.split()]
        # A probability is a fraction of integers below 2^53: a division gives its double.
        exact = all(a == float(e) for a, e in zip(answer[:3], expected[:3]))
        if not exact or not all(map(is_near, answer[3:], expected[3:])):
            print(f"{head} {values}: {answer}, not {[float(e) for e in expected]}")
            wrong += 1
    print(f"{len(listed)} samples, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
