import { chainNames, chains } from '@cellhop/contract/chains';
import { describe, expect, test } from 'vitest';
import { readTables, type MarkdownRow } from '../../test/markdown-tables.ts';
import { descriptors } from './chains/descriptors.ts';
import { isFinal, neededConfirmations } from './finality.ts';

const DOLLAR = 1_000_000n;
/** The limit belongs to the next step. */
const columns = [
  ['below $100', 0n, 100n * DOLLAR - 1n],
  ['below $1,000', 100n * DOLLAR, 1000n * DOLLAR - 1n],
  ['below $10,000', 1000n * DOLLAR, 10_000n * DOLLAR - 1n],
  ['above', 10_000n * DOLLAR, undefined],
] as const;
const chainOf = (name: string) => chains.find((chain) => chainNames[chain] === name)!;

const { rows } = readTables('docs/payments.md').find(({ section }) => section === 'When a payment is final')!;
const cases = rows.flatMap((row) => columns.map((column) => [row['Chain']!, row, column] as const));

/** `the same` stands for the cell before. */
function cellOf(row: MarkdownRow, index: number): string {
  const text = row[columns[index]![0]]!;
  return text === 'the same' ? cellOf(row, index - 1) : text;
}

interface FinalRule {
  blocks: number;
  tag: 'safe' | 'finalized' | undefined;
}

/** Heads at which a payment in block 1000 is final, and those at which it is not. */
function headsOf({ blocks, tag }: FinalRule) {
  const height = 1000 + blocks - 1;
  const late = height + 100;
  const enough = {
    height,
    safeHeight: tag === undefined ? undefined : 1000,
    finalizedHeight: tag === 'finalized' ? 1000 : undefined,
  };
  const tooFewBlocks = { ...enough, height: height - 1 };
  const notSafe = { height: late, safeHeight: 999, finalizedHeight: 999 };
  const onlySafe = { height: late, safeHeight: 1000, finalizedHeight: 999 };
  const notFinal = { safe: [notSafe], finalized: [notSafe, onlySafe] };
  return { final: [enough], notFinal: [tooFewBlocks, ...(tag === undefined ? [] : notFinal[tag])] };
}

describe('payments are final as the table of docs/payments.md says', () => {
  test.each(cases)('%s, %j', (name, row, column) => {
    const rule = descriptors[chainOf(name)].finality;
    const text = cellOf(row, columns.indexOf(column));
    const blocks = Number(/\d+/.exec(text)?.[0] ?? 1);
    const heads = headsOf({ blocks, tag: /safe|finalized/.exec(text)?.[0] as FinalRule['tag'] });
    const [, from, to] = column;
    for (const valueMicros of [from, to]) {
      const question = { valueMicros, blockHeight: 1000, confirmationsMin: 0 };
      expect(neededConfirmations(rule, question)).toBe(blocks);
      expect(heads.final.map((head) => isFinal(rule, question, head))).not.toContain(false);
      expect(heads.notFinal.map((head) => isFinal(rule, question, head))).not.toContain(true);
    }
  });

  test('an output may require more confirmations', () => {
    for (const confirmationsMin of [24, 100])
      expect(neededConfirmations(descriptors.bitcoin.finality, { valueMicros: 1n, confirmationsMin })).toBe(
        confirmationsMin,
      );
  });
});
