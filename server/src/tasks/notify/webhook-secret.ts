import { createHmac, hkdfSync } from 'node:crypto';

const keyOf = (secretKey: string, userId: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, 'relay-hub', `caller webhooks ${userId}`, 32));

/** The secret by which a user checks the notifications of their tasks, in the form of Standard Webhooks. */
export const webhookSecret = (secretKey: string, userId: number): string =>
  `whsec_${keyOf(secretKey, userId).toString('base64')}`;

interface SignedMessage {
  id: string;
  /** Unix seconds. */
  timestamp: number;
  body: string;
}

/** Headers of a notification: https://www.standardwebhooks.com. */
export const webhookHeaders = (
  secretKey: string,
  userId: number,
  { id, timestamp, body }: SignedMessage,
): Record<string, string> => {
  const signature = createHmac('sha256', keyOf(secretKey, userId)).update(`${id}.${timestamp}.${body}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature.digest('base64')}`,
  };
};
