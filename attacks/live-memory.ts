/** What a process has in use once its garbage is collected. */
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const SAMPLE_MS = 100;
const COLLECTION_LIMIT_MS = 10_000;

/**
 * Makes a process collect its garbage.
 * @param file where live-memory.mjs, loaded by the process, writes what it measures
 * @returns megabytes that are left: objects, and buffers outside of the heap
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
  throw new Error('the process did not say what memory is in use');
}
