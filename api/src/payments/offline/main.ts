/**
 * The program for the machine with the seed words, built into one file (tools/build-offline.mjs), which imports nothing that could open a
 * connection. docs/sweeping.md shows its use.
 */
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { ListRefused } from '../sweep/plan.ts';
import { type Machine, Refusal } from './machine.ts';
import { runOffline } from './program.ts';
import { openTerminal } from './terminal.ts';

const terminal = openTerminal(process.stdin, process.stdout);
const machine: Machine = {
  terminal,
  now: () => new Date(),
  connectedInterfaces: () =>
    Object.entries(networkInterfaces())
      .filter(([, addresses]) => addresses?.some(({ internal }) => !internal))
      .map(([name]) => name),
  readFile: (path) => readFileSync(path),
  checkNewFile(path) {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    unlinkSync(path);
  },
  writeNewFile: (path, text) => writeFileSync(path, text, { flag: 'wx', mode: 0o600 }),
};

try {
  await runOffline(machine, process.argv.slice(2));
} catch (error) {
  // Other errors are faults of the program, whose place matters. No message contains a secret.
  if (error instanceof Refusal || error instanceof ListRefused) terminal.say(error.message);
  else throw error;
  process.exitCode = 1;
} finally {
  terminal.close();
}
