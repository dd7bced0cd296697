/**
 * The archive of a release: what is in it, and that it runs alone, as an ordinary user.
 * @module-tag long
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { findMissingCompilers } from '../../gateway/native/release.mjs';
import { buildChanged } from '../build.mjs';
import { freePort } from '../ports.mjs';
import { temporaryDirectory } from '../temporary-directory.ts';
import { cloneDatabase } from '../test-database.mjs';
import { writeArchive, writeSums } from './archive.mjs';

const source = {
  directory: fileURLToPath(new URL('../..', import.meta.url)),
  version: '9.8.7',
  commit: '0123456789abcdef0123456789abcdef01234567',
  time: new Date('2026-01-02T03:04:05Z'),
};
const NAME = 'cellhop-9.8.7-0123456789ab-linux';
/** Of the header of an ELF file. */
const MACHINES = { x64: 0x3e, arm64: 0xb7 };
const SHARED_OBJECT = 3;
/** "nobody" where the tests run as root. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

// Compressing an archive takes minutes on a busy machine.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

let [output, programs] = ['', ''];
beforeAll(async () => {
  buildChanged(source.directory);
  [output, programs] = ['release-', 'programs-'].map((name) => fs.mkdtempSync(path.join(os.tmpdir(), name))) as [
    string,
    string,
  ];
  for (const arch of ['x64', 'arm64'] as const) await writeArchive(source, arch, output, compilerOf(arch));
});

const hasCompiler = findMissingCompilers([process.arch as keyof typeof MACHINES]).length === 0;
const RELAY = hasCompiler ? 'splice' : 'pump';

/** `npm run test:interop` has the compiler for the other processor. Here, what it writes is enough. */
function compilerOf(arch: keyof typeof MACHINES): string | undefined {
  if (arch === process.arch && hasCompiler) return undefined;
  const [file, header] = [path.join(programs, 'compiler'), path.join(programs, 'header')];
  const bytes = Buffer.alloc(64);
  bytes.write('\x7fELF\x02\x01\x01', 'latin1');
  bytes.writeUInt16LE(SHARED_OBJECT, 16);
  bytes.writeUInt16LE(MACHINES[arch], 18);
  fs.writeFileSync(header, bytes);
  // The last argument is the file that it writes.
  const script = `[ "$#" = 1 ] && exec echo compiler 1.0; for target; do :; done; exec cp '${header}' "$target"`;
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

afterAll(() => [output, programs].forEach((folder) => fs.rmSync(folder, { recursive: true })));

const hash = (file: string) => createHash('sha256').update(fs.readFileSync(file)).digest('hex');
const tar = (...args: string[]) => spawnSync('tar', args, { maxBuffer: 2 ** 28 }).stdout;
const list = (arch: keyof typeof MACHINES) =>
  tar('--list', '--file', path.join(output, `${NAME}-${arch}.tar.gz`))
    .toString()
    .trim()
    .split('\n')
    .map((file) => file.replace(`${NAME}-${arch}/`, ''));

test('two builds are equal, byte for byte', async () => {
  const second = temporaryDirectory();
  for (const file of await writeArchive(source, 'x64', second, compilerOf('x64')))
    expect([file, hash(path.join(second, file))]).toEqual([file, hash(path.join(output, file))]);
});

test.runIf(hasCompiler)(
  'native code is the same from each build, in whichever folder, and its compiler is named',
  () => {
    const [first, second] = [temporaryDirectory(), temporaryDirectory()].map((folder) => {
      const native = path.join(folder, 'gateway/native');
      fs.cpSync(path.join(source.directory, 'gateway/native'), native, { recursive: true });
      const script = `import { buildForRelease } from '${native}/release.mjs';
      console.log(JSON.stringify(buildForRelease(${JSON.stringify({
        processor: process.arch,
        target: path.join(folder, 'accelerator.node'),
        headers: path.join(path.dirname(process.execPath), '../include/node'),
      })})));`;
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
      return { built: JSON.parse(stdout) as unknown, hash: hash(path.join(folder, 'accelerator.node')) };
    });
    expect(second).toEqual(first);
    const place = `${NAME}-${process.arch}`;
    const read = (file: string) =>
      tar('--extract', '--to-stdout', '--file', path.join(output, `${place}.tar.gz`), `${place}/${file}`);
    expect(createHash('sha256').update(read('gateway/dist/accelerator.node')).digest('hex')).toBe(first!.hash);
    expect(JSON.parse(read('release.json').toString())).toMatchObject({ accelerator: first!.built });
    expect(first!.built).toEqual({ compiler: expect.stringMatching(/\d+\.\d+/) });
  },
);

test('SHA256SUMS has a line of sha256sum for each file, and a changed byte is found', () => {
  const folder = temporaryDirectory();
  const names = fs.readdirSync(output);
  for (const name of names) fs.copyFileSync(path.join(output, name), path.join(folder, name));
  expect(writeSums(folder, names).match(/^[0-9a-f]{64} {2}cellhop-9\.8\.7-\S+$/gm)).toHaveLength(4);
  const check = () => spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder }).status;
  expect(check()).toBe(0);
  fs.appendFileSync(path.join(folder, names[0]!), '.');
  expect(check()).toBe(1);
});

