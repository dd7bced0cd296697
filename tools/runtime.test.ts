import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { chooseRuntime, fetchRuntime, readRuntime } from './runtime.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readText = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');

const runtime = { version: '24.21.0', oldest: '24.9.0', platforms: ['linux-arm64', 'linux-x64'] };
const linux = { platform: 'linux', arch: 'x64', hasMusl: false };
const mac = { platform: 'darwin', arch: 'arm64', hasMusl: false };

describe('the choice of the Node.js that runs everything', () => {
  it.each(['24.21.0', '24.21.1', '24.100.0'])('is the own %s: the pinned major version, at least as new', (version) => {
    expect(chooseRuntime(version, linux, runtime)).toBe('own');
    expect(chooseRuntime(version, mac, runtime)).toBe('own');
  });

  it.each(['20.19.0', '22.22.1', '24.9.0', '24.20.9', '26.12.1'])(
    'is the pinned one instead of %s on Linux',
    (version) => {
      expect(chooseRuntime(version, linux, runtime)).toBe('pinned');
      expect(chooseRuntime(version, { ...linux, arch: 'arm64' }, runtime)).toBe('pinned');
    },
  );

  it.each([mac, { ...linux, hasMusl: true }, { ...linux, arch: 's390x' }])(
    'is the own Node.js 24 where npm has none, from the oldest that works on, and otherwise a sentence: %o',
    (machine) => {
      expect(chooseRuntime('24.9.0', machine, runtime)).toBe('own');
      for (const version of ['24.8.0', '26.12.1'])
        expect(() => chooseRuntime(version, machine, runtime)).toThrow(
          `runs on Node.js 24 from 24.9.0 on, and this is ${version}. Install 24.21.0 or a newer 24`,
        );
    },
  );

  it('is refused to a Node.js that is too old to fetch another', () => {
    expect(() => chooseRuntime('20.18.3', linux, runtime)).toThrow('Node.js 20.19 or newer can fetch; this is 20.18.3');
  });
});

describe('the pinned Node.js', () => {
  const { version, oldest, platforms } = readRuntime(root);

  it('is locked for both platforms by version and hash, without addresses', () => {
    expect(platforms).toEqual(['linux-arm64', 'linux-x64']);
    const { packages } = JSON.parse(readText('tools/runtime/package-lock.json')) as {
      packages: Record<string, object>;
    };
    for (const platform of platforms)
      expect(packages[`node_modules/node-${platform}`]).toMatchObject({
        version,
        integrity: expect.stringMatching(/^sha512-/),
        optional: true,
      });
    expect(readText('tools/runtime/package-lock.json')).not.toMatch(/"resolved"|https?:/);
  });

  it('is the version that .nvmrc and the types name, and one that the engines allow', () => {
    const [major] = version.split('.');
    expect(readText('.nvmrc').trim()).toBe(version);
    const { engines, devDependencies } = JSON.parse(readText('package.json')) as {
      engines: { node: string };
      devDependencies: Record<string, string>;
    };
    // From 24.9 on, node:http has `shouldUpgradeCallback`, with which the gateway serves requests that only offer an upgrade.
    expect(engines.node).toBe('^24.9.0');
    expect(oldest.split('.')[0]).toBe(major);
    expect(chooseRuntime(version, mac, { version, oldest, platforms })).toBe('own');
    expect(devDependencies['@types/node']).toMatch(new RegExp(String.raw`^${major}\.`));
  });

  it('runs every npm script', () => {
    for (const [folder, bootstrap] of [
      ['.', 'tools/bootstrap.mjs'],
      ['api', '../tools/bootstrap.mjs'],
      ['gateway', '../tools/bootstrap.mjs'],
      ['web', '../tools/bootstrap.mjs'],
    ] as const) {
      const { scripts } = JSON.parse(readText(`${folder}/package.json`)) as { scripts: Record<string, string> };
      const begin = [`PATH=$(node ${bootstrap}) && `, 'exec sh tools/command.sh '];
      const others = Object.values(scripts).filter((script) => !begin.some((each) => script.startsWith(each)));
      expect(others).toEqual([]);
    }
  });
});

