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

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value in one line, for humans. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
}

/** Returns the first characters of a text, with an ellipsis if it is longer. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

/** Returns a value as a formatted document. */
export function pretty(value: unknown): string {
  return formatted(JSON.stringify(value));
}
