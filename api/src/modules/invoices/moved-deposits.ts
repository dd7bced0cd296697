/**
 * A fork may include a transaction again in another block and at another place, where its logs have other numbers. The deposits of its
 * logs move to the new numbers: a second deposit could be credited, too, and a deposit of another log could take its place.
 */
import type { Ctx } from '../../ctx.ts';
import { descriptors } from '../../payments/chains/descriptors.ts';
import { isUnexplained, type ObservedPayment } from '../../payments/chains/watcher.ts';
import type { Chain } from '../../payments/currencies.ts';
import { move, type Move } from './deposit-changes.store.ts';
import { listInBlocks, lockByTransaction, type Deposit } from './deposits.store.ts';

export type KnownDeposit = Pick<
  Deposit,
  'id' | 'asset' | 'transactionId' | 'output' | 'address' | 'units' | 'block' | 'isOrphaned'
>;
export type IncludedPayment = ObservedPayment & { block: NonNullable<ObservedPayment['block']> };

/**
 * Moves deposits whose transaction is at another place now.
 * @returns all payments but those that contradict what was stored for the same block. They are not recorded: if they are true, the
 * comparison of balances finds them
 */
export async function moveDeposits<Payment extends ObservedPayment>(
  ctx: Ctx,
  chain: Chain,
  payments: readonly Payment[],
): Promise<Payment[]> {
  const included = payments.filter((payment): payment is Payment & IncludedPayment => payment.block !== undefined);
  if (included.length === 0) return [...payments];
  const { moves, refused } = planMoves(await lockByTransaction(ctx, chain, included), included);
  if (moves.length > 0) await move(ctx, moves);
  if (descriptors[chain].hasUnexplainedPayments)
    refused.push(...findRepeated(included, await listInBlocks(ctx, chain, included)));
  for (const { transactionId, output, block } of refused)
    ctx.log.error(
      { chain, transactionId, output, block: block.height },
      'a payment contradicts a deposit of its block',
    );
  const contradicting = new Set<ObservedPayment>(refused);
  return payments.filter((payment) => !contradicting.has(payment));
}

/**
 * @param known all deposits of the transactions of these payments
 * @returns `refused`: those that contradict a deposit of the same block
 */
export function planMoves(
  known: readonly KnownDeposit[],
  payments: readonly IncludedPayment[],
): { moves: Move[]; refused: IncludedPayment[] } {
  const moves: Move[] = [];
  const refused: IncludedPayment[] = [];
  for (const [transaction, deposits] of Map.groupBy(known, toTransaction)) {
    const ofTransaction = payments.filter((payment) => toTransaction(payment) === transaction);
    // A poll may report a payment twice.
    const reported = [...new Map(ofTransaction.map((payment) => [payment.output, payment])).values()];
    const isSettled = (deposit: KnownDeposit) =>
      reported.some((payment) => isAt(deposit, payment) && isSame(deposit, payment));
    const unsettled = new Set(deposits.filter((deposit) => !isSettled(deposit)));
    let parkedOutput = Math.min(0, ...deposits.map(({ output }) => output));
    for (const payment of reported) {
      if (deposits.some((deposit) => isAt(deposit, payment) && isSame(deposit, payment))) continue;
      const moved = [...unsettled].find((deposit) => isSame(deposit, payment) && hasLeft(deposit, payment));
      if (!moved) continue;
      unsettled.delete(moved);
      moves.push({ id: moved.id, output: payment.output });
    }
    for (const deposit of unsettled) {
      const payment = reported.find((one) => isAt(deposit, one));
      if (!payment) continue;
      // Another payment has its number now.
      if (hasLeft(deposit, payment)) moves.push({ id: deposit.id, output: (parkedOutput -= 1) });
      else refused.push(payment);
    }
  }
  return { moves, refused };
}

/**
 * Ether may be reported as a transaction and, while sources hid that, as what nothing explains in its block.
 * @param known all deposits of these addresses in these blocks
 * @returns those that may be another form of a deposit: what nothing explains beside one that is not reported, and new transactions beside that
 */
export function findRepeated(
  payments: readonly IncludedPayment[],
  known: readonly Omit<KnownDeposit, 'id'>[],
): IncludedPayment[] {
  const reported = new Set(payments.map(toKey));
  const stored = new Set(known.map(toKey));
  return payments.filter((payment) => {
    const { asset, address, block } = payment;
    const beside = known.filter(
      (one) => one.asset === asset && one.address === address && one.block?.hash === block.hash,
    );
    return isUnexplained(payment)
      ? beside.some((deposit) => !reported.has(toKey(deposit)))
      : !stored.has(toKey(payment)) && beside.some(isUnexplained);
  });
}

/** A transaction is in one block. */
const hasLeft = (deposit: KnownDeposit, { block }: IncludedPayment) =>
  deposit.block ? deposit.block.hash !== block.hash : deposit.isOrphaned;

type Key = Pick<ObservedPayment, 'asset' | 'transactionId' | 'output' | 'address' | 'units'>;

const toTransaction = ({ asset, transactionId }: Key) => `${asset} ${transactionId}`;
const toKey = ({ asset, transactionId, output }: Omit<Key, 'address' | 'units'>) =>
  `${asset} ${transactionId} ${output}`;
const isAt = (a: Key, b: Key) => a.output === b.output;
/** Equal amounts to one address are interchangeable. */
const isSame = (a: Key, b: Key) => a.address === b.address && a.units === b.units;
