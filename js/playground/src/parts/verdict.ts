/** The decision, in large type. */
import type { Evaluation } from "adjudicate/slim";

import { make, type Child } from "../dom.js";
import type { Fault } from "../editor/json-text.js";
import { classified } from "../route.js";
import { symbol } from "./symbol.js";

/** Returns the element with the status, the next step with its role, and the policy. `withoutPolicy` is the text if there is none. */
export function verdict({ decision, loop, policy }: Evaluation, note = "", withoutPolicy = "built-in rules, no policy"): HTMLElement {
  const { status, next_step } = decision;
  const route = classified(loop);
  const by = policy === null ? withoutPolicy : `${policy.name} ${policy.version}`;
  return make(
    "div",
    { class: "verdict", "data-sign": status },
    symbol(status, 30),
    make("h3", { class: "verdict-word" }, status),
    make("p", { class: "verdict-next" }, "next step ", next_step === null ? make("b", {}, "none") : make("code", {}, next_step)),
    route !== undefined && make("p", { class: "verdict-route" }, route),
    make("p", { class: "verdict-by" }, [by, note].filter((part) => part !== "").join(" · ")),
  );
}

/** Returns the element with the error instead of a decision. */
export function refusal({ code, message, path, others = [] }: Fault, where: HTMLElement | string, advice: HTMLElement | false = false): HTMLElement {
  return make(
    "div",
    { class: "verdict", "data-sign": "error" },
    symbol("error", 30),
    make("h3", { class: "verdict-word" }, "no answer"),
    make("p", { class: "verdict-message" }, message),
    make(
      "p",
      { class: "verdict-next" },
      make("code", {}, code),
      path === "" ? "" : " at ",
      path === "" ? "" : make("code", {}, path),
    ),
    ...others.map((other) =>
      make("p", { class: "verdict-next" }, `${other.message} at `, make("code", {}, other.path === "" ? "the root" : other.path)),
    ),
    advice && make("p", { class: "verdict-next" }, advice),
    make("p", { class: "verdict-by" }, where),
  );
}

/** Returns the element with the last result before an error, if any. It is neither reachable nor read, because its documents are gone. */
export function earlier(name: "decision" | "comparison" | "verdict" | "answer", parts: readonly Child[]): HTMLElement | false {
  if (parts.length === 0) return false;
  const title = make("p", { class: "calm" }, `The last ${name}, before the error:`);
  return make("div", { class: "earlier", inert: true, "aria-hidden": "true" }, title, ...parts);
}
