import { isObject, objectOr, textOr, type Json } from '#json.ts';
import { BadReply } from '#chat/chat-errors.ts';
import type { CallTarget, Job, ProviderWire } from '#providers/operation.ts';
import { faultOfPrediction, outputOf } from './prediction.ts';
import { ReplicateStreamReader } from './replicate-stream-reader.ts';
import { writeReplicateRequest } from './write-replicate-request.ts';

/**
 * Chats as predictions: the messages become one prompt and a system prompt. The reason for the end of an answer is not
 * reported. https://replicate.com/docs/reference/http#predictions.create
 */
export const replicateWire: ProviderWire = {
  id: 'replicate',
  writeRequest: writeReplicateRequest,
  readReply(json, { usage }) {
    const fault = faultOfPrediction(json);
    if (fault) throw new BadReply(fault);
    const text = outputOf(json);
    if (text === '') throw new BadReply({ code: 'bad_reply', message: 'the prediction has no text' });
    const id = textOr(objectOr(json)['id'], undefined);
    return { id, parts: [{ type: 'text', text }], finish: 'stop', usage: usage.read(usage.find(json)) };
  },
  streamReader: (options) => new ReplicateStreamReader(options),
  dropped: [
    { field: 'tools', why: 'the wire has no such field' },
    ...['format', 'reasoning', 'verbosity', 'user', 'serviceTier', 'cacheKey', 'modalities', 'webSearch'].map(
      (field) => ({ field, why: 'the wire has no such field' }),
    ),
    { field: 'messages.name', why: 'the wire has no such field' },
    { field: 'messages.parts.thinking', why: 'the wire has no such field' },
    { field: 'messages.parts.cache', why: 'the vendor has no such marks' },
    { field: 'messages.parts.image.detail', why: 'the wire has no such field' },
    { field: 'messages.parts.tool_result.isError', why: 'results become text of the prompt' },
  ],
};

const ended = new Set<unknown>(['succeeded', 'failed', 'canceled', 'aborted']);

/** The prediction's own addresses are not used: its id leads to it on the channel's host. */
export const replicateJob: Job = (reply, target) => {
  if (!isObject(reply)) return undefined;
  const { id, status, urls } = reply;
  if (typeof id !== 'string' || !/^[\w-]{1,128}$/.test(id)) return undefined;
  const path = `/v1/predictions/${id}`;
  return { isDone: ended.has(status), path, cancelPath: `${path}/cancel`, stream: streamOf(objectOr(urls), target) };
};

/** Streams have a host of their own at the vendor, which needs no key. Other hosts are not asked. */
function streamOf({ stream }: Json, { baseUrl, headers }: CallTarget): CallTarget | undefined {
  if (typeof stream !== 'string' || !URL.canParse(stream)) return undefined;
  const { origin, protocol, hostname, pathname, search } = new URL(stream);
  const target = { baseUrl: origin, path: pathname + search };
  const { authorization } = headers;
  if (origin === new URL(baseUrl).origin)
    return { ...target, headers: { ...(authorization !== undefined && { authorization }) } };
  return protocol === 'https:' && hostname.endsWith('.replicate.com') ? { ...target, headers: {} } : undefined;
}
