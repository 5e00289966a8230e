/** Reads the outcomes of the calls of a step, for versions 5 to 7 of the SDK. */
import { reasonOf } from "../error.js";
import { itemsOf } from "../list.js";
import { own } from "../own.js";
import { shortened } from "../usage.js";
import { isRefusal } from "./refusal.js";
import type { Step, StepPart } from "./step.js";

/** A call of a step. */
export interface CallOutcome {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
  /**
   * An open call has no result yet, for example because it runs elsewhere. A refused call never ran, because the tool is unknown or the
   * input is invalid. A waiting call waits for a human.
   */
  state: "open" | "waiting" | "done" | "failed" | "denied" | "refused";
  output: unknown;
  /** The reason of a failure or a denial. */
  reason: string;
}

/** The types of parts that do not belong to a call. */
const INERT = ["text", "reasoning", "reasoning-file", "source", "file", "custom"];

/**
 * Returns the outcomes of all calls, in the order of the calls.
 *
 * @throws {AdjudicateError} `wrong_usage` if the argument is not a step.
 * @throws {TypeError} for unknown parts, because they could be calls.
 */
export function outcomesOf(step: Step): readonly CallOutcome[] {
  const calls = new Calls();
  for (const part of itemsOf(own(step).content, "parts")) take(own(part as StepPart), calls);
  return calls.all;
}

/** The fields of a part that identify its call. */
type CallFields = Partial<Pick<StepPart, "toolCallId" | "toolName" | "input">>;

/** The calls of a step by their ids. The model chooses the ids. */
class Calls {
  readonly #calls = new Map<string, CallOutcome>();
  readonly #made = new Set<CallOutcome>();

  get all(): readonly CallOutcome[] {
    return [...this.#calls.values()];
  }

  /** Returns the call of a part. */
  of({ toolCallId, toolName, input }: CallFields): CallOutcome {
    const id = String(toolCallId);
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const call: CallOutcome = { toolName: String(toolName), toolCallId: id, input, state: "open", output: undefined, reason: "" };
    this.#calls.set(id, call);
    return call;
  }

  /** Adds a call. A second call with the same id is an error, because its outcome would be unknown. */
  made(about: CallFields): CallOutcome {
    const call = this.of(about);
    if (this.#made.has(call)) throw new TypeError(`two calls have the id \`${call.toolCallId}\``);
    this.#made.add(call);
    return call;
  }
}

function take(part: Partial<StepPart>, calls: Calls): void {
  const about = part.toolCall === undefined ? part : own(part.toolCall);
  switch (part.type) {
    case "tool-call": {
      const call = calls.made(about);
      if ((part as { invalid?: unknown }).invalid === true && !hasRun(call)) call.state = "refused";
      break;
    }
    case "tool-result": {
      const call = calls.of(about);
      if (part.preliminary !== true) Object.assign(call, { state: "done", output: part.output });
      break;
    }
    case "tool-error": {
      const call = calls.of(about);
      if (!hasRun(call) && isRefusal(part.error, call.toolCallId)) call.state = "denied";
      else if (call.state !== "refused") call.state = "failed";
      call.reason = reasonOf(part.error);
      break;
    }
    case "tool-output-denied":
      deny(calls.of(about));
      break;
    case "tool-approval-request": {
      const call = calls.of(about);
      if (part.isAutomatic !== true && call.state === "open") call.state = "waiting";
      break;
    }
    case "tool-approval-response": {
      const call = calls.of(about);
      if (part.approved === false) deny(call, part.reason);
      else if (part.approved === true && call.state === "waiting") call.state = "open";
      break;
    }
    default:
      if (part.type === undefined || !INERT.includes(part.type)) throw new TypeError(`a part of the unknown type \`${shortened(String(part.type))}\``);
  }
}

/** Returns true if the call ran. Later parts cannot change that. */
function hasRun({ state }: CallOutcome): boolean {
  return state === "done" || state === "failed";
}

function deny(call: CallOutcome, reason = ""): void {
  if (!hasRun(call)) Object.assign(call, { state: "denied", reason });
}
