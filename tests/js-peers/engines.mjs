/**
 * The measured engines. `live` takes an envelope as a value and returns a verdict; `text` takes its text and returns a
 * text. Rules are compiled before, with all preparations that an engine offers.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import cedar from "@cedar-policy/cedar-wasm/nodejs";
import { ZenEngine, evaluateExpressionSync } from "@gorules/zen-engine";
import * as zenWasm from "@gorules/zen-engine-wasm/dist/zen_engine_wasm.js";
import { LogicEngine } from "json-logic-engine";
import jsonLogic from "json-logic-js";
import jsonRules from "json-rules-engine";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

/** The rules in this engine's own language, which is JSONLogic. All engines use their order and their statuses. */
export const policy = JSON.parse(read("../peers/rules/policy.json"));

const NAMES = policy.rules.map(({ id }) => id);
const STATUS = Object.fromEntries(policy.rules.map(({ id, then }) => [id, then.status]));
const SEVERITY = ["success", "partial", "blocked", "needs_human", "unsafe"];

/** The verdict of the rules that hold. */
export function verdictOf(holds) {
  const rules = NAMES.filter(holds);
  const worst = rules.reduce((status, rule) => Math.max(status, SEVERITY.indexOf(STATUS[rule])), 0);
  return { status: SEVERITY[worst], rules };
}

/** An engine that takes values. It gets texts through `JSON.parse` and `JSON.stringify`. */
const ofValues = (name, what, live) => ({ name, what, live, text: (text) => JSON.stringify(live(JSON.parse(text))) });
const ofValuesLater = (name, what, live) => ({
  name,
  what,
  live,
  text: async (text) => JSON.stringify(await live(JSON.parse(text))),
  isLater: true,
});

/** This engine. `verdict` converts its answer, which has more, to the others' form. The conversion is not timed. */
function ours(engine) {
  const parsed = engine.policy(policy);
  const verdict = ({ findings }) => {
    const held = new Set(findings.map(({ rule }) => rule));
    return verdictOf((rule) => held.has(rule));
  };
  return {
    name: "adjudicate",
    what: "the whole evaluator",
    live: (envelope) => parsed.evaluate(envelope),
    text: (text) => parsed.evaluateText(text),
    verdict,
  };
}

function byJsonLogic() {
  const conditions = new Map(policy.rules.map(({ id, when }) => [id, when]));
  return ofValues("json-logic-js", "JSONLogic", (input) =>
    verdictOf((rule) => jsonLogic.apply(conditions.get(rule), { input }) === true),
  );
}

function byJsonLogicEngine() {
  const engine = new LogicEngine();
  const conditions = new Map(policy.rules.map(({ id, when }) => [id, engine.build(when)]));
  return ofValues("json-logic-engine", "JSONLogic, compiled to JavaScript", (input) =>
    verdictOf((rule) => conditions.get(rule)({ input }) === true),
  );
}

function byJsonLogicEngineRun() {
  const engine = new LogicEngine();
  const conditions = new Map(policy.rules.map(({ id, when }) => [id, when]));
  return ofValues("json-logic-engine-run", "the same, interpreted", (input) =>
    verdictOf((rule) => engine.run(conditions.get(rule), { input }) === true),
  );
}

function byJsonRulesEngine() {
  const conditions = Object.entries(JSON.parse(read("rules/json-rules-engine.json")));
  const engine = new jsonRules.Engine(conditions.map(([name, conditions]) => ({ name, conditions, event: { type: name } })));
  const summary = async (almanac) => (await almanac.factValue("evidence")).harness_report.summary;
  engine.addFact("passed_times_100", async (_, almanac) => (await summary(almanac)).passed * 100);
  engine.addFact("cases_times_90", async (_, almanac) => {
    const { passed, failed } = await summary(almanac);
    return (passed + failed) * 90;
  });
  return ofValuesLater("json-rules-engine", "its own JSON, asynchronous", async ({ evidence, refinement }) => {
    const { events } = await engine.run({ evidence, refinement });
    const held = new Set(events.map(({ type }) => type));
    return verdictOf((rule) => held.has(rule));
  });
}

