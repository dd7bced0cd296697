/** Orders, views, states and kinds of the lists of staff. */

/** A leading minus: descending. The first is the default, as in the other lists. */
export const connectionSorts = ['-createdAt', 'createdAt'] as const;
export type ConnectionSort = (typeof connectionSorts)[number];

export const invoiceSorts = ['-createdAt', 'createdAt', '-amount', 'amount'] as const;

export type InvoiceSort = (typeof invoiceSorts)[number];

export const userSorts = ['-createdAt', 'createdAt', 'email', '-email'] as const;

/**
 * Why two accounts may belong to one person. SAME_PERSON: their normalized addresses are equal. SAME_PAYER: one transaction or one
 * wallet paid to both.
 * SAME_CLIENT: open connections of both are used from one address, or were bought there. The others are weak hints, because carriers
 * put thousands behind one address: both have signed in from one network, perhaps with the same kind of device.
 */
export const accountRelations = [
  'SAME_PERSON',
  'SAME_PAYER',
  'SAME_CLIENT',
  'SAME_NETWORK_AND_DEVICE',
  'SAME_NETWORK',
] as const;
export type AccountRelation = (typeof accountRelations)[number];

/** Why one of several users is not blocked; the others are. */
export const blockRefusals = ['NOT_FOUND', 'PERMISSION_LACKING', 'LAST_ADMINISTRATOR'] as const;

/** Shorter texts would be found by reading all emails. */
export const EMAIL_PART_LENGTH_MIN = 3;

/**
 * `open`: newest first. `mine`: those assigned to the caller. `waiting`: the customer waits for staff, the longest wait first.
 * `oldest`: open, oldest first. `all` has closed ones too, newest first.
 */
export const ticketViews = ['all', 'open', 'mine', 'waiting', 'oldest'] as const;

/** REFUND: of a connection. PROMO_CODE: one with a trial credit. RELEASE: of a held payment, above its market price. */
export const requestKinds = ['ADJUSTMENT', 'REFUND', 'SETTLEMENT', 'PROMO_CODE', 'RELEASE', 'ASSIGNMENT'] as const;
export type RequestKind = (typeof requestKinds)[number];

/** Requests that one permission decides are in one list. */
export const requestLists = {
  ADJUSTMENT: ['ADJUSTMENT', 'REFUND'],
  SETTLEMENT: ['SETTLEMENT', 'RELEASE', 'ASSIGNMENT'],
  PROMO_CODE: ['PROMO_CODE'],
} as const satisfies Record<string, readonly RequestKind[]>;
export type RequestList = keyof typeof requestLists;

export const requestStatuses = ['PENDING', 'APPLIED', 'APPROVED', 'REJECTED', 'LAPSED'] as const;

export type RequestStatus = (typeof requestStatuses)[number];

/** RETRYING: it has failed and will run again by itself. */
export const jobStates = ['FAILED', 'RETRYING', 'RUNNING', 'WAITING'] as const;

export type JobState = (typeof jobStates)[number];

export const foundKinds = ['USER', 'CONNECTION', 'PROXY', 'INVOICE', 'PROMO_CODE', 'TICKET'] as const;
export type FoundKind = (typeof foundKinds)[number];
/** How an address leads to a user: they signed in from it, their program uses it as a client of a connection, or they pay to it (or by the transaction). */
export const addressUses = ['SIGN_IN', 'CLIENT', 'PAYMENT'] as const;
export type AddressUse = (typeof addressUses)[number];
/** Indexes of parts of texts need three characters. */
export const SEARCH_LENGTH_MIN = 3;

export const timelineKinds = ['ACCOUNT', 'STAFF', 'MONEY', 'PURCHASE', 'END', 'TICKET', 'NOTIFICATION'] as const;
export type TimelineKind = (typeof timelineKinds)[number];
