/** Puts each text of the page into two elements, as the translators of browsers do. Self-contained, because it also runs in browsers. */
export function wrapTexts(): void {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    if (text.data.trim() === '' || /^(?:SCRIPT|STYLE|TEXTAREA|FONT)$/.test(text.parentElement?.tagName ?? '')) continue;
    const outer = document.createElement('font');
    text.replaceWith(outer);
    outer.append(document.createElement('font'));
    outer.firstElementChild!.append(text);
  }
}
