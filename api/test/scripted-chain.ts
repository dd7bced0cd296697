/** A chain for tests that reorganises, replaces transactions and fails on demand. Its state is in memory. */
import { randomUUID } from 'node:crypto';
import type { ChainHoldings, AddressBalances } from '../src/payments/holdings-file.ts';
import {
  type Balances,
  ChainUnavailable,
  type ChainWatcher,
  type ObservedPayment,
  type SourceFinding,
} from '../src/payments/chains/watcher.ts';

type Payment = Pick<
  ObservedPayment,
  'asset' | 'transactionId' | 'output' | 'address' | 'sender' | 'units' | 'isReplaceable'
>;

interface Block {
  hash: string;
  time: Date;
  payments: Payment[];
}

export class ScriptedChain implements ChainWatcher {
  /** The first block is the genesis block; the first poll begins after it. */
  private blocks: Block[] = [{ hash: 'genesis', time: new Date(0), payments: [] }];
  private pool: Payment[] = [];
  private failure: ChainUnavailable | undefined;
  private readonly swept = new Map<string, bigint>();
  balanceLimits = { addressesMax: 500, timeMs: 60_000 };
  balanceCount = 0;
  pollCount = 0;
  /** The response of the second source. */
  secondOpinion: boolean | undefined;
  confirmCount = 0;
  /** Set for a chain whose nodes name final blocks. */
  finalizedHeight: number | undefined;
  /** How far the clock of the miners is behind the clock of the test; negative if it is ahead. */
  clockBehindMs = 0;
  /** The value of Bitcoin. */
  clockErrorMs = 2 * 3_600_000;

  constructor(private readonly blocksPerPoll = 1000) {}

  /** Puts a payment into the memory pool. */
  send(payment: Omit<Payment, 'transactionId' | 'output'>): Payment {
    return this.sendTogether([payment])[0]!;
  }

  /** Puts one transaction with several outputs into the memory pool. */
  sendTogether(payments: readonly Omit<Payment, 'transactionId' | 'output'>[]): Payment[] {
    const transactionId = randomUUID();
    const sent = payments.map((payment, output) => ({ ...payment, transactionId, output }));
    this.pool.push(...sent);
    return sent;
  }

  /** @param wanted of the pool; by default all of it */
  mine(wanted: readonly Payment[] = this.pool): void {
    const time = new Date(Date.now() - this.clockBehindMs);
    this.blocks.push({ hash: randomUUID(), time, payments: [...wanted] });
    this.pool = this.pool.filter((payment) => !wanted.includes(payment));
  }

  mineEmpty(count: number): void {
    for (let block = 0; block < count; block++) this.mine([]);
  }

  /** Removes blocks from the chain and returns their payments to the pool. */
  reorganise(depth: number): Payment[] {
    const removed = this.blocks.splice(Math.max(1, this.blocks.length - depth));
    const returned = removed.flatMap(({ payments }) => payments);
    this.pool.push(...returned);
    return returned;
  }

  /** Another transaction has spent the same coins. */
  drop(payment: Payment): void {
    this.pool = this.pool.filter((each) => each !== payment);
  }

  get pooled(): readonly Payment[] {
    return this.pool;
  }

  /** What is in a block now. */
  get included(): readonly Payment[] {
    return this.blocks.flatMap(({ payments }) => payments);
  }

  fail(failure: ChainUnavailable | undefined): void {
    this.failure = failure;
  }

  poll(cursor: string | null, addresses: ReadonlySet<string>) {
    this.pollCount++;
    if (this.failure) return Promise.reject(this.failure);
    const known = cursor === null ? this.blocks.map(({ hash }) => hash) : (JSON.parse(cursor) as string[]);
    const kept = known.filter((hash, height) => this.blocks[height]?.hash === hash);
    const end = Math.min(this.blocks.length, kept.length + this.blocksPerPoll);
    const height = this.blocks.length - 1;
    const mined = this.blocks
      .slice(kept.length, end)
      .flatMap(({ hash, time, payments }, index) =>
        payments.map((payment) => observe(payment, { height: kept.length + index, hash, time })),
      );
    const pooled = this.pool.map((payment) => observe(payment, undefined));
    const watched = [...mined, ...pooled].filter(({ address }) => addresses.has(address));
    return Promise.resolve({
      cursor: JSON.stringify(this.blocks.slice(0, end).map(({ hash }) => hash)),
      payments: watched,
      orphanedBlockHashes: known.slice(kept.length),
      pooledTransactionIds: this.pool.map(({ transactionId }) => transactionId),
      head: {
        height,
        hash: this.blocks[height]!.hash,
        time: new Date(),
        safeHeight: undefined,
        finalizedHeight: this.finalizedHeight,
      },
      scannedHeight: end - 1,
      clockErrorMs: this.clockErrorMs,
    });
  }

  confirm(): Promise<boolean | undefined> {
    this.confirmCount++;
    return Promise.resolve(this.secondOpinion);
  }

  /** Takes everything that an address holds, as the operator does. */
  sweep(asset: string, address: string): void {
    const key = `${asset} ${address}`;
    this.swept.set(key, (this.swept.get(key) ?? 0n) + this.heldBy(asset, address));
  }

  balances(asset: string, addresses: readonly string[]): Promise<Balances> {
    this.balanceCount += 1;
    if (this.failure) return Promise.reject(this.failure);
    const units = new Map(addresses.map((address) => [address, this.heldBy(asset, address)]));
    return Promise.resolve({ height: this.blocks.length - 1, units });
  }

  cursorAt(height: number): Promise<string> {
    return Promise.resolve(JSON.stringify(this.blocks.slice(0, height + 1).map(({ hash }) => hash)));
  }

  check(): Promise<SourceFinding[]> {
    return Promise.resolve([]);
  }

  describeHoldings(held: readonly AddressBalances[]): Promise<ChainHoldings> {
    return Promise.resolve({ chain: 'bitcoin', addresses: held.map((one) => ({ ...one, notes: [] })) });
  }

  private heldBy(asset: string, address: string): bigint {
    const received = this.included
      .filter((payment) => payment.asset === asset && payment.address === address)
      .reduce((sum, { units }) => sum + units, 0n);
    return received - (this.swept.get(`${asset} ${address}`) ?? 0n);
  }
}

/** Like the watchers of real chains. */
function observe(payment: Payment, block: ObservedPayment['block']): ObservedPayment {
  const now = Date.now();
  const { isReplaceable = false, ...rest } = payment;
  return {
    ...rest,
    ...(!block && { isReplaceable }),
    block,
    arrivedAt: new Date(block ? Math.min(block.time.getTime(), now) : now),
  };
}
