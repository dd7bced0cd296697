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
  it('is logged when it fails, and the process lives', async () => {
    const { log, lines } = startLog();
    inBackground(log, 'a check', Promise.reject(new Error('EMFILE')));
    await until(() => lines.length === 1);
    expect(lines[0]).toMatchObject({ task: 'a check', err: { message: 'EMFILE' } });
  });

  it('is repeated after a failure, which is logged once when it begins and once when it is over', async () => {
    const { log, lines } = startLog();
    let runs = 0;
    const stop = repeat({ log, task: 'a check', everyMs: 1 }, async () => {
      runs += 1;
      if (runs <= 3) throw new Error('EMFILE');
      return Promise.resolve();
    });
    await until(() => runs >= 6);
    stop();
    expect(lines.map(({ msg }) => msg)).toEqual(['A repeated task fails', 'A repeated task works again']);
  });

  it('survives a task that throws before it waits for anything', async () => {
    const { log, lines } = startLog();
    const stop = repeat({ log, task: 'a check', everyMs: 1 }, () => {
      throw new Error('EMFILE');
    });
    await until(() => lines.length > 0);
    stop();
    expect(lines).toHaveLength(1);
  });

  it('never runs twice at the same time', async () => {
    const { log } = startLog();
    let running = 0;
    let most = 0;
    let runs = 0;
    const stop = repeat({ log, task: 'a check', everyMs: 1 }, async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((fulfil) => setTimeout(fulfil, 10));
      running -= 1;
      runs += 1;
    });
    await until(() => runs >= 3);
    stop();
    expect(most).toBe(1);
  });
});
