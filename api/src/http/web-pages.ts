import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Beside this workspace, both for the source in `src/http/` and for the bundle in `dist/`. */
const candidates = ['../../web/dist', '../../../web/dist'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
);
const PAGES = ['index.html', 'landing.html'];
/** Scripts without attributes; the others are files. */
const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g;

/** Where the built web app lies, if it has been built. */
export function findWebRoot(): string | undefined {
  return candidates.find((place) => existsSync(place));
}

/** Sources of a content security policy that allow what the build has written into the pages, and nothing else. */
export function inlineScriptHashes(root = findWebRoot()): string[] {
  if (root === undefined) return [];
  const pages = PAGES.map((page) => path.join(root, page)).filter((page) => existsSync(page));
  const scripts = pages.flatMap((page) => [...readFileSync(page, 'utf8').matchAll(INLINE_SCRIPT)]);
  return scripts.map(([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
}