function byZen() {
  const expressions = Object.entries(JSON.parse(read("rules/zen.json"))).map(([key, value]) => ({ id: key, key, value }));
  const node = (id, type, content) => ({ id, name: id, type, position: { x: 0, y: 0 }, ...(content && { content }) });
  const edge = (sourceId, targetId) => ({ id: `${sourceId}-${targetId}`, sourceId, targetId, type: "edge" });
  const content = {
    nodes: [node("input", "inputNode"), node("rules", "expressionNode", { expressions }), node("output", "outputNode")],
    edges: [edge("input", "rules"), edge("rules", "output")],
  };
  const decision = new ZenEngine().createDecision(content);
  decision.validate?.();
  return ofValuesLater("zen-engine", "a decision of ZEN, native and asynchronous", async (envelope) => {
    const { result } = await decision.evaluate(envelope);
    return verdictOf((rule) => result[rule] === true);
  });
}

/** All rules as one list, which is one expression. */
function zenList() {
  const expressions = JSON.parse(read("rules/zen.json"));
  return `[${NAMES.map((name) => expressions[name]).join(", ")}]`;
}

const listed = (held) => verdictOf((rule) => held[NAMES.indexOf(rule)] === true);

function byZenExpression() {
  const list = zenList();
  return ofValues("zen-engine-expression", "one expression of ZEN, native", (envelope) =>
    listed(evaluateExpressionSync(list, envelope)),
  );
}

function byZenWasm() {
  const wasm = readFileSync(createRequire(import.meta.url).resolve("@gorules/zen-engine-wasm/dist/zen_engine_wasm_bg.wasm"));
  zenWasm.initSync({ module: wasm });
  const list = zenList();
  return ofValues("zen-engine-wasm", "the same in WebAssembly", (envelope) => listed(zenWasm.evaluateExpression(list, envelope)));
}

function byCedar() {
  const source = read("../peers/rules/rules.cedar");
  const staticPolicies = Object.fromEntries(
    source
      .split(/(?=@id\()/)
      .filter((text) => text.trim() !== "")
      .map((text) => [/@id\("(\w+)"\)/.exec(text)[1], text.replace(/@id\("\w+"\)\s*/, "")]),
  );
  const { type } = cedar.preparsePolicySet("nine", { staticPolicies });
  if (type !== "success") throw new Error("Cedar does not take its rules");
  const of = (type, id) => ({ type, id });
  const [principal, action, resource] = [of("Kernel", "k"), of("Action", "evaluate"), of("Step", "s")];
  const live = (context) => {
    const answer = cedar.statefulIsAuthorized({
      principal,
      action,
      resource,
      context,
      preparsedPolicySetId: "nine",
      entities: [],
    });
    if (answer.type !== "success" || answer.response.diagnostics.errors.length > 0) throw new Error(JSON.stringify(answer));
    const held = new Set(answer.response.diagnostics.reason);
    return verdictOf((rule) => held.has(rule));
  };
  return ofValues("cedar-wasm", "Cedar in WebAssembly, policies parsed before", live);
}

/** The rules written by hand, as the lower bound of all engines. */
function byHand() {
  return ofValues("by-hand", "the rules written as JavaScript", ({ evidence, refinement }) => {
    const { summary } = evidence.harness_report;
    const exit = evidence.validation.exit_codes.pytest;
    const held = {
      killed_by_policy: evidence.validation.mechanical_outcome === "killed_policy",
      forbidden_event: evidence.policy_events.includes("forbidden_path") || evidence.policy_events.includes("network_violation"),
      report_against_exit: summary.failed === 0 && summary.passed > 0 && exit !== 0,
      claim_against_exit: evidence.claims.includes("tests_passed") && exit !== 0,
      refinement_used_up: summary.failed > 0 && refinement.spent >= refinement.cap,
      slow_and_flaky: summary.flaky >= 2 && summary.duration_ms > 60_000,
      report_missing: !evidence.artifacts.includes("reports/pytest.xml"),
      tests_fail: exit !== 0 || summary.failed > 0,
      low_pass_rate:
        ["fix", "implement"].includes(evidence.step_intent) && summary.passed * 100 < (summary.passed + summary.failed) * 90,
    };
    return verdictOf((rule) => held[rule]);
  });
}

/** All engines, with this one first. */
export function contestants(engine) {
  const makers = [
    byCedar,
    byZen,
    byZenExpression,
    byZenWasm,
    byJsonRulesEngine,
    byJsonLogic,
    byJsonLogicEngineRun,
    byJsonLogicEngine,
    byHand,
  ];
  return [ours(engine), ...makers.map((make) => make())];
}
