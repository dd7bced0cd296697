import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from './temporary-directory.ts';
import {
  countPlaywright,
  countVitest,
  describeTimes,
  readPlaywrightFiles,
  readProcessorSeconds,
  readVitestFiles,
  StepTimes,
} from './test-report.mjs';

function report(content: object): string {
  const file = path.join(temporaryDirectory(), 'report.json');
  fs.writeFileSync(file, JSON.stringify(content));
  return file;
}

describe('the summary of npm test', () => {
  it('reads both reports', () => {
    expect(countVitest(report({ numPassedTests: 40, numFailedTests: 2 }))).toEqual({ passed: 40, failed: 2 });
    expect(countPlaywright(report({ stats: { expected: 7, unexpected: 1, flaky: 0 } }))).toEqual({
      passed: 7,
      failed: 1,
    });
  });

  it('counts a flaky test as failed', () => {
    expect(countPlaywright(report({ stats: { expected: 7, unexpected: 0, flaky: 1 } }))).toEqual({
      passed: 7,
      failed: 1,
    });
  });

  it('counts zero tests without a report', () => {
    const missing = path.join(temporaryDirectory(), 'missing.json');
    expect([countVitest(missing), countPlaywright(missing)]).toEqual([
      { passed: 0, failed: 0 },
      { passed: 0, failed: 0 },
    ]);
  });
});

const timed = (...durations: number[]) => ({ tests: [{ results: durations.map((duration) => ({ duration })) }] });

describe('the times of a test run', () => {
  it('are those of its steps, of which one may fail', async () => {
    const times = new StepTimes();
    expect(await times.measure('types', () => 7)).toBe(7);
    await expect(times.measure('tests', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(times.steps.map(({ name }) => name)).toEqual(['types', 'tests']);
  });

  it('are read by file from both reports', () => {
    const vitest = report({ testResults: [{ name: '/somewhere/api/a.test.ts', startTime: 1_000, endTime: 3_500 }] });
    expect(readVitestFiles('/somewhere', vitest)).toEqual([{ name: 'api/a.test.ts', seconds: 2.5 }]);
    const nested = { specs: [timed(250)], suites: [{ specs: [timed(500, 1_000)] }] };
    const playwright = report({ config: { rootDir: '/somewhere/e2e' }, suites: [{ file: 'b.spec.ts', ...nested }] });
    expect(readPlaywrightFiles('/somewhere', playwright)).toEqual([{ name: 'e2e/b.spec.ts', seconds: 1.75 }]);
    const missing = path.join(temporaryDirectory(), 'missing.json');
    expect([...readVitestFiles('/somewhere', missing), ...readPlaywrightFiles('/somewhere', missing)]).toEqual([]);
  });

  it('are described with the ten slowest files, the slowest first', () => {
    const files = Array.from({ length: 12 }, (_, index) => ({ name: `${index}.test.ts`, seconds: index }));
    const steps = [
      { name: 'types', seconds: 2 },
      { name: 'tests', seconds: 61.25 },
    ];
    const lines = describeTimes({ steps, files, processorSeconds: 100 }).split('\n');
    expect(lines.slice(0, 7)).toEqual([
      'Where the time went:',
      '     2.0 s  types',
      '    61.3 s  tests',
      '    63.3 s  in total',
      '   100.0 s  user and system time',
      'The slowest test files:',
      '    11.0 s  11.test.ts',
    ]);
    expect(lines.at(-1)).toBe('     2.0 s  2.test.ts');
    expect(describeTimes({ steps, files: [], processorSeconds: undefined }).split('\n')).toHaveLength(4);
  });

  it.runIf(process.platform === 'linux')('include processes that have ended', () => {
    const before = readProcessorSeconds()!;
    spawnSync('sh', ['-c', 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done']);
    expect(readProcessorSeconds()).toBeGreaterThan(before);
  });
});
