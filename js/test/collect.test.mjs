/**
 * Collections by `adjudicate/collect`, compared with those of the command in the same repositories.
 *
 * `ADJUDICATE_COMMAND` is the path of the command. Without it, the comparisons are skipped.
 */
import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { constants, existsSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { env, execPath, platform } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { test } from "node:test";
import { promisify } from "node:util";

import { bothForms, install, root } from "./support/installed.mjs";
import { POLICY, configuration, repository, write } from "./support/repository.mjs";

const installed = install();
const forms = await bothForms(installed);
const { collect, readReport, run } = forms.import.collect;
const engine = forms.import.main.createEngineSync();
const COMMAND = env.ADJUDICATE_COMMAND;
const skip = COMMAND === undefined && "ADJUDICATE_COMMAND is not set";

const JUNIT = '<testsuite name="cart"><testcase name="pays"><failure message="no money"/></testcase><testcase name="adds"/></testsuite>';
const SARIF = JSON.stringify({
  version: "2.1.0",
  runs: [{ tool: { driver: { name: "lint" } }, results: [{ ruleId: "no-eval", level: "error", message: { text: "no eval" } }] }],
});
const REPORTING = configuration(`validators:
  - {id: unit, run: cp report.xml .adjudicate/reports/unit.xml, reports: [.adjudicate/reports/unit.xml], repro: "npx vitest -t {case}"}
`);

/** Returns the end of a command of the program in a folder: its standard output, or its error. */
async function commanded(folder, ...words) {
  const ended = promisify(execFile)(COMMAND, words, { cwd: folder, maxBuffer: 64 << 20 });
  return ended.then(({ stdout }) => ({ answer: JSON.parse(stdout) }), ({ stderr }) => JSON.parse(stderr));
}

/** Returns the result of a promise in the same form. */
async function settled(promise) {
  return promise.then((answer) => ({ answer }), (thrown) => (thrown.code === undefined ? Promise.reject(thrown) : thrown.toJSON()));
}

/** Leaves out the id of a run, which has its time. */
function withoutId({ answer, error }) {
  return error ? { error } : { answer: { ...answer, run_id: "" } };
}

/** The processes whose command has a text. */
function processes(text) {
  const listed = execFileSync("ps", ["-A", "-o", "stat=,args="], { encoding: "utf8" }).split("\n");
  return listed.filter((line) => line.includes(text) && !line.startsWith("Z"));
}

/** Repositories, each with a change of its working tree. */
const REPOSITORIES = {
  "a report on standard output, variables, a folder, a list of words": [
    {
      "adjudicate.yaml": configuration(`validators:
  - {id: tap, run: [sh, -c, 'pwd >&2; printf "1..2\\nok 1 - a\\nnot ok 2 - $NAME\\n"'], output: tap, folder: lib, environment: {NAME: b c}}
  - {id: exits, run: exit 7}
  - {id: signalled, run: kill -9 $$}
  - {id: absent, run: [no-such-program]}
  - {id: folderless, run: "true", folder: nowhere}
`),
      "lib/a.js": "1",
    },
    {},
  ],
  "claims, a review, artifacts and ignored files": [
    {
      "adjudicate.yaml": configuration(
        'claims: claims.txt\nreview: review.sarif\nartifacts: ["docs/**/*.md", "*.{txt,sarif}"]\nrequired_artifacts: [docs/a.md]\nvalidators: []\n',
      ),
      ".gitignore": "build/\n",
      "docs/a.md": "a",
    },
    { "claims.txt": "tests: passed\n", "review.sarif": SARIF, "build/x": "x", ".gitignore": "build/\nsecret\n", secret: "s", "docs/b/c.md": "c" },
  ],
  "a validator that changes files": [
    {
      "adjudicate.yaml": configuration(`tree_ignore: [cover/]
validators:
  - {id: covers, run: mkdir -p cover && echo $$ > cover/index}
  - {id: formats, run: echo formatted > a.js}
`),
      "a.js": "1",
    },
    {},
  ],
  "a report over the limit": [{ "adjudicate.yaml": REPORTING, "report.xml": "x".repeat((16 << 20) + 1) }, {}],
  "a report from before the run": [{ "adjudicate.yaml": configuration('validators: [{id: unit, run: "true", reports: [old/*.xml]}]\n'), "old/unit.xml": JUNIT }, {}],
  "names that are not UTF-8": [
    { "adjudicate.yaml": configuration('validators: [{id: writes, run: sh write.sh}]\nartifacts: ["*"]\n'), "write.sh": "printf x > $(printf 'a\\377')" },
    {},
  ],
};

for (const [what, [committed, changed]] of Object.entries(REPOSITORIES)) {
  test(`the command makes the same envelope of ${what}`, { skip }, async () => {
    const [folder, other] = [repository(committed), repository(committed)];
    for (const one of [folder, other]) write(one, changed);
    const expected = await commanded(folder, "collect", "--new-run");
    assert.ok(expected.answer, JSON.stringify(expected));
    assert.deepEqual(withoutId(await settled(collect({ directory: other, newRun: true }))), withoutId(expected));
  });
}

test("an import leaves the standard streams as they are", { skip: platform !== "linux" && "only Linux shows the flags of a file" }, () => {
  const script = `import "adjudicate/collect"; import { readFileSync, writeSync } from "node:fs"; writeSync(1, readFileSync("/proc/self/fdinfo/1"));`;
  const { stdout } = spawnSync(execPath, ["--input-type=module", "--eval", script], { cwd: installed, encoding: "utf8" });
  const flags = Number.parseInt(/^flags:\s*(\d+)$/m.exec(stdout)[1], 8);
  assert.equal(flags & constants.O_NONBLOCK, 0);
});

test("the command makes the same envelope without git, below the root, and of links and pipes", { skip }, async () => {
  const bare = repository({ "adjudicate.yaml": REPORTING, "report.xml": JUNIT }, false);
  const odd = repository({ "adjudicate.yaml": configuration("review: loop\nvalidators: []\n"), "deep/er/a": "1" });
  symlinkSync("loop", join(odd, "loop"));
  execFileSync("mkfifo", [join(odd, "pipe")]);
  for (const folder of [bare, join(odd, "deep", "er")]) {
    const expected = await commanded(folder, "collect", "--new-run");
    assert.deepEqual(withoutId(await settled(collect({ directory: folder, newRun: true }))), withoutId(expected));
  }
});

test("the errors are those of the command", { skip }, async () => {
  const folder = repository({ "adjudicate.yaml": REPORTING });
  const based = await commanded(folder, "collect", "--base", "nowhere");
  assert.deepEqual(await settled(collect({ directory: folder, base: "nowhere" })), { error: based.error });
  write(folder, { "adjudicate.yaml": "workflow: a\nnext_step: []\nvalidators: {}\n" });
  const { error } = await commanded(folder, "run");
  assert.ok(error.others.length > 0);
  assert.deepEqual(await settled(run(engine, { directory: folder })), { error });
});

test("a run continues by the command and by the package", { skip }, async () => {
  const folder = repository({ "adjudicate.yaml": `${REPORTING}policy: p.yaml\n`, "p.yaml": POLICY, "report.xml": JUNIT });
  const first = await run(engine, { directory: folder });
  assert.deepEqual([first.evaluation.decision.status, first.evaluation.decision.next_step], ["partial", "fix_findings"]);
  assert.ok(first.revision.next);
  const { answer: second } = await commanded(folder, "run", "--format", "json");
  assert.deepEqual([second.decision.status, second.loop.escalation.reason], ["needs_human", "repeated_blocker"]);
  const third = await run(engine, { directory: folder });
  assert.equal(third.envelope.run_id, first.envelope.run_id);
  assert.equal(third.envelope.evaluate_history.length, 2);
});

test("a decision by the package leaves the state that the command leaves", { skip }, async () => {
  const folder = repository({ "adjudicate.yaml": `${configuration('validators: [{id: unit, run: "true"}]')}\npolicy: p.yaml\n`, "p.yaml": POLICY });
  const state = () => JSON.parse(readFileSync(join(folder, ".adjudicate/state.json"), "utf8"));
  const withoutRun = ({ run_id, envelope, ...others }) => ({ ...others, envelope: { ...envelope, run_id: "" } });
  const { evaluation } = await run(engine, { directory: folder });
  assert.equal(evaluation.decision.status, "success");
  const ours = state();
  const theirs = await commanded(folder, "run", "--new-run", "--format", "json");
  assert.equal(theirs.answer.decision.status, "success");
  assert.deepEqual(withoutRun(ours), withoutRun(state()));
  assert.match(ours.judged, /^git:/);
});

test("a policy that is damaged is an error before a validator runs", async () => {
  const folder = repository({ "adjudicate.yaml": `${configuration("validators: [{id: a, run: touch ran}]")}\npolicy: p.json\n`, "p.json": "{}" });
  const { error } = await settled(run(engine, { directory: folder }));
  assert.deepEqual([error.code, error.message.split(":")[0]], ["missing_field", "p.json"]);
  assert.equal(existsSync(join(folder, "ran")), false);
});

test("a validator over its time limit is ended with its group", async () => {
  const folder = repository({ "adjudicate.yaml": configuration("validators: [{id: hangs, timeout_seconds: 1, run: 'sleep 987.25 & sleep 987.25'}]\n") });
  const { evidence } = await collect({ directory: folder });
  assert.deepEqual(evidence.validation.timeouts, ["hangs"]);
  assert.deepEqual(processes("sleep 987.25"), []);
});

test("a process that a validator left behind is ended, and the state of an aborted run is kept", async () => {
  const folder = repository({
    "adjudicate.yaml": configuration("validators: [{id: leaves, run: sleep 987.5 &}, {id: hangs, run: sleep 987.5}, {id: after, run: 'true'}]\n"),
  });
  const stop = new AbortController();
  const seen = [];
  const onProgress = (progress) => {
    seen.push(`${progress.event} ${progress.validator}`);
    if (progress.event === "started" && progress.index === 1) {
      assert.deepEqual(processes("sleep 987.5"), []);
      setTimeout(() => stop.abort(), 200);
    }
  };
  const { evidence } = await collect({ directory: folder, signal: stop.signal, onProgress });
  assert.deepEqual(seen, ["started leaves", "ended leaves", "started hangs", "ended hangs"]);
  assert.equal(evidence.validation.mechanical_outcome, "killed_timeout");
  assert.deepEqual(evidence.validation.exit_codes, { leaves: 0 });
  assert.deepEqual(processes("sleep 987.5"), []);
});

test("two collections of a repository exclude each other, also across programs", { skip }, async () => {
  const folder = repository({ "adjudicate.yaml": configuration("validators: [{id: slow, run: 'test ! -e busy && touch busy && sleep 1 && rm busy'}]\n") });
  const [one, two, three] = await Promise.all([
    collect({ directory: folder }),
    collect({ directory: folder }),
    (async () => {
      while (!existsSync(join(folder, "busy"))) await pause(10);
      return settled(collect({ directory: folder, waitMs: 0 }));
    })(),
  ]);
  for (const { evidence } of [one, two]) assert.deepEqual(evidence.validation.exit_codes, { slow: 0 });
  assert.equal(one.run_id, two.run_id);
  assert.equal(three.error.code, "unreadable_input");
  const ours = collect({ directory: folder });
  while (!existsSync(join(folder, "busy"))) await pause(10);
  const theirs = await commanded(folder, "collect");
  assert.deepEqual([(await ours).evidence.validation.exit_codes, theirs.answer.evidence.validation.exit_codes], [{ slow: 0 }, { slow: 0 }]);
});

test("an error of a function of the caller ends the collection, and frees the repository", async () => {
  const folder = repository({ "adjudicate.yaml": REPORTING });
  const thrown = new Error("mine");
  const onProgress = () => {
    throw thrown;
  };
  await assert.rejects(collect({ directory: folder, onProgress }), (error) => error === thrown);
  assert.ok(await collect({ directory: folder, waitMs: 0 }));
});

test("a step of the agent becomes part of the window", async () => {
  const folder = repository({ "adjudicate.yaml": configuration("validators: []\n") });
  const agent = { step_id: "implement", opcode: "RUN_AGENT", outcome: "completed", diff_summary: "", risk_flags: [], blocker_codes: [] };
  const { provenance_window } = await collect({ directory: folder, agent });
  assert.deepEqual(provenance_window.map((entry) => entry.step_id), ["implement", "validate"]);
  const { error } = await settled(collect({ directory: folder, agent: { ...agent, opcode: "RUN" } }));
  assert.deepEqual([error.code, error.path], ["invalid_value", "/opcode"]);
});

test("external evidence counts for one collection, with the errors of the command", { skip }, async () => {
  const files = { "adjudicate.yaml": `${configuration('validators: [{id: unit, run: "touch .adjudicate/ran"}]')}\npolicy: p.yaml\n` };
  const folder = repository({ ...files, "p.yaml": `${POLICY}protected_paths: [new.js]\n` });
  write(folder, { "new.js": "1" });
  const external = { approvals: { required: [], granted: ["new.js"] }, policy_events: ["info:x"], evidence: { "x-load": { p99: 3 } }, "x-build": { minutes: 12 } };
  for (const [given, wrong] of [
    [{ validation: {} }, "unknown_field"],
    [{ evidence: { "x-coverage": { lines: 1 } } }, "invalid_value"],
    ["{}", "invalid_value"],
    [{ "x-a": () => 1 }, "invalid_value"],
    [{ "x-a": "x".repeat(9 << 20) }, "limit_exceeded"],
  ]) {
    const { error } = await settled(run(engine, { directory: folder, with: given }));
    assert.deepEqual([error.code, error.message.split(":")[0]], [wrong, "with"], error.message);
  }
  assert.equal(existsSync(join(folder, ".adjudicate")), false);
  const envelope = await collect({ directory: folder, with: external });
  assert.deepEqual([envelope["x-build"], envelope.evidence.approvals], [{ minutes: 12 }, external.approvals]);
  assert.deepEqual(envelope.evidence["x-load"], { p99: 3 });
  const { evaluation } = await run(engine, { directory: folder, with: external });
  assert.equal(evaluation.decision.status, "success");
  const { answer: later } = await commanded(folder, "run", "--format", "json");
  assert.deepEqual([later.decision.status, later.findings[0].rule], ["needs_human", "approval"]);
});

test("the package reads each report of the corpus, in both forms", async () => {
  const fixtures = join(root, "..", "fixtures", "reports");
  const formats = readdirSync(fixtures).filter((name) => name.endsWith(".json")).map((name) => name.replace(".json", ""));
  assert.ok(formats.length >= 8, formats.join());
  for (const format of formats) {
    const { cases } = JSON.parse(readFileSync(join(fixtures, `${format}.json`), "utf8"));
    assert.ok(cases.length > 0, format);
    for (const [at, { name, file, answer }] of cases.entries()) {
      const entry = at % 2 === 0 ? forms.import.collect : forms.require.collect;
      const reading = await entry.readReport(readFileSync(join(root, "..", file)), { format }).catch(({ code, message, path }) => ({ error: { code, message, path } }));
      assert.deepEqual(reading, answer, `${format}/${name}`);
    }
  }
  // The name of the file gives the format, and paths are relative to the root.
  assert.equal((await readReport(SARIF, { name: "a.sarif" })).review.issues[0].severity, "high");
  const lcov = await readReport("SF:/work/app/a.js\nDA:1,1\nend_of_record\n", { format: "lcov", root: "/work/app" });
  assert.match(JSON.stringify(lcov.coverage), /"a\.js"/);
});

test("reports that cannot be read are errors", async () => {
  for (const [text, options, code] of [
    ["<a", { format: "junit" }, "malformed_report"],
    [new Uint8Array([0, 255, 1]), {}, "invalid_value"],
    ["{}", { format: "yaml" }, "invalid_value"],
    ["x".repeat((16 << 20) + 1), { format: "tap" }, "limit_exceeded"],
    [7, {}, "wrong_usage"],
    ["", { formats: "tap" }, "wrong_usage"],
  ]) {
    const { error } = await settled(readReport(text, options));
    assert.equal(error.code, code, error.message);
  }
});

test("options of another form are wrong usage", async () => {
  for (const options of [{ directory: 7 }, { newRun: "yes" }, { waitMs: -1 }, { onProgress: 1 }, { dir: "." }, { base: "\ud800" }]) {
    assert.equal((await settled(collect(options))).error.code, "wrong_usage");
  }
  assert.equal((await settled(run({}))).error.code, "wrong_usage");
});
