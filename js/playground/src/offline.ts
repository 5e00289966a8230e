/** Stores the page on the device. */
import { byId } from "./dom.js";

/** Registers the service worker, if the browser allows it. */
export async function keepOffline(): Promise<void> {
  // The development server has no service worker.
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const state = byId("offline", HTMLElement);
  try {
    await navigator.serviceWorker.register("./service-worker.js");
    await navigator.serviceWorker.ready;
    state.textContent = "Works offline.";
  } catch {
    state.textContent = "Not available offline: the browser does not allow it at this address.";
  }
}
