/**
 * The offline program as operators run it: bundled twice, and started several times.
 * @module-tag long
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ethereumHoldings, EVM_TREASURY, holdingsFile } from '../api/test/holdings.ts';
import { buildOffline } from './build-offline.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

const WORDS = `${'abandon '.repeat(11)}about`;
/** A start that found a busy machine. */
const READY = { timeout: 60_000 };
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
  // Nobody could read the plan.
  const piped = `${WORDS}\n\n${EVM_TREASURY}\n\n${EVM_TREASURY.slice(-6)}\n`;
  await expect(run(file, ['sign', 'list', 'signed', '--with-network'], piped)).rejects.toThrow('at a terminal only');
});

test('in a terminal, one text of several lines signs nothing, and a person who waits for each question signs', async () => {
  const directory = temporaryDirectory();
  const file = path.join(directory, 'cellhop-offline.mjs');
  await buildOffline(file);
  const signed = path.join(directory, 'signed.json');
  fs.writeFileSync(path.join(directory, 'list.json'), JSON.stringify(holdingsFile(ethereumHoldings())));
  const thief = `0x${'12'.repeat(20)}`;
  const pasted = `${thief}\r${thief}\r121212\rsign\r`;
  const { waitFor, type, exited } = openPseudoterminal(
    directory,
    `'${process.execPath}' cellhop-offline.mjs sign list.json signed.json --with-network`,
  );
  // Before the program reads its first key, too.
  type(`${WORDS}\r\r${pasted}`);
  await waitFor('Seed words');
  type(`${WORDS}\r`);
  await waitFor('Passphrase');
  type(`\r${pasted}`);
  await waitFor('nothing of it was taken');
  await waitFor('Passphrase');
  type('\r');
  await waitFor('Destination');
  type(pasted);
  await waitFor('nothing of it was taken');
  await waitFor('Destination');
  type(`${EVM_TREASURY}\r`);
  await waitFor('Destination');
  type('\r');
  await waitFor('type the last six characters');
  expect(fs.existsSync(signed)).toBe(false);
  type(`${EVM_TREASURY.slice(-6)}\r`);
  await waitFor('Signed 1');
  expect(await exited).toBe(0);
  expect(fs.existsSync(signed)).toBe(true);
});

/** A pseudoterminal of util-linux. `waitFor` looks only at what was written since it last found something. */
function openPseudoterminal(cwd: string, command: string) {
  const [program, ...args] = ['script', '-qefc', command, '/dev/null'] as const;
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    type: (text: string) => void child.stdin.write(text),
    waitFor: async (text: string) => {
      await expect.poll(() => output, READY).toContain(text);
      output = output.slice(output.indexOf(text) + text.length);
    },
    exited: once(child, 'exit').then(([code]) => code as number),
  };
}

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
