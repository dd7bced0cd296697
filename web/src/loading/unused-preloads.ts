/**
 * boot/first-requests.js has preloaded the styles of a screen for signed-in users before the API refused their session, and visitors see
 * another screen. Browsers warn of preloads that nothing uses, so each is used once, for no medium.
 */
export function takeUnusedPreloads(): void {
  for (const { href } of document.querySelectorAll<HTMLLinkElement>('link[rel="preload"][as="style"]')) {
    if ([...document.styleSheets].some((sheet) => sheet.href === href)) continue;
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.media = 'not all';
    link.crossOrigin = '';
    link.href = href;
    // Then the screen that needs it adds its own.
    for (const event of ['load', 'error']) link.addEventListener(event, () => link.remove());
    document.head.append(link);
  }
}
