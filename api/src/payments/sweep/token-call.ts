/** `transfer(address,uint256)`, the call that moves tokens; the same on Ethereum, BSC and TRON. */

const SELECTOR = 'a9059cbb';
const WORD_DIGITS = 64;
const ADDRESS_DIGITS = 40;
const UNITS_MAX = 2n ** 256n - 1n;

export interface TokenCall {
  /** 40 lower-case hexadecimal digits, without a prefix. */
  to: string;
  units: bigint;
}

/** @throws RangeError if the amount does not fit */
export function encodeTokenCall({ to, units }: TokenCall): Uint8Array {
  if (units < 0n || units > UNITS_MAX) throw new RangeError('the amount does not fit into 256 bits');
  const words = [to, units.toString(16)].map((word) => word.padStart(WORD_DIGITS, '0'));
  return Uint8Array.from(Buffer.from(SELECTOR + words.join(''), 'hex'));
}

/** @returns undefined if the call does anything else */
export function decodeTokenCall(data: Uint8Array): TokenCall | undefined {
  const digits = Buffer.from(data).toString('hex');
  const arguments_ = digits.slice(SELECTOR.length);
  if (!digits.startsWith(SELECTOR) || arguments_.length !== 2 * WORD_DIGITS) return undefined;
  const to = arguments_.slice(WORD_DIGITS - ADDRESS_DIGITS, WORD_DIGITS);
  const call = { to, units: BigInt(`0x${arguments_.slice(WORD_DIGITS)}`) };
  // The bytes before the address must be zero.
  return Buffer.from(encodeTokenCall(call)).toString('hex') === digits ? call : undefined;
}
