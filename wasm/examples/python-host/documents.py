"""The documents of a host: the manifest, the input and reply of a call, and the contract of answers.

The JSON Schemas of this repository describe the manifest and the answer of `evaluate`.
"""

import decimal
import hashlib
import json
import pathlib
import re
import zlib

import jsonschema

HERE = pathlib.Path(__file__).parent
# The codes that only a host reports, in addition to those that begin with `module_` and `host_`. Generated from the tables of the crates.
HOSTS_OWN = set((HERE / "reserved.txt").read_text(encoding="utf-8").split())


def schema(name):
    text = (HERE / "../../../docs/schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


MANIFEST, EVALUATION = schema("manifest"), schema("module-evaluation")


class ModuleError(Exception):
    """An error: a stable code, a message, and a JSON Pointer into the document, if there is one.

    `others` are the next errors of the same call, as the module wrote them.
    """

    def __init__(self, code, message, path="", others=None):
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.path, self.others = code, message, path, others or []


# Names that a command would parse as an option or a digest.
NO_NAME = re.compile(r"-|sha256:|(?:[0-9a-z+._-]+:)?[0-9a-f]{8,}\Z", re.I | re.A)


def strict(data, error):
    """Parses JSON by the rules of the interface: UTF-8, no repeated keys, no `NaN`, at most 128 levels."""
    def unique(pairs):
        members = dict(pairs)
        if len(members) < len(pairs):
            raise error("duplicate_key", "repeated key")
        return members

    def refuse(constant):
        raise error("malformed_json", f"`{constant}` is not JSON")

    def fraction(digits):
        if abs(float(digits)) == float("inf"):
            raise error("malformed_json", "a number is too large")
        return decimal.Decimal(digits)  # which is no integer to a schema, not even `1.0`

    try:
        text = data.decode()
        if deepest(text) > 128:
            raise error("limit_exceeded", "nested too deep")
        value = json.loads(text, object_pairs_hook=unique, parse_constant=refuse, parse_float=fraction)
        json.dumps(value, ensure_ascii=False, default=str).encode()  # a lone surrogate has no UTF-8
        return value
    except (ValueError, RecursionError) as reason:
        raise error("malformed_json", str(reason)) from reason


def deepest(text):
    """Returns the depth of nested brackets outside of strings."""
    depth = most = 0
    for bracket in re.findall(r'[\[{\]}]', re.sub(r'"[^"\\]*(?:\\.[^"\\]*)*"', "", text)):
        depth += 1 if bracket in "[{" else -1
        most = max(most, depth)
    return most


def conforms(value, validator, code):
    """Raises the first error of a document."""
    for error in validator.iter_errors(value):
        raise ModuleError(code, error.message, "".join(f"/{name}" for name in error.absolute_path))


VERSION = re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}"
                     r"(-(0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?"
                     r"(\+[\dA-Za-z-]+(\.[\dA-Za-z-]+)*)?", re.ASCII)


def read_manifest(manifests, memory):
    """Returns the manifest. Its schema leaves names, versions and the fields that belong together to this function."""
    if len(manifests) != 1 or len(manifests[0]) > 256 << 10:
        raise ModuleError("module_manifest", "manifest: expected one section `adjudicate.manifest` of at most 256 KiB")
    manifest = strict(manifests[0], lambda _, why: refused(why))
    conforms(manifest, MANIFEST, "module_manifest")
    if NO_NAME.match(manifest["name"]):
        raise refused("a module's name does not look like a digest or an option", "/name")
    labels = {"": manifest, "/engine": manifest.get("engine"), "/policy": manifest.get("policy")}
    for path, label in labels.items():
        if label is not None and not VERSION.fullmatch(label["version"]):
            raise refused("expected a version such as `1.2.0`", f"{path}/version")
    if "policy" in manifest and "evaluate" not in manifest["operations"]:
        raise refused("a policy is baked in, yet `evaluate` is not offered", "/operations")
    if manifest.get("limits", {}).get("memory_bytes", 0) > memory:
        raise refused("it needs more memory than its memory's maximum", "/limits/memory_bytes")
    return manifest


