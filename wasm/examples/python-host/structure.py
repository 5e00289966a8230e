"""Reads the manifests and policies of a module from its bytes, and makes the checks that precede compiling."""

from documents import ModuleError


def walk(wasm):
    """Checks each section. Returns the manifests and the policies. The compiler checks the rest."""
    if wasm[:8] != b"\0asm\x01\0\0\0":
        raise ModuleError("module_malformed", "this is not a WebAssembly module of version 1")
    at, manifests, policies = 8, [], []
    while at < len(wasm):
        kind, at = wasm[at], at + 1
        size, at = leb128(wasm, at)
        if at + size > len(wasm):
            raise ModuleError("module_malformed", "a section goes beyond the end")
        section, at = wasm[at:at + size], at + size
        if kind == 0:
            length, start = leb128(section, 0)
            if section[start:start + length] == b"adjudicate.manifest":
                manifests.append(section[start + length:])
            elif section[start:start + length] == b"adjudicate.policy":
                policies.append(section[start + length:])
        elif kind == 2 and leb128(section, 0)[0] > 0:
            raise ModuleError("module_imports", "the module imports something; a policy module imports nothing")
        elif kind == 5:
            check_memories(section)
        elif kind == 8:
            raise ModuleError("module_start", "the module has a start function; do that work in `_initialize`")
        elif kind in (4, 6):
            check_count(section, "tables" if kind == 4 else "globals", 1 if kind == 4 else 1000)
            if kind == 4:
                check_table(section)
        elif kind in BOUNDS:
            check_count(section, *BOUNDS[kind])
            if kind == 9:
                check_elements(section)
    return manifests, policies


BOUNDS = {1: ("types", 10_000), 3: ("functions", 20_000), 7: ("exports", 10_000), 9: ("element segments", 50_000),
          11: ("data segments", 20_000)}


def leb128(data, at, bits=64):
    value = 0
    for shift in range(0, bits, 7):
        if at >= len(data):
            break
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ModuleError("module_malformed", "a number is cut off")


def check_count(section, what, limit):
    count, at = leb128(section, 0)
    if count > len(section) - at:
        raise ModuleError("module_malformed", f"the module declares more {what} than it has")
    if count > limit:
        raise ModuleError("module_too_large", f"the module has {count} {what}, the limit is {limit}")


def check_table(section):
    count, at = leb128(section, 0)
    if count == 0 or len(section) < at + 2 or section[at] == 0x40:
        return  # A table with an initial value belongs to a disabled feature.
    flags, at = section[at + 1], at + 2
    elements, at = leb128(section, at)
    if flags & 1:
        elements = max(elements, leb128(section, at)[0])
    if elements > 10_000 and flags < 2:
        raise ModuleError("module_too_large", f"the table has {elements} elements, the limit is 10000")


def check_elements(section):
    """Limits the elements of all segments together. Each start of an instance writes them without using fuel."""
    elements, (count, at) = 0, leb128(section, 0)
    for _ in range(count):
        form, at = leb128(section, at)
        if form > 7:
            return  # The compiler reports it.
        if not form & 1:
            at = behind_constant(section, leb128(section, at)[1] if form & 2 else at)
        if form & 3:
            if section[at:at + 1] in (b"\x63", b"\x64"):
                return  # A type of several bytes belongs to a disabled feature.
            at += 1
        items, at = leb128(section, at)
        elements += items
        if elements > 50_000:
            raise ModuleError("module_too_large", f"the module has {elements} elements in segments, the limit is 50000")
        for _ in range(items):
            at = behind_constant(section, at) if form & 4 else leb128(section, at)[1]


def behind_constant(section, at):
    """Returns the position after a constant expression."""
    while at < len(section):
        code, at = section[at], at + 1
        if code == 0x0B:
            return at
        if code in NUMBERED:
            at = leb128(section, at)[1]
        else:
            at += {0x43: 4, 0x44: 8}.get(code, 0)
    raise ModuleError("module_malformed", "a constant expression is cut off")


NUMBERED = {0x23, 0x41, 0x42, 0xD0, 0xD2}  # Constants that are followed by a number of variable length.


def check_memories(section):
    count, at = leb128(section, 0)
    if count > 1:
        raise ModuleError("module_memory_type", "the module has more than one memory")
    flags = section[at] if count else 1
    for bit, why in ((4, "has 64-bit addresses"), (2, "is shared between threads"), (8, "has pages of a size of its own")):
        if flags & bit:
            raise ModuleError("module_memory_type", f"the memory {why}")
    if not flags & 1:
        raise ModuleError("module_memory_type", "the memory declares no maximum")
