// @ts-check
/** `cellhop config`: what is set, and a settings file to fill in. Both follow from the schemas of the programs. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { secretNames } from './setting-names.mjs';
import { completeSettings } from './settings.mjs';
import { readVersion } from './version.mjs';

/** @typedef {import('../contract/src/environment.ts').Setting} Setting */
/** Of API and gateway. @typedef {(variables: Record<string, string | undefined>, onRead: (setting: Setting) => void) => unknown} Reader */

const HELP = `Usage: cellhop config [--template] [api|gateway]

Prints each setting of API and worker, or of the gateway, with its value and origin: environment, credential, file or default. Secrets are
hidden. With settings that are missing or not valid it names them and ends with 78.

--template  Prints a settings file in which the required ones are to be filled in. SECRET_KEY and GATEWAY_TOKEN are new.
`;
/** Set by the start, or for development only. */
const INTERNAL = new Set(['SUPERVISED', 'MAIL_SINK_PORT', 'DEMO_DATA', 'GATEWAY_ALLOW_PRIVATE']);
const NEEDS_CURRENCY =
  '# Required: account, first address and nodes of at least one currency (docs/payments-production.md)';

/**
 * @param {string[]} values
 * @param {{ settings: import('./settings.mjs').Settings, readers: { api: Reader, gateway: Reader } }} options
 * @returns {{ code: number, output: string, errors: string }}
 */
export function runConfig(values, { settings, readers }) {
  if (values.includes('--help')) return { code: 0, output: HELP, errors: '' };
  /** @type {{ values: { template?: boolean }, positionals: string[] }} */
  let given;
  try {
    given = parseArgs({ args: values, options: { template: { type: 'boolean' } }, allowPositionals: true });
  } catch {
    return { code: 2, output: '', errors: HELP };
  }
  const parts = Object.entries(readers).filter(([part]) => (given.positionals[0] ?? part) === part);
  if (given.positionals.length > 1 || parts.length === 0) return { code: 2, output: '', errors: HELP };
  const chosen = parts.map(([, reader]) => reader);
  if (given.values.template) return { code: 0, output: describeTemplate(chosen), errors: '' };
  const { declared, problems } = readAll(chosen, completeSettings(settings));
  return {
    code: problems.length > 0 ? 78 : 0,
    output: describeSettings(declared, settings),
    errors: problems.join(''),
  };
}

/** @param {Reader[]} readers @param {Record<string, string | undefined>} variables */
function readAll(readers, variables) {
  /** @type {Map<string, Setting>} */
  const declared = new Map();
  const problems = new Set();
  for (const read of readers)
    try {
      read(variables, (setting) => {
        if (!declared.get(setting.name)?.isRequired) declared.set(setting.name, setting);
      });
    } catch (error) {
      for (const line of /** @type {Error} */ (error).message.split('\n')) problems.add(`${line}\n`);
    }
  return { declared: [...declared.values()], problems: [...problems] };
}

/** @param {Setting[]} declared @param {import('./settings.mjs').Settings} settings */
function describeSettings(declared, settings) {
  const rows = declared.map(({ name, byDefault }) => {
    const { value, origin } = settings.get(name) ?? { value: byDefault, origin: 'default' };
    return [name, value === undefined ? 'unset' : hideSecret(name, value), origin];
  });
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`).join('');
}

/** Of a URL, host and port remain; keys may stand anywhere else. @param {string} name @param {string} value */
function hideSecret(name, value) {
  const isSecret = secretNames.includes(name);
  if (!value.includes('://')) return isSecret ? '(hidden)' : value;
  return value
    .split(/[\s,]+/)
    .map((text) => {
      if (!URL.canParse(text)) return '(hidden)';
      const { protocol, host, username, password, search, hash, pathname } = new URL(text);
      if (!isSecret && !username && !password && !search && !hash) return text;
      return `${protocol}//${host}${protocol.startsWith('postgres') ? pathname : ''} (rest hidden)`;
    })
    .join(', ');
}

const commentOf = (/** @type {Setting} */ { name, byDefault = '' }) => `#${name}=${byDefault}`;

/** @param {Reader[]} readers */
function describeTemplate(readers) {
  const { declared } = readAll(readers, { NODE_ENV: 'production' });
  const shown = declared.filter(({ name }) => !INTERNAL.has(name) && name !== 'NODE_ENV');
  const values = /** @type {Record<string, string>} */ ({
    SECRET_KEY: randomBytes(32).toString('hex'),
    GATEWAY_TOKEN: randomBytes(32).toString('hex'),
    GATEWAY_CONTROL_URL: 'http://127.0.0.1:3000',
  });
  const required = shown.filter(({ isRequired }) => isRequired);
  const optional = shown.filter(({ isRequired }) => !isRequired);
  const currencies = optional.filter(({ name }) => name.startsWith('PAY_'));
  return [
    `# Settings of Cellhop ${readVersion().version}, one NAME=value a line; docs/settings.md explains them. The environment wins over this file.`,
    '# A secret may be in a file of its own: SECRET_KEY_FILE=/path in place of SECRET_KEY.',
    'NODE_ENV=production',
    '',
    '# Required',
    ...required.map(({ name }) => `${name}=${values[name] ?? ''}`),
    ...(currencies.length > 0 ? ['', NEEDS_CURRENCY, ...currencies.map(commentOf)] : []),
    '',
    '# Optional, with their defaults',
    ...optional.filter((setting) => !currencies.includes(setting)).map(commentOf),
    '',
  ].join('\n');
}
