import { existsSync, readFileSync } from 'node:fs';
import type { Usage } from '@relay-hub/contract';
import type { Json } from '#chat/chat.ts';
import { modelEvent } from './event-stream-frames.ts';

/** A channel of a provider, and where its calls go. `fixtures/<id>/channel.json` */
export interface ChannelFixture {
  key: string;
  base_url?: string;
  other?: string;
  plugin?: Json;
  /** What the key was exchanged for. */
  token?: string;
  /** What authorizes a call; the signature of one that is signed at the suite's time stands in `signed`. */
  headers: Record<string, string>;
  signed?: Record<string, string>;
  /** An answer that refuses, what it says, and how it is understood. */
  errors: { status: number; headers?: Record<string, string>; body: unknown; reads: Json }[];
  models?: { url: string; reply: unknown; reads: string[]; next?: { reply: unknown; path: string } };
  /** `more`: the same answer of another site, or another answer. */
  balance?: { url: string; reply: unknown; reads: Json; more?: { base_url?: string; reply?: unknown; reads: Json }[] };
  /** Everything that is no chat, by its name. */
  others?: Record<string, OtherFixture>;
}

export interface OtherFixture {
  model: string;
  url: string;
  headers?: Record<string, string>;
  /** A caller's request and what becomes of it; the same if left out. */
  request?: Json;
  sent?: unknown;
  /** The vendor's answer, what the caller gets of it, and what was used; left out: it does not tell. */
  reply?: unknown;
  reply_bytes?: string;
  answer?: unknown;
  usage?: Partial<Usage>;
}

/** A dialect in which a provider chats. `fixtures/<id>/chat.json`, or `chat-<dialect>.json` for a further one. */
export interface ChatFixture {
  /** Where the vendor documents it. */
  source: string;
  model: string;
  url: string;
  stream_url?: string;
  headers?: Record<string, string>;
  /** Bodies by the name of the suite's request; for OpenAI's dialect what differs from it, null for what is gone. */
  requests?: Record<string, Json>;
  /** What differs from a caller's request in the same dialect, after it was passed on. */
  passed_on?: Json;
  framing?: 'sse' | 'lines' | 'amazon';
  answer: Told;
  calls: Told;
}

export interface Told {
  reply: unknown;
  /** JSON, or a line as it is; for Amazon's frames the event's type and its JSON. */
  stream: (Json | string | [string, Json])[];
  usage: Partial<Usage>;
  /** In a stream, where it differs. */
  stream_usage?: Partial<Usage>;
  thinking?: string;
}

const folder = new URL('../adapters/fixtures/', import.meta.url);

/** What the fixtures of a provider are called, and what they hold. */
interface Fixtures {
  channel: ChannelFixture;
  chat: ChatFixture;
}
type NameOf<Kind extends keyof Fixtures> = Kind | `${Kind}-${string}`;

/** A fixture; undefined when the provider has none of this name. */
export function findFixture<Kind extends keyof Fixtures>(id: string, name: NameOf<Kind>): Fixtures[Kind] | undefined {
  const file = new URL(`${id}/${name}.json`, folder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Fixtures[Kind]) : undefined;
}

/** The bytes of a stream as the vendor sends it. */
export function streamBytes({ framing = 'sse' }: Pick<ChatFixture, 'framing'>, stream: Told['stream']): Buffer {
  return Buffer.concat(stream.map((event) => bytesOf(framing, event)));
}

function bytesOf(framing: NonNullable<ChatFixture['framing']>, event: Told['stream'][number]): Buffer {
  if (Array.isArray(event)) return modelEvent(...event);
  if (typeof event === 'string') return Buffer.from(`${event}\n\n`);
  if (framing === 'lines') return Buffer.from(`${JSON.stringify(event)}\n`);
  const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
  return Buffer.from(`${name}data: ${JSON.stringify(event)}\n\n`);
}

/** A body and what differs: null for what is gone. https://www.rfc-editor.org/rfc/rfc7396 */
export function patched(body: unknown, patch: unknown): unknown {
  if (!isPlain(patch)) return patch;
  const out: Json = isPlain(body) ? { ...body } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete out[name];
    else out[name] = patched(out[name], value);
  }
  return out;
}

const isPlain = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A fixture that has to be there. */
export function needFixture<Kind extends keyof Fixtures>(id: string, name: NameOf<Kind>): Fixtures[Kind] {
  const found = findFixture<Kind>(id, name);
  if (!found) throw new Error(`adapters/fixtures/${id}/${name}.json is missing`);
  return found;
}
