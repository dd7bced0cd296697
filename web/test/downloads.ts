import { onTestFinished, vi } from 'vitest';

interface Download {
  name: string;
  text: () => Promise<string>;
}

/** @returns the files that `downloadText` saves during this test, in order */
export function catchDownloads(): Download[] {
  const downloads: Download[] = [];
  const urls = vi.spyOn(URL, 'createObjectURL');
  const clicks = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    const file = urls.mock.lastCall?.[0] as Blob;
    downloads.push({ name: this.download, text: () => file.text() });
  });
  onTestFinished(() => {
    urls.mockRestore();
    clicks.mockRestore();
  });
  return downloads;
}
