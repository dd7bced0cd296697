/**
 * The offline program as operators run it: bundled twice, and started several times.
 * @module-tag long
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildOffline } from './build-offline.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

const WORDS = `${'abandon '.repeat(11)}about`;
const TON_WORDS = `${'abandon '.repeat(23)}clean`;

test('the offline program is one file, the same from each build, and runs alone', async () => {
  const directory = temporaryDirectory();
  const file = path.join(directory, 'alone/cellhop-offline.mjs');
  const digest = await buildOffline(file);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(await buildOffline(path.join(directory, 'again/cellhop-offline.mjs'))).toBe(digest);
  const output = await run(file, ['accounts', '--with-network'], `${WORDS}\n\n`);
  expect(output).toContain('PAY_TRON_ADDRESS_0=TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH\n');
  expect(output).not.toContain('abandon');
  // The packages of TON are of another kind than modules.
  expect(await run(file, ['accounts', 'ton', '--with-network'], `${TON_WORDS}\n`)).toContain(
    'PAY_TON_PUBLIC_KEY=671e0395fd80ad296be2bca5cf5c85c23d3e4f832c3efb1b23cad3da9ca3fee4\n',
  );
  await expect(run(file, ['accounts', '--with-network'], `${WORDS}\n`)).rejects.toThrow('Interrupted');
  await expect(run(file, ['sign'], '')).rejects.toThrow('node cellhop-offline.mjs sign HOLDINGS SIGNED');
});

/** @returns its output; rejects with it if the program fails */
function run(file: string, values: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [file, ...values], (error, output, errors) => {
      if (error) reject(new Error(output + errors));
      else resolve(output + errors);
    });
    child.stdin!.end(input);
  });
}
