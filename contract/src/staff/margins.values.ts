/** What a row of the report of margins is for. */
export const marginGroups = ['exit', 'node', 'country', 'operator'] as const;

/** Ten years. */
export const MARGIN_MONTHS_MAX = 120;
