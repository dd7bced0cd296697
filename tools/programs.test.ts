/** @module-tag thorough */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SHUTDOWN_LIMIT_MS } from '../api/src/process/process-lifecycle.ts';
import { parseConfig } from '../gateway/src/config.ts';
import { defaultLimits } from '../gateway/src/limits.ts';
import { createPrograms, graceMs, type Part } from './programs.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

/** Delays of a busy machine: from the signal to the drain, and from the last response to the exit. */
const OVERHEAD_MS = 1_500;

describe('the grace period before SIGKILL', () => {
  it.each(['0', '2', '60', '3600', undefined])(
    'is long enough for a gateway that drains for %s s to deliver its last totals',
    (seconds) => {
      const { drainMs } = parseConfig({
        GATEWAY_CONTROL_URL: 'http://localhost:3000',
        GATEWAY_TOKEN: 'token',
        GATEWAY_DRAIN_SECONDS: seconds,
      });
      const needsMs = drainMs + defaultLimits.lastReportMs + OVERHEAD_MS;
      expect(graceMs('gateway', { GATEWAY_DRAIN_SECONDS: seconds })).toBeGreaterThan(needsMs);
    },
  );

  it.each(['api', 'worker'] as const)('is longer than the own shutdown limit of the %s', (part) => {
    expect(graceMs(part, {})).toBeGreaterThan(SHUTDOWN_LIMIT_MS + OVERHEAD_MS);
  });
});

const pids = ({ processes }: ReturnType<typeof createPrograms>) =>
  (['api', 'worker', 'gateway'] as const).map((part) => processes.get(part)?.pid);

describe('after the start', () => {
  const FIRST_RESTART_MS = 100;
  const PARTS: readonly Part[] = ['api', 'worker', 'gateway'];
  /** @param api the program of the API; the other parts run until they are ended */
  function startPrograms(api: string, restarted = PARTS, firstRestartMs = FIRST_RESTART_MS, isReady = true) {
    const directory = temporaryDirectory();
    const script = (name: Part, text: string) => {
      const file = path.join(directory, `${name}.mjs`);
      fs.writeFileSync(file, text);
      return [process.execPath, file];
    };
    const forever = 'setInterval(() => {}, 1000)';
    const commands = {
      api: script('api', api),
      worker: script('worker', forever),
      gateway: script('gateway', forever),
    };
    const lines: string[] = [];
    const programs = createPrograms({}, { commands, restarted, firstRestartMs, log: (line) => void lines.push(line) });
    if (isReady) programs.markReady();
    for (const part of ['api', 'worker', 'gateway'] as const) programs.start(part);
    onTestFinished(() => programs.killAll());
    return { programs, lines };
  }
  it.each(['api', 'worker', 'gateway'] as const)('the %s alone is started again when it dies', async (part) => {
    const { programs, lines } = startPrograms('setInterval(() => {}, 1000)');
    const before = pids(programs);
    process.kill(programs.processes.get(part)!.pid, 'SIGKILL');
    await expect.poll(() => pids(programs).filter((pid, index) => pid !== before[index]).length).toBe(1);
    expect(programs.processes.get(part)!.pid).not.toBe(before[['api', 'worker', 'gateway'].indexOf(part)]);
    expect(lines).toEqual([`The ${part} ended with code 137; it is started again in 0.1 s.`]);
  });

  it('an API that keeps ending is started again and again, and the others go on', async () => {
    const { programs, lines } = startPrograms('process.exit(3)', PARTS, 1);
    const before = pids(programs).slice(1);
    await expect.poll(() => lines.length).toBeGreaterThan(6);
    expect(lines[6]).toBe('The api ended with code 3; it is started again in 0.064 s.');
    expect(pids(programs).slice(1)).toEqual(before);
    expect(programs.throwIfFailed).not.toThrow();
  });

  it('a part that is killed before the others are ready is started again, one that ends by itself is a failure', async () => {
    const { programs, lines } = startPrograms("process.kill(process.pid, 'SIGKILL')", PARTS, 1, false);
    await expect.poll(() => lines.length).toBeGreaterThan(6);
    expect(programs.throwIfFailed).not.toThrow();
    const { programs: wrong } = startPrograms('process.exit(78)', PARTS, 1, false);
    expect(await wrong.failure).toEqual({ part: 'api', code: 78 });
  });

  it('the end of a part that is not to be restarted is a failure at once', async () => {
    const { programs, lines } = startPrograms('setInterval(() => {}, 1000)', ['worker']);
    const before = pids(programs);
    process.kill(programs.processes.get('api')!.pid, 'SIGKILL');
    expect(await programs.failure).toEqual({ part: 'api', code: 137 });
    expect(pids(programs)).toEqual(before);
    // Each start that will follow has a line.
    expect(lines).toEqual([]);
  });

  it('a part that was ended on purpose stays ended, even while it waits for its next start', async () => {
    const { programs, lines } = startPrograms('process.exit(3)');
    await expect.poll(() => lines.length).toBe(2);
    await programs.stop();
    const { pid } = programs.processes.get('api')!;
    // Timers end in the order of their times, so that of the next start would have ended before, however slow the machine is.
    await new Promise((fulfil) => setTimeout(fulfil, 5 * FIRST_RESTART_MS));
    expect(programs.processes.get('api')!.pid).toBe(pid);
  });
});
