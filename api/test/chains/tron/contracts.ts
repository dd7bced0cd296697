/** The contracts of the emulator. Their code is here instead of in a virtual machine; calls, logs and failures are those of TRON's. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { TRANSFER_TOPIC } from '../../../src/payments/chains/evm-node.ts';
import { add, attempt, keys, type Values } from './ledger.ts';

/** 21 bytes in hexadecimal digits, as all addresses of the emulator. */
export type Address = string;

export interface Call {
  caller: Address;
  contract: Address;
  /** Sun that come with it. */
  value: bigint;
  /** Hexadecimal digits. */
  data: string;
}

export interface Log {
  contract: Address;
  topics: string[];
  data: string;
}

/** Sent by a contract. It is in no block, and most nodes do not store it. */
export interface InternalTransfer {
  from: Address;
  to: Address;
  units: bigint;
}

interface Machine {
  values: Values;
  logs: Log[];
  internalTransfers: InternalTransfer[];
  /** Calls another contract. */
  call: (call: Call) => string;
}

/** @returns its output in hexadecimal digits */
export type Program = (call: Call, machine: Machine) => string;

/** The call has failed and changes nothing. */
class Failure extends Error {
  constructor(readonly result: 'REVERT' | 'OUT_OF_ENERGY' | 'OUT_OF_TIME') {
    super(result);
  }
}

export const selector = (signature: string): string =>
  Buffer.from(keccak_256(Buffer.from(signature))).toString('hex', 0, 4);
const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0');
const addressWord = (address: Address): string => address.slice(2).padStart(64, '0');

const functions = {
  transfer: selector('transfer(address,uint256)'),
  transferFrom: selector('transferFrom(address,address,uint256)'),
  approve: selector('approve(address,uint256)'),
  balanceOf: selector('balanceOf(address)'),
  decimals: selector('decimals()'),
  isBlackListed: selector('isBlackListed(address)'),
  addBlackList: selector('addBlackList(address)'),
  paused: selector('paused()'),
  deprecated: selector('deprecated()'),
  pay: selector('pay(address[],uint256[])'),
  payTokens: selector('payTokens(address,address[],uint256[])'),
  payTokensAndFail: selector('payTokensAndFail(address,address[],uint256[])'),
  relay: selector('relay(address,address,address,uint256)'),
};

const fail = (): never => {
  throw new Failure('REVERT');
};

/** USDT, or what claims to be it. */
export function createToken({
  decimals = 6,
  isLogOnly = false,
}: { decimals?: number; isLogOnly?: boolean } = {}): Program {
  return (call, machine) => {
    const { values, logs } = machine;
    const { contract, caller } = call;
    const { name, integers, addresses } = decode(call.data);
    const move = (from: Address, to: Address, units: bigint) => {
      const [source, target] = [keys.token(contract, from), keys.token(contract, to)];
      if (!isLogOnly) {
        if (values.get(source) < units || values.get(keys.blacklisted(contract, from)) > 0n) fail();
        add(values, source, -units);
        add(values, target, units);
      }
      logs.push({
        contract,
        topics: [TRANSFER_TOPIC.slice(2), addressWord(from), addressWord(to)],
        data: word(units),
      });
      return word(1);
    };
    switch (name) {
      case functions.transfer:
        return move(caller, addresses[0]!, integers[1]!);
      case functions.transferFrom: {
        const allowance = keys.allowance(contract, addresses[0]!, caller);
        if (values.get(allowance) < integers[2]!) fail();
        add(values, allowance, -integers[2]!);
        return move(addresses[0]!, addresses[1]!, integers[2]!);
      }
      case functions.approve:
        values.set(keys.allowance(contract, caller, addresses[0]!), integers[1]!);
        return word(1);
      case functions.balanceOf:
        return word(values.get(keys.token(contract, addresses[0]!)));
      case functions.decimals:
        return word(decimals);
      case functions.isBlackListed:
        return word(values.get(keys.blacklisted(contract, addresses[0]!)));
      case functions.addBlackList:
        values.set(keys.blacklisted(contract, addresses[0]!), 1n);
        return '';
      case functions.paused:
      case functions.deprecated:
        return word(0);
      default:
        return fail();
    }
  };
}

