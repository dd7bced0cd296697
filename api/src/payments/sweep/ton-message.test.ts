import { ed25519 } from '@noble/curves/ed25519.js';
import {
  Address,
  beginCell,
  Cell,
  contractAddress,
  external,
  internal,
  loadMessage,
  storeMessage,
  storeMessageRelaxed,
} from '@ton/core';
import { expect, test } from 'vitest';
import { bodies } from '../../../test/chains/ton/jetton.ts';
import { deriveTonAddress, TON_WALLET_ID } from '../derive/ton-address.ts';
import { readSigned } from './read-signed.ts';
import { InvalidTransaction } from './sweep.ts';
import { readTonMessage, signTonMessage, type TonMessage, toPosted } from './ton-message.ts';
import { tokenWalletOf } from './ton-token.ts';
import { firstState } from './ton-wallet.ts';
import { USDT } from '../chains/ton/jetton.ts';

const SEED = Buffer.alloc(32, 7);
const PUBLIC_KEY = 'ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c';
const FROM = 'UQB1ytCc4RL_k7D205aH66FKYkwl7RtTZjDemB72J2lwRhvf';
const TREASURY = deriveTonAddress('11'.repeat(32), 0n);
const THIEF = deriveTonAddress('22'.repeat(32), 0n);
const WALLET = tokenWalletOf(FROM, USDT);
const EXPIRY = 1_800_000_000;

const transfer: TonMessage = {
  publicKey: PUBLIC_KEY,
  index: 1n,
  seqno: 3n,
  expiresAt: new Date(EXPIRY * 1000),
  order: { kind: 'TRANSFER', to: TREASURY, units: 5_000_000_000n },
};
const token: TonMessage = {
  ...transfer,
  order: { kind: 'TOKEN', tokenWallet: WALLET, to: TREASURY, units: 25_000_000n, attachedUnits: 50_000_000n },
};

test('what was signed is what is read from the bytes', () => {
  for (const message of [transfer, token])
    expect(readTonMessage(signTonMessage(message, SEED))).toMatchObject({ message, from: FROM });
  expect(readSigned.ton(signTonMessage(token, SEED))).toMatchObject({
    from: FROM,
    to: TREASURY,
    contract: USDT.master,
    units: 25_000_000n,
    feeLimitUnits: 50_000_000n,
    nonce: 3n,
    expiresAt: transfer.expiresAt,
  });
  const other = { ...USDT, walletCode: '11'.repeat(32) };
  const unknown = { ...token, order: { ...token.order, tokenWallet: tokenWalletOf(FROM, other) } } as TonMessage;
  expect(readSigned.ton(signTonMessage(unknown, SEED)).contract).toBe(tokenWalletOf(FROM, other));
});

test('a wallet that is deployed gets the same message without its first state, under the same hash', () => {
  const raw = signTonMessage(transfer, SEED);
  const [whole, short] = [toPosted(raw, false), toPosted(raw, true)].map((boc) => Cell.fromBase64(boc));
  expect(whole!.toBoc().toString('hex')).toBe(raw);
  expect(short!.toBoc().length).toBeLessThan(300);
  for (const cell of [whole!, short!]) {
    const { info, body } = loadMessage(cell.beginParse());
    // As TEP-467 says.
    const normalized = storeMessage(
      { info: { ...info, src: null } as typeof info, init: null, body },
      { forceRef: true },
    );
    expect(beginCell().store(normalized).endCell().hash().toString('hex')).toBe(readTonMessage(raw).id);
  }
});

interface Forged {
  seed?: Uint8Array;
  walletId?: bigint;
  stateIndex?: bigint;
  to?: Address;
  mode?: number;
  operation?: number;
  messages?: Cell[];
  isLonger?: boolean;
  init?: object | null;
}

const cellOf = (message: Parameters<typeof internal>[0]) =>
  beginCell()
    .store(storeMessageRelaxed(internal(message)))
    .endCell();
const plain = { to: TREASURY, value: 5n, bounce: false };
const tokenBody = (to: string, excessesTo = to, forwardValue = 0n) =>
  cellOf({
    to: WALLET,
    value: 5n,
    bounce: true,
    body: bodies.transfer(25n, Address.parse(to), Address.parse(excessesTo), forwardValue),
  });

