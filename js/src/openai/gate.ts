/** The functions of a gate for the OpenAI Agents SDK. */
import type { Judgments } from "../gate/types.js";
import type { AgentOutputGuardrail, FunctionTool, NeedsApproval, ToolInputGuardrail } from "./sdk.js";

/**
 * A policy gate for the runs of agents. You can detach its functions, and one gate serves many runs at the same time. Except for `guard`, no
 * function throws or rejects, and no failure lets a call run.
 */
export interface OpenAiGate extends Judgments {
  /**
   * Returns function tools that the gate guards: with its input guardrail and its `needsApproval` before those of the tool.
   *
   * ```js
   * const agent = new Agent({ name: "editor", model, tools: gate.guard(tools), outputGuardrails: [gate.outputGuardrail] });
   * ```
   *
   * @throws {AdjudicateError} `wrong_usage` for a tool that is not a function, because the gate cannot judge its calls before they run.
   */
  readonly guard: <Tool extends FunctionTool>(tools: readonly Tool[]) => Tool[];
  /**
   * The guardrail for the input of a tool. It rejects a denied call, and a call that needs an approval and has none. `guard` adds it.
   *
   * ```js
   * const write = tool({ name, description, parameters, execute, inputGuardrails: [gate.inputGuardrail], needsApproval: gate.needsApproval(name) });
   * ```
   */
  readonly inputGuardrail: ToolInputGuardrail;
  /**
   * Returns `needsApproval` for a tool: true if a human must approve the call. `guard` adds it.
   *
   * ```js
   * const write = tool({ name, description, parameters, execute, inputGuardrails: [gate.inputGuardrail], needsApproval: gate.needsApproval(name) });
   * ```
   */
  readonly needsApproval: (toolName: string) => NeedsApproval;
  /**
   * The guardrail for the output of an agent. It judges every step of the run, and ends the run with an error unless the last verdict is
   * `continue` and no step had to stop the run.
   *
   * ```js
   * const agent = new Agent({ name: "editor", model, tools: gate.guard(tools), outputGuardrails: [gate.outputGuardrail] });
   * ```
   */
  readonly outputGuardrail: AgentOutputGuardrail;
}
