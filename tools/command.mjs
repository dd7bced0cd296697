// @ts-check
/**
 * `npm start`, `npm test` and the commands of `api/src/commands` on a fresh checkout: the imports must not need installed dependencies.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildChanged } from './build.mjs';
import { installDependencies } from './install.mjs';
import { waitForLock } from './lock.mjs';
import { reportFailure } from './problem.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

async function prepare() {
  process.chdir(root);
  // Two installations at once would delete each other's node_modules.
  const lock = await waitForLock(path.join(root, '.data/bootstrap.lock'), {
    what: 'another "npm start" or "npm test" that installs or builds',
    timeoutMs: 600_000,
  });
  try {
    installDependencies(root);
    buildChanged(root);
  } finally {
    lock.release();
  }
}

const [mode, ...names] = process.argv.slice(2);
try {
  if (mode === 'start') {
    await prepare();
    const { start } = await import('./start.mjs');
    process.exit(await start(names));
  }
  if (mode === 'test') {
    const { test } = await import('./test.mjs');
    process.exit(await test(prepare));
  }
  if (mode === 'test:long') {
    const { testLong } = await import('./test.mjs');
    process.exit(await testLong(prepare));
  }
  if (mode === 'test:slow') {
    const { testSlow } = await import('./test.mjs');
    process.exit(await testSlow(prepare));
  }
  if (mode === 'check') {
    installDependencies(root);
    const { check } = await import('./test.mjs');
    process.exit(await check());
  }
  await prepare();
  const { runOnDatabase } = await import('./database-command.mjs');
  process.exit(await runOnDatabase(process.argv.slice(2)));
} catch (error) {
  process.exit(reportFailure(error));
}
