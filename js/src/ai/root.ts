/**
 * Absolute paths below the root of a workspace, made relative to it.
 *
 * Works on text alone and resolves no links: `.`, `..` and repeated slashes go, and the rest is compared segment by segment. A path
 * that is not below the root then stays as it is written, for the engine to judge. So does a path with a control character, or with
 * a backslash where backslashes do not separate: nobody knows which file it names.
 */
import { copyOf } from "../strict.js";
import { kindOf, wrongUsage } from "../usage.js";

const DRIVE = /^[A-Za-z]:[\\/]/;
const UNREADABLE = /[\\\u0000-\u001f\u007f]/;

/** An absolute path in its parts. */
interface Parts {
  /** The letter of its drive, or nothing. */
  readonly drive: string;
  readonly segments: readonly string[];
  /** Whether it names a directory by its end. */
  readonly isDirectory: boolean;
}

/**
 * The function that copies a list of changed files, with their paths relative to `root`. A value that is no list of files is for its
 * reader to refuse.
 *
 * @param ignoresCase Whether the root is found whatever the case of `a` to `z`.
 * @throws {AdjudicateError} `wrong_usage` for a root that is no absolute path.
 */
export function relativeTo(root: unknown, ignoresCase: boolean): (files: unknown) => unknown {
  const base = root === undefined ? undefined : rootIn(root);
  const placed = (path: string) => (base && below(base, path, ignoresCase)) ?? path;
  return (files) => (Array.isArray(files) ? (copyOf(files, "changes: ") as unknown[]).map((file) => withPaths(file, placed)) : files);
}

function rootIn(root: unknown): Parts {
  const parts = typeof root === "string" && !/[\\/]\.\.?([\\/]|$)/.test(root) ? partsOf(root) : undefined;
  if (parts !== undefined) return parts;
  const found = typeof root === "string" ? `\`${root}\`` : kindOf(root);
  throw wrongUsage(`\`root\`: expected an absolute path without \`.\` and \`..\`, such as \`/home/me/project\`, found ${found}`);
}

/** A changed file with its path, and the path it had, where they are placed. */
function withPaths(file: unknown, placed: (path: string) => string): unknown {
  if (typeof file !== "object" || file === null || Array.isArray(file)) return file;
  const members = Object.entries(file).map(([name, value]: [string, unknown]) =>
    (name === "path" || name === "from") && typeof value === "string" ? [name, placed(value)] : [name, value],
  );
  return Object.fromEntries(members);
}

/** The path relative to a root; nothing for one that is not below it. */
function below(root: Parts, path: string, ignoresCase: boolean): string | undefined {
  const given = partsOf(path);
  if (given === undefined || given.drive !== root.drive) return undefined;
  const plain = (segment?: string) => (ignoresCase ? segment?.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) : segment);
  if (!root.segments.every((segment, at) => plain(segment) === plain(given.segments[at]))) return undefined;
  const rest = given.segments.slice(root.segments.length).join("/");
  if (rest === "") return ".";
  return given.isDirectory ? `${rest}/` : rest;
}

/** An absolute path in its parts; nothing for any other. Two slashes first begin the name of another machine. */
function partsOf(path: string): Parts | undefined {
  const hasDrive = DRIVE.test(path);
  // Windows takes either slash.
  const text = hasDrive ? path.slice(2).replaceAll("\\", "/") : path;
  if (UNREADABLE.test(text) || !text.startsWith("/") || (!hasDrive && text.startsWith("//"))) return undefined;
  const segments: string[] = [];
  for (const segment of text.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return { drive: hasDrive ? path.charAt(0).toUpperCase() : "", segments, isDirectory: /\/\.{0,2}$/.test(text) };
}
