/** What accounts and contracts hold: named numbers, with the values before each block, so that a fork can undo blocks. */

export interface Values {
  /** 0n if it was never set. */
  get(key: string): bigint;
  set(key: string, value: bigint): void;
}

export const keys = {
  trx: (owner: string) => `trx ${owner}`,
  /** 1n if the account exists. Only TRX and TRC-10 create accounts. */
  account: (owner: string) => `account ${owner}`,
  trc10: (name: string, owner: string) => `trc10 ${name} ${owner}`,
  token: (contract: string, owner: string) => `token ${contract} ${owner}`,
  allowance: (contract: string, owner: string, spender: string) => `allowance ${contract} ${owner} ${spender}`,
  blacklisted: (contract: string, owner: string) => `blacklisted ${contract} ${owner}`,
};

export class Ledger implements Values {
  private readonly values = new Map<string, bigint>();
  /** Of the block that is being made: the values before it. */
  private before = new Map<string, bigint>();

  get(key: string): bigint {
    return this.values.get(key) ?? 0n;
  }

  set(key: string, value: bigint): void {
    if (!this.before.has(key)) this.before.set(key, this.get(key));
    this.values.set(key, value);
  }

  /** @returns the values before the block, for `undo` */
  endBlock(): ReadonlyMap<string, bigint> {
    const { before } = this;
    this.before = new Map();
    return before;
  }

  undo(before: ReadonlyMap<string, bigint>): void {
    for (const [key, value] of before) this.values.set(key, value);
  }
}

export function add(values: Values, key: string, units: bigint): void {
  values.set(key, values.get(key) + units);
}

/** Changes that are only made if the run succeeds. */
export function attempt<Result>(values: Values, run: (values: Values) => Result): Result {
  const changed = new Map<string, bigint>();
  const result = run(overlay(values, changed));
  for (const [key, value] of changed) values.set(key, value);
  return result;
}

export function overlay(values: Pick<Values, 'get'>, changed = new Map<string, bigint>()): Values {
  return {
    get: (key) => changed.get(key) ?? values.get(key),
    set: (key, value) => void changed.set(key, value),
  };
}
