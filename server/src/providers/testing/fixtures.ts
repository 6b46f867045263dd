import { existsSync, readFileSync } from 'node:fs';
import type { Usage } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import { modelEvent } from './event-stream-frames.ts';

/** A channel of a provider and its targets. `fixtures/<id>/channel.json` */
export interface ChannelFixture {
  key: string;
  base_url?: string;
  other?: string;
  plugin?: Json;
  /** The exchanged token. */
  token?: string;
  /** Authorization headers; those of a signature made at the suite's time are in `signed`. */
  headers: Record<string, string>;
  signed?: Record<string, string>;
  /** A refusal and how it is read. */
  errors: { status: number; headers?: Record<string, string>; body: unknown; reads: Json }[];
  models?: { url: string; reply: unknown; reads: string[]; next?: { reply: unknown; path: string } };
  /** `more`: further replies, or replies of another site. */
  balance?: { url: string; reply: unknown; reads: Json; more?: { base_url?: string; reply?: unknown; reads: Json }[] };
  /** Non-chat operations by name. */
  others?: Record<string, OtherFixture>;
}

export interface OtherFixture {
  model: string;
  url: string;
  headers?: Record<string, string>;
  /** A caller's request and the upstream's; equal if absent. */
  request?: Json;
  sent?: unknown;
  /** The vendor's reply, the caller's, and the usage; absent: not reported. */
  reply?: unknown;
  reply_bytes?: string;
  answer?: unknown;
  usage?: Partial<Usage>;
}

/** A chat dialect of a provider. `fixtures/<id>/chat.json`, or `chat-<dialect>.json` for a further one. */
export interface ChatFixture {
  /** The vendor's documentation. */
  source: string;
  model: string;
  url: string;
  stream_url?: string;
  headers?: Record<string, string>;
  /** Bodies by name of the suite's request; for OpenAI's dialect as a merge patch. Null: it is refused. */
  requests?: Record<string, Json | null>;
  /** The changes to a passed-through request. */
  passed_on?: Json;
  framing?: 'sse' | 'lines' | 'amazon';
  answer: RecordedReply;
  /** Absent: the vendor calls no functions of the caller. */
  calls?: RecordedReply;
}

export interface RecordedReply {
  reply: unknown;
  /** JSON, or a raw line; for Amazon's frames an event type with its JSON. */
  stream: (Json | string | [string, Json])[];
  usage: Partial<Usage>;
  /** Overrides for streams. */
  stream_usage?: Partial<Usage>;
  thinking?: string;
}

const folder = new URL('../adapters/fixtures/', import.meta.url);

/** File contents by fixture name. */
interface Fixtures {
  channel: ChannelFixture;
  chat: ChatFixture;
}
type NameOf<Kind extends keyof Fixtures> = Kind | `${Kind}-${string}`;

/** A fixture; undefined if the provider has none of this name. */
export function findFixture<Kind extends keyof Fixtures>(id: string, name: NameOf<Kind>): Fixtures[Kind] | undefined {
  const file = new URL(`${id}/${name}.json`, folder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Fixtures[Kind]) : undefined;
}

/** The bytes of a stream in the vendor's framing. */
export function streamBytes(
  { framing = 'sse' }: Pick<ChatFixture, 'framing'>,
  stream: RecordedReply['stream'],
): Buffer {
  return Buffer.concat(stream.map((event) => bytesOf(framing, event)));
}

function bytesOf(framing: NonNullable<ChatFixture['framing']>, event: RecordedReply['stream'][number]): Buffer {
  if (Array.isArray(event)) return modelEvent(...event);
  if (typeof event === 'string') return Buffer.from(`${event}\n\n`);
  if (framing === 'lines') return Buffer.from(`${JSON.stringify(event)}\n`);
  const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
  return Buffer.from(`${name}data: ${JSON.stringify(event)}\n\n`);
}

/** Applies a JSON merge patch. https://www.rfc-editor.org/rfc/rfc7396 */
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

/** Like `findFixture`; throws if it is missing. */
export function needFixture<Kind extends keyof Fixtures>(id: string, name: NameOf<Kind>): Fixtures[Kind] {
  const found = findFixture<Kind>(id, name);
  if (!found) throw new Error(`adapters/fixtures/${id}/${name}.json is missing`);
  return found;
}
