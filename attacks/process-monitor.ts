/** Resource usage of a process, from /proc. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

const SAMPLE_MS = 100;
/** The kernel counts CPU time in hundredths of a second (USER_HZ). */
const TICKS_PER_SECOND = 100;

export class ProcessMonitor {
  peakMegabytes = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly pid: number) {
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
    this.#sample();
  }

  /** Resident memory, including garbage that is not collected yet. */
  get megabytes(): number {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  }

  get cpuSeconds(): number {
    // The second field is the program's name in brackets, which may contain any character.
    const [, fields] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${this.pid}/stat`, 'utf8')) ?? [];
    const [userTicks, systemTicks] = fields!.split(' ').slice(11, 13);
    return (Number(userTicks) + Number(systemTicks)) / TICKS_PER_SECOND;
  }

  get descriptors(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** Includes listening sockets and those to the database. */
  get sockets(): number {
    const directory = `/proc/${this.pid}/fd`;
    return readdirSync(directory).filter((name) => {
      try {
        return readlinkSync(`${directory}/${name}`).startsWith('socket:');
      } catch {
        // Closed between the two calls.
        return false;
      }
    }).length;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    if (!existsSync(`/proc/${this.pid}`)) return; // It has exited; its parent reports the reason.
    const { megabytes } = this;
    if (megabytes > this.peakMegabytes) this.peakMegabytes = megabytes;
  }
}
