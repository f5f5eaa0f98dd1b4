#!/usr/bin/env python3
"""verdict.py - computes exact tests a second time, with fractions, and compares them

    verdict.py VERDICT_FIGURES

Small samples are enumerated; larger ones are counted with polynomials of Python's
unlimited integers. Shifts and intervals come from sorted lists of all pairs. The worked
examples also have the printed figures with which the rule was specified.
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


BASE_5 = [100.00, 100.20, 99.90, 100.10, 100.04]
BASE_10 = [50.00, 50.02, 50.04, 49.98, 50.02, 50.00, 50.06, 50.02, 49.96, 50.04]
NIGHTS = [100.0, 100.2, 99.9, 100.1, 100.3, 99.8, 100.1]

# number: base, new, theta, low and high in per cent, probabilities of worse and better
EXAMPLES = {
    1: ([100.02, 100.10, 99.96], [105.00, 105.12, 104.94], 4.982, 4.835, 5.162, "1/20", "1"),
    2: ([100.02, 100.10, 99.96], [100.06, 100.00, 100.14], 0.040, -0.100, 0.180, "7/20", "4/5"),
    3: (BASE_5, [103.00, 103.30, 102.90, 103.10, 103.12], 3.017, 2.894, 3.203, "1/252", "1"),
    4: (BASE_5, [100.12, 140.00, 99.94, 100.08, 100.16], 0.080, -0.080, 39.721, "53/252", "71/84"),
    5: (BASE_5 + [99.96], [100.12, 140.00, 99.94, 100.08, 100.16, 100.02],
        0.070, -0.060, 0.220, "13/66", "71/84"),
    6: ([10.00] * 2 + [10.02] * 3, [10.02] * 2 + [10.04] * 3, 0.200, 0.000, 0.400, "5/126", "1"),
    7: ([0.80] * 5, [0.82] * 5, 2.500, 2.500, 2.500, "1/252", "1"),
    8: ([0.80] * 5, [0.86] * 5, 7.500, 7.500, 7.500, "1/252", "1"),
    9: (BASE_10, [50.38, 50.42, 50.40, 50.44, 50.36, 50.40, 50.46, 50.42, 50.38, 50.40],
        0.780, 0.720, 0.840, "1/184756", "1"),
    10: (BASE_10[:7], [47.00, 47.10, 46.90, 47.02, 47.04, 46.98, 47.20],
         -5.998, -6.078, -5.838, "1", "1/3432"),
    11: ([100, 104, 97, 111, 99, 102, 108, 96, 103, 100],
         [103, 101, 112, 99, 106, 104, 98, 110, 105, 102],
         2.000, -1.010, 6.000, "7041/46189", "39544/46189"),
    12: ([20.00, 20.02, 20.04, 20.02, 20.00], [20.30, 20.34, 20.62, 20.66, 20.32],
         1.600, 1.497, 3.100, "1/252", "1"),
    13: ([100, 101], [110, 111], 9.950, math.nan, math.nan, "1/6", "1"),
    14: ([30.00, 30.06, 30.02, 30.10, 29.96, 30.08, 30.02, 30.04, 29.98, 30.12, 30.00, 30.06,
          30.04, 29.94, 30.02], [30.92, 30.98, 30.88, 31.02, 30.94],
         3.065, 2.865, 3.204, "1/15504", "1"),
    15: ([20.00, 20.02, 20.04, 20.02, 20.00, 20.06, 20.02], [20.02] * 7,
         0.000, -0.100, 0.100, "153/286", "153/286"),
    16: (NIGHTS, [105.1, 105.3, 104.9, 105.0, 105.2, 104.8, 105.1],
         4.995, 4.795, 5.195, "1/3432", "1"),
    17: (NIGHTS, [100.3, 100.5, 100.2, 100.4, 100.6, 100.1, 100.3],
         0.300, 0.100, 0.500, "7/858", "1711/1716"),
}
PAIRS = {  # number: changes in per cent, theta, low, high, probability of worse
    19: ([3.1, 2.8, 3.4, 2.9, 3.3, 3.0], 3.100, 2.900, 3.300, "1/64"),
    20: ([3.1, 2.8, 3.4, 2.9, 3.3, 3.0, 2.7, 3.2], 3.050, 2.850, 3.250, "1/256"),
    21: ([3.1, 2.8, 3.4, 2.9, 3.3, 3.0, -0.4, 3.2], 3.050, 1.384, 3.250, "1/128"),
    22: ([3.1, 2.8, 3.4, 2.9, 3.3, -0.2, -0.4, 3.2], 2.925, 1.289, 3.250, "5/256"),
    23: ([0.2, -0.1, 0.3, -0.3, 0.1, 0.0, -0.2, 0.4], 0.050, -0.150, 0.250, "13/32"),
    24: ([2.600, 3.095, 2.207, 2.794, 3.480, 2.411, 3.006, 2.708],
         2.773, 2.500, 3.093, "1/256"),
}


def is_printed(number, summary, printed):
    """Prints a difference of more than half of the last printed digit."""
    shown = [100 * math.expm1(value) for value in summary]
    good = all(math.isnan(p) if math.isnan(s) else abs(s - p) <= 5.01e-4
               for s, p in zip(shown, printed))
    if not good:
        print(f"example {number}: {shown}, not {printed}")
    return good


def check_examples():
    """Returns the number of examples whose printed figures differ from this program's."""
    wrong = 0
    for number, (base, new, *printed, worse, better) in EXAMPLES.items():
        above, below, _, *found = samples(base, new)
        wrong += (above, below) != (Fraction(worse), Fraction(better)) or \
            not is_printed(number, found, printed)
    for number, (changes, *printed, worse) in PAIRS.items():
        above, _, _, *found = pairs([math.log1p(change / 100) for change in changes])
        wrong += above != Fraction(worse) or not is_printed(number, found, printed)
    return wrong


def cases():
    for base, new, *_ in EXAMPLES.values():
        base, new = ([float(value) for value in values] for values in (base, new))
        yield f"samples {len(base)} {len(new)}", base + new, samples(base, new)
    for changes, *_ in PAIRS.values():
        logs = [math.log1p(change / 100) for change in changes]
        yield f"pairs {len(logs)}", logs, pairs(logs)
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
    lines, wrong = done.stdout.splitlines(), check_examples()
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
