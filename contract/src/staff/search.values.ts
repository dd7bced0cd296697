export const foundKinds = ['USER', 'CONNECTION', 'PROXY', 'INVOICE', 'PROMO_CODE', 'TICKET'] as const;
export type FoundKind = (typeof foundKinds)[number];
/** Indexes of parts of texts need three characters. */
export const SEARCH_LENGTH_MIN = 3;
