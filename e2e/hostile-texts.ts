/** Fills a database with texts that would run as scripts if a page took them for an address, for HTML, or for a part of a script. */
import { saveCompany } from '@cellhop/contract/company';
import type { Call } from '@cellhop/contract/client';
import { createInvoice } from '@cellhop/contract/invoices';
import { createCannedReply } from '@cellhop/contract/staff/canned-replies';
import { sendBroadcast } from '@cellhop/contract/staff/notifications';
import { createPromoCode } from '@cellhop/contract/staff/promo-codes';
import { writeTicketNote } from '@cellhop/contract/staff/tickets';
import { createAdjustment } from '@cellhop/contract/staff/transactions';
import { changeConnection } from '@cellhop/contract/connections';
import { createTicket, sendTicketMessage } from '@cellhop/contract/tickets';
import { getProfile } from '@cellhop/contract/users';
import pg from 'pg';
import { buyProxy } from './product.ts';

/** An address, the end of an attribute and of a script, and an element with a script; as long as a label may be. Emails are in lower case. */
export const HOSTILE = `javascript:alert(1)//"'></script><img src onerror=alert(1)>`;
const TEXT = 'a text';
const SHORT = '<img src onerror=alert(1)>';

/**
 * Texts that the programs write or require in a certain form, so that no person chooses them. All other texts of the database become hostile,
 * those of new columns too.
 */
const GENERATED = new Set(
  `
  audit_log.action audit_log.request_id audit_log.subject_type broadcasts.role_name
  catalogue_import_rows.connection_type catalogue_import_rows.port_rule chain_cursors.chain
  chain_cursors.pause_reason chain_cursors.unavailable_reason connections.connection_type connections.port_rule
  connections.username dashboard_days.currency dashboard_sums.currency deposit_addresses.address_space
  deposit_addresses.mac end_mails.reason exit_checks.reason invoices.currency last_refusals.reason notifications.kind
  proxies.connection_type proxies.port_rule proxy_counts.body proxy_counts.etag rate_limits.key rate_sources.source
  receipt_keys.key_id recovery_codes.key_id resealings.key_id roles.name sent_mails.template staff_requests.currency
  unmailed_ends.reason users.password_hash users.role_name`.split(/\s+/),
);
/** Of the database itself, of payments, and what is computed from other rows. */
const GENERATED_TABLES =
  /^(?:_migrations|migrations|sql_texts|installation|wallet_accounts|sandbox_.*|rate_quotes|exchange_rates|held_amounts|comparisons|dashboard_.*|resealings|ticket_words|proxy_.*|account_.*|.*_keys|mail_codes|second_factor.*|reconciliation)$/;

interface TextColumn {
  table: string;
  column: string;
}

/** Rows in most tables, by the same requests that people make. */
export async function fillTables(customer: Call, staff: Call): Promise<void> {
  const connection = await buyProxy(customer);
  await customer(changeConnection, { params: { id: connection.id }, body: { label: TEXT } });
  await customer(createInvoice, { body: { currency: 'BTC', amount: 25 } });
  await customer(saveCompany, { body: { name: TEXT, address: TEXT, taxId: 'DE 1' } });
  const { data: ticket } = await customer(createTicket, { body: { name: TEXT, description: TEXT } });
  const params = { id: ticket.id };
  await customer(sendTicketMessage, { params, body: { content: TEXT } });
  await staff(writeTicketNote, { params, body: { content: TEXT } });
  await staff(createCannedReply, { body: { title: TEXT, contentEn: TEXT, contentRu: TEXT } });
  const text = { description: TEXT, content: TEXT };
  await staff(sendBroadcast, { body: { texts: { en: text, ru: text } } });
  const { id: userId } = (await customer(getProfile, {})).data;
  await staff(createAdjustment, { body: { userId, amount: 1, reason: TEXT } });
  const code = { code: 'HOSTILE', referralEmail: 'user@example.com', reason: TEXT };
  await staff(createPromoCode, { body: code });
}

/** @returns the columns that refused every text: a rule of the database names their values */
export async function makeTextsHostile(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // Without triggers, which keep the audit log as it was, and foreign keys.
    await client.query('set session_replication_role = replica');
    const { rows } = await client.query<TextColumn>(
      `select table_name as table, column_name as column from information_schema.columns join information_schema.tables using (table_schema, table_name)
        where table_schema = 'public' and table_type = 'BASE TABLE' and data_type = 'text' and is_generated = 'NEVER'
          and column_name <> 'idempotency_key'`,
    );
    const written = rows.filter(
      ({ table, column }) => !GENERATED_TABLES.test(table) && !GENERATED.has(`${table}.${column}`),
    );
    const refused: string[] = [];
    for (const each of written) if (!(await overwrite(client, each))) refused.push(`${each.table}.${each.column}`);
    const details = JSON.stringify({ [HOSTILE]: HOSTILE, fileName: HOSTILE, reason: HOSTILE });
    await client.query('update audit_log set details = details || $1::jsonb', [details]);
    return refused.toSorted();
  } finally {
    await client.end();
  }
}

/** The end of the text differs, because many columns are unique. Codes are in capitals. */
async function overwrite(client: pg.Client, { table, column }: TextColumn): Promise<boolean> {
  for (const text of [HOSTILE, SHORT, SHORT.toUpperCase()])
    try {
      await client.query(
        `update ${table} set ${column} = $1::text || case when $1 = upper($1) then upper(left(md5(ctid::text), 8)) else left(md5(ctid::text), 8) end
          where ${column} is not null`,
        [text],
      );
      return true;
    } catch {
      // Another rule of the column: the next text may follow it.
    }
  return false;
}
