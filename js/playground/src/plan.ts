/** A plan as it is drawn: its nodes and edges, and what was found about each. */
import type { PlanAnswer, PlanDiagnostic } from "adjudicate/slim";

import { below, isObject, type Json } from "./json.js";

/** A node of the drawing. */
export interface DrawnNode {
  readonly id: string;
  /** Its capability, or what there is instead. */
  readonly about: string;
  /** Where it is in the document; undefined for one that an edge names and the plan does not have. */
  readonly pointer: string | undefined;
  readonly diagnostics: readonly PlanDiagnostic[];
}

/** An edge of the drawing, by the places of its nodes. */
export interface DrawnEdge {
  readonly from: number;
  readonly to: number;
}

export interface Drawing {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  /** What was found about no node in particular. */
  readonly whole: readonly PlanDiagnostic[];
}

/** Severities, from the worst. */
export const SEVERITIES = ["hard", "soft", "informational"] as const;

/** All that was found, the worst first. */
export function diagnosticsOf({ payload }: PlanAnswer): PlanDiagnostic[] {
  return [...payload.failures, ...payload.warnings, ...payload.infos];
}

/** The drawing of a plan that the engine has answered about. */
export function drawingOf(call: Json, diagnostics: readonly PlanDiagnostic[]): Drawing {
  const plan = isObject(call) && isObject(call["plan"]) ? call["plan"] : {};
  const given = Array.isArray(plan["nodes"]) ? plan["nodes"] : [];
  const nodes: DrawnNode[] = given.map((node, at) => nodeOf(node, below("/plan/nodes", at), diagnostics));
  const places = new Map<string, number>();
  nodes.forEach(({ id }, at) => places.has(id) || places.set(id, at));
  const placeOf = (id: string) => {
    const known = places.get(id);
    if (known !== undefined) return known;
    places.set(id, nodes.length);
    nodes.push({ id, about: "no such node", pointer: undefined, diagnostics: about(id, diagnostics) });
    return nodes.length - 1;
  };
  const edges = (Array.isArray(plan["edges"]) ? plan["edges"] : []).flatMap((edge) => {
    const { from, to } = isObject(edge) ? edge : {};
    return typeof from === "string" && typeof to === "string" ? [{ from: placeOf(from), to: placeOf(to) }] : [];
  });
  const shown = new Set(nodes.flatMap((node) => node.diagnostics));
  return { nodes, edges, whole: diagnostics.filter((diagnostic) => !shown.has(diagnostic)) };
}

/** The worst of what was found, or none. */
export function worst(diagnostics: readonly PlanDiagnostic[]): PlanDiagnostic["severity"] | undefined {
  return SEVERITIES.find((severity) => diagnostics.some((diagnostic) => diagnostic.severity === severity));
}

function nodeOf(node: Json, pointer: string, diagnostics: readonly PlanDiagnostic[]): DrawnNode {
  const { nodeId, capabilityId, label, kind } = isObject(node) ? node : {};
  const id = typeof nodeId === "string" ? nodeId : "without a name";
  const words = [capabilityId, label, kind].filter((word): word is string => typeof word === "string");
  return { id, about: words[0] ?? "", pointer, diagnostics: about(id, diagnostics) };
}

function about(id: string, diagnostics: readonly PlanDiagnostic[]): PlanDiagnostic[] {
  return diagnostics.filter(({ nodeId, details }) => nodeId === id || (nodeId === undefined && namesNode(details, id)));
}

/** Whether the details of a diagnostic name a node. */
function namesNode(details: PlanDiagnostic["details"], id: string): boolean {
  return details?.["node"] === id || (Array.isArray(details?.["nodes"]) && details["nodes"].includes(id));
}
