import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inlineScriptHashes } from './web-pages.ts';

test('inline scripts of the built pages are allowed by hash', () => {
  const root = mkdtempSync(path.join(os.tmpdir(), 'pages-'));
  const script = 'document.title = "x";\n';
  writeFileSync(path.join(root, 'index.html'), `<script>${script}</script><script type="module" src="/a.js"></script>`);
  const hash = createHash('sha256').update(script).digest('base64');
  expect(inlineScriptHashes(root)).toEqual([`'sha256-${hash}'`]);
  rmSync(root, { recursive: true });
});
