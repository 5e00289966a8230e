/** Elements for values of documents, and for parts of the page. */
import { make } from "../dom.js";
import { cut, shown } from "../json.js";

/** The default number of characters of a value. */
const LENGTH = 120;

/** Returns a value as code. If it is shortened, its title has the whole value. */
export function value(of: unknown, length = LENGTH): HTMLElement {
  const text = shown(of);
  return text.length <= length ? make("code", {}, text) : make("code", { title: text }, cut(text, length));
}

/** Returns a list of terms with their values. It omits terms without a value. */
export function facts(rows: readonly (readonly [term: string, value: Node | string | undefined])[]): HTMLElement {
  const list = make("dl", { class: "facts" });
  for (const [term, what] of rows)
    if (what !== undefined) list.append(make("div", {}, make("dt", {}, term), make("dd", {}, what)));
  return list;
}

/** Returns a part of the page with a heading and a count. */
export function part(
  title: string,
  count: number | undefined,
  ...children: readonly (Node | string | false | null)[]
): HTMLElement {
  const heading = make("h3", {}, title, count === undefined ? "" : make("span", { class: "count" }, String(count)));
  return make("section", { class: "part" }, heading, ...children);
}

/** Returns a part that is closed until the user opens it. */
export function more(title: string, key: string, ...children: readonly (Node | string | false | null)[]): HTMLElement {
  return make("details", { class: "more", "data-part": key }, make("summary", {}, title), ...children);
}
