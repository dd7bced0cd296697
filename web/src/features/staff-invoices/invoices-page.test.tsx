import type { StaffInvoiceDetail, UnassignedPayment, SuspendedPayment } from '@cellhop/contract/staff/invoices';
import { within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { exampleDeposit, exampleInvoice } from '../../../test/example-invoices.ts';
import { openAsStaff } from '../../../test/open-staff.ts';

const detail = (values: Partial<StaffInvoiceDetail>): StaffInvoiceDetail => ({
  ...exampleInvoice('PAID', { amount: 25 }),
  user: { id: '00000000-0000-4000-8000-00000000c001', email: 'customer@example.com' },
  rate: '100000',
  derivationIndex: 3,
  walletNumber: '0/3',
  due: 0,
  deposits: [],
  ...values,
});
const none = { data: [], totalPages: 0, isTruncated: false };
const listOf = (invoice: StaffInvoiceDetail) => ({ data: [invoice], totalPages: 1, isTruncated: false });

it('settles a paid invoice only after staff say that it is another payment', { tags: ['thorough'] }, async () => {
  const invoice = detail({});
  const sent: unknown[] = [];
  const { screen, user } = await openAsStaff('/admin/payment/invoices', {
    answers: {
      'GET /v1/payments/admin/invoices': listOf(invoice),
      'GET /v1/payments/admin/held': none,
      'GET /v1/payments/admin/unassigned': none,
      'GET /v1/payments/admin/invoices/*': { data: invoice },
      'POST /v1/payments/admin/invoices/*/settle': ({ body }) => {
        sent.push(body);
        return { data: { status: 'APPLIED' } };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: /^Details of the \$25\.00 invoice/ }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(await dialog.findByRole('button', { name: 'Settle manually' }));
  await user.type(dialog.getByLabelText(/^Amount, USD/), '5');
  await user.type(dialog.getByLabelText(/^Reason/), 'paid twice');
  const action = dialog.getByRole('button', { name: 'Credit $5.00' });
  expect(action.getAttribute('aria-disabled')).toBe('true');
  await user.click(dialog.getByRole('checkbox', { name: /^This invoice is paid/ }));
  await user.click(action);
  await screen.findByText('Invoice settled');
  expect(sent).toEqual([{ amount: 5, due: 0, isPaidAgain: true, reason: 'paid twice' }]);
});

/** The coin of a deposit: its network, and its number in the wallet. */
const coins = [
  ['BTC', 'Bitcoin', '0/3'],
  ['ETH', 'Ether on Ethereum', '0/3'],
  ['LTC', 'Litecoin', '0/3'],
  ['TRX', 'TRX on TRON', '0/3'],
  ['TON', 'Gram (Toncoin) on TON', '698983194'],
  ['USDT_TRC20', 'USDT on TRON (TRC20)', '0/3'],
  ['USDT_ERC20', 'USDT on Ethereum (ERC20)', '0/3'],
  ['USDT_BSC', 'USDT on BNB Smart Chain (BEP20)', '0/3'],
  ['USDT_TON', 'USDT on TON', '698983194'],
] as const;

it('shows a deposit in each coin, its network, and its number in the wallet', { tags: ['thorough'] }, async () => {
  const deposit = exampleDeposit(1, { state: 'CREDITED', amountInCurrency: '12.5', credited: 25, rate: '2' });
  let invoice = detail({ deposits: [deposit] });
  const { api, screen, user } = await openAsStaff('/admin/payment/invoices', {
    answers: {
      'GET /v1/payments/admin/invoices': () => listOf(invoice),
      'GET /v1/payments/admin/held': none,
      'GET /v1/payments/admin/unassigned': none,
      'GET /v1/payments/admin/invoices/*': () => ({ data: invoice }),
    },
  });
  await user.click(await screen.findByRole('button', { name: /^Details of the \$25\.00 invoice/ }));
  const dialog = within(await screen.findByRole('dialog'));
  for (const [currency, network, walletNumber] of coins) {
    invoice = detail({ currency, walletNumber, deposits: [deposit] });
    api.refetch();
    expect(await dialog.findByText(network)).toBeTruthy();
    expect(dialog.getByText(walletNumber)).toBeTruthy();
    expect(dialog.getByText(`12.5 ${currency.split('_')[0]}`)).toBeTruthy();
  }
});

it('lists payments to deleted accounts', async () => {
  const payment: UnassignedPayment = {
    id: '00000000-0000-4000-8000-00000000e001',
    currency: 'BTC',
    amountInCurrency: '0.00025000',
    state: 'FINAL',
    transactionId: 'a'.repeat(64),
    address: 'bc1qexample',
    userId: '00000000-0000-4000-8000-00000000c009',
    arrivedAt: '2026-11-01T10:00:00Z',
  };
  const { screen, user } = await openAsStaff('/admin/payment/invoices', {
    answers: {
      'GET /v1/payments/admin/invoices': listOf(detail({})),
      'GET /v1/payments/admin/held': none,
      'GET /v1/payments/admin/unassigned': { data: [payment], totalPages: 1, isTruncated: false },
    },
  });
  const notice = within(await screen.findByRole('complementary', { name: 'Unassigned payments' }));
  await user.click(notice.getByRole('button', { name: 'Show' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText('0.00025000 BTC')).toBeTruthy();
  expect(dialog.getByText('bc1qexample')).toBeTruthy();
  expect(dialog.queryByRole('button', { name: /^Assign/ })).toBeNull();
});

it(
  'assigns a payment to a lost address to a customer, and says that a second person is needed',
  { tags: ['thorough'] },
  async () => {
    const payment: UnassignedPayment = {
      id: '00000000-0000-4000-8000-00000000e001',
      currency: 'BTC',
      amountInCurrency: '0.00250000',
      state: 'FINAL',
      transactionId: 'a'.repeat(64),
      address: 'bc1qexample',
      userId: null,
      arrivedAt: '2026-11-01T10:00:00Z',
      value: 250,
    };
    const sent: unknown[] = [];
    const { screen, user } = await openAsStaff('/admin/payment/invoices', {
      answers: {
        'GET /v1/payments/admin/invoices': listOf(detail({})),
        'GET /v1/payments/admin/held': none,
        'GET /v1/payments/admin/unassigned': { data: [payment], totalPages: 1, isTruncated: false },
        'GET /v1/approvals/admin/settlements/allowance': {
          data: {
            withoutApproval: 100,
            approvers: [{ id: '00000000-0000-4000-8000-00000000c002', email: 'second@example.com' }],
          },
        },
        'POST /v1/payments/admin/deposits/*/assign': ({ body }) => {
          sent.push(body);
          return { data: { status: 'PENDING' } };
        },
      },
    });
    const notice = within(await screen.findByRole('complementary', { name: 'Unassigned payments' }));
    await user.click(notice.getByRole('button', { name: 'Show' }));
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'Assign 0.00250000 BTC' }));
    expect(await dialog.findByText(/second@example\.com/)).toBeTruthy();
    await user.type(dialog.getByLabelText(/^User/), 'alice@example.com');
    await user.type(dialog.getByLabelText(/^Reason/), 'has the transaction');
    await user.click(dialog.getByRole('button', { name: 'Credit $250.00' }));
    await screen.findByText(/approv/i);
    expect(sent).toEqual([{ email: 'alice@example.com', reason: 'has the transaction' }]);
  },
);

const held: SuspendedPayment = {
  id: '00000000-0000-4000-8000-00000000e002',
  currency: 'USDT_ERC20',
  amountInCurrency: '2000.00',
  hold: 'DEPEG',
  transactionId: 'ab'.repeat(32),
  invoiceId: null,
  user: { id: '00000000-0000-4000-8000-00000000c001', email: 'customer@example.com' },
  arrivedAt: '2026-11-22T12:00:00.000Z',
  marketRate: '0.80',
  marketValue: 1600,
  parValue: 2000,
};
const openHeld = async (deposit: SuspendedPayment, sent: unknown[] = []) => {
  const opened = await openAsStaff('/admin/payment/invoices', {
    answers: {
      'GET /v1/payments/admin/invoices': listOf(detail({})),
      'GET /v1/payments/admin/held': { data: [deposit], totalPages: 1, isTruncated: false },
      'GET /v1/payments/admin/unassigned': none,
      'GET /v1/approvals/admin/settlements/allowance': {
        data: { withoutApproval: 100, approvers: [{ id: deposit.user.id, email: 'second@example.com' }] },
      },
      'POST /v1/payments/admin/deposits/*/release': ({ body }) => {
        sent.push(body);
        return { data: { rate: null, request: null } };
      },
    },
  });
  const notice = within(await opened.screen.findByRole('complementary', { name: 'Payments on hold' }));
  await opened.user.click(notice.getByRole('button', { name: 'Show' }));
  return { ...opened, dialog: within(await opened.screen.findByRole('dialog')) };
};

describe('payments on hold', () => {
  it(
    'says why and what they are worth, and releases one at one dollar with a second person',
    { tags: ['thorough'] },
    async () => {
      const sent: unknown[] = [];
      const { screen, user, dialog } = await openHeld(held, sent);
      expect(dialog.getByText('On hold: USDT is not worth one dollar, or its price is unknown')).toBeTruthy();
      expect(dialog.getByText(/^\$1,600\.00 at \$0\.80/)).toBeTruthy();
      await user.click(dialog.getByRole('button', { name: /^Release 2,?000.* USDT of customer@example\.com/ }));
      expect(dialog.getByRole('button', { name: 'Credit $1,600.00' })).toBeTruthy();
      await user.click(dialog.getByRole('radio', { name: 'One dollar for each: $2,000.00' }));
      expect(dialog.getByText('That is $400.00 above the market price.')).toBeTruthy();
      expect(await dialog.findByText(/second@example\.com/)).toBeTruthy();
      await user.type(dialog.getByLabelText(/^Reason/), 'an old customer');
      await user.click(dialog.getByRole('button', { name: 'Credit $2,000.00' }));
      await screen.findByText(/approv/i);
      expect(sent).toEqual([{ rate: 'PAR', reason: 'an old customer' }]);
    },
  );

  it('offers no market price that nobody knows', async () => {
    const unknown = await openHeld({ ...held, marketRate: null, marketValue: null });
    expect(unknown.dialog.getByText('Unknown now')).toBeTruthy();
    await unknown.user.click(unknown.dialog.getByRole('button', { name: /^Release 2/ }));
    expect(unknown.dialog.getByRole('radio', { name: 'Unknown now' })).toHaveProperty('disabled', true);
  });

  it('leaves other holds to the operator', async () => {
    const { dialog } = await openHeld({ ...held, hold: 'LARGE', marketRate: null, marketValue: null, parValue: null });
    expect(dialog.getByText('On hold: large amount')).toBeTruthy();
    expect(dialog.queryByRole('button', { name: /^Release/ })).toBeNull();
  });
});

/** The list with an invoice that has two deposits. */
function openInvoice() {
  const invoice: StaffInvoiceDetail = {
    ...exampleInvoice('CONFIRMING', { amount: 25 }),
    user: { id: '00000000-0000-4000-8000-00000000c001', email: 'customer@example.com' },
    rate: '100000',
    derivationIndex: 3,
    walletNumber: '0/3',
    due: 25,
    deposits: [
      exampleDeposit(1, {
        state: 'SEEN',
        isReplaceable: true,
        isAddressReuse: true,
        explorerUrl: 'https://mempool.space/tx/f4184fc5',
        sender: 'TWallet',
      }),
      exampleDeposit(2, { state: 'REPLACED' }),
    ],
  };
  return openAsStaff('/admin/payment/invoices', {
    answers: {
      'GET /v1/payments/admin/invoices': listOf(invoice),
      'GET /v1/payments/admin/held': none,
      'GET /v1/payments/admin/unassigned': none,
      'GET /v1/payments/admin/invoices/*': { data: invoice },
    },
  });
}

it('shows network, address, owner, a link to the transaction and who sent it', async () => {
  const { screen, user } = await openInvoice();
  const details = await screen.findByRole('button', { name: /^Details of the \$25\.00 invoice/ });
  const row = details.closest('tr')?.textContent;
  expect(row).toContain('Bitcoin');
  expect(row).toContain('bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh');
  await user.click(details);
  const dialog = within(await screen.findByRole('dialog'));
  expect(await dialog.findByText('00000000-0000-4000-8000-00000000c001')).toBeTruthy();
  expect(dialog.getByText('Bitcoin')).toBeTruthy();
  expect(dialog.getByRole('link', { name: 'Show in a block explorer' }).getAttribute('href')).toBe(
    'https://mempool.space/tx/f4184fc5',
  );
  expect(dialog.getByText('TWallet')).toBeTruthy();
});

it('shows that a deposit may be replaced, and that its address was paid to before', async () => {
  const { screen, user } = await openInvoice();
  await user.click(await screen.findByRole('button', { name: /^Details of the \$25\.00 invoice/ }));
  const dialog = within(await screen.findByRole('dialog'));
  const list = within(await dialog.findByRole('list', { name: 'Received payments' }));
  const [first, second] = list.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(first).toContain('Unconfirmed, replaceable');
  expect(first).toContain('Address reused');
  expect(first).toContain('First seen');
  expect(second).toContain('Replaced');
  expect(second).not.toContain('Address reused');
});

it(
  'repeats the amounts of the filter before it sends them, and sends nothing that it has not read',
  { tags: ['thorough'] },
  async () => {
    const { screen, user, fill, api } = await openAsStaff('/admin/payment/invoices?min=1e3&max=0x10', {
      answers: {
        'GET /v1/payments/admin/invoices': { data: [], totalPages: 0, isTruncated: false },
        'GET /v1/payments/admin/held': none,
        'GET /v1/payments/admin/unassigned': { data: [], totalPages: 0, isTruncated: false },
      },
    });
    const field = await screen.findByLabelText('Amount from, USD');
    const sent = () => api.requests.filter((request) => /\/invoices\?.*amountM(?:in|ax)=/.test(request));
    await screen.findByText('No invoices match these filters.');
    for (const text of ['abc', '1e3', '0x10', '42,50']) {
      await fill(field, text);
      await user.keyboard('{Enter}');
      await screen.findByText('Enter an amount like 1,234.56');
    }
    await fill(field, '2000000');
    await screen.findByText('Maximum value $1,000,000.00');
    expect(sent()).toEqual([]);
    await fill(field, '1,234.5 $');
    expect(await screen.findByText('$1,234.50')).toBeTruthy();
    expect(sent()).toEqual([]);
    await user.keyboard('{Enter}');
    await vi.waitFor(() => expect(sent().at(-1)).toContain('amountMin=1234.5'));
  },
);

it(
  'takes the first day of the filter in the notations that people use, and says it in words',
  { tags: ['thorough'] },
  async () => {
    const { screen, user, fill, api } = await openAsStaff('/admin/payment/invoices', {
      answers: {
        'GET /v1/payments/admin/invoices': { data: [], totalPages: 0, isTruncated: false },
        'GET /v1/payments/admin/held': none,
        'GET /v1/payments/admin/unassigned': { data: [], totalPages: 0, isTruncated: false },
      },
    });
    const field = await screen.findByLabelText<HTMLInputElement>('From');
    await user.type(field, '2026-11-21');
    expect(field.value).toBe('2026-11-21');
    expect(await screen.findByText('Sat, 21 Nov 2026')).toBeTruthy();
    await user.tab();
    expect(field.value).toBe('21.11.2026');
    await fill(field, 'abc');
    await user.tab();
    await screen.findByText('Use the format DD.MM.YYYY');
    const days = api.requests.flatMap((request) => /[?&]from=([^&]*)/.exec(request)?.[1] ?? []);
    expect(new Set(days)).toEqual(new Set([encodeURIComponent(new Date(2026, 10, 21).toISOString())]));
  },
);
