/** What is for sale now, for visitors. Without the client, like the settings (data/settings.ts). */
import type { FixedUrl } from '@cellhop/contract/endpoints';
import type { Stock } from '@cellhop/contract/proxies';
import { useEffect, useState } from 'react';
import { takeEarlyResponse } from '../../data/early-responses.ts';

const STOCK_URL: FixedUrl = '/v1/proxies/stock';
const TIMEOUT_MS = 10_000;
const REFRESH_MS = 60_000;

export interface KnownStock extends Stock {
  /** When the free proxies were counted, by the clock of this device. */
  countedAt: string;
}

/** Undefined until it is known, null if it could not be loaded. Read again every minute while the page is visible. */
export function useStock(): KnownStock | null | undefined {
  const [stock, setStock] = useState<KnownStock | null>();
  useEffect(() => {
    const controller = new AbortController();
    const read = () => {
      if (document.visibilityState === 'hidden') return;
      const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      fetchStock(signal).then(setStock, () => {
        // The last stock stays: it is shown with its age.
        if (!controller.signal.aborted) setStock((last) => last ?? null);
      });
    };
    read();
    const timer = setInterval(read, REFRESH_MS);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, []);
  return stock;
}

async function fetchStock(signal: AbortSignal): Promise<KnownStock> {
  const response = await (takeEarlyResponse(STOCK_URL, { signal }) ?? fetch(STOCK_URL, { signal }));
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const { data } = (await response.json()) as { data: Stock };
  return { ...data, countedAt: new Date(Date.now() - data.countedSecondsAgo * 1000).toISOString() };
}
