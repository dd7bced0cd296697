/** Invoices in states that depend on a chain or on time; the API's tests cover how they arise. */
import type { Invoice, InvoicePayment, TopUpReceipt } from '@cellhop/contract/invoices';
import type { Deposit } from '@cellhop/contract/staff/invoices';

const HOUR_MS = 3_600_000;

const paid: InvoicePayment = {
  received: '0.00025000',
  confirming: '0.00000000',
  missing: null,
  excess: null,
  credited: 25,
  isLate: false,
  transfers: [],
};
const payments: Record<Invoice['status'], InvoicePayment | null> = {
  PENDING: null,
  CONFIRMING: { ...paid, confirming: '0.00025000', credited: 0 },
  PARTIALLY_PAID: { ...paid, received: '0.00010000', missing: '0.00015000', credited: 10 },
  PAID: paid,
  OVERPAID: { ...paid, received: '0.00030000', excess: '0.00005000', credited: 30 },
  EXPIRED: null,
};

export const exampleReceipt = {
  number: 17,
  creditedAt: '2026-11-21T12:00:00.000Z',
  amount: 25,
  currency: 'BTC',
  amountInCurrency: '0.00025000',
  rate: '100000.00',
  transactionId: 'f'.repeat(64),
  invoiceId: null,
  reversedAt: null,
} satisfies TopUpReceipt;

export function exampleInvoice(status: Invoice['status'], changes: Partial<Invoice> = {}): Invoice {
  const expiresIn = status === 'EXPIRED' ? -HOUR_MS : HOUR_MS;
  return {
    id: '00000000-0000-4000-8000-000000000001',
    amount: 25,
    amountInCurrency: '0.00025000',
    currency: 'BTC',
    address: 'bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh',
    status,
    paymentUri: 'bitcoin:bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh?amount=0.00025000',
    walletUri: null,
    isSandbox: false,
    payment: payments[status],
    replaced: null,
    expiredAt: new Date(Date.now() + expiresIn).toISOString(),
    createdAt: new Date(Date.now() - 2 * HOUR_MS).toISOString(),
    ...changes,
  };
}

const overAnHourAgo = { expiredAt: new Date(Date.now() - HOUR_MS).toISOString() };

/** Partially paid and expired. */
export const shortAndOver: Invoice = exampleInvoice('PARTIALLY_PAID', overAnHourAgo);

/** Paid after its end, when the rate had fallen. */
export const paidLate: Invoice = exampleInvoice('PAID', {
  ...overAnHourAgo,
  payment: { ...paid, credited: 12.5, isLate: true },
});

const seen = {
  amountInCurrency: '0.00025000',
  explorerUrl: null,
  isCredited: false,
  confirmations: 0,
  confirmationsNeeded: 1,
  waitsForPeg: false,
  receipt: null,
};

/** A payment in the memory pool that signals that it may be replaced. */
export const replaceable: Invoice = exampleInvoice('CONFIRMING', {
  payment: { ...payments.CONFIRMING!, transfers: [{ ...seen, isReplaceable: true }] },
});

/** A payment that waits because its stablecoin does not trade at one dollar. */
export const waitsForPeg: Invoice = exampleInvoice('CONFIRMING', {
  currency: 'USDT_ERC20',
  payment: { ...payments.CONFIRMING!, transfers: [{ ...seen, isReplaceable: false, waitsForPeg: true }] },
});

/** The only payment was replaced by one to another address, or dropped. */
export const replaced: Invoice = exampleInvoice('PENDING', { replaced: '0.00025000' });

/** A deposit as staff see it. */
export function exampleDeposit(number: number, changes: Partial<Deposit>): Deposit {
  const now = new Date().toISOString();
  return {
    id: `00000000-0000-4000-8000-00000000000${number}`,
    transactionId: 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16',
    explorerUrl: null,
    sender: null,
    requestId: null,
    amountInCurrency: '0.00025000',
    hold: null,
    reversed: null,
    state: 'SEEN',
    isReplaceable: false,
    isAddressReuse: false,
    arrivedAt: now,
    firstSeenAt: now,
    blockAt: null,
    rate: null,
    credited: null,
    creditedAt: null,
    ...changes,
  };
}
