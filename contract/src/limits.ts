/** Limits that forms, API and gateway must agree on. Limits that an operator may change are settings of the API. */

export const BYTES_PER_MEGABYTE = 1_048_576;
/** Paid at purchase, in megabytes. */
export const PREPAID_MEGABYTES = 50;
/** A proxy's `price` is for this many megabytes. */
export const PRICED_MEGABYTES = 100;

export const PAGE_SIZE = 50;
export const PAGE_SIZE_MAX = 100;
/** Stored per user; the oldest are deleted first. */
export const NOTIFICATIONS_MAX = 500;
/** Of a text that staff write, including its HTML. */
export const NOTIFICATION_DESCRIPTION_LENGTH_MAX = 1000;
export const NOTIFICATION_CONTENT_LENGTH_MAX = 5000;
/** How many users a broadcast can list by id; larger audiences use its filters. */
export const BROADCAST_USERS_MAX = 200;
export const PROXY_SEARCH_MAX = 50;
/** Values per filter group in one search. */
export const FILTER_VALUES_MAX = 100;
export const FILTER_VALUE_LENGTH_MAX = 120;

export const EMAIL_LENGTH_MAX = 254;
export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 350;
export const REFERRAL_CODE_LENGTH_MIN = 5;
export const REFERRAL_CODE_LENGTH_MAX = 30;
export const REFERRAL_EMAIL_LENGTH_MIN = 5;
export const REFERRAL_EMAIL_LENGTH_MAX = 150;
export const TRIAL_CREDIT_DOLLARS_MAX = 1000;
export const PROMO_CODE_CREDITS_MAX = 10_000_000;
export const PROMO_CODE_BUDGET_DOLLARS_MAX = 1_000_000;

/** Why staff block a user, or unblock them. */
export const STATUS_REASON_LENGTH_MAX = 500;

/** Addresses and networks on the allow-list of a connection. */
export const ALLOW_LIST_MAX = 20;
/** The largest networks that an allow-list may contain. */
export const ALLOW_LIST_IPV4_PREFIX_BITS_MIN = 24;
export const ALLOW_LIST_IPV6_PREFIX_BITS_MIN = 56;
/** Each listed network must contain a client address that used the connection's password within this time. */
export const ALLOW_LIST_USED_WITHIN_DAYS = 30;

export const INVOICE_DOLLARS_MIN = 5;
export const INVOICE_DOLLARS_MAX = 100_000;

export const TICKET_NAME_LENGTH_MIN = 5;
export const TICKET_NAME_LENGTH_MAX = 300;
export const TICKET_DESCRIPTION_LENGTH_MIN = 5;
export const TICKET_DESCRIPTION_LENGTH_MAX = 5000;
export const TICKET_MESSAGE_LENGTH_MAX = 5000;

export const FAQ_QUESTION_LENGTH_MIN = 5;
export const FAQ_QUESTION_LENGTH_MAX = 300;
export const FAQ_RESPONSE_LENGTH_MIN = 5;
export const FAQ_RESPONSE_LENGTH_MAX = 5000;
export const FAQ_POSITION_MAX = 10_000;

/** The reporting browser truncates longer texts; the first lines of a stack matter most. */
export const BROWSER_ERROR_NAME_LENGTH_MAX = 100;
export const BROWSER_ERROR_MESSAGE_LENGTH_MAX = 300;
export const BROWSER_ERROR_STACK_LENGTH_MAX = 2000;
export const BROWSER_ERROR_PATH_LENGTH_MAX = 200;

/** The timeout of one request of the web app and the typed client. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** The access token is refreshed when it ends within this time. */
export const REFRESH_MARGIN_MS = 10_000;
