// @ts-check
/**
 * `npm run audit:dependencies`: known vulnerabilities of production dependencies, if the registry responds. Not part of
 * `npm test`, which needs no network and is reproducible.
 */
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

const FAILING = /** @type {const} */ (['moderate', 'high', 'critical']);

/** @typedef {{ isFailure: boolean, sentence: string }} Verdict */

/** @param {string} output what `npm audit --json` printed @returns {Verdict} */
export function judgeAudit(output) {
  const report = parse(output);
  const counts = report?.metadata?.vulnerabilities;
  if (typeof counts?.total !== 'number') {
    const reason = report?.message ?? report?.error?.summary ?? 'no response';
    return { isFailure: false, sentence: `Dependencies were NOT audited: the registry does not respond (${reason}).` };
  }
  const found = Object.entries(report.vulnerabilities ?? {}).map(([name, { severity }]) => `  ${name}: ${severity}`);
  const isFailure = FAILING.some((severity) => counts[severity] > 0);
  const sentence = `Audit of production dependencies: ${counts.total} known vulnerabilities.`;
  return { isFailure, sentence: [sentence, ...found].join('\n') };
}

/** @param {string} output @returns {any} */
function parse(output) {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8', timeout: 120_000 });
  const { isFailure, sentence } = judgeAudit(stdout);
  console.log(sentence);
  process.exitCode = isFailure ? 1 : 0;
}
