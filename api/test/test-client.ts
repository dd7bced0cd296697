import { createClient } from '@cellhop/contract/client';

/** A client that waits as long as a busy machine takes. */
export const createTestClient: typeof createClient = (settings) => createClient({ timeoutMs: 120_000, ...settings });
