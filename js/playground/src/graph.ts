/** Where the nodes of a plan are drawn: in layers, from the first to the last, also of plans that go in circles. */

/** An edge, by the places of its nodes. */
export interface Edge {
  readonly from: number;
  readonly to: number;
}

/** Where things are, in layers and columns. */
export interface Layout {
  /** Of each node, its layer and its column; columns may be fractions. */
  readonly nodes: readonly { readonly layer: number; readonly column: number }[];
  readonly layers: number;
  readonly columns: number;
  /** The edges that lead back: those that close a circle. */
  readonly back: ReadonlySet<Edge>;
}

/** How often layers are put in order by their neighbours; after a few times nothing changes. */
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

/** The edges that lead to a node from which they come: those without which there is no circle. */
function backEdges(count: number, edges: readonly Edge[]): Set<Edge> {
  const outgoing: Edge[][] = Array.from({ length: count }, () => []);
  for (const edge of edges) outgoing[edge.from]?.push(edge);
  const state = new Uint8Array(count);
  const back = new Set<Edge>();
  for (let root = 0; root < count; root += 1) {
    if (state[root] !== 0) continue;
    // By a list of its own and not by recursion: a plan may be long.
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

/** Each node one layer behind the last of those before it. */
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

/** Puts the nodes of each layer near those that they are tied to, so that fewer edges cross. */
function order(rows: number[][], edges: readonly Edge[]): void {
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isDown = sweep % 2 === 0;
    const place = new Map<number, number>();
    rows.forEach((row) => row.forEach((node, at) => place.set(node, at + 0.5 - row.length / 2)));
    const neighbours = new Map<number, number[]>();
    for (const { from, to } of edges) {
      const [own, other] = isDown ? [to, from] : [from, to];
      neighbours.set(own, [...(neighbours.get(own) ?? []), place.get(other) ?? 0]);
    }
    const weight = (node: number) => mean(neighbours.get(node)) ?? place.get(node) ?? 0;
    for (const row of rows) row.sort((a, b) => weight(a) - weight(b));
  }
}

function mean(values: readonly number[] | undefined): number | undefined {
  return values === undefined || values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
