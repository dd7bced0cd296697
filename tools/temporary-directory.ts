import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory that goes with the test. Its name has a space, as a checkout's may. */
export function temporaryDirectory(): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'cellhop test '));
  // As root the database server runs as another user, who has to get in.
  fs.chmodSync(directory, 0o755);
  onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }));
  return directory;
}
