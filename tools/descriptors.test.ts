import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readDescriptorLimit, requireDescriptors } from './descriptors.mjs';

describe('the limit of open files', () => {
  it('is the hard limit of the shell', () => {
    const program = `import('${fileURLToPath(new URL('descriptors.mjs', import.meta.url))}').then((module) => console.log(module.readDescriptorLimit()))`;
    const command = 'ulimit -n 512 && exec "$@"';
    const { stdout } = spawnSync('sh', ['-c', command, 'sh', process.execPath, '-e', program], { encoding: 'utf8' });
    expect(Number(stdout)).toBe(512);
    expect(readDescriptorLimit()).toBeGreaterThanOrEqual(512);
  });

  it('is named in a sentence before the tests if it is too low', () => {
    expect(() => requireDescriptors(1024)).toThrow('the hard limit of this shell is 1024 (ulimit -Hn)');
    requireDescriptors(4096);
    requireDescriptors(Number.POSITIVE_INFINITY);
  });
});
