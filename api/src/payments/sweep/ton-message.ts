/**
 * Messages to wallets v4r2 from outside of the chain, which order one transfer of TON or of a token: signed, and read from their bytes. They
 * contain the first state of the wallet: a wallet that is not deployed needs it, and it has the public key that proves the signature and
 * the address.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import {
  Address,
  beginCell,
  Cell,
  contractAddress,
  external,
  internal,
  loadMessage,
  loadMessageRelaxed,
  type MessageRelaxed,
  SendMode,
  storeMessage,
  storeMessageRelaxed,
} from '@ton/core';
import { TON_WALLET_ID } from '../derive/ton-address.ts';
import { InvalidTransaction } from './sweep.ts';
import { firstState } from './ton-wallet.ts';

export type TonOrder =
  | { kind: 'TRANSFER'; to: string; units: bigint }
  /** `attachedUnits`: nano of TON that pay for the transfer; the wallets of the token send to `to` what they do not use. */
  | { kind: 'TOKEN'; tokenWallet: string; to: string; units: bigint; attachedUnits: bigint };

export interface TonMessage {
  /** 64 hexadecimal digits. */
  publicKey: string;
  /** What the id of the wallet is more than the first one. */
  index: bigint;
  seqno: bigint;
  /** A whole second. */
  expiresAt: Date;
  order: TonOrder;
}

export interface SignedTonMessage {
  message: TonMessage;
  from: string;
  /** The hash that explorers know the message by, without what a node may add to it (TEP-467). */
  id: string;
  /** Hash of what the wallet gets. */
  bodyHash: string;
  /** Hash of what the wallet sends. */
  orderHash: string;
}

/** The wallet pays the fees of what it sends. What it cannot pay is left out: the message would be taken again and again otherwise. */
const MODE = SendMode.PAY_GAS_SEPARATELY + SendMode.IGNORE_ERRORS;
const SIMPLE_SEND = 0;
/** The kind of a message from outside of the chain. */
const EXTERNAL_IN = 2;
const TOKEN_TRANSFER = 0x0f8a7ea5;
const NUMBER_BITS = 32;
const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;

const show = (address: Address): string => address.toString({ bounceable: false });
const toHex = (cell: Cell): string => cell.toBoc().toString('hex');

/** @param seed the private key @returns the signed message as the hexadecimal digits of a bag of cells */
export function signTonMessage(message: TonMessage, seed: Uint8Array): string {
  const signature = ed25519.sign(toUnsigned(message).hash(), seed);
  return toHex(encode(message, signature));
}

/** @throws InvalidTransaction */
export function readTonMessage(raw: string): SignedTonMessage {
  if (!/^(?:[0-9a-f]{2})+$/.test(raw)) throw new InvalidTransaction('it is not hexadecimal');
  const { message, signature } = decodeOrRefuse(raw);
  // What this program does not know, such as a second message or another mode, is refused, and so are other orders of the same.
  if (toHex(encode(message, signature)) !== raw) throw new InvalidTransaction('it contains more than a transfer');
  const unsigned = toUnsigned(message);
  if (!ed25519.verify(signature, unsigned.hash(), Buffer.from(message.publicKey, 'hex'), { zip215: false }))
    throw new InvalidTransaction('its signature is not valid');
  const from = addressOf(message);
  const body = toBody(unsigned, signature);
  return {
    message,
    from: show(from),
    id: normalize(from, body).hash().toString('hex'),
    bodyHash: body.hash().toString('hex'),
    orderHash: toOrderMessage(message.order).body.hash().toString('hex'),
  };
}

/** @param isDeployed such a wallet needs no first state, and messages cost by their size @returns base64, as sources take it */
export function toPosted(raw: string, isDeployed: boolean): string {
  const message = loadMessage(Cell.fromHex(raw).beginParse());
  const posted = isDeployed ? { ...message, init: null } : message;
  return beginCell().store(storeMessage(posted)).endCell().toBoc().toString('base64');
}

const addressOf = ({ publicKey, index }: TonMessage): Address => contractAddress(0, firstState(publicKey, index));

