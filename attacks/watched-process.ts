/** What the kernel knows of the API's process. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const SAMPLE_MS = 100;

export class WatchedProcess {
  peakMegabytes = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly pid: number) {
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
    this.#sample();
  }

  get megabytes(): number {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1024);
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

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    this.peakMegabytes = Math.max(this.peakMegabytes, this.megabytes);
  }
}
