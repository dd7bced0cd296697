// @ts-check
/**
 * `npm run audit:dependencies`: fails if a production dependency has a known vulnerability, from "moderate" on. Without a response of the
 * registry it says so and does not fail. Not part of `npm test`, which needs no network and is reproducible.
 */
import { spawnSync } from 'node:child_process';

const ARGUMENTS = ['audit', '--omit=dev', '--audit-level=moderate'];

const { stdout } = spawnSync('npm', [...ARGUMENTS, '--json'], { encoding: 'utf8', timeout: 120_000 });
// Only a report counts vulnerabilities; what else npm prints is an error of the registry or of the network.
if (stdout.includes('"vulnerabilities"')) {
  process.exitCode = spawnSync('npm', ARGUMENTS, { stdio: 'inherit' }).status ?? 1;
} else console.log(`Dependencies were NOT audited: the registry does not respond. ${stdout.slice(0, 200)}`);
