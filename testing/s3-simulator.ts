import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface S3Account {
  accessKey: string;
  secretKey: string;
  region: string;
}

/** A store with Amazon's S3 API on this machine: objects are put and read by signed requests. */
export interface S3Simulator {
  url: string;
  /** By path, bucket included. */
  objects: Map<string, { bytes: Buffer; type: string }>;
  /** Error codes of refused requests. */
  refusals: string[];
  /** Answers to the next requests instead. */
  failing: number;
  close(): Promise<void>;
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Requests are checked by the algorithm that Amazon documents, without the library that signs them. */
export async function startS3(account: S3Account): Promise<S3Simulator> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const refuse = (status: number, code: string): void => {
        simulator.refusals.push(code);
        response
          .writeHead(status, { 'content-type': 'application/xml' })
          .end(`<Error><Code>${code}</Code><Message>refused</Message></Error>`);
      };
      if (simulator.failing > 0) {
        simulator.failing--;
        return refuse(503, 'SlowDown');
      }
      const code = problemOf(request, body, account);
      if (code !== undefined) return refuse(403, code);
      const path = request.url ?? '';
      if (request.method === 'PUT') {
        simulator.objects.set(path, { bytes: body, type: request.headers['content-type'] ?? '' });
        response.writeHead(200, { etag: `"${sha256(body).slice(0, 32)}"` }).end();
        return;
      }
      const stored = simulator.objects.get(path);
      if (!stored) return refuse(404, 'NoSuchKey');
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      if (from === undefined) response.writeHead(200, { 'content-length': stored.bytes.length }).end(stored.bytes);
      else
        response
          .writeHead(206, { 'content-range': `bytes ${from}-${to}/${stored.bytes.length}` })
          .end(stored.bytes.subarray(Number(from), Number(to) + 1));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on a TCP port
  const simulator: S3Simulator = {
    url: `http://127.0.0.1:${port}`,
    objects: new Map(),
    refusals: [],
    failing: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return simulator;
}

/** The error code for a request that is not signed as it should be. */
function problemOf(request: IncomingMessage, body: Buffer, { accessKey, secretKey, region }: S3Account) {
  const { method = '', url = '', headers } = request;
  const text = (name: string): string => String(headers[name] ?? '');
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, key, day = '', signedRegion, names = '', signature] = form.exec(text('authorization')) ?? [];
  if (signature === undefined || key !== accessKey || signedRegion !== region) return 'InvalidAccessKeyId';
  if (text('x-amz-content-sha256') !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const signed = names.split(';');
  if (!signed.includes('host') || !signed.includes('x-amz-date') || !signed.includes('x-amz-content-sha256'))
    return 'AccessDenied';
  const [path = '', query = ''] = url.split('?');
  const lines = signed.map((name) => `${name}:${text(name).trim()}\n`).join('');
  const canonical = [method, path, query, lines, names, text('x-amz-content-sha256')].join('\n');
  const date = text('x-amz-date');
  const toSign = ['AWS4-HMAC-SHA256', date, `${day}/${region}/s3/aws4_request`, sha256(canonical)].join('\n');
  const signingKey = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secretKey}`, day), region));
  return hmac(signingKey, toSign).toString('hex') === signature && date.startsWith(day)
    ? undefined
    : 'SignatureDoesNotMatch';
}
