/** WebAssembly that comes with the code: workerd and edge runtimes hand it over compiled. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}
