"""replaced.py - replaces each argument of each call in turn

A call with a replaced argument must return 0 or a documented code, and must not crash. Tensors that are larger than any
memory, and types that no operator has, are refused. The call itself follows unchanged.
"""
import aclnn
from aclnn import INVALID, NULLPTR, Rank, Shape, Tensor, UINT64, VOID, int_array

COMPLEX64 = 16
LARGE, LARGER = 1 << 31, 1 << 62  # of each dimension; products of the second one overflow to 0
NUMBERS = (-1, 0, 1, 2, 7, 1 << 31, 1 << 32, (1 << 63) - 1, -1 << 63)
NAMES = (None, "", "no such group", "x" * 127, "x" * 128, "x" * 1000)


# Tensors that the functions do not read: counts of the tensor group, scales and tokens that only other
# algorithms need, and the tensor of a barrier.
COMBINE = "aclnnMoeDistributeCombine"
UNUSED = {("aclnnDistributeBarrier", 0), ("aclnnDistributeBarrierV2", 0), (COMBINE + "Teardown", 1), (COMBINE + "V4", 13),
          *[(COMBINE + version, at) for version in ("", "V2", "V3", "V4") for at in (5, 10)],
          *[(COMBINE + "AddRmsNorm" + version, at) for version in ("", "V2") for at in (7, 12)],
          (COMBINE + "AddRmsNormV2", 15)}


def other_tensors(tensor):
    """Yields (what changes, tensor, whether it must be refused)."""
    shape, kind, at = tensor.shape, tensor.kind, tensor.address
    first, last = shape[0] if shape else 1, shape[-1] if shape else 1
    yield "no tensor", None, False
    yield "another type", Shape(shape, UINT64, at), False
    yield "an unknown type", Shape(shape, COMPLEX64, at), True
    yield "a column more", Shape(shape[:-1] + [last + 1], kind, at), False
    yield "a row more", Shape([first + 1] + shape[1:], kind, at), False
    yield "a row less", Shape([max(first - 1, 0)] + shape[1:], kind, at), False
    yield "one dimension", Shape([tensor.count], kind, at), False
    yield "a dimension more", Shape([1] + shape, kind, at), False
    yield "no dimension", Shape([], kind, at), False
    yield "no element", Shape([0] * len(shape), kind, at), False
    yield "no memory", Shape(shape, kind, VOID(None)), False
    yield "eight dimensions", Shape([1] * 8, kind, at), False
    for size in (LARGE, LARGER):
        yield f"dimensions of {size}", Shape([size] * 2, kind, at), True


def others(value):
    if isinstance(value, Tensor):
        yield from other_tensors(value)
    elif isinstance(value, bool):
        yield "the contrary", not value, False
    elif isinstance(value, int):
        yield from ((str(number), number, False) for number in NUMBERS)
    elif isinstance(value, float):
        yield from ((str(number), type(value)(number), False) for number in (float("nan"), float("inf"), -1.0, 0.0))
    elif isinstance(value, str):
        yield from ((repr(name)[:20], name, False) for name in NAMES)
    elif isinstance(value, VOID):  # an array of numbers, or of tensors: another array is only possible for the first
        yield "no array", None, False


class Replacer:
    """Counts the calls, and keeps those that were wrong."""

    def __init__(self):
        self.seen, self.count, self.bad = set(), 0, []

    def ask(self, rank, name, arguments):
        for at, value in enumerate(arguments):
            for what, other, is_refused in others(value):
                if isinstance(other, Shape) and not other.handle:
                    continue  # aclCreateTensor refused it
                status = rank.ask(name, *arguments[:at], other, *arguments[at + 1:])[0]
                self.count += 1
                if status not in (0, NULLPTR, INVALID):
                    self.bad.append(f"{name}: argument {at}: {what}: {status}")
                if is_refused and status == 0 and (name, at) not in UNUSED:
                    self.bad.append(f"{name}: argument {at}: {what} is accepted")

    def install(self):
        call = Rank.call

        def replaced(rank, name, *arguments):
            if rank.rank == 0 and name not in self.seen:
                self.seen.add(name)
                self.ask(rank, name, list(arguments))
            return call(rank, name, *arguments)
        Rank.call = replaced
