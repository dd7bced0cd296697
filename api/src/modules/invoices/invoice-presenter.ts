/** Invoices and their payments as their payer and as staff see them. */
import type { Currency } from '@cellhop/contract/invoices.values';
import type { Invoice, InvoicePayment, InvoiceTransfer } from '@cellhop/contract/invoices';
import type { StaffInvoice, StaffInvoiceDetail } from '@cellhop/contract/staff/invoices';
import { toDollars } from '@cellhop/contract/units';
import { formatRate, formatUnits, roundUpToDisplay } from '../../payments/amounts.ts';
import { isSandboxAddress } from '../../dev/sandbox.ts';
import { currencyRules, type Chain } from '../../payments/currencies.ts';
import { describeIndex } from '../../payments/derive/addresses.ts';
import { toPaymentUri, toWalletUri, type TokenContracts, explorerUrl } from '../../payments/payment-links.ts';
import type { Ctx } from '../../ctx.ts';
import { countConfirmations, neededConfirmations, type FinalityRule } from '../../payments/finality.ts';
import { isCounted } from './deposit-lists.store.ts';
import type { Deposit } from './deposits.store.ts';
import { isPaid } from './invoice-status.ts';
import { highestValueMicros, summarizePayment } from './invoice-amounts.ts';
import type { InvoiceRow } from './invoices.store.ts';
import { finalityFor, isSandbox } from './chains.ts';
import * as states from './chain-states.store.ts';

/** @param all deposits of this invoice */
export function presentInvoice(row: InvoiceRow, all: readonly Deposit[], facts: TransferFacts): Invoice {
  const deposits = all.filter(isCounted);
  const units = stillDue(row, deposits);
  const request = { ...row, units };
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
    // Hidden once other payments cover the whole amount, for example the same one with a higher fee.
    replaced: !isPaid(row.status) && units > 0n ? presentReplaced(row, all) : null,
    expiredAt: row.expiredAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
  };
}

/** What was seen and then replaced or dropped. */
function presentReplaced({ currency }: InvoiceRow, all: readonly Deposit[]): string | null {
  const replaced = all.filter(({ state }) => state === 'REPLACED');
  return replaced.length === 0 ? null : formatUnits(sumUnits(replaced), currencyRules[currency]);
}

function stillDue({ dueUnits, currency }: InvoiceRow, deposits: readonly Deposit[]): bigint {
  const received = sumUnits(deposits);
  return received < dueUnits ? roundUpToDisplay(dueUnits - received, currencyRules[currency]) : 0n;
}

const sumUnits = (deposits: readonly Deposit[]) => deposits.reduce((sum, { units }) => sum + units, 0n);

export function depositsFor({ id }: Pick<InvoiceRow, 'id'>, all: readonly Deposit[]): Deposit[] {
  return all.filter(({ invoice }) => invoice?.id === id);
}

export function presentForStaff(row: InvoiceRow, all: readonly Deposit[], facts: TransferFacts): StaffInvoice {
  return { ...presentInvoice(row, all, facts), user: { id: row.userId, email: row.userEmail } };
}

/** @param dueMicros what a settlement credits unless staff choose another amount */
export function presentDetail(
  row: InvoiceRow,
  all: readonly Deposit[],
  reusedAddress: ReadonlySet<string>,
  dueMicros: bigint,
  facts: TransferFacts,
): StaffInvoiceDetail {
  return {
    ...presentForStaff(row, all, facts),
    rate: formatRate(row.rateE12),
    derivationIndex: Number(row.derivationIndex),
    walletNumber: describeIndex(row.space, row.derivationIndex),
    due: toDollars(dueMicros),
    deposits: all.map((deposit) => presentDeposit(row, deposit, reusedAddress.has(deposit.id), facts)),
  };
}

function presentDeposit(
  { currency }: InvoiceRow,
  deposit: Deposit,
  isReused: boolean,
  facts: TransferFacts,
): StaffInvoiceDetail['deposits'][number] {
  return {
    id: deposit.id,
    transactionId: deposit.isByHand ? null : deposit.transactionId,
    explorerUrl: transactionPage(currency, deposit, facts),
    sender: deposit.sender,
    requestId: deposit.isByHand ? deposit.transactionId : null,
    amountInCurrency: formatUnits(deposit.units, currencyRules[currency]),
    hold: deposit.isSuspended && (deposit.state === 'FINAL' || deposit.state === 'REVERSED') ? deposit.hold : null,
    reversed: deposit.reversedMicros === null ? null : toDollars(deposit.reversedMicros),
    state: deposit.state,
    isReplaceable: deposit.isReplaceable,
    isAddressReuse: isReused && currencyRules[currency].hasAddressPerInvoice,
    arrivedAt: deposit.arrivedAt.toISOString(),
    firstSeenAt: deposit.firstSeenAt.toISOString(),
    blockAt: deposit.block?.time.toISOString() ?? null,
    rate: deposit.creditedRateE12 === undefined ? null : formatRate(deposit.creditedRateE12),
    credited: deposit.creditedMicros === null ? null : toDollars(deposit.creditedMicros),
    creditedAt: deposit.creditedAt?.toISOString() ?? null,
  };
}

function presentPayment(row: InvoiceRow, deposits: readonly Deposit[], facts: TransferFacts): InvoicePayment | null {
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
  heads: ReadonlyMap<Chain, bigint | null>;
  ruleFor: (chain: Chain) => FinalityRule;
  hasExplorers: boolean;
  tokenContracts: TokenContracts;
}

/** @param deposits of these invoices */
export async function readFacts(ctx: Ctx, deposits: readonly Deposit[]): Promise<TransferFacts> {
  const hasBlocks = deposits.some(({ block }) => block !== undefined);
  const heads = new Map(
    (hasBlocks ? await states.listStates(ctx) : []).map((state) => [state.chain, state.headHeight]),
  );
  const tokenContracts = ctx.config.payments.usdtContracts;
  const ruleFor = (chain: Chain) => finalityFor(ctx, chain);
  return { heads, ruleFor, hasExplorers: !isSandbox(ctx), tokenContracts };
}

function presentTransfer({ currency }: InvoiceRow, deposit: Deposit, facts: TransferFacts): InvoiceTransfer {
  const { units, chain, sender, isCredited, block, confirmationsMin, isReplaceable, receipt } = deposit;
  const rule = facts.ruleFor(chain);
  const head = facts.heads.get(chain);
  const valueMicros = highestValueMicros(deposit);
  const counted = head && block ? countConfirmations(block.height, { height: Number(head) }) : 0;
  const confirmationsNeeded =
    rule.kind === 'CONFIRMATIONS' ? neededConfirmations(rule, { valueMicros, confirmationsMin }) : null;
  return {
    amountInCurrency: formatUnits(units, currencyRules[currency]),
    explorerUrl: transactionPage(currency, deposit, facts),
    sender,
    isCredited,
    // Credited payments were final, even if the head was not saved after that, or if staff recorded them.
    confirmations: isCredited ? Math.max(counted, confirmationsNeeded ?? 0) : counted,
    confirmationsNeeded,
    isReplaceable,
    // Its stablecoin does not trade at one dollar now.
    waitsForPeg: deposit.state === 'FINAL' && deposit.hold === 'DEPEG' && deposit.isSuspended,
    receipt,
  };
}

function transactionPage(
  currency: Currency,
  { isByHand, transactionId }: Pick<Deposit, 'isByHand' | 'transactionId'>,
  { hasExplorers }: TransferFacts,
): string | null {
  return hasExplorers && !isByHand ? explorerUrl(currencyRules[currency].chain, transactionId) : null;
}
