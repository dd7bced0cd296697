/**
 * Translators of browsers put each text of a page into elements of their own. React keeps a text node and the parent that it had, so
 * its next change next to the text would fail, and with it the page: a node can be removed from its parent only, and nothing can be
 * inserted before a child of another one (https://github.com/facebook/react/issues/11538). No markup of ours avoids this everywhere,
 * because libraries render texts beside elements too.
 */
export function acceptTranslators(): void {
  // Methods of the browser, which are called with their node.
  // oxlint-disable-next-line typescript/unbound-method
  const { removeChild, insertBefore } = Node.prototype;
  Node.prototype.removeChild = function <T extends Node>(this: Node, child: T): T {
    if (!isTranslated(this, child)) return removeChild.call(this, child) as T;
    const wrapper = childAround(this, child);
    if (wrapper) removeChild.call(this, wrapper);
    return child;
  };
  Node.prototype.insertBefore = function <T extends Node>(this: Node, node: T, next: Node | null): T {
    const before = next !== null && isTranslated(this, next) ? childAround(this, next) : next;
    return insertBefore.call(this, node, before) as T;
  };
}

/** Translators move texts only; with elements it would be an error of ours. */
function isTranslated(parent: Node, child: Node): boolean {
  return child.nodeType === Node.TEXT_NODE && child.parentNode !== parent;
}

/** @returns null if the translator has replaced the text */
function childAround(parent: Node, text: Node): Node | null {
  let node: Node | null = text;
  while (node !== null && node.parentNode !== parent) node = node.parentNode;
  return node;
}
