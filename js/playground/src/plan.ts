/** A plan for the drawing: its nodes and edges, each with its findings. */
import type { PlanAnswer, PlanDiagnostic } from "adjudicate/slim";

import type { Edge } from "./graph.js";
import { below, isObject, type Json } from "./json.js";

/** A node of the drawing. */
export interface DrawnNode {
  readonly id: string;
  /** Its capability, its label or its kind. */
  readonly about: string;
  /** The JSON Pointer to the node. Undefined if only an edge names it. */
  readonly pointer: string | undefined;
  readonly diagnostics: readonly PlanDiagnostic[];
}

export interface Drawing {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly Edge[];
  /** The diagnostics about no single node. */
  readonly whole: readonly PlanDiagnostic[];
}

/** The severities, the worst first. */
export const SEVERITIES = ["hard", "soft", "informational"] as const;

/** Returns all diagnostics, the worst first. */
export function diagnosticsOf({ payload }: PlanAnswer): PlanDiagnostic[] {
  return [...payload.failures, ...payload.warnings, ...payload.infos];
}

/** Returns the drawing of a plan with its diagnostics. */
export function drawingOf(call: Json, diagnostics: readonly PlanDiagnostic[]): Drawing {
  const plan = isObject(call) && isObject(call["plan"]) ? call["plan"] : {};
  const given = Array.isArray(plan["nodes"]) ? plan["nodes"] : [];
  const nodes: DrawnNode[] = given.map((node, at) => nodeOf(node, below("/plan/nodes", at), diagnostics));
  const indices = new Map<string, number>();
  nodes.forEach(({ id }, at) => indices.has(id) || indices.set(id, at));
  const indexOf = (id: string) => {
    const known = indices.get(id);
    if (known !== undefined) return known;
    indices.set(id, nodes.length);
    nodes.push({ id, about: "missing node", pointer: undefined, diagnostics: about(id, diagnostics) });
    return nodes.length - 1;
  };
  const edges = (Array.isArray(plan["edges"]) ? plan["edges"] : []).flatMap((edge) => {
    const { from, to } = isObject(edge) ? edge : {};
    return typeof from === "string" && typeof to === "string" ? [{ from: indexOf(from), to: indexOf(to) }] : [];
  });
  const shown = new Set(nodes.flatMap((node) => node.diagnostics));
  return { nodes, edges, whole: diagnostics.filter((diagnostic) => !shown.has(diagnostic)) };
}

/** Returns the highest severity. */
export function worst(diagnostics: readonly PlanDiagnostic[]): PlanDiagnostic["severity"] | undefined {
  return SEVERITIES.find((severity) => diagnostics.some((diagnostic) => diagnostic.severity === severity));
}

function nodeOf(node: Json, pointer: string, diagnostics: readonly PlanDiagnostic[]): DrawnNode {
  const { nodeId, capabilityId, label, kind } = isObject(node) ? node : {};
  const id = typeof nodeId === "string" ? nodeId : "unnamed";
  const words = [capabilityId, label, kind].filter((word): word is string => typeof word === "string");
  return { id, about: words[0] ?? "", pointer, diagnostics: about(id, diagnostics) };
}

function about(id: string, diagnostics: readonly PlanDiagnostic[]): PlanDiagnostic[] {
  return diagnostics.filter(({ nodeId, details }) => nodeId === id || (nodeId === undefined && namesNode(details, id)));
}

/** Returns true if the details of a diagnostic name a node. */
function namesNode(details: PlanDiagnostic["details"], id: string): boolean {
  return details?.["node"] === id || (Array.isArray(details?.["nodes"]) && details["nodes"].includes(id));
}
