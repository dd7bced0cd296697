/** Invoices and their payments as their payer and as staff see them. */
import type { Currency } from '@cellhop/contract/invoices.values';
import type { Invoice, InvoicePayment, InvoiceTransfer } from '@cellhop/contract/invoices';
import type { Deposit, StaffInvoice, StaffInvoiceDetail } from '@cellhop/contract/staff/invoices';
import { toDollars } from '@cellhop/contract/units';
import { formatRate, formatUnits, roundUpToDisplay } from '../../payments/amounts.ts';
import { isSandboxAddress } from '../../dev/sandbox.ts';
import { currencyRules, type Chain } from '../../payments/currencies.ts';
import { describeIndex } from '../../payments/derive/addresses.ts';
import { toPaymentUri, toWalletUri, type TokenContracts, explorerUrl } from '../../payments/payment-links.ts';
import type { Ctx } from '../../ctx.ts';
import { countConfirmations, neededConfirmations, type FinalityRule } from '../../payments/finality.ts';
import { isCounted } from './deposit-state.ts';
import { type DepositDetail, type InvoiceDeposit, sumReplaced } from './invoice-deposits.store.ts';
import { isPaid } from './invoice-status.ts';
import { highestValueMicros, summarizePayment } from './invoice-amounts.ts';
import type { InvoiceRow } from './invoices.store.ts';
import { finalityFor, isSandbox } from './chains.ts';
import * as states from './chain-states.store.ts';

/** @param deposits of this invoice */
export function presentInvoice(row: InvoiceRow, deposits: readonly InvoiceDeposit[], facts: TransferFacts): Invoice {
  const request = { ...row, units: stillDue(row, deposits) };
  return {
    id: row.id,
    amount: toDollars(row.amountMicros),
    amountInCurrency: formatUnits(row.dueUnits, currencyRules[row.currency]),
    currency: row.currency,
    address: row.address,
    paymentUri: toPaymentUri(request, facts.tokenContracts),
    walletUri: toWalletUri(request, facts.tokenContracts),
    status: row.status,
    isSandbox: isSandboxAddress(row.address),
    payment: presentPayment(row, deposits, facts),
    replaced: presentReplaced(row, deposits, facts),
    expiredAt: row.expiredAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
  };
}

/** Hidden once other payments cover the whole amount, for example the same one with a higher fee. */
function presentReplaced(
  row: InvoiceRow,
  deposits: readonly InvoiceDeposit[],
  { replacedUnits }: TransferFacts,
): string | null {
  const units = replacedUnits.get(row.id);
  const isDue = !isPaid(row.status) && stillDue(row, deposits) > 0n;
  return units !== undefined && isDue ? formatUnits(units, currencyRules[row.currency]) : null;
}

function stillDue({ dueUnits, currency }: InvoiceRow, deposits: readonly InvoiceDeposit[]): bigint {
  const received = deposits.reduce((sum, { units }) => sum + units, 0n);
  return received < dueUnits ? roundUpToDisplay(dueUnits - received, currencyRules[currency]) : 0n;
}

export function depositsFor({ id }: Pick<InvoiceRow, 'id'>, all: readonly InvoiceDeposit[]): InvoiceDeposit[] {
  return all.filter(({ invoiceId }) => invoiceId === id);
}

export function presentForStaff(
  row: InvoiceRow,
  deposits: readonly InvoiceDeposit[],
  facts: TransferFacts,
): StaffInvoice {
  return { ...presentInvoice(row, deposits, facts), user: { id: row.userId, email: row.userEmail } };
}

/** @param dueMicros what a settlement credits unless staff choose another amount */
export function presentDetail(
  row: InvoiceRow,
  deposits: readonly DepositDetail[],
  dueMicros: bigint,
  facts: TransferFacts,
): StaffInvoiceDetail {
  return {
    ...presentForStaff(
      row,
      deposits.filter(({ state }) => isCounted(state)),
      facts,
    ),
    rate: formatRate(row.rateE12),
    derivationIndex: Number(row.derivationIndex),
    walletNumber: describeIndex(row.space, row.derivationIndex),
    due: toDollars(dueMicros),
    deposits: deposits.map((deposit) => presentDeposit(row, deposit, facts)),
  };
}

