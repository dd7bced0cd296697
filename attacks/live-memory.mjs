// @ts-check
/** Loaded into the attacked programs: told by a signal, one collects its garbage and writes down what is still in use. */
import fs from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = /** @type {() => void} */ (runInNewContext('gc'));

process.on('SIGUSR2', () => {
  collectGarbage();
  const file = /** @type {string} */ (process.env['LIVE_MEMORY_FILE']);
  // Renamed, so that nobody reads the half of it.
  fs.writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
  fs.renameSync(`${file}.new`, file);
});
