import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory that is deleted after the test. Its name contains a space, as the path of a checkout may. */
export function temporaryDirectory(): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'cellhop test '));
  // As root, the database server runs as another user, which needs access.
  fs.chmodSync(directory, 0o755);
  onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }));
  return directory;
}
