/** Making elements. All text goes in as text, so nothing that a document holds is ever markup. */

/** What an element may hold. */
export type Child = Node | string | null | undefined | false;

/** Attributes by name; a function is a listener of the event that its name says: `onclick`. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>>;

/** Makes an element. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  adorn(element, attributes);
  element.append(...present(children));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element of a drawing. */
export function draw<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(SVG, tag);
  adorn(element, attributes);
  element.append(...present(children));
  return element;
}

function adorn(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
}

/** The children that are there. */
export function present(children: readonly Child[]): (Node | string)[] {
  return children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false);
}

/** The element of the page with that id, which must be there. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no element \`${id}\` of that kind`);
  return element;
}

/** Puts other content in, and leaves open what somebody opened. Parts that open are known by `data-part`. */
export function refill(element: HTMLElement, ...children: readonly Child[]): void {
  const opened = new Map<string, boolean>();
  for (const part of element.querySelectorAll<HTMLDetailsElement>("details[data-part]"))
    opened.set(part.dataset["part"] ?? "", part.open);
  element.replaceChildren(...present(children));
  for (const part of element.querySelectorAll<HTMLDetailsElement>("details[data-part]")) {
    part.open = opened.get(part.dataset["part"] ?? "") ?? part.open;
  }
}
