import { createHmac, hkdfSync } from 'node:crypto';
import { isSameSecret } from '#secrets.ts';

/** The token of links that stop mails of announcements to a user. It does nothing else and never ends. */
export const unsubscribeToken = (secretKey: string, userId: number): string =>
  `${userId}.${createHmac('sha256', Buffer.from(hkdfSync('sha256', secretKey, 'relay-hub', 'unsubscribe', 32)))
    .update(String(userId))
    .digest('base64url')}`;

/** The user of a token; undefined: it is not genuine. */
export function subscriberOf(secretKey: string, token: string): number | undefined {
  const id = Number(/^(\d{1,15})\./.exec(token)?.[1]);
  return Number.isSafeInteger(id) && isSameSecret(token, unsubscribeToken(secretKey, id)) ? id : undefined;
}

/** Headers by which mail programs offer to unsubscribe with one click (RFC 8058). */
export const unsubscribeHeaders = (site: string, token: string): Record<string, string> => ({
  'List-Unsubscribe': `<${site}/api/announcement/unsubscribe/${token}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});
