/**
 * The commands of docs/operations.md, in order, on an archive: only what belongs to the machine is replaced, such as systemctl and apt-get, and
 * the folders begin in one of the test.
 * @module-tag long
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, onTestFinished, test } from 'vitest';
import { buildChanged } from '../build.mjs';
import { freePort } from '../ports.mjs';
import { cloneDatabase } from '../test-database.mjs';
import { writeArchive, writeSums } from './archive.mjs';

const directory = fileURLToPath(new URL('../..', import.meta.url));
const arch = process.arch as 'x64' | 'arm64';
const releaseOf = (version: string) => `cellhop-${version}-${'ab'.repeat(6)}-linux-${arch}`;

/** Starts what units start: it reads the same lines. Caddy, nftables and the target have no unit here. */
const SYSTEMCTL = `
verb=$1; shift
for unit in "$@"; do
  case $unit in --*) continue;; esac
  instance=\${unit#*@}
  file=$ROOT/etc/systemd/system/$(echo "$unit" | sed 's/@.*/@/').service
  [ -f "$file" ] || continue
  if [ "$verb" = stop ] || [ "$verb" = restart ]; then
    kill -TERM "$(cat "$ROOT/run/$unit")"
    case " $* " in *' --no-block '*) ;; *) while readlink "/proc/$(cat "$ROOT/run/$unit")/exe"; do sleep 0.1; done;; esac
  fi
  case "$verb $*" in start*|restart*|'enable --now'*)
    command=$(sed -n 's/^ExecStart=//p' "$file" | sed "s#^#$ROOT#; s#bin/cellhop#& --env $ROOT/etc/cellhop/cellhop.env#")
    if grep -q '^Type=oneshot' "$file"; then $command; else
      setsid $command > "$ROOT/log/$unit" 2>&1 < /dev/null &
      echo $! > "$ROOT/run/$unit"
    fi;;
  esac
done`;
/** Fills in the settings file. */
const EDITOR = `
case $1 in *.env)
  while read -r line; do sed -i "/^#*\${line%%=*}=/d" "$1"; echo "$line" >> "$1"; done < "$ROOT/answers";;
esac`;
const RUNUSER = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';
const CELLHOP = 'exec "$ROOT/usr/local/bin/cellhop" --env "$ROOT/etc/cellhop/cellhop.env" "$@"';
/** That of PostgreSQL is tried by `npm run test:interop -- backup`. */
const PG_DUMP = 'echo dump';
const PROGRAMS = { systemctl: SYSTEMCTL, editor: EDITOR, runuser: RUNUSER, cellhop: CELLHOP, pg_dump: PG_DUMP };
/** Change the machine, or other users. */
const LEFT_OUT = ['apt-get', 'useradd', 'createuser', 'createdb', 'chgrp'];
const FOLDERS = ['bin', 'run', 'log', 'etc/systemd/system', 'etc/caddy', 'usr/local/bin', 'var/lib/cellhop'];

