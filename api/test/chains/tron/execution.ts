/** Applies transactions to what accounts hold, with the fees of java-tron. */
import { type Address, type InternalTransfer, type Log, type Program, run } from './contracts.ts';
import { add, keys, overlay, type Values } from './ledger.ts';
import type { Contract, RawData, Result } from './transactions.ts';

/** Sun. */
const ENERGY_PRICE = 100n;
const BANDWIDTH_PRICE = 1000n;
/** Of the first TRX that an account gets. */
const NEW_ACCOUNT_FEE = 1_100_000n;
/** Energy of a transfer of USDT to an address that has some, and to another one. */
const HOLDER_ENERGY = 64_285n;
const NEW_HOLDER_ENERGY = 130_285n;
const OTHER_CALL_ENERGY = 30_000n;
const CALL_BANDWIDTH = 345n;

/** A transaction that no block may contain. */
export class Invalid extends Error {}

/** `TransactionInfo`: what happened when a transaction was executed. */
export interface Execution {
  result: Result;
  fee: bigint;
  energy: bigint;
  output: string;
  logs: Log[];
  internalTransfers: InternalTransfer[];
}

const nothing = { output: '', logs: [], internalTransfers: [] };

/**
 * @param forced the result of a call whatever it does, such as OUT_OF_TIME
 * @throws Invalid
 */
export function execute(
  programs: ReadonlyMap<Address, Program>,
  values: Values,
  { contract, feeLimit }: RawData,
  forced?: Exclude<Result, 'SUCCESS'>,
): Execution {
  validate(values, contract, programs);
  if (contract.kind === 'CALL') return executeCall(programs, values, contract, feeLimit, forced);
  const { owner, to, units } = contract;
  const fee = values.get(keys.account(to)) === 1n ? 0n : NEW_ACCOUNT_FEE;
  values.set(keys.account(to), 1n);
  add(values, keys.trx(owner), -fee);
  const keyOf = (address: Address) =>
    contract.kind === 'TRX' ? keys.trx(address) : keys.trc10(contract.asset, address);
  add(values, keyOf(owner), -units);
  add(values, keyOf(to), units);
  return { ...nothing, result: 'SUCCESS', fee, energy: 0n };
}

function executeCall(
  programs: ReadonlyMap<Address, Program>,
  values: Values,
  { owner, contract, value, data }: Extract<Contract, { kind: 'CALL' }>,
  feeLimit: bigint,
  forced: Exclude<Result, 'SUCCESS'> | undefined,
): Execution {
  const balance = values.get(keys.trx(owner));
  const spendable = balance - value < feeLimit ? balance - value : feeLimit;
  const call = { caller: owner, contract, value, data };
  // Once without consequences, because a call that costs too much changes nothing.
  const energy = priceOf(programs, values, call);
  const isTooExpensive = energy * ENERGY_PRICE > spendable;
  const failure = forced ?? (isTooExpensive ? 'OUT_OF_ENERGY' : undefined);
  const bandwidthFee = CALL_BANDWIDTH * BANDWIDTH_PRICE;
  if (failure !== undefined) {
    const usesAll = failure !== 'REVERT';
    const fee = usesAll ? spendable : energy * ENERGY_PRICE;
    add(values, keys.trx(owner), -fee);
    return { ...nothing, result: failure, fee, energy: fee / ENERGY_PRICE };
  }
  const { result, output, logs, internalTransfers } = run(programs, values, call);
  const fee = energy * ENERGY_PRICE + bandwidthFee;
  const left = values.get(keys.trx(owner));
  add(values, keys.trx(owner), -(fee < left ? fee : left));
  return { result, fee, energy, output, logs, internalTransfers };
}

function priceOf(
  programs: ReadonlyMap<Address, Program>,
  values: Values,
  call: { caller: Address; contract: Address; value: bigint; data: string },
): bigint {
  const { logs } = run(programs, overlay(values), call);
  return logs.reduce(
    (energy, { contract, topics }) => {
      const recipient = `41${topics[2]!.slice(24)}`;
      const isHolder = values.get(keys.token(contract, recipient)) > 0n;
      return energy + (isHolder ? HOLDER_ENERGY : NEW_HOLDER_ENERGY);
    },
    logs.length === 0 ? OTHER_CALL_ENERGY : 0n,
  );
}

/** What java-tron checks before it accepts a transaction, and again before it executes one. */
export function validate(values: Values, contract: Contract, programs: ReadonlyMap<Address, Program>): void {
  const { owner } = contract;
  if (values.get(keys.account(owner)) !== 1n) throw new Invalid(`account [${owner}] does not exist`);
  if (contract.kind === 'CALL') {
    if (!programs.has(contract.contract)) throw new Invalid('No contract or not a valid smart contract');
    if (values.get(keys.trx(owner)) < contract.value) throw new Invalid('balance is not sufficient');
    return;
  }
  const { to, units } = contract;
  if (owner === to) throw new Invalid('Cannot transfer TRX to yourself.');
  if (units <= 0n) throw new Invalid('Amount must be greater than 0.');
  const fee = values.get(keys.account(to)) === 1n ? 0n : NEW_ACCOUNT_FEE;
  if (contract.kind === 'TRX') {
    if (values.get(keys.trx(owner)) < units + fee) throw new Invalid('balance is not sufficient.');
    return;
  }
  if (values.get(keys.trc10(contract.asset, owner)) < units) throw new Invalid('assetBalance is not sufficient.');
  if (values.get(keys.trx(owner)) < fee) throw new Invalid('balance is not sufficient for the fee.');
}
