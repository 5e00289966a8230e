"""A host for policy modules in Python, written from `docs/reference/abi.md` and `modules.md` alone.

    python adjudicate_host.py module.wasm evaluate < envelope.json

It loads modules that it does not trust. It checks a module before any of its code runs, and checks every address that the
module returns. Every call gets a fresh instance with bounded memory, fuel and time. Each failure is a `ModuleError` with a
code of the native host. `README.md` lists the checks that only the native host makes.
"""

import hashlib
import json
import re
import sys
import threading
from dataclasses import dataclass

import wasmtime

from documents import ModuleError, answer_in, check_carried, check_evaluation, read_manifest, strict
from structure import walk

FUNCTIONS = {  # name: parameters, results (all of them i32), whether it is required
    "adjudicate_abi_1": (0, 1, True),
    "adjudicate_alloc": (1, 1, True),
    "adjudicate_call": (3, 1, True),
    "adjudicate_configure": (2, 1, False),
    "_initialize": (0, 0, False),
}
PAGE = 65536
EVALUATE = 1  # the number of the operation


@dataclass(frozen=True)
class Limits:
    module_bytes: int = 16 << 20
    memory_bytes: int = 16 << 20
    stack_bytes: int = 256 << 10
    input_bytes: int = 8 << 20
    output_bytes: int = 4 << 20
    fuel: int = 500_000_000
    deadline_ms: int = 5000


class Module:
    """A checked and compiled module of a supported version."""

    def __init__(self, wasm, limits=Limits()):
        if len(wasm) > limits.module_bytes:
            raise ModuleError("module_too_large", f"the module has {len(wasm)} bytes, the limit is {limits.module_bytes}")
        self.limits = limits
        self.digest = "sha256:" + hashlib.sha256(wasm).hexdigest()
        manifests, policies = walk(wasm)
        self._engine = wasmtime.Engine(configuration(limits))
        try:
            self._compiled = wasmtime.Module(self._engine, wasm)
        except wasmtime.WasmtimeError as error:
            raise refusal_of_compiler(str(error)) from error
        memory = check_exports(self._compiled)
        self.manifest = read_manifest(manifests, memory)
        check_carried(policies, self.manifest)
        check_needs(self.manifest, memory, limits)
        minor = self._run(lambda guest: guest.call("adjudicate_abi_1"))
        if minor != 0:
            raise ModuleError("module_abi", f"the module speaks version 1.{minor} of the interface, this host 1.0")

    def call(self, operation, text):
        """Calls the module with a JSON text. Returns the text of the answer, as the module wrote it."""
        # This host can check the answer of `evaluate` only.
        if operation != "evaluate" or operation not in self.manifest["operations"]:
            raise ModuleError("unsupported_operation", f"the module does not offer `{operation}`")
        data = text.encode() if isinstance(text, str) else bytes(text)
        if len(data) > self.limits.input_bytes:
            raise ModuleError("module_input_too_large", f"the input has {len(data)} bytes")
        value = strict(data, ModuleError)
        text, answer = answer_in(self._run(lambda guest: guest.ask(EVALUATE, data)))
        check_evaluation(value, answer)
        return text

    def _run(self, ask):
        """Calls `ask` with a fresh instance. Interrupts it at the deadline."""
        timer = threading.Timer(self.limits.deadline_ms / 1000, self._engine.increment_epoch)
        timer.start()
        try:
            return ask(Guest(self._engine, self._compiled, self.limits))
        finally:
            timer.cancel()