function toUnsigned({ index, seqno, expiresAt, order }: TonMessage): Cell {
  return beginCell()
    .storeUint(TON_WALLET_ID + index, NUMBER_BITS)
    .storeUint(expiresAt.getTime() / 1000, NUMBER_BITS)
    .storeUint(seqno, NUMBER_BITS)
    .storeUint(SIMPLE_SEND, 8)
    .storeUint(MODE, 8)
    .storeRef(
      beginCell()
        .store(storeMessageRelaxed(toOrderMessage(order)))
        .endCell(),
    )
    .endCell();
}

const toBody = (unsigned: Cell, signature: Uint8Array): Cell =>
  beginCell().storeBuffer(Buffer.from(signature)).storeSlice(unsigned.beginParse()).endCell();

function encode(message: TonMessage, signature: Uint8Array): Cell {
  const body = toBody(toUnsigned(message), signature);
  const init = firstState(message.publicKey, message.index);
  return beginCell()
    .store(storeMessage(external({ to: addressOf(message), init, body })))
    .endCell();
}

function toOrderMessage(order: TonOrder): MessageRelaxed {
  if (order.kind === 'TRANSFER') return internal({ to: Address.parse(order.to), value: order.units, bounce: false });
  const { tokenWallet, to, units, attachedUnits } = order;
  const body = beginCell()
    .storeUint(TOKEN_TRANSFER, 32)
    // A number of the transfer, which is not read.
    .storeUint(0, 64)
    .storeCoins(units)
    .storeAddress(Address.parse(to))
    // Gets what is not used of the attached TON.
    .storeAddress(Address.parse(to))
    // Neither an extension nor TON and a text for the destination.
    .storeMaybeRef(null)
    .storeCoins(0)
    .storeMaybeRef(null)
    .endCell();
  return internal({ to: Address.parse(tokenWallet), value: attachedUnits, bounce: true, body });
}

/** The message without the parts that its signature does not cover, with the body apart. */
function normalize(to: Address, body: Cell): Cell {
  return (
    beginCell()
      .storeUint(EXTERNAL_IN, 2)
      // No source.
      .storeUint(0, 2)
      .storeAddress(to)
      .storeCoins(0)
      .storeMaybeRef(null)
      .storeBit(true)
      .storeRef(body)
      .endCell()
  );
}

function decodeOrRefuse(raw: string): { message: TonMessage; signature: Buffer } {
  try {
    return decode(raw);
  } catch (error) {
    if (error instanceof InvalidTransaction) throw error;
    // The library throws errors of no class of its own.
    throw new InvalidTransaction('it is no message of a wallet v4R2', { cause: error });
  }
}

function decode(raw: string): { message: TonMessage; signature: Buffer } {
  const { init, body } = loadMessage(Cell.fromHex(raw).beginParse());
  const state = init!.data!.beginParse().skip(NUMBER_BITS);
  const stateId = state.loadUintBig(NUMBER_BITS);
  const publicKey = state.loadBuffer(KEY_BYTES).toString('hex');
  const slice = body.beginParse();
  const signature = slice.loadBuffer(SIGNATURE_BYTES);
  const walletId = slice.loadUintBig(NUMBER_BITS);
  if (walletId !== stateId)
    throw new InvalidTransaction(`it is signed for the wallet ${walletId}, and sent to the wallet ${stateId}`);
  const expiresAt = new Date(slice.loadUint(NUMBER_BITS) * 1000);
  const seqno = slice.loadUintBig(NUMBER_BITS);
  const order = decodeOrder(loadMessageRelaxed(slice.loadRef().beginParse()));
  return { message: { publicKey, index: walletId - TON_WALLET_ID, seqno, expiresAt, order }, signature };
}

function decodeOrder({ info, body }: MessageRelaxed): TonOrder {
  if (info.type !== 'internal') throw new InvalidTransaction('it sends nothing within the chain');
  const units = info.value.coins;
  if (body.bits.length === 0) return { kind: 'TRANSFER', to: show(info.dest), units };
  const slice = body.beginParse();
  if (slice.loadUint(32) !== TOKEN_TRANSFER)
    throw new InvalidTransaction('it asks a contract for something other than a transfer');
  const moved = slice.skip(64).loadCoins();
  const to = show(slice.loadAddress());
  return { kind: 'TOKEN', tokenWallet: show(info.dest), to, units: moved, attachedUnits: units };
}
