"""Validates every fixture, policy, file of cases and configuration by the schemas in docs/schemas with the Python package jsonschema,
as tests/tests/schemas.rs does with the engine's own validator. operations.json has the schemas of each operation, accepted.json the refused calls that schemas accept."""

import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("ADJUDICATE_CORPUS", ROOT / "target/xtask/corpus.ndjson"))
TABLES = ("operations.json", "accepted.json")
SCHEMAS = {}


def validator(name):
    if name not in SCHEMAS:
        schema = json.loads((ROOT / f"docs/schemas/{name}.schema.json").read_text(encoding="utf-8"))
        Draft202012Validator.check_schema(schema)
        SCHEMAS[name] = Draft202012Validator(schema)
    return SCHEMAS[name]


def fault(name, document):
    """Returns the first error of a document, or None."""
    if validator(name).is_valid(document):
        return None
    return next(validator(name).iter_errors(document)).message[:200]


def read(text):
    """Returns the document in a text, or None for a text that not every JSON parser reads alike."""

    def members(pairs):
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a repeated field")
        return dict(pairs)

    def number(text):
        value = float(text)
        if value == 0 and any(digit in "123456789" for digit in text.lower().split("e")[0]):
            raise ValueError("a number that a float rounds to zero")
        return value

    try:
        document = json.loads(text, object_pairs_hook=members, parse_float=number)
        json.dumps(document, ensure_ascii=False).encode("utf-8")
        return document
    except (ValueError, RecursionError):
        return None


def judge(job):
    """Returns the error of a fixture, or None."""
    case, schemas, is_accepted = job
    answer = read(case["answer"])
    is_error = "error" in answer
    wrong = fault("error" if is_error else schemas["answer"], answer)
    if wrong:
        return f"answer: {wrong}"
    if "call" not in schemas or (is_error and answer["error"]["message"].endswith("more than 128 nested containers")):
        return None
    # A call that is not UTF-8 is no text.
    call = read(case["call"]) if isinstance(case["call"], str) else None
    if call is None:
        return None if is_error else "the call is not JSON"
    wrong = fault(schemas["call"], call)
    if not is_error:
        return wrong and f"call: {wrong}"
    if (wrong is None) != is_accepted:
        return "the schema rejects the call, but accepted.json lists it" if wrong else "the schema accepts the call"
    return None


def jobs():
    operations, reasons = (json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8")) for name in TABLES)
    accepted = {(operation, name) for reason in reasons for operation, names in reason["fixtures"].items() for name in names}
    for line in CORPUS.open(encoding="utf-8", newline="\n"):
        case = json.loads(line)
        schemas = operations.get(case["operation"])
        if schemas:
            yield case, schemas, (case["operation"], case["name"]) in accepted


def edited():
    """Yields the documents that people write, and collected envelopes, each with its file and the name of its schema."""
    for path in sorted((ROOT / "fixtures/collect").glob("*.json")):
        file = json.loads(path.read_text(encoding="utf-8"))
        yield path, "configuration", file["input"]["configuration"]
        yield from ((path, "envelope", case["answer"]) for case in file["cases"])
    files = [(path, "cases" if ".cases." in path.name else "policy") for path in sorted((ROOT / "fixtures/policies").glob("*.[jy]*"))]
    files += [(ROOT / path, schema) for path, schema in (("adjudicate.yaml", "configuration"), ("adjudicate.policy.yaml", "policy"),
              ("host/cli/templates/yaml/policy.yaml", "policy"), ("host/cli/templates/yaml/cases.yaml", "cases"))]
    yield from ((path, schema, yaml.safe_load(path.read_text(encoding="utf-8"))) for path, schema in files)


def main():
    for path in sorted((ROOT / "docs/schemas").glob("*.schema.json")):
        validator(path.name.removesuffix(".schema.json"))
    work, documents = list(jobs()), list(edited())
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(judge, work, chunksize=32))
    failed = [(case, wrong) for (case, _, _), wrong in zip(work, found) if wrong]
    for case, wrong in failed:
        print(f"{case['operation']}/{case['name']}: {wrong}")
    judged = [(path, fault(schema, document)) for path, schema, document in documents]
    refused = [(path, wrong) for path, wrong in judged if wrong]
    for path, wrong in refused:
        print(f"{path.relative_to(ROOT)}: {wrong}")
    wrong = len(failed) + len(refused)
    print(f"{len(work) + len(documents) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
