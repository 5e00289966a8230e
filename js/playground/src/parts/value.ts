/** Elements for values of documents, and for parts of the page. */
import { make } from "../dom.js";
import { cut, shown } from "../json.js";

/** The default number of characters of a value. */
const LENGTH = 120;

/** The number of items that a list has at first, and of those that are added at once. More of them would keep the page from reacting. */
const FIRST = 50;
const SLICE = 25;

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

/** Fills a list with its first items. Returns the button that adds the others, if any. */
export function fill<Item>(list: HTMLElement, items: readonly Item[], made: (item: Item) => Node): HTMLElement | false {
  const add = (from: number, count: number) => list.append(...items.slice(from, from + count).map(made));
  const addOthers = async () => {
    button.remove();
    for (let from = FIRST; from < items.length && list.isConnected; from += SLICE) {
      add(from, SLICE);
      if (from === FIRST) focusOn(list.children[FIRST]);
      // The browser lays out each part by itself.
      await new Promise(requestAnimationFrame);
    }
  };
  add(0, FIRST);
  const button = make("button", { type: "button", onclick: () => void addOthers() }, `Show ${items.length - FIRST} more`);
  return items.length > FIRST && button;
}

/** Moves the focus to an element that is no control. */
function focusOn(element: Element | undefined): void {
  if (!(element instanceof HTMLElement)) return;
  element.tabIndex = -1;
  element.focus();
}
