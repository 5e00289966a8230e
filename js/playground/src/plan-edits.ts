/** The changes that a suggestion of `validate_plan` names. */
import { isObject, type Change, type Json } from "./json.js";

/** The suggestions that can be applied, as the engine writes them. */
const INSERT = /^Insert (\S+) (before|after) (\S+)\.$/;
const USE = /^Use (\S+) in (\S+)\.$/;

/** Returns the changes of the call for one line of a suggestion, or `undefined` if it leaves a choice to the author. */
export function editsOf(call: Json, suggestion: string): Change[] | undefined {
  const plan = isObject(call) && isObject(call["plan"]) ? call["plan"] : {};
  const [nodes, edges] = [listOf(plan["nodes"]), listOf(plan["edges"])];
  const ids = nodes.map((node) => (isObject(node) ? node["nodeId"] : undefined));
  const use = USE.exec(suggestion);
  if (use !== null) {
    const [, capability, id] = use;
    const at = ids.indexOf(id ?? "");
    return at === -1 ? undefined : [{ op: "add", path: `/plan/nodes/${at}/capabilityId`, value: capability }];
  }
  const insert = INSERT.exec(suggestion);
  if (insert === null || !ids.includes(insert[3] ?? "")) return undefined;
  const [, capability = "", place, neighbor = ""] = insert;
  const own = freeId(capability, ids);
  const edge = place === "before" ? { from: own, to: neighbor } : { from: neighbor, to: own };
  return [
    { op: "add", path: `/plan/nodes/${nodes.length}`, value: { nodeId: own, capabilityId: capability } },
    // A plan may have no list of edges.
    plan["edges"] === undefined
      ? { op: "add", path: "/plan/edges", value: [edge] }
      : { op: "add", path: `/plan/edges/${edges.length}`, value: edge },
  ];
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** Returns an id that no node has, from the last part of a capability's name. */
function freeId(capability: string, ids: readonly (Json | undefined)[]): string {
  const name = capability.slice(capability.lastIndexOf(".") + 1);
  let count = 1;
  while (ids.includes(`${name}-${count}`)) count += 1;
  return `${name}-${count}`;
}
