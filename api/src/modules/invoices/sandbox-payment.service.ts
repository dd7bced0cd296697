/** Pays an invoice on the sandbox chain. */
import { AppError } from '@cellhop/contract/errors';
import { toMicros } from '@cellhop/contract/units';
import { randomBytes } from 'node:crypto';
import type { Ctx } from '../../ctx.ts';
import { formatUnits, parseUnits, toCreditMicros } from '../../payments/amounts.ts';
import { currencyRules } from '../../payments/currencies.ts';
import { listCounted } from './deposit-lists.store.ts';
import * as store from './invoices.store.ts';
import * as sandbox from './sandbox.store.ts';

/** Keeps amounts within the range of JSON numbers. */
const PAYMENT_DOLLARS_MAX = 10_000_000;

export interface SandboxPayment {
  transactionId: string;
  amountInCurrency: string;
}

/**
 * @param amountInCurrency default: the amount that is still due
 * @throws AppError NOT_FOUND, VALIDATION
 */
export async function payOnSandbox(
  ctx: Ctx,
  invoiceId: string,
  amountInCurrency: string | undefined,
): Promise<SandboxPayment> {
  const invoice = await store.findInvoice(ctx, invoiceId);
  if (!invoice) throw new AppError('NOT_FOUND', { thing: 'Invoice' });
  const rules = currencyRules[invoice.currency];
  const units =
    amountInCurrency === undefined ? await findDueUnits(ctx, invoice) : readUnits(amountInCurrency, invoice);
  const transactionId = `sandbox-${randomBytes(32).toString('hex')}`;
  const { chain, asset } = rules;
  await sandbox.insertTransaction(ctx, { transactionId, chain, asset, address: invoice.address, units });
  return { transactionId, amountInCurrency: formatUnits(units, rules) };
}

function readUnits(text: string, { currency, rateE12 }: store.InvoiceRow): bigint {
  const rules = currencyRules[currency];
  const units = parseUnits(text, rules);
  if (units === undefined) throw refuse(`must have at most ${rules.decimals} decimals`);
  if (units === 0n) throw refuse('must be more than zero');
  if (toCreditMicros(units, rateE12, rules) > toMicros(PAYMENT_DOLLARS_MAX))
    throw refuse(`must be worth at most ${PAYMENT_DOLLARS_MAX} dollars`);
  return units;
}

/** Includes transactions that the watcher has not read yet, so that two clicks do not pay twice. */
async function findDueUnits(
  ctx: Ctx,
  { id, currency, address, dueUnits, createdAt }: store.InvoiceRow,
): Promise<bigint> {
  const { chain, asset } = currencyRules[currency];
  const unread = await sandbox.sumUnread(ctx, { chain, asset, address, since: createdAt });
  const paid = (await listCounted(ctx, [id])).reduce((sum, { units }) => sum + units, unread);
  if (paid >= dueUnits) throw refuse('is required: nothing is due any more');
  return dueUnits - paid;
}

function refuse(message: string): AppError {
  return AppError.validation([{ path: 'body.amountInCurrency', message }]);
}
