/**
 * A chain of TON in memory: `@ton/sandbox` executes messages in the real virtual machine, and this collects its transactions into blocks
 * of a masterchain with times that a test controls. What was sent is in no block before `mine`.
 */
import {
  Address,
  beginCell,
  type Cell,
  external,
  internal,
  type Message,
  type StateInit,
  type Transaction,
} from '@ton/core';
import { Blockchain, createShardAccount, type SandboxContract, type TreasuryContract } from '@ton/sandbox';
import { createHash } from 'node:crypto';
import { bodies, libraries, masterState, walletAddress } from './jetton.ts';

const BLOCK_SECONDS = 10;
/** Sources have blocks before those that a test watches. */
const BLOCKS_BEFORE = 70;
const DAY_SECONDS = 86_400;
/** Of a wallet of the token, before its balance. */
const STATUS_BITS = 4;
const FIRST_SEQNO = 40_000_000;
export const TON = 1_000_000_000n;
const FEES = TON / 10n;
/** The main network's; the code there is ours. */
const MASTER = Address.parse('EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs');

export interface MinedTransaction {
  transaction: Transaction;
  /** Hexadecimal digits. */
  hash: string;
  /** `0:` and lower-case hexadecimal digits. */
  account: string;
  block: Block;
}

export interface Block {
  seqno: number;
  /** Seconds. */
  time: number;
  rootHash: Buffer;
  startLt: bigint;
}

/** After the last transaction of a block. */
export interface AccountState {
  balance: bigint;
  status: 'active' | 'uninit' | 'nonexist';
  code: Cell | undefined;
  data: Cell | undefined;
  last: { lt: bigint; hash: Buffer } | undefined;
}

export interface Sending {
  to: Address;
  value: bigint;
  bounce?: boolean;
  body?: Cell | string;
  init?: StateInit;
}

interface Executed {
  transaction: Transaction;
  state: AccountState;
}

type Treasury = SandboxContract<TreasuryContract>;

const EMPTY = beginCell().endCell();

const timeOf = ({ transaction }: Executed): number => transaction.now;

function externalOf(treasury: Treasury, messages: readonly Sending[]): Message {
  const internals = messages.map(({ to, value, bounce = false, body = EMPTY, init = null }) =>
    internal({ to, value, bounce, body, init }),
  );
  return external({ to: treasury.address, body: treasury.createTransfer({ messages: internals }) });
}

export const rawAddress = (address: bigint): string => `0:${address.toString(16).padStart(64, '0')}`;

export class TonChain {
  readonly blocks: Block[] = [];
  readonly transactions: MinedTransaction[] = [];
  readonly master = MASTER;
  private readonly states = new Map<string, AccountState>();
  private pending: Executed[] = [];

  private constructor(
    readonly blockchain: Blockchain,
    /** Has much of everything, and issues the token. */
    readonly bank: Treasury,
  ) {}

  /** @param time of its first block in seconds: a day ago, so that blocks of a test are never in the future */
  static async start(time = Math.floor(Date.now() / 1000) - DAY_SECONDS): Promise<TonChain> {
    const blockchain = await Blockchain.create();
    blockchain.now = time;
    blockchain.libs = libraries();
    const bank = await blockchain.treasury('bank');
    const issuer = createShardAccount({ address: MASTER, ...masterState(bank.address), balance: 1000n * TON });
    await blockchain.setShardAccount(MASTER, issuer);
    const chain = new TonChain(blockchain, bank);
    chain.append(time);
    await chain.send({
      to: MASTER,
      value: TON,
      body: bodies.mint(bank.address, FEES, { units: 10n ** 15n, from: null }),
    });
    chain.mine(BLOCKS_BEFORE);
    return chain;
  }

  get head(): Block {
    return this.blocks.at(-1)!;
  }

  readonly now = (): Date => new Date(this.head.time * 1000);

  /** Of the token. */
  walletOf = (owner: Address): Address => walletAddress(owner, MASTER);

  /** Messages of one external message of the bank. @returns the new transactions in the order of their execution */
  async send(...messages: Sending[]): Promise<Transaction[]> {
    return this.sendFrom(this.bank, ...messages);
  }

  async sendFrom(treasury: Treasury, ...messages: Sending[]): Promise<Transaction[]> {
    return this.post(externalOf(treasury, messages));
  }

  /** An external message, such as a signed one of a wallet. @throws Error if its contract refuses it */
  async post(message: Message | Cell): Promise<Transaction[]> {
    this.startNextBlock();
    const { transactions } = await this.blockchain.sendMessage(message);
    await this.keep(transactions);
    return transactions;
  }

  /** A message that reaches its destination so many seconds after it was sent, as between busy shards. */
  async sendSlowly(seconds: number, message: Sending): Promise<Transaction[]> {
    this.startNextBlock();
    const transactions: Transaction[] = [];
    for await (const transaction of await this.blockchain.sendMessageIter(externalOf(this.bank, [message]))) {
      transactions.push(transaction);
      if (transactions.length === 1) this.blockchain.now = this.blockchain.now! + seconds;
    }
    await this.keep(transactions);
    return transactions;
  }

