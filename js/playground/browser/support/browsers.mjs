/** The browser of the tests: Chromium, or Firefox if `ADJUDICATE_BROWSER` is `firefox`. */
import { env } from "node:process";

import { chromium, firefox } from "playwright-core";

import { FLAGS, executable, inPath } from "../../../scripts/browser.mjs";

/** Starts Chromium, in which no other name resolves. */
function launchChromium() {
  const executablePath = executable();
  if (executablePath === undefined) throw new Error("Chromium not found: install `chromium`, or set CHROMIUM to its path");
  return chromium.launch({ executablePath, args: [...FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"] });
}

/** Starts Firefox behind a proxy that does not exist. It gets addresses of this machine without the proxy. */
function launchFirefox() {
  const executablePath = env.FIREFOX ?? inPath(["firefox-esr", "firefox"]);
  if (executablePath === undefined) throw new Error("Firefox not found: install `firefox-esr`, or set FIREFOX to its path");
  translate(firefox._connection.toImpl(firefox)._bidiFirefox);
  return firefox.launch({ executablePath, channel: "moz-firefox", proxy: { server: "127.0.0.1:9" }, firefoxUserPrefs: PREFERENCES });
}

const PREFERENCES = {
  // A page may use the clipboard without a click of the user.
  "dom.events.testing.asyncClipboard": true,
  // Without this, Firefox 153 crashes when a script reads `ariaLabelledByElements`, as axe and Playwright do.
  "accessibility.ARIAElementReflection.enabled": false,
  // Firefox has no command for media features.
  "ui.prefersReducedMotion": 1,
};

/** Translates between Playwright 1.65 and Firefox 153, which disagree about two messages of WebDriver BiDi. */
function translate(browserType) {
  const { connectToTransport } = browserType;
  browserType.connectToTransport = async (transport, options) => {
    const browser = await connectToTransport.call(browserType, transport, options);
    const { send, onmessage } = transport;
    transport.send = (message) => {
      // Playwright sends this command for each context, and Firefox does not know it.
      if (message.method !== "emulation.setMediaFeaturesOverride") return send.call(transport, message);
      queueMicrotask(() => onmessage({ id: message.id, type: "success", result: {} }));
    };
    transport.onmessage = (message) => {
      // Playwright ignores downloads without an id.
      if (/^browsingContext\.download/.test(message.method)) message.params.navigation ??= message.params.url;
      onmessage(message);
    };
    return browser;
  };
}

const BROWSERS = {
  chromium: { launch: launchChromium, options: { permissions: ["clipboard-read", "clipboard-write"] } },
  firefox: { launch: launchFirefox, options: {} },
};

/** The name of the browser of this run. */
export const NAME = env.ADJUDICATE_BROWSER ?? "chromium";

/** The function that starts the browser, and the options of its contexts. */
export const { launch, options: OPTIONS } = BROWSERS[NAME];
