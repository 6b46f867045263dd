import type { Headers, Unsigned } from '../provider.ts';

export interface AwsKey {
  accessKeyId: string;
  secretAccessKey: string;
  /** Empty for permanent keys. */
  sessionToken: string;
}

/**
 * Headers that sign a request to an AWS service (Signature Version 4, body hashed) with Amazon's library.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
 */
export async function signedHeaders(
  { method, url, headers, body }: Unsigned,
  { accessKeyId, secretAccessKey, sessionToken }: AwsKey,
  { region, service }: { region: string; service: string },
  now: number,
): Promise<Headers> {
  // Loaded on first use.
  const [{ SignatureV4 }, { Hash }] = await Promise.all([import('@smithy/signature-v4'), import('@smithy/hash-node')]);
  const signer = new SignatureV4({
    region,
    service,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== '' && { sessionToken }) },
    sha256: Hash.bind(null, 'sha256'),
    // Only S3 needs the hash in a header, which its caller sets, and signs paths as they are.
    applyChecksum: false,
    uriEscapePath: service !== 's3',
  });
  const { protocol, hostname, host, pathname, searchParams } = new URL(url);
  const given = onlySigned(headers);
  const signed = await signer.sign(
    { method, protocol, hostname, path: pathname, query: valuesOf(searchParams), headers: { ...given, host }, body },
    { signingDate: new Date(now) },
  );
  return Object.fromEntries(Object.entries(signed.headers).filter(([name]) => !(name in given)));
}

/** Proxies on the way may change other headers. */
const onlySigned = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => name === 'content-type' || name.startsWith('x-amz-')),
  );

const valuesOf = (query: URLSearchParams): Record<string, string[]> =>
  Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]));
