import { describe, expect, it } from 'vitest';
import { runConcurrently } from './run-concurrently.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

/** A step that runs a line of JavaScript. */
const step = (name: string, script: string) => ({ name, command: process.execPath, args: ['-e', script] });

async function runToEnd(steps: Parameters<typeof runConcurrently>[0], concurrency: number) {
  const printed: string[] = [];
  const options = {
    concurrency,
    cwd: temporaryDirectory(),
    env: process.env,
    print: (text: string) => printed.push(text),
  };
  const failure = await runConcurrently(steps, options).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { failure, printed: printed.join('').replaceAll(/\(\d+\.\d s\)/g, '(time)') };
}

/** Each step waits for the file of the other one: alone, neither would end. */
const meet = (mine: string, other: string) =>
  `const fs = require('node:fs');
   console.log('${mine} begins');
   fs.writeFileSync('${mine}', '');
   const timer = setInterval(() => fs.existsSync('${other}') && (clearInterval(timer), console.error('${mine} ends')), 10);`;

describe('concurrent steps', () => {
  it('run at the same time, and the output of each is printed as a whole', async () => {
    const { failure, printed } = await runToEnd([step('one', meet('a', 'b')), step('two', meet('b', 'a'))], 2);
    expect(failure).toBeUndefined();
    expect(printed).toContain('a begins\na ends\n✓ one (time)\n');
    expect(printed).toContain('b begins\nb ends\n✓ two (time)\n');
  });

  it('report the first failure with its output, and start nothing after it', async () => {
    const steps = [
      step('good', ''),
      step('bad', "console.log('the reason'); process.exitCode = 3;"),
      step('never', "console.log('must not run')"),
    ];
    expect(await runToEnd(steps, 1)).toEqual({
      failure: 'bad: failed (3)',
      printed: '✓ good (time)\nthe reason\n',
    });
  });

  it('fail when a signal ends a step, and when its program does not exist', async () => {
    expect((await runToEnd([step('killed', "process.kill(process.pid, 'SIGKILL')")], 1)).failure).toBe(
      'killed: failed (1)',
    );
    const missing = await runToEnd([{ name: 'missing', command: './no-such-program', args: [] }], 1);
    expect(missing.failure).toBe('missing: failed (127)');
    expect(missing.printed).toContain('ENOENT');
  });
});
