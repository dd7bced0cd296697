import { getSettings } from '@cellhop/contract/settings';
import { expect, test } from 'vitest';
import { startTestApp } from '../../test/test-app.ts';

test('the web app gets the refund window and the time without traffic as they are set', async () => {
  const testApp = await startTestApp({ refundWindowMs: 90_000, idleTimeoutMs: 3_600_000 });
  expect((await testApp.call(getSettings, {})).data).toMatchObject({ refundMinutes: 1.5, idleMinutes: 60 });
  await testApp.stop();
});

test('visitors see who sells, and where to report abuse', async () => {
  const seller = { name: 'Example Ltd', address: '1 Main Street\nLondon', register: 'No. 1', vatId: 'GB1', note: '' };
  const testApp = await startTestApp({ seller, contactEmail: 'mail@shop.example.com' });
  expect((await testApp.call(getSettings, {})).data).toMatchObject({ seller, abuseEmail: 'mail@shop.example.com' });
  await testApp.stop();
});
