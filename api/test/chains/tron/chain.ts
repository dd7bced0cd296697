/**
 * A chain of TRON in memory. Blocks and transactions are bytes, hashed, rooted and signed as those of java-tron; nothing enters it but
 * what a node would accept. No real java-tron runs on this machine: the proofs of block-proof.test.ts hold for real blocks and for these.
 */
import { randomUUID } from 'node:crypto';
import { merkleRoot, sha256 } from '../../../src/payments/chains/tron/block-proof.ts';
import { toHexAddress, USDT_ADDRESS } from '../../../src/payments/chains/tron/network.ts';
import { bytesField, integerField } from '../../../src/payments/chains/tron/protobuf.ts';
import { type Address, createToken, encode, payer, type Program } from './contracts.ts';
import { execute, type Execution, Invalid, validate } from './execution.ts';
import { createKey, type Key, recoverSigner, sign } from './keys.ts';
import { keys, Ledger, type Values } from './ledger.ts';
import {
  type Contract,
  decodeRawData,
  encodeRawData,
  encodeTransaction,
  type RawData,
  type Result,
  type SignedTransaction,
  signTransaction,
  toHex,
  type TransactionOptions,
} from './transactions.ts';

const BLOCK_MS = 3000;
const WITNESSES = 27;
/** A block is solid when 19 witnesses have built on it: the ninth of their newest heights, in ascending order. */
const SOLID_POSITION = 8;
const VERSION = 34;
const FIRST_BLOCKS = 45;
/** Other people pay with USDT all the time. */
const BLOCKS_PER_FOREIGN_TRANSFER = 5;
/** Transactions name the lower 16 bits of a height. */
const REFERENCES = 65_536;
/** No field of a transaction has this number. */
const HIDDEN_FIELD = 7;
const RICH = 10n ** 16n;
const START_AGO_MS = 6 * 3_600_000;

export interface Block {
  height: number;
  id: string;
  timeMs: number;
  header: Uint8Array;
  witnessSignature: Uint8Array;
  transactions: readonly Uint8Array[];
  executions: readonly ExecutedTransaction[];
  witness: number;
  /** What has changed in it, as it was before. */
  before: ReadonlyMap<string, bigint>;
}

export interface ExecutedTransaction extends Execution {
  id: string;
  signed: SignedTransaction;
  raw: RawData;
}

/** How java-tron names the reason of a refusal. */
type RefusalCode =
  | 'SIGERROR'
  | 'TAPOS_ERROR'
  | 'DUP_TRANSACTION_ERROR'
  | 'TRANSACTION_EXPIRATION_ERROR'
  | 'CONTRACT_VALIDATE_ERROR';

export class Refused extends Error {
  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message);
  }
}

interface Options {
  /** The time of block 0. */
  startMs?: number;
  /** Makes the keys of the chain. */
  seed?: string;
}

const contractAddress = (digit: string): Address => `41${digit.repeat(40)}`;

export class TronChain {
  readonly blocks: Block[] = [];
  /** How many of the 27 witnesses make blocks. With fewer than 19 nothing becomes solid. */
  activeWitnesses = WITNESSES;
  /** The result of each call of a contract from now on. */
  forcedResult: Exclude<Result, 'SUCCESS'> | undefined;
  /** From now on, blocks contain transactions without a result (`ret: [{}]`). */
  lacksResults = false;
  /** From now on, senders put a field into their transactions that JSON does not show. */
  hasHiddenFields = false;
  /** From now on, senders put these fields into the results of their transactions. */
  resultFields: Uint8Array = new Uint8Array();
  /** Has much of everything. */
  readonly bank: Key;
  readonly contracts = {
    usdt: toHexAddress(USDT_ADDRESS),
    /** Of the same code, and one that only writes logs. */
    otherToken: contractAddress('a'),
    forgedToken: contractAddress('b'),
    payer: contractAddress('c'),
  };
  readonly programs: Map<Address, Program>;
  private readonly ledger = new Ledger();
  private readonly witnesses: readonly Key[];
  private pool: SignedTransaction[] = [];
  /** Transactions of blocks that have left the chain, until they are included again. */
  private readonly removed = new Map<string, SignedTransaction>();
  private readonly knownIds = new Set<string>();
  private readonly startMs: number;
  private solid = 0;
  private turn = 0;
  private foreignTransfers = 0;

