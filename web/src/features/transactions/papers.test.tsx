import type { Settings } from '@cellhop/contract/settings';
import { within } from '@testing-library/react';
import { afterAll, expect, it } from 'vitest';
import { exampleReceipt } from '../../../test/example-invoices.ts';
import { type Answers, openApp } from '../../../test/open-app.tsx';
import { currentSettings } from '../../data/settings.ts';

const createdAt = '2026-11-21T12:00:00.000Z';
const shop: Partial<Settings> = {
  abuseEmail: 'abuse@example.com',
  seller: { name: 'Example Ltd', address: '1 Main Street\nLondon', register: 'No. 1', vatId: 'GB1', note: 'No VAT.' },
};
/** Settings are loaded once, maybe by the tests of another file. */
function papersWith(answers: Answers): Answers {
  Object.assign(currentSettings(), shop);
  return {
    'GET /v1/profile/company': { data: { name: 'Rohrpost GmbH', address: '', taxId: '' } },
    'GET /v1/settings': { data: { ...currentSettings() } },
    ...answers,
  };
}
afterAll(() => Object.assign(currentSettings(), { abuseEmail: null, seller: null }));

it('opens the receipt of a top-up from its row, with seller, customer and payment', async () => {
  const topUp = { id: '1', createdAt, kind: 'TOP_UP', amount: 25, balanceAfter: 25, subject: null, receipt: 17 };
  const { screen, user } = await openApp('/transactions', {
    answers: papersWith({
      'GET /v1/transactions': { data: [topUp], totalPages: 1 },
      'GET /v1/payments/receipts/*': { data: exampleReceipt },
    }),
  });
  await user.click(await screen.findByRole('button', { name: 'Receipt 17' }));
  expect(location.search).toBe('?receipt=17');
  const dialog = await screen.findByRole('dialog', { name: 'Receipt 17' });
  await within(dialog).findByText('0.00025000 BTC');
  expect(dialog.textContent).toContain('Example Ltd\n1 Main Street\nLondon\nNo. 1\nVAT ID: GB1');
  for (const text of ['Rohrpost GmbH', '$25.00', '1 BTC = 100,000.00 USD', 'f'.repeat(64), 'No VAT.'])
    expect(dialog.textContent).toContain(text);
});

it('names the seller in the imprint', async () => {
  const { screen } = await openApp('/legal/imprint', {
    isSignedIn: false,
    answers: papersWith({ 'GET /v1/legal/*': { data: { text: null } } }),
  });
  await screen.findByText('No VAT.');
  expect(screen.getByRole('article').textContent).toContain('Example Ltd\n1 Main Street\nLondon\nNo. 1\nVAT ID: GB1');
  expect(screen.getByRole('article').textContent).toContain('Report abuse of a proxy to abuse@example.com.');
});

it('names the seller on a monthly statement', async () => {
  const { screen } = await openApp('/transactions?month=2026-11', {
    answers: papersWith({
      'GET /v1/transactions': { data: [], totalPages: 1 },
      'GET /v1/transactions/summary': { data: { openingBalance: 0, closingBalance: 0, kinds: [] } },
    }),
  });
  const dialog = await screen.findByRole('dialog', { name: 'Monthly statement' });
  await within(dialog).findByText('No VAT.');
  expect(dialog.textContent).toContain('Example Ltd');
});
