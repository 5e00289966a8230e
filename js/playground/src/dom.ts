/** Makes elements. All text is inserted as text, so a document cannot inject markup. */

/** A child of an element. */
export type Child = Node | string | null | undefined | false;

/** Attributes by name. A function is a listener of the event in its name, for example `onclick`. */
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

/** Makes an SVG element. */
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

/** Returns the present children. */
export function present(children: readonly Child[]): (Node | string)[] {
  return children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false);
}

/** Ends the task, so that the browser can handle input and paint. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Returns the element with that id. Throws if the page has none of that kind. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no element \`${id}\` of that kind`);
  return element;
}

/** Replaces the content of an element. Open `details` stay open; `data-part` identifies them. */
export function refill(element: HTMLElement, ...children: readonly Child[]): void {
  const opened = new Map<string, boolean>();
  for (const part of element.querySelectorAll<HTMLDetailsElement>("details[data-part]"))
    opened.set(part.dataset["part"] ?? "", part.open);
  element.replaceChildren(...present(children));
  for (const part of element.querySelectorAll<HTMLDetailsElement>("details[data-part]")) {
    part.open = opened.get(part.dataset["part"] ?? "") ?? part.open;
  }
}
