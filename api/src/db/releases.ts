/** The releases that may run on the schema of this one: itself, and during an upgrade the one before. A test compares releases.json. */
export const releases = { oldest: '0.4.0', own: '0.5.0' } as const;
