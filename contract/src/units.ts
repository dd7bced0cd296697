/**
 * The only conversions of money and traffic between the wire format and the programs.
 *
 * Wire: US dollars as a JSON number with at most 6 decimals, traffic in KiB. Programs: `bigint` micro-dollars and
 * `bigint` bytes. A double holds every multiple of a micro-dollar below nine billion dollars exactly enough that
 * rounding to 6 decimals gives it back, so nothing is lost on the way.
 */
import { BYTES_PER_MEGABYTE, PREPAID_MEGABYTES, PRICED_MEGABYTES } from './limits.ts';

const MICROS_PER_DOLLAR = 1_000_000;
const BYTES_PER_KIB = 1024;

/** @throws RangeError if the amount is not finite, too large, or has more than 6 decimals */
export function toMicros(dollars: number): bigint {
  const micros = Math.round(dollars * MICROS_PER_DOLLAR);
  if (!Number.isSafeInteger(micros) || micros / MICROS_PER_DOLLAR !== dollars)
    throw new RangeError(`${dollars} is not an amount of dollars with at most 6 decimals`);
  return BigInt(micros);
}

export function toDollars(micros: bigint): number {
  return Number(micros) / MICROS_PER_DOLLAR;
}

/** Dollars with all six decimals, such as "-0.008000": for files that other programs add up. */
export function toDollarText(micros: bigint): string {
  const size = micros < 0n ? -micros : micros;
  const decimals = String(size % BigInt(MICROS_PER_DOLLAR)).padStart(6, '0');
  return `${micros < 0n ? '-' : ''}${size / BigInt(MICROS_PER_DOLLAR)}.${decimals}`;
}

/** True for numbers that `toMicros` takes. */
export function isDollarAmount(value: number): boolean {
  const micros = Math.round(value * MICROS_PER_DOLLAR);
  return Number.isSafeInteger(micros) && micros / MICROS_PER_DOLLAR === value;
}

export function toKibibytes(bytes: bigint): number {
  return Number(bytes) / BYTES_PER_KIB;
}

/** Megabytes of which at least one byte is used. */
export function startedMegabytes(bytes: bigint): bigint {
  return (bytes + BigInt(BYTES_PER_MEGABYTE) - 1n) / BigInt(BYTES_PER_MEGABYTE);
}

export function megabytesToBytes(megabytes: bigint): bigint {
  return megabytes * BigInt(BYTES_PER_MEGABYTE);
}

const BYTES_PER_MEGABIT = 125_000;

/** A speed: megabits per second, as people know it, with three decimals. */
export function toMegabits(bytesPerSecond: number): number {
  return bytesPerSecond / BYTES_PER_MEGABIT;
}

/** @returns bytes per second */
export function megabitsToBytes(megabitsPerSecond: number): number {
  return Math.round(megabitsPerSecond * BYTES_PER_MEGABIT);
}

/** Price of one megabyte. Exact: the catalogue only takes prices that are multiples of 100 micro-dollars. */
export function megabytePrice(priceMicros: bigint): bigint {
  return priceMicros / BigInt(PRICED_MEGABYTES);
}

/** What buying costs at once: the first 50 MB. */
export function prepaidPrice(priceMicros: bigint): bigint {
  return megabytePrice(priceMicros) * BigInt(PREPAID_MEGABYTES);
}