  constructor({ startMs = Date.now() - START_AGO_MS, seed = randomUUID() }: Options = {}) {
    const keyOf = (name: string) => createKey(sha256(Buffer.from(`${seed} ${name}`)));
    this.bank = keyOf('bank');
    this.witnesses = Array.from({ length: WITNESSES }, (_, index) => keyOf(`witness ${index}`));
    this.startMs = startMs - (startMs % BLOCK_MS);
    this.programs = new Map<Address, Program>([
      [this.contracts.usdt, createToken()],
      [this.contracts.otherToken, createToken()],
      [this.contracts.forgedToken, createToken({ isLogOnly: true })],
      [this.contracts.payer, payer],
    ]);
    const rich = [this.bank.address, this.contracts.payer];
    for (const owner of rich) {
      this.ledger.set(keys.account(owner), 1n);
      this.ledger.set(keys.trx(owner), RICH);
      for (const asset of ['TRX', 'USDT']) this.ledger.set(keys.trc10(asset, owner), RICH);
      for (const token of [this.contracts.usdt, this.contracts.otherToken])
        this.ledger.set(keys.token(token, owner), RICH);
    }
    this.mine(FIRST_BLOCKS);
  }

  get head(): Block {
    return this.blocks.at(-1)!;
  }

  get solidHeight(): number {
    return this.solid;
  }

  /** When the newest block appeared, and a little later. */
  now = (): Date => new Date(this.head.timeMs + BLOCK_MS / 2);

  /** The values after a block. */
  valuesAt(height: number): Pick<Values, 'get'> {
    const later = this.blocks.slice(height + 1);
    return { get: (key) => later.find(({ before }) => before.has(key))?.before.get(key) ?? this.ledger.get(key) };
  }

  /** Gives tokens or TRX to an account, as if it had them from the beginning. */
  endow(owner: Address, trxUnits: bigint, usdtUnits = 0n): void {
    this.ledger.set(keys.account(owner), 1n);
    this.ledger.set(keys.trx(owner), trxUnits);
    this.ledger.set(keys.token(this.contracts.usdt, owner), usdtUnits);
  }

  /** Builds a transaction, with the newest solid block as its reference. */
  build(contract: Contract, options: Partial<TransactionOptions> = {}): Uint8Array {
    const { id } = this.blocks[this.solid]!;
    return encodeRawData(contract, { referenceId: id, timeMs: this.nextTimeMs(), ...options });
  }

  /** Signs and broadcasts. @returns the id @throws Refused */
  send(key: Key, contract: Contract, options: Partial<TransactionOptions> = {}): string {
    const transaction = signTransaction(key, this.build(contract, options));
    this.broadcast(transaction);
    return transaction.id;
  }

  /** @throws Refused */
  broadcast(transaction: SignedTransaction): void {
    const { rawData, signatures, id } = transaction;
    const raw = decodeRawData(rawData);
    const [signature] = signatures;
    if (signatures.length !== 1 || recoverSigner(sha256(rawData), signature!) !== raw.contract.owner)
      throw new Refused('SIGERROR', 'validate signature error');
    if (this.knownIds.has(id)) throw new Refused('DUP_TRANSACTION_ERROR', 'dup transaction');
    if (!this.hasReference(raw)) throw new Refused('TAPOS_ERROR', 'Tapos check error');
    if (raw.expiresMs <= this.head.timeMs || raw.expiresMs > this.head.timeMs + 86_400_000)
      throw new Refused('TRANSACTION_EXPIRATION_ERROR', 'transaction expired');
    try {
      validate(this.ledger, raw.contract, this.programs);
    } catch (error) {
      if (error instanceof Invalid) throw new Refused('CONTRACT_VALIDATE_ERROR', error.message);
      throw error;
    }
    this.knownIds.add(id);
    this.pool.push(transaction);
  }

  /** The first block takes what waits. */
  mine(count = 1): void {
    for (let index = 0; index < count; index += 1) {
      if (this.blocks.length > 0 && this.blocks.length % BLOCKS_PER_FOREIGN_TRANSFER === 0) this.addForeignTransfer();
      this.addBlock();
    }
  }

