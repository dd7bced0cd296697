/** Limits that forms, API and gateway must agree on. Limits that an operator may change are settings of the API. */

export const BYTES_PER_MEGABYTE = 1_048_576;
/** Paid at purchase, in megabytes. */
export const PREPAID_MEGABYTES = 50;
/** A proxy's `price` is for this many megabytes. */
export const PRICED_MEGABYTES = 100;

export const PAGE_SIZE = 50;
export const PAGE_SIZE_MAX = 100;
/** Staff lists can be paged through up to this row, because counting or skipping more would read whole tables. Filters find the rest. */
export const LISTED_ROWS_MAX = 10_000;
/** How long addresses and devices of users are kept after their last use, and notifications and the list of sent emails. */
export const ADDRESS_DAYS = 365;
export const NOTICE_DAYS = 90;
/** Stored per user; the oldest are deleted first. */
export const NOTIFICATIONS_MAX = 500;
/** The limits of a text by staff, including its HTML. */
export const NOTIFICATION_DESCRIPTION_LENGTH_MAX = 1000;
export const NOTIFICATION_CONTENT_LENGTH_MAX = 5000;
/** How many users a broadcast can list by id; larger audiences use its filters. */
export const BROADCAST_USERS_MAX = 200;
/** How far ahead a broadcast can be scheduled, and how many may wait at once. */
export const BROADCAST_DAYS_AHEAD_MAX = 90;
export const SCHEDULED_BROADCASTS_MAX = 100;
/** Broadcasts that a member of staff sends to themselves first. */
export const TEST_BROADCASTS_PER_HOUR = 20;
/** The recipients of a broadcast are counted up to here, because counting all users takes seconds. */
export const RECIPIENTS_COUNTED_MAX = 100_000;
/** The largest balance in the filter of a broadcast. */
export const BALANCE_FILTER_DOLLARS_MAX = 1_000_000;
export const INVOICE_FILTER_DOLLARS_MAX = 1_000_000;
export const PROXY_SEARCH_MAX = 50;
/** Values per filter group in one search. */
export const FILTER_VALUES_MAX = 100;
export const FILTER_VALUE_LENGTH_MAX = 120;
/** Values per filter group that are counted under a filter: those with the most proxies. */
export const FACET_VALUES_MAX = 5000;

/** US dollars for 100 MB. The step makes the prices of one megabyte and of fifty exact. */
export const PROXY_PRICE_MAX = 10_000;
export const PROXY_PRICE_STEP = 0.0001;
/** The range of a price change by percent. */
export const PERCENT_MIN = -90;
export const PERCENT_MAX = 1000;
/** Proxies that one bulk change may touch: purchases of them wait until it is done. */
/** Proxies that are chosen one by one for a change: a page of the list. */
export const CHOSEN_PROXIES_MAX = 50;
export const BULK_PROXIES_MAX = 100_000;
/** Bulk changes and imports that the screen shows: the newest. */
export const INVENTORY_CHANGES_LISTED = 5;
/** An import: a file of this size has about 300,000 lines. */
export const IMPORT_BYTES_MAX = 32 * BYTES_PER_MEGABYTE;
export const IMPORT_ROWS_MAX = 200_000;
export const IMPORT_ERRORS_MAX = 100;
/** Of a checked file, shown as they were read. */
export const IMPORT_PREVIEW_ROWS = 100;
/** A file with so many errors is not read further. */
export const IMPORT_ERRORS_COUNTED_MAX = 1000;
export const NODE_NAME_LENGTH_MAX = 60;
export const NODES_MAX = 500;

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

/** Why staff change money or access. */
export const REASON_LENGTH_MIN = 3;
export const REASON_LENGTH_MAX = 500;

/** Users that one request may block: those of a page. */
export const BULK_USERS_MAX = 50;
/** Connections that one request of staff may end: those of a page. */
export const BULK_CONNECTIONS_MAX = 50;
/** Rows of an exported list of staff. */
export const EXPORT_ROWS_MAX = 100_000;
/** Related accounts that are listed, of each kind. */
export const RELATED_USERS_MAX = 20;

export const ROLE_NAME_LENGTH_MIN = 2;
export const ROLE_NAME_LENGTH_MAX = 30;
/** Checks of the exit of a connection that its customer may begin within an hour. */
export const CONNECTION_CHECKS_PER_HOUR_MAX = 6;
/** How many views as a user a member of staff may begin within an hour. */
export const VIEWS_PER_HOUR_MAX = 20;
/** All roles are returned in one list. */
export const ROLES_MAX = 100;

/** A smaller number of recipients is not told, because it would reveal something about single users. */
export const RECIPIENTS_TOLD_MIN = 10;
/** The largest correction of a balance, and the largest settlement of an invoice by hand. */
export const STAFF_AMOUNT_DOLLARS_MAX = 100_000;
/** Of those who may approve a request, so many are notified, and so many are named beforehand. */
export const APPROVERS_NOTIFIED_MAX = 50;
export const APPROVERS_NAMED_MAX = 10;
/** The largest number of waiting requests at the menu item; it stands for more as well. */
export const PENDING_COUNTED_MAX = 100;
/** Limit of each count of what needs attention. */
/** What staff see of the checks of an exit. */
export const EXIT_HISTORY_DAYS = 30;
export const ATTENTION_COUNTED_MAX = 100;
/** A mail that waits for the mail server for so long needs attention. */
export const LATE_MAIL_SECONDS = 15 * 60;
/** An undecided request lapses after this time. */
export const APPROVAL_HOURS_MAX = 72;
/** The sum of a customer's changes by staff in this time decides whether one needs approval. */
export const APPROVAL_SUM_HOURS = 24;

