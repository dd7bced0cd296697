/** The payments of an invoice for its payer: confirmations and links to block explorers. */
import type { InvoiceTransfer } from '@cellhop/contract/invoices';
import type { Ctx } from '../../ctx.ts';
import { formatUnits } from '../../payments/amounts.ts';
import { currencyRules, type Chain } from '../../payments/currencies.ts';
import { explorerUrl } from '../../payments/explorers.ts';
import { countConfirmations, neededConfirmations, type FinalityRule } from '../../payments/finality.ts';
import type { TokenContracts } from '../../payments/payment-uri.ts';
import { finalityFor, isSandbox } from './chains.ts';
import * as states from './chain-states.store.ts';
import { sumReplaced, type InvoiceDeposit } from './invoice-deposits.store.ts';
import type { InvoiceRow } from './invoices.store.ts';
import { highestValueMicros } from './record-poll.ts';

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

export function presentTransfer(
  { currency, rateE12 }: InvoiceRow,
  deposit: InvoiceDeposit,
  { heads, ruleFor, hasExplorers }: TransferFacts,
): InvoiceTransfer {
  const { units, isCredited, isByHand, transactionId, blockHeight, confirmationsMin, isReplaceable } = deposit;
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
    explorerUrl: hasExplorers && !isByHand ? explorerUrl(chain, transactionId) : null,
    isCredited,
    // Credited payments were final, even if the head was not saved after that, or if staff recorded them.
    confirmations: isCredited ? Math.max(counted, confirmationsNeeded ?? 0) : counted,
    confirmationsNeeded,
    isReplaceable,
  };
}
