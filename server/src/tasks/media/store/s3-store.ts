import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Deps } from '#deps.ts';
import { signedHeaders } from '#providers/signing/sig-v4.ts';
import type { StreamQuery, UpstreamStream } from '#relay/upstream/open-stream.ts';
import type { Settings } from '#settings.ts';
import { rangeWithin } from '../byte-range.ts';
import type { OpenedFile } from './disk-store.ts';
import type { SpooledFile } from './spool-file.ts';

type S3Deps = Pick<Deps, 'upstreams' | 'live'>;

const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Stores a complete file in the bucket. Rejects if the service does not confirm it. */
export async function putInBucket(deps: S3Deps, name: string, file: SpooledFile): Promise<void> {
  const answer = await askBucket(deps, name, {
    method: 'PUT',
    headers: {
      'content-type': file.type,
      'content-length': String(file.bytes),
      'x-amz-content-sha256': file.sha256,
    },
    body: createReadStream(file.path),
  });
  if (answer.status !== 200) throw new Error(`the store answered ${answer.status} ${await codeOf(answer)}`);
  answer.body.destroy();
}

interface StoredObject {
  name: string;
  type: string;
  bytes: number;
}

/** Undefined: the bucket has no such file. Rejects for other answers. */
export async function openInBucket(
  deps: S3Deps,
  { name, type, bytes: size }: StoredObject,
  { range, signal }: { range: string; signal?: AbortSignal | undefined },
): Promise<OpenedFile | undefined> {
  const part = rangeWithin(range, size);
  if (part === 'outside') return { status: 416, size, type, body: undefined };
  const answer = await askBucket(deps, name, {
    method: 'GET',
    headers: part === 'whole' ? {} : { range: `bytes=${part.start}-${part.end}` },
    signal,
  });
  const { status, body } = answer;
  if (status === 206 && part !== 'whole') return { status, size, range: part, type, body };
  if (status === 200) return { status, size, type, body };
  const code = await codeOf(answer);
  if (status === 404) return undefined;
  throw new Error(`the store answered ${status} ${code}`);
}

async function askBucket(
  { upstreams, live }: S3Deps,
  name: string,
  query: Pick<StreamQuery, 'method' | 'headers' | 'body' | 'signal'>,
): Promise<UpstreamStream> {
  const { settings } = live;
  const { baseUrl, path } = addressOf(settings, name);
  const { 'content-length': length, ...given } = query.headers;
  const headers = { 'x-amz-content-sha256': emptyHash, ...given };
  const signature = await signedHeaders(
    { method: query.method, url: baseUrl + path, headers, body: Buffer.alloc(0) },
    {
      accessKeyId: settings.TaskMediaS3AccessKey,
      secretAccessKey: settings.TaskMediaS3SecretKey,
      sessionToken: '',
    },
    { region: settings.TaskMediaS3Region, service: 's3' },
    Date.now(),
  );
  return upstreams.open({
    ...query,
    baseUrl,
    path,
    headers: { ...headers, ...(length !== undefined && { 'content-length': length }), ...signature },
  });
}

/** Names consist of characters that are the same when they are encoded. */
function addressOf(settings: Settings, name: string): { baseUrl: string; path: string } {
  const { TaskMediaS3Bucket: bucket, TaskMediaS3PathStyle: inPath } = settings;
  const prefix = settings.TaskMediaS3Prefix.replace(/\/+$/, '');
  const key = prefix === '' ? `/${name}` : `/${prefix}/${name}`;
  if (inPath) return { baseUrl: settings.TaskMediaS3Endpoint, path: `/${bucket}${key}` };
  const url = new URL(settings.TaskMediaS3Endpoint);
  url.hostname = `${bucket}.${url.hostname}`;
  return { baseUrl: url.href.replace(/\/$/, ''), path: key };
}

const LARGEST_ERROR = 64 * 1024;

/** The error code in an answer, for the log. */
async function codeOf({ headers, body }: UpstreamStream): Promise<string> {
  if (Number(headers['content-length'] ?? 0) > LARGEST_ERROR) {
    body.destroy();
    return '';
  }
  return /<Code>(\w{1,60})<\/Code>/.exec(await text(body).catch(() => ''))?.[1] ?? ''; // the status is enough
}
