/** The functions of a gate for LangChain. */
import type { AgentMiddleware } from "langchain";

import type { Judgments } from "../gate/types.js";

/** The options of the middleware. */
export interface MiddlewareOptions {
  /** The most messages with feedback at the end of one run. Then a human must review the run. Default: 3. */
  readonly feedbacks?: number;
  /** The schema of your context. LangChain hides the context from the end of a run without it. */
  readonly contextSchema?: AgentMiddleware["contextSchema"];
}

/** A policy gate for the runs of agents. You can detach its functions, and one gate serves many runs at the same time. */
export interface LangChainGate extends Judgments {
  /**
   * Returns the middleware for `createAgent`. Put it last in the list, so that no other middleware changes a call after the gate judged it.
   *
   * - A denied call does not run, and the model gets the reason.
   * - A call that needs an approval interrupts the run. LangGraph needs a checkpointer for that, and throws without one.
   * - Between two steps, the model gets the instructions of the last step, or no more turn if the run must stop.
   * - At the end, the run returns to the model with instructions, at most `feedbacks` times. If a human must review it, it interrupts. If it
   *   must stop, it throws `run_stopped`.
   *
   * ```js
   * const agent = createAgent({ model, tools, middleware: [gate.middleware()], checkpointer });
   * ```
   *
   * @throws {AdjudicateError} `wrong_usage` for invalid options.
   */
  readonly middleware: (options?: MiddlewareOptions) => AgentMiddleware;
}
