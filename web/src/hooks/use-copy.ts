import { useEffect, useState } from 'react';

const COPIED_MS = 2000;

/** Copies text; `isCopied` is true for two seconds afterwards. */
export function useCopy(): { isCopied: boolean; copy: (text: string) => Promise<void> } {
  const [copiedAt, setCopiedAt] = useState<number>();
  useEffect(() => {
    if (copiedAt === undefined) return undefined;
    const timer = setTimeout(() => setCopiedAt(undefined), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copiedAt]);

  async function copy(text: string) {
    if (await writeToClipboard(text)) setCopiedAt(Date.now());
  }
  return { isCopied: copiedAt !== undefined, copy };
}

/** The Clipboard API exists in secure contexts only; plain http on a local network needs `execCommand`. */
async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  // The focus trap of an open dialog allows only its own elements to be focused.
  const parent = document.activeElement?.closest('[role="dialog"]') ?? document.body;
  parent.append(area);
  const focused = document.activeElement;
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isDone;
}
