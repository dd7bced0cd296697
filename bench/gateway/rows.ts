/** What `throughput.ts` measures. */
export interface Row {
  readonly title: string;
  /** As `stream-load.c` explains them. */
  readonly kind:
    | 'down'
    | 'up'
    | 'paced'
    | 'tunnels'
    | 'named-tunnels'
    | 'ping'
    | 'requests'
    | 'kept-requests'
    | 'idle'
    | 'stalled';
  readonly clients: number;
  /** Of each client; only for paced ones. */
  readonly bytesPerSecond?: number;
  /** What the figures count. */
  readonly unit: 'MB' | 'tunnel' | 'request' | 'message' | 'memory';
}

/** Several loads of so many clients each, which stay. What a program grows by at first is not what each further client costs. */
export interface MemoryRow extends Row {
  /** Of the loads after the first one. */
  readonly further: Row;
}

export const MEMORY_LOADS = 4;

const MEGABIT_BYTES = 125_000;

export const rows: readonly Row[] = [
  { title: '1 stream down', kind: 'down', clients: 1, unit: 'MB' },
  { title: '8 streams down', kind: 'down', clients: 8, unit: 'MB' },
  { title: '1 stream up', kind: 'up', clients: 1, unit: 'MB' },
  { title: '8 streams up', kind: 'up', clients: 8, unit: 'MB' },
  { title: '100 x 10 Mbit/s', kind: 'paced', clients: 100, bytesPerSecond: 10 * MEGABIT_BYTES, unit: 'MB' },
  { title: '20 x 100 Mbit/s', kind: 'paced', clients: 20, bytesPerSecond: 100 * MEGABIT_BYTES, unit: 'MB' },
  { title: 'new tunnels', kind: 'tunnels', clients: 16, unit: 'tunnel' },
  { title: 'new tunnels to a name', kind: 'named-tunnels', clients: 16, unit: 'tunnel' },
  { title: 'requests', kind: 'requests', clients: 16, unit: 'request' },
  { title: 'requests, keep-alive', kind: 'kept-requests', clients: 16, unit: 'request' },
  { title: 'messages of 1 KB', kind: 'ping', clients: 32, unit: 'message' },
];

/** Measured in fresh programs: later, what they have freed would be used again. */
export const memoryRows = ({ idle }: { readonly idle: number }): readonly MemoryRow[] => [
  memoryRow({ title: 'idle tunnels', kind: 'idle', clients: idle, unit: 'memory' }),
  memoryRow({ title: 'stalled readers', kind: 'stalled', clients: 64, unit: 'memory' }),
];

const memoryRow = (row: Row): MemoryRow => ({
  ...row,
  title: `first ${row.clients} ${row.title}`,
  further: { ...row, title: `each further of the ${row.title}` },
});
