/** The theme: light, dark, or that of the system. `public/theme.js` sets it before the first paint. */
import { byId } from "./dom.js";

const THEMES: readonly string[] = ["light", "dark"];

/** Connects the theme menu. */
export function setUpTheme(): void {
  const select = byId("theme", HTMLSelectElement);
  const root = document.documentElement;
  select.value = root.dataset["theme"] ?? "system";
  select.addEventListener("change", () => {
    const theme = THEMES.includes(select.value) ? select.value : undefined;
    if (theme === undefined) delete root.dataset["theme"];
    else root.dataset["theme"] = theme;
    remember(theme);
  });
}

function remember(theme: string | undefined): void {
  try {
    if (theme === undefined) localStorage.removeItem("theme");
    else localStorage.setItem("theme", theme);
  } catch {
    // The browser may forbid storage. The theme then applies until the page is closed.
  }
}
