/** Legal documents, in the order of the links. Separate from the endpoint, because pages list them without the client. */
export const legalDocuments = ['terms', 'acceptable-use', 'privacy', 'refunds', 'imprint'] as const;
export type LegalDocument = (typeof legalDocuments)[number];
