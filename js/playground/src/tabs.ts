/** The views as tabs. Arrow keys move between them; the Tab key stops only at the selected one. */
import { byId } from "./dom.js";

export const VIEWS = ["decide", "compare", "plan", "module"] as const;
export type View = (typeof VIEWS)[number];

/** The title of the result in each view. */
const RESULTS: Readonly<Record<View, string>> = { decide: "Decision", compare: "Comparison", plan: "Verdict", module: "Module" };

/** Returns the view of that name, or the first view for an unknown name. */
export function viewOf(name: string): View {
  return VIEWS.find((view) => view === name) ?? VIEWS[0];
}

export class Tabs {
  readonly #onView: (view: View) => void;
  #view: View = VIEWS[0];

  constructor(onView: (view: View) => void) {
    this.#onView = onView;
    for (const view of VIEWS) tab(view).addEventListener("click", () => this.open(view));
    tab(VIEWS[0]).parentElement?.addEventListener("keydown", (event) => this.#key(event));
    this.#show();
  }

  get view(): View {
    return this.#view;
  }

  open(view: View): void {
    if (view === this.#view) return;
    this.#view = view;
    this.#show();
    this.#onView(view);
  }

  #key(event: KeyboardEvent): void {
    const at = VIEWS.indexOf(this.#view);
    const targets: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
    const index = targets[event.key];
    if (index === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const view = VIEWS.at(index % VIEWS.length) ?? this.#view;
    this.open(view);
    tab(view).focus();
  }

  #show(): void {
    for (const view of VIEWS) {
      const isOpen = view === this.#view;
      tab(view).setAttribute("aria-selected", String(isOpen));
      tab(view).tabIndex = isOpen ? 0 : -1;
    }
    const panel = byId("view", HTMLElement);
    panel.dataset["view"] = this.#view;
    panel.setAttribute("aria-labelledby", `tab-${this.#view}`);
    byId("title-result", HTMLElement).textContent = RESULTS[this.#view];
    for (const part of document.querySelectorAll<HTMLElement>("[data-views]")) {
      part.hidden = !(part.dataset["views"] ?? "").split(" ").includes(this.#view);
    }
  }
}

function tab(view: View): HTMLElement {
  return byId(`tab-${view}`, HTMLElement);
}
