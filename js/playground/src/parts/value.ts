/** Values of documents, in a line. */
import { make } from "../dom.js";
import { shown } from "../json.js";

/** How many characters of a value are shown before it is cut. */
const LENGTH = 120;

/** A value as code; the whole of it is in its title where it is cut. */
export function value(of: unknown, length = LENGTH): HTMLElement {
  const text = shown(of);
  return text.length <= length ? make("code", {}, text) : make("code", { title: text }, `${text.slice(0, length)}…`);
}

/** A list of terms and what they are; those without a value are left out. */
export function facts(rows: readonly (readonly [term: string, value: Node | string | undefined])[]): HTMLElement {
  const list = make("dl", { class: "facts" });
  for (const [term, what] of rows)
    if (what !== undefined) list.append(make("div", {}, make("dt", {}, term), make("dd", {}, what)));
  return list;
}

/** A part of a page with a heading, and how many there are. */
export function part(
  title: string,
  count: number | undefined,
  ...children: readonly (Node | string | false | null)[]
): HTMLElement {
  const heading = make("h3", {}, title, count === undefined ? "" : make("span", { class: "count" }, String(count)));
  return make("section", { class: "part" }, heading, ...children);
}

/** A part that is closed until somebody opens it. */
export function more(title: string, key: string, ...children: readonly (Node | string | false | null)[]): HTMLElement {
  return make("details", { class: "more", "data-part": key }, make("summary", {}, title), ...children);
}
