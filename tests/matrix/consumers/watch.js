// Imported before the package, to count every compilation after that.

export const compiled = [];

for (const name of ["compile", "compileStreaming", "instantiate", "instantiateStreaming"]) {
  const original = WebAssembly[name];
  if (original === undefined) continue;
  WebAssembly[name] = (...given) => {
    compiled.push(name);
    return original.apply(WebAssembly, given);
  };
}
for (const name of ["Module", "Instance"]) {
  const counted = (original, given) => {
    compiled.push(name);
    return Reflect.construct(original, given);
  };
  WebAssembly[name] = new Proxy(WebAssembly[name], { construct: counted });
}
