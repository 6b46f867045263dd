import type { Behaviour } from './behaviour.ts';
import type { SimulatedCall } from './call.ts';
import { ranked, soundOf } from './media.ts';
import { jsonReply, type SimulatedReply } from './reply.ts';

/** MiniMax's speech: hexadecimal audio, with characters counted. */
export function miniMaxSpeechReply(call: SimulatedCall, behaviour: Behaviour): SimulatedReply {
  return jsonReply(200, {
    data: { audio: Buffer.concat(soundOf(behaviour)).toString('hex'), status: 2 },
    extra_info: { audio_format: 'mp3', usage_characters: Array.from(String(call.body['text'])).length },
    base_resp: { status_code: 0, status_msg: 'success' },
  });
}

/** Cohere's rerank, billed per search. */
export function cohereRerankReply(call: SimulatedCall): SimulatedReply {
  return jsonReply(200, {
    id: 'rerank-1',
    results: ranked(call.body['documents'] as unknown[]), // required
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  });
}

/** Cohere's embeddings. */
export function cohereEmbedReply(call: SimulatedCall): SimulatedReply {
  const texts = call.body['texts'] as unknown[]; // required
  return jsonReply(200, {
    id: 'embed-1',
    embeddings: { float: texts.map((text) => [String(text).length, 0.5, -0.5]) },
    texts,
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: call.promptTokens } },
  });
}
