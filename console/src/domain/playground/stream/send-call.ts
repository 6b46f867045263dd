import { currentAccount } from '#api/session.ts';
import { atBase } from '#base-path.ts';
import type { Attachment, CallError, Dialect, Mode, SentRequest } from '#domain/playground/playground-types.ts';
import type { AnswerDraft } from './answer-draft.ts';
import { errorIn, objectOr, objects, textOr, type Delta, type DeltaReader } from './delta.ts';
import { dataUrlOf } from './data-url-of.ts';
import { EventReader } from './event-reader.ts';
import { readChat } from './read-chat.ts';
import { readGemini } from './read-gemini.ts';
import { readMessages } from './read-messages.ts';
import { readResponses } from './read-responses.ts';

const readers: Record<Dialect, DeltaReader> = {
  chat: readChat,
  responses: readResponses,
  messages: readMessages,
  gemini: readGemini,
};

export interface PlaygroundCall {
  mode: Mode;
  dialect: Dialect;
  sent: SentRequest;
  /** The file of a form. */
  file?: Attachment | undefined;
  signal: AbortSignal;
}

/** Prefix of the relay's paths for calls by session. */
const PREFIX = '/api/playground';

/**
 * Sends a call and adds its reply to the draft; `onGrown` is called after each piece. Refusals and broken connections
 * end up in the draft; rejects only if it was stopped.
 */
export async function sendCall(call: PlaygroundCall, draft: AnswerDraft, onGrown: () => void): Promise<void> {
  const startMs = performance.now();
  const grown = (deltas: readonly Delta[]): void => {
    for (const delta of deltas) draft.add(delta);
    if (firstMs === undefined && draft.hasOutput) {
      firstMs = performance.now() - startMs;
      draft.note({ firstMs });
    }
    onGrown();
  };
  let firstMs: number | undefined;
  try {
    const response = await fetch(atBase(PREFIX + call.sent.path), requestOf(call));
    draft.note({ requestId: response.headers.get('x-oneapi-request-id') ?? undefined });
    if (response.ok && isTask(call)) await followReply(call, response, draft, onGrown);
    else if (response.ok) await readReply(call, response, grown);
    else draft.note({ error: await refusalOf(response) });
  } catch (error) {
    if (call.signal.aborted) throw error;
    draft.note({ error: { status: 0, code: 'connection_lost', message: '' } });
  } finally {
    draft.note({ totalMs: performance.now() - startMs });
  }
}

function requestOf({ mode, dialect, sent, file, signal }: PlaygroundCall): RequestInit {
  const team = currentAccount();
  const account: Record<string, string> = team ? { 'x-account': String(team.id) } : {};
  if (sent.body !== undefined) {
    const headers: Record<string, string> = { ...account, 'content-type': 'application/json' };
    if (mode === 'chat' && dialect === 'messages') headers['anthropic-version'] = '2023-06-01';
    return { method: 'POST', headers, body: sent.body, signal };
  }
  const form = new FormData();
  for (const [name, value] of sent.form ?? []) {
    if (typeof value === 'string') form.set(name, value);
    else if (file) form.set(name, blobOf(file), file.name);
  }
  return { method: 'POST', headers: account, body: form, signal };
}

const isTask = ({ mode }: PlaygroundCall): boolean => mode === 'video' || mode === 'music';

/** Follows the task that was submitted, until its end. */
async function followReply(
  { mode, signal }: PlaygroundCall,
  response: Response,
  draft: AnswerDraft,
  onGrown: () => void,
): Promise<void> {
  const reply = objectOr(await response.json());
  const taskId = textOr(reply[mode === 'video' ? 'id' : 'data']);
  draft.note({ task: { progress: 0 } });
  onGrown();
  const { followTask } = await import('./follow-task.ts');
  for await (const { record, deltas } of followTask(taskId, signal)) {
    draft.note({ task: { id: record.id, progress: record.progress } });
    for (const delta of deltas) draft.add(delta);
    onGrown();
  }
}

const blobOf = ({ mime, data }: Attachment): Blob =>
  new Blob([Uint8Array.from(atob(data), (character) => character.charCodeAt(0))], { type: mime });

async function readReply(
  { mode, dialect }: PlaygroundCall,
  response: Response,
  grown: (deltas: readonly Delta[]) => void,
): Promise<void> {
  if (mode === 'speech') return grown([{ media: await dataUrlOf(await response.blob()) }]);
  const isStream = response.headers.get('content-type')?.includes('event-stream') ?? false;
  if (isStream) return readStream(response, readers[dialect], grown);
  const reply = objectOr(await response.json());
  const error = errorIn(reply, response.status);
  if (error) return grown([{ error }]);
  if (mode === 'image') return grown(objects(reply['data']).map(imageOf));
  if (mode === 'transcription') return grown([{ text: textOr(reply['text']) }]);
  grown(readers[dialect](reply));
}

async function readStream(
  { body }: Response,
  read: DeltaReader,
  grown: (deltas: readonly Delta[]) => void,
): Promise<void> {
  const events = new EventReader();
  const take = (data: string): Delta[] => {
    if (data === '[DONE]') return [];
    const event = parse(data);
    const error = errorIn(event, 0);
    return error ? [{ error }] : read(event);
  };
  const pieces = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await pieces?.read(); next && !next.done; next = await pieces?.read())
    grown(events.feed(next.value).flatMap(take));
  grown(events.end().flatMap(take));
}

function parse(data: string) {
  try {
    return objectOr(JSON.parse(data));
  } catch {
    return {}; // a vendor's comment; a cut answer has no usage and no end
  }
}

const imageOf = ({ b64_json: data, url, output_format: format }: Record<string, unknown>): Delta => ({
  media: textOr(data) === '' ? textOr(url) : `data:image/${textOr(format) || 'png'};base64,${textOr(data)}`,
});

async function refusalOf(response: Response): Promise<CallError> {
  const { status } = response;
  const text = await response.text();
  const reply = parse(text);
  // The music dialect has its message at the top.
  const message = textOr(reply['message']) || (text.startsWith('<') ? '' : text.slice(0, 500));
  return errorIn(reply, status) ?? { status, code: textOr(reply['code']), message };
}
