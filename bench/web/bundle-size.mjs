// The gzipped size of the JavaScript that a first visit loads: everything that the page needs before the first interaction.
// Run after `npm run build -w web`; exits with 1 if a page is above its limit.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const dist = new URL('../../web/dist/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));

/**
 * Russian, because its texts are longer; a visitor loads one language.
 * @param {string[]} namespaces
 */
const texts = (...namespaces) => namespaces.map((name) => `src/i18n/locales/ru/${name}.json`);
/**
 * What the browser loads for a page: its entry, and the modules that router, page and translations request. `member` is the
 * group of the layout for signed-in users (web/vite.config.ts). The API renders `/`, which loads no script (`e2e/visitor.spec.ts`).
 */
const pages = {
  '/sign-in': {
    limit: 190,
    roots: [
      'index.html',
      'src/app/layout/guest-layout.tsx',
      'src/features/auth/sign-in-page.tsx',
      ...texts('common', 'auth'),
    ],
  },
  '/proxies': {
    limit: 180,
    roots: [
      'index.html',
      'member',
      'src/app/screens/proxies-screen.tsx',
      ...texts('common', 'notification', 'country', 'proxy'),
    ],
  },
};

/** @param {string} file */
const gzipSize = (file) => gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length;
/** @param {number} bytes */
const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;

/**
 * @param {string} key
 * @param {Set<string>} files
 */
function collect(key, files) {
  const chunk = manifest[key] ?? Object.values(manifest).find(({ name }) => name === key);
  if (chunk === undefined) throw new Error(`${key} is not in the manifest: a page was renamed, or the build is old`);
  if (files.has(chunk.file)) return files;
  files.add(chunk.file);
  for (const imported of chunk.imports ?? []) collect(imported, files);
  return files;
}

let isTooLarge = false;
for (const [path, { limit, roots }] of Object.entries(pages)) {
  /** @type {Set<string>} */
  const files = new Set();
  for (const root of roots) collect(root, files);
  const sizes = [...files].map((file) => ({ file, bytes: gzipSize(file) })).sort((a, b) => b.bytes - a.bytes);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > limit * 1024) isTooLarge = true;
  console.log(`\n${path}  ${kilobytes(total)} of ${limit} KB gzip in ${files.size} files`);
  for (const { file, bytes } of sizes) console.log(`  ${kilobytes(bytes).padStart(9)}  ${file}`);
}
process.exitCode = isTooLarge ? 1 : 0;
