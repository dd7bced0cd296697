// @ts-check
/** The names of all settings, known before anything is installed or built: a misspelt one would be ignored. */

export const names = `
  ABUSE_EMAIL APPROVAL_USD BACKUP_AGE_HOURS BACKUP_FOLDER BACKUP_KEEP BACKUP_RECIPIENT BRAND_IMAGES_FOLDER BRAND_NAME CONNECTION_MEGABITS_PER_SECOND CONNECTION_PORTS CONNECTION_TUNNELS CONTACT_EMAIL DATABASE_POOL_SIZE
  DATABASE_POOL_TIMEOUT_SECONDS DATABASE_TIMEOUT_SECONDS DATABASE_URL DATA_DIR DEMO_DATA EXIT_ADDRESSES_DAYS EXIT_ECHO_URL
  EXIT_LOST_SECONDS GATEWAY_ACCELERATOR GATEWAY_ALLOW_PRIVATE GATEWAY_CHECK_DESTINATIONS GATEWAY_CONTROL_URL GATEWAY_DNS_PORTS GATEWAY_DRAIN_SECONDS GATEWAY_GRANT_MEGABYTES_MAX
  GATEWAY_HOST GATEWAY_LISTEN_HOST GATEWAY_LOGIN_FAILURES_PER_MINUTE GATEWAY_METRICS_PORT GATEWAY_NAME_SERVERS GATEWAY_PORT
  GATEWAY_PUBLIC_ADDRESSES GATEWAY_STUN_SERVER GATEWAY_TLS_CERTIFICATE GATEWAY_TLS_KEY GATEWAY_TOKEN GATEWAY_UDP_PORTS GATEWAY_WHOAMI_NAME HOST HSTS_SUBDOMAINS IDLE_TIMEOUT_SECONDS INTERNAL_HOST INTERNAL_PORT INVOICES_PER_HOUR
  LEGAL_TEXTS_FOLDER LOG_LEVEL MAIL_FROM MAIL_REPLY_TO MAIL_SINK_PORT METRICS_TOKEN MMDB_COUNTRY_FILE MMDB_OPERATOR_FILE NEWS_MAILS_PER_MINUTE NODE_ENV NODE_REQUESTS_PER_MINUTE
  OPEN_CONNECTIONS_MAX PAY_BSC_URLS PAY_BTC_ADDRESS_0 PAY_BTC_URLS PAY_BTC_XPUB PAY_ETH_URLS PAY_EVM_ADDRESS_0 PAY_EVM_FUNDING
  PAY_EVM_XPUB PAY_HOLD_USD PAY_LTC_ADDRESS_0 PAY_LTC_URLS PAY_LTC_XPUB PAY_MINIMUMS_USD PAY_TON_ADDRESS_0 PAY_TON_FUNDING
  PAY_TON_PUBLIC_KEY PAY_TON_URLS PAY_TRON_ADDRESS_0 PAY_TRON_FUNDING PAY_TRON_URLS PAY_TRON_XPUB PAY_USDT_BSC_CONTRACT
  PAY_USDT_ERC20_CONTRACT PAY_USDT_TON_MASTER PAY_USDT_TON_WALLET_CODE PAY_USDT_TRC20_CONTRACT PAY_WATCH_DAYS PORT POSTGRES_PROGRAMS PUBLIC_PROMO_CODE
  PUBLIC_URL PURCHASES_PER_HOUR RATES_BINANCE_URL RATES_BYBIT_URL RATES_COINBASE_URL RATES_COINGECKO_KEY RATES_COINGECKO_URL
  RATES_COINPAPRIKA_URL RATES_IDS RATES_KRAKEN_URL RATES_OKX_URL RECONCILIATION_SECONDS REFUND_WINDOW_SECONDS REQUESTS_PER_MINUTE ROTATIONS_PER_HOUR ROTATION_COOLDOWN_SECONDS
  REQUIRE_STAFF_2FA SECRET_KEY SECURITY_CONTACT SELLER_ADDRESS SELLER_NAME SELLER_NOTE SELLER_REGISTER SELLER_VAT_ID SMTP_URL SOCKETS_MAX SOCKETS_PER_NETWORK SUPERVISED TICKETS_PER_HOUR TICKET_EMAIL TICKET_FILES_MEGABYTES
  TICKET_MESSAGES_PER_HOUR TRIAL_CREDITS_PER_NETWORK TRIAL_CREDIT_USD TRUSTED_PROXIES UNUSED_RETURNS_PER_HOUR WITNESS_FILE WRONG_TOKENS_PER_MINUTE`
  .trim()
  .split(/\s+/);

/** Never printed. A file or a credential of systemd may have them. */
export const secretNames = names.filter(
  (name) =>
    /^(?:DATABASE_URL|SECRET_KEY|GATEWAY_TOKEN|SMTP_URL|METRICS_TOKEN|RATES_COINGECKO_KEY)$/.test(name) ||
    /^PAY_.*_(?:URLS|XPUB|PUBLIC_KEY)$/.test(name),
);

/** What production requires of API, worker and commands, besides one payment currency. A test compares the schemas. */
const ofApi = ['DATABASE_URL', 'SECRET_KEY', 'GATEWAY_TOKEN', 'SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL', 'GATEWAY_HOST'];
/** Of all programs on one machine, `npm start` knows the address of the API. */
export const requiredInProduction = {
  api: ofApi,
  worker: ofApi,
  gateway: ['GATEWAY_TOKEN', 'GATEWAY_HOST', 'GATEWAY_CONTROL_URL', 'GATEWAY_NAME_SERVERS'],
  all: [...ofApi, 'GATEWAY_NAME_SERVERS'],
};

/** Nothing else begins like these. */
const OWN_PREFIX = /^(?:PAY|RATES)_/;
/** The names of others may be similar: `BRANCH_NAME` is no misspelt `BRAND_NAME`. */
const SHARED_NAME = /^[A-Z0-9]+_[A-Z0-9_]+$/;

/** @param {Record<string, string | undefined>} environment @returns {string[]} a sentence for each name that is no setting, but was meant as one */
export function findMisspelt(environment) {
  return Object.keys(environment).flatMap((name) => {
    if (names.includes(name) || !environment[name]) return [];
    const isOwn = OWN_PREFIX.test(name);
    if (!isOwn && !SHARED_NAME.test(name)) return [];
    // One that is set was not misspelt.
    const candidates = names.filter((known) => !environment[known] && countEdits(name, known) <= (isOwn ? 2 : 1));
    const [meant] = candidates.sort((one, other) => countEdits(name, one) - countEdits(name, other));
    if (meant !== undefined) return [`${name} is not a setting: is ${meant} meant?`];
    return isOwn ? [`${name} is not a setting: docs/settings.md lists them.`] : [];
  });
}

/** Letters that are added, missing, changed or swapped with the next. @param {string} one @param {string} other */
function countEdits(one, other) {
  /** @type {number[][]} */
  const table = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (/** @type {number} */ row, /** @type {number} */ column) => table[row]?.[column] ?? Infinity;
  for (let row = 1; row <= one.length; row++) {
    table[row] = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      /** @type {number[]} */ (table[row])[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(row - 2, column - 2) + 1 : Infinity,
      );
    }
  }
  return at(one.length, other.length);
}
