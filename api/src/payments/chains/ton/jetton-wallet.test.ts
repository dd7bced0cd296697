import { Address } from '@ton/core';
import { expect, it } from 'vitest';
import { deriveAddress } from '../../derive/addresses.ts';
import { parseWalletKey } from '../../derive/wallet-key.ts';
import { USDT } from './jetton.ts';
import { deriveJettonWallet } from './jetton-wallet.ts';

/** Owners and their wallets of USDT on the main network, as its contract names them. */
const pairs = [
  ['UQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinP1w', 'EQB6ca_glQ_IsZH0stNZQdknTFTgUJ5MoaEsD3s43B6CaxUZ'],
  ['UQB1ytCc4RL_k7D205aH66FKYkwl7RtTZjDemB72J2lwRhvf', 'EQCNVLLZdLHmKoddL9ClfNwqMRlDcdTCoSuwvuJTkdIXnR4z'],
  ['UQDVRL4mbYPt_f1XxtQuq3Z_vl-vsqJ2A7emXbCXySImaFZH', 'EQCQQTE8JQkAYjnhLxdOzp9xrTXMfoy9_4OOKQlxNweclSpl'],
] as const;

it.each(pairs)('derives the wallet of USDT of %s', (owner, wallet) => {
  expect(deriveJettonWallet(owner, USDT)).toBe(Address.parse(wallet).toRawString());
});

it('derives another wallet for another token', () => {
  const [[owner]] = pairs;
  const others = [
    { ...USDT, master: pairs[0][1] },
    { ...USDT, walletCode: '00'.repeat(32) },
  ];
  const wallets = [USDT, ...others].map((jetton) => deriveJettonWallet(owner, jetton));
  expect(new Set(wallets).size).toBe(3);
});

it('derives it of every written form of an owner, the derived one among them', () => {
  const account = parseWalletKey('ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c');
  const derived = deriveAddress('ton', account, 1n);
  const parsed = Address.parse(derived);
  const forms = [derived, parsed.toRawString(), parsed.toString({ bounceable: true })];
  expect(new Set(forms.map((form) => deriveJettonWallet(form, USDT)))).toEqual(
    new Set([Address.parse(pairs[1][1]).toRawString()]),
  );
});
