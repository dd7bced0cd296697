import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { until } from '../test/sockets.ts';
import { inBackground, repeat } from './background.ts';

function startLog() {
  const lines: { msg: string; task: string; err?: { message: string } }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) });
  return { log, lines };
}

describe('work in the background', () => {
  it('logs a failure and does not terminate the process', async () => {
    const { log, lines } = startLog();
    inBackground(log, 'a check', Promise.reject(new Error('EMFILE')));
    await until(() => lines.length === 1);
    expect(lines[0]).toMatchObject({ task: 'a check', err: { message: 'EMFILE' } });
  });

  it('repeats a task after failures, and logs their start and their end once each', async () => {
    const { log, lines } = startLog();
    let runs = 0;
    const stop = repeat({ log, task: 'a check', everyMs: 1 }, async () => {
      runs += 1;
      if (runs <= 3) throw new Error('EMFILE');
      return Promise.resolve();
    });
    await until(() => runs >= 6);
    stop();
    expect(lines.map(({ msg }) => msg)).toEqual(['A repeated task fails', 'A repeated task succeeds again']);
  });

  it('survives a task that throws synchronously', async () => {
    const { log, lines } = startLog();
    const stop = repeat({ log, task: 'a check', everyMs: 1 }, () => {
      throw new Error('EMFILE');
    });
    await until(() => lines.length > 0);
    stop();
    expect(lines).toHaveLength(1);
  });

  it('never runs a task concurrently with itself', async () => {
    const { log } = startLog();
    let running = 0;
    let maximum = 0;
    let runs = 0;
    const stop = repeat({ log, task: 'a check', everyMs: 1 }, async () => {
      running += 1;
      maximum = Math.max(maximum, running);
      await new Promise((fulfil) => setTimeout(fulfil, 10));
      running -= 1;
      runs += 1;
    });
    await until(() => runs >= 3);
    stop();
    expect(maximum).toBe(1);
  });
});
