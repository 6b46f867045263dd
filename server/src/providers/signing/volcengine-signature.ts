import { createHash, createHmac } from 'node:crypto';
import type { Headers, Unsigned } from '../provider.ts';
import { keyParts } from '../target.ts';
import { BadKey } from './bad-key.ts';

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/**
 * Headers that sign a request to a service of Volcengine. The key is `AccessKey|SecretKey`; throws `BadKey` for another.
 * Source: volcengine/volcengine-python-sdk.
 */
export function volcengineHeaders(
  { method, url, headers, body }: Unsigned,
  key: string,
  { region, service }: { region: string; service: string },
  now: number,
): Headers {
  const { access, secret } = keyParts(key, 'access', 'secret');
  if (access === '' || secret === '') throw new BadKey('The key must be an access key and a secret key, joined by |.');
  const { host, pathname, searchParams } = new URL(url);
  const date = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = date.slice(0, 8);
  const hash = sha256(body);
  const signed: [string, string][] = [
    ['content-type', headers['content-type'] ?? 'application/json'],
    ['host', host],
    ['x-content-sha256', hash],
    ['x-date', date],
  ];
  const names = signed.map(([name]) => name).join(';');
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('');
  const canonical = [method, pathname, sortedQuery(searchParams), lines, names, hash].join('\n');
  const scope = `${day}/${region}/${service}/request`;
  const toSign = ['HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const signingKey = [day, region, service, 'request'].reduce<string | Buffer>(hmac, secret);
  const signature = hmac(signingKey, toSign).toString('hex');
  return {
    ...Object.fromEntries(signed),
    authorization: `HMAC-SHA256 Credential=${access}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function sortedQuery(query: URLSearchParams): string {
  const sorted = [...query].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}
