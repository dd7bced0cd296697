import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packagePath } from '../process/package-path.ts';

const webRoot = fileURLToPath(packagePath('../web/dist'));
/** The frame of the pages that the API renders for visitors. */
export const VISITOR_TEMPLATE = 'visitor.html';
const PAGES = ['index.html', VISITOR_TEMPLATE];
/** Inline scripts have no attributes. */
const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g;

/** @returns the directory of the built web app; undefined if it is not built */
export function findWebRoot(): string | undefined {
  return existsSync(webRoot) ? webRoot : undefined;
}

/** CSP sources that allow exactly the inline scripts of the built pages. */
export function inlineScriptHashes(root = findWebRoot()): string[] {
  if (root === undefined) return [];
  const pages = PAGES.map((page) => path.join(root, page)).filter((page) => existsSync(page));
  const scripts = pages.flatMap((page) => [...readFileSync(page, 'utf8').matchAll(INLINE_SCRIPT)]);
  return scripts.map(([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
}
