/**
 * Keeps the page on the device, so that it works without a network.
 *
 * Each version of the page has a cache of its own with all of its files: scripts, styles and the engine, whose names
 * say what is in them, are never of two versions. The build writes the version and the list.
 */
const PREFIX = "adjudicate-playground ";
const CACHE = `${PREFIX}__VERSION__`;
const FILES = ["__FILES__"];
/** How long a page is waited for that is on the device already. */
const PATIENCE_MS = 3000;

addEventListener("install", (event) => {
  // Past the browser's own cache: it may hold what an earlier version had by the same name.
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

/** The page as it is now, where it can be had, and else as it was. */
async function page(request) {
  try {
    const now = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (now.ok) return now;
  } catch {
    // There is no network, or none worth waiting for.
  }
  return (await kept("./")) ?? fetch(request);
}

/** Files have names of their own for each content. */
async function file(request) {
  return (await kept(request)) ?? fetch(request);
}

async function kept(request) {
  const cache = await caches.open(CACHE);
  // Whatever a server says that its answers vary with: a file is the same for everybody.
  return cache.match(request, { ignoreSearch: true, ignoreVary: true });
}
