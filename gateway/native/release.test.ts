import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryDirectory } from '../../tools/temporary-directory.ts';
import { acceleratorFile } from '../test/accelerator.ts';
import { buildForRelease, compilerFor, findMissingCompilers, findNewerLibraries } from './release.mjs';

const HEADERS = path.join(path.dirname(process.execPath), '../include/node');
const other = process.arch === 'arm64' ? 'x64' : 'arm64';

it('names each compiler that is missing, with the packages that have it', () => {
  vi.stubEnv('PATH', temporaryDirectory());
  vi.stubEnv('CC', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(findMissingCompilers(['x64', 'arm64']).toSorted()).toEqual([
    expect.stringMatching(
      new RegExp(`^${compilerFor(other)} for ${other} \\(on Debian: apt-get install gcc-\\S+ libc6-dev-\\S+-cross\\)$`),
    ),
    `cc for ${process.arch} (on Debian: apt-get install gcc libc6-dev)`,
  ]);
});

const needs = (...versions: string[]) => findNewerLibraries(`\0libc.so.6\0${versions.join('\0')}\0`);

it('finds what libraries older than those of Node.js lack', () => {
  expect(needs('GLIBC_2.2.5', 'GLIBC_2.17', 'GLIBC_2.28')).toEqual([]);
  expect(needs('GLIBC_2.3.4', 'GLIBC_2.34', 'GLIBC_2.34', 'GLIBC_2.38')).toEqual(['2.34', '2.38']);
});

it('leaves no file if the headers are missing', () => {
  const target = path.join(temporaryDirectory(), 'accelerator.node');
  const built = buildForRelease({ processor: 'x64', target, headers: '/nowhere' });
  expect(built).toEqual({ problem: 'there are no headers of Node.js in /nowhere' });
  expect(fs.existsSync(target)).toBe(false);
});

// Without a compiler, test/accelerator.ts says so.
it.runIf(acceleratorFile !== undefined)('names the compiler and its linker, by whichever link they are called', () => {
  const [compiler, link] = [execFileSync('sh', ['-c', 'command -v cc'], { encoding: 'utf8' }).trim(), 'a-compiler'];
  const folder = temporaryDirectory();
  fs.symlinkSync(compiler, path.join(folder, link));
  const build = (name: string) =>
    buildForRelease({
      processor: 'x64',
      target: path.join(folder, 'accelerator.node'),
      headers: HEADERS,
      compiler: name,
    });
  const built = build(compiler);
  expect(built).toEqual({ compiler: expect.stringMatching(/^.*\d+\.\d+.*; .*ld.* \d+\.\d+/i) });
  expect(build(path.join(folder, link))).toEqual(built);
});
