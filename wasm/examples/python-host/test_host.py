"""Holds the host to the corpus of modules (`host/conformance/hostile/README.md`): `python test_host.py CORPUS ENGINE`.

CORPUS is what `adjudicate conformance --export` wrote, ENGINE the engine as a module. Each case is a test, in the form of TAP.
"""

import hashlib
import json
import resource
import subprocess
import sys
import zlib
from pathlib import Path

from adjudicate_host import Limits, Module
from documents import ModuleError, check_carried

# The capabilities that this host lacks; `README.md` has the reasons.
LACKS = ("memory", "code", "effort")


def expected_of(corpus, case):
    outcomes = [case["without"][name] for name in LACKS if name in case.get("without", {})]
    outcome = case["outcome"] if not outcomes else None if None in outcomes else outcomes[0]
    return {"ok": corpus["answer"]} if outcome == "answer" else outcome


def outcomes_of(corpus, case, folder):
    limits = Limits(**{**corpus["limits"], **case.get("limits", {})})
    try:
        module = Module((folder / case["module"]).read_bytes(), limits)
    except ModuleError as error:
        return [{"load": error.code}]
    data = case.get("input", corpus["input"]).encode()
    data += b" " * (case.get("pad_to", 0) - len(data))
    outcomes = []
    for _ in range(case.get("calls", 1)):
        try:
            outcomes.append({"ok": module.call(case.get("operation", corpus["operation"]), data)})
        except ModuleError as error:
            outcomes.append({"call": error.code})
    return outcomes


def run_apart(folder, case):
    """Runs a case in which nothing is asked of a host like this one but that it lives: in a process that may take ten seconds."""
    try:
        subprocess.run([sys.executable, __file__, folder, case["name"]], timeout=10, capture_output=True)
    except subprocess.TimeoutExpired:
        pass


def carried_faults():
    """What is wrong with how the policies that modules carry are read."""
    document = b'{"policy":"p","rules":[{"id":"r"}],"version":"1.0.0"}'
    label = {"name": "p", "version": "1.0.0", "digest": hashlib.sha256(document).hexdigest().upper(), "rules": ["r"]}
    packed = zlib.compress(document)
    bomb = zlib.compress(bytes(64 << 20))
    faults = []
    for sections, said, expected in (
            ([], label, None), ([packed], label, None), ([packed], None, "/policy"), ([packed, packed], label, ""),
            ([document], label, ""), ([packed[:-5]], label, ""), ([packed[:-1]], label, ""), ([bomb], label, ""), ([b""], label, ""),
            ([packed + b"x"], label, ""), ([packed * 2], label, ""), ([packed + b"x" + packed[-4:]], label, ""),
            ([zlib.compress(document + b" ")], label, "/policy/digest"), ([packed], {**label, "name": "q"}, "/policy/name"),
            ([packed], {**label, "version": "2.0.0"}, "/policy/version"), ([packed], {**label, "rules": []}, "/policy/rules")):
        try:
            check_carried(sections, {} if said is None else {"policy": said})
            found = None
        except ModuleError as error:
            found = error.path if error.code == "module_manifest" else error.code
        if found != expected:
            faults.append(f"expected {expected}, found {found}")
    return faults


def main(folder, engine):
    # The corpus has bombs. One that this host lets through is to end this process, and not the machine's work.
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    folder = Path(folder)
    corpus = json.loads((folder / "cases.json").read_text())
    apart = [case for case in corpus["cases"] if case["name"] == engine]
    if apart:
        print(outcomes_of(corpus, apart[0], folder))
        return 0
    unknown = set(LACKS) - set(corpus["capabilities"])
    assert not unknown, f"the corpus knows nothing of {unknown}"
    good = Module((folder / next(case["module"] for case in corpus["cases"] if case["name"] == corpus["good"])).read_bytes())
    failed = 0
    for number, case in enumerate(corpus["cases"], start=1):
        expected, found = expected_of(corpus, case), []
        if expected is None:
            run_apart(folder, case)
        else:
            found = outcomes_of(corpus, case, folder)
        passed = all(outcome == expected for outcome in found) and (
            good.call(corpus["operation"], corpus["input"]) == corpus["answer"])
        failed += not passed
        print(f"{'ok' if passed else 'not ok'} {number} - {case['name']}")
        if not passed:
            print(f"  expected {expected}, found {found}")
    module = Module(Path(engine).read_bytes())
    answer = json.loads(module.call("evaluate", corpus["input"]))
    passed = set(answer) == {"decision", "findings", "loop", "policy"}
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {len(corpus['cases']) + 1} - the engine answers")
    faults = carried_faults()
    failed += bool(faults)
    total = len(corpus["cases"]) + 2
    print(f"{'not ok' if faults else 'ok'} {total} - a carried policy is the one that the manifest says {faults or ''}")
    print(f"1..{total}\n# pass {total - failed}\n# fail {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
