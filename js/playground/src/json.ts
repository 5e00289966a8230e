import { formatted } from "./editor/format.js";

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A change to a value, as an operation of a JSON Patch (RFC 6902). */
export interface Change {
  readonly op: "add" | "replace" | "remove";
  readonly path: string;
  readonly value?: unknown;
}

/** The segments of a JSON Pointer (RFC 6901). */
export function segmentsOf(pointer: string): string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw new Error(`\`${pointer}\` is not a JSON Pointer`);
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The JSON Pointer that is one segment longer. */
export function below(pointer: string, segment: string | number): string {
  return `${pointer}/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A copy of a value with changes made to it, in their order. */
export function changed(value: Json, changes: readonly Change[]): Json {
  let result = structuredClone(value);
  for (const change of changes) result = withChange(result, change);
  return result;
}

function withChange(root: Json, { op, path, value }: Change): Json {
  const segments = segmentsOf(path);
  const last = segments.pop();
  if (last === undefined) {
    if (op === "remove" || !isJson(value)) throw leadsNowhere(path);
    return value;
  }
  const parent = segments.reduce((node, segment) => childOf(node, segment, path), root);
  if (op !== "remove" && !isJson(value)) throw new Error(`the change of \`${path}\` has no value`);
  if (Array.isArray(parent)) changeItem(parent, op, last, value as Json, path);
  else if (isObject(parent)) changeMember(parent, op, last, value as Json, path);
  else throw leadsNowhere(path);
  return root;
}

function changeItem(items: Json[], op: Change["op"], segment: string, value: Json, path: string): void {
  const index = segment === "-" && op === "add" ? items.length : /^(0|[1-9]\d*)$/.test(segment) ? Number(segment) : Number.NaN;
  const isThere = index < items.length;
  if (op === "add" && (isThere || index === items.length)) items.splice(index, 0, value);
  else if (op === "replace" && isThere) items[index] = value;
  else if (op === "remove" && isThere) items.splice(index, 1);
  else throw leadsNowhere(path);
}

function changeMember(members: { [name: string]: Json }, op: Change["op"], name: string, value: Json, path: string): void {
  if (op !== "add" && !Object.hasOwn(members, name)) throw leadsNowhere(path);
  if (op === "remove") delete members[name];
  // As a member of its own, whatever its name is.
  else Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}

function childOf(node: Json, segment: string, path: string): Json {
  const isNamed = Array.isArray(node) ? /^(0|[1-9]\d*)$/.test(segment) : isObject(node);
  const child = isNamed && Object.hasOwn(node as object, segment) ? (node as { [name: string]: Json })[segment] : undefined;
  if (child === undefined) throw leadsNowhere(path);
  return child;
}

function leadsNowhere(path: string): Error {
  return new Error(`\`${path}\` leads to nothing`);
}

/** Whether a value is an object and no list. */
export function isObject(value: unknown): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isJson(value: unknown): value is Json {
  return value !== undefined;
}

/** A value as people read it in one line. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
}

/** A value as a document. */
export function pretty(value: unknown): string {
  return formatted(JSON.stringify(value));
}
