import { createHash, createHmac } from 'node:crypto';
import type { Headers, Unsigned } from '../provider.ts';

export interface AwsKey {
  accessKeyId: string;
  secretAccessKey: string;
  /** Empty for keys that last. */
  sessionToken: string;
}

/**
 * The headers that sign a request to one of Amazon's services: Signature Version 4, with the whole body hashed. Segments
 * of the path are encoded twice, as all services but S3 want it.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
 */
export function signedHeaders(
  { method, url, headers, body }: Unsigned,
  { accessKeyId, secretAccessKey, sessionToken }: AwsKey,
  { region, service }: { region: string; service: string },
  now: number,
): Headers {
  const { host, pathname, searchParams } = new URL(url);
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  const added: Headers = {
    host,
    'x-amz-date': time,
    ...(sessionToken !== '' && { 'x-amz-security-token': sessionToken }),
  };
  const signed = Object.entries({ ...onlySigned(headers), ...added }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    method,
    pathname.split('/').map(encoded).join('/'),
    canonicalQuery(searchParams),
    ...signed.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const toSign = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n');
  const key = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  const credential = `${accessKeyId}/${scope.join('/')}`;
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** What stands between us and the service may change other headers. */
const onlySigned = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => name === 'content-type' || name.startsWith('x-amz-')),
  );

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&');

/** More than `encodeURIComponent` leaves as it is has to be encoded. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();
