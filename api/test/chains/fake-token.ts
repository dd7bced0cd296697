/** A token and the native coin behind `eth_call`, also through Multicall3. */
import { MULTICALL_ADDRESS } from '../../src/payments/chains/multicall.ts';
import { type Methods, Refusal } from './fake-node.ts';

export interface FakeToken {
  decimals: number;
  isPaused: boolean;
  isDeprecated: boolean;
  /** Lower case. Undefined: the contract cannot freeze any. */
  frozen: readonly string[] | undefined;
  /** By lower-case address. */
  units: Record<string, bigint>;
  coins: Record<string, bigint>;
}

const WORD_DIGITS = 64;
const CALL_WORDS = 6;
const toWord = (value: bigint | number | boolean) => BigInt(value).toString(16).padStart(WORD_DIGITS, '0');

export function createFakeToken(changes: Partial<FakeToken> = {}): FakeToken {
  return { decimals: 6, isPaused: false, isDeprecated: false, frozen: [], units: {}, coins: {}, ...changes };
}

/** @param token read at each call, so that a test may change it */
export function serveToken(token: FakeToken): Methods {
  const answers: Record<string, (owner: string) => bigint | number | boolean | undefined> = {
    '313ce567': () => token.decimals,
    '5c975abb': () => token.isPaused,
    '0e136b19': () => token.isDeprecated,
    e47d6060: (owner) => token.frozen?.includes(owner),
    '70a08231': (owner) => token.units[owner] ?? 0n,
    '4d2301cc': (owner) => token.coins[owner] ?? 0n,
  };
  const answer = (data: string): string => {
    const value = answers[data.slice(0, 8)]?.(`0x${data.slice(8).slice(24, WORD_DIGITS)}`);
    if (value === undefined) throw new Refusal(3, 'execution reverted');
    return toWord(value);
  };
  return {
    eth_call({ to, data }: { to: string; data: string }) {
      if (to !== MULTICALL_ADDRESS) return `0x${answer(data.slice(2))}`;
      const words = data.slice(10).match(/.{64}/g) ?? [];
      const count = Number(`0x${words[1]}`);
      const results = Array.from({ length: count }, (_, index) => {
        const start = 2 + count + index * CALL_WORDS;
        return [toWord(1), toWord(64), toWord(32), answer(words.slice(start + 4).join(''))].join('');
      });
      const offsets = results.map((_, index) => toWord(32 * (count + 4 * index)));
      return `0x${[toWord(32), toWord(count), ...offsets, ...results].join('')}`;
    },
  };
}
