/** What the kernel knows of the API's process, and what it has in use once its garbage is collected. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const SAMPLE_MS = 100;
const COLLECTION_LIMIT_MS = 10_000;
/** The kernel counts processor time in hundredths of a second (USER_HZ). */
const TICKS_PER_SECOND = 100;

export class WatchedProcess {
  peakMegabytes = 0;
  readonly #timer: NodeJS.Timeout;

  /** @param liveMemoryFile where live-memory.mjs, loaded by the process, writes what it measures */
  constructor(
    private readonly pid: number,
    private readonly liveMemoryFile: string,
  ) {
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
    this.#sample();
  }

  /** Resident, garbage that is not collected yet included. */
  get megabytes(): number {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  }

  get cpuSeconds(): number {
    // The second field is the program's name in brackets, which may hold anything.
    const [, fields] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${this.pid}/stat`, 'utf8')) ?? [];
    const [userTicks, systemTicks] = fields!.split(' ').slice(11, 13);
    return (Number(userTicks) + Number(systemTicks)) / TICKS_PER_SECOND;
  }

  /** Its listening sockets and those to the database among them. */
  get sockets(): number {
    const directory = `/proc/${this.pid}/fd`;
    return readdirSync(directory).filter((name) => {
      try {
        return readlinkSync(`${directory}/${name}`).startsWith('socket:');
      } catch {
        // Closed between the two looks.
        return false;
      }
    }).length;
  }

  /** Has the process collect its garbage. @returns what is left: objects, and buffers outside of the heap */
  async collectGarbage(): Promise<number> {
    await rm(this.liveMemoryFile, { force: true });
    process.kill(this.pid, 'SIGUSR2');
    const deadline = performance.now() + COLLECTION_LIMIT_MS;
    while (performance.now() < deadline) {
      await pause(SAMPLE_MS);
      const text = await readFile(this.liveMemoryFile, 'utf8').catch(() => undefined);
      if (text === undefined) continue;
      const { heapUsed, external } = JSON.parse(text) as NodeJS.MemoryUsage;
      return Math.round((heapUsed + external) / 1024 / 1024);
    }
    throw new Error('the API did not say what memory is in use');
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    this.peakMegabytes = Math.max(this.peakMegabytes, this.megabytes);
  }
}