/** The highest balance at which a customer can be alerted. */
export const ALERT_DOLLARS_MAX = 100_000;
/** The largest traffic cap of a connection, in megabytes. */
export const CAP_MEGABYTES_MAX = 10_000_000;
/** Tunnels of one connection that are open at the same time; operators may allow fewer. */
export const CONNECTION_TUNNELS_MAX = 256;
/** The range of a connection's speed limit: 0.1 Mbit/s to 10 Gbit/s. */
export const CONNECTION_BYTES_PER_SECOND_MIN = 12_500;
export const CONNECTION_BYTES_PER_SECOND_MAX = 1_250_000_000;
/** The label that a customer gives a connection. */
export const CONNECTION_LABEL_LENGTH_MAX = 60;
/** The search text for a customer's connections. */
export const CONNECTION_SEARCH_LENGTH_MAX = 100;
/** Addresses and networks on the allow-list of a connection. */
export const ALLOW_LIST_MAX = 20;
/** The largest networks that an allow-list may contain. */
export const ALLOW_LIST_IPV4_PREFIX_BITS_MIN = 24;
export const ALLOW_LIST_IPV6_PREFIX_BITS_MIN = 56;
/** Client addresses that are offered for an allow-list, the last used first. */
export const RECENT_ADDRESSES_MAX = 20;
/** Each listed network must contain a client address that used the connection's password within this time. */
export const ALLOW_LIST_USED_WITHIN_DAYS = 30;

/** The company details on a customer's monthly statements. */
export const COMPANY_NAME_LENGTH_MAX = 200;
export const COMPANY_ADDRESS_LENGTH_MAX = 500;
export const TAX_ID_LENGTH_MAX = 40;
/** The longest range of a summary of transactions. */
export const SUMMARY_DAYS_MAX = 366;

export const INVOICE_DOLLARS_MIN = 5;
export const INVOICE_DOLLARS_MAX = 100_000;

export const TICKET_NAME_LENGTH_MIN = 5;
export const TICKET_NAME_LENGTH_MAX = 300;
export const TICKET_DESCRIPTION_LENGTH_MIN = 5;
export const TICKET_DESCRIPTION_LENGTH_MAX = 5000;
export const TICKET_MESSAGE_LENGTH_MAX = 5000;
/** A file in a ticket, all files of one message, of one ticket, and of one customer in all tickets. */
export const TICKET_FILE_BYTES_MAX = 5 * BYTES_PER_MEGABYTE;
export const TICKET_FILES_PER_MESSAGE_MAX = 3;
export const TICKET_FILES_BYTES_MAX = 20 * BYTES_PER_MEGABYTE;
export const USER_FILES_BYTES_MAX = 100 * BYTES_PER_MEGABYTE;
export const FILE_NAME_LENGTH_MAX = 100;
/** Of a picture, in pixels. */
export const PICTURE_SIDE_MAX = 16_384;
export const PICTURE_PIXELS_MAX = 64_000_000;
/** Internal notes of staff per ticket. */
export const TICKET_NOTES_MAX = 500;
/** The search text for tickets. Each of its words is a prefix. */
export const TICKET_WORDS_LENGTH_MIN = 2;
export const TICKET_WORDS_LENGTH_MAX = 100;
/** The most tickets in a search result, because common words match very many. */
export const TICKET_MATCHES_MAX = 1000;
export const CANNED_REPLIES_MAX = 200;
export const CANNED_REPLY_TITLE_LENGTH_MIN = 2;
export const CANNED_REPLY_TITLE_LENGTH_MAX = 100;
/** Staff to whom a ticket can be assigned. */
export const ASSIGNEES_MAX = 200;

export const FAQ_QUESTION_LENGTH_MIN = 5;
export const FAQ_QUESTION_LENGTH_MAX = 300;
export const FAQ_RESPONSE_LENGTH_MIN = 5;
export const FAQ_RESPONSE_LENGTH_MAX = 5000;
/** Customers get all entries in one response. */
export const FAQ_ENTRIES_MAX = 200;

/** The reporting browser truncates longer texts; the first lines of a stack matter most. */
export const BROWSER_ERROR_NAME_LENGTH_MAX = 100;
export const BROWSER_ERROR_MESSAGE_LENGTH_MAX = 300;
export const BROWSER_ERROR_STACK_LENGTH_MAX = 2000;
export const BROWSER_ERROR_PATH_LENGTH_MAX = 200;

/** The timeout of one request of the web app and the typed client. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** The access token is refreshed when it ends within this time. */
export const REFRESH_MARGIN_MS = 10_000;

/** More users of a role are not counted. */
export const ROLE_USERS_COUNTED_MAX = 1000;

/** Of an integer in PostgreSQL. */
export const RECEIPT_NUMBER_MAX = 2_147_483_647;
