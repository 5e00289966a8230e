/** The content security policy: the page loads and runs its own files and WebAssembly, and nothing from elsewhere. */
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

/** The policy in a `meta` element of the page, so that it applies on any server of static files. */
export const META_POLICY = DIRECTIVES.join("; ");

/** The policy as a header, which can also forbid frames. */
export const HEADER_POLICY = [...DIRECTIVES, "frame-ancestors 'none'"].join("; ");
