import { isNotificationLink, notificationTags } from '@cellhop/contract/notifications.values';
import { useRouter } from '@tanstack/react-router';
import { createElement, Fragment, type MouseEvent, type ReactNode, useMemo } from 'react';

interface NotificationHtmlProps {
  html: string;
  /** The user followed a link inside the app. Undefined: such links are only underlined, because the reader is not the user. */
  onLeave: (() => void) | undefined;
}

/**
 * Renders a notification's HTML. It is parsed into an inert document, where nothing is loaded or executed, and rebuilt
 * from an allowlist: everything else becomes plain text or is removed.
 */
export function NotificationHtml({ html, onLeave }: NotificationHtmlProps) {
  const router = useRouter();
  const document = useMemo(() => new DOMParser().parseFromString(html, 'text/html'), [html]);

  function follow(event: MouseEvent<HTMLAnchorElement>, href: string) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onLeave?.();
    router.history.push(href);
  }

  function show(node: Node, key: number): ReactNode {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent;
    if (!(node instanceof Element) || UNREADABLE.has(node.localName)) return null;
    const children = [...node.childNodes].map(show);
    const tag = notificationTags.find((allowed) => allowed === node.localName);
    if (tag === 'br') return <br key={key} />;
    if (tag === 'a') return showLink(node.getAttribute('href') ?? '', key, children);
    return createElement(tag ?? Fragment, { key }, ...children);
  }

  function showLink(href: string, key: number, children: ReactNode[]): ReactNode {
    if (!isNotificationLink(href)) return <Fragment key={key}>{children}</Fragment>;
    const isOwn = href.startsWith('/');
    if (isOwn && onLeave === undefined) return <u key={key}>{children}</u>;
    const way = isOwn
      ? { onClick: (event: MouseEvent<HTMLAnchorElement>) => follow(event, href) }
      : { target: '_blank', rel: 'noopener noreferrer' };
    return createElement('a', { key, href, ...way }, ...children);
  }

  return [...document.body.childNodes].map(show);
}

/** Elements whose content is not text for users. */
const UNREADABLE = new Set(['script', 'style', 'template', 'textarea', 'title', 'noscript', 'iframe', 'svg', 'math']);
