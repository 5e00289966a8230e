/** Signs for statuses and severities. Each has its own shape, so none depends on its color. */
import type { Status } from "adjudicate/slim";

import { draw, make } from "../dom.js";

/** The meanings of signs. */
export type Sign = Status | "error" | "warning" | "info" | "accepted" | "accepted_with_findings" | "rejected" | "none";

/** Shapes on a grid of 16 by 16: the filled path, and the stroked path on it. */
const SHAPES: Readonly<Record<Sign, readonly [filled: string, drawn: string]>> = {
  success: ["M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Z", "m4.8 8.2 2.2 2.2 4.2-4.6"],
  partial: ["M8 1a7 7 0 0 1 0 14Z", "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8Z"],
  needs_human: ["M8 1.2a3.3 3.3 0 1 1 0 6.6 3.3 3.3 0 0 1 0-6.6ZM1.8 15c0-3.6 2.7-5.8 6.2-5.8s6.2 2.2 6.2 5.8Z", ""],
  blocked: ["M3 1.5h10A1.5 1.5 0 0 1 14.5 3v10a1.5 1.5 0 0 1-1.5 1.5H3A1.5 1.5 0 0 1 1.5 13V3A1.5 1.5 0 0 1 3 1.5Z", "M4.5 8h7"],
  unsafe: ["M5 1h6l4 4v6l-4 4H5l-4-4V5Z", "M8 4.2v4.6M8 11.3v.5"],
  error: ["M5 1h6l4 4v6l-4 4H5l-4-4V5Z", "m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8"],
  warning: ["M8 1.5 15.2 14.5H.8Z", "M8 6v4M8 12v.4"],
  info: ["M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Z", "M8 7.2v4.3M8 4.5v.4"],
  accepted: ["M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Z", "m4.8 8.2 2.2 2.2 4.2-4.6"],
  accepted_with_findings: ["M8 1a7 7 0 0 1 0 14Z", "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8Z"],
  rejected: ["M5 1h6l4 4v6l-4 4H5l-4-4V5Z", "m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8"],
  none: ["", "M3 8h10"],
};

/** Signs whose stroked path is an outline of the filled one. */
const OUTLINED: readonly Sign[] = ["partial", "accepted_with_findings", "none"];

/** Returns a sign. It is hidden from screen readers, which read the word next to it. */
export function symbol(sign: Sign, size = 16): SVGSVGElement {
  const [filled, drawn] = SHAPES[sign];
  const line = OUTLINED.includes(sign) ? "symbol-outline" : "symbol-line";
  return draw(
    "svg",
    { class: "symbol", "data-sign": sign, viewBox: "0 0 16 16", width: size, height: size, "aria-hidden": "true" },
    filled !== "" && draw("path", { d: filled, class: "symbol-body" }),
    drawn !== "" && draw("path", { d: drawn, class: line }),
  );
}

/** Returns a sign with its word. */
export function chip(sign: Sign, word: string = sign): HTMLElement {
  return make("span", { class: "chip", "data-sign": sign }, symbol(sign, 12), make("span", {}, word));
}
