/** Embedded policies: `loadModule` checks them, and a module with a policy answers as the policy does. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { env } from "node:process";
import { deflateSync, gzipSync, inflateSync } from "node:zlib";

import { FAILING, RULED_POLICY } from "./support/envelope.mjs";
import { bothForms, install, root } from "./support/installed.mjs";
import { module as wasm } from "./support/wasm.mjs";

const { createEngineSync, loadModule } = (await bothForms(install())).import.main;
const folder = env.ADJUDICATE_BAKED ?? join(root, "..", "target", "artifacts", "baked");
const skip = !existsSync(folder) && env.CI === undefined && `${folder} is not built`;

const canonical = JSON.stringify(sorted(RULED_POLICY));
const { name, version, digest, rules } = createEngineSync().policy(RULED_POLICY);
const LABEL = { name, version, digest, rules: rules.map(({ id }) => id) };

/** Returns a value with the fields of its objects in the order of their names. */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}

/** Returns a module with this `policy` in its manifest, and with these sections. */
function carrying(policy, ...sections) {
  const manifest = JSON.stringify({ abi: 1, name: "n", version: "1.0.0", operations: ["evaluate"], policy });
  const leb = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)]);
  const title = [17, ...Buffer.from("adjudicate.policy")];
  const custom = sections.flatMap((section) => [Buffer.from([0, ...leb(title.length + section.length), ...title]), section]);
  return Buffer.concat([wasm({ manifest }), ...custom]);
}

test("a manifest may name its JSON Schema", async () => {
  const members = { abi: 1, name: "n", version: "1.0.0", operations: ["evaluate"] };
  const manifest = (more) => wasm({ manifest: JSON.stringify({ ...members, ...more }) });
  assert.equal((await loadModule(manifest({ $schema: "https://example.com/manifest.json" }))).manifest.name, "n");
  const below = loadModule(manifest({ limits: { $schema: "https://example.com/manifest.json" } }));
  await assert.rejects(below, { code: "module_manifest", path: "/limits/$schema" });
});

test("a module whose policy differs from its manifest is refused", async () => {
  const packed = deflateSync(canonical);
  const shouting = { ...LABEL, digest: digest.slice("sha256:".length).toUpperCase() };
  for (const module of [carrying(LABEL, packed), carrying(shouting, packed), carrying(LABEL)]) {
    assert.equal((await loadModule(module)).manifest.policy.name, name);
  }
  const other = deflateSync(canonical.replace(version, "9.9.9"));
  for (const [module, path] of [
    [carrying(LABEL, other), "/policy/digest"],
    [carrying({ ...LABEL, name: "other" }, packed), "/policy/name"],
    [carrying({ ...LABEL, version: "9.9.9" }, packed), "/policy/version"],
    [carrying({ ...LABEL, rules: [] }, packed), "/policy/rules"],
    [carrying({ ...LABEL, rules: [...LABEL.rules, "more"] }, packed), "/policy/rules"],
    [carrying(undefined, packed), "/policy"],
    [carrying(LABEL, packed, packed), ""],
    [carrying(LABEL, Buffer.alloc(0)), ""],
    [carrying(LABEL, Buffer.from(canonical)), ""],
    [carrying(LABEL, gzipSync(canonical)), ""],
    [carrying(LABEL, packed.subarray(0, -5)), ""],
    [carrying(LABEL, packed.subarray(0, -1)), ""],
    [carrying(LABEL, Buffer.concat([packed, Buffer.from("x")])), ""],
    [carrying(LABEL, Buffer.concat([packed, packed])), ""],
    [carrying(LABEL, Buffer.concat([packed, Buffer.from("x"), packed.subarray(-4)])), ""],
    [carrying(LABEL, deflateSync(JSON.stringify(sorted(RULED_POLICY), null, 1))), ""],
    [carrying(LABEL, deflateSync("{}")), ""],
    [carrying(LABEL, deflateSync(Buffer.alloc(256 << 20))), ""],
  ]) {
    await assert.rejects(loadModule(module), { code: "module_manifest", path }, path);
    await assert.rejects(loadModule(module, { deadlineMs: 60_000 }), { code: "module_manifest", path }, path);
  }
});

test("baked policies are loaded with their labels, and answer as the engine under their documents", { skip }, async () => {
  const files = readdirSync(folder).filter((file) => file.endsWith(".wasm"));
  assert.ok(files.length >= 5, folder);
  for (const file of files) {
    const bytes = readFileSync(join(folder, file));
    const [section] = WebAssembly.Module.customSections(new WebAssembly.Module(bytes), "adjudicate.policy");
    const policy = createEngineSync().policyText(inflateSync(new Uint8Array(section)));
    const module = await loadModule(bytes);
    assert.equal(module.manifest.policy.digest, policy.digest);
    assert.deepEqual(module.evaluate(FAILING), policy.evaluate(FAILING), file);
  }
});
