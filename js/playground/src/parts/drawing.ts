/** The drawing of a plan. Nodes are buttons, so that the keyboard and screen readers reach them. Edges are lines. */
import { draw, make } from "../dom.js";
import { layOut, type Edge } from "../graph.js";
import { worst, type DrawnNode, type Drawing } from "../plan.js";
import { symbol, type Sign } from "./symbol.js";

const WIDTH = 176;
const HEIGHT = 60;
const GAP_X = 20;
const GAP_Y = 44;
const EDGE = 12;

/** The sign of each severity. */
export const SIGN_OF: Readonly<Record<string, Sign>> = { hard: "error", soft: "warning", informational: "info" };

/** Returns the drawing of a plan. A click on a node calls `select`. */
export function drawing({ nodes, edges }: Drawing, selected: string | undefined, select: (node: DrawnNode) => void): HTMLElement {
  const layout = layOut(nodes.length, edges);
  // Edges that close a cycle run between the columns.
  const gap = layout.back.size > 0 ? 2 * GAP_X + EDGE : GAP_X;
  const at = layout.nodes.map(({ layer, column }) => ({ x: EDGE + column * (WIDTH + gap), y: EDGE + layer * (HEIGHT + GAP_Y) }));
  const width = 2 * EDGE + Math.max(1, layout.columns) * (WIDTH + gap) - GAP_X;
  const height = 2 * EDGE + Math.max(1, layout.layers) * (HEIGHT + GAP_Y) - GAP_Y;
  const lines = edges.map((edge) => line(edge, at, layout.back.has(edge)));
  const svg = draw(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", class: "edges" },
    arrow("arrow"),
    arrow("arrow-back"),
    ...lines,
  );
  const buttons = nodes.map((node, index) =>
    nodeButton(node, at[index] ?? { x: 0, y: 0 }, node.id === selected, select, nextOf(index, edges, nodes)),
  );
  const field = make("div", { class: "graph-field" }, svg, make("ul", { class: "graph-nodes", role: "list" }, ...buttons));
  field.style.width = `${width}px`;
  field.style.height = `${height}px`;
  return make("div", { class: "graph scroll", role: "group", "aria-label": "Plan graph" }, field);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function nodeButton(
  node: DrawnNode,
  { x, y }: Point,
  isSelected: boolean,
  select: (node: DrawnNode) => void,
  next: string,
): HTMLElement {
  const severity = worst(node.diagnostics);
  const count = node.diagnostics.length;
  const found = count === 0 ? "no diagnostics" : `${count === 1 ? "diagnostic" : "diagnostics"}, worst ${severity},`;
  const attributes = {
    type: "button",
    class: "node",
    "aria-pressed": String(isSelected),
    "data-node": node.id,
    onclick: () => select(node),
  };
  const badge = make(
    "span",
    { class: "badge" },
    symbol(SIGN_OF[severity ?? ""] ?? "success", 12),
    count === 0 ? "" : String(count),
    hidden(` ${found} `),
  );
  const button = make(
    "button",
    {
      ...attributes,
      ...(severity === undefined ? {} : { "data-severity": severity }),
      ...(node.pointer === undefined ? { "data-absent": true } : {}),
    },
    make("span", { class: "node-id" }, node.id),
    hidden(", "),
    badge,
    make("span", { class: "node-about" }, node.about),
    hidden(next),
  );
  button.style.left = `${x}px`;
  button.style.top = `${y}px`;
  return make("li", {}, button);
}

/** Returns a text for screen readers only. */
function hidden(words: string): HTMLElement {
  return make("span", { class: "hidden" }, words);
}

/** Returns the names of the nodes after a node, as text for screen readers. */
function nextOf(index: number, edges: readonly Edge[], nodes: readonly DrawnNode[]): string {
  const after = edges.filter(({ from }) => from === index).map(({ to }) => nodes[to]?.id ?? "");
  return after.length === 0 ? "" : `, before ${after.join(", ")}`;
}

function line({ from, to }: Edge, at: readonly Point[], isBack: boolean): SVGElement {
  const [start, end] = [at[from] ?? { x: 0, y: 0 }, at[to] ?? { x: 0, y: 0 }];
  const attributes = { class: isBack ? "edge edge-back" : "edge", "marker-end": `url(#${isBack ? "arrow-back" : "arrow"})` };
  if (isBack) {
    // The curve passes both nodes on the right.
    const x = Math.max(start.x, end.x) + WIDTH + GAP_Y;
    const [y1, y2] = [start.y + HEIGHT * 0.7, end.y + HEIGHT * 0.3];
    return draw("path", { ...attributes, d: `M${start.x + WIDTH} ${y1}C${x} ${y1} ${x} ${y2} ${end.x + WIDTH + 6} ${y2}` });
  }
  const [x1, y1, x2, y2] = [start.x + WIDTH / 2, start.y + HEIGHT, end.x + WIDTH / 2, end.y - 6];
  const bend = Math.max(GAP_Y / 2, (y2 - y1) / 2);
  return draw("path", { ...attributes, d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}` });
}

function arrow(id: string): SVGElement {
  const shape = draw("path", { d: "M0 0 8 4 0 8Z", class: id });
  return draw(
    "marker",
    { id, viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
    shape,
  );
}
