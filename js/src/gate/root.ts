/**
 * Makes absolute paths below the root of a workspace relative to it.
 *
 * It works on text and resolves no links: it removes `.`, `..` and repeated slashes, and compares the other segments. A path that is not below
 * the root stays unchanged, and the engine judges it. The same holds for ambiguous paths: with a control character, or with a backslash and
 * no drive letter.
 */
import { copyOf } from "../strict.js";
import { shown, wrongUsage } from "../usage.js";

const DRIVE = /^[A-Za-z]:[\\/]/;
const UNREADABLE = /[\\\u0000-\u001f\u007f]/;

/** The parts of an absolute path. */
interface AbsolutePath {
  /** The drive letter, or an empty string. */
  readonly drive: string;
  readonly segments: readonly string[];
  /** True if the path ends in a separator. */
  readonly isDirectory: boolean;
}

/**
 * Returns a function that copies a list of changed files and makes their paths relative to `root`. It returns other values unchanged; their
 * reader rejects them.
 *
 * @param ignoresCase If true, the comparison ignores the case of `a` to `z`.
 * @throws {AdjudicateError} `wrong_usage` if the root is not an absolute path.
 */
export function relativeTo(root: unknown, ignoresCase: boolean): (files: unknown) => unknown {
  const base = root === undefined ? undefined : rootIn(root);
  const placed = (path: string) => (base && below(base, path, ignoresCase)) ?? path;
  return (files) => (Array.isArray(files) ? (copyOf(files, "changes: ") as unknown[]).map((file) => withPaths(file, placed)) : files);
}

function rootIn(root: unknown): AbsolutePath {
  const parts = typeof root === "string" && !/[\\/]\.\.?([\\/]|$)/.test(root) ? partsOf(root) : undefined;
  if (parts !== undefined) return parts;
  throw wrongUsage(`\`root\`: expected an absolute path without \`.\` and \`..\`, such as \`/home/me/project\`, found ${shown(root)}`);
}

/** Returns a changed file with its current and its earlier path converted. */
function withPaths(file: unknown, placed: (path: string) => string): unknown {
  if (typeof file !== "object" || file === null || Array.isArray(file)) return file;
  const fields = Object.entries(file).map(([name, value]: [string, unknown]) =>
    (name === "path" || name === "from") && typeof value === "string" ? [name, placed(value)] : [name, value],
  );
  return Object.fromEntries(fields);
}

/** Returns the path relative to a root, or `undefined` if it is not below the root. */
function below(root: AbsolutePath, path: string, ignoresCase: boolean): string | undefined {
  const given = partsOf(path);
  if (given === undefined || given.drive !== root.drive) return undefined;
  const plain = (segment?: string) => (ignoresCase ? segment?.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) : segment);
  if (!root.segments.every((segment, at) => plain(segment) === plain(given.segments[at]))) return undefined;
  const rest = given.segments.slice(root.segments.length).join("/");
  if (rest === "") return ".";
  return given.isDirectory ? `${rest}/` : rest;
}

/** Returns the parts of an absolute path, or `undefined` for any other. Two slashes at the start name another machine. */
function partsOf(path: string): AbsolutePath | undefined {
  const hasDrive = DRIVE.test(path);
  // Windows accepts both slashes.
  const text = hasDrive ? path.slice(2).replaceAll("\\", "/") : path;
  if (UNREADABLE.test(text) || !text.startsWith("/") || (!hasDrive && text.startsWith("//"))) return undefined;
  const segments: string[] = [];
  for (const segment of text.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return { drive: hasDrive ? path.charAt(0).toUpperCase() : "", segments, isDirectory: /\/\.{0,2}$/.test(text) };
}