  /**
   * Replaces the newest blocks with one more. Their transactions wait again.
   * @param dropped these do not, until `includeAgain`
   */
  fork(depth: number, dropped: readonly string[] = []): void {
    if (this.head.height - depth < this.solid) throw new Error('solid blocks never leave the chain');
    const returned: SignedTransaction[] = [];
    for (const { before, executions } of this.blocks.splice(-depth).toReversed()) {
      this.ledger.undo(before);
      returned.unshift(...executions.map(({ signed }) => signed));
    }
    for (const transaction of returned) {
      if (dropped.includes(transaction.id)) this.removed.set(transaction.id, transaction);
      else this.pool.push(transaction);
    }
    // Other witnesses than before, so that no block has the same id.
    this.turn += 1;
    this.mine(depth + 1);
  }

  /** After `fork`: the transaction waits again, behind others that were not there the first time. */
  includeAgain(id: string): void {
    for (let index = 0; index < 2; index += 1) this.addForeignTransfer();
    this.pool.push(this.removed.get(id)!);
    this.removed.delete(id);
  }

  find(id: string): { block: Block; index: number; executed: ExecutedTransaction } | undefined {
    for (const block of this.blocks.toReversed()) {
      const index = block.executions.findIndex((one) => one.id === id);
      if (index >= 0) return { block, index, executed: block.executions[index]! };
    }
    return undefined;
  }

  private addForeignTransfer(): void {
    this.foreignTransfers += 1;
    const to = `41${this.foreignTransfers.toString(16).padStart(40, 'f')}`;
    const data = encode.transfer(to, 1_000_000n);
    const contract = {
      kind: 'CALL',
      owner: this.bank.address,
      contract: this.contracts.usdt,
      value: 0n,
      data,
    } as const;
    const options = { timeMs: this.nextTimeMs() + this.foreignTransfers };
    this.pool.unshift(signTransaction(this.bank, this.build(contract, options)));
  }

  private addBlock(): void {
    const executions = this.pool.flatMap((signed) => this.tryToExecute(signed));
    this.pool = [];
    const transactions = executions.map(({ signed, result }) => this.encode(signed, result));
    const height = this.blocks.length;
    const timeMs = this.nextTimeMs();
    this.turn += 1;
    const witness = this.turn % this.activeWitnesses;
    const header = Buffer.concat([
      integerField(1, timeMs),
      bytesField(2, merkleRoot(transactions.map(sha256))),
      bytesField(3, this.blocks.length === 0 ? new Uint8Array(32) : Buffer.from(this.head.id, 'hex')),
      integerField(7, height),
      bytesField(9, Buffer.from(this.witnesses[witness]!.address, 'hex')),
      integerField(10, VERSION),
    ]);
    const hash = sha256(header);
    const id = height.toString(16).padStart(16, '0') + toHex(hash.subarray(8));
    const witnessSignature = sign(this.witnesses[witness]!, hash);
    const before = this.ledger.endBlock();
    this.blocks.push({ height, id, timeMs, header, witnessSignature, transactions, executions, witness, before });
    this.solid = Math.max(this.solid, this.findSolid());
  }

  private encode(signed: SignedTransaction, result: Result): Uint8Array {
    const bytes = encodeTransaction(signed, this.lacksResults ? 'DEFAULT' : result, this.resultFields);
    return this.hasHiddenFields ? Buffer.concat([bytes, integerField(HIDDEN_FIELD, 1)]) : bytes;
  }

  private tryToExecute(signed: SignedTransaction): ExecutedTransaction[] {
    const raw = decodeRawData(signed.rawData);
    try {
      const execution = execute(this.programs, this.ledger, raw, this.forcedResult);
      return [{ ...execution, id: signed.id, signed, raw }];
    } catch (error) {
      // It was valid when it was broadcast, and is not any more.
      if (error instanceof Invalid) return [];
      throw error;
    }
  }

  private findSolid(): number {
    const newest = new Map<number, number>();
    for (const { witness, height } of this.blocks.slice(-10 * WITNESSES)) newest.set(witness, height);
    const heights = this.witnesses.map((_, witness) => newest.get(witness) ?? 0);
    return heights.toSorted((a, b) => a - b)[SOLID_POSITION]!;
  }

  private hasReference({ referenceBytes, referenceHash }: RawData): boolean {
    for (let height = Number(`0x${referenceBytes}`); height < this.blocks.length; height += REFERENCES)
      if (this.blocks[height]!.id.slice(16, 32) === referenceHash) return true;
    return false;
  }

  private nextTimeMs(): number {
    return this.blocks.length === 0 ? this.startMs : this.head.timeMs + BLOCK_MS;
  }
}
