import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildOffline } from './build-offline.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

test.each([
  ["import http from 'node:http'; http.get('http://example.com');", 'must not import node:http'],
  ["import { connect } from 'net'; connect(1);", 'must not import net'],
  ["module.exports = require('tls');", 'must not import tls'],
  ["import { Worker } from 'node:worker_threads'; new Worker('a');", 'must not import node:worker_threads'],
  ["import { exec } from 'node:child_process'; exec('curl');", 'must not import node:child_process'],
  ["const { get } = await import('node:https'); get('https://example.com');", 'must not import node:https'],
  ["await fetch('http://example.com');", 'must not contain: await fetch('],
  ["new WebSocket('ws://example.com');", 'must not contain: new WebSocket('],
  ["process.getBuiltinModule('http');", 'must not contain: process.getBuiltinModule('],
  ['await import(process.argv[2]);', 'must not contain: await import('],
])('refuses to build %s', async (code, message) => {
  const directory = temporaryDirectory();
  const entry = path.join(directory, code.startsWith('module') ? 'entry.cjs' : 'entry.mjs');
  fs.writeFileSync(entry, code);
  await expect(buildOffline(path.join(directory, 'program.mjs'), entry)).rejects.toThrow(message);
  expect(fs.existsSync(path.join(directory, 'program.mjs'))).toBe(false);
});
