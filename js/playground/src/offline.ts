/** Keeping the page on the device. */
import { byId } from "./dom.js";

/** Registers the service worker, where there may be one; without it the page works as long as it is open. */
export async function keepOffline(): Promise<void> {
  // The development server has none.
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const says = byId("offline", HTMLElement);
  try {
    await navigator.serviceWorker.register("./service-worker.js");
    await navigator.serviceWorker.ready;
    says.textContent = "Works offline.";
  } catch {
    says.textContent = "Not kept for offline use: this browser or address does not allow it.";
  }
}
