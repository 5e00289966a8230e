/** What became of the calls of a step, whichever version of the SDK tells it. */
import { reasonOf } from "../error.js";
import { itemsOf } from "../list.js";
import { own } from "../own.js";
import { shortened } from "../usage.js";
import { isRefusal } from "./refusal.js";
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

/** What a step is made of beside calls and what became of them. */
const INERT = ["text", "reasoning", "reasoning-file", "source", "file", "custom"];

/**
 * @throws {AdjudicateError} `wrong_usage` for what is no step.
 * @throws {TypeError} for parts that nobody knows, for they could be calls.
 */
export function outcomesOf(step: Step): Outcomes {
  const calls = new Calls();
  for (const part of itemsOf(own(step).content, "parts")) take(own(part as StepPart), calls);
  return { calls: calls.all };
}

/** What a part says of the call that it is about. */
type About = Partial<Pick<StepPart, "toolCallId" | "toolName" | "input">>;

/** The calls of a step by their ids, which are the model's to choose. */
class Calls {
  readonly #calls = new Map<string, CallOutcome>();
  readonly #made = new Set<CallOutcome>();

  get all(): readonly CallOutcome[] {
    return [...this.#calls.values()];
  }

  /** The call that a part is about. */
  of({ toolCallId, toolName, input }: About): CallOutcome {
    const id = String(toolCallId);
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const call: CallOutcome = { toolName: String(toolName), toolCallId: id, input, state: "open", output: undefined, reason: "" };
    this.#calls.set(id, call);
    return call;
  }

  /** A call that is made: the second of an id would hide behind the first. */
  made(about: About): CallOutcome {
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

/** A call that ran has run, whatever is said of it afterwards. */
function hasRun({ state }: CallOutcome): boolean {
  return state === "done" || state === "failed";
}

function deny(call: CallOutcome, reason = ""): void {
  if (!hasRun(call)) Object.assign(call, { state: "denied", reason });
}
