import { useEffect } from 'react';
import { useSettings } from '../data/settings.ts';

/** Sets the title of the browser's tab: page and brand, or the brand alone. */
export function useDocumentTitle(page?: string): void {
  const { brandName } = useSettings();
  useEffect(() => {
    document.title = page === undefined ? brandName : `${page} · ${brandName}`;
  }, [page, brandName]);
}
