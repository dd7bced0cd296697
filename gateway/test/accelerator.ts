import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAccelerator, nativeSources } from '../native/build.mjs';
import type { Relay } from '../src/pipe/pipe.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const { ACCELERATOR: given } = process.env;

/**
 * Built once for each version of its sources; `ACCELERATOR` is the path of another one, such as one with sanitizers, or `off`. Undefined where it
 * cannot be built: tests that run for each relay then name two of three.
 */
export const acceleratorFile = given === 'off' ? undefined : (given ?? provideAccelerator());

/** The relays that this machine has. */
export const relays: readonly Relay['kind'][] =
  acceleratorFile === undefined ? ['pump', 'streams'] : ['splice', 'pump', 'streams'];

function provideAccelerator(): string | undefined {
  const hash = createHash('sha256').update(process.version);
  for (const file of [path.join(root, 'native/build.mjs'), ...nativeSources()]) hash.update(readFileSync(file));
  const file = path.join(root, `dist/accelerator-${hash.digest('hex').slice(0, 16)}.node`);
  if (existsSync(file)) return file;
  const problem = spawnSync('cc', ['--version']).error ? 'no compiler' : buildAccelerator(file);
  if (problem === undefined) return file;
  console.warn(`The relay "splice" is not tested here: ${problem}`);
  return undefined;
}
