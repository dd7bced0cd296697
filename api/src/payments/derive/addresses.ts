/** Addresses by their space. */
import { type AddressSpace, addressSpaces, chains } from '@cellhop/contract/chains';
import assert from 'node:assert/strict';
import { descriptors } from '../chains/descriptors.ts';
import type { AccountKey } from './account-key.ts';
import type { AddressCodec } from './address-codec.ts';

export function codecOf(space: AddressSpace): AddressCodec {
  return descriptors[chains.find((chain) => addressSpaces[chain] === space)!].addresses;
}

export function deriveAddress(space: AddressSpace, account: AccountKey, index: bigint): string {
  const { keyKind, derive } = codecOf(space);
  assert(account.kind === keyKind, `the key has no addresses of ${space}`);
  return derive(account, index);
}

export function describeIndex(space: AddressSpace, index: bigint): string {
  return codecOf(space).describeIndex(index);
}

/** @returns undefined if it is no address of the space */
export function parseAddress(space: AddressSpace, text: string): string | undefined {
  return codecOf(space).parse(text.trim());
}

/** Whether both are the same address; the pasted one may have another form. */
export function isSameAddress(space: AddressSpace, derived: string, pasted: string): boolean {
  return derived === parseAddress(space, pasted);
}
