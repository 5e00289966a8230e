/** What became of the calls of a step, whichever version of the SDK tells it. */
import { reasonOf } from "../error.js";
import type { Step, StepPart } from "./sdk.js";

/** A call of a step. */
export interface CallOutcome {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
  /**
   * Done, failed, denied, waiting for a person, or open: not answered yet, as calls are that somebody else runs. Refused is a
   * call that never ran, for there is no such tool or its input was wrong.
   */
  state: "open" | "waiting" | "done" | "failed" | "denied" | "refused";
  output: unknown;
  /** Why it failed or was denied. */
  reason: string;
}

/** What became of all of them, in the order in which they were made. */
export interface Outcomes {
  readonly calls: readonly CallOutcome[];
}

/** @throws {TypeError} for what is no step. */
export function outcomesOf(step: Step): Outcomes {
  const calls = new Map<string, CallOutcome>();
  const callOf = ({ toolCallId, toolName, input }: Pick<StepPart, "toolCallId" | "toolName" | "input">): CallOutcome => {
    const id = String(toolCallId);
    const call = calls.get(id) ?? {
      toolName: String(toolName),
      toolCallId: id,
      input,
      state: "open",
      output: undefined,
      reason: "",
    };
    calls.set(id, call);
    return call;
  };
  for (const part of step.content) {
    const about = part.toolCall ?? part;
    switch (part.type) {
      case "tool-call": {
        const call = callOf(about);
        if ((part as { invalid?: unknown }).invalid === true) call.state = "refused";
        break;
      }
      case "tool-result": {
        const call = callOf(about);
        if (part.preliminary === true) break;
        if (isDenial(part.output)) Object.assign(call, { state: "denied", reason: part.output.reason ?? call.reason });
        else Object.assign(call, { state: "done", output: part.output });
        break;
      }
      case "tool-error": {
        const call = callOf(about);
        if (call.state !== "refused") call.state = isRefusal(part.error) ? "denied" : "failed";
        call.reason = reasonOf(part.error);
        break;
      }
      case "tool-output-denied":
        callOf(about).state = "denied";
        break;
      case "tool-approval-request":
        if (part.isAutomatic !== true && callOf(about).state === "open") callOf(about).state = "waiting";
        break;
      case "tool-approval-response": {
        const call = callOf(about);
        if (part.approved === false) Object.assign(call, { state: "denied", reason: part.reason ?? "" });
        else if (call.state === "waiting") call.state = "open";
        break;
      }
    }
  }
  return { calls: [...calls.values()] };
}

/** What the SDK hands on for a call that was denied. */
function isDenial(output: unknown): output is { reason?: string } {
  return typeof output === "object" && output !== null && (output as { type?: unknown }).type === "execution-denied";
}

/** What a guarded tool throws. */
function isRefusal(error: unknown): boolean {
  return typeof error === "object" && error !== null && (error as { code?: unknown }).code === "call_denied";
}
