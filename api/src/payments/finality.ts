/** When a payment counts as irreversible; larger payments later. The limits are those of docs/payments.md. */
import type { ChainHead } from './chains/watcher.ts';

export const DOLLAR_MICROS = 1_000_000n;

/** On chains with proof of work: more confirmations for larger amounts. A payment in the newest block has one. */
interface ConfirmationRule {
  kind: 'CONFIRMATIONS';
  /** In ascending order; the first whose limit is above the amount applies. The last one has no limit. */
  steps: readonly { belowMicros: bigint | undefined; confirmations: number }[];
}

/** On chains whose nodes name final blocks. */
interface CheckpointRule {
  kind: 'CHECKPOINTS';
  /** Smaller amounts are final when their block is `safe`, others when it is `finalized`. */
  safeBelowMicros: bigint;
  /** Required in addition to the checkpoint. */
  confirmationsMin: number;
}

export type FinalityRule = ConfirmationRule | CheckpointRule;

/** @param steps confirmations below a number of dollars; @param others for larger amounts */
export function byConfirmations(steps: Record<number, number>, others: number): ConfirmationRule {
  const limited = Object.entries(steps).map(([dollars, confirmations]) => ({
    belowMicros: BigInt(dollars) * DOLLAR_MICROS,
    confirmations,
  }));
  return { kind: 'CONFIRMATIONS', steps: [...limited, { belowMicros: undefined, confirmations: others }] };
}

/** The same for every amount, so that a payment of the demo is final after a second. */
export const sandboxFinality: FinalityRule = byConfirmations({}, 4);

export interface FinalityQuestion {
  /** Undefined if the payment has no known value: the strictest step applies. */
  valueMicros: bigint | undefined;
  blockHeight: number;
  /** Confirmations that the payment itself requires, such as a coinbase output. */
  confirmationsMin: number;
}

type Head = Pick<ChainHead, 'height' | 'safeHeight' | 'finalizedHeight'>;

export function isFinal(rule: FinalityRule, question: FinalityQuestion, head: Head): boolean {
  if (countConfirmations(question.blockHeight, head) < neededConfirmations(rule, question)) return false;
  if (rule.kind === 'CONFIRMATIONS') return true;
  const isSmall = question.valueMicros !== undefined && question.valueMicros < rule.safeBelowMicros;
  const finalHeight = isSmall ? (head.safeHeight ?? head.finalizedHeight) : head.finalizedHeight;
  return finalHeight !== undefined && question.blockHeight <= finalHeight;
}

/** 0 if the block is above the head, which happens when sources differ. */
export function countConfirmations(blockHeight: number, head: Pick<Head, 'height'>): number {
  return Math.max(0, head.height - blockHeight + 1);
}

export function neededConfirmations(
  rule: FinalityRule,
  { valueMicros, confirmationsMin }: Omit<FinalityQuestion, 'blockHeight'>,
): number {
  if (rule.kind === 'CHECKPOINTS') return Math.max(rule.confirmationsMin, confirmationsMin);
  const step = rule.steps.find(
    ({ belowMicros }) => belowMicros === undefined || (valueMicros !== undefined && valueMicros < belowMicros),
  )!;
  return Math.max(step.confirmations, confirmationsMin);
}
