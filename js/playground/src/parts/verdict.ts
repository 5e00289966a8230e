/** What was decided, readable from across the room. */
import type { Evaluation } from "adjudicate/slim";

import { make } from "../dom.js";
import type { Fault } from "../editor/place.js";
import { classified } from "../route.js";
import { symbol } from "./symbol.js";

/** The status, the next step and how it was classified, and the policy; without a policy, `nobody`. */
export function verdict({ decision, loop, policy }: Evaluation, note = "", nobody = "built-in rules, no policy"): HTMLElement {
  const { status, next_step } = decision;
  const route = classified(loop);
  const by = policy === null ? nobody : `${policy.name} ${policy.version}`;
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

/** That there is no decision, and why. Nothing of an earlier one is left to be taken for it. */
export function refusal({ code, message, path }: Fault, where: HTMLElement | string, advice = ""): HTMLElement {
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
    advice !== "" && make("p", { class: "verdict-next" }, advice),
    make("p", { class: "verdict-by" }, where),
  );
}
