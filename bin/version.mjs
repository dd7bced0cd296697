// @ts-check
import fs from 'node:fs';

/** @typedef {{ version: string, commit?: string }} Release */

/** An archive has `release.json`; a checkout has no commit of its own. @returns {Release} */
export function readVersion() {
  const file = new URL('../release.json', import.meta.url);
  const place = fs.existsSync(file) ? file : new URL('../package.json', import.meta.url);
  const { version, commit } = JSON.parse(fs.readFileSync(place, 'utf8'));
  return { version, ...(commit === undefined ? {} : { commit }) };
}

/** Such as `cellhop 0.4.0 (commit ..., linux-x64, Node.js 24.21.0)`. */
export function describeVersion({ version, commit } = readVersion()) {
  const place = commit === undefined ? 'a checkout' : `commit ${commit}`;
  return `cellhop ${version} (${place}, ${process.platform}-${process.arch}, Node.js ${process.versions.node})`;
}
