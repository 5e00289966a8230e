// Prints the sizes of files, raw and compressed: `node sizes.mjs NAME=FILE...` writes one flat JSON object with
// `NAME_raw_bytes`, `NAME_gzip_bytes` and `NAME_brotli_bytes`, each with the strongest setting.

import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const sizes = {};
for (const argument of process.argv.slice(2)) {
  const [name, file] = argument.split("=", 2);
  const bytes = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  sizes[`${name}_raw_bytes`] = bytes.length;
  sizes[`${name}_gzip_bytes`] = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }).length;
  sizes[`${name}_brotli_bytes`] = brotliCompressSync(bytes, { params }).length;
}
console.log(JSON.stringify(sizes));