function prepare(answers: Record<string, string | number>) {
  // Without a space in its path, as the commands need it.
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'operations-'));
  onTestFinished(() => fs.rmSync(root, { recursive: true }));
  for (const folder of FOLDERS) fs.mkdirSync(path.join(root, folder), { recursive: true });
  const programs = { ...PROGRAMS, ...Object.fromEntries(LEFT_OUT.map((name) => [name, ''])) };
  for (const [name, text] of Object.entries(programs))
    fs.writeFileSync(path.join(root, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const data = path.join(root, 'var/lib/cellhop');
  const all = { ...answers, WITNESS_FILE: `${data}/witness.json`, BACKUP_FOLDER: `${data}/backups` };
  const lines = Object.entries(all).map(([name, value]) => `${name}=${value}\n`);
  fs.writeFileSync(path.join(root, 'answers'), lines.join(''));
  return root;
}

/** The commands below these headings. @param port of the API */
function readCommands(root: string, port: number, headings: readonly string[]): string {
  const sections = fs.readFileSync(path.join(directory, 'docs/operations.md'), 'utf8').split(/^## /m);
  return headings
    .flatMap((heading) => [
      ...sections.find((each) => each.startsWith(`${heading}\n`))!.matchAll(/^```sh\n([\s\S]*?)^```/gm),
    ])
    .map(([, commands]) => commands)
    .join('')
    .replaceAll(/(?<=^|[\s"])\/(?=(?:opt|etc|usr\/local|var\/lib)\/)/gm, `${root}/`)
    .replaceAll('/bin/cellhop migrate', `/bin/cellhop --env ${root}/etc/cellhop/cellhop.env migrate`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`);
}

/** As an operator downloads it. */
async function download(root: string, version: string): Promise<void> {
  const source = { directory, version, commit: 'ab'.repeat(20), time: new Date('2026-01-02T03:04:05Z') };
  writeSums(root, await writeArchive(source, arch, root));
}

const PAYMENTS = {
  PAY_EVM_XPUB:
    'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
  PAY_EVM_ADDRESS_0: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
  PAY_ETH_URLS: 'http://127.0.0.1:1',
};

test('the commands of docs/operations.md install, sell, back up, upgrade, step back and change keys', async () => {
  buildChanged(directory);
  const database = await cloneDatabase(inject('postgresUrl'), 'template1');
  onTestFinished(database.drop);
  const [port, gatewayPort] = [await freePort(), await freePort()];
  const root = prepare({
    DATABASE_URL: database.url,
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'Shop <mail@shop.example.com>',
    PUBLIC_URL: 'https://shop.example.com',
    PORT: port,
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_PORT: gatewayPort,
    GATEWAY_CONTROL_URL: `http://127.0.0.1:${port}`,
    GATEWAY_NAME_SERVERS: '192.0.2.1',
    ...PAYMENTS,
  });
  const run = (headings: readonly string[], before = '') => {
    const script = `${before}\n${readCommands(root, port, headings)}`;
    const env = { ROOT: root, PATH: `${root}/bin:${process.env['PATH']}` };
    const { status, stdout, stderr } = spawnSync('sh', ['-euc', script], { cwd: root, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    return stdout;
  };
  onTestFinished(() => {
    for (const file of fs.readdirSync(path.join(root, 'run')))
      spawnSync('kill', ['-KILL', fs.readFileSync(path.join(root, 'run', file), 'utf8').trim()]);
  });
  const programOf = (unit: string) => {
    try {
      return fs.readlinkSync(`/proc/${fs.readFileSync(path.join(root, 'run', unit), 'utf8').trim()}/exe`);
    } catch {
      return undefined;
    }
  };
  const expectPrograms = async (release: string, gateway: 'a' | 'b') => {
    const program = path.join(root, 'opt/cellhop', release, 'runtime/bin/node');
    for (const unit of ['cellhop-api', 'cellhop-worker', `cellhop-gateway@${gateway}`])
      await expect.poll(() => programOf(unit)).toBe(program);
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.status)
      .toBe(200);
    const log = path.join(root, 'log', `cellhop-gateway@${gateway}`);
    await expect.poll(() => fs.readFileSync(log, 'utf8')).toContain('Gateway is ready');
    const other = gateway === 'a' ? 'b' : 'a';
    await expect.poll(() => programOf(`cellhop-gateway@${other}`)).toBeUndefined();
  };

  await download(root, '9.8.6');
  const installed = run(['Install', 'First sale', 'Another gateway', 'Backup']);
  expect(installed).toContain('cellhop 9.8.6 (commit abab');
  expect(installed).toMatch(/^SECRET_KEY +\(hidden\) +file/m);
  expect(installed).toContain('"status":"ok"');
  expect(installed).toContain('you@example.com is a new administrator.');
  expect(installed).toMatch(/0x9858EfFD232B4033E47d90003D41EC34EcaEda94/);
  expect(fs.readFileSync(path.join(root, 'paris.env'), 'utf8')).toContain('GATEWAY_HOST=paris.example.com');
  expect(installed).toMatch(/^cellhop-\d{8}T\d{6}Z\.dump$/m);
  await expectPrograms(releaseOf('9.8.6'), 'a');

  await download(root, '9.8.7');
  expect(run(['Upgrade'])).toContain('Nothing is to be done: the database has the schema of this release.');
  await expectPrograms(releaseOf('9.8.7'), 'b');

  run(['Step back'], `PREVIOUS=${releaseOf('9.8.6')}`);
  await expectPrograms(releaseOf('9.8.6'), 'a');

  run(['Keys']);
  await expectPrograms(releaseOf('9.8.6'), 'a');
  const settings = fs.readFileSync(path.join(root, 'etc/cellhop/cellhop.env'), 'utf8');
  expect(settings).toMatch(/^SECRET_KEY=[0-9a-f]{64},[0-9a-f]{64}$/m);
}, 900_000);
