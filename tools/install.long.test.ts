/** @module-tag long */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { installDependencies } from './install.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

/** Settings of npm, each with a value that changes what `npm ci` installs, or whether it does. */
const HOSTILE = {
  before: '2001-01-01',
  'bin-links': 'false',
  cpu: 's390x',
  'dry-run': 'true',
  'engine-strict': 'true',
  'global-style': 'true',
  'ignore-scripts': 'true',
  include: 'peer',
  'install-links': 'true',
  'install-strategy': 'linked',
  'legacy-bundling': 'true',
  'legacy-peer-deps': 'true',
  libc: 'musl',
  'min-release-age': '9000',
  omit: 'dev',
  only: 'prod',
  os: 'win32',
  'package-lock': 'false',
  'package-lock-only': 'true',
  production: 'true',
  'strict-peer-deps': 'true',
  usage: 'true',
  version: 'true',
  workspace: 'web',
  workspaces: 'false',
};

/** A project with one development dependency, which is beside it: no registry is asked. */
function project() {
  const root = temporaryDirectory();
  const write = (file: string, content: object | string) => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), typeof content === 'string' ? content : JSON.stringify(content));
  };
  const bin = { tool: 'cli.js' };
  write('package/package.json', { name: 'tool', version: '1.0.0', bin });
  write('package/cli.js', '#!/usr/bin/env node');
  execFileSync('tar', ['-czf', 'tool.tgz', 'package'], { cwd: root });
  const manifest = { name: 'project', version: '1.0.0', devDependencies: { tool: 'file:tool.tgz' } };
  const tool = { version: '1.0.0', resolved: 'file:tool.tgz', dev: true, bin };
  write('package.json', manifest);
  write('package-lock.json', {
    ...manifest,
    lockfileVersion: 3,
    packages: { '': manifest, 'node_modules/tool': tool },
  });
  const installed = () => ['tool/package.json', '.bin/tool', '.installed'].filter((file) => exists(file));
  const exists = (file: string) => fs.existsSync(path.join(root, 'node_modules', file));
  const remove = (file: string) => fs.rmSync(path.join(root, 'node_modules', file), { recursive: true });
  const install = () => installDependencies(root);
  /** Of an empty home, so that the settings of whoever runs the tests are not those of the test. */
  vi.stubEnv('HOME', path.join(root, 'home'));
  write('home/.npmrc', '');
  for (const name of Object.keys(process.env).filter((name) => /^npm_config_/i.test(name))) vi.stubEnv(name, undefined);
  return { root, write, installed, remove, install };
}
const ALL = ['tool/package.json', '.bin/tool', '.installed'];

afterEach(() => void vi.unstubAllEnvs());

describe('the dependencies', () => {
  it('are installed with any settings of npm, in its files and in the environment', () => {
    const { install, installed, write } = project();
    const lines = Object.entries(HOSTILE).map(([name, value]) => `${name} = ${value}`);
    write('home/.npmrc', lines.join('\n'));
    for (const [name, value] of Object.entries(HOSTILE)) vi.stubEnv(`NPM_CONFIG_${name.replaceAll('-', '_')}`, value);
    vi.stubEnv('npm_config_prefix', '/nonexistent');
    vi.stubEnv('npm_config_global', 'true');
    vi.stubEnv('NODE_ENV', 'production');
    install();
    expect(installed()).toEqual(ALL);
  });

  it('are installed again when something is missing, in spite of an older stamp and after each change by npm', () => {
    const { install, installed, remove, write, root } = project();
    install();
    remove('tool');
    fs.copyFileSync(path.join(root, 'package-lock.json'), path.join(root, 'node_modules/.installed'));
    install();
    expect(installed()).toEqual(ALL);
    remove('.bin/tool');
    write('node_modules/.package-lock.json', { packages: {} });
    install();
    expect(installed()).toEqual(ALL);
  });

  it('have no stamp when npm succeeds without a package of this machine', () => {
    const { install, installed, write } = project();
    const { platform, arch } = process;
    const packages = {
      '': {},
      'node_modules/elsewhere': { version: '1.0.0', optional: true, os: ['no system'] },
      'node_modules/here': { version: '1.0.0', optional: true, os: [platform], cpu: [arch] },
    };
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9');
    vi.stubEnv('npm_config_fetch_retries', '0');
    write('package.json', { name: 'project', optionalDependencies: { here: '1.0.0', elsewhere: '1.0.0' } });
    write('package-lock.json', {
      name: 'project',
      lockfileVersion: 3,
      packages: { ...packages, '': { name: 'project', optionalDependencies: { here: '1.0.0', elsewhere: '1.0.0' } } },
    });
    expect(install).toThrow('npm ci has not installed node_modules/here: try again with a connection.');
    expect(installed()).toEqual([]);
  });
});
