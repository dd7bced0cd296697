// @ts-check
/**
 * Builds the offline program into one file that needs only Node.js, and prints its SHA-256, with which operators compare their copies.
 * Fails if the file imports more than it may: the program that reads the seed words must not be able to open a connection.
 */
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const ALLOWED_MODULES = new Set([
  'node:assert/strict',
  'node:crypto',
  'node:fs',
  'node:os',
  'node:readline',
  'node:stream',
  'node:util',
]);
/** Ways to a connection, or to other modules, without an import. Not in the list of seed words, where "fetch" is one. */
const REFUSED_CODE =
  /\b(?:fetch|require|eval|import|getBuiltinModule|binding|_linkedBinding|dlopen)\s*\(|\b(?:XMLHttpRequest|WebSocket|EventSource|RTCPeerConnection|WebAssembly)\b/;

/**
 * Packages of TON are CommonJS and call `require('crypto')`, which a module of Node.js does not have: they get what `import` of it gives.
 * @type {import('esbuild').Plugin}
 */
const requiredCrypto = {
  name: 'required-crypto',
  setup(build) {
    const contents = "export * from 'node:crypto'; export { default } from 'node:crypto';";
    build.onResolve({ filter: /^crypto$/ }, () => ({ path: 'crypto', namespace: 'required' }));
    build.onLoad({ filter: /^crypto$/, namespace: 'required' }, () => ({ contents }));
  },
};

/** @param {string} file where the program is written @param {string} [entry] @returns {Promise<string>} its SHA-256 */
export async function buildOffline(file, entry = 'api/src/payments/offline/main.ts') {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: 'cellhop-offline.mjs',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    alias: { '@cellhop/contract': './contract/src' },
    plugins: [requiredCrypto],
    legalComments: 'inline',
    logLevel: 'warning',
    metafile: true,
    write: false,
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map((each) => each.path));
  const refused = imports.filter((name) => !ALLOWED_MODULES.has(name));
  if (refused.length > 0) throw new Error(`The offline program must not import ${refused.join(', ')}`);
  const [{ contents, text }] = /** @type {[import('esbuild').OutputFile]} */ (outputFiles);
  const code = text.split('\n').find((line) => REFUSED_CODE.test(line.replace(/^\s*(?:\/\/|\*).*/, '')));
  if (code !== undefined) throw new Error(`The offline program must not contain: ${code.trim()}`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, contents);
  return createHash('sha256').update(contents).digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = 'api/dist/cellhop-offline.mjs';
  console.log(`${await buildOffline(path.join(root, file))}  ${file}`);
}
