/**
 * The measured engines by name. Each makes, with its rules compiled, a function from an envelope as a value to a verdict. The rules
 * are those of `tests/peers`.
 */
import { readFileSync } from "node:fs";

import cedar from "@cedar-policy/cedar-wasm/nodejs";
import { ZenEngine } from "@gorules/zen-engine";
import { LogicEngine } from "json-logic-engine";
import jsonLogic from "json-logic-js";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

/** The rules in this engine's own language, which is JSONLogic. All engines use their order and their statuses. */
export const policy = JSON.parse(read("../peers/rules/policy.json"));

const SEVERITY = ["success", "partial", "blocked", "needs_human", "unsafe"];

/** The verdict of the rules that hold. */
export function verdictOf(holds) {
  const held = policy.rules.filter(({ id }) => holds(id));
  const worst = Math.max(0, ...held.map(({ then }) => SEVERITY.indexOf(then.status)));
  return { status: SEVERITY[worst], rules: held.map(({ id }) => id) };
}

/** The conditions, each compiled by a function. */
const conditions = (compile) => new Map(policy.rules.map(({ id, when }) => [id, compile(when)]));

export const ENGINES = {
  "json-logic-js": () => {
    const rules = conditions((when) => when);
    return (input) => verdictOf((rule) => jsonLogic.apply(rules.get(rule), { input }) === true);
  },

  // Compiled to JavaScript.
  "json-logic-engine": () => {
    const engine = new LogicEngine();
    const rules = conditions((when) => engine.build(when));
    return (input) => verdictOf((rule) => rules.get(rule)({ input }) === true);
  },

  // A decision of ZEN, native.
  "zen-engine": () => {
    const expressions = Object.entries(JSON.parse(read("rules/zen.json"))).map(([key, value]) => ({ id: key, key, value }));
    const node = (id, type, content) => ({ id, name: id, type, position: { x: 0, y: 0 }, ...(content && { content }) });
    const edge = (sourceId, targetId) => ({ id: `${sourceId}-${targetId}`, sourceId, targetId, type: "edge" });
    const decision = new ZenEngine().createDecision({
      nodes: [node("input", "inputNode"), node("rules", "expressionNode", { expressions }), node("output", "outputNode")],
      edges: [edge("input", "rules"), edge("rules", "output")],
    });
    return async (envelope) => {
      const { result } = await decision.evaluate(envelope);
      return verdictOf((rule) => result[rule] === true);
    };
  },

  // In WebAssembly, with policies that are parsed before.
  "cedar-wasm": () => {
    const rules = read("../peers/rules/rules.cedar").matchAll(/@id\("(\w+)"\)\s*([^@]*)/g);
    const staticPolicies = Object.fromEntries([...rules].map(([, id, text]) => [id, text]));
    const { type } = cedar.preparsePolicySet("nine", { staticPolicies });
    if (type !== "success") throw new Error("Cedar does not take its rules");
    const [principal, action, resource] = ["Kernel", "Action", "Step"].map((type) => ({ type, id: "x" }));
    const request = { principal, action, resource, preparsedPolicySetId: "nine", entities: [] };
    return (context) => {
      const answer = cedar.statefulIsAuthorized({ ...request, context });
      if (answer.type !== "success" || answer.response.diagnostics.errors.length > 0) throw new Error(JSON.stringify(answer));
      const held = new Set(answer.response.diagnostics.reason);
      return verdictOf((rule) => held.has(rule));
    };
  },

  // The lower bound of all engines.
  "by-hand": () => ({ evidence, refinement }) => {
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
  },
};
