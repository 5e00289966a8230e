import assert from "node:assert/strict";
import { test } from "node:test";

import type { PlanAnswer } from "adjudicate";

import { layOut, type Edge } from "../src/graph.js";
import type { Json } from "../src/json.js";
import { diagnosticsOf, drawingOf } from "../src/plan.js";
import { callsOf, engine } from "./support/repository.js";

const edgesOf = (...pairs: [number, number][]): Edge[] => pairs.map(([from, to]) => ({ from, to }));

/** Asserts the invariants of any layout. */
function check(count: number, edges: readonly Edge[]) {
  const layout = layOut(count, edges);
  assert.equal(layout.nodes.length, count);
  for (const edge of edges) {
    const [from, to] = [layout.nodes[edge.from], layout.nodes[edge.to]];
    assert.ok(from !== undefined && to !== undefined);
    if (!layout.back.has(edge)) assert.ok(from.layer < to.layer, `${edge.from} to ${edge.to}`);
  }
  const places = new Set(layout.nodes.map(({ layer, column }) => `${layer} ${column}`));
  assert.equal(places.size, count, "no two nodes have the same place");
  for (const { layer, column } of layout.nodes)
    assert.ok(layer >= 0 && layer < layout.layers && column >= 0 && column <= layout.columns - 1);
  return layout;
}

test("edges lead down, and no two nodes share a place", () => {
  check(0, []);
  check(1, []);
  const diamond = edgesOf([0, 1], [0, 2], [1, 3], [2, 3], [0, 3]);
  const layout = check(4, diamond);
  assert.deepEqual(layout.nodes.map(({ layer }) => layer), [0, 1, 1, 2]);
  assert.equal(layout.back.size, 0);
});

test("one edge of a circle leads back", () => {
  assert.equal(check(3, edgesOf([0, 1], [1, 2], [2, 0])).back.size, 1);
  assert.equal(check(1, edgesOf([0, 0])).back.size, 1);
  assert.equal(check(2, edgesOf([0, 1], [0, 1])).back.size, 0);
});

test("graphs of all sorts are laid out, long ones too", () => {
  // A generator with a seed, so that failures are reproducible.
  let seed = 7;
  const random = (limit: number) => (seed = (seed * 48_271) % 2_147_483_647) % limit;
  for (let round = 0; round < 200; round += 1) {
    const count = 1 + random(24);
    const edges = Array.from({ length: random(3 * count) }, () => ({ from: random(count), to: random(count) }));
    check(count, edges);
  }
  const chain = Array.from({ length: 20_000 }, (_, at) => ({ from: at, to: at + 1 }));
  assert.equal(layOut(20_001, chain).layers, 20_001);
});

test("plans of the corpus are drawn with all diagnostics", () => {
  let count = 0;
  for (const [name, text] of callsOf("validate_plan")) {
    let answer: PlanAnswer;
    try {
      answer = JSON.parse(engine.validatePlanText(text)) as PlanAnswer;
    } catch {
      continue;
    }
    const call = JSON.parse(text) as Json & { plan: { nodes: unknown[]; edges: unknown[] } };
    const found = diagnosticsOf(answer);
    const { nodes, edges, whole } = drawingOf(call, found);
    check(nodes.length, edges);
    assert.ok(nodes.length >= call.plan.nodes.length && edges.length === call.plan.edges.length, name);
    const shown = new Set([...whole, ...nodes.flatMap(({ diagnostics }) => diagnostics)]);
    assert.equal(shown.size, found.length, `${name}: all are shown`);
    for (const { nodeId } of found) assert.ok(nodeId === undefined || nodes.some(({ id }) => id === nodeId), `${name}: ${nodeId}`);
    count += 1;
  }
  assert.ok(count > 60, `only ${count} plans`);
});

test("an edge to an absent node draws that node as absent", () => {
  const { nodes } = drawingOf({ plan: { nodes: [{ nodeId: "a" }], edges: [{ from: "a", to: "b" }] } }, []);
  assert.deepEqual(nodes.map(({ id, pointer }) => [id, pointer]), [["a", "/plan/nodes/0"], ["b", undefined]]);
  const odd = [null, 1, {}, { plan: null }, { plan: { nodes: {}, edges: 1 } }, { plan: { nodes: [null, 1], edges: [null, { from: 1 }] } }] as Json[];
  for (const one of odd) drawingOf(one, []);
});