/** Replaces npm by a script. */
function fakeNpm(script: string) {
  const directory = temporaryDirectory();
  fs.writeFileSync(path.join(directory, 'npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${directory}:${process.env['PATH']}`);
  return places();
}

function places() {
  onTestFinished(() => void vi.unstubAllEnvs());
  const target = path.join(temporaryDirectory(), 'a place/runtime');
  return { source: path.join(root, 'tools/runtime'), target };
}

const folder = `node_modules/node-${process.platform}-${process.arch}/bin`;
/** Without a link in `.bin`, as npm of Debian 13. */
const installNode = (output: string) =>
  `mkdir -p ${folder} && printf '#!/bin/sh\\necho ${output}' > ${folder}/node && chmod +x ${folder}/node`;

describe('fetching Node.js', () => {
  it('replaces an older one and what an interrupted fetch left', () => {
    const { source, target } = fakeNpm(installNode('v24.21.0'));
    for (const leftover of [target, `${target}.new`]) {
      fs.mkdirSync(leftover, { recursive: true });
      fs.writeFileSync(path.join(leftover, 'leftover'), '');
    }
    fetchRuntime(source, target, '24.21.0');
    expect(fs.readdirSync(path.dirname(target))).toEqual(['runtime']);
    expect(fs.readdirSync(target).sort()).toEqual(['node_modules', 'package-lock.json', 'package.json']);
    expect(fs.readFileSync(path.join(target, 'package-lock.json'))).toEqual(
      fs.readFileSync(path.join(source, 'package-lock.json')),
    );
  });

  it.each([
    ['npm ERR! code SELF_SIGNED_CERT_IN_CHAIN', 'certificate of the npm registry is not trusted.*NODE_EXTRA_CA_CERTS'],
    ['npm error code UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate of the npm registry is not trusted'],
    ['npm error code CERT_HAS_EXPIRED', 'not valid at the time of this machine'],
    ['npm ERR! code EAI_AGAIN', 'name of the npm registry cannot be resolved'],
    ['npm error code ECONNRESET', 'cannot be reached'],
    ['npm error code ERR_SOCKET_TIMEOUT', 'cannot be reached'],
    ['npm error code E407', 'refuses'],
    ['npm error code ENOTCACHED', 'work offline'],
    ['npm error code EINTEGRITY', 'another package than the lock file names'],
    ['npm error code ENOSPC', 'see its output above'],
    ['', 'see its output above'],
  ])('that fails with "%s" says why and what to do, and leaves no runtime', (output, text) => {
    const { source, target } = fakeNpm(`echo '${output}' >&2; exit 1`);
    expect(() => fetchRuntime(source, target, '24.21.0')).toThrow(
      new RegExp(`24\\.21\\.0 could not be fetched: .*${text}.* Or install Node\\.js 24\\.21\\.0 or a newer 24`),
    );
    expect(fs.existsSync(target)).toBe(false);
  });

  it(
    'through the npm of this machine from a registry that cannot be used says which kind of failure it is',
    { tags: ['thorough'] },
    async () => {
      const { source, target } = places();
      // In a process of its own, because this one waits for npm.
      const script =
        "const { createServer } = require('node:net');" +
        "createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK'))" +
        ".listen(0, '127.0.0.1', function () { console.log(this.address().port) })";
      const server = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void server.kill());
      const [port] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string];
      vi.stubEnv('npm_config_registry', `https://127.0.0.1:${port.trim()}`);
      expect(() => fetchRuntime(source, target, '24.21.0')).toThrow('speaks no TLS');
      server.kill();
      await once(server, 'exit');
      expect(() => fetchRuntime(source, target, '24.21.0')).toThrow('cannot be reached');
    },
  );

  it('refuses one that does not run', () => {
    const { source, target } = fakeNpm(installNode('no such symbol >&2'));
    expect(() => fetchRuntime(source, target, '24.21.0')).toThrow(/does not run on this machine: no such symbol/);
    expect(fs.existsSync(target)).toBe(false);
  });
});
