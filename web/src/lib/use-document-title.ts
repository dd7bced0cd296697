import { useEffect } from 'react';
import { useSettings } from './settings.ts';

/** Names the browser's tab; without a page name the brand stands alone. */
export function useDocumentTitle(page?: string): void {
  const { brandName } = useSettings();
  useEffect(() => {
    document.title = page === undefined ? brandName : `${page} · ${brandName}`;
  }, [page, brandName]);
}
