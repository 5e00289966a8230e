/** The steps of the sessions of a host, since the last output of each. */
import { finishReasonOf } from "../gate/finish.js";
import type { Step, StepPart } from "../gate/step.js";
import { AdjudicateError } from "../error.js";
import { keyOf } from "../own.js";
import type { AgentContext, HookToolCall } from "./types.js";

/** The most sessions at the same time. The oldest one ends first, and the interceptor denies its further actions. */
const MAX_SESSIONS = 10_000;
/** The most parts of one run. */
const MAX_PARTS = 10_000;

interface OpenStep {
  finishReason: string;
  readonly content: StepPart[];
  readonly durations: Record<string, number>;
}

/** The run of a session. */
export class Session {
  #steps: OpenStep[] = [];
  #parts = 0;
  #hasEnded = false;

  /** Begins a new run, if the last one has had its output. Input within a run keeps the run. */
  takeInput(): void {
    if (this.#hasEnded) [this.#steps, this.#parts, this.#hasEnded] = [[], 0, false];
  }

  /** Adds a response of the model. A segment of a response is none. */
  takeResponse(word: string): void {
    if (word === "incremental") return;
    this.#steps.push({ finishReason: finishReasonOf(word), content: [], durations: Object.create(null) as Record<string, number> });
    this.#add([{ type: "text" }]);
  }

  /** Adds a call that is about to run. A denied call that runs nevertheless gets a result later. */
  takeCall({ id, name, args }: HookToolCall, denial: string | undefined): void {
    const about = { toolCallId: id, toolName: name, input: args };
    const denied = { type: "tool-approval-response", toolCall: about, approved: false, reason: denial };
    this.#add([{ type: "tool-call", ...about }, ...(denial === undefined ? [] : [denied])]);
  }

  /** Adds the result of a call, with the arguments that the tool got. */
  takeResult({ id, name, args }: HookToolCall, { is_error, duration_ms }: NonNullable<AgentContext["tool_result"]>, output: unknown): void {
    const about = { toolCallId: id, toolName: name, input: args };
    const step = this.#steps.findLast(({ content }) => content.some((part) => isCallOf(part, id)));
    const call = { type: "tool-call", ...about };
    if (step === undefined) this.#add([call]);
    else step.content.splice(step.content.findIndex((part) => isCallOf(part, id)), 1, call);
    const { content, durations } = step ?? this.#last();
    this.#count(1);
    content.push(is_error ? { type: "tool-error", ...about, error: textOf(output) } : { type: "tool-result", ...about, output });
    if (duration_ms !== undefined) durations[id] = duration_ms;
  }

  /** Returns copies of the steps, because the gate must not see later parts. A run without steps is one step. */
  stepsWith(runtimeContext: unknown): Step[] {
    if (this.#steps.length === 0) return [{ finishReason: "stop", content: [], runtimeContext }];
    return this.#steps.map(({ finishReason, content, durations }) => ({
      finishReason,
      content: [...content],
      performance: { toolExecutionMs: { ...durations } },
      runtimeContext,
    }));
  }

  /** Ends the run at its output. The next input begins another run. */
  end(): void {
    this.#hasEnded = true;
  }

  #last(): OpenStep {
    if (this.#steps.length === 0) this.takeResponse("tool_calls");
    return this.#steps.at(-1) as OpenStep;
  }

  #add(parts: readonly StepPart[]): void {
    this.#count(parts.length);
    this.#last().content.push(...parts);
  }

  #count(parts: number): void {
    this.#parts += parts;
    if (this.#parts > MAX_PARTS) throw new AdjudicateError("limit_exceeded", `the run of the session has more than ${MAX_PARTS} parts`);
  }
}

/** The open sessions of a host. */
export class Sessions {
  readonly #open = new Map<string, Session>();

  /** Starts a session, or starts it again. */
  start(context: AgentContext): void {
    const key = sessionOf(context);
    this.#open.delete(key);
    this.#open.set(key, new Session());
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_SESSIONS && oldest !== undefined) this.#open.delete(oldest);
  }

  get(context: AgentContext): Session | undefined {
    return this.#open.get(sessionOf(context));
  }

  end(context: AgentContext): void {
    this.#open.delete(sessionOf(context));
  }
}

function sessionOf({ agent, session }: AgentContext): string {
  return keyOf(agent.id, session.id);
}

function isCallOf({ type, toolCallId }: StepPart, id: string): boolean {
  return type === "tool-call" && toolCallId === id;
}

function textOf(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}
