/** How a decision's next step was classified, in words. */
import type { ClassifiedBy, LoopState, Role } from "adjudicate/slim";

const BY: Readonly<Record<ClassifiedBy, (role: Role) => string>> = {
  declared: (role) => `${role} step, declared by \`steps\` or \`routes\``,
  reserved: (role) => `${role} step, a reserved name`,
  named: (role) => `${role} step, classified by its name`,
  unclassified: (role) => `${role} step, the only unclassified one`,
};

/** The role of the next step and who classified it; undefined without a next step, and for modules that do not tell. */
export function classified({ route }: Partial<Pick<LoopState, "route">>): string | undefined {
  return route ? BY[route.by](route.role) : undefined;
}
