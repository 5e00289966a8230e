/** A server for the built page: static files, a strict security policy, and a list of the requests. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";

import { HEADER_POLICY } from "../../build/csp.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** The output folder of Vite. */
export const FOLDER = env.ADJUDICATE_PLAYGROUND ?? join(ROOT, "target", "playground");

/** The path for reports of policy violations, because tests cannot read the console of workers. */
const REPORTS = "/policy-violations";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves the page below a path until `close` is called. */
export async function serve(folder = "/") {
  const site = { folder, requests: [], violations: [], misses: [] };
  const server = createServer((request, response) => answer(site, request, response));
  await listening(server, 0);
  const { port } = server.address();
  site.url = `http://127.0.0.1:${port}${folder}`;
  /** Stops the server, which simulates a lost network. */
  site.close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return site;
}

/** Returns a file of the built page. */
export function built(path) {
  return readFileSync(join(FOLDER, normalize(path === "/" ? "/index.html" : path)));
}

function listening(server, port) {
  return new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
}

function answer(site, request, response) {
  const { pathname } = new URL(request.url, "http://127.0.0.1");
  if (pathname === REPORTS) {
    collect(request).then((report) => site.violations.push(report));
    response.writeHead(204).end();
    return;
  }
  site.requests.push(pathname);
  response.setHeader("content-security-policy", `${HEADER_POLICY}; report-uri ${REPORTS}`);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  try {
    if (!pathname.startsWith(site.folder)) throw new Error("not below the path");
    const bytes = built(pathname.slice(site.folder.length - 1));
    response.setHeader("content-type", TYPES[extname(pathname)] ?? TYPES[".html"]);
    response.end(bytes);
  } catch {
    site.misses.push(pathname);
    response.writeHead(404).end();
  }
}

async function collect(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
