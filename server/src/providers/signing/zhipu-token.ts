import { createHmac } from 'node:crypto';

const HALF_HOUR_MS = 30 * 60_000;

const ownForm = /^[0-9a-f]{32}\.\w{8,64}$/;

/**
 * Signs a token with a key of the form `id.secret`, so that the secret is never sent; other keys are returned
 * unchanged.
 * https://docs.bigmodel.cn/api-reference
 */
export function zhipuToken(key: string, now: number): string {
  if (!ownForm.test(key)) return key;
  const [id, secret = ''] = key.split('.');
  const header = { alg: 'HS256', sign_type: 'SIGN' };
  const claims = { api_key: id, exp: now + HALF_HOUR_MS, timestamp: now };
  const unsigned = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${unsigned}.${createHmac('sha256', secret).update(unsigned).digest('base64url')}`;
}
