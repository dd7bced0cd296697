import { reportBrowserError } from '@cellhop/contract/browser-errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';

const report = { name: 'TypeError', message: 'x is undefined', stack: 'at draw (app.js:1:2)', path: '/proxies' };

describe('POST /v1/browser-errors', () => {
  let testApp: TestApp;
  beforeAll(async () => {
    testApp = await startTestApp();
  });
  afterAll(() => testApp.stop());

  it('accepts a report without a token, and the metrics count it', async () => {
    expect(await testApp.call(reportBrowserError, { body: report })).toEqual({ data: { isAccepted: true } });
    const metrics = await (await fetch(`${testApp.url}/metrics`)).text();
    expect(metrics).toContain('browser_errors_total{outcome="logged"} 1');
  });

  it.each([
    ['stack', 2001],
    ['message', 301],
    ['name', 101],
    ['path', 201],
  ])('refuses a %s of %i characters', async (field, length) => {
    const body = { ...report, [field]: 'x'.repeat(length) };
    await expect(testApp.call(reportBrowserError, { body })).rejects.toMatchObject({ status: 400, code: 'VALIDATION' });
  });
});