/** Pays many with one call: an exchange, a payroll, or a relayer that moves the tokens of others (as GasFree does). */
export const payer: Program = ({ contract, value, data }, machine) => {
  const { name, integers, addresses } = decode(data);
  if (name === functions.relay) {
    const [token, from, to] = addresses as [Address, Address, Address];
    const input = [functions.transferFrom, addressWord(from), addressWord(to), word(integers[3]!)].join('');
    return machine.call({ caller: contract, contract: token, value: 0n, data: input });
  }
  if (name === functions.pay) {
    for (const { to, units } of decodePayouts(data, 0)) sendTrx(machine, contract, to, units);
    return word(value);
  }
  if (name !== functions.payTokens && name !== functions.payTokensAndFail) return fail();
  for (const { to, units } of decodePayouts(data, 1)) {
    const input = functions.transfer + addressWord(to) + word(units);
    machine.call({ caller: contract, contract: addresses[0]!, value: 0n, data: input });
  }
  return name === functions.payTokens ? '' : fail();
};

function sendTrx({ values, internalTransfers }: Machine, from: Address, to: Address, units: bigint): void {
  if (values.get(keys.trx(from)) < units) fail();
  add(values, keys.trx(from), -units);
  add(values, keys.trx(to), units);
  values.set(keys.account(to), 1n);
  internalTransfers.push({ from, to, units });
}

export interface Payout {
  to: Address;
  units: bigint;
}

/** The data of calls. */
export const encode = {
  transfer: (to: Address, units: bigint) => functions.transfer + addressWord(to) + word(units),
  transferFrom: (from: Address, to: Address, units: bigint) =>
    functions.transferFrom + addressWord(from) + addressWord(to) + word(units),
  approve: (spender: Address, units: bigint) => functions.approve + addressWord(spender) + word(units),
  addBlackList: (owner: Address) => functions.addBlackList + addressWord(owner),
  pay: (payouts: readonly Payout[]) => functions.pay + encodePayouts([], payouts),
  payTokens: (token: Address, payouts: readonly Payout[]) => functions.payTokens + encodePayouts([token], payouts),
  payTokensAndFail: (token: Address, payouts: readonly Payout[]) =>
    functions.payTokensAndFail + encodePayouts([token], payouts),
  relay: (token: Address, from: Address, to: Address, units: bigint) =>
    [functions.relay, addressWord(token), addressWord(from), addressWord(to), word(units)].join(''),
};

/** Two arrays of the same length behind the other arguments. */
function encodePayouts(head: readonly Address[], payouts: readonly Payout[]): string {
  const first = (head.length + 2) * 32;
  const offsets = [word(first), word(first + 32 * (payouts.length + 1))];
  const length = word(payouts.length);
  const recipients = payouts.map(({ to }) => addressWord(to));
  const amounts = payouts.map(({ units }) => word(units));
  return [...head.map(addressWord), ...offsets, length, ...recipients, length, ...amounts].join('');
}

function decodePayouts(data: string, headLength: number): Payout[] {
  const { integers, addresses } = decode(data);
  const start = headLength + 2;
  const count = Number(integers[start]);
  return Array.from({ length: count }, (_, index) => ({
    to: addresses[start + 1 + index]!,
    units: integers[start + 2 + count + index]!,
  }));
}

function decode(data: string) {
  const words = data.slice(8).match(/.{64}/g) ?? [];
  return {
    name: data.slice(0, 8),
    integers: words.map((one) => BigInt(`0x${one}`)),
    addresses: words.map((one) => `41${one.slice(24)}`),
  };
}

export interface Outcome {
  result: 'SUCCESS' | Failure['result'];
  output: string;
  logs: Log[];
  internalTransfers: InternalTransfer[];
}

/** Runs a call and the calls that it makes. Nothing changes if it fails. */
export function run(programs: ReadonlyMap<Address, Program>, values: Values, call: Call): Outcome {
  const [logs, internalTransfers]: [Log[], InternalTransfer[]] = [[], []];
  try {
    const output = attempt(values, (values) => {
      if (values.get(keys.trx(call.caller)) < call.value) fail();
      add(values, keys.trx(call.caller), -call.value);
      add(values, keys.trx(call.contract), call.value);
      const machine: Machine = {
        values,
        logs,
        internalTransfers,
        call: (inner) => (programs.get(inner.contract) ?? fail)(inner, machine),
      };
      return machine.call(call);
    });
    return { result: 'SUCCESS', output, logs, internalTransfers };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { result: error.result, output: '', logs: [], internalTransfers: [] };
  }
}
