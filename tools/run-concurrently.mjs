// @ts-check
import { spawn } from 'node:child_process';
import { Problem } from './problem.mjs';

/** @typedef {{ name: string, command: string, args: readonly string[] }} Step */
/** @typedef {{ code: number, output: string, seconds: number }} Outcome */

/**
 * Runs independent steps in their order, at most `concurrency` at a time. The output of a step is printed
 * as a whole when it ends.
 * @param {readonly Step[]} steps
 * @param {{ concurrency: number, cwd: string, env: NodeJS.ProcessEnv, print?: (text: string) => void }} options
 * @throws Problem of the first failed step, after all running steps have ended; no further step starts
 */
export async function runConcurrently(steps, { concurrency, cwd, env, print = (text) => process.stdout.write(text) }) {
  const waiting = [...steps];
  /** @type {Problem | undefined} */
  let failure;
  const work = async () => {
    for (let step = waiting.shift(); step && !failure; step = waiting.shift()) {
      const { code, output, seconds } = await run(step, { cwd, env });
      print(output);
      if (code === 0) print(`✓ ${step.name} (${seconds.toFixed(1)} s)\n`);
      else failure ??= new Problem(`${step.name}: failed (${code})`, code);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  if (failure) throw failure;
}

/** @param {Step} step @param {{ cwd: string, env: NodeJS.ProcessEnv }} options @returns {Promise<Outcome>} */
function run({ command, args }, options) {
  const startedAt = performance.now();
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  /** @type {Buffer[]} */
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    const end = (/** @type {number} */ code) =>
      resolve({ code, output: Buffer.concat(chunks).toString(), seconds: (performance.now() - startedAt) / 1000 });
    child.once('error', (error) => {
      chunks.push(Buffer.from(`${error.message}\n`));
      end(127);
    });
    // A step that was ended by a signal has failed.
    child.once('close', (code) => end(code ?? 1));
  });
}