test.each(['x64', 'arm64'] as const)('the archive for %s has its own programs, and all that they need', (arch) => {
  const files = list(arch);
  for (const file of [
    'bin/cellhop',
    'runtime/bin/node',
    'api/dist/server.js',
    'api/dist/worker.js',
    'api/dist/cellhop-offline.mjs',
    'api/migrations/0001_baseline.sql',
    'api/sql/buy_proxy.sql',
    'api/data/common-passwords.txt',
    'gateway/dist/main.js',
    'gateway/dist/accelerator.node',
    'web/dist/index.html',
    'tools/receipt-checker/cellhop-receipt.mjs',
    'docs/settings.md',
    'release.json',
    'node_modules/fastify/package.json',
  ])
    expect(files).toContain(file);
  const own = files.filter((file) => !file.includes('node_modules/'));
  expect(own.filter((file) => /\.test\.ts$|(?:^|\/)\.(?:sources|git)/.test(file))).toEqual([]);
  expect(own.filter((file) => file.endsWith('.node'))).toEqual(['gateway/dist/accelerator.node']);
  for (const file of [
    'runtime/bin/node',
    'gateway/dist/accelerator.node',
    `node_modules/@node-rs/argon2-linux-${arch}-gnu/argon2.linux-${arch}-gnu.node`,
  ]) {
    const [archive, place] = [path.join(output, `${NAME}-${arch}.tar.gz`), `${NAME}-${arch}/${file}`];
    expect(tar('--extract', '--to-stdout', '--file', archive, place).readUInt16LE(18)).toBe(MACHINES[arch]);
  }
});

test('no built file has a path of the machine that built it', () => {
  const name = `${NAME}-x64`;
  const folders = ['api', 'gateway', 'web'].map((workspace) => `${name}/${workspace}/dist`);
  const built = tar('--extract', '--to-stdout', '--file', path.join(output, `${name}.tar.gz`), ...folders);
  expect(built.length).toBeGreaterThan(1_000_000);
  expect(built.includes(source.directory)).toBe(false);
});

const general = (arch: keyof typeof MACHINES) => list(arch).map((file) => file.replaceAll(arch, 'ARCH'));

test('the archives differ in the programs of the platform alone', () => {
  expect(general('arm64')).toEqual(general('x64'));
});

test('the list of packages has each folder of node_modules, and no other', () => {
  const found = list('x64').filter((file) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(file));
  const materials = JSON.parse(fs.readFileSync(path.join(output, `${NAME}-x64.cdx.json`), 'utf8')) as {
    components: { purl: string; hashes: { content: string }[]; properties: { value: string }[] }[];
  };
  const places = materials.components.map(({ properties: [property] }) => property!.value);
  expect(places.filter((place) => place.includes('node_modules/')).sort()).toEqual(
    found.map((file) => path.posix.dirname(file)).sort(),
  );
  expect(places).toEqual(expect.arrayContaining(['runtime', 'web/dist: react']));
  for (const { purl, hashes } of materials.components) {
    expect(purl).toMatch(/^pkg:npm\/(?:%40[^/@]+\/)?[^/@]+@\d+\.\d+\.\d+/);
    expect(hashes[0]!.content).toMatch(/^[0-9a-f]{128}$/);
  }
});

/** @returns how programs of the unpacked archive are called, with nothing on the PATH but what `sh` needs */
function unpack() {
  const folder = temporaryDirectory();
  const tools = path.join(folder, 'tools');
  fs.mkdirSync(tools);
  for (const name of ['dirname', 'readlink']) fs.symlinkSync(`/usr/bin/${name}`, path.join(tools, name));
  if (USER.uid !== undefined) fs.chownSync(folder, USER.uid, USER.gid);
  const archive = path.join(folder, 'cellhop.tar.gz');
  fs.copyFileSync(path.join(output, `${NAME}-${process.arch}.tar.gz`), archive);
  expect(spawnSync('tar', ['--extract', '--file', archive], { ...USER, cwd: folder }).status).toBe(0);
  const options = { ...USER, cwd: folder, env: { PATH: tools } };
  const program = path.join(folder, `${NAME}-${process.arch}`, 'bin/cellhop');
  const run = (...values: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, values, { ...options, encoding: 'utf8' });
    return { code: status, output: stdout, errors: stderr };
  };
  const start = (...values: string[]) => {
    const child = spawn(program, values, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk) => (text += String(chunk)));
    onTestFinished(() => void child.kill('SIGKILL'));
    const end = async () => {
      child.kill('SIGTERM');
      const [code] = await once(child, 'exit');
      return code as number | null;
    };
    return { text: () => text, end };
  };
  return { folder, run, start, accelerator: path.join(path.dirname(program), '../gateway/dist/accelerator.node') };
}

