/** Where a path lies, by the words of the specification and by Node's own `path`: the model that a gate is held to. */
import { posix, win32 } from "node:path";

const DRIVE = /^[A-Za-z]:[\\/]/;
const lower = (text) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The path as the engine should be asked about it: relative to the root where it is absolute and below, else as it is. */
export function placed(path, root, isInsensitive) {
  if (root === undefined || typeof path !== "string") return path;
  const hasDrive = DRIVE.test(path);
  if (hasDrive !== DRIVE.test(root) || !(hasDrive || /^\/(?!\/)/.test(path))) return path;
  // A control character, and a backslash where it is a letter of a name, make a path unknown wherever they stand.
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

/** The same of both names of changed files; what is none stays as it is. */
export function placedFiles(files, root, isInsensitive) {
  return files.map((file) => {
    if (typeof file !== "object" || file === null || Array.isArray(file)) return file;
    const names = ["path", "from"].filter((name) => Object.hasOwn(file, name));
    return { ...file, ...Object.fromEntries(names.map((name) => [name, placed(file[name], root, isInsensitive)])) };
  });
}
