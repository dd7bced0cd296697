import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../tools/temporary-directory.ts';
import { buildAccelerator } from '../../native/build.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const SANITIZERS = [
  '-O1',
  '-g',
  '-fno-omit-frame-pointer',
  '-fsanitize=address,undefined',
  '-fno-sanitize-recover=all',
];
const TESTS = ['gateway/src/pipe/pipe.test.ts', 'gateway/src/pipe/accelerator.test.ts'];
const TIMEOUT_MS = 600_000;

/** Needs a compiler with its sanitizers (Debian: gcc). */
describe('the accelerator', () => {
  it(
    'has no fault of memory and no undefined behaviour in the tests of tunnels',
    async () => {
      const file = path.join(temporaryDirectory(), 'accelerator.node');
      expect(buildAccelerator(file, { flags: SANITIZERS })).toBeUndefined();
      // Node itself is not built with the sanitizer, so it is loaded first. V8 frees little of what it has at the end.
      const library = execFileSync('cc', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).trim();
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project=programs', ...TESTS],
        {
          cwd: root,
          timeout: TIMEOUT_MS,
          env: { ...process.env, ACCELERATOR: file, LD_PRELOAD: library, ASAN_OPTIONS: 'detect_leaks=0' },
        },
      );
      expect(stdout).toContain('native code');
    },
    TIMEOUT_MS,
  );
});
