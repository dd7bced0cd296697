import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';

export interface AlertSettingsRow {
  /** Null: the default threshold. */
  lowBalanceMicros: bigint | null;
  isMailed: boolean;
  mailsNoMoney: boolean;
  mailsIdle: boolean;
  mailsExitLost: boolean;
}

/** Without a row the defaults apply. */
export async function findSettings(ctx: Ctx, userId: string): Promise<AlertSettingsRow | undefined> {
  const [row] = await ctx.db.query<AlertSettingsRow>(
    `select low_balance_micros as "lowBalanceMicros", is_mailed as "isMailed", mails_no_money as "mailsNoMoney",
            mails_idle as "mailsIdle", mails_exit_lost as "mailsExitLost"
       from alert_settings where user_id = $1`,
    [userId],
  );
  return row;
}

export async function saveSettings(ctx: Ctx, userId: string, settings: AlertSettingsRow): Promise<void> {
  const { lowBalanceMicros, isMailed, mailsNoMoney, mailsIdle, mailsExitLost } = settings;
  await ctx.db.query(
    `insert into alert_settings (user_id, low_balance_micros, is_mailed, mails_no_money, mails_idle, mails_exit_lost)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (user_id) do update
       set low_balance_micros = excluded.low_balance_micros, is_mailed = excluded.is_mailed,
           mails_no_money = excluded.mails_no_money, mails_idle = excluded.mails_idle,
           mails_exit_lost = excluded.mails_exit_lost`,
    [userId, lowBalanceMicros, isMailed, mailsNoMoney, mailsIdle, mailsExitLost],
  );
}

export async function forgetWarning(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.query('delete from low_balance_warnings where user_id = $1', [userId]);
}

/** Marks the user as warned, without an alert, if the balance is below the threshold. */
export async function insertSilentWarning(
  ctx: Ctx,
  { userId, accountId }: Pick<Actor, 'userId' | 'accountId'>,
  thresholdMicros: bigint,
): Promise<void> {
  await ctx.db.query(
    `insert into low_balance_warnings (user_id, threshold_micros, last_credit_id)
     select $1, $3, (select max(id) from readable_transfers
                      where credit_account_id = $2 and megabyte_from is null and reason <> 'REFUND')
       from readable_accounts where id = $2 and balance_micros < $3
     on conflict (user_id) do nothing`,
    [userId, accountId, thresholdMicros],
  );
}
