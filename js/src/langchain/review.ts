/** Asks a human by an interrupt of LangGraph, in the form of `humanInTheLoopMiddleware`. */
import { interrupt } from "@langchain/langgraph";

import { own } from "../own.js";

/** The value of an interrupt. */
export interface ReviewRequest {
  /** The call, or the run with the name `adjudicate`. */
  readonly actionRequests: readonly [{ readonly name: string; readonly args: unknown; readonly description: string }];
  /** The possible decisions. */
  readonly reviewConfigs: readonly [{ readonly actionName: string; readonly allowedDecisions: readonly ["approve", "reject"] }];
}

/** The decision of a human. Any value other than one approval is a rejection. */
export interface Review {
  /** True if the human approved. */
  readonly isApproved: boolean;
  /** The reason of a rejection. */
  readonly message: string;
}

/** Interrupts the run, and returns the decision once the run resumes. Without a checkpointer, LangGraph throws. */
export function reviewed(name: string, args: unknown, description: string): Review {
  const request: ReviewRequest = {
    actionRequests: [{ name, args, description }],
    reviewConfigs: [{ actionName: name, allowedDecisions: ["approve", "reject"] }],
  };
  // An interrupt is thrown, so no caller may catch it.
  const answer: unknown = interrupt(request);
  const { decisions } = own(answer as { decisions?: unknown });
  const [decision, ...others] = Array.isArray(decisions) ? ([...decisions] as unknown[]) : [];
  const { type, message } = own(decision as { type?: unknown; message?: unknown });
  const isApproved = type === "approve" && others.length === 0;
  return { isApproved, message: typeof message === "string" ? message : "a human rejected it" };
}
