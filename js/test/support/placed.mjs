/** A model of the gate's treatment of paths, with Node's `path`. */
import { posix, win32 } from "node:path";

const DRIVE = /^[A-Za-z]:[\\/]/;
const lower = (text) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Returns the path that the engine should get: relative if it is absolute and below the root, otherwise unchanged. */
export function placed(path, root, isInsensitive) {
  if (root === undefined || typeof path !== "string") return path;
  const hasDrive = DRIVE.test(path);
  if (hasDrive !== DRIVE.test(root) || !(hasDrive || /^\/(?!\/)/.test(path))) return path;
  // A path with a control character is ambiguous, and so is one with a backslash and no drive letter.
  if ([...path].some((character) => character < " " || character === "\u007f") || (!hasDrive && path.includes("\\"))) return path;
  const { normalize } = hasDrive ? win32 : posix;
  const plain = (absolute) => normalize(absolute).replaceAll(hasDrive ? "\\" : "/", "/").replace(/\/*$/, "/");
  const [given, base] = [plain(path), plain(root)];
  const fold = (text) => (isInsensitive ? lower(text) : text);
  const drive = (text) => (hasDrive ? text[0].toUpperCase() + text.slice(1) : text);
  if (!fold(drive(given)).startsWith(fold(drive(base)))) return path;
  const rest = given.slice(base.length);
  if (rest === "") return ".";
  return /[\\/]\.{0,2}$/.test(path) ? rest : rest.slice(0, -1);
}

/** Converts both names of changed files. Other values stay unchanged. */
export function placedFiles(files, root, isInsensitive) {
  return files.map((file) => {
    if (typeof file !== "object" || file === null || Array.isArray(file)) return file;
    const names = ["path", "from"].filter((name) => Object.hasOwn(file, name));
    return { ...file, ...Object.fromEntries(names.map((name) => [name, placed(file[name], root, isInsensitive)])) };
  });
}
