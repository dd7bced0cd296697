import { type NotificationText, notificationTextSchema } from '@cellhop/contract/staff/notifications.forms';
import { z } from 'zod';

/** Empty details are left out. */
export const notificationForm = z
  .object({
    description: notificationTextSchema.shape.description,
    content: z
      .string()
      .transform((text) => (text.trim() === '' ? undefined : text))
      .pipe(notificationTextSchema.shape.content),
  })
  .transform(({ description, content }): NotificationText => ({
    description,
    ...(content !== undefined && { content }),
  }));
export type NotificationForm = z.input<typeof notificationForm>;

export const emptyNotification: NotificationForm = { description: '', content: '' };
