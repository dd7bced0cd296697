/** Legal documents, in the order of the links. Separate from the endpoint, because the landing page lists them without the client. */
export const legalDocuments = ['terms', 'acceptable-use', 'privacy', 'refunds', 'imprint'] as const;
export type LegalDocument = (typeof legalDocuments)[number];