function presentDeposit({ currency }: InvoiceRow, deposit: DepositDetail, facts: TransferFacts): Deposit {
  return {
    id: deposit.id,
    transactionId: deposit.isByHand ? null : deposit.transactionId,
    explorerUrl: transactionPage(currency, deposit, facts),
    requestId: deposit.isByHand ? deposit.transactionId : null,
    amountInCurrency: formatUnits(deposit.units, currencyRules[currency]),
    hold: deposit.isHeld ? deposit.hold : null,
    reversed: deposit.reversedMicros === null ? null : toDollars(deposit.reversedMicros),
    state: deposit.state,
    isReplaceable: deposit.isReplaceable,
    isAddressReuse: deposit.isAddressReuse && currencyRules[currency].hasAddressPerInvoice,
    arrivedAt: deposit.arrivedAt.toISOString(),
    firstSeenAt: deposit.firstSeenAt.toISOString(),
    blockAt: deposit.blockAt?.toISOString() ?? null,
    rate: deposit.creditedRateE12 === null ? null : formatRate(deposit.creditedRateE12),
    credited: deposit.creditedMicros === null ? null : toDollars(deposit.creditedMicros),
    creditedAt: deposit.creditedAt?.toISOString() ?? null,
  };
}

function presentPayment(
  row: InvoiceRow,
  deposits: readonly InvoiceDeposit[],
  facts: TransferFacts,
): InvoicePayment | null {
  if (deposits.length === 0) return null;
  const rules = currencyRules[row.currency];
  const { receivedUnits, confirmingUnits, missingUnits, excessUnits, creditedMicros, isLate } = summarizePayment(
    { ...row, deposits },
    rules,
  );
  const orNull = (units: bigint) => (units === 0n ? null : formatUnits(units, rules));
  return {
    received: formatUnits(receivedUnits, rules),
    confirming: formatUnits(confirmingUnits, rules),
    missing: orNull(missingUnits),
    excess: orNull(excessUnits),
    credited: toDollars(creditedMicros),
    isLate,
    transfers: deposits.map((deposit) => presentTransfer(row, deposit, facts)),
  };
}

/** Facts that the payments of all invoices share. */
export interface TransferFacts {
  /** The newest block of each chain. */
  heads: ReadonlyMap<Chain, bigint>;
  ruleFor: (chain: Chain) => FinalityRule;
  hasExplorers: boolean;
  tokenContracts: TokenContracts;
  /** By invoice. */
  replacedUnits: ReadonlyMap<string, bigint>;
}

/** @param deposits of these invoices that count */
export async function readFacts(
  ctx: Ctx,
  invoiceIds: readonly string[],
  deposits: readonly InvoiceDeposit[],
): Promise<TransferFacts> {
  const hasBlocks = deposits.some(({ blockHeight }) => blockHeight !== null);
  const heads = hasBlocks ? await states.listHeads(ctx) : new Map<Chain, bigint>();
  const tokenContracts = ctx.config.payments.usdtContracts;
  const replacedUnits = await sumReplaced(ctx, invoiceIds);
  const ruleFor = (chain: Chain) => finalityFor(ctx, chain);
  return { heads, ruleFor, hasExplorers: !isSandbox(ctx), tokenContracts, replacedUnits };
}

function presentTransfer(
  { currency, rateE12 }: InvoiceRow,
  deposit: InvoiceDeposit,
  facts: TransferFacts,
): InvoiceTransfer {
  const { heads, ruleFor } = facts;
  const { units, isCredited, blockHeight, confirmationsMin, isReplaceable, waitsForPeg, receipt } = deposit;
  const { chain } = currencyRules[currency];
  const rule = ruleFor(chain);
  const head = heads.get(chain);
  const valueMicros = highestValueMicros(chain, { ...deposit, invoice: { rateE12 } });
  const counted =
    head === undefined || blockHeight === null ? 0 : countConfirmations(Number(blockHeight), { height: Number(head) });
  const confirmationsNeeded =
    rule.kind === 'CONFIRMATIONS' ? neededConfirmations(rule, { valueMicros, confirmationsMin }) : null;
  return {
    amountInCurrency: formatUnits(units, currencyRules[currency]),
    explorerUrl: transactionPage(currency, deposit, facts),
    isCredited,
    // Credited payments were final, even if the head was not saved after that, or if staff recorded them.
    confirmations: isCredited ? Math.max(counted, confirmationsNeeded ?? 0) : counted,
    confirmationsNeeded,
    isReplaceable,
    waitsForPeg,
    receipt,
  };
}

function transactionPage(
  currency: Currency,
  { isByHand, transactionId }: Pick<InvoiceDeposit, 'isByHand' | 'transactionId'>,
  { hasExplorers }: TransferFacts,
): string | null {
  return hasExplorers && !isByHand ? explorerUrl(currencyRules[currency].chain, transactionId) : null;
}
