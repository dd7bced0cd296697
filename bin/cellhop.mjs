// @ts-check
/**
 * `cellhop [--env FILE] NAME ARGUMENTS`: reads the settings, and becomes the program or the command of this name. Plain JavaScript, because
 * it also starts where nothing is built. The scripts of package.json call it with `--npm`: then the environment has all settings.
 */
import { parseArguments } from './arguments.mjs';
import { runConfig } from './config.mjs';
import { completeSettings, DEFAULT_FILE, readSettings } from './settings.mjs';
import { describeVersion } from './version.mjs';

/** @typedef {import('./settings.mjs').Settings} Settings */

const PROGRAMS = new Map([
  ['api', 'api/dist/server.js'],
  ['worker', 'api/dist/worker.js'],
  ['gateway', 'gateway/dist/main.js'],
]);
/** Reads its name and arguments from `process.argv`. */
const COMMANDS = 'api/dist/commands/main.js';
const WRONG_ARGUMENTS = 2;
const WRONG_SETTINGS = 78;

const HELP = `Usage: cellhop [--env FILE] NAME ARGUMENTS

Settings come from the environment, and from FILE, by default ${DEFAULT_FILE}. The programs, which run until they are stopped, are:
  api, worker, gateway

cellhop NAME --help describes one of the others:
  config         Prints each setting with its origin, or a file to fill in
  version        Prints version and commit`;

const { isFromNpm, file, name, values, problem } = parseArguments(process.argv.slice(2));
if (!isFromNpm) process.env['CELLHOP_COMMAND'] = 'cellhop';
if (problem !== undefined) fail(problem, WRONG_ARGUMENTS);
if (name === 'version') console.log(describeVersion());
else if (name === 'config') await config();
else if (name === '' || (PROGRAMS.has(name) && values.includes('--help'))) await help();
else await start();

async function start() {
  const program = PROGRAMS.get(name);
  if (program !== undefined && values.length > 0) fail(`cellhop ${name} takes no arguments.`, WRONG_ARGUMENTS);
  if (!isFromNpm && !values.includes('--help')) {
    const { settings, hasFile } = orFail(() => readSettings(process.env, file));
    if (!hasFile && settings.size === 0)
      fail(`Nothing is set, and ${DEFAULT_FILE} does not exist: cellhop config --template prints one.`, WRONG_SETTINGS);
    Object.assign(process.env, completeSettings(settings));
    // The job runner looks for a configuration in the working directory and above it: where an operator is must not matter.
    process.env['INIT_CWD'] = process.cwd();
    process.chdir('/');
  }
  await load(program ?? COMMANDS, program === undefined ? [name, ...values] : []);
}

async function config() {
  const { settings } = values.includes('--help')
    ? { settings: new Map() }
    : orFail(() => readSettings(process.env, file));
  const { loadConfig } = await load('api/dist/process/config.js');
  const { parseConfig } = await load('gateway/dist/config.js');
  const readers = { api: loadConfig, gateway: parseConfig };
  const { code, output, errors } = runConfig(values, { settings, readers });
  process.stdout.write(output);
  process.stderr.write(errors);
  process.exitCode = code;
}

async function help() {
  console.error(HELP);
  // Continues with the list of commands.
  await load(COMMANDS);
}

/** @param {string} place @param {string[]} given its arguments */
async function load(place, given = []) {
  process.argv.splice(2, Infinity, ...given);
  try {
    return await import(new URL(`../${place}`, import.meta.url).href);
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(place)) throw error;
    return fail(`${place} is not built. In a checkout, npm start builds all programs.`, 1);
  }
}

/** @template T @param {() => T} work @returns {T} */
function orFail(work) {
  try {
    return work();
  } catch (error) {
    return fail(/** @type {Error} */ (error).message, WRONG_SETTINGS);
  }
}

/** @param {string} message @param {number} code @returns {never} */
function fail(message, code) {
  console.error(message);
  process.exit(code);
}
