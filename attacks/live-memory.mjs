// @ts-check
/** Preloaded into the attacked programs: on a signal, collects garbage and writes the memory in use to a file. */
import fs from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = /** @type {() => void} */ (runInNewContext('gc'));

process.on('SIGUSR2', () => {
  collectGarbage();
  const file = /** @type {string} */ (process.env['LIVE_MEMORY_FILE']);
  // Renamed atomically, so that no reader sees a partial file.
  fs.writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
  fs.renameSync(`${file}.new`, file);
});
