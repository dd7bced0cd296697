/** Limit of requests to sources in tests that are not about it, so that a slow machine changes no outcome. */
export const PATIENT_MS = 120_000;
