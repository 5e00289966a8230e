"""Calls the tools of `adjudicate mcp` and `adjudicate serve --mcp` with the official client (the Python package mcp): `python client.py COMMAND`.

The client validates each answer by the tool's output schema. The calls are the fixtures of the operations, and runs in a repository.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
from jsonschema import Draft202012Validator
from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

CORPUS = Path(os.environ.get("ADJUDICATE_CORPUS", Path(__file__).resolve().parents[2] / "target/xtask/corpus.ndjson"))
OPERATIONS = ("evaluate", "explain", "check_policy", "validate_plan", "deliberate")
CONFIGURATION = """\
workflow: change
next_steps: [{id: publish, role: forward}, {id: fix, role: fix}, {id: ask, role: gate}]
validators: [{id: unit, run: exit $(cat code)}]
"""


def strict(text):
    """Returns the document, or None for one that this client does not send as it is written."""

    def members(pairs):
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a repeated field")
        return dict(pairs)

    def number(read):
        def reader(text):
            if repr(read(text)) != text:
                raise ValueError("a number with another spelling")
            return read(text)

        return reader

    def constant(text):
        raise ValueError(text)

    try:
        document = json.loads(text, object_pairs_hook=members, parse_float=number(float), parse_int=number(int), parse_constant=constant)
        # Half of a pair of UTF-16 has no encoding.
        json.dumps(document, ensure_ascii=False).encode()
        return document
    except (ValueError, RecursionError):
        return None


def fixtures(operation):
    """Yields the calls of an operation with their answers."""
    for line in CORPUS.open(encoding="utf-8", newline="\n"):
        case = json.loads(line)
        # A call that is not UTF-8 is no text.
        if case["operation"] == operation and isinstance(case["call"], str):
            call = strict(case["call"])
            if isinstance(call, dict):
                yield case["name"], call, json.loads(case["answer"])


async def check_tools(session):
    """Returns a fault of the list of tools, or None."""
    tools = (await session.list_tools()).tools
    if [tool.name for tool in tools] != ["run", *OPERATIONS]:
        return f"the tools are {[tool.name for tool in tools]}"
    for tool in tools:
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
    return None


async def check_call(session, operation, call, expected):
    """Returns a fault of the answer to a call, or None."""
    result = await session.call_tool(operation, call)
    if result.is_error != ("error" in expected):
        return f"is_error is {result.is_error}"
    if json.loads(result.content[0].text) != expected or result.structured_content != expected:
        return f"expected {expected}, found {result.content[0].text}"
    return None


async def check_runs(session, folder):
    """Returns a fault of runs, alone and among other calls, or None."""
    statuses = []
    for code in "110":
        (folder / "code").write_text(code)
        run, other = await asyncio.gather(session.call_tool("run", {"new_run": code == "0"}), session.call_tool("deliberate", {}))
        if run.is_error or other.is_error:
            return f"{run} {other}"
        statuses.append(run.structured_content["decision"]["status"])
    wrong = await session.call_tool("run", {"base": "nowhere"})
    if not wrong.is_error or wrong.structured_content["error"]["code"] != "invalid_value":
        return f"{wrong}"
    return None if statuses == ["partial", "needs_human", "success"] else f"{statuses}"


async def check_unknown(session, _):
    """Returns a fault of the reply to a call of an unknown tool, or None."""
    try:
        return f"answered: {await session.call_tool('nope', {})}"
    except MCPError as error:
        return None if error.error.code == -32602 else f"{error}"


def stdio(command, folder):
    """Returns the streams of `adjudicate mcp`."""
    return stdio_client(StdioServerParameters(command=command, args=["mcp"], cwd=folder))


@asynccontextmanager
async def http(command, folder):
    """Returns the streams of `adjudicate serve --mcp`, which asks for a token."""
    with tempfile.TemporaryDirectory() as store:
        create = [command, "token", "create", "--role", "admin", "--name", "client", "--store", store]
        token = subprocess.run(create, check=True, capture_output=True, text=True).stdout.strip()
        options = ["--listen", "127.0.0.1:0", "--store", store, "--mcp", "--mcp-directory", str(folder)]
        server = subprocess.Popen([command, "serve", *options], stderr=subprocess.PIPE, text=True)
        try:
            address = json.loads(server.stderr.readline())["listening"]
            headers = {"authorization": f"Bearer {token}"}
            # Without the proxies of the environment.
            client = httpx2.AsyncClient(headers=headers, timeout=300, trust_env=False)
            async with client, streamable_http_client(f"http://{address}/mcp", http_client=client) as streams:
                yield streams
        finally:
            server.terminate()
            server.wait()


async def faults(transport, command, folder):
    """Yields the name of each check with its fault."""
    async with transport(command, folder) as streams, ClientSession(*streams) as session:
        started = await session.initialize()
        yield "initialize", None if started.server_info.name == "adjudicate" else f"{started}"
        yield "tools", await check_tools(session)
        for operation in OPERATIONS:
            for name, call, expected in fixtures(operation):
                yield f"{operation}/{name}", await check_call(session, operation, call, expected)
        yield "runs", await check_runs(session, folder)
        yield "an unknown tool", await check_unknown(session, folder)


def repository(folder):
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com"]
    (folder / "adjudicate.yaml").write_text(CONFIGURATION)
    for arguments in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "first"]):
        subprocess.run([*git, *arguments], cwd=folder, check=True)


async def main(command):
    passed = failed = 0
    for transport in (stdio, http):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            repository(folder)
            async for check, fault in faults(transport, command, folder):
                passed, failed = passed + (fault is None), failed + (fault is not None)
                if fault:
                    print(f"{transport.__name__} {check}: {fault[:500]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed < 3000 else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
