import * as z from 'zod/mini';
import type { Provider } from './provider.ts';

interface Described {
  id: string;
  type: number;
  title: string;
  baseUrl?: string;
  testModel?: string;
  website?: string;
  /** Where the version stands in the path; most have it in front, some keep it in their base address. */
  prefix?: string;
  /** Most have no embeddings of their own. */
  embeddings?: boolean;
}

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** A provider that speaks OpenAI's wire format: a page of data. */
export function openAiCompatible({
  id,
  type,
  title,
  baseUrl = '',
  testModel = '',
  website = '',
  prefix = '/v1',
  embeddings = false,
}: Described): Provider {
  return {
    id,
    type,
    title,
    baseUrl,
    testModel,
    website,
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    chat: { dialect: 'openai', path: `${prefix}/chat/completions` },
    ...(embeddings && { embeddings: { dialect: 'openai', path: `${prefix}/embeddings` } }),
    models: {
      path: `${prefix}/models`,
      read: (reply) => {
        const parsed = modelList.safeParse(reply);
        return parsed.success ? [...new Set(parsed.data.data.map((model) => model.id))] : undefined;
      },
    },
  };
}