class Guest:
    """One instance of a module."""

    def __init__(self, engine, compiled, limits):
        self._limits = limits
        self._store = wasmtime.Store(engine)
        self._store.set_limits(memory_size=limits.memory_bytes, table_elements=10_000, instances=1, tables=1, memories=1)
        self._store.set_fuel(limits.fuel)
        self._store.set_epoch_deadline(1)
        try:
            self._exports = wasmtime.Instance(self._store, compiled, []).exports(self._store)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            raise fault(error) from error
        self._memory = self._exports["memory"]
        if "_initialize" in self._exports:
            self.call("_initialize")

    def call(self, name, *arguments):
        try:
            return self._exports[name](self._store, *arguments)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            raise fault(error) from error

    def ask(self, number, data):
        room = max(len(data), 1)  # An empty buffer may be at address 0, which means a refusal.
        address = unsigned(self.call("adjudicate_alloc", room))
        if address == 0:
            raise ModuleError("module_alloc_refused", f"the module did not allocate {room} bytes")
        self._within("the buffer for the input", address, len(data))
        self._memory.write(self._store, data, address)
        record = unsigned(self.call("adjudicate_call", number, signed(address), len(data)))
        fields = self._read("the reply record", record, 8)
        address, length = int.from_bytes(fields[:4], "little"), int.from_bytes(fields[4:], "little")
        if length > self._limits.output_bytes:
            raise ModuleError("module_output_too_large", f"the reply has {length} bytes")
        return self._read("the reply", address, length)

    def _within(self, what, address, length):
        size = self._memory.data_len(self._store)
        if address + length > size:
            raise ModuleError("module_bad_pointer", f"{what} at {address}, {length} bytes long, is outside of {size} bytes")

    def _read(self, what, address, length):
        self._within(what, address, length)
        return bytes(self._memory.read(self._store, address, address + length))


def unsigned(number):
    return number & 0xFFFFFFFF


def signed(number):
    return number - (1 << 32) if number >> 31 else number


def configuration(limits):
    config = wasmtime.Config()
    config.consume_fuel = True
    config.epoch_interruption = True
    config.max_wasm_stack = limits.stack_bytes
    config.cranelift_nan_canonicalization = True
    config.gc_support = False  # This turns off external references, too.
    for feature in ("threads", "simd", "relaxed_simd", "tail_call", "multi_memory", "memory64", "function_references",
                    "gc", "exceptions", "wide_arithmetic", "custom_page_sizes", "stack_switching"):
        setattr(config, f"wasm_{feature}", False)
    return config


def fault(error):
    """Returns the error for a trap."""
    text = str(error)
    for words, code in (("all fuel consumed", "module_out_of_fuel"), ("interrupt", "module_deadline"),
                        ("call stack exhausted", "module_stack"), ("wasm trap", "module_trap")):
        if words in text:
            return ModuleError(code, text.splitlines()[-1])
    return ModuleError("host_fault", text)


def refusal_of_compiler(text):
    is_feature = re.search(r"support is not enabled|proposal|must be enabled|not supported|disallowed|require", text)
    return ModuleError("module_feature" if is_feature else "module_malformed", text)


def check_exports(compiled):
    """Checks the names and types of the exports. Returns the maximum of the memory, in bytes."""
    exports = {export.name: export.type for export in compiled.exports}
    for name in exports:
        if name.startswith("adjudicate_abi_") and name != "adjudicate_abi_1":
            raise ModuleError("module_abi", f"the module exports `{name}`; this host speaks version 1")
        if name.startswith("adjudicate_") and name not in FUNCTIONS:
            raise ModuleError("module_exports", f"`{name}` is not part of the interface")
    memory = exports.get("memory")
    if not isinstance(memory, wasmtime.MemoryType):
        raise ModuleError("module_exports", "the module exports no memory named `memory`")
    for name, (takes, gives, required) in FUNCTIONS.items():
        if name not in exports:
            if required:
                raise ModuleError("module_exports", f"the module exports no `{name}`")
        elif not isinstance(exports[name], wasmtime.FuncType) or (
                [str(kind) for kind in exports[name].params], [str(kind) for kind in exports[name].results]
        ) != (["i32"] * takes, ["i32"] * gives):
            raise ModuleError("module_exports", f"the export `{name}` is not a function of the right type")
    return memory.limits.max * PAGE


def check_needs(manifest, memory, limits):
    if memory > limits.memory_bytes:
        raise ModuleError("module_too_large", f"the memory may grow to {memory} bytes")
    for name, needed in manifest.get("limits", {}).items():
        if not name.startswith("x-") and needed > getattr(limits, name):
            raise ModuleError("module_needs", f"the module needs {needed} of `{name}`", f"/limits/{name}")


def main(path, operation="evaluate"):
    with open(path, "rb") as file:
        wasm = file.read()
    try:
        print(Module(wasm).call(operation, sys.stdin.buffer.read()))
    except ModuleError as error:
        others = {"others": error.others} if error.others else {}
        print(json.dumps({"error": {"code": error.code, "message": error.message, "path": error.path, **others}}), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
