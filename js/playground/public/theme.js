// This script runs before the first paint, so that a dark page never flashes light. `src/theme.ts` does the rest.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // The browser may forbid storage.
}
