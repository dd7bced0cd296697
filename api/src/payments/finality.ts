/** When a payment counts as irreversible; larger payments later. The limits are those of docs/payments.md. */
import type { ChainHead } from './chains/watcher.ts';
import type { Chain } from './currencies.ts';

const DOLLAR_MICROS = 1_000_000n;

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

const small = 100n * DOLLAR_MICROS;
const medium = 1_000n * DOLLAR_MICROS;
const large = 10_000n * DOLLAR_MICROS;

export const finalityRules: Record<Chain, FinalityRule> = {
  bitcoin: {
    kind: 'CONFIRMATIONS',
    steps: [
      { belowMicros: small, confirmations: 1 },
      { belowMicros: medium, confirmations: 2 },
      { belowMicros: large, confirmations: 3 },
      { belowMicros: undefined, confirmations: 6 },
    ],
  },
  // In 2026 a reorganisation of 13 blocks reversed payments.
  litecoin: {
    kind: 'CONFIRMATIONS',
    steps: [
      { belowMicros: small, confirmations: 6 },
      { belowMicros: medium, confirmations: 16 },
      { belowMicros: undefined, confirmations: 24 },
    ],
  },
  ethereum: { kind: 'CHECKPOINTS', safeBelowMicros: small, confirmationsMin: 1 },
  bsc: { kind: 'CHECKPOINTS', safeBelowMicros: 0n, confirmationsMin: 20 },
  tron: { kind: 'CHECKPOINTS', safeBelowMicros: 0n, confirmationsMin: 1 },
  ton: { kind: 'CHECKPOINTS', safeBelowMicros: 0n, confirmationsMin: 1 },
};

/** The same for every amount, so that a payment of the demo is final after a second. */
export const sandboxFinality: FinalityRule = {
  kind: 'CONFIRMATIONS',
  steps: [{ belowMicros: undefined, confirmations: 4 }],
};

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
