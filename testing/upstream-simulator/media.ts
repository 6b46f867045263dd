import type { Behaviour, JsonObject } from './behaviour.ts';
import type { SimulatedCall } from './call.ts';
import { jsonReply, streamReply, type SimulatedReply } from './reply.ts';
import { countWords, piecesOf } from './text.ts';

/** The configured usage, none, or the usual one. */
export const usageOr = ({ usage }: Behaviour, usual: JsonObject | undefined): { usage?: JsonObject } => {
  if (typeof usage === 'object') return { usage };
  return usual === undefined || usage === 'none' ? {} : { usage: usual };
};

/** Never flags anything. OpenAI reports no usage. */
export function moderationReply(call: SimulatedCall, behaviour: Behaviour): SimulatedReply {
  const { input } = call.body;
  const results = (Array.isArray(input) ? input : [input]).map(() => ({
    flagged: false,
    categories: { violence: false },
    category_scores: { violence: 0.000_1 },
  }));
  return jsonReply(200, { id: 'modr-1', model: call.model, results, ...usageOr(behaviour, undefined) });
}

/** Ranks documents in Jina's format: the longest first. */
export function rerankReply(call: SimulatedCall, behaviour: Behaviour): SimulatedReply {
  const documents = call.body['documents'] as unknown[]; // required
  const results = ranked(documents).map((one) => ({ ...one, document: { text: String(documents[one.index]) } }));
  const total_tokens = call.promptTokens + countWords(String(call.body['query']));
  return jsonReply(200, { model: call.model, results, ...usageOr(behaviour, { total_tokens }) });
}

/** Document indexes with scores. */
export const ranked = (documents: readonly unknown[]) =>
  documents
    .map((document, index) => ({ index, relevance_score: Math.min(1, String(document).length / 100) }))
    .toSorted((a, b) => b.relevance_score - a.relevance_score);

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The requested number of one-pixel images; gpt-image models report tokens. */
export function imagesReply(call: SimulatedCall, behaviour: Behaviour): SimulatedReply {
  const count = Number(call.body['n'] ?? 1);
  const output_tokens = count * 1056;
  const counted = {
    total_tokens: call.promptTokens + output_tokens,
    input_tokens: call.promptTokens,
    output_tokens,
    input_tokens_details: { text_tokens: call.promptTokens, image_tokens: 0 },
  };
  const usage = usageOr(behaviour, call.model.startsWith('gpt-image') ? counted : undefined);
  const created = Math.floor(Date.now() / 1000);
  if (call.stream) {
    const events = [
      { type: 'image_generation.partial_image', b64_json: pixel, partial_image_index: 0 },
      { type: 'image_generation.completed', b64_json: pixel, created_at: created, ...usage },
    ];
    return eventsReply(events, behaviour);
  }
  const b64_json = behaviour.chunkBytes === undefined ? pixel : 'A'.repeat(behaviour.chunkBytes);
  return jsonReply(200, { created, data: Array.from({ length: count }, () => ({ b64_json })), ...usage });
}

function eventsReply(events: readonly JsonObject[], behaviour: Behaviour): SimulatedReply {
  const lines = events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
  return streamReply(lines, behaviour.firstTokenMs ?? 0, behaviour.chunkMs ?? 0);
}

/** Audio, or events with audio. */
export function speechReply(call: SimulatedCall, behaviour: Behaviour): SimulatedReply {
  if (call.body['stream_format'] !== 'sse') return soundReply(behaviour);
  const audio = soundOf(behaviour).map((piece) => ({ type: 'speech.audio.delta', audio: piece.toString('base64') }));
  const counted = { input_tokens: call.promptTokens, output_tokens: 60, total_tokens: call.promptTokens + 60 };
  return eventsReply([...audio, { type: 'speech.audio.done', ...usageOr(behaviour, counted) }], behaviour);
}

/** Bytes in chunks. */
export function soundReply(behaviour: Behaviour): SimulatedReply {
  const reply = streamReply([], behaviour.firstTokenMs ?? 0, behaviour.chunkMs ?? 0);
  return { ...reply, headers: { 'content-type': 'audio/mpeg' }, parts: soundOf(behaviour) };
}

/** Deterministic bytes. */
export const soundOf = ({ chunks = 4, chunkBytes = 1024 }: Behaviour): Buffer[] =>
  Array.from({ length: chunks }, (_, i) => Buffer.alloc(chunkBytes, i + 1));

/** A fixed transcript in the requested format. */
export function transcriptReply(call: SimulatedCall, behaviour: Behaviour): SimulatedReply {
  const text = piecesOf(behaviour).join('');
  const output_tokens = countWords(text);
  const usage = usageOr(
    behaviour,
    call.model.startsWith('whisper')
      ? { type: 'duration', seconds: 9 }
      : { type: 'tokens', input_tokens: 30, output_tokens, total_tokens: 30 + output_tokens },
  );
  if (call.stream) {
    const events = [
      { type: 'transcript.text.delta', delta: text },
      { type: 'transcript.text.done', text, ...usage },
    ];
    return eventsReply(events, behaviour);
  }
  const plain = { text: `${text}\n`, srt: subtitles(text), vtt: `WEBVTT\n\n${subtitles(text)}` };
  const requested = call.body['response_format'];
  const format = typeof requested === 'string' ? requested : 'json';
  const body = new Map(Object.entries(plain)).get(format);
  if (body !== undefined)
    return { ...jsonReply(200, {}), headers: { 'content-type': 'text/plain; charset=utf-8' }, parts: [body] };
  const verbose = format === 'verbose_json' ? { task: 'transcribe', language: 'english', duration: 8.47 } : {};
  return jsonReply(200, { ...verbose, text, ...usage });
}

const subtitles = (text: string): string => `1\n00:00:00,000 --> 00:00:08,470\n${text}\n\n`;
