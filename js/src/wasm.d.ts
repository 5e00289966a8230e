/** WebAssembly that the platform compiles with the code: workerd and edge runtimes. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}
