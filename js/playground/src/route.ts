/** The classification of a decision's next step, as text. */
import type { ClassifiedBy, LoopState, Role } from "adjudicate/slim";

const BY: Readonly<Record<ClassifiedBy, (role: Role) => string>> = {
  declared: (role) => `${role} step, declared by \`steps\` or \`routes\``,
  reserved: (role) => `${role} step, a reserved name`,
  named: (role) => `${role} step, classified by its name`,
  unclassified: (role) => `${role} step, the only unclassified one`,
};

/** Returns the role of the next step and its source. Returns `undefined` without a next step, and for modules that omit the route. */
export function classified({ route }: Partial<Pick<LoopState, "route">>): string | undefined {
  return route ? BY[route.by](route.role) : undefined;
}
