/**
 * Absolute paths below the root of a workspace, made relative to it.
 *
 * Works on text alone: it resolves neither links nor `..`. The engine normalizes the rest of a path, so a path that climbs
 * out of the root again stays outside.
 */
import { copyOf } from "../strict.js";
import { kindOf, wrongUsage } from "../usage.js";

const DRIVE = /^[A-Za-z]:[\\/]/;

/**
 * The function that makes the paths of changed files relative to `root`; without a root, files stay as they are. A value
 * that is no list of files is for its reader to refuse.
 *
 * @throws {AdjudicateError} `wrong_usage` for a root that is no absolute path.
 */
export function relativeTo(root: unknown): (files: unknown) => unknown {
  if (root === undefined) return (files) => files;
  if (typeof root !== "string" || !isAbsolute(root) || /[\\/]\.\.?([\\/]|$)/.test(root)) {
    const found = typeof root === "string" ? `\`${root}\`` : kindOf(root);
    throw wrongUsage(`\`root\`: expected an absolute path without \`.\` and \`..\`, such as \`/home/me/project\`, found ${found}`);
  }
  const base = slashed(root).replace(/\/*$/, "/");
  return (files) => (Array.isArray(files) ? (copyOf(files, "changes: ") as unknown[]).map((file) => fileBelow(base, file)) : files);
}

/** A changed file with its path, and the path it had, relative to a base that ends in `/`. */
function fileBelow(base: string, file: unknown): unknown {
  if (typeof file !== "object" || file === null) return file;
  const members = Object.entries(file).map(([name, value]: [string, unknown]) =>
    (name === "path" || name === "from") && typeof value === "string" ? [name, pathBelow(base, value)] : [name, value],
  );
  return Object.fromEntries(members);
}

function pathBelow(base: string, path: string): string {
  if (!isAbsolute(path)) return path;
  const given = slashed(path);
  if (!`${given}/`.startsWith(base)) return path;
  return given.slice(base.length).replace(/^\/+/, "") || ".";
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || DRIVE.test(path);
}

/** A path with a drive letter as Windows reads it: either slash separates, and the letter has no case. */
function slashed(path: string): string {
  return DRIVE.test(path) ? path.charAt(0).toUpperCase() + path.slice(1).replaceAll("\\", "/") : path;
}