def check_carried(sections, manifest):
    """Compares the embedded policy of a module with the manifest. The digest covers every byte, so this does not check
    that the policy is canonical JSON or a valid policy."""
    if not sections:
        return
    if len(sections) > 1:
        raise refused("there must be one section `adjudicate.policy`")
    if "policy" not in manifest:
        raise refused("nothing is said of the policy that the module carries", "/policy")
    unpacking, label = zlib.decompressobj(), manifest["policy"]
    try:
        document = unpacking.decompress(sections[0], 8 << 20)
    except zlib.error as error:
        raise refused(f"the section `adjudicate.policy` is not packed by zlib: {error}") from error
    if not unpacking.eof:
        raise refused("the section `adjudicate.policy` is cut, or has over 8 MiB when it is unpacked")
    if unpacking.unused_data:
        raise refused("the section `adjudicate.policy` goes on behind what is packed")
    if hashlib.sha256(document).hexdigest() != label["digest"][-64:].lower():
        raise refused("the module carries another policy than it says", "/policy/digest")
    policy = strict(document, lambda _, why: refused(why))
    if not isinstance(policy, dict):
        raise refused("the section `adjudicate.policy` is no policy")
    rules = [rule.get("id") if isinstance(rule, dict) else None for rule in policy.get("rules") or []]
    for name, said, found in (("name", label["name"], policy.get("policy")), ("rules", label["rules"], rules),
                              ("version", label["version"], policy.get("version"))):
        if said != found:
            raise refused("the module carries another policy than it says", f"/policy/{name}")


def refused(why, path=""):
    return ModuleError("module_manifest", f"manifest: {why}", path)


def answer_in(reply):
    """Returns the answer in a reply, as the text that the module wrote and as a value."""
    try:
        reply.decode()
    except UnicodeDecodeError as error:
        raise ModuleError("module_not_utf8", "the reply is not UTF-8") from error
    value = strict(reply, lambda _, why: malformed(why))
    if not isinstance(value, dict) or len(value) != 1:
        raise malformed("expected an object with one field, `ok` or `error`")
    if "ok" in value:
        # The only key is `ok`, in any spelling, so the first colon follows it.
        return reply.decode().split(":", 1)[1].rstrip(" \t\r\n")[:-1].strip(" \t\r\n"), value["ok"]
    first = value.get("error")
    others = first.pop("others", None) if isinstance(first, dict) else None
    if others is not None and not (isinstance(others, list) and 1 <= len(others) <= 9):
        raise malformed("`error.others` must be a list of 1 to 9 errors")
    for error in [first, *(others or [])]:
        if not isinstance(error, dict) or set(error) != {"code", "message", "path"} or not all(
                type(part) is str for part in error.values()):
            raise malformed("an error must hold the strings `code`, `message` and `path`")
        code = error["code"]
        if not re.fullmatch(r"[a-z0-9_]{1,64}", code) or code.startswith(("module_", "host_")) or code in HOSTS_OWN:
            raise malformed(f"`{code}` is not a module's to report")
    raise ModuleError(first["code"], first["message"], first["path"], others)


def malformed(why):
    return ModuleError("module_malformed_reply", f"the reply is malformed: {why}")


def check_evaluation(call, answer):
    """Checks the shape and words of an answer, and that the input allows its next step."""
    conforms(answer, EVALUATION, "module_invalid_decision")
    envelope = call.get("envelope", call) if isinstance(call, dict) else None
    steps = envelope.get("allowed_next_steps") if isinstance(envelope, dict) else None
    if not isinstance(steps, list) or not all(type(step) is str for step in steps):
        raise ModuleError("module_invalid_decision", "expected an error, because the input has no `allowed_next_steps`")
    step = answer["decision"]["next_step"]
    if step is not None and step not in steps:
        raise ModuleError("module_illegal_next_step", f"`{step}` is not allowed", "/decision/next_step")
