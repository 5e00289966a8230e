/**
 * Stores the page on the device, so that it works offline.
 *
 * Each version of the page has its own cache with all of its files, so scripts, styles and the engine always have the same version. The names of
 * files contain a hash of their content. The build writes the version and the list.
 */
const PREFIX = "adjudicate-playground ";
const CACHE = `${PREFIX}__VERSION__`;
const FILES = ["__FILES__"];
/** The time limit for the server, after which the stored page is used. */
const PATIENCE_MS = 3000;

addEventListener("install", (event) => {
  // The browser's own cache may have a file of an earlier version under the same name.
  const requests = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(requests)));
});

addEventListener("activate", (event) => {
  event.waitUntil(forgetOthers().then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const isOwn = request.url.startsWith(registration.scope);
  if (request.method !== "GET" || !isOwn) return;
  event.respondWith(request.mode === "navigate" ? page(request) : file(request));
});

async function forgetOthers() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** The page from the server, or the stored one if the server does not answer in time. */
async function page(request) {
  try {
    const now = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (now.ok) return now;
  } catch {
    // The network is down or too slow.
  }
  return (await kept("./")) ?? fetch(request);
}

/** The stored file, which is never outdated: its name has a hash of its content. */
async function file(request) {
  return (await kept(request)) ?? fetch(request);
}

async function kept(request) {
  const cache = await caches.open(CACHE);
  // Ignores the header `Vary`, because a file is the same for all clients.
  return cache.match(request, { ignoreSearch: true, ignoreVary: true });
}
