import { createHmac, hkdfSync } from 'node:crypto';
import { isSameSecret } from '#secrets.ts';

const signatureOf = (secretKey: string, taskId: string): string =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', secretKey, 'relay-hub', 'task notifications', 32)))
    .update(taskId)
    .digest('base64url');

/** Path for an upstream's notifications about one task, with a signature. */
export const notifyPath = (secretKey: string, taskId: string): string =>
  `/mj/notify/${taskId}/${signatureOf(secretKey, taskId)}`;

export const isNotifyPath = (secretKey: string, taskId: string, signature: string): boolean =>
  isSameSecret(signature, signatureOf(secretKey, taskId));
