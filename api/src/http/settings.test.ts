import { getSettings } from '@cellhop/contract/settings';
import { expect, test } from 'vitest';
import { startTestApp } from '../../test/test-app.ts';

test('the web app gets the refund window and the time without traffic as they are set', async () => {
  const testApp = await startTestApp({ refundWindowMs: 90_000, idleTimeoutMs: 3_600_000 });
  expect((await testApp.call(getSettings, {})).data).toMatchObject({ refundMinutes: 1.5, idleMinutes: 60 });
  await testApp.stop();
});
