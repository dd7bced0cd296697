/** The HTML tags that a notification may contain; `a` has only `href`, to an https address or a path of the web app. */
export const notificationTags = ['a', 'b', 'i', 'br', 'p', 'ul', 'li'] as const;

export type NotificationTag = (typeof notificationTags)[number];

/** A notification may link to https addresses and to pages of the web app only. */
export function isNotificationLink(href: string): boolean {
  return /^https:\/\/[^\s/\\]/i.test(href) || /^\/(?![/\\])[^\s\\]*$/.test(href);
}
