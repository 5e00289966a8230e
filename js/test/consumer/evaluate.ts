/** Code with the entry `adjudicate/evaluate`. Compiled, never run. */
import { createEngine as createWhole, type ComposedEvaluation, type Evaluation } from "adjudicate";
import { createEngine, createEngineSync, type Envelope, type EvaluateEngine, type EvaluatePolicy, type PolicyDocument } from "adjudicate/evaluate";
import evaluateModule from "adjudicate/evaluate.wasm";

type Evaluations = (Evaluation | ComposedEvaluation)[];

/** Takes any engine. */
function decided(engine: EvaluateEngine, envelope: Envelope, document: PolicyDocument): Evaluations {
  using policy: EvaluatePolicy = engine.policy(document);
  using open = engine.open(envelope, { policy });
  return [
    engine.evaluate(envelope, { policy }),
    engine.call("evaluate", { envelope, policy: document }),
    engine.compose(envelope, { policy, restrict: [document, policy] }),
    policy.compose(envelope, { restrict: [policy] }),
    policy.explain(envelope).evaluation,
    open.set("/run_id", "r").evaluate(),
  ];
}

export async function evaluations(envelope: Envelope, document: PolicyDocument): Promise<Evaluations> {
  const engine = await createEngine(fetch("/evaluate.wasm"));
  // @ts-expect-error: the engine has no such operation
  engine.checkPolicy(document);
  // @ts-expect-error: the same, by its name
  engine.call("check_policy", { policy: document });
  // @ts-expect-error: nor has the policy
  engine.policy(document).check();
  // @ts-expect-error: nor has the policy
  engine.policy(document).facts(envelope);
  // @ts-expect-error: the WebAssembly is required
  createEngineSync();
  const whole = await createWhole();
  return [whole, createEngineSync(evaluateModule), engine].flatMap((one) => decided(one, envelope, document));
}
