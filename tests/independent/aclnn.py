"""aclnn.py - calls operators of the vendor's interface from Python, a thread per card

Uses the public C functions only. A test gives run_ranks() a function; it runs once per
rank with a Rank, which has tensors and calls.
"""
import ctypes
import os
import struct
import threading

FLOAT, FLOAT16, INT8, INT32, INT64, UINT64, BOOL, BF16 = 0, 1, 2, 3, 9, 10, 12, 27
HIFLOAT8, FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E8M0 = 34, 35, 36, 37
CODES = {FLOAT: "f", FLOAT16: "e", INT8: "b", INT32: "i", INT64: "q", UINT64: "Q", BOOL: "B"}
NULLPTR, INVALID = 161001, 161002
VOID = ctypes.c_void_p


def bfloat_bits(value):
    """Rounds to the nearest bfloat, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF


def pack(kind, values):
    if kind == BF16:
        return struct.pack(f"<{len(values)}H", *[bfloat_bits(v) for v in values])
    if kind not in CODES:
        return bytes(values)
    return struct.pack(f"<{len(values)}{CODES[kind]}", *values)


def unpack(kind, data):
    if kind == BF16:
        words = struct.unpack(f"<{len(data) // 2}H", data)
        return [struct.unpack("<f", struct.pack("<I", w << 16))[0] for w in words]
    if kind not in CODES:
        return list(data)
    return list(struct.unpack(f"<{len(data) // struct.calcsize(CODES[kind])}{CODES[kind]}", data))


def size_of(kind):
    return 2 if kind == BF16 else struct.calcsize(CODES.get(kind, "B"))


class Libraries:
    def __init__(self):
        home = os.environ.get("ASCEND_HOME_PATH", "")
        folder = os.path.join(home, "lib64", "") if home else ""
        mode = ctypes.RTLD_GLOBAL
        self.acl = ctypes.CDLL(folder + "libascendcl.so", mode)
        self.hccl = ctypes.CDLL(folder + "libhccl.so", mode)
        self.base = ctypes.CDLL(folder + "libnnopbase.so", mode)
        self.api = ctypes.CDLL(folder + "libopapi.so", mode)
        self.base.aclCreateTensor.restype = VOID
        self.base.aclCreateIntArray.restype = VOID
        self.base.aclCreateTensorList.restype = VOID


LIB = None


def check(code, what):
    if code:
        raise RuntimeError(f"{what} returned {code}")


class Tensor:
    """A tensor on a card. values: one number for each element, or a number for all."""

    def __init__(self, shape, kind, values=0, swapped=False):
        self.shape, self.kind = list(shape), kind
        self.count = 1
        for size in shape:
            self.count *= size
        if not isinstance(values, (list, tuple)):
            values = [values] * self.count
        strides = None
        if swapped:  # stored transposed; the shape is that of the view
            rows, columns = shape
            values = [values[i * columns + j] for j in range(columns) for i in range(rows)]
            strides = (ctypes.c_int64 * 2)(1, rows)
        self.bytes = self.count * size_of(kind)
        self.address = VOID()
        check(LIB.acl.aclrtMalloc(ctypes.byref(self.address), ctypes.c_size_t(max(self.bytes, 1)), 0), "aclrtMalloc")
        self.write(pack(kind, values))
        dims = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        stored = (ctypes.c_int64 * 2)(*shape[::-1]) if swapped else dims
        self.handle = VOID(LIB.base.aclCreateTensor(
            dims, ctypes.c_uint64(len(shape)), kind, strides, ctypes.c_int64(0), 2, stored,
            ctypes.c_uint64(len(shape)), self.address))
        if not self.handle:
            raise RuntimeError("aclCreateTensor returned NULL")

    def write(self, data):
        check(LIB.acl.aclrtMemcpy(self.address, ctypes.c_size_t(len(data)), data, ctypes.c_size_t(len(data)), 1),
              "aclrtMemcpy") if data else None

    def raw(self):
        data = ctypes.create_string_buffer(max(self.bytes, 1))
        if self.bytes:
            check(LIB.acl.aclrtMemcpy(data, ctypes.c_size_t(self.bytes), self.address, ctypes.c_size_t(self.bytes), 2),
                  "aclrtMemcpy")
        return data.raw[:self.bytes]

    def read(self):
        return unpack(self.kind, self.raw())


def int_array(values):
    array = (ctypes.c_int64 * max(len(values), 1))(*values)
    return VOID(LIB.base.aclCreateIntArray(array, ctypes.c_uint64(len(values))))


def tensor_list(tensors):
    array = (VOID * max(len(tensors), 1))(*[t.handle for t in tensors])
    return VOID(LIB.base.aclCreateTensorList(array, ctypes.c_uint64(len(tensors))))


def read_card(address, size):
    data = ctypes.create_string_buffer(size)
    check(LIB.acl.aclrtMemcpy(data, ctypes.c_size_t(size), VOID(address), ctypes.c_size_t(size), 2), "aclrtMemcpy")
    return data.raw


def clear_card(address, size):
    check(LIB.acl.aclrtMemset(VOID(address), ctypes.c_size_t(size), 0, ctypes.c_size_t(size)), "aclrtMemset")


class Shape:
    """A handle to a tensor whose shape or type its memory need not have. Only for checks of arguments."""

    def __init__(self, shape, kind, address):
        dims = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self.handle = VOID(LIB.base.aclCreateTensor(dims, ctypes.c_uint64(len(shape)), kind, None, ctypes.c_int64(0), 2, dims,
                                                    ctypes.c_uint64(len(shape)), address))


class Single(float):
    """A C float; other Python floats become C doubles."""


def argument(value):
    if isinstance(value, (Tensor, Shape)):
        return value.handle
    if isinstance(value, bool):
        return ctypes.c_bool(value)
    if isinstance(value, int):
        return ctypes.c_int64(value)
    if isinstance(value, Single):
        return ctypes.c_float(value)
    if isinstance(value, float):
        return ctypes.c_double(value)
    if isinstance(value, str):
        return ctypes.c_char_p(value.encode())
    return value  # None, or an array


class Rank:
    def __init__(self, rank, ranks, comm, barrier, shared):
        self.rank, self.ranks, self.comm, self.barrier, self.shared = rank, ranks, comm, barrier, shared
        self.stream = VOID()
        check(LIB.acl.aclrtSetDevice(rank), "aclrtSetDevice")
        check(LIB.acl.aclrtCreateStream(ctypes.byref(self.stream)), "aclrtCreateStream")
        self.group = self.name_of(comm)

    def name_of(self, comm):
        name = ctypes.create_string_buffer(128)
        check(LIB.hccl.HcclGetCommName(comm, name), "HcclGetCommName")
        return name.value.decode()

    def meet(self):
        """Waits for the threads of all ranks."""
        self.barrier.wait(60)

    def groups(self, tp):
        """Divides the ranks into groups of tp neighbours, and into groups across these.
        Returns the names of this rank's group across and of its neighbours; all ranks must call it."""
        if self.rank == 0 and tp not in self.shared:
            rows = [list(range(self.ranks))[i:i + tp] for i in range(0, self.ranks, tp)]
            self.shared[tp] = [create_comms(cards) for cards in [list(c) for c in zip(*rows)] + rows]
            check(LIB.acl.aclrtSetDevice(self.rank), "aclrtSetDevice")
        self.meet()
        comms = self.shared[tp]
        return [self.name_of(comms[self.rank % tp][self.rank]), self.name_of(comms[tp + self.rank // tp][self.rank])]

    def window(self):
        """Returns the address of this rank's receive window, and its size."""
        address, size = VOID(), ctypes.c_uint64(0)
        check(LIB.hccl.HcclGetHcclBuffer(self.comm, ctypes.byref(address), ctypes.byref(size)), "HcclGetHcclBuffer")
        return address.value, size.value

    def ask(self, name, *arguments):
        """Returns the status, the workspace size and the executor."""
        size, executor = ctypes.c_uint64(0), VOID()
        values = [argument(a) for a in arguments]
        status = getattr(LIB.api, name + "GetWorkspaceSize")(*values, ctypes.byref(size), ctypes.byref(executor))
        return status, size.value, executor

    def call(self, name, *arguments):
        status, size, executor = self.ask(name, *arguments)
        check(status, name + "GetWorkspaceSize")
        workspace = VOID()
        if size:
            check(LIB.acl.aclrtMalloc(ctypes.byref(workspace), ctypes.c_size_t(size), 0), "aclrtMalloc")
        check(getattr(LIB.api, name)(workspace, ctypes.c_uint64(size), executor, self.stream), name)
        check(LIB.acl.aclrtSynchronizeStreamWithTimeout(self.stream, 60000), name + " on the stream")
        if size:
            check(LIB.acl.aclrtFree(workspace), "aclrtFree")


def create_comms(cards):
    """Creates a communicator over cards; returns its handle on each card."""
    comms = (VOID * len(cards))()
    devices = (ctypes.c_int32 * len(cards))(*cards)
    check(LIB.hccl.HcclCommInitAll(ctypes.c_uint32(len(cards)), devices, comms), "HcclCommInitAll")
    return {card: VOID(comm) for card, comm in zip(cards, comms)}


def run_ranks(ranks, function):
    """Runs function(rank) in a thread per card; returns the results in rank order."""
    global LIB
    LIB = LIB or Libraries()
    LIB.acl.aclInit(None)
    for device in range(ranks):
        check(LIB.acl.aclrtSetDevice(device), "aclrtSetDevice")
    comms, shared = create_comms(range(ranks)), {}
    results, failures = [None] * ranks, []
    barrier = threading.Barrier(ranks)

    def body(number):
        try:
            results[number] = function(Rank(number, ranks, comms[number], barrier, shared))
        except Exception as problem:  # a thread must not end without a word
            barrier.abort()
            failures.append(f"rank {number}: {problem!r}")

    threads = [threading.Thread(target=body, args=(i,)) for i in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for group in [comms] + [group for groups in shared.values() if isinstance(groups, list) for group in groups]:
        for comm in group.values():
            LIB.hccl.HcclCommDestroy(comm)
    if failures:
        raise RuntimeError("; ".join(failures))
    return results