  transferBody = (owner: Address, units: bigint, forwardValue = 0n): Cell =>
    bodies.transfer(units, owner, this.bank.address, forwardValue);

  /** @returns messages of the bank to its wallet of the token */
  tokenTransfer(to: Address, units: bigint, forwardValue = 0n): Sending {
    const body = this.transferBody(to, units, forwardValue);
    return { to: this.walletOf(this.bank.address), value: FEES + forwardValue, bounce: true, body };
  }

  /**
   * The first of the new blocks contains what was sent.
   * @param isIn transactions that it leaves for the block after it
   */
  mine(blocks = 1, isIn: (transaction: Transaction) => boolean = () => true): void {
    for (let mined = 0; mined < blocks; mined += 1) {
      const time = Math.max(this.head.time + BLOCK_SECONDS, ...(mined === 0 ? this.pending : []).map(timeOf));
      const block = this.append(time);
      const included = mined === 0 ? this.pending.filter(({ transaction }) => isIn(transaction)) : this.pending;
      this.pending = mined === 0 ? this.pending.filter(({ transaction }) => !isIn(transaction)) : [];
      for (const { transaction, state } of included) this.include(block, transaction, state);
    }
    this.blockchain.now = this.head.time;
  }

  /** Transactions of accounts that nobody watches, in so many blocks: copies, because their execution would take a while. */
  mineOthers(count: number, blocks: number): void {
    const [model] = this.transactions;
    for (let mined = 0; mined < blocks; mined += 1) {
      this.mine();
      for (let index = 0; index < count / blocks; index += 1) {
        const hash = createHash('sha256').update(`other ${this.transactions.length}`).digest('hex');
        this.transactions.push({ ...model!, hash, account: `0:${hash}`, block: this.head });
      }
    }
  }

  /** A block with a time of its own, for tests with the real clock. */
  mineAt(time: number): void {
    if (time <= this.head.time) return;
    const block = this.append(time);
    for (const { transaction, state } of this.pending) this.include(block, transaction, state);
    this.pending = [];
    this.blockchain.now = time;
  }

  /** A transaction that nothing executes: its block is the next one. */
  insert(transaction: Transaction): void {
    const last = { lt: transaction.lt, hash: transaction.hash() };
    this.pending.push({ transaction, state: { ...this.stateOf(rawAddress(transaction.address)), last } });
  }

  nextLt(): bigint {
    const lts = [...this.transactions, ...this.pending].map(({ transaction }) => transaction.lt);
    return lts.reduce((largest, lt) => (lt > largest ? lt : largest), 0n) + 1n;
  }

  find = (hash: string): MinedTransaction | undefined => this.transactions.find((one) => one.hash === hash);

  /** As of the newest block. */
  stateOf = (account: string): AccountState =>
    this.states.get(account) ?? { balance: 0n, status: 'nonexist', code: undefined, data: undefined, last: undefined };

  /** Of the token, as of the newest block. */
  tokensOf(owner: Address): bigint {
    const { data } = this.stateOf(this.walletOf(owner).toRawString());
    return data ? data.beginParse().skip(STATUS_BITS).loadCoins() : 0n;
  }

  private startNextBlock(): void {
    this.blockchain.now = Math.max(this.blockchain.now!, this.head.time + 1);
  }

  private append(time: number): Block {
    const { seqno, startLt } = this.blocks.at(-1) ?? { seqno: FIRST_SEQNO, startLt: 0n };
    const lts = this.transactions.map(({ transaction }) => transaction.lt);
    const largestLt = lts.reduce((largest, lt) => (lt > largest ? lt : largest), startLt);
    const rootHash = createHash('sha256')
      .update(`block ${seqno + 1}`)
      .digest();
    const block = { seqno: seqno + 1, time, rootHash, startLt: largestLt + 1n };
    this.blocks.push(block);
    return block;
  }

  private include(block: Block, transaction: Transaction, state: AccountState): void {
    const account = rawAddress(transaction.address);
    this.transactions.push({ transaction, hash: transaction.hash().toString('hex'), account, block });
    this.states.set(account, state);
  }

  private async keep(transactions: readonly Transaction[]): Promise<void> {
    for (const transaction of transactions) {
      const contract = await this.blockchain.getContract(Address.parseRaw(rawAddress(transaction.address)));
      const { accountState, balance } = contract;
      const active = accountState?.type === 'active' ? accountState.state : undefined;
      this.pending.push({
        transaction,
        state: {
          balance,
          status: active ? 'active' : accountState ? 'uninit' : 'nonexist',
          code: active?.code ?? undefined,
          data: active?.data ?? undefined,
          last: { lt: transaction.lt, hash: transaction.hash() },
        },
      });
    }
  }
}
