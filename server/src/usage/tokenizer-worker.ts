import { parentPort } from 'node:worker_threads';
import type { Encoding } from './tokenizer-encoding.ts';
import { cutLongRuns } from './tokenizer-runs.ts';

export interface CountRequest {
  id: number;
  encoding: Encoding;
  texts: string[];
}

export interface CountReply {
  id: number;
  tokens: number;
  /** A long run was cut, so the count is slightly too high. */
  cut: boolean;
}

/** Bounds the encoder's cache. */
const REMEMBERED_PIECES = 10_000;
const asText = { disallowedSpecial: new Set<string>() }; // special tokens are plain text here

async function load(encoding: Encoding) {
  // A vocabulary takes tens of megabytes, so it is loaded on first use.
  const loaded = await (encoding === 'o200k_base'
    ? import('gpt-tokenizer/encoding/o200k_base')
    : import('gpt-tokenizer/encoding/cl100k_base'));
  loaded.setMergeCacheSize(REMEMBERED_PIECES);
  return loaded;
}

const encoders = new Map<Encoding, ReturnType<typeof load>>();

async function count({ id, encoding, texts }: CountRequest): Promise<CountReply> {
  let encoder = encoders.get(encoding);
  if (!encoder) encoders.set(encoding, (encoder = load(encoding)));
  const { countTokens } = await encoder;
  let tokens = 0;
  let cut = false;
  for (const text of texts) {
    const pieces = cutLongRuns(text);
    cut ||= pieces.length > 1;
    for (const piece of pieces) tokens += countTokens(piece, asText);
  }
  return { id, tokens, cut };
}

parentPort?.on('message', (request: CountRequest) => {
  // A failure must end the thread, so that the main thread falls back to estimates.
  void count(request).then((reply) => parentPort?.postMessage(reply));
});
