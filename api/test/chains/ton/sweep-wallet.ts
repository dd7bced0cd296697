/** Signs as a wallet v4r2 of the operator does, apart from the offline program: takes the token and the coins of a deposit address. */
import {
  type Address,
  beginCell,
  external,
  internal,
  type MessageRelaxed,
  SendMode,
  storeMessageRelaxed,
} from '@ton/core';
import { type KeyPair, sign } from '@ton/crypto';
import { deriveTonAddress, TON_WALLET_ID } from '../../../src/payments/derive/ton-address.ts';
import { firstState, nextSeqno } from '../../../src/payments/sweep/ton-wallet.ts';
import { bodies } from './jetton.ts';
import { TON, type TonChain } from './ton-chain.ts';

/** For the fees of a transfer of the token; most of it comes back. */
const TOP_UP = TON / 10n;
const ATTACHED = (TON * 5n) / 100n;
const VALID_SECONDS = 600;

export interface Sweeping {
  account: KeyPair;
  owner: Address;
  /** An address of `PAY_TON_FUNDING`, which also gets everything. */
  funding: Awaited<ReturnType<TonChain['blockchain']['treasury']>>;
  walletsMax: number;
}

export async function sweepWallet(chain: TonChain, { account, owner, funding, walletsMax }: Sweeping): Promise<void> {
  const publicKey = account.publicKey.toString('hex');
  const index = findIndex(publicKey, owner, walletsMax);
  const init = firstState(publicKey, index);
  let seqno = nextSeqno(chain.stateOf(owner.toRawString()).data?.toBoc().toString('base64'));
  const post = async (message: MessageRelaxed, mode: number) => {
    const order = beginCell()
      .storeUint(TON_WALLET_ID + index, 32)
      .storeUint(Math.floor(chain.now().getTime() / 1000) + VALID_SECONDS, 32)
      .storeUint(seqno, 32)
      .storeUint(0, 8)
      .storeUint(mode, 8)
      .storeRef(beginCell().store(storeMessageRelaxed(message)))
      .endCell();
    const body = beginCell()
      .storeBuffer(sign(order.hash(), account.secretKey))
      .storeSlice(order.beginParse())
      .endCell();
    await chain.post(external({ to: owner, init, body }));
    seqno += 1;
  };
  const tokens = chain.tokensOf(owner);
  if (tokens > 0n) {
    await chain.sendFrom(funding, { to: owner, value: TOP_UP });
    const body = bodies.transfer(tokens, funding.address, funding.address);
    await post(
      internal({ to: chain.walletOf(owner), value: ATTACHED, bounce: true, body }),
      SendMode.PAY_GAS_SEPARATELY,
    );
  }
  await post(internal({ to: funding.address, value: 0n, bounce: false }), SendMode.CARRY_ALL_REMAINING_BALANCE);
}

function findIndex(publicKey: string, owner: Address, walletsMax: number): bigint {
  for (let index = 0n; index < walletsMax; index += 1n)
    if (owner.toString({ bounceable: false }) === deriveTonAddress(publicKey, index)) return index;
  throw new Error('it is no address of the account');
}
