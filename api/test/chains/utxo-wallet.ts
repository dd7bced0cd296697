/** Coins mined to a key of the test, and transactions that the test signs: the same on every node. */
import { randomBytes } from 'node:crypto';
import { hex } from '@scure/base';
import { p2wpkh, Transaction } from '@scure/btc-signer';
import { pubECDSA } from '@scure/btc-signer/utils.js';
import { witnessScript } from '../../src/payments/chains/utxo-node.ts';
import type { Payout } from './local-chain.ts';
import type { Rpc } from './rpc.ts';

export type Network = { bech32: string; pubKeyHash: number; scriptHash: number; wif: number };

const FEE = 10_000n;
/** Signals that a higher fee may replace the transaction (BIP 125). */
const SEQUENCE_REPLACEABLE = 0xfffffffd;

interface Coin {
  txid: string;
  index: number;
  amount: bigint;
}

/** A payment, and the coin that it spends: a transaction that spends the coin again replaces the payment. */
interface Sent {
  coin: Coin;
  fee: bigint;
  raw: string;
}

export function createUtxoWallet(rpc: Rpc, network: Network) {
  const privateKey = randomBytes(32);
  const own = p2wpkh(pubECDSA(privateKey), network);
  const coins: Coin[] = [];
  const sent = new Map<string, Sent>();

  function sign(coin: Coin, fee: bigint, outputs: readonly { script: Uint8Array; units: bigint }[]): string {
    const transaction = new Transaction({ allowUnknownOutputs: true });
    const { txid, index, amount } = coin;
    transaction.addInput({ txid, index, sequence: SEQUENCE_REPLACEABLE, witnessUtxo: { script: own.script, amount } });
    for (const { script, units } of outputs) transaction.addOutput({ script, amount: units });
    const change = amount - fee - outputs.reduce((sum, { units }) => sum + units, 0n);
    transaction.addOutput({ script: own.script, amount: change });
    transaction.sign(privateKey);
    transaction.finalize();
    return transaction.hex;
  }

  async function send(coin: Coin, fee: bigint, outputs: readonly { script: Uint8Array; units: bigint }[]) {
    const raw = sign(coin, fee, outputs);
    const transactionId = await rpc('sendrawtransaction', raw);
    sent.set(transactionId, { coin, fee, raw });
    return transactionId;
  }

  const takeCoin = () => {
    const coin = coins.shift();
    if (!coin) throw new Error('The test has spent all coins that it has mined');
    return coin;
  };
  const toOutput = ({ address, units }: Payout) => ({ script: scriptOf(address, network), units });

  return {
    address: own.address,
    /** @param reward of a coinbase transaction to `address` that may be spent */
    addCoin: (coin: Coin) => void coins.push(coin),
    pay: (payouts: readonly Payout[]) => send(takeCoin(), FEE, payouts.map(toOutput)),
    /** The legacy address of the same key, which no wallet of ours watches. */
    payLegacy: ({ address, units }: Payout) => {
      const hash = scriptOf(address, network).slice(2);
      const script = new Uint8Array([0x76, 0xa9, 0x14, ...hash, 0x88, 0xac]);
      return send(takeCoin(), FEE, [{ script, units }]);
    },
    replace: (transactionId: string, payout: Payout) => {
      const { coin, fee } = sent.get(transactionId)!;
      return send(coin, fee * 2n, [toOutput(payout)]);
    },
    rawOf: (transactionId: string) => sent.get(transactionId)!.raw,
  };
}

export function randomWitnessAddress(network: Network): string {
  return p2wpkh(pubECDSA(randomBytes(32)), network).address;
}

function scriptOf(address: string, { bech32 }: Network): Uint8Array {
  return hex.decode(witnessScript(address, bech32));
}
