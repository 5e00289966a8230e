declare module "virtual:examples" {
  const examples: import("./example.js").Examples;
  export default examples;
}

declare module "virtual:language" {
  const language: import("./editor/shape.js").Language;
  export default language;
}

declare module "*.css";
