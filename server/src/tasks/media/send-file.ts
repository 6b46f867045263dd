import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TaskMediaKind } from '@relay-hub/contract';
import type { HttpContext } from '#relay/types/call-types.ts';
import { callHeaders } from '#relay/reply/headers.ts';
import type { UpstreamStream } from '#relay/upstream/open-stream.ts';
import { TaskRefusal } from '#tasks/task-refusal.ts';
import { finalStatuses, type TaskRow } from '#tasks/task-rows.ts';
import { singleRange } from './byte-range.ts';
import { claimedType, extensionOf, HEAD_BYTES, isShownInline, mediaTypeOf } from './media-type.ts';
import type { OpenedFile } from './store/disk-store.ts';
import { openStored } from './store/media-store.ts';
import { filesOf } from './task-files.ts';
import { ExpiredAddress, openVendorFile } from './vendor-file.ts';

/** The parts of a request, to the relay or to the management API, that sending a file uses. */
export type FileContext = Pick<HttpContext, 'deps' | 'request' | 'response' | 'requestId'>;

const refusal = (status: number, code: string, message: string): TaskRefusal =>
  new TaskRefusal(status, message, status < 500 ? 3 : 9, {
    type: status < 500 ? 'invalid_request_error' : 'upstream_error',
    code,
  });

const noFile = () => refusal(404, 'media_not_found', 'The task has no such file.');
const expired = () =>
  refusal(410, 'media_expired', 'The file is no longer available: it is not stored here, and its address has expired.');
const notFetched = () => refusal(502, 'media_not_fetched', 'The file could not be fetched from the upstream.');

/** A file of a task, ready to be sent. */
interface OpenedMedia extends OpenedFile {
  name: string;
  /** Strong; undefined: the file may still change. */
  etag: string | undefined;
}

interface WantedFile {
  index: number;
  /** The preview instead of the file. */
  isCover: boolean;
}

/** Opens a file in the store, or else at the vendor. Throws 404, 410 and 502. */
export async function openMedia(
  { deps, request, response }: FileContext,
  task: TaskRow,
  { index, isCover }: WantedFile,
): Promise<OpenedMedia> {
  const stored = filesOf(task)[index];
  const file = stored && (isCover ? { ...stored, kind: 'image' as const, url: stored.cover, stored: '' } : stored);
  if (!file || (file.url === '' && (file.stored === '' || isCover))) throw noFile();
  const etag = finalStatuses.includes(task.status) ? `"${task.task_id}-${index}${isCover ? 'c' : ''}"` : undefined;
  const condition = request.headers['if-range'];
  const isCurrent = condition === undefined || condition === etag;
  const range = isCurrent ? singleRange(request.headers.range) : '';
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  const opened =
    (await openStored(deps, file, { range, signal: leaving.signal })) ??
    (file.url === '' ? undefined : await fromVendor());
  if (!opened) throw expired();
  const end = isCover ? 'cover' : String(index);
  return { ...opened, etag, name: `${task.task_id}-${end}.${extensionOf(opened.type)}` };

  async function fromVendor(): Promise<OpenedFile> {
    try {
      const answer = await openVendorFile(deps, { task, index, file: file!, range, signal: leaving.signal }); // checked above
      return await openedFrom(answer, file!.kind);
    } catch (error) {
      if (error instanceof ExpiredAddress) throw expired();
      const reason = error instanceof Error ? error.message : '';
      deps.log.info({ task: task.task_id, index, reason }, 'a result was not fetched');
      throw error instanceof TaskRefusal ? error : notFetched();
    }
  }
}

/** Checks by the first bytes that the vendor sends a picture, a sound or a video. */
async function openedFrom({ status, headers, body }: UpstreamStream, kind: TaskMediaKind): Promise<OpenedFile> {
  const claim = headers['content-type'] ?? '';
  const [, start, end, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '') ?? [];
  if (status === 416) {
    body.destroy();
    const size = /^bytes \*\/(\d{1,15})$/.exec(headers['content-range'] ?? '')?.[1];
    return {
      status: 416,
      size: size === undefined ? undefined : Number(size),
      type: claimedType(claim, kind),
      body: undefined,
    };
  }
  const range = status === 206 && start !== undefined ? { start: Number(start), end: Number(end) } : undefined;
  if (status === 206 && !range) {
    body.destroy();
    throw notFetched();
  }
  // In the middle of a file there is nothing to check; `nosniff` keeps the browser from guessing.
  if (range && range.start > 0)
    return { status: 206, size: Number(total), range, type: claimedType(claim, kind), body };
  const { head, whole } = await peek(body);
  const isPart = range !== undefined && range.end < HEAD_BYTES;
  const type = mediaTypeOf(head, kind) ?? (isPart ? claimedType(claim, kind) : undefined);
  if (type === undefined) {
    whole.destroy();
    throw notFetched();
  }
  const length = Number(headers['content-length'] ?? Number.NaN);
  return range
    ? { status: 206, size: Number(total), range, type, body: whole }
    : { status: 200, size: Number.isSafeInteger(length) ? length : undefined, type, body: whole };
}

/** The first bytes of a stream, and the stream with them. */
async function peek(body: Readable): Promise<{ head: Buffer; whole: Readable }> {
  const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let head = Buffer.alloc(0);
  while (head.length < HEAD_BYTES) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
    } finally {
      body.destroy();
    }
  }
  const whole = Readable.from(all(), { objectMode: false });
  whole.once('close', () => body.destroy());
  return { head, whole };
}

/** Nothing in a file runs, loads or frames anything, whatever a browser takes it for. */
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; sandbox";
const KEPT_S = 3600;

/** Sends an open file as fast as the requester reads. A requester who leaves ends the transfer from the vendor. */
export async function sendOpened(
  { deps, request, response, requestId }: FileContext,
  task: TaskRow,
  { status, size, range, type, body, name, etag }: OpenedMedia,
): Promise<void> {
  if (response.destroyed) return void body?.destroy();
  const isUnchanged = etag !== undefined && status === 200 && isNamed(request.headers['if-none-match'], etag);
  const length = range ? range.end - range.start + 1 : size;
  const headers = {
    ...callHeaders(requestId),
    'accept-ranges': 'bytes',
    'cache-control': etag === undefined ? 'private, no-store' : `private, max-age=${KEPT_S}`,
    'content-security-policy': filePolicy,
    'x-content-type-options': 'nosniff',
    ...(etag !== undefined && { etag }),
  };
  if (status === 416 || isUnchanged || !body) {
    body?.destroy();
    if (isUnchanged) response.writeHead(304, headers).end();
    else
      response.writeHead(416, { ...headers, 'content-range': `bytes */${size ?? '*'}`, 'content-length': '0' }).end();
    return;
  }
  response.writeHead(status, {
    ...headers,
    'content-type': type,
    'content-disposition': `${isShownInline(type) ? 'inline' : 'attachment'}; filename="${name}"`,
    ...(length !== undefined && { 'content-length': String(length) }),
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${size ?? '*'}` }),
  });
  if (request.method === 'HEAD') {
    body.destroy();
    response.end();
    return;
  }
  try {
    await pipeline(body, response);
  } catch (error) {
    // The requester left, or the vendor stopped: both connections are closed, and there is nothing left to answer.
    const reason = error instanceof Error ? error.message : '';
    deps.log.debug({ task: task.task_id, reason }, 'a result was not sent to its end');
  }
}

const isNamed = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
