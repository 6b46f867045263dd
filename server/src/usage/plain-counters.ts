import { noUsage } from '@relay-hub/contract';
import { objectOf } from '#json.ts';
import { believed, countOf } from './counts.ts';
import { lastWins, type UsageFormat } from './usage-format.ts';

interface CounterPaths {
  /** Paths to the usage object; the first that exists is taken. */
  at: readonly (readonly string[])[];
  /** Counter names; the first that exists is taken. */
  input: readonly string[];
  output?: readonly string[];
}

/** Formats with one or two plain counters and no parts. */
function plainCounters({ at, input, output = [] }: CounterPaths): UsageFormat {
  return {
    find: (message) =>
      at.map((path) => follow(message, path)).find((found) => first(found, [...input, ...output]) !== undefined),
    merge: lastWins,
    read: (raw) => {
      const counts = { input: first(raw, input), output: first(raw, output) };
      if (counts.input === undefined && counts.output === undefined) return undefined;
      return believed({ ...noUsage, input: counts.input ?? 0, output: counts.output ?? 0 });
    },
  };
}

const follow = (message: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => objectOf(at)?.[name], message);

const first = (usage: unknown, names: readonly string[]): number | undefined =>
  names.map((name) => countOf(objectOf(usage)?.[name])).find((count) => count !== undefined);

/** Jina's rerank and embeddings; rerank reports only the total. https://jina.ai/reranker */
export const jina = plainCounters({ at: [['usage']], input: ['prompt_tokens', 'total_tokens'] });

/** Ollama's own API reports in the last line of a stream and omits zeros. */
export const ollama = plainCounters({ at: [[]], input: ['prompt_eval_count'], output: ['eval_count'] });

/** Titan's embeddings on Bedrock. */
export const titanEmbeddings = plainCounters({ at: [[]], input: ['inputTextTokenCount'] });

/** Tencent's Hunyuan; replies wrap what stream events contain directly. */
export const tencentHunyuan = plainCounters({
  at: [['Response', 'Usage'], ['Usage']],
  input: ['PromptTokens'],
  output: ['CompletionTokens'],
});

/** Xunfei's Spark, in the last frame. */
export const xunfeiSpark = plainCounters({
  at: [['payload', 'usage', 'text']],
  input: ['prompt_tokens'],
  output: ['completion_tokens'],
});

/** Coze, in the event that ends a chat. */
export const coze = plainCounters({
  at: [['usage'], ['data', 'usage']],
  input: ['input_count'],
  output: ['output_count'],
});

/** Cloudflare's run API; its other API is OpenAI's. */
export const cloudflareRun = plainCounters({
  at: [['result', 'usage']],
  input: ['prompt_tokens'],
  output: ['completion_tokens'],
});

/** Replicate, for a finished prediction. */
export const replicate = plainCounters({
  at: [['metrics']],
  input: ['input_token_count'],
  output: ['output_token_count'],
});

/** MiniMax's speech counts characters, each charged as an input token, as in one-hub. */
export const miniMaxSpeech = plainCounters({ at: [['extra_info']], input: ['usage_characters'] });
