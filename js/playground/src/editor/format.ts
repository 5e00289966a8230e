/** Formats JSON by white space only. Tokens stay unchanged, so no number is rounded and no duplicate field is lost. */

/** The longest line on which a whole container is written. */
const WIDTH = 80;
const INDENT = "  ";

const TOKEN = /"(?:[^"\\]|\\.)*"|[-+.\w]+|[[\]{},:]/g;

/** A token, or a container with its parts. Names are tokens, too; in lists they are empty. */
export type Part = string | { readonly open: string; readonly close: string; parts: [name: string, value: Part][] };

/**
 * Formats a JSON text.
 *
 * @throws {SyntaxError} if the text is not JSON.
 */
export function formatted(text: string): string {
  return laidOut(partsOf(text));
}

/**
 * Parses a JSON text into its tokens.
 *
 * @throws {SyntaxError} if the text is not JSON.
 */
export function partsOf(text: string): Part {
  JSON.parse(text);
  return parsed(text.match(TOKEN) ?? [], { at: 0 });
}

/** Writes a formatted text. */
export function laidOut(part: Part): string {
  return `${written(part, "", 0)}\n`;
}

function parsed(tokens: readonly string[], cursor: { at: number }): Part {
  const open = tokens[cursor.at++] ?? "";
  if (open !== "{" && open !== "[") return open;
  const close = open === "{" ? "}" : "]";
  const parts: [string, Part][] = [];
  while (cursor.at < tokens.length && tokens[cursor.at] !== close) {
    if (tokens[cursor.at] === ",") cursor.at += 1;
    const name = open === "{" ? (tokens[cursor.at] ?? "") : "";
    if (open === "{") cursor.at += 2;
    parts.push([name, parsed(tokens, cursor)]);
  }
  cursor.at += 1;
  return { open, close, parts };
}

function written(part: Part, indent: string, before: number): string {
  if (typeof part === "string") return part;
  const line = inOneLine(part, WIDTH - indent.length - before);
  if (line !== undefined) return line;
  const inner = indent + INDENT;
  const lines = part.parts.map(([name, value]) => `${inner}${headed(name)}${written(value, inner, headed(name).length)}`);
  return `${part.open}\n${lines.join(",\n")}\n${indent}${part.close}`;
}

/** Returns a part on one line, if it fits. An object with several fields and a nested container needs a line per field. */
function inOneLine(part: Part, room: number): string | undefined {
  if (typeof part === "string") return part.length <= room ? part : undefined;
  if (
    part.open === "{" &&
    part.parts.some(([, value]) => typeof value !== "string" && value.parts.length > 0) &&
    part.parts.length > 1
  )
    return undefined;
  const pieces: string[] = [];
  let length = 2;
  for (const [name, value] of part.parts) {
    const head = headed(name);
    const piece = inOneLine(value, room - length - head.length);
    if (piece === undefined) return undefined;
    pieces.push(head + piece);
    length += head.length + piece.length + 2;
  }
  if (length > room + 2) return undefined;
  return `${part.open}${pieces.join(", ")}${part.close}`;
}

function headed(name: string): string {
  return name === "" ? "" : `${name}: `;
}