const relayOf = async (metricsPort: number) => {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return /^gateway_relay_info\{relay="(\w+)"\} 1$/m.exec(text)?.[1];
};
const get = async (url: string) => (await fetch(url).catch(() => undefined))?.status;

test('unpacked, it migrates and serves without Node.js, npm or a compiler of the machine', async () => {
  const database = await cloneDatabase(inject('postgresUrl'), 'template1');
  onTestFinished(database.drop);
  const { folder, run, start, accelerator } = unpack();
  // Where the operator is must not matter: the job runner would take it for its configuration.
  fs.writeFileSync(path.join(folder, 'package.json'), 'not JSON');
  const version = {
    code: 0,
    output: expect.stringContaining(`cellhop 9.8.7 (commit ${source.commit}, linux-`),
    errors: '',
  };
  expect(run('version')).toEqual(version);

  const [port, gatewayPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const file = path.join(folder, 'cellhop.env');
  const settings = {
    DATABASE_URL: database.url,
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'Shop <mail@shop.example.com>',
    PUBLIC_URL: 'https://shop.example.com',
    PORT: port,
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_PORT: gatewayPort,
    GATEWAY_METRICS_PORT: metricsPort,
    GATEWAY_CONTROL_URL: `http://127.0.0.1:${port}`,
    GATEWAY_NAME_SERVERS: '192.0.2.1',
    WITNESS_FILE: path.join(folder, 'witness.json'),
    PAY_EVM_XPUB:
      'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
    PAY_EVM_ADDRESS_0: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
    PAY_ETH_URLS: 'http://127.0.0.1:1',
  };
  const template = run('--env', '/dev/null', 'config', '--template');
  expect(template).toMatchObject({ code: 0, errors: '' });
  const lines = template.output
    .split('\n')
    .filter((line) => !Object.keys(settings).some((name) => line.startsWith(`${name}=`)));
  fs.writeFileSync(file, [...lines, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)].join('\n'));
  const config = run('--env', file, 'config');
  expect(config).toMatchObject({ code: 0, errors: '' });
  expect(config.output).toMatch(new RegExp(`^PORT +${port} +file`, 'm'));

  expect(run('--env', file, 'api')).toEqual({
    code: 78,
    output: expect.anything(),
    errors: expect.stringMatching(/has not the schema of this release: .* To make them: cellhop migrate\n$/),
  });
  expect(run('--env', file, 'migrate')).toMatchObject({ code: 0, errors: '' });
  expect(run('--env', file, 'migrate', '--plan').output).toMatch(/^Nothing is to be done/);
  expect(run('--env', file, 'create-admin', 'admin@example.com')).toMatchObject({ code: 0 });

  const [api, gateway, worker] = [
    start('--env', file, 'api'),
    start('--env', file, 'gateway'),
    start('--env', file, 'worker'),
  ];
  await expect.poll(() => get(`http://127.0.0.1:${port}/health/ready`)).toBe(200);
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toContain('<!doctype html>');
  await expect.poll(() => get(`http://127.0.0.1:${metricsPort}/health`)).toBe(200);
  await expect.poll(gateway.text).toContain('Contract version of the control plane');
  expect(gateway.text()).toContain(`"relay":"${RELAY}"`);
  expect(await relayOf(metricsPort)).toBe(RELAY);
  await expect.poll(worker.text).toContain('"name":"worker"');
  // What the page of nodes shows.
  const client = new Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  const relays = async () => (await client.query('select relay from gateway_runs')).rows;
  await expect.poll(relays).toEqual([{ relay: RELAY }]);
  for (const program of [gateway, worker]) expect(await program.end()).toBe(0);

  fs.truncateSync(accelerator, fs.statSync(accelerator).size / 2);
  const second = start('--env', file, 'gateway');
  await expect.poll(second.text).toContain('Contract version of the control plane');
  expect(second.text()).toContain(
    'The accelerator does not work here (the file is incomplete); tunnels use TypeScript',
  );
  expect(await relayOf(metricsPort)).toBe('pump');
  await expect.poll(relays).toContainEqual({ relay: 'pump' });
  for (const program of [second, api]) expect(await program.end()).toBe(0);
});
