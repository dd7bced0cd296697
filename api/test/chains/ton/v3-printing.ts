/** Prints transactions and blocks as version 3 of toncenter does: from cells, never the reverse. */
import { type Address, type Message, type TransactionComputePhase } from '@ton/core';
import { operationOf } from './jetton.ts';
import type { AccountState, Block, MinedTransaction } from './ton-chain.ts';

export type PrintedTransaction = ReturnType<typeof printTransaction>;

const statuses = { uninitialized: 'uninit', active: 'active', frozen: 'frozen', 'non-existing': 'nonexist' } as const;
const MASTERCHAIN_SHARD = '8000000000000000';
const SKIP_REASONS = { 'no-state': 'no_state', 'bad-state': 'bad_state', 'no-gas': 'no_gas' } as const;

/** It prints accounts in capital letters. */
const printAccount = (raw: string): string => raw.toUpperCase();
const printAddress = (address: Address): string => printAccount(address.toRawString());

export function printTransaction({ transaction, account, block }: MinedTransaction) {
  const { description, inMessage } = transaction;
  const isGeneric = description.type === 'generic';
  return {
    account: printAccount(account),
    hash: transaction.hash().toString('base64'),
    lt: String(transaction.lt),
    now: transaction.now,
    mc_block_seqno: block.seqno,
    trace_id: transaction.hash().toString('base64'),
    prev_trans_hash: Buffer.from(transaction.prevTransactionHash.toString(16).padStart(64, '0'), 'hex').toString(
      'base64',
    ),
    prev_trans_lt: String(transaction.prevTransactionLt),
    orig_status: statuses[transaction.oldStatus],
    end_status: statuses[transaction.endStatus],
    total_fees: String(transaction.totalFees.coins),
    total_fees_extra_currencies: {},
    description: {
      type: isGeneric ? 'ord' : description.type,
      ...(isGeneric && {
        aborted: description.aborted,
        destroyed: description.destroyed,
        credit_first: description.creditFirst,
        compute_ph: printComputePhase(description.computePhase),
        ...(description.actionPhase && {
          action: { success: description.actionPhase.success, result_code: description.actionPhase.resultCode },
        }),
        ...(description.bouncePhase && { bounce: { type: printBounce(description.bouncePhase.type) } }),
      }),
    },
    block_ref: { workchain: 0, shard: MASTERCHAIN_SHARD, seqno: block.seqno },
    in_msg: inMessage ? printMessage(inMessage) : null,
    out_msgs: transaction.outMessages.values().map(printMessage),
    emulated: false,
    finality: 'finalized',
  };
}

function printComputePhase(phase: TransactionComputePhase) {
  if (phase.type === 'skipped') return { skipped: true, reason: SKIP_REASONS[phase.reason as 'no-gas'] };
  const { success, exitCode, gasUsed } = phase;
  return { skipped: false, success, exit_code: exitCode, gas_used: String(gasUsed) };
}

const printBounce = (type: string): string => (type === 'ok' ? 'ok' : type === 'no-funds' ? 'nofunds' : 'negfunds');

function printMessage(message: Message) {
  const { info } = message;
  // It prints a cell that is no ordinary one as an ordinary one.
  const body = message.body.beginParse(true).asCell();
  const isInternal = info.type === 'internal';
  const op = operationOf(message);
  return {
    hash: body.hash().toString('base64'),
    source: info.src && 'hash' in info.src ? printAddress(info.src) : null,
    destination: info.dest && 'hash' in info.dest ? printAddress(info.dest) : null,
    value: isInternal ? String(info.value.coins) : null,
    value_extra_currencies: {},
    fwd_fee: isInternal ? String(info.forwardFee) : null,
    created_lt: isInternal ? String(info.createdLt) : null,
    created_at: isInternal ? String(info.createdAt) : null,
    opcode: op === undefined ? null : `0x${op.toString(16).padStart(8, '0')}`,
    ihr_disabled: isInternal ? info.ihrDisabled : null,
    bounce: isInternal ? info.bounce : null,
    bounced: isInternal ? info.bounced : null,
    message_content: { hash: body.hash().toString('base64'), body: body.toBoc().toString('base64'), decoded: null },
    init_state: null,
  };
}

export function printBlock({ seqno, time, rootHash, startLt }: Block, globalId: number, changed = rootHash) {
  return {
    workchain: -1,
    shard: MASTERCHAIN_SHARD,
    seqno,
    root_hash: changed.toString('base64'),
    file_hash: rootHash.toString('base64'),
    global_id: globalId,
    gen_utime: String(time),
    start_lt: String(startLt),
    end_lt: String(startLt),
    master_ref_seqno: seqno - 1,
  };
}

/** Accounts that never had a transaction are printed without data, too. */
export function printState(account: string, { balance, status, code, data, last }: AccountState, isComplete: boolean) {
  return {
    address: printAccount(account),
    account_state_hash: null,
    balance: String(balance),
    extra_currencies: {},
    status,
    last_transaction_hash: last ? last.hash.toString('base64') : null,
    last_transaction_lt: last ? String(last.lt) : null,
    code_hash: code ? code.hash().toString('base64') : null,
    data_hash: data ? data.hash().toString('base64') : null,
    ...(isComplete && data && { data_boc: data.toBoc().toString('base64') }),
    ...(isComplete && code && { code_boc: code.toBoc().toString('base64') }),
  };
}
