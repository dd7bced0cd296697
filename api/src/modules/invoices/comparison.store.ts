import type { Ctx } from '../../ctx.ts';
import type { CurrencyRules } from '../../payments/currencies.ts';

export interface ReceivedByAddress {
  id: bigint;
  address: string;
  /** Its number in the wallet, and the account that it was derived from. */
  derivationIndex: bigint;
  fingerprint: string;
  /** The sum of all deposits in this currency that are in a block. */
  units: bigint;
}

/** All addresses, in pages. Deposits that have left the chain or were recorded by hand do not count. */
export async function listReceived(
  ctx: Ctx,
  { chain, asset, addressSpace }: Pick<CurrencyRules, 'chain' | 'asset' | 'addressSpace'>,
  afterId: bigint,
  limit: number,
): Promise<ReceivedByAddress[]> {
  const rows = await ctx.db.query<Omit<ReceivedByAddress, 'units'> & { units: string }>(
    `select deposit_addresses.id, address, derivation_index as "derivationIndex", fingerprint,
            (select coalesce(sum(units), 0) from deposits
              where deposits.address_id = deposit_addresses.id and chain = $1 and asset = $2 and not is_by_hand
                and (state in ('INCLUDED', 'FINAL', 'CREDITED') or (state = 'REVERSED' and block_hash is not null))) as units
       from deposit_addresses join wallet_accounts on wallet_accounts.id = wallet_account_id
      where deposit_addresses.address_space = $3 and deposit_addresses.id > $4 order by deposit_addresses.id limit $5`,
    [chain, asset, addressSpace, afterId, limit],
  );
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
}