/** By the library alone. */
function forge(forged: Forged): string {
  const { seed = SEED, walletId = TON_WALLET_ID + 1n, stateIndex = 1n, mode = 3, operation = 0 } = forged;
  const order = beginCell().storeUint(walletId, 32).storeUint(EXPIRY, 32).storeUint(3, 32).storeUint(operation, 8);
  for (const message of forged.messages ?? [cellOf(plain)]) order.storeUint(mode, 8).storeRef(message);
  if (forged.isLonger) order.storeBit(true);
  const unsigned = order.endCell();
  const signature = Buffer.from(ed25519.sign(unsigned.hash(), seed));
  const body = beginCell().storeBuffer(signature).storeSlice(unsigned.beginParse()).endCell();
  const state = firstState(PUBLIC_KEY, stateIndex);
  const to = forged.to ?? contractAddress(0, state);
  const init = forged.init === undefined ? state : forged.init;
  return beginCell()
    .store(storeMessage(external({ to, init, body })))
    .endCell()
    .toBoc()
    .toString('hex');
}

test('reads what the library has made of the same transfer', () => {
  expect(readTonMessage(forge({})).message.order).toEqual({ kind: 'TRANSFER', to: TREASURY, units: 5n });
  expect(readTonMessage(forge({ messages: [tokenBody(TREASURY)] })).message.order).toMatchObject({ to: TREASURY });
});

test.each<[string, Forged, string]>([
  [
    'of another wallet id than the state',
    { walletId: TON_WALLET_ID },
    'signed for the wallet 698983191, and sent to the wallet 698983192',
  ],
  ['to another address', { to: Address.parse(THIEF) }, 'more than a transfer'],
  ['without the state', { init: null }, 'no message of a wallet v4R2'],
  ['with other code', { init: { ...firstState(PUBLIC_KEY, 1n), code: beginCell().endCell() } }, 'more than a transfer'],
  ['that another key has signed', { seed: Buffer.alloc(32, 8) }, 'its signature is not valid'],
  ['that sends all the wallet has', { mode: 130 }, 'more than a transfer'],
  ['that fails as a whole', { mode: 1 }, 'more than a transfer'],
  ['of two messages', { messages: [cellOf(plain), cellOf({ ...plain, to: THIEF })] }, 'more than a transfer'],
  ['of no message', { messages: [] }, 'no message of a wallet v4R2'],
  ['that installs a plugin', { operation: 2 }, 'more than a transfer'],
  ['with a bit more', { isLonger: true }, 'more than a transfer'],
  ['that may come back', { messages: [cellOf({ ...plain, bounce: true })] }, 'more than a transfer'],
  ['with a comment', { messages: [cellOf({ ...plain, body: 'hello' })] }, 'something other than a transfer'],
  [
    'that burns a token',
    { messages: [cellOf({ ...plain, body: beginCell().storeUint(0x595f07bc, 32).endCell() })] },
    'something other',
  ],
  ['whose rest goes to somebody else', { messages: [tokenBody(TREASURY, THIEF)] }, 'more than a transfer'],
  ['that forwards TON', { messages: [tokenBody(TREASURY, TREASURY, 1n)] }, 'more than a transfer'],
  [
    'that deploys something',
    { messages: [cellOf({ ...plain, init: firstState(PUBLIC_KEY, 5n) })] },
    'more than a transfer',
  ],
])('refuses a message %s', (_, forged, sentence) => {
  expect(() => readTonMessage(forge(forged))).toThrow(InvalidTransaction);
  expect(() => readTonMessage(forge(forged))).toThrow(sentence);
});

test.each(['', 'f', 'zz', 'FF', 'ff', forge({}).slice(0, -2), `${forge({})}00`])('refuses %s', (raw) => {
  expect(() => readTonMessage(raw)).toThrow(InvalidTransaction);
});

test('refuses each message of which a bit differs', () => {
  const raw = Buffer.from(signTonMessage(token, SEED), 'hex');
  for (let bit = 0; bit < raw.length * 8; bit += 7) {
    const changed = Buffer.from(raw);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    expect(() => readTonMessage(changed.toString('hex'))).toThrow(InvalidTransaction);
  }
});
