// Before the first paint, so that a page that is to be dark is never light. `src/theme.ts` does the rest.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden.
}
