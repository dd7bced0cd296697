/** Measures the memory in use of a process after a garbage collection. */
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const SAMPLE_MS = 100;
const COLLECTION_LIMIT_MS = 10_000;

/**
 * Triggers a garbage collection in a process.
 * @param file where live-memory.mjs, which the process has loaded, writes its measurement
 * @returns the megabytes in use: the heap, and buffers outside of it
 */
export async function liveMegabytes(pid: number, file: string): Promise<number> {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  const deadline = performance.now() + COLLECTION_LIMIT_MS;
  while (performance.now() < deadline) {
    await pause(SAMPLE_MS);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const { heapUsed, external } = JSON.parse(text) as NodeJS.MemoryUsage;
    return Math.round((heapUsed + external) / 1024 / 1024);
  }
  throw new Error('the process did not report its memory in use');
}
