/** What the page may load and run: itself, and WebAssembly. Nothing is loaded from elsewhere, ever. */
const DIRECTIVES = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
];

/** The policy as the page itself carries it, so that it holds on any server of static files. */
export const META_POLICY = DIRECTIVES.join("; ");

/** The policy as a header, which can forbid being framed, too. */
export const HEADER_POLICY = [...DIRECTIVES, "frame-ancestors 'none'"].join("; ");
