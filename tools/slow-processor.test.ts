import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { firstCore, slowProcessorDown } from './slow-processor.mjs';

const MODULE = fileURLToPath(new URL('slow-processor.mjs', import.meta.url));

/** Slows itself down, prints its cores and those of its busy loop, and stays. */
const PROGRAM = `
  import fs from 'node:fs';
  import { slowProcessorDown } from ${JSON.stringify(MODULE)};
  slowProcessorDown({ loops: 1 });
  const coresOf = (process) => /^Cpus_allowed_list:\\s*(.*)$/m.exec(fs.readFileSync('/proc/' + process + '/status', 'utf8'))[1];
  const loop = fs.readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim();
  console.log(JSON.stringify({ loop, cores: [coresOf('self'), coresOf(loop)] }));
  setInterval(() => {}, 1000);
`;

it.runIf(process.platform === 'linux')('uses one core with its busy loops, which end when it is killed', async () => {
  const program = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(program.stdout), 'line')) as [string];
  const { loop, cores } = JSON.parse(line) as { loop: string; cores: string[] };
  const core = firstCore(fs.readFileSync('/proc/self/status', 'utf8'));
  expect(cores).toEqual([core, core]);
  program.kill('SIGKILL');
  // An orphan may have a parent that does not collect it: it remains as a zombie.
  const isRunning = () => fs.existsSync(`/proc/${loop}/cmdline`) && fs.readFileSync(`/proc/${loop}/cmdline`).length > 0;
  await expect.poll(isRunning).toBe(false);
});

it('says that it needs Linux', () => {
  expect(() => slowProcessorDown({ loops: 1, platform: 'darwin' })).toThrow(/^test:slow needs Linux.* darwin\.$/);
});

it('takes the first core that the process may use', () => {
  expect(firstCore('Cpus_allowed:\tc\nCpus_allowed_list:\t2-3,8\n')).toBe('2');
  expect(() => firstCore('')).toThrow('does not say');
});
