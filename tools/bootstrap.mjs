// @ts-check
/**
 * Prints the PATH for everything else, so that `node` is the pinned one there: `PATH=$(node tools/bootstrap.mjs)`. The npm scripts
 * begin with it; those of tools/command.mjs pass its arguments, so that wrong settings are found before anything is fetched. Only this
 * file and its imports must run on an older Node.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { reportFailure } from './problem.mjs';
import { provideRuntime } from './runtime.mjs';
import { requireNames } from './settings.mjs';

try {
  requireNames(process.env, process.argv.slice(2));
  const directory = await provideRuntime(fileURLToPath(new URL('..', import.meta.url)));
  const own = process.env['PATH'] ?? '';
  console.log(directory === undefined ? own : `${directory}${path.delimiter}${own}`);
} catch (error) {
  process.exitCode = reportFailure(error);
}
