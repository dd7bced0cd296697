import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAccelerator } from '../../../native/build.mjs';
import { socketDescriptor } from '../../../src/pipe/handle.ts';

let native: { send(descriptor: number): boolean } | undefined;

/** Sends one urgent byte (MSG_OOB). @throws Error without a compiler, where there is no native code to compare either */
export function sendUrgent(socket: Socket): void {
  native ??= load();
  const descriptor = socketDescriptor(socket);
  if (descriptor === undefined || !native.send(descriptor)) throw new Error('No urgent byte was sent');
}

function load(): { send(descriptor: number): boolean } {
  const directory = mkdtempSync(path.join(tmpdir(), 'cellhop-urgent-'));
  try {
    const file = path.join(directory, 'urgent.node');
    const problem = buildAccelerator(file, { sources: [fileURLToPath(new URL('urgent.c', import.meta.url))] });
    if (problem !== undefined) throw new Error(problem);
    const module = { exports: {} };
    process.dlopen(module, file);
    return module.exports as { send(descriptor: number): boolean };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
