/** Scratch repositories with an `adjudicate.yaml`. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const HEAD = `workflow: change
next_steps:
  - {id: open_pull_request, role: forward}
  - {id: fix_findings, role: fix}
  - {id: ask_a_human, role: gate}
`;

export const POLICY = "policy: change\nversion: 1.0.0\nprofile: oa06.1\nreview: optional\n";

/** Returns a configuration with these lines at its end. */
export function configuration(lines) {
  return HEAD + lines;
}

/** Creates a folder with files, which is removed at the end of the process. With `isCommitted`, a commit has the files. */
export function repository(files, isCommitted = true) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "adjudicate-repository-")));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  write(folder, files);
  if (isCommitted) {
    git(folder, "init", "--quiet");
    git(folder, "add", "--all");
    git(folder, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--allow-empty", "--message", "first");
  }
  return folder;
}

/** Writes files into a folder. */
export function write(folder, files) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function git(folder, ...words) {
  execFileSync("git", words, { cwd: folder, env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" } });
}
