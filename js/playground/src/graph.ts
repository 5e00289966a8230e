/** Lays out the nodes of a plan in layers, from the first to the last. Plans with cycles are allowed. */

/** An edge between two nodes, by their indices. */
export interface Edge {
  readonly from: number;
  readonly to: number;
}

/** The layers and the columns of a graph. */
export interface Layout {
  /** The layer and the column of each node. Columns may be fractions. */
  readonly nodes: readonly { readonly layer: number; readonly column: number }[];
  readonly layers: number;
  readonly columns: number;
  /** The edges that close a cycle. */
  readonly back: ReadonlySet<Edge>;
}

/** The number of passes that order the layers by their neighbors. More passes rarely change the order. */
const SWEEPS = 6;

/** Lays a graph out. */
export function layOut(count: number, edges: readonly Edge[]): Layout {
  const back = backEdges(count, edges);
  const forward = edges.filter((edge) => !back.has(edge));
  const layer = layersOf(count, forward);
  const layers = count === 0 ? 0 : Math.max(...layer) + 1;
  const rows: number[][] = Array.from({ length: layers }, () => []);
  layer.forEach((row, node) => rows[row]?.push(node));
  order(rows, forward);
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const nodes = layer.map((row, node) => {
    const line = rows[row] ?? [];
    return { layer: row, column: line.indexOf(node) + (columns - line.length) / 2 };
  });
  return { nodes, layers, columns, back };
}

/** Returns the edges that close a cycle. Without them, the graph has no cycles. */
function backEdges(count: number, edges: readonly Edge[]): Set<Edge> {
  const outgoing: Edge[][] = Array.from({ length: count }, () => []);
  for (const edge of edges) outgoing[edge.from]?.push(edge);
  const state = new Uint8Array(count);
  const back = new Set<Edge>();
  for (let root = 0; root < count; root += 1) {
    if (state[root] !== 0) continue;
    // A stack instead of recursion, because a plan may be long.
    const open = [{ node: root, next: 0 }];
    state[root] = 1;
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const edge = outgoing[top.node]?.[top.next];
      top.next += 1;
      if (edge === undefined) {
        state[top.node] = 2;
        open.pop();
      } else if (state[edge.to] === 1) back.add(edge);
      else if (state[edge.to] === 0) {
        state[edge.to] = 1;
        open.push({ node: edge.to, next: 0 });
      }
    }
  }
  return back;
}

/** Returns the layer of each node: one behind the last of its predecessors. */
function layersOf(count: number, edges: readonly Edge[]): number[] {
  const layer = new Array<number>(count).fill(0);
  const waiting = new Array<number>(count).fill(0);
  const outgoing: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of edges) {
    outgoing[from]?.push(to);
    waiting[to] = (waiting[to] ?? 0) + 1;
  }
  const ready = layer.map((_, node) => node).filter((node) => waiting[node] === 0);
  for (const node of ready) {
    for (const next of outgoing[node] ?? []) {
      layer[next] = Math.max(layer[next] ?? 0, (layer[node] ?? 0) + 1);
      waiting[next] = (waiting[next] ?? 0) - 1;
      if (waiting[next] === 0) ready.push(next);
    }
  }
  return layer;
}

/** Orders the nodes of each layer by the average position of their neighbors, so that fewer edges cross. */
function order(rows: number[][], edges: readonly Edge[]): void {
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isDown = sweep % 2 === 0;
    const position = new Map<number, number>();
    rows.forEach((row) => row.forEach((node, at) => position.set(node, at + 0.5 - row.length / 2)));
    const neighbors = new Map<number, number[]>();
    for (const { from, to } of edges) {
      const [own, other] = isDown ? [to, from] : [from, to];
      neighbors.set(own, [...(neighbors.get(own) ?? []), position.get(other) ?? 0]);
    }
    const weight = (node: number) => mean(neighbors.get(node)) ?? position.get(node) ?? 0;
    for (const row of rows) row.sort((a, b) => weight(a) - weight(b));
  }
}

function mean(values: readonly number[] | undefined): number | undefined {
  return values === undefined || values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
