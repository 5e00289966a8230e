/** The classification of steps, as text. */
import type { ClassifiedBy, LoopState } from "adjudicate/slim";

/** The source of a step's role. */
export const SOURCES: Readonly<Record<ClassifiedBy, string>> = {
  declared: "declared by `steps` or `routes`",
  reserved: "a reserved name",
  named: "classified by its name",
  unclassified: "if no other step is declared forward or unclassified",
};

/** Returns the role of the next step and its source. Returns `undefined` without a next step, and for modules that omit the route. */
export function classified({ route }: Partial<Pick<LoopState, "route">>): string | undefined {
  if (!route) return undefined;
  const source = route.by === "unclassified" ? "the only unclassified one" : SOURCES[route.by];
  return `${route.role} step, ${source}`;
}
