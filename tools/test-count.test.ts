import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { countPlaywright, countVitest } from './test-count.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

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
