/** What a signed transaction does, from its bytes alone: checked after signing, and again before it is sent. */
import type { ChainWith } from '../chains/descriptors.ts';
import { toChecksumAddress } from '../derive/evm-address.ts';
import { encodeTronAddress } from '../derive/tron-address.ts';
import { readEvmTransaction } from './evm-transaction.ts';
import { networks } from './networks.ts';
import { InvalidTransaction, type SignedSweep, type SweepChain } from './sweep.ts';
import { decodeTokenCall } from './token-call.ts';
import { readTonMessage } from './ton-message.ts';
import { nameTokenOf } from './ton-token.ts';
import { readTronTransaction } from './tron-transaction.ts';

export const readSigned: Record<SweepChain, (raw: string) => SignedSweep> = {
  ethereum: (raw) => readEvm('ethereum', raw),
  bsc: (raw) => readEvm('bsc', raw),
  tron: readTron,
  ton: readTon,
};

/** @throws InvalidTransaction */
function readEvm(chain: ChainWith<'evm'>, raw: string): SignedSweep {
  const { chainId, from, to, value, data, nonce, gasLimit, maxFeePerGas, hash } = readEvmTransaction(raw);
  const network = networks[chain];
  if (chainId !== network.chainId)
    throw new InvalidTransaction(`it is for the chain ${chainId}, not for ${network.title} (${network.chainId})`);
  const common = { chain, from, nonce, feeLimitUnits: gasLimit * maxFeePerGas, expiresAt: undefined };
  if (data.length === 0) return { ...common, to, contract: undefined, units: value, transactionId: hash };
  const call = readCall(data, value);
  return { ...common, to: toChecksumAddress(`0x${call.to}`), contract: to, units: call.units, transactionId: hash };
}

/** @throws InvalidTransaction */
function readTron(raw: string): SignedSweep {
  const { transaction, from, id } = readTronTransaction(raw);
  const { owner, expiresAt, feeLimit } = transaction;
  if (owner !== from) throw new InvalidTransaction(`${from} has signed for ${owner}`);
  const common = { chain: 'tron', from, nonce: undefined, feeLimitUnits: feeLimit, expiresAt } as const;
  if (transaction.kind === 'TRANSFER')
    return { ...common, to: transaction.to, contract: undefined, units: transaction.amount, transactionId: id };
  const call = readCall(transaction.data, 0n);
  const to = encodeTronAddress(Buffer.from(`41${call.to}`, 'hex'));
  return { ...common, to, contract: transaction.contract, units: call.units, transactionId: id };
}

/** @throws InvalidTransaction */
function readTon(raw: string): SignedSweep {
  const { message, from, id } = readTonMessage(raw);
  const { seqno, expiresAt, order } = message;
  const { to, units } = order;
  const common = { chain: 'ton', from, to, units, nonce: seqno, expiresAt, transactionId: id } as const;
  if (order.kind === 'TRANSFER') return { ...common, contract: undefined, feeLimitUnits: 0n };
  return { ...common, contract: nameTokenOf(from, order.tokenWallet), feeLimitUnits: order.attachedUnits };
}

function readCall(data: Uint8Array, value: bigint) {
  const call = decodeTokenCall(data);
  if (!call || value !== 0n) throw new InvalidTransaction('it calls a contract for something other than a transfer');
  return call;
}
